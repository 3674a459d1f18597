//! The denies of a generated policy.

use std::collections::BTreeSet;

use agent_strace_policy::builtin::{BUILTIN, builtin};

use super::plan::{Basis, Planned, Slot};
use super::tables::RISKY;
use super::{commands, compose};

/// What no agent should do, and what an entry would allow beside what was done although people have to allow it.
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
