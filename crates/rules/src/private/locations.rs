//! Locates values that only the log has: the event that holds a value, and its kind.

use std::collections::BTreeMap;
use std::io;

use super::exposed::{File, ValueLocation};
use super::search::{Documents, Search, masked};
use super::{EventEffects, Wanted};
use agent_strace_effects::{Certainty, Kind};
use agent_strace_model::{Arguments, Event, EventKind, RawText, Session, ToolResult};

/// The most characters of a command that are shown.
const LONGEST: usize = 60;
const LONGEST_NAME: usize = 160;

/// The events of a session that hold private values.
pub(super) struct Locations<'a> {
    session: &'a Session<'a>,
    events: &'a [EventEffects<'a>],
    /// Events by line.
    lines: Vec<(u32, usize)>,
    /// Line of the events and digest of a value → the first of them that holds it.
    holders: BTreeMap<(u32, String), usize>,
}

impl<'a> Locations<'a> {
    /// `asked` are the value locations that will be looked up.
    pub(super) fn new<'s>(
        session: &'a Session<'a>,
        events: &'a [EventEffects<'a>],
        wanted: &Wanted,
        asked: impl Iterator<Item = &'s ValueLocation>,
    ) -> io::Result<Self> {
        let mut lines: Vec<(u32, usize)> =
            session.events.iter().enumerate().map(|(at, event)| (event.line, at)).collect();
        lines.sort_unstable();
        let mut locations = Self { session, events, lines, holders: BTreeMap::new() };
        let mut asked: Vec<u32> = asked.filter_map(|location| locations.line(location)).collect();
        asked.sort_unstable();
        asked.dedup();
        let mut documents = Documents::new();
        for line in asked {
            for at in locations.on(line) {
                if let Some(event) = session.events.get(at) {
                    add(&mut documents, (line, at), event);
                }
            }
        }
        let mut holders = BTreeMap::new();
        documents.search(&Search::new(wanted), |(line, at), finding| {
            holders.entry((line, finding.fingerprint.to_owned())).or_insert(at);
        })?;
        locations.holders = holders;
        Ok(locations)
    }

    /// The line of the event that a location belongs to.
    fn line(&self, location: &ValueLocation) -> Option<u32> {
        if location.file == File::Meta {
            return None;
        }
        let after = self.lines.partition_point(|(line, _)| *line <= location.line);
        self.lines.get(after.checked_sub(1)?).map(|(line, _)| *line)
    }

    fn on(&self, line: u32) -> impl Iterator<Item = usize> {
        let from = self.lines.partition_point(|(start, _)| *start < line);
        self.lines.iter().skip(from).take_while(move |(start, _)| *start == line).map(|(_, at)| *at)
    }

    /// The event whose text holds the value.
    pub(super) fn holder(&self, location: &ValueLocation, fingerprint: &str) -> Option<&'a Event<'a>> {
        let at = self.holders.get(&(self.line(location)?, fingerprint.to_owned()))?;
        self.session.events.get(*at)
    }

    /// The first event of the record that a location is in, where the record begins on that line.
    pub(super) fn beside(&self, location: &ValueLocation) -> Option<&'a Event<'a>> {
        let line = self.line(location).filter(|line| *line == location.line)?;
        self.session.events.get(self.on(line).next()?)
    }

    /// How a value that an event holds came into the log: what printed it, or who said it.
    pub(super) fn how(&self, event: &Event<'_>) -> String {
        match &event.kind {
            EventKind::Prompt(_) if event.origin.speaker.is_user() => "stands in a prompt".to_owned(),
            EventKind::Command(_) => "stands in a command of the user".to_owned(),
            EventKind::Prompt(_) | EventKind::Instruction(_) => "stands in an instruction to the model".to_owned(),
            EventKind::Message(_) => "stands in an answer of the model".to_owned(),
            EventKind::Reasoning(_) => "stands in a thought of the model".to_owned(),
            EventKind::Decision(_) => "stands in a decision of the model".to_owned(),
            EventKind::Failure(_) => "stands in the message of a failure".to_owned(),
            EventKind::Hook { .. } => "stands in the command of a hook".to_owned(),
            EventKind::Call(call) | EventKind::Copied(call) => {
                format!("stands in a call of `{}`", shown(&call.tool))
            }
            EventKind::Result(result) => self.returned(result),
            _ => "stands in the log".to_owned(),
        }
    }

    /// By the call that the result is of.
    fn returned(&self, result: &ToolResult<'_>) -> String {
        let unknown = || "stands in the result of a call".to_owned();
        let Some(id) = result.call_id.as_deref() else { return unknown() };
        let mut calls = self.session.recorded_calls();
        let Some((event, call)) = calls.find(|(_, call)| call.call_id.as_deref() == Some(id)) else { return unknown() };
        let at = self.events.binary_search_by_key(&event.number, |step| step.event.number).ok();
        let effects = at.and_then(|at| self.events.get(at)).map(|step| step.effects).unwrap_or_default();
        if effects.iter().any(|effect| matches!(effect.kind, Kind::Execute(_))) {
            let command = call.arguments.members().and_then(|given| {
                let text = ["command", "cmd", "script", "code"].iter().find_map(|name| given.text(name));
                text.map(|text| shown(&text))
            });
            return format!("is printed by `{}`", command.unwrap_or_else(|| shown(&call.tool)));
        }
        let read = effects.iter().find_map(|effect| match &effect.kind {
            Kind::Read(target) if effect.certainty == Certainty::Exact => Some(target.shown()),
            _ => None,
        });
        match read {
            Some(path) => format!("is read from `{}`", named(&path)),
            None => format!("is given back by `{}`", shown(&call.tool)),
        }
    }
}

/// Log text inside of a message: one line, cut between words, nothing private in it.
pub(super) fn shown(text: &str) -> String {
    cut(text, LONGEST)
}

/// The name of a file or a host inside of a message.
pub(super) fn named(text: &str) -> String {
    cut(text, LONGEST_NAME)
}

fn cut(text: &str, most: usize) -> String {
    let masked = masked(text);
    let line: String = masked.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((limit, _)) = line.char_indices().nth(most) else { return line };
    let head = line.get(..limit).unwrap_or_default();
    // A path may be one long word.
    let cut = head.rsplit_once(' ').map_or(head, |(words, _)| words);
    format!("{cut} …")
}

fn add(documents: &mut Documents<(u32, usize)>, owner: (u32, usize), event: &Event<'_>) {
    match &event.kind {
        EventKind::Prompt(text)
        | EventKind::Command(text)
        | EventKind::Instruction(text)
        | EventKind::Message(text)
        | EventKind::Reasoning(text)
        | EventKind::Decision(text)
        | EventKind::Failure(text)
        | EventKind::Result(ToolResult { text: Some(text), .. }) => add_text(documents, owner, text),
        EventKind::Call(call) | EventKind::Copied(call) => {
            add_arguments(documents, owner, &call.arguments);
        }
        EventKind::Hook { command } => documents.text(owner, command),
        _ => {}
    }
}

fn add_text<T: Copy>(documents: &mut Documents<T>, owner: T, text: &RawText<'_>) {
    match text {
        RawText::Plain(text) => documents.text(owner, text),
        RawText::Json(json) => documents.json(owner, json),
    }
}

pub(super) fn add_arguments<T: Copy>(documents: &mut Documents<T>, owner: T, arguments: &Arguments<'_>) {
    match arguments {
        Arguments::Json(json) => documents.json(owner, json),
        Arguments::Text(text) => documents.text(owner, text),
        Arguments::Missing => {}
    }
}
