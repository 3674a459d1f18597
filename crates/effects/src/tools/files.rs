//! Tools that read, write, delete and move files.

use super::registry::{Action, Entry, REGISTRY};
use super::run::{Access, RoleValues, Run, elision, is_true, objects, texts};
use super::value::{Object, Value};
use super::{UNJUDGEABLE, globs, names, plans, with_object};
use crate::command::gate;
use crate::world::{Rest, Written};
use crate::{About, Certainty, Reach, Reason, patch as patches};

/// Bytes that one call's edits are looked for in, which is all of the file for each: a thousand edits of the largest file
/// that is kept. Of a call with more of them the content is not known.
const SEARCHED: usize = 256 << 20;

pub(super) fn read(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let found = texts(given, entry, "path");
    if entry.optional && found.texts.is_empty() && !found.malformed {
        return;
    }
    for path in required(run, texts(given, entry, "path"), About::Reads) {
        if path.contains("://") && !super::run::is_file_url(path) {
            run.connect(path);
        } else {
            run.path(Access::Read, path, Reach::Itself);
        }
    }
}

/// What is saved only where an argument names a file.
pub(super) fn save(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let found = texts(given, entry, "path");
    if found.malformed {
        run.opaque(About::Writes, UNJUDGEABLE);
    }
    for path in found.texts.into_iter().filter(|path| !path.trim().is_empty()) {
        run.path(Access::Write, path, Reach::Itself);
    }
}

/// Paths, directories and globs together.
pub(super) fn read_many(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    for glob in required(run, texts(given, entry, "many"), About::Reads) {
        for pattern in globs::alternatives(glob) {
            let (target, certainty) = run.world.locate(&pattern, Certainty::Pattern);
            // A directory by name stands for all it holds; a glob only finds files.
            let directory = certainty == Certainty::Exact && !REGISTRY.is_file_name(&target.path);
            let reach = if directory { Reach::Subtree } else { Reach::Itself };
            run.located(Access::Read, &pattern, reach, Certainty::Pattern);
        }
    }
}

pub(super) fn write(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let content = texts(given, entry, "content");
    let whole = match content.texts.as_slice() {
        [only] if !content.malformed && elision(only).is_none() => Some(*only),
        _ => None,
    };
    for path in required(run, texts(given, entry, "path"), About::Writes) {
        let target = run.path(Access::Write, path, Reach::Itself);
        if plans::is_plan(run.world, path) {
            run.needs_no_entry();
        }
        run.world.wrote(&target, whole);
    }
}

pub(super) fn edit(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let (old, new) = (texts(given, entry, "old").texts.join("\n"), texts(given, entry, "new").texts.join("\n"));
    for path in required(run, texts(given, entry, "path"), About::Writes) {
        let is_plan = plans::is_plan(run.world, path);
        if gate::is_recipe(path) && gate::loses_call(&old, &new) {
            run.opaque(About::Writes, Reason::GateCallRemoved);
        }
        let (target, _) = run.world.locate(path, Certainty::Exact);
        let content = run.world.rewritten(&target, |content| edited(entry, given, content));
        let before = run.world.take_written(&target);
        run.path(Access::Write, path, Reach::Itself);
        if is_plan {
            run.needs_no_entry();
        }
        if let Some(content) = content {
            run.world.put_written(&target, content);
            continue;
        }
        let texts = texts(given, entry, "new");
        let rest = rest(entry, given, &texts, before.as_ref());
        run.world.put_written(&target, before.unwrap_or_default());
        run.world.edited(&target);
        for text in texts.texts {
            run.world.wrote_part(&target, text);
        }
        run.world.knows_rest(&target, rest);
    }
}

/// Returns the known text that an edit left unchanged. An edit of a place that this text lacks shows that another program
/// changed the file.
fn rest(entry: &Entry, given: &Object, new: &RoleValues<'_>, before: Option<&Written>) -> Rest {
    let is_recorded = !new.malformed && !new.texts.is_empty() && new.texts.iter().all(|text| elision(text).is_none());
    let names_place = ["old", "line", "first line"]
        .iter()
        .any(|role| given.iter().any(|(key, _)| REGISTRY.is(entry, role, &names::plain(key))));
    let is_misfit = names_place && before.is_some_and(Written::knows_text);
    if is_recorded && !is_misfit { before.map_or(Rest::Before, Written::rest_after_edit) } else { Rest::Unknown }
}

/// The content after the edit, where the session wrote all of the file before.
fn edited(entry: &Entry, given: &Object, content: &str) -> Option<String> {
    let mut content = content.to_owned();
    let steps: Vec<&Object> = given
        .iter()
        .filter(|(key, _)| REGISTRY.is(entry, "edits", &names::plain(key)))
        .flat_map(|(_, value)| objects(value))
        .collect();
    let steps = if steps.is_empty() { vec![given] } else { steps };
    let mut searched: usize = 0;
    for step in steps {
        searched = searched.saturating_add(content.len());
        if searched > SEARCHED {
            return None;
        }
        if let Some(line) = number(step, entry, "line") {
            content = with_inserted(&content, line, only(step, entry, "new")?)?;
            continue;
        }
        if let Some(first) = number(step, entry, "first line") {
            let last = number(step, entry, "last line")?;
            content = with_lines(&content, first, last, only(step, entry, "new")?)?;
            continue;
        }
        let old = only(step, entry, "old")?;
        let new = only(step, entry, "new")?;
        let every = is_true(step, entry, "every");
        content = match (content.matches(old).count(), every) {
            _ if old.is_empty() => return None,
            (0, _) => return None,
            (1, _) | (_, true) => content.replace(old, new),
            (_, false) => return None,
        };
    }
    Some(content)
}

