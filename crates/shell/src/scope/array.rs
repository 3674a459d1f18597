//! Keeps the elements of arrays, by number or by word, as far as each of them is known.

use super::{Content, Scope};
use crate::{AssignmentOperator, Value};

/// Arrays with more elements than this are not followed one by one.
const MAX_ELEMENTS: usize = 4096;

impl Scope {
    /// `name=(value …)`
    pub fn assign_array(&mut self, name: &str, elements: Vec<Value>, operator: AssignmentOperator) {
        let before = self.content(name).filter(|_| operator == AssignmentOperator::Append);
        let mut all = match before {
            Some(Content::Array(before)) => before.clone(),
            Some(Content::Scalar(before)) => vec![before.clone()],
            Some(Content::UnknownArray | Content::Keyed { .. }) => return self.set(name, Content::UnknownArray),
            _ => Vec::new(),
        };
        all.extend(elements);
        self.set(name, if all.len() > MAX_ELEMENTS { Content::UnknownArray } else { Content::Array(all) });
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
        let (mut entries, words) = match self.content(name) {
            Some(Content::Array(elements)) => (numbered(elements), false),
            Some(Content::Keyed { entries, words }) => (entries.clone(), *words),
            Some(Content::Scalar(value)) => (vec![("0".to_owned(), value.clone())], false),
            Some(Content::UnknownArray) => return,
            _ => (Vec::new(), false),
        };
        let key = match key {
            Some(key) if words => Some(key.to_owned()),
            Some(key) => index(&entries, key),
            None => None,
        };
        let Some(key) = key.filter(|_| entries.len() < MAX_ELEMENTS) else {
            return self.set(name, Content::UnknownArray);
        };
        match entries.iter_mut().find(|(one, _)| *one == key) {
            Some((_, old)) => *old = value,
            None => entries.push((key, value)),
        }
        if !words {
            entries.sort_by_key(|(key, _)| key.parse::<usize>().unwrap_or(usize::MAX));
        }
        let is_dense = !words && entries.iter().enumerate().all(|(at, (key, _))| *key == at.to_string());
        self.set(
            name,
            if is_dense {
                Content::Array(entries.into_iter().map(|(_, value)| value).collect())
            } else {
                Content::Keyed { entries, words }
            },
        );
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

fn numbered(elements: &[Value]) -> Vec<(String, Value)> {
    elements.iter().enumerate().map(|(at, value)| (at.to_string(), value.clone())).collect()
}

/// The number of an element in an array without words for keys; negative ones count from the end.
fn index(entries: &[(String, Value)], key: &str) -> Option<String> {
    let number: i64 = key.trim().parse().ok()?;
    if number >= 0 {
        return Some(number.to_string());
    }
    let end = entries.iter().filter_map(|(key, _)| key.parse::<i64>().ok()).max().map_or(0, |last| last + 1);
    (end + number >= 0).then(|| (end + number).to_string())
}
