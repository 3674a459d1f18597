//! Kinds of writes by commands whose effects only say that they write a file.

use super::formatters::only_tells;
use super::git::Source;
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
    /// An empty file in the place of what was there.
    Empty,
    /// The content that git holds of the file.
    Back(Source),
}

/// Programs that fetch and run another one, which is their first word.
const STARTERS: &[&str] = &["npx", "pnpx", "bunx", "uvx", "corepack"];

/// A command as it was called.
#[derive(Debug)]
pub(super) struct Command<'e> {
    pub(super) program: &'e str,
    /// The subcommand, for git and similar programs.
    pub(super) verb: &'e str,
    pub(super) rest: Vec<&'e str>,
    /// All that follows the program.
    pub(super) words: Vec<&'e str>,
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

    /// The program that does the work, and its words: `npx`, `python -m` and the like run another one.
    pub(super) fn meant(&self) -> (&'e str, &[&'e str]) {
        if self.program.starts_with("python")
            && let ["-m", module, words @ ..] = self.words.as_slice()
        {
            return (module, words);
        }
        let named = self.words.iter().position(|word| !word.starts_with('-'));
        match named.and_then(|at| Some((self.words.get(at)?, self.words.get(at + 1..)?))) {
            Some((program, words)) if STARTERS.contains(&self.program) => {
                (program.split_once('@').map_or(*program, |(name, _)| name), words)
            }
            _ => (self.program, &self.words),
        }
    }

    pub(super) fn puts(&self) -> Puts {
        match self.program {
            "touch" | "mkdir" | "rmdir" | "chown" | "chgrp" | "setfacl" | "xattr" => Puts::Nothing,
            "chmod" => Puts::Mode,
            "truncate" => Puts::Empty,
            "git" => self.git_puts(),
            _ if only_tells(self) => Puts::Nothing,
            _ => Puts::Content,
        }
    }
}
