//! Tokens → calls → effects.

mod names;
mod roles;
mod tokens;

use std::collections::BTreeMap;

use crate::effects::About;
use crate::effects::command::argument::Arg;
use crate::effects::command::knowledge::Language;
use crate::effects::command::machine::Machine;
use crate::effects::command::simple::Io;

use super::Calls;
use super::lexer::Token;
use tokens::{group, joined, split, trimmed};

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
}
