//! Revisions that the session brought into the repository from elsewhere, and the work tree while it holds one of them.
//!
//! A branch of the repository's own remote is a revision of the repository, no matter who pushed it: `origin/topic`, a `git pull`, a
//! rebase onto `origin/main`. Only what the record shows makes a revision one from elsewhere: git fetched it from a URL or
//! from another directory, it is a proposal (`pull/7/head`), it belongs to a remote whose URL the session set, `gh pr checkout`
//! brought it. While the work tree holds such a revision, code that a runner
//! runs is not the one that the owner of the policy knows. Going back to a revision of the repository ends that. After a merge
//! the branch itself holds the other code, and only a branch of the remote or `--abort` leads back.
//!
//! The notes are entries of files below git's directory whose names no command can spell: they follow the ways of a session,
//! and go to the next one, as written files do.

use agent_strace_shell::Provenance;

use super::leads::{PROPOSAL, is_led_aside, is_set_here, made};
use super::reads::{Likeness, likeness};
use super::{Sub, is_location};
use crate::PathTarget;
use crate::command::argument::Arg;
use crate::command::machine::Machine;

/// The work tree.
const TREE: &str = "tree";
/// The work tree before it changed for the last time.
const BEFORE: &str = "before";
/// The revisions of the last fetch.
const FETCHED: &str = "fetched";
/// Any object that a fetch brought.
const OBJECTS: &str = "objects";
/// Some branch of which the name is not known.
const BRANCHES: &str = "heads";
/// The stash that the session made.
const STASH: &str = "stash";

/// Whose a revision is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Repository,
    Elsewhere,
}

