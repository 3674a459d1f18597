//! A change that is judged beside sessions: what its head has that its base hasn't. Data, and no opinion about it.

use std::collections::{BTreeMap, BTreeSet};

use crate::ChangedFile;

/// How much of a change is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Only what the gate rests on: nobody said that sessions have to account for the rest.
    Tampering,
    /// Every file and commit of it.
    Everything,
}

/// A commit, and how its user called it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    pub name: String,
    /// In hex.
    pub commit: String,
}

/// The part that a changed file has in the gate. Names are text of the change or its base: hostile.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// CI runs the gate by it, before the change or after it.
    Runs,
    /// CI runs the gate by it, and the change moves actions of other repositories to another version there.
    MovesActions { actions: String },
    /// CI runs the gate by it, and the change touches only jobs that the gate does not need.
    OtherJobs,
    /// CI runs the gate by it, and nothing but comments, blanks or ends of lines differ.
    Unseen,
    /// The gate calls it, by the file `by`.
    Called { by: String },
    /// It runs before the gate in its job, by the file `by`, and may replace the gate there.
    RunsBefore { by: String },
    /// The gate would call it after the merge, by the file `by`, and does not at the base.
    WouldBeCalled { by: String },
    /// It is new, and its system would read it in place of `gate`, which runs the gate.
    Supersedes { gate: String },
    /// The same, but only some systems read it.
    MaySupersede { gate: String },
    /// The workflow `gate`, which runs the gate, starts after it by its name, and it loses that name.
    Starts { gate: String },
    /// It says which gate is installed as a package.
    PinsGate,
    /// A job of a workflow that is added or changed has the name of a check of the gate.
    TakesName { name: String },
    /// The same, but only a run knows the name.
    MayTakeName,
    /// A workflow that can't be read, so that its jobs are not known.
    Unreadable { reason: String },
    /// The token of a workflow may set the state of any check.
    SetsChecks,
    /// It uses a workflow of another repository, and no file of CI here runs the gate.
    MayRun { used: String },
    /// A script or recipe that runs the gate, and no file of CI calls it. `is_only`: nothing else here runs the gate.
    NamesGate { is_only: bool },
    /// Sessions are not committed any more.
    IgnoresRecord,
    /// A file of git that may keep sessions out of commits, and that can't be read.
    UnreadableRecord { reason: String },
    /// Git changes the content of sessions when they are committed.
    RewritesRecord { attribute: String },
    /// Sessions, or files of the gate, are not shown to reviewers.
    HidesRecord { attribute: String },
    /// A file of recipes that the job of the gate takes other recipes from.
    Beside { by: String },
    /// A new workflow that has nothing to do with the gate.
    NewWorkflow,
    /// A text that agents follow, with new rights: it runs something, or allows tools.
    GivesRights { by: String },
    /// A text that agents follow, without new rights.
    Instructs,
    /// An agent reads it.
    OfAgent { name: String },
}

/// A change. All paths count from the top of the repository.
#[derive(Debug, Clone)]
pub struct Change {
    /// What judges: for a pull request the tip of its base branch.
    pub base: Revision,
    pub head: Revision,
    /// Where the two parted, in hex; `None` where they have nothing in common.
    pub merge_base: Option<String>,
    pub extent: Extent,
    /// When its head was committed, as the commit says, in seconds of the epoch.
    pub seconds: Option<i64>,
    /// The addresses of the repository that is judged, where they are known.
    pub addresses: Vec<String>,
    /// It is on its branch already: what is found can be told, not kept out.
    pub landed: bool,
    /// It is a pull request, or waits in a queue to be merged.
    pub is_proposed: bool,
    /// Who or what vouches that people looked at what it does to the gate.
    pub reviewed: Option<String>,
    /// By path.
    pub files: Vec<ChangedFile>,
    /// What it has and its base hasn't, in the order of their names.
    pub commits: Vec<Commit>,
    /// Files that judge, whatever they are called, in lower case: the policy, what it extends, settings, baselines.
    pub judging: BTreeSet<String>,
    /// Changed files that have a part in the gate, or in what agents may do.
    pub parts: BTreeMap<String, Part>,
    /// The folder with sessions, where it lies in the repository.
    pub store: Option<String>,
    /// Changed files of sessions that begin with all that they held before, and how many lines that was.
    pub grown: BTreeMap<String, u32>,
    /// Logs, as reports name them, that the base holds as they are: they tell of earlier changes.
    pub settled: BTreeSet<String>,
    /// Logs, as reports name them, that went on: lines that they held before tell of earlier changes.
    pub told_before: BTreeMap<String, u32>,
    /// Changed files by their last component: their places in `files`.
    pub names: BTreeMap<String, Vec<usize>>,
    /// From the top to the current directory, `/` at the end; empty at the top.
    pub prefix: String,
}

/// A commit of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// In hex.
    pub id: String,
    /// Tools that it says made it.
    pub marks: Vec<Mark>,
    pub files: Vec<String>,
    pub is_merge: bool,
    /// The first paragraph of its message in one line, where it says that a tool made it.
    pub subject: String,
    /// When it was written and when it was committed, in seconds of the epoch; 0 where it can't be read.
    pub dates: [i64; 2],
    /// A commit of the default branch that it was picked from, unchanged.
    pub picked_from: Option<String>,
}

/// A tool that a commit names as its author.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// As tables and sessions call it.
    pub tool: String,
    /// As its vendor writes it.
    pub name: String,
    /// What says so: text of the commit.
    pub said: String,
}

impl Change {
    /// The changed file at a path.
    pub fn file(&self, path: &str) -> Option<&ChangedFile> {
        let index = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        self.files.get(index)
    }

    /// It is part of the record, not of what was worked on.
    pub fn is_recorded(&self, path: &str) -> bool {
        let store = self.store.as_deref().and_then(|store| path.strip_prefix(store));
        store.is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Files by their last component.
pub fn by_name(files: &[ChangedFile]) -> BTreeMap<String, Vec<usize>> {
    let mut names: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        names.entry(file.path.rsplit('/').next().unwrap_or_default().to_owned()).or_default().push(index);
    }
    names
}

/// A path that counts from the folder `prefix` (`/` at its end, empty at the top), from the top of the repository; `None`
/// where it leaves the repository or is no relative path.
pub fn from_top(prefix: &str, path: &str) -> Option<String> {
    if path.starts_with('/') || path.contains(['\\', ':']) || path == "-" {
        return None;
    }
    let mut parts: Vec<&str> = prefix.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}
