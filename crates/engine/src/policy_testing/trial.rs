//! A few calls as a session of their own, judged by the engine. Exceptions are left out of account: they end, and a test
//! holds on every day.

use std::borrow::Cow;
use std::sync::Arc;

use crate::{Entries, Entry};
use agent_strace_effects::Repository;
use agent_strace_model::finding::{Family, Finding, Level, RuleId};
use agent_strace_model::{Arguments, Dialect, Event, EventKind, Origin, Session, Status, ToolCall};
use agent_strace_policy::{Answer, Caller, Decision, Policy, TestCall, dotted};

/// Where the workspace is.
const ROOT: &str = "/repo";

static TRIAL: Dialect = Dialect::new("trial", "claude-code");

/// What came of it.
pub struct Tried {
    pub answer: Answer,
    /// The heaviest of what was not resolved: it fails the gate if it is an error.
    pub unresolved: Option<Level>,
    /// Every effect, judged.
    pub entries: Vec<Entry>,
    /// What rules with a memory found, and what was found about sensitive files.
    pub others: Vec<Finding>,
}

/// The calls as a session; `caller` says who calls and where.
pub fn session<'a>(calls: &'a [TestCall], caller: &'a Caller) -> Session<'a> {
    let cwd = match caller.cwd.as_deref() {
        None => Cow::Borrowed(ROOT),
        Some(absolute) if absolute.starts_with(['/', '~']) => Cow::Borrowed(absolute),
        Some(relative) => Cow::Owned(format!("{ROOT}/{relative}")),
    };
    let event = |(number, call): (u32, &'a TestCall)| Event {
        number,
        id: None,
        line: number,
        time: None,
        origin: Origin::default(),
        kind: EventKind::Call(ToolCall {
            call_id: None,
            tool: Cow::Borrowed(call.tool.as_str()),
            arguments: Arguments::Json(Cow::Borrowed(call.arguments.as_str())),
            cwd: Some(cwd.clone()),
            status: Status::Ok,
            subagent: caller.subagent.as_deref().map(Cow::Borrowed),
        }),
    };
    let mut session = Session::new(&TRIAL, "-");
    session.id = Cow::Borrowed("-");
    session.root = Some(Cow::Borrowed(ROOT));
    session.events = (1..).zip(calls).map(event).collect();
    if let Some(agent) = &caller.agent {
        session.agent = Cow::Borrowed(agent);
    }
    session.attribution.permission_modes = caller.mode.as_deref().map(Cow::Borrowed).into_iter().collect();
    session
}

/// The strictest answer to any of the calls.
pub(crate) fn tried(policy: &Policy, calls: &[TestCall], caller: &Caller) -> Tried {
    let session = session(calls, caller);
    let outcome = crate::judge_guarded(&session, Vec::new(), policy, Entries::Keep, &Arc::default());
    let entries = outcome.entries;
    let others: Vec<Finding> =
        outcome.findings.into_iter().filter(|found| !is_of_effect(found) && found.level == Level::Error).collect();
    let unresolved = entries.iter().filter(|entry| entry.decision == Decision::Unresolved).map(|entry| entry.level);
    // A fault of our own judged nothing.
    let unresolved = unresolved.max().or((!outcome.gaps.is_empty()).then_some(Level::Error));
    let decided = |decision: Decision| entries.iter().any(|entry| entry.decision == decision);
    let answer = if decided(Decision::Denied) || !others.is_empty() {
        Answer::Deny
    } else if decided(Decision::Asked) {
        Answer::Ask
    } else if unresolved.is_some() {
        Answer::Unresolved
    } else {
        Answer::Allow
    };
    Tried { answer, unresolved, entries, others }
}

/// The gate would fail for one of the calls. A rule of a lower severity forbids, and does not fail.
pub(crate) fn fails(policy: &Policy, calls: &[TestCall], caller: &Caller) -> bool {
    let tried = tried(policy, calls, caller);
    let is_error = |entry: &Entry| {
        entry.level == Level::Error
            && matches!(entry.decision, Decision::Denied | Decision::Asked | Decision::Unresolved)
    };
    tried.unresolved == Some(Level::Error) || !tried.others.is_empty() || tried.entries.iter().any(is_error)
}

/// It says no more than the judgement of an effect.
fn is_of_effect(found: &Finding) -> bool {
    let family = found.rule.family();
    matches!(family, Family::Scope | Family::Floor | Family::Evidence | Family::Coverage)
        && found.rule != RuleId::ScopeSensitive
}

impl Tried {
    /// The gate would refuse it at its default level.
    pub fn fails(&self) -> bool {
        self.is_forbidden() || self.unresolved == Some(Level::Error)
    }

    /// Something forbids it, not only doubt.
    pub(crate) fn is_forbidden(&self) -> bool {
        matches!(self.answer, Answer::Deny | Answer::Ask)
    }

    /// What the answer rests on: names of entries and rules, each once.
    pub fn decided_by(&self) -> Vec<String> {
        let mut names = deciders(self.answer, self.entries.iter());
        if self.answer == Answer::Deny {
            let name =
                |found: &Finding| found.policy_rule.as_ref().map_or(found.rule.as_str(), |rule| &rule.id).to_owned();
            names.extend(self.others.iter().map(name));
        }
        once(names)
    }
}

/// What some effects come to, and the names of what says so.
pub fn answer_of(entries: &[&Entry]) -> (Answer, Vec<String>) {
    let answer = entries.iter().map(|entry| answer(entry.decision)).max().unwrap_or(Answer::Allow);
    (answer, once(deciders(answer, entries.iter().copied())))
}

/// The numbers of the events that do something that is refused.
pub fn refused(policy: &Policy, session: &Session<'_>, repository: &Arc<Repository>) -> Vec<u32> {
    let outcome = crate::judge_guarded(session, Vec::new(), policy, Entries::Keep, repository);
    let refused = outcome.entries.iter().filter(|entry| answer(entry.decision) > Answer::Allow);
    let mut numbers: Vec<u32> = refused.map(|entry| entry.event).collect();
    numbers.dedup();
    numbers
}

fn answer(decision: Decision) -> Answer {
    match decision {
        Decision::Allowed | Decision::Unruled => Answer::Allow,
        Decision::Unresolved => Answer::Unresolved,
        Decision::Asked => Answer::Ask,
        Decision::Denied => Answer::Deny,
    }
}

fn deciders<'e>(wanted: Answer, entries: impl Iterator<Item = &'e Entry>) -> Vec<String> {
    // What no entry speaks of decides nothing.
    let speaks = |entry: &&Entry| entry.decision != Decision::Unruled && answer(entry.decision) == wanted;
    entries.filter(speaks).map(deciding).collect()
}

fn once(mut names: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// The entry that decided about an effect by name, or the built-in rule.
fn deciding(entry: &Entry) -> String {
    match (&entry.policy_rule, &entry.location) {
        (Some(rule), _) => rule.id.clone(),
        (None, Some(location)) => dotted(&location.pointer),
        (None, None) => entry.rule.to_string(),
    }
}
