//! What is said beside the traffic: on standard error, from any thread.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::Arc;

use super::super::failure::{Failure, reason};
use agent_strace_report::terminal;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Talkative {
    /// What goes wrong.
    Quiet,
    Usual,
    /// Every message.
    Verbose,
}

#[derive(Debug, Clone)]
pub(super) struct Voice {
    stderr: Arc<File>,
    talkative: Talkative,
}

impl Voice {
    pub(super) fn new(quiet: bool, verbose: bool) -> Result<Self, Failure> {
        let talkative = match (quiet, verbose) {
            (true, _) => Talkative::Quiet,
            (_, true) => Talkative::Verbose,
            _ => Talkative::Usual,
        };
        Ok(Self { stderr: Arc::new(of_process(&io::stderr())?), talkative })
    }

    /// Something went wrong.
    pub(super) fn warn(&self, line: &str) {
        self.write("warning: ", line);
    }

    pub(super) fn note(&self, line: &str) {
        if self.talkative >= Talkative::Usual {
            self.write("", line);
        }
    }

    pub(super) fn detail(&self, line: impl FnOnce() -> String) {
        if self.talkative >= Talkative::Verbose {
            self.write("", &line());
        }
    }

    /// In one piece: the server writes there, too. Where it can't be written, nobody is there to read it.
    fn write(&self, kind: &str, line: &str) {
        let line = format!("agent-strace: {kind}{}\n", terminal(line));
        let _ = (&*self.stderr).write_all(line.as_bytes());
    }
}

/// A stream of this process as a file of our own: without a buffer, and free of the lock that the main thread holds.
#[cfg(unix)]
pub(super) fn of_process(stream: &impl std::os::fd::AsFd) -> Result<File, Failure> {
    stream.as_fd().try_clone_to_owned().map(File::from).map_err(|error| unusable(&error))
}

#[cfg(windows)]
pub(super) fn of_process(stream: &impl std::os::windows::io::AsHandle) -> Result<File, Failure> {
    stream.as_handle().try_clone_to_owned().map(File::from).map_err(|error| unusable(&error))
}

fn unusable(error: &io::Error) -> Failure {
    Failure::new(format!("can't use the standard streams: {}", reason(error)))
}
