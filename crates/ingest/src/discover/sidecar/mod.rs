//! Files that lie beside logs without being logs.
//!
//! A name alone proves nothing: what is named like a companion and holds a log is read all the same, and so is a log
//! whose name says nothing.

mod names;

use std::path::Path;

use serde_json::Value;

use super::origin::Origin;
use super::packed::Packing;
use crate::database;
use crate::detect;
use crate::json::{fields, is_array, is_string};
use crate::overlooked;

/// A companion, or a file whose name says nothing, that is larger than this is read like any log.
const MAX_LOOK: u64 = 4 << 20;
/// Enough to see that a file is no log.
const GLANCE: u64 = 64 << 10;
/// Descriptions of checkpoints and runs are smaller.
const MAX_DESCRIPTION: u64 = 1 << 20;

/// Whether logs have this extension.
pub(super) fn may_be_log(name: &str) -> bool {
    has_extension(name, &["jsonl", "ndjson", "json", "traj"])
}

fn has_extension(name: &str, known: &[&str]) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| known.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// A name without what says that the file is compressed.
fn unpacked_name(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((inner, "gz" | "zst" | "GZ" | "ZST")) => inner,
        _ => name,
    }
}

/// Whether a file is named like an archive.
pub(super) fn is_archive(name: &str) -> bool {
    has_extension(name, &["zip", "tar", "tgz", "tzst"]) || has_extension(unpacked_name(name), &["tar"])
}

/// Whether a file of a folder is read: it is named like a log and is no companion of one, or it holds one. `path` is
/// relative to the folder.
pub(super) fn is_wanted(path: &str, origin: &Origin) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if is_archive(name) {
        return true;
    }
    if may_be_log(unpacked_name(name)) {
        return if names::is_companion(path) { holds_log(origin, Name::Log) } else { !is_description(name, origin) };
    }
    holds_log(origin, Name::Other)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Log,
    Other,
}

/// What can't be read counts as a log, so that reading it becomes a gap.
pub(super) fn holds_log(origin: &Origin, name: Name) -> bool {
    let Ok((glance, packing)) = origin.peek(GLANCE) else { return true };
    if packing.is_some_and(Packing::is_archive) {
        return true;
    }
    if database::begins(&glance) {
        return packing.is_some()
            || origin.database(&mut |_| {}).map_or(true, |place| database::is_wanted(&place.borrow()));
    }
    if !detect::may_be_log(&glance) {
        return false;
    }
    // A companion holds no calls, whatever else it holds.
    let holds = |bytes: &[u8]| {
        detect::is_log(bytes)
            || name == Name::Log && {
                let text = String::from_utf8_lossy(bytes);
                overlooked::holds_call(&text) || holds_asked(&text)
            }
    };
    if (glance.len() as u64) < GLANCE {
        return holds(&glance);
    }
    match origin.peek(MAX_LOOK + 1) {
        Ok((head, _)) if head.len() as u64 > MAX_LOOK => {
            name == Name::Log || detect::is_log(&head) || head.trim_ascii_start().starts_with(b"[")
        }
        Ok((head, _)) => holds(&head),
        Err(_) => true,
    }
}

/// Returns whether a text holds a call as hosts hand it to hooks: the record names a tool and its arguments, and no type.
fn holds_asked(text: &str) -> bool {
    let is_asked = |record: &Value| {
        let has = |keys: [&str; 2]| keys.iter().any(|key| record.get(key).is_some_and(|value| !value.is_null()));
        has(["tool_name", "toolName"]) && has(["tool_input", "toolInput"])
    };
    // Only few companions speak of it: no other is read again.
    if !["\"tool_input\"", "\"toolInput\""].iter().any(|key| text.contains(key)) {
        return false;
    }
    let mut records = serde_json::Deserializer::from_str(text).into_iter::<Value>().map_while(Result::ok);
    records.any(|record| match &record {
        Value::Array(list) => list.iter().any(is_asked),
        record => is_asked(record),
    })
}

/// Whether a JSON document describes runs or checkpoints, by the keys that only such a description has.
fn is_description(name: &str, origin: &Origin) -> bool {
    if !has_extension(unpacked_name(name), &["json"]) {
        return false;
    }
    let Ok((bytes, None)) = origin.peek(MAX_DESCRIPTION + 1) else { return false };
    let Ok(text) = std::str::from_utf8(&bytes) else { return false };
    bytes.len() as u64 <= MAX_DESCRIPTION && describes(text) && !detect::is_log(&bytes)
}

/// Whether a document describes a checkpoint, a task of one, or a run of an agentic workflow.
fn describes(text: &str) -> bool {
    let Some(fields) = fields(text.trim()) else { return false };
    let string = |key: &str| is_string(fields.get(key).copied());
    let list = |key: &str| is_array(fields.get(key).copied());
    let checkpoint = string("checkpoint_id") && (string("session_id") || list("sessions") || string("strategy"));
    let task = string("tool_use_id") && string("checkpoint_uuid");
    let run = string("engine_id") && string("workflow_name");
    let outputs = list("items") && list("errors") && fields.len() == 2;
    checkpoint || task || run || outputs
}
