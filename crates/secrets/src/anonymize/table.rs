//! Who and what a session gives away: every identity that was found in it, is configured or belongs to this machine.

use std::collections::{BTreeMap, BTreeSet};

use super::canonical::{self, folded};
use super::class::Class;
use super::token;
use crate::{MARK, is_role};

/// Longer values are no names.
const LONGEST: usize = 320;
/// A shorter name is one only where names stand: in paths, prompts and fields of its own.
const SHORTEST_WORD: usize = 3;

/// Words of the format of sessions. A name that is one of them is replaced only where names stand.
const FORMAT: &str = "session start end tool call calls result results llm request requests response user prompt \
    assistant event events type timestamp id parent duration ms data meta anonymized anonymization agent name names \
    command commands file files read write error errors text message content choice decision reason model recorded \
    kind status arguments argument input output value path cwd attribution working dir directory git repo branch \
    commit os hostname host provider version started ended at total tokens token usage cost depth import format \
    source bytes sha256 redacted gap gaps line object missing notice other key keys counts count rules rule scope \
    description true false null none key kept domains home email person repository named secret phone";
/// Hosts that are nobody's, or everybody's.
const PUBLIC_HOSTS: &str = "localhost localdomain github gitlab bitbucket codeberg sourceforge google api www registry \
    pypi npmjs crates docs example test machine computer desktop laptop server client container vm pc workstation \
    remote linux darwin windows macos macbook unknown internal gateway proxy mail ftp git ssh db database cache redis";
/// Branches that everybody has.
const COMMON_BRANCHES: &str = "main master develop development dev trunk head staging stage production prod release \
    test testing gh-pages next stable canary beta alpha hotfix feature";

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known.eq_ignore_ascii_case(word))
}

/// One identity.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    pub(super) class: Class,
    pub(super) canonical: String,
    /// As it was first written.
    pub(super) plain: String,
    /// Texts that stand for it wherever they are; empty where only its position tells.
    pub(super) forms: BTreeSet<String>,
}

/// All identities, in an order that depends on nothing but them.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    found: BTreeMap<(Class, String), Identity>,
    /// What fields of their own hold, folded.
    fields: BTreeMap<String, (Class, String)>,
    keep: Keep,
}

/// What somebody said is nobody's.
#[derive(Debug, Clone, Default)]
pub struct Keep {
    folded: BTreeSet<String>,
}

impl Keep {
    pub fn new<'k>(values: impl IntoIterator<Item = &'k str>) -> Self {
        Self { folded: values.into_iter().map(folded).collect() }
    }

    /// Whether that is said of a value: itself, or the name behind its last separator.
    pub fn has(&self, value: &str) -> bool {
        if self.folded.is_empty() {
            return false;
        }
        let value = folded(value);
        let last = value.rsplit(['/', '\\']).next().unwrap_or_default();
        self.folded.contains(&value) || self.folded.contains(last)
    }
}

impl Table {
    pub(super) fn new<'k>(keep: impl IntoIterator<Item = &'k str>) -> Self {
        Self { keep: Keep::new(keep), ..Self::default() }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Identity> {
        self.found.values()
    }

    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    /// The identity that a field of its own holds.
    pub(super) fn field(&self, text: &str) -> Option<&Identity> {
        self.found.get(self.fields.get(&folded(text))?)
    }

    pub(super) fn get(&self, class: Class, canonical: &str) -> Option<&Identity> {
        self.found.get(&(class, canonical.to_owned()))
    }

    pub(super) fn keeps(&self, value: &str) -> bool {
        self.keep.has(value)
    }

    /// Takes in a value, unless it is nobody's.
    pub(super) fn add(&mut self, class: Class, value: &str) {
        let value = value.trim();
        let canonical = canonical::of(class, value);
        let is_done = token::begins(value) || value.starts_with(MARK);
        if canonical.is_empty() || value.len() > LONGEST || is_done || self.keeps(value) || is_nobodys(class, value) {
            return;
        }
        self.fields.entry(folded(value)).or_insert_with(|| (class, canonical.clone()));
        let identity = self.found.entry((class, canonical.clone())).or_insert_with(|| Identity {
            class,
            canonical,
            plain: canonical::shown(class, value),
            forms: BTreeSet::new(),
        });
        // A folder's name for a path does not say which signs the path has.
        if class == Class::Home && !identity.plain.contains(['/', '\\']) {
            identity.plain = canonical::shown(class, value);
        }
        identity.forms.extend(forms(class, value));
        if class == Class::Home
            && let Some(user) = home_user(value)
        {
            self.add(Class::User, &user);
        }
    }
}

