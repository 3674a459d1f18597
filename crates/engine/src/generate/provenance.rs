//! Where the entries of a generated policy come from: a file beside it, which nothing judges by.
//!
//! Each entry is found by its list and its text, and by a digest of both and of what the text stands for: evidence of one
//! entry never shows at another one, wherever that is inserted, and evidence of a built-in list goes out of date with it.

use std::collections::BTreeSet;

use agent_strace_policy::provenance;
use serde_json::{Value, json};

use super::draft::{Seen, Written};
use super::plan::{Basis, Planned, Slot};

/// The whole file.
pub(super) fn text(entries: &[Written], all: &Seen) -> String {
    // An entry that acts only make likely has no evidence of its own.
    let is_done = |entry: &&Written| entry.seen.calls > 0 && !matches!(entry.basis, Basis::Kin(_));
    let entries: Vec<Value> = entries.iter().filter(is_done).map(of).collect();
    let mut file = json!({ "schema_version": 1 });
    with_seen(&mut file, all);
    if let Some(members) = file.as_object_mut() {
        members.insert("entries".to_owned(), entries.into());
    }
    let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
    text.push('\n');
    text
}

/// The entries that the file beside a policy knows.
#[derive(Debug, Default)]
pub struct KnownEntries(BTreeSet<(String, String)>);

impl KnownEntries {
    /// `text`: of the file beside a policy.
    pub fn read(text: &str) -> Result<Self, String> {
        let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let entries = file.get("entries").and_then(Value::as_array).ok_or("it has no list `entries`")?;
        let known = entries.iter().map(|entry| {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
            text("list").zip(text("entry")).ok_or_else(|| "an entry has no `list` or no `entry`".to_owned())
        });
        known.collect::<Result<_, _>>().map(Self)
    }

    /// An entry that the policy lacks was there once. An entry without evidence is not in the file: it was there if its list was
    /// made by the generator.
    pub(super) fn was_removed(&self, entry: &Planned) -> bool {
        let list = list_of(&entry.slot);
        let is_guessed = entry.support.is_empty() || matches!(entry.basis, Basis::Kin(_));
        if is_guessed && entry.basis != Basis::Except {
            return self.0.iter().any(|(known, _)| *known == list);
        }
        self.0.contains(&(list, entry.text.clone()))
    }
}

fn list_of(slot: &Slot) -> String {
    match slot {
        Slot::Spawn => "rules/spawn".to_owned(),
        slot => slot.allow().join("/"),
    }
}

/// `new` with the entries of `old` that it does not have.
pub fn merged(old: &str, new: &str) -> Result<String, String> {
    let read = |text: &str| serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
    let (old, mut new) = (read(old)?, read(new)?);
    let version = old.get("schema_version").and_then(Value::as_u64);
    let kept = old.get("entries").and_then(Value::as_array).filter(|_| version == Some(1));
    let kept = kept.ok_or("it is no file of this kind, of version 1")?;
    let digest = |entry: &Value| entry.get("sha256").cloned();
    if let Some(entries) = new.get_mut("entries").and_then(Value::as_array_mut) {
        let known: Vec<Option<Value>> = entries.iter().map(digest).collect();
        entries.extend(kept.iter().filter(|entry| !known.contains(&digest(entry))).cloned());
    }
    serde_json::to_string_pretty(&new).map(|text| text + "\n").map_err(|error| error.to_string())
}

fn of(entry: &Written) -> Value {
    let list = list_of(&entry.slot);
    let basis = match entry.basis {
        Basis::Seen | Basis::Stranger | Basis::Except => "seen",
        Basis::Family(_) | Basis::Builtin(_) | Basis::Kin(_) => "family",
    };
    let digest = provenance::digest(&list, &entry.text);
    let mut value = json!({ "list": list, "entry": entry.text, "sha256": digest, "basis": basis });
    with_seen(&mut value, &entry.seen);
    value
}

fn with_seen(value: &mut Value, seen: &Seen) {
    let Some(members) = value.as_object_mut() else { return };
    members.insert("sessions".to_owned(), seen.sessions.into());
    members.insert("calls".to_owned(), seen.calls.into());
    for (key, time) in [("first", seen.first), ("last", seen.last)] {
        if let Some(time) = time {
            members.insert(key.to_owned(), time.to_string().into());
        }
    }
}
