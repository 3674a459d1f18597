//! Compares the call that the agent asked for with the one that ran.
//!
//! A hook may hand back other input than the model's. Its print alone does not prove that the host took it, so that the
//! call is read with both. What the host says of the file that it touched is its own record.

use std::borrow::Cow;

use memchr::memmem;

use crate::assembly::{Assembly, RecordLocation};
use crate::json::{Raw, filled, object, parse, record};
use agent_strace_model::{Arguments, Status, ToolCall};

pub(super) const OTHER_FILE: &str = "the result of a call names another file than the call: what ran is not what was \
                                     asked, and nothing in the log says why; compare it with the agent's own copy";

record! {
    struct Printed { id = "toolUseID", stdout = "stdout" }
}

record! {
    struct Answer { specific = "hookSpecificOutput" }
}

record! {
    struct Specific { input = "updatedInput" }
}

/// The call of a hook that printed other input for it, with that input.
pub(super) fn asked_anew<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, attachment: Option<Raw<'a>>) {
    // Attachments are long: only one that speaks of input is read again.
    let speaks = attachment.is_some_and(|raw| memmem::find(raw.get().as_bytes(), b"updatedInput").is_some());
    let Some(printed) = object::<Printed<'a>>(attachment.filter(|_| speaks)) else { return };
    let (Some(id), Some(input)) = (filled(printed.id), filled(printed.stdout).and_then(|text| input(&text))) else {
        return;
    };
    let Some(call) = assembly.call_of(&id) else { return };
    let arguments = Arguments::Json(Cow::Owned(input));
    if call.arguments == arguments {
        return;
    }
    let call = ToolCall { arguments, status: Status::Missing, ..call.clone() };
    assembly.call(location.clone(), call, Some(id));
}

/// The input that a hook's output holds.
fn input(stdout: &str) -> Option<String> {
    let specific = parse::<Answer<'_>>(stdout.trim())?.specific;
    object::<Specific<'_>>(specific)?.input.map(|input| input.get().to_owned())
}

record! {
    struct Asked { path = "file_path" }
}

record! {
    struct Touched { path = "filePath", file = "file" }
}

/// Whether the host's record of a call names another file than the call.
pub(super) fn contradicts(call: &ToolCall<'_>, result: Option<Raw<'_>>) -> bool {
    let Arguments::Json(json) = &call.arguments else { return false };
    let speaks = result.is_some_and(|raw| memmem::find(raw.get().as_bytes(), b"\"filePath\"").is_some());
    let Some(touched) = object::<Touched<'_>>(result.filter(|_| speaks)) else { return false };
    let inner = || object::<Touched<'_>>(touched.file).and_then(|file| filled(file.path));
    let Some(ran) = filled(touched.path).or_else(inner) else { return false };
    parse::<Asked<'_>>(json).and_then(|asked| filled(asked.path)).is_some_and(|asked| !is_same(&asked, &ran))
}

/// Two names of one file: a link or another root may stand before the last two parts, and a relative name may be short.
fn is_same(one: &str, other: &str) -> bool {
    if one == other || [one, other].iter().any(|path| path.split(['/', '\\']).any(|part| part == "..")) {
        return true;
    }
    let parts = |path: &str| -> Vec<String> {
        path.split(['/', '\\'])
            .rev()
            .filter(|part| !matches!(*part, "" | "." | "~"))
            .take(2)
            .map(str::to_owned)
            .collect()
    };
    let (one, other) = (parts(one), parts(other));
    !one.is_empty() && one.iter().zip(&other).all(|(one, other)| one == other)
}
