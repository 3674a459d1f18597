//! cmd.exe and batch files: a command runs where it stands, with the values that variables have by then. Both branches of
//! `if` run, labels and `goto` are passed over, and what is not understood is opaque.

mod commands;
mod reader;
mod variables;

use agent_strace_shell::Problem;

use super::LONGEST;
use crate::command::argument::{Arg, literals};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::programs::Call;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};
use reader::{Terminator, UNKNOWN};
use variables::{Variables, with_value};

/// Bytes of text that are one step of the budget.
const BYTES_OF_A_STEP: usize = 16;
/// Words between `for` and its variable.
const OPTIONS: usize = 4;
/// Values that the variable of a loop takes.
const VALUES: usize = 64;

/// What the commands of one text share.
#[derive(Debug, Default)]
struct Batch {
    variables: Variables,
    /// Directories that `pushd` left.
    left: Vec<Option<String>>,
}

impl Machine<'_> {
    /// `cmd /c WORDS…`
    pub(crate) fn cmd(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let Some(at) = call.rest.iter().position(|word| runs(&word.text)) else {
            let only_options = call.rest.iter().all(|word| word.text.starts_with('/'));
            if only_options && io.input.is_readable() {
                let text = io.input.text().unwrap_or_default().to_owned();
                return self.cmd_text(&text, &[], io);
            }
            self.opaque(About::Anything, Reason::AnotherShell, &[]);
            return Stream::Unknown;
        };
        let words = call.rest.get(at + 1..).unwrap_or_default();
        let attached = call.rest.get(at).map(|word| word.text.trim_start_matches('/')).and_then(|text| text.get(1..));
        let attached = attached.filter(|text| !text.is_empty());
        let mut text = attached.map(str::to_owned).unwrap_or_default();
        for word in words {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&spelled(word, words.len() + usize::from(attached.is_some())));
        }
        // Quotes around the whole text are taken off.
        let inner = text.trim().strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let text = inner.filter(|inner| inner.starts_with('"') || !inner.contains('"')).unwrap_or(&text).to_owned();
        self.cmd_text(&text, &[], io)
    }

    /// Text of cmd.exe, called with `arguments`.
    pub(crate) fn cmd_text(&mut self, text: &str, arguments: &[Arg], io: &mut Io<'_>) -> Stream {
        if text.len() > LONGEST {
            self.opaque(About::Anything, Reason::ShellText(Problem::TextTooLong), &[]);
            return Stream::Unknown;
        }
        if !self.may_spend(text.len() / BYTES_OF_A_STEP) {
            return Stream::Unknown;
        }
        let text = text.replace('\r', "");
        let mut batch = Batch { variables: Variables::new(literals(arguments)), ..Batch::default() };
        let cwd = self.world.cwd().map(str::to_owned);
        let output = self.nested(Stream::Unknown, |machine| machine.cmd_sequence(&text, &mut batch, io));
        self.world.set_cwd(cwd);
        output
    }

    fn cmd_sequence(&mut self, text: &str, batch: &mut Batch, io: &mut Io<'_>) -> Stream {
        let mut rest = text;
        let mut printed = Stream::nothing();
        let mut piped: Option<Stream> = None;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "@;,=&|)".contains(c));
            if rest.is_empty() {
                return printed;
            }
            if let Some(behind) = rest.strip_prefix(':').or(reader::after(rest, "rem")) {
                rest = reader::line(behind).1;
                continue;
            }
            if let Some(behind) = reader::after(rest, "if") {
                rest = reader::condition(behind);
                continue;
            }
            if let Some(behind) = reader::after(rest, "else") {
                rest = behind;
                continue;
            }
            let input = piped.take();
            let mut inner = Io { scope: &mut *io.scope, input: input.as_ref().unwrap_or(io.input) };
            let (output, terminator);
            (output, terminator, rest) = self.cmd_step(rest, batch, &mut inner);
            if terminator == Terminator::Pipe {
                piped = Some(output);
            } else {
                printed = printed.then(output);
            }
        }
    }

    /// One command, loop or group.
    fn cmd_step<'t>(&mut self, text: &'t str, batch: &mut Batch, io: &mut Io<'_>) -> (Stream, Terminator, &'t str) {
        if let Some(behind) = reader::after(text, "for") {
            let rest = self.cmd_loop(behind, batch, io);
            return (Stream::Unknown, Terminator::Other, rest);
        }
        if let Some(behind) = text.strip_prefix('(') {
            let (inner, behind) = reader::closed(behind).unwrap_or_else(|| {
                self.opaque(About::Anything, Reason::AnotherShell, &[]);
                (behind, "")
            });
            let output = self.nested(Stream::Unknown, |machine| machine.cmd_sequence(inner, batch, io));
            if reader::after(behind.trim_start_matches([' ', '\t']), "else").is_some() {
                return (output, Terminator::Other, behind);
            }
            let (segment, terminator, rest) = reader::first(behind);
            let segment = batch.variables.expand(segment);
            let output = self.cmd_redirected(&reader::divide(&segment), output);
            return (output, terminator, rest);
        }
        let (segment, terminator, rest) = reader::first(text);
        (self.cmd_simple(segment, batch, io), terminator, rest)
    }

    /// One command, whose variables may hold more of them.
    fn cmd_simple(&mut self, segment: &str, batch: &mut Batch, io: &mut Io<'_>) -> Stream {
        if !self.may_run() {
            return Stream::Unknown;
        }
        let expanded = batch.variables.expand(segment);
        if batch.variables.is_over() {
            self.opaque(About::Anything, Reason::TooManyItems, &[]);
        }
        let more = expanded != segment && !reader::first(&expanded).2.is_empty();
        let expanded = if more { reader::first(&expanded) } else { (expanded.as_str(), Terminator::Other, "") };
        let pieces = reader::divide(expanded.0);
        let from = pieces.inputs.iter().map(|file| self.cmd_input(file)).last();
        let mut inner = Io { scope: &mut *io.scope, input: from.as_ref().unwrap_or(io.input) };
        let output = self.cmd_command(expanded.0, &pieces, batch, &mut inner);
        let output = self.cmd_redirected(&pieces, output);
        if more {
            return self.nested(Stream::Unknown, |machine| machine.cmd_sequence(expanded.2, batch, io));
        }
        output
    }

    fn cmd_input(&mut self, file: &Arg) -> Stream {
        self.cmd_path(Role::Read, file);
        self.world.content_of(&slashed(file))
    }

    /// What is left of the output after its redirections.
    fn cmd_redirected(&mut self, pieces: &reader::Pieces, output: Stream) -> Stream {
        for (file, mode) in &pieces.outputs {
            let text = output.text().map(|text| text.trim_end_matches('\n'));
            self.powershell_output(&slashed(file), *mode, text);
        }
        if pieces.outputs.is_empty() { output } else { Stream::nothing() }
    }

    /// `for … %x in (…) do …`, from behind `for`: what follows it.
    fn cmd_loop<'t>(&mut self, text: &'t str, batch: &mut Batch, io: &mut Io<'_>) -> &'t str {
        let header = Header::read(text);
        let Some((header, behind)) = header else {
            self.opaque(About::Anything, Reason::AnotherShell, &[]);
            if !self.may_spend(text.len() / BYTES_OF_A_STEP + 1) {
                return "";
            }
            let (line, rest) = reader::line(text);
            if let Some((_, body)) = line.split_once(" do ") {
                self.nested(Stream::Unknown, |machine| machine.cmd_sequence(body, batch, io));
            }
            return rest;
        };
        let (body, rest) = match behind.trim_start().strip_prefix('(').map(reader::closed) {
            Some(Some((body, rest))) => (body, rest),
            Some(None) => (behind, ""),
            None => reader::line(behind),
        };
        let values = self.cmd_values(&header, batch, io);
        for value in self.at_most(VALUES, values.into_iter()) {
            if !self.may_spend(body.len() / BYTES_OF_A_STEP + 1) {
                break;
            }
            let body = with_value(body, header.name, &value);
            self.nested(Stream::Unknown, |machine| machine.cmd_sequence(&body, batch, io));
        }
        rest
    }

    /// The values of the variable of a loop.
    fn cmd_values(&mut self, header: &Header<'_>, batch: &mut Batch, io: &mut Io<'_>) -> Vec<String> {
        let set = batch.variables.expand(header.set);
        let set = set.trim();
        let unknown = vec![UNKNOWN.to_string()];
        match header.kind {
            Some('l') => unknown,
            Some('f') => {
                let command = if header.backquotes { quoted(set, '`') } else { quoted(set, '\'') };
                let text = if header.backquotes { quoted(set, '\'') } else { quoted(set, '"') };
                if let Some(command) = command {
                    let output = self.nested(Stream::Unknown, |machine| machine.cmd_sequence(command, batch, io));
                    return listed(&output, header).unwrap_or(unknown);
                }
                if let Some(text) = text {
                    return listed(&Stream::Known(text.to_owned()), header).unwrap_or(unknown);
                }
                let mut files = reader::divide(set).words.into_iter();
                let content = files.by_ref().map(|file| self.cmd_input(&file.word)).last();
                content.and_then(|content| listed(&content, header)).unwrap_or(unknown)
            }
            kind => {
                let below = header.directory.map(|directory| format!("{}/**", directory.trim_matches('"')));
                let items = reader::divide(&set.replace([',', ';'], " ")).words;
                let values = items.into_iter().map(|item| match (&below, kind) {
                    (Some(below), Some('r')) => below.clone(),
                    (None, Some('r')) => "**".to_owned(),
                    _ if item.word.is_exact() => item.word.text,
                    _ => UNKNOWN.to_string(),
                });
                values.collect()
            }
        }
    }
}

