//! Whose the terminal is. What reads from it has to be in its foreground; so does who is to hear Ctrl-C.

use std::io::{IsTerminal as _, stdin};

use nix::sys::signal::{SigSet, Signal};
use rustix::process::{Pid, getpgrp};
use rustix::termios::{tcgetpgrp, tcsetpgrp};

/// A terminal that this process had in its foreground when it began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terminal {
    own: Pid,
}

impl Terminal {
    /// `None`: standard input is none, or it belongs to others.
    pub(super) fn of_process() -> Option<Self> {
        if !std::io::stdin().is_terminal() {
            return None;
        }
        let own = getpgrp();
        (tcgetpgrp(stdin()).ok()? == own).then_some(Self { own })
    }

    pub(super) fn take_back(self) {
        foreground(self.own);
    }
}

/// Makes it a group's. Who is in the background and does that is stopped by SIGTTOU, unless that is blocked. A terminal that
/// is gone is of no use to anybody.
pub(super) fn foreground(group: Pid) {
    let mut blocked = SigSet::empty();
    blocked.add(Signal::SIGTTOU);
    let is_new = SigSet::thread_get_mask().is_ok_and(|mask| !mask.contains(Signal::SIGTTOU));
    let _ = blocked.thread_block();
    let _ = tcsetpgrp(stdin(), group);
    if is_new {
        let _ = blocked.thread_unblock();
    }
}
