//! Groups of patterns (`@(a|b)`, `?(a)`, `+(a|b)`) whose alternatives are literal: the names that they spell.

use crate::value::Fragment;

/// Fields that the groups of one field may make.
const MAX_WAYS: usize = 32;
/// Bytes of a field whose groups are looked at.
const MAX_TEXT: usize = 4096;

/// A stretch of a field.
#[derive(Debug, Clone)]
enum Token<'f> {
    Open(char),
    Bar,
    Close,
    Pattern(String),
    Plain(&'f Fragment),
}

/// The fields that a field with groups may be; `None`: it has none, or makes too many. A group that has other alternatives
/// than literal ones stays as it is.
pub(super) fn ways(field: &[Fragment]) -> Option<Vec<Vec<Fragment>>> {
    let has_group = |fragment: &Fragment| matches!(fragment, Fragment::Glob(text) if text.contains('('));
    if !field.iter().any(has_group) || field.iter().map(Fragment::size).sum::<usize>() > MAX_TEXT {
        return None;
    }
    let tokens = tokens(field);
    let mut all: Vec<Vec<Fragment>> = vec![Vec::new()];
    let mut left = tokens.as_slice();
    while let Some((token, mut rest)) = left.split_first() {
        let group = if let Token::Open(kind) = token { literal_group(*kind, rest) } else { None };
        match group {
            Some((choices, behind)) => {
                if all.len().saturating_mul(choices.len()) > MAX_WAYS {
                    return None;
                }
                let longer = |start: &Vec<Fragment>, choice: &Vec<Fragment>| [start.as_slice(), choice].concat();
                all = all.iter().flat_map(|start| choices.iter().map(move |choice| longer(start, choice))).collect();
                rest = behind;
            }
            None => all.iter_mut().for_each(|way| way.push(fragment(token))),
        }
        left = rest;
    }
    let is_text = |fragment: &Fragment| !matches!(fragment, Fragment::Text { text, .. } if text.is_empty());
    all.retain(|way| way.iter().any(is_text));
    Some(all)
}

/// The choices of a group of literal alternatives that has been opened, and what follows it.
fn literal_group<'t, 'f>(kind: char, rest: &'t [Token<'f>]) -> Option<(Vec<Vec<Fragment>>, &'t [Token<'f>])> {
    let end = rest.iter().position(|token| matches!(token, Token::Close))?;
    let (inside, behind) = rest.split_at_checked(end)?;
    let is_literal = |token: &Token<'_>| matches!(token, Token::Bar | Token::Plain(Fragment::Text { .. }));
    if !matches!(kind, '@' | '?' | '+') || !inside.iter().all(is_literal) {
        return None;
    }
    let alternatives = inside.split(|token| matches!(token, Token::Bar));
    let mut choices: Vec<Vec<Fragment>> = alternatives.map(|tokens| tokens.iter().map(fragment).collect()).collect();
    match kind {
        '?' => choices.push(Vec::new()),
        // The alternatives may follow each other.
        '+' => {
            let whole = std::iter::once(Fragment::Glob("+(".to_owned())).chain(inside.iter().map(fragment));
            choices.push(whole.chain([Fragment::Glob(")".to_owned())]).collect());
        }
        _ => {}
    }
    Some((choices, behind.get(1..).unwrap_or_default()))
}

fn fragment(token: &Token<'_>) -> Fragment {
    match token {
        Token::Open(kind) => Fragment::Glob(format!("{kind}(")),
        Token::Bar => Fragment::Glob("|".to_owned()),
        Token::Close => Fragment::Glob(")".to_owned()),
        Token::Pattern(text) => Fragment::Glob(text.clone()),
        Token::Plain(fragment) => (*fragment).clone(),
    }
}

fn tokens(field: &[Fragment]) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut depth = 0_usize;
    for fragment in field {
        match fragment {
            Fragment::Glob(text) => tokens_of(text, &mut depth, &mut tokens),
            other => tokens.push(Token::Plain(other)),
        }
    }
    tokens
}

/// `depth` counts the groups that are open: elsewhere `|` and `)` stand for themselves.
fn tokens_of(text: &str, depth: &mut usize, tokens: &mut Vec<Token<'_>>) {
    let mut plain = String::new();
    let mut in_class = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let opens = matches!(character, '@' | '?' | '*' | '+' | '!') && characters.peek() == Some(&'(');
        let token = match character {
            _ if in_class => None,
            _ if opens => {
                characters.next();
                *depth += 1;
                Some(Token::Open(character))
            }
            '|' if *depth > 0 => Some(Token::Bar),
            ')' if *depth > 0 => {
                *depth -= 1;
                Some(Token::Close)
            }
            _ => None,
        };
        let Some(token) = token else {
            in_class = (in_class || character == '[') && character != ']';
            plain.push(character);
            continue;
        };
        if !plain.is_empty() {
            tokens.push(Token::Pattern(std::mem::take(&mut plain)));
        }
        tokens.push(token);
    }
    if !plain.is_empty() {
        tokens.push(Token::Pattern(plain));
    }
}
