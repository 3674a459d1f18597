//! Notices for the user interface (`event_msg`): mostly second copies of response items, which are not counted
//! again. Worth reading are what patches changed, how commands ended, and tokens.

use std::borrow::Cow;
use std::collections::HashSet;

use super::item::Payload;
use super::{Rollout, facts};
use crate::assembly::RecordLocation;
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, count, elements, fields, filled, is, object, parse, raw_text, record, text};
use agent_strace_model::{Access, Arguments, EventKind, FileEvent, Label, RecordRole, Status, ToolCall, Usage, Window};

record! {
    struct Change { kind = "type", target = "move_path" }
}

record! {
    struct Info { total = "total_token_usage", last = "last_token_usage" }
}

record! {
    struct Tokens {
        input = "input_tokens",
        cached = "cached_input_tokens",
        output = "output_tokens",
        reasoning = "reasoning_output_tokens",
        total = "total_tokens",
    }
}

pub(super) fn add<'a>(
    rollout: &mut Rollout<'a>,
    location: RecordLocation<'a>,
    notice: &Payload<'a>,
    payload: Option<Raw<'a>>,
    gaps: &mut Gaps,
) {
    let kind = text(notice.kind).unwrap_or_default();
    match &*kind {
        "patch_apply_end" => patch(rollout, &location, notice, gaps),
        "mcp_tool_call_end" => {
            mcp(rollout, &location, notice);
            rollout.assembly.push(location, EventKind::Other);
        }
        "exec_command_begin" | "exec_command_end" => {
            command(rollout, &location, notice);
            if let (Some(id), Some(status)) = (filled(notice.call_id), ended(notice)) {
                rollout.assembly.settle(status, [id]);
            }
            rollout.assembly.push(location, EventKind::Other);
        }
        "token_count" => {
            rollout.assembly.push(location.clone(), EventKind::Other);
            if let Some(info) = object::<Info<'a>>(notice.info) {
                tokens(rollout, location, &info);
            }
        }
        "user_message" => {
            rollout.typed.extend(text(notice.message).map(|typed| typed.trim().to_owned()));
            rollout.assembly.push(location, EventKind::Other);
        }
        "error" => {
            let said = raw_text(notice.message);
            rollout.assembly.push(location, said.map_or(EventKind::Other, EventKind::Failure));
        }
        "entered_review_mode" => {
            rollout.assembly.label(Label::Starts(Cow::Borrowed("review")));
            rollout.assembly.push(location, EventKind::Other);
        }
        _ => {
            rollout.assembly.push(location, EventKind::Other);
            facts::notice(rollout, &kind, payload);
        }
    }
}

/// Every answer of the model is counted, some of them in two records: a new one raises the total.
fn tokens<'a>(rollout: &mut Rollout<'a>, location: RecordLocation<'a>, info: &Info<'a>) {
    let before = rollout.tokens;
    rollout.tokens = info.total.or(before);
    if let (Some(before), Some(total)) = (object(before), object(info.total))
        && begins_anew(&before, &total, object(info.last).as_ref())
    {
        rollout.earlier.add(&usage(&before, 0));
    }
    let raised = info.total.is_some_and(|total| before.is_none_or(|before| before.get() != total.get()));
    rollout.requests += u64::from(raised);
    let Some(last) = object::<Tokens<'_>>(info.last) else { return };
    let usage = usage(&last, 1);
    let told = [count(last.input), count(last.output), count(last.total)];
    let window = (rollout.told.replace(told) != Some(told)).then_some(Window {
        fresh_input: usage.input,
        cache_creation: 0,
        cache_read: usage.cache_read,
        output: usage.output.saturating_add(usage.reasoning),
    });
    // A conversation that no longer fitted is told as one of nothing: that was no answer.
    if raised && (Usage { requests: 0, ..usage }) != Usage::default() {
        rollout.assembly.spend(location.time, None, usage, window);
    } else if let Some(window) = window {
        rollout.assembly.window(location.time, window);
    }
}

/// A running total only grows, by what was spent last: a smaller one, or one that is no more than that, leaves out what
/// was spent before (after a resume, or where the conversation no longer fitted).
fn begins_anew(before: &Tokens<'_>, total: &Tokens<'_>, last: Option<&Tokens<'_>>) -> bool {
    let told = |tokens: &Tokens<'_>| [tokens.input, tokens.output].map(count);
    let (before, total) = (told(before), told(total));
    let fell = before.iter().zip(total).any(|(before, total)| total < *before);
    fell || (before != total && before != [0; 2] && last.is_some_and(|last| told(last) == total))
}

/// A call that a notice reports. Usually its response item was recorded, too; when it was not, it is judged by this.
#[derive(Debug)]
pub(super) struct Reported<'a> {
    location: RecordLocation<'a>,
    call: ToolCall<'a>,
    /// The command that ran.
    ran: Option<Raw<'a>>,
}

