//! The tokens of a text that is known to be JSON with comments.

/// One token, and how it stands apart from the one before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) apart: Apart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Open,
    Close,
    Comma,
    Colon,
    /// A string, a number or a word.
    Scalar,
    LineComment,
    BlockComment,
}

/// What lies between a token and the one before it. Ordered by how much it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Apart {
    Beside,
    NextLine,
    BlankLine,
}

pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found = Vec::new();
    loop {
        let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let blank = rest.get(..rest.len() - trimmed.len()).unwrap_or_default();
        let apart = match blank.bytes().filter(|byte| *byte == b'\n').count() {
            0 => Apart::Beside,
            1 => Apart::NextLine,
            _ => Apart::BlankLine,
        };
        let Some((kind, length)) = first(trimmed) else { return found };
        let (text, after) = trimmed.split_at_checked(length).unwrap_or((trimmed, ""));
        found.push(Token { kind, text: text.trim_end(), apart });
        rest = after;
    }
}

/// The kind and the length of the first token; `None` at the end.
fn first(text: &str) -> Option<(Kind, usize)> {
    let found = match text.chars().next()? {
        '{' | '[' => (Kind::Open, 1),
        '}' | ']' => (Kind::Close, 1),
        ',' => (Kind::Comma, 1),
        ':' => (Kind::Colon, 1),
        '"' => (Kind::Scalar, string(text)),
        '/' if text.starts_with("//") => (Kind::LineComment, text.find('\n').unwrap_or(text.len())),
        '/' => (Kind::BlockComment, text.find("*/").map_or(text.len(), |end| end + 2)),
        first => {
            let ends = |character: char| " \t\n\r,:{}[]\"/".contains(character);
            (Kind::Scalar, text.find(ends).unwrap_or(text.len()).max(first.len_utf8()))
        }
    };
    Some(found)
}

/// The length of the string that the text starts with.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        if character == '"' && !escaped {
            return at + 1;
        }
        escaped = character == '\\' && !escaped;
    }
    text.len()
}
