//! `--since`: a moment, or how long ago.

use jiff::{SignedDuration, Timestamp};

/// From when on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Since {
    At(Timestamp),
    Ago(SignedDuration),
}

impl Since {
    pub(super) fn days(days: u32) -> Self {
        Self::Ago(SignedDuration::from_hours(i64::from(days) * 24))
    }

    /// `None` when it is so long ago that no moment is before it.
    pub(super) fn moment(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::At(moment) => Some(moment),
            Self::Ago(duration) => now.checked_sub(duration).ok(),
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Since, String> {
    ago(text).or_else(|| at(text)).ok_or_else(|| {
        "expected how long ago (`30m`, `12h`, `7d`, `2w`, `90 days ago`), a date (`2026-03-01`) or a time with its offset".to_owned()
    })
}

fn ago(text: &str) -> Option<Since> {
    if let Some(words) = text.strip_suffix("ago").and_then(|words| words.strip_suffix([' ', '.', '-'])) {
        return in_words(words);
    }
    let unit = text.chars().last()?;
    let number: i64 = text.strip_suffix(unit)?.parse().ok().filter(|number| *number >= 0)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        'w' => 7 * 24 * 60 * 60,
        _ => return None,
    };
    Some(Since::Ago(SignedDuration::from_secs(number.checked_mul(seconds)?)))
}

/// `90 days ago` as git has it, but for the units whose length depends on the day: a month is 30 days, a year 365.
fn in_words(words: &str) -> Option<Since> {
    let (number, unit) = words.trim().split_once([' ', '.', '-'])?;
    let number: i64 = match number {
        "a" | "an" | "one" => 1,
        digits => digits.parse().ok().filter(|number| *number >= 0)?,
    };
    let unit = unit.trim();
    let seconds = match unit.strip_suffix('s').unwrap_or(unit) {
        "second" => 1,
        "minute" => 60,
        "hour" => 60 * 60,
        "day" => 24 * 60 * 60,
        "week" => 7 * 24 * 60 * 60,
        "month" => 30 * 24 * 60 * 60,
        "year" => 365 * 24 * 60 * 60,
        _ => return None,
    };
    Some(Since::Ago(SignedDuration::from_secs(number.checked_mul(seconds)?)))
}

/// A date starts at midnight UTC: the local time zone would make the same command mean different things.
fn at(text: &str) -> Option<Since> {
    if !text.starts_with(|first: char| first.is_ascii_digit()) || text.contains('[') {
        return None;
    }
    let moment = text.parse::<Timestamp>().ok();
    let date = || text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    let is_date = text.len() == "2026-03-01".len();
    moment.or_else(|| Some(date().filter(|_| is_date)?.timestamp())).map(Since::At)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_understood() {
        let now: Timestamp = "2026-03-15T12:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("7d", "2026-03-08T12:00:00Z"),
            ("2w", "2026-03-01T12:00:00Z"),
            ("90m", "2026-03-15T10:30:00Z"),
            ("0s", "2026-03-15T12:00:00Z"),
            ("90 days ago", "2025-12-15T12:00:00Z"),
            ("a week ago", "2026-03-08T12:00:00Z"),
            ("2.months.ago", "2026-01-14T12:00:00Z"),
            ("1 year ago", "2025-03-15T12:00:00Z"),
            ("2026-03-01", "2026-03-01T00:00:00Z"),
            ("2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00Z"),
        ] {
            assert_eq!(parse(text).unwrap().moment(now).unwrap().to_string(), expected, "{text}");
        }
        for text in [
            "",
            "7",
            "d",
            "-7d",
            "7y",
            "yesterday",
            "days ago",
            "ago",
            "5 fortnights ago",
            "-1 days ago",
            "2026-03-01T12:00:00",
            "2026-13-01",
            "99999999999999999d",
            "é",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("9999999999d").unwrap().moment(now), None);
    }
}
