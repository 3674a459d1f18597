//! The `git` program, run on a repository that may be hostile.
//!
//! The repository's configuration can name programs, and git runs them for pagers, hooks, file monitors, filters,
//! comparisons, signatures and fetching. Only commands that read objects are run here, what these could be told to run
//! is switched off anyway, and they get their input as names of objects, never as text of a user or a repository.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{PipeReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

use super::range::Names;
use super::{Id, MAX_DEPTH};
use crate::GitError;

/// Major and minor number of the oldest version that is used.
const OLDEST: (u32, u32) = (2, 30);

/// Bytes of its complaints that are kept.
const COMPLAINTS: usize = 8 << 10;

/// What git needs from our environment: where the user's configuration is (it says which repositories of others are
/// trusted), and what Windows needs to start anything.
const KEPT: &[&str] = &["HOME", "XDG_CONFIG_HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "SYSTEMROOT", "PATH"];

#[cfg(windows)]
const NOTHING: &str = "NUL";
#[cfg(not(windows))]
const NOTHING: &str = "/dev/null";

#[cfg(windows)]
const NAME: &str = "git.exe";
#[cfg(not(windows))]
const NAME: &str = "git";

const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.askPass=",
    "core.sshCommand=false",
    "core.alternateRefsCommand=false",
    // A commit graph says which parents and dates commits have, and nobody checks it.
    "core.commitGraph=false",
    "core.useReplaceRefs=false",
    // A sixth of what is usual: 90 MB less in memory, and no slower.
    "core.deltaBaseCacheLimit=16m",
    "diff.external=",
    "diff.ignoreSubmodules=none",
    "diff.renames=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "fetch.negotiationAlgorithm=noop",
    "gc.auto=0",
    "maintenance.auto=false",
];

const VARIABLES: &[(&str, &str)] = &[
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // Versions before 2.44 fetch what is missing; no transport has this name.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", NOTHING),
    ("GIT_ATTR_NOSYSTEM", "1"),
    // Otherwise each commit is written by itself: half as much time again.
    ("GIT_FLUSH", "0"),
    ("LC_ALL", "C"),
];

/// The program and the repository it is run on.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    path: PathBuf,
    git_folder: PathBuf,
}

impl Program {
    /// The first `git` of the search path that is new enough. Folders of the search path that are relative or in the
    /// repository are passed over: what lies there is the repository's, not the user's.
    pub(crate) fn find(search: Option<&OsStr>, repository: &[&Path]) -> Option<PathBuf> {
        let inside: Vec<PathBuf> = repository.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        let is_foreign = |path: &Path| inside.iter().any(|folder| path.starts_with(folder));
        let folders = std::env::split_paths(search?).filter(|folder| folder.is_absolute() && !is_foreign(folder));
        let mut programs = folders
            .map(|folder| folder.join(NAME))
            .filter(|path| is_program(path) && path.canonicalize().is_ok_and(|path| !is_foreign(&path)));
        programs.find(|path| is_new_enough(path))
    }

    pub(crate) fn new(path: PathBuf, git_folder: PathBuf) -> Self {
        Self { path, git_folder }
    }

    /// Finds the repository around `start` by git's own rules, which include whom it has to belong to.
    pub(crate) fn discover(path: PathBuf, start: &Path) -> Result<(Self, PathBuf), GitError> {
        let mut command = hardened(&path);
        command.arg("-C").arg(start).args(["rev-parse", "--absolute-git-dir", "--git-common-dir"]);
        let output = command.stdin(Stdio::null()).output().map_err(|error| cannot_run(&error))?;
        if !output.status.success() {
            return Err(failure(&output.stderr));
        }
        let mut lines = output.stdout.split(|byte| *byte == b'\n').map(path_of);
        let git_folder = lines.next().unwrap_or_default();
        let common = start.join(lines.next().unwrap_or_default());
        Ok((Self { path, git_folder }, common))
    }

    /// The top of the work tree around `start`; none in a bare repository.
    pub(crate) fn worktree(&self, start: &Path) -> Result<Option<PathBuf>, GitError> {
        let mut command = hardened(&self.path);
        command.arg("-C").arg(start).args(["rev-parse", "--show-toplevel"]).stdin(Stdio::null());
        let output = command.output().map_err(|error| cannot_run(&error))?;
        let end = output.stdout.strip_suffix(b"\n").filter(|path| !path.is_empty());
        Ok(end.filter(|_| output.status.success()).map(path_of))
    }

    /// A command on the repository.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = hardened(&self.path);
        let mut folder = OsString::from("--git-dir=");
        folder.push(&self.git_folder);
        command.arg("-C").arg(&self.git_folder).arg(folder).args(arguments);
        command
    }

    /// Runs a command to its end, with a few bytes of input.
    pub(crate) fn output(&self, arguments: &[&str], input: &[u8]) -> Result<Output, GitError> {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| cannot_run(&error))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that ends early says why in its status.
            let _ = stdin.write_all(input);
        }
        child.wait_with_output().map_err(|error| cannot_run(&error))
    }

    /// As [`Self::output`], where it must succeed.
    pub(crate) fn ask(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
        let output = self.output(arguments, input)?;
        if output.status.success() { Ok(output.stdout) } else { Err(failure(&output.stderr)) }
    }

    /// The object of this kind that a revision stands for.
    pub(crate) fn object(&self, revision: &str, kind: &str) -> Result<Id, GitError> {
        let unknown = || GitError::NoRevision(revision.to_owned());
        if revision.contains(['\n', '\0']) {
            return Err(unknown());
        }
        let question = format!("{revision}^{{{kind}}}\n");
        let answer = self.ask(&["cat-file", "--batch-check=%(objectname) %(objecttype)"], question.as_bytes())?;
        let mut words = answer.trim_ascii().split(|byte| *byte == b' ');
        let id = words.next().and_then(Id::from_hex).ok_or_else(unknown)?;
        if words.next() == Some(kind.as_bytes()) { Ok(id) } else { Err(unknown()) }
    }
}

