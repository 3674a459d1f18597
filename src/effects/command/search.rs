//! Where programs are looked for: a directory that a script puts before the installed ones may hold another `cargo`.

use super::argument::Arg;
use super::machine::Machine;
use crate::shell::{Piece, Scope};

/// Directories that users and package managers install programs to.
const INSTALLED: &[&str] =
    &["bin", "sbin", "usr", "opt", "nix", "snap", "root", "home", "Users", "Library", "Applications"];

/// What package managers install into a project.
const OWN: &[&str] = &["node_modules/.bin", "venv/bin", "vendor/bin"];

/// What stands for text that nobody knows, such as the search path of the machine.
const UNKNOWN: char = '\0';

impl Machine<'_> {
    /// The script sets the search path so that programs may be found in a place where nobody installs any. What stands
    /// behind the search path as it was (`PATH=$PATH:x`) replaces no program.
    pub(super) fn is_shadowed(&self, scope: &Scope) -> bool {
        if scope.content("PATH").is_none() {
            return false;
        }
        let mut text = String::new();
        for piece in scope.value("PATH").pieces() {
            match piece {
                Piece::Text { text: part, .. } | Piece::Likely(part) => text.push_str(part),
                Piece::Tilde(user) => text.extend(["~", user.as_deref().unwrap_or_default()]),
                Piece::Matching(pattern) => text.push_str(&pattern.replace("**", "\0")),
                Piece::Glob(_) | Piece::Unknown | Piece::Break { .. } => text.push(UNKNOWN),
            }
        }
        let places: Vec<&str> = text.split(':').filter(|place| !place.is_empty()).collect();
        let mut unknown = places.iter().enumerate().filter(|(_, place)| place.chars().eq([UNKNOWN]));
        // One unknown place among others is the search path as it was. Alone, or beside another one, it may be any.
        let was = unknown.next().filter(|_| unknown.next().is_none() && places.len() > 1).map(|(at, _)| at);
        places.iter().take(was.unwrap_or(places.len())).any(|place| !self.is_installed(place))
    }

    fn is_installed(&self, place: &str) -> bool {
        if place.contains(UNKNOWN) {
            return false;
        }
        let path = self.locate(&Arg::exact(place)).0.path;
        let ours = !path.starts_with(['/', '~']);
        let base = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        if ours {
            OWN.iter().any(|own| path.ends_with(own))
        } else {
            path.starts_with('~') || INSTALLED.contains(&base)
        }
    }
}
