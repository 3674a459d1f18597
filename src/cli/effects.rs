//! `effects`: what the gate sees.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::Streams;
use super::args::{FailOn, PlainFormat};
use super::configuration;
use super::environment::Environment;
use super::failure::{Failure, reason};
use super::gate;
use super::output;
use super::pipeline::Inputs;
use super::policy_file;
use super::trust::TrustBase;
use agent_strace_effects::{Effect, Kind, Repository, Roots, Tracker, causes};
use agent_strace_engine::policy_testing::{self, Explained};
use agent_strace_engine::{Entries, Entry, Settings};
use agent_strace_ingest::discover::Selection;
use agent_strace_model::{Arguments, Dialect, Event, EventKind, Gap, Origin, Session, Status, ToolCall};
use agent_strace_policy::{Decision, Policy};
use agent_strace_report::{Colour, EffectInput, EffectsEvent, EffectsReport, EffectsSession, Glyphs, Report};

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace effects --command 'cat src/a.py > b; curl -s https://example.com | sh'
  agent-strace effects --command 'bash -c \"rm -rf ~\"' --policy .agent-scope.json
  agent-strace effects abc123 --format json

Each effect of a command stands below the piece of the text that caused it. Where a policy
judges, each line carries its answer. The exit code stays 0 unless --policy, --policy-ref or
--fail-on asks for an answer: then it is 1 if the command is refused, 3 if evidence is missing.
In JSON, `span` is a piece of the command text in bytes, and `parent` the place of the command
that caused the effect, from 0, among the effects of the event.";

#[derive(Debug, Args)]
pub(super) struct EffectsArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: all].
    #[arg(value_name = "SESSION", conflicts_with = "command")]
    pub(super) sessions: Vec<String>,

    /// The effects of this shell command, as if an agent had run it.
    #[arg(long, value_name = "TEXT")]
    pub(super) command: Option<String>,

    /// Where the command runs; also its workspace root [default: the current directory].
    #[arg(long, value_name = "DIR", requires = "command", conflicts_with = "sessions")]
    pub(super) cwd: Option<String>,

    /// Judge the command by this policy, and answer by exit code [default: without --cwd .agent-scope.json if there
    /// is one, and exit code 0 whatever it says].
    #[arg(long, value_name = "FILE", requires = "command", conflicts_with = "sessions")]
    pub(super) policy: Option<String>,

    /// The same with the policy of this git revision.
    #[arg(long, value_name = "REV", requires = "command", conflicts_with = "sessions")]
    pub(super) policy_ref: Option<String>,

    /// The lowest level that makes the exit code 1 [default: error].
    #[arg(long, value_name = "LEVEL", requires = "command", conflicts_with = "sessions")]
    pub(super) fail_on: Option<FailOn>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: PlainFormat,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(super) no_color: bool,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &EffectsArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    if let Some(command) = &args.command {
        return of_command(command, args, environment, streams);
    }
    // What programs do is what the policy says they do, where there is one.
    let policy = policy_file::load_if_any(None, None, environment.colour && !args.no_color)?;
    let policy = policy.unwrap_or_else(Policy::none);
    let (repository, gap) = gate::repository_by(&policy, TrustBase::at(None));
    let inputs = Inputs::select(trace_dir, &args.sessions, Selection::All, environment, streams.stdin)?;
    let (sessions, mut gaps) = inputs.all(|session| of_session(session, &policy, &repository));
    gaps.extend(gap);
    let empty = sessions.is_empty();
    let report = EffectsReport::new(sessions, None);
    let text = match args.format {
        PlainFormat::Text => report.text(colour(args, environment), glyphs(environment)),
        PlainFormat::Json => report.json(),
    };
    output::print(streams.stdout, &text)?;
    tell(&gaps, streams);
    if empty {
        output::note(streams.stderr, "error: no session was found");
        output::note(streams.stderr, output::NO_SESSION);
    }
    Ok(if empty || !gaps.is_empty() { 3 } else { 0 })
}

fn tell(gaps: &[Gap], streams: &mut Streams<'_>) {
    for line in agent_strace_report::gap_lines(gaps) {
        output::note(streams.stderr, &line);
    }
}

fn colour(args: &EffectsArgs, environment: Environment) -> Colour {
    if environment.colour && !args.no_color { Colour::Ansi } else { Colour::Plain }
}

pub(super) fn glyphs(environment: Environment) -> Glyphs {
    if environment.unicode { Glyphs::Unicode } else { Glyphs::Ascii }
}

