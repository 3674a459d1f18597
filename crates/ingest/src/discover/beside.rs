//! Files beside a log that say more about its session: where it ran, which model answered, what it cost.
//!
//! A file counts as such by its name and that of the log, in one folder. One that is a log itself is read as a log.

use std::collections::{BTreeMap, BTreeSet};

use super::Transcript;
use super::arrange::Listed;
use super::origin::Origin;
use super::sidecar;
use crate::Side;
use crate::detect;
use crate::json::{fields, is_string};
use agent_strace_model::GapKind;

/// The longest of them grows with its session.
const MAX_SIDE: u64 = 64 << 20;
/// Enough to see that a file is a log.
const GLANCE: u64 = 64 << 10;

/// Logs, and what may lie beside them. `*` is the same in both names.
const BESIDE: &[(&str, &[&str])] = &[
    // Mistral Vibe.
    ("messages.jsonl", &["meta.json"]),
    // Grok Build.
    ("chat_history.jsonl", &["summary.json", UPDATES]),
    // DeepSeek's and Snowflake's agents, Reasonix, Command Code.
    ("*.jsonl", &["*.meta.json"]),
    // Kiro.
    ("*.jsonl", &[DESCRIPTION]),
];

/// What a session did, step by step: it says less of each call than the log.
const UPDATES: &str = "updates.jsonl";

/// A name that says little: the log has to be Kiro's, and the file has to name a directory.
const DESCRIPTION: &str = "*.json";

/// Logs that tell again what the log of their session tells, and more.
const RETELLING: &[(&str, &str)] = &[
    // OpenClaw.
    ("*.jsonl", "*.trajectory.jsonl"),
];

/// A file beside a log that was not read yet.
#[derive(Debug, Clone)]
pub(super) struct Beside {
    /// Its name, or the pattern of it.
    name: &'static str,
    shown: String,
    pub(super) size: u64,
    origin: Origin,
}

/// The names of what may lie beside a log of this name.
pub(super) fn names(log: &str) -> Vec<String> {
    pairs(log).into_iter().map(|(_, name)| name).collect()
}

/// The patterns and names of what may lie beside a log of this name.
fn pairs(log: &str) -> Vec<(&'static str, String)> {
    let named = BESIDE.iter().flat_map(|(pattern, names)| names.iter().map(move |name| (*pattern, *name)));
    named
        .chain(RETELLING.iter().copied())
        .filter_map(|(pattern, name)| {
            let stem = match pattern.split_once('*') {
                None => (pattern == log).then_some("")?,
                Some((before, after)) => log.strip_prefix(before)?.strip_suffix(after)?,
            };
            let name_of = name.replace('*', stem);
            (name_of != log).then_some((name, name_of))
        })
        .collect()
}

/// Gives each log of a folder the files that lie beside it.
pub(super) fn attach(files: &mut Vec<Listed>) {
    let places: BTreeMap<String, usize> = (0..).zip(&*files).map(|(at, file)| (file.name().to_owned(), at)).collect();
    let mut taken = BTreeSet::new();
    for at in places.values() {
        let Some(log) = files.get(*at).filter(|log| log.origin.is_ok()) else { continue };
        let mut beside = Vec::new();
        for (pattern, name) in pairs(log.name()) {
            let Some(place) = places.get(&name) else { continue };
            let side = files.get(*place).filter(|side| is_side(log, side, pattern));
            if let Some(side) = side
                && let Ok(origin) = &side.origin
            {
                taken.insert(*place);
                let (shown, size, origin) = (side.shown.clone(), side.size.min(MAX_SIDE), origin.clone());
                beside.push(Beside { name: pattern, shown, size, origin });
            }
        }
        if let Some(log) = files.get_mut(*at) {
            log.beside = beside;
        }
    }
    // An archive may hold several files of one name.
    let mut at = 0;
    files.retain(|_| {
        at += 1;
        !taken.contains(&(at - 1))
    });
}

/// A file that can't be read is a gap of its own, and one that holds calls is read as a log.
fn is_side(log: &Listed, file: &Listed, pattern: &str) -> bool {
    let (Ok(origin), Ok(log)) = (&file.origin, &log.origin) else { return false };
    let format = |origin: &Origin| origin.peek(GLANCE).ok().and_then(|(head, _)| detect::format_of(&head));
    if RETELLING.iter().any(|(_, name)| *name == pattern) {
        // What can't be told apart is read beside the log, and is a gap there.
        let is_trajectory = format(origin).is_none_or(|format| format == "openclaw-trajectory");
        return is_trajectory && format(log) == Some("pi");
    }
    let names_directory = || {
        let text = origin.peek(GLANCE).ok().and_then(|(head, _)| String::from_utf8(head).ok());
        text.and_then(|text| Some(is_string(fields(text.trim())?.get("cwd").copied()))).unwrap_or_default()
    };
    let name = if pattern == UPDATES { sidecar::Name::Other } else { sidecar::Name::Log };
    let may_be = pattern != DESCRIPTION || format(log) == Some("kiro-files") && names_directory();
    may_be && !sidecar::holds_log(origin, name)
}

impl Beside {
    /// Its text, or what is wrong with it.
    fn read(&self) -> Result<Side, GapKind> {
        let wrong = |why: String| GapKind::unreadable(format!("`{}` beside it: {why}", self.shown));
        let (bytes, _) = self.origin.peek(MAX_SIDE + 1).map_err(|kind| wrong(kind.to_string()))?;
        if bytes.len() as u64 > MAX_SIDE {
            return Err(GapKind::limit(format!(
                "`{}` beside it is larger than {} MiB: not read",
                self.shown,
                MAX_SIDE >> 20
            )));
        }
        let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
        Ok(Side { name: self.name, shown: self.shown.clone(), text })
    }
}

impl Transcript {
    /// What lies beside the log; what can't be read there is a flaw of it.
    pub(super) fn sides(&self, flaws: &mut Vec<GapKind>) -> Vec<Side> {
        let mut sides = Vec::new();
        for beside in &self.beside {
            match beside.read() {
                Ok(side) => sides.push(side),
                Err(kind) => flaws.push(kind),
            }
        }
        sides
    }
}
