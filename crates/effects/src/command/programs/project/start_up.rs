//! Files that programs read by themselves when they start: written in this session, they change what later calls do.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::command::argument::Arg;
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::programs::by_extension;
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
    /// Words of which one or its part has to be in the call.
    #[serde(default)]
    when: String,
    /// The language of files whose names do not say it.
    #[serde(default)]
    language: Option<Language>,
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
    /// The same for programs that are compiled.
    Sources,
    /// Modules of Python's standard library, beside the program among the operands.
    Modules,
    /// Notebooks among the operands.
    Notebook,
    /// Settings that can make the program run anything.
    Settings,
    /// Recipes in a language that nothing here evaluates.
    Recipes,
    /// The same, where the operands name them.
    Operands,
}

impl Row {
    fn concerns(&self, words: &[Arg]) -> bool {
        let asks = |word: &Arg| {
            let name = word.text.rsplit('/').next().unwrap_or_default();
            let mut parts = name.split([':', '-', '=']).filter(|part| !part.is_empty());
            parts.any(|part| self.when.split(' ').any(|when| when == part))
        };
        self.when.is_empty() || words.iter().any(asks)
    }
}

fn load() -> Result<Table, serde_json::Error> {
    serde_json::from_str(include_str!("start_up.json"))
}

/// Program → its rows. A test loads the data; were it broken, no file would be known, and that test would fail.
fn rows(program: &str) -> &'static [&'static Row] {
    static TABLE: OnceLock<BTreeMap<&'static str, Vec<&'static Row>>> = OnceLock::new();
    static LOADED: OnceLock<Table> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut rows: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for row in &LOADED.get_or_init(|| load().unwrap_or_default()).programs {
            for name in row.names.split(' ') {
                rows.entry(name).or_default().push(row);
            }
        }
        rows
    });
    table.get(program).map_or(&[], Vec::as_slice)
}

impl Machine<'_> {
    pub(super) fn start_up_files(&mut self, program: &str, words: &[Arg], io: &mut Io<'_>) {
        for row in rows(program).iter().filter(|row| row.concerns(words)) {
            match row.holds {
                Holds::Tests | Holds::Sources => self.found_files(row, words, io),
                Holds::Modules => self.modules_beside(words, io),
                Holds::Notebook => self.notebooks(words, io),
                Holds::Operands => self.recipes_among(words),
                Holds::Code | Holds::Project | Holds::Settings | Holds::Recipes => self.fixed_files(row, words, io),
            }
        }
    }

    fn modules_beside(&mut self, words: &[Arg], io: &mut Io<'_>) {
        let program = words.iter().skip(1).find(|word| by_extension(&word.text) == Some(Language::Python));
        let directory = program.and_then(|word| word.text.rsplit_once('/')).map_or(".", |(directory, _)| directory);
        self.shadowing_modules(&Arg::exact(directory), io);
    }

    fn fixed_files(&mut self, row: &Row, words: &[Arg], io: &mut Io<'_>) {
        for file in row.files.split(' ') {
            let file = Arg::exact(file);
            let (target, _) = self.world.locate_word(&file);
            if !self.world.is_written(&target) {
                continue;
            }
            match row.holds {
                Holds::Settings | Holds::Recipes => self.unread_recipe(&file, words),
                Holds::Code => {
                    self.run_file(&file, row.language, &[], &[], io);
                }
                _ => {
                    self.guessed(|machine| machine.run_file(&file, row.language, &[], &[], io));
                }
            }
        }
    }

    /// Files of the session among the operands.
    fn recipes_among(&mut self, words: &[Arg]) {
        let operands =
            words.iter().skip(1).map(|word| word.after('=').map_or_else(|| word.clone(), |(_, value)| value));
        let operands: Vec<Arg> = operands.filter(|word| word.is_exact() && !word.text.starts_with('-')).collect();
        for file in operands {
            let (target, _) = self.world.locate_word(&file);
            if self.world.is_written(&target) {
                self.unread_recipe(&file, words);
            }
        }
    }

    /// A file of the session that the program does what it says of: nothing evaluates it, but it may spell commands.
    fn unread_recipe(&mut self, file: &Arg, words: &[Arg]) {
        let name = words.first().map_or("", |word| word.text.as_str());
        self.opaque(About::Anything, Reason::WrittenSettings(name.to_owned()), &[]);
        let (target, _) = self.world.locate_word(file);
        let texts = match self.world.written(&target).flatten() {
            Some(text) => vec![text.to_owned()],
            None => self.world.parts(&target).to_vec(),
        };
        self.through_script(file, |machine| {
            for text in &texts {
                machine.guess_recipe(text);
            }
        });
    }

    /// Files of such names that the session wrote, below the operands or below the working directory.
    fn found_files(&mut self, row: &Row, words: &[Arg], io: &mut Io<'_>) {
        let operands = words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        // Other words say what to do, or name a directory among others.
        let operands = operands.filter(|word| word.text.contains(['/', '.']));
        // `tests/test_a.py::test_b` is one test of a file.
        let files = operands.map(|word| word.with(word.text.split("::").next().unwrap_or_default()));
        let mut files: Vec<Arg> = files.filter(Arg::is_exact).collect();
        if files.is_empty() || row.holds == Holds::Sources {
            files = vec![Arg::exact(".")];
        }
        for file in files {
            let (target, _) = self.world.locate_word(&file);
            if self.world.is_written(&target) {
                self.of_pattern(row, &target.path, io);
                continue;
            }
            for names in row.files.split(' ') {
                let below = if target.path == "." { String::new() } else { format!("{}/", target.path) };
                self.of_pattern(row, &format!("{below}**/{names}"), io);
            }
        }
    }

    fn of_pattern(&mut self, row: &Row, pattern: &str, io: &mut Io<'_>) {
        for (path, text) in self.world.written_matching(pattern) {
            let file = Arg::exact(path);
            if row.holds == Holds::Sources {
                self.compiled_text(&file, &text, io);
            } else {
                self.guessed(|machine| machine.run_text_of(&file, &text, io));
            }
        }
    }

    /// Cells of notebooks that run.
    fn notebooks(&mut self, words: &[Arg], io: &mut Io<'_>) {
        for file in words.iter().skip(1).filter(|word| word.is_exact() && word.text.rsplit('.').next() == Some("ipynb"))
        {
            let (target, _) = self.world.locate_word(file);
            let whole = self.world.written(&target).flatten().map(cells);
            let texts = whole.unwrap_or_else(|| self.world.parts(&target).to_vec());
            for text in texts {
                self.guessed(|machine| {
                    machine.through_script(file, |machine| machine.code(Language::Python, &text, &[], io));
                });
            }
        }
    }
}

/// The code cells of a notebook; of a text that is none, the text.
fn cells(text: &str) -> Vec<String> {
    let Ok(notebook) = serde_json::from_str::<serde_json::Value>(text) else { return vec![text.to_owned()] };
    let cells = notebook.get("cells").and_then(serde_json::Value::as_array).into_iter().flatten();
    let code = cells.filter(|cell| cell.get("cell_type").is_none_or(|kind| kind == "code"));
    code.filter_map(|cell| match cell.get("source")? {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Array(lines) => Some(lines.iter().filter_map(serde_json::Value::as_str).collect()),
        _ => None,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_loads() {
        assert!(!super::load().unwrap().programs.is_empty());
        assert!(!super::rows("npm").is_empty());
    }
}
