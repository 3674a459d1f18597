//! Kinds of writes by commands whose effects only say that they write a file.

use super::formatters::only_tells;
use agent_strace_effects::Execution;

/// The content that a command puts into the files that it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Puts {
    /// Content that its record may not hold.
    Content,
    /// Rights, and no content.
    Mode,
    /// Nothing: it makes empty files, folders, or changes dates and owners.
    Nothing,
    /// The content that the file had before the session.
    Back,
}

/// Programs that fetch and run another one, which is their first word.
const STARTERS: &[&str] = &["npx", "pnpx", "bunx", "uvx", "corepack"];

/// A command as it was called.
#[derive(Debug)]
pub(super) struct Command<'e> {
    program: &'e str,
    /// The subcommand, for git and similar programs.
    verb: &'e str,
    rest: Vec<&'e str>,
    /// All that follows the program.
    words: Vec<&'e str>,
}

impl<'e> Command<'e> {
    pub(super) fn of(execution: &'e Execution) -> Self {
        let mut words = execution.argv.iter().map(|argument| argument.text.as_str());
        let called = words.next().unwrap_or_default();
        let name = called.rsplit(['/', '\\']).next().unwrap_or_default();
        let program = name.strip_suffix(".exe").unwrap_or(name);
        let words: Vec<&str> = words.collect();
        let mut rest = words.clone();
        let mut at = 0;
        while let Some(word) = rest.get(at).filter(|word| word.starts_with('-')) {
            at += if program == "git" && ["-C", "-c"].contains(word) { 2 } else { 1 };
        }
        let verb = if at < rest.len() { rest.remove(at) } else { "" };
        Self { program, verb, rest, words }
    }

    /// The program that does the work, and its words: `npx` and the like run another one.
    pub(super) fn meant(&self) -> (&'e str, &[&'e str]) {
        let named = self.words.iter().position(|word| !word.starts_with('-'));
        match named.and_then(|at| Some((self.words.get(at)?, self.words.get(at + 1..)?))) {
            Some((program, words)) if STARTERS.contains(&self.program) => {
                (program.split_once('@').map_or(*program, |(name, _)| name), words)
            }
            _ => (self.program, &self.words),
        }
    }

    fn has(&self, word: &str) -> bool {
        self.verb == word || self.rest.contains(&word)
    }

    fn is_git(&self, verbs: &[&str]) -> bool {
        self.program == "git" && verbs.contains(&self.verb)
    }

    /// Words that are no options.
    fn operands(&self) -> impl Iterator<Item = &&'e str> {
        self.rest.iter().filter(|word| !word.starts_with('-'))
    }

    pub(super) fn puts(&self) -> Puts {
        match self.program {
            "touch" | "mkdir" | "rmdir" | "chown" | "chgrp" | "setfacl" | "xattr" => Puts::Nothing,
            "chmod" => Puts::Mode,
            "git" if self.takes_back() => Puts::Back,
            _ if only_tells(self) => Puts::Nothing,
            _ => Puts::Content,
        }
    }

    /// Git brings back files as the checked out commit has them.
    fn takes_back(&self) -> bool {
        let names_source = self.rest.iter().any(|word| word.starts_with("--source") || *word == "-s");
        match self.verb {
            "restore" => !names_source,
            "checkout" => {
                let before = self.rest.iter().take_while(|word| **word != "--");
                let named = before.filter(|word| !word.starts_with('-') && **word != "HEAD").count();
                if self.rest.contains(&"--") { named == 0 } else { named <= 1 }
            }
            _ => false,
        }
    }

    /// Everything that is not committed is given up.
    pub(super) fn resets(&self) -> bool {
        self.is_git(&["reset"]) && self.has("--hard") && self.operands().all(|word| *word == "HEAD")
    }

    /// Everything that is not committed is put aside.
    pub(super) fn puts_aside(&self) -> bool {
        let verb = self.operands().next().copied();
        self.is_git(&["stash"]) && matches!(verb, None | Some("push" | "save"))
    }

    pub(super) fn brings_back(&self) -> bool {
        self.is_git(&["stash"]) && matches!(self.operands().next(), Some(&"pop" | &"apply"))
    }

    pub(super) fn commits(&self) -> bool {
        self.is_git(&["commit", "am", "cherry-pick", "revert", "merge", "rebase"])
    }

    /// It changes rights in the index.
    pub(super) fn stages_mode(&self) -> bool {
        self.is_git(&["add", "update-index"]) && self.rest.iter().any(|word| word.starts_with("--chmod"))
    }
}

/// Whether a line of a manifest says nothing but which package is wanted in which version, or holds no word at all.
pub(super) fn is_dependency(line: &str) -> bool {
    let bare = line.trim().trim_end_matches(',');
    let quoted = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    let is_version = |text: &str| {
        let text = text.trim_start_matches(['^', '~', '=', '>', '<', 'v', ' ']);
        let text = text.strip_prefix("workspace:").unwrap_or(text);
        text.starts_with(|first: char| first.is_ascii_digit() || first == '*')
            && text.chars().all(|each| each.is_ascii_alphanumeric() || " .*-+<>=^~|,".contains(each))
    };
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|each| each.is_ascii_alphanumeric() || "@/._-".contains(each))
    };
    if !bare.contains(|each: char| each.is_alphanumeric()) {
        return true;
    }
    match bare.split_once(['=', ':', ' ']) {
        Some((name, version)) => {
            let version = quoted(version.trim_start_matches(['=', ' ']));
            let version = version.strip_suffix("// indirect").unwrap_or(&version).trim_end();
            is_name(&quoted(name)) && (is_version(version) || version == "{" || version == "[")
        }
        None => false,
    }
}
