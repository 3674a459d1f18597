//! Secrets that programs take as options, operands or input: `clients.tsv`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use agent_strace_model::finding::RuleId;

use super::super::hit::{Confidence, Hit};
use super::super::words::{Choice, Words};
use super::exclude::is_reference;
use super::name::{self, Strength};
use super::structure::hit;
use super::text::{at, before, ceil, floor, is_space, piece, run_before};
use super::value;

/// How much of a command is looked at: options of programs come first, and who asks at every word must not look far.
const FAR: usize = 2048;
const WORDS: usize = 64;
/// Shorter values are numbers of ports, groups or levels.
const SHORTEST: usize = 4;
/// What marks call it.
const OF_CLIENT: &str = "client-password";
const OF_USER: &str = "user-password";
/// How many names of programs can be looked for at once, many bytes at a time.
const AT_ONCE: usize = 64;

/// Where a secret is.
enum Place {
    Options(Vec<OptionName>),
    /// From 1, behind the subcommands.
    Operand(usize),
    LastOperand,
    Operands,
    Input,
}

struct OptionName {
    name: &'static str,
    glued: bool,
}

/// What of a value is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Word,
    /// What follows this character.
    Behind(char),
    Cookie,
    Pair,
    Source,
    Named,
}

struct Row {
    subcommands: Vec<&'static str>,
    place: Place,
    form: Form,
}

static ROWS: LazyLock<BTreeMap<&'static str, Vec<Row>>> = LazyLock::new(|| {
    let mut rows: BTreeMap<_, Vec<Row>> = BTreeMap::new();
    for line in lines() {
        for program in line.split('\t').next().unwrap_or_default().split(',') {
            rows.entry(program).or_default().extend(parse(line));
        }
    }
    rows
});

/// The names of programs, with the blank behind them where more has to follow.
static NAMES: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let is_enough = |row: &Row| row.subcommands.is_empty() && matches!(row.place, Place::Input);
    let name =
        |(name, rows): (&&str, &Vec<Row>)| format!("{name}{}", if rows.iter().any(is_enough) { "" } else { " " });
    let names: Vec<String> = ROWS.iter().map(name).collect();
    names.chunks(AT_ONCE).map(|names| Words::new(Choice::First, names)).collect()
});

fn lines() -> impl Iterator<Item = &'static str> {
    include_str!("clients.tsv").lines().filter(|line| !line.starts_with('#'))
}

/// `None`: the row is not understood, which a test finds.
fn parse(line: &'static str) -> Option<Row> {
    let mut fields = line.split('\t').skip(1);
    let subcommands = fields.next()?.split_whitespace().collect();
    let place = match fields.next()? {
        "<" => Place::Input,
        "*" => Place::Operands,
        "-1" => Place::LastOperand,
        number if number.starts_with(|first: char| first.is_ascii_digit()) => Place::Operand(number.parse().ok()?),
        options => Place::Options(options.split(',').map(option).collect()),
    };
    let form = match fields.next()? {
        "word" => Form::Word,
        "colon" => Form::Behind(':'),
        "comma" => Form::Behind(','),
        "percent" => Form::Behind('%'),
        "slash" => Form::Behind('/'),
        "cookie" => Form::Cookie,
        "pair" => Form::Pair,
        "source" => Form::Source,
        "named" => Form::Named,
        _ => return None,
    };
    fields.next().is_none().then_some(Row { subcommands, place, form })
}

fn option(text: &'static str) -> OptionName {
    match text.strip_suffix('+') {
        Some(name) => OptionName { name, glued: true },
        None => OptionName { name: text, glued: false },
    }
}

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    for names in &*NAMES {
        for found in names.find(text.as_bytes()) {
            let name = piece(text, found.start(), found.end()).trim_end();
            let (start, end) = (found.start(), found.start() + name.len());
            // It is the name of a program, or ends the path of one.
            if let Some(rows) = ROWS.get(name).filter(|_| !goes_on(before(text, start)) && !goes_on(at(text, end))) {
                command(text, start, end, rows, hits);
            }
        }
    }
}

