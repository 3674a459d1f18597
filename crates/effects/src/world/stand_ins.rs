//! Finds files that the session wrote where others look for programs and modules by name.

use super::World;

/// Directories that users and package managers install programs to.
const INSTALLED: &[&str] =
    &["bin", "sbin", "usr", "opt", "nix", "snap", "root", "home", "Users", "Library", "Applications"];

/// Names of the directories in which programs are looked for.
const PROGRAMS: &[&str] = &["bin", "sbin", "shims", ".bin"];

/// Files with which shells start: they may say where programs are, and define functions.
const START_UP: &[&str] = &[
    ".bash_aliases",
    ".bash_login",
    ".bash_profile",
    ".bashrc",
    ".profile",
    ".zlogin",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "config.fish",
    "environment",
];

/// A path outside of the workspace where users and package managers install programs.
pub(crate) fn is_installed_path(path: &str) -> bool {
    let base = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    path.starts_with('~') || path.starts_with('/') && INSTALLED.contains(&base)
}

impl World {
    /// Remembers a written file that the shell may find as a program.
    pub(super) fn stands_in(&mut self, path: &str) {
        let Some((directory, name)) = path.rsplit_once('/') else { return };
        let holder = directory.rsplit('/').next().unwrap_or_default();
        if !is_installed_path(directory) || !PROGRAMS.contains(&holder) || name.is_empty() {
            return;
        }
        let mut places = self.stand_ins.get(name).cloned().unwrap_or_default();
        self.meter.charge(places.len());
        if !places.iter().any(|known| known == path) {
            places.push(path.to_owned());
            self.stand_ins.insert(name, places);
        }
    }

    /// Files that the session wrote where the shell looks for a program of this name by itself.
    pub(crate) fn stand_ins(&self, name: &str) -> Vec<String> {
        self.note(|queries| {
            if self.stand_ins.is_empty() {
                queries.no_stand_ins = true;
            } else {
                queries.unrepeatable = true;
            }
        });
        let places = self.stand_ins.get(name).cloned().unwrap_or_default();
        self.meter.charge(places.len());
        places
    }

    /// A program of any name may come from the session: something filled a directory of programs, or one that may hold such a
    /// directory, with files whose names are not known, or a shell starts with a file that the session wrote.
    pub(crate) fn may_stand_in(&self) -> bool {
        self.note(|queries| {
            queries.any_written = Some(!self.written.is_empty());
            queries.unrepeatable |= !self.written.is_empty();
        });
        self.meter.charge_bytes(self.written.len());
        self.forgetful
            || self.written.iter().any(|(path, written)| {
                let name = path.rsplit('/').next().unwrap_or(path);
                let is_filled = !written.knows_text() && !name.trim_start_matches('.').contains('.');
                PROGRAMS.contains(&name) || START_UP.contains(&name) || is_filled && is_installed_path(path)
            })
    }

    /// The session wrote a file somewhere below a directory.
    pub(crate) fn has_written_below(&self, directory: &str) -> bool {
        self.note(|queries| {
            queries.any_written = Some(!self.written.is_empty());
            queries.unrepeatable |= !self.written.is_empty();
        });
        let directory = super::paths::in_home(directory);
        self.forgetful || self.written.starting_with(&format!("{directory}/")).next().is_some()
    }

    /// Names of the files that the session wrote directly into a directory.
    pub(crate) fn written_in(&self, directory: &str) -> Vec<String> {
        self.note(|queries| {
            queries.any_written = Some(!self.written.is_empty());
            queries.unrepeatable |= !self.written.is_empty();
        });
        let directory = super::paths::in_home(directory);
        let prefix =
            if directory.as_ref() == "." { String::new() } else { format!("{}/", directory.trim_end_matches('/')) };
        let near = self.written.starting_with(&prefix).map(|(path, _)| path);
        let names = near.inspect(|_| self.meter.charge(1)).filter_map(|path| path.get(prefix.len()..));
        names.filter(|name| !name.contains('/')).map(str::to_owned).collect()
    }
}
