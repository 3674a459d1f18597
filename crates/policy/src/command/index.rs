//! Entries by program: lists are long, and a command is of one program.

use super::{CommandRule, system_name};

#[derive(Debug, Clone)]
pub(super) struct Index {
    /// Programs that entries allow by their bare names, sorted, with the index of the entry in its list.
    named: Vec<(String, usize)>,
    /// Indices of entries that say where the program is.
    placed: Vec<usize>,
    /// Indices of entries that may allow any program.
    others: Vec<usize>,
}

impl Index {
    pub(super) fn new(rules: &[CommandRule]) -> Self {
        let (mut named, mut placed, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (index, rule) in rules.iter().enumerate() {
            let Some(programs) = rule.pattern.programs() else {
                others.push(index);
                continue;
            };
            if programs.iter().any(|program| program.contains('/')) {
                placed.push(index);
            }
            let bare = programs.iter().filter(|program| !program.contains('/'));
            named.extend(bare.map(|program| (program.clone(), index)));
        }
        named.sort();
        Self { named, placed, others }
    }

    /// The indices of all entries that may allow a program, in no order.
    pub(super) fn candidates(&self, program: &str) -> impl Iterator<Item = usize> {
        let names = [Some(program), system_name(program)].into_iter().flatten();
        let named = names.flat_map(|name| self.of(name)).map(|(_, index)| *index);
        let placed = if program.contains('/') { self.placed.as_slice() } else { &[] };
        named.chain(placed.iter().copied()).chain(self.others.iter().copied())
    }

    fn of(&self, name: &str) -> &[(String, usize)] {
        let start = self.named.partition_point(|(known, _)| known.as_str() < name);
        let rest = self.named.get(start..).unwrap_or_default();
        let length = rest.iter().take_while(|(known, _)| known == name).count();
        rest.get(..length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use crate::Policy;
    use agent_strace_effects::{Argument, Execution};

    const POLICIES: &[&str] = &[
        r#"{"commands": {"allow": ["cargo test", "cargo", "/opt/x/cargo", "./run", "g* status", "git*", "ls -l"]}}"#,
        r#"{"version": 2, "commands": {"allow": ["cargo test", "cargo", "/opt/x/cargo", "./run", "g* status", "npm run t:*"]},
            "rules": [{"id": "many", "effect": "allow", "reason": "x",
                       "match": {"exec": {"program": ["git", "npm", "bin/run"]}}}]}"#,
    ];
    const COMMANDS: &[&str] = &[
        "cargo",
        "cargo test",
        "cargo build",
        "/usr/bin/cargo test",
        "/opt/x/cargo test",
        "/home/x/cargo test",
        "./run all",
        "run",
        "bin/run",
        "./bin/run",
        "git status",
        "/usr/bin/git status",
        "gst status",
        "npm run t:unit",
        "ls",
        "ls -l",
        "lsx -l",
        "CARGO test",
    ];

    #[test]
    fn the_index_finds_what_a_look_at_every_entry_finds() {
        for text in POLICIES {
            let policy = Policy::from_bytes("p.json", None, text.as_bytes()).expect("it is valid");
            let list = &policy.lists.commands.allow;
            let mut found = 0;
            for command in COMMANDS {
                let words = command.split(' ').map(|word| Argument { text: word.to_owned(), known: true });
                let execution = Execution { argv: words.collect(), inert: false, embeds: false };
                let first = list.rules.iter().position(|rule| rule.pattern.allows(&execution));
                let location = |index: usize| list.rules.get(index).map(|rule| &rule.stated.location);
                let indexed = list.allowing(&execution).map(|rule| &rule.stated.location);
                assert_eq!(indexed, first.and_then(location), "{command}");
                found += usize::from(first.is_some());
            }
            assert!(found > 8, "{found} of the commands are allowed");
        }
    }
}
