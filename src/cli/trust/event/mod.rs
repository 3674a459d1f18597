//! The event of a CI job: which branch judges, and what is judged.
//!
//! Only facts from the forge itself are used: the variables that a job can't set, and the event that the runner wrote.
//! The judging branch is named in full (`refs/remotes/origin/main`), so that no branch or tag of a similar name replaces
//! it.

mod github;
mod gitlab;

use super::super::environment::Machine;
use super::super::failure::Failure;
use super::base_branches::{BaseBranch, BaseBranches};

/// The event that started the job.
#[derive(Debug)]
pub(super) struct Event {
    /// The reason is reported only where nothing else names the base.
    pub(super) base: Result<Base, Failure>,
    /// Revisions that may be the head, the best first.
    pub(super) heads: Vec<String>,
    pub(super) kind: Kind,
    /// A commit that the base branch has had already, in hex: a tip before it is an old one.
    pub(super) seen: Option<String>,
    /// The commit that the forge made to try the merge: its first parent is the tip of the base branch.
    pub(super) merge: Option<String>,
}

/// How the commits of an event come to their branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// They are to be merged into the base.
    Proposed,
    /// They were pushed to a branch that is not the base.
    Pushed,
    /// They are on the base already.
    Landed,
    /// The event is no change by itself: it starts a job for a commit, which may be on the base already.
    Started,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Base {
    /// The tip of a branch, as it was fetched.
    Branch(String),
    /// A commit, in hex.
    Commit(String),
}

/// The variables of a job.
type Variables<'v> = dyn Fn(&str) -> Option<&'v str> + 'v;

impl Event {
    /// The event of the job that this process runs in. `named`: branches that may judge beside the default branch.
    pub(super) fn of(machine: Option<&Machine>, named: &[BaseBranch]) -> Result<Self, Failure> {
        let value = |name: &str| machine.and_then(|machine| machine.ci.get(name)).map(String::as_str);
        let branches = BaseBranches { named };
        if value("GITHUB_ACTIONS") == Some("true") || value("GITHUB_EVENT_NAME").is_some() {
            return github::event(&value, branches);
        }
        if value("GITLAB_CI").is_some() {
            return gitlab::event(&value, branches);
        }
        Err(Failure::new(
            "`auto` asks the event of a CI job for the base, and this is no job that is known (GitHub, GitLab)",
        )
        .hint("`--base origin/main --head HEAD` judges a change as CI would")
        .hint("`--policy-ref origin/main` takes only the policy from there"))
    }

    /// A change that is to be merged.
    fn proposed(base: Result<Base, Failure>, heads: Vec<String>) -> Self {
        Self { base, heads, kind: Kind::Proposed, seen: None, merge: None }
    }
}

/// A push, or a job that was started for a branch or a tag.
struct Pushed<'a> {
    /// The event, as messages name it.
    event: String,
    is_push: bool,
    /// The branch or the tag, in full.
    reference: Option<&'a str>,
    /// The commit of the reference before the push, in hex; zeros if the reference is new.
    before: Option<&'a str>,
    commit: String,
    /// The default branch.
    default: &'a str,
    /// Events of this forge that have a change.
    changes: &'static str,
}

impl Pushed<'_> {
    /// Earlier commits of a branch other than the default branch are not more trusted than its new ones, so that the default
    /// branch judges them all.
    fn event(self) -> Event {
        let of = |base, kind| Event { base, heads: vec![self.commit.clone()], kind, seen: None, merge: None };
        if self.reference != Some(format!("refs/heads/{}", self.default).as_str()) {
            let is_branch = self.reference.is_some_and(|reference| reference.starts_with("refs/heads/"));
            let kind = if self.is_push && is_branch { Kind::Pushed } else { Kind::Started };
            return of(branch(self.default), kind);
        }
        if !self.is_push {
            return of(Err(no_change(&self.event, self.changes)), Kind::Started);
        }
        match self.before.filter(|before| is_commit(before)) {
            Some(before) => of(Ok(Base::Commit(before.to_owned())), Kind::Landed),
            None => of(Err(created(self.default)), Kind::Landed),
        }
    }
}

fn created(default: &str) -> Failure {
    Failure::new(format!(
        "the push created the default branch `{default}`, or the event does not say what was there before: nothing can judge it"
    ))
    .hint("people review what a repository begins with; each later push is judged by what was there before it")
}

fn no_change(event: &str, changes: &str) -> Failure {
    Failure::new(format!("the event `{event}` has no change to judge"))
        .hint(format!("events with a change: {changes}"))
        .hint("`--base REV` and `--head REV` (`base` and `head` of the action) name a change themselves")
}

fn unknown(what: &str) -> Failure {
    Failure::new(format!("nothing says what judges: {what}"))
        .hint("`--base REV` and `--head REV` say it themselves; a base that is guessed would be none")
}

fn branch(name: &str) -> Result<Base, Failure> {
    if agent_strace_git::is_branch_name(name) {
        Ok(Base::Branch(name.to_owned()))
    } else {
        Err(unknown("the base branch has no valid name"))
    }
}

/// The branch, if it may judge.
fn admitted(name: &str, default: Option<&str>, branches: BaseBranches<'_>) -> Result<Base, Failure> {
    let base = branch(name)?;
    branches.admit(name, default)?;
    Ok(base)
}

/// The name of a commit in full; forges write zeros for a missing one.
fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte != b'0')
}
