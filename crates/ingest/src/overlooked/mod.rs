//! Finds what looks like a call in a log and is none in the sessions that were read from it.
//!
//! A format reads the records it knows. A later version of an agent, another agent's records in the same file, or a call
//! inside another block have shapes that it passes over, and a call that was not read was not judged. This look goes over all
//! values of all records, whatever their types say, and asks of each that has the shape of a call whether a session
//! holds that call. It knows shapes only, no agent, so that no format has to remember it.

mod shape;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use super::detect;
use super::formats::Format;
use super::gaps::Gaps;
use super::head::Head;
use super::json::{Raw, object, parse};
use super::reader::{LineCounter, Reader, Shape as Layout};
use agent_strace_model::{Arguments, EventKind, GapKind, Session, Status, ToolCall};
use serde::de::IgnoredAny;
use serde_json::Value;
use shape::{Cut, Look, Shape};

/// What users are told to do about it.
const UNREAD_CALL: &str = "it has the shape of a call, but this version does not read it as one and has not judged it; a \
                           newer version may know it";
const FOREIGN: &str = "a record of another agent's log, which was not judged; give each agent a file of its own";
const DEEP: &str = "values nested too deep to be searched for calls";
const MANY: &str = "more values with the shape of a call than are compared with the calls that were read";

const UNASKED: &str = "the result of a call that the log does not hold: what ran was not judged; compare the log with the \
                       agent's own copy";

const LONG: &str = "more text with the look of records than is searched for them";

/// A text may be read so many times over for records that begin in it and do not end.
const BETWEEN: usize = 4;

/// Adds a gap for each record that holds what looks like a call and is in no session.
pub(super) fn look(text: &str, layout: Layout, format: &Format, sessions: &[Session<'_>], gaps: &mut Gaps) {
    if !text.trim_start().starts_with(['{', '[']) {
        return look_between(text, gaps);
    }
    let mut read = Read::of(sessions);
    for line in unasked(sessions) {
        gaps.push(Some(line), GapKind::missing(UNASKED));
    }
    let told = gaps.lines();
    // Damage was reported when the format read the log.
    let mut ignored = Gaps::new("");
    let mut reader = Reader::new(text, layout);
    while let Some(item) = reader.next::<Look<'_>>(&mut ignored) {
        let look = item.record;
        match look.cut() {
            Some(Cut::Deep) => gaps.limit(item.line, DEEP),
            Some(Cut::Many) => gaps.limit(item.line, MANY),
            None => {}
        }
        let mut lines = LineCounter::new(item.json, item.line);
        let shapes = look.shapes("", item.json);
        for shape in read.not_held(shapes) {
            let line = if layout == Layout::Lines { item.line } else { lines.line_of(shape.json) };
            // Its format told of the line already.
            if !told.contains(&line) {
                gaps.unread_call(line, format!("{}: {UNREAD_CALL}", shape.named()));
            }
        }
        if !told.contains(&item.line) && is_foreign(item.json, format, read.is_silent(item.line)) {
            gaps.unknown_record(item.line, FOREIGN);
        }
    }
}

/// Returns whether a text that no format claims holds what its type calls a call.
pub(super) fn holds_call(text: &str) -> bool {
    let mut reader = Reader::new(text, Layout::of(text));
    let mut ignored = Gaps::new("");
    while let Some(item) = reader.next::<Look<'_>>(&mut ignored) {
        if item.record.cut().is_some() || item.record.shapes("", item.json).iter().any(Shape::says_call) {
            return true;
        }
    }
    false
}

