//! Acts on the program that judges the agent: it is stopped, another command takes its name, or a file loses a call of it.

use std::collections::BTreeSet;

use super::argument::{Arg, Known};
use crate::Reason;

/// The program's name.
pub(crate) const NAME: &str = "agent-strace";

/// Programs that stop whatever their arguments name.
const STOPPERS: &[&str] = &["kill", "killall", "pkill", "skill", "taskkill", "tskill", "stop-process", "spps"];
/// Programs that stop what they look after, and the words that ask for it.
const MANAGERS: &[&str] =
    &["systemctl", "service", "launchctl", "docker", "podman", "pm2", "supervisorctl", "stop-service", "sc"];
const STOPS: &[&str] = &["stop", "kill", "disable", "mask", "rm", "remove", "delete", "bootout", "unload", "pause"];
/// Folders in which a folder of the program's name is its own.
const HOMES: &[&str] = &["/run/", "/opt/", "/lib/", "/share/", "node_modules/", "program files/", "program files\\"];
/// Subcommands of managers behind which the words of another program stand.
const INNER: &[&str] = &["exec", "run"];
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
    let speaks = || {
        let mut before = program.text.as_str();
        rest.iter().any(|word| {
            let is_file = name == "kill" || matches!(before, "-F" | "--pidfile");
            before = &word.text;
            means(&word.text, if is_file { Text::Place } else { Text::Command })
        })
    };
    let is_stopper = STOPPERS.contains(&name) && !sends_nothing(name, rest)
        || name == "stop-service"
        || MANAGERS.contains(&name) && stops(rest);
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

/// Returns whether one of the words tells a manager to stop something. Words behind `exec` and `run` are another program's,
/// which may be a manager itself or send a signal.
fn stops(rest: &[Arg]) -> bool {
    let (mut before, mut is_inner): (Option<&Arg>, _) = (None, false);
    rest.iter().any(|word| {
        is_inner |= INNER.contains(&word.text.as_str()) && !before.is_some_and(|word| word.text.starts_with('-'));
        let manages = before.is_some_and(|word| word.known == Known::Not || manager_of(&word.text));
        before = Some(word);
        let verb = word.text.to_ascii_lowercase();
        STOPS.contains(&verb.as_str()) && (!is_inner || manages || STOPPERS.contains(&verb.as_str()))
    })
}

/// `/usr/bin/docker`, or the image `docker:cli`.
fn manager_of(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    MANAGERS.contains(&name.split(':').next().unwrap_or_default())
}

/// Signal 0 only asks whether there is such a process; `kill -l` shows names.
fn sends_nothing(program: &str, rest: &[Arg]) -> bool {
    let text = |at: usize| rest.get(at).map(|word| word.text.as_str()).unwrap_or_default();
    let taken = match (program, text(0), text(1)) {
        ("kill", "-l" | "-L" | "--list", _) => return true,
        ("kill" | "killall" | "pkill", "-0" | "-s0" | "--signal=0", _) => 1,
        ("kill" | "killall" | "pkill", "-s" | "-n" | "--signal", "0") => 2,
        _ => return false,
    };
    // Another option may name another signal.
    rest.iter().skip(taken).all(|word| !word.text.starts_with('-') || matches!(word.text.as_str(), "-f" | "-x" | "--"))
}

/// The kind of text that tells a stopper what to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    /// A command line or a part of one.
    Command,
    /// The file, anywhere, that holds the number of the process: `kill $(cat FILE)`, `pkill -F FILE`.
    Place,
}

/// Returns whether the text means the program, and neither one with a longer name nor a file in a folder of its name.
fn means(text: &str, kind: Text) -> bool {
    let text = text.to_ascii_lowercase();
    text.match_indices(NAME).any(|(at, _)| is_whole(&text, at) && (kind == Text::Place || !is_folder(&text, at)))
}

