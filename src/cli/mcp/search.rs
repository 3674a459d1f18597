//! `search_events`.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::failure::Failure;
use super::super::gate;
use super::super::pipeline::{Inputs, Order};
use super::super::policy_file;
use super::super::trust::TrustBase;
use super::ServerContext;
use super::lookup::inputs;
use super::reply::{self, NOTICE, SHORT, ToolError, ToolResult, shown};
use agent_strace_effects::{Effect, Kind, Repository, Roots, Tracker};
use agent_strace_ingest::Log;
use agent_strace_ingest::discover::Selection;
use agent_strace_model::{Arguments, Event, EventKind, RawText, Session, Status};
use agent_strace_policy::Policy;

/// The most events of one answer, and files of one event.
const MOST: usize = 500;
const FILES: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Only in this session: an id of `list_sessions`, or an unambiguous prefix [default: all].
    #[serde(default)]
    session_id: Option<String>,
    /// Only calls of this tool, in any case: `Bash`; of an MCP tool its last part will do.
    #[serde(default)]
    tool_name: Option<String>,
    /// Only what read, changed or listed this file: a path, its last parts (`package-lock.json`), or a folder.
    #[serde(default)]
    file_path: Option<String>,
    /// Only calls whose result tells this exit code.
    #[serde(default)]
    exit_code: Option<i64>,
    /// `true`: only what failed or was refused; `false`: only what did not.
    #[serde(default)]
    has_error: Option<bool>,
    /// How many, the newest sessions first: 1 to 500.
    #[serde(default = "some")]
    limit: usize,
}

fn some() -> usize {
    50
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    notice: &'static str,
    events: Vec<Row>,
    /// All that was found, also what is left out here.
    total: usize,
    gaps: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Row {
    session_id: String,
    event: u32,
    event_id: Option<String>,
    /// As recorded.
    time: Option<String>,
    /// Absent: it was no call.
    tool: Option<String>,
    /// `ok`, `error`, `denied`, `interrupted`, or `missing`: no result is recorded.
    status: &'static str,
    exit_code: Option<i64>,
    /// What the call was given, shortened.
    arguments: Option<String>,
    /// What it read, wrote, deleted or listed: up to 20.
    files: Vec<File>,
    /// What came back of a failure, shortened.
    error: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct File {
    access: &'static str,
    path: String,
}

/// The events that were found in one session.
struct FoundSession {
    /// The last recorded time of the session.
    last: Option<jiff::Timestamp>,
    rows: Vec<Row>,
}

pub(super) fn run(context: &ServerContext, input: &Input) -> ToolResult<Output> {
    if !(1..=MOST).contains(&input.limit) {
        return Err(ToolError::new(format!("`limit` is from 1 to {MOST}")));
    }
    let inputs = match &input.session_id {
        Some(id) => inputs(context, id)?,
        None => context.with(|environment| {
            Inputs::select(&context.trace_dir, &[], Selection::All, environment, &mut std::io::empty())
        })?,
    };
    let policy = policy()?;
    let (repository, gap) = gate::repository(TrustBase::at(None));
    let (parts, mut gaps) = inputs.each_log(Order::AtOnce, |log, reading| {
        let mut gaps = reading.gaps.clone();
        let mut found: Vec<FoundSession> = Vec::new();
        for session in &reading.sessions {
            let searched =
                agent_strace_engine::guarded(session, || of_session(log, session, &policy, &repository, input));
            match searched {
                Ok(rows) => found.push(FoundSession { last: agent_strace_metrics::span(session).last, rows }),
                Err(gap) => gaps.push(gap),
            }
        }
        (found, gaps)
    });
    gaps.extend(gap);
    let mut found = Vec::new();
    for (part, more) in parts {
        found.extend(part);
        gaps.extend(more);
    }
    gaps.sort();
    // The newest session first; events in their order.
    found.sort_by_key(|session| std::cmp::Reverse(session.last));
    let mut events: Vec<Row> = found.into_iter().flat_map(|session| session.rows).collect();
    let total = events.len();
    events.truncate(input.limit);
    Ok((Output { notice: NOTICE, events, total, gaps: reply::gaps(&gaps) }, None))
}

/// The policy, if there is one, since it declares the effects of programs.
fn policy() -> Result<Policy, Failure> {
    Ok(policy_file::load_if_any(None, None, false)?.unwrap_or_else(Policy::none))
}

fn of_session(
    log: &Log,
    session: &Session<'_>,
    policy: &Policy,
    repository: &Arc<Repository>,
    input: &Input,
) -> Vec<Row> {
    let roots = Roots::of(session, repository, &policy.guarded());
    let mut tracker = Tracker::new(session, &roots).with_programs(policy.programs());
    let told = Results { by_call: results(session), exit_codes: stored_exit_codes(log) };
    let mut rows = Vec::new();
    for event in &session.events {
        let effects = tracker.effects(event);
        let Some(seen) = SearchedEvent::of(event, &told) else { continue };
        if seen.is_wanted(input) && touches(&effects, input.file_path.as_deref()) {
            rows.push(seen.row(session, event, &effects));
        }
    }
    rows
}

/// The results of calls.
struct Results<'s> {
    by_call: BTreeMap<&'s str, (&'s Event<'s>, &'s RawText<'s>)>,
    /// By the line of the result.
    exit_codes: BTreeMap<u32, i64>,
}

fn results<'s>(session: &'s Session<'_>) -> BTreeMap<&'s str, (&'s Event<'s>, &'s RawText<'s>)> {
    let texts = session.events.iter().filter_map(|event| match &event.kind {
        EventKind::Result(result) => Some((result.call_id.as_deref()?, (event, result.text.as_ref()?))),
        _ => None,
    });
    texts.collect()
}

/// An event that can be searched for.
struct SearchedEvent<'s> {
    tool: Option<&'s str>,
    status: Status,
    arguments: Option<&'s str>,
    said: Option<String>,
    exit_code: Option<i64>,
}

