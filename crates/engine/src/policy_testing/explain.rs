//! Which entries of a policy speak about each effect of a call, which of them decides, and what would change that.
//!
//! There is no second evaluator: every entry is judged as a policy of its own, by the engine, over the same effects.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::advice::advice;
use crate::{Entries, Entry, Replay, Rulings, WaiverUsage};
use agent_strace_effects::{Kind, Repository};
use agent_strace_model::Session;
use agent_strace_model::finding::Finding;
use agent_strace_policy::{Decision, EntryTexts, EntryView, Judgement, Parts, Policy};

/// One effect with everything that was said about it.
#[derive(Debug)]
pub struct Explained {
    pub judged: Entry,
    /// In the order of the policy; the one that decided may be among them.
    pub spoken: Vec<Spoken>,
    /// What would change a refusal.
    pub advice: Option<String>,
    /// What says that the refusal does not count, until a day.
    pub excuses: Vec<WaiverUsage>,
}

/// An entry that speaks about an effect.
#[derive(Debug, Clone)]
pub struct Spoken {
    pub entry: EntryView,
    pub how: How,
    pub decides: bool,
    /// The pattern that matched, of an entry that names a label or a built-in list.
    pub pattern: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Matches,
    /// A part of the effect is not known, and that part decides.
    MayMatch,
}

/// One policy for each entry of a policy, with that entry alone.
pub struct SingleEntryPolicies(Vec<(EntryView, Policy)>);

impl SingleEntryPolicies {
    /// `parts` gives the parts of the policy itself (`None`) and of the files that it extends.
    pub fn new(policy: &Policy, mut parts: impl FnMut(Option<&str>) -> Option<Parts>) -> Self {
        let mut read: Vec<(Option<String>, Option<Parts>)> = Vec::new();
        let mut single = Vec::new();
        for entry in policy.entries() {
            let file = entry.location.file.as_deref();
            if !read.iter().any(|(known, _)| known.as_deref() == file) {
                read.push((file.map(str::to_owned), parts(file)));
            }
            let parts = read.iter().find(|(known, _)| known.as_deref() == file).and_then(|(_, parts)| parts.as_ref());
            if let Some(alone) = parts.and_then(|parts| parts.alone(&entry.location.pointer)) {
                single.push((entry.clone(), alone));
            }
        }
        Self(single)
    }

    /// Explains every effect of one event of a session.
    pub fn explain(
        &self,
        policy: &Policy,
        session: &Session<'_>,
        repository: &Arc<Repository>,
        event: u32,
    ) -> Vec<Explained> {
        let whole = crate::judge_guarded(session, Vec::new(), policy, Entries::Keep, repository);
        let entries = whole.entries.into_iter().filter(|entry| entry.event == event);
        let version = policy.identity().map_or(1, |identity| identity.version);
        let mut explained: Vec<Explained> = entries
            .map(|judged| Explained {
                advice: refused(&judged).then(|| advice(&judged, version)).flatten(),
                excuses: excuses(policy, &judged, &whole.findings),
                judged,
                spoken: Vec::new(),
            })
            .collect();
        let replay = Replay::new(session, policy, repository).only(event);
        let mut texts = EntryTexts::new(policy);
        for (entry, alone) in &self.0 {
            // A failure here is already a gap of the judgement by the whole policy.
            let said = crate::guarded(session, || {
                let rulings = Rulings::new(&replay, alone);
                rulings.acts().map(|act| speaks(entry, &act.effect.kind, act.judgement)).collect::<Vec<_>>()
            });
            for (explained, how) in explained.iter_mut().zip(said.unwrap_or_default()) {
                let location = explained.judged.location.as_ref();
                let decides = location == Some(&entry.location);
                let path = explained.judged.effect.view().path;
                let mut pattern = || texts.at(&entry.location, path.as_deref())?.pattern.clone();
                explained.spoken.extend(how.map(|how| Spoken {
                    entry: entry.clone(),
                    how,
                    decides,
                    pattern: pattern(),
                }));
            }
        }
        explained
    }
}

/// The waivers that cover a refusal, if they cover every rule against the act.
fn excuses(policy: &Policy, judged: &Entry, findings: &[Finding]) -> Vec<WaiverUsage> {
    if !refused(judged) {
        return Vec::new();
    }
    let shown = judged.effect.view();
    let is_own = |finding: &&Finding| {
        (finding.event, finding.rule) == (judged.event, judged.rule) && finding.effect.as_deref() == Some(&shown)
    };
    let steps = findings.iter().find(is_own).filter(|finding| finding.is_covered());
    let covering: BTreeSet<usize> =
        steps.into_iter().flat_map(|finding| &finding.covered_by).flatten().copied().collect();
    let waivers = covering.into_iter().filter_map(|at| policy.waivers().get(at));
    waivers.map(|waiver| WaiverUsage::new(waiver, 0)).collect()
}

fn refused(judged: &Entry) -> bool {
    matches!(judged.decision, Decision::Denied | Decision::Asked | Decision::Unresolved)
}

/// What an entry says that stands alone. A file that is deleted is not what is written where both have lists; the
/// entry's own decision and location tell what it said from what is built in.
fn speaks(entry: &EntryView, kind: &Kind, judgement: &Judgement) -> Option<How> {
    let list = |pointer: &str| pointer.rsplit_once('/').map(|(list, _)| list.to_owned());
    let own = judgement.policy_rule.is_some()
        || judgement.location.as_ref().is_some_and(|location| {
            location.pointer == entry.location.pointer || list(&location.pointer) == list(&entry.location.pointer)
        });
    let forbids = matches!(entry.decision, Decision::Denied | Decision::Asked);
    match judgement.decision {
        decision if decision == entry.decision && own => Some(How::Matches),
        Decision::Unresolved if forbids && !matches!(kind, Kind::Opaque(_)) => Some(How::MayMatch),
        _ => None,
    }
}
