//! Documents in TOML, within bounds.

use toml_edit::DocumentMut;

/// Real ones nest less deep; the library's functions call themselves.
const DEEPEST: usize = 64;

/// Why it is none, with the line.
pub(super) fn parse(text: &str) -> Result<DocumentMut, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if super::json::depth(text) > DEEPEST || text.lines().any(|line| line.matches('.').count() > 8 * DEEPEST) {
        return Err(format!("it nests more than {DEEPEST} deep"));
    }
    text.parse::<DocumentMut>().map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = text.get(..start).unwrap_or(text).matches('\n').count() + 1;
        format!("it is no TOML: {} on line {line}", error.message().replace('\n', ", "))
    })
}
