//! The change that sessions come with, judged as a whole.

use agent_strace_effects::Effect;
use agent_strace_git::change_set::Change;
use agent_strace_model::finding::{Finding, VerdictImpact};
use agent_strace_policy::Policy;
use agent_strace_policy::evidence::Weight;
use agent_strace_rules::change::{ChangeHit, ChangeSite, Changed, Recorded, Witness};
use agent_strace_rules::{Check, Rule};

use super::SessionOutcome;
use super::distinct::order;
use super::findings::digest;
use super::waiver_matcher::WaiverMatcher;

/// What rules say about the change: findings of its sessions are added to them, the others are given back, by file.
pub(super) fn judge(policy: &Policy, sessions: &mut [SessionOutcome], change: &Change) -> Vec<Finding> {
    let nothing = Recorded::default();
    let witnesses: Vec<Witness<'_>> = sessions
        .iter()
        .map(|session| {
            let came_along = !change.settled.contains(&session.source);
            Witness {
                agent: &session.agent,
                family: session.parent.as_deref().unwrap_or(&session.id),
                is_new: came_along && session.foreign.is_none(),
                foreign: session.foreign.as_ref().filter(|_| came_along),
                recorded: session.recorded.as_ref().unwrap_or(&nothing),
            }
        })
        .collect();
    let changed = Changed { change, policy, sessions: &witnesses };
    let mut hits: Vec<(&Rule, ChangeHit)> = Vec::new();
    for rule in agent_strace_rules::all() {
        let Check::Change(check) = rule.check else { continue };
        let mut found = Vec::new();
        check(&changed, &mut found);
        hits.extend(found.into_iter().map(|hit| (*rule, hit)));
    }
    let mut of_change = Vec::new();
    for (rule, hit) in hits {
        match &hit.site {
            ChangeSite::File { .. } => of_change.push(about_file(policy, rule, hit)),
            ChangeSite::Session { at, .. } => {
                let Some(session) = sessions.get_mut(*at) else { continue };
                let finding = about_session(policy, rule, session, hit);
                session.findings.push(finding);
                session.findings.sort_by(|left, right| order(left).cmp(&order(right)));
            }
        }
    }
    of_change.sort_by(|left, right| (&left.file, order(left)).cmp(&(&right.file, order(right))));
    of_change
}

fn about_file(policy: &Policy, rule: &Rule, hit: ChangeHit) -> Finding {
    let ChangeHit { weight, message, site, location, about } = hit;
    let (file, line, effect) = match site {
        ChangeSite::File { path, line, effect } => (Some(path), line, effect),
        ChangeSite::Session { line, .. } => (None, line, None),
    };
    let mut finding = blank(rule, weight, message, &about);
    finding.file = file;
    finding.line = line;
    finding.policy = location;
    finding.effect = effect.as_ref().map(|effect| Box::new(effect.view()));
    mark(policy, "", &mut finding, effect.as_ref());
    finding
}

fn about_session(policy: &Policy, rule: &Rule, session: &SessionOutcome, hit: ChangeHit) -> Finding {
    let ChangeHit { weight, message, site, location, about } = hit;
    let mut finding = blank(rule, weight, message, &about);
    if let ChangeSite::Session { event, line, tool, .. } = site {
        (finding.event, finding.line, finding.tool) = (event, line, tool);
    }
    finding.policy = location;
    mark(policy, &session.id, &mut finding, None);
    finding
}

fn mark(policy: &Policy, session: &str, finding: &mut Finding, effect: Option<&Effect>) {
    WaiverMatcher::of_session(policy, session, None).mark(finding, effect);
}

fn blank(rule: &Rule, weight: Weight, message: String, about: &[String]) -> Finding {
    let parts: Vec<(&str, &str)> =
        [("rule", rule.id.as_str())].into_iter().chain(about.iter().map(|text| ("about", text.as_str()))).collect();
    Finding {
        impact: if weight == Weight::Incomplete { VerdictImpact::Incomplete } else { VerdictImpact::ByLevel },
        ..Finding::of_rule(rule.id, weight.level(), message, digest(&parts))
    }
}
