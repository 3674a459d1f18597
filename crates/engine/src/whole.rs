//! Sessions as wholes, each among the others of its run: what their logs do not prove, and who ran them.

use agent_strace_model::Gap;
use agent_strace_model::finding::{Family, Finding, RuleId, VerdictImpact};
use agent_strace_policy::Policy;
use agent_strace_policy::evidence::Weight;
use agent_strace_rules::{Account, Check, Rule, Run, SessionHit, Source, Whole};

use super::SessionOutcome;
use super::conclude::Settings;
use super::distinct::order;
use super::findings::digest;
use super::waiver_matcher::WaiverMatcher;

/// Adds what the rules about whole sessions say.
pub(super) fn judge(policy: &Policy, sessions: &mut [SessionOutcome], gaps: &[Gap], settings: &Settings) {
    for session in sessions.iter_mut() {
        let account = &mut session.account;
        account.source = if account.committed { Source::PullRequest } else { settings.source };
        account.claimed = settings.source;
    }
    let run = Run::new(sessions.iter().map(|session| &session.account));
    let mut found = Vec::with_capacity(sessions.len());
    for session in sessions.iter() {
        let account = &session.account;
        let listed = !gaps.is_empty() || !session.gaps.is_empty();
        let traced = account.started.iter().map(|started| run.trace(account, started)).collect();
        found.push((traced, findings(Whole { account, run: &run, policy }, listed)));
    }
    for (session, (traced, mut findings)) in sessions.iter_mut().zip(found) {
        let matcher = WaiverMatcher::of_session(policy, &session.id, None);
        for finding in &mut findings {
            matcher.mark(finding, None);
        }
        session.traced = traced;
        session.findings.extend(findings);
        session.findings.sort_by(|left, right| order(left).cmp(&order(right)));
    }
}

/// `listed`: the report lists what could not be read.
fn findings(whole: Whole<'_>, listed: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in agent_strace_rules::all() {
        let Check::Session(check) = rule.check else { continue };
        let mut hits = Vec::new();
        check(&whole, &mut hits);
        for hit in hits {
            findings.extend(finding(&whole, rule, hit, listed));
        }
    }
    findings
}

fn finding(whole: &Whole<'_>, rule: &Rule, hit: SessionHit, listed: bool) -> Option<Finding> {
    let is_evidence = rule.id.family() == Family::Evidence;
    let (weight, switch) =
        if is_evidence { whole.policy.evidence().weight(rule.id) } else { (Weight::Level(rule.level), None) };
    // The list of gaps says the same, with its locations.
    let said = listed && switch.is_none() && matches!(rule.id, RuleId::EvidenceUnreadable | RuleId::EvidenceTruncated);
    if weight == Weight::Off || said {
        return None;
    }
    // What the policy itself says of the rule holds for all that it finds.
    let own = hit.level.filter(|_| switch.is_none());
    let level = own.unwrap_or_else(|| weight.level());
    let impact =
        if weight == Weight::Incomplete && own.is_none() { VerdictImpact::Incomplete } else { VerdictImpact::ByLevel };
    let (event, line) = hit.at.unwrap_or((0, 1));
    let known_by = hit.known_by.as_deref().unwrap_or(&hit.message);
    let fingerprint = fingerprint(whole.account, rule, known_by);
    Some(Finding {
        event,
        line,
        policy: hit.location.or_else(|| switch.cloned()),
        impact,
        ..Finding::of_rule(rule.id, level, hit.message, fingerprint)
    })
}

fn fingerprint(account: &Account, rule: &Rule, message: &str) -> String {
    let mut parts = vec![("rule", rule.id.as_str()), ("message", message)];
    // What one session lacks, or how long it is kept, is not known of another.
    if matches!(rule.id.family(), Family::Evidence | Family::Retention) {
        parts.push(("session", &account.id));
    }
    digest(&parts)
}