/// One command, judged where there is a policy.
fn of_command(
    command: &str,
    args: &EffectsArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let coloured = environment.colour && !args.no_color;
    let asked = args.policy.is_some() || args.policy_ref.is_some() || args.fail_on.is_some();
    // What is committed here says nothing about another directory.
    let here = args.cwd.is_none();
    let policy = if here || asked {
        policy_file::load_if_any(args.policy.as_deref(), args.policy_ref.as_deref(), coloured)?
    } else {
        None
    };
    let trust_base = TrustBase::at(args.policy_ref.as_deref());
    let (repository, gap) = match &policy {
        _ if !here => (Arc::default(), None),
        Some(policy) => gate::repository_by(policy, trust_base),
        None => gate::repository(trust_base),
    };
    let cwd = directory(args.cwd.as_deref())?;
    let above = policy.as_ref().filter(|_| here).map(|policy| policy_file::workspace(policy, &cwd));
    let arguments = serde_json::json!({ "command": command }).to_string();
    let mut session = session_of("Bash", arguments, &cwd);
    session.root = Some(Cow::Borrowed(above.as_deref().unwrap_or(&cwd)));
    let gaps: Vec<Gap> = gap.into_iter().collect();
    let (shown, judged) = match policy {
        Some(policy) => {
            let today = configuration::today(&policy, None, environment)?;
            let threshold = args.fail_on.unwrap_or(FailOn::Error).threshold();
            let settings = Settings { fail_on: threshold, today, ..Settings::default() };
            let (shown, judged) = judged(command, &session, gaps.clone(), &policy, &settings, &repository);
            (shown, Some(judged))
        }
        None if asked => return Err(policy_file::missing()),
        None => (of_session(&session, &Policy::none(), &repository), None),
    };
    let code = judged.as_ref().map(Report::exit_code);
    let report = EffectsReport::new(vec![shown], judged);
    let text = match args.format {
        PlainFormat::Text => report.command_text(colour(args, environment), glyphs(environment)),
        PlainFormat::Json => report.json(),
    };
    output::print(streams.stdout, &text)?;
    tell(&gaps, streams);
    match code {
        Some(code) if asked => return Ok(code),
        Some(_) => output::note(
            streams.stderr,
            "note: judged by the policy of this directory; `--policy FILE` makes the exit code say so, too",
        ),
        None => {}
    }
    Ok(if gaps.is_empty() { 0 } else { 3 })
}

pub(super) fn directory(cwd: Option<&str>) -> Result<String, Failure> {
    match cwd {
        Some(cwd) => Ok(cwd.to_owned()),
        None => std::env::current_dir()
            .map(|current| current.to_string_lossy().into_owned())
            .map_err(|error| Failure::new(format!("the current directory is not known: {}", reason(&error)))),
    }
}

/// By the one evaluator, as `check` would.
fn judged(
    command: &str,
    session: &Session<'_>,
    gaps: Vec<Gap>,
    policy: &Policy,
    settings: &Settings,
    repository: &Arc<Repository>,
) -> (EffectsSession, Report) {
    let outcome = agent_strace_engine::judge_guarded(session, gaps, policy, Entries::Keep, repository);
    let outcome = agent_strace_engine::settle(policy, vec![outcome], Vec::new(), settings);
    let entries: Vec<&Entry> = outcome.sessions.iter().flat_map(|session| &session.entries).collect();
    let effects: Vec<&Effect> = entries.iter().map(|entry| &entry.effect).collect();
    let events = session.events.iter().take(1);
    let version = policy.identity().map_or(1, |identity| identity.version);
    // The reason of another refusal names the entry, but not an entry that vouches for unseen code.
    let advice = |entry: &Entry| {
        let is_open = matches!(entry.effect.kind, Kind::Opaque(_)) && entry.decision == Decision::Unresolved;
        is_open.then(|| policy_testing::advice(entry, version)).flatten()
    };
    let events = events
        .map(|event| told(event, command, &effects, &Said { entries: &entries, explained: &[], advice: &advice }));
    let events = events.collect();
    (EffectsSession::new(&session.id, &session.agent, &session.source, events), Report::new(outcome))
}

fn of_session(session: &Session<'_>, policy: &Policy, repository: &Arc<Repository>) -> EffectsSession {
    let roots = Roots::of(session, repository, &policy.guarded());
    let mut tracker = Tracker::new(session, &roots).with_programs(policy.programs());
    let mut events = Vec::new();
    for event in &session.events {
        let effects = tracker.effects(event);
        if !matches!(event.kind, EventKind::Call(_)) && effects.is_empty() {
            continue;
        }
        let effects: Vec<&Effect> = effects.iter().collect();
        events.push(shown(event, tracker.text().unwrap_or_default(), &effects, &[]));
    }
    EffectsSession::new(&session.id, &session.agent, &session.source, events)
}

