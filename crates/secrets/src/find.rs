//! All that is private in a text, and how it is told apart without being given away.

use agent_strace_model::finding::{Family, RuleId};
use sha2::{Digest, Sha256};

use super::hit::Hit;
use super::{MARK, pii, secret, split_at_mark};

/// Everything private in a text that stands under the JSON key `name`: in order, without overlap.
pub fn find(name: Option<&str>, text: &str) -> Vec<Hit> {
    if names_nothing(text) && !name.is_some_and(|name| secret::is_name(name) || pii::is_name(name)) {
        return Vec::new();
    }
    let secrets = secret::find(name, text);
    let mut personal = Vec::new();
    pii::find(name, text, &mut personal);
    if personal.is_empty() {
        return secrets;
    }
    personal.extend(secrets);
    merge(personal)
}

/// Whether a text is the id of a record or a time, as half of the texts of a log are. Only their key can make them
/// private.
fn names_nothing(text: &str) -> bool {
    const TIME: &[u8] = b"0000-00-00T00:00:00";
    let bytes = text.as_bytes();
    match bytes.len() {
        36 => secret::is_uuid(text),
        20..=32 => {
            let (time, rest) = bytes.split_at_checked(TIME.len()).unwrap_or_default();
            let fits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
            let fraction = rest
                .strip_suffix(b"Z")
                .filter(|rest| rest.strip_prefix(b".").unwrap_or(rest).iter().all(u8::is_ascii_digit));
            fraction.is_some() && time.iter().zip(TIME).all(fits)
        }
        _ => false,
    }
}

/// Secrets alone, as [`find`] finds them.
pub fn secrets(name: Option<&str>, text: &str) -> Vec<Hit> {
    secret::find(name, text)
}

/// Personal data alone: also that which is part of a secret.
pub fn personal(name: Option<&str>, text: &str) -> Vec<Hit> {
    let mut personal = Vec::new();
    pii::find(name, text, &mut personal);
    merge(personal)
}

/// Overlapping hits become one, called by what says most of it: a token of a vendor before the value of a name, and
/// that before personal data, which a secret may hold.
pub(super) fn merge(mut found: Vec<Hit>) -> Vec<Hit> {
    found.sort_by_key(|hit| (hit.start, std::cmp::Reverse(hit.end), std::cmp::Reverse(worth(hit)), hit.kind));
    let mut merged: Vec<Hit> = Vec::with_capacity(found.len());
    for hit in found {
        match merged.last_mut() {
            Some(last) if hit.start < last.end => {
                last.end = last.end.max(hit.end);
                if worth(&hit) > worth(last) {
                    (last.rule, last.kind) = (hit.rule, hit.kind);
                }
                last.confidence = last.confidence.max(hit.confidence);
            }
            _ => merged.push(hit),
        }
    }
    merged
}

/// Whether it is a secret, whether it says more than that a name is secret, and how sure it is.
fn worth(hit: &Hit) -> (bool, bool, super::Confidence) {
    let secret = Family::of(hit.rule) == Some(Family::Secret);
    let specific = ![RuleId::SecretKeyedSecret, RuleId::SecretPassword].iter().any(|rule| rule.as_str() == hit.rule);
    (secret, specific && hit.confidence > super::Confidence::Low, hit.confidence)
}

/// What stands where something private was.
pub fn mark(hit: &Hit) -> String {
    // Of personal data it is enough to know what it is; how it was written is of no use.
    format!("{MARK}{}]", hit.rule.strip_prefix("pii/").unwrap_or(hit.kind))
}

/// Tells values apart without giving them away. Who knows a value can check whether it is this one, unless there is a
/// key.
pub fn fingerprint(key: Option<&[u8]>, rule: &str, value: &str) -> String {
    let mut digest = Sha256::new();
    for part in [&b"agent-strace private value 1"[..], key.unwrap_or_default(), rule.as_bytes(), value.as_bytes()] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let bytes = digest.finalize();
    let number = bytes.first_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes));
    format!("{number:016x}")
}

/// The pieces of a text that no mark covers: marks are never looked into.
pub(crate) fn free_ranges(text: &str) -> Vec<(usize, usize)> {
    let (mut ranges, mut at) = (Vec::new(), 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (free, mark, _) = split_at_mark(rest);
        if !free.is_empty() {
            ranges.push((at, at + free.len()));
        }
        if mark.is_empty() {
            break;
        }
        at += free.len() + mark.len();
    }
    ranges
}