/// What a loop is run for.
#[derive(Debug)]
struct Header<'t> {
    /// `/d`, `/r`, `/l`, `/f`.
    kind: Option<char>,
    directory: Option<&'t str>,
    backquotes: bool,
    /// A whole line is one value.
    lines: bool,
    name: char,
    set: &'t str,
}

impl<'t> Header<'t> {
    /// From behind `for`, and what follows `do`.
    fn read(text: &'t str) -> Option<(Self, &'t str)> {
        let mut rest = text.trim_start();
        let (mut kind, mut directory, mut options) = (None, None, "");
        for _ in 0..OPTIONS {
            if rest.starts_with('%') {
                break;
            }
            let (word, behind) = reader::token(rest);
            match word.strip_prefix('/').and_then(|letter| letter.chars().next()) {
                Some(letter) => kind = Some(letter.to_ascii_lowercase()),
                None if kind == Some('r') => directory = Some(word),
                None if kind == Some('f') => options = word,
                None => return None,
            }
            rest = behind.trim_start();
        }
        let rest = rest.strip_prefix('%')?.trim_start_matches('%');
        let name = rest.chars().next()?;
        let rest = reader::after(rest.get(name.len_utf8()..)?.trim_start(), "in")?;
        let (set, rest) = reader::closed(rest.trim_start().strip_prefix('(')?)?;
        let body = reader::after(rest.trim_start(), "do")?;
        let options = options.to_ascii_lowercase();
        let lines = options.contains("delims=\"") || options.contains("delims= \"") || options.contains("tokens=*");
        let backquotes = options.contains("usebackq");
        Some((Self { kind, directory, backquotes, lines, name, set }, body))
    }
}

