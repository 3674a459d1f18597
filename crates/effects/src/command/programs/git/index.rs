//! Subcommands that change the index or write commits without it: a commit carries what they wrote and deleted, although no
//! file of the work tree changed.

use super::reads::{Likeness, likeness};
use super::{Sub, operands};
use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::{About, Reason};

/// A missing object: the line removes its path.
const NO_OBJECT: &str = "0000000000000000000000000000000000000000";

impl Machine<'_> {
    /// `git update-index`
    pub(super) fn git_updates_index(&mut self, sub: &Sub<'_>, io: &Io<'_>) {
        let mut left = sub.words.iter();
        let mut role = Role::Read;
        while let Some(word) = left.next() {
            match word.text.as_str() {
                "--cacheinfo" => {
                    let Some(first) = left.next() else { break };
                    // `MODE,OBJECT,PATH`, or the three as words of their own.
                    let path = match first.text.splitn(3, ',').nth(2) {
                        Some(path) => Some(first.with(path)),
                        None => left.nth(1).cloned(),
                    };
                    if let Some(path) = path {
                        self.at_root(Role::Write, &path);
                    }
                }
                text if text.starts_with("--cacheinfo=") => {
                    if let Some(path) = text.splitn(3, ',').nth(2) {
                        self.at_root(Role::Write, &word.with(path));
                    }
                }
                // It hides later changes of the file from git, or writes its mode.
                "--assume-unchanged" | "--skip-worktree" | "--fsmonitor-valid" => role = Role::Write,
                text if text.starts_with("--chmod") => role = Role::Write,
                "--force-remove" | "--remove" => role = Role::Delete,
                "--index-info" | "--stdin" => {}
                text if text.starts_with('-') && word.is_exact() => {}
                _ => self.path(role, word),
            }
        }
        if sub.arguments.has(&["--index-info"]) {
            self.git_index_lines(io);
        }
        if sub.arguments.has(&["--stdin"]) {
            match io.input.text() {
                Some(names) => {
                    for name in names.split(['\n', '\0']).filter(|name| !name.is_empty()) {
                        self.path(role, &Arg::exact(name));
                    }
                }
                None => self.opaque(About::Writes, Reason::IndexOfInput, &[]),
            }
        }
    }

    /// Lines of `git update-index --index-info` and `git mktree`: `MODE [TYPE] OBJECT [STAGE]<tab>PATH`.
    pub(super) fn git_index_lines(&mut self, io: &Io<'_>) {
        let Some(lines) = io.input.text() else { return self.opaque(About::Writes, Reason::IndexOfInput, &[]) };
        for line in lines.split(['\n', '\0']) {
            let Some((entry, path)) = line.split_once('\t') else { continue };
            let removes = entry.starts_with("0 ") || entry.contains(NO_OBJECT);
            let role = match entry.split(' ').next() {
                _ if removes => Role::Delete,
                Some("040000" | "40000" | "160000") => Role::WriteTree,
                _ => Role::Write,
            };
            self.at_root(role, &Arg::exact(path));
        }
    }

    /// `git reset REVISION -- PATH`: the paths go back to the revision in the index. Without a revision, or with `HEAD`,
    /// it only takes back what was added.
    pub(super) fn git_resets_index(&mut self, sub: &Sub<'_>) {
        let mut paths = sub.paths.to_vec();
        let mut revision = sub.arguments.operands.first();
        if !sub.has_dashes {
            let first_is_path = revision.is_some_and(|word| likeness(&word.text) == Likeness::Path);
            paths.extend(sub.arguments.operands.iter().skip(usize::from(!first_is_path)).cloned());
            revision = revision.filter(|_| !first_is_path);
        }
        let back = revision.is_some_and(|revision| !is_head(revision));
        self.pathspecs(if back { Role::WriteTree } else { Role::List }, &paths);
    }

    /// `git read-tree`
    pub(super) fn git_reads_tree(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        for file in sub.arguments.values(&["--index-output"]) {
            self.path(Role::Write, file);
        }
        let mut prefixes = sub.arguments.values(&["--prefix"]).peekable();
        if sub.arguments.has(&["--empty"]) {
            self.at_root(Role::DeleteTree, &Arg::exact("."));
        } else if prefixes.peek().is_some() {
            for prefix in prefixes {
                self.at_root(Role::WriteTree, prefix);
            }
        } else {
            if sub.arguments.has(&["--reset"]) && sub.arguments.has(&["-u"]) {
                self.git_meant(&["git", "reset", "--hard"], sub);
            }
            self.git_switches(sub, io);
        }
    }

    /// `git sparse-checkout set '!directory'` takes files out of the work tree.
    pub(super) fn git_leaves_out(&mut self, sub: &Sub<'_>) {
        for word in operands(sub) {
            if let Some(path) = word.text.strip_prefix('!') {
                self.at_root(Role::DeleteTree, &word.with(path.trim_start_matches('/')));
            }
        }
    }

    /// Options of `git fast-import` and `git fast-export`.
    pub(super) fn git_marks(&mut self, sub: &Sub<'_>) {
        for file in sub.arguments.values(&["--export-marks", "--export-pack-edges"]) {
            self.path(Role::Write, file);
        }
        for file in sub.arguments.values(&["--import-marks", "--import-marks-if-exists"]) {
            self.path(Role::Read, file);
        }
    }

    /// `git fast-import` writes the commits that its input spells.
    pub(super) fn git_imports(&mut self, sub: &Sub<'_>, io: &Io<'_>) {
        self.git_marks(sub);
        let Some(text) = io.input.text() else { return self.opaque(About::Writes, Reason::IndexOfInput, &[]) };
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("M", rest)) => {
                    if let Some(path) = rest.splitn(3, ' ').nth(2) {
                        self.at_root(Role::Write, &imported(path));
                    }
                }
                Some(("D", path)) => self.at_root(Role::DeleteTree, &imported(path)),
                Some((kind @ ("R" | "C"), rest)) => {
                    let Some((source, target)) = rest.split_once(' ') else { continue };
                    if kind == "R" {
                        self.at_root(Role::DeleteTree, &imported(source));
                    }
                    self.at_root(Role::WriteTree, &imported(target));
                }
                _ if line == "deleteall" => self.at_root(Role::DeleteTree, &Arg::exact(".")),
                _ => {}
            }
        }
    }
}

/// A path in the input of `git fast-import`.
fn imported(path: &str) -> Arg {
    Arg::exact(path.trim_matches('"'))
}

/// The revision that the work tree starts from.
pub(super) fn is_head(revision: &Arg) -> bool {
    matches!(revision.literal(), Some("HEAD" | "@" | "HEAD^0" | "HEAD~0"))
}
