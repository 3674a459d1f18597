//! Entries → the text of a policy, checked by the evaluator that will judge with it.
//!
//! Nothing here trusts that an entry means what it was made to mean: the text is read like any policy, everything that
//! was seen is judged by it, and what it does not allow is listed with its reason. So the list for review is complete
//! by construction.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use agent_strace_effects::Effect;
use agent_strace_model::finding::{Level, PolicyLocation};
use agent_strace_policy::{Decision, Diagnostics, Judgement, Policy, format};

use super::compose::{self, Composed, Placed};
use super::observe::{CallId, Observation, Observed};
use super::plan::{self, Basis, Plan, Planned, Slot};
use super::purpose::purpose;
use super::reason::Reason;
use super::start::{Settings, Start};
use super::{denies, joins, merge, provenance, samples};

/// A generated policy.
#[derive(Debug)]
pub struct Draft {
    pub text: String,
    pub policy: Policy,
    /// The allowing entries that were added, in the order of the file.
    pub entries: Vec<Written>,
    /// What was done and is not allowed.
    pub review: Vec<Review>,
    /// Calls that did any of it.
    pub refused_calls: usize,
    /// The file beside the policy: the sessions behind each entry.
    pub provenance: String,
}

/// An entry of the policy and who did what it allows.
#[derive(Debug)]
pub struct Written {
    pub slot: Slot,
    pub text: String,
    pub pointer: String,
    pub basis: Basis,
    pub seen: Seen,
}

/// How often something was done, and when.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    pub sessions: usize,
    pub calls: usize,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
}

#[derive(Debug)]
pub struct Review {
    /// Its index among what was seen.
    pub(super) index: usize,
    pub effect: Effect,
    pub reason: Reason,
    pub seen: Seen,
}

/// How the text is called where it is faulty.
pub(super) const SHOWN: &str = "the generated policy";
/// So many sessions make an act of one of them rare.
const RARE: usize = 3;
/// Rounds after which entries that the reader refuses are given up.
const ROUNDS: usize = 16;

pub fn draft(observed: &Observed, settings: &Settings<'_>) -> Result<Draft, Diagnostics> {
    let none = Policy::none();
    let base = settings.start.policy().unwrap_or(&none);
    // A test suite that finds a fault was still to be run.
    let observed = &observed.as_if_done(&|effect| plan::is_worth_trying(effect, base.programs()));
    let plan = plan::plan(observed, base);
    let observations: Vec<&Observation> = observed.all().collect();
    let template = Policy::from_bytes(SHOWN, None, compose::template().as_bytes())?;
    let before = settings.start.policy().unwrap_or(&template);
    let mut writing = Writing::new(observed, &observations, settings, plan, before);
    writing.settle()?;
    writing.finish()
}

/// A policy in the making.
struct Writing<'o, 's> {
    observed: &'o Observed,
    observations: &'o [&'o Observation],
    settings: &'s Settings<'s>,
    entries: Vec<Planned>,
    left_out: BTreeMap<usize, Reason>,
    denies: Vec<(Slot, String)>,
}

