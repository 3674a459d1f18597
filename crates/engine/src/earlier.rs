//! Finds, for each session of a run, the sessions before it whose files it may have run.
//!
//! A session that runs a script, or whose `npm test` reads a `package.json`, runs what an earlier session put there. Sessions
//! are related if one started the other, or if they worked in the same directory or one below the other's. A session that
//! overlaps another counts as earlier, and so does one that records no time; but many sessions at the same time in one
//! directory, as in a set of containers, had nothing to do with each other. Whoever wrote the very file that a session ran
//! before it is looked at, however many sessions ran in between.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use agent_strace_effects::{Effect, Execution, Kind, Left};
use agent_strace_model::{Attribution, Session, moment};

use super::SessionOutcome;
use super::replay::Replay;

/// Sessions before another one that are looked at for it, nearest first, and as many that overlap it.
const MOST: usize = 64;
/// Writers of one file that a session ran that are looked at for it: those before them wrote what is not there any more.
const WRITERS: usize = 8;
/// Files below a session's directory that programs read by themselves, and that are looked at for it.
const RECIPES: usize = 256;
/// More sessions at the same time in one directory did not share it: they ran in containers or on machines of their own.
const AT_ONCE: usize = 8;

/// What other sessions of the run need to know of a session.
#[derive(Debug, Default)]
pub struct Trace {
    root: Option<String>,
    began: Option<Timestamp>,
    ended: Option<Timestamp>,
    /// It ran something whose text its own log does not hold.
    runs_code: bool,
    /// Files that it ran, and may not have written.
    asked_for: Vec<String>,
    left: Arc<Left>,
}

impl Trace {
    pub(super) fn new<'e>(
        session: &Session<'_>,
        replay: &Replay<'_>,
        effects: impl Iterator<Item = &'e Effect>,
    ) -> Self {
        let mut times = session.events.iter().filter_map(|event| moment(event.time.as_deref()?));
        let began = session.span.started.as_deref().and_then(moment).or_else(|| times.next());
        let ended = session.span.ended.as_deref().and_then(moment).or_else(|| times.next_back().or(began));
        let root =
            replay.roots.top().or(session.root.as_deref()).map(|root| root.trim_end_matches(['/', '\\']).to_owned());
        let (asked_for, left) = (replay.asked_for.clone(), Arc::new(replay.left.clone()));
        Self { root, began, ended, runs_code: runs_code(effects), asked_for, left }
    }

    /// Both ran at some time, as far as their times are known.
    fn overlaps(&self, other: &Self) -> bool {
        let is_before =
            |one: Option<Timestamp>, other: Option<Timestamp>| one.zip(other).is_some_and(|(one, other)| one < other);
        !is_before(self.ended, other.began) && !is_before(other.ended, self.began)
    }

    /// What is left behind can change what a later session did, if it ran code or the files act by themselves.
    fn matters_to(&self, later: &Self) -> bool {
        !self.left.is_empty() && (later.runs_code || self.left.acts_by_itself())
    }
}

/// Programs that look for modules beside the code that they run.
const INTERPRETERS: &[&str] = &["python", "node", "ruby", "perl", "php", "deno", "bun", "lua", "java"];

fn runs_code<'e>(mut effects: impl Iterator<Item = &'e Effect>) -> bool {
    let is_interpreter = |execution: &Execution| {
        let program = execution.argv.first().map_or("", |program| program.text.as_str());
        let name = program.rsplit('/').next().unwrap_or(program);
        INTERPRETERS.iter().any(|known| name.starts_with(known))
    };
    effects.any(|effect| match &effect.kind {
        Kind::Opaque(_) => true,
        Kind::Execute(execution) => is_interpreter(execution),
        _ => false,
    })
}

/// Returns for each session what the sessions before it left behind, in the order in which they began. The list is empty for
/// a session whose judgement cannot depend on them.
pub fn earlier(sessions: &[&SessionOutcome]) -> Vec<Vec<Arc<Left>>> {
    let run = Run::new(sessions);
    (0..sessions.len()).map(|at| run.before(at)).collect()
}

/// The sessions of a run in the order in which they began.
struct Run<'s> {
    sessions: &'s [&'s SessionOutcome],
    /// The place of each session in that order.
    places: Vec<usize>,
    /// Places of sessions by their directory, ascending.
    at: BTreeMap<&'s str, Vec<usize>>,
    /// Places of sessions by each directory at or above theirs, ascending.
    below: BTreeMap<&'s str, Vec<usize>>,
    /// Indices of sessions in their order.
    order: Vec<usize>,
    children: BTreeMap<&'s str, Vec<usize>>,
    by_id: BTreeMap<&'s str, Vec<usize>>,
    /// Places of the sessions that wrote a file that some session ran, or that programs read by themselves, ascending.
    writers: BTreeMap<String, Vec<usize>>,
    /// The written files that programs read by themselves.
    recipes: BTreeSet<String>,
}

