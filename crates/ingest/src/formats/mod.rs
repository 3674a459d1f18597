//! Every format there is: one folder each, one line each in [`FORMATS`].
//!
//! # Adding a format
//!
//! 1. A folder here, with `pub(super) static FORMAT: Format` in its `mod.rs`: what is true of all its logs
//!    ([`Dialect`]), which record only it could have ([`Detect`]), how it is read ([`Input`] → sessions), and where
//!    machines keep it ([`Home`]).
//! 2. Its name in the `mod` list and in [`FORMATS`] below. A test finds a folder that was forgotten, and another one
//!    finds two formats that claim the same log.
//! 3. Logs in `fixtures/logs/<folder>/`, each with a line in the README there; `UPDATE_SPECS=1 cargo test -p
//!    agent-strace-ingest` writes the snapshots that are read in review.
//!
//! A value that looks like a call and is no call of its own, such as a result or a second copy of what was asked for, the
//! format names with `Assembly::pass`; every other one that no session holds is a gap.
//!
//! Tools are told apart by name, for all agents alike, in `crates/effects/src/tools/*.json`: names that are new belong there.

mod agent_trace;
mod aider;
mod amp;
mod atif;
mod atof;
mod augment;
mod claude;
mod claw;
mod cline;
mod codebuddy;
mod codebuff;
mod codewhale;
mod codex;
mod codex_exec;
mod command_code;
mod continue_cli;
mod copilot;
mod cortex;
mod cursor;
mod devin;
mod droid;
mod firewall;
mod gemini;
mod git_ai;
mod goose;
mod gptme;
mod grok;
mod hermes;
mod inspect;
mod junie;
mod kimi;
pub(super) mod kin;
mod kiro;
mod mini_swe_agent;
pub(super) mod native;
mod opencode;
mod openhands;
mod otel;
mod pi;
mod poolside;
mod qodo;
mod qwen;
mod reasonix;
mod spec_story;
mod swe_agent;
mod terminus;
mod vibe;
mod vscode;
mod windsurf;
mod zencoder;

// Formats of sessions in databases.
mod crush;
mod forge;
mod warp;
mod zed;

use super::Log;
use super::assembly::{Assembly, Numbering};
use super::database::Database;
use super::gaps::Gaps;
use super::head::Head;
use super::json::Record;
use super::reader::{Item, Reader, Shape};
use agent_strace_model::{Dialect, Session};

/// In the order in which records are asked; a record is claimed by the first.
pub(super) static FORMATS: &[&Format] = &[
    &native::FORMAT,
    &atif::FORMAT,
    &atof::FORMAT,
    &codex_exec::FORMAT,
    &otel::FORMAT,
    &openhands::FORMAT,
    &terminus::FORMAT,
    &codex::FORMAT,
    &copilot::FORMAT,
    &vscode::FORMAT,
    &kiro::FORMAT,
    &kiro::FILES,
    &kiro::IDE,
    &continue_cli::FORMAT,
    &cursor::FORMAT,
    &cursor::TEXT,
    &opencode::FORMAT,
    &opencode::STORAGE,
    &gemini::FORMAT,
    &gemini::STREAM,
    &cursor::STREAM,
    &claude::STREAM,
    &claude::FORMAT,
    &claw::FORMAT,
    &hermes::FORMAT,
    &droid::FORMAT,
    &droid::STREAM,
    &amp::FORMAT,
    &pi::FORMAT,
    &pi::TRAJECTORY,
    &windsurf::FORMAT,
    &windsurf::ANTIGRAVITY,
    &goose::FORMAT,
    &cline::FORMAT,
    &cline::SCREEN,
    &vibe::FORMAT,
    &grok::FORMAT,
    &qodo::FORMAT,
    &gptme::FORMAT,
    &inspect::FORMAT,
    &codewhale::FORMAT,
    &augment::FORMAT,
    &junie::FORMAT,
    &cortex::FORMAT,
    &command_code::FORMAT,
    &zencoder::FORMAT,
    &reasonix::FORMAT,
    &poolside::FORMAT,
    &codebuff::FORMAT,
    &codebuddy::FORMAT,
    &devin::TRANSCRIPT,
    &kimi::FORMAT,
    &qwen::FORMAT,
    &mini_swe_agent::FORMAT,
    &swe_agent::FORMAT,
    &git_ai::FORMAT,
    &git_ai::EARLIER,
    &agent_trace::FORMAT,
    &spec_story::FORMAT,
    &aider::FORMAT,
    &firewall::FORMAT,
    &firewall::ACCESS,
    // Formats of sessions in databases.
    &crush::FORMAT,
    &cursor::CHATS,
    &cursor::CLI_SESSIONS,
    &devin::FORMAT,
    &forge::FORMAT,
    &warp::FORMAT,
    &zed::FORMAT,
];

