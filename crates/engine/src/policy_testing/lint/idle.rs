//! Finds entries that change no verdict: another one says the same or more, or something stricter decides about all they say.

use std::collections::BTreeMap;

use agent_strace_effects::Kind;
use agent_strace_model::finding::{Family, Level};
use agent_strace_policy::{Answer, Caller, Decision, EntryView, Parts, Policy, dotted};

use super::super::fragile::is_of;
use super::super::mutate;
use super::super::trial::tried;
use super::codes::WITHOUT_EFFECT;
use super::{Lint, lint_of, own_entries, shown};

/// The help of a lint whose entry can go: no act is judged otherwise without it.
pub(super) const REMOVE_ONE: &str = "remove one of them";
pub(super) const REMOVE: &str = "remove it, or narrow the other one";

/// All of them, by location.
pub fn idle(policy: &Policy, parts: &Parts) -> Vec<Lint> {
    let entries = own_entries(policy);
    let mut found = repeated(&entries);
    found.extend(taken_out(policy));
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
    let mut texts: BTreeMap<(&str, &str), Vec<&EntryView>> = BTreeMap::new();
    for entry in entries {
        if let Some(list) = list(entry) {
            texts.entry((list, &entry.text)).or_default().push(entry);
        }
    }
    let mut found = Vec::new();
    for entry in entries {
        let Some(list) = list(entry) else { continue };
        // The first of several that say the same stays.
        let is_earlier = |other: &EntryView| {
            other.location != entry.location && other.covers(entry) && (!entry.covers(other) || at(other) < at(entry))
        };
        if let Some(first) =
            texts.get(&(list, entry.text.as_str())).into_iter().flatten().find(|other| is_earlier(other))
        {
            let message = format!("{} says the same as {} (line {})", entry.name, first.name, first.location.line);
            found.push(lint_of(&WITHOUT_EFFECT, Level::Warning, entry, message, REMOVE_ONE));
        } else if let Some(wide) = wider(entry)
            .iter()
            .filter_map(|text| texts.get(&(list, text.as_str())))
            .find_map(|stated| stated.iter().find(|wide| is_earlier(wide)))
        {
            let (name, line) = (&wide.name, wide.location.line);
            let message = format!("{} adds nothing to {name} (line {line}), `{}`", entry.name, wide.text);
            found.push(lint_of(&WITHOUT_EFFECT, Level::Note, entry, message, REMOVE));
        }
    }
    found
}

fn at(entry: &EntryView) -> (u32, u32) {
    (entry.location.line, entry.location.column)
}

/// Entries that forbid, or ask, and of which an entry with `!` in the same list leaves nothing.
pub fn taken_out(policy: &Policy) -> Vec<Lint> {
    let entries = own_entries(policy);
    let is_exclusion = |entry: &EntryView| entry.text.starts_with('!');
    let forbids = |entry: &EntryView| matches!(entry.decision, Decision::Denied | Decision::Asked);
    let exclusions: Vec<&EntryView> =
        entries.iter().copied().filter(|entry| forbids(entry) && is_exclusion(entry)).collect();
    let mut found = Vec::new();
    for entry in entries.iter().filter(|entry| !is_exclusion(entry)) {
        let Some(own) = list(entry) else { continue };
        let excluded = exclusions.iter().find(|other| list(other) == Some(own) && leaves_nothing(other, entry));
        if let Some(other) = excluded {
            let (name, line) = (&other.name, other.location.line);
            let message = format!(
                "{} forbids nothing: {name} (line {line}), `{}`, takes it out of the list",
                entry.name, other.text
            );
            let help = "an entry with `!` takes out whatever it names, wherever it stands: narrow it, or remove it";
            found.push(lint_of(&WITHOUT_EFFECT, Level::Error, entry, message, help));
        }
    }
    found
}

/// An exclusion names everything that an entry for files names.
fn leaves_nothing(exclusion: &EntryView, entry: &EntryView) -> bool {
    let excluded = exclusion.text.trim_start_matches('!');
    let is_of_repository = !entry.text.starts_with("//") && !entry.text.starts_with("~/") && !entry.text.contains(':');
    let plain = EntryView { text: excluded.to_owned(), ..exclusion.clone() };
    plain.names_all_of(entry) || excluded == "**" || excluded == "/**" && is_of_repository && entry.text.contains('/')
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
    let help = "the strictest entry wins wherever it stands: narrow that one if this is to be allowed";
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
    // An example needs a program, files and hosts. What becomes of the others is nothing against the entry.
    let is_own = |kind: &Kind| is_of(entry, kind);
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
