//! Patches as text → the files they write and delete.

use super::{About, Certainty, Effect, Kind, Opaque, PathTarget, Reason, World};

/// Effects of applying a patch in the envelope format (`*** Begin Patch`) or a unified diff. Paths are relative to the
/// working directory; the leading `a/` and `b/` of git diffs are dropped.
pub fn run(text: &str, world: &mut World) -> Vec<Effect> {
    let changes = if is_envelope(text) { envelope(text) } else { unified(text, Strip::Git) };
    effects(changes, world)
}

/// What a patch takes from one file and puts into it.
#[derive(Debug, PartialEq, Eq)]
pub struct PatchedFile {
    /// As written.
    pub path: String,
    /// The lines that were there, context included; `None`: the file is new, or all of it is replaced.
    pub old: Option<String>,
    /// The lines that are there now, context included.
    pub new: String,
}

/// The files whose content a patch changes; those that it only deletes or moves are not among them. Empty where it can't
/// be read.
pub fn texts(text: &str) -> Vec<PatchedFile> {
    let changes = if is_envelope(text) { envelope(text) } else { unified(text, Strip::Git) };
    let texts = changes.into_iter().flatten().filter_map(|change| match change {
        Change::Write(path, content) => Some(PatchedFile { path, old: None, new: content? }),
        Change::Update(path, hunks) => {
            let side = |side: fn(&Hunk) -> &str| hunks.iter().map(side).collect::<String>();
            Some(PatchedFile { path, old: Some(side(|hunk| &hunk.old)), new: side(|hunk| &hunk.new) })
        }
        Change::Move(..) | Change::Delete(_) => None,
    });
    texts.collect()
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
    /// Path and what changes in it.
    Update(String, Vec<Hunk>),
    /// From one name to another, with what the changes before made of it.
    Move(String, String),
    Delete(String),
}

/// Lines that are replaced.
#[derive(Debug, Default)]
struct Hunk {
    old: String,
    new: String,
    /// The new lines alone.
    added: String,
}

impl Hunk {
    fn line(&mut self, line: &str) {
        let (sign, text) = match line.chars().next() {
            Some(sign @ (' ' | '+' | '-')) => (sign, line.get(1..).unwrap_or_default()),
            None => (' ', ""),
            Some(_) => return,
        };
        for (takes, side) in
            [(sign != '+', &mut self.old), (sign != '-', &mut self.new), (sign == '+', &mut self.added)]
        {
            if takes {
                side.push_str(text);
                side.push('\n');
            }
        }
    }
}

/// The content after all hunks; `None` where one has no or several places.
fn applied(content: &str, hunks: &[Hunk]) -> Option<String> {
    let ended = content.is_empty() || content.ends_with('\n');
    let mut content = if ended { content.to_owned() } else { format!("{content}\n") };
    for hunk in hunks {
        match content.matches(hunk.old.as_str()).count() {
            1 if !hunk.old.is_empty() => content = content.replacen(&hunk.old, &hunk.new, 1),
            _ if hunk.old.is_empty() && content.is_empty() => content.clone_from(&hunk.new),
            _ => return None,
        }
    }
    Some(content)
}

fn updated(world: &mut World, target: &PathTarget, hunks: &[Hunk]) {
    if let Some(content) = world.rewritten(target, |content| applied(content, hunks)) {
        return world.put_written(target, content);
    }
    world.edited(target);
    for hunk in hunks.iter().filter(|hunk| !hunk.added.is_empty()) {
        world.wrote_part(target, &hunk.added);
    }
}

fn effects(changes: Changes, world: &mut World) -> Vec<Effect> {
    let Some(changes) = changes.filter(|changes| !changes.is_empty()) else {
        let opaque = Opaque::new(About::Writes, Reason::UnreadablePatch, Vec::new());
        return vec![Effect::new(Kind::Opaque(opaque), Certainty::Possible, "patch")];
    };
    let mut effects = Vec::with_capacity(changes.len());
    for change in changes {
        let mut emit = |kind: Kind, certainty| effects.push(Effect::new(kind, certainty, "patch"));
        match change {
            Change::Write(path, content) => {
                let (target, certainty) = world.locate(&path, Certainty::Exact);
                world.wrote(&target, content.as_deref());
                emit(Kind::Write(target), certainty);
            }
            Change::Update(path, hunks) => {
                let (target, certainty) = world.locate(&path, Certainty::Exact);
                updated(world, &target, &hunks);
                emit(Kind::Write(target), certainty);
            }
            Change::Move(from, to) => {
                let (from, known) = world.locate(&from, Certainty::Exact);
                let (to, certainty) = world.locate(&to, Certainty::Exact);
                world.copied(&to, &from);
                emit(Kind::Delete(from), known);
                emit(Kind::Write(to), certainty);
            }
            Change::Delete(path) => {
                let (target, certainty) = world.locate(&path, Certainty::Exact);
                emit(Kind::Delete(target), certainty);
            }
        }
    }
    effects
}

