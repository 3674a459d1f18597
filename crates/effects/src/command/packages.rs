//! Packages as operands: a name that a registry holds, a path, a URL or a reference to a git repository.

use super::argument::Arg;
use super::knowledge::Role;
use super::machine::Machine;
use crate::{About, Reason};

impl Machine<'_> {
    /// A package that no registry holds: a URL or a reference to a git repository names it. Returns whether the word is one.
    pub(super) fn package_from_elsewhere(&mut self, word: &Arg) -> bool {
        let text = word.text.as_str();
        let is_url = text.contains("://") && !is_file_url(text) || text.starts_with("git@");
        let reference = text.rsplit_once('@').map_or(text, |(_, reference)| reference);
        if !is_url && !["github:", "gitlab:", "bitbucket:", "gist:"].iter().any(|host| reference.starts_with(host)) {
            return false;
        }
        self.opaque(About::Anything, Reason::PackageFromUrl, &[]);
        if is_url {
            self.connect(&word.with(package_url(text)));
        }
        true
    }

    /// `name`, `./path`, `file.tgz`, `https://host/x`, `git+ssh://…`.
    pub(super) fn package(&mut self, word: &Arg) {
        let text = word.text.as_str();
        if self.package_from_elsewhere(word) {
            return;
        }
        if is_file_url(text) {
            self.connect(&word.with(package_url(text)));
        } else if text.starts_with(['.', '/', '~'])
            || [".whl", ".tgz", ".gz", ".zip", ".tar", ".bz2", ".gem"].iter().any(|ending| text.ends_with(ending))
        {
            // `.[dev]` is the project here with an extra.
            let path = text.split_once('[').map_or(text, |(path, _)| path);
            self.path(Role::ReadTree, &if text.ends_with(']') { Arg::exact(path) } else { word.clone() });
        }
    }
}

fn is_file_url(text: &str) -> bool {
    package_url(text).starts_with("file://")
}

/// The URL in `https://host/x`, `name@https://host/x`, `name @ git+ssh://…`.
fn package_url(text: &str) -> &str {
    let scheme = text.find("://").and_then(|at| text.get(..at));
    let start = scheme.and_then(|head| head.rfind('@')).map_or(0, |at| at + 1);
    let url = text.get(start..).unwrap_or(text).trim_start();
    url.strip_prefix("git+").unwrap_or(url)
}
