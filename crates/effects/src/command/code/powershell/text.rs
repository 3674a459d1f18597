//! PowerShell text → commands in the order in which they stand: quotes, here-strings, variables with known values,
//! blocks and sub-expressions. What is computed comes out as a word that is not known.

use std::collections::BTreeSet;

use agent_strace_shell::Provenance;

use super::blocks::Loop;
use super::strings;
use super::value::{Value, Variables};
use crate::command::argument::Arg;
use crate::command::write_mode::WriteMode;

/// Blocks and sub-expressions within one another.
const DEPTH: usize = 32;
/// Bytes that are read again because they stand in blocks, brackets and loops.
const AGAIN: usize = 1 << 22;

/// One command of a pipeline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) words: Vec<Arg>,
    /// Places of words that follow a comma.
    pub(super) lists: Vec<usize>,
    /// Files that its output goes to.
    pub(super) outputs: Vec<(Arg, WriteMode)>,
    /// It reads what the command before it prints.
    pub(super) piped: bool,
    /// Its first word was quoted: an expression, unless `&` stands before it.
    pub(super) quoted: bool,
    /// Its words are the values of an expression.
    pub(super) valued: bool,
    /// How many blocks and brackets are around it.
    pub(super) depth: usize,
    /// The depth of the pipeline that hands `$_` to it.
    pub(super) item: Option<usize>,
}

#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) commands: Vec<Command>,
    pub(super) too_deep: bool,
    /// Bytes that were read.
    pub(super) read: usize,
    pub(super) variables: Variables,
    /// Assignments that may not run: each with its variable and the state before it.
    pub(super) changed: Vec<(String, Before)>,
}

/// The state of a variable before an assignment.
#[derive(Debug)]
pub(super) enum Before {
    Unset,
    Unknown,
    Known(Value),
}

pub(super) fn read(text: &str) -> Program {
    let mut program = Program::default();
    block(&mut program, text, Place::default());
    program
}

/// Where a piece of the text stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) depth: usize,
    /// It may not run.
    pub(super) doubtful: bool,
    /// The depth of the pipeline that hands `$_` to it.
    pub(super) item: Option<usize>,
}

impl Place {
    pub(super) fn inner(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

/// The end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Terminator {
    /// `|`: the next command reads what this one prints.
    Pipe,
    /// A line's end, `;`, `&&`, `||`, `&`.
    Statement,
}

/// A word while it is read.
#[derive(Debug, Default)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) started: bool,
    pub(super) unknown: bool,
    pub(super) quoted: bool,
    pub(super) provenance: Option<Provenance>,
}

pub(super) struct Reader<'p, 't> {
    pub(super) program: &'p mut Program,
    pub(super) rest: &'t str,
    /// `rest` with the character that was taken from it last.
    pub(super) at: &'t str,
    pub(super) place: Place,
    pub(super) command: Command,
    pub(super) word: Word,
    /// A comma stands before the next word.
    pub(super) listed: bool,
    /// The next word is where output goes.
    pub(super) redirect: Option<WriteMode>,
    /// The loop that runs the next block.
    pub(super) over: Option<Loop>,
}

pub(super) fn block(program: &mut Program, text: &str, place: Place) {
    program.read = program.read.saturating_add(text.len());
    if place.depth > DEPTH || place.depth > 0 && program.read > AGAIN {
        program.too_deep = true;
        return;
    }
    let command = Command::default();
    let mark = program.changed.len();
    Reader {
        program,
        rest: text,
        at: text,
        place,
        command,
        word: Word::default(),
        listed: false,
        redirect: None,
        over: None,
    }
    .run();
    if place.doubtful {
        program.doubt(mark);
    }
}

impl Program {
    pub(super) fn assign(&mut self, name: &str, value: Option<Value>, place: Place) {
        if place.doubtful {
            let before = match self.variables.known(name) {
                Some(value) => Before::Known(value.clone()),
                None if self.variables.is_lost(name) => Before::Unknown,
                None => Before::Unset,
            };
            self.changed.push((name.to_owned(), before));
        }
        self.variables.set(name, value);
    }

    /// What was assigned since `mark` may not have been.
    fn doubt(&mut self, mark: usize) {
        let mut seen = BTreeSet::new();
        for (name, before) in self.changed.get(mark..).unwrap_or_default() {
            if !seen.insert(name.as_str()) {
                continue;
            }
            match before {
                Before::Unset => {}
                Before::Unknown => self.variables.set(name, None),
                Before::Known(old) => {
                    let either = self.variables.known(name).and_then(|new| old.or(new));
                    self.variables.set(name, either);
                }
            }
        }
    }
}