/// The text behind the program's name. The name of its package (`agent-strace-gate`) and that of a release's folder
/// (`agent-strace-1.2.3-x86_64-unknown-linux-gnu`) mean the program, too.
fn behind_name(text: &str, at: usize) -> &str {
    let behind = text.get(at + NAME.len()..).unwrap_or_default();
    let version = behind.strip_prefix('-').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    match version {
        Some(rest) if rest.starts_with('.') && behind.len() > rest.len() + 1 => {
            behind.find(['/', '\\', ' ']).and_then(|end| behind.get(end..)).unwrap_or_default()
        }
        _ => behind.strip_prefix("-gate").unwrap_or(behind),
    }
}

/// The name stands here as a word of its own. The text may be a pattern: `\\b` is no letter, and what a quantifier
/// follows may be absent.
fn is_whole(text: &str, at: usize) -> bool {
    let (before, behind) = (text.get(..at).unwrap_or_default(), behind_name(text, at));
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    // The dash of a recipe's line, `-agent-strace check`, is no part of the name.
    let before = before.strip_suffix('-').filter(|rest| !rest.ends_with(char::is_alphanumeric)).unwrap_or(before);
    let mut front = before.chars().rev();
    // `-pNAME` is an option and its value.
    let is_value = || before.len() == 2 && before.starts_with('-');
    let starts = !front.next().is_some_and(joins) || front.next() == Some('\\') || is_value();
    let mut back = behind.chars();
    let ends = !back.next().is_some_and(joins) || back.next().is_some_and(|c| matches!(c, '*' | '?' | '{' | '\\'));
    // The first container of a project's service is `project-NAME-1`.
    let number = behind.get(1..).unwrap_or_default();
    let is_replica = behind.starts_with(['-', '_']) && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    starts && ends || is_replica
}

/// Something below a folder of this name is meant, and the folder is not where the program is installed or runs.
fn is_folder(text: &str, at: usize) -> bool {
    let (before, behind) = (text.get(..at).unwrap_or_default(), behind_name(text, at));
    let separator = if before.ends_with('\\') { ['/', '\\'] } else { ['/', '/'] };
    let is_own = HOMES.iter().any(|home| before.ends_with(home));
    // The text may be a pattern in which the slash may be absent.
    !is_own && behind.strip_prefix(separator).is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['*', '?', '{']))
}

/// A word names the program, or a file that is called after it.
pub(crate) fn names(word: &str) -> bool {
    means(word, Text::Place)
}

/// The file is called like the program.
pub(crate) fn is_program(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    name.strip_suffix(".exe").unwrap_or(&name) == NAME
}

/// The files of the repository that a text calls, or otherwise names, as the program: `./bin/agent-strace hook`,
/// `$CLAUDE_PROJECT_DIR/bin/agent-strace`. A path that starts at the top of a disk, or a URL, does not count.
pub(crate) fn called_in(text: &str) -> impl Iterator<Item = String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    text.match_indices(NAME).filter_map(move |(at, _)| {
        let (before, behind) = (text.get(..at)?, text.get(at + NAME.len()..)?);
        let ending = behind.strip_prefix(".exe").map_or("", |_| ".exe");
        let follows = |c: char| is_part(c) || matches!(c, '@' | ':' | '\\');
        if behind.get(ending.len()..)?.chars().next().is_some_and(follows) {
            return None;
        }
        let folder = before.get(before.trim_end_matches(is_part).len()..)?.strip_suffix('/')?;
        let in_front = before.get(..before.len() - folder.len() - 1)?;
        let folder = match (in_front.chars().next_back(), folder.split_once('/')) {
            // A variable names the top of the repository.
            (Some('$'), below) => below?.1,
            (Some('}'), Some(("", below))) => below,
            _ if folder.starts_with('/') || folder.is_empty() => return None,
            _ => folder.trim_start_matches("./"),
        };
        Some(format!("{folder}/{NAME}{ending}"))
    })
}

/// The file says what runs.
pub(crate) fn is_recipe(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    RECIPES.iter().any(|end| path.ends_with(end))
}

