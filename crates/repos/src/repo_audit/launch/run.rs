//! What a text for a shell runs, with what each command is started by.

use std::collections::{BTreeMap, BTreeSet};

use super::options::program;
use agent_strace_effects::{Effect, Kind};
use agent_strace_policy::Policy;

/// Programs that bring what they run from outside: what they run is theirs.
const BRINGS: &[&str] = &[
    "npx", "bunx", "pnpx", "pnpm", "yarn", "npm", "bun", "uvx", "uv", "pipx", "docker", "podman", "nerdctl", "deno",
    "go", "nix", "dnx", "curl", "wget",
];
const ELEVATES: &[&str] = &["sudo", "doas", "pkexec", "gsudo"];

pub(super) fn brings(words: &[String]) -> bool {
    is(words, BRINGS)
}

pub(super) fn elevates(words: &[String]) -> bool {
    is(words, ELEVATES)
}

fn is(words: &[String], names: &[&str]) -> bool {
    words.first().is_some_and(|word| names.contains(&program(word).as_str()))
}

/// The effects of a text, in order.
pub(super) struct Run {
    pub(super) effects: Vec<Effect>,
    /// The indices of the commands that caused them.
    causes: Vec<Option<usize>>,
    /// By the index of a command: what it caused.
    caused: BTreeMap<usize, Vec<usize>>,
    /// Words of commands by their indices.
    pub(super) commands: BTreeMap<usize, Vec<String>>,
}

impl Run {
    pub(super) fn of(text: &str) -> Self {
        let effects = agent_strace_effects::of_command(text, Policy::none().programs());
        let causes = agent_strace_effects::causes(&effects.iter().collect::<Vec<_>>());
        let mut caused: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, cause) in causes.iter().enumerate() {
            if let Some(cause) = cause {
                caused.entry(*cause).or_default().push(at);
            }
        }
        let words = |(at, effect): (usize, &Effect)| match &effect.kind {
            Kind::Execute(execution) => {
                Some((at, execution.argv.iter().map(|argument| argument.text.clone()).collect()))
            }
            _ => None,
        };
        let commands = effects.iter().enumerate().filter_map(words).collect();
        Self { effects, causes, caused, commands }
    }

    /// The command that caused an effect.
    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        self.causes.get(at).copied().flatten()
    }

    /// What a command caused.
    pub(super) fn caused(&self, at: usize) -> impl Iterator<Item = &Effect> {
        self.caused.get(&at).into_iter().flatten().filter_map(|at| self.effects.get(*at))
    }

    /// The commands that start no other one, and those that bring what they start, in order.
    pub(super) fn ends(&self) -> Vec<&Vec<String>> {
        let mut brought = BTreeSet::new();
        let mut ends = Vec::new();
        for (at, words) in &self.commands {
            let is_brought = self.parent(*at).is_some_and(|parent| {
                brought.contains(&parent) || self.commands.get(&parent).is_some_and(|words| brings(words))
            });
            let starts = self.caused(*at).any(|effect| matches!(effect.kind, Kind::Execute(_)));
            if is_brought {
                brought.insert(*at);
            } else if brings(words) || !starts {
                ends.push(words);
            }
        }
        ends
    }
}

/// All commands of a text, wherever in its grammar and behind whatever wrappers they stand.
pub(crate) fn commands(text: &str) -> Vec<Vec<String>> {
    Run::of(text).commands.into_values().collect()
}
