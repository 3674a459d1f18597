//! Subcommands that talk to other repositories.

use super::leads::{CLONED, PROPOSAL, REMOTES_LOST, Way, remote_lost, remote_renamed};
use super::{Sub, is_location, operands};
use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::{Launch, Machine};
use crate::command::programs::git_triggers::{self, Setting, Settings};
use crate::command::simple::Io;
use crate::command::write_mode::WriteMode;
use crate::{About, Argument, Certainty, Execution, Kind, PathTarget, Reason};

impl Machine<'_> {
    /// The target of a remote operation: a URL, or a name that the repository's configuration resolves, as operand.
    pub(super) fn git_remote(&mut self, sub: &Sub<'_>) {
        for option in &sub.arguments.options {
            if matches!(option.name.as_str(), "--upload-pack" | "--receive-pack" | "--exec") {
                self.opaque(About::Commands, Reason::RemoteProgram, &[]);
            }
        }
        let way = if matches!(sub.name, "push" | "send-pack") || pushes(sub) { Way::Push } else { Way::Fetch };
        // Before it stand the verb, or the commit from which to start.
        let before = usize::from(matches!(sub.name, "lfs" | "subtree" | "request-pull"));
        let operands = sub.arguments.operands.get(before..).unwrap_or_default();
        if sub.arguments.has(&["--multiple"]) && !operands.is_empty() {
            for remote in operands {
                self.git_remote_of(Some(remote), way, sub.settings);
            }
        } else if sub.arguments.has(&["--all"]) && operands.is_empty() && way == Way::Fetch {
            self.git_all_remotes(way, sub.settings);
        } else {
            self.git_remote_of(operands.first().or(sub.arguments.values(&["--repo"]).next()), way, sub.settings);
        }
        self.git_tracks(sub, operands.first());
    }

    /// `git push -u NAME`: from now on the branch belongs to this remote.
    fn git_tracks(&mut self, sub: &Sub<'_>, remote: Option<&Arg>) {
        let sets = sub.name == "push" && sub.arguments.has(&["-u", "--set-upstream"]);
        let Some(name) = remote.and_then(Arg::literal).filter(|name| sets && *name != "origin") else { return };
        if let Some(text) = git_triggers::written("branch.pushed.remote", name, WriteMode::Append) {
            self.git_config_gains(&text);
        }
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
        self.git_deletes(sub);
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

    /// `git push origin :main` deletes the branch without the option that says so.
    fn git_deletes(&mut self, sub: &Sub<'_>) {
        let deletes =
            |word: &Arg| word.text.trim_start_matches('+').strip_prefix(':').is_some_and(|name| !name.is_empty());
        if sub.arguments.has(&["--delete", "-d"]) || !sub.arguments.operands.iter().chain(sub.paths).any(deletes) {
            return;
        }
        let words = ["git", "push", "--delete"].into_iter().chain(sub.words.iter().map(Arg::best));
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
        let mut settings = Settings::default();
        for setting in sub.arguments.values(&["-c", "--config"]) {
            self.git_setting(setting, &mut settings, io);
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
            self.git_rewritten(location, Way::Fetch, sub.settings);
        }
        let from_here = location.is_exact() && !location.text.contains(':');
        let directory = operands.next().cloned().unwrap_or_else(|| directory_of(location));
        self.path(Role::WriteTree, &directory);
        if location.is_exact() && location.text.contains(':') && !location.text.starts_with("file:") {
            self.world.fetched_directory(&directory);
        }
        self.git_cloned(sub, location, &directory);
        if from_here && directory.is_exact() {
            let (copy, original) = (self.world.locate_word(&directory).0, self.world.locate_word(location).0);
            self.world.copied(&copy, &original);
        }
    }

    /// The remote of a clone is what was cloned.
    fn git_cloned(&mut self, sub: &Sub<'_>, location: &Arg, directory: &Arg) {
        if !directory.is_exact() {
            return;
        }
        let name = match sub.arguments.values(&["-o", "--origin"]).next() {
            Some(name) => name.literal(),
            None => Some("origin"),
        };
        let (config, _) = self.world.locate_word(&directory.with(format!("{}/.git/config", directory.text)));
        let text = name
            .zip(location.literal())
            .and_then(|(name, url)| git_triggers::written(&format!("remote.{name}.url"), url, WriteMode::Replace));
        let mut text = text.unwrap_or_else(|| remote_lost("origin"));
        if self.world.holds_root(directory) {
            text.push_str(
                &git_triggers::written(&format!("remote.origin.{CLONED}"), "", WriteMode::Append).unwrap_or_default(),
            );
        }
        self.world.wrote(&config, Some(&text));
    }

    /// Another program gave the remote of the repository in `directory` a URL that is not known.
    pub(in crate::command::programs) fn git_remotes_lost(&mut self, directory: &Arg, remote: &str) {
        let own = if directory.text == "." {
            self.git_directory()
        } else {
            directory.with(format!("{}/.git", directory.text))
        };
        if own.is_exact() && (directory.text == "." || !self.world.holds_root(directory)) {
            let (config, _) = self.world.locate_word(&own.with(format!("{}/config", own.text)));
            self.world.appended(&config, &remote_lost(remote));
        }
    }

    /// The branch of a proposal belongs to the repository of its author, which is not known.
    pub(in crate::command::programs) fn git_branch_of_proposal(&mut self) {
        const REMOTE: &str = "of-a-proposal";
        self.git_remotes_lost(&Arg::exact("."), REMOTE);
        if let Some(text) = git_triggers::written(PROPOSAL, REMOTE, WriteMode::Append) {
            self.git_config_gains(&text);
        }
    }

    /// A program that is not git may have changed where the remotes lead.
    pub(in crate::command::programs) fn git_remotes_unknown(&mut self) {
        self.git_config_gains(REMOTES_LOST);
    }

    fn git_config_gains(&mut self, text: &str) {
        let own = self.git_directory();
        let (config, _) = self.world.locate_word(&own.with(format!("{}/config", own.text)));
        self.world.appended(&config, text);
    }

    pub(super) fn git_remotes(&mut self, sub: &Sub<'_>) {
        let mut operands = sub.arguments.operands.iter();
        let action = operands.next().map_or("", |word| word.text.as_str());
        let first = operands.next();
        match action {
            "add" | "set-url" => {
                self.git_remote_set(sub, action, first, operands.next());
                if sub.arguments.has(&["-f", "--fetch"]) {
                    let settings = self.git_settings();
                    self.git_remote_of(first, Way::Fetch, &settings);
                }
            }
            "rename" => {
                let target = self.git_settings_written();
                match first.and_then(Arg::literal).zip(operands.next().and_then(Arg::literal)) {
                    Some((before, after)) => {
                        self.world.appended(&target, &remote_renamed(before, after, &sub.settings.made));
                    }
                    None => self.world.wrote(&target, None),
                }
            }
            "remove" | "rm" => {
                let target = self.git_settings_written();
                match first.and_then(Arg::literal) {
                    Some(name) => self.world.appended(&target, &remote_lost(name)),
                    None => self.world.wrote(&target, None),
                }
            }
            "update" if first.is_none() => self.git_all_remotes(Way::Fetch, sub.settings),
            "update" => {
                for remote in sub.arguments.operands.iter().skip(1) {
                    self.git_remote_of(Some(remote), Way::Fetch, sub.settings);
                }
            }
            "show" if first.is_none() => {}
            "prune" | "show" => self.git_remote_of(first, Way::Fetch, sub.settings),
            "set-head" if sub.arguments.has(&["-a", "--auto"]) => self.git_remote_of(first, Way::Fetch, sub.settings),
            _ => {}
        }
    }

    /// `git remote add NAME URL`, `git remote set-url NAME URL`
    fn git_remote_set(&mut self, sub: &Sub<'_>, action: &str, name: Option<&Arg>, url: Option<&Arg>) {
        let target = self.git_settings_written();
        let Some(name) = name.and_then(Arg::literal) else { return self.world.wrote(&target, None) };
        let key = if sub.arguments.has(&["--push"]) { "pushurl" } else { "url" };
        let adds = action == "set-url" && sub.arguments.has(&["--add"]);
        let mode = if adds { WriteMode::Append } else { WriteMode::Replace };
        let text = url
            .and_then(Arg::literal)
            .filter(|_| !sub.arguments.has(&["--delete"]))
            .and_then(|url| git_triggers::written(&format!("remote.{name}.{key}"), url, mode));
        self.world.appended(&target, &text.unwrap_or_else(|| remote_lost(name)));
        if sub.arguments.has(&["--mirror"]) && action == "add" {
            let text = git_triggers::written(&format!("remote.{name}.mirror"), "true", WriteMode::Append);
            self.world.appended(&target, text.as_deref().unwrap_or_default());
        }
        if let Some(url) = url.filter(|url| url.text.starts_with("ext::")) {
            self.git_location(url);
        }
    }

    /// The remote of a submodule is what was added.
    fn git_submodule_added(&mut self, sub: &Sub<'_>, url: &Arg) {
        let mut behind = sub.arguments.operands.iter().skip_while(|word| *word != url);
        let directory = behind.nth(1).cloned().unwrap_or_else(|| directory_of(url));
        self.git_cloned(sub, url, &directory);
    }

    pub(super) fn git_submodules(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        let action = sub.arguments.operands.first().map_or("", |word| word.text.as_str());
        match action {
            "update" | "add" | "set-url" => {
                match sub.arguments.operands.iter().find(|word| is_location(&word.text)) {
                    Some(url) if action != "update" => {
                        self.git_settings_written();
                        self.git_location(url);
                        if action == "add" {
                            self.git_submodule_added(sub, url);
                        }
                    }
                    _ => self.connect_to(None, Some("git")),
                }
                self.opaque(About::Writes, Reason::SubmoduleFiles, &["git", "submodule"]);
            }
            "foreach" => {
                // Options behind the command's name are the command's own.
                let behind = sub.words.iter().skip_while(|word| word.literal() != Some("foreach")).skip(1);
                let rest: Vec<Arg> = behind.skip_while(|word| word.text.starts_with('-')).cloned().collect();
                // Each submodule is a repository with remotes of its own.
                let mut scope = io.scope.child();
                scope.assign_field("GIT_DIR", None);
                scope.export("GIT_DIR");
                self.joined(&rest, &mut Io { scope: &mut scope, input: io.input });
            }
            _ => {}
        }
    }
}

/// The directory into which git clones a location.
fn directory_of(location: &Arg) -> Arg {
    let name = location.text.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    location.with(name.trim_end_matches(".git"))
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
