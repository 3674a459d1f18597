//! Separates the files that judge from the change that is judged, so that a change can't alter its own judgement.
//!
//! The policy, its settings and its baselines are read as git objects from the base of a change; its head is data. Where the
//! base can't be established nothing is judged: exit code 2. The parents of a commit that is checked out are asked only
//! where the forge itself made it to try a merge: of any other commit they are whatever its author wrote before.

mod after_merge;
mod base_branches;
pub(super) mod change;
pub(super) mod commit_tree;
mod event;
mod gathered;
#[cfg(test)]
mod tests;
mod trust_base;

use std::borrow::Cow;
use std::path::Path;

pub(super) use after_merge::AfterMerge;
pub(super) use base_branches::BaseBranch;
use event::{Base, Event, Kind};
use gathered::GatheredChange;
pub(super) use trust_base::TrustBase;

use super::args::GateArgs;
use super::environment::Environment;
use super::failure::Failure;
use super::output;
use super::policy_file;
use agent_strace_git::GitError;
use agent_strace_git::change_set::{Extent, Revision, from_top};

/// The revision that the event of a CI job says.
const AUTO: &str = "auto";

/// The revision of the files that judge, and the change that is judged.
#[derive(Debug)]
pub(super) struct Trust<'a> {
    folder: &'a Path,
    /// Paths count from the top of the repository.
    from_top: bool,
    /// The revision of the files that judge; `None`: the files on disk.
    policy: Option<Revision>,
    pub(super) change: Option<Ends>,
    /// Sessions are read from the head, not from the disk.
    pub(super) reads_head: bool,
    /// The head was named, or an event of CI names it: it is not what is checked out.
    pub(super) names_head: bool,
}

/// The two ends of a change.
#[derive(Debug, Clone)]
pub(super) struct Ends {
    pub(super) base: Revision,
    pub(super) head: Revision,
    pub(super) extent: Extent,
    pub(super) landed: bool,
    pub(super) is_proposed: bool,
}

impl<'a> Trust<'a> {
    /// Resolves the options and the event of the CI job.
    pub(super) fn establish(args: &'a GateArgs, environment: Environment<'_>) -> Result<Self, Failure> {
        let folder = args.git_dir.as_deref().unwrap_or(Path::new("."));
        let asked = args.policy_ref.as_deref();
        let named = args.base.as_deref().filter(|base| *base != AUTO);
        let is_asked = asked == Some(AUTO) || args.base.as_deref() == Some(AUTO);
        let event = if is_asked { Some(Event::of(environment.machine, &args.base_branch)?) } else { None };
        if !is_asked && let Some(branch) = args.base_branch.first() {
            return Err(Failure::new(format!(
                "`--base-branch {branch}` says which base the event of the CI job may name, and no event is asked"
            ))
            .hint("`--base auto` asks it; without `auto` the revision of `--base` judges, whatever it is"));
        }
        let base = match (named, &event) {
            (Some(base), _) => Some(commit(folder, base, "base")?),
            (None, Some(event)) => Some(base_of(folder, event)?),
            (None, None) => None,
        };
        let policy = match asked {
            Some(AUTO) | None => base.clone(),
            Some(revision) => Some(commit(folder, revision, "policy")?),
        };
        if policy.is_none() && args.git_dir.is_some() {
            return Err(Failure::new("`--git-dir` reads no files from disk, and nothing says which revision judges")
                .hint("`--base REV`, `--policy-ref REV`, or `--policy-ref auto` in CI"));
        }
        let head = match (&args.head, &event) {
            (Some(head), _) => Some(commit(folder, head, "head")?),
            (None, Some(event)) => Some(head_of(folder, event, base.as_ref())?),
            (None, None) => None,
        };
        let change = change_of(folder, event.as_ref(), base, policy.as_ref(), head)?;
        let reads_head = args.git_dir.is_some() || args.head.is_some();
        let names_head = reads_head || event.is_some();
        Ok(Self { folder, from_top: args.git_dir.is_some(), policy, change, reads_head, names_head })
    }

