//! Personal data in texts: e-mail addresses, telephone numbers, cards, accounts, national numbers, addresses of machines,
//! accounts of clouds, home folders and the names of their users.
//!
//! Three passes look for what starts a grammar: signs (`@`, `+`, `~`), fixed strings (`/home/`, `USER=`, …) and words with
//! digits. What they find goes to the grammars, each of which reads a bounded piece of text: the whole is linear.

mod card;
mod cloud;
mod context;
mod domain;
mod email;
mod encoded;
mod home;
mod iban;
mod ip;
mod keyed;
mod login;
mod mac;
mod national;
mod needles;
mod numbers;
mod person;
mod phone;
mod text;

#[cfg(test)]
mod tests;

use super::hit::Hit;
pub(crate) use home::is_role;
pub(super) use keyed::is_name;
use text::Text;

/// Finds personal data. `name` is the JSON key that the text stands under.
///
/// Hits may overlap and come in no order.
pub(crate) fn find(name: Option<&str>, text: &str, hits: &mut Vec<Hit>) {
    let text = Text::new(name, text);
    signs(&text, hits);
    needles::find(&text, hits);
    numbers::find(&text, hits);
    keyed::find(&text, hits);
}

fn signs(text: &Text<'_>, hits: &mut Vec<Hit>) {
    for at in memchr::memchr3_iter(b'@', b'+', b'~', text.bytes) {
        match text.at(at) {
            b'@' => email::at_sign(text, at, hits),
            b'+' => phone::plus(text, at, hits),
            _ => home::tilde(text, at, hits),
        }
    }
}
