//! Does a path pattern match a path? For names made in the session; policies have their own automata.

use agent_strace_shell::Brackets;

/// Longer texts count as matched: this is asked to find more effects, never fewer.
const LENGTH: usize = 256;

/// Matches the dialect of `PathTarget`: `*` and `?` within a component, `**` across, `[…]` a class.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    Pattern::new(pattern).matches(path)
}

/// A pattern that many paths are compared with.
pub(super) struct Pattern {
    /// `None`: the pattern is too long.
    tokens: Option<Vec<Token>>,
    /// Every path that matches starts with this text, and ends with the other one.
    start: String,
    end: String,
}

impl Pattern {
    pub(super) fn new(pattern: &str) -> Self {
        if pattern.len() > LENGTH {
            return Self { tokens: None, start: String::new(), end: String::new() };
        }
        let tokens = tokens(pattern);
        let start = tokens.iter().map_while(Token::literal).collect();
        let end: Vec<char> = tokens.iter().rev().map_while(Token::literal).collect();
        // Of `**/name` the slash may stand for nothing.
        let before = tokens.len().checked_sub(end.len() + 1).and_then(|at| tokens.get(at));
        let is_free = before == Some(&Token::Anything) && end.last() == Some(&'/');
        let kept = end.len() - usize::from(is_free);
        let end = end.into_iter().take(kept).rev().collect();
        Self { tokens: Some(tokens), start, end }
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        let Some(tokens) = self.tokens.as_deref().filter(|_| path.len() <= LENGTH) else { return true };
        path.starts_with(&self.start) && path.ends_with(&self.end) && walk(tokens, path)
    }
}

fn walk(tokens: &[Token], path: &str) -> bool {
    // `open` holds, per token, whether the text so far can end before it.
    let mut open = vec![false; tokens.len() + 1];
    let mut next = open.clone();
    if let Some(first) = open.first_mut() {
        *first = true;
    }
    skip_empty(tokens, &mut open);
    for character in path.chars() {
        next.fill(false);
        for (at, token) in tokens.iter().enumerate() {
            if !open.get(at).copied().unwrap_or(false) || !token.takes(character) {
                continue;
            }
            let to = if token.repeats() { at } else { at + 1 };
            if let Some(slot) = next.get_mut(to) {
                *slot = true;
            }
        }
        skip_empty(tokens, &mut next);
        std::mem::swap(&mut open, &mut next);
    }
    open.last().copied().unwrap_or(false)
}

/// Stars may take nothing; `**/` may be no directory at all.
fn skip_empty(tokens: &[Token], open: &mut [bool]) {
    for (at, token) in tokens.iter().enumerate() {
        if !open.get(at).copied().unwrap_or(false) || !token.repeats() {
            continue;
        }
        let slash = *token == Token::Anything && tokens.get(at + 1) == Some(&Token::Literal('/'));
        for to in [Some(at + 1), slash.then_some(at + 2)].into_iter().flatten() {
            if let Some(slot) = open.get_mut(to) {
                *slot = true;
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Literal(char),
    One,
    Component,
    Anything,
    Brackets(Brackets),
}

impl Token {
    fn takes(&self, character: char) -> bool {
        match self {
            Self::Literal(literal) => *literal == character,
            Self::One | Self::Component => character != '/',
            Self::Anything => true,
            Self::Brackets(brackets) => character != '/' && brackets.has(character),
        }
    }

    fn literal(&self) -> Option<char> {
        if let Self::Literal(literal) = self { Some(*literal) } else { None }
    }

    fn repeats(&self) -> bool {
        matches!(self, Self::Component | Self::Anything)
    }
}

fn tokens(pattern: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        tokens.push(match first {
            '*' if rest.starts_with('*') => {
                rest = rest.trim_start_matches('*');
                Token::Anything
            }
            '*' => Token::Component,
            '?' => Token::One,
            '[' => match brackets(rest) {
                Some((brackets, after)) => {
                    rest = after;
                    Token::Brackets(brackets)
                }
                None => Token::Literal('['),
            },
            literal => Token::Literal(literal),
        });
    }
    tokens
}

/// Brackets never reach across a `/`.
fn brackets(rest: &str) -> Option<(Brackets, &str)> {
    let component = rest.split('/').next().unwrap_or_default();
    let (brackets, length) = Brackets::read(component)?;
    Some((brackets, rest.get(length..)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Pattern, matches, tokens, walk};

    #[test]
    fn texts_at_the_ends_are_those_of_every_match() {
        for (pattern, start, end) in [
            ("**/conftest.py", "", "conftest.py"),
            ("src/**/a.rs", "src/", "a.rs"),
            ("src/*/a.rs", "src/", "/a.rs"),
            ("a.rs", "a.rs", "a.rs"),
            ("x[/]y*", "x[/]y", ""),
            ("x[ab]y", "x", "y"),
            ("", "", ""),
        ] {
            let read = Pattern::new(pattern);
            assert_eq!((read.start.as_str(), read.end.as_str()), (start, end), "{pattern}");
        }
        assert!(matches("**/conftest.py", "conftest.py") && !matches("**/conftest.py", "a/conftest.pyc"));
    }

    proptest! {
        /// The texts at the ends reject nothing that the walk takes.
        #[test]
        fn the_ends_reject_no_match(pattern in "[ab/*?\\[\\]]{0,8}", path in "[ab/]{0,8}") {
            prop_assert_eq!(matches(&pattern, &path), walk(&tokens(&pattern), &path));
        }
    }
}
