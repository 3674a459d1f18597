//! Programs that read files of recipes: which files, by which options, and what the words of a call ask for.

use super::goals::{behind_run, composer_goals, node_goals, npm_goals, operands, parts, yarn_goals};
use super::recipes::{self, Recipes};
use super::{builds, make, tables};
use crate::command::argument::Arg;

/// One program that reads a file of recipes.
pub(super) struct Runner {
    pub(super) names: &'static [&'static str],
    pub(super) files: &'static [&'static str],
    /// Options whose value is the directory to run in.
    directories: &'static [&'static str],
    /// Options whose value is the file of recipes.
    file_options: &'static [&'static str],
    /// Letters of flags that may stand before such an option in one word, whose value may follow at once (`-sf-`).
    flags: Option<&'static str>,
    /// Options whose value is a text of recipes.
    text_options: &'static [&'static str],
    /// Other options that take a value as the next word.
    valued: &'static [&'static str],
    /// Words with which it runs in other directories of the project; `*`: it always may.
    elsewhere: &'static [&'static str],
    /// Options whose value is a goal; they stand among the operands as `=goal`.
    options: &'static [&'static str],
    pub(super) holds: Holds,
    pub(super) read: fn(&str) -> Recipes,
    pub(super) goals: fn(&[String]) -> Vec<String>,
}

/// The use that a runner makes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// Recipes, above all.
    Recipes,
    /// Settings, and recipes among them.
    Settings,
}

impl Runner {
    const fn settings(
        names: &'static [&'static str],
        files: &'static [&'static str],
        read: fn(&str) -> Recipes,
        goals: fn(&[String]) -> Vec<String>,
    ) -> Self {
        Self { holds: Holds::Settings, ..Self::new(names, files, read, goals) }
    }

    const fn new(
        names: &'static [&'static str],
        files: &'static [&'static str],
        read: fn(&str) -> Recipes,
        goals: fn(&[String]) -> Vec<String>,
    ) -> Self {
        Self {
            names,
            files,
            directories: NONE,
            file_options: NONE,
            flags: None,
            text_options: NONE,
            valued: NONE,
            elsewhere: NONE,
            options: NONE,
            holds: Holds::Recipes,
            read,
            goals,
        }
    }
}

const NONE: &[&str] = &[];

pub(super) const RUNNERS: &[Runner] = &[
    Runner {
        valued: &["-w", "--workspace", "--filter", "-F", "--loglevel", "--cache", "--userconfig", "--registry"],
        directories: &["-C", "--prefix", "--dir", "--cwd"],
        elsewhere: &["-w", "--workspace", "--workspaces", "-ws", "--filter", "-F"],
        ..Runner::new(&["npm", "bun"], &["package.json"], recipes::package, npm_goals)
    },
    Runner {
        valued: &["--filter", "-F", "--loglevel", "--registry"],
        directories: &["-C", "--dir", "--cwd"],
        elsewhere: &["--filter", "-F", "-r", "--recursive", "-w", "--workspace-root", "workspace", "workspaces"],
        ..Runner::new(&["pnpm", "yarn"], &["package.json"], recipes::package, yarn_goals)
    },
    Runner {
        elsewhere: &["*"],
        ..Runner::settings(
            &["turbo", "nx", "lerna", "npm-run-all", "run-s", "run-p"],
            &["package.json"],
            recipes::package,
            parts,
        )
    },
    Runner { options: &["--run"], ..Runner::settings(&["node"], &["package.json"], recipes::package, node_goals) },
    Runner {
        directories: &["--cwd"],
        ..Runner::settings(&["deno"], &["deno.json", "deno.jsonc", "package.json"], recipes::package, behind_run)
    },
    Runner {
        directories: &["-d", "--working-dir"],
        ..Runner::new(&["composer"], &["composer.json"], recipes::package, composer_goals)
    },
    Runner {
        directories: &["-C", "--directory"],
        file_options: &["-f", "--file", "--makefile"],
        flags: Some("bBdehikLnpqrRsStvw"),
        text_options: &["--eval", "-E"],
        valued: &["-I", "-o", "-W", "-j", "-l", "--include-dir", "--assume-old", "--assume-new", "--what-if"],
        ..Runner::new(&["make", "gmake"], &["GNUmakefile", "makefile", "Makefile"], make::read, operands)
    },
    Runner {
        directories: &["-d", "--working-directory"],
        file_options: &["-f", "--justfile"],
        flags: Some("nqv"),
        valued: &["--set", "--shell", "--color"],
        ..Runner::new(&["just"], &["justfile", "Justfile", ".justfile"], recipes::just, operands)
    },
    Runner {
        directories: &["-d", "--dir"],
        file_options: &["-t", "--taskfile"],
        valued: &["-o", "--output", "-C", "--concurrency"],
        ..Runner::new(&["task", "go-task"], recipes::TASKFILES, recipes::task, operands)
    },
    Runner::settings(
        &["task", "poe", "poetry", "hatch", "pdm", "rye", "pixi"],
        &["pyproject.toml"],
        tables::toml,
        behind_run,
    ),
    Runner::settings(&["poe"], &["poe_tasks.toml"], tables::toml, operands),
    Runner::settings(&["pixi"], &["pixi.toml"], tables::toml, behind_run),
    Runner::settings(&["pipenv"], &["Pipfile"], tables::toml, behind_run),
    Runner::settings(
        &["mise"],
        &["mise.toml", ".mise.toml", ".config/mise.toml", "mise/config.toml"],
        tables::toml,
        behind_run,
    ),
    Runner::settings(&["cargo"], &["Makefile.toml"], tables::toml, behind_run),
    Runner { file_options: &["-c"], ..Runner::settings(&["tox"], &["tox.ini"], tables::tox, operands) },
    Runner {
        directories: &["-C"],
        file_options: &["-f"],
        ..Runner::settings(&["ninja"], &["build.ninja"], tables::ninja, operands)
    },
    Runner {
        directories: &["-S"],
        valued: &["-B", "-G", "-D", "--preset"],
        ..Runner::settings(&["cmake"], &["CMakeLists.txt"], tables::cmake, operands)
    },
    Runner {
        file_options: &["-f", "-file", "-buildfile", "--file"],
        ..Runner::settings(&["ant"], &["build.xml"], builds::xml, operands)
    },
    Runner {
        file_options: &["-f", "--file"],
        ..Runner::settings(&["mvn", "mvnw"], &["pom.xml"], builds::xml, operands)
    },
    Runner {
        directories: &["-p", "--project-dir"],
        file_options: &["-b", "--build-file"],
        elsewhere: &["*"],
        ..Runner::settings(
            &["gradle", "gradlew"],
            &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
            builds::gradle,
            operands,
        )
    },
    Runner {
        elsewhere: &["*"],
        ..Runner::settings(
            &["bazel", "bazelisk", "buck", "buck2", "blaze"],
            &["BUILD.bazel", "BUILD", "BUCK"],
            builds::bazel,
            operands,
        )
    },
    Runner::settings(
        &["cargo"],
        &[".cargo/config.toml", ".cargo/config", "~/.cargo/config.toml"],
        builds::cargo,
        operands,
    ),
    Runner {
        file_options: &["-f"],
        ..Runner::settings(&["foreman", "honcho", "overmind"], &["Procfile"], tables::procfile, operands)
    },
];

