//! Entries that others of their kind make likely, and that no table can list: scripts of a project, tools of a server.
//!
//! If two scripts of a runner ran, all scripts of the project are allowed: the repository says what they do. If
//! two tools of a server were used that show something, the others that do are: what creates, changes or deletes is
//! allowed by its own name alone.

use std::collections::BTreeSet;

use super::families::{RUNNERS, SHOWING};
use super::plan::{Basis, Planned, Slot};

const SCRIPTS: &str = "pattern for the scripts of a project";
const LOOKS: &str = "patterns for tools of a server that show what is there";

/// So many stand for the others.
const SEVERAL: usize = 2;

pub(super) fn complete(entries: &mut Vec<Planned>) {
    let mut more: Vec<Planned> = RUNNERS.iter().filter_map(|runner| scripts(runner, entries)).collect();
    let servers: BTreeSet<&Slot> = entries.iter().map(|entry| &entry.slot).filter(|slot| is_server(slot)).collect();
    more.extend(servers.into_iter().flat_map(|server| looks(server, entries)));
    entries.extend(more);
}

/// `npm run *`, of two scripts or more.
fn scripts(runner: &str, entries: &[Planned]) -> Option<Planned> {
    let script = |entry: &&Planned| {
        let rest = entry.text.strip_prefix(runner).and_then(|rest| rest.strip_prefix(' '));
        entry.slot == Slot::Commands && rest.is_some_and(|script| !script.starts_with('-'))
    };
    let support = of_several(entries.iter().filter(script))?;
    Some(Planned { slot: Slot::Commands, text: format!("{runner} *"), support, basis: Basis::Family(SCRIPTS) })
}

fn is_server(slot: &Slot) -> bool {
    matches!(slot, Slot::Mcp(server) if server != "*")
}

/// `get_*` and the like, of two such tools or more.
fn looks(server: &Slot, entries: &[Planned]) -> Vec<Planned> {
    let shows = |entry: &&Planned| {
        let starts = |pattern: &str| entry.text.starts_with(pattern.trim_end_matches('*'));
        entry.slot == *server && SHOWING.iter().any(|pattern| starts(pattern))
    };
    let Some(support) = of_several(entries.iter().filter(shows)) else { return Vec::new() };
    let planned = |text: &&str| Planned {
        slot: server.clone(),
        text: (*text).to_owned(),
        support: support.clone(),
        basis: Basis::Family(LOOKS),
    };
    SHOWING.iter().map(planned).collect()
}

/// Returns the observations behind the entries, if there are enough entries.
fn of_several<'e>(entries: impl Iterator<Item = &'e Planned>) -> Option<BTreeSet<usize>> {
    let entries: Vec<&Planned> = entries.collect();
    (entries.len() >= SEVERAL).then(|| entries.iter().flat_map(|entry| &entry.support).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn more(slot: &Slot, texts: &[&str]) -> Vec<String> {
        let planned = |(index, text): (usize, &&str)| Planned {
            slot: slot.clone(),
            text: (*text).to_owned(),
            support: BTreeSet::from([index]),
            basis: Basis::Seen,
        };
        let mut entries: Vec<Planned> = texts.iter().enumerate().map(planned).collect();
        complete(&mut entries);
        entries.into_iter().skip(texts.len()).map(|entry| entry.text).collect()
    }

    #[test]
    fn two_scripts_stand_for_all_and_for_nothing_else() {
        assert_eq!(more(&Slot::Commands, &["npm run build", "npm run test"]), ["npm run *"]);
        for few in [
            &["npm run build"][..],
            &["npm run build", "bun run test"],
            &["npm ci", "npm install"],
            &["npm run --if-present", "npm run a"],
        ] {
            assert_eq!(more(&Slot::Commands, few), Vec::<String>::new(), "{few:?}");
        }
    }

    #[test]
    fn tools_that_show_stand_for_tools_that_show() {
        let server = Slot::Mcp("tracker".to_owned());
        assert_eq!(more(&server, &["get_issue", "list_issues", "create_issue"]), SHOWING);
        assert_eq!(more(&server, &["get_issue", "create_issue", "delete_issue"]), Vec::<String>::new());
        assert_eq!(more(&server, &["getaway", "listen"]), Vec::<String>::new());
        assert_eq!(more(&Slot::Mcp("*".to_owned()), &["get_issue", "list_issues"]), Vec::<String>::new());
    }
}
