//! Judgements and hits → findings with locations and fingerprints.

use sha2::{Digest as _, Sha256};

use agent_strace_effects::{Effect, Kind};
use agent_strace_model::finding::{Cause, EffectView, Finding, Level, RuleId};
use agent_strace_model::{Event, Status};
use agent_strace_policy::{Decision, Judgement, hex};
use agent_strace_rules::Hit;
use agent_strace_rules::private::{PrivateHit, masked};

use super::replay::Step;
use super::{unresolved, wording};

/// The event a finding stands at.
pub(super) struct At<'a> {
    pub(super) step: &'a Step<'a>,
    /// What the log says of it, where that is wanted.
    pub(super) evidence: Option<String>,
    /// What was done, with where in the text it comes from.
    pub(super) effect: &'a Effect,
}

/// The step that an effect belongs to, and where the checkout of its session lies.
#[derive(Clone, Copy)]
pub(super) struct Done<'a> {
    pub(super) step: &'a Step<'a>,
    pub(super) root: Option<&'a str>,
}

/// What one judged effect is worth reporting, wherever it was done.
pub(super) fn of_effect(effect: &Effect, done: Done<'_>, judgement: &Judgement) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Most effects are allowed: nothing is put into words for them.
    if !judgement.matters() {
        return findings;
    }
    let effect = &*judgement.effect(effect);
    let act = wording::act(effect);
    match judgement.decision {
        Decision::Denied | Decision::Asked => {
            let message = format!("{act}: {}", judgement.reason);
            findings.push(finding(effect, done, judgement.rule, judgement.level, message, judgement));
        }
        Decision::Unresolved => {
            let message = match &effect.kind {
                Kind::Opaque(_) => format!("not resolved: {}", wording::sentence(&judgement.reason)),
                _ => format!("{act}: {}", judgement.reason),
            };
            findings.push(finding(effect, done, judgement.rule, judgement.level, message, judgement));
        }
        Decision::Allowed | Decision::Unruled => {}
    }
    findings.extend(of_sensitive(effect, done, judgement, &act));
    if judgement.instructs && !judgement.sensitive && !matches!(judgement.decision, Decision::Denied | Decision::Asked)
    {
        let message = format!("{act}: agents follow what stands there, or it runs by itself");
        findings.push(finding(effect, done, RuleId::FloorAgentSettings, Level::Note, message, judgement));
    }
    if let Some(open) = &judgement.left_open {
        let at = Judgement {
            location: Some(open.location.clone()),
            policy_rule: open.policy_rule.clone(),
            ..judgement.clone()
        };
        let message = format!("{act}: {}", open.reason);
        findings.push(finding(effect, done, RuleId::ScopeUnresolved, Level::Note, message, &at));
    }
    findings
}

/// The built-in rule about sensitive files. An entry that forbids replaces it, unless that entry weighs less.
fn of_sensitive(effect: &Effect, done: Done<'_>, judgement: &Judgement, act: &str) -> Option<Finding> {
    if !judgement.sensitive {
        return None;
    }
    let is_refused = matches!(judgement.decision, Decision::Denied | Decision::Asked);
    let is_listed = if is_refused { judgement.is_listed } else { judgement.is_allowed_by_entry() };
    let (level, why) = if is_listed {
        (Level::Warning, "a sensitive file, although the policy allows it")
    } else {
        (Level::Error, "a sensitive file that no allow list names")
    };
    let is_needed = !is_refused || judgement.level < level;
    is_needed.then(|| finding(effect, done, RuleId::ScopeSensitive, level, format!("{act}: {why}"), judgement))
}

/// What a rule said about an act.
pub(super) fn of_hit(at: At<'_>, judgement: &Judgement, hit: Hit) -> Finding {
    let causes = hit.since.into_iter().map(|(event, what)| Cause { event, line: 0, what }).collect();
    let done = Done { step: at.step, root: None };
    let found = placed(finding(at.effect, done, hit.rule, hit.level, hit.message, judgement), at);
    let found = Finding { causes, ..found };
    let Some(location) = hit.location else { return found };
    let act = [("act", found.fingerprint.as_str())].into_iter();
    let fingerprint =
        digest(&act.chain(hit.about.iter().map(|(name, value)| (*name, value.as_str()))).collect::<Vec<_>>());
    Finding { fingerprint, policy: Some(location), policy_rule: hit.policy_rule, impact: hit.impact, ..found }
}

