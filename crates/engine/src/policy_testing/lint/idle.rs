//! Entries that change no verdict: another one says the same or more, or something stricter decides about all they say.

use std::collections::BTreeMap;

use agent_strace_effects::Kind;
use agent_strace_model::finding::{Family, Level};
use agent_strace_policy::{Answer, Caller, Decision, EntryView, Parts, Policy, Subject, dotted};

use super::super::mutate;
use super::super::trial::tried;
use super::codes::WITHOUT_EFFECT;
use super::{Lint, lint_of, own_entries, shown};

/// All of them, by location.
pub fn idle(policy: &Policy, parts: &Parts) -> Vec<Lint> {
    let entries = own_entries(policy);
    let mut found = repeated(&entries);
    found.extend(entries.iter().filter_map(|entry| overruled(policy, parts, entry)));
    found.sort_by(|one, other| super::key(one).cmp(&super::key(other)));
    found
}

/// The list that an entry stands in, as a JSON pointer.
fn list(entry: &EntryView) -> Option<&str> {
    let list = entry.location.pointer.rsplit_once('/').map(|(list, _)| list)?;
    (entry.policy_rule.is_none() && !entry.text.is_empty()).then_some(list)
}

fn repeated(entries: &[&EntryView]) -> Vec<Lint> {
    let mut first: BTreeMap<(&str, &str), &EntryView> = BTreeMap::new();
    for entry in entries {
        if let Some(list) = list(entry) {
            first.entry((list, &entry.text)).or_insert(entry);
        }
    }
    let mut found = Vec::new();
    for entry in entries {
        let Some(list) = list(entry) else { continue };
        let same = first.get(&(list, entry.text.as_str())).filter(|first| first.location != entry.location);
        if let Some(first) = same {
            let message = format!("{} says the same as {} (line {})", entry.name, first.name, first.location.line);
            found.push(lint_of(&WITHOUT_EFFECT, Level::Warning, entry, message, "remove one of them"));
        } else if let Some(wide) = wider(entry)
            .iter()
            .filter_map(|text| first.get(&(list, text.as_str())))
            .find(|wide| wide.location != entry.location && wide.covers(entry))
        {
            let (name, line) = (&wide.name, wide.location.line);
            let message = format!("{} adds nothing to {name} (line {line}), `{}`", entry.name, wide.text);
            found.push(lint_of(&WITHOUT_EFFECT, Level::Note, entry, message, "remove it, or narrow the other one"));
        }
    }
    found
}

/// Texts of entries that may say all that this one does, and more: few, so that long lists are compared quickly.
fn wider(entry: &EntryView) -> Vec<String> {
    let text = entry.text.as_str();
    match entry.subject.name() {
        "read" | "write" | "delete" => {
            text.match_indices('/').map(|(at, _)| text.split_at(at).0.to_owned() + "/**").collect()
        }
        "command" => text.match_indices(' ').map(|(at, _)| text.split_at(at).0.to_owned()).collect(),
        "network" => text.match_indices('.').map(|(at, _)| format!("*{}", text.split_at(at).1)).collect(),
        _ => Vec::new(),
    }
}

/// Whatever it allows, or asks for, is decided by something stricter.
fn overruled(policy: &Policy, parts: &Parts, entry: &EntryView) -> Option<Lint> {
    let says = match entry.decision {
        Decision::Allowed => "allows",
        Decision::Asked => "asks for",
        Decision::Denied | Decision::Unruled | Decision::Unresolved => return None,
    };
    let acts = mutate::acts(entry, parts);
    let first = acts.first()?;
    let over = acts.iter().map(|acts| stricter(policy, entry, acts)).collect::<Option<Vec<_>>>()?;
    let (verb, by) = over.into_iter().next()?;
    let message = format!("what {} {says}, such as {}, is {verb} by {by}", entry.name, shown(&first.plain));
    let help = "the strictest entry wins wherever it stands: narrow that one, or remove this entry";
    Some(lint_of(&WITHOUT_EFFECT, Level::Warning, entry, message, help))
}

/// What is stricter about an act, and its name: not a list that only demands that the act is allowed in it.
fn stricter(policy: &Policy, entry: &EntryView, acts: &mutate::Acts) -> Option<(&'static str, String)> {
    let tried = tried(policy, &acts.plain, &Caller::default());
    let (decision, verb, own_list) = match tried.answer {
        Answer::Deny => (Decision::Denied, "denied", "/deny"),
        Answer::Ask if entry.decision == Decision::Allowed => (Decision::Asked, "held back for an approval", "/ask"),
        Answer::Ask | Answer::Allow | Answer::Unresolved => return None,
    };
    // A command is allowed for other operands, too: what becomes of the files of an example is nothing against it.
    let is_own = |kind: &Kind| entry.subject != Subject::Command || matches!(kind, Kind::Execute(_));
    let judged = tried.entries.iter().find(|judged| judged.decision == decision && is_own(&judged.effect.kind))?;
    if let Some(rule) = &judged.policy_rule {
        return Some((verb, rule.id.clone()));
    }
    match &judged.location {
        Some(location) => {
            let list = location.pointer.rsplit_once('/').map_or("", |(list, _)| list);
            list.ends_with(own_list).then(|| (verb, dotted(&location.pointer)))
        }
        None => (judged.rule.family() == Family::Floor).then(|| (verb, judged.rule.to_string())),
    }
}
