//! Applies exceptions, suppressions and the baseline. Waived findings do not count but stay in the report.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use agent_strace_model::finding::{Family, Finding, PolicyLocation, RuleId, VerdictImpact};
use agent_strace_policy::{Policy, Waiver, WaiverOrigin};
use agent_strace_rules::{Check, Usage};

use super::SessionOutcome;
use super::conclude::Settings;
use super::distinct::order;
use super::findings::digest;

/// Whether exceptions, suppressions and the baseline are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WaiverMode {
    #[default]
    Apply,
    /// Every finding is shown and counts.
    Ignore,
}

/// A finding that does not count.
#[derive(Debug)]
pub struct Waived {
    /// The index of its session in the outcome; one past the last session for a finding about the change.
    pub session: usize,
    pub finding: Finding,
    pub by: WaivedBy,
}

/// What waived a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaivedBy {
    /// The exception or suppression at this index of [`super::Outcome::uses`].
    Waiver(usize),
    Baseline,
}

/// How often an exception or suppression was used.
#[derive(Debug, Clone)]
pub struct WaiverUsage {
    pub origin: WaiverOrigin,
    pub rule: String,
    pub reason: String,
    pub owner: String,
    pub until: Date,
    pub location: PolicyLocation,
    /// Findings it waived.
    pub uses: usize,
}

/// The result of [`apply`].
#[derive(Debug, Default)]
pub(super) struct Applied {
    pub(super) waived: Vec<Waived>,
    pub(super) uses: Vec<WaiverUsage>,
    pub(super) stale: usize,
    tallies: Vec<Tally>,
}

/// Counts findings of one waiver.
#[derive(Debug, Clone, Default)]
struct Tally {
    /// Findings that it covers.
    covered: usize,
    /// Findings that it waived.
    waived: usize,
    /// Findings that stay because `max_uses` is exhausted.
    refused: usize,
}

/// Removes the waived findings from their sessions and from those about the change.
pub(super) fn apply(
    policy: &Policy,
    sessions: &mut [SessionOutcome],
    of_change: &mut Vec<Finding>,
    settings: &Settings,
) -> Applied {
    let mut tallies = vec![Tally::default(); policy.waivers().len()];
    let decided = decide(policy, sessions, of_change, settings, &mut tallies);
    let found = sessions.iter().flat_map(|session| &session.findings).chain(&*of_change);
    let found: BTreeSet<&str> = found.map(|finding| finding.fingerprint.as_str()).collect();
    let stale = settings.baseline.iter().filter(|known| !found.contains(known.as_str())).count();
    let mut waived = Vec::new();
    let lists = sessions.iter_mut().map(|session| &mut session.findings).chain([of_change]);
    for (session, list) in lists.enumerate() {
        let findings = std::mem::take(list);
        for (at, finding) in findings.into_iter().enumerate() {
            match decided.get(&(session, at)) {
                Some(by) => waived.push(Waived { session, finding, by: *by }),
                None => list.push(finding),
            }
        }
    }
    let uses =
        policy.waivers().iter().zip(&tallies).map(|(waiver, tally)| WaiverUsage::new(waiver, tally.waived)).collect();
    Applied { waived, uses, stale, tallies }
}

/// The findings that will be waived, as index of the session and index of the finding.
pub(super) fn preview(policy: &Policy, sessions: &[SessionOutcome], settings: &Settings) -> BTreeSet<(usize, usize)> {
    let mut tallies = vec![Tally::default(); policy.waivers().len()];
    decide(policy, sessions, &[], settings, &mut tallies).into_keys().collect()
}

impl WaiverUsage {
    pub fn new(waiver: &Waiver, uses: usize) -> Self {
        Self {
            origin: waiver.origin,
            rule: waiver.rule.clone(),
            reason: waiver.reason.clone(),
            owner: waiver.owner.clone(),
            until: waiver.until,
            location: waiver.location.clone(),
            uses,
        }
    }
}

/// Decides what waives each finding. The result depends neither on the order of waivers nor on that of sessions.
fn decide(
    policy: &Policy,
    sessions: &[SessionOutcome],
    of_change: &[Finding],
    settings: &Settings,
    tallies: &mut [Tally],
) -> BTreeMap<(usize, usize), WaivedBy> {
    let mut ranks: Vec<usize> = (0..tallies.len()).collect();
    ranks.sort_by(|left, right| {
        let identity = |at: &usize| policy.waivers().get(*at).map(Waiver::identity);
        identity(left).cmp(&identity(right))
    });
    let mut decided = BTreeMap::new();
    if settings.baseline.is_empty() && ranks.is_empty() {
        return decided;
    }
    for (session, at, finding) in in_order(sessions, of_change) {
        let by = by_waivers(policy, finding, &ranks, settings, tallies)
            .or_else(|| knows(settings, finding).then_some(WaivedBy::Baseline))
            .filter(|_| settings.waiver_mode == WaiverMode::Apply);
        if let Some(by) = by {
            decided.insert((session, at), by);
        }
    }
    decided
}