impl Machine<'_> {
    /// The work tree holds a revision from elsewhere.
    pub(crate) fn holds_foreign_revision(&self) -> bool {
        let of_root = || self.origin_at(&PathTarget::new(format!(".git//{TREE}")));
        self.world.has_written() && (of_root() == Origin::Elsewhere || self.noted(TREE) == Origin::Elsewhere)
    }

    /// A program other than git put a revision from elsewhere into the work tree.
    pub(in crate::command::programs) fn git_takes_proposal(&mut self) {
        self.note(OBJECTS, Origin::Elsewhere);
        self.moves_to(Origin::Elsewhere);
    }

    fn place(&self, name: &str) -> PathTarget {
        let (own, _) = self.world.locate_word(&self.git_directory());
        PathTarget::new(format!("{}//{name}", own.path))
    }

    fn origin_at(&self, place: &PathTarget) -> Origin {
        match self.world.provenance(place) {
            Some(Provenance::Network) => Origin::Elsewhere,
            _ => Origin::Repository,
        }
    }

    fn noted(&self, name: &str) -> Origin {
        if self.world.has_written() { self.origin_at(&self.place(name)) } else { Origin::Repository }
    }

    /// Notes a revision from elsewhere. A session without one has no notes.
    fn note(&mut self, name: &str, origin: Origin) {
        let place = self.place(name);
        match origin {
            Origin::Elsewhere => self.world.wrote_from(&place, Provenance::Network),
            Origin::Repository if self.noted(name) == origin => {}
            Origin::Repository => self.world.wrote(&place, Some("")),
        }
    }

    fn moves_to(&mut self, origin: Origin) {
        let before = self.noted(TREE);
        self.note(BEFORE, before);
        self.note(TREE, origin);
    }

    fn moves_back(&mut self) {
        self.moves_to(self.noted(BEFORE));
    }

    /// The branch that is checked out holds the revision from now on; its name is not known.
    fn merges(&mut self) {
        self.note(BRANCHES, Origin::Elsewhere);
        self.moves_to(Origin::Elsewhere);
    }

    /// Notes what a subcommand brings, and what it leaves in the work tree.
    pub(super) fn git_revisions(&mut self, sub: &Sub<'_>) {
        match sub.name {
            "fetch" => {
                self.fetches(sub, &sub.arguments.operands);
            }
            "remote" => match sub.arguments.operands.split_first() {
                Some((action, remotes)) if action.text == "update" => {
                    self.fetches(sub, remotes);
                }
                _ => {}
            },
            "pull" => match self.fetches(sub, &sub.arguments.operands) {
                Origin::Elsewhere => self.merges(),
                Origin::Repository => {}
            },
            "checkout" | "switch" => self.checks_out(sub),
            "restore" | "read-tree" | "checkout-index" => {
                let source = sub.arguments.values(&["--source", "-s"]);
                if source.chain(&sub.arguments.operands).any(|word| self.is_from_elsewhere(word, sub)) {
                    self.moves_to(Origin::Elsewhere);
                }
            }
            "merge" | "rebase" | "cherry-pick" if sub.arguments.has(&["--abort", "--quit"]) => self.moves_back(),
            "merge" | "rebase" | "cherry-pick" => {
                let onto = sub.arguments.values(&["--onto"]);
                if onto.chain(&sub.arguments.operands).any(|word| self.is_from_elsewhere(word, sub)) {
                    self.merges();
                }
            }
            "reset" => self.resets(sub),
            "branch" | "tag" | "update-ref" => self.names(sub),
            "worktree" => self.adds_work_tree(sub),
            "stash" => self.stashes(sub),
            _ => {}
        }
    }

    fn adds_work_tree(&mut self, sub: &Sub<'_>) {
        if let [action, directory, revision] = sub.arguments.operands.as_slice()
            && action.text == "add"
            && self.is_from_elsewhere(revision, sub)
        {
            self.world.fetched_directory(directory);
        }
    }

    /// Without a remote, git asks the one that the branch follows, which may be any that the session named.
    fn asks_own_remotes(&self, remotes: &[Arg], sub: &Sub<'_>) -> bool {
        let settings = &sub.settings.made;
        let is_own = |remote: &Arg| self.is_own_remote(remote, sub);
        if !remotes.is_empty() {
            remotes.iter().all(is_own)
        } else if asks_each(sub) {
            made(settings, "remote.", ".url").all(|name| is_own(&Arg::exact(name)))
        } else {
            let has_proposal = self.holds_foreign_revision();
            let is_followed =
                |key: &str| key.starts_with("branch.") && key.ends_with(".remote") && (has_proposal || key != PROPOSAL);
            let followed = settings.iter().filter(|(key, _)| is_followed(key)).map(|(_, remote)| remote);
            followed.chain([&Arg::exact("origin")]).all(is_own)
        }
    }

    fn fetches(&mut self, sub: &Sub<'_>, operands: &[Arg]) -> Origin {
        let (remotes, refs) = operands.split_at(if asks_each(sub) { operands.len() } else { operands.len().min(1) });
        let is_own = self.asks_own_remotes(remotes, sub);
        let is_elsewhere = !is_own || refs.iter().any(|word| is_proposal(&word.text));
        let origin = if is_elsewhere { Origin::Elsewhere } else { Origin::Repository };
        if is_elsewhere {
            self.note(OBJECTS, origin);
        }
        match origin {
            Origin::Elsewhere => self.note(FETCHED, origin),
            // Without a fetch in the record, what `FETCH_HEAD` names came from anywhere.
            Origin::Repository => {
                let place = self.place(FETCHED);
                self.world.wrote(&place, Some(""));
            }
        }
        for (from, to) in refs.iter().filter_map(|word| word.text.split_once(':')) {
            let origin = if !is_own || is_proposal(from) { Origin::Elsewhere } else { Origin::Repository };
            self.note(&branch(to), origin);
        }
        origin
    }

    /// The remote is the one that the owner configured, or a directory of this repository.
    fn is_own_remote(&self, remote: &Arg, sub: &Sub<'_>) -> bool {
        if !is_location(&remote.text) {
            return !is_led_aside(&sub.settings.made) && !is_set_here(&sub.settings.made, &remote.text);
        }
        let is_local = !remote.text.contains(':');
        let directory = self.world.locate_word(remote).0.path;
        is_local && (!directory.starts_with(['/', '~', '*']) || self.world.checkout_of(&directory).is_some())
    }

    /// The words name a revision from elsewhere: `FETCH_HEAD`, `evil/main~2`, `main..pr-7`.
    fn is_from_elsewhere(&self, word: &Arg, sub: &Sub<'_>) -> bool {
        if !self.world.has_written() {
            return word.text.contains("FETCH_HEAD");
        }
        let has_objects = || self.noted(OBJECTS) == Origin::Elsewhere;
        let Some(text) = word.literal() else { return has_objects() };
        text.split("..").any(|one| {
            let name = one.trim_start_matches(['.', '^', '+']);
            let name = name.split(['~', '^', '@', ':']).next().unwrap_or_default();
            let plain = plain(name);
            let of_remote = plain.split_once('/').is_some_and(|(remote, _)| is_set_here(&sub.settings.made, remote));
            let is_hash = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
            match name {
                "" | "HEAD" => false,
                "FETCH_HEAD" => !self.world.has_entry(&self.place(FETCHED)) || self.noted(FETCHED) == Origin::Elsewhere,
                _ => {
                    of_remote
                        || is_proposal(name)
                        || is_hash && has_objects()
                        || self.noted(&branch(name)) == Origin::Elsewhere
                }
            }
        })
    }

    fn checks_out(&mut self, sub: &Sub<'_>) {
        let created = ["-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"];
        let created = sub.arguments.values(&created).next().map(|name| branch(&name.text));
        let first = sub.arguments.operands.first();
        let origin = match first {
            None => self.noted(TREE),
            Some(revision) if self.is_from_elsewhere(revision, sub) => Origin::Elsewhere,
            Some(_) => Origin::Repository,
        };
        if let Some(created) = &created {
            self.note(created, origin);
        }
        let Some(first) = first else { return };
        if origin == Origin::Elsewhere {
            // `git checkout evil/main --track` makes a branch of the last part of the name.
            if created.is_none() && sub.arguments.has(&["-t", "--track"]) {
                self.note(&branch(first.text.split_once('/').map_or("", |(_, name)| name)), origin);
            }
            return self.moves_to(origin);
        }
        let takes_files = sub.has_dashes || sub.arguments.operands.len() > 1;
        match first.text.as_str() {
            _ if takes_files && created.is_none() => {}
            "HEAD" | "@" => {}
            "-" | "@{-1}" => self.moves_back(),
            text if sub.name == "switch" || created.is_some() || likeness(text) == Likeness::Revision => {
                self.leads_back(text);
            }
            _ => {}
        }
    }

    /// A revision of the repository is checked out, unless it may be the branch that holds the other code.
    fn leads_back(&mut self, revision: &str) {
        let is_of_remote = revision.starts_with("origin/") || revision.starts_with("refs/remotes/origin/");
        if is_of_remote || self.noted(BRANCHES) == Origin::Repository {
            self.moves_to(Origin::Repository);
        }
    }

    fn resets(&mut self, sub: &Sub<'_>) {
        let Some(revision) = sub.arguments.operands.first() else { return };
        let replaces = sub.arguments.has(&["--hard", "--merge", "--keep"]);
        match revision.text.as_str() {
            _ if self.is_from_elsewhere(revision, sub) => self.merges(),
            "ORIG_HEAD" if replaces => self.moves_back(),
            text if replaces && text.starts_with("origin/") => {
                self.note(BRANCHES, Origin::Repository);
                self.moves_to(Origin::Repository);
            }
            _ => {}
        }
    }

    /// `git branch NAME REVISION`, `git branch -m OLD NEW`, `git update-ref NAME REVISION`
    fn names(&mut self, sub: &Sub<'_>) {
        let [one, other, ..] = sub.arguments.operands.as_slice() else { return };
        let renames = sub.name == "branch" && sub.arguments.has(&["-m", "-M", "--move", "-c", "-C", "--copy"]);
        let (name, revision) = if renames { (other, one) } else { (one, other) };
        if self.is_from_elsewhere(revision, sub) {
            self.note(&branch(&name.text), Origin::Elsewhere);
        }
    }

    fn stashes(&mut self, sub: &Sub<'_>) {
        match sub.arguments.operands.first().map(|word| word.text.as_str()) {
            None | Some("push" | "save") => {
                let place = self.place(STASH);
                self.world.wrote(&place, Some("made"));
            }
            _ => {}
        }
    }
}

