//! Arguments that were recorded as Python representations: the value `src/a.py` as the text `'src/a.py'`.
//!
//! The peer's decorator writes every argument that way. Left as they are, no policy pattern matches them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::json::{fields, text};

/// The recorder cuts a representation after this many characters and adds three dots.
const CUT_AT: usize = 500;

/// The arguments with their representations undone.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) json: String,
    pub(super) cut: bool,
}

enum Literal {
    Text(String),
    /// A number, a collection, an object: kept as it is written.
    Other,
    Cut(String),
}

/// The object with every value unquoted, if every value is a string that holds a Python literal and at least one
/// is a quoted string. `None`: these are ordinary arguments.
pub(super) fn unquoted(json: &str) -> Option<Values> {
    if !json.contains("\"'") && !json.contains("\"\\\"") {
        return None;
    }
    let fields = fields(json)?;
    let mut values: BTreeMap<Cow<'_, str>, String> = BTreeMap::new();
    let (mut quoted, mut cut) = (false, false);
    for (name, value) in fields {
        let written = text(Some(value))?;
        let value = match literal(&written)? {
            Literal::Text(value) => {
                quoted = true;
                value
            }
            Literal::Cut(value) => {
                (quoted, cut) = (true, true);
                value
            }
            Literal::Other => written.into_owned(),
        };
        values.insert(name, value);
    }
    let json = serde_json::to_string(&values).ok()?;
    quoted.then_some(Values { json, cut })
}

fn literal(written: &str) -> Option<Literal> {
    let (body, is_bytes) = written.strip_prefix('b').map_or((written, false), |rest| (rest, true));
    let quote = body.chars().next()?;
    if quote == '\'' || quote == '"' {
        let rest = body.strip_prefix(quote)?;
        if written.chars().count() == CUT_AT + 3 && written.ends_with("...") {
            return Some(Literal::Cut(unescape(rest.strip_suffix("...")?, None)?));
        }
        return unescape(rest.strip_suffix(quote)?, Some(quote)).map(Literal::Text);
    }
    if is_bytes {
        return None;
    }
    let other = matches!(written, "None" | "True" | "False" | "<unrepresentable>")
        || written.starts_with(['[', '(', '{', '<'])
        || written.parse::<f64>().is_ok();
    other.then_some(Literal::Other)
}

/// Undoes Python's escapes; `None` when the quote occurs unescaped, so that it was no literal.
fn unescape(body: &str, quote: Option<char>) -> Option<String> {
    let mut text = String::with_capacity(body.len());
    let mut rest = body.chars();
    while let Some(character) = rest.next() {
        if Some(character) == quote {
            return None;
        }
        if character != '\\' {
            text.push(character);
            continue;
        }
        match rest.next() {
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('t') => text.push('\t'),
            Some('x') => text.push(code(&mut rest, 2)?),
            Some('u') => text.push(code(&mut rest, 4)?),
            Some('U') => text.push(code(&mut rest, 8)?),
            Some(other @ ('\\' | '\'' | '"')) => text.push(other),
            Some(_) => return None,
            // Only a cut literal ends inside an escape.
            None => break,
        }
    }
    Some(text)
}

fn code(rest: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let hex: String = rest.by_ref().take(digits).collect();
    let value = u32::from_str_radix(&hex, 16).ok()?;
    Some(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER))
}
