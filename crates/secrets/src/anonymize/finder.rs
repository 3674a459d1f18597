//! Everything in a text that has to go, and what takes its place.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use agent_strace_model::finding::{Family, RuleId};

use super::canonical;
use super::class::Class;
use super::key::Key;
use super::matcher::{Matcher, TooMany};
use super::secrets::Secrets;
use super::survey::{DEEPEST, Known, class_of_meta};
use super::table::Table;
use super::{Options, Rule, token, views};
use crate::stream::Detector;
use crate::{Confidence, Hit, mark};

/// A session names some dozens of people and machines: one that names more than this was written to take up memory.
const MOST_IDENTITIES: usize = 4_000;
/// The same of secrets and their pieces.
const MOST_PIECES: usize = 1 << 20;
/// The most rules of a configuration.
pub const MOST_RULES: usize = 256;
/// Hits of rules of the configuration, by their index in it.
static RULES: LazyLock<Vec<String>> =
    LazyLock::new(|| (1..=MOST_RULES).map(|number| format!("anonymize/rule-{number}")).collect());
/// Beside what privacy calls them.
const SECRET: &str = "secret/known";

/// A piece of a text, and what it becomes.
#[derive(Debug, Clone)]
struct Spot {
    range: Range<usize>,
    rule: &'static str,
    by: String,
}

/// What became of values.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// By rule and value: what takes its place.
    replaced: BTreeMap<(&'static str, String), String>,
    /// By pseudonym: what it stands for.
    pub(super) originals: BTreeMap<String, String>,
}

pub(super) struct Finder<'f> {
    options: &'f Options,
    table: Table,
    secrets: Secrets,
    matcher: Matcher,
    secret_values: Option<aho_corasick::AhoCorasick>,
    marks: Vec<String>,
    done: Mutex<Done>,
}

impl<'f> Finder<'f> {
    pub(super) fn new(options: &'f Options, known: Known) -> Result<Self, TooMany> {
        let Known { table, secrets } = known;
        if table.len() > MOST_IDENTITIES || secrets.len() > MOST_PIECES {
            return Err(TooMany);
        }
        let (values, marks): (Vec<_>, Vec<_>) = secrets.values().map(|(value, mark)| (value, mark.to_owned())).unzip();
        let secret_values =
            if values.is_empty() { None } else { Some(aho_corasick::AhoCorasick::new(&values).map_err(|_| TooMany)?) };
        let matcher = Matcher::new(&table)?;
        Ok(Self { options, table, secrets, matcher, secret_values, marks, done: Mutex::default() })
    }