/// Whether a byte belongs to the same word.
fn goes_on(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// Looks at the words behind the name of a program.
fn command(text: &str, start: usize, end: usize, rows: &[Row], hits: &mut Vec<Hit>) {
    let words: Vec<Word<'_>> = words(text, end).take(WORDS).collect();
    for row in rows {
        let Some(behind) = row.behind(&words) else { continue };
        match &row.place {
            Place::Input => row.secret(input(text, start, end).as_ref(), Confidence::Low, hits),
            Place::Options(options) => row.options(options, behind, hits),
            Place::Operand(number) => {
                let operand = behind.iter().filter(|word| !word.is_option()).nth(number.saturating_sub(1));
                row.secret(operand, Confidence::Medium, hits);
            }
            Place::LastOperand => {
                let operand = behind.iter().rfind(|word| !word.is_option());
                row.secret(operand, Confidence::Medium, hits);
            }
            Place::Operands if row.form == Form::Named => named(behind, hits),
            Place::Operands => {
                for word in behind {
                    row.secret(Some(word), Confidence::Medium, hits);
                }
            }
        }
    }
}

impl Row {
    /// The words behind the subcommands. Before and between these are options, which may have values.
    fn behind<'w, 't>(&self, words: &'w [Word<'t>]) -> Option<&'w [Word<'t>]> {
        let mut behind = words;
        for subcommand in &self.subcommands {
            let at = behind.iter().position(|word| word.text == *subcommand)?;
            let (skipped, rest) = behind.split_at_checked(at)?;
            let is_skipped = |(index, word): (usize, &Word<'_>)| {
                word.is_option()
                    || index.checked_sub(1).and_then(|index| skipped.get(index)).is_some_and(Word::is_option)
            };
            if !skipped.iter().enumerate().all(is_skipped) {
                return None;
            }
            behind = rest.get(1..)?;
        }
        Some(behind)
    }

    fn options(&self, options: &[OptionName], words: &[Word<'_>], hits: &mut Vec<Hit>) {
        for (index, word) in words.iter().enumerate() {
            for option in options {
                match word.text.strip_prefix(option.name) {
                    Some("") => self.secret(words.get(index + 1), Confidence::Low, hits),
                    Some(value) if value.starts_with('=') => {
                        self.secret(Some(&word.from(value, 1)), Confidence::Low, hits);
                    }
                    Some(value) if option.glued => self.secret(Some(&word.from(value, 0)), Confidence::Low, hits),
                    _ => {}
                }
            }
        }
    }

    /// Reports what is secret of a value. Where words of prose may stand, it has to look like a secret.
    fn secret(&self, word: Option<&Word<'_>>, least: Confidence, hits: &mut Vec<Hit>) {
        let Some(word) = word else { return };
        match self.form {
            Form::Word | Form::Named => password(word, OF_CLIENT, least, hits),
            Form::Behind(mark) => {
                // `//` starts a URL, which has a detector of its own.
                if let Some(at) = word.text.find(mark).filter(|_| !word.text.contains("//")) {
                    password(&word.from(word.text.get(at..).unwrap_or_default(), 1), OF_USER, least, hits);
                }
            }
            Form::Cookie => {
                let mut rest = word.text;
                while !rest.is_empty() {
                    let pair = rest.split(';').next().unwrap_or_default();
                    let start = word.start + word.text.len() - rest.len();
                    behind_equals(&Word { start, text: pair }, Confidence::Medium, hits);
                    rest = rest.get(pair.len() + 1..).unwrap_or_default();
                }
            }
            Form::Pair => behind_equals(word, Confidence::Medium, hits),
            Form::Source => {
                if let Some(value) = word.text.strip_prefix("pass:") {
                    password(&word.from(value, 0), OF_CLIENT, least, hits);
                }
            }
        }
    }
}

