//! Tokens → calls → effects.

mod expression;
mod names;
mod roles;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};

use crate::command::argument::Arg;
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::{About, Reason};

use super::Calls;
use super::lexer::{TemplatePart, Token};
use expression::{method_value, pure_value};
use tokens::{group, joined, split};

/// Calls in calls, lists in lists.
const DEPTH: usize = 48;

/// What an argument is known to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
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
    unread: Option<Reason>,
    /// Modules all of whose names were imported.
    stars: Vec<String>,
    /// Variables that are assigned once.
    single: BTreeSet<String>,
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
            stars: Vec::new(),
            single: BTreeSet::new(),
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
                Token::Name(name) => {
                    let assigned = Scan::starts_statement(tokens, left).then(|| scan.assigned(name, rest)).flatten();
                    match assigned {
                        Some((expression, behind)) => {
                            let value = self.value(scan, expression, io);
                            scan.variables.insert(name.clone(), value);
                            behind
                        }
                        None => self.name(scan, name, left, io),
                    }
                }
                Token::Template(parts) => {
                    for part in parts {
                        if let TemplatePart::Code(inner) = part {
                            self.deeper(scan, inner, io);
                        }
                    }
                    rest
                }
                Token::Command(text) => {
                    self.backquoted(scan, text.as_deref(), io);
                    rest
                }
                Token::Pattern(true) => {
                    scan.unread = Some(Reason::EvaluatesText);
                    rest
                }
                Token::Mark('(') if scan.called_value(tokens, left) => {
                    scan.unread = Some(Reason::CallsValue);
                    self.guess(left, io);
                    rest
                }
                Token::Mark('(') if Scan::starts_expression(tokens, left) => {
                    let (inner, behind) = group(left);
                    let value = self.value(scan, inner, io);
                    self.methods(scan, value, behind, io).1
                }
                Token::Text(text) if matches!(rest.first(), Some(Token::Name(name)) if name.starts_with('.')) => {
                    self.methods(scan, Value::Text(text.clone()), rest, io).1
                }
                _ => rest,
            };
        }
    }

    fn deeper(&mut self, scan: &mut Scan<'_>, tokens: &[Token], io: &mut Io<'_>) {
        if scan.depth >= DEPTH {
            scan.unread = Some(Reason::ProgramNestedTooDeeply);
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
            None => scan.unread = Some(Reason::UnknownCommandRun),
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
        let mut full = scan.resolve(name);
        let mut rest = rest;
        // `object["name"](…)`, `getattr(object, "name")(…)`, `$name(…)`.
        if let Some((reached, left)) = self.reached(scan, &full, rest, io) {
            (full, rest) = (reached, left);
        }
        let (mut value, left) = match rest.first() {
            Some(Token::Mark('(')) => {
                let (inner, left) = group(rest);
                (self.call(scan, &full, inner, io), left)
            }
            Some(
                Token::Text(_)
                | Token::Template(_)
                | Token::Command(_)
                | Token::Mark('$' | '[' | '@' | '{')
                | Token::Name(_),
            ) if scan.calls_without_parentheses(&full) => {
                let end = rest.iter().position(|token| matches!(token, Token::End)).unwrap_or(rest.len());
                let (inner, left) = rest.split_at_checked(end).unwrap_or((rest, &[]));
                (self.call(scan, &full, inner, io), left)
            }
            Some(Token::Template(_) | Token::Text(_)) if scan.language == Language::Javascript && full == "$" => {
                let (text, left) = rest.split_first().unwrap_or((&Token::End, &[]));
                (self.call(scan, "$", std::slice::from_ref(text), io), left)
            }
            _ => {
                scan.mention(&full);
                (scan.variable(&full), rest)
            }
        };
        // Methods of a name that holds a path: `p.read_text()`.
        if let Some((object, method)) = full.rsplit_once('.')
            && matches!(rest.first(), Some(Token::Mark('(')))
        {
            let (inner, _) = group(rest);
            match scan.variable(object) {
                Value::Path(path) => value = self.path_method(scan, &path, method, rest, io),
                object @ (Value::Text(_) | Value::List(_)) => {
                    let arguments: Vec<Value> =
                        split(inner).into_iter().map(|tokens| self.value(scan, tokens, io)).collect();
                    value = method_value(&object, method, &arguments);
                }
                _ => {}
            }
            scan.mutated(object, method);
        }
        self.methods(scan, value, left, io)
    }

    /// A function that is named by a text: its full name, and what is left behind that.
    fn reached<'t>(
        &mut self,
        scan: &mut Scan<'_>,
        full: &str,
        rest: &'t [Token],
        io: &mut Io<'_>,
    ) -> Option<(String, &'t [Token])> {
        match (full, rest) {
            (object, [Token::Mark('['), Token::Text(name), Token::Mark(']'), left @ ..])
                if matches!(left.first(), Some(Token::Mark('('))) && scan.language == Language::Javascript =>
            {
                Some((format!("{object}.{name}"), left))
            }
            ("getattr", [Token::Mark('('), ..]) => {
                let (inner, left) = group(rest);
                let parts = split(inner);
                let [[Token::Name(object)], name] = parts.as_slice() else { return None };
                let Value::Text(name) = self.value(scan, name, io) else { return None };
                matches!(left.first(), Some(Token::Mark('(')))
                    .then(|| (format!("{}.{name}", scan.resolve(object)), left))
            }
            (variable, [Token::Mark('('), ..]) if scan.language == Language::Php => match scan.variable(variable) {
                Value::Text(name) => Some((name, rest)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `.method(…)…` behind a value.
    fn methods<'t>(
        &mut self,
        scan: &mut Scan<'_>,
        value: Value,
        left: &'t [Token],
        io: &mut Io<'_>,
    ) -> (Value, &'t [Token]) {
        let (mut value, mut left) = (value, left);
        while let Some((Token::Name(next), after)) =
            left.split_first().filter(|(token, _)| matches!(token, Token::Name(next) if next.starts_with('.')))
        {
            let mut parts: Vec<&str> = next.trim_start_matches('.').split('.').collect();
            let method = parts.pop().unwrap_or_default();
            let Some(Token::Mark('(')) = after.first() else {
                if !matches!(value, Value::Module(_)) {
                    value = Value::Unknown;
                }
                left = after;
                continue;
            };
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
                object => {
                    let object = object.clone();
                    let arguments: Vec<Value> =
                        split(inner).into_iter().map(|tokens| self.value(scan, tokens, io)).collect();
                    if let Some(argument) = arguments.first().filter(|_| method == "execute") {
                        self.guess_value(argument, io);
                    }
                    scan.method(method);
                    method_value(&object, method, &arguments)
                }
            };
            left = behind;
        }
        (value, left)
    }

    /// A call with the tokens between its parentheses.
    fn call(&mut self, scan: &mut Scan<'_>, name: &str, inner: &[Token], io: &mut Io<'_>) -> Value {
        if scan.depth >= DEPTH {
            scan.unread = Some(Reason::ProgramNestedTooDeeply);
            return Value::Unknown;
        }
        scan.depth += 1;
        let arguments: Vec<Value> = split(inner).into_iter().map(|tokens| self.value(scan, tokens, io)).collect();
        scan.depth -= 1;
        if let Some(roles) = scan.roles(name) {
            let before = scan.unread.take();
            self.called(scan, roles, &arguments, io);
            if scan.unread.is_some() {
                // What is known of a command that is not known as a whole.
                self.guess(inner, io);
            }
            scan.unread = scan.unread.take().or(before);
            return match (roles, arguments.first()) {
                ("require", Some(Value::Text(module))) if !module.starts_with(['.', '/']) => {
                    Value::Module(module.trim_start_matches("node:").to_owned())
                }
                _ => Value::Unknown,
            };
        }
        if let Some(value) = pure_value(name, &arguments) {
            scan.pure(name);
            return value;
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
        if scan.names_function(&arguments) {
            scan.unread = Some(Reason::FunctionPassedOn);
            self.guess(inner, io);
        }
        scan.pure(name);
        Value::Unknown
    }
}
