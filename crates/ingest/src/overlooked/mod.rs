//! Finds what looks like a call in a log and is none in the sessions that were read from it.
//!
//! A format reads the records it knows. A later version of an agent, another agent's records in the same file, or a call
//! inside another block have shapes that it passes over, and a call that was not read was not judged. This look goes over all
//! values of all records, whatever their types say, and asks of each that has the shape of a call whether a session
//! holds that call. It knows shapes only, no agent, so that no format has to remember it.

mod shape;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::detect;
use super::formats::Format;
use super::gaps::Gaps;
use super::head::Head;
use super::json::{Raw, object, text};
use super::reader::{LineCounter, Reader, Shape as Layout};
use agent_strace_model::{Arguments, EventKind, Session, ToolCall};
use shape::{Look, Shape};

/// What users are told to do about it.
const UNREAD_CALL: &str = "it has the shape of a call, but this version does not read it as one and has not judged it; a \
                           newer version may know it";
const FOREIGN: &str = "a record of another agent's log, which was not judged; give each agent a file of its own";
const DEEP: &str = "values nested too deep to be searched for calls";

/// Adds a gap for each record that holds what looks like a call and is in no session.
pub(super) fn look(text: &str, layout: Layout, format: &Format, sessions: &[Session<'_>], gaps: &mut Gaps) {
    if !text.trim_start().starts_with(['{', '[']) {
        return;
    }
    let mut read = Read::of(sessions, layout, format.dialect.agent);
    let told = gaps.lines();
    // Damage was reported when the format read the log.
    let mut ignored = Gaps::new("");
    let mut reader = Reader::new(text, layout);
    while let Some(item) = reader.next::<Look<'_>>(&mut ignored) {
        let look = item.record;
        if look.is_cut() {
            gaps.limit(item.line, DEEP);
        }
        let mut lines = LineCounter::new(item.json, item.line);
        let mut known = 0;
        let mut shapes = look.shapes("", item.json);
        // The outer ones first: what a call carries is its own business.
        shapes.sort_by_key(|shape| (shape.start(), std::cmp::Reverse(shape.end())));
        for shape in &shapes {
            if shape.start() < known {
                continue;
            }
            let line = if layout == Layout::Lines { item.line } else { lines.line_of(shape.json) };
            if read.holds(shape, line) {
                known = shape.given_end().max(known);
                continue;
            }
            // Its format told of the line already.
            if !told.contains(&line) {
                gaps.unread_call(line, format!("{}: {UNREAD_CALL}", shape.named()));
            }
            known = shape.end();
        }
        if shapes.is_empty() && !told.contains(&item.line) && read.is_silent(item.line) && is_foreign(item.json, format)
        {
            gaps.unknown_record(item.line, FOREIGN);
        }
    }
}

/// Whether only other formats could have this record.
fn is_foreign(json: &str, format: &Format) -> bool {
    let Some(head) = object::<Head<'_>>(Some(Raw::new(json))) else { return false };
    let mut claimed = false;
    for claimant in detect::claimants(&head) {
        if claimant.dialect.name == format.dialect.name {
            return false;
        }
        claimed = true;
    }
    claimed
}

/// The calls that were read.
struct Read<'s, 'a> {
    layout: Layout,
    agent: &'static str,
    /// Where the arguments of calls begin that are a piece of the log's text.
    places: Vec<usize>,
    by_id: HashMap<&'s str, Vec<&'s ToolCall<'a>>>,
    /// The arguments of calls under each id; `None`: a call has none.
    told: HashSet<(&'s str, Option<&'s str>)>,
    /// Calls whose arguments are not a piece of the text, by line: how many are not found yet. Lines of other events
    /// are there, too.
    on_line: BTreeMap<u32, u32>,
    /// Calls without an id.
    unnamed: Vec<&'s ToolCall<'a>>,
    /// The arguments of all calls, in one notation, once somebody asks.
    known: Option<HashSet<String>>,
    /// Lines that said something: words, a call, its result.
    telling: HashSet<u32>,
    /// Lines that hold the result of a call.
    results: HashSet<u32>,
    /// Lines that hold something of a type that the format does not know.
    unknown: HashSet<u32>,
}

