//! Names of what is secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`.

use std::collections::HashSet;
use std::sync::LazyLock;

/// How strongly a name says that its value is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// A word for secrets is there, but what the name names may be something about them.
    Faint,
    Weak,
    Strong,
    /// Nothing but a password goes by this name.
    Password,
}

/// What a word does in a name; the words are those of `names.tsv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Word {
    Password,
    Secret,
    Weak,
    /// Makes a `key` one that is secret.
    OfKeys,
    /// May follow without changing what the name names.
    Also,
    /// Makes the name one of something about a secret.
    About,
    /// Makes a token or a key one that anybody may see.
    Never,
}

static WORDS: LazyLock<HashSet<(Word, &'static str)>> = LazyLock::new(|| {
    let rows = rows().filter_map(|row| row.split_once('\t'));
    let known = rows.filter_map(|(name, words)| Some((word(name)?, words)));
    known.flat_map(|(word, words)| words.split(' ').map(move |text| (word, text))).collect()
});

fn rows() -> impl Iterator<Item = &'static str> {
    include_str!("names.tsv").lines().filter(|line| !line.starts_with('#'))
}

fn word(name: &str) -> Option<Word> {
    Some(match name {
        "password" => Word::Password,
        "secret" => Word::Secret,
        "weak" => Word::Weak,
        "of-keys" => Word::OfKeys,
        "also" => Word::Also,
        "about" => Word::About,
        "never" => Word::Never,
        _ => return None,
    })
}

fn is(word: Word, text: &str) -> bool {
    WORDS.contains(&(word, text))
}

/// Lower-case words of a name, at most eight from its end.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut current = String::new();
    let bytes = name.as_bytes();
    for (index, byte) in bytes.iter().enumerate() {
        let lower_before =
            index > 0 && bytes.get(index - 1).is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let starts_word = byte.is_ascii_uppercase()
            && (lower_before
                || (bytes.get(index + 1).is_some_and(u8::is_ascii_lowercase)
                    && index > 0
                    && bytes.get(index - 1).is_some_and(u8::is_ascii_uppercase)));
        if (!byte.is_ascii_alphanumeric() || starts_word) && !current.is_empty() {
            words.push(std::mem::take(&mut current));
        }
        if byte.is_ascii_alphanumeric() {
            current.push(char::from(byte.to_ascii_lowercase()));
        }
    }
    if !current.is_empty() {
        words.push(current);
    }
    let skipped = words.len().saturating_sub(8);
    words.split_off(skipped)
}

/// `None`: nothing secret goes by this name.
pub(super) fn strength(name: &str) -> Option<Strength> {
    let words = words(name);
    if words.iter().any(|word| is(Word::Never, word)) {
        return None;
    }
    let mut rest = words.as_slice();
    while let Some((last, before)) = rest.split_last() {
        let digits = last.bytes().all(|byte| byte.is_ascii_digit());
        let bare = last.trim_end_matches(|character: char| character.is_ascii_digit());
        if let Some(strength) = word_strength(bare, before.last().map(String::as_str)) {
            return Some(strength);
        }
        if digits || is(Word::Also, bare) {
            rest = before;
            continue;
        }
        if is(Word::About, bare) {
            return None;
        }
        // An unknown word after one for secrets.
        return before
            .iter()
            .any(|word| word_strength(word, None).is_some_and(|strength| strength > Strength::Weak))
            .then_some(Strength::Faint);
    }
    None
}

fn word_strength(word: &str, before: Option<&str>) -> Option<Strength> {
    const ENDS: &[&str] = &["password", "passwd", "passphrase", "pwd"];
    const SECRET_ENDS: &[&str] =
        &["secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "authkey", "credential", "credentials"];
    if is(Word::Password, word) || ENDS.iter().any(|end| word.ends_with(end)) {
        return Some(Strength::Password);
    }
    if is(Word::Secret, word) || SECRET_ENDS.iter().any(|end| word.ends_with(end)) {
        return Some(Strength::Strong);
    }
    if word == "key"
        && before.is_some_and(|before| {
            is(Word::OfKeys, before.trim_end_matches(|character: char| character.is_ascii_digit()))
        })
    {
        return Some(Strength::Strong);
    }
    (is(Word::Weak, word) || word.ends_with("key")).then_some(Strength::Weak)
}

#[cfg(test)]
pub(super) fn all_rows_are_read() -> bool {
    rows().all(|row| row.split_once('\t').is_some_and(|(name, words)| word(name).is_some() && !words.is_empty()))
}
