//! Keeps the elements of arrays, by number or by word, as far as each of them is known.

use super::count;
use super::{Content, Scope};
use crate::{AssignmentOperator, Value};

/// Arrays with more elements than this are not followed one by one.
const MAX_ELEMENTS: usize = 4096;
/// The same with words for keys, which are searched from the first to the last.
const MAX_WORDS: usize = 256;

impl Scope {
    /// `name=(value …)`
    pub fn assign_array(&mut self, name: &str, elements: Vec<Value>, operator: AssignmentOperator) {
        if operator == AssignmentOperator::Set || self.content(name).is_none() {
            let known = elements.len() <= MAX_ELEMENTS;
            return self.set(name, if known { Content::Array(elements) } else { Content::UnknownArray });
        }
        let Some(content) = self.content_mut(name) else { return };
        let mut all = match std::mem::replace(content, Content::UnknownArray) {
            Content::Array(before) => before,
            Content::Scalar(before) => vec![before],
            Content::UnknownArray | Content::Keyed { .. } => return,
            Content::Reference(_) | Content::Unset => Vec::new(),
        };
        if all.len() + elements.len() <= MAX_ELEMENTS {
            all.extend(elements);
            *content = Content::Array(all);
        }
    }

    /// `declare -A name`
    pub fn associate(&mut self, name: &str) {
        if !matches!(self.content(name), Some(Content::Keyed { words: true, .. })) {
            self.set(name, Content::Keyed { entries: Vec::new(), words: true });
        }
    }

    /// `name=([key]=value …)`
    pub(crate) fn assign_keyed(&mut self, name: &str, elements: Vec<(String, Value)>, operator: AssignmentOperator) {
        if operator == AssignmentOperator::Set {
            let words = matches!(self.content(name), Some(Content::Keyed { words: true, .. }));
            self.set(name, Content::Keyed { entries: Vec::new(), words });
        }
        for (key, value) in elements {
            self.assign_element(name, Some(&key), value);
        }
    }

    /// `name[key]=value`; a key that is not known makes the whole array unknown.
    pub fn assign_element(&mut self, name: &str, key: Option<&str>, value: Value) {
        if self.content(name).is_none_or(|content| matches!(content, Content::Unset | Content::Reference(_))) {
            self.set(name, Content::Array(Vec::new()));
        }
        if let Some(content) = self.content_mut(name)
            && assign_in(content, key, value).is_none()
        {
            *content = Content::UnknownArray;
        }
    }

    /// `${name[key]}`; an element that is not there is empty.
    pub fn element(&self, name: &str, key: &str) -> Value {
        match self.content(name) {
            Some(Content::Array(elements)) => {
                let position = match key.trim().parse::<i64>() {
                    Ok(number) if number < 0 => {
                        usize::try_from(number.unsigned_abs()).ok().and_then(|back| elements.len().checked_sub(back))
                    }
                    Ok(number) => usize::try_from(number).ok(),
                    Err(_) => return Value::unknown(),
                };
                position.and_then(|at| elements.get(at)).cloned().unwrap_or_default()
            }
            Some(Content::Keyed { entries, words }) => {
                let Some(key) = (if *words { Some(key.to_owned()) } else { index(entries, key) }) else {
                    return Value::unknown();
                };
                entries.iter().find(|(one, _)| *one == key).map(|(_, value)| value.clone()).unwrap_or_default()
            }
            Some(Content::Scalar(value)) if matches!(key.trim(), "0" | "-1") => value.clone(),
            _ => Value::unknown(),
        }
    }
}

/// Assigns an element in place; `None` if it is not known any more which elements there are.
fn assign_in(content: &mut Content, key: Option<&str>, value: Value) -> Option<()> {
    if let Content::Scalar(scalar) = content {
        *content = Content::Array(vec![std::mem::take(scalar)]);
    }
    let (entries, words) = match content {
        Content::Array(elements) => {
            let number = position(elements.len(), key?)?;
            if let Some(old) = elements.get_mut(number) {
                *old = value;
                return Some(());
            }
            if number == elements.len() && number < MAX_ELEMENTS {
                elements.push(value);
                return Some(());
            }
            *content = Content::Keyed { entries: numbered(std::mem::take(elements)), words: false };
            return assign_in(content, key, value);
        }
        Content::Keyed { entries, words } => (entries, *words),
        _ => return None,
    };
    let key = if words { key?.to_owned() } else { index(entries, key?)? };
    let found = if words {
        count(entries.len());
        entries.iter().position(|(one, _)| *one == key).ok_or(entries.len())
    } else {
        let number = numeric(&key);
        entries.binary_search_by_key(&number, |(one, _)| numeric(one))
    };
    match found {
        Ok(at) => entries.get_mut(at)?.1 = value,
        Err(_) if entries.len() >= if words { MAX_WORDS } else { MAX_ELEMENTS } => return None,
        Err(at) => entries.insert(at, (key, value)),
    }
    // Numbers without a gap: the last one tells, as they are in order.
    let is_dense = !words && entries.last().is_some_and(|(last, _)| numeric(last) + 1 == entries.len());
    if is_dense {
        *content = Content::Array(std::mem::take(entries).into_iter().map(|(_, value)| value).collect());
    }
    Some(())
}

fn numeric(key: &str) -> usize {
    key.parse().unwrap_or(usize::MAX - 1)
}

/// The place of `key` in an array without gaps; negative ones count from the end.
fn position(length: usize, key: &str) -> Option<usize> {
    let number: i64 = key.trim().parse().ok()?;
    let magnitude = usize::try_from(number.unsigned_abs()).ok()?;
    if number < 0 { length.checked_sub(magnitude) } else { Some(magnitude) }
}

fn numbered(elements: Vec<Value>) -> Vec<(String, Value)> {
    elements.into_iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect()
}

/// The number of an element in an array without words for keys; negative ones count from the end.
fn index(entries: &[(String, Value)], key: &str) -> Option<String> {
    let number: i64 = key.trim().parse().ok()?;
    if number >= 0 {
        return Some(number.to_string());
    }
    let end = entries.last().and_then(|(key, _)| key.parse::<i64>().ok()).map_or(0, |last| last.saturating_add(1));
    (end + number >= 0).then(|| (end + number).to_string())
}