impl<'s> Run<'s> {
    fn new(sessions: &'s [&'s SessionOutcome]) -> Self {
        let mut order: Vec<usize> = (0..sessions.len()).collect();
        let key = |at: &usize| sessions.get(*at).map(|session| (session.trace.began, &session.source, &session.id));
        order.sort_by(|left, right| key(left).cmp(&key(right)));
        let mut run = Self {
            sessions,
            places: vec![0; sessions.len()],
            at: BTreeMap::new(),
            below: BTreeMap::new(),
            order,
            children: BTreeMap::new(),
            by_id: BTreeMap::new(),
            writers: BTreeMap::new(),
            recipes: BTreeSet::new(),
        };
        run.index();
        run.index_writers();
        run
    }

    fn index(&mut self) {
        for (place, at) in self.order.iter().enumerate() {
            let Some(session) = self.sessions.get(*at).copied() else { continue };
            if let Some(known) = self.places.get_mut(*at) {
                *known = place;
            }
            self.by_id.entry(&session.id).or_default().push(place);
            if let Some(parent) = session.parent.as_deref() {
                self.children.entry(parent).or_default().push(place);
            }
            // Most sessions leave nothing behind.
            let Some(root) = session.trace.root.as_deref().filter(|_| !session.trace.left.is_empty()) else { continue };
            self.at.entry(root).or_default().push(place);
            for directory in directories(root) {
                self.below.entry(directory).or_default().push(place);
            }
        }
    }

    fn index_writers(&mut self) {
        let asked = self.sessions.iter().flat_map(|session| &session.trace.asked_for);
        let asked: BTreeSet<&str> = asked.map(String::as_str).collect();
        for place in 0..self.order.len() {
            let Some(session) = self.of(place) else { continue };
            for (path, is_recipe) in session.trace.left.files() {
                if is_recipe {
                    self.recipes.insert(path.clone());
                } else if !asked.contains(path.as_str()) {
                    continue;
                }
                self.writers.entry(path).or_default().push(place);
            }
        }
    }

    /// The places of sessions that wrote what a session ran, however many others ran in between.
    fn writers(&self, own: usize, session: &SessionOutcome) -> BTreeSet<usize> {
        let mut places = BTreeSet::new();
        if !session.trace.runs_code {
            return places;
        }
        let below = session.trace.left.directory().map(|directory| format!("{directory}/"));
        let recipes = below.iter().flat_map(|below| {
            let from = self.recipes.range(below.clone()..);
            from.take_while(|path| path.starts_with(below.as_str())).take(RECIPES)
        });
        for path in session.trace.asked_for.iter().chain(recipes) {
            let Some(list) = self.writers.get(path) else { continue };
            places.extend(self.nearest(list, own, session, WRITERS));
        }
        places
    }

    fn before(&self, at: usize) -> Vec<Arc<Left>> {
        let (Some(session), Some(own)) = (self.sessions.get(at), self.places.get(at)) else { return Vec::new() };
        let mut places = self.neighbours(*own, session);
        places.extend(self.writers(*own, session));
        let overlaps = |place: &usize| self.of(*place).is_some_and(|other| other.trace.overlaps(&session.trace));
        if places.iter().filter(|place| overlaps(place)).count() > AT_ONCE {
            places.retain(|place| !overlaps(place));
        }
        let family = self.children.get(session.id.as_str()).into_iter();
        let family = family.chain(session.parent.as_deref().and_then(|parent| self.by_id.get(parent)));
        let family = family.flat_map(|list| self.near(list, *own, session));
        places.extend(family.collect::<Vec<_>>());
        let lefts = places.into_iter().filter_map(|place| self.of(place)).filter(|other| {
            other.trace.matters_to(&session.trace) && agree(&other.account.attribution, &session.account.attribution)
        });
        lefts.map(|other| Arc::clone(&other.trace.left)).collect()
    }

    /// The places of the sessions that shared the directory of a session.
    fn neighbours(&self, own: usize, session: &SessionOutcome) -> BTreeSet<usize> {
        let mut places = BTreeSet::new();
        let Some(root) = session.trace.root.as_deref() else { return places };
        let above = directories(root).skip(1).filter_map(|directory| self.at.get(directory));
        for list in self.below.get(root).into_iter().chain(above) {
            places.extend(self.near(list, own, session));
        }
        places
    }

    fn near<'l>(
        &'l self,
        list: &'l [usize],
        own: usize,
        session: &'l SessionOutcome,
    ) -> impl Iterator<Item = usize> + 'l {
        self.nearest(list, own, session, MOST)
    }

    /// The places of a list that are nearest before a session, and of those that overlap it.
    fn nearest<'l>(
        &'l self,
        list: &'l [usize],
        own: usize,
        session: &'l SessionOutcome,
        most: usize,
    ) -> impl Iterator<Item = usize> + 'l {
        let (before, after) = list.split_at(list.partition_point(|place| *place < own));
        let ended = session.trace.ended;
        let overlaps = move |place: &&usize| {
            let began = self.of(**place).and_then(|other| other.trace.began);
            began.is_none_or(|began| ended.is_none_or(|ended| began < ended))
        };
        let after = after.iter().skip_while(move |place| **place == own).take(most).take_while(overlaps);
        before.iter().rev().take(most).chain(after).copied()
    }

    fn of(&self, place: usize) -> Option<&'s SessionOutcome> {
        self.sessions.get(*self.order.get(place)?).copied()
    }
}

/// The directory, and those above it, nearest first. The whole disk is nobody's workspace.
fn directories(root: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(root), |directory| directory.rfind(['/', '\\']).and_then(|at| directory.get(..at)))
        .filter(|directory| !directory.is_empty())
}

/// The two sessions do not say that they ran on different machines or worked on different repositories.
fn agree(one: &Attribution<'_>, other: &Attribution<'_>) -> bool {
    let differ = |one: &Option<_>, other: &Option<_>| one.is_some() && other.is_some() && one != other;
    !differ(&one.host, &other.host) && !differ(&one.repository, &other.repository)
}
