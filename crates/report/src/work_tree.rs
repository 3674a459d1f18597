//! What was seen of the work tree in which the sessions ran, as reports show it.

use std::time::SystemTime;

use jiff::Timestamp;
use serde::Serialize;

use agent_strace_engine::SeenTree;
use agent_strace_secrets::{Redacted, redact};

use super::escape::terminal;
use super::text::counted;

/// Files that the line for people names.
const MOST: usize = 10;

/// An input of the judgement beside the logs.
#[derive(Debug)]
pub(crate) struct ShownTree {
    name: Redacted,
    looks: Vec<ShownLook>,
    files: Vec<(Redacted, Option<Timestamp>)>,
}

#[derive(Debug)]
struct ShownLook {
    folder: Redacted,
    files: usize,
    is_complete: bool,
}

/// The work tree in which the sessions ran, as far as it was looked at.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "WorkTree"))]
pub(crate) struct TreeDocument<'a> {
    path: &'a str,
    /// The directories in which files were looked for.
    looked_at: Vec<LookDocument<'a>>,
    /// The files that count as read because they are there.
    files: Vec<FileDocument<'a>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "WorkTreeLook"))]
struct LookDocument<'a> {
    path: &'a str,
    /// The number of files below it.
    files: usize,
    /// All of it was seen.
    complete: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "WorkTreeFile"))]
struct FileDocument<'a> {
    path: &'a str,
    /// When it was made or changed last, in UTC; `null` where that is not known.
    changed: Option<String>,
}

impl ShownTree {
    pub(super) fn new(seen: &SeenTree) -> Self {
        let looks = seen.looks.iter().map(|look| ShownLook {
            folder: redact(&look.folder),
            files: look.files,
            is_complete: look.is_complete,
        });
        let time = |time: Option<SystemTime>| Timestamp::try_from(time?).ok();
        Self {
            name: redact(&seen.name),
            looks: looks.collect(),
            files: seen.files.iter().map(|(file, changed)| (redact(file), time(*changed))).collect(),
        }
    }

    pub(crate) fn document(&self) -> TreeDocument<'_> {
        let changed = |time: &Option<Timestamp>| time.map(|time| time.to_string());
        let files = self.files.iter().map(|(path, time)| FileDocument { path: path.as_str(), changed: changed(time) });
        TreeDocument {
            path: self.name.as_str(),
            looked_at: self.looks.iter().map(ShownLook::document).collect(),
            files: files.collect(),
        }
    }

    /// `looked at 2 directories of the work tree .: 1 denied file was there`.
    pub(super) fn line(&self) -> String {
        let name = terminal(self.name.as_str());
        let looks = match self.looks.len() {
            0 => {
                return format!(
                    "did not look into the work tree {name}: no session ran there with a set that may hold a denied file"
                );
            }
            1 => "1 directory".to_owned(),
            count => format!("{count} directories"),
        };
        let there: Vec<String> = self.files.iter().take(MOST).map(|(file, _)| terminal(file.as_str())).collect();
        let more =
            if self.files.len() > MOST { format!(" and {} more", self.files.len() - MOST) } else { String::new() };
        let files = match self.files.len() {
            0 => "no file there counts as read".to_owned(),
            count => format!("{} there counted as read: {}{more}", counted(count, "file"), there.join(", ")),
        };
        format!("looked at {looks} of the work tree {name}: {files}")
    }
}

impl ShownLook {
    fn document(&self) -> LookDocument<'_> {
        LookDocument { path: self.folder.as_str(), files: self.files, complete: self.is_complete }
    }
}
