//! Finds calls that enforcement missed, by joining the agent's own log with the decisions of its hook.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use agent_strace_model::{Arguments, EventKind, Scripts, Session, Status, ToolCall};
use agent_strace_store::live::{Decided, Decisions};

/// The way in which a call got past the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// It was denied, and ran.
    AfterDeny,
    /// A sub-agent made it, and the hook never saw a call of that sub-agent.
    UnseenSubagent,
    /// It ran without a decision.
    NoDecision,
    /// It ran, and the hook could not judge it.
    NotJudged,
}

impl Way {
    pub const ALL: [Self; 4] = [Self::AfterDeny, Self::UnseenSubagent, Self::NoDecision, Self::NotJudged];

    pub fn name(self) -> &'static str {
        match self {
            Self::AfterDeny => "ran-after-deny",
            Self::UnseenSubagent => "unseen-subagent",
            Self::NoDecision => "no-decision",
            Self::NotJudged => "not-judged",
        }
    }

    /// A description of a call, for messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::AfterDeny => "it was denied, and ran",
            Self::UnseenSubagent => "it ran in a sub-agent of which the hook saw no call",
            Self::NoDecision => "it ran without a decision",
            Self::NotJudged => "it ran, and the hook could not judge it",
        }
    }
}

/// A call that got past the hook.
#[derive(Debug, PartialEq, Eq)]
pub struct UnhookedCall {
    pub way: Way,
    /// The event's number in the agent's log, and its line.
    pub event: u32,
    pub line: u32,
    pub tool: String,
    pub subagent: Option<String>,
    /// The hook's message, or the reason why it could not judge.
    pub said: Option<String>,
}

/// The calls of one session, joined with the hook's decisions.
#[derive(Debug, Default)]
pub struct Joined {
    /// Calls that ran, as far as the log knows.
    pub ran: usize,
    pub decided: usize,
    pub unhooked: Vec<UnhookedCall>,
    /// Decisions about calls that are not in the log.
    pub unknown: usize,
}

/// Calls are joined by the agent's ids, and those without one by their tool, in order.
pub fn join(session: &Session<'_>, decisions: &Decisions) -> Joined {
    // The last decision about a call counts.
    let mut last: BTreeMap<(u32, &str), &Decided> = BTreeMap::new();
    for decided in &decisions.all {
        last.insert((decided.event, &decided.tool_use_id), decided);
    }
    let total = last.len();
    let mut by_call: BTreeMap<&str, VecDeque<&Decided>> = BTreeMap::new();
    let mut by_tool: BTreeMap<&str, VecDeque<&Decided>> = BTreeMap::new();
    for decided in last.into_values() {
        by_call.entry(&decided.tool_use_id).or_default().push_back(decided);
        by_tool.entry(&decided.tool_name).or_default().push_back(decided);
    }
    let mut pairs = Vec::new();
    for (event, call) in session.calls() {
        let decided = match call.call_id.as_deref() {
            // The same id may be given to several calls.
            Some(id) if by_call.contains_key(id) => by_call.get_mut(id).and_then(VecDeque::pop_front),
            // No decision has the id: the hook was never asked, unless it gets no ids.
            Some(_) if has_ids(&decisions.all) => None,
            _ => by_tool.get_mut(&*call.tool).and_then(VecDeque::pop_front),
        };
        pairs.push((event, call, decided));
    }
    let decided = pairs.iter().filter(|(_, _, decided)| decided.is_some()).count();
    let known: BTreeSet<&str> = pairs
        .iter()
        .filter(|(_, _, decided)| decided.is_some())
        .filter_map(|(_, call, _)| call.subagent.as_deref())
        .collect();
    let mut joined = Joined { unknown: total.saturating_sub(decided), ..Joined::default() };
    let refused = refused(session);
    for (event, call, decided) in pairs {
        if !ran(call, &refused, decided) || decided.is_none() && is_unfolded(session, call) {
            continue;
        }
        joined.ran += 1;
        joined.decided += usize::from(decided.is_some());
        let way = match decided {
            None if call.subagent.as_deref().is_some_and(|agent| !known.contains(agent)) => Way::UnseenSubagent,
            None => Way::NoDecision,
            Some(decided) if decided.decision == "deny" && decided.enforced => Way::AfterDeny,
            Some(decided) if decided.decision == "error" && !decided.enforced => Way::NotJudged,
            Some(_) => continue,
        };
        joined.unhooked.push(UnhookedCall {
            way,
            event: event.number,
            line: event.line,
            tool: call.tool.clone().into_owned(),
            subagent: call.subagent.as_deref().map(str::to_owned),
            said: decided.and_then(|decided| {
                decided.error.clone().or_else(|| decided.judged.first().map(|judged| judged.message.clone()))
            }),
        });
    }
    joined
}

/// Whether the hook was given ids by the agent; otherwise the recorder assigned its own.
fn has_ids(decisions: &[Decided]) -> bool {
    decisions.iter().any(|decided| !decided.tool_use_id.starts_with(super::record::OWN))
}

/// The start of the gate's own refusal.
pub const REFUSAL: &str = "agent-strace: the scope of this repository";

/// Calls whose result holds the gate's own refusal. A command can print it, too: it counts where the hook refused that
/// very call.
fn refused<'s>(session: &'s Session<'_>) -> BTreeSet<&'s str> {
    let results = session.events.iter().filter_map(|event| match &event.kind {
        EventKind::Result(result) if result.is_error => Some(result),
        _ => None,
    });
    let ours = results.filter(|result| result.text.as_ref().is_some_and(|text| text.decode().contains(REFUSAL)));
    ours.filter_map(|result| result.call_id.as_deref()).collect()
}

/// A script whose calls are all recorded does nothing by itself: hosts ask their hooks about its calls only.
fn is_unfolded(session: &Session<'_>, call: &ToolCall<'_>) -> bool {
    let is_whole = || matches!(&call.arguments, Arguments::Text(source) if source.contains("tools."));
    session.dialect.scripts == Scripts::Unfolded && call.tool == "exec" && is_whole()
}

/// Whether a call ran. A call without a result may have run.
fn ran(call: &ToolCall<'_>, refused: &BTreeSet<&str>, decided: Option<&Decided>) -> bool {
    let is_denied = decided.is_some_and(|decided| decided.decision == "deny");
    match call.status {
        Status::Denied => false,
        Status::Ok | Status::Interrupted | Status::Missing => true,
        Status::Error => !(is_denied && call.call_id.as_deref().is_some_and(|id| refused.contains(id))),
    }
}
