//! The change that sessions come with, as reports show it.

use std::collections::BTreeMap;

use serde::Serialize;

use agent_strace_engine::{Outcome, Verdict};
use agent_strace_git::change_set::{Change, Revision};
use agent_strace_model::finding::{Family, Finding, Level, VerdictImpact};
use agent_strace_secrets::{Redacted, redact};

/// What was judged beside the sessions.
#[derive(Debug)]
pub(crate) struct ShownChange {
    pub(super) base: ShownRevision,
    pub(super) head: ShownRevision,
    /// In hex.
    pub(super) merge_base: Option<String>,
    /// It is a pull request, or waits in a queue to be merged.
    pub(super) is_proposed: bool,
    pub(super) commits: usize,
    /// Changed files, from the top of the repository, and the line that stands for each: the first one of the largest piece
    /// that was added. Deleted files and files that are no plain ones are not among them: nothing can be shown in them.
    pub(super) lines: BTreeMap<String, u32>,
    /// All changed files.
    pub(super) files: usize,
    /// What the files of the change itself would say of it, where they are others than those that judge.
    pub(super) after_merge: Option<AfterMerge>,
}

/// A revision as it was called, and its commit in hex.
#[derive(Debug)]
pub(super) struct ShownRevision {
    pub(super) name: Redacted,
    pub(super) commit: String,
}

/// How the same sessions would be judged once the change is merged.
#[derive(Debug)]
pub enum AfterMerge {
    Judged {
        passes: bool,
        errors: usize,
        warnings: usize,
    },
    /// They can't judge: why, in one line.
    Broken(Redacted),
}

impl ShownChange {
    pub(super) fn new(change: &Change) -> Self {
        let shown = change.files.iter().filter(|file| file.mode != 0 && !file.is_link() && !file.is_submodule());
        Self {
            base: ShownRevision::new(&change.base),
            head: ShownRevision::new(&change.head),
            merge_base: change.merge_base.clone(),
            is_proposed: change.is_proposed,
            commits: change.commits.len(),
            lines: shown.map(|file| (file.path.clone(), file.line())).collect(),
            files: change.files.len(),
            after_merge: None,
        }
    }
}

fn is_of_gate(finding: &Finding) -> bool {
    finding.rule.family() == Family::Gate
}

impl ShownRevision {
    fn new(revision: &Revision) -> Self {
        Self { name: redact(&revision.name), commit: revision.commit.clone() }
    }
}

impl AfterMerge {
    pub fn of(outcome: &Outcome) -> Self {
        let sessions = outcome.sessions.iter().flat_map(|session| &session.findings);
        let found = sessions.chain(&outcome.of_change).chain(&outcome.remarks);
        // What the change does to the gate is done once it is merged.
        let found: Vec<&Finding> =
            found.filter(|finding| finding.impact == VerdictImpact::ByLevel && !is_of_gate(finding)).collect();
        let count = |level| found.iter().filter(|finding| finding.level == level).count();
        Self::Judged {
            passes: outcome.verdict != Verdict::Incomplete && count(Level::Error) == 0,
            errors: count(Level::Error),
            warnings: count(Level::Warning),
        }
    }

    pub fn broken(reason: &str) -> Self {
        Self::Broken(redact(reason))
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ChangeDocument<'a> {
    base: RevisionDocument<'a>,
    head: RevisionDocument<'a>,
    /// Where the two parted, in hex; `null` where that is not known.
    merge_base: Option<&'a str>,
    files: usize,
    commits: usize,
    /// What the files of the change itself would say of it, where they are others than those that judged: information.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_merge: Option<AfterMergeDocument<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RevisionDocument<'a> {
    /// As it was called.
    #[serde(rename = "ref")]
    name: &'a str,
    /// In hex.
    commit: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AfterMergeDocument<'a> {
    passes: bool,
    errors: usize,
    warnings: usize,
    /// Why they can't judge, where they can't.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<&'a str>,
}

impl ShownChange {
    pub(super) fn document(&self) -> ChangeDocument<'_> {
        ChangeDocument {
            base: self.base.document(),
            head: self.head.document(),
            merge_base: self.merge_base.as_deref(),
            files: self.files,
            commits: self.commits,
            after_merge: self.after_merge.as_ref().map(AfterMerge::document),
        }
    }
}

impl ShownRevision {
    fn document(&self) -> RevisionDocument<'_> {
        RevisionDocument { name: self.name.as_str(), commit: &self.commit }
    }
}

impl AfterMerge {
    fn document(&self) -> AfterMergeDocument<'_> {
        match self {
            Self::Judged { passes, errors, warnings } => {
                AfterMergeDocument { passes: *passes, errors: *errors, warnings: *warnings, broken: None }
            }
            Self::Broken(reason) => {
                AfterMergeDocument { passes: false, errors: 0, warnings: 0, broken: Some(reason.as_str()) }
            }
        }
    }
}
