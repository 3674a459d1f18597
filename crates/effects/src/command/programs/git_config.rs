//! Git settings that run commands: given with `-c`, or written with `git config` for every later call.

use agent_strace_shell::Fragment;

use crate::command::argument::{Arg, Known};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::write_mode::WriteMode;
use crate::world::Terminal;
use crate::{About, PathTarget, Reason};

use super::git_triggers::{self, Settings, is_idle, runs};

/// The command line of `git config`.
#[derive(Debug, Default)]
struct Invocation {
    operands: Vec<Arg>,
    /// It only shows settings.
    reads: bool,
    /// The file that it names instead of the repository's own.
    file: Option<Arg>,
}

impl Machine<'_> {
    /// `-c name=value`.
    pub(super) fn git_setting(&mut self, setting: &Arg, settings: &mut Settings, io: &mut Io<'_>) {
        let Some((name, value)) = setting.after('=') else {
            if !setting.is_exact() {
                settings.is_altered = true;
                self.opaque(About::Anything, Reason::UnknownGitSetting, &[]);
            }
            return;
        };
        let lower = name.to_ascii_lowercase();
        if !lower.starts_with("alias.") {
            self.git_value(&lower, &value, io);
        }
        let outlives = ["alias.", "remote.", "branch.", "url."].iter().any(|section| lower.starts_with(section));
        if outlives || lower == "core.hookspath" {
            settings.made.push((lower, value));
        } else {
            settings.is_altered |= git_triggers::diverts(&lower, &value);
        }
    }

    /// What a setting makes git run.
    fn git_value(&mut self, name: &str, value: &Arg, io: &mut Io<'_>) {
        let before = self.world.terminal();
        if !before.is_kept() {
            self.world.replace_terminal(Terminal::None);
        }
        self.git_value_runs(name, value, io);
        self.world.replace_terminal(before);
    }

    fn git_value_runs(&mut self, name: &str, value: &Arg, io: &mut Io<'_>) {
        if is_location(name) {
            self.path(if name == "include.path" { Role::Read } else { Role::List }, value);
            self.opaque(About::Anything, Reason::GitRunsPrograms, &[]);
            return;
        }
        self.git_value_names(name, value);
        if !runs(name) {
            return;
        }
        let is_url = name.starts_with("remote.") && name.ends_with("url");
        if is_url && !value.text.starts_with("ext::") || value.literal().is_some_and(|text| is_idle(name, text)) {
            return;
        }
        if name.starts_with("url.") {
            return self.opaque(About::Anything, Reason::GitRunsPrograms, &[]);
        }
        self.opaque(About::Anything, Reason::GitRunsCommand, &[]);
        if let Some(text) = value.literal() {
            let text = text.strip_prefix('!').unwrap_or(text).to_owned();
            self.command_text(&Arg::exact(text), io);
        }
    }

    /// Files and hosts that a setting names.
    fn git_value_names(&mut self, name: &str, value: &Arg) {
        if git_triggers::names_input(name) {
            self.path(Role::Read, value);
        }
        if git_triggers::names_output(name) && value.text.starts_with('/') {
            self.path(Role::Write, value);
        }
        let other = name
            .strip_prefix("url.")
            .and_then(|name| name.strip_suffix(".insteadof").or_else(|| name.strip_suffix(".pushinsteadof")));
        match other {
            Some(url) => self.connect(&Arg::exact(url)),
            None if name.rsplit('.').next() == Some("proxy") => self.connect(value),
            None => {}
        }
    }

    /// `git config [--global] name value`.
    pub(super) fn git_config(&mut self, words: &[Arg], io: &mut Io<'_>) {
        let Invocation { operands, reads, file } = self.git_config_options(words);
        let own = self.git_directory();
        let target = file.unwrap_or_else(|| own.with(format!("{}/config", own.text)));
        if reads || operands.len() < 2 && !words.iter().any(removes_or_edits) {
            if !target.text.ends_with(".git/config") && !target.text.starts_with("~/.gitconfig") {
                self.path(Role::Read, &target);
            }
            return;
        }
        // What the file says besides stays as it was.
        let (path, _) = self.world.locate_word(&target);
        let before = self.world.take_written(&path).unwrap_or_default();
        self.path(Role::Write, &target);
        self.world.put_written(&path, before);
        let mode = if words.iter().any(|word| word.text == "--add") { WriteMode::Append } else { WriteMode::Replace };
        let unset = words.iter().any(|word| word.text.starts_with("--unset") || word.text == "unset");
        match operands.as_slice() {
            [name, value, ..] if !unset => self.git_configured(name, value, mode, &path, io),
            [name, ..] if unset => {
                let empty = |name: &str| git_triggers::written(&name.to_lowercase(), "", WriteMode::Replace);
                if let Some(text) = name.literal().and_then(empty) {
                    self.world.appended(&path, &text);
                }
            }
            _ => {}
        }
    }

    fn git_config_options(&mut self, words: &[Arg]) -> Invocation {
        let mut invocation = Invocation::default();
        let mut left = words.iter();
        while let Some(word) = left.next() {
            match word.literal() {
                Some(
                    "--get" | "--get-all" | "--get-regexp" | "--list" | "-l" | "--get-urlmatch" | "--get-color"
                    | "--name-only",
                ) => invocation.reads = true,
                Some("--global") => invocation.file = Some(Arg::exact("~/.gitconfig")),
                Some("--system") => invocation.file = Some(Arg::exact("/etc/gitconfig")),
                Some("-f" | "--file") => invocation.file = left.next().cloned(),
                Some("--blob") => {
                    invocation.reads = true;
                    if let Some(path) = left.next().and_then(super::git::revision_path) {
                        self.at_root(Role::Read, &path);
                    }
                }
                Some(text) if text.starts_with("--blob=") => {
                    invocation.reads = true;
                    let blob = word.after('=').and_then(|(_, blob)| super::git::revision_path(&blob));
                    if let Some(path) = blob {
                        self.at_root(Role::Read, &path);
                    }
                }
                Some("--type" | "--default" | "--comment") => {
                    left.next();
                }
                Some(text) if text.starts_with("--file=") => invocation.file = word.after('=').map(|(_, file)| file),
                Some(text) if text.starts_with('-') => {}
                Some("get" | "list") if invocation.operands.is_empty() => invocation.reads = true,
                Some("set") if invocation.operands.is_empty() => {}
                _ => invocation.operands.push(word.clone()),
            }
        }
        invocation
    }

    fn git_configured(&mut self, name: &Arg, value: &Arg, mode: WriteMode, file: &PathTarget, io: &mut Io<'_>) {
        let Some(name) = name.literal() else {
            self.opaque(About::Anything, Reason::UnknownGitSetting, &[]);
            return self.world.wrote(file, None);
        };
        let lower = name.to_ascii_lowercase();
        if lower == "core.hookspath" {
            // What stands in the new directory are the repository's hooks from now on.
            let own = self.git_directory();
            self.path(Role::WriteTree, &own.with(format!("{}/hooks", own.text)));
        }
        // Wildcards of a refspec match no file: the word stays as it is.
        let value_text = match value.known {
            Known::Glob if is_refspec(&lower) => Some(value.text.as_str()),
            _ => value.literal(),
        };
        let text = value_text.and_then(|value| git_triggers::written(&lower, value, mode));
        match text {
            Some(text) => self.world.appended(file, &text),
            None if runs(&lower) || lower.starts_with("alias.") => {
                self.opaque(About::Anything, Reason::UnknownGitSetting, &[]);
                self.world.wrote(file, None);
            }
            None => self.world.appended(file, "\n"),
        }
        if !lower.starts_with("alias.") {
            // It runs when git does, with the terminal of that call.
            let terminal = self.world.replace_terminal(Terminal::None);
            self.git_value(&lower, value, io);
            self.world.replace_terminal(terminal);
        }
    }
}

