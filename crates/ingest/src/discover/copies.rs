//! Copies of a log that its agent keeps in the same folder, before it compacts, resets or deletes the session.
//!
//! They tell of one session, so that they are read together: the longest, and every other one that holds a call which the
//! longest lacks.

use std::collections::BTreeMap;

use super::arrange::Listed;
use super::{Transcript, sidecar};
use agent_strace_model::Gap;

/// The text that stands between a session's name and the rest of a copy's name.
const BEFORE: &[&str] = &[".checkpoint.", RETOLD];
/// `OpenClaw`'s second record of a session.
const RETOLD: &str = ".trajectory";
/// The text between the name of a conversation and the time at which Cortex Code set it aside. `*.json` are no other copies.
const ASIDE: &str = ".back.";
/// The text that stands behind the whole name of a log.
const BEHIND: &[&str] = &[".jsonl.reset.", ".jsonl.bak-", ".jsonl.deleted."];

/// The name that a log and its copies have in common; `None` where a name is not that of such a log.
pub(super) fn session(name: &str) -> Option<&str> {
    let behind = BEHIND.iter().find_map(|mark| name.split_once(mark));
    let before = || {
        let stem = name.strip_suffix(".jsonl")?;
        Some(BEFORE.iter().find_map(|mark| stem.split_once(mark)).map_or(stem, |(session, _)| session))
    };
    // With its dot it is the name of no other kind of log.
    let aside = || {
        let stem = name.strip_suffix("json").filter(|stem| stem.ends_with('.'))?;
        Some(stem.find(ASIDE).and_then(|at| stem.get(..=at)).unwrap_or(stem))
    };
    let session = behind.map(|(session, _)| session).or_else(before).or_else(aside);
    session.filter(|session| !session.trim_end_matches('.').is_empty())
}

/// Takes logs out of the files of one folder that lie there more than once.
pub(super) fn take(files: &mut Vec<Listed>, gaps: &mut Vec<Gap>) -> Vec<Vec<Transcript>> {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for name in files.iter().filter_map(|file| session(file.name())) {
        *count.entry(name.to_owned()).or_default() += 1;
    }
    count.retain(|_, count| *count > 1);
    let mut groups: BTreeMap<String, Vec<Transcript>> = BTreeMap::new();
    for file in files.extract_if(.., |file| session(file.name()).is_some_and(|name| count.contains_key(name))) {
        let wanted = file.origin.as_ref().map_or(true, |origin| sidecar::is_wanted(&file.path, origin));
        let Some(name) = session(file.name()).filter(|_| wanted).map(str::to_owned) else { continue };
        match Transcript::single(file) {
            Ok(transcript) => groups.entry(name).or_default().push(transcript),
            Err(gap) => gaps.push(gap),
        }
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    for group in &mut groups {
        let rank = |copy: &Transcript| (copy.shown.ends_with(&format!("{RETOLD}.jsonl")), std::cmp::Reverse(copy.size));
        group.sort_by(|left, right| rank(left).cmp(&rank(right)).then_with(|| left.shown.cmp(&right.shown)));
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::session;

    #[test]
    fn copies_are_found_by_their_names() {
        for (name, expected) in [
            ("a.jsonl", Some("a")),
            ("a.checkpoint.1-2.jsonl", Some("a")),
            ("a.trajectory.jsonl", Some("a")),
            ("a.jsonl.reset.2026-05-02T05-00-14.009Z", Some("a")),
            ("a.jsonl.bak-12-1777698061643", Some("a")),
            ("a.jsonl.deleted.2026-05-02T05-00-14.009Z", Some("a")),
            ("a.json", Some("a.")),
            ("a.back.1777698061.json", Some("a.")),
            ("a.txt", None),
            (".jsonl", None),
            (".json", None),
        ] {
            assert_eq!(session(name), expected, "{name}");
        }
    }
}
