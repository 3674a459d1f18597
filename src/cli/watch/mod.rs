//! `watch`: a session of the store, followed while it is recorded, and stopped where it breaks a rule. What it shares with
//! `guard`, which starts the agent itself, stands here, too.

#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, unused_imports, reason = "signals to others are for Linux, and `guard` is for Unix")
)]

mod agent;
mod alerts;
mod args;
mod death;
mod duration;
mod known;
mod limits;
mod observe;
mod post;
mod tail;
mod usage;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;

pub(super) use alerts::{Alerts, now};
pub(super) use args::{EXAMPLES, GUARD_EXAMPLES, GuardArgs, WatchArgs};
pub(super) use death::{run as run_on_death, write as write_post_mortem};
pub(super) use known::KnownSessions;
pub(super) use limits::Judges;
pub(super) use observe::{Observer, Scope};
pub(super) use tail::run;

use agent_strace_live::watch::{Breach, SessionSnapshot, Spending};

/// What tells a file from itself after somebody wrote to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        Some(Self { length: found.len(), modified: found.modified().ok() })
    }
}

/// What is heard from the thread that looks at the store.
pub(super) enum News {
    Session(Box<SessionState>),
    /// Of all sessions together.
    Spending {
        spending: Spending,
        breaches: Vec<Breach>,
    },
    /// A session in the same store that another agent records.
    Elsewhere(String),
}

/// A session as it is by now.
pub(super) struct SessionState {
    directory: String,
    folder: PathBuf,
    breaches: Vec<Breach>,
    snapshot: SessionSnapshot,
    /// What of it can't be read.
    gaps: Vec<String>,
    /// What was not handed on yet, line by line.
    lines: Vec<String>,
    ended: bool,
    /// The earliest and the latest recorded time.
    began: Option<Timestamp>,
    last: Option<Timestamp>,
}
