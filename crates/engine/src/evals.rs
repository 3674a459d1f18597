//! Demands on findings: they are judged when it is known which findings count.

use agent_strace_model::finding::Finding;
use agent_strace_policy::Policy;
use agent_strace_rules::eval::{self, RunSession, Stage};

use super::SessionOutcome;
use super::conclude::Settings;
use super::distinct::order;
use super::findings::of_event;
use super::waiver_matcher::WaiverMatcher;
use super::waivers;

/// Fills in what depends on findings, and adds what falls short because of it.
pub(super) fn judge(policy: &Policy, sessions: &mut [SessionOutcome], settings: &Settings) {
    let Some(demands) = &settings.demands else { return };
    let mut run_sessions: Vec<RunSession<'_>> = sessions.iter_mut().filter_map(run_session).collect();
    eval::relate(&demands.evals, &mut run_sessions);
    let waived = waivers::preview(policy, sessions, settings);
    for (index, session) in sessions.iter_mut().enumerate() {
        let Some(assessment) = &mut session.assessment else { continue };
        let counting = session.findings.iter().enumerate().filter(|(at, _)| !waived.contains(&(index, *at)));
        let counting: Vec<&Finding> = counting.map(|(_, finding)| finding).collect();
        eval::settle(&demands.evals, assessment, &counting);
        let matcher = WaiverMatcher::of_session(policy, &session.id, None);
        let hits = eval::hits(demands, assessment, Stage::Findings);
        session.findings.extend(hits.into_iter().map(|hit| {
            let mut finding = of_event(None, None, &session.id, hit);
            matcher.mark(&mut finding, None);
            finding
        }));
        session.findings.sort_by(|left, right| order(left).cmp(&order(right)));
    }
}

fn run_session(session: &mut SessionOutcome) -> Option<RunSession<'_>> {
    let assessment = session.assessment.as_mut()?;
    Some(RunSession { id: session.id.clone(), parent: session.parent.clone(), assessment })
}
