//! Patches as text → the files they write and delete.

use super::{About, Certainty, Effect, Kind, Opaque, World};

/// Effects of applying a patch in the envelope format (`*** Begin Patch`) or a unified diff. Paths are relative to the
/// working directory; the leading `a/` and `b/` of git diffs are dropped.
pub(crate) fn run(text: &str, world: &mut World) -> Vec<Effect> {
    let changes = if is_envelope(text) { envelope(text) } else { unified(text, Strip::Git) };
    effects(changes, world)
}

fn is_envelope(text: &str) -> bool {
    let header =
        |line: &str| line.starts_with("*** Begin Patch") || line.contains(" File: ") && line.starts_with("*** ");
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty());
    first.is_some_and(header) || text.lines().any(header)
}

/// Effects of `patch -pN` or `git apply -pN`; `None`: the diff's own `a/` and `b/` decide.
pub(crate) fn run_unified(text: &str, strip: Option<usize>, world: &mut World) -> Vec<Effect> {
    effects(unified(text, strip.map_or(Strip::Git, Strip::Components)), world)
}

#[derive(Debug, Clone, Copy)]
enum Strip {
    Git,
    Components(usize),
}

/// What one patch does; `None` when it can't be read.
type Changes = Option<Vec<Change>>;

#[derive(Debug)]
enum Change {
    /// Path and, where the patch holds all of it, the new content.
    Write(String, Option<String>),
    Delete(String),
}

fn effects(changes: Changes, world: &mut World) -> Vec<Effect> {
    let Some(changes) = changes.filter(|changes| !changes.is_empty()) else {
        let reason = "the patch can't be read".to_owned();
        let opaque = Opaque { reason, about: About::Writes, vouched_by: Vec::new() };
        return vec![Effect::new(Kind::Opaque(opaque), Certainty::Possible, "patch")];
    };
    let mut effects = Vec::with_capacity(changes.len());
    for change in changes {
        let (kind, certainty): (Kind, _) = match change {
            Change::Write(path, content) => {
                let (target, certainty) = world.locate(&path, Certainty::Exact);
                world.wrote(&target, content.as_deref());
                (Kind::Write(target), certainty)
            }
            Change::Delete(path) => {
                let (target, certainty) = world.locate(&path, Certainty::Exact);
                (Kind::Delete(target), certainty)
            }
        };
        effects.push(Effect::new(kind, certainty, "patch"));
    }
    effects
}

/// `*** Add File: P` with `+` lines, `*** Update File: P` with hunks and perhaps `*** Move to: P`, `*** Delete File: P`.
fn envelope(text: &str) -> Changes {
    let mut changes: Vec<Change> = Vec::new();
    let mut updating = false;
    for line in text.lines() {
        // Inside an update a leading blank marks context; elsewhere appliers ignore it.
        let header = if updating { line } else { line.trim_start() };
        let Some(header) = header.strip_prefix("*** ") else {
            if let (Some(Change::Write(_, Some(content))), Some(added)) = (changes.last_mut(), line.strip_prefix('+')) {
                content.push_str(added);
                content.push('\n');
            }
            continue;
        };
        let (verb, path) = header.split_once(':').map_or((header.trim_end(), ""), |(verb, path)| (verb, path.trim()));
        match verb {
            "Begin Patch" | "End Patch" | "End of File" | "Environment ID" => continue,
            _ if path.is_empty() => return None,
            "Add File" => changes.push(Change::Write(path.to_owned(), Some(String::new()))),
            "Update File" => changes.push(Change::Write(path.to_owned(), None)),
            "Delete File" => changes.push(Change::Delete(path.to_owned())),
            "Move to" | "Move File To" | "Rename to" => {
                let Some(Change::Write(from, _)) = changes.last() else { return None };
                changes.push(Change::Delete(from.clone()));
                changes.push(Change::Write(path.to_owned(), None));
            }
            _ => return None,
        }
        updating = verb != "Add File" && verb != "Delete File";
    }
    Some(changes)
}

