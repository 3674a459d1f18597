//! Subcommands that talk to other repositories.

use super::{Sub, is_location, operands};
use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::{Launch, Machine};
use crate::command::programs::git_triggers::{self, Setting};
use crate::command::simple::Io;
use crate::command::write_mode::WriteMode;
use crate::{About, Argument, Certainty, Execution, Kind, PathTarget, Reason};

/// The repositories that a subcommand manages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    Remotes,
    Submodules,
}

impl Machine<'_> {
    /// Where a remote operation goes: a URL as operand, or a name that the repository's configuration resolves.
    pub(super) fn git_remote(&mut self, sub: &Sub<'_>) {
        for option in &sub.arguments.options {
            if matches!(option.name.as_str(), "--upload-pack" | "--receive-pack" | "--exec") {
                self.opaque(About::Commands, Reason::RemoteProgram, &[]);
            }
        }
        self.git_remote_of(sub.arguments.operands.first());
    }

    /// Goes to the remote that a word names, or to the default one.
    pub(super) fn git_remote_of(&mut self, remote: Option<&Arg>) {
        match remote {
            Some(word) if is_location(&word.text) => self.git_location(word),
            Some(word) if word.is_exact() => {
                if !self.git_remote_named(&word.text) {
                    self.connect_to(None, Some("git"));
                }
            }
            _ => {
                self.git_remote_named("origin");
                self.connect_to(None, Some("git"));
            }
        }
    }

    /// Goes where this session said that the remote is; `false`: it said nothing.
    fn git_remote_named(&mut self, name: &str) -> bool {
        let keys = ["url", "pushurl"].map(|key| format!("remote.{}.{key}", name.to_lowercase()));
        let urls: Vec<Arg> =
            self.git_settings().into_iter().filter(|(key, _)| keys.contains(key)).map(|(_, url)| url).collect();
        for url in urls.iter().filter(|url| !url.text.is_empty()) {
            self.git_location(url);
        }
        !urls.is_empty()
    }

    /// The repository's settings change in a way that this command's words say.
    fn git_settings_written(&mut self) -> PathTarget {
        let own = self.git_directory();
        let file = own.with(format!("{}/config", own.text));
        let (target, _) = self.world.locate_word(&file);
        let before = self.world.take_written(&target);
        self.path(Role::Write, &file);
        self.world.put_written(&target, before.unwrap_or_default());
        self.world.appended(&target, "\n");
        target
    }

    /// A push that replaces or deletes what is there without the option that says so: `--mirror`, `+main`, or a setting.
    pub(super) fn git_forces(&mut self, sub: &Sub<'_>, settings: &[Setting]) {
        let is_set = |(name, value): &Setting| {
            let key = name.strip_prefix("remote.").and_then(|name| name.rsplit('.').next());
            match key {
                Some("mirror") => matches!(value.text.as_str(), "true" | "yes" | "on" | "1"),
                Some("push") => value.text.starts_with('+'),
                _ => false,
            }
        };
        let forces = sub.arguments.has(&["--mirror"])
            || sub.arguments.operands.iter().chain(sub.paths).any(|word| word.text.starts_with('+'))
            || settings.iter().any(is_set);
        if !forces || sub.arguments.has(&["--force", "-f"]) {
            return;
        }
        let words = ["git", "push", "--force"].into_iter().chain(sub.words.iter().map(Arg::best));
        let argv = words.map(|text| Argument { text: text.to_owned(), known: true }).collect();
        let push = Execution { argv, inert: true, embeds: false };
        self.emit(Kind::Execute(push), Certainty::Possible, "git push");
    }

    /// Whoever denies `git push origin main` means `git push origin HEAD:refs/heads/main`.
    fn git_destinations_of(words: &[Arg]) -> Option<Vec<String>> {
        let destination = |word: &Arg| {
            let (_, to) = word.text.split_once(':').filter(|(_, to)| !to.contains('/') || to.starts_with("refs/"))?;
            Some(to.trim_start_matches("refs/heads/").to_owned()).filter(|to| !to.is_empty())
        };
        let is_refspec = |word: &Arg| word.is_exact() && !word.text.starts_with('-') && destination(word).is_some();
        words.iter().skip(1).any(is_refspec).then(|| {
            let spelled = |word: &Arg| destination(word).filter(|_| is_refspec(word));
            words.iter().map(|word| spelled(word).unwrap_or_else(|| word.best().to_owned())).collect()
        })
    }

    pub(super) fn git_destinations(&mut self, sub: &Sub<'_>) {
        let Some(words) = Self::git_destinations_of(sub.words) else { return };
        let words = ["git", "push"].into_iter().map(str::to_owned).chain(words);
        let argv = words.map(|text| Argument { text, known: true }).collect();
        let push = Execution { argv, inert: true, embeds: false };
        self.emit(Kind::Execute(push), Certainty::Possible, "git push");
    }

    /// Files that the standard input names, one a line.
    pub(super) fn git_paths_of_input(&mut self, role: Role, io: &Io<'_>) {
        match io.input.text() {
            Some(text) => {
                for line in text.lines().filter(|line| !line.is_empty()) {
                    self.path(role, &Arg::exact(line));
                }
            }
            None => self.opaque(About::Reads, Reason::ListedFiles, &[]),
        }
    }

    pub(super) fn git_location(&mut self, word: &Arg) {
        let text = word.text.as_str();
        if let Some(command) = text.strip_prefix("ext::") {
            self.opaque(About::Anything, Reason::CommandRemote, &[]);
            let words: Vec<Arg> = command.split_whitespace().map(Arg::exact).collect();
            self.execute(&words, Launch::Plain);
            self.guess_text(command);
        } else if text.contains("://") || text.contains(':') && !text.starts_with(['/', '.']) {
            self.connect(word);
        } else {
            self.path(Role::ReadTree, word);
        }
    }

    pub(super) fn git_clone(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        let mut aliases = Vec::new();
        for setting in sub.arguments.values(&["-c", "--config"]) {
            self.git_setting(setting, &mut aliases, io);
        }
        if sub.arguments.has(&["-u", "--upload-pack", "--template"]) {
            self.opaque(About::Commands, Reason::RemoteProgram, &[]);
        }
        for command in sub.arguments.values(&["-u", "--upload-pack"]) {
            // For a repository on this machine it runs here.
            self.guess_commands(command);
        }
        for directory in sub.arguments.values(&["--template", "--reference", "--reference-if-able"]) {
            self.path(Role::ReadTree, directory);
        }
        for uri in sub.arguments.values(&["--bundle-uri"]) {
            self.git_location(uri);
        }
        let mut operands = sub.arguments.operands.iter().chain(sub.paths);
        let Some(location) = operands.next() else { return };
        if location.is_exact() && !is_location(&location.text) {
            self.path(Role::ReadTree, location);
        } else {
            self.git_location(location);
        }
        let from_here = location.is_exact() && !location.text.contains(':');
        let directory = operands.next().cloned().unwrap_or_else(|| {
            let name = location.text.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
            location.with(name.trim_end_matches(".git"))
        });
        self.path(Role::WriteTree, &directory);
        if location.is_exact() && location.text.contains(':') && !location.text.starts_with("file:") {
            self.world.fetched_directory(&directory);
        }
        if from_here && directory.is_exact() {
            let (copy, original) = (self.world.locate_word(&directory).0, self.world.locate_word(location).0);
            self.world.copied(&copy, &original);
        }
    }

    pub(super) fn git_remotes(&mut self, sub: &Sub<'_>, listed: Listed, io: &mut Io<'_>) {
        let action = sub.arguments.operands.first().map_or("", |word| word.text.as_str());
        match action {
            "update" | "prune" | "show" | "add" | "set-url" | "set-head" => {
                match sub.arguments.operands.iter().find(|word| is_location(&word.text)) {
                    Some(url) if matches!(action, "add" | "set-url") => {
                        let target = self.git_settings_written();
                        let name = sub.arguments.operands.iter().skip(1).find(|word| word.text != url.text);
                        if let (Some(name), Some(url)) = (name.and_then(Arg::literal), url.literal()) {
                            let setting = format!("remote.{name}.url");
                            let mode = if action == "add" { WriteMode::Append } else { WriteMode::Replace };
                            let text = git_triggers::written(&setting, url, mode);
                            self.world.appended(&target, text.as_deref().unwrap_or_default());
                            if sub.arguments.has(&["--mirror"]) && action == "add" {
                                let text = git_triggers::written(&format!("remote.{name}.mirror"), "true", mode);
                                self.world.appended(&target, text.as_deref().unwrap_or_default());
                            }
                        }
                        if listed == Listed::Submodules
                            || sub.arguments.has(&["-f", "--fetch"])
                            || url.text.starts_with("ext::")
                        {
                            self.git_location(url);
                        }
                    }
                    _ if listed == Listed::Submodules || action != "add" => self.connect_to(None, Some("git")),
                    _ => {}
                }
                if listed == Listed::Submodules {
                    self.opaque(About::Writes, Reason::SubmoduleFiles, &["git", "submodule"]);
                }
            }
            "foreach" => {
                // Options behind the command's name are the command's own.
                let behind = sub.words.iter().skip_while(|word| word.literal() != Some("foreach")).skip(1);
                let rest: Vec<Arg> = behind.skip_while(|word| word.text.starts_with('-')).cloned().collect();
                self.joined(&rest, io);
            }
            "remove" | "rm" | "rename" => {
                self.git_settings_written();
            }
            _ => {}
        }
    }
}

/// `git lfs pull`
pub(super) fn fetches(sub: &Sub<'_>) -> bool {
    let verb = sub.arguments.operands.first().and_then(Arg::literal);
    matches!(verb, Some("fetch" | "pull" | "clone" | "smudge" | "fsck"))
}

/// `git subtree push`, `git lfs push`
pub(super) fn pushes(sub: &Sub<'_>) -> bool {
    operands(sub).first().is_some_and(|word| word.text == "push")
}
