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
    ("pass", Place::Name),
    ("pw", Place::Name),
    ("secret", Place::Name),
    ("token", Place::Name),
    ("key", Place::Name),
    ("auth", Place::Name),
    ("cred", Place::Name),
    ("cookie", Place::Name),
    ("otp", Place::Name),
    ("seed", Place::Name),
    ("mnemonic", Place::Name),
    ("jwt", Place::Name),
    ("psk", Place::Name),
    ("_pat", Place::Name),
    ("salt", Place::Name),
    ("ticket", Place::Name),
    ("-----begin", Place::PrivateKey),
    ("://", Place::Authority),
    ("basic ", Place::Basic),
    ("bearer ", Place::Bearer),
    ("machine ", Place::Machine),
    (" -u", Place::User),
    ("--user", Place::User),
    (" -p", Place::User),
    ("\u{1f}-u", Place::User),
    ("\u{1f}-p", Place::User),
    ("identified by", Place::Sql),
    ("sig=", Place::Signature),
    (" -a", Place::User),
    (".pgpass", Place::PasswordFile),
    ("--password-stdin", Place::Piped),
];

static AUTOMATON: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostFirst)
        .build(KEYWORDS.iter().map(|(word, _)| word))
        // The words are compiled in, and a test builds it.
        .ok()
});

/// An option of one dash may be a long one: `-passin`.
fn name_goes_on(text: &str, place: usize) -> bool {
    text::run(text, place, |byte| byte.is_ascii_alphabetic()) >= 2
}

/// Whether a name holds a word for secrets at all.
pub(super) fn is_in(name: &str) -> bool {
    AUTOMATON.as_ref().is_some_and(|automaton| automaton.is_match(name))
}

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    let Some(automaton) = &*AUTOMATON else { return };
    // Before it names have been looked at.
    let mut named = 0;
    for found in automaton.find_iter(text) {
        let Some((_, place)) = KEYWORDS.get(found.pattern().as_usize()) else { continue };
        match place {
            Place::Name if found.start() >= named => named = assigned::at(text, found.start(), found.end(), hits),
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
