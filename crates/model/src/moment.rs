//! Times of records as moments.

use jiff::Timestamp;

/// More seconds than the year 5138 has: these are milliseconds.
const MILLISECONDS: f64 = 1e11;

/// The moment that a recorded time names: RFC 3339, or seconds or milliseconds of the epoch. A time without an offset
/// names none; as UTC it still has its position among others of its log.
pub fn moment(time: &str) -> Option<Timestamp> {
    if let Some(moment) = plain(time) {
        return Some(moment);
    }
    if let Ok(number) = time.parse() {
        return of_number(number);
    }
    let civil = || time.parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    time.parse().ok().or_else(|| Some(civil()?.timestamp()))
}

fn of_number(number: f64) -> Option<Timestamp> {
    let seconds = if number >= MILLISECONDS { number / 1e3 } else { number };
    #[expect(clippy::cast_possible_truncation, reason = "out of range saturates, and is refused then")]
    Timestamp::from_microsecond((seconds * 1e6).round() as i64).ok().filter(|_| number.is_finite())
}

/// `1760000000.125`: digits and at most as many decimals as nanoseconds have, as most logs with numbers write them.
/// That is exact, and faster than to go by a floating-point number: there is one for each event.
fn plain(time: &str) -> Option<Timestamp> {
    // With more, it is no such number, or finer than a nanosecond.
    if time.len() > "1760000000.000000001".len() {
        return None;
    }
    // Digits that are too many for it are no seconds, and are refused below.
    let (mut number, mut point) = (0_u64, None);
    for (index, byte) in time.bytes().enumerate() {
        match byte {
            b'0'..=b'9' => number = number.wrapping_mul(10).wrapping_add(u64::from(byte - b'0')),
            b'.' if point.is_none() && index > 0 => point = Some(index),
            _ => return None,
        }
    }
    let decimals = point.map_or(0, |point| time.len() - point - 1);
    let is_seconds = (1..=10).contains(&point.unwrap_or(time.len()));
    if decimals <= 6 {
        let scale = [1_000_000, 100_000, 10_000, 1_000, 100, 10, 1].get(decimals).filter(|_| is_seconds)?;
        return Timestamp::from_microsecond(i64::try_from(number).ok()?.checked_mul(*scale)?).ok();
    }
    let scale = [100, 10, 1].get(decimals - 7).filter(|_| is_seconds)?;
    Timestamp::from_nanosecond(i128::from(number) * scale).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_digit_by_digit_is_the_same_as_a_number() {
        for time in
            ["0", "5.", "1760000000", "1760000000.5", "1760000000.125", "1760000000.000001", "1999999999.999999"]
        {
            let number = of_number(time.parse().unwrap());
            assert!(number.is_some(), "{time}");
            assert_eq!((plain(time), moment(time)), (number, number), "{time}");
        }
    }

    #[test]
    fn whatever_else_is_a_number_is_read_as_one() {
        for time in ["1760000000125", "1.76e9", "-5", "1760000000.1234567891", "+5", ".5"] {
            assert_eq!(plain(time), None, "{time}");
            assert!(moment(time).is_some(), "{time}");
        }
        assert_eq!(moment("1760000000125"), moment("1760000000.125"));
    }

    #[test]
    fn nanoseconds_are_exact() {
        for (time, nanoseconds) in [
            ("1760000000.1234567", 1_760_000_000_123_456_700),
            ("1760000000.12345678", 1_760_000_000_123_456_780),
            ("1760000000.123456789", 1_760_000_000_123_456_789),
            ("9999999999.999999999", 9_999_999_999_999_999_999),
        ] {
            assert_eq!(moment(time).unwrap().as_nanosecond(), nanoseconds, "{time}");
        }
    }

    #[test]
    fn what_names_no_moment_is_none() {
        for time in ["", ".", "5.x", "1x", "NaN", "inf", "99999999999999999999", "99999999999999999999999", "yesterday"]
        {
            assert_eq!(moment(time), None, "{time}");
        }
    }
}
