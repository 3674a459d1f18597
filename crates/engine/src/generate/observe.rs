//! What sessions did: every distinct effect once, with the calls that had it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use agent_strace_effects::{Argument, Effect, Execution, Kind, Reason, Repository, Results, Roots, START, Tracker};
use agent_strace_model::{EventKind, Session, Status, moment};
use agent_strace_policy::Policy;

use crate::replay::{commands, trust};
use agent_strace_secrets::{Known, redact_words};

use super::commands::Besides;

/// One call, by its session's index and its event's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallId {
    pub session: u32,
    pub event: u32,
}

/// How the calls that had an effect ended.
#[derive(Debug, Clone, Default)]
pub struct Calls {
    /// They ran, or the log does not say that they did not.
    pub done: BTreeSet<CallId>,
    /// They ended with an error, or were interrupted.
    pub failed: BTreeSet<CallId>,
    /// They were refused before they ran.
    pub refused: BTreeSet<CallId>,
}

impl Calls {
    pub(super) fn all(&self) -> impl Iterator<Item = CallId> {
        self.done.iter().chain(&self.failed).chain(&self.refused).copied()
    }

    fn of(&mut self, status: Status) -> &mut BTreeSet<CallId> {
        match status {
            Status::Ok | Status::Missing => &mut self.done,
            Status::Error | Status::Interrupted => &mut self.failed,
            Status::Denied => &mut self.refused,
        }
    }

    fn append(&mut self, other: &mut Self) {
        self.done.append(&mut other.done);
        self.failed.append(&mut other.failed);
        self.refused.append(&mut other.refused);
    }

    /// Those of the sessions that are wanted.
    fn only(&self, wanted: &dyn Fn(u32) -> bool) -> Self {
        let only = |calls: &BTreeSet<CallId>| calls.iter().filter(|call| wanted(call.session)).copied().collect();
        Self { done: only(&self.done), failed: only(&self.failed), refused: only(&self.refused) }
    }
}

/// One thing that was done, however often.
#[derive(Debug, Clone)]
pub struct Observation {
    pub effect: Effect,
    pub root: Option<Arc<str>>,
    /// Of a command that runs another one: where that one starts among its words.
    pub(super) inner: Option<usize>,
    /// Of a command that runs what is not known: the words that vouch for it in a policy.
    pub(super) vouched: Vec<String>,
    /// Known: all that a command or an unknown tool did besides is known, in one of the calls.
    pub(super) besides: Besides,
    /// All effects of the call, for an act that entries may vouch for: conditions of an entry are about the command
    /// that led to the act.
    pub(super) around: Option<Arc<[Effect]>>,
    pub calls: Calls,
}

impl Observation {
    /// The command that led to an act which is not resolved.
    pub(super) fn cause(&self) -> Option<&Execution> {
        cause(&self.effect, self.around.as_deref()?)
    }
}

fn cause<'e>(effect: &Effect, effects: &'e [Effect]) -> Option<&'e Execution> {
    match &effects.get(effect.origin.parent? as usize)?.kind {
        Kind::Execute(execution) => Some(execution),
        _ => None,
    }
}

/// A session that was looked at.
#[derive(Debug, Clone)]
pub struct Looked {
    pub id: String,
    /// What ran: calls, and changes of files that the log states outside of any call.
    pub calls: usize,
    /// When it was last active.
    pub last: Option<Timestamp>,
    /// When each call was made, where the log says so.
    times: BTreeMap<u32, Timestamp>,
}

/// Everything that was seen. Sessions have indices in the order in which they were added.
#[derive(Debug, Default, Clone)]
pub struct Observed {
    pub sessions: Vec<Looked>,
    /// By what distinguishes the effects: the same in every run.
    seen: BTreeMap<String, Observation>,
}

/// Effects without what only the text around them gives away, such as a line of a private key, or a password that a program
/// takes for a path: neither is to become an entry.
fn shown<'e>(effects: &'e [Effect], secrets: &Known) -> Cow<'e, [Effect]> {
    if secrets.is_empty() {
        return Cow::Borrowed(effects);
    }
    let mut effects = effects.to_vec();
    for effect in &mut effects {
        match &mut effect.kind {
            Kind::Execute(execution) => hide_in_words(&mut execution.argv, secrets),
            Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) | Kind::List(target) => {
                hide(&mut target.path, secrets);
            }
            Kind::Connect(connection) => hide_each(&mut connection.host, secrets),
            Kind::Tool { server, tool } => {
                hide_each(server, secrets);
                hide(tool, secrets);
            }
            Kind::Spawn { agent } => hide_each(agent, secrets),
            Kind::Env { name } => hide(name, secrets),
            Kind::Opaque(opaque) => hide_each(opaque.vouched_by.iter_mut().chain(&mut opaque.or_by), secrets),
        }
    }
    Cow::Owned(effects)
}

