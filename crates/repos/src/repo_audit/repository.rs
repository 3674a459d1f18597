//! Audits one repository by its objects: the tree of HEAD, the work tree, commits and references.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::path::Path;

use super::approval::{Approvals, Whereabouts};
use super::commits::{self, Past, decoded};
use super::endpoints::Endpoint;
use super::file::{self, Findings, Looks};
use super::hit::{Location, Origin, RepositoryHit};
use super::judge;
use super::mcp::{self, Server};
use super::private;
use super::tables::{Tables, tables};
use super::traces::{Detected, Trace, Traces};
use super::worktree;
use agent_strace_git::{Backend, GitError, Id, Objects, PathOfTree, Repository, Revisions};
use agent_strace_model::{Gap, GapKind};

/// Of a file that configures something: no settings are that large.
const LARGEST_SETTINGS: u64 = 8 << 20;
/// Of source: what is larger is generated, or data.
const LARGEST_SOURCE: u64 = 1 << 20;
/// The mode of a submodule.
const SUBMODULE: u32 = 0o160_000;
/// Bytes of the history that are read.
const MOST_PAST: usize = 256 << 20;

/// The extent of an audit and the approvals to judge by.
#[derive(Debug)]
pub struct Settings<'s> {
    /// `None`: the history is not read.
    pub revisions: Option<Revisions>,
    pub backend: Backend,
    pub approvals: &'s Approvals,
    /// The file with the approvals.
    pub approved_in: Option<&'s str>,
    /// Servers and tools that sessions used; `None`: no sessions are given.
    pub used: Option<&'s BTreeMap<String, BTreeSet<String>>>,
    /// Whether every changed file of the history is read, and not only what configures and what holds keys.
    pub deep: bool,
}

/// The result of auditing a repository.
#[derive(Debug)]
pub struct RepositoryAudit {
    /// The commit that HEAD names, in hex; `None`: there is none yet.
    pub head: Option<String>,
    pub tools: Vec<Detected>,
    pub servers: Vec<Declared>,
    pub endpoints: Vec<Located>,
    pub hits: Vec<RepositoryHit>,
    pub gaps: Vec<Gap>,
    /// Files of HEAD.
    pub files: u64,
    /// The number of examined commits.
    pub commits: u64,
    pub submodules: Vec<String>,
}

/// A server of a configuration.
#[derive(Debug)]
pub struct Declared {
    pub server: Server,
    pub origin: Origin,
    pub approved: bool,
    /// Whether sessions used it; `None`: no sessions are given.
    pub used: Option<bool>,
}

/// An endpoint and its location.
#[derive(Debug)]
pub struct Located {
    pub endpoint: Endpoint,
    pub location: Location,
    pub approved: bool,
}

/// Audits the repository at `path`. Fails only if the repository cannot be read at all; other problems become gaps.
pub fn audit_repository(path: &Path, settings: &Settings<'_>) -> Result<RepositoryAudit, GitError> {
    let tables = tables().map_err(|why| GitError::Broken(why.to_owned()))?;
    let repository = Repository::open(path)?;
    let facts = repository.facts()?;
    let entries = match &facts.head {
        Some(head) => repository.paths(head)?,
        None => Vec::new(),
    };
    let here: HashSet<Vec<u8>> = entries.iter().map(|entry| entry.path.clone()).collect();
    let mut traces = Traces::new(tables, settings.approvals);
    let mut history = Walked::default();
    if let Some(revisions) = &settings.revisions {
        history = walk(&repository, revisions, settings, tables, &mut traces, &here)?;
        references(&repository, tables, &mut traces)?;
    }
    let objects = repository.objects()?;
    let mut files = Findings::new(tables, &mut traces);
    files.gaps.append(&mut history.gaps);
    let mut auditor = Auditor { repository: &repository, objects: &objects, files, locations: Vec::new() };
    auditor.head(&entries, &history.changed)?;
    if let Some(top) = &facts.worktree {
        auditor.worktree(top, &here, &entries);
    }
    auditor.past(&history.past, &entries)?;
    let Findings { servers, endpoints, hits, gaps, .. } = auditor.files;
    let tools = traces.finish();
    let (files, commits) = (entries.len() as u64, history.commits);
    let submodules = entries.iter().filter(|entry| entry.mode == SUBMODULE);
    let submodules = submodules.map(|entry| decoded(&entry.path).into_owned()).collect();
    let mut audit =
        RepositoryAudit { head: facts.head, tools, servers, endpoints, hits, gaps, files, commits, submodules };
    judge::judge(&mut audit, settings);
    Ok(audit)
}

