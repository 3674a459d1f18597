//! Compares the call that the agent asked for with the one that ran.
//!
//! A hook may hand back other input than the model's. Its print alone does not prove that the host took it, so that the
//! call is read with both. What the host says of the file that it touched is its own record.

use std::borrow::Cow;

use memchr::memmem;
use serde_json::Value;

use crate::assembly::{Assembly, RecordLocation};
use crate::json::{Raw, filled, object, parse, record};
use crate::paths::{Told, told};
use agent_strace_model::{Access, Arguments, Event, FileEvent, Status, ToolCall};

pub(super) const OTHER_FILE: &str = "the result of a call names another file than the call: what ran is not what was \
                                     asked, and nothing in the log says why; compare it with the agent's own copy";

record! {
    struct Printed { id = "toolUseID", stdout = "stdout", content = "content" }
}

record! {
    struct Answer { specific = "hookSpecificOutput" }
}

record! {
    struct Specific { input = "updatedInput" }
}

/// Other input that was told for a call, and where.
#[derive(Debug)]
pub(super) struct Anew<'a> {
    location: RecordLocation<'a>,
    id: Cow<'a, str>,
    input: String,
}

/// The other input that a hook printed for a call.
pub(super) fn printed<'a>(location: &RecordLocation<'a>, attachment: Option<Raw<'a>>) -> Option<Anew<'a>> {
    // Attachments are long: only one that speaks of input is read again.
    let speaks = attachment.is_some_and(|raw| memmem::find(raw.get().as_bytes(), b"updatedInput").is_some());
    let printed = object::<Printed<'a>>(attachment.filter(|_| speaks))?;
    let texts = [printed.stdout, printed.content].into_iter().filter_map(filled);
    let input = texts.into_iter().find_map(|text| input(&text))?;
    Some(Anew { location: location.clone(), id: filled(printed.id)?, input })
}

/// Adds the call that other input makes, beside the one that was asked for; hands it back where that is not read yet.
pub(super) fn asked_anew<'a>(assembly: &mut Assembly<'a>, told: Anew<'a>) -> Option<Anew<'a>> {
    let Some(call) = assembly.call_of(&told.id) else { return Some(told) };
    let arguments = Arguments::Json(Cow::Owned(told.input));
    if call.arguments != arguments {
        let call = ToolCall { arguments, status: Status::Missing, ..call.clone() };
        assembly.call(told.location, call, Some(told.id));
    }
    None
}

/// The other input with which the host let a call through.
pub(super) fn decided<'a>(
    location: &RecordLocation<'a>,
    id: Option<&Cow<'a, str>>,
    input: Option<Raw<'a>>,
) -> Option<Anew<'a>> {
    Some(Anew { location: location.clone(), id: id?.clone(), input: input?.get().to_owned() })
}

/// The input that a hook's output holds. Whatever else it prints, the host may take the object in it.
fn input(printed: &str) -> Option<String> {
    let read = |json: &str| {
        let specific = parse::<Answer<'_>>(json.trim())?.specific;
        object::<Specific<'_>>(specific)?.input.map(|input| input.get().to_owned())
    };
    let from = |at: usize| printed.get(at..).and_then(read);
    let begins = |at: &usize| printed.get(..*at).is_none_or(|before| before.is_empty() || before.ends_with('\n'));
    let starts = memmem::find_iter(printed.as_bytes(), b"{").filter(begins).take(STARTS);
    read(printed).or_else(|| printed.lines().find_map(read)).or_else(|| starts.into_iter().find_map(from))
}

/// Events before a repeated answer among which its call is looked for.
const ANSWERED: usize = 64;

/// The factor by which another spelling of the same JSON may be longer.
const SPELLING: usize = 4;

/// Passes what a run hands over where it repeats the answer that the model gave in a call. Anything else is looked at.
pub(super) fn handed_over<'a>(assembly: &mut Assembly<'a>, output: Option<Raw<'a>>) {
    let Some(said) = output.and_then(|output| serde_json::from_str::<Value>(output.get()).ok()) else { return };
    let calls = assembly.session.events.iter().rev().take(ANSWERED).filter_map(Event::call);
    let mut answers = calls.filter(|call| call.tool == "StructuredOutput").take(2);
    // A much longer text says more, and would be read once for each output.
    let most = output.map_or(0, |output| output.get().len()).saturating_mul(SPELLING);
    let is_same = |call: &ToolCall<'_>| match &call.arguments {
        Arguments::Json(json) if json.len() <= most => {
            serde_json::from_str::<Value>(json).is_ok_and(|given| given == said)
        }
        _ => false,
    };
    if answers.any(is_same) {
        assembly.pass(output);
    }
}

/// Lines of a hook's output that may begin an object which goes on to its end.
const STARTS: usize = 8;

record! {
    struct Asked { path = "file_path", notebook = "notebook_path", command = "command" }
}

record! {
    struct Touched { path = "filePath", notebook = "notebook_path", file = "file", command = "command" }
}

/// The host's own record of a call, beside the call.
#[derive(Debug)]
pub(super) enum Differs<'a> {
    /// It names a file that the call may have meant.
    File(FileEvent<'a>),
    /// It names another file or another command than the call.
    Other,
}

/// The way in which the host's record of a call differs from the call.
pub(super) fn differs<'a>(call: &ToolCall<'_>, result: Option<Raw<'a>>) -> Option<Differs<'a>> {
    let Arguments::Json(json) = &call.arguments else { return None };
    let has = |key: &[u8]| result.is_some_and(|raw| memmem::find(raw.get().as_bytes(), key).is_some());
    let speaks = has(b"\"filePath\"") || has(b"\"command\"") || has(b"\"notebook_path\"");
    let touched = object::<Touched<'a>>(result.filter(|_| speaks))?;
    let asked = parse::<Asked<'_>>(json)?;
    let command = filled(asked.command).zip(filled(touched.command));
    if command.is_some_and(|(asked, ran)| asked.trim() != ran.trim()) {
        return Some(Differs::Other);
    }
    let inner = || object::<Touched<'a>>(touched.file).and_then(|file| filled(file.path));
    let (asked, target) = filled(asked.path)
        .or_else(|| filled(asked.notebook))
        .zip(filled(touched.path).or_else(|| filled(touched.notebook)).or_else(inner))?;
    match told(call.cwd.as_deref(), &asked, &target) {
        Told::Same => None,
        Told::Elsewhere => {
            let access = if call.tool == "Read" { Access::Read } else { Access::Write };
            Some(Differs::File(FileEvent { access, target }))
        }
        Told::Other => Some(Differs::Other),
    }
}
