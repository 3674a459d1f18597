//! The host's own record of what ran: notices of commands, patches and calls of servers.
//!
//! Most of them are second copies of a call. What they add is how the call ended, and what ran where that is something
//! else than the call asked for: then both are judged, and the contradiction is a gap. Calls of a script are told by
//! notices alone; they are joined to what was read of the script.

use std::borrow::Cow;
use std::collections::HashSet;

use super::item::Payload;
use super::said::{Command, differs};
use super::{Rollout, patch, scripts};
use crate::assembly::RecordLocation;
use crate::gaps::Gaps;
use crate::json::{Raw, filled, is, is_true, object, record};
use agent_strace_model::{Arguments, GapKind, RecordRole, Status, ToolCall};

/// A call as a notice reports it. Usually its response item was recorded, too; where it was not, it is judged by this.
#[derive(Debug, Clone)]
pub(super) struct Reported<'a> {
    pub(super) location: RecordLocation<'a>,
    pub(super) call: ToolCall<'a>,
    /// The command that ran.
    pub(super) ran: Option<Command<'a>>,
}

const OTHER_COMMAND: &str = "the host reports another command, or another directory, than the call asked for";

/// Reads what a notice of this kind says about a call; `false`: it is of another kind.
pub(super) fn add<'a>(
    rollout: &mut Rollout<'a>,
    location: &RecordLocation<'a>,
    kind: &str,
    notice: &Payload<'a>,
    gaps: &mut Gaps,
) -> bool {
    match kind {
        "exec_command_begin" | "exec_command_end" => command(rollout, location, notice),
        "patch_apply_begin" | "patch_apply_end" => patch::add(rollout, location, notice, kind.ends_with("end"), gaps),
        "mcp_tool_call_begin" | "mcp_tool_call_end" => server(rollout, location, notice, notice.invocation),
        "dynamic_tool_call_request" => named(rollout, location, notice),
        "view_image_tool_call" => image(rollout, location, notice),
        "item_started" | "item_completed" => item(rollout, location, notice.item, kind == "item_completed", gaps),
        _ => return false,
    }
    true
}

/// The newest hosts tell of everything as an item, under the id of its call.
fn item<'a>(
    rollout: &mut Rollout<'a>,
    location: &RecordLocation<'a>,
    raw: Option<Raw<'a>>,
    completed: bool,
    gaps: &mut Gaps,
) {
    let Some(item) = object::<Payload<'a>>(raw) else {
        return gaps.malformed(location.line, "a notice of an item that is not an object");
    };
    let mut item = Payload { call_id: item.id, ..item };
    if !completed {
        // Nothing ended that only began, whatever its record says.
        (item.status, item.exit_code, item.result) = (None, None, None);
    }
    let kind = filled(item.kind).unwrap_or_default();
    // From here on the host tells of each call that it runs.
    rollout.tells_items |= matches!(&*kind, "CommandExecution" | "FileChange" | "McpToolCall" | "UserMessage");
    match &*kind {
        "CommandExecution" => command(rollout, location, &item),
        "FileChange" => patch::add(rollout, location, &item, completed, gaps),
        "McpToolCall" => server(rollout, location, &item, raw),
        "DynamicToolCall" => named(rollout, location, &item),
        "ImageView" => image(rollout, location, &item),
        "SubAgentActivity" | "CollabAgentToolCall" => {
            // It tells of agents: a call with arguments is something else.
            if !item.looks_given() {
                rollout.assembly.pass_around(raw);
            }
            super::facts::activity(rollout, raw);
        }
        "UserMessage" | "AgentMessage" | "Reasoning" | "Plan" | "WebSearch" | "ImageGeneration" | "Extension"
        | "ContextCompaction" | "HookPrompt" | "EnteredReviewMode" | "ExitedReviewMode" | "TodoList" | "Error" => {}
        _ if item.looks_like_a_call() => {
            gaps.unknown_record(location.line, "a notice of an item of an unknown kind that looks like a call");
        }
        _ => {}
    }
}

fn command<'a>(rollout: &mut Rollout<'a>, location: &RecordLocation<'a>, notice: &Payload<'a>) {
    rollout.assembly.pass(notice.command);
    // What the user typed into a shell of their own is not the agent's.
    if is(notice.source, "user_shell") {
        return;
    }
    let arguments = json(notice.command.map(|command| format!("{{\"command\":{}}}", command.get())));
    let cwd = filled(notice.cwd).map(crate::paths::of_url);
    let ran = notice.command.map(|text| Command { text, cwd: cwd.clone() });
    report(rollout, location, notice, Call { tool: Cow::Borrowed("shell"), arguments, cwd, ran });
}

