//! A repository that is opened once and asked many things.

use std::cell::{OnceCell, RefCell};
use std::ffi::OsString;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use git2::{ErrorCode, ObjectType};

use super::commits::output::{object_body, object_head};
use super::commits::program::{cannot_run, failure};
use super::commits::trees::{FOLDER, next_entry, object, too_deep};
use super::commits::{Backend, Each, History, Id, Library, MAX_DEPTH, Names, Program, Revisions, Source, commits};
use super::{GitError, broken};

/// Files of one revision.
const MAX_FILES: usize = 1_000_000;

/// A repository. What libgit2 can't open (SHA-256, extensions it doesn't know) is read through the `git` program alone.
pub struct Repository {
    start: PathBuf,
    common_folder: PathBuf,
    /// The error of libgit2 where it can't open the repository.
    libgit2: Result<Library, String>,
    /// The search path for programs.
    search: Option<OsString>,
    program: OnceCell<Option<Program>>,
}

/// What a repository is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub bare: bool,
    pub shallow: bool,
    /// The commit of `HEAD`, in hex.
    pub head: Option<String>,
    pub worktree: Option<PathBuf>,
}

/// A file of a whole tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathOfTree {
    pub path: Vec<u8>,
    pub mode: u32,
    pub id: Id,
}

impl Repository {
    /// Opens the repository around `start`, which has to belong to this user.
    pub fn open(start: &Path) -> Result<Self, GitError> {
        Self::open_with(start, std::env::var_os("PATH"))
    }

    /// As [`Self::open`], with the search path for programs.
    pub(super) fn open_with(start: &Path, search: Option<OsString>) -> Result<Self, GitError> {
        let start = std::path::absolute(start).map_err(|error| GitError::Broken(error.to_string()))?;
        let program = OnceCell::new();
        match super::open(&start) {
            Ok(repository) => {
                let common_folder = repository.commondir().to_owned();
                Ok(Self { start, common_folder, libgit2: Ok(Library::new(repository)), search, program })
            }
            Err(error @ (GitError::Broken(_) | GitError::Sha256)) => {
                let reason = if let GitError::Broken(reason) = error { reason } else { error.to_string() };
                let Some(path) = Program::find(search.as_deref(), &[&start]) else {
                    return Err(GitError::Unsupported(reason));
                };
                let (found, common_folder) = Program::discover(path, &start)?;
                let program = OnceCell::from(Some(found));
                Ok(Self { start, common_folder, libgit2: Err(reason), search, program })
            }
            Err(error) => Err(error),
        }
    }

    /// Hands over every commit of the range with what it changes, in no particular order. An error may come after some
    /// of them.
    pub fn commits(&self, revisions: &Revisions, backend: Backend, each: &mut Each<'_>) -> Result<History, GitError> {
        let program = if backend == Backend::Library { None } else { self.program() };
        let source = match (program, backend) {
            (Some(program), _) => Source::Binary(program),
            (None, Backend::Binary) => return Err(GitError::NoProgram),
            (None, _) => Source::Library(self.through_libgit2()?),
        };
        commits(&source, &self.common_folder, revisions, each)
    }

    /// All references and the objects they name, in hex, sorted.
    pub fn references(&self) -> Result<Vec<(String, String)>, GitError> {
        let references = self.names()?.references()?;
        Ok(references.into_iter().map(|(name, id)| (name, id.to_string())).collect())
    }

    /// A file of `HEAD`, by its path from the top, with at most so many bytes; none where it has no such file.
    pub fn committed(&self, path: &str, limit: u64) -> Result<Option<Vec<u8>>, GitError> {
        let Some(head) = self.names()?.head()? else { return Ok(None) };
        let head = head.to_string();
        if self.libgit2.is_ok() {
            return match super::read_top(&self.start, &head, path) {
                Ok(blob) if blob.bytes.len() as u64 > limit => Err(GitError::TooLarge { path: path.to_owned() }),
                Ok(blob) => Ok(Some(blob.bytes)),
                Err(GitError::NoFile { .. }) => Ok(None),
                Err(error) => Err(error),
            };
        }
        let files = self.paths(&head)?;
        let Some(file) = files.iter().find(|file| file.path == path.as_bytes()) else { return Ok(None) };
        let bytes = self.objects()?.read(&file.id, limit)?;
        bytes.map(Some).ok_or_else(|| GitError::TooLarge { path: path.to_owned() })
    }

