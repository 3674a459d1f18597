//! What a known call does with its arguments.

use super::super::lexer::Token;
use super::tokens::{group, joined, split, word};
use super::{Scan, Value};
use crate::Reason;
use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;

/// Arguments by position. Where all are named, those that mostly come first do.
fn positional(arguments: &[Value]) -> Vec<&Value> {
    const FIRST: &[&str] =
        &["command", "cmd", "args", "file", "filename", "path", "name", "url", "src", "source", "host"];
    let plain: Vec<&Value> = arguments.iter().filter(|value| !matches!(value, Value::Named(..))).collect();
    if !plain.is_empty() {
        return plain;
    }
    let named = |first: bool| {
        arguments.iter().filter_map(move |value| match value {
            Value::Named(name, value) if FIRST.contains(&name.as_str()) == first => Some(value.as_ref()),
            _ => None,
        })
    };
    named(true).chain(named(false)).collect()
}

impl Machine<'_> {
    /// A call with effects.
    pub(super) fn called(&mut self, scan: &mut Scan<'_>, roles: &str, arguments: &[Value], io: &mut Io<'_>) {
        let given = positional(arguments);
        let mut plain = given.iter().copied();
        let named = |name: &str| {
            arguments.iter().find_map(|value| match value {
                Value::Named(own, value) if own == name => Some(value.as_ref()),
                _ => None,
            })
        };
        match roles {
            "command" => match plain.next() {
                Some(Value::Text(text)) => {
                    self.command_text(&Arg::exact(text.as_str()), io);
                }
                Some(Value::List(list)) => self.list_command(scan, list, io),
                _ => scan.unread = Some(Reason::UnknownCommandRun),
            },
            "process" => {
                let command = plain.next().or_else(|| named("args"));
                if named("env").is_some() || named("executable").is_some() || named("cwd").is_some() {
                    scan.unread = Some(Reason::AnotherEnvironment);
                }
                match command {
                    Some(Value::List(list)) => self.list_command(scan, list, io),
                    Some(Value::Text(text)) => {
                        self.command_text(&Arg::exact(text.as_str()), io);
                    }
                    _ => scan.unread = Some(Reason::UnknownCommandRun),
                }
            }
            "program" => match (plain.next(), plain.next()) {
                (Some(Value::Text(program)), None) => {
                    self.command_text(&Arg::exact(program.as_str()), io);
                }
                (Some(program @ Value::Text(_)), Some(Value::List(list))) => {
                    let words: Vec<Value> = std::iter::once(program.clone()).chain(list.iter().cloned()).collect();
                    self.list_command(scan, &words, io);
                }
                _ => scan.unread = Some(Reason::UnknownCommandRun),
            },
            "words" => {
                let words: Vec<Value> = plain.cloned().collect();
                match words.as_slice() {
                    [Value::Text(text)] => {
                        self.command_text(&Arg::exact(text.as_str()), io);
                    }
                    [] => scan.unread = Some(Reason::UnknownCommandRun),
                    [Value::List(list)] => self.list_command(scan, list, io),
                    words => self.list_command(scan, words, io),
                }
            }
            // `execvp(file, words)`, `execlp(file, word, …)`, `spawnvp(mode, file, words)`, `spawnlp(mode, file, word, …)`: the
            // first of the words is only what the program is told its name was.
            "exec-list" | "spawn-list" | "exec-words" | "spawn-words" => {
                if roles.starts_with("spawn") {
                    plain.next();
                }
                let program = plain.next().cloned();
                let words: Vec<Value> = match (roles.ends_with("list"), plain.next()) {
                    (true, Some(Value::List(list))) => list.iter().skip(1).cloned().collect(),
                    (true, _) => vec![Value::Unknown],
                    (false, _) => plain.cloned().collect(),
                };
                match program {
                    Some(program @ Value::Text(_)) => {
                        let words: Vec<Value> = std::iter::once(program).chain(words).collect();
                        self.list_command(scan, &words, io);
                    }
                    _ => scan.unread = Some(Reason::UnknownCommandRun),
                }
            }
            "code" => match plain.next() {
                Some(Value::Text(text)) => {
                    let text = text.clone();
                    self.code(scan.language, &text, &[], io);
                }
                _ => scan.unread = Some(Reason::UnknownCode),
            },
            // A file of code.
            "script" => {
                self.by_role("read", plain.next());
                scan.unread = Some(Reason::ScriptFromCode);
            }
            "open" | "php-open" | "ruby-open" | "perl-open" => self.opened_file(scan, roles, arguments, io),
            "require" => match plain.next() {
                Some(Value::Text(file)) if file.starts_with(['.', '/']) => {
                    self.path(Role::Read, &Arg::exact(file.as_str()));
                    let data = file.rsplit('.').next().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
                    if !data {
                        scan.unread = Some(Reason::UnreadCodeLoaded);
                    }
                }
                Some(Value::Text(module)) => scan.module(module),
                _ => scan.unread = Some(Reason::UnknownCodeLoaded),
            },
            "unknown" => scan.unread = Some(Reason::UnknownCode),
            "host" => match plain.next().or_else(|| named("host").or_else(|| named("hostname"))) {
                Some(Value::Text(host)) => self.connect_host(&Arg::exact(host.as_str()), None, None),
                Some(Value::List(pair)) => match pair.first() {
                    Some(Value::Text(host)) => self.connect_host(&Arg::exact(host.as_str()), None, None),
                    _ => self.connect_to(None, None),
                },
                _ => self.connect_to(None, None),
            },
            roles => {
                for role in roles.split(' ') {
                    let (role, many) = role.strip_suffix('*').map_or((role, false), |role| (role, true));
                    if many {
                        for value in plain.by_ref() {
                            self.by_role(role, Some(value));
                        }
                    } else {
                        let value = plain.next();
                        self.by_role(role, value);
                    }
                }
            }
        }
    }

    pub(super) fn by_role(&mut self, role: &str, value: Option<&Value>) {
        let word = word(value);
        match role {
            "url" => match value {
                Some(Value::Text(_)) => self.connect(&word),
                _ => self.connect_to(None, None),
            },
            "list-tree" if word.text.contains('*') => self.path(Role::ListTree, &Arg::glob(word.text)),
            _ => {
                if let Some(role) = Role::named(role) {
                    self.path(role, &word);
                }
            }
        }
    }

    pub(super) fn list_command(&mut self, scan: &mut Scan<'_>, list: &[Value], io: &mut Io<'_>) {
        let words: Vec<Arg> =
            list.iter().filter(|value| !matches!(value, Value::Named(..))).map(|value| word(Some(value))).collect();
        if words.is_empty() {
            scan.unread = Some(Reason::UnknownCommandRun);
            return;
        }
        let literal: Vec<Arg> = words.into_iter().map(|word| Arg { tilde: false, ..word }).collect();
        self.command(&literal, io);
    }

    pub(super) fn opened_file(&mut self, scan: &mut Scan<'_>, roles: &str, arguments: &[Value], io: &mut Io<'_>) {
        let skip = usize::from(roles == "perl-open");
        let mut plain = arguments.iter().skip(skip).filter(|value| !matches!(value, Value::Named(..)));
        let find = |names: [&str; 3]| {
            arguments.iter().find_map(|value| match value {
                Value::Named(name, value) if names.contains(&name.as_str()) => Some(value.as_ref()),
                _ => None,
            })
        };
        let (named_file, named_mode) = (find(["file", "filename", "path"]), find(["mode", "flags", "mode"]));
        let (file, mode) = if roles == "perl-open" {
            let mode = plain.next();
            match (mode, plain.next()) {
                (Some(mode), Some(file)) => (Some(file), Some(mode)),
                (Some(Value::Text(text)), None) => return self.opened_by_text(text, io),
                _ => {
                    scan.unread = Some(Reason::UnknownOpened);
                    return;
                }
            }
        } else {
            (plain.next().or(named_file), plain.next().or(named_mode))
        };
        if let (Some(Value::Text(text)), "ruby-open" | "perl-open") = (file, roles)
            && (text.starts_with('|') || matches!(mode, Some(Value::Text(mode)) if mode.contains('|')))
        {
            self.command_text(&Arg::exact(text.trim_start_matches('|')), io);
            return;
        }
        if let (Some(Value::Text(text)), "php-open" | "ruby-open") = (file, roles)
            && text.contains("://")
            && !text.starts_with("file:")
        {
            self.connect(&Arg::exact(text.as_str()));
            return;
        }
        let target = word(file);
        match mode {
            Some(Value::Text(mode)) if mode.contains('+') => self.path(Role::Edit, &target),
            Some(Value::Text(mode)) if mode.contains(['w', 'a', 'x', '>']) => self.path(Role::Write, &target),
            None | Some(Value::Text(_)) => self.path(Role::Read, &target),
            Some(_) => self.path(Role::Edit, &target),
        }
    }

    /// Perl's `open F, "TEXT"`: the text says whether it is a file or a command.
    fn opened_by_text(&mut self, text: &str, io: &mut Io<'_>) {
        let text = text.trim();
        let command = text.strip_prefix('|').or_else(|| text.strip_suffix('|'));
        let written = text.strip_prefix("+<").or_else(|| text.strip_prefix('>'));
        match (command, written) {
            (Some(command), _) => {
                self.command_text(&Arg::exact(command), io);
            }
            (None, Some(file)) => self.path(Role::Write, &Arg::exact(file.trim_start_matches('>').trim())),
            (None, None) => self.path(Role::Read, &Arg::exact(text.trim_start_matches('<').trim())),
        }
    }

    /// `Path('x').read_text()`.
    pub(super) fn path_method(
        &mut self,
        scan: &mut Scan<'_>,
        path: &str,
        method: &str,
        tokens: &[Token],
        io: &mut Io<'_>,
    ) -> Value {
        let (inner, _) = group(tokens);
        let arguments: Vec<Value> = split(inner).into_iter().map(|tokens| self.value(scan, tokens, io)).collect();
        let file = word(Some(&Value::Path(path.to_owned())));
        match method {
            "read_text" | "read_bytes" => self.path(Role::Read, &file),
            "write_text" | "write_bytes" | "touch" | "mkdir" | "chmod" | "symlink_to" | "hardlink_to" => {
                self.path(Role::Write, &file);
            }
            "unlink" | "rmdir" => self.path(Role::Delete, &file),
            "iterdir" | "glob" | "rglob" | "stat" => {
                self.path(Role::ListTree, &file);
                return if method == "stat" { Value::Unknown } else { Value::Path(joined(path, "**")) };
            }
            "rename" | "replace" => {
                self.path(Role::DeleteTree, &file);
                self.path(Role::WriteTree, &word(arguments.first()));
            }
            "open" => {
                let mut all = vec![Value::Path(path.to_owned())];
                all.extend(arguments);
                self.opened_file(scan, "open", &all, io);
            }
            "expanduser" | "resolve" | "absolute" => return Value::Path(path.to_owned()),
            "joinpath" => {
                return match arguments.as_slice() {
                    [Value::Text(part)] => Value::Path(joined(path, part)),
                    _ => Value::Path("**".to_owned()),
                };
            }
            "with_suffix" | "with_name" | "relative_to" => return Value::Path("**".to_owned()),
            other => scan.method(other),
        }
        Value::Unknown
    }
}
