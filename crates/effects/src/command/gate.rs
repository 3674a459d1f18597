//! Acts on the program that judges the agent: it is stopped, another command takes its name, or a file loses a call of it.

use super::argument::Arg;
use crate::Reason;

/// The program's name.
pub(crate) const NAME: &str = "agent-strace";

/// Programs that stop whatever their arguments name.
const STOPPERS: &[&str] = &["kill", "killall", "pkill", "skill", "taskkill", "tskill", "stop-process", "spps"];
/// Programs that stop what they look after, and the words that ask for it.
const MANAGERS: &[&str] =
    &["systemctl", "service", "launchctl", "docker", "podman", "pm2", "supervisorctl", "stop-service", "sc"];
const STOPS: &[&str] = &["stop", "kill", "disable", "mask", "rm", "remove", "delete", "bootout", "unload", "pause"];
/// Programs that give a name to a command.
const NAMERS: &[&str] = &["alias", "set-alias", "sal", "new-alias", "nal", "doskey"];

/// Files that say what runs, by the ends of their names.
const RECIPES: &[&str] = &[
    "makefile",
    ".mk",
    "justfile",
    "rakefile",
    "jenkinsfile",
    "dockerfile",
    "procfile",
    "package.json",
    "tox.ini",
    "noxfile.py",
    "pyproject.toml",
    "deno.json",
    ".sh",
    ".bash",
    ".zsh",
    ".ps1",
    ".bat",
    ".cmd",
    ".yml",
    ".yaml",
];

/// Subcommands that judge, watch or record.
const CALLS: &[&str] = &["check", "guard", "hook", "record", "watch", "import", "policy", "effects", "verify"];

/// Why the command is an act on the program.
pub(super) fn act(words: &[Arg]) -> Option<Reason> {
    let (program, rest) = words.split_first()?;
    let name = program.text.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let speaks = || rest.iter().any(|word| word.text.to_ascii_lowercase().contains(NAME));
    let stops = || rest.iter().any(|word| STOPS.contains(&word.text.to_ascii_lowercase().as_str()));
    let is_stopper = STOPPERS.contains(&name) || name == "stop-service" || MANAGERS.contains(&name) && stops();
    if is_stopper && speaks() {
        return Some(Reason::GateStopped);
    }
    let mut operands = rest.iter().filter(|word| !word.text.starts_with('-'));
    let replaced = if NAMERS.contains(&name) {
        operands.next().is_some_and(|word| word.text.split('=').next() == Some(NAME))
    } else {
        name == "hash" && rest.len() > 2 && operands.any(|word| word.text == NAME)
    };
    replaced.then_some(Reason::GateReplaced)
}

/// The file says what runs.
pub(crate) fn is_recipe(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    RECIPES.iter().any(|end| path.ends_with(end))
}

/// A line with a call of the program is not there any more, or is another one.
pub(crate) fn loses_call(before: &str, after: &str) -> bool {
    let calls = before.lines().map(str::trim).filter(|line| calls(line));
    calls.into_iter().any(|call| after.lines().all(|line| line.trim() != call))
}

fn calls(line: &str) -> bool {
    line.match_indices(NAME).any(|(at, name)| {
        let behind = line.get(at + name.len()..).and_then(|rest| rest.strip_prefix(' ')).unwrap_or_default();
        let word = behind.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        CALLS.contains(&word)
    })
}

/// The `sed` script replaces or deletes lines that name the program.
pub(super) fn sed_drops(script: &str) -> bool {
    script.split(['\n', ';']).any(|command| {
        let command = command.trim_start();
        let (command, replaces) = command.strip_prefix('s').map_or((command, false), |rest| (rest, true));
        let Some(delimiter) = command.chars().next().filter(|mark| !mark.is_alphanumeric()) else { return false };
        let mut parts = command.split(delimiter).skip(1);
        let (pattern, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let changes = replaces || rest.trim_start().starts_with(['d', 'c', 's']);
        pattern.contains(NAME) && changes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_are_lost() {
        assert!(loses_call("gate:\n\tagent-strace check", "gate:\n\ttrue"));
        assert!(loses_call("agent-strace check", "agent-strace check || true"));
        assert!(!loses_call("agent-strace check", "npm test\nagent-strace check"));
        assert!(!loses_call("see agent-strace for more", ""));
    }

    #[test]
    fn scripts_that_drop_calls() {
        for script in ["/agent-strace/d", "s/agent-strace check/true/", "s|agent-strace check|& \\|\\| true|"] {
            assert!(sed_drops(script), "{script}");
        }
        for script in ["/agent-strace/p", "s/test/agent-strace check/", "1d"] {
            assert!(!sed_drops(script), "{script}");
        }
    }
}
