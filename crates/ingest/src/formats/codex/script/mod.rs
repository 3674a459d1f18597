//! Code mode: the tool's input is a script whose only way to act are calls of `tools.NAME(…)`.
//!
//! Real scripts hold one call with a literal argument. This is no JavaScript engine: an argument is either a
//! literal, built of literals, or it is unresolved; and a script that reaches for `tools` in any other way, or could
//! reach it without naming it, is not understood. Nothing that is not proven counts as harmless.

mod literal;
mod mask;
mod plain;
mod speech;

use std::collections::BTreeMap;

use literal::{Parser, Value};

/// Longer scripts are not read.
const MAX_SCRIPT: usize = 4 << 20;
/// Arguments that may turn out to be no literals before the rest is not tried: each may have cost the whole text.
const MAX_FAILURES: u32 = 100;
/// Calls read of one script.
const MAX_CALLS: usize = 10_000;

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
    /// Only the host can have raised the error that it ends with.
    pub(super) host_raises: bool,
    /// Only the host can have written a message into its output.
    pub(super) host_speaks: bool,
}

pub(super) fn read(source: &str) -> Script {
    let Some(code) = mask::code(source).filter(|_| source.len() <= MAX_SCRIPT) else {
        return Script { calls: Vec::new(), understood: false, host_raises: false, host_speaks: false };
    };
    let constants = constants(source, &code);
    let mut calls = Vec::new();
    let mut budget = source.len().saturating_mul(2) + (1 << 16);
    // The code outside of resolved arguments.
    let mut outside = String::new();
    let (mut at, mut failures) = (0, 0);
    while let Some(Found { start, name, after }) = next_call(&code, at).filter(|_| calls.len() < MAX_CALLS) {
        outside.push_str(code.get(at..start).unwrap_or_default());
        outside.push_str(speech::CALL);
        let mut parser = Parser::new(source.get(after..).unwrap_or_default(), &constants, &mut budget);
        let value = if failures < MAX_FAILURES { parser.argument() } else { None };
        let argument = if let Some(value) = value {
            at = source.len() - parser.rest().len();
            outside.push(')');
            into_argument(value)
        } else {
            failures += 1;
            at = after;
            Argument::Unresolved
        };
        calls.push(Call { tool: name.to_owned(), argument });
    }
    outside.push_str(code.get(at..).unwrap_or_default());
    if !names_mean_their_constants(&outside, &constants) {
        // A parameter or a second declaration may stand behind a name that was resolved.
        for call in calls.iter_mut().filter(|_| !constants.is_empty()) {
            call.argument = Argument::Unresolved;
        }
    }
    let understood = calls.len() < MAX_CALLS && plain::is_plain(&outside);
    let host_speaks = understood && constants.is_empty() && speech::host_speaks(&outside);
    // Names in quotes count, too.
    let host_raises = understood && speech::host_raises(source);
    Script { calls, understood, host_raises, host_speaks }
}

fn into_argument(value: Value) -> Argument {
    match value {
        Value::Text(text) => Argument::Text(text),
        Value::Json(json) => Argument::Json(json),
        Value::Nothing => Argument::Json("{}".to_owned()),
    }
}

/// A `tools.NAME(`.
struct Found<'s> {
    start: usize,
    name: &'s str,
    /// The place after its parenthesis.
    after: usize,
}

/// The next call from there on.
fn next_call(code: &str, from: usize) -> Option<Found<'_>> {
    for (at, found) in code.get(from..)?.match_indices("tools.") {
        let start = from + at;
        let rest = code.get(start + found.len()..)?;
        let end = rest.find(|character: char| !is_word(character)).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(end)?;
        let starts_name = name.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic());
        if let Some(arguments) = after.trim_start().strip_prefix('(').filter(|_| starts_name) {
            return Some(Found { start, name, after: code.len() - arguments.len() });
        }
    }
    None
}

fn is_word(character: char) -> bool {
    character == '_' || character == '$' || character.is_alphanumeric()
}

/// Name → the text after its `=`, for constants that are declared once.
fn constants<'s>(source: &'s str, code: &str) -> BTreeMap<&'s str, &'s str> {
    let mut found: BTreeMap<&str, &str> = BTreeMap::new();
    let mut twice = Vec::new();
    for (at, keyword) in code.match_indices("const ") {
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

#[cfg(test)]
mod tests;
