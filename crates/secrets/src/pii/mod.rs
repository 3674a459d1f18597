//! Personal data in texts: e-mail addresses, telephone numbers, cards, accounts, national numbers, addresses of machines,
//! accounts of clouds, home folders and the names of their users.
//!
//! Three passes look for what starts a grammar: signs (`@`, `+`, `~`, `%40`), fixed strings (`/home/`, `USER=`, …) and
//! words with digits. What they find goes to the grammars, each of which reads a bounded piece of text: the whole is linear.

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
mod telling;
mod text;

#[cfg(test)]
mod tests;

use super::bits::{Blocks, Bytes, is};
use super::hit::Hit;
pub(crate) use home::is_role;
pub(super) use keyed::is_name;
use text::Text;

/// Finds personal data. `name` is the JSON key that the text stands under.
///
/// Hits may overlap and come in no order.
pub(crate) fn find(name: Option<&str>, text: &str, hits: &mut Vec<Hit>) {
    let text = Text::new(name, text);
    let blocks = Blocks::of(text.bytes);
    signs(&text, &blocks, hits);
    needles::find(&text, hits);
    numbers::find(&text, &blocks, hits);
    keyed::find(&text, hits);
}

fn signs(text: &Text<'_>, blocks: &Blocks<'_>, hits: &mut Vec<Hit>) {
    const WIDE_AT: &[u8] = "＠".as_bytes();
    let is_sign =
        |bytes: Bytes| is(bytes, b'@') | is(bytes, b'+') | is(bytes, b'~') | is(bytes, b'%') | is(bytes, 0xef);
    for at in blocks.offsets(is_sign) {
        match text.at(at) {
            b'@' => email::at_sign(text, at, hits),
            b'+' => phone::plus(text, at, hits),
            b'~' => home::tilde(text, at, hits),
            b'%' => {
                let written = [&b"%40"[..], b"%2540"].into_iter().find(|written| text.starts_with(at, written));
                if let Some(written) = written {
                    encoded::at_sign(text, at..at + written.len(), "url-email", hits);
                }
            }
            _ if text.starts_with(at, WIDE_AT) => email::wide_at_sign(text, at, hits),
            _ => {}
        }
    }
}
