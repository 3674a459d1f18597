//! Adds entries to the text of a policy that is there: its entries keep their places and comments.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_effects::{Certainty, Effect, Kind};
use agent_strace_policy::builtin::{BUILTIN, builtin};
use agent_strace_policy::{Context, Decision, Diagnostics, Policy, edit};

use super::compose::{Composed, escaped};
use super::plan::{Planned, RULES, Slot};
use super::shared::SharedBase;

/// How the text is called where it is faulty.
const SHOWN: &str = "the generated policy";

/// The text with the entries at the ends of their lists. `base`: what the text extends.
pub(super) fn added(text: &str, base: Option<&SharedBase>, entries: &[Planned]) -> Result<Composed, Diagnostics> {
    let mut composed = Composed { text: text.to_owned(), ..Composed::default() };
    let planned = entries.iter().map(|entry| (&entry.slot, entry.text.as_str())).enumerate();
    for (slot, items) in by_slot(planned) {
        let keys = slot.allow();
        // A list that the text does not state yet would replace that of the base: it begins with the entries of the base.
        let taken_over = base.filter(|_| slot != &Slot::Spawn).map_or(&[][..], |base| base.entries(&keys));
        if edit::length(SHOWN, &composed.text, &keys)? == 0 && !taken_over.is_empty() {
            let values: Vec<String> = taken_over.iter().map(ToString::to_string).collect();
            composed.text = edit::append(SHOWN, &composed.text, &keys, &values)?;
        }
        composed.text = add(&composed.text, &keys, &items, &mut composed.allows)?;
    }
    Ok(composed)
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

/// An entry as its list spells it; a rule has an id that no other one has, in the text or among `ids`.
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
