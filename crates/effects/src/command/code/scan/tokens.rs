//! Groups and lists of tokens.

use super::super::count;
use super::super::lexer::Token;
use super::Value;
use crate::command::argument::Arg;

pub(super) fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "if" | "while"
            | "for"
            | "return"
            | "and"
            | "or"
            | "not"
            | "in"
            | "is"
            | "else"
            | "elif"
            | "print"
            | "assert"
            | "yield"
            | "raise"
            | "with"
            | "lambda"
            | "del"
            | "except"
            | "await"
            | "switch"
            | "catch"
            | "function"
            | "new"
            | "typeof"
            | "async"
            | "of"
            | "case"
            | "throw"
            | "void"
            | "foreach"
            | "unless"
            | "until"
            | "elsif"
            | "super"
    )
}

pub(super) fn name_of(token: Option<&Token>) -> Option<&str> {
    match token {
        Some(Token::Name(name)) => Some(name),
        _ => None,
    }
}

pub(super) fn word(value: Option<&Value>) -> Arg {
    match value {
        Some(Value::Glob(text)) => Arg::glob(text.as_str()),
        Some(Value::Path(text)) if text.contains(['*', '?']) => Arg::glob(text.as_str()),
        Some(Value::Text(text)) if text.contains("**") => Arg::glob(text.as_str()),
        Some(Value::Text(text) | Value::Path(text)) => Arg::exact(text.as_str()),
        Some(Value::Foreign(provenance)) => {
            Arg { provenance: Some(*provenance), ..Arg::unknown("a value of the program") }
        }
        _ => Arg::unknown("a value of the program"),
    }
}

pub(super) fn joined(base: &str, part: &str) -> String {
    match base {
        "" => part.to_owned(),
        _ if part.starts_with('/') => part.to_owned(),
        base => format!("{}/{part}", base.trim_end_matches('/')),
    }
}

pub(super) fn trimmed(tokens: &[Token]) -> &[Token] {
    let mut tokens = tokens;
    while let [Token::End, rest @ ..] | [rest @ .., Token::End] = tokens {
        tokens = rest;
    }
    tokens
}

/// The tokens between the bracket at the start and its partner, and those behind it.
pub(super) fn group(tokens: &[Token]) -> (&[Token], &[Token]) {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        count(1);
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return (tokens.get(1..at).unwrap_or_default(), tokens.get(at + 1..).unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    (tokens.get(1..).unwrap_or_default(), &[])
}

/// Parts between commas that are in no brackets.
pub(super) fn split(tokens: &[Token]) -> Vec<&[Token]> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    count(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Mark(',') if depth == 0 => {
                parts.push(tokens.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = tokens.get(start..).unwrap_or_default();
    if !trimmed(last).is_empty() {
        parts.push(last);
    }
    parts
}
