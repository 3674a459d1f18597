//! Values that are private by the key they stand under.

use super::national;
use super::text::{Text, rows};
use crate::privacy::hit::{Confidence, Hit};

/// Longer values are prose.
const MOST: usize = 120;

/// Looks at the whole text as the value of its key.
pub(super) fn find(text: &Text<'_>, hits: &mut Vec<Hit>) {
    let Some(name) = text.name else { return };
    let value = text.whole.trim();
    if value.is_empty() || value.len() > MOST || value.contains('\n') {
        return;
    }
    let key: String = name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let Some((rule, kind, confidence)) = rows(include_str!("tables/keys.tsv")).find_map(|row| read(row, &key, value))
    else {
        return;
    };
    let start = text.whole.len() - text.whole.trim_start().len();
    text.hit((start, start + value.len()), rule, kind, confidence, hits);
}

fn read(row: &'static str, key: &str, value: &str) -> Option<(&'static str, &'static str, Confidence)> {
    let mut fields = row.split('\t');
    let (rule, kind, form, confidence, keys) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    if !keys.split(' ').any(|known| known == key) || !fits(form, value) {
        return None;
    }
    let confidence = if confidence == "medium" { Confidence::Medium } else { Confidence::Low };
    let kind = if form == "number" { national::keyed(key, value).unwrap_or(kind) } else { kind };
    Some((rule, kind, confidence))
}

/// Whether a value can be what its key says; places to fill in cannot.
fn fits(form: &str, value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.chars().filter(|letter| letter.is_alphabetic()).count();
    let empty = value.starts_with(['<', '{', '$', '%', '[', '*'])
        || ["null", "none", "undefined", "true", "false", "string"].contains(&value);
    !empty
        && match form {
            "phone" => (6..=17).contains(&digits) && letters <= 3 && !value.contains(['T', ':']),
            "number" => (4..=20).contains(&digits) && letters <= 8 && value.len() <= 30,
            "date" => (4..=8).contains(&digits),
            "digits" => digits >= 3 && letters == 0,
            "words" => letters >= 3 && value.contains(' '),
            _ => letters + digits >= 2 && !value.contains(' '),
        }
}