/// A file that agents keep beside their logs: which record is one, and what users are told instead of a session.
pub(super) type Companion = (fn(&Head<'_>) -> bool, &'static str);

pub(super) static COMPANIONS: &[Companion] = &[droid::SETTINGS, opencode::PROJECT, cline::METADATA, vibe::METADATA];

/// Databases in which agents keep sessions. A database is recognised by the first of these whose tables it has.
pub(super) static DATABASES: &[&Database] = &[
    &opencode::DATABASE,
    &hermes::DATABASE,
    &goose::DATABASE,
    &crush::DATABASE,
    &kiro::DATABASE,
    &kiro::EARLIER,
    &cursor::DATABASE,
    &cursor::STORE,
    &zed::DATABASE,
    &devin::DATABASE,
    &forge::DATABASE,
    &warp::DATABASE,
    &otel::DATABASE,
    &copilot::DATABASE,
    &windsurf::DATABASE,
];

/// Files in which agents list the places of their databases.
pub(super) static INDEXES: &[&Index] = &[&crush::INDEX];

/// Projects, each with the folder of its database.
pub(super) type Projects = Vec<(String, String)>;

/// A file that says where the databases of an agent lie.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) database: &'static Database,
    pub(super) home: Home,
    /// The projects that it lists. `None`: it can't be read.
    pub(super) projects: fn(&str) -> Option<Projects>,
    /// The name of a database in its folder.
    pub(super) name: &'static str,
}

/// Sessions that agents keep in a form that can't be read.
pub(super) static SEALED: &[Sealed] = &[trae("Trae"), trae("Trae CN")];

/// A place where an agent keeps such sessions.
#[derive(Debug)]
pub(super) struct Sealed {
    pub(super) agent: &'static str,
    pub(super) home: Home,
    /// The reason why they can't be read.
    pub(super) why: &'static str,
}

const fn trae(folder: &'static str) -> Sealed {
    let home = Home { variables: &[], base: Base::Config, folder, logs: "ModularData/ai-agent/database.db" };
    Sealed { agent: "trae", home, why: "Trae's chats are encrypted: what its agent did is not read" }
}

/// One format: how it is told apart, read and found.
#[derive(Debug)]
pub(super) struct Format {
    pub(super) dialect: Dialect,
    pub(super) detect: Detect,
    pub(super) read: Read,
    pub(super) homes: &'static [Home],
}

/// How a log of the format shows itself.
#[derive(Debug, Clone, Copy)]
pub(super) enum Detect {
    /// JSON: whether only this format has such a record.
    Record(fn(&Head<'_>) -> bool),
    /// Not JSON: whether a text begins as only this format does.
    Text(fn(&str) -> bool),
}

/// Bytes → sessions. What is not in a session must be in `gaps`.
pub(super) type Read = for<'a> fn(&Input<'a>, &mut Gaps) -> Vec<Session<'a>>;

/// A log whose format is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) text: &'a str,
    pub(super) shape: Shape,
    pub(super) log: &'a Log,
}

impl<'a> Input<'a> {
    /// A session of this format that has no events yet.
    pub(super) fn session(&self, dialect: &'static Dialect) -> Assembly<'a> {
        Assembly::new(dialect, &self.log.shown, Numbering::Ordinal)
    }

    /// Hands each record to `each`. A key that occurs twice in a record is a gap, and `what` the record is called there.
    pub(super) fn records<R: Record<'a>>(
        &self,
        what: &'static str,
        gaps: &mut Gaps,
        mut each: impl FnMut(&Item<'a, R>, &mut Gaps),
    ) {
        let mut reader = Reader::new(self.text, self.shape);
        while let Some(item) = reader.next::<R>(gaps) {
            if let Some(key) = item.record.duplicate() {
                gaps.twice(item.line, key, what);
            }
            each(&item, gaps);
        }
    }
}

/// A place where an agent keeps its logs on a machine.
#[derive(Debug)]
pub(super) struct Home {
    /// Environment variables that name the folder instead; the first one that is set counts.
    pub(super) variables: &'static [&'static str],
    pub(super) base: Base,
    /// The agent's folder in `base`.
    pub(super) folder: &'static str,
    /// Logs below that folder, as a glob: `*` within a name, `**` for any folders.
    pub(super) logs: &'static str,
}

/// Where an agent's folder lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// The user's home.
    Home,
    /// `$XDG_DATA_HOME`, `~/.local/share`, `~/Library/Application Support`, `%APPDATA%`.
    Data,
    /// `$XDG_CONFIG_HOME`, `~/.config`, `~/Library/Application Support`, `%APPDATA%`.
    Config,
    /// The project itself.
    Project,
}