impl<'s, 'a> Read<'s, 'a> {
    fn of(sessions: &'s [Session<'a>], layout: Layout, agent: &'static str) -> Self {
        let mut read = Self {
            layout,
            agent,
            places: Vec::new(),
            by_id: HashMap::new(),
            told: HashSet::new(),
            on_line: BTreeMap::new(),
            unnamed: Vec::new(),
            known: None,
            telling: HashSet::new(),
            results: HashSet::new(),
            unknown: sessions.iter().flat_map(|session| &session.unknown_lines).copied().collect(),
        };
        for event in sessions.iter().flat_map(|session| &session.events) {
            let left = read.on_line.entry(event.line).or_default();
            if !matches!(event.kind, EventKind::Other) {
                read.telling.insert(event.line);
            }
            match &event.kind {
                EventKind::Call(call) => {
                    match borrowed(&call.arguments) {
                        Some(place) => read.places.push(place),
                        None => *left = left.saturating_add(1),
                    }
                    match &call.call_id {
                        Some(id) => {
                            read.told.insert((id, given(&call.arguments)));
                            read.by_id.entry(id).or_default().push(call);
                        }
                        None => read.unnamed.push(call),
                    }
                }
                EventKind::Result(_) => {
                    read.results.insert(event.line);
                }
                EventKind::Repeat(_) | EventKind::File(_) | EventKind::Hook { .. } => *left = left.saturating_add(1),
                _ => {}
            }
        }
        read.places.sort_unstable();
        read
    }

    /// Whether a session has this call.
    fn holds(&mut self, shape: &Shape<'_>, line: u32) -> bool {
        self.is_written_in(shape)
            || self.is_repeated(shape)
            || self.is_told_of(shape, line)
            || self.is_composed(line)
            || self.is_judged(shape)
    }

    /// The arguments of a call are a piece of its text.
    fn is_written_in(&self, shape: &Shape<'_>) -> bool {
        let next = self.places.partition_point(|place| *place < shape.start());
        self.places.get(next).is_some_and(|place| *place < shape.end())
    }

    /// The log tells a call again: the same id and the same arguments.
    fn is_repeated(&self, shape: &Shape<'_>) -> bool {
        let Some(id) = shape.id.as_deref() else { return false };
        let Some(given) = shape.given else { return self.told.contains(&(id, None)) };
        self.told.contains(&(id, Some(given.get())))
            || text(Some(given)).is_some_and(|given| self.told.contains(&(id, Some(&given))))
            // A stream announces a call before it has its arguments.
            || given.get() == "{}" && self.is_named_so(id, shape)
    }

    fn is_named_so(&self, id: &str, shape: &Shape<'_>) -> bool {
        let calls = self.by_id.get(id).into_iter().flatten();
        calls.take(SAME_ID).any(|call| shape.name.as_deref() == Some(&*call.tool))
    }

    /// A record that the format knows tells of a call under its id: what was asked, what ran, how far it got.
    fn is_told_of(&self, shape: &Shape<'_>, line: u32) -> bool {
        let is_known = || shape.id.as_deref().is_some_and(|id| self.by_id.contains_key(id));
        let is_silent = self.is_silent(line);
        !self.unknown.contains(&line)
            && (shape.reports()
                || shape.is_answer() && self.results.contains(&line)
                || shape.is_aside(self.agent)
                || (!is_silent || !shape.asks()) && is_known())
    }

    /// A call with the same arguments was read: whoever tells of it again, and in whichever notation, adds nothing.
    fn is_judged(&mut self, shape: &Shape<'_>) -> bool {
        let Some(given) = shape.given.and_then(|given| normal(given.get())) else { return false };
        let given = format!("{} {given}", shape.name.as_deref().unwrap_or_default());
        let calls = &self.by_id;
        let known = self.known.get_or_insert_with(|| {
            let all = calls.values().flatten().chain(&self.unnamed);
            all.filter_map(|call| match &call.arguments {
                Arguments::Json(json) | Arguments::Text(json) => Some((&call.tool, normal(json)?)),
                Arguments::Missing => None,
            })
            // Not every report names the tool.
            .flat_map(|(tool, given)| [format!("{tool} {given}"), format!(" {given}")])
            .collect()
        });
        known.contains(&given)
    }

    /// A format put the arguments of a call on this line together itself.
    fn is_composed(&mut self, line: u32) -> bool {
        let left = match self.layout {
            Layout::Lines => self.on_line.get_mut(&line),
            Layout::Document => self.on_line.range_mut(..=line).next_back().map(|(_, left)| left),
        };
        left.is_some_and(|left| {
            let any = *left > 0;
            *left = left.saturating_sub(1);
            any
        })
    }

    fn is_silent(&self, line: u32) -> bool {
        !self.telling.contains(&line)
    }
}

/// Arguments in one notation: agents write them as JSON, with spaces or without, or as a text that holds JSON.
fn normal(json: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(json).ok()?;
    let inner = value.as_str().and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    let mut value = inner.unwrap_or(value);
    if let Some(fields) = value.as_object_mut() {
        // An id is no argument.
        fields.remove("tool_call_id");
    }
    let is_empty = value.as_object().is_some_and(serde_json::Map::is_empty);
    (!is_empty).then(|| value.to_string())
}

/// Calls under one id that are compared with an announcement.
const SAME_ID: usize = 8;

fn given<'s>(arguments: &'s Arguments<'_>) -> Option<&'s str> {
    match arguments {
        Arguments::Json(text) | Arguments::Text(text) => Some(text),
        Arguments::Missing => None,
    }
}

/// Where arguments begin that were taken from the log as they stand.
fn borrowed(arguments: &Arguments<'_>) -> Option<usize> {
    match arguments {
        Arguments::Json(std::borrow::Cow::Borrowed(text)) | Arguments::Text(std::borrow::Cow::Borrowed(text)) => {
            Some(text.as_ptr().addr()).filter(|_| !text.is_empty())
        }
        _ => None,
    }
}