/// `*** Add File: P` with `+` lines, `*** Update File: P` with hunks and perhaps `*** Move to: P`, `*** Delete File: P`.
fn envelope(text: &str) -> Changes {
    let mut changes: Vec<Change> = Vec::new();
    // A file moves after it was changed, though the patch says so before.
    let mut moves: Vec<Change> = Vec::new();
    let mut updating = false;
    for line in text.lines() {
        // Inside an update a leading blank marks context; elsewhere appliers ignore it.
        let header = if updating { line } else { line.trim_start() };
        let Some(header) = header.strip_prefix("*** ") else {
            match (changes.last_mut(), line.strip_prefix('+')) {
                (Some(Change::Write(_, Some(content))), Some(added)) => {
                    content.push_str(added);
                    content.push('\n');
                }
                (Some(Change::Update(_, hunks)), _) if line.starts_with("@@") => hunks.push(Hunk::default()),
                (Some(Change::Update(_, hunks)), _) => {
                    if hunks.is_empty() {
                        hunks.push(Hunk::default());
                    }
                    hunks.iter_mut().next_back().into_iter().for_each(|hunk| hunk.line(line));
                }
                _ => {}
            }
            continue;
        };
        let (verb, path) = header.split_once(':').map_or((header.trim_end(), ""), |(verb, path)| (verb, path.trim()));
        match verb {
            "Begin Patch" | "End Patch" | "End of File" | "Environment ID" => continue,
            _ if path.is_empty() => return None,
            "Add File" => changes.push(Change::Write(path.to_owned(), Some(String::new()))),
            "Update File" => changes.push(Change::Update(path.to_owned(), Vec::new())),
            "Delete File" => changes.push(Change::Delete(path.to_owned())),
            "Move to" | "Move File To" | "Rename to" => {
                let Some(Change::Update(from, _)) = changes.last() else { return None };
                moves.push(Change::Move(from.clone(), path.to_owned()));
            }
            _ => return None,
        }
        updating = verb != "Add File" && verb != "Delete File";
    }
    changes.extend(moves);
    Some(changes)
}

fn unified(text: &str, strip: Strip) -> Changes {
    let mut changes = Vec::new();
    let mut old: Option<String> = None;
    let mut renamed: Option<String> = None;
    let mut hunk = (0_u64, 0_u64);
    // Mode changes, binary and empty files have no `+++` line.
    let mut headless: Option<Change> = None;
    for line in text.lines() {
        if hunk != (0, 0) {
            hunk = after(hunk, line)?;
            match changes.last_mut() {
                Some(Change::Update(_, hunks)) => {
                    hunks.iter_mut().next_back().into_iter().for_each(|hunk| hunk.line(line));
                }
                Some(Change::Write(_, Some(content))) => {
                    content.push_str(line.strip_prefix('+').unwrap_or_default());
                    content.push('\n');
                }
                _ => {}
            }
            continue;
        }
        if let Some(ranges) = line.strip_prefix("@@ ") {
            hunk = lengths(ranges)?;
            if let Some(Change::Update(_, hunks)) = changes.last_mut() {
                hunks.push(Hunk::default());
            }
        } else if let Some(path) = line.strip_prefix("--- ") {
            old = Some(path.to_owned());
        } else if let Some(new) = line.strip_prefix("+++ ") {
            headless = None;
            changes.push(changed(&old.take()?, new, strip)?);
        } else if let Some(path) = moved(line, &["rename from "]) {
            renamed = Some(path);
        } else if let Some(path) = moved(line, &["rename to ", "copy to "]) {
            headless = None;
            changes.push(match renamed.take() {
                Some(from) => Change::Move(from, path),
                None => Change::Write(path, None),
            });
        } else if line.starts_with("deleted file mode") {
            headless = headless.map(|change| match change {
                Change::Write(path, _) => Change::Delete(path),
                other => other,
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
    let path = stripped(&new, "b/", strip)?;
    Some(if old == "/dev/null" { Change::Write(path, Some(String::new())) } else { Change::Update(path, Vec::new()) })
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
