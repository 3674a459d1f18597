//! Secrets that programs take as options, operands or input: `clients.tsv`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use agent_strace_model::finding::RuleId;

use super::super::hit::{Confidence, Hit};
use super::super::words::{Choice, Words};
use super::exclude::is_reference;
use super::name::{self, Strength};
use super::shell::{Word, is_program, unquoted, words};
use super::structure::hit;
use super::text::{at, before, ceil, floor, is_space, piece, run, run_before};
use super::value;

/// How many words of a command are looked at.
const WORDS: usize = 64;
/// The options that come before the name of a setting.
const FEW: usize = 4;
/// The most bytes of the name of a program.
const FAR: usize = 64;
/// Shorter values are numbers of ports, groups or levels.
const SHORTEST: usize = 4;
/// The name of its kind in marks.
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
    value: Value,
}

/// Where the value of an option stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    NextWord,
    GluedOrNextWord,
    Glued,
}

/// The part of a value that is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Word,
    /// The text behind this character.
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

/// Programs whose names begin alike: `mysql*`.
static FAMILIES: LazyLock<Vec<(&'static str, Vec<Row>)>> = LazyLock::new(|| {
    let programs = lines()
        .flat_map(|line| line.split('\t').next().unwrap_or_default().split(',').map(move |program| (program, line)));
    programs
        .filter_map(|(program, line)| Some((program.strip_suffix('*')?, parse(line).into_iter().collect())))
        .collect()
});

/// Endings of the names of programs of Windows.
const WINDOWS: &[&str] = &[".exe", ".cmd", ".bat"];

/// The names of programs, with the blank behind them where more has to follow, and the endings of other names.
static NAMES: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let is_enough = |row: &Row| row.subcommands.is_empty() && matches!(row.place, Place::Input);
    let name = |(name, rows): (&&str, &Vec<Row>)| match name.strip_suffix('*') {
        Some(stem) => stem.to_owned(),
        None if rows.iter().any(is_enough) => (*name).to_owned(),
        None => format!("{name} "),
    };
    let mut names: Vec<String> = ROWS.iter().map(name).collect();
    names.extend(WINDOWS.iter().flat_map(|ending| [format!("{ending} "), format!("{} ", ending.to_ascii_uppercase())]));
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
    match (text.strip_suffix('+'), text.strip_suffix('~')) {
        (Some(name), _) => OptionName { name, value: Value::GluedOrNextWord },
        (_, Some(name)) => OptionName { name, value: Value::Glued },
        _ => OptionName { name: text, value: Value::NextWord },
    }
}

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    for names in &*NAMES {
        for found in names.find(text.as_bytes()) {
            let start = match at(text, found.start()) {
                b'.' => found.start() - run_before(text, found.start(), FAR, |byte| goes_on(byte) && byte != b'.'),
                _ => found.start(),
            };
            let end = start + run(text, start, goes_on);
            // It is the name of a program, or ends the path of one.
            if let Some(rows) = rows(piece(text, start, end)).filter(|_| !goes_on(before(text, start))) {
                command(text, start, end, rows, hits);
            }
        }
    }
}

/// The rows of a program, whose name may have the ending of Windows, or of a family of programs.
fn rows(name: &str) -> Option<&'static [Row]> {
    let lower = name.to_ascii_lowercase();
    let name = WINDOWS.iter().find_map(|ending| lower.strip_suffix(ending)).unwrap_or(name);
    let family = || FAMILIES.iter().find(|(stem, _)| name.starts_with(*stem)).map(|(_, rows)| rows.as_slice());
    ROWS.get(name).map(Vec::as_slice).or_else(family)
}