/// A line with a call of the program is not there any more, or is another one.
pub(crate) fn loses_call(before: &str, after: &str) -> bool {
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) =
        (before.lines().map(str::trim).collect(), after.lines().map(str::trim).collect());
    let mut changed = after.lines().map(str::trim).filter(|line| calls(line) && !old.contains(line));
    let mut lost = before.lines().map(str::trim).filter(|line| calls(line) && !is_comment(line) && !new.contains(line));
    lost.any(|line| !changed.next().is_some_and(|after| is_stricter(line, after)))
}

fn is_comment(line: &str) -> bool {
    let is_script = line.starts_with("#!");
    // A shell runs `//usr/bin/agent-strace`.
    let is_path =
        line.strip_prefix("//").is_some_and(|rest| rest.starts_with(char::is_alphanumeric) && !rest.starts_with(NAME));
    !is_script && !is_path && ["#", "//", "::"].iter().any(|mark| line.starts_with(mark))
}

/// Returns whether `after` only adds options to the call in `before`, and none of them lets more pass.
fn is_stricter(before: &str, after: &str) -> bool {
    let same = before.char_indices().zip(after.chars()).find(|((_, old), new)| old != new);
    let end = same.map_or(before.len().min(after.len()), |((at, _), _)| at);
    let blank = before.get(..end).and_then(|start| start.rfind(' ')).unwrap_or(end);
    [end, blank].into_iter().any(|at| {
        let (start, rest) = before.split_at_checked(at).unwrap_or((before, ""));
        let added = after.strip_prefix(start).and_then(|added| added.strip_suffix(rest));
        added.is_some_and(|added| is_in_call(start, added, rest) && are_harmless(added))
    })
}

/// The edit adds words to a call of the program.
fn is_in_call(start: &str, added: &str, rest: &str) -> bool {
    let call = start.rfind(NAME).and_then(|at| start.get(at..)).unwrap_or_default();
    let is_apart = (added.starts_with(' ') || start.ends_with(' '))
        && (added.ends_with(' ') || rest.is_empty() || rest.starts_with([' ', '"', '\'', ';', '&', '|', ')']));
    is_apart && calls(call) && !call.contains([';', '&', '|', '(', ')', '<', '>', '`', '"', '\'', '#', '\\'])
}

