//! Durations on the command line: `30s`, `5m`, `2h`, `1h30m`, or a number of seconds.

use std::time::Duration;

const WANTED: &str = "expected a duration such as `30s`, `5m`, `2h` or `1h30m`";

/// Above nothing, each unit once, the largest first.
pub(in crate::cli) fn parse(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let read = if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') { seconds(text) } else { units(text) };
    read.filter(|duration| !duration.is_zero()).ok_or_else(|| WANTED.to_owned())
}

/// The same, and nothing is a duration, too.
pub(in crate::cli) fn parse_any(text: &str) -> Result<Duration, String> {
    if matches!(text.trim(), "0" | "0s") { Ok(Duration::ZERO) } else { parse(text) }
}

fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}

fn units(text: &str) -> Option<Duration> {
    let mut sum = Duration::ZERO;
    let mut least = u64::MAX;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|character: char| !character.is_ascii_digit())?;
        let (number, behind) = rest.split_at_checked(end)?;
        let (unit, after) = behind.split_at_checked(1)?;
        let factor = match unit {
            "d" => 24 * 60 * 60,
            "h" => 60 * 60,
            "m" => 60,
            "s" => 1,
            _ => return None,
        };
        if factor >= least {
            return None;
        }
        sum = sum.checked_add(Duration::from_secs(number.parse::<u64>().ok()?.checked_mul(factor)?))?;
        (least, rest) = (factor, after);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_whole_or_not_at_all() {
        for (text, seconds) in [
            ("30s", Some(30.0)),
            ("5m", Some(300.0)),
            ("2h", Some(7_200.0)),
            ("1h30m", Some(5_400.0)),
            ("1d2h3m4s", Some(93_784.0)),
            ("1800", Some(1_800.0)),
            ("0.5", Some(0.5)),
            ("5x", None),
            ("5", Some(5.0)),
            ("m", None),
            ("30m1h", None),
            ("1h1h", None),
            ("1h30", None),
            ("0", None),
            ("0s", None),
            ("", None),
            ("-5m", None),
            ("5 m", None),
            ("1.2.3", None),
            ("99999999999999999999s", None),
            ("9999999999999999999h", None),
        ] {
            assert_eq!(parse(text).ok().map(|duration| duration.as_secs_f64()), seconds, "{text}");
        }
        assert_eq!(parse_any("0s"), Ok(Duration::ZERO));
    }
}
