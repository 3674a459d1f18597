//! The process of an agent that somebody else started.
//!
//! The system gives numbers of processes again: a signal goes through a handle that was opened while the process was certainly
//! the one that is meant, and what it started is only hit after a look at when that was.

use std::fs;
use std::path::Path;
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

use super::super::environment::{Environment, IdentityKind};
use super::super::failure::Failure;
use super::super::processes::{self, Process};

/// The agent's process as the hook recorded it when the session began; `None`: it did not, or it is gone.
pub(super) fn recorded(folder: &Path) -> Option<Process> {
    let attribution = attribution(folder)?;
    let text = |name: &str| attribution.get(name).and_then(serde_json::Value::as_str);
    let process = Process::find(text("pid")?.parse().ok()?)?;
    (process.moment()? == text("process_started")?).then_some(process)
}

/// The recorded process was one of this machine since it was started, and is no more. Of one in a container, whose host has
/// a name of its own, nothing can be told.
pub(super) fn is_gone(folder: &Path, environment: Environment<'_>) -> bool {
    let Some(attribution) = attribution(folder) else { return false };
    let text = |name: &str| attribution.get(name).and_then(serde_json::Value::as_str);
    let people = environment.machine.map(|machine| machine.people.as_slice()).unwrap_or_default();
    let host = people.iter().find(|(named, _)| *named == IdentityKind::Host).map(|(_, value)| value.trim());
    let is_here = host.is_some() && text("hostname") == host;
    is_here && text("process_started").is_some_and(processes::is_since_the_last_start) && recorded(folder).is_none()
}

fn attribution(folder: &Path) -> Option<serde_json::Value> {
    let meta: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("meta.json")).ok()?).ok()?;
    meta.get("attribution").cloned()
}

/// The one of `--pid`, else the recorded one; `None`: there is none.
pub(super) fn find(pid: Option<u32>, folder: &Path) -> Result<Option<Agent>, Failure> {
    let process = match pid {
        None => recorded(folder),
        Some(pid) => {
            let found = Process::find(pid).filter(|process| !process.is_dead);
            Some(found.ok_or_else(|| {
                Failure::new(format!("there is no process {pid}, or nothing can be told of it here"))
                    .hint("processes are told apart by /proc; `agent-strace guard -- CMD` works without it")
            })?)
        }
    };
    process.map(Agent::open).transpose()
}

/// A process that may be sent signals.
pub(super) struct Agent {
    pub(super) process: Process,
    #[cfg(target_os = "linux")]
    handle: std::os::fd::OwnedFd,
}

/// What it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Stop,
    Continue,
    End,
    Kill,
}

impl Agent {
    pub(super) fn is_there(&self) -> bool {
        self.process.is_there()
    }

    /// Its number.
    pub(super) fn pid(&self) -> u32 {
        self.process.pid
    }
}

#[cfg(target_os = "linux")]
impl Agent {
    fn open(process: Process) -> Result<Self, Failure> {
        use rustix::process::{Pid, PidfdFlags, pidfd_open};
        let gone = || Failure::new(format!("the process {} of the agent is gone", process.pid));
        let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
        let handle = pidfd_open(pid, PidfdFlags::empty()).map_err(|error| {
            Failure::new(format!("the process {} of the agent can't be reached: {error}", process.pid))
        })?;
        // The handle is of whatever had the number when it was opened.
        if !process.is_there() {
            return Err(gone());
        }
        Ok(Self { process, handle })
    }

    /// To it, and to what it started.
    pub(super) fn tell(&self, order: Order) -> Result<(), Failure> {
        self.tell_with(&self.process.descendants(), order)
    }

    fn tell_with(&self, below: &[Process], order: Order) -> Result<(), Failure> {
        use rustix::process::{Pid, Signal, kill_process, pidfd_send_signal};
        let signal = match order {
            Order::Stop => Signal::STOP,
            Order::Continue => Signal::CONT,
            Order::End => Signal::TERM,
            Order::Kill => Signal::KILL,
        };
        let sent = pidfd_send_signal(&self.handle, signal);
        for process in below.iter().filter(|process| process.pid != std::process::id() && process.is_there()) {
            if let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) {
                // One that has just ended needs none.
                let _ = kill_process(pid, signal);
            }
        }
        match sent {
            Err(error) if self.is_there() => {
                Err(Failure::new(format!("the process {} of the agent got no signal: {error}", self.pid())))
            }
            _ => Ok(()),
        }
    }

    /// Ends it and what it started: by SIGTERM, and after `grace` by SIGKILL.
    pub(super) fn end(&self, grace: Duration) -> Result<(), Failure> {
        const STEP: Duration = Duration::from_millis(20);
        // Without their parent they would be found no more.
        let below = self.process.descendants();
        self.tell_with(&below, Order::End)?;
        // One that stands still takes no other signal.
        self.tell_with(&below, Order::Continue)?;
        let began = Instant::now();
        let is_over = || !self.is_there() && !below.iter().any(Process::is_there);
        while !is_over() && began.elapsed() < grace {
            std::thread::sleep(STEP);
        }
        if is_over() { Ok(()) } else { self.tell_with(&below, Order::Kill) }
    }
}

#[cfg(not(target_os = "linux"))]
impl Agent {
    fn open(_: Process) -> Result<Self, Failure> {
        Err(Failure::new("a process that somebody else started can't be told apart from others here")
            .hint("`agent-strace guard -- CMD` starts the agent itself"))
    }

    pub(super) fn tell(&self, _: Order) -> Result<(), Failure> {
        Err(Failure::new("signals can't be sent to other processes here"))
    }

    pub(super) fn end(&self, _: Duration) -> Result<(), Failure> {
        self.tell(Order::End)
    }
}
