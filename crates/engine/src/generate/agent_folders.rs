//! Folders outside of the workspace that agents keep for themselves: scratch, and the notes and instructions of agents.
//!
//! A path in one of them says nothing about the next session: it names a user, a project, a random word. Where one was
//! used, the folder is meant, for every user. What runs from there is judged as a command, and no entry allows it.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_policy::builtin::{BUILTIN, BuiltinList, builtin};

use super::paths::Touched;
use super::plan::{Basis, Planned, Slot};

/// The built-in list that names a folder, and the lists of a policy that get it where a session used one of its folders.
struct Folders {
    name: &'static str,
    read: bool,
    written: bool,
}

const FOLDERS: &[Folders] = &[
    Folders { name: "scratch", read: true, written: true },
    Folders { name: "agent-notes", read: true, written: true },
    Folders { name: "agent-instructions", read: true, written: false },
];

impl Folders {
    fn holds(&self, slot: &Slot) -> bool {
        match slot {
            Slot::Write | Slot::Delete => self.written,
            _ => self.read,
        }
    }
}

/// `roots`: where the workspaces of the sessions lie. A list that holds one of them would allow all of that workspace, as a
/// checkout below `/tmp` is scratch to `builtin:scratch`.
fn list_of(path: &str, slot: &Slot, roots: &BTreeSet<&str>) -> Option<&'static BuiltinList> {
    if path.split('/').any(|part| part == "..") {
        return None;
    }
    let lists = FOLDERS.iter().filter(|folders| folders.holds(slot)).filter_map(|folders| builtin(folders.name));
    let holds_root = |list: &BuiltinList| roots.iter().any(|root| list.has_path(root));
    lists.into_iter().find(|list| list.has_path(path) && !holds_root(list))
}

/// Takes out what lies in such folders, and makes the entries for the folders.
pub(super) fn take(touched: &mut BTreeMap<Slot, Vec<Touched<'_>>>, roots: &BTreeSet<&str>) -> Vec<Planned> {
    let mut used: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (slot, list) in touched.iter_mut() {
        list.retain(|one| {
            let Some(list) = list_of(&one.target.path, slot, roots) else { return true };
            used.entry(list.name.as_str()).or_default().insert(one.index);
            // What was deleted stands for itself.
            *slot == Slot::Delete
        });
    }
    // People work on one project with several agents: who reads instructions of one reads those of the others.
    if let Some(support) = used.get("agent-notes").cloned() {
        used.entry("agent-instructions").or_default().extend(support);
    }
    let entries = used.iter().filter_map(|(name, support)| Some((builtin(name)?, support)));
    entries.flat_map(|(list, support)| entries_of(list, support)).collect()
}

fn entries_of(list: &'static BuiltinList, support: &BTreeSet<usize>) -> Vec<Planned> {
    let folders = FOLDERS.iter().find(|folders| folders.name == list.name);
    let slots = [Slot::Read, Slot::Write].into_iter().filter(|slot| folders.is_some_and(|one| one.holds(slot)));
    let planned = |slot| Planned {
        slot,
        text: format!("{BUILTIN}{}", list.name),
        support: support.clone(),
        basis: Basis::Builtin(&list.name),
    };
    slots.map(planned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_found_wherever_homes_are() {
        let found = |path, slot| list_of(path, &slot, &BTreeSet::new()).map(|list| list.name.as_str());
        assert_eq!(found("/tmp/a/b", Slot::Write), Some("scratch"));
        assert_eq!(found("C:/Users/a/AppData/Local/Temp/x", Slot::Write), Some("scratch"));
        assert_eq!(found("/Users/ana/.claude/plans/x.md", Slot::Write), Some("agent-notes"));
        assert_eq!(found("/home/ana/.claude/projects/p/memory/x.md", Slot::Read), Some("agent-notes"));
        assert_eq!(found("~/.codex/memories/MEMORY.md", Slot::Read), Some("agent-instructions"));
        assert_eq!(found("~/.codex/memories/MEMORY.md", Slot::Write), None);
        for other in [
            "/tmp/../etc/passwd",
            "/tmpfiles/a",
            "tmp/a",
            "~/.claude/settings.json",
            "/home/a/.claude/projects/p/x.jsonl",
            "~/.codex/auth.json",
            "/home/.claude",
        ] {
            assert_eq!(found(other, Slot::Read), None, "{other}");
        }
    }

    #[test]
    fn a_folder_that_holds_the_workspace_is_not_meant_as_a_whole() {
        let found = |root| list_of("/tmp/a/b", &Slot::Write, &BTreeSet::from([root])).map(|list| list.name.as_str());
        assert_eq!(found("/home/ana/app"), Some("scratch"));
        assert_eq!(found("/tmp/app"), None);
        assert_eq!(found("/private/tmp/app"), None);
    }
}
