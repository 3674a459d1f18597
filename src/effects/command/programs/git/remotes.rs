//! Subcommands that talk to other repositories.

use super::{Sub, is_location};
use crate::effects::About;
use crate::effects::command::argument::Arg;
use crate::effects::command::knowledge::Role;
use crate::effects::command::machine::Machine;
use crate::effects::command::simple::Io;

impl Machine<'_> {
    /// Where a remote operation goes: a URL as operand, or a name that the repository's configuration resolves.
    pub(super) fn git_remote(&mut self, sub: &Sub<'_>) {
        for option in &sub.arguments.options {
            if matches!(option.name.as_str(), "--upload-pack" | "--receive-pack" | "--exec") {
                self.opaque(About::Commands, "runs a program on the other side", &[]);
            }
        }
        match sub.arguments.operands.first() {
            Some(word) if is_location(&word.text) => self.git_location(word),
            _ => self.connect_to(None, Some("git")),
        }
        if sub.name == "pull" {
            self.opaque(About::Writes, "writes files of the fetched revision", &["git", "pull"]);
        }
    }

    pub(super) fn git_location(&mut self, word: &Arg) {
        let text = word.text.as_str();
        if let Some(command) = text.strip_prefix("ext::") {
            self.opaque(About::Commands, "a remote that runs a command", &[]);
            let words: Vec<Arg> = command.split_whitespace().map(Arg::exact).collect();
            self.execute(&words, false, false);
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
            self.opaque(About::Commands, "runs a program on the other side", &[]);
        }
        let mut operands = sub.arguments.operands.iter().chain(sub.paths);
        let Some(location) = operands.next() else { return };
        if location.is_exact() && !is_location(&location.text) {
            self.path(Role::ReadTree, location);
        } else {
            self.git_location(location);
        }
        let directory = operands.next().cloned().unwrap_or_else(|| {
            let name = location.text.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
            location.with(name.trim_end_matches(".git"))
        });
        self.path(Role::WriteTree, &directory);
    }

    pub(super) fn git_remotes(&mut self, sub: &Sub<'_>, io: &mut Io<'_>) {
        let action = sub.arguments.operands.first().map_or("", |word| word.text.as_str());
        match action {
            "update" | "prune" | "show" | "add" | "set-url" | "set-head" => {
                match sub.arguments.operands.iter().find(|word| is_location(&word.text)) {
                    Some(url) if matches!(action, "add" | "set-url") => {
                        self.path(Role::Write, &Arg::exact(".git/config"));
                        if sub.name == "submodule"
                            || sub.arguments.has(&["-f", "--fetch"])
                            || url.text.starts_with("ext::")
                        {
                            self.git_location(url);
                        }
                    }
                    _ if sub.name == "submodule" || action != "add" => self.connect_to(None, Some("git")),
                    _ => {}
                }
                if sub.name == "submodule" {
                    self.opaque(About::Writes, "writes files of a submodule", &["git", "submodule"]);
                }
            }
            "foreach" => {
                let rest = sub.arguments.operands.get(1..).unwrap_or_default();
                self.joined(rest, io);
            }
            "remove" | "rm" | "rename" => self.path(Role::Write, &Arg::exact(".git/config")),
            _ => {}
        }
    }
}
