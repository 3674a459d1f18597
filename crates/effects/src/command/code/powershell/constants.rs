//! The operators, casts and methods of PowerShell on constants.

use super::value::{ITEMS, LENGTH, Value, Variables, is_number};

pub(super) fn range(first: usize, last: usize) -> Option<Value> {
    let text = |number: usize| Value::Text(number.to_string());
    if first.abs_diff(last) >= ITEMS {
        return None;
    }
    Some(Value::List(if first <= last {
        (first..=last).map(text).collect()
    } else {
        (last..=first).rev().map(text).collect()
    }))
}

/// `'{1}{0}' -f 'a', 'b'`
pub(super) fn formatted(format: &str, values: Value) -> Option<Value> {
    let values = values.items();
    let mut text = String::new();
    let mut left = format;
    while let Some(at) = left.find(['{', '}']) {
        let (before, after) = left.split_at_checked(at)?;
        text.push_str(before);
        if let Some(rest) = after.strip_prefix("{{").or(after.strip_prefix("}}")) {
            text.push_str(after.get(..1)?);
            left = rest;
            continue;
        }
        let (index, rest) = after.strip_prefix('{')?.split_once('}')?;
        text.push_str(values.get(index.trim().parse::<usize>().ok()?)?.text()?);
        if text.len() > LENGTH {
            return None;
        }
        left = rest;
    }
    text.push_str(left);
    Value::limited(text)
}

/// `'a' -replace 'b', 'c'` where the pattern is plain text.
pub(super) fn replaced(left: &Value, arguments: Value) -> Option<Value> {
    let mut arguments = arguments.items().into_iter();
    let (pattern, new) = (arguments.next()?, arguments.next().unwrap_or(Value::Text(String::new())));
    let pattern = plain_pattern(pattern.text()?)?;
    let new = new.text().filter(|new| !new.contains('$'))?;
    if pattern.is_empty() {
        return None;
    }
    let text = left.text()?;
    if text.to_ascii_lowercase().matches(&pattern.to_ascii_lowercase()).count() != text.matches(&pattern).count() {
        return None;
    }
    lengthened(text, &pattern, new)
}

fn lengthened(text: &str, old: &str, new: &str) -> Option<Value> {
    let times = text.matches(old).count();
    (text.len() + times.checked_mul(new.len())? <= LENGTH).then(|| Value::Text(text.replace(old, new)))
}

pub(super) fn split(text: &str, separator: &str) -> Option<Value> {
    let separator = plain_pattern(separator).filter(|separator| !separator.is_empty())?;
    let parts: Vec<Value> = text.split(&separator).take(ITEMS + 1).map(|part| Value::Text(part.to_owned())).collect();
    (parts.len() <= ITEMS).then_some(Value::List(parts))
}

/// The text that a regular expression without operators matches.
fn plain_pattern(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.push(characters.next().filter(char::is_ascii_punctuation)?),
            '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' => return None,
            other => text.push(other),
        }
    }
    Some(text)
}

pub(super) fn characters(value: Value) -> Option<Value> {
    if let Value::List(items) = value {
        return items.into_iter().map(characters).collect::<Option<Vec<_>>>().map(Value::List);
    }
    let text = value.text()?;
    let digits = text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
    let Some(code) = digits.filter(|_| text.len() > 1) else {
        let is_character = text.chars().count() == 1 && !is_number(text);
        return is_character.then(|| Value::Text(text.to_owned()));
    };
    char::from_u32(code).map(|character| Value::Text(character.to_string()))
}

pub(super) fn indexed(value: Value, variables: &Variables, index: &str) -> Option<Value> {
    if let Value::Table(entries) = &value {
        let name = variables.value_of(index)?;
        let name = name.text()?.to_owned();
        return entries.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case(&name)).map(|(_, value)| value.clone());
    }
    let items = match value {
        Value::Text(text) => text.chars().map(|character| Value::Text(character.to_string())).collect(),
        other => other.items(),
    };
    let from = |index: &str| match index.trim().strip_prefix('-') {
        Some(back) => items.len().checked_sub(back.parse().ok()?),
        None => index.trim().parse::<usize>().ok(),
    };
    let at = |index: usize| items.get(index).cloned();
    if index.contains("..") || index.contains(',') {
        let indices = variables.value_of(index)?.items();
        let chosen: Option<Vec<Value>> = indices.iter().map(|index| at(from(index.text()?)?)).collect();
        return chosen.map(Value::List);
    }
    at(from(index)?)
}

pub(super) fn static_method(holder: &str, name: &str, arguments: Vec<Value>) -> Option<Value> {
    let mut arguments = arguments.into_iter();
    match (holder, name) {
        ("string", "join") => {
            let separator = arguments.next()?;
            let items: Vec<Value> = arguments.flat_map(Value::items).collect();
            Value::limited(Value::List(items).joined(separator.text()?)?)
        }
        ("string", "concat") => Value::limited(Value::List(arguments.flat_map(Value::items).collect()).joined("")?),
        ("string", "format") => {
            let format = arguments.next()?;
            formatted(format.text()?, Value::List(arguments.flat_map(Value::items).collect()))
        }
        ("io.path", "combine") => Value::limited(Value::List(arguments.collect()).joined("/")?),
        _ => None,
    }
}

pub(super) fn method(value: &Value, name: &str, arguments: &[Value]) -> Option<Value> {
    let argument = |at: usize| arguments.get(at).and_then(Value::text);
    let number = |at: usize| argument(at).and_then(|text| text.parse::<usize>().ok());
    let text = value.text()?.to_owned();
    let text = match name {
        "replace" => return lengthened(&text, argument(0).filter(|old| !old.is_empty())?, argument(1)?),
        "split" => return split(&text, &escaped(argument(0)?)),
        "tochararray" => return indexed(Value::Text(text.clone()), &Variables::default(), &all(&text)?),
        "tolower" | "tolowerinvariant" => text.to_lowercase(),
        "toupper" | "toupperinvariant" => text.to_uppercase(),
        "tostring" if arguments.is_empty() => text,
        "trim" if arguments.is_empty() => text.trim().to_owned(),
        "substring" => {
            let rest = text.get(number(0)?..)?;
            if arguments.len() > 1 { rest.get(..number(1)?)?.to_owned() } else { rest.to_owned() }
        }
        "insert" => {
            let (before, after) = text.split_at_checked(number(0)?)?;
            format!("{before}{}{after}", argument(1)?)
        }
        "remove" => {
            let (before, after) = text.split_at_checked(number(0)?)?;
            if arguments.len() > 1 { format!("{before}{}", after.get(number(1)?..)?) } else { before.to_owned() }
        }
        _ => return None,
    };
    Value::limited(text)
}

/// The range of all indices of `text`.
fn all(text: &str) -> Option<String> {
    Some(format!("0..{}", text.chars().count().checked_sub(1)?))
}

fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| c.is_ascii_punctuation().then_some('\\').into_iter().chain(Some(c))).collect()
}
