//! Applies the policy and the rules to the effects of sessions; owns order, counts and verdict.
//!
//! The engine must not read files, print or know a report format. Start with [`judge_by`] for one session and
//! [`conclude()`] for a run. [`policy_testing`], [`backtest`] and [`generate`] ask the same engine about policies.

mod actors;
pub mod backtest;
mod cache;
mod changed;
mod conclude;
mod copies;
mod distinct;
mod earlier;
mod evals;
mod findings;
pub mod generate;
mod judgement;
#[cfg(test)]
pub mod lines;
pub mod policy_testing;
#[cfg(test)]
mod random;
mod replay;
mod rulings;
mod session;
mod story;
mod unresolved;
mod waiver_matcher;
mod waivers;
mod whole;
mod witness;
mod wording;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use agent_strace_effects::{Effect, LookedAt, WorkTree};
use agent_strace_git::change_set::Change;
use agent_strace_model::finding::Finding;
use agent_strace_model::{Gap, GapKind, Status};
use agent_strace_policy::PolicyIdentity;
use agent_strace_policy::hooks::Manifest;
use agent_strace_rules::Account;
use agent_strace_rules::account::Traced;
use agent_strace_rules::change::{Foreign, Recorded};
use agent_strace_rules::eval::Assessment;
use agent_strace_secrets::Known;

pub use cache::JudgementCache;
pub use conclude::{FailOn, Settings, conclude, settle};
pub use copies::{Copies, Outline, copies};
pub use earlier::{Trace, earlier};
pub use findings::digest as fingerprint_of;
pub use replay::Replay;
pub(crate) use rulings::Rulings;
pub use session::{Entries, Judging, Share, guarded, judge_by, judge_guarded, not_searched};
pub use story::{Activity, Tally};
pub use waivers::{Waived, WaivedBy, WaiverMode, WaiverUsage, is_known_by_a_baseline};
pub use witness::{Moment, TreeLook};
pub use wording::evidence;

/// What was judged, of all sessions, in the order they were given.
#[derive(Debug)]
pub struct Outcome {
    pub policy: Option<PolicyIdentity>,
    /// What judged beside it.
    pub manifests: Vec<Manifest>,
    pub sessions: Vec<SessionOutcome>,
    /// Gaps of inputs that did not become a session, sorted.
    pub gaps: Vec<Gap>,
    pub verdict: Verdict,
    /// What is said about the change as a whole, by file.
    pub of_change: Vec<Finding>,
    pub change: Option<Arc<Change>>,
    /// What was seen of the work tree in which the sessions ran, where the caller looked at it.
    pub work_tree: Option<SeenTree>,
    /// What exceptions and suppressions themselves are worth reporting: about the run, not about a session.
    pub remarks: Vec<Finding>,
    /// Findings that do not count, in the order of the report.
    pub waived: Vec<Waived>,
    /// What each exception and suppression was used for, in the order of the files.
    pub uses: Vec<WaiverUsage>,
    /// Entries of the baseline that no finding of this run matched.
    pub stale: usize,
    /// From which level on findings failed the run.
    pub fail_on: FailOn,
}

/// What was seen of a work tree: an input of the judgement.
#[derive(Debug)]
pub struct SeenTree {
    /// What its user calls it.
    pub name: String,
    /// The directories that were looked at, sorted.
    pub looks: Vec<LookedAt>,
    /// The files that decided, with the time at which each was made or changed last; sorted.
    pub files: Vec<(String, Option<SystemTime>)>,
}

impl SeenTree {
    fn new(tree: &dyn WorkTree, sessions: &[SessionOutcome]) -> Self {
        let files: BTreeSet<&String> = sessions.iter().flat_map(|session| &session.seen).collect();
        let files = files.into_iter().map(|file| (file.clone(), tree.changed(file)));
        Self { name: tree.name().to_owned(), looks: tree.looks(), files: files.collect() }
    }
}

/// The answer, and with it the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Everything in scope was read and judged, nothing at or above the threshold: exit code 0.
    Pass,
    /// Findings at or above the threshold: exit code 1.
    Fail,
    /// No such finding, but evidence is missing or incomplete: exit code 3.
    Incomplete,
}

/// One session, judged.
#[derive(Debug)]
pub struct SessionOutcome {
    pub id: String,
    pub agent: String,
    pub source: String,
    pub parent: Option<String>,
    pub events: usize,
    pub tool_calls: usize,
    /// Calls whose effects were all judged (an opaque effect counts as judged: it was reported).
    pub judged: usize,
    pub effects: usize,
    pub opaque: usize,
    /// Calls the record shows as refused before they ran.
    pub attempts: usize,
    pub unknown_records: u32,
    /// What its log proves.
    pub account: Account,
    /// What it did to the files of the change, where one is judged.
    pub recorded: Option<Recorded>,
    /// Why it can't be of the change that is judged, where it can't.
    pub foreign: Option<Foreign>,
    /// Files of the work tree that decided, as its paths count.
    pub seen: BTreeSet<String>,
    /// Denied files of the work tree that it may have changed.
    pub watched: BTreeSet<String>,
    /// What the run's logs hold of the sub-agents it started, in their order.
    pub traced: Vec<Traced>,
    /// Sorted by event, then rule, then message.
    pub findings: Vec<Finding>,
    /// What was measured of what `.agent-evals.yaml` demands, where something was demanded.
    pub assessment: Option<Assessment>,
    pub gaps: Vec<Gap>,
    /// What later sessions of the run need to know of it.
    pub trace: Trace,
    /// What was done in all, only where the caller asked for it.
    pub activity: Activity,
    /// Every judged effect in order, only where the caller asked for them (`audit`'s text).
    pub entries: Vec<Entry>,
    /// Secrets that its commands contain: no output may show them, wherever they stand.
    pub secrets: Known,
    pub verdict: Verdict,
}

impl SessionOutcome {
    /// Why not every call was judged; `None`: every one was.
    pub fn unjudged(&self) -> Option<&str> {
        if self.judged == self.tool_calls {
            return None;
        }
        let mut failures = self.gaps.iter().filter_map(|gap| match &gap.kind {
            GapKind::Internal(detail) => Some(detail.as_ref()),
            _ => None,
        });
        Some(failures.next().unwrap_or("not every call of the session was judged"))
    }
}

/// One judged effect.
#[derive(Debug)]
pub struct Entry {
    pub event: u32,
    pub tool: String,
    pub status: Status,
    pub effect: Effect,
    pub decision: agent_strace_policy::Decision,
    pub rule: agent_strace_model::finding::RuleId,
    pub level: agent_strace_model::finding::Level,
    /// The entry of the policy that decided.
    pub location: Option<agent_strace_model::finding::PolicyLocation>,
    /// The rule at that location, where it has a name of its own.
    pub policy_rule: Option<std::sync::Arc<agent_strace_model::finding::PolicyRule>>,
    pub basis: agent_strace_policy::Basis,
    /// The entry (`!x`) that takes the file out of the allow list at that location.
    pub taken_out_by: Option<Box<agent_strace_model::finding::PolicyLocation>>,
    /// In the policy's words: `denied by files.read.deny`, `not in files.read.allow`.
    pub reason: String,
    /// It touched a file on the always-on sensitive list.
    pub sensitive: bool,
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod waivers_tests;
#[cfg(test)]
mod words_as_data;