    /// All files of a revision. Sizes and contents are not looked at.
    pub fn paths(&self, revision: &str) -> Result<Vec<PathOfTree>, GitError> {
        let files = match &self.libgit2 {
            Ok(library) => {
                let id = tree(library, revision)?;
                let mut files = Files { libgit2: library, path: Vec::new(), found: Vec::new() };
                files.tree(&id, 0)?;
                files.found
            }
            Err(reason) => {
                let program = self.program().ok_or_else(|| GitError::Unsupported(reason.clone()))?;
                let id = program.object(revision, "tree")?.to_string();
                listed(&program.ask(&["ls-tree", "-r", "-z", "--full-tree", &id], b"")?)
            }
        };
        if files.len() > MAX_FILES { Err(GitError::TooManyFiles(revision.to_owned())) } else { Ok(files) }
    }

    pub fn facts(&self) -> Result<Facts, GitError> {
        let head = self.names()?.head()?.map(|id| id.to_string());
        let worktree = match &self.libgit2 {
            Ok(library) => library.repository.workdir().map(Path::to_owned),
            Err(_) => self.program().map(|program| program.worktree(&self.start)).transpose()?.flatten(),
        };
        let shallow = self.common_folder.join("shallow").exists();
        Ok(Facts { bare: worktree.is_none(), shallow, head, worktree })
    }

    /// The contents of files, by their names as objects.
    pub fn objects(&self) -> Result<Objects, GitError> {
        match &self.libgit2 {
            Ok(library) => Ok(Objects(Contents::Library(Box::new(library.again()?)))),
            Err(reason) => {
                let program = self.program().ok_or_else(|| GitError::Unsupported(reason.clone()))?;
                Ok(Objects(Contents::Binary(RefCell::new(Asked::start(program)?))))
            }
        }
    }

    /// Whether the rules of the repository or of its user ignore a path, relative to the top of the work tree. Where
    /// nobody can tell, nothing is ignored.
    pub fn is_ignored(&self, path: &Path) -> bool {
        self.libgit2.as_ref().is_ok_and(|library| library.repository.is_path_ignored(path).unwrap_or(false))
    }

    fn through_libgit2(&self) -> Result<&Library, GitError> {
        self.libgit2.as_ref().map_err(|reason| GitError::Unsupported(reason.clone()))
    }

    fn names(&self) -> Result<&dyn Names, GitError> {
        match &self.libgit2 {
            Ok(library) => Ok(library),
            Err(reason) => match self.program() {
                Some(program) => Ok(program),
                None => Err(GitError::Unsupported(reason.clone())),
            },
        }
    }

    fn program(&self) -> Option<&Program> {
        let find = || {
            let library = self.libgit2.as_ref().ok()?;
            let git_folder = library.repository.path();
            let top = library.repository.workdir().unwrap_or(git_folder);
            let path = Program::find(self.search.as_deref(), &[&self.start, top, &self.common_folder])?;
            Some(Program::new(path, git_folder.to_owned()))
        };
        self.program.get_or_init(find).as_ref()
    }
}

fn tree(library: &Library, revision: &str) -> Result<Id, GitError> {
    let tree = library.repository.revparse_single(revision).and_then(|object| object.peel_to_tree());
    let id = tree.ok().and_then(|tree| Id::from_bytes(tree.id().as_bytes()));
    id.ok_or_else(|| GitError::NoRevision(revision.to_owned()))
}

struct Files<'l> {
    libgit2: &'l Library,
    path: Vec<u8>,
    found: Vec<PathOfTree>,
}