/// What a rule said about an event, whatever it did, or about the whole session: what another session does is not the
/// same.
pub(super) fn of_event(event: Option<&Event<'_>>, evidence: Option<String>, session: &str, hit: Hit) -> Finding {
    let mut parts = vec![("rule", hit.rule.as_str()), ("session", session)];
    parts.extend(hit.about.iter().map(|(name, value)| (*name, value.as_str())));
    let finding = Finding::of_rule(hit.rule, hit.level, hit.message, digest(&parts));
    Finding {
        until: hit.until,
        evidence,
        policy: hit.location,
        policy_rule: hit.policy_rule,
        impact: hit.impact,
        ..beside(finding, event)
    }
}

/// What was said of a private value. What the log says there is shown without anything private in it.
pub(super) fn of_private(hit: PrivateHit<'_>) -> Finding {
    let about: Vec<(&str, &str)> = hit.about.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let finding = Finding::of_rule(hit.rule, hit.level, hit.message, digest(&about));
    Finding {
        effect: hit.effect.map(|effect| Box::new(EffectView { parent: None, ..effect.view() })),
        evidence: hit.event.and_then(|event| wording::evidence(&event.kind)).map(|said| masked(&said)),
        line: hit.line,
        pointer: hit.pointer,
        ..beside(finding, hit.event)
    }
}

/// The finding where it was done.
pub(super) fn placed(found: Finding, at: At<'_>) -> Finding {
    let (level, message) = match at.step.status {
        Some(Status::Denied) => (Level::Note, format!("attempt: {}", found.message)),
        _ => (found.level, found.message),
    };
    let effect = found.effect.map(|view| Box::new(EffectView { span: at.effect.span(), ..*view }));
    let found = Finding { level, message, evidence: at.evidence, effect, ..found };
    beside(found, Some(at.step.event))
}

/// What it says of the event that it is about; of none, it is about the session as a whole.
fn beside(found: Finding, event: Option<&Event<'_>>) -> Finding {
    let Some(event) = event else { return found };
    Finding {
        event: event.number,
        event_id: event.id.as_ref().map(|id| id.clone().into_owned()),
        tool: event.tool().map(str::to_owned),
        line: event.line,
        ..found
    }
}

/// A finding at no location yet.
fn finding(
    effect: &Effect,
    done: Done<'_>,
    rule: RuleId,
    level: Level,
    message: String,
    judgement: &Judgement,
) -> Finding {
    // A finding stands alone: there are no effects beside it to count among.
    let view = EffectView { parent: None, ..effect.view() };
    // Other rules about opaque effects give a reason that names the act.
    let act = if rule == RuleId::ScopeUnresolved { unresolved::act(effect, done.step, done.root) } else { Vec::new() };
    let fingerprint = fingerprint(rule, &view, &act);
    Finding {
        effect: Some(Box::new(view)),
        policy: judgement.location.clone(),
        policy_rule: judgement.policy_rule.clone(),
        is_sensitive: judgement.sensitive,
        taken_out_by: judgement.taken_out_by.clone(),
        ..Finding::of_rule(rule, level, message, fingerprint)
    }
}

/// Over the rule and what was done, never over where or when: a finding keeps it while the code around it moves. `act`: what
/// the view of an unresolved effect does not show.
fn fingerprint(rule: RuleId, view: &EffectView, act: &[(&str, String)]) -> String {
    let mut parts = vec![("rule", rule.as_str()), ("kind", view.kind)];
    let port = view.port.map(|port| port.to_string());
    let named = [
        ("path", view.path.as_deref()),
        ("host", view.host.as_deref()),
        ("port", port.as_deref()),
        ("server", view.server.as_deref()),
        ("tool", view.tool.as_deref()),
        ("agent", view.agent.as_deref()),
        ("name", view.name.as_deref()),
        ("reason", view.reason.as_deref()),
    ];
    parts.extend(named.into_iter().filter_map(|(name, value)| Some((name, value?))));
    parts.extend(view.argv.iter().flatten().map(|word| ("argv", word.as_str())));
    parts.extend(act.iter().map(|(name, value)| (*name, value.as_str())));
    digest(&parts)
}

/// Returns the fingerprint of a finding that is made of these named parts.
pub fn digest(parts: &[(&str, &str)]) -> String {
    let mut hasher = Sha256::new();
    for text in parts.iter().flat_map(|(name, value)| [name, value]) {
        hasher.update(text.len().to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hex(hasher.finalize().get(..16).unwrap_or_default())
}
