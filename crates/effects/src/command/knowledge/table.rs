//! What is known in one judgement: the built-in data, and what the policy says about programs.

use std::collections::BTreeMap;

use super::index;
use super::{Entry, OptionRole, Role, Special};

/// Families of tools that differ between projects: what a policy says about one of them counts in place of the built-in
/// data. All other programs are what they are everywhere.
const OF_PROJECTS: &[&str] =
    &["build", "cloud", "compilers", "containers", "linters", "packages", "system-packages", "tests"];

/// The built-in data with the entries of a policy.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    /// By bare name, in place of the built-in entry.
    entries: BTreeMap<String, Entry>,
    /// By bare name: what the policy adds to a built-in program that keeps its own effects.
    additions: BTreeMap<String, Entry>,
    /// Name → the program it is another name of.
    names: BTreeMap<String, String>,
}

/// What a policy may say about a program.
#[derive(Debug, Clone, Copy)]
pub enum Standing {
    /// Anything: nothing is known about it.
    Unknown,
    /// Corrections: it is a tool of projects.
    Correctable(&'static Entry),
    /// More effects, never fewer: it is part of the system, runs other programs, or has a grammar of its own.
    Fixed(&'static Entry),
}

impl Standing {
    pub fn of(program: &str) -> Self {
        match index::find(program) {
            None => Self::Unknown,
            Some(builtin) if OF_PROJECTS.contains(&builtin.family) && !builtin.entry.is_code() => {
                Self::Correctable(builtin.entry)
            }
            Some(builtin) => Self::Fixed(builtin.entry),
        }
    }
}

impl Knowledge {
    /// What is known about `program`, by its bare name.
    pub fn entry(&self, program: &str) -> Option<&Entry> {
        let program = self.canonical_name(program);
        if self.entries.is_empty() {
            return super::builtin(program);
        }
        self.entries.get(program).or_else(|| super::builtin(program))
    }

    /// Whether something is known about the program that a word names, by its path or its name.
    pub(crate) fn lists(&self, word: &str) -> bool {
        self.entry(word.rsplit('/').next().unwrap_or(word)).is_some()
    }

    /// The name a program goes by: without the ending that Windows adds, and without its version.
    pub fn bare(&self, name: &str) -> String {
        let lower = name.to_ascii_lowercase();
        let name = lower.strip_suffix(".exe").map_or(name, |bare| name.get(..bare.len()).unwrap_or(name));
        // `python3.12`, `pip3.11`, `clang-17`: the version is no part of what it is.
        let stem = name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
        let versioned = stem.len() < name.len() && self.entry(name).is_none();
        let stem = stem.trim_end_matches('-');
        let is_known = || self.entry(stem).is_some() || super::fronts::words(stem).is_some();
        if versioned && is_known() { stem.to_owned() } else { name.to_owned() }
    }

    /// The program that `name` is another name of, or itself.
    pub fn canonical_name<'n>(&'n self, name: &'n str) -> &'n str {
        if self.names.is_empty() { name } else { self.names.get(name).map_or(name, String::as_str) }
    }

    /// What the policy adds to `program`.
    pub(crate) fn addition(&self, program: &str) -> Option<&Entry> {
        if self.additions.is_empty() { None } else { self.additions.get(program) }
    }

    /// A policy tells something.
    pub fn has_overrides(&self) -> bool {
        !(self.entries.is_empty() && self.additions.is_empty() && self.names.is_empty())
    }

    /// What the other one tells of programs of which this one tells nothing.
    pub fn merge_base(&mut self, base: &Self) {
        let told = |own: &Self, name: &str| {
            own.entries.contains_key(name) || own.additions.contains_key(name) || own.names.contains_key(name)
        };
        let before = self.clone();
        let missing = |name: &&String| !told(&before, name);
        let entries = base.entries.iter().filter(|(name, _)| missing(name));
        self.entries.extend(entries.map(|(name, entry)| (name.clone(), entry.clone())));
        let additions = base.additions.iter().filter(|(name, _)| missing(name));
        self.additions.extend(additions.map(|(name, entry)| (name.clone(), entry.clone())));
        let names = base.names.iter().filter(|(name, _)| missing(name));
        self.names.extend(names.map(|(name, known)| (name.clone(), known.clone())));
    }

    /// What is told about `program`, in place of what is built in.
    pub fn set_override(&mut self, program: &str, told: Entry) {
        self.entries.insert(program.to_owned(), told);
    }

    /// `program` is another name of `known`.
    pub fn rename(&mut self, program: &str, known: &str) {
        self.names.insert(program.to_owned(), known.to_owned());
    }

    /// What is told about `program` happens besides what is built in.
    pub fn add(&mut self, program: &str, mut told: Entry, builtin: &Entry) {
        told.completed_by(builtin);
        self.additions.insert(program.to_owned(), told);
    }
}

impl Entry {
    /// It has a grammar of its own, or is a program in another language. All that `cmake` has of its own are tools like those
    /// of the system, behind `-E`.
    pub fn is_code(&self) -> bool {
        self.special.is_some_and(|special| special != Special::Cmake) || self.language.is_some()
    }

    /// Takes over how words divide into options and operands, without the effects; what is not told has none.
    fn completed_by(&mut self, builtin: &Self) {
        self.stops |= builtin.stops;
        self.words |= builtin.words;
        for (names, given) in &builtin.options {
            for name in names.split(' ').filter(|_| !given.role.is_flag()) {
                if self.listed_option(name).is_none() {
                    self.set_option(name, Some(OptionRole { role: Role::Value, ..*given }));
                }
            }
        }
        for sub in &mut self.subcommands {
            let known = sub.names.split(' ').find_map(|name| builtin.subcommand(name));
            sub.completed_by(known.unwrap_or(&Self::default()));
        }
        if !self.subcommands.is_empty() && self.otherwise.is_none() {
            self.otherwise = Some(Box::default());
        }
    }
}
