//! How a call ended, as the host's own fields say it.

use super::{Answer, Call, Function, Response};
use crate::json::{Raw, elements, is, is_string, object, text};
use agent_strace_model::Status;
pub(super) use agent_strace_model::exit_code::below_output as exit_code;

/// How errors begin that the host writes in place of a call which it did not make.
const REFUSED: [&str; 6] = [
    "Tool execution blocked: ",
    "Tool execution denied by policy",
    "User did not allow tool call",
    "User denied execution",
    "[Operation Cancelled] Reason: User did not allow tool call",
    "[Operation Cancelled] Reason: User denied execution",
];

/// The tool whose output holds an exit code.
const SHELL: &str = "run_shell_command";

pub(super) fn status(tool: &str, call: &Call<'_>) -> Status {
    let response = response(call.result);
    let error =
        response.as_ref().filter(|response| response.output.is_none()).and_then(|response| text(response.error));
    // The output of a command is another field: in this one, the first words are the host's.
    // What is shown of a call that was not made is that error, too.
    let is_shown = || text(call.display).is_none_or(|shown| refuses(&shown));
    let is_refused = || error.as_deref().is_some_and(refuses) && is_shown();
    if is(call.status, "success") {
        of_output(tool, response.as_ref())
    } else if is(call.status, "error") {
        if is_refused() { Status::Denied } else { Status::Error }
    } else if is(call.status, "cancelled") {
        // Also when a user stops it half-way.
        if is_refused() || says_refused(call.result) { Status::Denied } else { Status::Interrupted }
    } else if call.status.is_none() && call.result.is_some_and(|result| result.get() != "[]") {
        of_output(tool, response.as_ref())
    } else {
        Status::Missing
    }
}

pub(super) fn refuses(error: &str) -> bool {
    REFUSED.iter().any(|words| error.starts_with(words))
}

/// Old hosts wrote the refusal itself as the result.
fn says_refused(result: Option<Raw<'_>>) -> bool {
    text(result).is_some_and(|text| refuses(&text))
}

/// What a call answered; of several answers none is the call's own.
pub(super) fn response<'a>(result: Option<Raw<'a>>) -> Option<Response<'a>> {
    let answers = elements(result);
    let [answer] = answers.as_slice() else { return None };
    object(object::<Function<'a>>(object::<Answer<'a>>(Some(*answer))?.response)?.response)
}

fn of_output(tool: &str, response: Option<&Response<'_>>) -> Status {
    let output = response.and_then(|response| response.output).filter(|output| is_string(Some(*output)));
    match text(output).filter(|_| tool == SHELL).as_deref().and_then(exit_code) {
        Some(code) if code != 0 => Status::Error,
        _ => Status::Ok,
    }
}
