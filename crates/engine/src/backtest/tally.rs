//! Counts over calls, of one session or of many: added up in the order of the logs they do not depend on threads.

use std::collections::BTreeMap;

use agent_strace_model::finding::Finding;
use agent_strace_model::{EventKind, Session, moment};
use jiff::Timestamp;

use super::decider::{Decider, Rules};
use super::ruling::{Ruling, Verdict, fails};

/// Calls that are listed for each rule.
const EXAMPLES: usize = 3;
/// Different acts that are listed for each rule which blocks them.
const ACTS: usize = 5;
/// Calls that are listed at all; beyond them they are counted.
pub(super) const LISTED: usize = 1_000;

/// What was judged, and how.
#[derive(Debug, Default)]
pub struct Tally {
    pub sessions: usize,
    pub tool_calls: usize,
    /// Calls that the record shows as refused before they ran; they block nothing.
    pub attempts: usize,
    pub covered: usize,
    pub blocked: usize,
    /// Of them those that are blocked only because something could not be resolved.
    pub blocked_unresolved: usize,
    /// Calls of which something could not be resolved, blocked or not.
    pub unresolved: usize,
    /// Events that are no call (a hook, a file that a record names) and would be blocked.
    pub other_blocked: usize,
    /// In order.
    pub blocked_sessions: Vec<String>,
    pub rules: BTreeMap<Decider, Counts>,
    /// The first calls that no rule speaks of, where they are wanted.
    pub uncovered: Vec<Listed>,
    pub window: Window,
}

/// What one rule did.
#[derive(Debug, Default)]
pub struct Counts {
    /// Calls that are counted here and nowhere else.
    pub matched: usize,
    pub would_block: usize,
    /// Calls of which it decided any effect.
    pub spoke: usize,
    pub examples: Vec<Listed>,
    /// The first different acts among the calls that it blocks, each where it was done first.
    pub acts: Vec<Listed>,
}

/// A call as lists show it. Its texts are the log's own.
#[derive(Debug, Clone)]
pub struct Listed {
    pub session: String,
    /// The file that the session was read from, as its user named it, and the line of the call in it.
    pub source: String,
    pub line: u32,
    pub event: u32,
    pub event_id: Option<String>,
    pub tool: String,
    /// The kind of its first effect.
    pub kind: Option<&'static str>,
    /// The command, path or address as recorded.
    pub evidence: Option<String>,
    pub verdict: Verdict,
    pub reason: String,
    pub covered: bool,
    pub decider: Decider,
}

/// From the first to the last recorded time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Window {
    pub start: Option<Timestamp>,
    pub end: Option<Timestamp>,
}

/// Whether the calls that no rule speaks of are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncovered {
    List,
    Count,
}

impl Tally {
    /// Adds the session that follows.
    pub(super) fn add_session(
        &mut self,
        session: &Session<'_>,
        rulings: &[Ruling<'_>],
        findings: &[Finding],
        uncovered: Uncovered,
    ) {
        self.sessions += 1;
        self.window = self.window.with(Window::of(session));
        let before = self.blocked + self.other_blocked;
        for ruling in rulings {
            self.count(session, ruling, uncovered);
        }
        self.other_blocked += others(session, findings);
        if self.blocked + self.other_blocked > before {
            self.blocked_sessions.push(session.id.clone().into_owned());
        }
    }

    fn count(&mut self, session: &Session<'_>, ruling: &Ruling<'_>, uncovered: Uncovered) {
        let blocks = ruling.verdict.blocks();
        self.tool_calls += 1;
        self.attempts += usize::from(ruling.is_attempt());
        self.covered += usize::from(ruling.is_covered());
        self.blocked += usize::from(blocks);
        self.blocked_unresolved += usize::from(ruling.verdict == Verdict::Unresolved);
        self.unresolved += usize::from(ruling.unresolved);
        for decider in &ruling.spoke {
            self.rules.entry(decider.clone()).or_default().spoke += 1;
        }
        let counts = self.rules.entry(ruling.decider.clone()).or_default();
        counts.matched += 1;
        counts.would_block += usize::from(blocks);
        if counts.examples.len() < EXAMPLES {
            counts.examples.push(Listed::new(session, ruling));
        }
        if blocks && counts.acts.len() < ACTS {
            let listed = Listed::new(session, ruling);
            if !counts.acts.iter().any(|act| act.is_same_act(&listed)) {
                counts.acts.push(listed);
            }
        }
        if uncovered == Uncovered::List && !ruling.is_covered() && self.uncovered.len() < LISTED {
            self.uncovered.push(Listed::new(session, ruling));
        }
    }

    /// Adds what follows in the order of the logs.
    pub fn add(&mut self, later: Self) {
        self.sessions += later.sessions;
        self.tool_calls += later.tool_calls;
        self.attempts += later.attempts;
        self.covered += later.covered;
        self.blocked += later.blocked;
        self.blocked_unresolved += later.blocked_unresolved;
        self.unresolved += later.unresolved;
        self.other_blocked += later.other_blocked;
        self.blocked_sessions.extend(later.blocked_sessions);
        for (decider, counts) in later.rules {
            self.rules.entry(decider).or_default().add(counts);
        }
        extend(&mut self.uncovered, later.uncovered, LISTED);
        self.window = self.window.with(later.window);
    }

    /// Share of calls that a rule speaks of, in percent; nothing where there are no calls.
    pub fn coverage(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "fewer calls than a double can count")]
        let percent = |part: usize, all: usize| part as f64 * 100.0 / all as f64;
        (self.tool_calls > 0).then(|| percent(self.covered, self.tool_calls))
    }

    /// Entries that decided nothing, in the order of reports. Those of a list that allowed something together are not
    /// among them: each may have had a part in it.
    pub fn idle(&self, rules: &Rules<'_>) -> Vec<usize> {
        let spoke = |index: usize| self.rules.get(&Decider::Entry(index)).is_some_and(|counts| counts.spoke > 0);
        let together = |pointer: &str| {
            let list = pointer.rsplit_once('/').map_or("", |(list, _)| list);
            self.rules.contains_key(&Decider::List(list.to_owned()))
        };
        let entries = rules.entries().iter().enumerate();
        entries
            .filter(|(index, entry)| !spoke(*index) && !together(&entry.location.pointer))
            .map(|(index, _)| index)
            .collect()
    }
}

