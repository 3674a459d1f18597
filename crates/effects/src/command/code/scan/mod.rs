//! Tokens → calls → effects.

mod arguments;
mod bindings;
mod calls;
mod canonical;
mod environment;
mod expression;
mod file_names;
mod foreign;
mod functions;
mod loading;
mod looks;
mod loops;
mod names;
mod objects;
mod opening;
mod parts;
mod roles;
mod tokens;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_shell::Provenance;

use crate::command::argument::Arg;
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::{About, Certainty, Class, Reason};

use super::Calls;
use super::lexer::{TemplatePart, Token};
use looks::Looks;
use tokens::{group, split};
pub(super) use value::Value;

/// Calls in calls, lists in lists.
const DEPTH: usize = 48;

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
    /// How often a name gets a value. What is not a plain assignment counts twice.
    bindings: BTreeMap<String, usize>,
    /// Modules that were loaded.
    loaded: BTreeSet<String>,
    /// Variables of loops, with the expression that they walk through.
    loops: BTreeMap<String, Vec<Token>>,
    /// Texts that no call has taken for data.
    loose: Vec<Value>,
    /// A file was touched whose name is not known.
    touches_unknown: bool,
    /// A function with effects is a value of it, whose calls are not followed.
    hands_over: bool,
    /// It changes its working directory.
    moves: bool,
    depth: usize,
    looks: Looks,
    fresh: Fresh,
}

/// What the import that was read last has brought.
#[derive(Debug, Default)]
struct Fresh {
    modules: Vec<String>,
    /// Full names behind names of the program.
    names: Vec<String>,
}

fn changes_directory(token: &Token) -> bool {
    matches!(token, Token::Name(name) if name.ends_with("chdir") || matches!(name.rsplit('.').next(), Some("cd")))
}