/// `text` after line `line` (0: at the start).
fn with_inserted(content: &str, line: usize, text: &str) -> Option<String> {
    let starts = std::iter::once(0).chain(content.match_indices('\n').map(|(at, _)| at + 1));
    let at = starts.chain([content.len()]).nth(line)?;
    let (before, after) = content.split_at_checked(at)?;
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let end = if text.ends_with('\n') || after.is_empty() { "" } else { "\n" };
    Some(format!("{before}{gap}{text}{end}{after}"))
}

/// `text` in the place of the lines from `first` to `last`, which count from one. Editors cut a range at the last line.
fn with_lines(content: &str, first: usize, last: usize, text: &str) -> Option<String> {
    let count = content.lines().count();
    let before = first.checked_sub(1).filter(|before| *before <= count && first <= last)?;
    let lines = content.lines().take(before).chain(text.lines()).chain(content.lines().skip(last.min(count)));
    let mut edited: String = lines.flat_map(|line| [line, "\n"]).collect();
    if !content.ends_with('\n') {
        edited.pop();
    }
    Some(edited)
}

fn number(given: &Object, entry: &Entry, role: &str) -> Option<usize> {
    given.iter().find_map(|(key, value)| match value {
        Value::Number(number) if REGISTRY.is(entry, role, &names::plain(key)) => usize::try_from(*number).ok(),
        _ => None,
    })
}

fn only<'v>(given: &'v Object, entry: &Entry, role: &str) -> Option<&'v str> {
    let mut values = given.iter().filter(|(key, _)| REGISTRY.is(entry, role, &names::plain(key)));
    match (values.next(), values.next()) {
        (Some((_, Value::Text(text))), None) => Some(text),
        _ => None,
    }
}

pub(super) fn delete(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    for path in required(run, texts(given, entry, "path"), About::Writes) {
        let reach = if REGISTRY.is_file_name(path) { Reach::Itself } else { Reach::Subtree };
        run.path(Access::Delete, path, reach);
    }
}

pub(super) fn write_fixed(run: &mut Run<'_>, entry: &Entry) {
    for path in &entry.writes {
        run.path(Access::Write, path, Reach::Itself);
    }
}

/// What happens to the file that is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Kept,
    Removed,
}

pub(super) fn relocate(run: &mut Run<'_>, entry: &Entry, given: &Object, source: Source) {
    let from = required(run, texts(given, entry, "source"), About::Reads);
    let to = required(run, texts(given, entry, "destination"), About::Writes);
    let mut sources = Vec::new();
    for path in from {
        let reach = if REGISTRY.is_file_name(path) { Reach::Itself } else { Reach::Subtree };
        sources.push(run.path(Access::Read, path, reach));
        if source == Source::Removed {
            run.path(Access::Delete, path, reach);
        }
    }
    for path in to {
        let target = run.path(Access::Write, path, Reach::Itself);
        for source in &sources {
            run.world.copied(&target, source);
        }
    }
}

/// `command: create` and the like decide; a value that is not known may be any of them.
pub(super) fn select(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let selectors = texts(given, entry, "selector");
    let mut actions: Vec<Action> = Vec::new();
    let mut unknown = selectors.malformed || selectors.texts.is_empty();
    for selector in selectors.texts {
        match entry.choices.get(&selector.to_lowercase()) {
            Some(action) if !actions.contains(action) => actions.push(*action),
            Some(_) => {}
            None => unknown = true,
        }
    }
    if unknown {
        actions = vec![Action::Read, Action::Edit, Action::Delete];
    }
    for action in actions {
        with_object(run, entry, action, given);
    }
}

pub(super) fn patch(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let home = run.world.cwd().map(str::to_owned);
    for directory in texts(given, entry, "cwd").texts {
        run.world.enter(directory, Certainty::Exact);
    }
    for text in required(run, texts(given, entry, "patch"), About::Writes) {
        run.effects.to_mut().extend(patches::run(text, run.world));
    }
    run.world.set_cwd(home);
}

/// The values of a role that a call can't do without.
pub(super) fn required<'v>(run: &mut Run<'_>, found: RoleValues<'v>, about: About) -> Vec<&'v str> {
    let empty = found.texts.iter().any(|text| text.trim().is_empty());
    if found.malformed || found.texts.is_empty() || empty {
        run.opaque(about, UNJUDGEABLE);
    }
    found.texts.into_iter().filter(|text| !text.trim().is_empty()).collect()
}
