//! The contents of committed files, read as git objects. A file of the work tree is never opened.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use agent_strace_effects::Contents;
use agent_strace_git::{read_blob, read_top};

/// Larger files are not compared with anything.
const LARGEST: usize = 64 * 1024;
/// Bytes of contents that are kept. Others are read again.
const KEPT: usize = 8 << 20;

/// The revisions whose files may be read.
#[derive(Debug, Clone)]
pub(super) struct Committed {
    /// A directory of the repository.
    pub(super) start: PathBuf,
    /// Paths count from the top of the repository, not from `start`.
    pub(super) from_top: bool,
    pub(super) revisions: Vec<String>,
}

impl Committed {
    /// The same with more revisions.
    pub(super) fn at<'r>(mut self, revisions: impl IntoIterator<Item = &'r str>) -> Self {
        self.revisions.extend(revisions.into_iter().map(str::to_owned));
        self
    }

    /// Returns the reader of the files. It reads each of them once.
    pub(super) fn reader(&self) -> Arc<dyn Contents> {
        Arc::new(Reader { committed: self.clone(), kept: Mutex::default() })
    }

    /// Reads the file at each revision. A revision at which it can't be read proves nothing.
    fn read(&self, file: &str) -> Vec<Arc<[u8]>> {
        let mut contents: Vec<Arc<[u8]>> = Vec::new();
        for revision in &self.revisions {
            let read = if self.from_top { read_top } else { read_blob };
            let Ok(blob) = read(&self.start, revision, file) else { continue };
            if blob.bytes.len() <= LARGEST && !contents.iter().any(|known| **known == *blob.bytes) {
                contents.push(blob.bytes.into());
            }
        }
        contents
    }
}

#[derive(Debug)]
struct Reader {
    committed: Committed,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    files: HashMap<String, Vec<Arc<[u8]>>>,
    bytes: usize,
}

impl Contents for Reader {
    fn of(&self, file: &str) -> Vec<Arc<[u8]>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(contents) = kept.files.get(file) {
            return contents.clone();
        }
        let contents = self.committed.read(file);
        let bytes = contents.iter().map(|content| content.len()).sum::<usize>() + file.len();
        if kept.bytes + bytes <= KEPT {
            kept.bytes += bytes;
            kept.files.insert(file.to_owned(), contents.clone());
        }
        contents
    }
}
