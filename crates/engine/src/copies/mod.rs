//! Finds what sessions of a run repeat from each other, so that each call and each answer of the model counts once.
//!
//! A resumed session begins with the history of the session that it goes on from, a fork with that of its origin, and the log
//! of a sub-agent may repeat what its parent's log holds. A call is a copy only if its tool and its arguments are the same. The
//! same id with other arguments is another call.
//!
//! A copy is still judged in each log, with the state of its own session: other acts may have come before it there.

mod counting;
mod outline;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

pub use outline::Outline;
use outline::{Item, Kind};

/// Sessions with the same call, or of the same family, that are compared with one session.
const MOST: usize = 8;
/// Some hosts number the calls of each session. So many calls in a row are not the same in two sessions by accident.
const FEWEST: usize = 3;

/// What a session repeats.
#[derive(Debug, Clone, Default)]
pub struct Copies {
    /// The calls, by the index of their event.
    calls: Vec<usize>,
    /// The first records of the answers, by their index.
    answers: Vec<usize>,
}

/// Returns for each session of a run what it repeats from the others. The order of the sessions changes nothing.
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
            return all_of(outline);
        }
        let mut copies = Copies::default();
        for kind in [Kind::Calls, Kind::Answers] {
            let origins = self.named(outline, kind).or_else(|| self.contained(outline, kind)).unwrap_or_default();
            let unnamed = self.unnamed(outline, kind);
            let found = origins.into_iter().chain(unnamed).map(|(item, _)| item.index);
            match kind {
                Kind::Calls => copies.calls.extend(found),
                Kind::Answers => copies.answers.extend(found),
            }
        }
        copies
    }

    /// Returns whether the log of another session is the same, as far as it is compared.
    fn has_log_of(&self, outline: &Outline) -> bool {
        let alike = |one: &[Item], other: &[Item]| {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| (one.key, one.time) == (other.key, other.time))
        };
        let sizes = self.sizes.get(&outline.size).into_iter().flatten();
        let same = sizes.filter_map(|at| self.sessions.get(*at).copied());
        let key = |one: &Outline| (one.id.clone(), one.agent.clone(), one.began);
        let mut same = same.filter(|other| key(other) == key(outline));
        same.any(|other| alike(&other.calls, &outline.calls) && alike(&other.answers, &outline.answers))
    }

    /// Items with an id that a related session holds, too, or that any session holds with the same time.
    fn named(&self, outline: &Outline, kind: Kind) -> Option<Vec<Origin<'o>>> {
        let mut found = Vec::new();
        for item in outline.items(kind).iter().filter(|item| item.named) {
            let mut origins = self.origins(item);
            let is_copy = |(of, origin): &(&Outline, Item)| {
                of.is_related(outline) || origin.time.is_some() && origin.time == item.time
            };
            found.extend(origins.find(is_copy).map(|origin| (*item, origin)));
        }
        (!found.is_empty()).then_some(found)
    }

    /// All calls of a session, where another one holds each of them with the same id, and no host counts these ids up.
    fn contained(&self, outline: &Outline, kind: Kind) -> Option<Vec<Origin<'o>>> {
        let items = outline.items(kind);
        if kind != Kind::Calls || items.len() < FEWEST || items.iter().any(|item| !item.named || item.numbered) {
            return None;
        }
        let first = items.first()?;
        self.origins(first).find_map(|(of, _)| {
            let origin = |item: &Item| {
                let origin = self.origins(item).find(|(other, _)| std::ptr::eq(*other, of))?;
                Some((*item, origin))
            };
            items.iter().map(origin).collect()
        })
    }

    fn origins(&self, item: &Item) -> impl Iterator<Item = (&'o Outline, Item)> {
        let origins = self.named.get(&item.key).into_iter().flatten();
        origins.filter_map(|(at, origin)| Some((*self.sessions.get(*at)?, *origin)))
    }

    /// Items without an id: the history that a fork begins with, and what two logs of one session hold of the same time.
    fn unnamed(&self, outline: &Outline, kind: Kind) -> Vec<Origin<'o>> {
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

/// An item, and where it is a copy of.
type Origin<'o> = (Item, (&'o Outline, Item));

/// Keeps the first ones: hostile logs may hold any number of them.
fn few<T>(list: &mut Vec<T>, one: T) {
    if list.len() < MOST {
        list.push(one);
    }
}

fn all_of(outline: &Outline) -> Copies {
    let indices = |items: &[Item]| items.iter().map(|item| item.index).collect();
    Copies { calls: indices(&outline.calls), answers: indices(&outline.answers) }
}

fn unnamed(outline: &Outline, kind: Kind) -> impl Iterator<Item = &Item> {
    outline.items(kind).iter().filter(|item| !item.named)
}

/// The items at the beginning of a fork that its origin holds in the same order. The first one that it does not hold ends
/// the history.
fn history<'o>(outline: &Outline, of: &'o Outline, kind: Kind) -> Vec<Origin<'o>> {
    let mut origins = unnamed(of, kind);
    let origin = |item: &Item| Some((*item, (of, *origins.find(|origin| origin.key == item.key)?)));
    unnamed(outline, kind).map_while(origin).collect()
}

/// The items that another log of the same session holds with the same time.
fn timed<'o>(outline: &Outline, of: &'o Outline, kind: Kind) -> Vec<Origin<'o>> {
    let mut origins: BTreeMap<(u128, Timestamp), Vec<Item>> = BTreeMap::new();
    for origin in unnamed(of, kind) {
        if let Some(time) = origin.time {
            origins.entry((origin.key, time)).or_default().push(*origin);
        }
    }
    let origin = |item: &Item| Some((*item, (of, origins.get_mut(&(item.key, item.time?))?.pop()?)));
    unnamed(outline, kind).filter_map(origin).collect()
}

impl Copies {
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.answers.is_empty()
    }
}