record! {
    struct Invocation { server = "server", tool = "tool", arguments = "arguments" }
}

fn server<'a>(
    rollout: &mut Rollout<'a>,
    location: &RecordLocation<'a>,
    notice: &Payload<'a>,
    invocation: Option<Raw<'a>>,
) {
    let invocation = object::<Invocation<'a>>(invocation).unwrap_or_default();
    rollout.assembly.pass(invocation.arguments);
    rollout.assembly.pass(notice.result);
    let name = |value| filled(value).unwrap_or(Cow::Borrowed(""));
    let tool = Cow::Owned(format!("mcp__{}__{}", name(invocation.server), name(invocation.tool)));
    let arguments = json(invocation.arguments.map(|raw| raw.get().to_owned()));
    report(rollout, location, notice, Call { tool, arguments, cwd: None, ran: None });
}

/// A tool that the application around the agent offers.
fn named<'a>(rollout: &mut Rollout<'a>, location: &RecordLocation<'a>, notice: &Payload<'a>) {
    let tool = filled(notice.tool).unwrap_or_default();
    rollout.assembly.pass(notice.arguments);
    let arguments = json(notice.arguments.map(|raw| raw.get().to_owned()));
    report(rollout, location, notice, Call { tool, arguments, cwd: None, ran: None });
}

fn image<'a>(rollout: &mut Rollout<'a>, location: &RecordLocation<'a>, notice: &Payload<'a>) {
    let arguments = json(notice.path.map(|path| format!("{{\"path\":{}}}", path.get())));
    report(rollout, location, notice, Call { tool: Cow::Borrowed("view_image"), arguments, cwd: None, ran: None });
}

fn json<'a>(text: Option<String>) -> Arguments<'a> {
    text.map_or(Arguments::Missing, |text| Arguments::Json(Cow::Owned(text)))
}

/// What a notice says of a call.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) tool: Cow<'a, str>,
    pub(super) arguments: Arguments<'a>,
    pub(super) cwd: Option<Cow<'a, str>>,
    pub(super) ran: Option<Command<'a>>,
}

/// Keeps what a notice reports, unless it is a second copy of a call, and how the call ended.
pub(super) fn report<'a>(
    rollout: &mut Rollout<'a>,
    location: &RecordLocation<'a>,
    notice: &Payload<'a>,
    Call { tool, arguments, cwd, ran }: Call<'a>,
) {
    let call_id = filled(notice.call_id);
    let status = ended(notice);
    if let (Some(id), Some(status)) = (&call_id, status) {
        rollout.ended.insert(id.clone(), status);
    }
    let call = ToolCall {
        call_id,
        tool,
        arguments,
        cwd: cwd.or_else(|| rollout.cwd.clone()),
        status: status.unwrap_or(Status::Missing),
        subagent: None,
    };
    let reported = Reported { location: location.clone(), call, ran };
    let asked = reported.call.call_id.as_deref().and_then(|id| rollout.assembly.call_of(id));
    match asked {
        Some(asked) => {
            let differs = reported.ran.as_ref().is_some_and(|ran| differs(asked, ran));
            if let (Some(id), Some(status)) = (reported.call.call_id.clone(), status) {
                rollout.assembly.settle(status, [id]);
            }
            if differs {
                rollout.reported.push(reported);
            }
        }
        None => {
            if let Some(reported) = scripts::join(rollout, reported) {
                rollout.reported.push(reported);
            }
        }
    }
}

/// Adds the calls that only notices report, and commands that ran in place of what a call asked for.
pub(super) fn add_unmatched(rollout: &mut Rollout<'_>, gaps: &mut Gaps) {
    rollout.assembly.origin.role = RecordRole::Aside;
    let mut contradictions = HashSet::new();
    for Reported { location, mut call, ran } in std::mem::take(&mut rollout.reported) {
        let link = call.call_id.clone();
        let Some(asked) = link.as_deref().and_then(|id| rollout.assembly.call_of(id)) else {
            // The files that a patch changed are events of their own.
            if call.tool != "apply_patch" || link.as_ref().and_then(|id| rollout.ended.get(id)) != Some(&Status::Ok) {
                rollout.assembly.call(location, call, link);
            }
            continue;
        };
        // The beginning and the end of a command are two notices.
        let Some(ran) = ran.filter(|ran| differs(asked, ran)) else {
            rollout.assembly.settle(call.status, link);
            continue;
        };
        if contradictions.insert((link, ran.text.get())) {
            gaps.push(Some(location.line), GapKind::Contradiction(OTHER_COMMAND.into()));
            call.call_id = None;
            rollout.assembly.call(location, call, None);
        }
    }
}