fn are_harmless(options: &str) -> bool {
    let mut words = options.split_whitespace();
    while let Some(word) = words.next() {
        let is_format = |name: Option<&str>| {
            name.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        };
        let is_harmless = match word {
            "--lint" | "--no-suppressions" | "--strict" | "-q" | "-v" => true,
            "--format" => is_format(words.next()),
            _ => is_format(word.strip_prefix("--format=")),
        };
        if !is_harmless {
            return false;
        }
    }
    true
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
        pattern.match_indices(NAME).any(|(at, _)| is_whole(pattern, at)) && changes
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
    fn calls_that_are_kept() {
        for (before, after) in [
            ("agent-strace check", "agent-strace check --strict"),
            ("agent-strace check log", "agent-strace check --lint log"),
            ("agent-strace check --lint", "agent-strace check --strict --lint"),
            ("run: \"agent-strace check\"", "run: \"agent-strace check -q --format json\""),
            ("a && agent-strace check && b", "a && agent-strace check --no-suppressions && b"),
            ("npx agent-strace@1.2 check", "npx agent-strace@1.3 check"),
            ("# agent-strace check", ""),
            ("// agent-strace check", ""),
        ] {
            assert!(!loses_call(before, after), "{before} -> {after}");
        }
        for (before, after) in [
            ("agent-strace check", "agent-strace check --policy x"),
            ("agent-strace check", "agent-strace check --strict || true"),
            ("agent-strace check", "agent-strace check --format"),
            ("agent-strace check --strict", "agent-strace check"),
            ("agent-strace check", "# agent-strace check"),
            ("agent-strace check", "true agent-strace check"),
            ("agent-strace check; b", "agent-strace check; --strict b"),
            ("agent-strace check\nagent-strace check x", "agent-strace check --strict"),
            ("#!/usr/bin/env agent-strace check", ""),
            ("//usr/bin/agent-strace check", ""),
        ] {
            assert!(loses_call(before, after), "{before} -> {after}");
        }
    }

    #[test]
    fn texts_that_call_the_program_in_the_repository() {
        for (text, expected) in [
            (r#"{"command": "./bin/agent-strace hook --enforce"}"#, "bin/agent-strace"),
            ("run: bin/agent-strace check", "bin/agent-strace"),
            (r#""$CLAUDE_PROJECT_DIR/tools/bin/agent-strace" hook"#, "tools/bin/agent-strace"),
            ("exec ${{ github.workspace }}/bin/agent-strace check", "bin/agent-strace"),
            ("bin/agent-strace.exe check", "bin/agent-strace.exe"),
            ("mv x bin/agent-strace", "bin/agent-strace"),
            ("/usr/local/bin/agent-strace check", ""),
            ("~/.cargo/bin/agent-strace check", ""),
            ("agent-strace check", ""),
            ("uses: owner/agent-strace@0123", ""),
            ("https://example.com/owner/agent-strace", ""),
            ("bin/agent-strace-dev check", ""),
            ("bin/agent-strace/x", ""),
        ] {
            assert_eq!(super::called_in(text).collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }

    fn is_act(command: &str) -> bool {
        let words: Vec<Arg> = command.split(' ').map(Arg::exact).collect();
        act(&words).is_some()
    }

    #[test]
    fn names_of_the_program_and_of_others() {
        for command in [
            "pkill agent-strace",
            "pkill -f /usr/bin/agent-strace",
            "pkill -f \\bagent-strace\\b",
            "pkill -f agent-strace-*",
            "pkill -f agent-strace-gate",
            "pkill -f node_modules/agent-strace-gate/bin",
            "pkill -f agent-strace-1.2.3-x86_64-unknown-linux-gnu/agent-strace",
            "pkill -f agent-strace/*",
            "pkill -F /src/agent-strace/pid",
            "docker exec -it c systemctl stop agent-strace",
            "docker run -v s:s docker:cli stop agent-strace",
            "pkill -F /run/agent-strace.pid",
            "taskkill /IM agent-strace.exe /F",
            "systemctl stop agent-strace.service",
            "docker rm -f agent-strace",
            "docker stop web-agent-strace-1",
            "docker stop ghcr.io/acme/agent-strace:1.2",
            "docker compose -pagent-strace stop",
            "docker exec agent-strace kill 1",
            "kill $(cat</run/agent-strace/pid)",
            "pkill -F /run/agent-strace/pid",
            "pkill -f node_modules/agent-strace/bin/run.js",
            "service agent-strace stop",
            "kill -9 %agent-strace",
            "kill -0 -9 %agent-strace",
            "pkill -0 --signal 9 agent-strace",
        ] {
            assert!(is_act(command), "{command}");
        }
        for command in [
            "pkill -f agent-strace-dev",
            "pkill -f agent-strace-gateway",
            "pkill -f /src/agent-strace-gate/x",
            "pkill -f agent-strace-2d",
            "pkill -f my_agent-strace",
            "pkill -f /src/agent-strace/x",
            "docker rm -f agent-strace-test-db",
            "docker exec agent-strace-dev rm x",
            "docker exec agent-strace rm x",
            "docker compose -f /src/agent-strace/dc.yml run web npm remove x",
            "docker compose -f /src/agent-strace/dc.yml stop web",
            "docker rmi ghcr.io/acme/agent-strace:1.2",
            "kill -0 %agent-strace",
            "kill -s 0 %agent-strace",
            "kill -l agent-strace",
            "pkill -0 -f agent-strace",
            "systemctl status agent-strace",
        ] {
            assert!(!is_act(command), "{command}");
        }
    }

    #[test]
    fn scripts_that_drop_calls() {
        for script in [
            "/agent-strace/d",
            "/agent-strace-gate/d",
            "/^\t-agent-strace/d",
            "s/agent-strace check/true/",
            "s|agent-strace check|& \\|\\| true|",
        ] {
            assert!(sed_drops(script), "{script}");
        }
        for script in ["/agent-strace/p", "s/test/agent-strace check/", "1d", "s/agent-strace-types/x/"] {
            assert!(!sed_drops(script), "{script}");
        }
    }
}
