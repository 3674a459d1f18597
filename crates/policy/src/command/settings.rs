//! `git config`: an entry that names a setting forbids to change it, not to look at it.

use agent_strace_effects::Argument;

use crate::globals::{self, Takes};

/// Options and subcommands with which `git config` only shows what is set. Git accepts no other act beside them.
const SHOWS: &[&str] = &["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "get", "list"];

/// Options without a value that may stand in front of those.
const PLAIN: &[&str] = &[
    "--global",
    "--includes",
    "--local",
    "--name-only",
    "--null",
    "--show-origin",
    "--show-scope",
    "--system",
    "--worktree",
    "-z",
];

/// The words of an entry are `config` and a setting: `config core.hooksPath`.
pub(super) fn names_setting(words: &[String]) -> bool {
    matches!(words, [config, name, ..] if config == "config" && name.contains('.'))
}

/// The command is `git config`, and changes nothing.
pub(super) fn only_shows(program: &str, arguments: &[Argument]) -> bool {
    program == "git" && behind_config(arguments).is_some_and(shows)
}

fn behind_config(arguments: &[Argument]) -> Option<&[Argument]> {
    let mut rest = arguments;
    loop {
        let (argument, after) = rest.split_first().filter(|(argument, _)| argument.known)?;
        if argument.text == "config" {
            return Some(after);
        }
        rest = match globals::harmless("git", &argument.text)? {
            Takes::Nothing => after,
            Takes::Value => after.split_first().filter(|(value, _)| value.known)?.1,
        };
    }
}

fn shows(arguments: &[Argument]) -> bool {
    let is_plain = |argument: &&Argument| argument.known && PLAIN.contains(&argument.text.as_str());
    let first = arguments.iter().find(|argument| !is_plain(argument));
    first.is_some_and(|first| first.known && SHOWS.contains(&first.text.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> bool {
        let argument = |word: &str| Argument { text: word.to_owned(), known: !word.contains('$') };
        only_shows("git", &text.split(' ').map(argument).collect::<Vec<_>>())
    }

    #[test]
    fn a_look_at_a_setting_is_no_change() {
        for text in [
            "config --get core.hooksPath",
            "config --global --get core.hooksPath",
            "config get core.hooksPath",
            "-C x config --list",
            "--no-pager config --show-origin --get-all core.hooksPath",
        ] {
            assert!(of(text), "{text}");
        }
    }

    #[test]
    fn what_may_change_a_setting_is_no_look() {
        for text in [
            "config core.hooksPath",
            "config core.hooksPath x",
            "config --add core.hooksPath x",
            "config --comment --get core.hooksPath x",
            "config -f --get core.hooksPath x",
            "config core.hooksPath --get",
            "config $x --get core.hooksPath",
            "config --replace-all core.hooksPath x",
            "config --unset core.hooksPath",
            "config set core.hooksPath x",
            "-c core.hooksPath=x config --get core.hooksPath",
            "commit --get core.hooksPath",
            "$x config --get core.hooksPath",
        ] {
            assert!(!of(text), "{text}");
        }
    }
}