impl<'s> SearchedEvent<'s> {
    /// `None`: it is neither a call, nor a failure, nor something done to a file.
    fn of(event: &'s Event<'_>, told: &Results<'_>) -> Option<Self> {
        let nothing = Self { tool: None, status: Status::Ok, arguments: None, said: None, exit_code: None };
        match &event.kind {
            EventKind::Call(call) => {
                let result = call.call_id.as_deref().and_then(|id| told.by_call.get(id));
                let said = result.map(|(_, text)| text.decode().into_owned());
                let stored = result.and_then(|(result, _)| told.exit_codes.get(&result.line).copied());
                let exit_code = stored.or_else(|| said.as_deref().and_then(told_exit_code));
                let arguments = match &call.arguments {
                    Arguments::Json(text) | Arguments::Text(text) => Some(&**text),
                    Arguments::Missing => None,
                };
                Some(Self { tool: Some(&call.tool), status: call.status, arguments, said, exit_code })
            }
            EventKind::Failure(text) => {
                Some(Self { status: Status::Error, said: Some(text.decode().into_owned()), ..nothing })
            }
            EventKind::End(ending) if ending.is_error || ending.exit_code.is_some_and(|code| code != 0) => {
                let said = ending.reason.as_deref().or(ending.status.as_deref()).map(str::to_owned);
                Some(Self { status: Status::Error, said, exit_code: ending.exit_code, ..nothing })
            }
            EventKind::File(_) => Some(nothing),
            _ => None,
        }
    }

    fn failed(&self) -> bool {
        matches!(self.status, Status::Error | Status::Denied | Status::Interrupted)
    }

    fn is_wanted(&self, input: &Input) -> bool {
        let is_tool = |wanted: &str| {
            self.tool.is_some_and(|tool| {
                let last = tool.rsplit("__").next().unwrap_or(tool);
                tool.eq_ignore_ascii_case(wanted) || last.eq_ignore_ascii_case(wanted)
            })
        };
        input.tool_name.as_deref().is_none_or(is_tool)
            && input.exit_code.is_none_or(|code| self.exit_code == Some(code))
            && input.has_error.is_none_or(|has| self.failed() == has)
    }

