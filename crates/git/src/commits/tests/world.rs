//! Throw-away repositories, written by the real git program.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::commits::History;
use crate::repository::Repository;
use crate::{Backend, Commit, GitError, Id, Revisions, Status};

pub(super) struct World {
    folder: tempfile::TempDir,
}

/// A commit that outlives its walk.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Owned {
    pub(super) id: Id,
    pub(super) parents: usize,
    pub(super) author: (Vec<u8>, Vec<u8>),
    pub(super) committer: (Vec<u8>, Vec<u8>),
    pub(super) authored: i64,
    pub(super) seconds: i64,
    pub(super) message: Vec<u8>,
    pub(super) encoding: Option<Vec<u8>>,
    pub(super) changes: Vec<(Status, u32, u32, Id, Vec<u8>)>,
}

impl Owned {
    /// `A path` for each change, as git shows it.
    pub(super) fn paths(&self) -> Vec<String> {
        let letter = |status| match status {
            Status::Added => 'A',
            Status::Modified => 'M',
            Status::Deleted => 'D',
            Status::TypeChanged => 'T',
        };
        let line = |(status, .., path): &(Status, u32, u32, Id, Vec<u8>)| {
            format!("{} {}", letter(*status), String::from_utf8_lossy(path))
        };
        self.changes.iter().map(line).collect()
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.message).trim().to_owned()
    }
}

impl World {
    /// An empty repository whose first branch is `main`.
    pub(super) fn new() -> Self {
        Self::with(&["init", "--quiet", "--initial-branch=main", "."])
    }

    /// A folder in which git was run once.
    pub(super) fn with(arguments: &[&str]) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        world.git(arguments);
        world
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn url(&self) -> String {
        format!("file://{}", self.path().display())
    }

    pub(super) fn git(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.git_with(arguments, b"")).unwrap().trim().to_owned()
    }

    #[expect(clippy::disallowed_methods, reason = "the git of the machine writes what is read here")]
    pub(super) fn git_with(&self, arguments: &[&str], input: &[u8]) -> Vec<u8> {
        let mut command = Command::new("git");
        for name in std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("GIT_"))
        {
            command.env_remove(name);
        }
        command.current_dir(self.path()).args(["-c", "protocol.file.allow=always"]).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Somebody").env(format!("GIT_{who}_EMAIL"), "somebody@example.com");
            command.env(format!("GIT_{who}_DATE"), "1600000000 +0000");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("these tests need the git program");
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    pub(super) fn import(&self, script: &Script) {
        self.git_with(&["fast-import", "--quiet", "--force"], &script.0);
    }

    /// Stores a commit that git itself would not write, and makes it the branch.
    pub(super) fn literally(&self, branch: &str, bytes: &[u8]) -> String {
        let id = self.git_with(&["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], bytes);
        let id = String::from_utf8(id).unwrap().trim().to_owned();
        std::fs::write(self.path().join(".git/refs/heads").join(branch), format!("{id}\n")).unwrap();
        id
    }

    /// A file of the repository's own folder.
    pub(super) fn stored(&self, id: &str) -> PathBuf {
        let (folder, file) = id.split_at(2);
        self.path().join(".git/objects").join(folder).join(file)
    }
}

/// What `git fast-import` reads.
#[derive(Default)]
pub(super) struct Script(Vec<u8>);

impl Script {
    /// Adds a commit with the parents and the lines that change files.
    pub(super) fn commit(
        mut self,
        mark: usize,
        branch: &str,
        seconds: i64,
        message: &[u8],
        parents: &[usize],
        lines: &[&str],
    ) -> Self {
        let head = format!(
            "reset refs/heads/{branch}\n\ncommit refs/heads/{branch}\nmark :{mark}\n\
             author Some Body <author@example.com> 1500000000 +0200\ncommitter C <c@example.com> {seconds} +0000\n"
        );
        self.0.extend(head.bytes());
        if message.contains(&0xe9) {
            self.0.extend(b"encoding iso-8859-1\n");
        }
        self.0.extend(format!("data {}\n", message.len()).bytes());
        self.0.extend(message);
        self.0.push(b'\n');
        for (number, parent) in parents.iter().enumerate() {
            let word = if number == 0 { "from" } else { "merge" };
            self.0.extend(format!("{word} :{parent}\n").bytes());
        }
        for line in lines {
            self.0.extend(line.bytes());
            self.0.push(b'\n');
        }
        self.0.push(b'\n');
        self
    }
}

/// A line that writes a file.
pub(super) fn file(mode: &str, path: &str, content: &str) -> String {
    format!("M {mode} inline {path}\ndata {}\n{content}", content.len())
}

pub(super) fn one(start: &Path, revisions: &Revisions, backend: Backend) -> Result<(Vec<Owned>, History), GitError> {
    let mut found: Vec<Owned> = Vec::new();
    let mut each = |commit: &Commit<'_>| {
        let person = |person: &crate::Person<'_>| (person.name.to_vec(), person.email.to_vec());
        let changes = commit.changes.iter();
        let changes =
            changes.map(|change| (change.status, change.old_mode, change.mode, change.id, change.path.to_vec()));
        if commit.continued {
            found.last_mut().unwrap().changes.extend(changes);
            return ControlFlow::Continue(());
        }
        found.push(Owned {
            id: commit.id,
            parents: commit.parents,
            author: person(&commit.author),
            committer: person(&commit.committer),
            authored: commit.authored,
            seconds: commit.seconds,
            message: commit.message.to_vec(),
            encoding: commit.encoding.map(<[u8]>::to_vec),
            changes: changes.collect(),
        });
        ControlFlow::Continue(())
    };
    let history = Repository::open(start)?.commits(revisions, backend, &mut each)?;
    found.sort();
    assert_eq!(history.commits, found.len() as u64);
    Ok((found, history))
}

/// What both backends deliver, which has to be the same.
pub(super) fn both(start: &Path, revisions: &Revisions) -> (Vec<Owned>, Option<String>) {
    let (found, history) = one(start, revisions, Backend::Binary).unwrap();
    let (other, other_history) = one(start, revisions, Backend::Library).unwrap();
    assert_eq!((history.backend, other_history.backend), ("git", "libgit2"));
    assert_eq!(found, other, "{revisions:?}");
    assert_eq!(history.cut, other_history.cut);
    (found, history.cut)
}

/// Messages of what both deliver, sorted.
pub(super) fn texts(start: &Path, revisions: &Revisions) -> Vec<String> {
    let mut texts: Vec<String> = both(start, revisions).0.iter().map(Owned::text).collect();
    texts.sort();
    texts
}

pub(super) fn range(text: &str) -> Revisions {
    Revisions::Range(text.to_owned())
}

pub(super) fn since(seconds: i64) -> Revisions {
    Revisions::Since(jiff::Timestamp::from_second(seconds).unwrap())
}
