//! Lints of the entries of lists.

use agent_strace_effects::knowledge;
use agent_strace_model::finding::Level;
use agent_strace_policy::builtin::{MadeFor, builtin};
use agent_strace_policy::{Decision, EntryView, Parts, Policy, words_of};

use crate::generate::has_risks;

use super::codes::{BROAD_ALLOW, OPEN_NETWORK, OTHER_MACHINE};
use super::{Lint, lint_of, own_entries};

/// Kinds of programs that do what others say, and what allowing one grants.
const RUNNERS: &[(&[&str], Level, &str)] = &[
    (
        &["bash", "sh", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "cmd", "eval"],
        Level::Warning,
        "it runs any text it is given",
    ),
    (
        &[
            "python",
            "python3",
            "node",
            "deno",
            "bun",
            "ruby",
            "perl",
            "php",
            "lua",
            "Rscript",
            "osascript",
            "awk",
            "gawk",
        ],
        Level::Warning,
        "it runs any code it is given, and what that does is not always seen",
    ),
    (&["sudo", "doas", "su", "pkexec"], Level::Warning, "it runs any program as another user"),
    (&["ssh", "docker", "podman", "kubectl", "nerdctl"], Level::Warning, "what it runs elsewhere is not seen"),
    (&["npx", "bunx", "pnpx", "uvx", "pipx", "nix-shell"], Level::Warning, "it fetches programs and runs them"),
    (
        &["env", "xargs", "find", "fd", "parallel", "timeout", "nohup", "nice", "watch", "time", "command", "exec"],
        Level::Note,
        "it starts other programs; here they are judged by themselves, by an agent's own rules they may not be",
    ),
];

/// Folders of a system, as patterns in the wrong version of the language name them.
const SYSTEM: &[&str] =
    &["/etc/", "/home/", "/Users/", "/root/", "/usr/", "/var/", "/tmp/", "/opt/", "/proc/", "/dev/"];
const HOMES: &[&str] = &["/home/", "/Users/", "/root/", "C:/Users/", "c:/Users/"];

pub(super) fn lints(policy: &Policy, parts: &Parts) -> Vec<Lint> {
    let entries = own_entries(policy);
    let version_2 = policy.identity().is_some_and(|identity| identity.version == 2);
    let mut found = Vec::new();
    for entry in &entries {
        found.extend(broad(entry));
        found.extend(other_machine(entry, version_2));
    }
    found.extend(open_network(&entries, parts));
    found
}

fn broad(entry: &EntryView) -> Option<Lint> {
    if entry.decision != Decision::Allowed || entry.subject.name() != "command" || entry.policy_rule.is_some() {
        return None;
    }
    if let Some(list) = entry.builtin.and_then(builtin).filter(|list| list.made_for == MadeFor::Deny) {
        let message = format!("{} allows {}", entry.name, list.summary);
        let help = format!("name `builtin:{}` in a `deny` list", list.name);
        return Some(lint_of(&BROAD_ALLOW, Level::Warning, entry, message, &help));
    }
    let words = words_of(&entry.text)?;
    let (program, rest) = words.split_first()?;
    if rest.iter().any(|word| word != "*") {
        return None;
    }
    if program.contains(['*', '?']) || program.contains('[') && program.contains(']') {
        let message = format!("{} allows programs that nobody has named", entry.name);
        return Some(lint_of(&BROAD_ALLOW, Level::Warning, entry, message, "name the programs"));
    }
    let name = program.rsplit('/').next().unwrap_or(program);
    if let Some((_, level, why)) = RUNNERS.iter().find(|(programs, ..)| programs.contains(&name)) {
        let message = format!("{} allows `{name}` with any arguments: {why}", entry.name);
        return Some(lint_of(
            &BROAD_ALLOW,
            *level,
            entry,
            message,
            "name what it may run, such as `python3 tools/gen.py`",
        ));
    }
    let known = knowledge::builtin(name)?;
    let several = !known.subcommands.is_empty() || name == "git";
    let level = if has_risks(name) { Level::Warning } else { Level::Note };
    several.then(|| {
        let example = if name == "git" { ", also `git push` and `git config`" } else { "" };
        let message = format!("{} allows every subcommand of `{name}`{example}", entry.name);
        lint_of(&BROAD_ALLOW, level, entry, message, "name the subcommands that are needed, such as `git status`")
    })
}

fn other_machine(entry: &EntryView, version_2: bool) -> Option<Lint> {
    if !matches!(entry.subject.name(), "read" | "write" | "delete") {
        return None;
    }
    if version_2 && entry.text == "**" && entry.decision == Decision::Allowed {
        let message = format!("{} allows every file of the machine, not only those of the repository", entry.name);
        let help = "write `/**` for what is in the repository";
        return Some(lint_of(&OTHER_MACHINE, Level::Warning, entry, message, help));
    }
    if let Some(lint) = of_repository(entry, version_2) {
        return Some(lint);
    }
    let text = entry.text.trim_start_matches('!');
    let single = text.starts_with('/') && !text.starts_with("//");
    let absolute = if version_2 { text.strip_prefix('/').filter(|_| !single)? } else { text };
    // A path below the homes of all users is one of every machine.
    let is_of_one = |home: &str| absolute.strip_prefix(home).is_some_and(|below| !below.starts_with("*/"));
    HOMES.iter().any(|home| is_of_one(home)).then(|| {
        let message = format!("{} names a file of one machine", entry.name);
        lint_of(&OTHER_MACHINE, Level::Warning, entry, message, "name it relative to the repository, or below `~/`")
    })
}

/// A path that reads like one of the system, and counts from the top of the repository: it matches no file that was meant.
pub(super) fn of_repository(entry: &EntryView, version_2: bool) -> Option<Lint> {
    if !matches!(entry.subject.name(), "read" | "write" | "delete") {
        return None;
    }
    let text = entry.text.trim_start_matches('!');
    let single = text.starts_with('/') && !text.starts_with("//");
    (version_2 && single && SYSTEM.iter().any(|folder| text.starts_with(folder))).then(|| {
        let message = format!("{} means `{}` in the repository", entry.name, text.trim_start_matches('/'));
        let help = format!("write `/{text}` for the file of the system, or leave the first `/` out");
        lint_of(&OTHER_MACHINE, Level::Warning, entry, message, &help)
    })
}

fn open_network(entries: &[&EntryView], parts: &Parts) -> Option<Lint> {
    let allowed = |entry: &&&EntryView| entry.location.pointer.starts_with("/network/allow");
    let first = entries.iter().find(allowed)?;
    let says =
        |pointer: &str| parts.value(pointer).is_some_and(|value| value == true || value == "deny" || value == "ask");
    (!says("/network/deny_all") && !says("/defaults/decision")).then(|| {
        let message = "network.allow decides nothing: every host may be contacted".to_owned();
        lint_of(&OPEN_NETWORK, Level::Error, first, message, "add \"deny_all\": true to `network`")
    })
}