    pub(super) fn done(self) -> Done {
        self.done.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Done> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pseudonym of a value.
    fn pseudonym(&self, class: Class, canonical: &str, seen: &str) -> String {
        let Some((key, scope)) = self.options.pseudonyms() else { return String::new() };
        let written = write(key, scope, class, canonical);
        let plain = self.table.get(class, canonical).map_or(seen, |identity| &identity.plain);
        self.lock().originals.entry(written.clone()).or_insert_with(|| plain.to_owned());
        let domain = canonical.rsplit_once('@').map(|(_, domain)| domain).filter(|_| class == Class::Email);
        match domain.filter(|domain| self.options.keep_domains.iter().any(|kept| kept.eq_ignore_ascii_case(domain))) {
            Some(domain) => format!("{written}@{domain}"),
            None => written,
        }
    }

    fn spots(&self, name: Option<&str>, text: &str, depth: u32) -> Vec<Spot> {
        let mut spots = Vec::new();
        let mut at = 0;
        // A pseudonym is not looked into, unless it is none: anybody can write one around a name.
        for token in token::all(text) {
            if self.is_forged(token.digits) {
                continue;
            }
            self.piece(name, text, at..token.range.start, depth, &mut spots);
            at = token.range.end;
        }
        self.piece(name, text, at..text.len(), depth, &mut spots);
        spots
    }

    /// Bytes in which no mark hides a name: marks are not looked into, and anybody can write one.
    pub(super) fn without_forged_marks(&self, bytes: Vec<u8>) -> Vec<u8> {
        let mut result = Vec::new();
        let mut at = 0;
        for start in memchr::memmem::find_iter(&bytes, crate::MARK) {
            let from = start + crate::MARK.len();
            let rest = bytes.get(from..).unwrap_or_default();
            let length = rest.iter().position(|byte| !byte.is_ascii_lowercase() && *byte != b'-').unwrap_or(rest.len());
            let kind = rest.get(..length).and_then(|kind| std::str::from_utf8(kind).ok()).unwrap_or_default();
            if self.matcher.find(kind).next().is_some() {
                result.extend_from_slice(bytes.get(at..from).unwrap_or_default());
                result.push(b' ');
                at = from;
            }
        }
        if at == 0 {
            return bytes;
        }
        result.extend_from_slice(bytes.get(at..).unwrap_or_default());
        result
    }

    fn is_forged(&self, digits: &str) -> bool {
        self.matcher.find(digits).next().is_some()
    }

    fn piece(&self, name: Option<&str>, text: &str, range: Range<usize>, depth: u32, spots: &mut Vec<Spot>) {
        let Some(piece) = text.get(range.clone()).filter(|piece| !piece.is_empty()) else { return };
        let mut own = Vec::new();
        self.secrets(name, piece, depth, &mut own);
        if self.options.identities() {
            self.identities(name, piece, depth, &mut own);
            self.rules(piece, &mut own);
        }
        if depth < DEEPEST {
            for view in views::all(piece) {
                for spot in self.spots(name, &view.text, depth + 1) {
                    own.extend(view.raw(spot.range.clone()).map(|range| Spot { range, ..spot }));
                }
            }
        }
        spots.extend(
            own.into_iter()
                .map(|spot| Spot { range: range.start + spot.range.start..range.start + spot.range.end, ..spot }),
        );
    }

    fn secrets(&self, name: Option<&str>, text: &str, depth: u32, spots: &mut Vec<Spot>) {
        // The detectors undo encodings themselves.
        if depth == 0 {
            let found = crate::secrets(name, text);
            spots.extend(found.iter().map(|hit| Spot { range: hit.start..hit.end, rule: hit.rule, by: mark(hit) }));
        }
        for found in self.secret_values.iter().flat_map(|values| values.find_iter(text)) {
            let by = self.marks.get(found.pattern().as_usize()).cloned().unwrap_or_default();
            spots.push(Spot { range: found.start()..found.end(), rule: SECRET, by });
        }
        for range in self.secrets.pieces(text.as_bytes()) {
            let range = text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end);
            spots.push(Spot { range, rule: SECRET, by: format!("{}secret]", crate::MARK) });
        }
    }

    fn identities(&self, name: Option<&str>, text: &str, depth: u32, spots: &mut Vec<Spot>) {
        let mut push = |range: Range<usize>, class: Class, canonical: &str| {
            let seen = text.get(range.clone()).unwrap_or_default();
            if !seen.is_empty() && !self.table.keeps(seen) {
                spots.push(Spot { rule: class.rule(), by: self.pseudonym(class, canonical, seen), range });
            }
        };
        if let Some(identity) = name.and_then(class_of_meta).and_then(|_| self.table.field(text)) {
            push(0..text.len(), identity.class, &identity.canonical);
        }
        for (range, class, canonical) in self.matcher.find(text).chain(self.matcher.spelled(text)) {
            push(range, class, canonical);
        }
        if depth > 0 && text.len() < 8 {
            return;
        }
        for hit in crate::personal(name, text) {
            let value = text.get(hit.start..hit.end).unwrap_or_default();
            let class = match RuleId::find(hit.rule) {
                Some(RuleId::PiiEmail) => Class::Email,
                Some(RuleId::PiiHomePath) => Class::Home,
                Some(RuleId::PiiUserName) if value.contains('@') => {
                    login(value, hit.start, &mut push);
                    continue;
                }
                Some(RuleId::PiiUserName)
                    if self.table.get(Class::Person, &canonical::of(Class::Person, value)).is_some() =>
                {
                    Class::Person
                }
                Some(RuleId::PiiUserName) => Class::User,
                _ if hit.confidence < Confidence::Medium => continue,
                _ => Class::Personal(hit.rule),
            };
            push(hit.start..hit.end, class, &canonical::of(class, value));
        }
    }