/// The values that the lines of a text give.
fn listed(text: &Stream, header: &Header<'_>) -> Option<Vec<String>> {
    let value = |line: &str| {
        let line = line.trim();
        if header.lines { line.to_owned() } else { line.split_whitespace().next().unwrap_or_default().to_owned() }
    };
    match text {
        Stream::Known(text) => Some(text.lines().map(value).filter(|value| !value.is_empty()).collect()),
        Stream::Names(names) => Some(names.iter().map(|name| name.target().0.to_owned()).collect()),
        _ => None,
    }
}

fn quoted(text: &str, quote: char) -> Option<&str> {
    text.strip_prefix(quote)?.strip_suffix(quote)
}

/// `/c`, `/k`, `/r`, and what other shells make of them.
fn runs(text: &str) -> bool {
    let letter = text.trim_start_matches('/').chars().next();
    text.starts_with('/') && letter.is_some_and(|letter| matches!(letter.to_ascii_lowercase(), 'c' | 'k' | 'r'))
}

/// A word as it stands in the text that cmd.exe gets, where it is one of `count`.
fn spelled(word: &Arg, count: usize) -> String {
    let text = match (&word.likely, word.is_exact()) {
        (_, true) => word.text.clone(),
        (Some(likely), false) => format!("{UNKNOWN}{likely}"),
        (None, false) => UNKNOWN.to_string(),
    };
    let is_word = count > 1 && text.contains(' ') && !text.contains('"');
    if is_word { format!("\"{text}\"") } else { text }
}

/// A path with the separators of other systems; prose keeps its backslashes.
fn slashed(word: &Arg) -> Arg {
    if word.text.contains(['\n', '(', '"', '\'']) {
        word.clone()
    } else {
        Arg {
            text: word.text.replace('\\', "/"),
            readings: word.readings.iter().map(|text| text.replace('\\', "/")).collect(),
            ..word.clone()
        }
    }
}
