//! Commits through libgit2.
//!
//! Only its object database is used: its own walk and its own comparison are slower, give up on a commit whose header
//! is malformed, and end messages at the first NUL.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;

use git2::{ErrorCode, ObjectType, Odb, Oid, Repository, RepositoryOpenFlags};

use super::Id;
use super::batch::{Batch, Delivery};
use super::range::{Graph, Names, Rule, Selection};
use super::raw::Raw;
use super::trees::{Comparison, object};
use crate::{GitError, broken};

/// Objects that are read before the library's cache, which can't be bounded otherwise, is thrown away.
const READS: usize = 5_000;

/// Tags of tags that are followed.
const MAX_TAGS: usize = 16;

/// A repository as libgit2 sees it.
pub(crate) struct Library {
    pub repository: Repository,
    git_folder: PathBuf,
}

impl Library {
    pub(crate) fn new(repository: Repository) -> Self {
        let git_folder = repository.path().to_owned();
        Self { repository, git_folder }
    }

    /// The same repository again, with an empty cache.
    pub(crate) fn again(&self) -> Result<Repository, GitError> {
        let none: [&std::path::Path; 0] = [];
        Repository::open_ext(&self.git_folder, RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT, none)
            .map_err(|error| broken(&error))
    }

    fn odb(&self) -> Result<Odb<'_>, GitError> {
        self.repository.odb().map_err(|error| broken(&error))
    }
}

impl Names for Library {
    fn head(&self) -> Result<Option<Id>, GitError> {
        match self.repository.head() {
            Ok(head) => Ok(head.target().and_then(|oid| Id::from_bytes(oid.as_bytes()))),
            Err(error) if error.code() == ErrorCode::UnbornBranch => Ok(None),
            Err(error) => Err(broken(&error)),
        }
    }

    fn references(&self) -> Result<Vec<(String, Id)>, GitError> {
        let mut found = BTreeMap::new();
        for reference in self.repository.references().map_err(|error| broken(&error))? {
            let reference = reference.map_err(|error| broken(&error))?;
            let target = match reference.resolve() {
                Ok(target) => target.target(),
                // It stands for one that is not there, as `origin/HEAD` may.
                Err(error) if error.code() == ErrorCode::NotFound => None,
                Err(error) => return Err(broken(&error)),
            };
            if let Some(id) = target.and_then(|oid| Id::from_bytes(oid.as_bytes())) {
                found.insert(String::from_utf8_lossy(reference.name_bytes()).into_owned(), id);
            }
        }
        Ok(found.into_iter().collect())
    }

    fn commit(&self, revision: &str) -> Result<Id, GitError> {
        let unknown = || GitError::NoRevision(revision.to_owned());
        // Names come first: the library can't make an object of a commit whose header is malformed.
        let named = self.repository.resolve_reference_from_short_name(revision).ok().and_then(|found| found.target());
        let whole = || Oid::from_str(revision).ok().filter(|_| revision.len() == 40);
        let parsed = || self.repository.revparse_single(revision).ok().map(|found| found.id());
        let oid = named.or_else(whole).or_else(parsed).ok_or_else(unknown)?;
        let id = Id::from_bytes(oid.as_bytes()).ok_or_else(unknown)?;
        peel(&self.odb()?, id).map_err(|_| unknown())?.ok_or_else(unknown)
    }
}

/// The commit that an object is or, being a tag, names.
fn peel(odb: &Odb<'_>, mut id: Id) -> Result<Option<Id>, GitError> {
    for _ in 0..MAX_TAGS {
        let object = object(odb, &id)?;
        match object.kind() {
            ObjectType::Commit => return Ok(Some(id)),
            ObjectType::Tag => {}
            _ => return Ok(None),
        }
        let line = object.data().split(|byte| *byte == b'\n').next().unwrap_or_default();
        let target = line.strip_prefix(b"object ").and_then(Id::from_hex);
        id = target.ok_or_else(|| GitError::Broken(format!("the tag {id} is malformed")))?;
    }
    Err(GitError::Broken(format!("the tag {id} is a tag of more than {MAX_TAGS} others")))
}

