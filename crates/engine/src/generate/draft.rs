//! Entries → the text of a policy, checked by the evaluator that will judge with it.
//!
//! Nothing here trusts that an entry means what it was made to mean: the text is read like any policy, everything that
//! was seen is judged by it, and what it does not allow is listed with its reason. So the list for review is complete
//! by construction.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use agent_strace_effects::{Certainty, Effect};
use agent_strace_model::finding::Level;
use agent_strace_policy::{Decision, Diagnostics, Judgement, Policy, edit, format};

use super::commands;
use super::observe::{CallId, Observation, Observed};
use super::plan::{self, Basis, Plan, Planned, RULES, Slot};
use super::reason::Reason;
use super::tables::{DENIED_COMMANDS, DENIED_PATHS, TEMPLATE};

/// What a policy is made from beside what was seen.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// An entry has to be seen in so many sessions.
    pub seen_in: usize,
    /// The policy that entries are added to.
    pub base: Option<(&'a str, &'a Policy)>,
}

/// A generated policy.
#[derive(Debug)]
pub struct Draft {
    pub text: String,
    pub policy: Policy,
    /// The allowing entries that were added, in the order of the file.
    pub entries: Vec<Written>,
    /// What was done and is not allowed.
    pub review: Vec<Review>,
    /// Denies that are usually suggested, but forbid what was done.
    pub withdrawn: Vec<String>,
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
const SHOWN: &str = "the generated policy";
/// Rounds after which entries that the reader refuses are given up.
const ROUNDS: usize = 16;

pub fn draft(observed: &Observed, settings: &Settings<'_>) -> Result<Draft, Diagnostics> {
    let none = Policy::none();
    let base = settings.base.map_or(&none, |(_, policy)| policy);
    // A test suite that finds a fault was still to be run.
    let observed = &observed.as_if_done(&|effect| plan::is_worth_trying(effect, base.programs()));
    let plan = plan::plan(observed, base);
    let observations: Vec<&Observation> = observed.all().collect();
    let template = Policy::from_bytes(SHOWN, None, TEMPLATE.as_bytes())?;
    let before = settings.base.map_or(&template, |(_, policy)| policy);
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
    withdrawn: Vec<String>,
}

/// The text of a policy, and where each entry stands in it.
struct Composed {
    text: String,
    /// Pointer → the index of the entry in the plan.
    allows: BTreeMap<String, usize>,
    /// Pointer → the index of the suggestion.
    denies: BTreeMap<String, usize>,
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
        plan::complete_families(&mut entries);
        entries.retain(|entry| !is_there(entry, before));
        let (denies, withdrawn) = (Vec::new(), Vec::new());
        let mut writing = Self { observed, observations, settings, entries, left_out, denies, withdrawn };
        writing.drop_entries(|writing, entry| {
            if entry.basis == Basis::Except {
                return None;
            }
            let sessions = writing.sessions_of(entry);
            (sessions < writing.settings.seen_in).then_some(Reason::Rare(sessions))
        });
        writing.drop_entries(|_, entry| {
            let holds = |text: &str| {
                // A pattern has the bracket of a mark as `[[]`.
                agent_strace_secrets::has_mark(&text.replace("[[]", "["))
                    || agent_strace_secrets::redact(text).as_str() != text
            };
            let server = matches!(&entry.slot, Slot::Mcp(server) if holds(server));
            (server || holds(&entry.text)).then_some(Reason::Secret)
        });
        writing.entries.sort_by(|left, right| (&left.slot, &left.text).cmp(&(&right.slot, &right.text)));
        if settings.base.is_none() {
            writing.denies = suggestions(&writing.entries);
        }
        writing
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
            let policy = match Policy::from_bytes(SHOWN, None, composed.text.as_bytes()) {
                Ok(policy) => policy,
                Err(faults) if self.drop_faulty(&composed, &faults) => continue,
                Err(faults) => return Err(faults),
            };
            let judgements = self.judge(&policy);
            if !self.withdraw(&composed, &judgements)
                && !self.except(&judgements)
                && !self.drop_idle(&composed, &judgements)
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

