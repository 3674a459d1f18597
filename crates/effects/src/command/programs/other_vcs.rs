//! Runs version control other than git: Mercurial, Subversion, Jujutsu and the like.

use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
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
    pub(super) fn other_vcs(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let settings = |word: &&Arg| word.text.starts_with("--config") || word.text.starts_with("ui.");
        if call.rest.iter().any(|word| settings(&word)) {
            self.opaque(About::Anything, Reason::ArbitrarySettings, &[]);
        }
        let values = self.vcs_options(call.rest, io);
        let sub = call.rest.iter().find(|word| !word.text.starts_with('-')).map_or("", |word| word.text.as_str());
        if READING.contains(&sub) {
            return Stream::Unknown;
        }
        let has_central_store = matches!(call.name, "svn" | "cvs");
        if !has_central_store && RECORDING.contains(&sub) {
            return Stream::Unknown;
        }
        if REMOTE.contains(&sub) {
            let mut operands = call.rest.iter().skip_while(|word| !is_location(&word.text) || values.contains(word));
            match operands.next() {
                Some(url) => {
                    self.connect(url);
                    if matches!(sub, "clone" | "checkout" | "co") {
                        let name = url.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                        let named = operands.find(|word| !word.text.starts_with('-')).cloned();
                        self.world.fetched_directory(&named.unwrap_or_else(|| url.with(name)));
                    }
                }
                None => self.connect_to(None, None),
            }
        }
        let program = call.words.first().map_or("", |word| word.text.as_str());
        self.opaque(About::Writes, Reason::AnotherRevision, &[program, sub]);
        Stream::Unknown
    }

    /// Options that name programs, settings and files; returns their values.
    fn vcs_options(&mut self, words: &[Arg], io: &mut Io<'_>) -> Vec<Arg> {
        // `-x -u` holds arguments for the program that compares.
        let extra = value_of(words, &["-x", "--extensions"]);
        let mut values: Vec<Arg> = extra.iter().cloned().collect();
        for (name, role) in [
            ("--diff-cmd", Role::Program),
            ("--diff3-cmd", Role::Program),
            ("--editor-cmd", Role::Program),
            ("--tool", Role::Program),
            ("--config", Role::Config),
            ("--config-option", Role::Config),
            ("--file", Role::Read),
            ("-F", Role::Read),
            ("--logfile", Role::Read),
            ("--targets", Role::Read),
            ("--config-dir", Role::Read),
            ("--output", Role::Write),
        ] {
            let Some(value) = value_of(words, &[name]) else { continue };
            match (role, &extra) {
                (Role::Program, Some(extra)) if name == "--diff-cmd" => {
                    let mut command = Self::split_command(&value);
                    command.extend(Self::split_command(extra));
                    self.command(&command, io);
                }
                _ => self.role(role, &value, io),
            }
            values.push(value);
        }
        values
    }
}

/// The value of the first option called one of `names`.
fn value_of(words: &[Arg], names: &[&str]) -> Option<Arg> {
    let at = words.iter().position(|word| names.iter().any(|name| word.text.split('=').next() == Some(name)))?;
    let word = words.get(at)?;
    word.after('=').map(|(_, value)| value).or_else(|| words.get(at + 1).cloned())
}
