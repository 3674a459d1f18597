//! Finds calls that enforcement missed, by joining agents' own logs with the decisions of their hooks.
//!
//! Agents report the calls of sub-agents under the session of the parent, or under one of their own. So all logs of a family
//! are joined at once with all decisions about it.

mod logged;
mod pairs;

use std::collections::BTreeSet;

use agent_strace_store::live::Decided;

pub use agent_strace_model::REFUSAL;
pub use logged::{Asked, LoggedSession};
use logged::{LoggedCall, Outcome};
use pairs::Pairs;

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
    /// Calls that the hook was asked about.
    pub asked: usize,
    /// Calls that ran, as far as the log knows.
    pub ran: usize,
    /// Those of them that the hook was asked about.
    pub decided: usize,
    pub unhooked: Vec<UnhookedCall>,
}

/// The sessions of one family, joined with all decisions about them.
#[derive(Debug, Default)]
pub struct JoinedFamily {
    /// One for each session, in their order.
    pub sessions: Vec<Joined>,
    /// Decisions about calls that are in none of the logs.
    pub unknown: usize,
}

/// Calls are joined by the agent's ids. Calls of agents that give their hooks no ids are joined by tool and arguments.
pub fn join(sessions: &[&LoggedSession], asked: &[Asked]) -> JoinedFamily {
    let mut pairs = Pairs::new(asked);
    let mut decided: Vec<Vec<Option<usize>>> = sessions.iter().map(|session| pairs.of(session)).collect();
    for (session, decided) in sessions.iter().zip(&mut decided) {
        for (call, decided) in session.calls.iter().zip(decided) {
            *decided = decided.or_else(|| pairs.of_redacted(call));
        }
    }
    let decided: Vec<Vec<Option<&Decided>>> =
        decided.into_iter().map(|all| all.into_iter().map(|at| pairs.decision(at?)).collect()).collect();
    let seen: BTreeSet<&str> = sessions
        .iter()
        .zip(&decided)
        .flat_map(|(session, decided)| session.calls.iter().zip(decided).map(move |pair| (session, pair)))
        .filter(|(_, (_, decided))| decided.is_some())
        .filter_map(|(session, (call, _))| session.subagent_of(call))
        .collect();
    let joined = sessions.iter().zip(&decided).map(|(session, decided)| session.joined(decided, &seen));
    JoinedFamily { sessions: joined.collect(), unknown: pairs.unused() }
}

impl LoggedSession {
    /// `seen`: the sub-agents about whose calls the hook was asked.
    fn joined(&self, decided: &[Option<&Decided>], seen: &BTreeSet<&str>) -> Joined {
        let mut joined = Joined::default();
        for (call, decided) in self.calls.iter().zip(decided.iter().copied()) {
            joined.asked += usize::from(decided.is_some());
            if !call.ran(decided) {
                continue;
            }
            joined.ran += 1;
            joined.decided += usize::from(decided.is_some());
            let way = match decided {
                None if self.subagent_of(call).is_some_and(|agent| !seen.contains(agent)) => Way::UnseenSubagent,
                None => Way::NoDecision,
                Some(decided) if decided.decision == "deny" && decided.enforced => Way::AfterDeny,
                Some(decided) if decided.decision == "error" && !decided.enforced => Way::NotJudged,
                Some(_) => continue,
            };
            joined.unhooked.push(call.unhooked(way, decided));
        }
        joined
    }
}

impl LoggedCall {
    /// Whether a call ran. A call without a result may have run.
    fn ran(&self, decided: Option<&Decided>) -> bool {
        let is_denied = decided.is_some_and(|decided| decided.decision == "deny");
        match self.outcome {
            _ if self.is_idle && decided.is_none() => false,
            Outcome::Refused => false,
            // A command can print this text, too: it counts where the hook refused that very call.
            Outcome::FailedWithOurRefusal => !is_denied,
            Outcome::Ran => true,
        }
    }

    fn unhooked(&self, way: Way, decided: Option<&Decided>) -> UnhookedCall {
        UnhookedCall {
            way,
            event: self.event,
            line: self.line,
            tool: self.tool.clone(),
            subagent: self.subagent.clone(),
            said: decided.and_then(|decided| {
                decided.error.clone().or_else(|| decided.judged.first().map(|judged| judged.message.clone()))
            }),
        }
    }
}