    fn row(&self, session: &Session<'_>, event: &Event<'_>, effects: &[Effect]) -> Row {
        let mut files: Vec<File> = Vec::new();
        for (access, path) in effects.iter().filter_map(file) {
            let path = shown(&path, SHORT);
            if files.len() < FILES && !files.iter().any(|file| file.access == access && file.path == path) {
                files.push(File { access, path });
            }
        }
        Row {
            session_id: shown(&session.id, SHORT),
            event: event.number,
            event_id: event.id.as_deref().map(|id| shown(id, SHORT)),
            time: event.time.as_deref().map(|time| shown(time, SHORT)),
            tool: self.tool.map(|tool| shown(tool, SHORT)),
            status: self.status.name(),
            exit_code: self.exit_code,
            arguments: self.arguments.map(|arguments| shown(arguments, SHORT)),
            files,
            error: self.said.as_deref().filter(|_| self.failed()).map(|said| shown(said, SHORT)),
        }
    }
}

/// The kind of access to a file, and the file.
fn file(effect: &Effect) -> Option<(&'static str, String)> {
    match &effect.kind {
        Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) | Kind::List(target) => {
            Some((effect.kind.name(), target.shown().into_owned()))
        }
        _ => None,
    }
}

/// Whether an effect is about a file, by its path, its last parts, or a folder around it.
fn touches(effects: &[Effect], wanted: Option<&str>) -> bool {
    let Some(wanted) = wanted else { return true };
    let wanted = wanted.trim_start_matches("./").trim_end_matches('/');
    effects.iter().filter_map(file).any(|(_, path)| {
        let path = path.as_str();
        let ends = path.strip_suffix(wanted).is_some_and(|before| before.is_empty() || before.ends_with('/'));
        let below = path.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('/'));
        ends || below || path.contains(&format!("/{wanted}/"))
    })
}

/// The exit codes in the lines of the store. Other logs have them only in texts.
fn stored_exit_codes(log: &Log) -> BTreeMap<u32, i64> {
    #[derive(Deserialize)]
    struct StoredLine {
        data: Data,
    }
    #[derive(Deserialize)]
    struct Data {
        exit_code: i64,
    }
    if log.store.is_none() {
        return BTreeMap::new();
    }
    let telling = memchr::memmem::Finder::new("\"exit_code\"");
    let lines = (1..).zip(log.bytes().split(|byte| *byte == b'\n'));
    let lines = lines.filter(|(_, line)| telling.find(line).is_some());
    lines.filter_map(|(at, line)| Some((at, serde_json::from_slice::<StoredLine>(line).ok()?.data.exit_code))).collect()
}

/// The exit code that agents write at the start or end of the output of a command: `Exit code 1`, `Process exited with code 0`.
fn told_exit_code(text: &str) -> Option<i64> {
    const MARKS: &[&str] =
        &["exit code ", "exit code: ", "exited with code ", "\"exit_code\":", "exited with exit code "];
    const LINES: usize = 5;
    let first = text.lines().take(LINES);
    let last = text.lines().rev().take(LINES);
    first.chain(last).find_map(|line| {
        let line = line.get(..200).unwrap_or(line).to_ascii_lowercase();
        MARKS.iter().find_map(|mark| {
            let (_, rest) = line.split_once(mark)?;
            let rest = rest.trim_start();
            let length = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'-').count();
            rest.get(..length)?.parse().ok()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::told_exit_code;

    #[test]
    fn exit_codes_are_read_where_agents_tell_them() {
        for (text, expected) in [
            ("Exit code 1\nnpm ERR!", Some(1)),
            ("Chunk ID: 1\nProcess exited with code 0\nOutput:", Some(0)),
            ("{\"output\":\"x\",\"metadata\":{\"exit_code\":2}}", Some(2)),
            ("all fine", None),
            ("exit code unknown", None),
        ] {
            assert_eq!(told_exit_code(text), expected, "{text}");
        }
    }
}