    /// Where the files that judge are read from.
    pub(super) fn base(&self) -> TrustBase<'_> {
        self.base_at(self.policy.as_ref())
    }

    /// Like [`Self::base`], once the change is merged.
    pub(super) fn head_base<'s>(&'s self, ends: &'s Ends) -> TrustBase<'s> {
        self.base_at(Some(&ends.head))
    }

    fn base_at<'s>(&'s self, revision: Option<&'s Revision>) -> TrustBase<'s> {
        let (name, commit) = revision.map_or(("", None), |revision| (&revision.name, Some(revision.commit.as_str())));
        TrustBase { folder: self.folder, revision: commit, name, from_top: self.from_top }
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder
    }

    /// From the top of the repository to the current directory, `/` at the end; empty at the top.
    pub(super) fn prefix(&self) -> String {
        if self.from_top { String::new() } else { output::prefix_in_repository() }
    }

    /// The sessions to read: the named ones, else those in the head if sessions are read from it. `None`: it holds none.
    pub(super) fn requests<'r>(
        &self,
        trace_dir: &Path,
        named: &'r [String],
    ) -> Result<Option<Cow<'r, [String]>>, Failure> {
        let Some(ends) = self.change.as_ref().filter(|_| self.reads_head && named.is_empty()) else {
            return Ok(Some(Cow::Borrowed(named)));
        };
        let store = self.store(trace_dir).ok_or_else(|| {
            Failure::new("the trace store lies outside of the repository, and sessions are read from its head")
                .hint("name the sessions, or a `--trace-dir` inside of the repository")
        })?;
        match agent_strace_git::holds(self.folder, &ends.head.commit, &store) {
            Ok(true) => Ok(Some(Cow::Owned(vec![format!("git:{}:{store}", ends.head.commit)]))),
            Ok(false) => Ok(None),
            Err(error) => Err(Failure::new(format!("the sessions of `{}` can't be read: {error}", ends.head.name))),
        }
    }

    /// The trace store from the top of the repository, where it lies in it.
    pub(super) fn store(&self, trace_dir: &Path) -> Option<String> {
        let path = policy_file::shown(&trace_dir.to_string_lossy());
        from_top(&self.prefix(), path.trim_end_matches('/'))
    }
}

/// From the base to the head; without a base, from the policy, and only what is done to what judges.
fn change_of(
    folder: &Path,
    event: Option<&Event>,
    base: Option<Revision>,
    policy: Option<&Revision>,
    head: Option<Revision>,
) -> Result<Option<Ends>, Failure> {
    let extent = if base.is_some() { Extent::Everything } else { Extent::Tampering };
    let Some(base) = base.or_else(|| policy.cloned()) else { return Ok(None) };
    let head = match (head, extent) {
        (Some(head), _) => head,
        (None, Extent::Everything) => commit(folder, "HEAD", "head")
            .map_err(|_| Failure::new("there is no commit to judge: `HEAD` is none").hint("`--head REV` names it"))?,
        (None, Extent::Tampering) => {
            let Ok(head) = commit(folder, "HEAD", "head") else { return Ok(None) };
            head
        }
    };
    let kind = event.map(|event| event.kind);
    if kind == Some(Kind::Started) {
        hold_has_change(folder, &base, &head)?;
    }
    Ok(Some(Ends { base, head, extent, landed: kind == Some(Kind::Landed), is_proposed: kind == Some(Kind::Proposed) }))
}

fn commit(folder: &Path, revision: &str, what: &str) -> Result<Revision, Failure> {
    match agent_strace_git::commit_and_parents(folder, revision) {
        Ok((commit, _)) => Ok(Revision { name: revision.to_owned(), commit }),
        Err(error) => Err(untrusted(what, revision, &error)),
    }
}

fn untrusted(what: &str, revision: &str, error: &GitError) -> Failure {
    let failure = match what {
        "policy" => Failure::new(format!("the policy of `{revision}` can't be read: {error}")),
        _ => Failure::new(format!("the {what} `{revision}` can't be read: {error}")),
    };
    failure.hint(remedy(what, revision, error))
}

/// Advice for errors of git.
pub(super) fn remedy(what: &str, revision: &str, error: &GitError) -> &'static str {
    match (error, what) {
        (GitError::Owner, _) => {
            "if you trust it: `git config --global --add safe.directory DIR`, with the path of the repository; variables \
             (`GIT_CONFIG_…`) are not read"
        }
        (GitError::Sha256, _) => {
            "repositories whose objects are named by SHA-256 can't be judged yet; nothing was judged"
        }
        (GitError::NoRepository(_), _) => "run it in the repository that holds the revision",
        (GitError::NoRevision(_), _) if revision.ends_with("/HEAD") => {
            "which branch of the remote is the default one is not known here: `git remote set-head origin --auto` asks it"
        }
        (GitError::NoRevision(_), "policy" | "base") => "the base that a change is judged by has to be fetched first",
        (GitError::NoRevision(_), _) => "what is judged has to be fetched first",
        _ => "without the files that judge, and all of the change, nothing is judged",
    }
}

