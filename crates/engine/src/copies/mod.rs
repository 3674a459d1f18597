//! Finds the calls and the answers of the model that several sessions of a run hold, so that totals count each of them once.
//!
//! A resumed session begins with the history of the session that it goes on from, a fork with that of its origin, and the log
//! of a sub-agent may repeat what its parent's log holds. A call is a copy only if its tool and its arguments are the same. The
//! same id with other arguments is another call.
//!
//! Judging looks at each log as it is: a copy may show where its session ran, and other acts may have come before it there.

mod counting;
mod outline;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

pub use outline::Outline;
use outline::{Item, Kind};

/// Sessions with the same call, or of the same family, that are compared with one session.
const MOST: usize = 8;
/// Two sessions do not hold so many calls with the same ids by accident, where no host counts the ids up.
const FEWEST: usize = 3;

/// The calls and answers of a session that another session of the run holds, too.
#[derive(Debug, Clone, Default)]
pub struct Copies {
    /// The calls, by the index of their event.
    calls: Vec<usize>,
    /// The first records of the answers, by their index.
    answers: Vec<usize>,
}

/// Returns for each session of a run the calls and answers that it repeats from the others, whatever the order of the
/// sessions.
pub fn copies(outlines: &[&Outline]) -> Vec<Copies> {
    let mut run = Run::default();
    let mut found = vec![Copies::default(); outlines.len()];
    for at in order(outlines) {
        let Some(outline) = outlines.get(at).copied() else { continue };
        if let Some(found) = found.get_mut(at) {
            *found = run.compare(outline);
        }
        run.add(outline);
    }
    found
}

/// Indices of the sessions: the one that began first is the one that others repeat. Of two logs of one session the longer
/// one comes first.
fn order(outlines: &[&Outline]) -> Vec<usize> {
    let mut ends: HashMap<&str, Option<Timestamp>> = HashMap::new();
    for outline in outlines {
        let end = ends.entry(&outline.id).or_default();
        *end = outline.ended.max(*end);
    }
    let key = |at: &usize| {
        let outline = outlines.get(*at)?;
        let end = ends.get(outline.id.as_str()).copied().flatten();
        Some((outline.began, end, &outline.id, Reverse(outline.calls.len() + outline.answers.len()), &outline.source))
    };
    let mut order: Vec<usize> = (0..outlines.len()).collect();
    order.sort_by(|left, right| key(left).cmp(&key(right)));
    order
}

/// The sessions that were looked at.
#[derive(Default)]
struct Run<'o> {
    sessions: Vec<&'o Outline>,
    /// Items with an id: the sessions that hold them, and the events.
    named: HashMap<u128, Vec<(usize, Item)>>,
    /// Sessions by their id, and by the one that they are a fork of.
    family: HashMap<&'o str, Vec<usize>>,
    /// By the size of their logs.
    sizes: HashMap<usize, Vec<usize>>,
}

impl<'o> Run<'o> {
    fn add(&mut self, outline: &'o Outline) {
        let at = self.sessions.len();
        self.sessions.push(outline);
        for item in outline.calls.iter().chain(&outline.answers).filter(|item| item.named) {
            few(self.named.entry(item.key).or_default(), (at, *item));
        }
        for id in [Some(&outline.id), outline.forked_from.as_ref()].into_iter().flatten() {
            few(self.family.entry(id).or_default(), at);
        }
        few(self.sizes.entry(outline.size).or_default(), at);
    }

    fn compare(&self, outline: &Outline) -> Copies {
        if self.has_log_of(outline) {
            let indices = |items: &[Item]| items.iter().map(|item| item.index).collect();
            return Copies { calls: indices(&outline.calls), answers: indices(&outline.answers) };
        }
        let of = |kind: Kind| {
            let named = self.named(outline, kind);
            let all = named.is_empty() && kind == Kind::Calls && self.is_contained(outline);
            let named = if all { outline.calls.iter().map(|call| call.index).collect() } else { named };
            [named, self.unnamed(outline, kind)].concat()
        };
        Copies { calls: of(Kind::Calls), answers: of(Kind::Answers) }
    }

