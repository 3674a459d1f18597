//! Status messages of a recording, printed to standard error from any thread.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::Arc;

use super::super::failure::{Failure, reason};
use agent_strace_report::terminal;

/// Which messages are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verbosity {
    /// Warnings alone.
    Quiet,
    Usual,
    /// Every message.
    Verbose,
}

#[derive(Debug, Clone)]
pub(super) struct StatusPrinter {
    stderr: Arc<File>,
    verbosity: Verbosity,
}

impl StatusPrinter {
    pub(super) fn new(verbosity: Verbosity) -> Result<Self, Failure> {
        Ok(Self { stderr: Arc::new(of_process(&io::stderr())?), verbosity })
    }

    /// Something went wrong.
    pub(super) fn warn(&self, line: &str) {
        self.write("warning: ", line);
    }

    pub(super) fn note(&self, line: &str) {
        if self.verbosity >= Verbosity::Usual {
            self.write("", line);
        }
    }

    pub(super) fn detail(&self, line: impl FnOnce() -> String) {
        if self.verbosity >= Verbosity::Verbose {
            self.write("", &line());
        }
    }

    /// Writes the line in one piece, because the server writes to the same stream. Errors are ignored: there is no other
    /// place to report them.
    fn write(&self, kind: &str, line: &str) {
        let line = format!("agent-strace: {kind}{}\n", terminal(line));
        let _ = (&*self.stderr).write_all(line.as_bytes());
    }
}

/// A standard stream of this process as a separate file: it has no buffer and does not need the lock that the main thread
/// holds.
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