impl Files<'_> {
    fn tree(&mut self, id: &Id, depth: usize) -> Result<(), GitError> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        let odb = self.libgit2.repository.odb().map_err(|error| broken(&error))?;
        let tree = object(&odb, id)?;
        let mut rest = tree.data();
        while let Some(entry) = next_entry(&mut rest)? {
            // Too many is too many, however many there are.
            if self.found.len() > MAX_FILES {
                return Ok(());
            }
            let length = self.path.len();
            self.path.extend_from_slice(entry.name);
            if entry.mode == FOLDER {
                self.path.push(b'/');
                self.tree(&entry.id, depth + 1)?;
            } else {
                self.found.push(PathOfTree { path: self.path.clone(), mode: entry.mode, id: entry.id });
            }
            self.path.truncate(length);
        }
        Ok(())
    }
}

/// `MODE KIND ID TAB PATH NUL` for each file.
fn listed(output: &[u8]) -> Vec<PathOfTree> {
    let file = |line: &[u8]| {
        let (about, path) = line.split_at_checked(memchr::memchr(b'\t', line)?)?;
        let mut words = about.split(|byte| *byte == b' ');
        let mode = u32::from_str_radix(str::from_utf8(words.next()?).ok()?, 8).ok()?;
        Some(PathOfTree { path: path.get(1..)?.to_vec(), mode, id: Id::from_hex(words.nth(1)?)? })
    };
    output.split(|byte| *byte == 0).filter_map(file).collect()
}

/// Contents of files.
pub struct Objects(Contents);

enum Contents {
    Library(Box<git2::Repository>),
    Binary(RefCell<Asked>),
}

impl Objects {
    /// The bytes of a file; none where it is larger than the limit.
    pub fn read(&self, id: &Id, limit: u64) -> Result<Option<Vec<u8>>, GitError> {
        match &self.0 {
            Contents::Library(repository) => from_library(repository, id, limit),
            Contents::Binary(asked) => asked.borrow_mut().read(id, limit),
        }
    }
}

fn from_library(repository: &git2::Repository, id: &Id, limit: u64) -> Result<Option<Vec<u8>>, GitError> {
    let oid = git2::Oid::from_bytes(id.as_bytes()).map_err(|error| broken(&error))?;
    let odb = repository.odb().map_err(|error| broken(&error))?;
    let (size, kind) = odb.read_header(oid).map_err(|error| match error.code() {
        ErrorCode::NotFound => GitError::Missing(format!("the object {id} is missing")),
        _ => broken(&error),
    })?;
    if kind != ObjectType::Blob {
        return Err(GitError::Broken(format!("the object {id} is no file")));
    }
    if size as u64 > limit { Ok(None) } else { Ok(Some(object(&odb, id)?.data().to_vec())) }
}

/// `git cat-file`, which is asked for one object after the other.
struct Asked {
    child: Child,
    pipes: Option<(ChildStdin, BufReader<ChildStdout>)>,
}

impl Asked {
    fn start(program: &Program) -> Result<Self, GitError> {
        let mut command = program.command(&["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| cannot_run(&error))?;
        let pipes = child.stdin.take().zip(child.stdout.take().map(BufReader::new));
        Ok(Self { child, pipes })
    }

    fn read(&mut self, id: &Id, limit: u64) -> Result<Option<Vec<u8>>, GitError> {
        let ended = |error: std::io::Error| GitError::Broken(format!("the `git` program gives no object: {error}"));
        let Some((ask, from)) = &mut self.pipes else { return Err(failure(b"")) };
        writeln!(ask, "{id}").map_err(ended)?;
        let Some(size) = object_head(from, &mut Vec::new(), "blob").map_err(ended)? else {
            return Err(GitError::Missing(format!("the object {id} is missing")));
        };
        let mut bytes = Vec::new();
        let keep = |piece: &[u8]| {
            if size <= limit {
                bytes.extend_from_slice(piece);
            }
        };
        object_body(from, size, keep).map_err(ended)?;
        Ok((size <= limit).then_some(bytes))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.pipes = None;
        // It ends with its input; killing it as well leaves nothing to wait for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