impl Reader<'_, '_> {
    /// The place of a block or bracket of the command that is read.
    pub(super) fn inside(&self) -> Place {
        let item = if self.command.piped { Some(self.place.depth) } else { self.place.item };
        Place { item, ..self.place.inner() }
    }

    fn bump(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    fn run(&mut self) {
        loop {
            if self.starts_statement() && self.value_statement() {
                continue;
            }
            self.at = self.rest;
            let Some(character) = self.bump() else { break };
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
                '@' if self.splats() => self.splat(),
                '\'' => self.single(),
                '"' => self.double(),
                '`' => match self.bump() {
                    Some('\n') | None => self.flush(),
                    Some('\r') => {}
                    Some(other) => self.push(other),
                },
                '(' | '{' => self.nested(character),
                ')' | '}' => self.flush(),
                ',' => {
                    self.flush();
                    self.listed = true;
                }
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

    pub(super) fn push(&mut self, character: char) {
        self.word.started = true;
        self.word.text.push(character);
    }

    pub(super) fn flush(&mut self) {
        let word = std::mem::take(&mut self.word);
        if !word.started {
            return;
        }
        let text = word.text.replace('\\', "/");
        let arg = if word.unknown {
            Arg { provenance: word.provenance, ..Arg::unknown(text) }
        } else {
            Arg::exact(if word.quoted { word.text } else { text })
        };
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
        if std::mem::take(&mut self.listed) {
            self.command.lists.push(self.command.words.len());
        }
        self.command.words.push(arg);
    }

    pub(super) fn end(&mut self, terminator: Terminator) {
        self.flush();
        self.listed = false;
        let next = Command { piped: terminator == Terminator::Pipe, ..Command::default() };
        let command = std::mem::replace(&mut self.command, next);
        let command = Command { depth: self.place.depth, item: self.place.item, ..command };
        if !command.words.is_empty() || !command.outputs.is_empty() {
            self.remember(&command);
            self.program.commands.push(command);
        }
    }

    fn starts_statement(&self) -> bool {
        let Self { command, word, redirect, .. } = self;
        let fresh = command.words.is_empty() && command.outputs.is_empty() && !word.started && redirect.is_none();
        fresh && self.rest.starts_with(['\'', '"', '(', '$', '@', '[', '-'])
    }

    /// A statement, or the start of a pipeline, that is a constant expression.
    fn value_statement(&mut self) -> bool {
        let Some((value, rest)) = self.program.variables.leading(self.rest) else { return false };
        let Some(texts) = value.texts().filter(|_| ends_value(rest)) else { return false };
        self.rest = rest;
        self.command.words = texts.into_iter().map(Arg::exact).collect();
        self.command.valued = true;
        true
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
        let (text, expands, rest) = strings::here(self.at).unwrap_or(("", false, ""));
        self.rest = rest;
        self.word.started = true;
        self.word.quoted = true;
        if expands { self.interpolated(text) } else { self.word.text.push_str(text) }
    }

    /// `@{ name = value; … }`: values may hold code in brackets.
    fn table(&mut self) {
        self.bump();
        let (entries, rest) = strings::closed(self.rest, '{', '}');
        self.rest = rest;
        if entries.contains(['(', '|', '{']) {
            let place = self.inside();
            for entry in entries.split(['\n', ';']) {
                block(self.program, entry.split_once('=').map_or(entry, |(_, value)| value), place);
            }
        }
        self.word.started = true;
        self.word.unknown = true;
        self.word.text.push_str("@{}");
    }

    fn single(&mut self) {
        let (text, rest) = strings::single(self.rest).unwrap_or_else(|| (self.rest.to_owned(), ""));
        self.rest = rest;
        self.word.started = true;
        self.word.quoted = true;
        self.word.text.push_str(&text);
    }

    fn double(&mut self) {
        let (body, rest) = strings::double(self.rest).unwrap_or_else(|| (self.rest.to_owned(), ""));
        self.rest = rest;
        self.word.started = true;
        self.word.quoted = true;
        self.interpolated(&body);
    }
}

/// The end of a statement stands here.
pub(super) fn ends_statement(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t', '\r']);
    rest.is_empty() || rest.starts_with(['\n', ';', '}', ')', '#']) || rest.starts_with("&&") || rest.starts_with("||")
}

/// The end of an expression at the start of a pipeline.
fn ends_value(rest: &str) -> bool {
    ends_statement(rest) || rest.trim_start_matches([' ', '\t', '\r']).starts_with(['|', '>'])
}
