//! Runs version control other than git: Mercurial, Subversion, Jujutsu and the like.

use crate::command::argument::Arg;
use crate::command::machine::Machine;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;
use super::git::is_location;

/// Subcommands that show what is recorded.
const READING: &[&str] = &[
    "status",
    "log",
    "diff",
    "info",
    "st",
    "show",
    "branch",
    "op",
    "root",
    "help",
    "version",
    "list",
    "annotate",
    "blame",
    "praise",
    "cat",
    "heads",
    "tip",
    "id",
    "identify",
    "parents",
    "summary",
    "branches",
    "bookmarks",
    "tags",
    "files",
    "ls",
    "manifest",
    "paths",
    "proplist",
    "propget",
];

/// Subcommands that record something, which is local but for those programs with one central store.
const RECORDING: &[&str] = &["add", "commit", "ci", "describe", "desc", "tag", "bookmark", "init", "addremove"];

/// Subcommands that talk to another repository.
const REMOTE: &[&str] =
    &["push", "pull", "fetch", "clone", "checkout", "co", "update", "commit", "ci", "incoming", "outgoing", "git"];

impl Machine<'_> {
    pub(super) fn other_vcs(&mut self, call: Call<'_>) -> Stream {
        let settings = |word: &&Arg| word.text.starts_with("--config") || word.text.starts_with("ui.");
        if call.rest.iter().any(|word| settings(&word)) {
            self.opaque(About::Anything, Reason::ArbitrarySettings, &[]);
        }
        let sub = call.rest.iter().find(|word| !word.text.starts_with('-')).map_or("", |word| word.text.as_str());
        if READING.contains(&sub) {
            return Stream::Unknown;
        }
        let has_central_store = matches!(call.name, "svn" | "cvs");
        if !has_central_store && RECORDING.contains(&sub) {
            return Stream::Unknown;
        }
        if REMOTE.contains(&sub) {
            match call.rest.iter().find(|word| is_location(&word.text)) {
                Some(url) => self.connect(url),
                None => self.connect_to(None, None),
            }
        }
        let program = call.words.first().map_or("", |word| word.text.as_str());
        self.opaque(About::Writes, Reason::AnotherRevision, &[program, sub]);
        Stream::Unknown
    }
}
