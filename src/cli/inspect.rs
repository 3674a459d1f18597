//! `inspect`: a session itself, not what is to be said against it.

use std::path::Path;

use clap::{Args, ValueEnum};

use super::Streams;
use super::environment::Environment;
use super::failure::Failure;
use super::output;
use super::pipeline::{Inputs, Order};
use agent_strace_ingest::discover::Selection;
use agent_strace_ingest::{Log, Reading};
use agent_strace_model::Gap;
use agent_strace_secrets::redact;
use agent_strace_session_view::{Conversation, SessionView};
use agent_strace_store::{Imported, Origin, Secrets};

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace inspect                                   the events of the latest session in the store
  agent-strace inspect --view turns rollout-x.jsonl      turns, steps and tools, for people
  agent-strace inspect --view session rollout-x.jsonl    as one JSON document, of any agent
  agent-strace inspect --view session --billing abc123   with what every answer of the model cost
  agent-strace inspect --view session ~/.claude/projects/app   with sub-agents behind their session

`--view session` prints the document that agtrace's engine builds, byte for byte: a conversation
is one object, several are a list, each behind the one that started it (`spawned_by`). Its token
counts tell the size of the conversation; what was paid is in `billing`. A log that could not be
read whole adds `evidence` and ends with exit code 3.
Texts of the log stand in JSON as they were recorded, secrets included; `turns` redacts them.";

#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log or a folder of logs of any agent, or `-`
    /// [default: the latest].
    #[arg(value_name = "SESSION")]
    pub(super) sessions: Vec<String>,

    /// What is shown.
    #[arg(long, value_name = "VIEW", default_value = "events")]
    pub(super) view: View,

    /// With `--view session`: what every answer of the model cost.
    #[arg(long)]
    pub(super) billing: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum View {
    /// What it adds up to and its events, as the store keeps them, as JSON.
    Events,
    /// Turns, steps and tools, for people.
    Turns,
    /// The same as a JSON document.
    Session,
    /// Every answer of the model once, and the sum, as JSON.
    Billing,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &InspectArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let inputs = Inputs::select(trace_dir, &args.sessions, Selection::Latest, environment, streams.stdin)?;
    if args.view == View::Events {
        return events(&inputs, streams);
    }
    let (parts, gaps) = inputs.each(views);
    let (views, mut all): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    all.push(gaps);
    let mut gaps: Vec<Gap> = all.into_iter().flatten().collect();
    gaps.sort();
    let views = agent_strace_session_view::arrange(views.into_iter().flatten().collect());
    let empty = views.is_empty();
    let text = match args.view {
        View::Events | View::Session => conversations(views, args.billing)?,
        View::Billing => billing(&views),
        View::Turns => {
            agent_strace_session_view::outline(&views, &|text| agent_strace_report::terminal(redact(text).as_str()))
        }
    };
    output::print(streams.stdout, &text)?;
    Ok(concluded(empty, &gaps, streams))
}

fn concluded(empty: bool, gaps: &[Gap], streams: &mut Streams<'_>) -> u8 {
    for line in agent_strace_report::gap_lines(gaps) {
        output::note(streams.stderr, &line);
    }
    if empty {
        output::note(streams.stderr, "error: no session was found");
        output::note(streams.stderr, output::NO_SESSION);
    }
    if empty || !gaps.is_empty() { 3 } else { 0 }
}

/// One session is its document, several are a list of them.
fn events(inputs: &Inputs, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let (parts, mut gaps) = inputs.each_log(Order::AtOnce, |log, reading| (documents(log, &reading), reading.gaps));
    let mut documents = Vec::new();
    for (part, part_gaps) in parts {
        documents.extend(part);
        gaps.extend(part_gaps);
    }
    gaps.sort();
    let text = match documents.as_slice() {
        [] => String::new(),
        [document] => format!("{document}\n"),
        several => format!("[{}]\n", several.join(",\n")),
    };
    output::print(streams.stdout, &text)?;
    Ok(concluded(documents.is_empty(), &gaps, streams))
}

/// What the store holds is shown as it is there, anything else as if it were imported.
fn documents(log: &Log, reading: &Reading<'_>) -> Vec<String> {
    let meta = log.store.as_ref().and_then(|entry| entry.meta.as_deref().ok());
    if let Some(meta) = meta {
        let [meta, events] = [meta, log.bytes()].map(String::from_utf8_lossy);
        return vec![agent_strace_store::document_of(&meta, &events)];
    }
    let name = log.shown.rsplit('/').next().unwrap_or(&log.shown);
    let sessions = reading.sessions.iter().enumerate().map(|(at, session)| {
        let source = Origin { name, bytes: log.bytes(), session: at };
        agent_strace_store::document(&Imported { session, gaps: &reading.gaps, source, secrets: Secrets::Keep })
    });
    sessions.collect()
}

fn views(reading: Reading<'_>) -> (Vec<SessionView>, Vec<Gap>) {
    let gaps = reading.gaps.len();
    (
        reading.sessions.iter().flat_map(|session| agent_strace_session_view::session_views(session, gaps)).collect(),
        reading.gaps,
    )
}

/// One conversation as its document, several as a list: byte for byte what they are compared with, so texts stand in
/// it as they were recorded.
fn conversations(views: Vec<SessionView>, billing: bool) -> Result<String, Failure> {
    let documents =
        views.into_iter().map(|view| Conversation { billing: billing.then_some(view.bill), ..view.conversation });
    let documents: Vec<_> = documents.collect();
    let text = match documents.as_slice() {
        [] => return Ok(String::new()),
        [document] => serde_json::to_string_pretty(document),
        several => serde_json::to_string_pretty(several),
    };
    text.map(|text| text + "\n").map_err(|error| Failure::new(format!("can't write the document: {error}")))
}

fn billing(views: &[SessionView]) -> String {
    agent_strace_report::to_json(&agent_strace_session_view::BillingReport::of(views))
}
