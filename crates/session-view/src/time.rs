//! Parses the times of records and writes them in one format.

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde::Serializer;

/// Larger numbers can't be seconds of our time: they count milliseconds.
const LARGEST_SECONDS: f64 = 1e11;

/// RFC 3339, or epoch seconds or milliseconds.
pub(super) fn parse(time: &str) -> Option<Timestamp> {
    if let Ok(number) = time.parse::<f64>() {
        let seconds = if number.abs() > LARGEST_SECONDS { number / 1000.0 } else { number };
        return Timestamp::from_duration(SignedDuration::try_from_secs_f64(seconds).ok()?).ok();
    }
    time.parse().ok()
}

/// With as many digits as the moment has, in steps of three.
pub(super) fn text(moment: Timestamp) -> String {
    let nanoseconds = moment.subsec_nanosecond().unsigned_abs();
    let time = moment.to_zoned(TimeZone::UTC);
    let whole = time.strftime("%Y-%m-%dT%H:%M:%S");
    let fraction = match nanoseconds {
        0 => return format!("{whole}Z"),
        _ if nanoseconds.is_multiple_of(1_000_000) => "%3f",
        _ if nanoseconds.is_multiple_of(1_000) => "%6f",
        _ => "%9f",
    };
    format!("{whole}.{}Z", time.strftime(fraction))
}

#[expect(clippy::ref_option, reason = "the shape that serde calls")]
pub(super) fn write<S: Serializer>(moment: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    match moment {
        Some(moment) => serializer.serialize_str(&text(*moment)),
        None => serializer.serialize_none(),
    }
}

/// From one moment to a later one, where both are known.
pub(super) fn between(start: Option<Timestamp>, end: Option<Timestamp>) -> Option<SignedDuration> {
    Some(end?.duration_since(start?))
}

/// Whole milliseconds.
pub(super) fn milliseconds(duration: SignedDuration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
