//! Does a path pattern match a path? For names made in the session; policies have their own automata.

use agent_strace_shell::Brackets;

/// Longer texts count as matched: this is asked to find more effects, never fewer.
const LENGTH: usize = 256;

/// Matches the dialect of `PathTarget`: `*` and `?` within a component, `**` across, `[…]` a class.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    if pattern.len() > LENGTH || path.len() > LENGTH {
        return true;
    }
    let tokens = tokens(pattern);
    // `open` holds, per token, whether the text so far can end before it.
    let mut open = vec![false; tokens.len() + 1];
    if let Some(first) = open.first_mut() {
        *first = true;
    }
    skip_empty(&tokens, &mut open);
    for character in path.chars() {
        let mut next = vec![false; tokens.len() + 1];
        for (at, token) in tokens.iter().enumerate() {
            if !open.get(at).copied().unwrap_or(false) || !token.takes(character) {
                continue;
            }
            let to = if token.repeats() { at } else { at + 1 };
            if let Some(slot) = next.get_mut(to) {
                *slot = true;
            }
        }
        skip_empty(&tokens, &mut next);
        open = next;
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
