//! Reads the host's records of the files that patches changed.

use std::borrow::Cow;

use super::item::Payload;
use super::ran::Reported;
use super::{Rollout, scripts};
use crate::assembly::RecordLocation;
use crate::gaps::Gaps;
use crate::json::{Raw, fields, filled, is, object, record};
use crate::named::Named;
use agent_strace_model::{Access, Arguments, EventKind, FileEvent, GapKind, Status, ToolCall};

record! {
    struct Change { kind = "type", target = "move_path" }
}

/// One file that a patch changed.
#[derive(Debug)]
struct Changed<'a> {
    path: Cow<'a, str>,
    /// `add`, `delete` or `update`.
    kind: Cow<'a, str>,
    moved: Option<Cow<'a, str>>,
}

const OTHER_FILE: &str = "the host reports that a patch changed another file than the call's patch names";

/// The best record of what a patch wrote, also in code mode, where its call may be hidden in a script.
pub(super) fn add<'a>(
    rollout: &mut Rollout<'a>,
    location: &RecordLocation<'a>,
    notice: &Payload<'a>,
    has_ended: bool,
    gaps: &mut Gaps,
) {
    let Some(changes) = notice.changes.map_or_else(|| Some(Vec::new()), changes) else {
        return gaps.malformed(location.line, "the changes of a patch can't be read");
    };
    let failed = is(notice.status, "failed") || notice.success.is_some_and(|success| success.get() == "false");
    let succeeded = notice.success.is_some_and(|success| success.get() == "true");
    let status = match is(notice.status, "declined") && !succeeded {
        true => Some(Status::Denied),
        false if failed => Some(Status::Error),
        false => has_ended.then_some(Status::Ok),
    };
    let id = filled(notice.call_id);
    if let (Some(id), Some(status)) = (&id, status) {
        rollout.ended.insert(id.clone(), status);
    }
    let asked = id.as_deref().and_then(|id| rollout.assembly.call_of(id));
    match asked {
        Some(asked) => {
            let is_other = asked.tool == "apply_patch" && !names_all(asked.cwd.as_deref(), &asked.arguments, &changes);
            if is_other {
                gaps.push(Some(location.line), GapKind::Contradiction(OTHER_FILE.into()));
            }
            if let Some(status) = status {
                rollout.assembly.settle(status, id);
            }
        }
        None if !changes.is_empty() => {
            let call = ToolCall {
                call_id: id,
                tool: Cow::Borrowed("apply_patch"),
                arguments: Arguments::Text(Cow::Owned(text(&changes))),
                cwd: rollout.cwd.clone(),
                status: status.unwrap_or(Status::Missing),
                subagent: None,
            };
            let reported = Reported { location: location.clone(), call, ran: None };
            if let Some(reported) = scripts::join(rollout, reported) {
                rollout.reported.push(reported);
            }
        }
        None => {}
    }
    if status == Some(Status::Ok) {
        push_files(rollout, location, changes);
    }
}

fn changes(raw: Raw<'_>) -> Option<Vec<Changed<'_>>> {
    let changes = fields(raw.get())?.into_iter().map(|(path, change)| {
        let change = object::<Change<'_>>(Some(change)).unwrap_or_default();
        Changed { path, kind: filled(change.kind).unwrap_or_default(), moved: filled(change.target) }
    });
    Some(changes.collect())
}

fn push_files<'a>(rollout: &mut Rollout<'a>, location: &RecordLocation<'a>, changes: Vec<Changed<'a>>) {
    for Changed { path, kind, moved } in changes {
        let access = if moved.is_some() || kind == "delete" { Access::Delete } else { Access::Write };
        rollout.assembly.push(location.clone(), EventKind::File(FileEvent { access, target: path }));
        if let Some(target) = moved {
            rollout.assembly.push(location.clone(), EventKind::File(FileEvent { access: Access::Write, target }));
        }
    }
}

/// The patch that makes these changes, without the lines that it changes.
fn text(changes: &[Changed<'_>]) -> String {
    let mut patch = String::from("*** Begin Patch\n");
    for Changed { path, kind, moved } in changes.iter().filter(|change| !change.path.contains('\n')) {
        let verb = match &**kind {
            "add" => "Add",
            "delete" => "Delete",
            _ => "Update",
        };
        for part in ["*** ", verb, " File: ", path, "\n"] {
            patch.push_str(part);
        }
        if let Some(target) = moved.as_deref().filter(|target| !target.contains('\n')) {
            for part in ["*** Move to: ", target, "\n"] {
                patch.push_str(part);
            }
        }
    }
    patch.push_str("*** End Patch");
    patch
}

/// The files that the text of a patch names.
fn named(patch: &str) -> impl Iterator<Item = &str> {
    const HEADS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    patch.lines().filter_map(|line| HEADS.iter().find_map(|head| line.trim_start().strip_prefix(head))).map(str::trim)
}

/// Whether a patch names each of the files that were changed. A patch whose text is not known names any.
fn names_all(cwd: Option<&str>, arguments: &Arguments<'_>, changes: &[Changed<'_>]) -> bool {
    let patch = match arguments {
        Arguments::Text(text) => Cow::Borrowed(&**text),
        // The oldest hosts wrote the patch into JSON.
        Arguments::Json(json) => Cow::Owned(json.replace("\\n", "\n")),
        Arguments::Missing => return true,
    };
    // Its files count from the directory of its call, or from a directory that the log does not name.
    let mut named = Named::new(cwd, named(&patch));
    changes
        .iter()
        .all(|change| named.holds(&change.path) && change.moved.as_deref().is_none_or(|target| named.holds(target)))
}

/// The end of a path that no directory changes: what comes after its last `..`, without `.`.
fn ending(path: &str) -> String {
    let path = path.replace('\\', "/");
    let parts: Vec<&str> = path.split('/').collect();
    let kept = parts.iter().rposition(|part| *part == "..").map_or(0, |at| at + 1);
    let parts: Vec<&str> = parts.into_iter().skip(kept).filter(|part| !matches!(*part, "" | ".")).collect();
    parts.join("/")
}

/// Whether a nested call's patch is the one that a notice reports by its files.
pub(super) fn is_same(asked: &Arguments<'_>, reported: &Arguments<'_>) -> bool {
    let (Arguments::Text(asked), Arguments::Text(reported)) = (asked, reported) else { return false };
    let asked: Vec<String> = named(asked).map(ending).collect();
    let mut reported = named(reported).peekable();
    reported.peek().is_some()
        && reported.all(|path| {
            let path = path.replace('\\', "/");
            asked.iter().any(|name| path == *name || path.ends_with(&format!("/{name}")))
        })
}
