//! Results of commands that were worked out before: agents repeat themselves, and history repeats agents.
//!
//! What a command does depends on its text, on where it runs, and on what the session did before. A run that changes
//! nothing of the session but its directory leaves a [`QueryLog`] of what it asked about the session; its result is used
//! again where all of that is answered as it was. Everything else is worked out anew each time, so who remembers and who
//! does not says the same: a property test compares them.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::command::knowledge::Knowledge;
use super::{Certainty, Effect, Effects, LruCache, World};

/// Longer texts are rarely the same twice.
const LONGEST: usize = 4 * 1024;
/// Texts that are kept in each part, and results of one text.
const TEXTS: usize = 4 * 1024;
const RESULTS: usize = 4;
/// Files and patterns that a run may ask about.
const ASKED: usize = 64;
/// Parts, so that threads do not wait for each other.
const PARTS: u64 = 16;

/// What a run asked about the session, as it was answered.
#[derive(Debug, Default)]
pub(super) struct QueryLog {
    /// Files that were not written in the session.
    pub(super) unwritten: Vec<String>,
    /// Patterns that matched no written file.
    pub(super) unmatched: Vec<String>,
    /// Files, or with [`Certainty::Pattern`] patterns, that are no other names of anything.
    pub(super) unaliased: Vec<(String, Certainty)>,
    /// Whether anything was written at all, where that was asked.
    pub(super) any_written: Option<bool>,
    /// Whether any name stands for another file, where that was asked.
    pub(super) any_aliases: Option<bool>,
    /// It changed the session, or learnt from it what can't be asked again.
    pub(super) unrepeatable: bool,
}

impl QueryLog {
    /// Whoever asks too much is not worth following.
    pub(super) fn ask(asked: &mut Vec<String>, what: &str, unrepeatable: &mut bool) {
        if asked.len() >= ASKED {
            *unrepeatable = true;
        } else if !asked.iter().any(|known| known == what) {
            asked.push(what.to_owned());
        }
    }

    /// The same for other names.
    pub(super) fn ask_names(&mut self, path: &str, certainty: Certainty) {
        if self.unaliased.len() >= ASKED {
            self.unrepeatable = true;
        } else if !self.unaliased.iter().any(|(known, as_what)| known == path && *as_what == certainty) {
            self.unaliased.push((path.to_owned(), certainty));
        }
    }
}

/// One result.
struct Known {
    root: Option<String>,
    cwd: Option<String>,
    text: Box<str>,
    queries: QueryLog,
    effects: Arc<[Effect]>,
    /// Where the shell is afterwards.
    leaves: Option<String>,
}

type Part = LruCache<Vec<Arc<Known>>>;

/// Results of one run over many sessions, with one knowledge of what programs do.
pub struct Memo {
    knowledge: Arc<Knowledge>,
    parts: Vec<Mutex<Part>>,
}

impl std::fmt::Debug for Memo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Memo")
    }
}

impl Memo {
    pub fn new(programs: &Arc<Knowledge>) -> Self {
        Self { knowledge: Arc::clone(programs), parts: (0..PARTS).map(|_| Mutex::new(LruCache::new(TEXTS))).collect() }
    }

    /// As `run` would, where it need not be asked.
    pub(super) fn run(&self, text: &str, world: &mut World, run: fn(&str, &mut World) -> Vec<Effect>) -> Effects {
        if text.len() > LONGEST || !world.is_memorable(&self.knowledge) {
            return run(text, world).into();
        }
        let hash = key(world, text);
        if let Some(known) = self.find(hash, world, text) {
            world.put_cwd(known.leaves.clone());
            return Effects::known(Arc::clone(&known.effects));
        }
        let (root, cwd) = (world.root().map(str::to_owned), world.cwd().map(str::to_owned));
        let (effects, queries) = world.logging_queries(|world| run(text, world));
        if queries.unrepeatable {
            return effects.into();
        }
        let effects: Arc<[Effect]> = effects.into();
        let leaves = world.cwd().map(str::to_owned);
        self.keep(hash, Known { root, cwd, text: text.into(), queries, effects: Arc::clone(&effects), leaves });
        Effects::known(effects)
    }

    fn find(&self, hash: u64, world: &World, text: &str) -> Option<Arc<Known>> {
        let mut part = self.part(hash)?;
        part.get(hash)?.iter().find(|known| known.is_of(world, text) && world.agrees(&known.queries)).cloned()
    }

    fn keep(&self, hash: u64, known: Known) {
        let Some(mut part) = self.part(hash) else { return };
        let known = Arc::new(known);
        match part.get(hash) {
            Some(results) if results.len() < RESULTS => results.push(known),
            Some(_) => {}
            None => part.put(hash, vec![known]),
        }
    }

    fn part(&self, hash: u64) -> Option<MutexGuard<'_, Part>> {
        let part = self.parts.get(usize::try_from(hash % PARTS).ok()?)?;
        Some(part.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Known {
    fn is_of(&self, world: &World, text: &str) -> bool {
        *self.text == *text && self.cwd.as_deref() == world.cwd() && self.root.as_deref() == world.root()
    }
}

fn key(world: &World, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (world.root(), world.cwd(), text).hash(&mut hasher);
    hasher.finish()
}
