//! Where each program of the built-in data stands: `index.tsv`, a line for each name in the order of its bytes, with the
//! number of its entry, its family's, and the bytes that the entry takes in that family's file.
//!
//! A process that looks at one command pays for the entries of that command and not for reading all of them: a hook starts
//! such a process for every call. One that asks often has a table of all names made. A test keeps the index in step with
//! the data; `UPDATE_SPECS=1` writes it.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::lines::{self, name};
use super::{Entry, FAMILIES};

pub(super) const INDEX: &str = include_str!("index.tsv");
/// From so many questions on a table of all names is worth what it costs.
const OFTEN: u32 = 2_000;
/// More entries than there are.
const MOST: usize = 1_024;

/// An entry, and the family it comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Builtin {
    pub(super) entry: &'static Entry,
    pub(super) family: &'static str,
}

/// A line of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IndexLine {
    entry: usize,
    family: usize,
    start: usize,
    end: usize,
}

/// What is known of a program, by its bare name.
pub(super) fn find(program: &str) -> Option<Builtin> {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    static ALL: OnceLock<HashMap<&'static str, IndexLine>> = OnceLock::new();
    let found = if ASKED.load(Ordering::Relaxed) < OFTEN {
        ASKED.fetch_add(1, Ordering::Relaxed);
        searched(program)
    } else {
        let all = ALL.get_or_init(|| INDEX.lines().filter_map(|line| Some((name(line), found(line)?))).collect());
        all.get(program).copied()
    };
    found.and_then(IndexLine::read)
}

/// Every name, in order.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    INDEX.lines().map(name)
}

fn found(line: &str) -> Option<IndexLine> {
    let mut numbers = line.split('\t').skip(1).map(|number| number.parse::<usize>().ok());
    let mut next = || numbers.next().flatten();
    Some(IndexLine { entry: next()?, family: next()?, start: next()?, end: next()? })
}

fn searched(program: &str) -> Option<IndexLine> {
    lines::line(INDEX, program).and_then(found)
}

impl IndexLine {
    /// Each entry is read once. One that does not parse is none: its programs become unknown ones, which are opaque. A test
    /// keeps that from happening.
    fn read(self) -> Option<Builtin> {
        static ENTRIES: OnceLock<Vec<OnceLock<Option<Box<Entry>>>>> = OnceLock::new();
        let entries = ENTRIES.get_or_init(|| (0..MOST).map(|_| OnceLock::new()).collect());
        let (family, text) = FAMILIES.get(self.family)?;
        let parse = || {
            let mut entry: Box<Entry> = serde_json::from_str(text.get(self.start..self.end)?).ok()?;
            entry.adopt();
            Some(entry)
        };
        let parsed = entries.get(self.entry)?.get_or_init(parse);
        Some(Builtin { entry: parsed.as_deref()?, family })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the index has to be.
    fn index() -> String {
        let mut lines = Vec::new();
        let mut number = 0;
        for (family, (_, text)) in FAMILIES.iter().enumerate() {
            let entries: Vec<&serde_json::value::RawValue> = serde_json::from_str(text).unwrap();
            for json in entries.iter().map(|entry| entry.get()) {
                let start = json.as_ptr() as usize - text.as_ptr() as usize;
                let entry: Entry = serde_json::from_str(&*json.to_owned().leak()).unwrap();
                for name in entry.names.split(' ') {
                    lines.push((
                        name.to_owned(),
                        format!("{name}\t{number}\t{family}\t{start}\t{}\n", start + json.len()),
                    ));
                }
                number += 1;
            }
        }
        assert!(number <= MOST, "`MOST` has to grow");
        lines.sort();
        lines.into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn the_index_is_that_of_the_data() {
        let found = index();
        if std::env::var_os("UPDATE_SPECS").is_some() {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/command/knowledge/index.tsv");
            std::fs::write(path, found).unwrap();
            return;
        }
        assert!(found == INDEX, "UPDATE_SPECS=1 writes the index");
    }

    #[test]
    fn each_name_is_found_either_way() {
        for line in INDEX.lines() {
            assert_eq!(searched(name(line)), found(line), "{line}");
            assert!(find(name(line)).is_some_and(|known| known.entry.names.split(' ').any(|one| one == name(line))));
        }
        for absent in ["", "\t", "aaaa-none", "zzzz-none", "ca", "cat ", "git\tx", "\u{10ffff}"] {
            assert_eq!(searched(absent), None, "{absent}");
        }
    }
}