/// All findings with their indexes, in an order that depends on their content alone.
fn in_order<'f>(sessions: &'f [SessionOutcome], of_change: &'f [Finding]) -> Vec<(usize, usize, &'f Finding)> {
    let mut all: Vec<(&SessionOutcome, usize, usize, &Finding)> = sessions
        .iter()
        .enumerate()
        .flat_map(|(index, session)| {
            session.findings.iter().enumerate().map(move |(at, finding)| (session, index, at, finding))
        })
        .collect();
    all.sort_by(|(left, _, _, one), (right, _, _, other)| {
        let sessions = (&left.id, &left.source).cmp(&(&right.id, &right.source));
        sessions.then_with(|| order(one).cmp(&order(other)))
    });
    let of_sessions = all.into_iter().map(|(_, index, at, finding)| (index, at, finding));
    let of_change = of_change.iter().enumerate().map(|(at, finding)| (sessions.len(), at, finding));
    of_change.chain(of_sessions).collect()
}

/// The first waiver that applies, if every rule against the act has a waiver that applies.
fn by_waivers(
    policy: &Policy,
    finding: &Finding,
    ranks: &[usize],
    settings: &Settings,
    tallies: &mut [Tally],
) -> Option<WaivedBy> {
    let covering: BTreeSet<usize> = finding.covered_by.iter().flatten().copied().collect();
    for at in &covering {
        if let Some(tally) = tallies.get_mut(*at) {
            tally.covered += 1;
        }
    }
    if settings.waiver_mode == WaiverMode::Ignore {
        return None;
    }
    let (mut taken, mut used_up) = (BTreeSet::new(), BTreeSet::new());
    let mut whole = !finding.covered_by.is_empty();
    let mut first = None;
    for step in &finding.covered_by {
        let mut held = ranks.iter().copied().filter(|at| step.contains(at) && holds(policy, *at, settings));
        let free = held.find(|at| {
            let free = taken.contains(at) || is_free(policy, *at, tallies);
            used_up.extend((!free).then_some(*at));
            free
        });
        whole &= free.is_some();
        taken.extend(free);
        first = first.or(free);
    }
    let counted = if whole { &taken } else { &used_up };
    for at in counted {
        if let Some(tally) = tallies.get_mut(*at) {
            if whole { tally.waived += 1 } else { tally.refused += 1 }
        }
    }
    first.filter(|_| whole).map(WaivedBy::Waiver)
}

/// The waiver has not expired.
fn holds(policy: &Policy, at: usize, settings: &Settings) -> bool {
    let waiver = policy.waivers().get(at);
    waiver.zip(settings.today).is_some_and(|(waiver, today)| !waiver.has_expired(today))
}

/// The waiver has uses left.
fn is_free(policy: &Policy, at: usize, tallies: &[Tally]) -> bool {
    let most = policy.waivers().get(at).and_then(|waiver| waiver.max_uses);
    let waived = tallies.get(at).map_or(0, |tally| tally.waived);
    most.is_none_or(|most| waived < most as usize)
}

fn knows(settings: &Settings, finding: &Finding) -> bool {
    is_known_by_a_baseline(finding.rule, finding.impact) && settings.baseline.contains(&finding.fingerprint)
}

/// Whether a baseline may contain the finding. Missing evidence cannot be known in advance. Findings about the gate and
/// about sensitive files need an exception with an owner and an expiry date. Findings about exceptions are always reported.
pub fn is_known_by_a_baseline(rule: RuleId, impact: VerdictImpact) -> bool {
    impact != VerdictImpact::Incomplete
        && !matches!(rule.family(), Family::Evidence | Family::Floor | Family::Gate | Family::Policy)
        && rule != RuleId::ScopeSensitive
}

/// The findings of the rules about exceptions and suppressions.
pub(super) fn remarks(policy: &Policy, applied: &Applied, settings: &Settings) -> Vec<Finding> {
    let mut found = Vec::new();
    let Some(today) = settings.today else { return found };
    for (waiver, tally) in policy.waivers().iter().zip(&applied.tallies) {
        let usage = Usage { waiver, today, covered: tally.covered, refused: tally.refused };
        for rule in agent_strace_rules::all() {
            let Check::Waiver(check) = rule.check else { continue };
            found.extend(check(&usage).map(|message| remark(rule, waiver, message)));
        }
    }
    found.sort_by(|left, right| (&left.policy, left.rule).cmp(&(&right.policy, right.rule)));
    found
}

fn remark(rule: &agent_strace_rules::Rule, waiver: &Waiver, message: String) -> Finding {
    let until = waiver.until.to_string();
    let parts = [
        ("rule", rule.id.as_str()),
        ("origin", waiver.origin.name()),
        ("of", &waiver.rule),
        ("match", waiver.shown()),
        ("until", &until),
    ];
    Finding {
        line: waiver.location.line,
        policy: Some(waiver.location.clone()),
        ..Finding::of_rule(rule.id, rule.level, message, digest(&parts))
    }
}
