//! git: global options, subcommands with path specifications, revisions with paths, remotes.

mod index;
mod leads;
mod pathspec;
mod reads;
mod remotes;
mod revisions;
mod writes;

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Role, git};
use crate::command::machine::{Machine, looks_like_file};
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Argument, Certainty, Execution, Kind, Reason};

use super::Call;
use super::git_config::setting_of_variable;
use super::git_triggers::Settings;
use leads::{Way, add_variables};
pub(super) use reads::revision_path;
use remotes::{fetches, pushes};
use writes::schedules;

/// One git command behind its global options.
#[derive(Debug)]
struct Sub<'a> {
    name: &'a str,
    /// Words behind the subcommand.
    words: &'a [Arg],
    /// Divided with the options that take values.
    arguments: Arguments,
    /// Words behind `--`.
    paths: &'a [Arg],
    has_dashes: bool,
    settings: &'a Settings,
}

impl Machine<'_> {
    pub(super) fn git(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let cwd = self.world.cwd().map(str::to_owned);
        let output = self.git_globals(call, io);
        self.world.set_cwd(cwd);
        output
    }

    fn git_globals(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut left = call.rest;
        let mut settings = Settings::default();
        add_variables(&mut settings, io);
        while let Some((word, rest)) = left.split_first() {
            left = rest;
            let mut value = || {
                let (value, rest) = left.split_first()?;
                left = rest;
                Some(value.clone())
            };
            match word.text.as_str() {
                "-C" => {
                    if let Some(directory) = value() {
                        self.world.enter_word(&directory);
                    }
                }
                "-c" => {
                    if let Some(setting) = value() {
                        self.git_setting(&setting, &mut settings, io);
                    }
                }
                "--config-env" => {
                    if let Some(setting) = value() {
                        let setting = setting_of_variable(&setting, io);
                        self.git_setting(&setting, &mut settings, io);
                    }
                }
                text if text.starts_with("--config-env=") => {
                    let setting = word.with(text.trim_start_matches("--config-env="));
                    self.git_setting(&setting_of_variable(&setting, io), &mut settings, io);
                }
                "--git-dir" | "--work-tree" => {
                    let directory = value();
                    settings.is_altered = true;
                    self.git_elsewhere(directory.as_ref());
                }
                "--namespace" | "--super-prefix" | "--attr-source" | "--list-cmds" => {
                    value();
                }
                "--exec-path" => return Stream::Unknown,
                text if text.starts_with("--git-dir=") || text.starts_with("--work-tree=") => {
                    let directory = word.after('=').map(|(_, directory)| directory);
                    settings.is_altered = true;
                    self.git_elsewhere(directory.as_ref());
                }
                text if text.starts_with("--exec-path=") => {
                    settings.is_altered = true;
                    self.opaque(About::Anything, Reason::GitPrograms, &[]);
                }
                text if text.starts_with("-c") && text.len() > 2 => {
                    self.git_setting(&word.with(text.trim_start_matches("-c")), &mut settings, io);
                }
                text if text.starts_with('-') && word.is_exact() => {}
                _ => {
                    // Git reads other files in the directory that `-C` names.
                    let settings = self.git_settings().then(settings);
                    return self.git_command(word, rest, &settings, call, io);
                }
            }
        }
        Stream::Unknown
    }

    fn git_elsewhere(&mut self, directory: Option<&Arg>) {
        if let Some(directory) = directory {
            self.path(Role::ListTree, directory);
            self.opaque(About::Anything, Reason::ForeignConfiguration, &[]);
        }
    }

    fn git_command(
        &mut self,
        name: &Arg,
        words: &[Arg],
        settings: &Settings,
        call: Call<'_>,
        io: &mut Io<'_>,
    ) -> Stream {
        let Some(sub) = name.literal() else {
            self.opaque(About::Anything, Reason::ComputedSubcommand, &[]);
            return Stream::Unknown;
        };
        let alias = format!("alias.{}", sub.to_lowercase());
        if let Some((_, value)) = settings.made.iter().rev().find(|(name, _)| *name == alias)
            && value.literal() != Some("")
            && !git::is_builtin(sub)
        {
            return self.git_alias(&value.clone(), words, call, io);
        }
        self.git_triggers(sub, words, &settings.made, io);
        let dashes = words.iter().position(|word| word.literal() == Some("--"));
        let paths = dashes.and_then(|at| words.get(at + 1..)).unwrap_or_default();
        let before = dashes.and_then(|at| words.get(..at)).unwrap_or(words);
        let mut arguments = Arguments::divide(git::options(sub, before.first().and_then(Arg::literal)), before);
        let has_paths = pathspec::follow_dashes(sub);
        if !has_paths {
            arguments.operands.extend(paths.iter().cloned());
        }
        let paths = if has_paths { paths } else { &[] };
        if arguments.unknown().next().is_some() {
            self.opaque(About::Anything, Reason::UnknownOption, &["git", sub]);
        }
        let sub = Sub { name: sub, words, arguments, paths, has_dashes: dashes.is_some(), settings };
        if sub.name == "push" {
            self.git_forces(&sub, &settings.made);
            self.git_destinations(&sub);
        }
        self.git_revisions(&sub);
        self.git_sub(&sub, io)
    }

    fn git_alias(&mut self, value: &Arg, words: &[Arg], call: Call<'_>, io: &mut Io<'_>) -> Stream {
        if let Some(text) = value.literal() {
            if let Some(command) = text.strip_prefix('!') {
                let rest: Vec<&str> = words.iter().map(Arg::best).collect();
                self.command_text(&Arg::exact(format!("{command} {}", rest.join(" "))), io)
            } else {
                let program = call.words.first().cloned().unwrap_or_else(|| Arg::exact("git"));
                let expanded = std::iter::once(program).chain(text.split_whitespace().map(Arg::exact));
                let all: Vec<Arg> = expanded.chain(words.iter().cloned()).collect();
                self.command(&all, io)
            }
        } else {
            self.opaque(About::Anything, Reason::UnknownGitAlias, &[]);
            Stream::Unknown
        }
    }

    /// The plumbing below `git push`: whoever denies the one means the other.
    fn git_plumbing_push(&mut self, sub: &Sub<'_>) {
        self.git_meant(&["git", "push"], sub);
        self.git_remote(sub);
    }

    /// A deny of this command also denies the one that runs.
    fn git_meant(&mut self, command: &[&str], sub: &Sub<'_>) {
        let words = command.iter().copied().chain(sub.words.iter().map(Arg::best));
        let argv = words.map(|text| Argument { text: text.to_owned(), known: true }).collect();
        let meant = Execution { argv, inert: true, embeds: false };
        self.emit(Kind::Execute(meant), Certainty::Possible, "git plumbing");
    }

    fn git_sub(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) -> Stream {
        for file in sub.arguments.values(&["--output"]) {
            self.path(Role::Write, file);
        }
        for file in sub.arguments.values(&["--exclude-from", "-X", "--ignore-revs-file", "--contents", "--add-file"]) {
            self.path(Role::Read, file);
        }
        for file in sub.arguments.values(&["-S"]).filter(|_| matches!(sub.name, "blame" | "annotate")) {
            self.path(Role::Read, file);
        }
        for command in sub.arguments.values(&["--to-cmd", "--cc-cmd", "--sendmail-cmd", "--httpd"]) {
            self.command_text(command, io);
        }
        match sub.name {
            "push" | "fetch" | "ls-remote" | "fetch-pack" | "request-pull" | "fetch-pack-remote" => {
                self.git_remote(sub);
            }
            "pull" => {
                self.git_remote(sub);
                self.opaque(About::Writes, Reason::FetchedRevision, &["git", "pull"]);
            }
            "send-pack" => self.git_plumbing_push(sub),
            "clone" => self.git_clone(sub, io),
            "remote" => self.git_remotes(sub),
            "submodule" => self.git_submodules(sub, io),
            "archive" if sub.arguments.has(&["--remote"]) => {
                let remote = sub.arguments.values(&["--remote"]).next();
                self.git_remote_of(remote, Way::Fetch, sub.settings);
                for command in sub.arguments.values(&["--exec"]) {
                    self.command_text(command, io);
                }
            }
            "lfs" if pushes(sub) => self.git_plumbing_push(sub),
            "lfs" if fetches(sub) => self.git_remote(sub),
            // Later runs are written into the schedule of the user, and into the user's settings.
            "maintenance" if schedules(sub) => {
                self.path(Role::Edit, &Arg::exact("~/.gitconfig"));
            }
            "subtree" if pushes(sub) => {
                self.git_plumbing_push(sub);
                self.opaque(About::Writes, Reason::SubtreeCommits, &["git", "subtree"]);
            }
            "subtree" => {
                if matches!(operands(sub).first().and_then(Arg::literal), Some("add" | "pull") | None) {
                    self.git_remote(sub);
                }
                self.opaque(About::Writes, Reason::AnotherRepository, &["git", "subtree"]);
            }
            "for-each-repo" => {
                let rest = operands(sub);
                let words: Vec<Arg> = std::iter::once(Arg::exact("git")).chain(rest).collect();
                self.command(&words, io);
                self.opaque(About::Anything, Reason::ConfiguredRepositories, &[]);
            }
            "merge-file" => {
                for file in operands(sub) {
                    let prints = sub.arguments.has(&["-p", "--stdout"]);
                    self.path(if prints { Role::Read } else { Role::Edit }, &file);
                }
            }
            "interpret-trailers" => {
                let edits = sub.arguments.has(&["--in-place"]);
                for file in operands(sub) {
                    self.path(if edits { Role::Edit } else { Role::Read }, &file);
                }
            }
            "mailsplit" => {
                for file in operands(sub) {
                    self.path(Role::Read, &file);
                }
                for directory in sub.arguments.values(&["-o"]) {
                    self.path(Role::WriteTree, directory);
                }
            }
            "stripspace" | "mailinfo" => {
                for file in operands(sub) {
                    self.path(Role::Write, &file);
                }
            }
            "cat-file" if sub.words.iter().any(|word| word.text.starts_with("--batch")) => self.git_batch(io),
            "grep" => return self.git_grep(sub, io),
            "difftool" => {
                self.git_difftool(sub, io);
                return self.git_reads(sub);
            }
            "archive" => {
                let output = self.git_reads(sub);
                for file in sub.arguments.values(&["-o", "--output"]) {
                    self.path(Role::Write, file);
                }
                return output;
            }
            "format-patch" => {
                let output = self.git_reads(sub);
                self.git_patches(sub);
                return output;
            }
            "diff" | "log" | "show" | "blame" | "annotate" | "whatchanged" | "cat-file" | "shortlog" | "diff-tree"
            | "diff-index" | "diff-files" | "range-diff" | "ls-tree" | "show-branch" | "rev-list" => {
                return self.git_reads(sub);
            }
            "checkout" => self.git_checkout(sub),
            "restore" => self.git_restore(sub),
            "checkout-index" => self.git_checkout_index(sub),
            "reset" => {
                if sub.arguments.has(&["--hard", "--merge", "--keep"]) {
                    self.git_rewrites(&["git", "reset"]);
                } else {
                    self.git_resets_index(sub);
                }
            }
            "add" | "stage" | "hash-object" => {
                self.git_adds(sub);
                if sub.arguments.has(&["--stdin-paths"]) {
                    self.git_paths_of_input(Role::Read, io);
                }
            }
            "update-index" => self.git_updates_index(sub, io),
            "mktree" => self.git_index_lines(io),
            "fast-import" => self.git_imports(sub, io),
            "rm" => {
                // With `--cached` the file stays, and the next commit deletes it.
                let role = if sub.arguments.has(&["-r"]) { Role::DeleteTree } else { Role::Delete };
                if !only_shows(sub) {
                    self.pathspecs(role, &operands(sub));
                    self.git_listed_paths(sub, About::Writes);
                }
            }
            "mv" => self.git_moves(sub),
            "clean" => self.git_cleans(sub),
            "apply" | "am" => self.git_applies(sub, io),
            "stash" => self.git_stash(sub),
            "switch" if sub.arguments.has(&["-c", "-C", "--create", "--orphan"]) && !writes::discards(sub) => {}
            "rebase" => {
                self.git_rebase_commands(sub, io);
                self.git_switches(sub, io);
            }
            "bisect" => {
                self.git_bisect_command(sub, io);
                self.git_switches(sub, io);
            }
            "read-tree" => self.git_reads_tree(sub, io),
            "sparse-checkout" => {
                self.git_leaves_out(sub);
                self.git_switches(sub, io);
            }
            "merge" | "cherry-pick" | "revert" | "switch" | "filter-branch" | "mergetool" => {
                for file in sub.arguments.values(&["-F", "--file"]).filter(|_| sub.name == "merge") {
                    self.path(Role::Read, file);
                }
                self.git_switches(sub, io);
            }
            "credential-store" => {
                for file in sub.arguments.values(&["--file"]) {
                    self.path(Role::Edit, file);
                }
                self.opaque(About::Reads, Reason::StoredCredentials, &[]);
            }
            "fast-export" => {
                self.git_marks(sub);
                return self.git_reads(sub);
            }
            "worktree" => self.git_worktree(sub),
            "config" => self.git_config(sub.words, io),
            "init" => {
                for template in sub.arguments.values(&["--template"]) {
                    self.path(Role::ReadTree, template);
                }
                let directory = sub.arguments.operands.first().cloned().unwrap_or_else(|| Arg::exact("."));
                if directory.text != "." {
                    self.path(Role::Write, &directory);
                }
                let bare = sub.arguments.has(&["--bare"]);
                let inside = if bare { directory.text.clone() } else { format!("{}/.git", directory.text) };
                let inside = Arg { text: inside, ..directory };
                // The directories that are already known stay as they are.
                let own = self.world.locate_word(&self.git_directory()).0;
                let is_there = self.world.locate_word(&inside).0 == own && !self.world.has_entry(&own);
                self.path(Role::WriteTree, &inside);
                if is_there {
                    self.world.take_written(&own);
                }
            }
            "commit" => {
                self.git_messages(sub);
                for path in sub.paths.iter().chain(&sub.arguments.operands) {
                    self.path(Role::List, path);
                }
            }
            "tag" | "notes" | "merge-base" => self.git_messages(sub),
            "bundle" => {
                let creates = sub.arguments.operands.first().is_some_and(|word| word.text == "create");
                for file in sub.arguments.operands.iter().skip(1).take(1) {
                    self.path(if creates { Role::Write } else { Role::Read }, file);
                }
            }
            "ls-files" => return self.git_names(sub),
            "rev-parse" => return self.git_top(sub),
            "status" | "branch" | "describe" | "reflog" | "name-rev" | "symbolic-ref" | "for-each-ref" | "show-ref"
            | "check-ignore" | "check-attr" | "var" | "version" | "help" | "count-objects" | "fsck" | "gc"
            | "prune" | "repack" | "pack-refs" | "maintenance" | "update-ref" | "write-tree" | "commit-tree"
            | "cherry" | "verify-commit" | "verify-tag" | "column" | "check-ref-format" | "merge-tree" | "patch-id"
            | "rerere" | "replace" | "lfs" => {}
            "p4" | "svn" | "send-email" | "imap-send" | "instaweb" | "daemon" | "gui" | "citool" | "web--browse" => {
                self.opaque(About::Anything, Reason::GitNetworkProgram, &[]);
            }
            "merge-index" => {
                let words = operands(sub);
                let rest = words.iter().position(|word| !word.text.starts_with('-')).and_then(|at| words.get(at..));
                self.command(rest.unwrap_or_default(), io);
            }
            other => {
                self.opaque(About::Anything, Reason::UnknownGitSubcommand, &["git", other]);
                self.possible_operands(&std::iter::once(Arg::exact(other)).chain(operands(sub)).collect::<Vec<_>>());
            }
        }
        Stream::Unknown
    }

    /// `git rev-parse --show-toplevel` in the workspace prints its root. A link, a variable of git's or a work tree leads
    /// elsewhere.
    fn git_top(&self, sub: &Sub<'_>) -> Stream {
        let asks = matches!(sub.words, [word] if word.literal() == Some("--show-toplevel"));
        let inside = self.world.root().filter(|root| {
            let below = self.world.cwd().and_then(|cwd| cwd.strip_prefix(root.trim_end_matches('/')));
            below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
        });
        match inside.filter(|_| asks && !self.world.has_aliases()) {
            Some(root) => Stream::of(format!("{root}\n")),
            None => Stream::Unknown,
        }
    }

    fn git_messages(&mut self, sub: &Sub<'_>) {
        for file in sub.arguments.values(&["-F", "--file", "-t", "--template", "--pathspec-from-file"]) {
            self.path(Role::Read, file);
        }
    }

    fn git_names(&mut self, sub: &Sub<'_>) -> Stream {
        let targets = operands(sub);
        let mut names = Vec::new();
        for target in &targets {
            self.pathspec(Role::List, target);
            let text = target.text.replace('*', "**");
            names.push(Arg::glob(text.clone()));
            if !looks_like_file(&text) {
                names.push(Arg::glob(format!("{text}/**")));
            }
        }
        if names.is_empty() {
            names.push(Arg::glob("**"));
        }
        if sub.arguments.options.iter().any(|option| option.name.starts_with("--format")) {
            return Stream::Unknown;
        }
        Stream::Names(names)
    }
}

/// Operands before and behind `--`.
fn operands(sub: &Sub<'_>) -> Vec<Arg> {
    sub.arguments.operands.iter().chain(sub.paths).cloned().collect()
}

/// Nothing happens but output.
fn only_shows(sub: &Sub<'_>) -> bool {
    sub.arguments.has(&["-n", "--dry-run"]) && !sub.arguments.has(&["--no-dry-run"])
}

/// A URL, `host:path`, or a path: not the name of a configured remote.
pub(super) fn is_location(text: &str) -> bool {
    text.contains("://") || text.contains(':') && !text.starts_with('-') || text.starts_with(['/', '.', '~'])
}
