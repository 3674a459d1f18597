//! Does a path pattern match a path? For names made in the session; policies have their own automata.

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
    Class { ranges: Vec<(char, char)>, negated: bool },
}

impl Token {
    fn takes(&self, character: char) -> bool {
        match self {
            Self::Literal(literal) => *literal == character,
            Self::One | Self::Component => character != '/',
            Self::Anything => true,
            Self::Class { ranges, negated } => {
                let within = ranges.iter().any(|(low, high)| (*low..=*high).contains(&character));
                character != '/' && within != *negated
            }
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
            '[' => match class(rest) {
                Some((token, after)) => {
                    rest = after;
                    token
                }
                None => Token::Literal('['),
            },
            literal => Token::Literal(literal),
        });
    }
    tokens
}

fn class(rest: &str) -> Option<(Token, &str)> {
    let body = rest.strip_prefix(['!', '^']).unwrap_or(rest);
    let negated = body.len() != rest.len();
    let first = body.chars().next()?.len_utf8();
    let end = first + body.get(first..)?.find(']')?;
    let members: Vec<char> = body.get(..end)?.chars().collect();
    if members.contains(&'/') {
        return None;
    }
    let mut ranges = Vec::new();
    let mut members = members.as_slice();
    loop {
        members = match members {
            [low, '-', high, after @ ..] => {
                ranges.push((*low, *high));
                after
            }
            [only, after @ ..] => {
                ranges.push((*only, *only));
                after
            }
            [] => break,
        };
    }
    Some((Token::Class { ranges, negated }, body.get(end + 1..)?))
}