/// A word that shows by itself that it is secret stays: the entry that would hold it is left out.
fn hide_in_words(argv: &mut [Argument], secrets: &Known) {
    let words: Vec<&str> = argv.iter().map(|word| word.text.as_str()).collect();
    let known = secrets.redact_words(words.iter().copied());
    if known == redact_words(words) {
        return;
    }
    for (word, known) in argv.iter_mut().zip(&known) {
        known.as_str().clone_into(&mut word.text);
    }
}

fn hide_each<'t>(texts: impl IntoIterator<Item = &'t mut String>, secrets: &Known) {
    texts.into_iter().for_each(|text| hide(text, secrets));
}

fn hide(text: &mut String, secrets: &Known) {
    if let Cow::Owned(hidden) = secrets.hide(text) {
        *text = hidden;
    }
}

impl Observed {
    /// Of one session. `policy`: what it says about programs decides what commands do.
    pub fn of_session(session: &Session<'_>, policy: &Policy, repository: &Arc<Repository>) -> Self {
        let mut observed = Self::default();
        let mut looked = Looked { id: session.id.clone().into_owned(), calls: 0, last: None, times: BTreeMap::new() };
        let roots = Roots::of(session, repository, &policy.guarded());
        let root: Option<Arc<str>> = roots.first().map(Arc::from);
        let mut tracker = Tracker::new(session, &roots).with_programs(policy.programs());
        let results = Results::of(session, trust(policy));
        for event in &session.events {
            let effects = tracker.step_with(event, &results);
            let raw = tracker.take_raw();
            let secrets = Known::of_call(commands(raw.as_deref(), &effects));
            let time = event.time.as_deref().and_then(moment);
            looked.last = looked.last.max(time);
            let status = match &event.kind {
                EventKind::Call(call) => call.status,
                EventKind::File(_) => Status::Ok,
                // The agent's host runs hooks, not the agent.
                _ => continue,
            };
            looked.calls += usize::from(status != Status::Denied);
            if let Some(time) = time {
                looked.times.insert(event.number, time);
            }
            let call = CallId { session: 0, event: event.number };
            observed.call(&shown(&effects, &secrets), root.as_ref(), call, status);
        }
        observed.sessions.push(looked);
        observed
    }

