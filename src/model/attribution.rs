//! Who ran a session, where and how, as the log says. Nothing here is looked up or guessed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What a log says about who ran it. Lists hold every value that occurred, once, in order of first occurrence.
///
/// Its fields are keys of imported sessions in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Attribution<'a> {
    pub(crate) user: Option<Cow<'a, str>>,
    pub(crate) host: Option<Cow<'a, str>>,
    /// Of the agent.
    pub(crate) version: Option<Cow<'a, str>>,
    /// How it was started (`cli`, `sdk-cli`, `codex_exec`, …).
    pub(crate) entrypoint: Option<Cow<'a, str>>,
    pub(crate) models: Vec<Cow<'a, str>>,
    /// What the agent may do without asking, in its own words (`bypassPermissions`, `never`).
    pub(crate) permission_modes: Vec<Cow<'a, str>>,
    /// In its own words (`workspace-write`, `danger-full-access`).
    pub(crate) sandboxes: Vec<Cow<'a, str>>,
    pub(crate) repository: Option<Cow<'a, str>>,
    pub(crate) branches: Vec<Cow<'a, str>>,
    pub(crate) commit: Option<Cow<'a, str>>,
}

/// Keeps the first value of a fact.
pub(crate) fn note<'a>(fact: &mut Option<Cow<'a, str>>, value: Option<Cow<'a, str>>) {
    if fact.is_none() {
        *fact = value;
    }
}

/// Keeps every value of a fact once.
pub(crate) fn note_each<'a>(facts: &mut Vec<Cow<'a, str>>, value: Option<Cow<'a, str>>) {
    // The last one is nearly always the same again.
    if let Some(value) = value
        && facts.last() != Some(&value)
        && !facts.contains(&value)
    {
        facts.push(value);
    }
}
