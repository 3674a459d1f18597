//! PowerShell text → commands in the order in which they stand: quotes, here-strings, variables with one literal value,
//! blocks and sub-expressions. What is computed comes out as a word that is not known.

use std::collections::BTreeMap;

use crate::command::argument::Arg;
use crate::command::write_mode::WriteMode;

/// Blocks and sub-expressions within one another.
const DEPTH: usize = 32;

/// One command of a pipeline.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) words: Vec<Arg>,
    /// Files that its output goes to.
    pub(super) outputs: Vec<(Arg, WriteMode)>,
    /// It reads what the command before it prints.
    pub(super) piped: bool,
    /// Its first word was quoted: an expression, unless `&` stands before it.
    pub(super) quoted: bool,
    /// It is the right side of an assignment.
    pub(super) assigned: bool,
}

#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) commands: Vec<Command>,
    pub(super) too_deep: bool,
    variables: BTreeMap<String, String>,
}

pub(super) fn read(text: &str) -> Program {
    let mut program = Program::default();
    block(&mut program, text, 0);
    program
}

/// The end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Terminator {
    /// `|`: the next command reads what this one prints.
    Pipe,
    /// A line's end, `;`, `&&`, `||`, `&`.
    Statement,
}

/// A word while it is read.
#[derive(Debug, Default)]
struct Word {
    text: String,
    started: bool,
    unknown: bool,
    quoted: bool,
}

struct Reader<'p, 't> {
    program: &'p mut Program,
    rest: &'t str,
    depth: usize,
    command: Command,
    word: Word,
    /// The next word is where output goes.
    redirect: Option<WriteMode>,
}

fn block(program: &mut Program, text: &str, depth: usize) {
    if depth > DEPTH {
        program.too_deep = true;
        return;
    }
    let command = Command::default();
    Reader { program, rest: text, depth, command, word: Word::default(), redirect: None }.run();
}