/// Every event of a session that was judged, with what was said about each of its effects.
pub(super) fn judged_events(session: &Session<'_>, policy: &Policy, entries: &[Entry]) -> Vec<EffectsEvent> {
    let roots = Roots::only(session.root.as_deref());
    let mut tracker = Tracker::new(session, &roots).with_programs(policy.programs());
    let mut events = Vec::new();
    for event in &session.events {
        let effects = tracker.effects(event);
        let judged: Vec<&Entry> = entries.iter().filter(|entry| entry.event == event.number).collect();
        if !effects.is_empty() {
            let effects: Vec<&Effect> = effects.iter().collect();
            events.push(shown(event, tracker.text().unwrap_or_default(), &effects, &judged));
        }
    }
    events
}

/// One event with every entry that speaks about each of its effects; `None` where it does nothing.
pub(super) fn explained_event(
    session: &Session<'_>,
    policy: &Policy,
    repository: &Arc<Repository>,
    number: u32,
    explained: &[Explained],
) -> Option<EffectsEvent> {
    let roots = Roots::of(session, repository, &policy.guarded());
    let mut tracker = Tracker::new(session, &roots).with_programs(policy.programs());
    for event in &session.events {
        let effects = tracker.effects(event);
        let call = matches!(event.kind, EventKind::Call(_));
        if event.number == number && (call || !effects.is_empty()) {
            let judged: Vec<&Entry> = explained.iter().map(|explained| &explained.judged).collect();
            // Results of the session settle effects, and add others.
            let effects: Vec<&Effect> = judged.iter().map(|entry| &entry.effect).collect();
            let said = Said { entries: &judged, explained, advice: &|_| None };
            return Some(told(event, tracker.text().unwrap_or_default(), &effects, &said));
        }
    }
    None
}

/// The answer of a policy about the effects of an event.
struct Said<'a> {
    entries: &'a [&'a Entry],
    /// Every entry that speaks about each of the effects, if the caller asked for them.
    explained: &'a [Explained],
    advice: &'a dyn Fn(&Entry) -> Option<String>,
}

/// One event; `entries`: what a policy says about each of its effects, where one was asked.
fn shown(event: &Event<'_>, text: &str, effects: &[&Effect], entries: &[&Entry]) -> EffectsEvent {
    told(event, text, effects, &Said { entries, explained: &[], advice: &|_| None })
}

fn told(event: &Event<'_>, text: &str, effects: &[&Effect], said: &Said<'_>) -> EffectsEvent {
    let (tool, status) = match &event.kind {
        EventKind::Call(call) => (Some(call.tool.as_ref()), call.status),
        // The log states it as done.
        _ => (None, Status::Ok),
    };
    let causes = causes(effects);
    let told = effects.iter().zip(causes).enumerate().map(|(index, (effect, cause))| EffectInput {
        effect: effect.view(),
        cause,
        piece: effect.origin.span.filter(|_| matches!(effect.kind, Kind::Execute(_))).and_then(|span| span.slice(text)),
        judged: said.entries.get(index).copied(),
        explained: said.explained.get(index),
        advice: said.entries.get(index).and_then(|entry| (said.advice)(entry)),
    });
    EffectsEvent::new(event.number, event.id.as_deref(), tool, status, text, told)
}

/// A session of one call, as if an agent had made it; `arguments`: JSON text. It has not run, so it has no result.
pub(super) fn session_of<'a>(tool: &'a str, arguments: String, cwd: &'a str) -> Session<'a> {
    let call = ToolCall {
        call_id: None,
        tool: Cow::Borrowed(tool),
        arguments: Arguments::Json(Cow::Owned(arguments)),
        cwd: Some(Cow::Borrowed(cwd)),
        status: Status::Missing,
        subagent: None,
    };
    Session {
        id: Cow::Borrowed("-"),
        root: Some(Cow::Borrowed(cwd)),
        events: vec![Event {
            number: 1,
            id: None,
            line: 1,
            time: None,
            origin: Origin::default(),
            kind: EventKind::Call(call),
        }],
        ..Session::new(&COMMAND_LINE, "-")
    }
}

static COMMAND_LINE: Dialect = Dialect::new("command line", "-");
