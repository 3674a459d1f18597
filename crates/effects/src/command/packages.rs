//! Packages as operands: a name that a registry holds, a path, a URL or a reference to a git repository.

use super::argument::{Arg, Arguments, Given};
use super::knowledge::{Role, Unproven};
use super::machine::Machine;
use crate::{About, Certainty, Kind, Purpose, Reason, world};

/// Endings of files that no installer runs or builds.
const NO_CODE: &[&str] = &["css", "csv", "html", "log", "md", "out", "svg", "txt"];

/// Options of installers that change neither which packages are installed nor where they come from.
const PLAIN_OPTIONS: &str = "--all-extras --all-groups --ci --dev --extra --frozen --frozen-lockfile --group \
    --ignore-scripts --immutable --include --jobs --legacy-peer-deps --locked --loglevel --no-audit --no-dev --no-fund \
    --no-interaction --no-progress --no-root --no-save --offline --omit --only --prefer-frozen-lockfile --prefer-offline \
    --production --quiet --retry --silent --verbose --with --without -D -P -d -j -q -s -v";

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

    /// A package that no registry of npm holds. Returns whether the word is one.
    pub(super) fn node_package_from_elsewhere(&mut self, word: &Arg) -> bool {
        let is_shorthand = is_shorthand(&word.text);
        if is_shorthand {
            self.opaque(About::Anything, Reason::PackageFromUrl, &[]);
        }
        is_shorthand || self.package_from_elsewhere(word)
    }

    /// The same for npm and its kin, which take `owner/name` and `file:path`, too.
    pub(super) fn node_package(&mut self, word: &Arg) {
        let reference = reference(&word.text);
        let path = ["file:", "link:", "portal:"].iter().find_map(|scheme| reference.strip_prefix(scheme));
        match path.filter(|path| !path.starts_with("//")) {
            Some(path) => self.read_for_build(&word.with(path)),
            None if self.node_package_from_elsewhere(word) => {}
            None => self.package(word),
        }
    }

    /// Returns whether npm asks its registry for the package, and for nothing else.
    pub(super) fn is_of_registry(word: &Arg) -> bool {
        let text = word.text.as_str();
        let is_path = text.starts_with(['.', '/', '~']) || text.contains('\\') || text.ends_with(['/', '.']);
        let is_archive = [".tgz", ".tar.gz", ".tar"].iter().any(|ending| text.ends_with(ending));
        word.is_exact() && !is_path && !is_archive && !is_shorthand(text) && !text.contains(':')
    }

    /// A file or directory whose code runs. Who allows a runner vouches for the project's own code, and for no other.
    pub(super) fn project_code(&mut self, word: &Arg) {
        if let Some(path) = word.text.strip_prefix('@') {
            self.path(Role::Read, &word.with(path));
        } else if word.is_exact() && self.world.is_cloned(word) {
            self.opaque(About::Anything, Reason::ClonedCode, &[]);
        } else if self.world.lies_outside(word) {
            self.opaque(About::Anything, Reason::CodeElsewhere, &[]);
        }
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
            self.read_for_build(&if text.ends_with(']') { Arg::exact(path) } else { word.clone() });
        }
    }

    /// The command installs what the lock file of the repository names: it names no package, no other place and no other
    /// registry, and no act of the session may have changed what is installed.
    pub(super) fn installs_locked(&self, unproven: &Unproven, words: &[Arg], arguments: &Arguments) -> bool {
        let Some(locked) = &unproven.locked else { return false };
        let is_listed = |word: &Arg| word.literal().is_some_and(|text| locked.split(' ').any(|name| name == text));
        let is_plain = |option: &Given| {
            let name = option.name.split('=').next().unwrap_or_default();
            PLAIN_OPTIONS.split_whitespace().any(|plain| plain == name)
                && option.value.as_ref().is_none_or(Arg::is_exact)
        };
        arguments.operands.is_empty()
            && words.get(1).is_some_and(is_listed)
            && self.ran_without_globals(words)
            && arguments.options.iter().all(is_plain)
            && self.world.about_project(words) == About::Project
            && !self.may_run_code_of_others()
            && !self.is_installed_code()
            && !self.world.is_in_written_directory(&self.world.locate("package", Certainty::Exact).0)
    }

    /// The command runs in a directory of installed packages.
    fn is_installed_code(&self) -> bool {
        const INSTALLED: &[&str] = &["bower_components", "node_modules", "site-packages", "vendor"];
        let here = self.world.locate(".", Certainty::Exact).0;
        here.path.split('/').any(|part| INSTALLED.contains(&part))
    }

    /// No option of the program stands before its subcommand.
    fn ran_without_globals(&self, words: &[Arg]) -> bool {
        let ran = self.emitter.since(0).filter_map(|effect| match &effect.kind {
            Kind::Execute(execution) => Some(execution),
            _ => None,
        });
        let second = ran.last().and_then(|execution| execution.argv.get(1));
        second.zip(words.get(1)).is_some_and(|(ran, word)| ran.text == word.text)
    }

    /// An act of the session, or an earlier one of this call, may have put code of others into the workspace.
    fn may_run_code_of_others(&self) -> bool {
        self.world.may_have_code_of_others()
            || self.world.has_odd_names()
            || self.world.has_unread_files_but(NO_CODE)
            || self.emitter.since(0).any(world::may_bring_code)
    }

    /// A builder reads a directory or an archive that it builds something from.
    pub(super) fn read_for_build(&mut self, place: &Arg) {
        let purpose = std::mem::replace(&mut self.context.purpose, Purpose::Check);
        self.path(Role::ReadTree, place);
        self.context.purpose = purpose;
    }
}

/// `github:a/b` of `name@github:a/b`.
fn reference(text: &str) -> &str {
    text.char_indices().skip(1).find(|(_, c)| *c == '@').and_then(|(at, _)| text.get(at + 1..)).unwrap_or(text)
}

/// `owner/name`, `owner/name#branch`, `alias@owner/name`.
fn is_shorthand(text: &str) -> bool {
    // `@scope/name` belongs to a registry.
    if text.starts_with('@') {
        return false;
    }
    let (name, _) = reference(text).split_once('#').unwrap_or((reference(text), ""));
    let is_name = |part: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !part.is_empty() && !part.starts_with(['.', '-']) && part.chars().all(plain)
    };
    let is_archive = [".tgz", ".tar.gz", ".tar"].iter().any(|ending| name.ends_with(ending));
    !is_archive && name.split_once('/').is_some_and(|(owner, name)| is_name(owner) && is_name(name))
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