impl Reader<'_, '_> {
    fn bump(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    fn run(&mut self) {
        while let Some(character) = self.bump() {
            match character {
                '\r' => {}
                '\n' | ';' => self.end(Terminator::Statement),
                '|' => self.bar(),
                '&' => self.ampersand(),
                '#' if !self.word.started => self.comment(),
                '<' if self.rest.starts_with('#') => {
                    self.rest = self.rest.split_once("#>").map_or("", |(_, rest)| rest);
                }
                '>' => self.output(),
                '@' if self.rest.starts_with(['\'', '"']) => self.here_string(),
                '@' if self.rest.starts_with('{') => self.table(),
                '@' if self.rest.starts_with('(') => {}
                '\'' => self.single(),
                '"' => self.double(),
                '`' => match self.bump() {
                    Some('\n') | None => self.flush(),
                    Some('\r') => {}
                    Some(other) => self.push(other),
                },
                '(' | '{' => self.nested(character),
                ')' | '}' | ',' => self.flush(),
                '$' => self.variable(),
                '=' if self.is_assignment() => self.assign(),
                other if other.is_whitespace() => self.flush(),
                other => self.push(other),
            }
        }
        self.end(Terminator::Statement);
    }

    /// `|`, `||`
    fn bar(&mut self) {
        match self.rest.strip_prefix('|') {
            Some(rest) => {
                self.rest = rest;
                self.end(Terminator::Statement);
            }
            None => self.end(Terminator::Pipe),
        }
    }

    /// `&&`, `&` behind a command, or the operator that calls what follows it.
    fn ampersand(&mut self) {
        if let Some(rest) = self.rest.strip_prefix('&') {
            self.rest = rest;
            return self.end(Terminator::Statement);
        }
        self.flush();
        if self.command.words.is_empty() {
            self.command.words.push(Arg::exact("&"));
        } else {
            self.end(Terminator::Statement);
        }
    }

    fn push(&mut self, character: char) {
        self.word.started = true;
        self.word.text.push(character);
    }

    fn flush(&mut self) {
        let word = std::mem::take(&mut self.word);
        if !word.started {
            return;
        }
        let text = word.text.replace('\\', "/");
        let arg =
            if word.unknown { Arg::unknown(text) } else { Arg::exact(if word.quoted { word.text } else { text }) };
        if let Some(mode) = self.redirect.take() {
            self.command.outputs.push((arg, mode));
            return;
        }
        let leads = match self.command.words.as_slice() {
            [] => true,
            [only] => only.text.starts_with("=$"),
            _ => false,
        };
        self.command.quoted |= leads && word.quoted;
        self.command.words.push(arg);
    }

    fn end(&mut self, terminator: Terminator) {
        self.flush();
        let next = Command { piped: terminator == Terminator::Pipe, ..Command::default() };
        let command = std::mem::replace(&mut self.command, next);
        if !command.words.is_empty() || !command.outputs.is_empty() {
            self.remember(&command);
            self.program.commands.push(command);
        }
    }

    /// `$x = 'literal'` is known from here on; anything else assigned to it makes it unknown.
    fn remember(&mut self, command: &Command) {
        let Some(name) = command.words.first().and_then(|word| word.text.strip_prefix("=$")) else { return };
        let value = match command.words.get(1..) {
            Some([value]) if !command.piped && command.quoted => value.literal().map(str::to_owned),
            _ => None,
        };
        match value {
            Some(value) if self.program.variables.len() < 1_000 => {
                self.program.variables.insert(name.to_owned(), value)
            }
            _ => self.program.variables.remove(name),
        };
    }

    fn comment(&mut self) {
        self.rest = self.rest.find('\n').and_then(|at| self.rest.get(at..)).unwrap_or("");
    }

    /// `>`, `>>`, `2>`, `2>&1`.
    fn output(&mut self) {
        if matches!(self.word.text.as_str(), "1" | "2" | "3" | "4" | "5" | "6" | "*") && !self.word.quoted {
            self.word = Word::default();
        }
        self.flush();
        let mode = if self.rest.starts_with('>') { WriteMode::Append } else { WriteMode::Replace };
        self.rest = self.rest.strip_prefix('>').unwrap_or(self.rest);
        if let Some(rest) = self.rest.strip_prefix('&') {
            self.rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        } else {
            self.redirect = Some(mode);
        }
    }

    fn here_string(&mut self) {
        let quote = self.bump().unwrap_or('\'');
        let end = format!("\n{quote}@");
        let body = self.rest.split_once('\n').map_or("", |(_, body)| body);
        let (text, rest) = match body.strip_prefix(end.trim_start()) {
            Some(rest) => ("", rest),
            None => body.split_once(end.as_str()).unwrap_or((body, "")),
        };
        self.rest = rest;
        self.word.started = true;
        self.word.quoted = true;
        if quote == '"' { self.interpolated(text) } else { self.word.text.push_str(text) }
    }

    /// `@{ name = value; … }`: values may hold code in brackets.
    fn table(&mut self) {
        self.bump();
        let (entries, rest) = closed(self.rest, '{', '}');
        self.rest = rest;
        if entries.contains(['(', '|']) {
            for entry in entries.split(['\n', ';']) {
                block(self.program, entry.split_once('=').map_or(entry, |(_, value)| value), self.depth + 1);
            }
        }
        self.word.started = true;
        self.word.unknown = true;
        self.word.text.push_str("@{}");
    }

    fn single(&mut self) {
        self.word.started = true;
        self.word.quoted = true;
        while let Some(character) = self.bump() {
            if character != '\'' {
                self.word.text.push(character);
            } else if self.rest.starts_with('\'') {
                self.bump();
                self.word.text.push('\'');
            } else {
                return;
            }
        }
    }

    fn double(&mut self) {
        self.word.started = true;
        self.word.quoted = true;
        let mut body = String::new();
        let mut depth = 0_usize;
        while let Some(character) = self.bump() {
            match character {
                '"' if depth == 0 && self.rest.starts_with('"') => {
                    self.bump();
                    body.push_str("`\"");
                }
                '"' if depth == 0 => break,
                '`' => {
                    body.push('`');
                    body.extend(self.bump());
                }
                other => {
                    // Quotes within `$( … )` belong to it.
                    depth += usize::from(other == '(' && (depth > 0 || body.ends_with('$')));
                    depth -= usize::from(other == ')' && depth > 0);
                    body.push(other);
                }
            }
        }
        self.interpolated(&body);
    }

    fn interpolated(&mut self, body: &str) {
        let (outer, text) = (self.rest, body.to_owned());
        let mut left = text.as_str();
        while let Some(at) = left.find(['$', '`']) {
            let (before, after) = left.split_at_checked(at).unwrap_or((left, ""));
            self.word.text.push_str(before);
            let mut characters = after.chars();
            if characters.next() == Some('`') {
                match characters.next() {
                    Some('n') => self.word.text.push('\n'),
                    Some('t') => self.word.text.push('\t'),
                    other => self.word.text.extend(other),
                }
                left = characters.as_str();
                continue;
            }
            left = characters.as_str();
            if let Some(inner) = left.strip_prefix('(') {
                let (code, rest) = closed(inner, '(', ')');
                block(self.program, code, self.depth + 1);
                self.word.unknown = true;
                left = rest;
                continue;
            }
            let (name, rest) = variable_name(left);
            self.value(&name);
            left = rest;
        }
        self.word.text.push_str(left);
        self.rest = outer;
    }

    /// A bare `$name`, or `$( … )`.
    fn variable(&mut self) {
        self.word.started = true;
        if let Some(inner) = self.rest.strip_prefix('(') {
            let (code, rest) = closed(inner, '(', ')');
            block(self.program, code, self.depth + 1);
            self.word.unknown = true;
            self.word.text.push_str("$()");
            self.rest = rest;
            return;
        }
        let (name, rest) = variable_name(self.rest);
        self.rest = rest;
        // What is assigned to keeps its name.
        let assigned = self.command.words.is_empty() && self.word.text.is_empty() && starts_assignment(rest);
        if assigned {
            self.word.text = format!("=${name}");
        } else {
            self.value(&name);
        }
    }

    fn value(&mut self, name: &str) {
        match (name, self.program.variables.get(name)) {
            (_, Some(value)) => self.word.text.push_str(value),
            ("home" | "env:userprofile" | "env:home", None) if self.word.text.is_empty() => self.word.text.push('~'),
            ("null", None) => {}
            ("true" | "false", None) => self.word.text.push_str(name),
            ("pwd", None) if self.word.text.is_empty() => self.word.text.push('.'),
            _ => {
                self.word.unknown = true;
                self.word.text.push('$');
                self.word.text.push_str(name);
            }
        }
    }

    fn is_assignment(&self) -> bool {
        let operator = matches!(self.word.text.as_str(), "" | "+" | "-" | "*" | "/" | "%" | "??");
        let first = match self.command.words.as_slice() {
            [] => self.word.text.starts_with("=$"),
            [only] => only.text.starts_with("=$") && operator,
            _ => false,
        };
        first && !self.rest.starts_with('=')
    }

    fn assign(&mut self) {
        let computed = self.command.words.len() == 1 && self.word.started;
        if computed && let Some(first) = self.command.words.first_mut() {
            // `$x += …`: what it holds then is not followed.
            self.program.variables.remove(first.text.trim_start_matches("=$"));
            *first = Arg::exact("=$+");
            self.word = Word::default();
        }
        self.flush();
        self.command.assigned = true;
    }

    /// `( … )` and `{ … }`: what is in them runs, and stands for a value that is not known.
    fn nested(&mut self, open: char) {
        let close = if open == '(' { ')' } else { '}' };
        let (code, rest) = closed(self.rest, open, close);
        self.rest = rest;
        let call = self.word.started && open == '(';
        if call {
            // `[Type]::Method(…)`, `.Method(…)`: literal arguments are the method's.
            let arguments = read_arguments(self.program, code, self.depth + 1);
            let name = std::mem::take(&mut self.word);
            let method = Arg::exact(format!("{}()", name.text));
            let words = std::iter::once(method).chain(arguments).collect();
            self.program.commands.push(Command { words, ..Command::default() });
            // What it returns is a value for what stands around it.
            self.word = Word { text: "()".to_owned(), started: true, unknown: true, quoted: false };
            return;
        }
        block(self.program, code, self.depth + 1);
        if open == '(' {
            self.word.started = true;
            self.word.unknown = true;
            self.word.text.push_str("()");
        }
    }
}

/// Arguments of a method: literal ones, the others are not known.
fn read_arguments(program: &mut Program, code: &str, depth: usize) -> Vec<Arg> {
    let from = program.commands.len();
    block(program, code, depth);
    let single = program.commands.len() == from + 1;
    let plain = program
        .commands
        .last()
        .is_some_and(|command| command.quoted || command.words.iter().all(|word| !word.is_exact()));
    if single && plain {
        return program.commands.pop().map(|command| command.words).unwrap_or_default();
    }
    vec![Arg::unknown("arguments")]
}

fn starts_assignment(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with('=') && !rest.starts_with("==") || rest.starts_with("+=")
}

/// In lower case, and what follows it.
fn variable_name(text: &str) -> (String, &str) {
    if let Some((name, rest)) = text.strip_prefix('{').and_then(|text| text.split_once('}')) {
        return (name.to_lowercase(), rest);
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':' || c == '?')).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    (name.to_lowercase(), rest)
}

/// What stands before the bracket that closes, and what follows it.
fn closed(text: &str, open: char, close: char) -> (&str, &str) {
    let (mut depth, mut quote) = (0_usize, None);
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match quote {
            Some(end) if character == end => quote = None,
            Some('"') | None if character == '`' => {
                characters.next();
            }
            None if matches!(character, '\'' | '"') => quote = Some(character),
            None if character == open => depth += 1,
            None if character == close && depth == 0 => {
                return (text.get(..at).unwrap_or(text), text.get(at + close.len_utf8()..).unwrap_or(""));
            }
            None if character == close => depth -= 1,
            Some(_) | None => {}
        }
    }
    (text, "")
}
