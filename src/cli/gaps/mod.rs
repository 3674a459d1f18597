//! `gaps`: what agents' own logs say was done, joined with what their hooks said to it.

mod families;

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;
use serde::Serialize;

use super::Streams;
use super::args::{PlainFormat, WantedArgs, parse_now};
use super::environment::Environment;
use super::failure::Failure;
use super::output;
use super::pipeline::Inputs;
use super::session_filter::SessionFilter;
use agent_strace_ingest::discover::Selection;
use agent_strace_live::hook_events::{UnhookedCall, Way};
use agent_strace_model::Gap;
use agent_strace_report::terminal;
use agent_strace_secrets::redact;
use families::Logged;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace gaps                            the logs that agents on this machine keep about this project
  agent-strace gaps ~/.claude/projects/        these logs
  agent-strace gaps session.jsonl --format json

A call got past the hook if it ran and was denied, if nobody decided about it, if a sub-agent made it
of which the hook saw no call, or if the hook could not judge it. Whether a call ran that has no result
can't be told: it counts.

Exit codes: 1 a call got past the hook, 3 a log is incomplete or there is none, else 0.";

#[derive(Debug, Args)]
pub(super) struct GapsArgs {
    /// Sessions: logs or folders of logs of any agent, or an id in the store [default: what agents on this machine logged
    /// about this project].
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,

    #[command(flatten)]
    wanted: WantedArgs,

    /// What time it is, for `--since` [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    now: Option<jiff::Timestamp>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PlainFormat,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "gaps"))]
struct Document<'a> {
    schema_version: u32,
    /// 0: no call got past the hook; 1: one did; 3: what is there does not tell.
    exit_code: u8,
    sessions: &'a [Row],
}

/// Everything in it is fit to be shown, but for the target it is shown on.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Row {
    id: String,
    agent: String,
    source: String,
    /// A hook of this store was asked about calls of the session.
    enforced: bool,
    /// Calls that ran, as far as the log knows.
    ran: usize,
    /// Those of them that were decided about.
    decided: usize,
    /// Decisions about calls that are in none of the logs of this session and its sub-agents. Sub-agents have 0 here.
    unknown_calls: usize,
    /// Entries of the log of decisions that can't be read, or that do not continue the one before.
    damaged: Vec<Damage>,
    lapses: Vec<Past>,
    /// No other session started it.
    #[serde(skip)]
    is_root: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Damage {
    line: u32,
    reason: &'static str,
}

/// A call that got past the hook.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Past {
    /// `ran-after-deny`, `unseen-subagent`, `no-decision` or `not-judged`.
    kind: &'static str,
    event: u32,
    line: u32,
    tool: String,
    subagent: Option<String>,
    /// What the hook said, or why it could not judge.
    said: Option<String>,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &GapsArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let wanted = SessionFilter::new(&args.wanted, args.now, environment)?;
    let inputs = if args.sessions.is_empty() {
        Inputs::discover(environment.homes(None)?.as_ref(), wanted.here_at_least()?, environment)?
    } else {
        Inputs::select(trace_dir, &args.sessions, Selection::All, environment, streams.stdin)?.only(wanted)
    };
    let (logged, gaps) = inputs.all(Logged::of);
    let rows = families::rows(trace_dir, &logged)?;
    let code = exit_code(&rows, &gaps);
    let text = match args.format {
        PlainFormat::Json => {
            agent_strace_report::to_json(&Document { schema_version: 1, exit_code: code, sessions: &rows })
        }
        PlainFormat::Text => text(&rows),
    };
    output::print(streams.stdout, &text)?;
    for line in agent_strace_report::gap_lines(&gaps) {
        output::note(streams.stderr, &line);
    }
    if rows.is_empty() {
        output::note(
            streams.stderr,
            "error: no session was found: there is nothing to compare with decisions of hooks",
        );
    }
    Ok(code)
}

fn exit_code(rows: &[Row], gaps: &[Gap]) -> u8 {
    let past = rows.iter().any(|row| !row.lapses.is_empty() || !row.damaged.is_empty());
    match (past, rows.is_empty() || !gaps.is_empty()) {
        (true, _) => 1,
        (false, true) => 3,
        (false, false) => 0,
    }
}

fn past(call: &UnhookedCall) -> Past {
    Past {
        kind: call.way.name(),
        event: call.event,
        line: call.line,
        tool: shown(&call.tool),
        subagent: call.subagent.as_deref().map(shown),
        said: call.said.as_deref().map(shown),
    }
}

fn shown(text: &str) -> String {
    redact(text).as_str().to_owned()
}

/// Calls of one kind are told one by one up to this many.
const MOST: usize = 20;

fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        text.push_str(&row.text());
    }
    let past: usize = rows.iter().map(|row| row.lapses.len()).sum();
    let ran: usize = rows.iter().map(|row| row.ran).sum();
    let decided: usize = rows.iter().map(|row| row.decided).sum();
    let count = rows.len();
    let number = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let (sessions, calls) = (number(count, "session"), number(ran, "call"));
    let verb = if decided == 1 { "was" } else { "were" };
    if count > 0 {
        let _ = writeln!(text, "{sessions}: {calls} ran, {decided} {verb} decided about, {past} got past the hook");
    }
    text
}

impl Row {
    fn text(&self) -> String {
        let mut lines =
            vec![format!("session {} ({}, {})", terminal(&self.id), terminal(&self.agent), terminal(&self.source))];
        if !self.enforced && self.ran > 0 {
            lines.push(
                "  no hook of this store decided about any of its calls; hooks decide with `--enforce` only".to_owned(),
            );
        }
        for way in Way::ALL {
            let all: Vec<&Past> = self.lapses.iter().filter(|lapse| lapse.kind == way.name()).collect();
            lines.extend(all.iter().take(MOST).map(|lapse| lapse.line(&self.source, way)));
            if all.len() > MOST {
                lines.push(format!("  … and {} more: {}", all.len() - MOST, way.words()));
            }
        }
        for damage in &self.damaged {
            lines.push(format!("  decisions.ndjson:{}: {}", damage.line, damage.reason));
        }
        if self.unknown_calls > 0 {
            let count = self.unknown_calls;
            let (decisions, are) = if count == 1 { ("decision", "is") } else { ("decisions", "are") };
            lines.push(format!("  {count} {decisions} {are} about calls that no log of this session holds"));
        }
        match self.ran {
            _ if !self.lapses.is_empty() || !self.damaged.is_empty() => {}
            0 => lines.push("  no call ran".to_owned()),
            1 => lines.push("  1 call ran, and it was decided about".to_owned()),
            ran => lines.push(format!("  {ran} calls ran, and each was decided about")),
        }
        lines.join("\n") + "\n\n"
    }
}

impl Past {
    fn line(&self, source: &str, way: Way) -> String {
        let subagent = self.subagent.as_deref().map(|name| format!(" of `{}`", terminal(name))).unwrap_or_default();
        let said = self.said.as_deref().map(|said| format!(": {}", terminal(said))).unwrap_or_default();
        let (tool, words) = (terminal(&self.tool), way.words());
        format!(
            "  {:<16} event {} {tool}{subagent} at {}:{}: {words}{said}",
            way.name(),
            self.event,
            terminal(source),
            self.line
        )
    }
}

#[cfg(test)]
#[test]
fn the_schema_is_what_is_written() {
    agent_strace_testing::schemas::keep("gaps.v1", &agent_strace_testing::schemas::written::<Document<'_>>());
}
