//! Applies the policy and the rules to a session's effects; owns order, counts and verdict.

mod cast;
mod changed;
mod conclude;
mod cover;
mod evals;
mod findings;
mod heard;
#[cfg(test)]
pub(crate) mod lines;
mod memory;
mod replay;
mod session;
mod story;
mod waive;
mod whole;
mod wording;

use std::sync::Arc;

use crate::change::Change;
use crate::effects::Effect;
use crate::eval::Assessment;
use crate::finding::Finding;
use crate::model::{Gap, Status};
use crate::policy::PolicyIdentity;
use crate::policy::hooks::Manifest;
use crate::rules::Account;
use crate::rules::account::Traced;
use crate::rules::change::Recorded;

pub(crate) use conclude::{FailOn, Settings, conclude, settle};
pub(crate) use memory::Memory;
pub(crate) use replay::Replay;
pub(crate) use session::{Entries, Judging, Rulings, Share, guarded, judge_by, judge_guarded, not_searched};
pub(crate) use story::{Activity, Tally};
pub(crate) use waive::{By, Use, Waived, Waiving, is_known_by_a_baseline};
pub(crate) use wording::evidence;

/// What was judged, of all sessions, in the order they were given.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) policy: Option<PolicyIdentity>,
    /// What judged beside it.
    pub(crate) manifests: Vec<Manifest>,
    pub(crate) sessions: Vec<SessionOutcome>,
    /// Gaps of inputs that did not become a session, sorted.
    pub(crate) gaps: Vec<Gap>,
    pub(crate) verdict: Verdict,
    /// What is said about the change as a whole, by file.
    pub(crate) of_change: Vec<Finding>,
    pub(crate) change: Option<Arc<Change>>,
    /// What exceptions and suppressions themselves are worth reporting: about the run, not about a session.
    pub(crate) remarks: Vec<Finding>,
    /// Findings that do not count, in the order of the report.
    pub(crate) waived: Vec<Waived>,
    /// What each exception and suppression was used for, in the order of the files.
    pub(crate) uses: Vec<Use>,
    /// Entries of the baseline that no finding of this run matched.
    pub(crate) stale: usize,
    /// From which level on findings failed the run.
    pub(crate) fail_on: FailOn,
}

/// The answer, and with it the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Everything in scope was read and judged, nothing at or above the threshold: exit code 0.
    Pass,
    /// Findings at or above the threshold: exit code 1.
    Fail,
    /// No such finding, but evidence is missing or incomplete: exit code 3.
    Incomplete,
}

/// One session, judged.
#[derive(Debug)]
pub(crate) struct SessionOutcome {
    pub(crate) id: String,
    pub(crate) agent: String,
    pub(crate) source: String,
    pub(crate) parent: Option<String>,
    pub(crate) events: usize,
    pub(crate) tool_calls: usize,
    /// Calls whose effects were all judged (an opaque effect counts as judged: it was reported).
    pub(crate) judged: usize,
    pub(crate) effects: usize,
    pub(crate) opaque: usize,
    /// Calls the record shows as refused before they ran.
    pub(crate) attempts: usize,
    pub(crate) unknown_records: u32,
    /// What its log proves.
    pub(crate) account: Account,
    /// What it did to the files of the change, where one is judged.
    pub(crate) recorded: Option<Recorded>,
    /// What the run's logs hold of the sub-agents it started, in their order.
    pub(crate) traced: Vec<Traced>,
    /// Sorted by event, then rule, then message.
    pub(crate) findings: Vec<Finding>,
    /// What was measured of what `.agent-evals.yaml` demands, where something was demanded.
    pub(crate) assessment: Option<Assessment>,
    pub(crate) gaps: Vec<Gap>,
    /// What was done in all, only where the caller asked for it.
    pub(crate) activity: Activity,
    /// Every judged effect in order, only where the caller asked for them (`audit`'s text).
    pub(crate) entries: Vec<Entry>,
    pub(crate) verdict: Verdict,
}

impl SessionOutcome {
    /// Why not every call was judged; `None`: every one was.
    pub(crate) fn unjudged(&self) -> Option<&str> {
        if self.judged == self.tool_calls {
            return None;
        }
        let fault = self.gaps.iter().find(|gap| gap.reason.starts_with("internal error"));
        Some(fault.map_or("not every call of the session was judged", |gap| gap.reason.as_str()))
    }
}

/// One judged effect.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) event: u32,
    pub(crate) tool: String,
    pub(crate) status: Status,
    pub(crate) effect: Effect,
    pub(crate) decision: crate::policy::Decision,
    pub(crate) rule: crate::finding::RuleId,
    pub(crate) level: crate::finding::Level,
    /// The entry of the policy that decided.
    pub(crate) place: Option<crate::finding::PolicyPlace>,
    /// The rule at that place, where it has a name of its own.
    pub(crate) named: Option<std::sync::Arc<crate::finding::Named>>,
    /// In the policy's words: `denied by files.read.deny`, `not in files.read.allow`.
    pub(crate) reason: String,
    /// It touched a file on the always-on sensitive list.
    pub(crate) sensitive: bool,
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod waiving_tests;
