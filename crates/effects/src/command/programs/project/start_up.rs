//! Files that programs read by themselves when they start: written in this session, they change what later calls do.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::command::argument::Arg;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::{About, Reason};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "about")]
    _about: String,
    programs: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    names: String,
    files: String,
    /// What the files hold.
    holds: Holds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Holds {
    /// A program, which runs.
    Code,
    /// A program of the project: a policy that allows the runner vouches for what is not understood in it.
    Project,
    /// The same, for files of such names below the operands, or below the working directory.
    Tests,
    /// Settings that can make the program run anything.
    Settings,
}

fn load() -> Result<Table, serde_json::Error> {
    serde_json::from_str(include_str!("start_up.json"))
}

/// Program → its rows. A test loads the data; were it broken, no file would be known, and that test would fail.
fn rows(program: &str) -> &'static [(Holds, &'static str)] {
    static TABLE: OnceLock<BTreeMap<&'static str, Vec<(Holds, &'static str)>>> = OnceLock::new();
    static LOADED: OnceLock<Table> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut rows: BTreeMap<&str, Vec<(Holds, &str)>> = BTreeMap::new();
        for row in &LOADED.get_or_init(|| load().unwrap_or_default()).programs {
            for name in row.names.split(' ') {
                rows.entry(name).or_default().extend(row.files.split(' ').map(|file| (row.holds, file)));
            }
        }
        rows
    });
    table.get(program).map_or(&[], Vec::as_slice)
}

impl Machine<'_> {
    pub(super) fn start_up_files(&mut self, program: &str, words: &[Arg], io: &mut Io<'_>) {
        for (holds, file) in rows(program) {
            if *holds == Holds::Tests {
                self.test_files(file, words, io);
                continue;
            }
            let file = Arg::exact(*file);
            let (target, _) = self.world.locate_word(&file);
            if self.world.written(&target).is_none() {
                continue;
            }
            match holds {
                Holds::Code => {
                    self.run_file(&file, None, &[], &[], io);
                }
                Holds::Tests => {}
                Holds::Project => {
                    self.guessed(|machine| machine.run_file(&file, None, &[], &[], io));
                }
                Holds::Settings => {
                    let name = words.first().map_or("", |word| word.text.as_str());
                    self.opaque(About::Anything, Reason::WrittenSettings(name.to_owned()), &[]);
                }
            }
        }
    }

    fn test_files(&mut self, names: &str, words: &[Arg], io: &mut Io<'_>) {
        let operands = words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        // `tests/test_a.py::test_b` is one test of a file.
        let files = operands.map(|word| word.with(word.text.split("::").next().unwrap_or_default()));
        let mut files: Vec<Arg> = files.filter(Arg::is_exact).collect();
        if files.is_empty() {
            files.push(Arg::exact("."));
        }
        for file in files {
            let (target, _) = self.world.locate_word(&file);
            let below = if target.path == "." { format!("**/{names}") } else { format!("{}/**/{names}", target.path) };
            let one = if self.world.written(&target).is_some() { target.path } else { below };
            for (path, text) in self.world.written_matching(&one) {
                let file = Arg::exact(path);
                self.guessed(|machine| machine.run_text_of(&file, &text, io));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_loads() {
        assert!(!super::load().unwrap().programs.is_empty());
        assert!(!super::rows("npm").is_empty());
    }
}
