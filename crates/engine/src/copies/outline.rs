//! Keeps the digests of a session's calls and of the model's answers, by which sessions are compared.

use std::collections::HashMap;

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use agent_strace_model::{Arguments, EventKind, Session, Spent, ToolCall, Usage, moment};

/// The parts of a session by which it is compared with others.
#[derive(Debug)]
pub struct Outline {
    pub(super) id: String,
    pub(super) source: String,
    pub(super) agent: String,
    parent: Option<String>,
    pub(super) forked_from: Option<String>,
    pub(super) began: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    /// Bytes of its log.
    pub(super) size: usize,
    pub(super) calls: Vec<Item>,
    pub(super) answers: Vec<Item>,
}

/// A call or an answer of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    /// Digest of its content, and of its id where it has one.
    pub(super) key: u128,
    pub(super) named: bool,
    /// Its id may be a number that the host counts up in each session.
    pub(super) numbered: bool,
    pub(super) time: Option<Timestamp>,
    /// Its index among the events, or among the records of usage.
    pub(super) index: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Calls,
    Answers,
}

impl Outline {
    /// `size`: the bytes of its log.
    pub fn of(session: &Session<'_>, size: usize) -> Self {
        let mut times = session.events.iter().filter_map(|event| moment(event.time.as_deref()?));
        let began = times.next();
        let ended = times.next_back().or(began);
        let owned = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        Self {
            id: session.id.to_string(),
            source: session.source.clone(),
            agent: session.agent.to_string(),
            parent: owned(session.parent.as_deref()),
            forked_from: owned(session.forked_from.as_deref()),
            began,
            ended,
            size,
            calls: calls(session),
            answers: answers(session),
        }
    }

    /// Returns whether a later reading of the log still holds all of it.
    pub fn is_held_by(&self, later: &Self) -> bool {
        (&self.id, &self.source) == (&later.id, &later.source)
            && later.calls.starts_with(&self.calls)
            && later.answers.get(..self.answers.len()).is_some()
    }

    pub(super) fn items(&self, kind: Kind) -> &[Item] {
        match kind {
            Kind::Calls => &self.calls,
            Kind::Answers => &self.answers,
        }
    }

    /// Returns whether one of the two started the other, goes on from it, or has the same id or origin.
    pub(super) fn is_related(&self, other: &Self) -> bool {
        let (id, others) = (self.id.as_str(), other.id.as_str());
        id == others
            || self.parent.as_deref() == Some(others)
            || other.parent.as_deref() == Some(id)
            || self.forked_from.is_some()
                && (self.forked_from.as_deref() == Some(others) || self.forked_from == other.forked_from)
    }
}

fn calls(session: &Session<'_>) -> Vec<Item> {
    let calls = session.events.iter().enumerate().filter_map(|(index, event)| match &event.kind {
        EventKind::Call(call) => Some(Item {
            key: call_key(call),
            named: call.call_id.as_deref().is_some_and(|id| !id.is_empty()),
            numbered: call.call_id.as_deref().is_some_and(|id| is_number(id, &call.tool)),
            time: event.time.as_deref().and_then(moment),
            index,
        }),
        _ => None,
    });
    calls.collect()
}

/// Returns whether an id is no more than a number, but for words that hosts put before it: `item_0`, `functions.Bash:3`.
fn is_number(id: &str, tool: &str) -> bool {
    let mut rest = id.replace(tool, "");
    for word in ["functions", "function", "call", "item", "step", "tool"] {
        rest = rest.replace(word, "");
    }
    rest.chars().filter(|character| character.is_alphabetic()).count() < LETTERS
}

/// An id that a provider draws has at least so many letters.
const LETTERS: usize = 4;

/// Each message of the API once, with what its last record tells.
fn answers(session: &Session<'_>) -> Vec<Item> {
    let mut messages: HashMap<&str, usize> = HashMap::new();
    let mut told: Vec<(usize, &Spent<'_>)> = Vec::new();
    for (index, spent) in session.spent.iter().enumerate().filter(|(_, spent)| spent.usage != Usage::default()) {
        let known = spent.message.as_deref().and_then(|message| messages.get(message)).copied();
        if let Some((_, last)) = known.and_then(|known| told.get_mut(known)) {
            *last = spent;
        } else {
            messages.extend(spent.message.as_deref().map(|message| (message, told.len())));
            told.push((index, spent));
        }
    }
    let item = |(index, spent): (usize, &Spent<'_>)| {
        let before = session.events.get(..spent.after).unwrap_or_default();
        let time = spent.time.as_deref().or_else(|| before.last()?.time.as_deref());
        let named = spent.message.as_deref().is_some_and(|id| !id.is_empty());
        Item { key: answer_key(spent), named, numbered: false, time: time.and_then(moment), index }
    };
    told.into_iter().map(item).collect()
}

fn call_key(call: &ToolCall<'_>) -> u128 {
    let mut key = Key::new("call");
    key.part(call.call_id.as_deref().unwrap_or("").as_bytes());
    key.part(call.tool.as_bytes());
    match &call.arguments {
        Arguments::Json(json) => {
            key.part(b"json");
            key.json(json);
        }
        Arguments::Text(text) => {
            key.part(b"text");
            key.part(text.as_bytes());
        }
        Arguments::Missing => key.part(b"missing"),
    }
    key.finish()
}

fn answer_key(spent: &Spent<'_>) -> u128 {
    let mut key = Key::new("answer");
    key.part(spent.message.as_deref().unwrap_or("").as_bytes());
    let usage = &spent.usage;
    for count in [usage.requests, usage.input, usage.output, usage.cache_read, usage.cache_write, usage.reasoning] {
        key.part(&count.to_le_bytes());
    }
    key.finish()
}

/// A digest over parts, each with its length, so that no author of a log can give two calls the same digest.
struct Key(Sha256);

impl Key {
    fn new(kind: &str) -> Self {
        let mut key = Self(Sha256::new());
        key.part(kind.as_bytes());
        key
    }

    fn part(&mut self, part: &[u8]) {
        self.0.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        self.0.update(part);
    }

    /// Writers of logs differ in the space between the values.
    fn json(&mut self, json: &str) {
        let (mut in_string, mut escaped) = (false, false);
        let mut rest = json.as_bytes();
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| {
                let is_space = !in_string && byte.is_ascii_whitespace();
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if in_string => escaped = true,
                    b'"' => in_string = !in_string,
                    _ => {}
                }
                is_space
            });
            let (head, tail) = rest.split_at(end.unwrap_or(rest.len()));
            self.0.update(head);
            rest = tail.get(1..).unwrap_or_default();
        }
        self.part(&[]);
    }

    fn finish(self) -> u128 {
        self.0.finalize().iter().take(16).fold(0, |key, byte| key << 8 | u128::from(*byte))
    }
}