/// Adds a gap for each record of an agent that stands between the lines of a text that is no JSON.
fn look_between(text: &str, gaps: &mut Gaps) {
    let (mut at, mut budget) = (0, text.len().saturating_mul(BETWEEN));
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let start = at;
        at += line.len();
        let begins = |text: &str| text.len() - text.trim_start_matches([' ', '\t', '[', ',']).len();
        let rest = text.get(start + begins(line)..).unwrap_or_default();
        if !rest.starts_with('{') {
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        let read = values.next();
        let length = match &read {
            Some(Err(error)) if error.is_eof() => rest.len(),
            _ => values.byte_offset().max(line.len()),
        };
        let Some(left) = budget.checked_sub(length) else { return gaps.limit(number, LONG) };
        budget = left;
        let head = rest.get(..values.byte_offset()).filter(|_| matches!(read, Some(Ok(_)))).and_then(parse::<Head<'_>>);
        if head.is_some_and(|head| detect::claimants(&head).next().is_some()) {
            gaps.unknown_record(number, FOREIGN);
        }
    }
}

/// The lines of results whose calls are in no session of the log.
fn unasked(sessions: &[Session<'_>]) -> BTreeSet<u32> {
    let events = || sessions.iter().flat_map(|session| &session.events);
    let calls: HashSet<_> = events()
        .filter_map(|event| match &event.kind {
            EventKind::Call(call) => call.call_id.as_deref(),
            _ => None,
        })
        .collect();
    let read = sessions.iter().filter(|session| !session.is_imported).flat_map(|session| &session.events);
    let results = read.filter_map(|event| match &event.kind {
        EventKind::Result(result) => Some((event.line, result.call_id.as_deref()?)),
        _ => None,
    });
    results.filter(|(_, id)| !calls.contains(id)).map(|(line, _)| line).collect()
}

/// Returns whether only other formats could have this record. Some words are the same in many logs, so that a record which said
/// something is one of its log; a whole session is none of another log's records.
fn is_foreign(json: &str, format: &Format, is_silent: bool) -> bool {
    let Some(head) = object::<Head<'_>>(Some(Raw::new(json))) else { return false };
    if !is_silent && !head.holds_records() {
        return false;
    }
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
    /// Pieces of the log's text in which nothing is a call of its own, from their start to their end: what calls are
    /// given, and what formats say is none.
    passed: BTreeMap<usize, usize>,
    calls: Vec<&'s ToolCall<'a>>,
    /// All calls by what they are found by, made at the first question.
    known: Option<Known<'s>>,
    /// Lines that said something: words, a call with what it is given, its result.
    telling: HashSet<u32>,
}

impl<'s, 'a> Read<'s, 'a> {
    fn of(sessions: &'s [Session<'a>]) -> Self {
        let mut read = Self { passed: BTreeMap::new(), calls: Vec::new(), known: None, telling: HashSet::new() };
        let mut passed: Vec<_> =
            sessions.iter().flat_map(|session| &session.passed).map(|passed| span(passed)).collect();
        for event in sessions.iter().flat_map(|session| &session.events) {
            let is_empty = match &event.kind {
                EventKind::Call(call) => matches!(call.arguments, Arguments::Missing),
                EventKind::Other => true,
                _ => false,
            };
            if !is_empty {
                read.telling.insert(event.line);
            }
            if let EventKind::Call(call) = &event.kind {
                passed.extend(borrowed(&call.arguments).map(span));
                read.calls.push(call);
            }
        }
        passed.sort_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)));
        for (start, end) in passed {
            if !ends_after(&read.passed, start) {
                read.passed.insert(start, end);
            }
        }
        read
    }

    /// The outermost shapes that no session holds.
    fn not_held<'b>(&mut self, mut shapes: Vec<Shape<'b>>) -> Vec<Shape<'b>> {
        shapes.sort_by_key(|shape| (shape.start(), std::cmp::Reverse(shape.end())));
        let mut left = Vec::new();
        // The values that a call carries are its own: they lie side by side or in each other, and the inner ones are not
        // added.
        let mut carried = BTreeMap::new();
        for shape in shapes {
            if ends_after(&carried, shape.start()) {
                continue;
            }
            if self.holds(&shape) {
                carried.extend(shape.given.iter().map(|given| span(given.get())));
            } else {
                carried.extend([span(shape.json)]);
                left.push(shape);
            }
        }
        left
    }

    /// Returns whether a session has this call, or its format says that it is none.
    fn holds(&mut self, shape: &Shape<'_>) -> bool {
        ends_after(&self.passed, shape.start())
            || shape.given.iter().all(|given| self.is_read(shape, *given) || self.is_told_again(shape, Some(*given)))
                && (!shape.given.is_empty() || self.is_told_again(shape, None))
    }

    /// This piece of the text is what a call is given, with its quotes or without, or its format compared it with a call.
    fn is_read(&self, shape: &Shape<'_>, given: Raw<'_>) -> bool {
        let start = given.get().as_ptr().addr();
        // Of two names that differ the call has one.
        let longest = shape.names.iter().max_by_key(|name| name.len());
        let is_named_once = longest.is_none_or(|longest| shape.names.iter().all(|name| is_named(longest, name)));
        is_named_once && [start, start + 1].iter().any(|place| ends_after(&self.passed, *place))
    }

    /// The log tells a call again: under its id, or as one that has none.
    fn is_told_again(&mut self, shape: &Shape<'_>, given: Option<Raw<'_>>) -> bool {
        let known = self.known.get_or_insert_with(|| Known::of(&self.calls));
        known.holds(shape, given)
    }

    fn is_silent(&self, line: u32) -> bool {
        !self.telling.contains(&line)
    }
}

