//! What a known call does with its arguments.

use agent_strace_shell::Provenance;

use super::arguments::{ELEMENTS, is_options, named_argument, named_list, once_each, positional};
use super::loops::LARGEST;
use super::tokens::word;
use super::{Scan, Value, foreign};
use crate::Reason;
use crate::command::argument::Arg;
use crate::command::knowledge::{Language, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;

/// Values that are copied for the price of one step of work.
const WEIGHT_A_STEP: usize = 8;

/// Roles of a whole call that may stand behind arguments which are data.
const SPECIAL: &[&str] = &["script", "command", "words", "code"];

impl Machine<'_> {
    /// Runs a call with effects. Returns the origin of the text that the call returns, if only its origin is known.
    pub(super) fn called(
        &mut self,
        scan: &mut Scan<'_>,
        roles: &str,
        arguments: &[Value],
        io: &mut Io<'_>,
    ) -> Option<Provenance> {
        if let Some(at) = arguments.iter().position(|value| matches!(value, Value::Each(_))) {
            self.called_for_each(scan, roles, at, arguments, io);
            return None;
        }
        let runs = foreign::runs(roles.trim_start_matches("value "));
        // `execSync(text, {cwd: 'src'})`, `system(text, chdir: 'src')`
        let directory = ["cwd", "chdir"].into_iter().find_map(|name| named_argument(arguments, name));
        let Some(directory) = directory.filter(|_| runs) else {
            return self.called_here(scan, roles, arguments, io);
        };
        let here = self.world.cwd().map(str::to_owned);
        let directory = word(Some(directory));
        self.world.set_cwd(directory.is_exact().then(|| self.world.locate_word(&directory).0.path));
        let origin = self.called_here(scan, roles, arguments, io);
        self.world.set_cwd(here);
        origin
    }

    /// Runs a call in the working directory that the program has.
    fn called_here(
        &mut self,
        scan: &mut Scan<'_>,
        roles: &str,
        arguments: &[Value],
        io: &mut Io<'_>,
    ) -> Option<Provenance> {
        let given = positional(arguments);
        let mut plain = given.iter().copied();
        let mut roles = roles;
        let last = roles.trim_start_matches("value ");
        if SPECIAL.contains(&last) {
            let before = (roles.len() - last.len()) / "value ".len();
            plain.by_ref().take(before).for_each(drop);
            roles = last;
        }
        if let Some(rest) = roles.strip_prefix("code ") {
            self.called(scan, "code", plain.next().map(std::slice::from_ref).unwrap_or_default(), io);
            roles = rest;
        }
        let named = |name: &str| named_argument(arguments, name);
        if foreign::runs(roles) && foreign::among(arguments) == Some(Provenance::Socket) {
            // What runs is typed by the other side of a connection.
            self.foreign_code(Provenance::Socket);
        }
        let mut output = Stream::Unknown;
        match roles {
            "command" => match plain.next() {
                Some(Value::Text(text)) => {
                    output = self.command_text(&Arg::exact(text.as_str()), io);
                }
                Some(Value::List(list)) => output = self.list_command(scan, list, io),
                Some(Value::Foreign(provenance)) => self.foreign_code(*provenance),
                _ => scan.unread = Some(Reason::UnknownCommandRun),
            },
            "process" | "program" => {
                let (first, second) = (plain.next().or_else(|| named("args")), plain.next());
                if named("env").is_some() || named("executable").is_some() {
                    scan.unread = Some(Reason::AnotherEnvironment);
                }
                let given = foreign::input(named("input"));
                let io = &mut Io { scope: &mut *io.scope, input: given.as_ref().unwrap_or(io.input) };
                match (first, second) {
                    // `Deno.Command('program', {args: […]})`, `Bun.spawn({cmd: […]})`
                    (Some(program @ Value::Text(_)), Some(Value::List(list))) if named_list(list, "args").is_some() => {
                        let rest = named_list(list, "args").unwrap_or_default();
                        let words: Vec<Value> = std::iter::once(program.clone()).chain(rest.iter().cloned()).collect();
                        output = self.list_command(scan, &words, io);
                    }
                    (Some(program @ Value::Text(_)), Some(Value::List(list)))
                        if roles == "program" && (!is_options(list) || named("shell").is_none()) =>
                    {
                        let words: Vec<Value> = std::iter::once(program.clone()).chain(list.iter().cloned()).collect();
                        output = self.list_command(scan, &words, io);
                    }
                    (Some(Value::List(list)), _) => {
                        output = self.list_command(scan, named_list(list, "cmd").unwrap_or(list), io);
                    }
                    (Some(Value::Foreign(provenance)), _) => self.foreign_code(*provenance),
                    (Some(Value::Text(text)), second) => {
                        let known =
                            roles == "process" || matches!(second, None | Some(Value::Function(_) | Value::List(_)));
                        output = self.command_text(&Arg::exact(text.as_str()), io);
                        if !known {
                            scan.unread = Some(Reason::UnknownCommandRun);
                        }
                    }
                    _ => scan.unread = Some(Reason::UnknownCommandRun),
                }
            }
            "chdir" => match plain.next() {
                Some(directory) => self.entered(scan, directory),
                None => scan.unread = Some(Reason::UnknownCode),
            },
            "words" => {
                let words: Vec<Value> = plain.cloned().collect();
                match words.as_slice() {
                    [Value::Text(text)] => {
                        output = self.command_text(&Arg::exact(text.as_str()), io);
                    }
                    [Value::Foreign(provenance)] => self.foreign_code(*provenance),
                    [] => scan.unread = Some(Reason::UnknownCommandRun),
                    [Value::List(list)] => output = self.list_command(scan, list, io),
                    words => output = self.list_command(scan, words, io),
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
                        output = self.list_command(scan, &words, io);
                    }
                    _ => scan.unread = Some(Reason::UnknownCommandRun),
                }
            }
            "code" | "code-last" => match if roles == "code" { plain.next() } else { plain.last() } {
                Some(Value::Foreign(provenance)) => self.foreign_code(*provenance),
                Some(Value::Text(text)) => {
                    let text = text.clone();
                    self.code(scan.language, &text, &[], io);
                }
                _ => scan.unread = Some(Reason::UnknownCode),
            },
            "template" => match plain.next() {
                Some(Value::Text(text)) => {
                    for part in text.split("<%").skip(1) {
                        let code = part.split("%>").next().unwrap_or(part);
                        self.code(scan.language, code.trim_start_matches(['=', '-']), &[], io);
                    }
                }
                _ => scan.unread = Some(Reason::UnknownCode),
            },
            // A file of code.
            "script" => {
                let file = plain.next();
                self.by_role(scan, "read", file);
                match self.file_origin(file) {
                    Some(provenance) => self.foreign_code(provenance),
                    None if matches!(file, Some(Value::Text(file)) if self.loads_written(scan, file, io)) => {}
                    None => scan.unread = Some(Reason::ScriptFromCode),
                }
            }
            "open" | "php-open" | "ruby-open" | "perl-open" => {
                let opened = self.opened_file(scan, roles, arguments, io);
                let file = plain.next().filter(|_| roles != "perl-open");
                return opened.provenance().or_else(|| self.file_origin(file));
            }
            "require" => match plain.next() {
                Some(Value::Text(file)) if file.starts_with(['.', '/']) => {
                    if self.loads_written(scan, file, io) {
                        return None;
                    }
                    self.path(Role::Read, &Arg::exact(file.as_str()));
                    let data = file.rsplit('.').next().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
                    if !data {
                        scan.unread = Some(Reason::UnreadCodeLoaded);
                    }
                }
                Some(Value::Text(module)) => {
                    if !self.loads_written(scan, module, io) {
                        scan.module(module);
                    }
                }
                _ => scan.unread = Some(Reason::UnknownCodeLoaded),
            },
            "unknown" => match foreign::among(arguments) {
                Some(provenance) => {
                    self.foreign_code(provenance);
                    return Some(provenance);
                }
                None => scan.unread = Some(Reason::UnknownCode),
            },
            // A library of machine code; without a name it is the C library.
            "library" => {
                if let Some(Value::Text(file)) = plain.next() {
                    self.path(Role::Read, &Arg::exact(file.as_str()));
                    scan.unread = Some(Reason::UnreadCodeLoaded);
                }
            }
            "host" => {
                let host = plain.next().or_else(|| named("host").or_else(|| named("hostname")));
                self.by_role(scan, "host", host);
            }
            // `connect(80, 'host')`, `connect({port, host})`; a text alone is a socket in the file system.
            "port-host" => match (plain.next(), plain.next()) {
                (Some(options @ Value::List(_)), _) => self.by_role(scan, "host", Some(options)),
                (Some(socket @ Value::Text(_)), None) => self.by_role(scan, "edit", Some(socket)),
                (Some(_), Some(host @ Value::Text(_))) => self.by_role(scan, "host", Some(host)),
                (Some(_), None | Some(Value::Function(_))) => self.connect_to(Some("localhost"), None),
                _ => self.connect_to(None, None),
            },
            // `PeerAddr => 'host:80'`
            "hosts" => {
                for value in arguments {
                    let host = match value {
                        Value::Named(name, value) if name.starts_with("Peer") => value.as_ref(),
                        value => value,
                    };
                    if let Value::Text(host) = host
                        && host.contains('.')
                    {
                        self.connect_host(&Arg::exact(host.as_str()), None, None);
                    }
                }
            }
            // Statements of a database: texts in them may name files.
            "statement" => {
                for value in given.iter().copied() {
                    if let Value::Text(text) = value {
                        self.guess_strings(text);
                    }
                }
            }
            // The object is the file, and it is not known: `file.read_text()`. `Path.read_text(file)` names it.
            "read-itself" => {
                let file = plain.next().filter(|value| matches!(value, Value::Path(_)));
                self.by_role(scan, "read", file);
            }
            // The call runs a command on another machine, or in a form that is not read.
            "guess" => {
                scan.unread = Some(Reason::UnknownCode);
                self.guess_arguments(arguments);
            }
            roles => {
                let file = given.first().copied().filter(|_| matches!(roles, "read" | "source"));
                for role in roles.split(' ') {
                    self.argument_role(scan, role, arguments, &mut plain);
                }
                match (roles, given.as_slice()) {
                    ("target write", [target, link, ..]) | ("write target", [link, target, ..]) => {
                        self.linked(link, target);
                    }
                    (roles, [_, file, ..]) if roles.starts_with("url write") => self.saved(Some(file)),
                    _ => {}
                }
                return self.file_origin(file).or_else(|| foreign::fetches(roles).then_some(Provenance::Network));
            }
        }
        output.provenance()
    }

    /// Runs a call once for each element of the argument at `at`.
    fn called_for_each(&mut self, scan: &mut Scan<'_>, roles: &str, at: usize, arguments: &[Value], io: &mut Io<'_>) {
        let mut arguments = arguments.to_vec();
        let weight: usize = arguments.iter().map(|value| value.weight(LARGEST).unwrap_or(LARGEST)).sum();
        let Some(Value::Each(mut elements)) =
            arguments.get_mut(at).map(|place| std::mem::replace(place, Value::Unknown))
        else {
            return;
        };
        if elements.len() > ELEMENTS {
            scan.lost(&[Some(Value::List(elements))]);
            elements = vec![Value::Unknown];
        }
        for element in elements {
            if !self.may_spend(1 + weight / WEIGHT_A_STEP) {
                return;
            }
            if let Some(place) = arguments.get_mut(at) {
                *place = element;
            }
            self.called(scan, roles, &arguments, io);
        }
    }

    /// Uses the arguments that one role of the list takes.
    fn argument_role<'v>(
        &mut self,
        scan: &mut Scan<'_>,
        role: &str,
        arguments: &[Value],
        plain: &mut impl Iterator<Item = &'v Value>,
    ) {
        if let Some(role) = role.strip_suffix('*') {
            for value in plain {
                self.by_role(scan, role, Some(value));
            }
            return;
        }
        let (role, default) = role.split_once('=').map_or((role, None), |(role, text)| (role, Some(text)));
        let (value, role, needed) = match (role.split_once(':'), role.strip_suffix('?')) {
            (Some((name, role)), _) => (named_argument(arguments, name), role, false),
            (None, Some(role)) => {
                let text = plain.next().filter(|value| matches!(value, Value::Text(_) | Value::Path(_)));
                (text, role, false)
            }
            (None, None) => (plain.next(), role, true),
        };
        match (value, default) {
            (None, Some(default)) => self.by_role(scan, role, Some(&Value::Text(default.to_owned()))),
            (None, None) if !needed => {}
            (value, _) => self.by_role(scan, role, value),
        }
    }

    /// A symbolic link: what is written through it later reaches its target.
    fn linked(&mut self, link: &Value, target: &Value) {
        let (link, target) = (word(Some(link)), word(Some(target)));
        if link.is_exact() && target.is_exact() {
            let (alias, certainty) = self.world.locate_word(&link);
            self.world.link_symbolic(&alias, &target.text, certainty);
        }
    }

    /// The working directory of the program from here on.
    fn entered(&mut self, scan: &mut Scan<'_>, directory: &Value) {
        let directory = word(Some(directory));
        let target = directory.is_exact().then(|| self.world.locate_word(&directory).0.path);
        if target.is_none() {
            scan.unread = Some(Reason::UnknownCode);
        }
        self.world.set_cwd(target);
    }

    pub(super) fn by_role(&mut self, scan: &mut Scan<'_>, role: &str, value: Option<&Value>) {
        if let Some(Value::List(list)) = value
            && !matches!(role, "url" | "host" | "value")
        {
            for value in list {
                self.by_role(scan, role, Some(value));
            }
            return;
        }
        if let (Some(Value::Text(text)), Language::Php) = (value, scan.language)
            && self.wrapped(text)
        {
            return;
        }
        let word = word(value);
        scan.touches_unknown |= !word.is_exact() && !matches!(role, "url" | "host" | "value");
        match role {
            "host" => {
                let host = match value {
                    Some(Value::List(parts)) => {
                        let named = named_argument(parts, "host").or_else(|| named_argument(parts, "hostname"));
                        named.or_else(|| parts.first())
                    }
                    value => value,
                };
                match host {
                    Some(Value::Text(host)) => self.connect_host(&Arg::exact(host.as_str()), None, None),
                    _ => self.connect_to(None, None),
                }
            }
            "url" => match value {
                Some(Value::Text(_)) => self.connect(&word),
                Some(Value::List(parts)) => {
                    let find = |name| named_argument(parts, name);
                    let host = find("url").or_else(|| find("hostname")).or_else(|| find("host"));
                    match host {
                        Some(Value::Text(host)) => self.connect(&Arg::exact(host.as_str())),
                        _ => self.connect_to(None, None),
                    }
                }
                _ => self.connect_to(None, None),
            },
            "source" if word.text.contains("://") => self.connect(&word),
            "source" => self.path(Role::Read, &word),
            "list-tree" if word.text.contains('*') => self.path(Role::ListTree, &Arg::glob(word.text)),
            _ => {
                if let Some(role) = Role::named(role) {
                    self.path(role, &word);
                }
            }
        }
    }

    pub(super) fn list_command(&mut self, scan: &mut Scan<'_>, list: &[Value], io: &mut Io<'_>) -> Stream {
        if let Some(commands) = once_each(list) {
            for words in commands {
                if self.may_spend(words.len()) {
                    self.list_command(scan, &words, io);
                }
            }
            return Stream::Unknown;
        }
        let words: Vec<Arg> =
            list.iter().filter(|value| !matches!(value, Value::Named(..))).map(|value| word(Some(value))).collect();
        if words.is_empty() {
            scan.unread = Some(Reason::UnknownCommandRun);
            return Stream::Unknown;
        }
        let literal: Vec<Arg> = words.into_iter().map(|word| Arg { tilde: false, ..word }).collect();
        self.command(&literal, io)
    }
}