    fn rules(&self, text: &str, spots: &mut Vec<Spot>) {
        for (Rule { pattern, replacement }, rule) in self.options.rules.iter().zip(RULES.iter()) {
            let found = pattern.find_iter(text).filter(|found| !found.is_empty());
            spots.extend(found.map(|found| Spot { range: found.range(), rule, by: replacement.clone() }));
        }
    }

    fn hits(&self, name: Option<&str>, text: &str) -> Vec<Hit> {
        let spots = joined(self.spots(name, text, 0));
        let mut done = self.lock();
        let hits = spots.into_iter().map(|Spot { range, rule, by }| {
            let value = text.get(range.clone()).unwrap_or_default().to_owned();
            done.replaced.entry((rule, value)).or_insert(by);
            Hit { start: range.start, end: range.end, rule, kind: "pseudonym", confidence: Confidence::High }
        });
        hits.collect()
    }
}

fn write(key: &Key, scope: &str, class: Class, canonical: &str) -> String {
    key.pseudonym(scope, class, canonical)
}

/// Both parts of `user@host`.
fn login(value: &str, start: usize, push: &mut impl FnMut(Range<usize>, Class, &str)) {
    let Some((user, host)) = value.split_once('@') else { return };
    let at = start + user.len();
    push(start..at, Class::User, &canonical::of(Class::User, user));
    push(at + 1..at + 1 + host.len(), Class::Host, &canonical::of(Class::Host, host));
}

/// Spots that overlap become one: a secret before everything else, then what says most.
fn joined(mut spots: Vec<Spot>) -> Vec<Spot> {
    let worth = |spot: &Spot| {
        (Family::of(spot.rule) == Some(Family::Secret), spot.range.len(), spot.rule.starts_with("anonymize/rule-"))
    };
    spots.sort_by(|left, right| {
        let order = (left.range.start, right.range.end).cmp(&(right.range.start, left.range.end));
        order.then_with(|| worth(right).cmp(&worth(left))).then_with(|| left.by.cmp(&right.by))
    });
    let mut joined: Vec<(Spot, (bool, usize, bool))> = Vec::with_capacity(spots.len());
    for spot in spots.into_iter().filter(|spot| !spot.range.is_empty()) {
        let own = worth(&spot);
        match joined.last_mut() {
            Some((last, best)) if spot.range.start < last.range.end => {
                last.range.end = last.range.end.max(spot.range.end);
                if own > *best {
                    (last.rule, last.by, *best) = (spot.rule, spot.by, own);
                }
            }
            _ => joined.push((spot, own)),
        }
    }
    joined.into_iter().map(|(spot, _)| spot).collect()
}

impl Detector for Finder<'_> {
    fn find(&self, name: Option<&str>, text: &str) -> Vec<Hit> {
        self.hits(name, text)
    }

    fn of_beginning(&self, name: Option<&str>, beginning: &str) -> Vec<Hit> {
        crate::secrets(name, beginning)
    }

    fn private(&self, text: &str) -> Vec<Hit> {
        self.hits(None, text)
    }

    fn fingerprint(&self, _: &Hit, _: &str) -> String {
        String::new()
    }

    fn replacement(&self, hit: &Hit, value: &str) -> String {
        if let Some(by) = self.lock().replaced.get(&(hit.rule, value.to_owned())) {
            return by.clone();
        }
        // A piece of what was found, as where a hit was cut so that an escape stays whole: the piece itself is known.
        let inside = joined(self.spots(None, value, 0));
        inside.into_iter().next().map_or_else(|| format!("{}text]", crate::MARK), |spot| spot.by)
    }
}