/// What a call is given.
#[derive(Debug, Clone, Copy)]
struct Given<'a> {
    arguments: &'a [Value],
    tokens: &'a [Token],
    /// How many texts nothing had taken before the arguments.
    loose: usize,
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
            bindings: BTreeMap::new(),
            loaded: BTreeSet::new(),
            loops: BTreeMap::new(),
            loose: Vec::new(),
            touches_unknown: false,
            hands_over: false,
            moves: tokens.iter().any(changes_directory),
            depth: 0,
            looks: Looks::for_tokens(tokens.len()),
            fresh: Fresh::default(),
        };
        scan.own_file(self.shell.program_directory.as_deref());
        scan.define(tokens);
        let cwd = self.world.cwd().map(str::to_owned);
        if language == Language::Perl {
            self.perl_arguments(tokens, io);
        }
        for name in scan.environment(tokens) {
            self.environment(&Arg::exact(name), Certainty::Exact);
        }
        self.statements(&mut scan, tokens, io);
        self.world.set_cwd(cwd);
        if scan.looks.are_spent() {
            scan.unread = Some(Reason::ProgramNestedTooDeeply);
        }
        if scan.hands_over {
            // Any text may be an argument of it.
            self.guess(tokens);
        }
        let unread = scan.unread.is_some();
        if let Some(reason) = scan.unread {
            let foreign = if reason == Reason::ModuleNotRead { self.foreign_modules() } else { None };
            let reason = foreign.unwrap_or(reason);
            let about = if reason.class() == Class::Delegated { About::Project } else { About::Anything };
            self.opaque(about, reason, &[]);
        }
        if unread || scan.touches_unknown {
            // Which of them goes where is not known.
            for text in &scan.loose {
                self.guess_arguments(std::slice::from_ref(text));
            }
        }
    }

    fn statements(&mut self, scan: &mut Scan<'_>, tokens: &[Token], io: &mut Io<'_>) {
        let mut left = tokens;
        let mut guessed = false;
        while let Some((token, rest)) = left.split_first() {
            left = match token {
                Token::Name(word) if scan.only_binds(word, rest) => group(rest).1,
                Token::Name(name) => {
                    scan.accumulated(name, rest);
                    let assigned = Scan::starts_statement(tokens, left).then(|| scan.assigned(name, rest)).flatten();
                    if let Some((expression, behind)) = assigned {
                        let value = self.kept_function(scan, expression, io);
                        scan.variables.insert(name.clone(), value);
                        behind
                    } else {
                        let (value, behind) = self.name(scan, name, left, io);
                        scan.bind(value, behind);
                        behind
                    }
                }
                Token::Template(parts) => {
                    for part in parts {
                        if let TemplatePart::Code(inner) = part {
                            self.descend(scan, |machine, scan| machine.statements(scan, inner, io));
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
                    // What follows the first such call is all that follows the others.
                    if !std::mem::replace(&mut guessed, true) {
                        self.guess(left);
                    }
                    rest
                }
                Token::Mark('(' | '[') if scan.starts_expression(tokens, left) => self.operand(scan, left, io).1,
                Token::Text(text) if matches!(rest.first(), Some(Token::Name(name)) if name.starts_with('.')) => {
                    self.methods(scan, Value::Text(text.clone()), rest, io).1
                }
                Token::Text(text) => {
                    scan.note_loose(text, tokens, left);
                    rest
                }
                _ => rest,
            };
        }
    }

    /// Runs `inside` for a part of the program one level deeper; `None`: that is too deep.
    fn descend<T>(&mut self, scan: &mut Scan<'_>, inside: impl FnOnce(&mut Self, &mut Scan<'_>) -> T) -> Option<T> {
        let mut result = None;
        if scan.depth < DEPTH {
            scan.depth += 1;
            result = self.deeper(|machine| inside(machine, scan));
            scan.depth -= 1;
        }
        if result.is_none() {
            scan.unread = Some(Reason::ProgramNestedTooDeeply);
        }
        result
    }

    /// A command between backquotes: where what it prints comes from, as far as nobody knows it.
    fn backquoted(&mut self, scan: &mut Scan<'_>, text: Option<&str>, io: &mut Io<'_>) -> Option<Provenance> {
        let Some(text) = text else {
            scan.unread = Some(Reason::UnknownCommandRun);
            return None;
        };
        self.command_text(&Arg::exact(text), io).provenance()
    }

    /// A name at the start of `tokens`: its value, and what is left behind what it belongs to.
    fn name<'t>(
        &mut self,
        scan: &mut Scan<'_>,
        name: &str,
        tokens: &'t [Token],
        io: &mut Io<'_>,
    ) -> (Value, &'t [Token]) {
        let rest = tokens.get(1..).unwrap_or_default();
        let left = match (scan.language, name) {
            (Language::Python, "import" | "from") => self.imported(scan, io, |scan| scan.import(name, rest)),
            (Language::Javascript, "import") if !matches!(rest.first(), Some(Token::Mark('('))) => {
                self.imported(scan, io, |scan| scan.import_script(rest))
            }
            (Language::Perl, "use" | "no") => scan.use_module(rest),
            (Language::Python, "def" | "class")
            | (Language::Ruby, "def" | "class" | "module")
            | (_, "function" | "sub") => {
                // The name that follows is no call.
                if matches!(rest.first(), Some(Token::Name(_))) { rest.get(1..).unwrap_or_default() } else { rest }
            }
            _ => return self.chain(scan, name, rest, io),
        };
        (Value::Unknown, left)
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
        if let Some(Value::Function(function)) = scan.variables.get(&full) {
            // `$function->(…)`
            let called = rest.strip_prefix(&[Token::Mark('-'), Token::Mark('>')]).unwrap_or(rest);
            if matches!(called.first(), Some(Token::Mark('('))) {
                full.clone_from(function);
                rest = called;
            }
        }
        // `IO::File->new(…)`
        if let Some(Token::Name(next)) = rest.first().filter(|_| scan.roles(&full).is_none())
            && next.starts_with('.')
            && scan.is_listed(&format!("{full}{next}"))
        {
            full.push_str(next);
            rest = rest.get(1..).unwrap_or_default();
        }
        // Methods of a name whose value is known: `p.read_text()`.
        if let Some((object, method)) = full.rsplit_once('.')
            && matches!(rest.first(), Some(Token::Mark('(')))
        {
            let value = self.named_value(scan, object, io);
            if !matches!(value, Value::Unknown | Value::Module(_)) {
                if self.grown(scan, object, method, rest, io) {
                    return self.methods(scan, Value::Unknown, group(rest).1, io);
                }
                let value = self.method_call(scan, &value, method, rest, io);
                scan.mutated(object, method);
                return self.methods(scan, value, group(rest).1, io);
            }
            // A value that a library made.
            if let Value::Module(module) = &value
                && scan.is_of_library(module)
            {
                full = format!("{module}.{method}");
            }
        }
        let (value, left) = match rest.first() {
            Some(Token::Mark('(')) => {
                let (inner, left) = group(rest);
                (self.call(scan, &full, inner, io), left)
            }
            Some(
                Token::Text(_)
                | Token::Template(_)
                | Token::Command(_)
                | Token::Number(_)
                | Token::Mark('$' | '[' | '@' | '{')
                | Token::Name(_),
            ) if scan.calls_without_parentheses(&full)
                && !rest.first().is_some_and(|token| scan.ends_arguments(token)) =>
            {
                let end = rest.iter().position(|token| scan.ends_arguments(token)).unwrap_or(rest.len());
                let (inner, left) = rest.split_at_checked(end).unwrap_or((rest, &[]));
                (self.call(scan, &full, inner, io), left)
            }
            // Bun.$`command`
            Some(Token::Template(_) | Token::Text(_))
                if scan.language == Language::Javascript && scan.roles(&full) == Some("command") =>
            {
                let (text, left) = rest.split_first().unwrap_or((&Token::End, &[]));
                (self.call(scan, &full, std::slice::from_ref(text), io), left)
            }
            Some(Token::Mark('*' | '&')) if scan.language == Language::Ruby && scan.roles(&full).is_some() => {
                let end = rest.iter().position(|token| scan.ends_arguments(token)).unwrap_or(rest.len());
                let (inner, left) = rest.split_at_checked(end).unwrap_or((rest, &[]));
                (self.call(scan, &full, inner, io), left)
            }
            _ if scan.called_alone(&full, rest) => {
                // `unlink` alone takes `$_`.
                let topic = [Token::Mark('$'), Token::Name("_".to_owned())];
                let takes = scan.language == Language::Perl && scan.makes_name(&full).is_none();
                (self.call(scan, &full, if takes { &topic } else { &[] }, io), rest)
            }
            _ if scan.mention(&full) => (Value::Function(full), rest),
            _ => match scan.calls.makes.get(full.as_str()) {
                Some(class) => (Value::Object(*class), rest),
                None => (self.named_value(scan, &full, io), rest),
            },
        };
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
            (
                environment,
                [Token::Mark('[' | '{'), Token::Text(name) | Token::Name(name), Token::Mark(']' | '}'), left @ ..],
            ) if file_names::ENVIRONMENTS.contains(&environment) && matches!(name.as_str(), "HOME" | "PWD") => {
                Some((format!("{environment}.{name}"), left))
            }
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
            (variable, [Token::Mark('('), ..]) if scan.language == Language::Php => {
                match self.variable(scan, variable, io) {
                    Value::Text(name) => Some((name, rest)),
                    _ => None,
                }
            }
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
        (value, left) = scan.indexed(value, left);
        while let Some((Token::Name(next), after)) =
            left.split_first().filter(|(token, _)| matches!(token, Token::Name(next) if next.starts_with('.')))
        {
            let mut parts: Vec<&str> = next.trim_start_matches('.').split('.').collect();
            let method = parts.pop().unwrap_or_default();
            let Some(Token::Mark('(')) = after.first() else {
                scan.bind_block(&value, method, after);
                if let Some(provenance) = self.fetched_by(scan, &value, method) {
                    value = Value::Foreign(provenance);
                } else if let Value::Module(module) = &value
                    && let Some(function) = scan.function(&format!("{module}{next}"))
                {
                    value = function;
                } else if !matches!(value, Value::Module(_) | Value::Foreign(_)) {
                    for part in parts.iter().copied().chain([method]) {
                        value = self.attribute(scan, &value, part, io);
                    }
                }
                (value, left) = scan.indexed(value, after);
                continue;
            };
            let (inner, behind) = group(after);
            value = match &value {
                Value::Module(module) => {
                    parts.push(method);
                    let full = format!("{module}.{}", parts.join("."));
                    self.call(scan, &full, inner, io)
                }
                object => {
                    let mut object = object.clone();
                    for part in parts {
                        object = self.attribute(scan, &object, part, io);
                    }
                    self.method_call(scan, &object, method, after, io)
                }
            };
            (value, left) = scan.indexed(value, behind);
        }
        (value, left)
    }
}
