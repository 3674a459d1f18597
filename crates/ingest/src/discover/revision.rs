//! Logs as git objects: what a revision of the repository around the current directory holds, without a checkout.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::arrange::{Listed, Listing, Scope, arrange};
use super::origin::Origin;
use super::{Found, MAX_FILE, SelectError};
use agent_strace_git::{GitError, TreeFile, TreeKind};
use agent_strace_model::{Gap, GapKind};

/// Where Entire keeps checkpoints: a branch, its copies of remotes, and references of their own.
const BRANCHES: &[&str] = &["refs/heads/entire/checkpoints/*", "refs/remotes/*/entire/checkpoints/*"];
const REFERENCES: &str = "refs/entire/checkpoints/";
const TRAILER: &str = "Entire-Checkpoint";
/// Digits of a checkpoint's id: the first two name its folder.
const ID: usize = 12;

/// What a SESSION argument asks of the repository.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request<'r> {
    /// `git:REV[:PATH]`
    Tree { request: &'r str, revision: &'r str, path: &'r str },
    /// `entire`
    Checkpoints,
    /// `entire:WHICH`: a checkpoint, a range of commits, or a revision with checkpoints.
    Checkpoint { request: &'r str, which: &'r str },
}

/// Whether a SESSION argument names git objects.
pub(super) fn request(request: &str) -> Option<Request<'_>> {
    if request == "entire" {
        return Some(Request::Checkpoints);
    }
    if let Some(which) = request.strip_prefix("entire:") {
        return Some(Request::Checkpoint { request, which });
    }
    let rest = request.strip_prefix("git:")?;
    let (revision, path) = rest.split_once(':').unwrap_or((rest, ""));
    Some(Request::Tree { request, revision, path: path.trim_matches('/') })
}

impl Request<'_> {
    pub(super) fn find(&self, start: &Path) -> Result<Found, SelectError> {
        match *self {
            Self::Tree { request, revision, path } => {
                let files = agent_strace_git::files(start, revision, path).map_err(|error| failed(request, &error))?;
                let mut tree = Tree::new(start);
                let shown =
                    format!("git:{revision}{}", if path.is_empty() { String::new() } else { format!(":{path}") });
                tree.add(revision, path, files);
                let notes = revision == "refs/notes/ai" || revision.starts_with("refs/notes/");
                tree.listing.name = path.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned);
                tree.listing.scope = if notes { Scope::Everything } else { Scope::Logs };
                tree.listing.shown = shown;
                Ok(tree.found(path))
            }
            Self::Checkpoints => {
                let tree = checkpoints(start, "entire")?;
                let commits = match agent_strace_git::trailers(start, "HEAD", TRAILER) {
                    // Nothing is committed yet.
                    Err(GitError::NoRevision(_)) => BTreeMap::new(),
                    commits => commits.map_err(|error| failed("entire", &error))?,
                };
                let mut found = arrange(tree.listing);
                found.name_commits(&commits);
                Ok(found)
            }
            Self::Checkpoint { request, which } => named(start, request, which),
        }
    }
}

/// `entire:WHICH`.
fn named(start: &Path, request: &str, which: &str) -> Result<Found, SelectError> {
    if which.contains("..") {
        let commits = agent_strace_git::trailers(start, which, TRAILER).map_err(|error| failed(request, &error))?;
        return of_commits(start, request, &commits);
    }
    let is_id = which.len() == ID && which.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id && let Ok(found) = of_commits(start, request, &BTreeMap::from([(which.to_owned(), Vec::new())])) {
        return Ok(found);
    }
    let files = agent_strace_git::files(start, which, "").map_err(|error| failed(request, &error))?;
    let mut tree = Tree::new(start);
    tree.add(which, "", files);
    tree.listing.shown = format!("git:{which}");
    Ok(arrange(tree.listing))
}

/// The sessions of checkpoints that commits name; a checkpoint that is not there is a gap.
fn of_commits(start: &Path, request: &str, commits: &BTreeMap<String, Vec<String>>) -> Result<Found, SelectError> {
    if commits.is_empty() {
        return Ok(Found::default());
    }
    let mut tree = checkpoints(start, request)?;
    let mut there = BTreeSet::new();
    tree.listing.files.retain(|file| {
        let mut parts = file.path.split('/');
        let id = [parts.next(), parts.next()].into_iter().flatten().collect::<String>();
        let wanted = commits.contains_key(&id);
        there.extend(wanted.then_some(id));
        wanted
    });
    for id in commits.keys().filter(|id| !there.contains(*id)) {
        let kind = GapKind::missing(format!("the checkpoint `{}` that a commit names is not there", printable(id)));
        tree.listing.gaps.push(Gap::of_file(request.to_owned(), kind));
    }
    let mut found = arrange(tree.listing);
    found.name_commits(commits);
    Ok(found)
}

