//! Code mode: the tool's input is a script whose only way to act are calls of `tools.NAME(…)`.
//!
//! Real scripts hold one call with a literal argument. This is no JavaScript engine: an argument is either a
//! literal, built of literals, or it is unresolved; and a script that reaches for `tools` in any other way, or could
//! reach it without naming it, is not understood. Nothing that is not proven counts as harmless.

mod literal;

use std::collections::BTreeMap;

use literal::{Parser, Value};

/// Longer scripts are not read.
const MAX_SCRIPT: usize = 4 << 20;
/// Arguments that may turn out to be no literals before the rest is not tried: each may have cost the whole text.
const MAX_FAILURES: u32 = 100;
/// Calls read of one script.
const MAX_CALLS: usize = 10_000;

/// Names through which a script could reach what it doesn't name.
const BACK_DOORS: &[&str] = &[
    "globalThis",
    "eval",
    "Function",
    "import",
    "constructor",
    "Reflect",
    "Proxy",
    "window",
    "self",
    "with",
    "require",
];

#[derive(Debug)]
pub(super) enum Argument {
    Json(String),
    Text(String),
    Unresolved,
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) argument: Argument,
}

#[derive(Debug)]
pub(super) struct Script {
    pub(super) calls: Vec<Call>,
    /// Its calls are all it can do.
    pub(super) understood: bool,
}

pub(super) fn read(source: &str) -> Script {
    if source.len() > MAX_SCRIPT {
        return Script { calls: Vec::new(), understood: false };
    }
    let constants = constants(source);
    let mut script = Script { calls: Vec::new(), understood: true };
    let mut budget = source.len().saturating_mul(2) + (1 << 16);
    // Everything outside constants' values and resolved arguments.
    let mut outside = String::new();
    let mut rest = source;
    let mut failures = 0;
    while let Some((before, name, after)) = next_call(rest) {
        outside.push_str(&without_values(before));
        let mut parser = Parser::new(after, &constants, &mut budget);
        let value = if failures < MAX_FAILURES { parser.argument() } else { None };
        let (argument, left) = if let Some(value) = value {
            (into_argument(value), parser.rest())
        } else {
            failures += 1;
            (Argument::Unresolved, after)
        };
        script.calls.push(Call { tool: name.to_owned(), argument });
        rest = left;
        if script.calls.len() >= MAX_CALLS {
            script.understood = false;
            break;
        }
    }
    outside.push_str(&without_values(rest));
    script.understood &= is_plain(&outside);
    if !names_mean_their_constants(&outside, &constants) {
        // A parameter or a second declaration may stand behind a name that was resolved.
        for call in script.calls.iter_mut().filter(|_| !constants.is_empty()) {
            call.argument = Argument::Unresolved;
        }
    }
    script
}

fn into_argument(value: Value) -> Argument {
    match value {
        Value::Text(text) => Argument::Text(text),
        Value::Json(json) => Argument::Json(json),
        Value::Nothing => Argument::Json("{}".to_owned()),
    }
}

/// The text before the next `tools.NAME(`, the name, and the text after its parenthesis.
fn next_call(text: &str) -> Option<(&str, &str, &str)> {
    for (at, found) in text.match_indices("tools.") {
        let (before, rest) = text.split_at_checked(at)?;
        let rest = rest.strip_prefix(found)?;
        let end = rest.find(|character: char| !is_word(character)).unwrap_or(rest.len());
        let (name, rest) = rest.split_at_checked(end)?;
        let starts_name = name.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic());
        if let Some(after) = rest.trim_start().strip_prefix('(').filter(|_| starts_name) {
            return Some((before, name, after));
        }
    }
    None
}

fn is_word(character: char) -> bool {
    character == '_' || character == '$' || character.is_alphanumeric()
}

/// Whether nothing in the text could act by itself.
fn is_plain(text: &str) -> bool {
    let words = || text.split(|character| !is_word(character)).filter(|word| !word.is_empty());
    !text.contains("\\u") && words().all(|word| word != "tools" && !BACK_DOORS.contains(&word))
}

/// Name → the text after its `=`, for constants that are declared once.
fn constants(source: &str) -> BTreeMap<&str, &str> {
    let mut found: BTreeMap<&str, &str> = BTreeMap::new();
    let mut twice = Vec::new();
    for (at, keyword) in source.match_indices("const ") {
        let Some(rest) = source.get(at..).and_then(|rest| rest.strip_prefix(keyword)) else { continue };
        let rest = rest.trim_start();
        let end = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
        let Some((name, rest)) = rest.split_at_checked(end) else { continue };
        let value = rest.trim_start().strip_prefix('=').filter(|rest| !rest.starts_with(['=', '>']));
        if let Some(value) = value.filter(|_| !name.is_empty())
            && found.insert(name, value).is_some()
        {
            twice.push(name);
        }
    }
    for name in twice {
        found.remove(name);
    }
    // Values that are no literals (`const r = await …`) are of no use as arguments.
    found.retain(|_, value| {
        value
            .trim_start()
            .starts_with(['"', '\'', '`', '{', '[', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    });
    found
}

/// Outside arguments, each resolvable name occurs once: in its declaration.
fn names_mean_their_constants(outside: &str, constants: &BTreeMap<&str, &str>) -> bool {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for word in outside.split(|character| !is_word(character)) {
        if constants.contains_key(word) {
            *seen.entry(word).or_default() += 1;
        }
    }
    seen.values().all(|count| *count <= 1)
}

/// The text without the contents of its string literals.
fn without_values(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut characters = text.chars();
    let mut quote: Option<char> = None;
    while let Some(character) = characters.next() {
        match quote {
            Some(_) if character == '\\' => {
                characters.next();
            }
            Some(open) if character == open => {
                quote = None;
                kept.push(character);
            }
            // Only whole literals are left out: what a template computes is code.
            Some('`') => kept.push(character),
            Some(_) if character != '\n' => {}
            Some(_) => {
                quote = None;
                kept.push(character);
            }
            None => {
                if matches!(character, '"' | '\'' | '`') {
                    quote = Some(character);
                }
                kept.push(character);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests;
