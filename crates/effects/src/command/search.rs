//! Where programs are looked for: a directory that a script puts before the installed ones may hold another `cargo`.

use super::argument::Arg;
use crate::World;
use agent_strace_shell::{Fragment, Scope};

/// Directories that users and package managers install programs to.
const INSTALLED: &[&str] =
    &["bin", "sbin", "usr", "opt", "nix", "snap", "root", "home", "Users", "Library", "Applications"];

/// What package managers install into a project.
const OWN: &[&str] = &["node_modules/.bin", "venv/bin", "vendor/bin"];

/// What stands for text that nobody knows.
const UNKNOWN: char = '\0';

impl World {
    /// The script sets the search path so that programs may be found in a place where nobody installs any. What stands
    /// behind the search path as it was (`PATH=$PATH:x`) replaces no program.
    pub(super) fn is_shadowed(&self, scope: &Scope) -> bool {
        if scope.content("PATH").is_none() {
            return false;
        }
        let value = scope.value("PATH");
        let mut before = String::new();
        let mut fragments = value.fragments().iter().peekable();
        while let Some(fragment) = fragments.next() {
            match fragment {
                Fragment::Inherited if stands_alone(&before, fragments.peek().copied()) => {
                    if before.pop().is_none() {
                        return false;
                    }
                    break;
                }
                Fragment::Text { text, .. } | Fragment::Likely(text) => before.push_str(text),
                Fragment::Either(texts) => before.push_str(texts.first().map_or("", String::as_str)),
                Fragment::Tilde(user) => before.extend(["~", user.as_deref().unwrap_or_default()]),
                Fragment::Glob(_)
                | Fragment::Matching(_)
                | Fragment::Unknown
                | Fragment::Foreign(_)
                | Fragment::Inherited
                | Fragment::Break(_) => {
                    before.push(UNKNOWN);
                }
            }
        }
        before.split(':').any(|directory| !self.is_installed(directory))
    }

    /// An empty place is the working directory.
    fn is_installed(&self, directory: &str) -> bool {
        if directory.is_empty() || directory.contains(UNKNOWN) {
            return false;
        }
        let path = self.locate_word(&Arg::exact(directory)).0.path;
        let ours = !path.starts_with(['/', '~']);
        let base = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        if ours {
            OWN.iter().any(|own| path.ends_with(own))
        } else {
            path.starts_with('~') || INSTALLED.contains(&base)
        }
    }
}

/// What stands between such text is a place of its own: `$PATH/x` is not the search path as it was.
fn stands_alone(before: &str, next: Option<&Fragment>) -> bool {
    let ends = match next {
        None => true,
        Some(Fragment::Text { text, .. } | Fragment::Likely(text)) => text.is_empty() || text.starts_with(':'),
        Some(_) => false,
    };
    ends && (before.is_empty() || before.ends_with(':'))
}
