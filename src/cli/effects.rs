//! `effects`: what the gate sees.

use std::borrow::Cow;
use std::path::Path;

use super::Streams;
use super::args::{EffectsArgs, PlainFormat};
use super::environment::Environment;
use super::failure::{Failure, reason};
use super::gate;
use super::output;
use super::pipeline::Inputs;
use crate::effects::{Links, Tracker};
use crate::ingest::discover::Selection;
use crate::model::{Arguments, Dialect, Event, EventKind, Session, Status, ToolCall, Usage};
use crate::report::{self, EffectsEvent, EffectsReport, EffectsSession};

pub(super) fn run(
    trace_dir: &Path,
    args: &EffectsArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    // What is committed here says nothing about another directory.
    let (links, gap) = if args.cwd.is_none() { gate::links(None) } else { (Links::new(), None) };
    let (sessions, mut gaps) = if let Some(command) = &args.command {
        (vec![of_command(command, args.cwd.as_deref(), &links)?], Vec::new())
    } else {
        let inputs = Inputs::select(trace_dir, &args.sessions, Selection::All, environment, streams.stdin)?;
        inputs.all(|session| of_session(session, &links))
    };
    gaps.extend(gap);
    let empty = sessions.is_empty();
    let report = EffectsReport::new(sessions);
    let text = match args.format {
        PlainFormat::Text => report.text(),
        PlainFormat::Json => report.json(),
    };
    output::print(streams.stdout, &text)?;
    for line in report::gap_lines(&gaps) {
        output::note(streams.stderr, &line);
    }
    if empty {
        output::note(streams.stderr, "error: no session was found");
    }
    Ok(if empty || !gaps.is_empty() { 3 } else { 0 })
}

fn of_session(session: &Session<'_>, links: &Links) -> EffectsSession {
    let mut tracker = Tracker::new(session).with_links(links);
    let mut events = Vec::new();
    for event in &session.events {
        let effects = tracker.effects(event);
        let (tool, status) = match &event.kind {
            EventKind::Call(call) => (Some(call.tool.as_ref()), call.status),
            _ if effects.is_empty() => continue,
            // The log states it as done.
            _ => (None, Status::Ok),
        };
        let views = effects.iter().map(crate::effects::Effect::view);
        events.push(EffectsEvent::new(event.number, event.id.as_deref(), tool, status, views));
    }
    EffectsSession::new(&session.id, &session.agent, &session.source, events)
}

/// One command as if an agent's shell tool had run it. It has not run, so it has no result.
fn of_command(command: &str, cwd: Option<&str>, links: &Links) -> Result<EffectsSession, Failure> {
    let cwd = match cwd {
        Some(cwd) => cwd.to_owned(),
        None => std::env::current_dir()
            .map_err(|error| Failure::new(format!("the current directory is not known: {}", reason(&error))))?
            .to_string_lossy()
            .into_owned(),
    };
    let call = ToolCall {
        call_id: None,
        tool: Cow::Borrowed("Bash"),
        arguments: Arguments::Json(Cow::Owned(serde_json::json!({ "command": command }).to_string())),
        cwd: Some(Cow::Borrowed(&cwd)),
        status: Status::Missing,
        subagent: None,
    };
    let session = Session {
        id: Cow::Borrowed("-"),
        dialect: Dialect::ClaudeCode,
        agent: Cow::Borrowed("-"),
        source: "-".to_owned(),
        parent: None,
        root: Some(Cow::Borrowed(&cwd)),
        events: vec![Event { number: 1, id: None, line: 1, time: None, kind: EventKind::Call(call) }],
        usage: Usage::default(),
        unknown_records: 0,
    };
    Ok(of_session(&session, links))
}