/// The operands are remotes: `git fetch --multiple`, `git remote update`.
fn asks_each(sub: &Sub<'_>) -> bool {
    sub.name == "remote" || sub.arguments.has(&["--all", "--multiple"])
}

/// `refs/heads/NAME`, `heads/NAME` and `NAME` are one branch.
fn plain(name: &str) -> &str {
    let name = name.strip_prefix("refs/").unwrap_or(name);
    ["heads/", "remotes/", "tags/"].iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name)
}

fn branch(name: &str) -> String {
    format!("{BRANCHES}/{}", plain(name))
}

/// `pull/7/head`, `refs/merge-requests/7/head`, `refs/changes/34/1234/5`: what somebody proposes.
fn is_proposal(name: &str) -> bool {
    let source = name.trim_start_matches('+').split(':').next().unwrap_or_default();
    let source = source.strip_prefix("refs/").unwrap_or(source);
    let mut parts = source.split('/');
    let kind = parts.next().unwrap_or_default();
    let is_number =
        parts.next().is_some_and(|part| part == "*" || part.starts_with(|first: char| first.is_ascii_digit()));
    matches!(kind, "pull" | "pull-requests" | "merge-requests" | "changes") && is_number
}

#[cfg(test)]
mod tests {
    use super::{branch, is_proposal};

    #[test]
    fn proposals_are_told_by_their_names() {
        for name in ["pull/7/head", "+refs/pull/7/merge:pr", "refs/merge-requests/7/head", "refs/pull/*/head:refs/pr/*"]
        {
            assert!(is_proposal(name), "{name}");
        }
        for name in ["main", "pull/request-form", "topic/7", "refs/heads/pull"] {
            assert!(!is_proposal(name), "{name}");
        }
    }

    #[test]
    fn a_branch_has_one_place() {
        assert_eq!(branch("refs/heads/topic"), branch("topic"));
        assert_eq!(branch("refs/remotes/fork/topic"), branch("fork/topic"));
    }
}
