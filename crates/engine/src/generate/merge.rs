//! Adds entries to the text of a policy that is there: its entries keep their places and comments.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_effects::{Certainty, Effect, Kind};
use agent_strace_policy::builtin::{BUILTIN, builtin};
use agent_strace_policy::{Context, Decision, Diagnostics, Parts, Policy, edit};
use serde_json::Value;

use super::compose::{Composed, Placed, escaped};
use super::plan::{Planned, Slot};
use super::purpose::Purpose;
use super::shared::SharedBase;

/// How the text is called where it is faulty.
const SHOWN: &str = "the generated policy";

/// The text with the entries in the sections of their purposes, or at the ends of their lists. `base`: what the text extends.
pub(super) fn added(
    text: &str,
    base: Option<&SharedBase>,
    entries: &[Placed<'_>],
    denies: &[(Slot, String)],
) -> Result<Composed, Diagnostics> {
    let mut composed = Composed { text: text.to_owned(), ..Composed::default() };
    let planned = entries.iter().map(|placed| (&placed.entry.slot, placed)).enumerate();
    for (slot, items) in by_slot(planned) {
        let keys = slot.allow();
        composed.text = taken_over(composed.text, base.filter(|_| slot != &Slot::Spawn), &keys)?;
        composed.text = if *slot == Slot::Spawn {
            add_rules(&composed.text, base, &items, &mut composed.allows)?
        } else {
            add_by_purpose(&composed.text, slot, &items)?
        };
        let list = pointer(&keys);
        for (index, placed) in items {
            if let Some(at) = edit::position(SHOWN, &composed.text, &keys, &json(&placed.entry.text))? {
                composed.allows.insert(format!("{list}/{at}"), index);
            }
        }
    }
    for (index, (slot, text)) in denies.iter().enumerate() {
        let keys = slot.keys("deny");
        composed.text = taken_over(composed.text, base, &keys)?;
        let at = edit::length(SHOWN, &composed.text, &keys)?;
        composed.text = edit::append(SHOWN, &composed.text, &keys, &[json(text)])?;
        composed.denies.insert(format!("{}/{at}", pointer(&keys)), index);
    }
    Ok(composed)
}

/// The text with the list of the base, if it does not state the list yet: a list of its own would replace that of the base.
fn taken_over(text: String, base: Option<&SharedBase>, keys: &[&str]) -> Result<String, Diagnostics> {
    let entries = base.map_or(&[][..], |base| base.entries(keys));
    if entries.is_empty() || states(&text, &pointer(keys)) {
        return Ok(text);
    }
    let values: Vec<String> = entries.iter().map(ToString::to_string).collect();
    with_labels(edit::append(SHOWN, &text, keys, &values)?, base, entries)
}

/// The keys as a JSON pointer.
fn pointer(keys: &[&str]) -> String {
    keys.iter().fold(String::new(), |pointer, key| format!("{pointer}/{}", escaped(key)))
}

/// The text states a value at the pointer, be it an empty list.
fn states(text: &str, pointer: &str) -> bool {
    Parts::read(text).is_some_and(|parts| parts.value(pointer).is_some())
}

/// The text with the labels that entries of the base name: those of a base count in the base alone.
fn with_labels(text: String, base: Option<&SharedBase>, entries: &[Value]) -> Result<String, Diagnostics> {
    let labels = base.map(|base| base.labels_of(entries)).unwrap_or_default();
    labels.into_iter().try_fold(text, |text, (name, patterns)| {
        let keys = ["labels", name];
        let values: Vec<String> = patterns.iter().map(ToString::to_string).collect();
        if states(&text, &pointer(&keys)) { Ok(text) } else { edit::append(SHOWN, &text, &keys, &values) }
    })
}

/// The policy that is added to has the same entry already, or allows the sub-agents of the entry.
pub(super) fn is_there(entry: &Planned, policy: &Policy) -> bool {
    if entry.slot == Slot::Spawn {
        let list = entry.text.strip_prefix(BUILTIN).and_then(builtin);
        let agents = list.map_or(std::slice::from_ref(&entry.text), |list| &list.entries);
        return agents.iter().all(|agent| {
            let kind = Kind::Spawn { agent: Some(agent.clone()).filter(|agent| agent != "*") };
            let effect = Effect::new(kind, Certainty::Exact, "argument");
            policy.judge(&effect, &Context::default()).decision == Decision::Allowed
        });
    }
    let list = entry.slot.allow().iter().fold(String::new(), |pointer, key| format!("{pointer}/{}", escaped(key)));
    policy.entries().any(|known| {
        known.text == entry.text && known.location.pointer.rsplit_once('/').is_some_and(|(above, _)| above == list)
    })
}

/// Entries of the same list together, each with its index in the plan.
fn by_slot<'t>(
    entries: impl Iterator<Item = (usize, (&'t Slot, &'t Placed<'t>))>,
) -> BTreeMap<&'t Slot, Vec<(usize, &'t Placed<'t>)>> {
    let mut slots: BTreeMap<&Slot, Vec<(usize, &Placed<'_>)>> = BTreeMap::new();
    for (index, (slot, placed)) in entries {
        slots.entry(slot).or_default().push((index, placed));
    }
    slots
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Where the list has sections, an entry goes to that of its purpose. A section that is not there yet is made at the end.
fn add_by_purpose(text: &str, slot: &Slot, items: &[(usize, &Placed<'_>)]) -> Result<String, Diagnostics> {
    let keys = slot.allow();
    let headings = edit::headings(SHOWN, text, &keys)?;
    let has_sections = Purpose::ALL.iter().any(|purpose| headings.iter().any(|found| found == purpose.comment(slot)));
    let mut by_purpose: BTreeMap<Purpose, Vec<String>> = BTreeMap::new();
    for (_, placed) in items {
        by_purpose.entry(placed.purpose).or_default().push(json(&placed.entry.text));
    }
    let mut text = text.to_owned();
    for (purpose, mut values) in by_purpose {
        let comment = purpose.comment(slot);
        if let Some(inserted) = edit::insert_below(SHOWN, &text, &keys, comment, &values)? {
            text = inserted;
            continue;
        }
        if let Some(first) = values.first_mut().filter(|_| has_sections) {
            *first = format!("// {comment}\n{first}");
        }
        text = edit::append(SHOWN, &text, &keys, &values)?;
    }
    Ok(text)
}

fn add_rules(
    text: &str,
    base: Option<&SharedBase>,
    items: &[(usize, &Placed<'_>)],
    indices: &mut BTreeMap<String, usize>,
) -> Result<String, Diagnostics> {
    let keys = Slot::Spawn.allow();
    let before = edit::length(SHOWN, text, &keys)?;
    let list = pointer(&keys);
    for (offset, (index, _)) in items.iter().enumerate() {
        indices.insert(format!("{list}/{}", before + offset), *index);
    }
    let mut ids = BTreeSet::new();
    let values: Vec<String> = items.iter().map(|(_, placed)| rule(&placed.entry.text, text, base, &mut ids)).collect();
    edit::append(SHOWN, text, &keys, &values)
}

/// A rule with an id that no other one has, in the text, in its base, or among `ids`: a rule replaces that of the base
/// with its id.
fn rule(item: &str, text: &str, base: Option<&SharedBase>, ids: &mut BTreeSet<String>) -> String {
    let text = text.to_lowercase();
    let id: String = item.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
    let numbered = (1_usize..).map(|number| match number {
        1 => format!("SPAWN-{id}"),
        _ => format!("SPAWN-{id}-{number}"),
    });
    let is_free = |id: &String| {
        let is_of_base = base.is_some_and(|base| base.names_rule(id));
        !ids.contains(id) && !is_of_base && !text.contains(&format!("\"{}\"", id.to_lowercase()))
    };
    let id = numbered.into_iter().find(is_free).unwrap_or_default();
    ids.insert(id.clone());
    let (id, agent) = (serde_json::Value::from(id), serde_json::Value::from(item));
    format!(
        "{{ \"id\": {id}, \"effect\": \"allow\", \"reason\": \"sessions started it\", \"match\": {{ \"spawn\": [{agent}] }} }}"
    )
}