pub(super) fn commits(
    library: &Library,
    selection: &Selection,
    boundary: &BTreeSet<Id>,
    delivery: &mut Delivery<'_, '_>,
) -> Result<(), GitError> {
    let mut reader = Reader { repository: library.again()?, libgit2: library, boundary, reads: 0, raw: Raw::default() };
    let (mut batch, mut walk, mut graph) = (Batch::default(), Walk::default(), Graph::default());
    for id in &selection.starts {
        if let Some(id) = peel(&library.odb()?, *id)? {
            walk.add(reader.read(id)?);
        }
    }
    while let Some((_, _, commit)) = walk.heap.pop() {
        let parents = reader.parents(&commit)?;
        if selection.rule != Rule::All {
            graph.add(commit.id, commit.seconds, commit.parents.iter().copied());
        }
        let is_certain = selection.rule.is_certain(commit.seconds);
        if is_certain && reader.give(&commit, &parents, &mut batch, delivery)?.is_break() {
            return Ok(());
        }
        for parent in parents {
            walk.add(parent);
        }
    }
    drop(walk);
    for id in graph.wanted(&selection.rule) {
        let commit = reader.read(id)?;
        let parents = reader.parents(&commit)?;
        if reader.give(&commit, &parents, &mut batch, delivery)?.is_break() {
            return Ok(());
        }
    }
    Ok(())
}

/// Commits still to be visited, the newest first.
#[derive(Default)]
struct Walk {
    heap: BinaryHeap<(i64, Reverse<usize>, Node)>,
    seen: HashSet<Id>,
}

impl Walk {
    fn add(&mut self, commit: Node) {
        if self.seen.insert(commit.id) {
            self.heap.push((commit.seconds, Reverse(self.seen.len()), commit));
        }
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    id: Id,
    tree: Id,
    seconds: i64,
    /// None where the clone was cut off.
    parents: Vec<Id>,
}

struct Reader<'l> {
    repository: Repository,
    libgit2: &'l Library,
    boundary: &'l BTreeSet<Id>,
    reads: usize,
    /// The commit read last.
    raw: Raw,
}

impl Reader<'_> {
    fn read(&mut self, id: Id) -> Result<Node, GitError> {
        if self.reads > READS {
            (self.repository, self.reads) = (self.libgit2.again()?, 0);
        }
        self.reads += 1;
        let odb = self.repository.odb().map_err(|error| broken(&error))?;
        let object = object(&odb, &id)?;
        if object.kind() != ObjectType::Commit {
            return Err(GitError::Broken(format!("{id} has to be a commit and is none")));
        }
        self.raw.clear();
        self.raw.feed(object.data());
        let header = self.raw.header();
        let parents = if self.boundary.contains(&id) { Some(Vec::new()) } else { self.raw.parents().collect() };
        let parents = parents.ok_or_else(|| GitError::Broken(format!("the parents of {id} are malformed")))?;
        let tree = header.tree.ok_or_else(|| GitError::Broken(format!("the commit {id} has no tree")))?;
        Ok(Node { id, tree, seconds: header.seconds, parents })
    }

    fn parents(&mut self, commit: &Node) -> Result<Vec<Node>, GitError> {
        commit.parents.iter().map(|parent| self.read(*parent)).collect()
    }

    fn give(
        &mut self,
        commit: &Node,
        parents: &[Node],
        batch: &mut Batch,
        delivery: &mut Delivery<'_, '_>,
    ) -> Result<ControlFlow<()>, GitError> {
        let mut trees = vec![Some(commit.tree)];
        trees.extend(parents.iter().map(|parent| Some(parent.tree)));
        if parents.is_empty() {
            trees.push(None);
        }
        self.read(commit.id)?;
        let odb = self.repository.odb().map_err(|error| broken(&error))?;
        let mut continued = false;
        let raw = &self.raw;
        let mut full = |batch: &mut Batch| {
            let flow = delivery.give(commit.id, raw, batch, continued);
            continued = true;
            flow.is_continue()
        };
        let mut comparison = Comparison { odb: &odb, batch, full: &mut full, path: Vec::new(), reads: 0 };
        let whole = comparison.trees(&trees, 0)?;
        self.reads += comparison.reads;
        if !whole {
            return Ok(ControlFlow::Break(()));
        }
        Ok(delivery.give(commit.id, raw, batch, continued))
    }
}
