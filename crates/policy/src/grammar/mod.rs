//! The one table of all settings files: keys, values and meanings.
//!
//! Readers take the names of keys, the versions that have them and the words that may be values from here. The published
//! JSON Schemas, which editors use while people type, and the reference in `docs/` are made of the same rows. A test walks
//! every row: reader and schema accept and refuse the same values.

mod demands;
mod evals;
mod lists;
mod policy;
mod programs;
mod reference;
mod rules;
mod schema;
mod settings;
mod syntax;
mod tables;

pub(crate) use demands::{BUDGET_PRICES, BUDGETS, EVIDENCE, FIELDS, SESSIONS, SUBAGENT, WEIGHTS};
pub(crate) use evals::{CRITERION, EVALS, THRESHOLDS};
pub(crate) use lists::{COMMAND_ENTRY, COMMANDS, ENV, FILES, MCP, NETWORK, PATHS, SERVER};
pub(crate) use policy::{CLASSES, DEFAULTS, EXTENSION, HIDDEN, PART, ROOT};
pub(crate) use programs::{PROGRAM, SUBCOMMAND};
pub(crate) use rules::{EXAMPLES, EXCEPTION, EXEC, MATCH, RULE, SEQUENCE, SUBJECTS, TEST, TOOLS};
pub(crate) use settings::{APPROVAL, CONFIGURATION, HOLD, RETENTION, limits};
pub(crate) use syntax::Syntax;
pub(crate) use tables::{ANONYMIZING, IDENTITY, KEEP, MODEL, OVER, PATTERN_RULE, PRICES};

pub use reference::reference;

use crate::parse::Version;

/// A settings file.
pub struct Format {
    /// The file as people call it.
    pub file: &'static str,
    /// The title of its schema.
    pub title: &'static str,
    /// The published schema is `schemas/NAME.schema.json`.
    pub name: &'static str,
    /// The name of its schema on the command line.
    pub command: &'static str,
    root: &'static Object,
    /// Facts about the file that no key shows.
    note: &'static str,
    /// A file without any value, or with comments only, is one.
    empty: Empty,
    /// Keys of the file that belong to other programs: any value may follow them.
    foreign: &'static [&'static str],
    /// The file has the key `version`, and some keys belong to one of the versions.
    versions: Versions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Empty {
    Refused,
    Taken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Versions {
    One,
    Both,
}

/// All settings files whose keys stand in the table.
pub const FORMATS: &[Format] =
    &[policy::FORMAT, settings::FORMAT, evals::FORMAT, tables::ANONYMIZING_FORMAT, tables::PRICES_FORMAT];

/// An object with keys that have a meaning.
pub(crate) struct Object {
    /// The name that the schema and the reference give it.
    pub name: &'static str,
    pub about: &'static str,
    /// A small object that is complete: what a person may start from.
    pub example: &'static str,
    pub keys: Keys,
    pub rule: Rule,
}

/// A rule for several keys of an object at once.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// Each key by itself.
    Free,
    /// Exactly one of these.
    OneOf(&'static [&'static str]),
    /// At least one of these.
    AnyOf(&'static [&'static str]),
    /// All keys of one of these groups, and none of another group.
    Groups(&'static [&'static [&'static str]]),
    /// Keys that mean nothing beside others, and keys that mean nothing without another one.
    Beside { apart: &'static [(&'static str, &'static [&'static str])], needs: &'static [(&'static str, &'static str)] },
    /// The value of a key says which other keys may be there: value → keys.
    Kinds { key: &'static str, kinds: fn() -> Vec<Kind> },
}

/// Keys that an object may have if one key has a certain value.
pub(crate) struct Kind {
    pub value: String,
    pub keys: Vec<&'static str>,
    pub required: &'static [&'static str],
    /// At least one of these has to be there, if there are any.
    pub any_of: &'static [&'static str],
}

pub(crate) enum Keys {
    Listed(&'static [Key]),
    /// One for each value of a type of this crate.
    Named(fn() -> Vec<Key>),
}

#[derive(Clone, Copy)]
pub(crate) struct Key {
    pub name: &'static str,
    pub about: &'static str,
    pub shape: Shape,
    pub since: Version,
    pub is_required: bool,
}

impl Key {
    /// A key of every version.
    pub(crate) const fn new(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self { name, about, shape, since: Version::One, is_required: false }
    }

    pub(crate) const fn of_version_2(self) -> Self {
        Self { since: Version::Two, ..self }
    }

    pub(crate) const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }
}

/// The form of a value.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Object(&'static Object),
    /// Names that the author chooses → values.
    Map(Syntax, &'static Shape),
    List(&'static Shape, Length),
    /// Patterns, of which some may take away from the others with `!`, but not all.
    Entries(&'static Shape, Length),
    /// One value, or a list of them.
    OneOrMore(&'static Shape, Length),
    Text(Syntax),
    /// One of these words.
    Word(fn() -> Vec<String>),
    /// A whole number in this range.
    Whole(u64, u64),
    /// A number in this range; the second one without its lower bound.
    Number(f64, f64),
    NumberAbove(f64, f64),
    Switch,
    Either(&'static [Shape]),
    /// A list of exactly these values.
    Tuple(&'static [Shape]),
    Anything,
    /// One of several shapes that only version 2 has.
    OfVersion2(&'static Shape),
    /// A value of the other shape, or `null`.
    OrNull(&'static Shape),
}

/// The number of members that a list may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Length {
    pub least: usize,
    pub most: Option<usize>,
}

impl Length {
    pub(crate) const ANY: Self = Self { least: 0, most: None };
    pub(crate) const SOME: Self = Self { least: 1, most: None };

    pub(crate) const fn up_to(most: usize) -> Self {
        Self { least: 0, most: Some(most) }
    }
}

/// More than any number that the table bounds only from below.
pub(crate) const UNBOUNDED: u64 = u64::MAX;

/// The names of a table of words.
pub(crate) fn words<T>(table: &[(&str, T)]) -> Vec<String> {
    table.iter().map(|(word, _)| (*word).to_owned()).collect()
}

/// The words themselves.
pub(crate) fn listed(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

impl Object {
    pub(crate) fn all(&self) -> Vec<Key> {
        match self.keys {
            Keys::Listed(keys) => keys.to_vec(),
            Keys::Named(keys) => keys(),
        }
    }

    /// The names of the keys that an object of this version may have.
    pub(crate) fn keys(&self, version: Version) -> Vec<&'static str> {
        self.all().iter().filter(|key| key.since <= version).map(|key| key.name).collect()
    }

    /// The names of the keys that have to be there.
    pub(crate) fn required(&self) -> Vec<&'static str> {
        self.all().iter().filter(|key| key.is_required).map(|key| key.name).collect()
    }
}

#[cfg(test)]
mod tests;
