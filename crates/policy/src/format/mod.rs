//! The one way a policy is written: the same values and the same comments, laid out anew.
//!
//! It works on tokens, not on values: strings and numbers stay as they are spelled, comments stay where they stand, and
//! entries stay in the order people gave them. Only the sections of the file have an order of their own, that of the
//! language, and take their comments along. A container stands in one line where it fits, holds no comment and is not
//! nested deeply; else each of its members has its own line, and single blank lines between them stay.

mod layout;
mod tokens;
mod tree;

use super::diagnostics::Diagnostics;
use super::json;

/// What becomes of comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comments {
    Keep,
    /// Plain JSON, for readers that know no comments.
    Strip,
}

/// The text of a policy in its one style. It need not be a valid policy, but it has to be JSON.
pub fn format(shown: &str, text: &str, comments: Comments) -> Result<String, Diagnostics> {
    let before = read(shown, text)?;
    let formatted = layout::document(&tree::read(text), comments);
    // Nobody's policy is worth less than this check: what was written must read as what was there.
    if json::same(&before, &read(shown, &formatted)?) {
        return Ok(formatted);
    }
    let message = "internal error: formatted, this file would mean something else; please report it".to_owned();
    Err(Diagnostics::whole_file(shown, message, None))
}

fn read(shown: &str, text: &str) -> Result<json::Value, Diagnostics> {
    json::read(text).map(|document| document.root).map_err(|error| {
        let mut faults = Diagnostics::new(shown, text);
        faults.push(error.span, "", error.message, error.help);
        faults
    })
}

#[cfg(test)]
mod tests;
