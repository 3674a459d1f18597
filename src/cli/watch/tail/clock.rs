//! How long a session runs.

use std::time::{Duration, Instant};

use super::super::SessionState;

/// How long the session runs by now: from what is recorded on, by a clock that nobody sets.
pub(super) struct Clock {
    /// When this began, by the clock of the machine and by the other one.
    pub(super) now: jiff::Timestamp,
    pub(super) began: Instant,
    /// How long the session had run by then.
    pub(super) before: Option<Duration>,
    /// How long it ran, where it has ended.
    pub(super) ended: Option<Duration>,
    pub(super) paused: Duration,
}

impl Clock {
    pub(super) fn elapsed(&self) -> Duration {
        let running = self.before.unwrap_or_default() + self.began.elapsed();
        self.ended.unwrap_or_else(|| running.saturating_sub(self.paused))
    }

    pub(super) fn hear(&mut self, seen: &SessionState) {
        let between = |first: Option<jiff::Timestamp>, last: jiff::Timestamp| {
            first.and_then(|first| Duration::try_from(last.duration_since(first)).ok())
        };
        self.before = self.before.or_else(|| between(seen.began, self.now));
        self.ended = seen.last.filter(|_| seen.ended).and_then(|last| between(seen.began, last));
    }
}