fn unified(text: &str, strip: Strip) -> Changes {
    let mut changes = Vec::new();
    let mut old: Option<String> = None;
    let mut hunk = (0_u64, 0_u64);
    // Mode changes, binary and empty files have no `+++` line.
    let mut headless: Option<Change> = None;
    for line in text.lines() {
        if hunk != (0, 0) {
            hunk = after(hunk, line)?;
            continue;
        }
        if let Some(ranges) = line.strip_prefix("@@ ") {
            hunk = lengths(ranges)?;
        } else if let Some(path) = line.strip_prefix("--- ") {
            old = Some(path.to_owned());
        } else if let Some(new) = line.strip_prefix("+++ ") {
            headless = None;
            changes.push(changed(&old.take()?, new, strip)?);
        } else if let Some(path) = moved(line, &["rename to ", "copy to "]) {
            headless = None;
            changes.push(Change::Write(path, None));
        } else if let Some(path) = moved(line, &["rename from "]) {
            changes.push(Change::Delete(path));
        } else if line.starts_with("deleted file mode") {
            headless = headless.map(|change| match change {
                Change::Write(path, _) | Change::Delete(path) => Change::Delete(path),
            });
        } else if let Some(pair) = line.strip_prefix("diff --git ") {
            let (_, new) = pair.rsplit_once(" b/").or_else(|| pair.rsplit_once(' '))?;
            changes.extend(headless.replace(Change::Write(unquoted(new), None)));
        }
    }
    changes.extend(headless);
    (hunk == (0, 0)).then_some(changes)
}

fn changed(old: &str, new: &str, strip: Strip) -> Option<Change> {
    let (old, new) = (file_name(old), file_name(new));
    if new == "/dev/null" {
        return Some(Change::Delete(stripped(&old, "a/", strip)?));
    }
    Some(Change::Write(stripped(&new, "b/", strip)?, None))
}

/// A header's path without its time stamp and quotes.
fn file_name(header: &str) -> String {
    unquoted(header.split('\t').next().unwrap_or(header).trim_end())
}

fn unquoted(name: &str) -> String {
    name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name).to_owned()
}

fn stripped(path: &str, side: &str, strip: Strip) -> Option<String> {
    match strip {
        Strip::Git => {
            let other = ["a/", "b/", "i/", "w/", "c/", "o/"].iter().find_map(|prefix| path.strip_prefix(prefix));
            Some(path.strip_prefix(side).or(other).unwrap_or(path).to_owned())
        }
        Strip::Components(count) => {
            let mut rest = path;
            for _ in 0..count {
                rest = rest.split_once('/')?.1.trim_start_matches('/');
            }
            Some(rest.to_owned())
        }
    }
}

fn moved(line: &str, prefixes: &[&str]) -> Option<String> {
    prefixes.iter().find_map(|prefix| line.strip_prefix(prefix)).map(unquoted)
}

/// `-1,2 +1,3 @@` → lines of the old and of the new side that follow.
fn lengths(ranges: &str) -> Option<(u64, u64)> {
    let mut parts = ranges.split(' ');
    let old = length(parts.next()?.strip_prefix('-')?)?;
    let new = length(parts.next()?.strip_prefix('+')?)?;
    Some((old, new))
}

fn length(range: &str) -> Option<u64> {
    range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok())
}

/// What is left of a hunk after one of its lines.
fn after((old, new): (u64, u64), line: &str) -> Option<(u64, u64)> {
    match line.chars().next() {
        Some('-') => Some((old.checked_sub(1)?, new)),
        Some('+') => Some((old, new.checked_sub(1)?)),
        Some(' ') | None => Some((old.checked_sub(1)?, new.checked_sub(1)?)),
        Some('\\') => Some((old, new)),
        Some(_) => None,
    }
}
