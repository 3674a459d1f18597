//! Paths and commands that a scorer names, compiled by the policy: one way to compare them.

use serde_json::{Value, json};

use super::fields::Fields;
use super::scorer::TEST_COMMANDS;
use super::{Commands, Policy};

/// A policy in which only these paths may be touched.
pub(super) fn paths(fields: &mut Fields<'_, '_, '_>, name: &str, reads: Reads) -> Option<Box<Policy>> {
    if !fields.demand(name, "[src/, tests/]") {
        return None;
    }
    let texts = fields.texts(name)?;
    let of = |texts: &[String]| {
        let entries: Vec<String> = texts.iter().flat_map(|text| patterns(text)).collect();
        compile(&files(&entries, reads))
    };
    checked(fields, name, &texts, of).map(Box::new)
}

/// What all entries together are; where that is nothing, the first of them that is nothing by itself is at fault.
fn checked<T>(
    fields: &mut Fields<'_, '_, '_>,
    name: &str,
    texts: &[String],
    of: impl Fn(&[String]) -> Result<T, Fault>,
) -> Option<T> {
    let (message, help) = match of(texts) {
        Ok(all) => return Some(all),
        Err(fault) => fault,
    };
    let alone = texts.iter().enumerate().find_map(|(at, text)| Some((at, of(std::slice::from_ref(text)).err()?)));
    match alone {
        Some((at, (message, help))) => fields.fault_in(name, at, message, help),
        None => fields.fault_at(name, message, &help.unwrap_or_default()),
    }
    None
}

/// Whether what is read is bounded, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    Bounded,
    Free,
}

fn files(entries: &[String], reads: Reads) -> Value {
    match reads {
        Reads::Bounded => json!({"version": 2, "files": {"read": {"allow": entries}, "write": {"allow": entries}}}),
        Reads::Free => json!({"version": 2, "files": {"write": {"allow": entries}}}),
    }
}

/// `src/` is all below that folder at the root, `src` the same or a file; a pattern is one of the policy.
fn patterns(text: &str) -> Vec<String> {
    let is_pattern = text.contains(['*', '?', '[']);
    let is_elsewhere = text.starts_with('!') || text.starts_with('~') || text.starts_with("//");
    let bare = text.trim_start_matches("./").trim_start_matches('/');
    if is_pattern || text.is_empty() || text == "/" {
        vec![text.to_owned()]
    } else if is_elsewhere {
        let folder = text.trim_end_matches('/');
        if folder.len() < text.len() {
            vec![format!("{folder}/**")]
        } else {
            vec![text.to_owned(), format!("{text}/**")]
        }
    } else if bare.is_empty() || bare == "." {
        vec!["**".to_owned()]
    } else if let Some(folder) = bare.strip_suffix('/') {
        vec![format!("/{folder}/**")]
    } else {
        vec![format!("/{bare}"), format!("/{bare}/**")]
    }
}

/// Commands by patterns.
pub(super) fn commands(fields: &mut Fields<'_, '_, '_>, name: &str, patterns: &[String]) -> Option<Box<Commands>> {
    checked(fields, name, patterns, |patterns| {
        let of = |key: &str| compile(&json!({"version": 2, "commands": {key: patterns}}));
        Ok(Box::new(Commands { proven: of("allow")?, possible: of("deny")? }))
    })
}

/// Programs that run tests, as projects call them.
pub fn test_commands() -> Result<Commands, String> {
    let of =
        |key: &str| compile(&json!({"version": 2, "commands": {key: TEST_COMMANDS}})).map_err(|(message, _)| message);
    Ok(Commands { proven: of("allow")?, possible: of("deny")? })
}

/// What is wrong, and what to do about it.
type Fault = (String, Option<String>);

/// The first thing that is wrong, in the policy's words.
fn compile(policy: &Value) -> Result<Policy, Fault> {
    Policy::from_bytes("evals", None, policy.to_string().as_bytes()).map_err(|faults| {
        let first = faults.list.first();
        first.map_or_else(
            || ("this is no pattern".to_owned(), None),
            |fault| (fault.message.clone(), fault.help.clone()),
        )
    })
}
