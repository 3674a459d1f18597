//! Loops of cmd.exe: `for %x in (…) do …` with `/d`, `/r`, `/l` and `/f`.

use super::fields::Fields;
use super::reader::{self, PATTERN, UNKNOWN};
use super::variables::with_value;
use super::{BYTES_OF_A_STEP, Batch};
use crate::command::argument::{Arg, Known};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

/// The most words between `for` and its variable.
const OPTIONS: usize = 4;
/// The most values that the variable of a loop takes.
const VALUES: usize = 256;

/// The head of a loop, up to `do`.
#[derive(Debug)]
struct Header<'t> {
    /// The letter of `/d`, `/r`, `/l` or `/f`.
    kind: Option<char>,
    directory: Option<&'t str>,
    backquotes: bool,
    /// How `/f` divides a line. It is `None` for options that are not understood.
    fields: Option<Fields>,
    name: char,
    set: &'t str,
}

impl<'t> Header<'t> {
    /// Reads the head from the text behind `for`; returns it with the text behind `do`.
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
        let backquotes = options.to_ascii_lowercase().contains("usebackq");
        Some((Self { kind, directory, backquotes, fields: Fields::read(options), name, set }, body))
    }

    /// The values of all variables where the text that is divided is not known.
    fn unknown(&self) -> Vec<String> {
        let is_divided = self.kind == Some('f');
        let count = if is_divided { self.fields.as_ref().map_or(Fields::MOST, Fields::count) } else { 1 };
        vec![UNKNOWN.to_string(); count]
    }

    /// Divides the lines of a text into the values of the variables.
    fn divided(&self, text: &Stream) -> Vec<Vec<String>> {
        match (text, &self.fields) {
            (Stream::Known(text), Some(fields)) => fields.of_lines(text),
            (Stream::Names(names), Some(fields)) if fields.keep_names() => {
                names.iter().map(|name| vec![pattern(name.target().0)]).collect()
            }
            _ => vec![self.unknown()],
        }
    }

    /// Puts one value for each variable into the body. The variables of the others follow the first one in the alphabet.
    fn body(&self, body: &str, values: &[String]) -> String {
        let names = (self.name..='z').filter(char::is_ascii_alphabetic);
        let first = std::iter::once(self.name);
        let names = first.chain(names.skip_while(|name| *name == self.name));
        names.zip(values).fold(body.to_owned(), |body, (name, value)| with_value(&body, name, value))
    }
}

/// Puts the mark `PATTERN` in front of a value with wildcards. Such a value means the files that it matches.
fn pattern(text: &str) -> String {
    if text.contains(['*', '?']) { format!("{PATTERN}{text}") } else { text.to_owned() }
}

fn quoted(text: &str, quote: char) -> Option<&str> {
    text.strip_prefix(quote)?.strip_suffix(quote)
}

/// Takes `^` from the characters that it keeps from ending a command.
fn unescaped(text: &str) -> String {
    let mut characters = text.chars();
    let next = move || match characters.next() {
        Some('^') => characters.next(),
        other => other,
    };
    std::iter::from_fn(next).collect()
}

impl Machine<'_> {
    /// Runs a loop from the text behind `for`; returns the text behind its body.
    pub(super) fn cmd_loop<'t>(&mut self, text: &'t str, batch: &mut Batch, io: &mut Io<'_>) -> &'t str {
        let Some((header, behind)) = Header::read(text) else {
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
        let mut values = self.cmd_values(&header, batch, io);
        if values.is_empty() {
            values.push(header.unknown());
        }
        for values in self.at_most(VALUES, values.into_iter()) {
            if !self.may_spend((body.len() / BYTES_OF_A_STEP + 1) * values.len()) {
                break;
            }
            let body = header.body(body, &values);
            self.nested(Stream::Unknown, |machine| machine.cmd_sequence(&body, batch, io));
        }
        rest
    }

    /// Returns the values of the variables for each round of a loop.
    fn cmd_values(&mut self, header: &Header<'_>, batch: &mut Batch, io: &mut Io<'_>) -> Vec<Vec<String>> {
        let set = batch.variables.expand(header.set);
        let set = set.trim();
        match header.kind {
            Some('l') => vec![header.unknown()],
            Some('f') => self.cmd_lines(header, set, batch, io),
            kind => {
                let below = kind == Some('r');
                let start = header.directory.map(|directory| format!("{}/", directory.trim_matches('"')));
                let start = start.unwrap_or_default();
                let items = reader::divide(&set.replace([',', ';'], " ")).words;
                let value = |word: &Arg| match (below, &word.known, word.text.as_str()) {
                    (true, _, "." | "*" | "*.*") | (true, Known::Partly | Known::Not, _) => {
                        pattern(&format!("{start}**"))
                    }
                    (true, Known::Exact | Known::Glob, name) => pattern(&format!("{start}**/{name}")),
                    (false, Known::Exact | Known::Glob, name) => pattern(name),
                    (false, Known::Partly | Known::Not, _) => UNKNOWN.to_string(),
                };
                items.iter().map(|item| vec![value(&item.word)]).collect()
            }
        }
    }

    /// Returns the values of `for /f`, which divides the output of a command, a text or the content of files.
    fn cmd_lines(&mut self, header: &Header<'_>, set: &str, batch: &mut Batch, io: &mut Io<'_>) -> Vec<Vec<String>> {
        let (command, text) = if header.backquotes { ('`', '\'') } else { ('\'', '"') };
        if let Some(command) = quoted(set, command).map(unescaped) {
            let output = self.nested(Stream::Unknown, |machine| machine.cmd_sequence(&command, batch, io));
            return header.divided(&output);
        }
        if let Some(text) = quoted(set, text) {
            return header.divided(&Stream::Known(text.to_owned()));
        }
        let mut values = Vec::new();
        for file in reader::divide(set).words {
            let content = self.cmd_input(&file.word);
            values.extend(header.divided(&content));
        }
        values
    }
}