/// Whether a byte belongs to the same word.
fn goes_on(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// Looks at the words behind the name of a program. Where the name may also be that of a host, a file or a database, a
/// value counts only if it can't be a name, too.
fn command(text: &str, start: usize, end: usize, rows: &[Row], hits: &mut Vec<Hit>) {
    let mut found: Vec<(bool, Hit)> = Vec::new();
    // A quote that ends the name.
    let end = end + usize::from(matches!(at(text, end), b'"' | b'\'') && is_space(at(text, end + 1)));
    let words: Vec<Word<'_>> = words(text, end).take(WORDS).collect();
    for row in rows {
        let mut of_row = Vec::new();
        row.search(text, (start, end), &words, &mut of_row);
        found.extend(of_row.into_iter().map(|hit| (row.tells(text, hit.start), hit)));
    }
    if !found.is_empty() && !is_program(text, start) {
        found.retain(|(is_told, hit)| {
            let value = piece(text, hit.start, hit.end);
            !value::is_name(value) || *is_told && !value.bytes().all(|byte| byte.is_ascii_digit())
        });
    }
    hits.extend(found.into_iter().map(|(_, hit)| hit));
}

impl Row {
    /// Looks at the words behind the name of a program, which stands between two offsets.
    fn search(&self, text: &str, (start, end): (usize, usize), words: &[Word<'_>], hits: &mut Vec<Hit>) {
        let Some(behind) = self.behind(words) else { return };
        match &self.place {
            Place::Input => self.secret(input(text, start, end).as_ref(), Confidence::Low, hits),
            Place::Options(options) => self.options(options, behind, hits),
            Place::Operand(number) => {
                let operand = behind.iter().filter(|word| !word.is_option()).nth(number.saturating_sub(1));
                self.secret(operand, Confidence::Medium, hits);
            }
            Place::LastOperand => {
                let operand = behind.iter().rfind(|word| !word.is_option());
                self.secret(operand, Confidence::Medium, hits);
            }
            Place::Operands if self.form == Form::Named => named(behind, hits),
            Place::Operands => {
                for word in behind {
                    self.secret(Some(word), Confidence::Medium, hits);
                }
            }
        }
    }

    /// Whether a value is one of a program even where this may be no command: a subcommand or the option it is glued to
    /// says so.
    fn tells(&self, text: &str, value: usize) -> bool {
        let quotes = usize::from(matches!(before(text, value), b'"' | b'\''));
        let is_glued = !is_space(before(text, value - quotes));
        is_glued || matches!(self.place, Place::Options(_)) && !self.subcommands.is_empty()
    }

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
                    Some("") if option.value == Value::Glued => {}
                    Some("") => self.secret(words.get(index + 1), Confidence::Low, hits),
                    Some(value) if value.starts_with('=') => {
                        self.secret(Some(&word.from(value, 1)), Confidence::Low, hits);
                    }
                    Some(value) if option.value != Value::NextWord => {
                        self.secret(Some(&word.from(value, 0)), Confidence::Low, hits);
                    }
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

/// The text on the standard input of a program: from `echo … |` or `printf '%s' … |` before it, or from `<<< …` behind it.
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

/// Options and subcommands that read or remove a setting: what follows its name is no value.
fn asks(word: &str) -> bool {
    const LONG: &[&str] = &["--get", "--unset", "--rename", "--remove", "--list"];
    matches!(word, "get" | "unset" | "list" | "delete") || LONG.iter().any(|option| word.starts_with(option))
}

/// Values of settings whose names say that they are secret.
fn named(words: &[Word<'_>], hits: &mut Vec<Hit>) {
    if words.iter().take(FEW).any(|word| asks(word.text)) {
        return;
    }
    for pair in words.windows(2) {
        let [name, value] = pair else { continue };
        let is_alias = name.text.starts_with("alias.");
        if !is_alias && name::strength(name.text).is_some_and(|strength| strength >= Strength::Strong) {
            password(value, OF_CLIENT, Confidence::Low, hits);
        }
    }
}

/// `8080:80`, `127.0.0.1:3306:3306`, `80,443`.
fn is_ports(value: &str) -> bool {
    let is_mark = |byte: u8| matches!(byte, b':' | b',' | b'.');
    value.bytes().any(is_mark) && value.bytes().all(|byte| is_mark(byte) || byte.is_ascii_digit())
}

fn password(word: &Word<'_>, kind: &'static str, least: Confidence, hits: &mut Vec<Hit>) {
    // The value that is glued to an option has quotes of its own.
    let word = unquoted(word.text, word.start);
    if word.text.len() < SHORTEST || word.is_option() || is_reference(word.text) || is_ports(word.text) {
        return;
    }
    if let Some(confidence) = value::of_password(word.text).filter(|confidence| *confidence >= least) {
        let end = word.start + word.text.len();
        hits.push(hit(word.start, end, RuleId::SecretPassword.as_str(), kind, confidence));
    }
}

#[cfg(test)]
pub(super) fn all_rows_are_read() -> bool {
    lines().all(|line| parse(line).is_some()) && NAMES.iter().all(Words::is_built)
}
