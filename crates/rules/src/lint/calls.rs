//! The calls of a session, each with what it did.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::blind_edit::Blind;
use crate::{Act, Log, take_acts};
use agent_strace_effects::{Effect, Kind};
use agent_strace_model::{Arguments, Event, EventKind, Members, RawText, Session, Status, ToolCall};

/// Arguments that say why a call is made, not what it does: the same call may be explained in other words.
const NARRATION: [&str; 7] = ["description", "explanation", "thought", "reason", "title", "toolSummary", "toolAction"];

/// The same as JSON has them, looked for all at once.
static NARRATED: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    // All of them start with what JSON is full of: looking for that first would take longer.
    let builder = &mut AhoCorasick::builder();
    builder.kind(Some(AhoCorasickKind::DFA)).prefilter(false).build(NARRATION.map(|name| format!("\"{name}\""))).ok()
});

/// The calls of a session, in order.
#[derive(Debug)]
pub(super) struct Calls<'a> {
    pub(super) list: Vec<Called<'a>>,
    session: &'a Session<'a>,
    /// The text of a result by its call, where somebody asks.
    results: OnceCell<HashMap<&'a str, &'a RawText<'a>>>,
    /// Two rules tell them, by size.
    blind: OnceCell<Vec<Blind>>,
}

/// One call.
#[derive(Debug)]
pub(super) struct Called<'a> {
    /// Its index among the session's events.
    pub(super) index: usize,
    /// The number of its event.
    pub(super) event: u32,
    pub(super) call: &'a ToolCall<'a>,
    /// Whose conversation it is a part of.
    pub(super) by: Conversation<'a>,
    /// Worked out where somebody compares: arguments may be long.
    asks: OnceCell<Cow<'a, str>>,
    /// What it did.
    pub(super) acts: &'a [Act<'a>],
}

/// Who calls: an agent forgets nothing between its own calls, and knows nothing of another one's.
pub(super) type Conversation<'a> = (u16, Option<&'a str>);

impl<'a> Calls<'a> {
    pub(super) fn new(log: &Log<'a>) -> Self {
        let mut rest = log.acts;
        let mut list = Vec::new();
        for (index, event) in log.session.events.iter().enumerate() {
            let Some(call) = event.call() else { continue };
            let acts = take_acts(&mut rest, event.number);
            list.push(Called {
                index,
                event: event.number,
                call,
                by: (event.origin.stream, call.subagent.as_deref()),
                asks: OnceCell::new(),
                acts,
            });
        }
        Self { list, session: log.session, results: OnceCell::new(), blind: OnceCell::new() }
    }

    /// What a call returned, where the log says which result is its.
    pub(super) fn result(&self, call: &Called<'_>) -> Option<&'a RawText<'a>> {
        let results = self.results.get_or_init(|| {
            let of = |event: &'a Event<'a>| match &event.kind {
                EventKind::Result(result) => Some((result.call_id.as_deref()?, result.text.as_ref()?)),
                _ => None,
            };
            self.session.events.iter().filter_map(of).collect()
        });
        results.get(call.call.call_id.as_deref()?).copied()
    }

    /// Edits of what the session had never read.
    pub(super) fn blind(&self, find: impl FnOnce() -> Vec<Blind>) -> &[Blind] {
        self.blind.get_or_init(find)
    }

    /// Those of some events, the last one included.
    pub(super) fn between(&self, first: u32, last: u32) -> &[Called<'a>] {
        let from = self.list.partition_point(|call| call.event < first);
        let to = self.list.partition_point(|call| call.event <= last);
        self.list.get(from..to.max(from)).unwrap_or_default()
    }
}

impl<'a> Called<'a> {
    pub(super) fn is_same(&self, other: &Called<'_>) -> bool {
        self.call.tool == other.call.tool && !self.begins_otherwise(other) && self.asks() == other.asks()
    }

    /// They ask for different things in the first place: what follows may be long. Nobody who calls a tool names an
    /// argument twice; of one who does, the first counts here.
    fn begins_otherwise(&self, other: &Called<'_>) -> bool {
        let (Some((name, value)), Some((other_name, other))) = (self.first(), other.first()) else { return false };
        name == other_name && value != other
    }

    /// The first argument that is not only an explanation.
    fn first(&self) -> Option<(Cow<'a, str>, &'a str)> {
        match &self.call.arguments {
            Arguments::Json(json) => Members::first(json, |name| self.is_foreign() || !NARRATION.contains(&name)),
            Arguments::Text(_) | Arguments::Missing => None,
        }
    }

    /// The same for calls of one tool that ask for the same.
    pub(super) fn asks(&self) -> &str {
        self.asks.get_or_init(|| match &self.call.arguments {
            // Of a tool that nobody knows anything may be what it is asked for.
            Arguments::Json(text) | Arguments::Text(text) if self.is_foreign() => Cow::Borrowed(text),
            arguments => asks(arguments),
        })
    }

    /// What tells this call from others: the tool and what it was asked.
    pub(super) fn key(&self) -> (&'a str, &str) {
        (&self.call.tool, self.asks())
    }

    /// Of an MCP server, or of no agent that is known.
    fn is_foreign(&self) -> bool {
        self.acts.iter().any(|act| matches!(act.effect.kind, Kind::Tool { .. }))
    }

    pub(super) fn was_refused(&self) -> bool {
        self.call.status == Status::Denied
    }

    pub(super) fn failed(&self) -> bool {
        matches!(self.call.status, Status::Error | Status::Interrupted)
    }

    /// What it really did: nothing, if it was refused.
    pub(super) fn done(&self) -> impl Iterator<Item = &'a Effect> + use<'a> {
        let acts: &'a [Act<'a>] = if self.was_refused() { &[] } else { self.acts };
        acts.iter().map(|act| act.effect)
    }

    /// The files that it wrote, in order.
    pub(super) fn written(&self) -> impl DoubleEndedIterator<Item = &'a str> + use<'a> {
        let acts: &'a [Act<'a>] = if self.was_refused() { &[] } else { self.acts };
        acts.iter().filter_map(|act| match &act.effect.kind {
            Kind::Write(target) => Some(target.path.as_str()),
            _ => None,
        })
    }

    /// It changed files, or may have.
    pub(super) fn changes(&self) -> bool {
        self.done().any(|effect| matches!(effect.kind, Kind::Write(_) | Kind::Delete(_) | Kind::Opaque(_)))
    }
}

/// The arguments without what only explains them.
fn asks<'a>(arguments: &'a Arguments<'_>) -> Cow<'a, str> {
    let text: &'a str = match arguments {
        Arguments::Json(text) | Arguments::Text(text) => text,
        Arguments::Missing => "",
    };
    let is_narrated = || NARRATED.as_ref().is_none_or(|narrated| narrated.is_match(text));
    if !matches!(arguments, Arguments::Json(_)) || !is_narrated() {
        return Cow::Borrowed(text);
    }
    let Some(members) = arguments.members() else { return Cow::Borrowed(text) };
    let mut asks = String::with_capacity(text.len());
    for (key, value) in members.iter().filter(|(key, _)| !NARRATION.contains(key)) {
        let separator = if asks.is_empty() { "{\"" } else { ",\"" };
        for part in [separator, key, "\":", value] {
            asks.push_str(part);
        }
    }
    if asks.is_empty() {
        return Cow::Borrowed(text);
    }
    asks.push('}');
    Cow::Owned(asks)
}
