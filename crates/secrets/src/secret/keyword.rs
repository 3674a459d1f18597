//! Words that secrets stand beside, all found in one pass over the text.

use std::sync::LazyLock;

use aho_corasick::Match;

use super::super::hit::Hit;
use super::super::words::{Choice, Words};
use super::{assigned, form, structure, text};

/// What stands at a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeywordKind {
    /// A part of a name, to which a value may be assigned.
    Name,
    PrivateKey,
    Authority,
    Basic,
    Bearer,
    Machine,
    User,
    Sql,
    Signature,
    PasswordFile,
    Piped,
    /// `('user', 'password')`: arguments, or the value of `auth`.
    Pair,
}

const KEYWORDS: &[(&str, KeywordKind)] = &[
    ("-----BEGIN", KeywordKind::PrivateKey),
    ("://", KeywordKind::Authority),
    ("Basic ", KeywordKind::Basic),
    ("Bearer ", KeywordKind::Bearer),
    ("bearer ", KeywordKind::Bearer),
    ("machine ", KeywordKind::Machine),
    (" -u", KeywordKind::User),
    ("--user", KeywordKind::User),
    ("IDENTIFIED BY", KeywordKind::Sql),
    ("sig=", KeywordKind::Signature),
    (".pgpass", KeywordKind::PasswordFile),
    ("--password-stdin", KeywordKind::Piped),
    ("auth=(", KeywordKind::Pair),
    ("BasicAuth(", KeywordKind::Pair),
    ("pw:", KeywordKind::Name),
    ("pw\"", KeywordKind::Name),
    ("pin\"", KeywordKind::Name),
    ("pw=", KeywordKind::Name),
    ("mnemonic", KeywordKind::Name),
    ("ticket", KeywordKind::Name),
    ("_pat", KeywordKind::Name),
    ("_PAT", KeywordKind::Name),
];

/// Parts of names, in the three ways that names are written.
const NAMES: &[&str] =
    &["pass", "pwd", "secret", "token", "key", "auth", "cred", "cookie", "otp", "seed", "jwt", "psk", "salt"];

/// Words, and what stands at each of them.
type Placed = (Words, Vec<KeywordKind>);

/// Words of three bytes, and longer ones. They are written as they are looked for, since case tells many apart. Looked for
/// by themselves, longer ones are found much faster: fewer places of a text look like the beginning of one.
static WORDS: LazyLock<[Placed; 2]> = LazyLock::new(|| {
    let (short, long): (Vec<_>, Vec<_>) = all().partition(|(word, _)| word.len() <= 3);
    [short, long].map(|words| {
        let (words, kinds): (Vec<String>, _) = words.into_iter().unzip();
        (Words::new(Choice::First, &words), kinds)
    })
});

/// All of them, for names, which are short.
static ANY: LazyLock<Words> =
    LazyLock::new(|| Words::of_short(Choice::First, &all().map(|(word, _)| word).collect::<Vec<_>>()));

pub(super) fn all() -> impl Iterator<Item = (String, KeywordKind)> {
    let names = NAMES.iter().flat_map(|name| {
        let (first, rest) = name.split_at_checked(1).unwrap_or((name, ""));
        let title = first.to_ascii_uppercase() + rest;
        [(*name).to_owned(), name.to_ascii_uppercase(), title].map(|name| (name, KeywordKind::Name))
    });
    KEYWORDS.iter().map(|(word, kind)| ((*word).to_owned(), *kind)).chain(names)
}

/// Where words stand in a text, by where they start: from where, to where, and what.
fn found(text: &str) -> impl Iterator<Item = (usize, usize, KeywordKind)> {
    let [mut short, mut long] = WORDS.each_ref().map(|(words, kinds)| {
        let placed = |found: Match| Some((found.start(), found.end(), *kinds.get(found.pattern().as_usize())?));
        words.find(text.as_bytes()).filter_map(placed).peekable()
    });
    std::iter::from_fn(move || match (short.peek(), long.peek()) {
        (Some(one), Some(other)) if one.0 > other.0 => long.next(),
        (Some(_), _) => short.next(),
        _ => long.next(),
    })
}

/// An option of one dash may be a long one: `-passin`.
fn name_goes_on(text: &str, index: usize) -> bool {
    text::run(text, index, |byte| byte.is_ascii_alphabetic()) >= 2
}

/// Whether a name holds a word for secrets at all.
pub(in super::super) fn is_in(name: &str) -> bool {
    ANY.is_in(name.as_bytes())
}

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    // Before it names have been looked at.
    let mut named = 0;
    let (mut unquoted, mut read) = (assigned::Unquoted::default(), form::Read::default());
    for (start, found_end, kind) in found(text) {
        // `pw:` ends with what follows the name.
        let end = found_end - usize::from(matches!(text::before(text, found_end), b':' | b'=' | b'"'));
        match kind {
            KeywordKind::Name if start >= named => named = assigned::at(text, start, end, &mut unquoted, hits),
            KeywordKind::PrivateKey => structure::private_key(text, start, hits),
            KeywordKind::Authority => structure::authority(text, start, hits),
            KeywordKind::Basic => structure::basic(text, found_end, hits),
            KeywordKind::Bearer => structure::bearer(text, found_end, hits),
            KeywordKind::Machine => form::machine(text, start, hits),
            KeywordKind::User => {
                // ` -password` starts as ` -p` does.
                if found_end > named && name_goes_on(text, found_end) {
                    named = assigned::at(text, found_end - 1, found_end, &mut unquoted, hits);
                }
                form::user(text, start, found_end, &mut read, hits);
            }
            KeywordKind::Sql => form::identified(text, found_end, hits),
            KeywordKind::Signature => form::shared_access(text, start, found_end, hits),
            KeywordKind::PasswordFile => form::password_file(text, found_end, &mut read, hits),
            KeywordKind::Piped => form::piped(text, start, hits),
            KeywordKind::Pair if form::pair(text, found_end, hits) => {}
            KeywordKind::Pair if start >= named => {
                let name = text::run(text, start, |byte| byte.is_ascii_alphabetic());
                named = assigned::at(text, start, start + name, &mut unquoted, hits);
            }
            KeywordKind::Name | KeywordKind::Pair => {}
        }
    }
}

#[cfg(test)]
pub(super) fn is_built() -> bool {
    ANY.is_built_for_short() && WORDS.iter().all(|(words, _)| words.is_built())
}
