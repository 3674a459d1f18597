//! Command lines of other agents: what they change in the settings of the agent, and what they start.

use crate::command::argument::Arg;
use crate::command::knowledge::{Entry, Role};
use crate::command::machine::Machine;
use crate::command::simple::{Io, is_settings_command};
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

/// Subcommands of agents that are about what the agent may do, or about what runs beside it.
const SETTINGS: &[&str] = &[
    "mcp",
    "plugin",
    "plugins",
    "config",
    "settings",
    "hooks",
    "permissions",
    "extensions",
    "extension",
    "tools",
    "trust",
    "features",
    "skills",
    "set-config",
    "marketplace",
];

/// Verbs of such subcommands that change something.
const CHANGES: &[&str] = &[
    "add",
    "add-json",
    "set",
    "install",
    "enable",
    "disable",
    "create",
    "new",
    "edit",
    "remove",
    "rm",
    "delete",
    "import",
    "allow",
    "link",
    "unset",
    "update",
    "reset",
    "uninstall",
    "unlink",
    "migrate",
    "marketplace",
    "login",
];

/// `mcp add …` behind the options of any agent.
fn changes_settings(words: &[Arg]) -> bool {
    let plain: Vec<&str> =
        words.iter().filter_map(Arg::literal).filter(|word| !word.starts_with('-')).take(4).collect();
    let is_change = |pair: &[&str]| matches!(pair, [group, verb] if SETTINGS.contains(group) && CHANGES.contains(verb));
    let sets = matches!(plain.as_slice(), ["set-config", ..] | ["settings", _, _, ..]);
    plain.windows(2).take(3).any(is_change) || sets
}

/// The prompt, or what is piped into the agent, is one of the agent's own commands that change its settings.
fn settings_typed(call: &Call<'_>, io: &Io<'_>) -> bool {
    let first = |text: &str| text.split_whitespace().next().is_some_and(is_settings_command);
    let prompts = call.rest.iter().filter_map(Arg::literal).any(first);
    prompts || io.input.text().is_some_and(|text| text.lines().any(first))
}

impl Machine<'_> {
    /// Another agent. What its subcommands change in its settings is data.
    pub(super) fn agent(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        // Beside other words, `-v` asks some of them to say more about what they do.
        if let [only] = call.rest
            && matches!(only.literal(), Some("--version" | "-v" | "-V" | "--help" | "-h"))
        {
            return Stream::Unknown;
        }
        // The word in front may be the value of an option.
        let is_option = |word: &Arg| word.text.starts_with('-');
        let first = call.rest.iter().position(|word| !is_option(word));
        let is_value = first.and_then(|at| call.rest.get(at.checked_sub(1)?)).is_some();
        let second = first.filter(|_| is_value).map(|at| at + 1);
        let mut places = [first, second].into_iter().flatten();
        let listed = places.find_map(|at| Some((at, call.entry.subcommand(call.rest.get(at)?.literal()?)?)));
        if let Some((at, entry)) = listed {
            return self.agent_settings(entry, call.rest.get(at..).unwrap_or_default(), call, io);
        }
        if settings_typed(&call, io) || changes_settings(call.rest) {
            self.all_settings(call.entry);
        }
        self.spawn(call.name);
        self.opaque(About::Anything, Reason::AnotherAgent, &[call.name]);
        Stream::Unknown
    }

    /// Every file of settings that subcommands of the agent change.
    fn all_settings(&mut self, entry: &Entry) {
        let nested = entry.subcommands.iter().flat_map(|sub| std::iter::once(sub).chain(&sub.subcommands));
        let mut files: Vec<(Role, &str)> = nested
            .flat_map(|sub| &sub.always)
            .filter_map(|text| text.split_once(' '))
            .filter_map(|(role, path)| Some((Role::named(role)?, path)))
            .collect();
        files.dedup();
        if files.is_empty() {
            // Most agents read this file, or one like it.
            files.push((Role::Edit, ".mcp.json"));
        }
        for (role, path) in files {
            self.path(role, &Arg::exact(path));
        }
    }

    /// `words`: `mcp add -s project …`. The scope says which of the files that the entry lists change; without it all may.
    fn agent_settings(&mut self, entry: &Entry, words: &[Arg], call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let verb = words.iter().skip(1).find(|word| !word.text.starts_with('-'));
        let changes = verb.and_then(Arg::literal).and_then(|verb| entry.subcommand(verb)).unwrap_or(entry);
        let scope = words.windows(2).find_map(|pair| match pair {
            [option, value] if matches!(option.literal(), Some("-s" | "--scope")) => value.literal(),
            _ => None,
        });
        let attached = words.iter().find_map(|word| word.text.strip_prefix("--scope="));
        let all = |home: bool| changes.always.iter().filter(move |text| text.contains(" ~/") == home);
        let only_home = match scope.or(attached) {
            Some("project" | "workspace") => Some(false),
            Some("user" | "global" | "local") => Some(true),
            _ => None,
        };
        let Some(home) = only_home.filter(|home| all(*home).next().is_some()) else {
            let named: Vec<Arg> = call.words.first().into_iter().chain(words).cloned().collect();
            return self.data(call.entry, &named, 1, io);
        };
        for text in all(home) {
            if let Some((role, path)) = text.split_once(' ')
                && let Some(role) = Role::named(role)
            {
                self.path(role, &Arg::exact(path));
            }
        }
        Stream::Unknown
    }
}