/// The tools of calls, by their id and what they are given. Texts are kept as what they hash to, so that a long one is
/// read once however often it is looked for.
struct Known<'s> {
    tools: HashMap<(Under, Given), Vec<&'s str>>,
    hasher: RandomState,
}

/// The key by which a call is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Under {
    Id(u64),
    /// A call that has no id.
    NoId,
    /// A call that was not refused, whatever its id.
    Any,
}

/// The arguments of a call, as a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Given {
    Nothing,
    Text(u64),
    /// The log does not say, or not so that it can be read.
    Unread,
}

/// Calls of so many tools under one id with the same arguments are told apart.
const TOOLS: usize = 8;

impl<'s> Known<'s> {
    fn of(calls: &[&'s ToolCall<'_>]) -> Self {
        let mut known = Self { tools: HashMap::new(), hasher: RandomState::new() };
        for call in calls {
            let given = match &call.arguments {
                Arguments::Json(json) | Arguments::Text(json) => known.given(json),
                Arguments::Missing => Given::Nothing,
            };
            let id = call.call_id.as_deref().map(|id| known.id(id));
            if let Some(id) = id {
                known.add(id, given, &call.tool);
                // A stream announces a call before it has its arguments.
                known.add(id, Given::Nothing, &call.tool);
            }
            // A call that was refused excuses none that is like it.
            if call.status == Status::Denied {
                continue;
            }
            known.add(Under::Any, given, &call.tool);
            match id {
                None => known.add(Under::NoId, given, &call.tool),
                // It is judged as one that may do anything.
                Some(id) if matches!(call.arguments, Arguments::Missing) => known.add(id, Given::Unread, &call.tool),
                Some(_) => {}
            }
        }
        known
    }

    fn id(&self, id: &str) -> Under {
        Under::Id(self.hasher.hash_one(id))
    }

    fn given(&self, json: &str) -> Given {
        normal(json).map_or(Given::Nothing, |text| Given::Text(self.hasher.hash_one(text)))
    }

    fn add(&mut self, under: Under, given: Given, tool: &'s str) {
        let tools = self.tools.entry((under, given)).or_default();
        if tools.len() < TOOLS && !tools.contains(&tool) {
            tools.push(tool);
        }
    }

    fn holds(&self, shape: &Shape<'_>, given: Option<Raw<'_>>) -> bool {
        let given = given.map_or(Given::Nothing, |given| self.given(given.get()));
        let has = |under: Under, given: Given| {
            let tools = self.tools.get(&(under, given)).into_iter().flatten();
            tools.into_iter().any(|tool| shape.names.iter().all(|name| is_named(tool, name)))
        };
        let is_given = given != Given::Nothing;
        if shape.ids.is_empty() {
            return is_given && has(Under::Any, given);
        }
        let mut ids = shape.ids.iter().map(|id| self.id(id));
        is_given && has(Under::NoId, given) || ids.any(|id| has(id, given) || is_given && has(id, Given::Unread))
    }
}

/// Returns whether a log may call a tool so: by its name, or by the part of it that its server gives it.
fn is_named(tool: &str, name: &str) -> bool {
    let mut words = tool.rsplit(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    let parts = name.rsplit(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    tool == name || parts.into_iter().all(|part| words.next() == Some(part)) && name.contains(char::is_alphanumeric)
}

/// Arguments in one notation: agents write them as JSON, with spaces or without, or as a text that holds JSON. `None`:
/// there are none.
fn normal(json: &str) -> Option<String> {
    let Ok(value) = serde_json::from_str::<Value>(json) else { return Some(json.to_owned()) };
    let value = match value {
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(inner) => inner,
            Err(_) => return Some(text),
        },
        value => value,
    };
    // The store keeps arguments so that are no object: its readers want one.
    let only = value.as_object().filter(|object| object.len() == 1);
    let only = only.and_then(|object| object.get("input").or_else(|| object.get("value")));
    if let Some(only) = only {
        return normal(&only.to_string());
    }
    let is_empty = value.as_object().is_some_and(serde_json::Map::is_empty);
    (!is_empty).then(|| value.to_string())
}

fn span(text: &str) -> (usize, usize) {
    let start = text.as_ptr().addr();
    (start, start + text.len())
}

/// Returns whether the last of these pieces that begins before a place goes on there.
fn ends_after(pieces: &BTreeMap<usize, usize>, place: usize) -> bool {
    pieces.range(..=place).next_back().is_some_and(|(_, end)| *end > place)
}

/// Arguments that were taken from the log as they stand.
fn borrowed<'s>(arguments: &Arguments<'s>) -> Option<&'s str> {
    match arguments {
        Arguments::Json(Cow::Borrowed(text)) | Arguments::Text(Cow::Borrowed(text)) => Some(text),
        _ => None,
    }
}
