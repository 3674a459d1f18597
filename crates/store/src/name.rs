//! What the directory of a session is called. Ids of sessions come from logs: they may be anything.

use sha2::{Digest, Sha256};

/// Longer ids are shortened.
const LONGEST: usize = 100;
/// Of an id that can't be a name as it is, this much stays readable.
const READABLE: usize = 40;
/// Names that mean something else in a store.
const TAKEN: &[&str] = &["workspaces", "datasets", "baselines", "checkpoints"];

/// The directory of the session with this id: the id itself where it is fit for that, else a readable part of it and
/// a digest of all of it, so that two ids never share a directory.
pub(crate) fn directory(id: &str) -> String {
    if is_plain(id) {
        return id.to_owned();
    }
    let readable: String = id
        .chars()
        .take(READABLE)
        .map(|character| if character.is_ascii_alphanumeric() { character } else { '-' })
        .collect();
    let readable = readable.trim_matches('-');
    let digest = hex(id.as_bytes(), 12);
    if readable.is_empty() { format!("session-{digest}") } else { format!("{readable}-{digest}") }
}

/// Letters, digits and `-_.`, neither hidden nor reserved anywhere.
fn is_plain(id: &str) -> bool {
    let fits = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    let stem = id.split('.').next().unwrap_or(id).to_ascii_lowercase();
    let device = matches!(&*stem, "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")));
    (1..=LONGEST).contains(&id.len())
        && id.chars().all(fits)
        && !id.starts_with(['.', '-'])
        && !id.ends_with('.')
        && !device
        && !TAKEN.iter().any(|taken| id.eq_ignore_ascii_case(taken))
}

/// The first `digits` of the SHA-256 of `bytes`.
pub(super) fn hex(bytes: &[u8], digits: usize) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text.truncate(digits);
    text
}