    /// What was done and is to be allowed is stronger than a suggestion.
    fn withdraw(&mut self, composed: &Composed, judgements: &[Judgement]) -> bool {
        let mut against = BTreeSet::new();
        for (index, (observation, judged)) in self.observations.iter().zip(judgements).enumerate() {
            let certain = observation.effect.certainty != Certainty::Possible && !self.left_out.contains_key(&index);
            let deny = judged.location.as_ref().and_then(|location| entry_at(&composed.denies, &location.pointer));
            let withdrawn = |deny: &usize| {
                // Secrets and pipelines stay forbidden. Any other deny goes only if the act is known to have happened.
                certain
                    && matches!(judged.decision, Decision::Denied | Decision::Asked)
                    && self.denies.get(*deny).is_some_and(|(slot, _)| *slot == Slot::Commands)
            };
            against.extend(deny.filter(withdrawn));
        }
        for (slot, text) in against.iter().filter_map(|index| self.denies.get(*index)) {
            self.withdrawn.push(format!("{}: {text}", slot.keys("deny").join(".")));
        }
        self.take_denies(&against);
        !against.is_empty()
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
        self.entries.sort_by(|left, right| (&left.slot, &left.text).cmp(&(&right.slot, &right.text)));
        is_any
    }

    fn drop_idle(&mut self, composed: &Composed, judgements: &[Judgement]) -> bool {
        let mut used = BTreeSet::new();
        for judged in judgements.iter().filter(|judged| judged.decision == Decision::Allowed) {
            let Some(location) = &judged.location else { continue };
            used.extend(entry_at(&composed.allows, &location.pointer));
            if location.pointer.ends_with("/allow") {
                // Several entries together allow it.
                let below = composed.allows.range(location.pointer.clone()..);
                used.extend(below.take_while(|(pointer, _)| pointer.starts_with(&location.pointer)).map(|(_, at)| *at));
            }
        }
        let is_idle =
            |(index, entry): (usize, &Planned)| (entry.basis == Basis::Seen && !used.contains(&index)).then_some(index);
        let idle: BTreeSet<usize> = self.entries.iter().enumerate().filter_map(is_idle).collect();
        self.take_entries(&idle, None);
        !idle.is_empty()
    }

    fn judge(&self, policy: &Policy) -> Vec<Judgement> {
        let judge = |observation: &&Observation| policy.judge(&observation.effect, &plan::context(observation));
        self.observations.iter().map(judge).collect()
    }

    fn compose(&self) -> Result<Composed, Diagnostics> {
        let mut text = match self.settings.base {
            Some((text, _)) => text.to_owned(),
            None => TEMPLATE.to_owned(),
        };
        let (mut allows, mut denies) = (BTreeMap::new(), BTreeMap::new());
        let planned = self.entries.iter().map(|entry| (&entry.slot, entry.text.as_str())).enumerate();
        for (slot, items) in by_slot(planned) {
            text = add(&text, &slot.allow(), &items, &mut allows)?;
        }
        let suggested = self.denies.iter().map(|(slot, text)| (slot, text.as_str())).enumerate();
        for (slot, items) in by_slot(suggested) {
            text = add(&text, &slot.keys("deny"), &items, &mut denies)?;
        }
        Ok(Composed { text, allows, denies })
    }

    fn finish(self) -> Result<Draft, Diagnostics> {
        let composed = self.compose()?;
        let policy = Policy::from_bytes(SHOWN, None, composed.text.as_bytes())?;
        let judgements = self.judge(&policy);
        let entries = self.written(&composed, &judgements);
        let text = with_provenance(&composed.text, &entries, self.settings.base.is_some())?;
        let text = format::format(SHOWN, &text, format::Comments::Keep)?;
        let policy = Policy::from_bytes(SHOWN, None, text.as_bytes())?;
        let review = self.review(&judgements);
        Ok(Draft { text, policy, entries, review, withdrawn: self.withdrawn })
    }

