//! Scripts of a project that this session wrote: what `npm run`, `make`, `just` and the like then run.

mod builds;
mod called;
mod goals;
mod make;
mod origin;
mod recipes;
mod runner;
mod start_up;
mod tables;
mod unread;

use crate::command::argument::Arg;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, PathTarget, Reason};

pub use called::{CalledRecipes, RecipeFiles};
use recipes::{Recipes, Selected};
use runner::{Divided, Holds, RUNNERS, Runner};

/// Bytes of a file that are parsed for one step of work.
const PARSED_BYTES_A_STEP: usize = 8;
/// Lines of a part of a file that may be commands.
const LINES: usize = 200;

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
