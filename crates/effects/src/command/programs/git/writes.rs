//! Subcommands that change files of the work tree.

use super::pathspec::is_whole;
use super::reads::{Likeness, likeness};
use super::{Sub, index, only_shows, operands};
use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::paths::is_beside;
use crate::{About, Certainty, Kind, PathTarget, Reason};

impl Machine<'_> {
    pub(super) fn git_checkout(&mut self, sub: &Sub<'_>) {
        if creates_branch(sub) && !discards(sub) {
            return;
        }
        let mut paths = sub.paths.to_vec();
        if !sub.has_dashes {
            // Only the first word can be a revision.
            let first = sub.arguments.operands.first();
            match first.map(|word| likeness(&word.text)) {
                Some(Likeness::Path) => paths.extend(first.cloned()),
                Some(Likeness::Either) => first.into_iter().for_each(|word| self.possible_path(Role::WriteTree, word)),
                Some(Likeness::Revision) | None => {}
            }
            paths.extend(sub.arguments.operands.iter().skip(1).cloned());
        }
        self.pathspecs(Role::WriteTree, &paths);
        self.git_other_revision(sub, &paths);
    }

    pub(super) fn git_restore(&mut self, sub: &Sub<'_>) {
        if creates_branch(sub) {
            return;
        }
        let paths = all_paths(sub);
        let index_only = sub.arguments.has(&["--staged", "-S"]) && !sub.arguments.has(&["--worktree", "-W"]);
        let source = sub.arguments.values(&["--source", "-s"]).next();
        if !index_only || source.is_some_and(|source| !index::is_head(source)) {
            self.pathspecs(Role::WriteTree, &paths);
        }
        self.git_other_revision(sub, &paths);
    }

    pub(super) fn git_checkout_index(&mut self, sub: &Sub<'_>) {
        if creates_branch(sub) {
            return;
        }
        let paths = all_paths(sub);
        if sub.arguments.has(&["-a", "--all"]) {
            let prefix = sub.arguments.values(&["--prefix"]).next().map_or("", |word| word.text.as_str());
            self.path(Role::WriteTree, &Arg::exact(if prefix.is_empty() { "." } else { prefix }));
        }
        self.pathspecs(Role::WriteTree, &paths);
        for prefix in sub.arguments.values(&["--prefix"]) {
            for path in &paths {
                self.path(Role::Write, &prefix.with(format!("{}{}", prefix.text, path.text)));
            }
            if paths.is_empty() {
                self.path(Role::WriteTree, prefix);
            }
        }
        self.git_other_revision(sub, &paths);
    }

    /// Files of another revision that the words do not name.
    fn git_other_revision(&mut self, sub: &Sub<'_>, paths: &[Arg]) {
        for file in sub.arguments.values(&["--pathspec-from-file"]) {
            self.path(Role::Read, file);
            self.opaque(About::Writes, Reason::AnotherRevision, &[]);
        }
        if paths.is_empty() && (sub.name == "checkout" && discards(sub) || !sub.arguments.operands.is_empty()) {
            self.git_rewrites(&["git", sub.name]);
        }
    }

    /// Paths that a file lists are read or changed.
    pub(super) fn git_listed_paths(&mut self, sub: &Sub<'_>, about: About) {
        for file in sub.arguments.values(&["--pathspec-from-file"]) {
            self.path(Role::Read, file);
            self.opaque(about, Reason::ListedFiles, &[]);
        }
    }

    /// Changes that are not committed are lost.
    pub(super) fn git_rewrites(&mut self, vouched_by: &[&str]) {
        self.opaque(About::Writes, Reason::AnotherRevision, vouched_by);
    }

    pub(super) fn git_adds(&mut self, sub: &Sub<'_>) {
        for path in operands(sub) {
            // A file that is named is read; of a directory, what is tracked and not ignored, which is not known.
            let directory = path.text == ".." || path.text.ends_with('/') || is_whole(&path);
            self.pathspec(if directory { Role::List } else { Role::Read }, &path);
        }
        self.git_listed_paths(sub, About::Reads);
    }

    pub(super) fn git_moves(&mut self, sub: &Sub<'_>) {
        let operands = operands(sub);
        let Some((last, sources)) = operands.split_last().filter(|_| !only_shows(sub)) else { return };
        for source in sources {
            self.path(Role::DeleteTree, source);
        }
        self.path(Role::WriteTree, last);
        if let ([source], true) = (sources, last.is_exact()) {
            let (original, _) = self.world.locate_word(source);
            let (alias, _) = self.world.locate_word(last);
            self.world.copied(&alias, &original);
        }
    }

    pub(super) fn git_cleans(&mut self, sub: &Sub<'_>) {
        if only_shows(sub) {
            return;
        }
        let targets = operands(sub);
        if targets.is_empty() {
            self.path(Role::DeleteTree, &Arg::exact("."));
        }
        self.pathspecs(Role::DeleteTree, &targets);
    }

    pub(super) fn git_applies(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        let files = operands(sub);
        if sub.arguments.has(&["--abort", "--skip", "--quit", "--show-current-patch"]) {
            return;
        }
        let only_reads =
            sub.arguments.has(&["--check", "--stat", "--numstat", "--summary"]) && !sub.arguments.has(&["--apply"]);
        for directory in sub.arguments.values(&["--directory"]).filter(|_| !only_reads) {
            self.at_root(Role::WriteTree, directory);
        }
        let strip = sub.arguments.values(&["-p"]).next().and_then(|word| word.text.parse().ok());
        let mut texts: Vec<Stream> = Vec::new();
        for file in &files {
            if file.text == "-" {
                texts.push(io.input.clone());
            } else {
                self.path(Role::Read, file);
                texts.push(self.world.content_of(file));
            }
        }
        if files.is_empty() {
            texts.push(io.input.clone());
        }
        for text in texts.iter().filter(|_| !only_reads) {
            match text.text() {
                Some(text) => self.patched(text, strip),
                None => self.opaque(About::Writes, Reason::PatchWrites, &[]),
            }
        }
    }

    pub(super) fn git_stash(&mut self, sub: &Sub<'_>) {
        match sub.arguments.operands.first().map(|word| word.text.as_str()) {
            Some("show") => {
                for path in sub.arguments.operands.iter().skip(1).filter(|word| !word.text.starts_with("stash@")) {
                    self.pathspec(Role::ReadTree, path);
                }
                for path in sub.paths {
                    self.pathspec(Role::ReadTree, path);
                }
            }
            Some("list" | "drop" | "clear" | "create" | "store") => {}
            Some("pop" | "apply" | "branch") => {
                self.opaque(About::Writes, Reason::StashedFiles, &["git", "stash"]);
            }
            _ => {
                self.pathspecs(Role::WriteTree, sub.paths);
                self.opaque(About::Writes, Reason::RestoresFiles, &["git", "stash"]);
            }
        }
    }

    /// `git rebase --exec COMMAND`
    pub(super) fn git_rebase_commands(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        for text in sub.arguments.values(&["-x", "--exec"]).filter(|_| !abandons(sub)) {
            self.command_text(text, io);
        }
    }

    /// `git bisect run COMMAND`: options behind `run` are those of the command.
    pub(super) fn git_bisect_command(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        let mut words = sub.words.iter().skip_while(|word| word.text.starts_with('-'));
        if !abandons(sub) && words.next().is_some_and(|word| word.text == "run") {
            let words: Vec<Arg> = words.cloned().collect();
            self.perhaps_again().command(&words, io);
        }
    }

    /// Subcommands that write files of another revision. The filters of `filter-branch` are commands wherever they are
    /// given: the other subcommands refuse them, but an option must not hide a command.
    pub(super) fn git_switches(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        if abandons(sub) {
            return;
        }
        for option in sub.arguments.options.iter().filter(|option| option.name.ends_with("-filter")) {
            if let Some(text) = &option.value {
                self.command_text(text, io);
            }
        }
        self.opaque(About::Writes, Reason::AnotherRevision, &["git", sub.name]);
    }

    pub(super) fn git_worktree(&mut self, sub: &Sub<'_>) {
        let mut operands = sub.arguments.operands.iter();
        match (operands.next().map(|word| word.text.as_str()), operands.next()) {
            (Some("move"), Some(old)) => {
                self.path(Role::DeleteTree, old);
                if let Some(new) = operands.next() {
                    self.path(Role::WriteTree, new);
                    self.checked_out(new);
                }
            }
            (Some("add"), Some(directory)) => {
                self.adds_tree(directory);
                self.checked_out(directory);
            }
            (Some("remove"), Some(directory)) => self.path(Role::DeleteTree, directory),
            _ => {}
        }
    }

    /// The repository holds the content of a new work tree, whose `.git` names the repository's own directory. The session
    /// has written none of it. Beside the repository, the files are the repository's own.
    fn adds_tree(&mut self, directory: &Arg) {
        let (target, certainty) = self.world.locate_word(directory);
        let is_near = directory.is_exact() && self.world.root().is_some_and(|root| is_beside(&target.path, root));
        if is_near {
            self.emit(Kind::List(target), Certainty::Possible, "argument");
            self.opaque(About::Writes, Reason::AnotherRevision, &["git", "worktree"]);
        } else {
            self.emit(Kind::Write(PathTarget { subtree: true, ..target }), certainty, "argument");
        }
    }

    /// From now on a directory is one more work tree of the repository.
    fn checked_out(&mut self, directory: &Arg) {
        let top = self.git_directory();
        let top = top.with(top.text.trim_end_matches(".git"));
        if directory.is_exact() {
            let (tree, top) = (self.world.locate_word(directory).0, self.world.locate_word(&top).0);
            self.world.checked_out(&tree, &top);
        }
    }
}

/// `git maintenance start`
pub(super) fn schedules(sub: &Sub<'_>) -> bool {
    sub.arguments.operands.first().is_some_and(|word| matches!(word.literal(), Some("start" | "register")))
}

/// Paths before and behind `--`, where no operand is a revision.
fn all_paths(sub: &Sub<'_>) -> Vec<Arg> {
    sub.paths.iter().chain(&sub.arguments.operands).cloned().collect()
}

/// Changes that are not committed are lost.
pub(super) fn discards(sub: &Sub<'_>) -> bool {
    sub.arguments.has(&["-f", "--force", "--discard-changes"])
}

/// `git checkout -b NAME` leaves the files as they are.
fn creates_branch(sub: &Sub<'_>) -> bool {
    sub.arguments.has(&["-b", "-B", "--orphan"]) && sub.arguments.operands.is_empty()
}

/// `git rebase --abort` and the like.
fn abandons(sub: &Sub<'_>) -> bool {
    sub.arguments.has(&["--abort", "--quit", "--skip"])
}
