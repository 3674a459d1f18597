//! Amounts as they are written.

use agent_strace_metrics::{Basis, Cost};
use agent_strace_model::prices::{DOLLAR, rounded};

/// A number in groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `$0.0042`; of what is not known whole that it is more.
pub(crate) fn price(cost: &Cost) -> String {
    match (cost.basis, cost.amount) {
        (Basis::Incomplete, 0) => "not known".to_owned(),
        (Basis::Incomplete, amount) => format!("more than {}", rounded(amount)),
        (Basis::Recorded | Basis::Estimated, amount) => rounded(amount),
    }
}

/// Dollars to the millionth.
#[expect(clippy::cast_precision_loss, reason = "amounts that lose a millionth of a dollar are beyond any session")]
pub(crate) fn dollars(amount: u128) -> f64 {
    (amount / (DOLLAR / 1_000_000)) as f64 / 1e6
}

/// A share in tenths of a percent, rounded; nothing of nothing is none.
pub(super) fn share(part: u128, whole: u128) -> u128 {
    part.saturating_mul(1000).saturating_add(whole / 2).checked_div(whole).unwrap_or(0)
}

/// The same as whole percents.
pub(super) fn percent(part: u128, whole: u128) -> u128 {
    part.saturating_mul(100).saturating_add(whole / 2).checked_div(whole).unwrap_or(0)
}

/// Milliseconds as `1h 02m 03s`, `2m 05s`, `13.0s`.
pub(crate) fn span(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}.{}s", milliseconds % 1000 / 100),
        (0, minutes) => format!("{minutes}m {:02}s", seconds % 60),
        (hours, minutes) => format!("{hours}h {minutes:02}m {:02}s", seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([900, 13_040, 125_000, 3_723_000].map(span), ["0.9s", "13.0s", "2m 05s", "1h 02m 03s"]);
        assert_eq!((percent(1, 3), share(2, 3), percent(1, 0)), (33, 667, 0));
        assert!((dollars(4_200_000_000) - 0.0042).abs() < f64::EPSILON);
    }
}