/// The words of one call of a runner.
#[derive(Debug, Default)]
pub(super) struct Divided {
    pub(super) directory: Option<Arg>,
    pub(super) files: Vec<Arg>,
    pub(super) texts: Vec<Arg>,
    pub(super) operands: Vec<String>,
    /// A word is not known, so neither is what it asks for.
    pub(super) unknown: bool,
}

impl Runner {
    pub(super) fn runs_elsewhere(&self, words: &[Arg]) -> bool {
        let names = |word: &Arg| {
            let name = word.text.split('=').next().unwrap_or_default();
            self.elsewhere.contains(&name)
        };
        self.elsewhere == ["*"] || words.iter().any(names)
    }

    pub(super) fn divide(&self, words: &[Arg]) -> Divided {
        let mut divided = Divided::default();
        let mut left = words.iter();
        while let Some(word) = left.next() {
            let text = word.text.as_str();
            let (name, attached) = match word.after('=').filter(|_| text.starts_with("--")) {
                Some((name, value)) => (name, Some(value)),
                None => (text.to_owned(), None),
            };
            let name = name.as_str();
            let mut value = || attached.clone().or_else(|| left.next().cloned());
            if self.directories.contains(&name) {
                divided.directory = value();
            } else if self.file_options.contains(&name) {
                divided.files.extend(value());
            } else if self.text_options.contains(&name) {
                divided.texts.extend(value());
            } else if self.options.contains(&name) {
                divided.operands.extend(value().map(|goal| format!("={}", goal.text)));
            } else if self.valued.contains(&name) {
                // `-j` alone is followed by a goal as often as by a number.
                if attached.is_none() && left.clone().next().is_some_and(|next| name != "-j" || is_number(&next.text)) {
                    left.next();
                }
            } else if let Some(short) = self.directories.iter().find(|short| is_joined(short, text)) {
                divided.directory = Some(word.with(text.get(short.len()..).unwrap_or_default()));
            } else if let Some(joined) = self.joined_file(text) {
                let file = if joined.is_empty() { left.next().cloned() } else { Some(word.with(joined)) };
                divided.files.extend(file);
            } else if !text.starts_with('-') {
                divided.unknown |= !word.is_exact();
                divided.operands.push(text.to_owned());
            }
        }
        divided
    }
}

impl Runner {
    /// Returns the text behind the option for the file of recipes in a word of several letters: `-` in `-sf-`, nothing in
    /// `-sf`.
    fn joined_file<'t>(&self, text: &'t str) -> Option<&'t str> {
        let flags = self.flags?;
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let (at, _) = letters.char_indices().find(|(_, letter)| !flags.contains(*letter))?;
        let joined = letters.get(at..)?;
        self.file_options.iter().find_map(|option| joined.strip_prefix(option.strip_prefix('-')?))
    }
}

fn is_joined(short: &str, text: &str) -> bool {
    short.len() == 2 && text.len() > 2 && text.starts_with(short)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
