//! Times of records as the store writes them: epoch seconds.

use agent_strace_model::moment;

/// A recorded time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moment<'a> {
    pub(super) seconds: Option<f64>,
    /// The time as it was recorded, where `seconds` do not say it alike; empty when none was.
    pub(super) inexact: Option<&'a str>,
}

impl<'a> Moment<'a> {
    pub(super) fn of(time: Option<&'a str>) -> Self {
        let Some(time) = time else { return Self { seconds: None, inexact: Some("") } };
        let seconds = moment(time).map(|moment| moment.as_duration().as_secs_f64());
        let alike = seconds.is_some_and(|seconds| format!("{seconds:?}") == time);
        Self { seconds, inexact: (!alike).then_some(time) }
    }

    pub(super) fn milliseconds(self) -> Option<f64> {
        // Whole microseconds: what is smaller is the noise of fractions.
        self.seconds.map(|seconds| (seconds * 1e6).round() / 1e3)
    }
}