/// What commits led to.
#[derive(Default)]
struct Walked {
    past: Vec<Past>,
    changed: HashSet<Vec<u8>>,
    commits: u64,
    gaps: Vec<Gap>,
}

fn walk(
    repository: &Repository,
    revisions: &Revisions,
    settings: &Settings<'_>,
    tables: &'static Tables,
    traces: &mut Traces<'_>,
    here: &HashSet<Vec<u8>>,
) -> Result<Walked, GitError> {
    let is_read: fn(&str) -> bool = if settings.deep { private::is_searched } else { file::is_worth_reading };
    let mut reader = commits::Reader::new(tables, traces, is_read, here);
    let history = repository.commits(revisions, settings.backend, &mut |commit| {
        reader.read(commit);
        ControlFlow::Continue(())
    })?;
    let (past, changed, left_out) = reader.finish();
    let mut gaps = Vec::new();
    let mut gap = |kind: GapKind| gaps.push(Gap::of_file(".git", kind));
    if let Some(cut) = history.cut {
        gap(GapKind::missing(cut));
    }
    if left_out > 0 {
        let detail =
            format!("{left_out} files of the history are not read, because there are too many; name a shorter range");
        gap(GapKind::limit(detail));
    }
    Ok(Walked { past, changed, commits: history.commits, gaps })
}

/// No link, and no submodule.
fn is_file(mode: u32) -> bool {
    mode & 0o170_000 == 0o100_000
}

/// Names of branches and other references.
fn references(repository: &Repository, tables: &'static Tables, traces: &mut Traces<'_>) -> Result<(), GitError> {
    let mut locations = Vec::new();
    for (name, _) in repository.references()? {
        let mut add = |text: &str, ids: Vec<_>| {
            for id in ids {
                let location = Location { file: None, line: None, origin: Origin::Reference(name.clone()) };
                let trace = Trace { text, location, author: None, seconds: None, files: Whereabouts::Anywhere };
                traces.add(id, &trace);
            }
        };
        let ids = tables.references.matching(&name, &mut locations).collect();
        add(&name, ids);
        if let Some(branch) = branch(&name) {
            let ids = tables.branches.matching(branch, &mut locations).collect();
            add(branch, ids);
        }
    }
    Ok(())
}

/// The name of a branch, without that of its remote.
fn branch(reference: &str) -> Option<&str> {
    let remote = reference.strip_prefix("refs/remotes/").and_then(|name| name.split_once('/')).map(|(_, name)| name);
    reference.strip_prefix("refs/heads/").or(remote)
}

struct Auditor<'s, 'r, 'a> {
    repository: &'s Repository,
    objects: &'s Objects,
    files: Findings<'r, 'a>,
    locations: Vec<usize>,
}