impl Names for Program {
    fn head(&self) -> Result<Option<Id>, GitError> {
        let output = self.output(&["rev-parse", "--verify", "--quiet", "HEAD"], b"")?;
        if output.status.success() {
            return Ok(Id::from_hex(output.stdout.trim_ascii()));
        }
        // There is no commit yet, unless the reference is broken, of which only a list complains.
        let name = self.ask(&["symbolic-ref", "HEAD"], b"")?;
        let name = String::from_utf8_lossy(name.trim_ascii()).into_owned();
        if self.references()?.iter().any(|(other, _)| *other == name) {
            return Err(GitError::Broken(format!("`HEAD` names `{name}`, which can't be read")));
        }
        Ok(None)
    }

    fn references(&self) -> Result<Vec<(String, Id)>, GitError> {
        let output = self.output(&["for-each-ref", "--format=%(objectname) %(refname)"], b"")?;
        if !output.status.success() || memchr::memmem::find(&output.stderr, b"broken ref").is_some() {
            return Err(failure(&output.stderr));
        }
        let reference = |line: &[u8]| {
            let (id, name) = line.split_at_checked(line.iter().position(|byte| *byte == b' ')?)?;
            Some((String::from_utf8_lossy(name.get(1..)?).into_owned(), Id::from_hex(id)?))
        };
        let found: BTreeMap<_, _> = output.stdout.split(|byte| *byte == b'\n').filter_map(reference).collect();
        Ok(found.into_iter().collect())
    }

    fn commit(&self, revision: &str) -> Result<Id, GitError> {
        self.object(revision, "commit")
    }
}

#[expect(clippy::disallowed_methods, reason = "the program is the user's own git, found outside the repository")]
fn hardened(path: &Path) -> Command {
    let mut command = Command::new(path);
    command.env_clear();
    // Tools that stand in for git to choose its version look for their settings where they are started.
    if let Some(folder) = path.parent() {
        command.current_dir(folder);
    }
    for name in KEPT {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.envs(VARIABLES.iter().copied()).args(["--no-pager", "--no-optional-locks"]);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.args(["-c", &format!("core.hooksPath={NOTHING}"), "-c", &format!("core.attributesFile={NOTHING}")]);
    command.args(["-c", &format!("core.maxTreeDepth={MAX_DEPTH}")]);
    command
}

fn is_program(path: &Path) -> bool {
    let Ok(about) = path.metadata() else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    about.is_file() && may_run
}

/// Whether a program is one of the versions that we know. It is asked once: a sweep opens thousands of repositories.
fn is_new_enough(path: &Path) -> bool {
    static KNOWN: Mutex<BTreeMap<PathBuf, bool>> = Mutex::new(BTreeMap::new());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = known().get(path).copied();
    answer.unwrap_or_else(|| {
        let answer = has_known_version(path);
        known().insert(path.to_owned(), answer);
        answer
    })
}

fn has_known_version(path: &Path) -> bool {
    let Ok(output) = hardened(path).arg("--version").stdin(Stdio::null()).output() else { return false };
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(version) = text.strip_prefix("git version ") else { return false };
    let mut numbers = version.split(|character: char| !character.is_ascii_digit()).map_while(|word| word.parse().ok());
    let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    version >= OLDEST
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// What git complained about, kept to a size whatever it writes.
pub(super) fn complaints(mut pipe: PipeReader) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = pipe.read(&mut buffer) {
        let room = COMPLAINTS.saturating_sub(kept.len()).min(length);
        kept.extend(buffer.iter().take(room));
    }
    kept
}

pub(crate) fn cannot_run(error: &std::io::Error) -> GitError {
    GitError::Broken(format!("the `git` program can't be run: {error}"))
}

/// The error that complaints stand for.
pub(crate) fn failure(complaints: &[u8]) -> GitError {
    const MISSING: &[&str] =
        &["bad object", "unable to read", "unable to find", "missing", "failed to traverse", "could not", "lazy fetch"];
    let text = String::from_utf8_lossy(complaints);
    if text.contains("dubious ownership") {
        return GitError::Owner;
    }
    let line = text.lines().find(|line| line.starts_with("fatal: ")).or_else(|| text.lines().next());
    let reason = line.unwrap_or("git gives no reason").trim_start_matches("fatal: ").trim_start_matches("error: ");
    let reason = reason.replace(char::is_control, " ");
    let lower = reason.to_lowercase();
    if MISSING.iter().any(|word| lower.contains(word)) { GitError::Missing(reason) } else { GitError::Broken(reason) }
}