record! {
    struct Invocation { server = "server", tool = "tool", arguments = "arguments" }
}

fn command<'a>(rollout: &mut Rollout<'a>, location: &RecordLocation<'a>, notice: &Payload<'a>) {
    // What the user typed into a shell of their own is not the agent's.
    if is(notice.source, "user_shell") {
        return;
    }
    let arguments = notice.command.map(|command| format!("{{\"command\":{}}}", command.get()));
    report(rollout, location, notice, Cow::Borrowed("shell"), arguments, notice.command);
}

fn mcp<'a>(rollout: &mut Rollout<'a>, location: &RecordLocation<'a>, notice: &Payload<'a>) {
    let invocation = object::<Invocation<'a>>(notice.invocation).unwrap_or_default();
    let name = |value| filled(value).unwrap_or(Cow::Borrowed(""));
    let tool = format!("mcp__{}__{}", name(invocation.server), name(invocation.tool));
    report(rollout, location, notice, Cow::Owned(tool), invocation.arguments.map(|raw| raw.get().to_owned()), None);
}

/// Keeps what a notice reports, unless it is a second copy of a call.
fn report<'a>(
    rollout: &mut Rollout<'a>,
    location: &RecordLocation<'a>,
    notice: &Payload<'a>,
    tool: Cow<'a, str>,
    arguments: Option<String>,
    ran: Option<Raw<'a>>,
) {
    let call_id = filled(notice.call_id);
    let asked = call_id.as_deref().and_then(|id| rollout.assembly.call_of(id));
    if asked.is_some_and(|asked| ran.is_none_or(|ran| !differs(asked, ran))) {
        return;
    }
    let call = ToolCall {
        call_id,
        tool,
        arguments: arguments.map_or(Arguments::Missing, |json| Arguments::Json(Cow::Owned(json))),
        cwd: filled(notice.cwd).or_else(|| rollout.cwd.clone()),
        status: ended(notice).unwrap_or(Status::Missing),
        subagent: None,
    };
    rollout.reported.push(Reported { location: location.clone(), call, ran });
}

record! {
    struct Asked { words = "command", line = "cmd" }
}

/// Codex sets the encoding of a PowerShell line before the line itself.
const ENCODING: &str = "[Console]::OutputEncoding=[System.Text.Encoding]::UTF8;";

/// Whether a command that ran is another one than the call asked for: then both are judged.
fn differs(asked: &ToolCall<'_>, ran: Raw<'_>) -> bool {
    let Arguments::Json(json) = &asked.arguments else { return false };
    let Some(Asked { words, line, .. }) = parse(json) else { return false };
    let asked = line.and_then(said).or_else(|| words.and_then(said));
    asked.zip(said(ran)).is_some_and(|(asked, ran)| asked != ran)
}

/// What a command says: its words, or the line that it gives to a shell, for hosts exchange the shell.
fn said(command: Raw<'_>) -> Option<String> {
    if let Some(line) = text(Some(command)) {
        return Some(line.trim().to_owned());
    }
    let words = elements(Some(command)).into_iter().map(|word| text(Some(word)));
    let words: Vec<Cow<'_, str>> = words.collect::<Option<_>>()?;
    let line = match words.as_slice() {
        [] => return None,
        [program, .., option, line] if is_shell(program) && takes_line(option) => line.to_string(),
        words => words.join(" "),
    };
    Some(line.strip_prefix(ENCODING).unwrap_or(&line).trim().to_owned())
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    name.ends_with("sh") || matches!(name, "powershell" | "cmd")
}

/// `-lc`, `-Command` or `/c`.
fn takes_line(option: &str) -> bool {
    let option = option.to_ascii_lowercase();
    option == "/c" || option == "-command" || option.starts_with('-') && option.ends_with('c')
}

/// Adds the calls that only notices report, and commands that ran in place of what a call asked for. The calls of a script
/// are not linked to their notices, but they were read from the script.
pub(super) fn add_unmatched(rollout: &mut Rollout<'_>) {
    rollout.assembly.origin.role = RecordRole::Aside;
    let has_scripts = rollout.assembly.session.calls().any(|(_, call)| call.tool == "exec");
    let mut contradictions = HashSet::new();
    for Reported { location, mut call, ran } in std::mem::take(&mut rollout.reported) {
        let link = call.call_id.clone();
        match link.as_deref().and_then(|id| rollout.assembly.call_of(id)) {
            Some(asked) => {
                // The beginning and the end of a command are two notices.
                let Some(ran) = ran.filter(|ran| differs(asked, *ran)) else { continue };
                if contradictions.insert((link, ran.get())) {
                    call.call_id = None;
                    rollout.assembly.call(location, call, None);
                }
            }
            None if !has_scripts => rollout.assembly.call(location, call, link),
            None => {}
        }
    }
}