impl<'o, 's> Writing<'o, 's> {
    fn new(
        observed: &'o Observed,
        observations: &'o [&'o Observation],
        settings: &'s Settings<'s>,
        plan: Plan,
        before: &Policy,
    ) -> Self {
        let Plan { mut entries, left_out } = plan;
        joins::complete(&mut entries, observations);
        if settings.start.policy().is_some() {
            entries.retain(|entry| !merge::is_there(entry, before));
            let mut seen = BTreeSet::new();
            entries.retain(|entry| seen.insert((entry.slot.clone(), entry.text.clone())));
        }
        let mut writing = Self { observed, observations, settings, entries, left_out, denies: Vec::new() };
        if let Start::Added { known, .. } = settings.start {
            writing.drop_entries(|_, entry| known.was_removed(entry).then_some(Reason::Removed));
        }
        writing.drop_entries(|writing, entry| {
            // No session did what a policy leaves out, or what every policy has.
            if entry.support.is_empty() {
                return None;
            }
            let sessions = writing.sessions_of(entry);
            (sessions < writing.settings.seen_in).then_some(Reason::Rare(sessions))
        });
        writing.drop_entries(|_, entry| {
            let server = matches!(&entry.slot, Slot::Mcp(server) if holds_secret(server));
            (server || holds_secret(&entry.text)).then_some(Reason::Secret)
        });
        writing.sort();
        match settings.start {
            Start::Nothing => writing.denies = denies::suggestions(&writing.entries),
            Start::Added { .. } => writing.denies = denies::beside(&writing.entries, before),
            Start::Extending(base) => {
                let is_new = |(slot, text): &(Slot, String)| {
                    !base.entries(&slot.keys("deny")).iter().any(|known| known.as_str() == Some(text))
                };
                writing.denies = denies::suggestions(&writing.entries).into_iter().filter(is_new).collect();
            }
        }
        writing
    }

    /// Entries of one list by purpose, and those before others that stand for more.
    fn sort(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_by_cached_key(|entry| {
            let is_literal = !entry.text.contains('*') && !entry.text.starts_with("builtin:");
            (entry.slot.clone(), purpose(entry, self.is_rare(entry)), is_literal, entry.text.clone())
        });
        self.entries = entries;
    }

    /// One session did it, and most others did something else.
    fn is_rare(&self, entry: &Planned) -> bool {
        let sessions = self.observed.sessions.iter().filter(|session| session.calls > 0).count();
        sessions >= RARE && self.sessions_of(entry) == 1
    }

    fn drop_entries(&mut self, against: impl Fn(&Self, &Planned) -> Option<Reason>) {
        let entries = std::mem::take(&mut self.entries);
        for entry in entries {
            match against(self, &entry) {
                None => self.entries.push(entry),
                Some(reason) => self.leave_out(&entry, &reason),
            }
        }
    }

    fn leave_out(&mut self, entry: &Planned, reason: &Reason) {
        for index in &entry.support {
            self.left_out.entry(*index).or_insert_with(|| reason.clone());
        }
    }

    fn sessions_of(&self, entry: &Planned) -> usize {
        let calls = entry.support.iter().filter_map(|index| self.observations.get(*index));
        calls.flat_map(|observation| &observation.calls.done).map(|call| call.session).collect::<BTreeSet<_>>().len()
    }

    /// Takes out what the reader refuses, what contradicts what was done, and what allows nothing that another entry
    /// does not.
    fn settle(&mut self) -> Result<(), Diagnostics> {
        for _ in 0..ROUNDS + self.denies.len() {
            let composed = self.compose()?;
            let policy = match self.settings.start.read(&composed.text) {
                Ok(policy) => policy,
                Err(faults) if self.drop_faulty(&composed, &faults) => continue,
                Err(faults) => return Err(faults),
            };
            let judgements = self.judge(&policy);
            if !self.except(&judgements)
                && !self.drop_idle(&composed, &judgements)
                && !self.drop_without_effect(&judgements)
            {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether any entry was to blame.
    fn drop_faulty(&mut self, composed: &Composed, faults: &Diagnostics) -> bool {
        let blamed = |indices: &BTreeMap<String, usize>| -> BTreeSet<usize> {
            let is_blamed = |pointer: &str| {
                let mut blamed = faults.list.iter().map(|fault| fault.location.pointer.as_str());
                let is_in = |inner: &str, outer: &str| inner == outer || inner.starts_with(&format!("{outer}/"));
                blamed.any(|fault| !fault.is_empty() && (is_in(pointer, fault) || is_in(fault, pointer)))
            };
            indices.iter().filter(|(pointer, _)| is_blamed(pointer)).map(|(_, index)| *index).collect()
        };
        let (faulty, refused) = (blamed(&composed.allows), blamed(&composed.denies));
        self.take_denies(&refused);
        self.take_entries(&faulty, Some(&Reason::Inexpressible));
        !faulty.is_empty() || !refused.is_empty()
    }

    fn take_entries(&mut self, taken: &BTreeSet<usize>, reason: Option<&Reason>) {
        let entries = std::mem::take(&mut self.entries);
        for (index, entry) in entries.into_iter().enumerate() {
            if !taken.contains(&index) {
                self.entries.push(entry);
            } else if let Some(reason) = reason {
                self.leave_out(&entry, reason);
            }
        }
    }

    fn take_denies(&mut self, taken: &BTreeSet<usize>) {
        let mut index = 0;
        self.denies.retain(|_| {
            index += 1;
            !taken.contains(&(index - 1))
        });
    }

    /// A file that was refused, or is sensitive, is left out of the wider entries that would allow it.
    fn except(&mut self, judgements: &[Judgement]) -> bool {
        let mut exceptions = BTreeSet::new();
        for (index, (observation, judged)) in self.observations.iter().zip(judgements).enumerate() {
            let reason = self.left_out.get(&index).filter(|reason| reason.is_firm());
            if let Some(reason) = reason.filter(|_| judged.decision == Decision::Allowed) {
                let exception = plan::exception(&observation.effect);
                // A user who refused one read did not refuse every search that finds the file.
                exceptions.extend(exception.filter(|(slot, _)| *slot != Slot::Read || *reason != Reason::Refused));
            }
        }
        let is_there = |slot: &Slot, text: &str| self.entries.iter().any(|one| one.slot == *slot && one.text == text);
        exceptions.retain(|(slot, text)| !is_there(slot, text));
        let is_any = !exceptions.is_empty();
        let except = |(slot, text)| Planned { slot, text, support: BTreeSet::new(), basis: Basis::Except };
        self.entries.extend(exceptions.into_iter().map(except));
        self.sort();
        is_any
    }

    fn drop_idle(&mut self, composed: &Composed, judgements: &[Judgement]) -> bool {
        let mut used = BTreeSet::new();
        for judged in judgements.iter().filter(|judged| judged.decision == Decision::Allowed) {
            let Some(location) = own(judged) else { continue };
            used.extend(entry_at(&composed.allows, &location.pointer));
            if location.pointer.ends_with("/allow") {
                // Several entries together allow it.
                let below = composed.allows.range(location.pointer.clone()..);
                used.extend(below.take_while(|(pointer, _)| pointer.starts_with(&location.pointer)).map(|(_, at)| *at));
            }
        }
        // One rule names all sub-agents: which of them was meant does not show.
        let is_idle = |(index, entry): (usize, &Planned)| {
            let is_listed = entry.basis == Basis::Seen && entry.slot != Slot::Spawn;
            (is_listed && !used.contains(&index)).then_some(index)
        };
        let idle: BTreeSet<usize> = self.entries.iter().enumerate().filter_map(is_idle).collect();
        self.take_entries(&idle, None);
        !idle.is_empty()
    }

    /// An entry of which every call also does what is refused allows no call.
    fn drop_without_effect(&mut self, judgements: &[Judgement]) -> bool {
        let judged = || self.observations.iter().zip(judgements);
        let refused: BTreeSet<CallId> = judged()
            .filter(|(observation, judged)| is_for_review(&observation.effect, judged) && judged.level == Level::Error)
            .flat_map(|(observation, _)| observation.calls.done.iter().copied())
            .collect();
        let allows_none = |entry: &Planned| {
            let calls = entry.support.iter().filter_map(|index| self.observations.get(*index));
            let mut calls = calls.flat_map(|observation| &observation.calls.done);
            matches!(entry.basis, Basis::Seen | Basis::Stranger)
                && matches!(entry.slot, Slot::Commands | Slot::Network)
                && !entry.support.is_empty()
                && calls.all(|call| refused.contains(call))
        };
        let taken: BTreeSet<usize> =
            (0..self.entries.len()).filter(|at| self.entries.get(*at).is_some_and(allows_none)).collect();
        self.take_entries(&taken, Some(&Reason::BesideRefused));
        !taken.is_empty()
    }

    fn judge(&self, policy: &Policy) -> Vec<Judgement> {
        let judge = |observation: &&Observation| policy.judge(&observation.effect, &plan::context(observation));
        self.observations.iter().map(judge).collect()
    }

    fn compose(&self) -> Result<Composed, Diagnostics> {
        match self.settings.start {
            Start::Added { text, base, .. } => merge::added(text, base, &self.placed(), &self.denies),
            Start::Nothing | Start::Extending(_) => Ok(self.fresh(&[])),
        }
    }

    fn placed(&self) -> Vec<Placed<'_>> {
        let placed = |entry| Placed { entry, purpose: purpose(entry, self.is_rare(entry)) };
        self.entries.iter().map(placed).collect()
    }

    fn fresh(&self, tests: &[String]) -> Composed {
        compose::fresh(&self.header(), &self.placed(), &self.denies, tests, self.settings.start.base())
    }

    fn header(&self) -> [String; 3] {
        let all = self.contributing();
        let day = |time: Option<Timestamp>| time.map(|time| time.to_string().chars().take(10).collect::<String>());
        let from = match (day(all.first), day(all.last)) {
            (Some(first), Some(last)) => format!(", {first} to {last}"),
            _ => String::new(),
        };
        [
            format!(
                "Agents may do here what {} did ({}{from}), and acts of the same kinds.",
                counted(all.sessions, "session"),
                counted(all.calls, "call")
            ),
            "`builtin:NAME` names a list: `agent-strace policy builtins NAME` shows it. The file beside this one"
                .to_owned(),
            "with the ending `.provenance.json` says how many sessions and calls are behind an entry, and when."
                .to_owned(),
        ]
    }

    fn finish(self) -> Result<Draft, Diagnostics> {
        let composed = self.compose()?;
        let read = |text: &str| self.settings.start.read(text);
        let policy = read(&composed.text)?;
        let judgements = self.judge(&policy);
        let entries = self.written(&composed, &judgements);
        let review = self.review(&judgements);
        let refused = review.iter().filter_map(|item| self.observations.get(item.index));
        let refused: BTreeSet<CallId> = refused.flat_map(|observation| observation.calls.all()).collect();
        let refused_calls = refused.len();
        let tests = || samples::allowed_tests(&policy, self.observations);
        let text = match self.settings.start {
            Start::Added { .. } => composed.text,
            Start::Extending(base) if base.states(&["tests"]) => self.fresh(&tests()).text,
            Start::Nothing | Start::Extending(_) => {
                self.fresh(&[tests(), samples::refused_tests(&policy)].concat()).text
            }
        };
        let text = format::format(SHOWN, &text, format::Comments::Keep)?;
        let policy = read(&text)?;
        let provenance = provenance::text(&entries, &self.all_seen());
        Ok(Draft { text, policy, entries, review, refused_calls, provenance })
    }

    /// The calls that an entry allows: a session of which all acts were left out is no reason for the policy.
    fn contributing(&self) -> Seen {
        let support: BTreeSet<usize> = self.entries.iter().flat_map(|entry| &entry.support).copied().collect();
        let observations = support.iter().filter_map(|index| self.observations.get(*index));
        self.seen(&observations.flat_map(|one| &one.calls.done).copied().collect())
    }

    /// All that the policy was made from.
    fn all_seen(&self) -> Seen {
        let calls: BTreeSet<CallId> = self.observations.iter().flat_map(|one| &one.calls.done).copied().collect();
        let sessions = self.observed.sessions.iter().filter(|session| session.calls > 0).count();
        Seen { sessions, ..self.seen(&calls) }
    }

    fn written(&self, composed: &Composed, judgements: &[Judgement]) -> Vec<Written> {
        let mut calls: BTreeMap<usize, BTreeSet<CallId>> = BTreeMap::new();
        for (index, judged) in judgements.iter().enumerate() {
            let pointer = own(judged).filter(|_| judged.decision == Decision::Allowed);
            let entry = pointer.and_then(|location| entry_at(&composed.allows, &location.pointer));
            if let (Some(entry), Some(observation)) = (entry, self.observations.get(index)) {
                calls.entry(entry).or_default().extend(&observation.calls.done);
            }
        }
        let pointers: BTreeMap<usize, &String> = composed.allows.iter().map(|(pointer, at)| (*at, pointer)).collect();
        let written = |(at, entry): (usize, &Planned)| {
            let mut all = calls.remove(&at).unwrap_or_default();
            for observation in entry.support.iter().filter_map(|index| self.observations.get(*index)) {
                all.extend(&observation.calls.done);
            }
            Some(Written {
                slot: entry.slot.clone(),
                text: entry.text.clone(),
                pointer: (*pointers.get(&at)?).clone(),
                basis: entry.basis,
                seen: self.seen(&all),
            })
        };
        self.entries.iter().enumerate().filter_map(written).collect()
    }

    fn seen(&self, calls: &BTreeSet<CallId>) -> Seen {
        let times = || calls.iter().filter_map(|call| self.observed.time(*call));
        Seen {
            sessions: calls.iter().map(|call| call.session).collect::<BTreeSet<_>>().len(),
            calls: calls.len(),
            first: times().min(),
            last: times().max(),
        }
    }

    /// What is not allowed, the most frequent first.
    fn review(&self, judgements: &[Judgement]) -> Vec<Review> {
        let mut review = Vec::new();
        for (index, (observation, judged)) in self.observations.iter().zip(judgements).enumerate() {
            if !is_for_review(&observation.effect, judged) {
                continue;
            }
            let reason = self.left_out.get(&index).cloned();
            let reason = reason.unwrap_or_else(|| match &judged.decision {
                Decision::Unresolved => Reason::Unresolved(judged.reason.clone()),
                _ => Reason::Policy(judged.reason.clone()),
            });
            let calls: BTreeSet<CallId> = observation.calls.all().collect();
            review.push(Review { index, effect: observation.effect.clone(), reason, seen: self.seen(&calls) });
        }
        review.sort_by(|left, right| {
            let key = |review: &Review| (std::cmp::Reverse(review.seen.calls), review.effect.to_string());
            (&left.reason, key(left)).cmp(&(&right.reason, key(right)))
        });
        review
    }
}

fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A person has something to decide: not where the act is only noted, nor where it is a search of files that the policy
/// allows.
fn is_for_review(effect: &Effect, judged: &Judgement) -> bool {
    let is_noted = matches!(judged.decision, Decision::Unresolved | Decision::Allowed) && judged.level == Level::Note;
    let is_search = judged.decision == Decision::Allowed && !judged.sensitive && effect.gathered.is_some();
    judged.matters() && !is_noted && !is_search
}

fn holds_secret(text: &str) -> bool {
    // A pattern has the bracket of a mark as `[[]`.
    agent_strace_secrets::has_mark(&text.replace("[[]", "[")) || agent_strace_secrets::redact(text).as_str() != text
}

/// Returns the place of the entry that decided; `None` for an entry of the base.
fn own(judged: &Judgement) -> Option<&PolicyLocation> {
    judged.location.as_ref().filter(|location| location.file.is_none())
}

/// The entry that stands at the pointer, or around it.
fn entry_at(entries: &BTreeMap<String, usize>, pointer: &str) -> Option<usize> {
    let mut at = Some(pointer);
    while let Some(pointer) = at {
        if let Some(index) = entries.get(pointer) {
            return Some(*index);
        }
        at = pointer.rsplit_once('/').map(|(above, _)| above).filter(|above| !above.is_empty());
    }
    None
}
