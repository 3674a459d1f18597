//! Elements and slices of lists and texts, and lists that grow.

use super::super::lexer::Token;
use super::tokens::{group, trimmed};
use super::{Scan, Value};
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::simple::Io;

/// A list that grows beyond so many elements is not followed.
const ELEMENTS: usize = 256;

/// Reads a whole number with its sign.
fn number(tokens: &[Token]) -> Option<i32> {
    match trimmed(tokens) {
        [Token::Number(number)] => *number,
        [Token::Mark('-'), Token::Number(Some(number))] => Some(-number),
        _ => None,
    }
}

/// Converts an index into a place among `length` elements; a negative index counts from the end.
fn place(index: i32, length: usize) -> usize {
    let distance = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
    if index < 0 { length.saturating_sub(distance) } else { distance.min(length) }
}

/// Takes `[first:last:step]`. Only the step 1 is followed, and -1 over everything.
fn slice<T: Clone>(all: &[T], bounds: &[&[Token]]) -> Option<Vec<T>> {
    let bound = |at: usize| match bounds.get(at).copied().map(trimmed) {
        None | Some([]) => Some(None),
        Some(tokens) => number(tokens).map(Some),
    };
    let (first, last, step) = (bound(0)?, bound(1)?, bound(2)?);
    match (first, last, step.unwrap_or(1)) {
        (None, None, -1) => Some(all.iter().rev().cloned().collect()),
        (first, last, 1) => Some(between(all, first, last)),
        _ => None,
    }
}

fn between<T: Clone>(all: &[T], first: Option<i32>, last: Option<i32>) -> Vec<T> {
    let first = first.map_or(0, |first| place(first, all.len()));
    let last = last.map_or(all.len(), |last| place(last, all.len()));
    all.get(first..last).unwrap_or_default().to_vec()
}

/// Cuts the characters between two places out of a text.
pub(super) fn part(text: &str, first: i32, last: Option<i32>) -> Value {
    let characters: Vec<char> = text.chars().collect();
    Value::Text(between(&characters, Some(first), last).into_iter().collect())
}

/// Takes the element or the slice that the tokens between brackets behind a value ask for.
fn element(value: &Value, inner: &[Token]) -> Value {
    let bounds: Vec<&[Token]> = inner.split(|token| *token == Token::Mark(':')).collect();
    let is_slice = bounds.len() > 1;
    match value {
        Value::Text(text) => {
            let characters: Vec<char> = text.chars().collect();
            let taken = match number(inner) {
                _ if is_slice => slice(&characters, &bounds),
                Some(at) => characters.get(place(at, characters.len())).map(|character| vec![*character]),
                None => None,
            };
            taken.map_or(Value::Unknown, |taken| Value::Text(taken.into_iter().collect()))
        }
        Value::List(list) if is_slice => slice(list, &bounds).map_or(Value::Unknown, Value::List),
        Value::List(list) => match (number(inner), trimmed(inner)) {
            (Some(at), _) => list.get(place(at, list.len())).cloned().unwrap_or(Value::Unknown),
            (None, [Token::Text(key)]) => {
                let entry = list.iter().find_map(|value| match value {
                    Value::Named(name, value) if name == key => Some(value.as_ref().clone()),
                    _ => None,
                });
                entry.unwrap_or(Value::Unknown)
            }
            _ => Value::Each(list.clone()),
        },
        _ => Value::Unknown,
    }
}

impl Scan<'_> {
    /// Applies the index behind a value, if there is one; returns the result and the tokens that are left.
    pub(super) fn indexed<'t>(&self, value: Value, tokens: &'t [Token]) -> (Value, &'t [Token]) {
        let follows = matches!(value, Value::Text(_) | Value::List(_)) && self.language != Language::Perl;
        let is_files = matches!(value, Value::Path(_) | Value::Glob(_)) && self.language == Language::Python;
        match tokens.first() {
            Some(Token::Mark('[')) if follows => {
                let (inner, left) = group(tokens);
                (element(&value, inner), left)
            }
            // A pattern stands for each of its files.
            Some(Token::Mark('[')) if is_files && !group(tokens).0.contains(&Token::Mark(':')) => {
                let left = group(tokens).1;
                (value, left)
            }
            _ => {
                let left = self.behind_index(&value, tokens);
                (value, left)
            }
        }
    }
}

impl Scan<'_> {
    /// Returns the tokens of a list whose elements are arguments: `*list`, `...list`.
    pub(super) fn spread<'t>(&self, tokens: &'t [Token]) -> Option<&'t [Token]> {
        match (self.language, trimmed(tokens)) {
            (Language::Python | Language::Ruby, [Token::Mark('*'), list @ ..]) => Some(list),
            // `&block`, `&method(:name)`
            (Language::Ruby, [Token::Mark('&'), block @ ..]) => Some(block),
            (Language::Javascript | Language::Php, [Token::Mark('.'), Token::Mark('.'), list @ ..]) => {
                Some(list.strip_prefix(&[Token::Mark('.')]).unwrap_or(list))
            }
            _ => None,
        }
    }
}

impl Machine<'_> {
    /// Adds to the list that a variable holds what `list.append(x)` adds. Returns `false` for any other call.
    pub(super) fn grown(
        &mut self,
        scan: &mut Scan<'_>,
        variable: &str,
        method: &str,
        tokens: &[Token],
        io: &mut Io<'_>,
    ) -> bool {
        let is_list = matches!(scan.variables.get(variable), Some(Value::List(list)) if list.len() < ELEMENTS);
        if !is_list || !matches!(method, "append" | "push" | "extend") {
            return false;
        }
        let added = self.arguments(scan, group(tokens).0, io);
        let Some(Value::List(list)) = scan.variables.get_mut(variable) else { return false };
        for value in added {
            match value {
                Value::List(values) if method == "extend" => list.extend(values),
                _ if method == "extend" => list.push(Value::Unknown),
                value => list.push(value),
            }
        }
        true
    }
}
