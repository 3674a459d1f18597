//! The places where the shell looks for programs: a directory before the installed ones may hold another `cargo`.

use super::argument::Arg;
use super::machine::Machine;
use super::simple::Io;
use crate::world::is_installed_path;
use crate::{Kind, World};
use agent_strace_shell::{Fragment, Scope};

/// Directories of a project that package managers install programs to.
const OWN: &[&str] = &["node_modules/.bin", "venv/bin", "vendor/bin"];

/// Stands for text that nobody knows.
const UNKNOWN: char = '\0';

/// Stands for the search path that the shell started with.
const INHERITED: &str = "\u{1}";

impl World {
    /// The script sets the search path so that programs may be found in a place where nobody installs any. What stands
    /// behind the search path as it was (`PATH=$PATH:x`) replaces no program.
    pub(super) fn is_shadowed(&self, scope: &Scope) -> bool {
        let places = search_path(scope);
        let mut before = places.iter().take_while(|place| *place != INHERITED);
        before.any(|directory| !self.is_installed(directory))
    }

    /// An empty place is the working directory.
    fn is_installed(&self, directory: &str) -> bool {
        if directory.is_empty() || directory.contains(UNKNOWN) {
            return false;
        }
        let path = self.locate_word(&Arg::exact(directory)).0.path;
        let ours = !path.starts_with(['/', '~']);
        if ours { OWN.iter().any(|own| path.ends_with(own)) } else { is_installed_path(&path) }
    }
}

impl Machine<'_> {
    /// Runs what the session wrote where the shell finds a program of this name, in addition to the program.
    pub(super) fn written_programs(&mut self, name: &str, words: &[Arg], io: &mut Io<'_>) {
        if name.contains(['/', '\\']) {
            return;
        }
        for path in self.programs_found(name, io.scope) {
            // A program that stands in for another one mostly runs that, too.
            if self.shell.standing_in.contains(&path) {
                continue;
            }
            let words: Vec<Arg> =
                std::iter::once(Arg::exact(path.as_str())).chain(words.iter().skip(1).cloned()).collect();
            self.shell.standing_in.push(path);
            self.own_program(&words, io);
            self.shell.standing_in.pop();
        }
    }

    fn programs_found(&self, name: &str, scope: &Scope) -> Vec<String> {
        let mut found = self.world.stand_ins(name);
        // The shell looks behind the search path that it started with if no other program has the name.
        let is_installed = self.knowledge.lists(name);
        let places = search_path(scope);
        let places = places.iter().take_while(|place| *place != INHERITED || !is_installed);
        for directory in places.filter(|place| *place != INHERITED) {
            let directory = if directory.is_empty() { "." } else { directory };
            if directory.contains(UNKNOWN) || !self.world.has_written() {
                continue;
            }
            let (target, _) = self.world.locate_word(&Arg::exact(format!("{directory}/{name}")));
            let path = if target.path.contains('/') { target.path.clone() } else { format!("./{}", target.path) };
            if !found.contains(&path) && self.world.is_written(&target) {
                found.push(path);
            }
        }
        found
    }

    /// A program whose acts are not all known ran: it finds what the session put before the installed programs.
    pub(super) fn programs_before(&mut self, mark: usize, io: &mut Io<'_>) {
        let is_open = |machine: &Self| machine.emitter.since(mark).any(|effect| matches!(effect.kind, Kind::Opaque(_)));
        if !self.context.shadowed || !self.world.has_written() || !is_open(self) {
            return;
        }
        let places = search_path(io.scope).into_iter().take_while(|place| place != INHERITED);
        for directory in places.filter(|place| !place.contains(UNKNOWN)) {
            let directory = if directory.is_empty() { ".".to_owned() } else { directory };
            let target = self.world.locate_word(&Arg::exact(directory)).0;
            for name in self.world.written_in(&target.path) {
                let path = if target.path == "." { format!("./{name}") } else { format!("{}/{name}", target.path) };
                if self.knowledge.lists(&name) && !self.shell.standing_in.contains(&path) {
                    self.shell.standing_in.push(path.clone());
                    self.guessed(|machine| machine.own_program(&[Arg::exact(path)], io));
                    self.shell.standing_in.pop();
                }
            }
        }
    }
}

/// The directories of the search path in order, as far as the script sets it.
fn search_path(scope: &Scope) -> Vec<String> {
    if scope.content("PATH").is_none() {
        return Vec::new();
    }
    let value = scope.value("PATH");
    let mut text = String::new();
    let mut fragments = value.fragments().iter().peekable();
    while let Some(fragment) = fragments.next() {
        match fragment {
            Fragment::Inherited if stands_alone(&text, fragments.peek().copied()) => text.push_str(INHERITED),
            Fragment::Text { text: known, .. } | Fragment::Likely(known) => text.push_str(known),
            Fragment::Either(texts) => text.push_str(texts.first().map_or("", String::as_str)),
            Fragment::Tilde(user) => text.extend(["~", user.as_deref().unwrap_or_default()]),
            Fragment::Glob(_)
            | Fragment::Matching(_)
            | Fragment::Splitting(_)
            | Fragment::Unknown
            | Fragment::Foreign(_)
            | Fragment::Inherited
            | Fragment::Break(_) => text.push(UNKNOWN),
        }
    }
    text.split(':').map(str::to_owned).collect()
}

/// The text is a place of its own: `$PATH/x` is not the search path that the shell started with.
fn stands_alone(before: &str, next: Option<&Fragment>) -> bool {
    let ends = match next {
        None => true,
        Some(Fragment::Text { text, .. } | Fragment::Likely(text)) => text.is_empty() || text.starts_with(':'),
        Some(_) => false,
    };
    ends && (before.is_empty() || before.ends_with(':'))
}
