//! Acts of a session that may put code or packages of others into the workspace, or make programs look for them elsewhere.

use super::World;
use crate::{About, Argument, Certainty, Class, Effect, Kind, Opaque, Purpose, Reason};

/// What is said of acts that only change files as the project's own settings have it.
const TIDYING: &[&str] = &["formats the project's files", "removes built files"];
/// Files that say which packages a project has, where they come from, and what runs when they are installed.
const LISTS: &str = "package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml yarn.lock bun.lock \
    bun.lockb .npmrc npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs bunfig.toml .bunfig.toml pyproject.toml uv.lock uv.toml \
    poetry.lock poetry.toml pdm.lock Pipfile Pipfile.lock pip.conf pip.ini setup.py setup.cfg Gemfile Gemfile.lock gems.rb \
    composer.json composer.lock auth.json go.mod go.sum go.work go.env binding.gyp .pnpmfile.mjs hatch_build.py \
    sitecustomize.py";
/// Directories with settings and programs of package managers, and with scripts that an installation may run.
const HOLDERS: &[&str] = &[".bundle", ".husky", ".yarn", "bin", "hooks", "node_modules", "script", "scripts", "tools"];
/// Programs that bring in files without naming them, by links and by lists of downloads.
const BRINGERS: &[&str] = &["aria2c", "ln", "wget"];
/// Package managers, and words with which they keep settings.
const MANAGERS: &[&str] = &[
    "bun", "bundle", "bundler", "composer", "corepack", "npm", "pdm", "pip", "pip3", "pipenv", "pnpm", "poetry", "uv",
    "yarn",
];
const SETTING: &[&str] = &["c", "config", "set", "source", "sources", "trust", "enable", "prepare", "use"];
/// Variables that change how programs print and log, and not what they run.
const IDLE: &[&str] = &[
    "CARGO_TERM_COLOR",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "DEBIAN_FRONTEND",
    "FORCE_COLOR",
    "LANG",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
];

/// Returns true if a variable only changes how programs print and log, and not what they run.
pub fn is_idle_variable(name: &str) -> bool {
    name.starts_with("LC_") || IDLE.contains(&name)
}

impl World {
    /// Remembers whether acts of the session may have brought in code of others.
    pub(crate) fn note_code_of_others(&mut self, effects: &[Effect]) {
        self.has_code_of_others = self.has_code_of_others || effects.iter().any(may_bring_code);
    }

    /// An act of an earlier call may have brought in code of others.
    pub(crate) fn may_have_code_of_others(&self) -> bool {
        self.note(|queries| {
            queries.no_code_of_others = true;
            queries.unrepeatable |= self.has_code_of_others;
        });
        self.has_code_of_others || self.forgetful
    }
}

/// The act may write code that no record shows into the workspace, or set where programs look for code.
pub(crate) fn may_bring_code(effect: &Effect) -> bool {
    match &effect.kind {
        Kind::Write(target) => {
            let is_set = target.subtree || effect.certainty == Certainty::Pattern;
            is_list(&target.path) || is_set && effect.gathered != Some(Purpose::Check)
        }
        Kind::Delete(target) => is_list(&target.path) || effect.certainty == Certainty::Pattern,
        Kind::Execute(execution) => changes_sources(&execution.argv),
        Kind::Env { name } => !is_idle_variable(name),
        Kind::Opaque(opaque) => may_bring(opaque),
        // A tool of which nobody knows what it does has an opaque effect, too.
        Kind::Tool { .. } | Kind::Read(_) | Kind::List(_) | Kind::Connect(_) | Kind::Spawn { .. } => false,
    }
}

/// The file says which packages are installed, or lies among the programs that install them.
fn is_list(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    LISTS.split_whitespace().any(|list| list == name) || path.split('/').any(|part| HOLDERS.contains(&part))
}

/// `poetry source add`, `npm config set`, `ln -s /elsewhere packages/x`
fn changes_sources(argv: &[Argument]) -> bool {
    let Some((program, words)) = argv.split_first() else { return false };
    let name = program.text.rsplit('/').next().unwrap_or_default();
    BRINGERS.contains(&name)
        || MANAGERS.contains(&name) && words.iter().take(4).any(|word| SETTING.contains(&word.text.as_str()))
}

fn may_bring(opaque: &Opaque) -> bool {
    match (opaque.class, opaque.about) {
        (_, About::Reads | About::Network) | (Class::Delegated, About::Project) => false,
        (Class::Delegated, About::Writes) => !TIDYING.contains(&opaque.reason.to_string().as_str()),
        // What was there at the revision that is checked out.
        (Class::State, _) => opaque.reason != Reason::RestoresFiles,
        (Class::Delegated | Class::Changed | Class::Unknown | Class::Hidden, _) => true,
    }
}