/// An event that is no change itself started a job for a commit: that commit has to have something that the base has not.
fn hold_has_change(folder: &Path, base: &Revision, head: &Revision) -> Result<(), Failure> {
    let ends = agent_strace_git::ends(folder, &base.commit, &head.commit);
    let ends = ends.map_err(|error| untrusted("change", &head.name, &error))?;
    if ends.merge_base.as_ref() != Some(&ends.head) {
        return Ok(());
    }
    Err(Failure::new(format!("there is no change to judge: `{}` holds `{}` already", base.name, head.name))
        .hint("`--base REV` and `--head REV` (`base` and `head` of the action) name a change themselves"))
}

/// The fetched tip of the base branch, or the commit on which the forge tried the merge.
fn base_of(folder: &Path, event: &Event) -> Result<Revision, Failure> {
    let branch = match event.base.as_ref().map_err(Failure::clone)? {
        Base::Commit(id) => return commit(folder, id, "base"),
        Base::Branch(branch) => branch,
    };
    let tip = format!("refs/remotes/origin/{branch}");
    match agent_strace_git::commit_and_parents(folder, &tip) {
        Ok((commit, _)) => {
            hold_is_current(folder, event, branch, &commit)?;
            return Ok(Revision { name: format!("origin/{branch}"), commit });
        }
        Err(GitError::NoRevision(_)) => {}
        Err(error) => return Err(untrusted("base", &tip, &error)),
    }
    if let Some(tried) = tried_on(folder, event) {
        return Ok(Revision { name: branch.clone(), commit: tried });
    }
    Err(Failure::new(format!("the base branch `{branch}` is not here: `{tip}` names nothing"))
        .hint(format!(
            "fetch it: `git fetch --no-tags origin +refs/heads/{branch}:{tip}`, or `fetch-depth: 0` of the checkout"
        ))
        .hint("the parent of what is checked out is not asked: it may be an earlier commit of the same author"))
}

/// A tip that was left behind by a commit that the branch has had already may hold an older policy.
fn hold_is_current(folder: &Path, event: &Event, branch: &str, tip: &str) -> Result<(), Failure> {
    let Some(seen) = event.seen.as_deref() else { return Ok(()) };
    match agent_strace_git::is_behind(folder, tip, seen) {
        Ok(false) => Ok(()),
        Ok(true) => Err(Failure::new(format!(
            "what was fetched of the base branch `{branch}` is old: the event names a later commit of it, `{seen}`"
        ))
        .hint(format!("fetch it again: `git fetch --no-tags origin +refs/heads/{branch}:refs/remotes/origin/{branch}`"))
        .hint("where the branch was rewritten since, only a new event names a commit that it holds")),
        Err(error) => Err(untrusted("base", seen, &error)),
    }
}

/// The first parent of the trial merge commit of the forge, if that commit is checked out.
fn tried_on(folder: &Path, event: &Event) -> Option<String> {
    let merge = event.merge.as_ref()?;
    let (head, parents) = agent_strace_git::commit_and_parents(folder, "HEAD").ok()?;
    let [base, _] = parents.as_slice() else { return None };
    let is_here = head == *merge && agent_strace_git::commit_and_parents(folder, base).is_ok();
    is_here.then(|| base.clone())
}

/// The first of them that is here with all that the base hasn't; else the first that is here.
fn head_of(folder: &Path, event: &Event, base: Option<&Revision>) -> Result<Revision, Failure> {
    let mut found: Option<Revision> = None;
    for head in &event.heads {
        match agent_strace_git::commit_and_parents(folder, head) {
            Ok((commit, _)) => {
                let ends = base.map(|base| agent_strace_git::ends(folder, &base.commit, &commit));
                let is_cut = ends.is_some_and(|ends| ends.map_or(true, |ends| ends.cut));
                let head = Revision { name: commit.get(..12).unwrap_or(&commit).to_owned(), commit };
                if !is_cut {
                    return Ok(head);
                }
                found = found.or(Some(head));
            }
            Err(GitError::NoRevision(_)) => {}
            Err(error) => return Err(untrusted("head", head, &error)),
        }
    }
    if let Some(head) = found {
        return Ok(head);
    }
    let named = event.heads.first().map_or("", String::as_str);
    Err(Failure::new(format!("the head of the change is not here: `{named}`"))
        .hint("fetch it first: of pull requests it is `refs/pull/NUMBER/head`"))
}