impl Counts {
    /// Of a rule that decided about nothing.
    pub const NONE: Self = Self { matched: 0, would_block: 0, spoke: 0, examples: Vec::new(), acts: Vec::new() };

    pub fn would_allow(&self) -> usize {
        self.matched - self.would_block
    }

    fn add(&mut self, later: Self) {
        self.matched += later.matched;
        self.would_block += later.would_block;
        self.spoke += later.spoke;
        extend(&mut self.examples, later.examples, EXAMPLES);
        for act in later.acts {
            if self.acts.len() < ACTS && !self.acts.iter().any(|own| own.is_same_act(&act)) {
                self.acts.push(act);
            }
        }
    }
}

impl Listed {
    pub fn new(session: &Session<'_>, ruling: &Ruling<'_>) -> Self {
        Self {
            session: session.id.clone().into_owned(),
            source: session.source.clone(),
            line: ruling.event.line,
            event: ruling.event.number,
            event_id: ruling.event.id.as_ref().map(|id| id.clone().into_owned()),
            tool: ruling.call.tool.clone().into_owned(),
            kind: ruling.kind,
            evidence: crate::evidence(&ruling.event.kind),
            verdict: ruling.verdict,
            reason: ruling.reason.to_owned(),
            covered: ruling.is_covered(),
            decider: ruling.decider.clone(),
        }
    }
}

impl Listed {
    fn is_same_act(&self, other: &Self) -> bool {
        (&self.tool, &self.evidence) == (&other.tool, &other.evidence)
    }
}

impl Window {
    /// Records are in order, so the first and the last one that tell a time do.
    pub(super) fn of(session: &Session<'_>) -> Self {
        let mut times = session.events.iter().filter_map(|event| moment(event.time.as_deref()?));
        let start = times.next();
        let mut times = session.events.iter().rev().filter_map(|event| moment(event.time.as_deref()?));
        Self { start, end: times.next() }
    }

    pub(super) fn with(self, other: Self) -> Self {
        let earlier = |one: Option<Timestamp>, other: Option<Timestamp>| one.into_iter().chain(other).min();
        let later = |one: Option<Timestamp>, other: Option<Timestamp>| one.into_iter().chain(other).max();
        Self { start: earlier(self.start, other.start), end: later(self.end, other.end) }
    }
}

pub(super) fn extend<T>(list: &mut Vec<T>, more: Vec<T>, most: usize) {
    let room = most.saturating_sub(list.len());
    list.extend(more.into_iter().take(room));
}

/// Events with failing findings that are no call.
fn others(session: &Session<'_>, findings: &[Finding]) -> usize {
    let mut failing: Vec<u32> = findings.iter().filter(|finding| fails(finding)).map(|finding| finding.event).collect();
    failing.dedup();
    if failing.is_empty() {
        return 0;
    }
    let is_call = |event: &agent_strace_model::Event<'_>| matches!(event.kind, EventKind::Call(_));
    let calls: std::collections::BTreeSet<u32> =
        session.events.iter().filter(|event| is_call(event)).map(|event| event.number).collect();
    failing.iter().filter(|event| !calls.contains(event)).count()
}
