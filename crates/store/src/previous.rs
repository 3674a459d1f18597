//! What a directory of the store already holds, compared with what is to be written there.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Imported, name};

/// How what is stored relates to what is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// Nothing is there.
    None,
    /// The same recording, or an earlier state of it.
    Earlier,
    /// The same recording with more in it.
    Longer,
    /// Another recording, or something else.
    Other,
}

#[derive(Deserialize)]
struct Start<'a> {
    #[serde(borrow)]
    data: StartData<'a>,
}

#[derive(Deserialize)]
struct StartData<'a> {
    #[serde(borrow)]
    import: Import<'a>,
}

#[derive(Deserialize)]
struct Import<'a> {
    format: String,
    id: String,
    source: Source,
    #[serde(borrow)]
    redacted: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Source {
    bytes: usize,
    sha256: String,
    session: usize,
}

/// Compares the recording in `folder` with `events`, the lines of the one that is to be written.
pub(super) fn relation(folder: &Path, imported: &Imported<'_>, events: &str) -> Relation {
    match folder.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Relation::None,
        Ok(found) if found.is_dir() => {}
        _ => return Relation::Other,
    }
    let path = folder.join("events.ndjson");
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    let Some(stored) = is_file.then(|| fs::read_to_string(path).ok()).flatten() else { return Relation::Other };
    let first = stored.lines().next().unwrap_or_default();
    let Ok(Start { data: StartData { import } }) = serde_json::from_str::<Start<'_>>(first) else {
        return Relation::Other;
    };
    if import.format != imported.session.dialect.name || import.id != shown_id(imported) {
        return Relation::Other;
    }
    let same_session = import.source.session == imported.source.session;
    let beginning = imported.source.bytes.get(..import.source.bytes);
    if same_session && beginning.is_some_and(|bytes| name::hex(bytes, 64) == import.source.sha256) {
        return Relation::Earlier;
    }
    if import.redacted.is_some() != (imported.secrets == super::Secrets::Redact) {
        return Relation::Other;
    }
    by_acts(&stored, events)
}

/// The id as it is stored.
fn shown_id(imported: &Imported<'_>) -> String {
    match imported.secrets {
        super::Secrets::Keep => imported.session.id.to_string(),
        super::Secrets::Redact => agent_strace_secrets::redact(&*imported.session.id).as_str().to_owned(),
    }
}

/// Documents are written anew as they grow: whether one recording has every act of the other says which is longer.
fn by_acts(stored: &str, events: &str) -> Relation {
    let (before, now) = (acts(stored), acts(events));
    match (within(&before, &now), within(&now, &before)) {
        (true, true) if stored.lines().count() > events.lines().count() => Relation::Longer,
        (true, _) => Relation::Earlier,
        (false, true) => Relation::Longer,
        (false, false) => Relation::Other,
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    event_type: &'a str,
    #[serde(borrow)]
    data: Data<'a>,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow)]
    tool_name: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: Option<&'a RawValue>,
    #[serde(borrow)]
    prompt: Option<&'a RawValue>,
    #[serde(borrow)]
    path: Option<&'a RawValue>,
    #[serde(borrow)]
    command: Option<&'a RawValue>,
}

/// What was asked and done, each with how often.
fn acts(events: &str) -> BTreeMap<String, usize> {
    let mut acts = BTreeMap::new();
    for line in events.lines() {
        // A line that was damaged since counts as itself: nothing contains it.
        let act = match serde_json::from_str::<Line<'_>>(line) {
            Ok(Line { event_type: "tool_call" | "user_prompt" | "file_read" | "file_write" | "decision", data }) => {
                let parts = [data.tool_name, data.arguments, data.tool_use_id, data.prompt, data.path, data.command];
                parts.map(|part| part.map_or("", RawValue::get)).join("\0")
            }
            Ok(_) => continue,
            Err(_) => line.to_owned(),
        };
        *acts.entry(act).or_insert(0) += 1;
    }
    acts
}

fn within(part: &BTreeMap<String, usize>, whole: &BTreeMap<String, usize>) -> bool {
    part.iter().all(|(act, times)| whole.get(act).is_some_and(|there| there >= times))
}