/// What is given to a program on its standard input: by `echo … |`, `printf '%s' … |` before it or `<<< …` behind it.
fn input(text: &str, start: usize, end: usize) -> Option<Word<'_>> {
    const NEAR: usize = 300;
    let line = start - run_before(text, start, NEAR, |byte| byte != b'\n');
    let before = piece(text, ceil(text, line), start);
    if let Some((writer, _)) = before.rsplit_once('|').filter(|(_, between)| !between.contains([';', '&'])) {
        let from = writer.rfind([';', '&', '|', '(']).map_or(0, |at| at + 1);
        let from = ceil(text, line) + from;
        let mut said = words(text, from);
        let program = said.next().filter(|word| matches!(word.text, "echo" | "printf"))?;
        return said
            .take_while(|word| word.start < start)
            .filter(|word| !word.is_option())
            .last()
            .filter(|_| program.start < start);
    }
    let behind = piece(text, end, floor(text, end + NEAR));
    let at = behind.split('\n').next().unwrap_or_default().find("<<<")?;
    words(text, end + at + "<<<".len()).next()
}

fn behind_equals(word: &Word<'_>, least: Confidence, hits: &mut Vec<Hit>) {
    if let Some(at) = word.text.find('=') {
        password(&word.from(word.text.get(at..).unwrap_or_default(), 1), OF_CLIENT, least, hits);
    }
}

/// Values of settings whose names say that they are secret.
fn named(words: &[Word<'_>], hits: &mut Vec<Hit>) {
    for pair in words.windows(2) {
        let [name, value] = pair else { continue };
        if name::strength(name.text).is_some_and(|strength| strength >= Strength::Strong) {
            password(value, OF_CLIENT, Confidence::Low, hits);
        }
    }
}

fn password(word: &Word<'_>, kind: &'static str, least: Confidence, hits: &mut Vec<Hit>) {
    // The value that is glued to an option has quotes of its own.
    let word = unquoted(word.text, word.start);
    if word.text.len() < SHORTEST || word.is_option() || is_reference(word.text) {
        return;
    }
    if let Some(confidence) = value::of_password(word.text).filter(|confidence| *confidence >= least) {
        let end = word.start + word.text.len();
        hits.push(hit(word.start, end, RuleId::SecretPassword.as_str(), kind, confidence));
    }
}

/// A word of a command, without its quotes.
struct Word<'t> {
    start: usize,
    text: &'t str,
}

impl<'t> Word<'t> {
    fn is_option(&self) -> bool {
        self.text.starts_with('-')
    }

    /// The word from its last part on, of which some bytes are left out.
    fn from(&self, part: &'t str, skipped: usize) -> Self {
        let start = self.start + (self.text.len() - part.len()) + skipped;
        Word { start, text: part.get(skipped..).unwrap_or_default() }
    }
}

/// The words of a command from an offset to its end. Quotes around a word, or around the value that is glued to an option,
/// are not part of it.
fn words(text: &str, start: usize) -> impl Iterator<Item = Word<'_>> {
    let limit = floor(text, start + FAR);
    let mut index = start;
    std::iter::from_fn(move || {
        while index < limit && at(text, index) != b'\n' && is_space(at(text, index))
            || at(text, index) == b'\\' && at(text, index + 1) == b'\n'
        {
            index += 1 + usize::from(at(text, index) == b'\\');
        }
        let start = index;
        let mut quote = 0;
        while index < limit {
            match at(text, index) {
                b'\\' if quote != b'\'' => index += 1,
                byte if quote != 0 && byte == quote => quote = 0,
                byte @ (b'"' | b'\'') if quote == 0 => quote = byte,
                byte if quote == 0 && (is_space(byte) || b";|&()`<>".contains(&byte)) => break,
                _ => {}
            }
            index += 1;
        }
        let end = floor(text, index.min(limit));
        (end > start).then(|| unquoted(piece(text, start, end), start))
    })
}

/// A word that starts at an offset, without its quotes.
fn unquoted(word: &str, start: usize) -> Word<'_> {
    match word.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inner = word.get(1..).unwrap_or_default();
            Word { start: start + 1, text: inner.strip_suffix(quote).unwrap_or(inner) }
        }
        _ => Word { start, text: word },
    }
}

#[cfg(test)]
pub(super) fn all_rows_are_read() -> bool {
    lines().all(|line| parse(line).is_some()) && NAMES.iter().all(Words::is_built)
}