/// Trailers are written by whoever made the commit.
fn printable(id: &str) -> String {
    id.chars().filter(char::is_ascii_alphanumeric).take(64).collect()
}

/// Everything that Entire keeps in the repository, as one tree.
fn checkpoints(start: &Path, request: &str) -> Result<Tree, SelectError> {
    let failed = |error: &GitError| failed(request, error);
    let mut tree = Tree::new(start);
    "entire".clone_into(&mut tree.listing.shown);
    let mut globs: Vec<String> = BRANCHES.iter().map(|glob| (*glob).to_owned()).collect();
    globs.push(format!("{REFERENCES}*"));
    let mut any = false;
    for name in agent_strace_git::references(start, &globs).map_err(|error| failed(&error))? {
        any = true;
        let files = agent_strace_git::files(start, &name, "").map_err(|error| failed(&error))?;
        tree.below(&name, own_folder(&name).as_deref(), files);
    }
    if any { Ok(tree) } else { Err(SelectError::NoCheckpoints) }
}

/// The folder that a reference to a single checkpoint stands for: `refs/entire/checkpoints/<xx>/<id>`.
fn own_folder(name: &str) -> Option<String> {
    let (group, id) = name.strip_prefix(REFERENCES)?.split_once('/')?;
    let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let single = group.len() == 2 && hex(group) && hex(id) && !id.is_empty();
    single.then(|| format!("{group}/{}", id.strip_prefix(group).filter(|_| id.len() == ID).unwrap_or(id)))
}

/// Files of revisions, on their way into a listing.
struct Tree {
    folder: Arc<Path>,
    listing: Listing,
    /// Path and object of each file.
    seen: BTreeSet<(String, String)>,
}

impl Tree {
    fn new(start: &Path) -> Self {
        Self { folder: Arc::from(start), listing: Listing::default(), seen: BTreeSet::new() }
    }

    fn add(&mut self, revision: &str, path: &str, files: Vec<TreeFile>) {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        for file in files {
            // The path may name a file.
            let shown = if file.path.is_empty() { path.to_owned() } else { format!("{prefix}{}", file.path) };
            self.push(format!("git:{revision}:{shown}"), file);
        }
    }

    fn below(&mut self, revision: &str, folder: Option<&str>, files: Vec<TreeFile>) {
        for mut file in files {
            let shown = format!("git:{revision}:{}", file.path);
            // The tree may start at the top all the same.
            if let Some(folder) = folder
                && !file.path.starts_with(&format!("{folder}/"))
            {
                file.path = format!("{folder}/{}", file.path);
            }
            self.push(shown, file);
        }
    }

    fn push(&mut self, shown: String, file: TreeFile) {
        let TreeFile { path, kind, size, id } = file;
        if !self.seen.insert((path.clone(), id.clone())) {
            return;
        }
        let origin = match kind {
            TreeKind::File if size > MAX_FILE => Err(super::load::too_large()),
            TreeKind::File => Ok(Origin::Object { folder: self.folder.clone(), id }),
            TreeKind::Link => Err(GapKind::unreadable("a symbolic link: not followed")),
            TreeKind::Repository => Err(GapKind::unreadable("another repository: not read")),
            TreeKind::Missing => Err(GapKind::unreadable("the object is not in the repository: fetch it first")),
        };
        self.listing.files.push(Listed { path, shown, size, origin, beside: Vec::new() });
    }

    fn found(mut self, path: &str) -> Found {
        match self.listing.files.as_slice() {
            [file] if file.path.is_empty() => self.listing.files.remove(0).named(path).only(Scope::Everything),
            _ => arrange(self.listing),
        }
    }
}

impl Listed {
    fn named(mut self, path: &str) -> Self {
        path.rsplit('/').next().unwrap_or(path).clone_into(&mut self.path);
        self
    }
}

impl Found {
    /// Notes the commits that name a session's checkpoint.
    fn name_commits(&mut self, commits: &BTreeMap<String, Vec<String>>) {
        for transcript in self.sources.iter_mut().flat_map(|source| &mut source.transcripts) {
            if let Some(carried) = &mut transcript.carried
                && let Some(commit) = carried.checkpoint.as_ref().and_then(|id| commits.get(id)?.first())
            {
                carried.commit = Some(commit.clone());
            }
        }
    }
}

fn failed(request: &str, error: &GitError) -> SelectError {
    SelectError::Revision { request: request.to_owned(), reason: error.to_string() }
}
