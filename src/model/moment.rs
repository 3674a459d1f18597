//! Times of records as moments.

use jiff::Timestamp;

/// More seconds than the year 5138 has: these are milliseconds.
const MILLISECONDS: f64 = 1e11;

/// The moment that a recorded time names: RFC 3339, or seconds or milliseconds of the epoch. A time without an offset
/// names none; as UTC it still has its place among others of its log.
pub(crate) fn moment(time: &str) -> Option<Timestamp> {
    if let Ok(number) = time.parse::<f64>() {
        let seconds = if number >= MILLISECONDS { number / 1e3 } else { number };
        #[expect(clippy::cast_possible_truncation, reason = "out of range saturates, and is refused then")]
        return Timestamp::from_microsecond((seconds * 1e6).round() as i64).ok().filter(|_| number.is_finite());
    }
    let civil = || time.parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    time.parse().ok().or_else(|| Some(civil()?.timestamp()))
}