fn ended(notice: &Payload<'_>) -> Option<Status> {
    if is(notice.status, "declined") {
        return Some(Status::Denied);
    }
    let code: i64 = notice.exit_code?.get().parse().ok()?;
    Some(if code == 0 { Status::Ok } else { Status::Error })
}

/// The best record of what a patch wrote, also in code mode, where its call may be hidden in a script.
fn patch<'a>(rollout: &mut Rollout<'a>, location: &RecordLocation<'a>, notice: &Payload<'a>, gaps: &mut Gaps) {
    if is(notice.status, "declined") || notice.success.is_some_and(|success| success.get() == "false") {
        return rollout.assembly.push(location.clone(), EventKind::Other);
    }
    let Some(changes) = notice.changes.and_then(|changes| fields(changes.get())) else {
        if notice.changes.is_some() {
            gaps.malformed(location.line, "the changes of a patch can't be read");
        }
        return rollout.assembly.push(location.clone(), EventKind::Other);
    };
    for (path, change) in changes {
        let change = object::<Change<'a>>(Some(change)).unwrap_or_default();
        let moved = filled(change.target);
        let access = if moved.is_some() || is(change.kind, "delete") { Access::Delete } else { Access::Write };
        rollout.assembly.push(location.clone(), EventKind::File(FileEvent { access, target: path }));
        if let Some(target) = moved {
            rollout.assembly.push(location.clone(), EventKind::File(FileEvent { access: Access::Write, target }));
        }
    }
}

/// Codex counts up: the last total is the session's, beside those that were begun anew.
pub(super) fn total(tokens: Option<Raw<'_>>, earlier: Usage, requests: u64) -> Usage {
    let mut total = object::<Tokens<'_>>(tokens).map_or_else(Usage::default, |tokens| usage(&tokens, requests));
    total.add(&earlier);
    total
}

fn usage(tokens: &Tokens<'_>, requests: u64) -> Usage {
    let mut counts = Counts::default();
    let cached = counts.of(tokens.cached);
    Usage {
        requests,
        input: counts.needed(tokens.input).saturating_sub(cached),
        output: counts.needed(tokens.output),
        cache_read: cached,
        reasoning: counts.of(tokens.reasoning),
        partial: counts.is_partial,
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::Log;

    /// Running totals, each `input output` with `/ input output` of the last answer: what the session used, and how many
    /// answers that were.
    fn used(told: &[&str]) -> (u64, u64, u64) {
        let tokens = |text: &str| {
            let (input, output) = text.trim().split_once(' ').unwrap();
            format!(r#"{{"input_tokens":{input},"output_tokens":{output},"total_tokens":100000}}"#)
        };
        let info = |told: &&str| {
            let (total, last) = told.split_once('/').map_or((*told, None), |(total, last)| (total, Some(last)));
            let last = last.map(|last| format!(r#","last_token_usage":{}"#, tokens(last))).unwrap_or_default();
            format!(r#"{{"total_token_usage":{}{last}}}"#, tokens(total))
        };
        let start = r#"{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"a","cwd":"/w"}}"#;
        let notice =
            |info: String| format!(r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{info}}}}}"#);
        let lines: Vec<String> = std::iter::once(start.to_owned()).chain(told.iter().map(info).map(notice)).collect();
        let log = Log::new("codex.jsonl", lines.join("\n").into_bytes());
        let reading = log.read();
        let [session] = reading.sessions.as_slice() else { panic!("{} sessions", reading.sessions.len()) };
        (session.usage.input, session.usage.output, session.usage.requests)
    }

    #[test]
    fn a_running_total_that_is_begun_anew_leaves_nothing_out() {
        for (told, wanted) in [
            (&["10 1", "30 3"][..], (30, 3, 2)),
            // The same total again is no answer.
            (&["10 1 / 10 1", "10 1 / 10 1", "30 3 / 20 2"], (30, 3, 2)),
            // After a resume.
            (&["10 1", "30 3", "5 1", "9 2"], (39, 5, 4)),
            (&["10 1 / 10 1", "30 3 / 20 2", "5 1 / 5 1", "9 2 / 4 1"], (39, 5, 4)),
            // The first answer after it was larger than all before.
            (&["10 1 / 10 1", "50 5 / 50 5", "60 6 / 10 1"], (70, 7, 3)),
            // Where the conversation no longer fitted, nothing but the sum of both is kept.
            (&["30 3 / 30 3", "0 0 / 0 0", "8 1 / 8 1"], (38, 4, 3)),
        ] {
            assert_eq!(used(told), wanted, "{told:?}");
        }
    }

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
