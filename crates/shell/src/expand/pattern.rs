//! Matching of shell patterns against known text.

use crate::value::Fragment;
use crate::{Affix, Brackets, MatchLength, Matches, Quoting};

/// Texts longer than this are not matched; trying all their prefixes would be quadratic.
const MAX_TEXT: usize = 2048;

/// A pattern of which everything is known.
#[derive(Debug)]
pub(super) struct Pattern {
    tokens: Vec<Token>,
}

#[derive(Debug)]
enum Token {
    Character(char),
    One,
    Any,
    Brackets(Brackets),
}

impl Pattern {
    /// Nothing if a part is unknown, or written in a way this does not read (groups).
    pub(super) fn new(fragments: &[Fragment]) -> Option<Self> {
        let mut tokens = Vec::new();
        for fragment in fragments {
            match fragment {
                Fragment::Text { text, quoting: Quoting::Quoted } => tokens.extend(text.chars().map(Token::Character)),
                Fragment::Text { text, .. } | Fragment::Glob(text) => globs(text, &mut tokens)?,
                _ => return None,
            }
        }
        Some(Self { tokens })
    }

    pub(super) fn matches(&self, text: &[char]) -> bool {
        // Iterative matching with one point to come back to: the last `*`.
        let (mut at, mut token) = (0, 0);
        let mut back: Option<(usize, usize)> = None;
        loop {
            match self.tokens.get(token) {
                Some(Token::Any) => {
                    back = Some((at, token + 1));
                    token += 1;
                    continue;
                }
                Some(wanted) if text.get(at).is_some_and(|found| wanted.accepts(*found)) => {
                    at += 1;
                    token += 1;
                    continue;
                }
                None if at == text.len() => return true,
                _ => {}
            }
            match back {
                Some((start, after)) if start < text.len() => {
                    back = Some((start + 1, after));
                    (at, token) = (start + 1, after);
                }
                _ => return false,
            }
        }
    }

    /// `text` without what matches at its start or end.
    pub(super) fn trim(&self, text: &str, affix: Affix, length: MatchLength) -> Option<String> {
        let characters: Vec<char> = text.chars().collect();
        if characters.len() > MAX_TEXT {
            return None;
        }
        let count = characters.len();
        let sizes: Box<dyn Iterator<Item = usize>> = match length {
            MatchLength::Shortest => Box::new(0..=count),
            MatchLength::Longest => Box::new((0..=count).rev()),
        };
        for size in sizes {
            let (tried, kept) = match affix {
                Affix::Prefix => characters.split_at_checked(size)?,
                Affix::Suffix => {
                    let (front, end) = characters.split_at_checked(count - size)?;
                    (end, front)
                }
            };
            if self.matches(tried) {
                return Some(kept.iter().collect());
            }
        }
        Some(text.to_owned())
    }

    /// `text` with the first match, or all, replaced; the longest match at each place counts.
    pub(super) fn replace(&self, text: &str, replacement: &str, matches: Matches) -> Option<String> {
        let characters: Vec<char> = text.chars().collect();
        if characters.len() > MAX_TEXT / 4 {
            return None;
        }
        let mut out = String::new();
        let mut at = 0;
        while at < characters.len() {
            let found = (at + 1..=characters.len())
                .rev()
                .find(|end| characters.get(at..*end).is_some_and(|part| self.matches(part)));
            let Some(end) = found else {
                out.extend(characters.get(at));
                at += 1;
                continue;
            };
            out.push_str(replacement);
            at = end;
            if matches == Matches::First {
                break;
            }
        }
        out.extend(characters.get(at..).unwrap_or_default());
        Some(out)
    }
}

impl Token {
    fn accepts(&self, found: char) -> bool {
        match self {
            Self::Character(wanted) => *wanted == found,
            Self::One | Self::Any => true,
            Self::Brackets(brackets) => brackets.has(found),
        }
    }
}

fn globs(text: &str, tokens: &mut Vec<Token>) -> Option<()> {
    if text.contains(['(', ')', '|']) {
        return None;
    }
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        tokens.push(match character {
            '*' => Token::Any,
            '?' => Token::One,
            '[' => match Brackets::read(rest.as_str()) {
                Some((brackets, length)) => {
                    if !brackets.is_exact() {
                        return None;
                    }
                    rest = rest.as_str().get(length..)?.chars();
                    Token::Brackets(brackets)
                }
                None => Token::Character('['),
            },
            other => Token::Character(other),
        });
    }
    Some(())
}