record! {
    struct Outcome { ok = "Ok", err = "Err", is_error = "isError" }
}

/// How a call ended, as the host records it.
pub(super) fn ended(notice: &Payload<'_>) -> Option<Status> {
    let outcome = object::<Outcome<'_>>(notice.result);
    let failed = |outcome: &Outcome<'_>| {
        let inner = object::<Outcome<'_>>(outcome.ok).is_some_and(|ok| is_true(ok.is_error));
        inner || is_true(outcome.is_error) || outcome.err.is_some()
    };
    if let Some(code) = notice.exit_code {
        return Some(match code.get() {
            "0" => Status::Ok,
            // The host ended it when it ended itself.
            "-1" => Status::Interrupted,
            _ => Status::Error,
        });
    }
    // Nothing ended of a call that was declined.
    if is(notice.status, "declined") && outcome.is_none() {
        return Some(Status::Denied);
    }
    if outcome.as_ref().is_some_and(failed) || is(notice.status, "failed") {
        return Some(Status::Error);
    }
    (outcome.is_some() || is(notice.status, "completed")).then_some(Status::Ok)
}

#[cfg(test)]
mod tests {
    use crate::Log;

    /// The commands that a session ran: a call that asks for one, and a notice of the command that ran.
    fn ran(asked: &str, notices: &[&str]) -> Vec<String> {
        let start = r#"{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"a","cwd":"/w"}}"#;
        let notice = |(kind, command): (&str, &str)| {
            let command = format!(r#""call_id":"k","command":{command},"exit_code":0"#);
            format!(r#"{{"type":"event_msg","payload":{{"type":"{kind}",{command}}}}}"#)
        };
        let mut lines = vec![start.to_owned()];
        if !asked.is_empty() {
            let asked = serde_json::to_string(asked).unwrap();
            let call = format!(r#""type":"function_call","name":"shell","arguments":{asked},"call_id":"k""#);
            lines.push(format!(r#"{{"type":"response_item","payload":{{{call}}}}}"#));
        }
        lines.extend(notices.iter().map(|notice| notice.split_once(' ').unwrap()).map(notice));
        let log = Log::new("codex.jsonl", lines.join("\n").into_bytes());
        let reading = log.read();
        let [session] = reading.sessions.as_slice() else { panic!("{} sessions", reading.sessions.len()) };
        session.calls().map(|(_, call)| format!("{:?} {:?}", call.status, call.arguments)).collect()
    }

    #[test]
    fn a_command_that_only_notices_report_is_judged() {
        let (begin, end) = (r#"exec_command_begin ["sh","-lc","rm x"]"#, r#"exec_command_end ["sh","-lc","rm x"]"#);
        assert_eq!(ran("", &[begin]).len(), 1);
        let [call] = &ran("", &[begin, end])[..] else { panic!("one call") };
        assert!(call.starts_with("Ok") && call.contains("rm x"), "{call}");
        // A notice that says what the call says is a second copy of it.
        for asked in [r#"{"cmd":"rm x"}"#, r#"{"command":"rm x"}"#, r#"{"command":["zsh","-c","rm x"]}"#] {
            assert_eq!(ran(asked, &[begin, end]).len(), 1, "{asked}");
        }
        assert_eq!(ran(r#"{"cmd":"ls"}"#, &[begin, end]).len(), 2, "another command ran");
        let (copy, other) = (r#"exec_command_end ["cp","x"]"#, r#"exec_command_end ["bash","-lc","rm y"]"#);
        assert_eq!(ran(r#"{"command":["rm","x"]}"#, &[copy]).len(), 2, "another program ran");
        assert_eq!(ran(r#"{"cmd":"ls"}"#, &[begin, other]).len(), 3, "two other commands ran");
        let encoded =
            r#"exec_command_end ["pwsh","-Command","[Console]::OutputEncoding=[System.Text.Encoding]::UTF8;\nls"]"#;
        assert_eq!(ran(r#"{"cmd":"ls"}"#, &[encoded]).len(), 1);
    }
}
