//! Sessions, judged one by one → one answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::civil::Date;

use agent_strace_effects::WorkTree;
use agent_strace_git::change_set::{Change, Extent};
use agent_strace_model::Gap;
use agent_strace_model::finding::{Finding, Level, RuleId, VerdictImpact};
use agent_strace_policy::{EntryTexts, Policy};
use agent_strace_rules::Source;
use agent_strace_rules::eval::Demands;

use super::waivers::{self, Applied, WaiverMode};
use super::{Outcome, SeenTree, SessionOutcome, Verdict, changed, evals, whole};

/// From which level on a finding fails the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    Never,
    Level(Level),
}

/// What decides beside the evidence.
#[derive(Debug, Clone)]
pub struct Settings {
    pub fail_on: FailOn,
    /// Fingerprints of findings that are known: they are removed and counted.
    pub baseline: BTreeSet<String>,
    /// The day, in UTC, that exceptions and suppressions are held against. `None`: none of them holds.
    pub today: Option<Date>,
    pub waiver_mode: WaiverMode,
    /// Where all logs of the run came from.
    pub source: Source,
    /// Selects the rules whose findings are reported; `None`: all of them. Missing evidence is always reported.
    pub only: Option<fn(RuleId) -> bool>,
    /// What sessions have to be like.
    pub demands: Option<Arc<Demands>>,
    /// The change that they come with.
    pub change: Option<Arc<Change>>,
    /// The work tree in which they ran, where the caller looks at it.
    pub work_tree: Option<Arc<dyn WorkTree>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            fail_on: FailOn::Level(Level::Error),
            baseline: BTreeSet::new(),
            today: None,
            waiver_mode: WaiverMode::Apply,
            source: Source::default(),
            only: None,
            demands: None,
            change: None,
            work_tree: None,
        }
    }
}

/// Judges the sessions as wholes, each among the others, and gives the answer. `gaps`: of inputs that did not become a
/// session. The order of the sessions changes nothing but the order of the report.
pub fn conclude(policy: &Policy, mut sessions: Vec<SessionOutcome>, gaps: Vec<Gap>, settings: &Settings) -> Outcome {
    whole::judge(policy, &mut sessions, &gaps, settings);
    let change = settings.change.as_deref();
    let mut of_change = change.map(|change| changed::judge(policy, &mut sessions, change)).unwrap_or_default();
    if let Some(is_wanted) = settings.only {
        let wanted = |finding: &Finding| is_wanted(finding.rule);
        of_change.retain(wanted);
        for session in &mut sessions {
            session.findings.retain(|finding| wanted(finding) || finding.impact == VerdictImpact::Incomplete);
        }
    }
    evals::judge(policy, &mut sessions, settings);
    let applied = waivers::apply(policy, &mut sessions, &mut of_change, settings);
    let remarks = waivers::remarks(policy, &applied, settings);
    Judged { sessions, of_change, gaps, applied, remarks }.outcome(policy, settings)
}

/// The outcome of sessions without the rules that need all of them, such as for a single command.
pub fn settle(policy: &Policy, mut sessions: Vec<SessionOutcome>, gaps: Vec<Gap>, settings: &Settings) -> Outcome {
    let applied = waivers::apply(policy, &mut sessions, &mut Vec::new(), settings);
    Judged { sessions, of_change: Vec::new(), gaps, applied, remarks: Vec::new() }.outcome(policy, settings)
}

/// Everything that rules and waivers said.
struct Judged {
    sessions: Vec<SessionOutcome>,
    /// Findings about the change as a whole.
    of_change: Vec<Finding>,
    gaps: Vec<Gap>,
    applied: Applied,
    /// Findings about waivers.
    remarks: Vec<Finding>,
}

impl Judged {
    /// With the words of the entries that decided.
    fn with_entries(mut self, policy: &Policy) -> Self {
        let of_sessions = self.sessions.iter_mut().flat_map(|session| &mut session.findings);
        let waived = self.applied.waived.iter_mut().map(|waived| &mut waived.finding);
        let all = of_sessions.chain(&mut self.of_change).chain(&mut self.remarks).chain(waived);
        let mut texts = None;
        for finding in all {
            let Some(location) = finding.taken_out_by.as_deref().or(finding.policy.as_ref()) else { continue };
            let path = finding.effect.as_ref().and_then(|effect| effect.path.as_deref());
            finding.policy_entry = texts.get_or_insert_with(|| EntryTexts::new(policy)).at(location, path);
        }
        self
    }

    fn outcome(self, policy: &Policy, settings: &Settings) -> Outcome {
        let Self { mut sessions, of_change, mut gaps, applied, remarks } = self.with_entries(policy);
        gaps.sort();
        gaps.dedup();
        for session in &mut sessions {
            session.verdict = verdict_of(session, settings.fail_on);
        }
        // A run without any session that could hold an agent's calls is evidence of nothing, but for a change that people made:
        // whether agents had a part in it is for rules to say.
        let is_accounted_for =
            sessions.is_empty() && settings.change.as_ref().is_some_and(|change| change.extent == Extent::Everything);
        let none = !is_accounted_for && !sessions.iter().any(|session| session.account.carries.acts());
        let lacks = of_change.iter().any(|finding| finding.impact == VerdictImpact::Incomplete);
        let found = fails(&remarks, settings.fail_on) || fails(&of_change, settings.fail_on);
        let verdict = if found || sessions.iter().any(|session| session.verdict == Verdict::Fail) {
            Verdict::Fail
        } else if none
            || lacks
            || !gaps.is_empty()
            || sessions.iter().any(|session| session.verdict == Verdict::Incomplete)
        {
            Verdict::Incomplete
        } else {
            Verdict::Pass
        };
        let Applied { waived, uses, stale, .. } = applied;
        let (policy, manifests) = (policy.identity().cloned(), policy.hooks().manifests.clone());
        let (change, fail_on) = (settings.change.clone(), settings.fail_on);
        let work_tree = settings.work_tree.as_deref().map(|tree| SeenTree::new(tree, &sessions));
        Outcome {
            policy,
            manifests,
            sessions,
            gaps,
            verdict,
            of_change,
            change,
            work_tree,
            remarks,
            waived,
            uses,
            stale,
            fail_on,
        }
    }
}

fn verdict_of(session: &SessionOutcome, fail_on: FailOn) -> Verdict {
    let lacks = session.findings.iter().any(|finding| finding.impact == VerdictImpact::Incomplete);
    if fails(&session.findings, fail_on) {
        Verdict::Fail
    } else if !lacks && session.gaps.is_empty() && session.judged == session.tool_calls {
        Verdict::Pass
    } else {
        Verdict::Incomplete
    }
}

fn fails(findings: &[Finding], fail_on: FailOn) -> bool {
    let FailOn::Level(level) = fail_on else { return false };
    findings.iter().any(|finding| finding.impact == VerdictImpact::ByLevel && finding.level >= level)
}
