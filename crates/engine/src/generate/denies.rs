//! The denies of a generated policy.

use std::collections::BTreeSet;

use agent_strace_policy::builtin::{BUILTIN, builtin};
use agent_strace_policy::{Decision, Policy, Subject};

use super::plan::{Basis, Planned, Slot};
use super::tables::RISKY;
use super::{commands, compose};

/// Lists acts that no agent should do, and risky acts that an entry would allow beside those that were done.
pub(super) fn suggestions(entries: &[Planned]) -> Vec<(Slot, String)> {
    let mut denied = compose::denied();
    let mut deny = |text: String| {
        if !denied.iter().any(|(slot, known)| *slot == Slot::Commands && *known == text) {
            denied.push((Slot::Commands, text));
        }
    };
    let known = |name: &str| builtin(name).map_or(&[][..], |list| &list.entries);
    let texts = entries.iter().filter(|entry| entry.slot == Slot::Commands).flat_map(|entry| match entry.basis {
        Basis::Builtin(name) => known(name).iter().map(String::as_str).collect(),
        _ => vec![entry.text.as_str()],
    });
    for text in texts {
        let program = text.split(' ').next().unwrap_or(text);
        let listed = RISKY.iter().find(|(of, _)| *of == program).map(|(_, list)| *list);
        if let Some(list) = listed {
            deny(format!("{BUILTIN}{list}"));
        }
        let lists = [Some("dangerous"), listed].into_iter().flatten().flat_map(known);
        let lists: BTreeSet<&str> = lists.map(String::as_str).collect();
        for risky in commands::risks_beside(text).into_iter().filter(|risky| !lists.contains(risky.as_str())) {
            deny(risky);
        }
    }
    denied
}

/// Lists the denies that go with entries which are added to a policy. A policy that allows or denies an act already keeps its word.
pub(super) fn beside(entries: &[Planned], policy: &Policy) -> Vec<(Slot, String)> {
    let usual: BTreeSet<String> = compose::denied().into_iter().map(|(_, text)| text).collect();
    let stated: Vec<(Decision, String)> = policy
        .members()
        .filter(|entry| entry.subject == Subject::Command)
        .map(|entry| (entry.decision, entry.text.clone()))
        .collect();
    let is_denied = |text: &str| stated.iter().any(|(decision, own)| *decision == Decision::Denied && own == text);
    let is_allowed = |text: &str| {
        // An entry with the same words, or for all of the program, is a decision of a person.
        let program = text.split(' ').next().unwrap_or(text);
        let allows = |own: &str| own == text || own == "*" || own.strip_suffix(" *").unwrap_or(own) == program;
        stated.iter().any(|(decision, own)| *decision == Decision::Allowed && allows(own))
    };
    let is_open = |text: &str| !is_denied(text) && !is_allowed(text);
    let mut added = Vec::new();
    for (slot, text) in suggestions(entries).into_iter().filter(|(_, text)| !usual.contains(text)) {
        let members = text.strip_prefix(BUILTIN).and_then(builtin).map(|list| &list.entries);
        match members {
            Some(members) if members.iter().all(|member| is_denied(member)) => {}
            Some(members) if !members.iter().any(|member| is_allowed(member)) => added.push((slot, text)),
            Some(members) => {
                let open = members.iter().filter(|member| is_open(member));
                added.extend(open.map(|member| (slot.clone(), member.clone())));
            }
            None if is_open(&text) => added.push((slot, text)),
            None => {}
        }
    }
    added
}
