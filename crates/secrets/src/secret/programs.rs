//! Programs that take secrets, and where they take them: `clients.tsv`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::super::words::{Choice, Words};

/// How many names of programs can be looked for at once, many bytes at a time.
const AT_ONCE: usize = 64;

/// Where a secret is.
pub(super) enum Place {
    Options(Vec<OptionName>),
    /// From 1, behind the subcommands.
    Operand(usize),
    LastOperand,
    Operands,
    Input,
}

pub(super) struct OptionName {
    pub(super) name: &'static str,
    pub(super) value: Value,
}

/// Where the value of an option stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    NextWord,
    GluedOrNextWord,
    Glued,
}

/// The part of a value that is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Word,
    /// The text behind this character.
    Behind(char),
    Cookie,
    Pair,
    Source,
    Named,
    /// `user:password@host`, without a scheme.
    Login,
    /// All of the value, if it can't be anything else.
    Drawn,
    /// All of the value before the `\r` that ends what is typed into a program.
    Typed,
}

pub(super) struct Row {
    /// Its place in the table: programs that share a line have the same.
    pub(super) number: u32,
    pub(super) subcommands: Vec<&'static str>,
    /// A text that some word of the command has to hold. `None`: any command will do.
    pub(super) with: Option<&'static str>,
    pub(super) place: Place,
    pub(super) form: Form,
}

/// The names of the programs of each line, and its row.
pub(super) fn programs() -> impl Iterator<Item = (&'static str, Option<Row>)> {
    let names = |line: &'static str| line.split('\t').next().unwrap_or_default().split(',');
    (0..).zip(lines()).flat_map(move |(number, line)| names(line).map(move |name| (name, parse(number, line))))
}

static ROWS: LazyLock<BTreeMap<&'static str, Vec<Row>>> = LazyLock::new(|| {
    let mut rows: BTreeMap<_, Vec<Row>> = BTreeMap::new();
    for (program, row) in programs() {
        rows.entry(program).or_default().extend(row);
    }
    rows
});

/// Programs whose names begin alike: `mysql*`.
static FAMILIES: LazyLock<Vec<(&'static str, Vec<Row>)>> = LazyLock::new(|| {
    let mut families: BTreeMap<_, Vec<Row>> = BTreeMap::new();
    for (program, row) in programs() {
        if let Some(stem) = program.strip_suffix('*') {
            families.entry(stem).or_default().extend(row);
        }
    }
    families.into_iter().collect()
});

/// Endings of the names of programs of Windows.
const WINDOWS: &[&str] = &[".exe", ".cmd", ".bat"];

/// The names of programs, with the blank behind them where more has to follow, and the endings of other names.
pub(super) static NAMES: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let is_enough = |row: &Row| row.subcommands.is_empty() && row.with.is_none() && matches!(row.place, Place::Input);
    let name = |(name, rows): (&&str, &Vec<Row>)| match name.strip_suffix('*') {
        Some(stem) => stem.to_owned(),
        None if rows.iter().any(is_enough) => (*name).to_owned(),
        None => format!("{name} "),
    };
    let mut names: Vec<String> = ROWS.iter().map(name).collect();
    names.extend(WINDOWS.iter().flat_map(|ending| [format!("{ending} "), format!("{} ", ending.to_ascii_uppercase())]));
    names.chunks(AT_ONCE).map(|names| Words::new(Choice::First, names)).collect()
});

pub(super) fn lines() -> impl Iterator<Item = &'static str> {
    include_str!("clients.tsv").lines().filter(|line| !line.starts_with('#'))
}

/// `None`: the row is not understood, which a test finds.
fn parse(number: u32, line: &'static str) -> Option<Row> {
    let mut fields = line.split('\t').skip(1);
    let (with, subcommands): (Vec<&str>, Vec<&str>) =
        fields.next()?.split_whitespace().partition(|word| word.starts_with('&'));
    let with = with.first().map(|word| word.get(1..).unwrap_or_default());
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
        "login" => Form::Login,
        "drawn" => Form::Drawn,
        "typed" => Form::Typed,
        _ => return None,
    };
    fields.next().is_none().then_some(Row { number, subcommands, with, place, form })
}

fn option(text: &'static str) -> OptionName {
    match (text.strip_suffix('+'), text.strip_suffix('~')) {
        (Some(name), _) => OptionName { name, value: Value::GluedOrNextWord },
        (_, Some(name)) => OptionName { name, value: Value::Glued },
        _ => OptionName { name: text, value: Value::NextWord },
    }
}

/// The rows of a program, whose name may have the ending of Windows, or of a family of programs.
pub(super) fn rows(name: &str) -> Option<&'static [Row]> {
    let lower = name.to_ascii_lowercase();
    let name = WINDOWS.iter().find_map(|ending| lower.strip_suffix(ending)).unwrap_or(name);
    let family = || FAMILIES.iter().find(|(stem, _)| name.starts_with(*stem)).map(|(_, rows)| rows.as_slice());
    ROWS.get(name).map(Vec::as_slice).or_else(family)
}

#[cfg(test)]
pub(super) fn all_rows_are_read() -> bool {
    programs().all(|(_, row)| row.is_some_and(|row| super::commands::Mark::of(&row).is_own()))
        && NAMES.iter().all(Words::is_built)
}
