//! Words that secrets stand beside, all found in one pass over the text.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::super::hit::Hit;
use super::{assigned, form, structure, text};

/// What stands at a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
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
}

const KEYWORDS: &[(&str, Place)] = &[
    ("-----BEGIN", Place::PrivateKey),
    ("://", Place::Authority),
    ("Basic ", Place::Basic),
    ("Bearer ", Place::Bearer),
    ("bearer ", Place::Bearer),
    ("machine ", Place::Machine),
    (" -u", Place::User),
    ("--user", Place::User),
    (" -p", Place::User),
    (" -a", Place::User),
    ("IDENTIFIED BY", Place::Sql),
    ("sig=", Place::Signature),
    (".pgpass", Place::PasswordFile),
    ("--password-stdin", Place::Piped),
    ("pw:", Place::Name),
    ("pw\"", Place::Name),
    ("pin\"", Place::Name),
    ("pw=", Place::Name),
    ("mnemonic", Place::Name),
    ("ticket", Place::Name),
    ("_pat", Place::Name),
    ("_PAT", Place::Name),
];

/// Parts of names, in the three ways that names are written.
const NAMES: &[&str] =
    &["pass", "pwd", "secret", "token", "key", "auth", "cred", "cookie", "otp", "seed", "jwt", "psk", "salt"];

/// The words, and what stands at each of them.
static WORDS: LazyLock<(Vec<String>, Vec<Place>)> = LazyLock::new(|| {
    let names = NAMES.iter().flat_map(|name| {
        let (first, rest) = name.split_at_checked(1).unwrap_or((name, ""));
        let title = first.to_ascii_uppercase() + rest;
        [(*name).to_owned(), name.to_ascii_uppercase(), title].map(|name| (name, Place::Name))
    });
    KEYWORDS.iter().map(|(word, place)| ((*word).to_owned(), *place)).chain(names).unzip()
});

/// From here on a text is long.
const LONG: usize = 256;

/// In long texts the library finds out by several bytes at once where no word can be, which makes it three times as fast;
/// for that it must know the case of the words, and they must be no more than 64. In short ones it takes longer than it
/// saves.
static OF_LONG: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| automaton(true));
static OF_SHORT: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| automaton(false));

fn automaton(prefilter: bool) -> Option<AhoCorasick> {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .match_kind(MatchKind::LeftmostFirst)
        .prefilter(prefilter)
        .build(&WORDS.0)
        // The words are compiled in, and a test builds it.
        .ok()
}

fn automaton_of(text: &str) -> Option<&'static AhoCorasick> {
    if text.len() < LONG { OF_SHORT.as_ref() } else { OF_LONG.as_ref() }
}

/// An option of one dash may be a long one: `-passin`.
fn name_goes_on(text: &str, place: usize) -> bool {
    text::run(text, place, |byte| byte.is_ascii_alphabetic()) >= 2
}

/// Whether a name holds a word for secrets at all.
pub(in super::super) fn is_in(name: &str) -> bool {
    automaton_of(name).is_some_and(|automaton| automaton.is_match(name))
}

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    let Some(automaton) = automaton_of(text) else { return };
    // Before it names have been looked at.
    let mut named = 0;
    for found in automaton.find_iter(text) {
        let Some(place) = WORDS.1.get(found.pattern().as_usize()) else { continue };
        // `pw:` ends with what follows the name.
        let end = found.end() - usize::from(matches!(text::before(text, found.end()), b':' | b'=' | b'"'));
        match place {
            Place::Name if found.start() >= named => named = assigned::at(text, found.start(), end, hits),
            Place::Name => {}
            Place::PrivateKey => structure::private_key(text, found.start(), hits),
            Place::Authority => structure::authority(text, found.start(), hits),
            Place::Basic => structure::basic(text, found.end(), hits),
            Place::Bearer => structure::bearer(text, found.end(), hits),
            Place::Machine => form::machine(text, found.start(), hits),
            Place::User => {
                // ` -password` starts as ` -p` does.
                if found.end() > named && name_goes_on(text, found.end()) {
                    named = assigned::at(text, found.end() - 1, found.end(), hits);
                }
                form::user(text, found.start(), found.end(), hits);
            }
            Place::Sql => form::identified(text, found.end(), hits),
            Place::Signature => form::shared_access(text, found.start(), found.end(), hits),
            Place::PasswordFile => form::password_file(text, found.end(), hits),
            Place::Piped => form::piped(text, found.start(), hits),
        }
    }
}
