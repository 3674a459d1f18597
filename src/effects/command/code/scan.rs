//! Tokens → calls → effects.

use std::collections::BTreeMap;

use crate::effects::About;
use crate::effects::command::argument::Arg;
use crate::effects::command::knowledge::{Language, Role};
use crate::effects::command::machine::Machine;
use crate::effects::command::simple::Io;

use super::Calls;
use super::lexer::Token;

/// Calls in calls, lists in lists.
const DEPTH: usize = 48;

/// What an argument is known to be.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Text(String),
    List(Vec<Value>),
    /// A path object, or a file opened from one.
    Path(String),
    Module(String),
    /// `name=value`.
    Named(String, Box<Value>),
    Unknown,
}

/// One program being read.
#[derive(Debug)]
struct Scan<'a> {
    language: Language,
    calls: &'a Calls,
    /// Local name → what it stands for (`s` → `subprocess`).
    names: BTreeMap<String, String>,
    /// Variables with one literal value.
    variables: BTreeMap<String, Value>,
    /// Functions and classes that the program defines.
    defined: Vec<String>,
    /// Why the program is not fully understood.
    unread: Option<&'static str>,
    depth: usize,
}

impl Machine<'_> {
    pub(super) fn scan(&mut self, language: Language, calls: &'static Calls, tokens: &[Token], io: &mut Io<'_>) {
        let mut scan = Scan {
            language,
            calls,
            names: BTreeMap::new(),
            variables: BTreeMap::new(),
            defined: Vec::new(),
            unread: None,
            depth: 0,
        };
        scan.define(tokens);
        self.statements(&mut scan, tokens, io);
        if let Some(reason) = scan.unread {
            self.opaque(About::Anything, reason, &[]);
        }
    }

    fn statements(&mut self, scan: &mut Scan<'_>, tokens: &[Token], io: &mut Io<'_>) {
        let mut left = tokens;
        while let Some((token, rest)) = left.split_first() {
            left = match token {
                Token::Name(name) => self.name(scan, name, left, io),
                Token::Template(inner) => {
                    self.deeper(scan, inner, io);
                    rest
                }
                Token::Command(text) => {
                    self.backquoted(scan, text.as_deref(), io);
                    rest
                }
                Token::Pattern(true) => {
                    scan.unread = Some("evaluates text");
                    rest
                }
                Token::Mark('(') if scan.called_value(tokens, left) => {
                    scan.unread = Some("calls a value");
                    rest
                }
                _ => rest,
            };
        }
    }

    fn deeper(&mut self, scan: &mut Scan<'_>, tokens: &[Token], io: &mut Io<'_>) {
        if scan.depth >= DEPTH {
            scan.unread = Some("runs a program that is nested too deeply");
            return;
        }
        scan.depth += 1;
        self.statements(scan, tokens, io);
        scan.depth -= 1;
    }

    fn backquoted(&mut self, scan: &mut Scan<'_>, text: Option<&str>, io: &mut Io<'_>) {
        match text {
            Some(text) => {
                self.command_text(&Arg::exact(text), io);
            }
            None => scan.unread = Some("runs a command whose text is not known"),
        }
    }

    /// A name at the start of `tokens`; returns what is left behind what it belongs to.
    fn name<'t>(&mut self, scan: &mut Scan<'_>, name: &str, tokens: &'t [Token], io: &mut Io<'_>) -> &'t [Token] {
        let rest = tokens.get(1..).unwrap_or_default();
        match (scan.language, name) {
            (Language::Python, "import" | "from") => return scan.import(name, rest),
            (Language::Javascript, "import") if !matches!(rest.first(), Some(Token::Mark('('))) => {
                return scan.import_script(rest);
            }
            (Language::Perl, "use" | "no") => return scan.use_module(rest),
            (Language::Python, "def" | "class")
            | (Language::Ruby, "def" | "class" | "module")
            | (_, "function" | "sub") => {
                // The name that follows is no call.
                return if matches!(rest.first(), Some(Token::Name(_))) {
                    rest.get(1..).unwrap_or_default()
                } else {
                    rest
                };
            }
            _ => {}
        }
        self.chain(scan, name, rest, io).1
    }

    /// `name(…).method(…)…`: its value, and what is left behind it.
    fn chain<'t>(
        &mut self,
        scan: &mut Scan<'_>,
        name: &str,
        rest: &'t [Token],
        io: &mut Io<'_>,
    ) -> (Value, &'t [Token]) {
        let full = scan.resolve(name);
        let (mut value, mut left) = match rest.first() {
            Some(Token::Mark('(')) => {
                let (inner, left) = group(rest);
                (self.call(scan, &full, inner, io), left)
            }
            Some(
                Token::Text(_) | Token::Template(_) | Token::Command(_) | Token::Mark('$' | '[' | '@') | Token::Name(_),
            ) if scan.calls_without_parentheses(&full) => {
                let end = rest
                    .iter()
                    .position(|token| matches!(token, Token::End | Token::Mark('}' | ')')))
                    .unwrap_or(rest.len());
                let (inner, left) = rest.split_at_checked(end).unwrap_or((rest, &[]));
                (self.call(scan, &full, inner, io), left)
            }
            Some(Token::Template(_) | Token::Text(_)) if scan.language == Language::Javascript && full == "$" => {
                scan.unread = Some("runs a command whose text is not known");
                (Value::Unknown, rest)
            }
            _ => {
                scan.mention(&full);
                (scan.variable(&full), rest)
            }
        };
        // Methods of a name that holds a path: `p.read_text()`.
        if let Some((object, method)) = full.rsplit_once('.')
            && let Value::Path(path) = scan.variable(object)
            && matches!(rest.first(), Some(Token::Mark('(')))
        {
            value = self.path_method(scan, &path, method, rest, io);
        }
        while let Some((Token::Name(next), after)) =
            left.split_first().filter(|(token, _)| matches!(token, Token::Name(next) if next.starts_with('.')))
        {
            let mut parts: Vec<&str> = next.trim_start_matches('.').split('.').collect();
            let method = parts.pop().unwrap_or_default();
            if let Some(Token::Mark('(')) = after.first() {
                let (inner, behind) = group(after);
                value = match &value {
                    Value::Path(path) => {
                        let path = path.clone();
                        self.path_method(scan, &path, method, after, io)
                    }
                    Value::Module(module) if parts.is_empty() => {
                        let full = format!("{module}.{method}");
                        self.call(scan, &full, inner, io)
                    }
                    Value::Module(module) => {
                        let full = format!("{module}.{}.{method}", parts.join("."));
                        self.call(scan, &full, inner, io)
                    }
                    _ => {
                        self.deeper(scan, inner, io);
                        scan.method(method);
                        Value::Unknown
                    }
                };
                left = behind;
            } else {
                left = after;
            }
        }
        (value, left)
    }

    /// A call with the tokens between its parentheses.
    fn call(&mut self, scan: &mut Scan<'_>, name: &str, inner: &[Token], io: &mut Io<'_>) -> Value {
        if scan.depth >= DEPTH {
            scan.unread = Some("runs a program that is nested too deeply");
            return Value::Unknown;
        }
        scan.depth += 1;
        let arguments: Vec<Value> = split(inner).into_iter().map(|tokens| self.value(scan, tokens, io)).collect();
        scan.depth -= 1;
        let effects =
            scan.calls.effects.get(name).or_else(|| scan.bare(name).and_then(|bare| scan.calls.effects.get(bare)));
        if let Some(roles) = effects {
            let roles = *roles;
            self.called(scan, roles, &arguments, io);
            return match (roles, arguments.first()) {
                ("require", Some(Value::Text(module))) if !module.starts_with(['.', '/']) => {
                    Value::Module(module.trim_start_matches("node:").to_owned())
                }
                _ => Value::Unknown,
            };
        }
        match (name, arguments.as_slice()) {
            (
                "os.path.expanduser" | "os.path.abspath" | "os.path.normpath" | "str" | "File.expand_path"
                | "path.normalize" | "path.resolve",
                [Value::Text(text) | Value::Path(text)],
            ) => {
                return Value::Text(text.clone());
            }
            ("Path" | "pathlib.Path", [Value::Text(text) | Value::Path(text)]) => return Value::Path(text.clone()),
            ("Path.home" | "pathlib.Path.home", []) => return Value::Path("~".to_owned()),
            ("os.homedir", []) => return Value::Text("~".to_owned()),
            ("Path" | "pathlib.Path" | "Path.cwd" | "pathlib.Path.cwd", []) => return Value::Path(".".to_owned()),
            ("os.path.join" | "path.join" | "File.join" | "Path" | "pathlib.Path", parts) => {
                let texts: Option<Vec<&str>> = parts
                    .iter()
                    .map(|part| match part {
                        Value::Text(text) | Value::Path(text) => Some(text.as_str()),
                        _ => None,
                    })
                    .collect();
                let joined = texts.map(|texts| texts.iter().fold(String::new(), |all, part| joined(&all, part)));
                return match joined {
                    Some(text) if name.ends_with("Path") => Value::Path(text),
                    Some(text) => Value::Text(text),
                    None if name.ends_with("Path") => Value::Path("**".to_owned()),
                    None => Value::Unknown,
                };
            }
            _ => {}
        }
        scan.pure(name);
        Value::Unknown
    }

    /// The value of an argument; calls in it have their effects.
    fn value(&mut self, scan: &mut Scan<'_>, tokens: &[Token], io: &mut Io<'_>) -> Value {
        let tokens = trimmed(tokens);
        match tokens {
            [Token::Name(name), Token::Mark('=' | ':'), value @ ..]
                if !matches!(value.first(), Some(Token::Mark('='))) =>
            {
                Value::Named(name.clone(), Box::new(self.value(scan, value, io)))
            }
            [Token::Text(_), ..] => {
                let mut all = String::new();
                for token in tokens {
                    match token {
                        Token::Text(text) => all.push_str(text),
                        Token::Mark('+') | Token::End => {}
                        _ => {
                            self.deeper(scan, tokens, io);
                            return Value::Unknown;
                        }
                    }
                }
                Value::Text(all)
            }
            [Token::Mark('['), .., Token::Mark(']')] => {
                let (inner, left) = group(tokens);
                if !left.is_empty() {
                    self.deeper(scan, tokens, io);
                    return Value::Unknown;
                }
                if scan.depth >= DEPTH {
                    scan.unread = Some("runs a program that is nested too deeply");
                    return Value::Unknown;
                }
                scan.depth += 1;
                let list = split(inner).into_iter().map(|tokens| self.value(scan, tokens, io)).collect();
                scan.depth -= 1;
                Value::List(list)
            }
            [Token::Name(name), rest @ ..]
                if !matches!(name.as_str(), "lambda" | "await" | "not" | "function" | "new" | "async") =>
            {
                let (value, left) = self.chain(scan, name, rest, io);
                match (value, trimmed(left)) {
                    (value, []) => value,
                    (Value::Path(path), [Token::Mark('/'), Token::Text(part)]) => Value::Path(joined(&path, part)),
                    (Value::Text(text), [Token::Mark('+'), Token::Text(part)]) => Value::Text(text + part),
                    (_, left) => {
                        self.deeper(scan, left, io);
                        Value::Unknown
                    }
                }
            }
            [Token::Command(text)] => {
                self.backquoted(scan, text.as_deref(), io);
                Value::Unknown
            }
            [] => Value::Unknown,
            tokens => {
                self.deeper(scan, tokens, io);
                Value::Unknown
            }
        }
    }

    /// A call with effects.
    fn called(&mut self, scan: &mut Scan<'_>, roles: &str, arguments: &[Value], io: &mut Io<'_>) {
        let mut plain = arguments.iter().filter(|value| !matches!(value, Value::Named(..)));
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
                _ => scan.unread = Some("runs a command whose text is not known"),
            },
            "process" => {
                let command = plain.next().or_else(|| named("args"));
                if named("env").is_some() || named("executable").is_some() || named("cwd").is_some() {
                    scan.unread = Some("runs a command in another environment");
                }
                match command {
                    Some(Value::List(list)) => self.list_command(scan, list, io),
                    Some(Value::Text(text)) => {
                        self.command_text(&Arg::exact(text.as_str()), io);
                    }
                    _ => scan.unread = Some("runs a command whose text is not known"),
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
                _ => scan.unread = Some("runs a command whose text is not known"),
            },
            "words" => {
                let words: Vec<Value> = plain.cloned().collect();
                match words.as_slice() {
                    [Value::Text(text)] => {
                        self.command_text(&Arg::exact(text.as_str()), io);
                    }
                    [] => scan.unread = Some("runs a command whose text is not known"),
                    [Value::List(list)] => self.list_command(scan, list, io),
                    words => self.list_command(scan, words, io),
                }
            }
            "open" | "php-open" | "ruby-open" | "perl-open" => self.opened_file(scan, roles, arguments, io),
            "require" => match plain.next() {
                Some(Value::Text(file)) if file.starts_with(['.', '/']) => {
                    self.path(Role::Read, &Arg::exact(file.as_str()));
                    let data = file.rsplit('.').next().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
                    if !data {
                        scan.unread = Some("loads code that is not read");
                    }
                }
                Some(Value::Text(module)) => scan.module(module),
                _ => scan.unread = Some("loads code that is not known"),
            },
            "script" => scan.unread = Some("runs a script"),
            "unknown" => scan.unread = Some("runs code or commands that are not known"),
            "host" => match plain.next() {
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

    fn by_role(&mut self, role: &str, value: Option<&Value>) {
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

    fn list_command(&mut self, scan: &mut Scan<'_>, list: &[Value], io: &mut Io<'_>) {
        let words: Vec<Arg> =
            list.iter().filter(|value| !matches!(value, Value::Named(..))).map(|value| word(Some(value))).collect();
        if words.is_empty() {
            scan.unread = Some("runs a command whose text is not known");
            return;
        }
        let literal: Vec<Arg> = words.into_iter().map(|word| Arg { tilde: false, ..word }).collect();
        self.command(&literal, io);
    }

    fn opened_file(&mut self, scan: &mut Scan<'_>, roles: &str, arguments: &[Value], io: &mut Io<'_>) {
        let skip = usize::from(roles == "perl-open");
        let mut plain = arguments.iter().skip(skip).filter(|value| !matches!(value, Value::Named(..)));
        let named_mode = arguments.iter().find_map(|value| match value {
            Value::Named(name, value) if name == "mode" => Some(value.as_ref()),
            _ => None,
        });
        let (file, mode) = if roles == "perl-open" {
            let mode = plain.next();
            if let (Some(mode), Some(file)) = (mode, plain.next()) {
                (Some(file), Some(mode))
            } else {
                scan.unread = Some("opens a file or a command that is not known");
                return;
            }
        } else {
            (plain.next(), plain.next().or(named_mode))
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

    /// `Path('x').read_text()`.
    fn path_method(
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

impl Scan<'_> {
    /// Functions, classes, and variables that hold one literal.
    fn define(&mut self, tokens: &[Token]) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, token) in tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let next = tokens.get(at + 1);
            let after = tokens.get(at + 2);
            if matches!(name.as_str(), "def" | "class" | "function" | "sub" | "module")
                && let Some(Token::Name(defined)) = next
            {
                self.defined.push(defined.clone());
            }
            let assigned = matches!(next, Some(Token::Mark('=')))
                && !matches!(after, Some(Token::Mark('=' | '>' | '~')))
                || matches!(name.as_str(), "for" | "as" | "lambda" | "global" | "nonlocal" | "del" | "with");
            if assigned {
                let target = if matches!(next, Some(Token::Mark('='))) { Some(name.as_str()) } else { name_of(next) };
                if let Some(target) = target {
                    *counts.entry(target).or_default() += 1;
                }
            }
        }
        self.destructured(tokens);
        for (at, token) in tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let tail = tokens.get(at + 1..).unwrap_or_default();
            let single = counts.get(name.as_str()) == Some(&1);
            let before = at.checked_sub(1).and_then(|at| tokens.get(at));
            let statement = matches!(before, None | Some(Token::End | Token::Mark(':' | '{' | '$')))
                || matches!(before, Some(Token::Name(word)) if matches!(word.as_str(), "const" | "let" | "var" | "my"));
            if !single || !statement {
                continue;
            }
            match tail {
                [Token::Mark('='), Token::Text(text), Token::End, ..] => {
                    self.variables.insert(name.clone(), Value::Text(text.clone()));
                }
                [
                    Token::Mark('='),
                    Token::Name(path),
                    Token::Mark('('),
                    Token::Text(text),
                    Token::Mark(')'),
                    Token::End,
                    ..,
                ] if matches!(path.as_str(), "Path" | "pathlib.Path") => {
                    self.variables.insert(name.clone(), Value::Path(text.clone()));
                }
                [
                    Token::Mark('='),
                    Token::Name(require),
                    Token::Mark('('),
                    Token::Text(module),
                    Token::Mark(')'),
                    Token::End,
                    ..,
                ] if require == "require" => {
                    self.names
                        .insert(name.clone(), module.trim_start_matches("node:").replace("fs/promises", "fs.promises"));
                }
                _ => {}
            }
        }
    }

    /// `const {a, b: c} = require('m')`.
    fn destructured(&mut self, tokens: &[Token]) {
        for at in 0..tokens.len() {
            let here = tokens.get(at..).unwrap_or_default();
            let [Token::Name(word), rest @ ..] = here else { continue };
            if !matches!(word.as_str(), "const" | "let" | "var") || !matches!(rest.first(), Some(Token::Mark('{'))) {
                continue;
            }
            let (inner, after) = group(rest);
            let [Token::Mark('='), Token::Name(require), Token::Mark('('), Token::Text(module), ..] = after else {
                continue;
            };
            if require != "require" {
                continue;
            }
            let module = module.trim_start_matches("node:").replace("fs/promises", "fs.promises");
            for part in split(inner) {
                match part {
                    [Token::Name(name)] => self.names.insert(name.clone(), format!("{module}.{name}")),
                    [Token::Name(name), Token::Mark(':'), Token::Name(own)] => {
                        self.names.insert(own.clone(), format!("{module}.{name}"))
                    }
                    _ => None,
                };
            }
        }
    }

    /// `import a.b as c, d` and `from a import b as c`.
    fn import<'t>(&mut self, word: &str, tokens: &'t [Token]) -> &'t [Token] {
        let end = tokens.iter().position(|token| *token == Token::End).unwrap_or(tokens.len());
        let (line, rest) = tokens.split_at_checked(end).unwrap_or((tokens, &[]));
        let names: Vec<&str> = line.iter().filter_map(|token| name_of(Some(token))).collect();
        if line.iter().any(|token| matches!(token, Token::Mark('(')))
            && !line.iter().any(|token| matches!(token, Token::Mark(')')))
        {
            // The list goes on; its names are not followed, so their calls are not known.
            self.unread = Some("imports names that are not followed");
        }
        let mut left = names.iter().peekable();
        let module = if word == "from" { left.next().copied() } else { None };
        if let Some(module) = module {
            self.module(module);
            left.next_if(|name| **name == "import");
        }
        while let Some(name) = left.next() {
            let alias = left.next_if(|next| **next == "as").and_then(|_| left.next()).unwrap_or(name);
            let full = module.map_or_else(|| (*name).to_owned(), |module| format!("{module}.{name}"));
            if module.is_none() {
                self.module(name);
            }
            if *alias != full {
                self.names.insert((*alias).to_owned(), full);
            }
        }
        rest
    }

    /// `import fs from 'fs'`, `import {a as b} from 'm'`, `import * as x from 'm'`.
    fn import_script<'t>(&mut self, tokens: &'t [Token]) -> &'t [Token] {
        let end = tokens.iter().position(|token| matches!(token, Token::Text(_))).unwrap_or(tokens.len());
        let (line, rest) = tokens.split_at_checked(end).unwrap_or((tokens, &[]));
        let Some((Token::Text(module), rest)) = rest.split_first() else { return tokens };
        self.module(module);
        let module = module.trim_start_matches("node:").replace("fs/promises", "fs.promises");
        let mut names = line.iter().filter_map(|token| name_of(Some(token))).filter(|name| *name != "from").peekable();
        let braces = line.iter().any(|token| matches!(token, Token::Mark('{')));
        while let Some(name) = names.next() {
            let alias = names.next_if(|next| *next == "as").and_then(|_| names.next()).unwrap_or(name);
            let full = if braces { format!("{module}.{name}") } else { module.clone() };
            if alias != "as" && name != "as" {
                self.names.insert(alias.to_owned(), full);
            } else if let Some(alias) = names.next() {
                self.names.insert(alias.to_owned(), module.clone());
            }
        }
        rest
    }

    fn use_module<'t>(&mut self, tokens: &'t [Token]) -> &'t [Token] {
        let end = tokens.iter().position(|token| *token == Token::End).unwrap_or(tokens.len());
        if let Some(Token::Name(module)) = tokens.first()
            && module.starts_with(|c: char| c.is_alphabetic())
            && !module.starts_with('v')
        {
            self.module(module);
        }
        tokens.get(end..).unwrap_or_default()
    }

    fn module(&mut self, module: &str) {
        if !self.calls.modules.contains(module) {
            self.unread = Some("loads a module that is not known");
        }
    }

    /// The full name behind aliases.
    fn resolve(&self, name: &str) -> String {
        let (head, tail) = name.split_once('.').map_or((name, None), |(head, tail)| (head, Some(tail)));
        match (self.names.get(head), tail) {
            (Some(full), Some(tail)) => format!("{full}.{tail}"),
            (Some(full), None) => full.clone(),
            (None, _) => name.to_owned(),
        }
    }

    /// `child_process.execSync` reached through a module object keeps only its last name in some tables.
    fn bare<'n>(&self, name: &'n str) -> Option<&'n str> {
        (self.language == Language::Javascript)
            .then(|| name.rsplit('.').next())
            .flatten()
            .filter(|bare| bare.ends_with("Sync") && *bare != name)
    }

    fn variable(&self, name: &str) -> Value {
        self.variables.get(name).cloned().unwrap_or(Value::Unknown)
    }

    fn calls_without_parentheses(&self, name: &str) -> bool {
        matches!(self.language, Language::Perl | Language::Ruby) && self.calls.effects.contains_key(name)
    }

    /// A name that is not called: harmless, unless it is a function with effects that may be called elsewhere.
    fn mention(&mut self, name: &str) {
        let keyword = matches!(self.language, Language::Perl | Language::Ruby | Language::Php);
        if self.calls.effects.contains_key(name) && !keyword {
            self.unread = Some("uses a function with effects as a value");
        }
    }

    fn pure(&mut self, name: &str) {
        let known = self.calls.pure.contains(name)
            || self.defined.iter().any(|defined| defined == name)
            || is_keyword(name)
            || name.rsplit_once('.').is_some_and(|(object, method)| {
                !self.names.values().any(|full| full == object)
                    && !self.calls.modules.contains(object)
                    && self.calls.methods.contains(method)
            });
        if !known {
            self.unread = Some("calls a function that is not known");
        }
    }

    fn method(&mut self, name: &str) {
        if !self.calls.methods.contains(name) && !self.defined.iter().any(|defined| defined == name) {
            self.unread = Some("calls a method that is not known");
        }
    }

    /// `)(`, `](`: the result of something is called.
    fn called_value(&self, all: &[Token], here: &[Token]) -> bool {
        let at = all.len() - here.len();
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        matches!(before, Some(Token::Mark(')' | ']'))) && !matches!(self.language, Language::Perl | Language::Php)
    }
}

fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "if" | "while"
            | "for"
            | "return"
            | "and"
            | "or"
            | "not"
            | "in"
            | "is"
            | "else"
            | "elif"
            | "print"
            | "assert"
            | "yield"
            | "raise"
            | "with"
            | "lambda"
            | "del"
            | "except"
            | "await"
            | "switch"
            | "catch"
            | "function"
            | "new"
            | "typeof"
            | "async"
            | "of"
            | "case"
            | "throw"
            | "void"
            | "foreach"
            | "unless"
            | "until"
            | "elsif"
            | "super"
    )
}

fn name_of(token: Option<&Token>) -> Option<&str> {
    match token {
        Some(Token::Name(name)) => Some(name),
        _ => None,
    }
}

fn word(value: Option<&Value>) -> Arg {
    match value {
        Some(Value::Text(text) | Value::Path(text)) if text.contains("**") => Arg::glob(text.as_str()),
        Some(Value::Text(text) | Value::Path(text)) => Arg::exact(text.as_str()),
        _ => Arg::unknown("a value of the program"),
    }
}

fn joined(base: &str, part: &str) -> String {
    match base {
        "" => part.to_owned(),
        _ if part.starts_with('/') => part.to_owned(),
        base => format!("{}/{part}", base.trim_end_matches('/')),
    }
}

fn trimmed(tokens: &[Token]) -> &[Token] {
    let mut tokens = tokens;
    while let [Token::End, rest @ ..] | [rest @ .., Token::End] = tokens {
        tokens = rest;
    }
    tokens
}

/// The tokens between the bracket at the start and its partner, and those behind it.
fn group(tokens: &[Token]) -> (&[Token], &[Token]) {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return (tokens.get(1..at).unwrap_or_default(), tokens.get(at + 1..).unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    (tokens.get(1..).unwrap_or_default(), &[])
}

/// Parts between commas that are in no brackets.
fn split(tokens: &[Token]) -> Vec<&[Token]> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Mark(',') if depth == 0 => {
                parts.push(tokens.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = tokens.get(start..).unwrap_or_default();
    if !trimmed(last).is_empty() {
        parts.push(last);
    }
    parts
}
