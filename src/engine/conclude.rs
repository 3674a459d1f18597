//! Sessions, judged one by one → one answer.

use std::collections::BTreeSet;

use crate::finding::{Counts, Level};
use crate::model::Gap;
use crate::policy::Policy;
use crate::rules::Source;

use super::{Outcome, SessionOutcome, Verdict, whole};

/// From which level on a finding fails the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailOn {
    Never,
    Level(Level),
}

/// What decides beside the evidence.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) fail_on: FailOn,
    /// Fingerprints of findings that are known: they are removed and counted.
    pub(crate) baseline: BTreeSet<String>,
    /// Where all logs of the run came from.
    pub(crate) source: Source,
}

impl Default for Settings {
    fn default() -> Self {
        Self { fail_on: FailOn::Level(Level::Error), baseline: BTreeSet::new(), source: Source::default() }
    }
}

/// Judges the sessions as wholes, each among the others, and gives the answer. `gaps`: of inputs that did not become a
/// session. The order of the sessions changes nothing but the order of the report.
pub(crate) fn conclude(
    policy: &Policy,
    mut sessions: Vec<SessionOutcome>,
    gaps: Vec<Gap>,
    settings: &Settings,
) -> Outcome {
    whole::judge(policy, &mut sessions, &gaps, settings);
    settle(policy, sessions, gaps, settings)
}

/// The answer to what was found so far: all there is to say where a command was asked about, not a session.
pub(crate) fn settle(
    policy: &Policy,
    mut sessions: Vec<SessionOutcome>,
    mut gaps: Vec<Gap>,
    settings: &Settings,
) -> Outcome {
    gaps.sort();
    gaps.dedup();
    let mut baselined = 0;
    for session in &mut sessions {
        let before = session.findings.len();
        // What is missing can't be known from before.
        session.findings.retain(|finding| {
            finding.counts == Counts::Incomplete || !settings.baseline.contains(&finding.fingerprint)
        });
        baselined += before - session.findings.len();
        session.verdict = verdict_of(session, settings.fail_on);
    }
    // A run without any session that could hold an agent's calls is evidence of nothing.
    let none = !sessions.iter().any(|session| session.account.carries.acts());
    let verdict = if sessions.iter().any(|session| session.verdict == Verdict::Fail) {
        Verdict::Fail
    } else if none || !gaps.is_empty() || sessions.iter().any(|session| session.verdict == Verdict::Incomplete) {
        Verdict::Incomplete
    } else {
        Verdict::Pass
    };
    Outcome { policy: policy.identity().cloned(), sessions, gaps, verdict, baselined }
}

fn verdict_of(session: &SessionOutcome, fail_on: FailOn) -> Verdict {
    let (counting, lacking): (Vec<_>, Vec<_>) =
        session.findings.iter().partition(|finding| finding.counts == Counts::ByLevel);
    let fails = match fail_on {
        FailOn::Never => false,
        FailOn::Level(level) => counting.iter().any(|finding| finding.level >= level),
    };
    if fails {
        Verdict::Fail
    } else if lacking.is_empty() && session.gaps.is_empty() && session.judged == session.tool_calls {
        Verdict::Pass
    } else {
        Verdict::Incomplete
    }
}
