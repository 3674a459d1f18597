//! The known forms of all identities in a text, in one pass.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::class::Class;
use super::spellings::{self, Case, Spelling};
use super::table::{Identity, Table};

/// What a form belongs to.
#[derive(Debug, Clone)]
struct Owner {
    class: Class,
    canonical: String,
    /// It counts only where no word goes on around it.
    is_word: bool,
}

#[derive(Debug, Default)]
pub(super) struct Matcher {
    forms: Forms,
    /// The same as programs encode it, with and without regard to case.
    spelled: [Forms; 2],
}

/// Texts that are looked for together.
#[derive(Debug, Default)]
struct Forms {
    automaton: Option<AhoCorasick>,
    owners: Vec<Owner>,
}

/// Too many identities to look for at once.
#[derive(Debug)]
pub(crate) struct TooMany;

impl Matcher {
    pub(super) fn new(table: &Table) -> Result<Self, TooMany> {
        let (mut plain, mut exact, mut folded) = (Vec::new(), Vec::new(), Vec::new());
        for Identity { class, canonical, forms, .. } in table.all() {
            let owner = |is_word| Owner { class: *class, canonical: canonical.clone(), is_word };
            for form in forms {
                plain.extend(cases(form).into_iter().map(|form| (form, owner(true))));
                for Spelling { case, text, is_word } in spellings::of(form) {
                    let list = if case == Case::Exact { &mut exact } else { &mut folded };
                    list.push((text, owner(is_word)));
                }
            }
        }
        let spelled = [Forms::new(exact, Case::Exact)?, Forms::new(folded, Case::Folded)?];
        Ok(Self { forms: Forms::new(plain, Case::Folded)?, spelled })
    }

    /// Where identities stand as words, and which.
    pub(super) fn find<'m>(&'m self, text: &'m str) -> impl Iterator<Item = (Range<usize>, Class, &'m str)> {
        self.forms.find(text)
    }

    /// Where they stand as programs encode them.
    pub(super) fn spelled<'m>(&'m self, text: &'m str) -> impl Iterator<Item = (Range<usize>, Class, &'m str)> {
        self.spelled.iter().flat_map(move |forms| forms.find(text))
    }
}

impl Forms {
    fn new(forms: Vec<(String, Owner)>, case: Case) -> Result<Self, TooMany> {
        let (forms, owners): (Vec<String>, Vec<Owner>) = forms.into_iter().unzip();
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(case == Case::Folded).match_kind(MatchKind::Standard);
        let automaton = if forms.is_empty() { None } else { Some(builder.build(&forms).map_err(|_| TooMany)?) };
        Ok(Self { automaton, owners })
    }

    fn find<'m>(&'m self, text: &'m str) -> impl Iterator<Item = (Range<usize>, Class, &'m str)> {
        let found = self.automaton.iter().flat_map(move |automaton| automaton.find_overlapping_iter(text));
        found.filter_map(move |found| {
            let owner = self.owners.get(found.pattern().as_usize())?;
            let mut range = found.start()..found.end();
            if owner.is_word && !stands_alone(text, &range, owner.class) {
                return None;
            }
            if owner.is_word && owner.class == Class::Host {
                range.end = with_domain(text, range.end);
            }
            Some((range, owner.class, owner.canonical.as_str()))
        })
    }
}

/// ASCII is compared without case; other scripts by what they may look like.
fn cases(form: &str) -> Vec<String> {
    if form.is_ascii() {
        return vec![form.to_owned()];
    }
    let mut all = vec![form.to_owned(), form.to_lowercase(), form.to_uppercase()];
    all.sort();
    all.dedup();
    all
}

/// Whether no word goes on around it. `alice2` is somebody else, `alice_old` is not.
pub(super) fn stands_alone(text: &str, range: &Range<usize>, class: Class) -> bool {
    let before = text.get(..range.start).and_then(|before| before.chars().next_back());
    let mut after = text.get(range.end..).unwrap_or_default().chars();
    let next = after.next();
    let inside = text.get(range.clone()).unwrap_or_default();
    let goes_on = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    let opens = !inside.starts_with(char::is_alphanumeric) || !goes_on(before) || follows_escape(text, range.start);
    let closes = !inside.ends_with(char::is_alphanumeric) || !goes_on(next);
    // The folder of `/home/alice-old` is somebody else's, but slugs go on with `-`.
    let is_path = class == Class::Home && inside.contains(['/', '\\']);
    let other_folder = is_path && matches!(next, Some('-' | '_')) && goes_on(after.next());
    opens && closes && !other_folder
}

/// `\nalice` is a new line and a name.
fn follows_escape(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let byte = |back: usize| at.checked_sub(back).and_then(|at| bytes.get(at).copied());
    matches!(byte(1), Some(b'n' | b't' | b'r' | b'b' | b'f')) && byte(2) == Some(b'\\')
}

/// A host with the domain behind it: names of files have one part, and no domain of a network.
fn with_domain(text: &str, end: usize) -> usize {
    const NETWORKS: &[&str] = &[
        "local",
        "lan",
        "internal",
        "corp",
        "home",
        "localdomain",
        "intra",
        "intranet",
        "private",
        "net",
        "com",
        "io",
    ];
    let rest = text.get(end..).unwrap_or_default();
    let is_label = |label: &str| {
        !label.is_empty() && label.len() <= 63 && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let length = rest.bytes().take(255).take_while(|byte| byte.is_ascii_alphanumeric() || b".-".contains(byte)).count();
    let domain = rest.get(..length).unwrap_or_default().trim_end_matches(['.', '-']);
    let Some(labels) = domain.strip_prefix('.') else { return end };
    let labels: Vec<&str> = labels.split('.').collect();
    let last = labels.last().copied().unwrap_or_default().to_ascii_lowercase();
    let is_domain = labels.iter().all(|label| is_label(label))
        && (labels.len() > 1 && last.bytes().all(|byte| byte.is_ascii_alphabetic())
            || NETWORKS.contains(&last.as_str()));
    if is_domain { end + domain.len() } else { end }
}
