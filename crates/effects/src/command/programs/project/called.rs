//! The recipes that a command asks for, read outside of any session: from a commit.

use std::collections::BTreeMap;

use super::recipes::Recipes;
use super::runner::{Divided, RUNNERS, Runner};
use crate::command::argument::Arg;

/// A file of recipes that a command reads, and the lines of it that it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledRecipes {
    /// From the current directory.
    pub file: String,
    pub lines: Vec<String>,
}

/// The files of recipes (`Makefile`, `package.json`, …) of one directory, each parsed once for all commands that read it.
#[derive(Debug, Default)]
pub struct RecipeFiles {
    /// By the reader and the path. `None`: nothing is there.
    known: BTreeMap<(usize, String), Option<Recipes>>,
}

impl RecipeFiles {
    /// The files that a command reads. `read` returns the text of a file, by its path from the current directory.
    pub fn called(&mut self, words: &[String], read: &mut dyn FnMut(&str) -> Option<String>) -> Vec<CalledRecipes> {
        let Some((program, rest)) = words.split_first() else { return Vec::new() };
        let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = name.strip_suffix(".exe").unwrap_or(name);
        let rest: Vec<Arg> = rest.iter().map(Arg::exact).collect();
        let runners = RUNNERS.iter().enumerate().filter(|(_, runner)| runner.names.contains(&name));
        runners.filter_map(|(at, runner)| self.called_by(at, runner, &runner.divide(&rest), read)).collect()
    }

    fn called_by(
        &mut self,
        at: usize,
        runner: &Runner,
        divided: &Divided,
        read: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Option<CalledRecipes> {
        let folder = divided.directory.as_ref().map_or("", |folder| folder.text.trim_end_matches('/'));
        let in_folder = |file: &str| if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") };
        let named: Vec<String> = match divided.files.as_slice() {
            [] => runner.files.iter().map(|file| in_folder(file)).collect(),
            // Runners differ in whether a file is looked for in the directory that is named, too.
            files => files.iter().flat_map(|file| [in_folder(&file.text), file.text.clone()]).collect(),
        };
        for file in named {
            let known = self.known.entry((at, file.clone()));
            let Some(recipes) = known.or_insert_with(|| read(&file).map(|text| (runner.read)(&text))) else { continue };
            let lines = if divided.unknown {
                recipes.all_lines()
            } else {
                recipes.selected(&(runner.goals)(&divided.operands)).lines
            };
            return Some(CalledRecipes { file, lines });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_reads_its_file_and_runs_the_goals_that_it_names() {
        let make = "gate: tools\n\tagent-strace check\ntools:\n\t./scripts/tools.sh\nbuild:\n\tcargo build\n";
        let package = r#"{"scripts": {"gate": "node ci/gate.js", "build": "tsc"}}"#;
        let task = "tasks:\n  gate:\n    cmds:\n      - x y\n";
        let files = [("Makefile", make), ("ci/Makefile", make), ("package.json", package), ("Taskfile.dist.yml", task)];
        for (command, expected) in [
            ("make gate", vec![("Makefile", "./scripts/tools.sh|agent-strace check")]),
            ("make -C ci build", vec![("ci/Makefile", "cargo build")]),
            ("gmake -f ci/Makefile tools", vec![("ci/Makefile", "./scripts/tools.sh")]),
            ("npm run gate", vec![("package.json", "node ci/gate.js")]),
            ("pnpm gate", vec![("package.json", "node ci/gate.js")]),
            ("task gate", vec![("Taskfile.dist.yml", "x y")]),
            ("just gate", vec![]),
            ("cargo test", vec![]),
        ] {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            let mut read =
                |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
            let called = RecipeFiles::default().called(&words, &mut read);
            let called: Vec<(&str, String)> =
                called.iter().map(|called| (called.file.as_str(), called.lines.join("|"))).collect();
            let expected: Vec<(&str, String)> =
                expected.into_iter().map(|(file, lines)| (file, lines.to_owned())).collect();
            assert_eq!(called, expected, "{command}");
        }
    }

    #[test]
    fn a_file_is_read_once_for_all_commands() {
        let recipes: Vec<String> = (0..500).map(|at| format!("t{at}:\n\techo {at}\n")).collect();
        let make = recipes.concat();
        let mut files = RecipeFiles::default();
        let mut reads: Vec<String> = Vec::new();
        for at in 0..500 {
            let called = files.called(&["make".to_owned(), format!("t{at}")], &mut |path| {
                reads.push(path.to_owned());
                (path == "Makefile").then(|| make.clone())
            });
            assert_eq!(called.first().map(|called| called.lines.clone()), Some(vec![format!("echo {at}")]));
        }
        assert_eq!(reads, ["GNUmakefile", "makefile", "Makefile"]);
    }
}
