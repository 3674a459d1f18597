//! Git settings that run commands: given with `-c`, or written with `git config` for every later call.

use crate::effects::About;
use crate::effects::command::argument::Arg;
use crate::effects::command::knowledge::Role;
use crate::effects::command::machine::Machine;
use crate::effects::command::simple::Io;

impl Machine<'_> {
    /// `-c name=value`.
    pub(super) fn git_setting(&mut self, setting: &Arg, aliases: &mut Vec<(String, Arg)>, io: &mut Io<'_>) {
        let Some((name, value)) = setting.after('=') else {
            if !setting.is_exact() {
                self.opaque(About::Commands, "a git setting that is not known", &[]);
            }
            return;
        };
        let lower = name.to_ascii_lowercase();
        if let Some(alias) = lower.strip_prefix("alias.") {
            aliases.push((alias.to_owned(), value));
        } else {
            self.git_value(&lower, &value, io);
        }
    }

    /// What a setting makes git run.
    fn git_value(&mut self, name: &str, value: &Arg, io: &mut Io<'_>) {
        if is_location(name) {
            self.path(Role::List, value);
            self.opaque(About::Commands, "a git setting that makes git run other programs", &[]);
            return;
        }
        if !runs(name) {
            return;
        }
        let idle = matches!(
            value.literal(),
            Some(
                "" | "cat"
                    | "less"
                    | "true"
                    | "false"
                    | ":"
                    | "less -FRX"
                    | "delta"
                    | "vim"
                    | "nano"
                    | "vi"
                    | "code --wait"
            )
        );
        if idle {
            return;
        }
        self.opaque(About::Commands, "a git setting that makes git run a command", &[]);
        if let Some(text) = value.literal() {
            let text = text.strip_prefix('!').unwrap_or(text).to_owned();
            self.command_text(&Arg::exact(text), io);
        }
    }

    /// `git config [--global] name value`.
    pub(super) fn git_config(&mut self, words: &[Arg], io: &mut Io<'_>) {
        let mut operands = Vec::new();
        let (mut reads, mut file) = (false, None);
        let mut left = words.iter();
        while let Some(word) = left.next() {
            match word.literal() {
                Some(
                    "--get" | "--get-all" | "--get-regexp" | "--list" | "-l" | "--get-urlmatch" | "--get-color"
                    | "--name-only",
                ) => reads = true,
                Some("--global") => file = Some(Arg::exact("~/.gitconfig")),
                Some("--system") => file = Some(Arg::exact("/etc/gitconfig")),
                Some("-f" | "--file") => file = left.next().cloned(),
                Some("--type" | "--default" | "--comment") => {
                    left.next();
                }
                Some(text) if text.starts_with("--file=") => file = word.after('=').map(|(_, file)| file),
                Some(text) if text.starts_with('-') => {}
                Some("get" | "list") if operands.is_empty() => reads = true,
                Some("set") if operands.is_empty() => {}
                _ => operands.push(word.clone()),
            }
        }
        let changes = !reads
            && (operands.len() > 1
                || words.iter().any(|word| {
                    word.text.starts_with("--unset")
                        || word.text.contains("remove-section")
                        || word.text == "-e"
                        || word.text == "--edit"
                        || word.text == "unset"
                }));
        let target = file.unwrap_or_else(|| Arg::exact(".git/config"));
        if !changes {
            if target.text != ".git/config" && !target.text.starts_with("~/.gitconfig") {
                self.path(Role::Read, &target);
            }
            return;
        }
        self.path(Role::Write, &target);
        let [name, value, ..] = operands.as_slice() else { return };
        let Some(name) = name.literal() else {
            self.opaque(About::Commands, "a git setting that is not known", &[]);
            return;
        };
        let lower = name.to_ascii_lowercase();
        match lower.strip_prefix("alias.") {
            Some(alias) => match value.literal() {
                Some(text) => {
                    self.git_aliases.insert(alias.to_owned(), text.to_owned());
                }
                None => self.opaque(About::Commands, "a git setting that is not known", &[]),
            },
            None => self.git_value(&lower, value, io),
        }
    }
}

/// Its value is a command, a program, or decides which one runs.
fn runs(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    let exact = matches!(
        name,
        "core.pager"
            | "core.editor"
            | "core.fsmonitor"
            | "core.sshcommand"
            | "core.askpass"
            | "core.gitproxy"
            | "core.alternaterefscommand"
            | "diff.external"
            | "sequence.editor"
            | "gpg.program"
            | "web.browser"
            | "log.showsignature"
            | "uploadpack.packobjectshook"
            | "protocol.ext.allow"
            | "protocol.allow"
            | "credential.helper"
            | "instaweb.httpd"
            | "interactive.difffilter"
            | "sendemail.smtpserver"
            | "man.viewer"
            | "help.browser"
            | "init.templatedir"
            | "include.path"
    );
    let family = name.starts_with("pager.")
        || name.starts_with("includeif.")
        || name.starts_with("url.")
        || name.starts_with("credential.") && last == "helper"
        || name.starts_with("gpg.") && last == "program"
        || (name.starts_with("filter.") && matches!(last, "clean" | "smudge" | "process"))
        || (name.starts_with("diff.") && matches!(last, "command" | "textconv"))
        || (name.starts_with("difftool.") || name.starts_with("mergetool.")) && matches!(last, "cmd" | "path")
        || name.starts_with("merge.") && last == "driver"
        || name.starts_with("remote.")
            && matches!(last, "uploadpack" | "receivepack" | "vcs" | "proxy" | "url" | "pushurl")
        || name.starts_with("browser.")
        || name.starts_with("man.")
        || name.starts_with("guitool.")
        || name.starts_with("submodule.") && last == "update"
        || name.starts_with("trailer.") && matches!(last, "command" | "cmd")
        || name.starts_with("tar.") && last == "command";
    exact || family
}

/// Its value is a directory that git takes programs from.
fn is_location(name: &str) -> bool {
    matches!(name, "core.hookspath" | "core.worktree" | "core.attributesfile" | "init.templatedir" | "include.path")
}