    fn call(&mut self, effects: &[Effect], root: Option<&Arc<str>>, call: CallId, status: Status) {
        let mut all: Option<Arc<[Effect]>> = None;
        for (index, effect) in effects.iter().enumerate().filter(|(_, effect)| effect.via != START) {
            let is_vouched = matches!(&effect.kind, Kind::Opaque(opaque) if !opaque.vouched_by.is_empty());
            let around = is_vouched.then(|| Arc::clone(all.get_or_insert_with(|| effects.into())));
            let cause = around.as_ref().and_then(|effects| cause(effect, effects));
            let key = key(effect, root.map(AsRef::as_ref), cause);
            let observation = self.seen.entry(key).or_insert_with(|| Observation {
                around: around.clone(),
                effect: effect.clone(),
                root: root.cloned(),
                inner: None,
                vouched: Vec::new(),
                besides: Besides::Unknown,
                calls: Calls::default(),
            });
            observation.calls.of(status).insert(call);
            let is_known = match &effect.kind {
                Kind::Execute(_) => is_understood(effects, index, DEEPEST),
                Kind::Tool { server: None, .. } => is_all(effects, index),
                _ => false,
            };
            if is_known {
                observation.besides = Besides::Known;
            }
            if let Kind::Execute(execution) = &effect.kind {
                let below = || effects.iter().filter(|other| other.origin.parent == u32::try_from(index).ok());
                for child in below() {
                    match &child.kind {
                        Kind::Execute(child) => {
                            let inner = starts_at(&execution.argv, &child.argv);
                            observation.inner = observation.inner.max(inner);
                        }
                        Kind::Opaque(opaque) if opaque.vouched_by.len() > observation.vouched.len() => {
                            observation.vouched.clone_from(&opaque.vouched_by);
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    /// Adds what was seen elsewhere, as later sessions.
    pub fn append(&mut self, mut other: Self) {
        let before = u32::try_from(self.sessions.len()).unwrap_or(u32::MAX);
        self.sessions.append(&mut other.sessions);
        for (key, mut observation) in other.seen {
            let moved = |calls: BTreeSet<CallId>| {
                calls.into_iter().map(|call| CallId { session: call.session.saturating_add(before), ..call }).collect()
            };
            let Calls { done, failed, refused } = std::mem::take(&mut observation.calls);
            observation.calls = Calls { done: moved(done), failed: moved(failed), refused: moved(refused) };
            match self.seen.entry(key) {
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(observation);
                }
                std::collections::btree_map::Entry::Occupied(mut entry) => {
                    let known = entry.get_mut();
                    known.calls.append(&mut observation.calls);
                    known.inner = known.inner.max(observation.inner);
                    if observation.besides == Besides::Known {
                        known.besides = Besides::Known;
                    }
                    if observation.vouched.len() > known.vouched.len() {
                        known.vouched = observation.vouched;
                    }
                }
            }
        }
    }

    /// What the sessions did that are wanted; all keep their indices.
    pub fn only(&self, wanted: &dyn Fn(u32) -> bool) -> Self {
        let seen = self.seen.iter().filter_map(|(key, observation)| {
            let calls = observation.calls.only(wanted);
            let any = calls.all().next().is_some();
            any.then(|| (key.clone(), Observation { calls, ..observation.clone() }))
        });
        Self { sessions: self.sessions.clone(), seen: seen.collect() }
    }

    /// The same, had every call that ran succeeded.
    pub(super) fn as_if_nothing_failed(&self) -> Self {
        self.as_if_done(&|_| true)
    }

    /// Returns the observations as if the meant acts had succeeded.
    pub(super) fn as_if_done(&self, is_meant: &dyn Fn(&Effect) -> bool) -> Self {
        let mut all = self.clone();
        for observation in all.seen.values_mut().filter(|observation| is_meant(&observation.effect)) {
            let mut failed = std::mem::take(&mut observation.calls.failed);
            observation.calls.done.append(&mut failed);
        }
        all
    }

    /// What the sessions did that were active last, as many as are wanted.
    pub fn latest(&self, wanted: usize) -> Self {
        let mut order: Vec<usize> = (0..self.sessions.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse((self.sessions.get(*index).and_then(|one| one.last), *index)));
        order.truncate(wanted);
        order.sort_unstable();
        let mut latest = Self::default();
        for index in order {
            let one = u32::try_from(index).unwrap_or(u32::MAX);
            let mut only = self.only(&|session| session == one);
            only.sessions = self.sessions.get(index).cloned().into_iter().collect();
            for observation in only.seen.values_mut() {
                let Calls { done, failed, refused } = std::mem::take(&mut observation.calls);
                observation.calls =
                    Calls { done: as_first(done), failed: as_first(failed), refused: as_first(refused) };
            }
            latest.append(only);
        }
        latest
    }

    /// In an order that depends on what was done alone.
    pub fn all(&self) -> impl Iterator<Item = &Observation> {
        self.seen.values()
    }

    pub(super) fn time(&self, call: CallId) -> Option<Timestamp> {
        self.sessions.get(call.session as usize)?.times.get(&call.event).copied()
    }
}

/// The calls of one session, as if there were no other.
fn as_first(calls: BTreeSet<CallId>) -> BTreeSet<CallId> {
    calls.into_iter().map(|call| CallId { session: 0, ..call }).collect()
}

/// Commands inside commands.
const DEEPEST: usize = 4;

/// Nothing that the command itself does is unknown. The commands that it starts are judged by themselves, but for the
/// one that it wraps.
fn is_understood(effects: &[Effect], index: usize, depth: usize) -> bool {
    let argv = match effects.get(index).map(|effect| &effect.kind) {
        Some(Kind::Execute(execution)) => execution.argv.as_slice(),
        _ => return false,
    };
    let mut below = effects.iter().enumerate().filter(|(_, other)| other.origin.parent == u32::try_from(index).ok());
    below.all(|(at, child)| match &child.kind {
        Kind::Opaque(_) => false,
        Kind::Execute(inner) if depth > 0 && starts_at(argv, &inner.argv).is_some() => {
            is_understood(effects, at, depth - 1)
        }
        _ => true,
    })
}

/// The tool does nothing that any list but that of tools judges.
fn is_all(effects: &[Effect], index: usize) -> bool {
    let mut others = effects.iter().enumerate().filter(|(at, _)| *at != index);
    others.all(|(_, other)| matches!(&other.kind, Kind::Opaque(opaque) if opaque.reason == Reason::UnlistedTool))
}

/// Where `inner` starts in `outer`: the longest rest of `outer` that `inner` begins with.
fn starts_at(outer: &[Argument], inner: &[Argument]) -> Option<usize> {
    (1..outer.len()).find(|at| outer.get(*at..).is_some_and(|rest| inner.starts_with(rest)))
}

/// What makes two effects the same: neither where in the call they came from nor, but for names that a tool looked for,
/// how the call did it.
fn key(effect: &Effect, root: Option<&str>, cause: Option<&Execution>) -> String {
    let via = match &effect.kind {
        Kind::List(_) if effect.via == "argument" => "argument",
        _ => "",
    };
    let cause = cause.map(|execution| &execution.argv);
    format!("{:?} {:?} {via} {root:?} {cause:?}", effect.kind, effect.certainty)
}