    fn written(&self, composed: &Composed, judgements: &[Judgement]) -> Vec<Written> {
        let mut calls: BTreeMap<usize, BTreeSet<CallId>> = BTreeMap::new();
        for (index, judged) in judgements.iter().enumerate() {
            let pointer = judged.location.as_ref().filter(|_| judged.decision == Decision::Allowed);
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
            // Nothing is refused for what is only noted.
            if !judged.matters() || judged.decision == Decision::Unresolved && judged.level == Level::Note {
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

/// What no agent should do, and what an entry would allow beside what was done although people have to allow it.
fn suggestions(entries: &[Planned]) -> Vec<(Slot, String)> {
    let usual = DENIED_COMMANDS.iter().map(|text| (*text).to_owned());
    let mut commands: Vec<String> = usual.collect();
    let allowed = entries.iter().filter(|entry| entry.slot == Slot::Commands);
    for risky in allowed.flat_map(|entry| commands::risks_beside(&entry.text)) {
        if !commands.contains(&risky) {
            commands.push(risky);
        }
    }
    let paths = DENIED_PATHS.iter().map(|(slot, text)| (slot.clone(), (*text).to_owned()));
    paths.chain(commands.into_iter().map(|text| (Slot::Commands, text))).collect()
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

/// The policy that is added to has the same entry already.
fn is_there(entry: &Planned, policy: &Policy) -> bool {
    let list = entry.slot.allow().iter().fold(String::new(), |pointer, key| format!("{pointer}/{}", escaped(key)));
    policy.entries().any(|known| {
        known.text == entry.text && known.location.pointer.rsplit_once('/').is_some_and(|(above, _)| above == list)
    })
}

/// Entries of the same list together, each with its index in the plan.
fn by_slot<'t>(
    entries: impl Iterator<Item = (usize, (&'t Slot, &'t str))>,
) -> BTreeMap<&'t Slot, Vec<(usize, &'t str)>> {
    let mut slots: BTreeMap<&Slot, Vec<(usize, &str)>> = BTreeMap::new();
    for (index, (slot, text)) in entries {
        slots.entry(slot).or_default().push((index, text));
    }
    slots
}

fn add(
    text: &str,
    keys: &[&str],
    items: &[(usize, &str)],
    indices: &mut BTreeMap<String, usize>,
) -> Result<String, Diagnostics> {
    let before = edit::length(SHOWN, text, keys)?;
    let list = keys.iter().fold(String::new(), |pointer, key| format!("{pointer}/{}", escaped(key)));
    for (offset, (index, _)) in items.iter().enumerate() {
        indices.insert(format!("{list}/{}", before + offset), *index);
    }
    let mut ids = BTreeSet::new();
    let values: Vec<String> = items.iter().map(|(_, item)| value(keys, item, text, &mut ids)).collect();
    edit::append(SHOWN, text, keys, &values)
}

/// An entry as it stands in its list; a rule has an id that no other one has, in the text or among `ids`.
fn value(keys: &[&str], item: &str, text: &str, ids: &mut BTreeSet<String>) -> String {
    if keys != [RULES] {
        return serde_json::Value::from(item).to_string();
    }
    let id: String = item.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
    let numbered = (1_usize..).map(|number| match number {
        1 => format!("SPAWN-{id}"),
        _ => format!("SPAWN-{id}-{number}"),
    });
    let is_free = |id: &String| !ids.contains(id) && !text.contains(&format!("\"{id}\""));
    let id = numbered.into_iter().find(is_free).unwrap_or_default();
    ids.insert(id.clone());
    let (id, agent) = (serde_json::Value::from(id), serde_json::Value::from(item));
    format!(
        "{{ \"id\": {id}, \"effect\": \"allow\", \"reason\": \"sessions started it\", \"match\": {{ \"spawn\": [{agent}] }} }}"
    )
}

/// A key as it stands in a JSON pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn with_provenance(text: &str, entries: &[Written], base: bool) -> Result<String, Diagnostics> {
    let told = entries.iter().filter(|entry| matches!(entry.basis, Basis::Seen | Basis::Family(_))).map(|entry| {
        let mut value = serde_json::json!({ "sessions": entry.seen.sessions, "calls": entry.seen.calls });
        for (key, time) in [("first", entry.seen.first), ("last", entry.seen.last)] {
            if let (Some(time), Some(value)) = (time, value.as_object_mut()) {
                value.insert(key.to_owned(), time.to_string().into());
            }
        }
        (entry.pointer.as_str(), value.to_string())
    });
    if base {
        // What is told of the entries that were there stays.
        return told.into_iter().try_fold(text.to_owned(), |text, (pointer, value)| {
            edit::set(SHOWN, &text, &["provenance", pointer], &value)
        });
    }
    let members: Vec<String> =
        told.map(|(pointer, value)| format!("{}: {value}", serde_json::Value::from(pointer))).collect();
    edit::set(SHOWN, text, &["provenance"], &format!("{{{}}}", members.join(", ")))
}
