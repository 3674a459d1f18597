//! The same piece of the same file, read again and again although nobody changed it.

use std::collections::BTreeMap;

use super::calls::{By, Called};
use super::scene::{Beat, Scene};
use super::{lint, vocabulary};
use crate::config::lint::{Parameter, Unit};
use crate::effects::{Certainty, Effect, Kind, PathTarget};
use crate::rules::Hit;

const THRESHOLD: Parameter = Parameter { key: "threshold", default: Some(3.0), unit: Unit::Count };

lint!(
    REDUNDANT_READ,
    "redundant-read",
    Note,
    "the same piece of an unchanged file was read several times",
    [THRESHOLD],
    look
);

/// Arguments that say which piece of a file is wanted, under all the names that tools have for them.
const RANGE: &[&str] = &[
    "offset",
    "limit",
    "start_line",
    "end_line",
    "startLine",
    "endLine",
    "view_range",
    "range",
    "ranges",
    "line_start",
    "line_end",
    "start",
    "end",
    "pages",
    "start_line_one_indexed",
    "end_line_one_indexed_inclusive",
    "StartLine",
    "EndLine",
    "head",
    "tail",
    "should_read_entire_file",
];

/// Arguments of a search: what it finds differs, although the file is the same.
const SEARCH: &[&str] = &["pattern", "query", "regex", "Query", "search", "symbol", "name_path"];

/// How often one agent read one piece of one file.
#[derive(Default)]
struct Reads {
    count: usize,
    first: u32,
    last: u32,
}

type Key<'a> = (By<'a>, &'a str, String);

fn look(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    let mut reads: BTreeMap<Key<'_>, Reads> = BTreeMap::new();
    let mut ended: Vec<(&str, Reads)> = Vec::new();
    for beat in scene.beats() {
        match beat {
            Beat::Call(call) => {
                for effect in call.done() {
                    if let Kind::Write(target) | Kind::Delete(target) = &effect.kind {
                        let (changed, same) = std::mem::take(&mut reads)
                            .into_iter()
                            .partition(|((_, path, _), _)| may_touch(target, effect.certainty, path));
                        reads = same;
                        let changed: BTreeMap<Key<'_>, Reads> = changed;
                        ended.extend(changed.into_iter().map(|((_, path, _), reads)| (path, reads)));
                    }
                }
                if !call.failed() {
                    for (path, piece) in pieces(call) {
                        let reads = reads.entry((call.by, path, piece)).or_default();
                        reads.count += 1;
                        reads.first = if reads.count == 1 { call.event } else { reads.first };
                        reads.last = call.event;
                    }
                }
            }
            // What a summary left out has to be read again.
            Beat::Instruction => {
                ended.extend(std::mem::take(&mut reads).into_iter().map(|((_, path, _), reads)| (path, reads)));
            }
            Beat::Prompt | Beat::Message(_) => {}
        }
    }
    ended.extend(reads.into_iter().map(|((_, path, _), reads)| (path, reads)));
    ended.retain(|(_, reads)| reads.count >= scene.count(&THRESHOLD));
    hits.extend(ended.into_iter().map(|(path, reads)| {
        let message = format!("\"{path}\" read {} times in this session, unchanged: consider caching", reads.count);
        scene.hit((reads.first, reads.last), message, vec![("path", path.to_owned())])
    }));
}

/// A write to a pattern or a directory may be one to the file.
fn may_touch(target: &PathTarget, certainty: Certainty, path: &str) -> bool {
    let below = path.strip_prefix(target.path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below || certainty == Certainty::Pattern || target.path == "."
}

/// The files whose content a call put before the model, each with the piece of it that was asked for.
fn pieces<'a>(call: &Called<'a>) -> Vec<(&'a str, String)> {
    let effects: Vec<&Effect> = call.done().collect();
    let commands = effects.iter().any(|effect| matches!(effect.kind, Kind::Execute(_)));
    let read = |effect: &&'a Effect| match &effect.kind {
        Kind::Read(target) if !target.subtree && effect.certainty == Certainty::Exact => Some(target.path.as_str()),
        _ => None,
    };
    if commands {
        let shown = |effect: &&Effect| {
            let parent = effects.get(effect.origin.parent? as usize)?;
            let Kind::Execute(execution) = &parent.kind else { return None };
            let words: Vec<&str> = execution.argv.iter().map(|word| word.text.as_str()).collect();
            vocabulary::shows_files(execution).then(|| words.join(" "))
        };
        return call.done().filter_map(|effect| Some((read(&effect)?, shown(&effect)?))).collect();
    }
    let arguments = call.arguments().unwrap_or_default();
    if SEARCH.iter().any(|key| arguments.contains_key(*key))
        || effects.iter().any(|effect| !matches!(effect.kind, Kind::Read(_)))
    {
        return Vec::new();
    }
    let range: Vec<String> = RANGE.iter().filter_map(|key| Some(format!("{key}={}", arguments.get(*key)?))).collect();
    let range = range.join(" ");
    call.done().filter_map(|effect| Some((read(&effect)?, range.clone()))).collect()
}