/// The name of a home's user, where the path shows it as it is.
fn home_user(value: &str) -> Option<String> {
    let is_plain = !value.contains('%') && value.contains(['/', '\\']);
    let name = value.rsplit(['/', '\\']).next()?.trim_start_matches('~');
    (is_plain && !name.is_empty()).then(|| name.to_owned())
}

fn is_nobodys(class: Class, value: &str) -> bool {
    match class {
        Class::User => is_role(value) || value.contains(['/', '\\', '@', '\n', '$', '<', '{']),
        Class::Host => {
            let first = value.split('.').next().unwrap_or_default();
            is_role(first)
                || is_in(PUBLIC_HOSTS, first)
                || value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                || !value.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_'))
        }
        Class::Person => is_role(value) || !value.chars().any(char::is_alphabetic) || value.contains('@'),
        Class::Home => {
            let parts: Vec<&str> = value.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
            let is_path = value.contains(['/', '\\']);
            parts.last().is_none_or(|name| is_role(name)) || is_path && parts.len() < 2 && !value.starts_with('~')
        }
        Class::Branch => is_in(COMMON_BRANCHES, value),
        Class::Repository => value.len() < SHORTEST_WORD,
        _ => false,
    }
}

/// Texts that are this identity wherever they stand as words.
fn forms(class: Class, value: &str) -> Vec<String> {
    let is_word = value.chars().count() >= SHORTEST_WORD && !is_in(FORMAT, value);
    match class {
        Class::User | Class::Named if is_word => vec![value.to_owned()],
        Class::Host => {
            let first = value.split('.').next().unwrap_or_default();
            let all = [first, value];
            let words = all.into_iter().filter(|word| word.chars().count() >= SHORTEST_WORD && !is_in(FORMAT, word));
            words.map(str::to_owned).collect()
        }
        Class::Email => vec![value.to_owned(), canonical::of(class, value)],
        Class::Home => vec![value.to_owned(), value.replace('\\', "/"), slug(value)],
        Class::Person => person(value),
        Class::Repository => repository(value),
        Class::Branch if is_distinctive(value) => vec![value.to_owned()],
        _ => Vec::new(),
    }
}

/// The name of a folder for a path, as agents make it.
fn slug(path: &str) -> String {
    path.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}

/// The ways in which a full name is written as one word or several.
fn person(name: &str) -> Vec<String> {
    let parts: Vec<&str> = name.split_whitespace().collect();
    let [first, .., last] = parts.as_slice() else {
        let alone = name.chars().count() > SHORTEST_WORD && !is_in(FORMAT, name);
        return if alone { vec![name.to_owned()] } else { Vec::new() };
    };
    let mut forms: Vec<String> = [" ", ".", "_", "-", ""].iter().map(|sign| parts.join(sign)).collect();
    forms.push(format!("{last}, {first}"));
    forms.push(format!("{last} {first}"));
    forms.retain(|form| form.chars().count() > 5);
    forms
}

/// `owner/name`, and the name where it can't be mistaken for a word.
fn repository(value: &str) -> Vec<String> {
    let path = canonical::repository(value);
    let name = path.rsplit('/').next().unwrap_or_default();
    let mut forms = Vec::new();
    if path.contains('/') {
        forms.push(path.clone());
    }
    if is_distinctive(name) {
        forms.push(name.to_owned());
    }
    forms
}

/// Not a word of any language.
fn is_distinctive(word: &str) -> bool {
    let signs = word.chars().any(|letter| letter.is_ascii_digit() || matches!(letter, '-' | '_' | '.' | '/'));
    word.chars().count() >= 6 && signs && word.chars().any(char::is_alphabetic)
}
