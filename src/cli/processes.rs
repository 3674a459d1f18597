//! Processes of this machine, as `/proc` tells of them (Linux). Elsewhere nothing is known of any.
//!
//! Numbers of processes are used again: one is only ever meant together with when it started.

use std::collections::BTreeMap;
use std::fs;

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: u32,
    pub(super) parent: u32,
    /// What it runs, as the system calls it.
    pub(super) name: String,
    /// Ticks since the machine was started.
    started: u64,
    /// It has ended, and nobody asked how.
    pub(super) is_dead: bool,
    /// Somebody sits before it: it leads what was started at a terminal.
    is_at_terminal: bool,
    /// Somebody stopped it (SIGSTOP), and nobody let it go on.
    is_stopped: bool,
}

/// Programs that only run others.
const SHELLS: &[&str] =
    &["sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "zsh", "busybox", "env", "timeout", "cmd.exe", "pwsh"];

/// More are no ancestry.
const MOST: usize = 64;

impl Process {
    /// The process with this number; `None`: there is none, or nothing can be told.
    pub(super) fn find(pid: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // A name may hold anything, parentheses, too.
        let (head, rest) = text.rsplit_once(')')?;
        let (_, name) = head.split_once('(')?;
        let mut fields = rest.split_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let (session, terminal) = (fields.nth(1)?, fields.next()?);
        let is_at_terminal = session.parse() == Ok(pid) && terminal != "0";
        let started = fields.nth(14)?.parse().ok()?;
        let (is_dead, is_stopped) = (matches!(state, "Z" | "X"), state == "T");
        Some(Self { pid, parent, name: name.to_owned(), started, is_dead, is_at_terminal, is_stopped })
    }

    /// When it started, in a form that no other process of any other start of the machine has.
    pub(super) fn moment(&self) -> Option<String> {
        Some(format!("{}/{}", boot()?, self.started))
    }

    /// It is still the same one, and runs.
    pub(super) fn is_there(&self) -> bool {
        Self::find(self.pid).is_some_and(|now| now.started == self.started && !now.is_dead)
    }

    /// It is there, and stands still.
    pub(super) fn stands_still(&self) -> bool {
        Self::find(self.pid).is_some_and(|now| now.started == self.started && now.is_stopped)
    }

    /// Its parent, that one's, and so on.
    pub(super) fn ancestors(&self) -> impl Iterator<Item = Self> {
        let parent = |process: &Self| Self::find(process.parent).filter(|parent| parent.pid > 1);
        std::iter::successors(parent(self), move |process| parent(process)).take(MOST)
    }

    /// Everything that it started, directly or not, the nearest first. What has ended is not among it.
    pub(super) fn descendants(&self) -> Vec<Self> {
        let mut children: BTreeMap<u32, Vec<Self>> = BTreeMap::new();
        for process in all() {
            children.entry(process.parent).or_default().push(process);
        }
        let mut found = Vec::new();
        let mut next = vec![self.pid];
        while let Some(pid) = next.pop() {
            // Each is taken once, so that nothing goes round.
            for child in children.remove(&pid).unwrap_or_default() {
                next.push(child.pid);
                found.push(child);
            }
        }
        found.retain(|process| !process.is_dead);
        found
    }
}

/// Which start of the machine this is.
fn boot() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|boot| boot.trim().to_owned())
}

/// Whether a [`Process::moment`] is one since the machine was started.
pub(super) fn is_since_the_last_start(moment: &str) -> bool {
    moment.split_once('/').is_some_and(|(start, _)| boot().as_deref() == Some(start))
}

/// Everything that runs, and what has ended and still has a number.
fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(Process::find).collect()
}

/// This process.
pub(super) fn own() -> Option<Process> {
    Process::find(std::process::id())
}

/// Who runs this: the nearest ancestor that is no shell. Above a shell that somebody types in is their terminal, and above
/// `guard` is whoever started it: what stands below these is a shell that is an agent itself.
pub(super) fn caller() -> Option<Process> {
    let own = own()?;
    let mut below = None;
    for process in own.ancestors() {
        if process.name == own.name {
            return below;
        }
        if !SHELLS.contains(&process.name.as_str()) {
            return Some(process);
        }
        if process.is_at_terminal {
            return None;
        }
        below = Some(process);
    }
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_known() {
        let own = own().unwrap();
        assert_eq!(own.pid, std::process::id());
        assert!(own.is_there() && own.moment().is_some_and(|moment| moment.contains('/')), "{own:?}");
        assert!(own.ancestors().any(|parent| parent.pid == own.parent) || own.parent <= 1);
    }

    #[test]
    fn another_start_is_another_process() {
        let own = own().unwrap();
        let other = Process { started: own.started + 1, ..own };
        assert!(!other.is_there());
    }

    #[test]
    fn what_was_started_is_found_and_then_gone() {
        #[expect(clippy::disallowed_methods, reason = "a process to look at")]
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let found = own().unwrap().descendants();
        let found = found.iter().find(|process| process.pid == child.id()).cloned().unwrap();
        assert!(found.is_there());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!found.is_there());
    }
}
