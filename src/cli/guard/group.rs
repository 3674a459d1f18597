//! The agent and everything that it starts, as one group of processes.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, test_kill_process_group, waitid,
};

use super::super::failure::{Failure, reason};
use super::super::processes::{self, Process};
use super::terminal::{Terminal, foreground};

const STEP: Duration = Duration::from_millis(20);
/// How long what was killed may take to be gone.
const AFTER_KILL: Duration = Duration::from_secs(2);

pub(super) struct Group {
    child: Child,
    pid: Pid,
    terminal: Option<Terminal>,
    status: Option<ExitStatus>,
}

/// What became of the agent since somebody asked last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Stopped,
    Continued,
}

/// Why the agent could not be started, and the exit code that says so.
pub(super) struct NotStarted {
    pub(super) failure: Failure,
    pub(super) code: u8,
}

impl Group {
    /// `store`: where its hooks are to record.
    #[expect(clippy::disallowed_methods, reason = "the command is the user's own, from the command line")]
    pub(super) fn start(command: &[OsString], store: &Path) -> Result<Self, NotStarted> {
        let failed = |text: String, code| NotStarted { failure: Failure::new(text), code };
        let Some((program, arguments)) = command.split_first() else {
            return Err(failed("there is no command to run".to_owned(), 2));
        };
        own_orphans();
        let mut command = Command::new(program);
        command.args(arguments).env("AGENT_TRACE_DIR", store).process_group(0);
        let child = command.spawn().map_err(|error| {
            let code = if error.kind() == ErrorKind::NotFound { 127 } else { 126 };
            failed(format!("`{}` can't be run: {}", program.to_string_lossy(), reason(&error)), code)
        })?;
        let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
            return Err(failed("the process that was started has no number".to_owned(), 126));
        };
        let group = Self { child, pid, terminal: Terminal::of_process(), status: None };
        if group.terminal.is_some() {
            foreground(pid);
            // It may have asked for the terminal before it had it, and stands still since.
            let _ = kill_process_group(pid, Signal::CONT);
        }
        Ok(group)
    }

    pub(super) fn id(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    pub(super) fn process(&self) -> Option<Process> {
        Process::find(self.child.id())
    }

    /// To all of it. Who has ended needs none.
    pub(super) fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.pid, signal);
        for process in self.outside() {
            send(&process, signal);
        }
    }

    /// What it started and what left the group since.
    fn outside(&self) -> Vec<Process> {
        let group = |process: &Process| {
            let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw)?;
            rustix::process::getpgid(Some(pid)).ok()
        };
        left().into_iter().filter(|process| group(process).is_some_and(|group| group != self.pid)).collect()
    }

    /// How it ended; `None`: it runs.
    pub(super) fn ended(&mut self) -> Result<Option<ExitStatus>, Failure> {
        if self.status.is_none() {
            let failure = |error| Failure::new(format!("the agent can't be waited for: {}", reason(&error)));
            self.status = self.child.try_wait().map_err(failure)?;
        }
        Ok(self.status)
    }

    pub(super) fn turn(&self) -> Option<Turn> {
        let options = WaitIdOptions::STOPPED | WaitIdOptions::CONTINUED | WaitIdOptions::NOHANG;
        let status = waitid(WaitId::Pid(self.pid), options).ok()??;
        if status.stopped() {
            return Some(Turn::Stopped);
        }
        status.continued().then_some(Turn::Continued)
    }

    /// Stops all of it. The terminal is ours meanwhile, so that Ctrl-C is heard by somebody.
    pub(super) fn pause(&self) {
        self.signal(Signal::STOP);
        self.take_terminal();
    }

    pub(super) fn go_on(&self) {
        if self.terminal.is_some() {
            foreground(self.pid);
        }
        self.signal(Signal::CONT);
    }

    pub(super) fn has_terminal(&self) -> bool {
        self.terminal.is_some()
    }

    pub(super) fn take_terminal(&self) {
        if let Some(terminal) = self.terminal {
            terminal.take_back();
        }
    }

    /// Ends all of it: by SIGTERM, and after `grace` by SIGKILL.
    pub(super) fn end(&mut self, grace: Duration) -> Result<(), Failure> {
        self.signal(Signal::TERM);
        // Who stands still takes no other signal.
        self.signal(Signal::CONT);
        if !self.is_over_within(grace)? {
            let began = Instant::now();
            while began.elapsed() < AFTER_KILL {
                // Whoever started something in the meantime is met again.
                self.signal(Signal::KILL);
                if self.is_over_within(STEP * 2)? {
                    break;
                }
            }
        }
        self.take_terminal();
        let left = left();
        if left.is_empty() { Ok(()) } else { Err(Failure::new(format!("processes are left: {}", pids(&left)))) }
    }

    fn is_over_within(&mut self, time: Duration) -> Result<bool, Failure> {
        let began = Instant::now();
        loop {
            let ended = self.ended()?.is_some();
            if ended {
                reap();
            }
            // A number is never used again while a group of that number has members.
            let is_over = ended && left().is_empty() && (cfg!(target_os = "linux") || !self.has_members());
            if is_over || began.elapsed() >= time {
                return Ok(is_over);
            }
            std::thread::sleep(STEP);
        }
    }

    fn has_members(&self) -> bool {
        test_kill_process_group(self.pid).is_ok()
    }
}

/// What this process started and still runs, as far as that can be told.
pub(super) fn left() -> Vec<Process> {
    processes::own().map(|own| own.descendants()).unwrap_or_default()
}

/// By their numbers, in words.
pub(super) fn pids(processes: &[Process]) -> String {
    let words = processes.iter().map(|process| format!("{} ({})", process.pid, process.name));
    words.collect::<Vec<_>>().join(", ")
}

fn send(process: &Process, signal: Signal) {
    if let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw).filter(|_| process.is_there()) {
        let _ = kill_process(pid, signal);
    }
}

/// Whose parent ends becomes a child of this process: who left the group and its parent is found all the same.
fn own_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Takes note of orphans that have ended. Only after the agent itself was waited for: nobody else may do that.
fn reap() {
    while matches!(waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG), Ok(Some(_))) {}
}

/// As shells have it: 128 and the number of the signal that ended it.
pub(super) fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code & 255).ok()).unwrap_or(1)
}