    /// Returns whether the log of another session is the same, as far as it is compared.
    fn has_log_of(&self, outline: &Outline) -> bool {
        let alike = |one: &[Item], other: &[Item]| {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| (one.key, one.time) == (other.key, other.time))
        };
        let sizes = self.sizes.get(&outline.size).into_iter().flatten();
        let mut same = sizes.filter_map(|at| self.sessions.get(*at).copied());
        same.any(|other| {
            (&other.id, &other.agent, other.began) == (&outline.id, &outline.agent, outline.began)
                && alike(&other.calls, &outline.calls)
                && alike(&other.answers, &outline.answers)
        })
    }

    /// Items with an id that a related session holds, too, or that any session holds with the same time.
    fn named(&self, outline: &Outline, kind: Kind) -> Vec<usize> {
        let is_copy = |item: &&Item| {
            item.named
                && self
                    .origins(item)
                    .any(|(of, origin)| of.is_related(outline) || origin.time.is_some() && origin.time == item.time)
        };
        outline.items(kind).iter().filter(is_copy).map(|item| item.index).collect()
    }

    /// Returns whether another session holds each of the calls with the same id, and no host counts these ids up.
    fn is_contained(&self, outline: &Outline) -> bool {
        let calls = &outline.calls;
        if calls.len() < FEWEST || calls.iter().any(|call| !call.named || call.numbered) {
            return false;
        }
        let holds = |of: &Outline, call: &Item| self.origins(call).any(|(other, _)| std::ptr::eq(other, of));
        let mut firsts = calls.iter().take(1).flat_map(|first| self.origins(first));
        firsts.any(|(of, _)| calls.iter().all(|call| holds(of, call)))
    }

    fn origins(&self, item: &Item) -> impl Iterator<Item = (&'o Outline, Item)> {
        let origins = self.named.get(&item.key).into_iter().flatten();
        origins.filter_map(|(at, origin)| Some((*self.sessions.get(*at)?, *origin)))
    }

    /// Items without an id: the history that a fork begins with, and what two logs of one session hold of the same time.
    fn unnamed(&self, outline: &Outline, kind: Kind) -> Vec<usize> {
        let family =
            |id: &str| self.family.get(id).into_iter().flatten().filter_map(|at| self.sessions.get(*at).copied());
        let forks = outline.forked_from.as_deref().into_iter().flat_map(family);
        let history = forks.map(|of| history(outline, of, kind)).max_by_key(Vec::len).unwrap_or_default();
        if !history.is_empty() {
            return history;
        }
        let same = family(&outline.id).filter(|of| of.id == outline.id && of.agent == outline.agent);
        same.map(|of| timed(outline, of, kind)).max_by_key(Vec::len).unwrap_or_default()
    }
}

/// Keeps the first ones: hostile logs may hold any number of them.
fn few<T>(list: &mut Vec<T>, one: T) {
    if list.len() < MOST {
        list.push(one);
    }
}

fn unnamed(outline: &Outline, kind: Kind) -> impl Iterator<Item = &Item> {
    outline.items(kind).iter().filter(|item| !item.named)
}

/// The items at the beginning of a fork that its origin holds in the same order. The first one that it does not hold ends
/// the history.
fn history(outline: &Outline, of: &Outline, kind: Kind) -> Vec<usize> {
    let mut origins = unnamed(of, kind);
    let is_held = |item: &&Item| origins.any(|origin| origin.key == item.key);
    unnamed(outline, kind).take_while(is_held).map(|item| item.index).collect()
}

/// The items that another log of the same session holds with the same time.
fn timed(outline: &Outline, of: &Outline, kind: Kind) -> Vec<usize> {
    let mut origins: BTreeMap<(u128, Timestamp), usize> = BTreeMap::new();
    for key in unnamed(of, kind).filter_map(|origin| Some((origin.key, origin.time?))) {
        *origins.entry(key).or_default() += 1;
    }
    let copy = |item: &Item| {
        let left = origins.get_mut(&(item.key, item.time?))?;
        *left = left.checked_sub(1)?;
        Some(item.index)
    };
    unnamed(outline, kind).filter_map(copy).collect()
}

impl Copies {
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.answers.is_empty()
    }
}
