//! Commands of git that keep content, take it back, or bring it back.
//!
//! A session does not account for what it took back. In doubt it still does: git leaves files that it does not know, and
//! what was added to the index, where people expect it to clear them.

use super::commands::{Command, Puts};

/// The place that git takes the content of a file from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// Content that was added there stays.
    Index,
    Commit,
}

/// Files that git does not know yet, when it puts changes aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Untracked {
    Taken,
    Left,
}

/// The files whose content git adds to the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Staged {
    /// Those that the command names.
    Named,
    All,
}

/// Options with which git writes one of the sides of a merge.
const SIDES: &[&str] = &["--ours", "--theirs", "-2", "-3", "-m", "--merge", "--conflict"];

/// Options with which a command of git ends what an earlier one began, or does nothing.
const ENDS: &[&str] = &["--abort", "--quit", "--skip", "--dry-run", "--show-current-patch"];

/// Options with which it only says what it would do, or goes on with what an earlier command brought.
const SHOWS: &[&str] = &["--check", "--stat", "--numstat", "--summary", "--continue"];

impl Command<'_> {
    /// One of these subcommands runs, and does not only explain itself.
    fn is_git(&self, verbs: &[&str]) -> bool {
        self.program == "git" && verbs.contains(&self.verb) && !self.asks_for_help()
    }

    fn asks_for_help(&self) -> bool {
        self.rest.iter().any(|word| matches!(*word, "-h" | "--help"))
    }

    /// One of the options is there: `-u` is also in `-uq`.
    fn has_option(&self, options: &[&str]) -> bool {
        let is_in = |word: &str, option: &str| match option.strip_prefix('-').filter(|letter| letter.len() == 1) {
            Some(letter) => word.starts_with('-') && !word.starts_with("--") && word.contains(letter),
            None => word == option || word.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')),
        };
        self.options().any(|word| options.iter().any(|option| is_in(word, option)))
    }

    fn options(&self) -> impl Iterator<Item = &str> {
        self.rest.iter().copied().take_while(|word| *word != "--").filter(|word| word.starts_with('-'))
    }

    /// Words before `--` that are no options.
    fn operands(&self) -> impl Iterator<Item = &str> {
        self.rest.iter().copied().take_while(|word| *word != "--").filter(|word| !word.starts_with('-'))
    }

    fn has_dashes(&self) -> bool {
        self.rest.contains(&"--")
    }

    /// Git works in the directory that the command runs in, not in one that an option names.
    pub(super) fn is_here(&self) -> bool {
        let names_directory =
            |word: &&str| ["-C", "--git-dir", "--work-tree"].iter().any(|option| word.starts_with(option));
        !self.words.iter().any(names_directory)
    }

    /// The content that a command of git puts into files which it names.
    pub(super) fn git_puts(&self) -> Puts {
        match self.put_into_files() {
            Puts::Back(_) if !self.is_here() || self.asks_for_help() => Puts::Nothing,
            puts => puts,
        }
    }

    fn put_into_files(&self) -> Puts {
        match self.verb {
            // Which pieces go back is not known. The stash keeps the content of the files that are named.
            "restore" | "checkout" if self.has_option(&["-p", "--patch"]) => Puts::Nothing,
            "stash" => Puts::Nothing,
            "restore" | "checkout" if self.has_option(SIDES) => Puts::Content,
            "restore" => self.restored(),
            "checkout" => self.checked_out(),
            _ => Puts::Content,
        }
    }

    fn restored(&self) -> Puts {
        let is_of_index = self.has_option(&["-S", "--staged"]);
        match self.restored_from() {
            Some(revision) if !is_head(revision) => Puts::Content,
            // The file itself stays as it is.
            _ if is_of_index && !self.has_option(&["-W", "--worktree"]) => Puts::Nothing,
            None if !is_of_index => Puts::Back(Source::Index),
            _ => Puts::Back(Source::Commit),
        }
    }

    /// The revision that `git restore` names.
    fn restored_from(&self) -> Option<&str> {
        let mut before = "";
        self.rest.iter().copied().take_while(|word| *word != "--").find_map(|word| {
            let option = std::mem::replace(&mut before, word);
            let glued = || word.strip_prefix("-s").filter(|rest| !rest.is_empty() && !word.starts_with("--"));
            let is_value = matches!(option, "-s" | "--source");
            is_value.then_some(word).or_else(|| word.strip_prefix("--source=")).or_else(glued)
        })
    }

    /// `git checkout [REVISION] [--] PATH…`
    fn checked_out(&self) -> Puts {
        let mut named = self.operands();
        match (named.next(), named.next()) {
            (Some(first), _) if is_head(first) => Puts::Back(Source::Commit),
            (None, _) => Puts::Back(Source::Index),
            (Some(_), None) if !self.has_dashes() => Puts::Back(Source::Index),
            // The first one is a revision, or may be one.
            _ => Puts::Content,
        }
    }

    /// Everything that is not committed is given up.
    pub(super) fn resets(&self) -> bool {
        self.is_git(&["reset"]) && self.is_here() && self.has_option(&["--hard"]) && self.operands().all(is_head)
    }

    /// Everything that is not committed is put aside.
    pub(super) fn puts_aside(&self) -> Option<Untracked> {
        const PARTS: &[&str] = &["-p", "--patch", "-k", "--keep-index", "-S", "--staged", "--pathspec-from-file"];
        let has_message = self.options().any(|word| matches!(word, "-m" | "--message"));
        let mut operands = self.operands();
        let is_whole = match operands.next() {
            None | Some("save") => true,
            // The other one may be the message.
            Some("push") => operands.count() <= usize::from(has_message),
            Some(_) => false,
        };
        let is_all = is_whole && !self.has_dashes() && !self.has_option(PARTS);
        let takes = self.has_option(&["-u", "--include-untracked", "-a", "--all"]);
        let takes = if takes { Untracked::Taken } else { Untracked::Left };
        (self.is_git(&["stash"]) && self.is_here() && is_all).then_some(takes)
    }

    /// It writes content that was put aside or taken back: from a stash, or from a patch.
    pub(super) fn brings_back(&self) -> bool {
        let is_stash = self.is_git(&["stash"]) && matches!(self.operands().next(), Some("pop" | "apply" | "branch"));
        let is_of_stash = self.is_git(&["cherry-pick", "merge", "reset"])
            && self.operands().any(|word| word == "stash" || word.starts_with("stash@{"));
        is_stash || is_of_stash || self.is_git(&["apply", "am"]) || self.program == "patch"
    }

    pub(super) fn commits(&self) -> bool {
        self.is_git(&["commit", "ci", "am", "cherry-pick", "revert", "merge", "rebase"]) || self.commits_beside_git()
    }

    fn commits_beside_git(&self) -> bool {
        const OTHERS: &[&str] = &["jj", "sl", "gt", "hub"];
        OTHERS.contains(&self.program) && ["commit", "ci", "create", "modify", "amend"].contains(&self.verb)
    }

    /// It makes commits of its own. A merge brings commits that others made, and a rebase makes them anew.
    pub(super) fn makes_commits(&self) -> bool {
        let is_git = self.is_git(&["commit", "ci"]) || self.brings_commits();
        (is_git || self.commits_beside_git()) && !self.has_option(ENDS)
    }

    /// It commits what another commit or a patch holds.
    pub(super) fn brings_commits(&self) -> bool {
        self.is_git(&["am"]) || self.is_git(&["cherry-pick", "revert"]) && !self.has_option(&["-n", "--no-commit"])
    }

    /// Commits or patches that it names. A small number is the parent that `-m` takes of a merge.
    pub(super) fn named(&self) -> usize {
        self.operands().filter(|word| word.parse::<u8>().is_err()).count()
    }

    /// It may commit nothing.
    pub(super) fn may_be_empty(&self) -> bool {
        self.has_option(&["--allow-empty"])
    }

    /// It puts content into files or into the index that is not committed on the branch. Another branch that is checked out
    /// brings nothing that can be committed.
    pub(super) fn brings_files(&self) -> bool {
        let is_merge = self.is_git(&["merge"]) && self.has_option(&["--squash", "--no-commit"]);
        let is_other = self.is_git(&["cherry-pick", "revert", "read-tree", "checkout-index", "subtree"]);
        let is_any = is_merge || self.brings_submodule() || is_other || self.moves_back() || self.brings_back();
        is_any && !self.has_option(ENDS) && !self.has_option(SHOWS)
    }

    /// It may change files that it does not name.
    pub(super) fn brings_any(&self) -> bool {
        self.brings_files() || self.brings_commits() || self.is_git(&["merge", "pull", "rebase"])
    }

    /// The submodule comes to another commit, not only to the one that is committed.
    fn brings_submodule(&self) -> bool {
        self.is_git(&["submodule"])
            && match self.operands().next() {
                Some("add") => true,
                Some("update") => self.has_option(&["--remote"]),
                _ => false,
            }
    }

    /// The branch goes to another commit, and the files stay.
    fn moves_back(&self) -> bool {
        let mut operands = self.operands();
        let is_here = |word: &&str| is_head(word) || word.ends_with("~0") || word.ends_with("^0");
        let (named, other) = (operands.next().filter(|named| !is_here(named)), operands.next());
        let is_revision = |word: &str| {
            word.contains(['~', '^', '@']) || word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let is_whole = self.is_git(&["reset"]) && other.is_none() && !self.has_dashes();
        let leaves = self.has_option(&["--soft", "--mixed"]);
        is_whole && !self.has_option(&["--hard"]) && named.is_some_and(|named| leaves || is_revision(named))
    }

    /// The commands that it runs work in other repositories, or on other machines.
    pub(super) fn works_elsewhere(&self) -> bool {
        const MACHINES: &[&str] = &["ssh", "docker", "podman", "kubectl", "vagrant"];
        MACHINES.contains(&self.program) || self.program == "git" && self.verb == "submodule"
    }

    /// It is git, whose commands are told apart, or a client of a forge.
    pub(super) fn is_of_hosting(&self) -> bool {
        ["git", "gh", "glab", "hub", "tea"].contains(&self.program)
    }

    /// It keeps the content of files in the index.
    pub(super) fn stages(&self) -> Option<Staged> {
        let is_addition = self.is_git(&["add", "stage"]) && !self.has_option(&["-n", "--dry-run"]);
        let is_all = self.has_option(&["-A", "--all", "-u", "--update"]);
        is_addition.then_some(if is_all { Staged::All } else { Staged::Named })
    }

    /// It changes rights in the index.
    pub(super) fn stages_mode(&self) -> bool {
        self.is_git(&["add", "update-index"]) && self.has_option(&["--chmod"])
    }

    /// Git forgets the files, which stay where they are.
    pub(super) fn forgets(&self) -> bool {
        self.is_git(&["rm"]) && self.has_option(&["--cached"])
    }
}

fn is_head(revision: &str) -> bool {
    matches!(revision, "HEAD" | "@")
}
