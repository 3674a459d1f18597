//! Folders outside of the workspace that agents keep for themselves: scratch, and what they are told by.
//!
//! A path in one of them says nothing about the next session: it names a user, a project, a random word. Where one was
//! used, the folder is meant, for every user. What runs from there is judged as a command, and no entry allows it.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::Touched;
use super::plan::{Basis, Planned, Slot};

/// A folder below a home directory.
struct Store {
    agent: &'static str,
    folder: &'static str,
    /// The agent writes it, too: plans, notes.
    is_written: bool,
}

const fn read(agent: &'static str, folder: &'static str) -> Store {
    Store { agent, folder, is_written: false }
}

const fn kept(agent: &'static str, folder: &'static str) -> Store {
    Store { agent, folder, is_written: true }
}

/// Instructions and notes. Neither settings nor credentials nor logs of other sessions are among them.
const STORES: &[Store] = &[
    kept("claude", ".claude/plans/**"),
    kept("claude", ".claude/todos/**"),
    kept("claude", ".claude/tasks/**"),
    kept("claude", ".claude/projects/*/memory/**"),
    read("claude", ".claude/projects/*/*/tool-results/**"),
    read("claude", ".claude/skills/**"),
    read("claude", ".claude/plugins/**"),
    read("claude", ".claude/agents/**"),
    read("claude", ".claude/commands/**"),
    read("claude", ".claude/CLAUDE.md"),
    read("codex", ".codex/skills/**"),
    read("codex", ".codex/superpowers/**"),
    read("codex", ".codex/plugins/**"),
    read("codex", ".codex/prompts/**"),
    read("codex", ".codex/memories/**"),
    read("codex", ".codex/AGENTS.md"),
    kept("copilot", ".copilot/session-state/**"),
    read("copilot", ".copilot/skills/**"),
    read("copilot", ".copilot/agents/**"),
    read("gemini", ".gemini/skills/**"),
    read("gemini", ".gemini/extensions/**"),
    read("gemini", ".gemini/GEMINI.md"),
    read("cursor", ".cursor/skills/**"),
    kept("cursor", ".cursor/plans/**"),
    read("agents", ".agents/skills/**"),
];

const SCRATCH: &str = "scratch folders";
const OWN: &str = "folders of agents for plans, notes and instructions";

/// What a path outside of the workspace belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PathOwner<'a> {
    /// Files that a session makes for itself.
    Scratch,
    /// A store of the agent below homes of this form.
    Store(&'a str, &'static str),
}

/// Where temporary files are. The systems of a team differ: where one was used, all are meant.
const TEMPORARY: &[&str] =
    &["/tmp/**", "/private/tmp/**", "/var/folders/**", "/private/var/folders/**", "C:/Users/*/AppData/Local/Temp/**"];

/// Homes: as paths begin, and the pattern with any user.
const HOMES: &[(&str, &str)] = &[
    ("/Users/", "//Users/*/"),
    ("/home/", "//home/*/"),
    ("C:/Users/", "//C:/Users/*/"),
    ("D:/Users/", "//D:/Users/*/"),
];

/// The pattern of the home that a path is below, and what follows it.
fn home(path: &str) -> Option<(&'static str, &str)> {
    if let Some(rest) = path.strip_prefix("~/") {
        return Some(("~/", rest));
    }
    if let Some(rest) = path.strip_prefix("/root/") {
        return Some(("//root/", rest));
    }
    let found = HOMES.iter().find_map(|(start, pattern)| Some((*pattern, path.strip_prefix(start)?)));
    found.and_then(|(pattern, rest)| Some((pattern, rest.split_once('/')?.1)))
}

/// The folder that a path belongs to, and whether it may be written there.
fn owner(path: &str) -> Option<(PathOwner<'_>, bool)> {
    if path.split('/').any(|part| part == "..") {
        return None;
    }
    if TEMPORARY.iter().any(|pattern| is_in(path, pattern)) {
        return Some((PathOwner::Scratch, true));
    }
    let (pattern, rest) = home(path)?;
    let store = STORES.iter().find(|store| is_in(rest, store.folder))?;
    Some((PathOwner::Store(pattern, store.agent), store.is_written))
}

