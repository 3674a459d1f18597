//! How git reads path specifications: `dir`, `*.rs`, `:/x`, `:!x`, `:(glob,icase)**/x`.

use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;

/// Subcommands to which what follows `--` is an operand like any other.
const PATHLESS: &str = "am apply branch bundle cherry-pick clone fetch fetch-pack hash-object init ls-remote merge \
    merge-file notes pull push rebase remote replace revert send-email send-pack show-ref submodule symbolic-ref tag \
    update-ref worktree";

/// A path specification without its magic.
#[derive(Debug, Default)]
struct Pathspec {
    path: String,
    from_top: bool,
    excludes: bool,
    ignores_case: bool,
    matching: Matching,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Matching {
    /// `*` matches `/`, too.
    #[default]
    Loose,
    /// `:(glob)`: only `**` matches `/`.
    Glob,
    /// `:(literal)`
    Literal,
}

impl Pathspec {
    fn of(text: &str) -> Self {
        let mut spec = Self::default();
        let Some(magic) = text.strip_prefix(':') else {
            return Self { path: text.to_owned(), ..spec };
        };
        if let Some((words, path)) = magic.strip_prefix('(').and_then(|magic| magic.split_once(')')) {
            for word in words.split(',') {
                match word {
                    "top" => spec.from_top = true,
                    "exclude" => spec.excludes = true,
                    "icase" => spec.ignores_case = true,
                    "glob" => spec.matching = Matching::Glob,
                    "literal" => spec.matching = Matching::Literal,
                    // `attr:…` chooses among the files that the path names, and `prefix:…` only says where it comes from.
                    _ => {}
                }
            }
            path.clone_into(&mut spec.path);
            return spec;
        }
        let path = magic.trim_start_matches(['/', '!', '^']);
        let signs = magic.strip_suffix(path).unwrap_or_default();
        spec.from_top = signs.contains('/');
        spec.excludes = signs.contains(['!', '^']);
        path.strip_prefix(':').unwrap_or(path).clone_into(&mut spec.path);
        spec
    }

    /// The files that it names, seen from where it starts.
    fn word(&self, word: &Arg) -> Arg {
        let path = if self.path.is_empty() { "." } else { self.path.as_str() };
        let is_pattern = word.is_exact() && path.contains(['*', '?', '[']);
        match self.matching {
            Matching::Loose if is_pattern => Arg::glob(path.replace('*', "**")),
            Matching::Glob if is_pattern => Arg::glob(path),
            _ => word.with(path),
        }
    }
}

/// Whether path specifications follow `--` of a subcommand.
pub(super) fn follow_dashes(sub: &str) -> bool {
    PATHLESS.split(' ').all(|name| name != sub)
}

/// It names everything below some directory, but for what others exclude.
pub(super) fn is_whole(word: &Arg) -> bool {
    let spec = Pathspec::of(&word.text);
    !spec.excludes && matches!(spec.path.trim_end_matches('/'), "" | "." | "*" | "**")
}

pub(super) fn excludes(word: &Arg) -> bool {
    Pathspec::of(&word.text).excludes
}

impl Machine<'_> {
    /// What a path specification names; one that excludes files names none.
    pub(super) fn pathspec(&mut self, role: Role, word: &Arg) {
        let spec = Pathspec::of(&word.text);
        if spec.excludes {
            return;
        }
        let named = spec.word(word);
        let lower = named.text.to_lowercase();
        let other = (spec.ignores_case && lower != named.text).then(|| Arg { text: lower, ..named.clone() });
        for word in std::iter::once(named).chain(other) {
            if spec.from_top {
                self.at_root(role, &word);
            } else {
                self.path(role, &word);
            }
        }
    }

    /// What path specifications name together. Where all of them exclude files, git takes all the others.
    pub(super) fn pathspecs(&mut self, role: Role, paths: &[Arg]) {
        for path in paths {
            self.pathspec(role, path);
        }
        if !paths.is_empty() && paths.iter().all(excludes) {
            self.path(role, &Arg::exact("."));
        }
    }
}
