//! Acts of a session that may change the programs and settings with which a shell starts.

use super::World;
use crate::{Argument, Certainty, Effect, Kind};

/// Programs that put others where a shell looks for them, if one of their words says so.
const INSTALLERS: &[&str] = &[
    "apk", "apt", "apt-get", "brew", "cargo", "choco", "cmake", "conda", "dnf", "gem", "gmake", "go", "just", "make",
    "mamba", "meson", "ninja", "nix-env", "pacman", "pip", "pip3", "pipx", "port", "scoop", "snap", "uv", "winget",
    "yum", "zypper",
];
/// Package managers that install into the project unless an option says otherwise.
const OF_PROJECTS: &[&str] = &["bun", "npm", "pnpm", "yarn"];
/// Words with which such a program runs a task, or shows something.
const RUNNING: &[&str] = &["exec", "ls", "run", "tasks", "version", "which", "x"];
/// Programs that set up a shell or the home directory, unless they run a task.
const PREPARERS: &[&str] = &["asdf", "chezmoi", "direnv", "mise", "stow", "volta"];

impl World {
    /// Remembers whether acts of the session may have prepared the shells of later calls.
    pub(crate) fn note_preparation(&mut self, effects: &[Effect]) {
        self.prepared = self.prepared || effects.iter().any(prepares);
    }

    /// The session wrote a file of one of these names.
    pub(crate) fn has_written_named(&self, names: &[&str]) -> bool {
        self.meter.charge_bytes(self.written.len());
        let name = |path: &str| path.rsplit('/').next().is_some_and(|name| names.contains(&name));
        self.forgetful || self.written.iter().any(|(path, _)| name(path))
    }

    /// The session wrote files outside of the workspace, other than temporary ones, or installed programs: a shell may start
    /// with some of them.
    pub(crate) fn may_have_prepared_shells(&self) -> bool {
        self.meter.charge_bytes(self.written.len());
        self.prepared || self.forgetful || self.written.iter().any(|(path, _)| is_outside(path))
    }
}

fn prepares(effect: &Effect) -> bool {
    match &effect.kind {
        Kind::Write(target) => {
            let is_set = target.subtree || effect.certainty == Certainty::Pattern;
            is_set && is_outside(&target.path)
        }
        Kind::Execute(execution) => installs(&execution.argv),
        _ => false,
    }
}

/// A word names an installer, and a later one asks for an installation that shells find.
fn installs(argv: &[Argument]) -> bool {
    let names = |word: &Argument, known: &[&str]| {
        let name = word.text.rsplit('/').next().unwrap_or_default();
        known.contains(&name)
    };
    let asks = |words: &[Argument], known: &[&str]| words.iter().any(|word| known.contains(&word.text.as_str()));
    let behind = |known: &[&str]| {
        let at = argv.iter().position(|word| names(word, known))?;
        argv.get(at + 1..)
    };
    behind(INSTALLERS).is_some_and(|words| asks(words, &["install", "--install", "-S", "tool", "-i", "-iA"]))
        || behind(OF_PROJECTS).is_some_and(|words| asks(words, &["-g", "--global", "global", "link"]))
        || behind(PREPARERS).is_some_and(|words| !asks(words.get(..1).unwrap_or_default(), RUNNING))
}

fn is_outside(path: &str) -> bool {
    let is_temporary = path == "/tmp" || ["/tmp/", "/var/tmp/", "/dev/"].iter().any(|start| path.starts_with(start));
    path.starts_with(['/', '~']) && !is_temporary
}
