//! Elements and slices of lists and texts, and lists that grow.

use super::super::lexer::Token;
use super::tokens::{group, trimmed};
use super::{Scan, Value};
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::simple::Io;

/// Elements of a list that grows.
const ELEMENTS: usize = 256;

/// A whole number, with its sign.
fn number(tokens: &[Token]) -> Option<i32> {
    match trimmed(tokens) {
        [Token::Number(number)] => *number,
        [Token::Mark('-'), Token::Number(Some(number))] => Some(-number),
        _ => None,
    }
}

/// Where an index points to in so many elements; a negative one counts from the end.
fn place(index: i32, length: usize) -> usize {
    let distance = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
    if index < 0 { length.saturating_sub(distance) } else { distance.min(length) }
}

/// `[first:last:step]`; steps other than 1 and -1 over everything are not followed.
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

/// The characters of a text from one place to another.
pub(super) fn part(text: &str, first: i32, last: Option<i32>) -> Value {
    let characters: Vec<char> = text.chars().collect();
    Value::Text(between(&characters, Some(first), last).into_iter().collect())
}

/// What stands in brackets behind a value.
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
    /// A value with the index behind it, and what is left behind that.
    pub(super) fn indexed<'t>(&self, value: Value, tokens: &'t [Token]) -> (Value, &'t [Token]) {
        let follows = matches!(value, Value::Text(_) | Value::List(_)) && self.language != Language::Perl;
        match tokens.first() {
            Some(Token::Mark('[')) if follows => {
                let (inner, left) = group(tokens);
                (element(&value, inner), left)
            }
            _ => {
                let left = self.behind_index(&value, tokens);
                (value, left)
            }
        }
    }
}

impl Scan<'_> {
    /// `*list`, `...list`: the list whose elements are arguments.
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
    /// `list.append(x)`: the variable holds that, too; `false`: this is no such call.
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
