//! Scripts of a project that this session wrote: what `npm run`, `make`, `just` and the like then run.

mod builds;
mod called;
mod goals;
mod make;
mod origin;
mod recipes;
mod start_up;
mod tables;
mod unread;

use crate::command::argument::Arg;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, PathTarget, Reason};

pub use called::{CalledRecipes, RecipeFiles};
use goals::{behind_run, composer_goals, node_goals, npm_goals, operands, parts, yarn_goals};
use recipes::{Recipes, Selected};

/// Bytes of a file that are parsed for one step of work.
const PARSED_BYTES_A_STEP: usize = 8;
/// Lines of a part of a file that may be commands.
const LINES: usize = 200;

/// One program that reads a file of recipes.
struct Runner {
    names: &'static [&'static str],
    files: &'static [&'static str],
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
    holds: Holds,
    read: fn(&str) -> Recipes,
    goals: fn(&[String]) -> Vec<String>,
}

/// What a file is for that a runner reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
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

const RUNNERS: &[Runner] = &[
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
struct Divided {
    directory: Option<Arg>,
    files: Vec<Arg>,
    texts: Vec<Arg>,
    operands: Vec<String>,
    /// A word is not known, so neither is what it asks for.
    unknown: bool,
}

impl Runner {
    fn runs_elsewhere(&self, words: &[Arg]) -> bool {
        let names = |word: &Arg| {
            let name = word.text.split('=').next().unwrap_or_default();
            self.elsewhere.contains(&name)
        };
        self.elsewhere == ["*"] || words.iter().any(names)
    }

    fn divide(&self, words: &[Arg]) -> Divided {
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
    /// What follows the option for the file of recipes in a word of several letters: `-` of `-sf-`, nothing of
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

impl Machine<'_> {
    /// After `name words…` ran: what of it this session wrote.
    pub(crate) fn project_scripts(&mut self, name: &str, words: &[Arg], io: &mut Io<'_>) {
        self.start_up_files(name, words, io);
        for runner in RUNNERS.iter().filter(|runner| runner.names.contains(&name)) {
            self.runner(runner, words.get(1..).unwrap_or_default(), io);
        }
    }

    fn runner(&mut self, runner: &Runner, words: &[Arg], io: &mut Io<'_>) {
        let divided = runner.divide(words);
        let home = self.world.cwd().map(str::to_owned);
        if let Some(directory) = &divided.directory {
            self.world.enter_word(directory);
        }
        let named = !divided.files.is_empty();
        let files =
            if named { divided.files.clone() } else { runner.files.iter().map(|file| Arg::exact(*file)).collect() };
        for text in &divided.texts {
            let known = text.literal().map_or(Stream::Unknown, |text| Stream::of(text.to_owned()));
            self.piped_recipes("argument", &known, runner, &divided, io);
        }
        if !self.recipe_files(runner, &files, &divided, io) && divided.directory.is_some() {
            // The program may be there already.
            self.world.set_cwd(home.clone());
            self.recipe_files(runner, &files, &divided, io);
        }
        if runner.runs_elsewhere(words) {
            self.recipes_below(runner, &divided, io);
        }
        self.world.set_cwd(home);
    }

    /// Returns whether the session wrote one of the files.
    fn recipe_files(&mut self, runner: &Runner, files: &[Arg], divided: &Divided, io: &mut Io<'_>) -> bool {
        for file in files {
            if let Some(text) = self.piped_file(file, io) {
                self.piped_recipes("input", &text, runner, divided, io);
                continue;
            }
            let (target, _) = self.world.locate_word(file);
            match self.world.written(&target) {
                None => continue,
                Some(Some(text)) => {
                    let recipes = self.read_recipes(runner, text);
                    self.recipes(file, &recipes, runner, divided, io);
                }
                Some(None) => self.partial_recipes(file, &target, runner, divided, io),
            }
            return true;
        }
        false
    }

    /// Recipes of members of the project, of which the call runs some.
    fn recipes_below(&mut self, runner: &Runner, divided: &Divided, io: &mut Io<'_>) {
        let goals = (runner.goals)(&divided.operands);
        for file in runner.files {
            for (path, text) in self.world.written_matching(&format!("**/{file}")) {
                let recipes = self.read_recipes(runner, &text);
                let lines = self.selected(&recipes, &goals);
                self.guessed(|machine| machine.recipe_lines(&Arg::exact(path), &lines, io));
            }
        }
    }

    /// Recipes of a file of which only parts are known.
    fn partial_recipes(
        &mut self,
        file: &Arg,
        target: &PathTarget,
        runner: &Runner,
        divided: &Divided,
        io: &mut Io<'_>,
    ) {
        let parts = self.world.parts(target).to_vec();
        if let Some(provenance) = self.world.provenance(target) {
            return self.foreign_code(provenance);
        }
        if parts.is_empty() && runner.holds == Holds::Recipes {
            self.opaque(About::Anything, Reason::RecipeContentUnknown, &[]);
        }
        // Lines without the name of their recipe may belong to any.
        let goals = [(runner.goals)(&divided.operands), vec![String::new()]].concat();
        for part in parts {
            let recipes = self.read_recipes(runner, &part);
            let lines = self.selected(&recipes, &goals);
            self.guessed(|machine| machine.recipe_lines(file, &lines, io));
            // A part of a line may be the whole of a command.
            for line in part.lines().take(LINES) {
                self.guess_text(line.trim().trim_start_matches(['@', '-', '+']));
            }
        }
    }

    /// A parser costs more than a look at the text.
    fn read_recipes(&self, runner: &Runner, text: &str) -> Recipes {
        self.world.meter().charge(text.len() / PARSED_BYTES_A_STEP);
        (runner.read)(text)
    }

    /// What a name for standard input or for a process substitution holds; `None`: it is a file's.
    fn piped_file(&self, file: &Arg, io: &Io<'_>) -> Option<Stream> {
        match file.literal() {
            Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => Some(io.input.copied()),
            _ => self.process_output(file),
        }
    }

    /// Recipes that are in no file: no policy has seen them, so none vouches for what of them is not known.
    fn piped_recipes(&mut self, from: &str, text: &Stream, runner: &Runner, divided: &Divided, io: &mut Io<'_>) {
        let from = &Arg::exact(from);
        match text {
            Stream::Known(text) if text.contains(':') => {
                let recipes = self.read_recipes(runner, text);
                self.recipes(from, &recipes, runner, divided, io);
            }
            Stream::Known(text) if text.is_empty() => {}
            Stream::Foreign(provenance) => self.foreign_input(*provenance),
            _ => {
                self.opaque(About::Anything, Reason::UnknownRecipes, &[]);
                if let Stream::Known(text) | Stream::Likely(text) = text {
                    let recipes = self.read_recipes(runner, text);
                    self.guessed(|machine| machine.all_recipes(from, &recipes, io));
                }
            }
        }
    }

    /// The recipes that the words of a call ask for.
    fn recipes(&mut self, file: &Arg, recipes: &Recipes, runner: &Runner, divided: &Divided, io: &mut Io<'_>) {
        if divided.unknown {
            self.opaque(About::Anything, Reason::UncertainRecipe, &[]);
            return self.guessed(|machine| machine.all_recipes(file, recipes, io));
        }
        if let Some(reason) = recipes.unread.clone() {
            self.opaque(About::Anything, reason, &[]);
        }
        let lines = self.selected(recipes, &(runner.goals)(&divided.operands));
        self.recipe_lines(file, &lines, io);
    }

    /// The lines that some goals run; where not all of them are followed, that is unresolved.
    fn selected(&mut self, recipes: &Recipes, goals: &[String]) -> Vec<String> {
        let Selected { lines, are_all } = recipes.selected(goals);
        if !are_all {
            self.opaque(About::Anything, Reason::TooManyItems, &[]);
        }
        lines
    }

    fn all_recipes(&mut self, file: &Arg, recipes: &Recipes, io: &mut Io<'_>) {
        self.recipe_lines(file, &recipes.all_lines(), io);
    }

    /// Each line has a shell of its own.
    fn recipe_lines(&mut self, file: &Arg, lines: &[String], io: &mut Io<'_>) {
        self.through_script(file, |machine| {
            for line in lines {
                machine.command_text(&Arg::exact(line.as_str()), io);
            }
        });
    }
}
