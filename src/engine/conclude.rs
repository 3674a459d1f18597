//! Sessions, judged one by one → one answer.

use std::collections::BTreeSet;

use crate::finding::Level;
use crate::model::Gap;
use crate::policy::PolicyIdentity;

use super::{Outcome, SessionOutcome, Verdict};

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
}

impl Default for Settings {
    fn default() -> Self {
        Self { fail_on: FailOn::Level(Level::Error), baseline: BTreeSet::new() }
    }
}

/// `gaps`: of inputs that did not become a session.
pub(crate) fn conclude(
    policy: Option<PolicyIdentity>,
    mut sessions: Vec<SessionOutcome>,
    mut gaps: Vec<Gap>,
    settings: &Settings,
) -> Outcome {
    gaps.sort();
    gaps.dedup();
    let mut baselined = 0;
    for session in &mut sessions {
        let before = session.findings.len();
        session.findings.retain(|finding| !settings.baseline.contains(&finding.fingerprint));
        baselined += before - session.findings.len();
        session.verdict = verdict_of(session, settings.fail_on);
    }
    // A run without any session is evidence of nothing.
    let none = sessions.is_empty();
    let verdict = if sessions.iter().any(|session| session.verdict == Verdict::Fail) {
        Verdict::Fail
    } else if none || !gaps.is_empty() || sessions.iter().any(|session| session.verdict == Verdict::Incomplete) {
        Verdict::Incomplete
    } else {
        Verdict::Pass
    };
    Outcome { policy, sessions, gaps, verdict, baselined }
}

fn verdict_of(session: &SessionOutcome, fail_on: FailOn) -> Verdict {
    let fails = match fail_on {
        FailOn::Never => false,
        FailOn::Level(level) => session.findings.iter().any(|finding| finding.level >= level),
    };
    if fails {
        Verdict::Fail
    } else if session.gaps.is_empty() && session.judged == session.tool_calls {
        Verdict::Pass
    } else {
        Verdict::Incomplete
    }
}