impl Auditor<'_, '_, '_> {
    /// The files of HEAD. `changed`: those that commits of the range changed.
    fn head(&mut self, entries: &[PathOfTree], changed: &HashSet<Vec<u8>>) -> Result<(), GitError> {
        for entry in entries {
            let path = decoded(&entry.path);
            self.files.path(&path, &Origin::Head, &mut self.locations);
            let looks = Looks::of(self.files.tables, &path);
            let private =
                (changed.contains(&entry.path) || file::is_worth_reading(&path)) && private::is_searched(&path);
            if is_file(entry.mode) && (private || !looks.is_none()) {
                self.object(&path, &Origin::Head, entry.id, looks, private)?;
            }
        }
        self.referenced(entries)
    }

    /// Files that are known only because others name them.
    fn referenced(&mut self, entries: &[PathOfTree]) -> Result<(), GitError> {
        for path in std::mem::take(&mut self.files.referenced) {
            let entry = entries.iter().find(|entry| entry.path == path.as_bytes() && is_file(entry.mode));
            let Some(entry) = entry.filter(|_| !mcp::is_config(&path)) else { continue };
            if let Some(bytes) = self.objects.read(&entry.id, LARGEST_SETTINGS)? {
                self.files.servers_in(&path, &Origin::Head, &bytes);
            }
        }
        Ok(())
    }

    fn object(&mut self, path: &str, origin: &Origin, id: Id, looks: Looks, private: bool) -> Result<(), GitError> {
        let must = looks.is_special() || private;
        let limit = if must { LARGEST_SETTINGS } else { LARGEST_SOURCE };
        match self.objects.read(&id, limit) {
            Ok(Some(bytes)) => self.files.content(path, origin, &bytes, looks, private),
            Ok(None) if must => {
                self.files.gap(path, 0, &format!("it is larger than {LARGEST_SETTINGS} bytes, and was not read"));
            }
            // Of source that nobody changed only hosts are wanted, and what is that large is generated.
            Ok(None) => {}
            Err(GitError::Missing(_)) => self.files.gap(path, 0, "its object is missing in this clone"),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn worktree(&mut self, top: &Path, here: &HashSet<Vec<u8>>, entries: &[PathOfTree]) {
        let tables = self.files.tables;
        let committed: BTreeMap<&[u8], Id> = entries.iter().map(|entry| (entry.path.as_slice(), entry.id)).collect();
        let is_wanted = |path: &str| tables.files.matches(path) || Looks::of(tables, path).is_special();
        let is_ignored = |path: &Path| self.repository.is_ignored(path);
        let is_trace = |path: &str| tables.files.matches(path);
        let (is_ignored, is_trace, is_wanted) = (&is_ignored, &is_trace, &is_wanted);
        let walk = worktree::Walk { top, committed: here, is_ignored, is_trace, is_wanted };
        let found = walk.run();
        for reason in &found.gaps {
            self.files.gap(".", 0, reason);
        }
        for path in &found.paths {
            let looks = Looks::of(tables, path);
            let Some(bytes) = worktree::read(&top.join(path), LARGEST_SETTINGS) else {
                self.files.gap(path, 0, "it lies in the work tree and can't be read, or is too large");
                continue;
            };
            let old = committed.get(path.as_bytes());
            if old.is_some_and(|id| self.is_the_same(*id, &bytes)) {
                continue;
            }
            if old.is_none() {
                self.files.path(path, &Origin::Worktree, &mut self.locations);
            }
            self.files.content(path, &Origin::Worktree, &bytes, looks, file::is_worth_reading(path));
        }
    }

    /// Whether a file is as HEAD has it, whatever its lines end with.
    fn is_the_same(&self, id: Id, bytes: &[u8]) -> bool {
        let plain = |bytes: &[u8]| bytes.iter().copied().filter(|byte| *byte != b'\r').collect::<Vec<u8>>();
        let committed = self.objects.read(&id, LARGEST_SETTINGS).ok().flatten();
        committed.is_some_and(|committed| committed == bytes || plain(&committed) == plain(bytes))
    }

    /// Files as they were once.
    fn past(&mut self, past: &[Past], entries: &[PathOfTree]) -> Result<(), GitError> {
        let current: HashSet<Id> = entries.iter().map(|entry| entry.id).collect();
        let mut read = 0_usize;
        for (at, Past { path, blob, commit, .. }) in
            past.iter().enumerate().filter(|(_, past)| !current.contains(&past.blob))
        {
            if read > MOST_PAST {
                let left = past.len() - at;
                self.files.gap(
                    ".git",
                    0,
                    &format!("{left} files of the history are not read, because they are too large"),
                );
                break;
            }
            let looks = Looks::of(self.files.tables, path);
            match self.objects.read(blob, LARGEST_SETTINGS) {
                Ok(Some(bytes)) => {
                    read += bytes.len();
                    self.files.content(path, &Origin::Commit(commit.to_string()), &bytes, looks.of_the_past(), true);
                }
                Ok(None) => self.files.gap(path, 0, "a version of it is too large, and was not read"),
                Err(GitError::Missing(_)) => self.files.gap(path, 0, "a version of it is missing in this clone"),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
