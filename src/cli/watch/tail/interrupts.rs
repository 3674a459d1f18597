//! Signals that ask `watch` to end.

use super::super::super::failure::Failure;

/// Ctrl-C, and what else asks this to end.
pub(super) struct Interrupts {
    #[cfg(unix)]
    signals: signal_hook::iterator::Signals,
}

impl Interrupts {
    #[cfg(unix)]
    pub(super) fn new() -> Result<Self, Failure> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]);
        let failure =
            |error| Failure::new(format!("can't wait for signals: {}", super::super::super::failure::reason(&error)));
        Ok(Self { signals: signals.map_err(failure)? })
    }

    #[cfg(unix)]
    pub(super) fn any(&mut self) -> bool {
        self.signals.pending().next().is_some()
    }

    /// Elsewhere the console ends this process.
    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(super) fn new() -> Result<Self, Failure> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "elsewhere it knows")]
    pub(super) fn any(&mut self) -> bool {
        false
    }
}
