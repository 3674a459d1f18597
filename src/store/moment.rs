//! Times of records as the store writes them: epoch seconds.

/// A recorded time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moment<'a> {
    pub(super) seconds: Option<f64>,
    /// The time as it was recorded, where `seconds` do not say it exactly; empty when none was.
    pub(super) inexact: Option<&'a str>,
}

/// More seconds than the year 5138 has: these are milliseconds.
const MILLISECONDS: f64 = 1e11;

impl<'a> Moment<'a> {
    pub(super) fn of(time: Option<&'a str>) -> Self {
        let Some(time) = time else { return Self { seconds: None, inexact: Some("") } };
        if let Some(number) = time.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0) {
            if number >= MILLISECONDS {
                return Self { seconds: Some(number / 1000.0), inexact: Some(time) };
            }
            return Self { seconds: Some(number), inexact: (format!("{number:?}") != time).then_some(time) };
        }
        let stamp = time.parse::<jiff::Timestamp>().ok().or_else(|| {
            // Without an offset it names no moment; it still has an order.
            time.parse::<jiff::civil::DateTime>()
                .ok()?
                .to_zoned(jiff::tz::TimeZone::UTC)
                .ok()
                .map(|zoned| zoned.timestamp())
        });
        let seconds = stamp.map(|stamp| stamp.as_duration().as_secs_f64());
        Self { seconds, inexact: Some(time) }
    }

    pub(super) fn milliseconds(self) -> Option<f64> {
        // Whole microseconds: what is smaller is the noise of fractions.
        self.seconds.map(|seconds| (seconds * 1e6).round() / 1e3)
    }
}