/// `NAME=VARIABLE`: the setting has the variable's value.
pub(super) fn setting_of_variable(setting: &Arg, io: &Io<'_>) -> Arg {
    let Some((name, variable)) = setting.after('=') else { return setting.clone() };
    let value = io.scope.value(&variable.text);
    let texts = value.fragments().iter().map(|fragment| match fragment {
        Fragment::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    match texts.collect::<Option<String>>().filter(|text| !text.is_empty()) {
        Some(text) => setting.with(format!("{name}={text}")),
        None => Arg { known: Known::Partly, ..setting.with(format!("{name}=**")) },
    }
}

/// Returns whether the values of the setting are refspecs.
fn is_refspec(name: &str) -> bool {
    name.starts_with("remote.") && matches!(name.rsplit('.').next(), Some("fetch" | "push"))
}

/// A word that makes `git config` write without a value.
fn removes_or_edits(word: &Arg) -> bool {
    word.text.starts_with("--unset")
        || word.text.contains("remove-section")
        || matches!(word.text.as_str(), "-e" | "--edit" | "unset")
}

/// Its value is a directory that git takes programs from.
fn is_location(name: &str) -> bool {
    matches!(name, "core.hookspath" | "core.worktree" | "core.attributesfile" | "init.templatedir" | "include.path")
}