/// Whether a path is what the pattern says: `*` is one component, a last `**` at least one.
fn is_in(path: &str, pattern: &str) -> bool {
    let mut parts = path.split('/');
    for wanted in pattern.split('/') {
        let Some(part) = parts.next() else { return false };
        if wanted == "**" {
            return !part.is_empty();
        }
        if wanted != "*" && wanted != part {
            return false;
        }
    }
    parts.next().is_none()
}

/// Takes out what lies in such folders, and makes the entries for the folders.
pub(super) fn take(touched: &mut BTreeMap<Slot, Vec<Touched<'_>>>) -> Vec<Planned> {
    let mut used: BTreeMap<PathOwner<'_>, BTreeSet<usize>> = BTreeMap::new();
    for (slot, list) in touched.iter_mut() {
        list.retain(|one| {
            let found = owner(&one.target.path);
            let Some((owner, _)) = found.filter(|(_, is_written)| *slot == Slot::Read || *is_written) else {
                return true;
            };
            used.entry(owner).or_default().insert(one.index);
            // What was deleted stands for itself.
            *slot == Slot::Delete
        });
    }
    let kin = of_other_agents(&used);
    used.into_iter().flat_map(|(owner, support)| owner.entries(&support)).chain(kin).collect()
}

/// Returns read entries for the folders of other agents: people work on one project with several agents.
fn of_other_agents(used: &BTreeMap<PathOwner<'_>, BTreeSet<usize>>) -> Vec<Planned> {
    let mut homes: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (owner, support) in used {
        if let PathOwner::Store(home, _) = owner {
            homes.entry(home).or_default().extend(support);
        }
    }
    let others = homes.iter().flat_map(|(home, support)| {
        let is_other = |store: &&Store| !store.is_written && !used.contains_key(&PathOwner::Store(home, store.agent));
        STORES.iter().filter(is_other).map(move |store| Planned {
            slot: Slot::Read,
            text: format!("{home}{}", store.folder),
            support: support.clone(),
            basis: Basis::Family(OWN),
        })
    });
    others.collect()
}

impl PathOwner<'_> {
    fn entries(self, support: &BTreeSet<usize>) -> Vec<Planned> {
        let planned = |slot: Slot, text: String, name| Planned {
            slot,
            text,
            support: support.clone(),
            basis: Basis::Family(name),
        };
        match self {
            Self::Scratch => {
                let of = |slot: Slot| {
                    TEMPORARY.iter().map(move |folder| (slot.clone(), format!("//{}", folder.trim_start_matches('/'))))
                };
                let both = of(Slot::Read).chain(of(Slot::Write));
                both.map(|(slot, text)| planned(slot, text, SCRATCH)).collect()
            }
            Self::Store(home, agent) => {
                let own = || STORES.iter().filter(|store| store.agent == agent);
                let text = |store: &Store| format!("{home}{}", store.folder);
                let written =
                    own().filter(|store| store.is_written).map(|store| planned(Slot::Write, text(store), OWN));
                own().map(|store| planned(Slot::Read, text(store), OWN)).chain(written).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_found_wherever_homes_are() {
        let store = |home, agent, is_written| Some((PathOwner::Store(home, agent), is_written));
        assert_eq!(owner("/tmp/a/b"), Some((PathOwner::Scratch, true)));
        assert_eq!(owner("C:/Users/a/AppData/Local/Temp/x"), Some((PathOwner::Scratch, true)));
        assert_eq!(owner("/Users/ana/.claude/plans/x.md"), store("//Users/*/", "claude", true));
        assert_eq!(owner("/home/ana/.claude/projects/p/memory/x.md"), store("//home/*/", "claude", true));
        assert_eq!(owner("~/.codex/memories/MEMORY.md"), store("~/", "codex", false));
        for other in [
            "/tmp/",
            "/tmp/../etc/passwd",
            "/tmpfiles/a",
            "tmp/a",
            "~/.claude/settings.json",
            "/home/a/.claude/projects/p/x.jsonl",
            "~/.codex/auth.json",
            "/home/.claude",
        ] {
            assert_eq!(owner(other), None, "{other}");
        }
    }
}
