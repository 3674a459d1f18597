//! How far a long run is, for somebody who waits at a terminal.

use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(200);

/// Counts logs, or what else there is. Without a terminal it says nothing.
pub(super) struct Progress {
    total: usize,
    noun: &'static str,
    state: Option<Mutex<State>>,
}

struct State {
    done: usize,
    /// When the next line may be shown.
    next: Instant,
    shown: bool,
}

impl Progress {
    pub(super) fn new(wanted: bool, total: usize, noun: &'static str) -> Self {
        let state = wanted.then(|| Mutex::new(State { done: 0, next: Instant::now() + PATIENCE, shown: false }));
        Self { total, noun, state }
    }

    /// One more log is done.
    pub(super) fn step(&self) {
        let Some(Ok(mut state)) = self.state.as_ref().map(Mutex::lock) else { return };
        state.done += 1;
        if Instant::now() >= state.next {
            state.next = Instant::now() + INTERVAL;
            state.shown = true;
            // Progress is a courtesy: where it can't be written, nothing is lost.
            let _ = write!(std::io::stderr(), "\r{} of {} {}", state.done, self.total, self.noun);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(Ok(state)) = self.state.as_ref().map(Mutex::lock)
            && state.shown
        {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
    }
}
