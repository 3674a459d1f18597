//! Results of commands that were worked out before: agents repeat themselves, and history repeats agents.
//!
//! The effects of a command depend on its text, on where it runs, and on what the session did before. A run that changes
//! nothing of the session but its directory leaves a [`QueryLog`] of what it asked about the session; its result is used
//! again where all of that is answered as it was. Everything else is worked out anew each time, so who remembers and who
//! does not says the same: a property test compares them.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::command::knowledge::Knowledge;
use super::{Certainty, Effect, Effects, LruCache, World};

/// Longer texts are rarely the same twice.
const LONGEST: usize = 4 * 1024;
/// Texts that are kept in each shard, and results of one text.
const TEXTS: usize = 4 * 1024;
const RESULTS: usize = 4;
/// Files and patterns that a run may ask about.
const MAX_QUERIES: usize = 64;
/// The memo is divided into shards, so that threads do not wait for each other.
const SHARDS: u64 = 16;

/// The questions of a run about the session, with their answers.
#[derive(Debug, Default)]
pub(super) struct QueryLog {
    /// Files that were not written in the session.
    pub(super) unwritten: Vec<String>,
    /// Patterns that matched no written file.
    pub(super) unmatched: Vec<String>,
    /// Files, or with [`Certainty::Pattern`] patterns, that are no other names of anything.
    pub(super) unaliased: Vec<(String, Certainty)>,
    /// The answer whether anything was written at all, if that was asked.
    pub(super) any_written: Option<bool>,
    /// The answer whether any name stands for another file, if that was asked.
    pub(super) any_aliases: Option<bool>,
    /// The run asked for programs that the session put where the shell looks for them, and there were none.
    pub(super) no_stand_ins: bool,
    /// The run asked for links that the session made and that are not known, and there were none.
    pub(super) no_unknown_links: bool,
    /// The run asked for acts that may have brought in code of others, and there were none.
    pub(super) no_code_of_others: bool,
    /// The run asked for names that a shell reads otherwise, and the session had made none.
    pub(super) no_odd_names: bool,
    /// It changed the session, or learnt from it what can't be asked again.
    pub(super) unrepeatable: bool,
}

impl QueryLog {
    /// The run asked whether a file was written.
    pub(super) fn ask_written(&mut self, path: &str) {
        self.unrepeatable |= log(&mut self.unwritten, |known| known == path, || path.to_owned()).is_none();
    }

    /// The run asked for written files that match a pattern.
    pub(super) fn ask_matching(&mut self, pattern: &str) {
        self.unrepeatable |= log(&mut self.unmatched, |known| known == pattern, || pattern.to_owned()).is_none();
    }

    /// The run asked for other names of a path.
    pub(super) fn ask_names(&mut self, path: &str, certainty: Certainty) {
        let is_same = |(known, as_what): &(String, Certainty)| known == path && *as_what == certainty;
        self.unrepeatable |= log(&mut self.unaliased, is_same, || (path.to_owned(), certainty)).is_none();
    }
}

/// Adds a query to those of its kind. It returns `None` if there are too many: such a run is not worth caching.
fn log<T>(queries: &mut Vec<T>, is_same: impl Fn(&T) -> bool, query: impl FnOnce() -> T) -> Option<()> {
    if queries.len() >= MAX_QUERIES {
        return None;
    }
    if !queries.iter().any(is_same) {
        queries.push(query());
    }
    Some(())
}

/// One run with its result.
struct CachedRun {
    root: Option<String>,
    cwd: Option<String>,
    text: Box<str>,
    queries: QueryLog,
    effects: Arc<[Effect]>,
    /// Steps of work that it cost.
    steps: usize,
    /// The directory of the shell afterwards.
    leaves: Option<String>,
}

type Shard = LruCache<Vec<Arc<CachedRun>>>;

/// Results of one run over many sessions, with one knowledge of what programs do.
pub struct Memo {
    knowledge: Arc<Knowledge>,
    shards: Vec<Mutex<Shard>>,
}

impl std::fmt::Debug for Memo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Memo")
    }
}

impl Memo {
    pub fn new(programs: &Arc<Knowledge>) -> Self {
        Self {
            knowledge: Arc::clone(programs),
            shards: (0..SHARDS).map(|_| Mutex::new(LruCache::new(TEXTS))).collect(),
        }
    }

    /// As `run` would, where it need not be asked.
    pub(super) fn run(&self, text: &str, world: &mut World, run: fn(&str, &mut World) -> Vec<Effect>) -> Effects {
        if text.len() > LONGEST || !world.is_memorable(&self.knowledge) {
            return run(text, world).into();
        }
        let hash = key(world, text);
        if let Some(known) = self.find(hash, world, text) {
            world.put_cwd(known.leaves.clone());
            world.meter().start(text.len());
            world.meter().spend(known.steps);
            return Effects::known(Arc::clone(&known.effects));
        }
        let (root, cwd) = (world.root().map(str::to_owned), world.cwd().map(str::to_owned));
        let before = world.meter().spent();
        let (effects, queries) = world.logging_queries(|world| run(text, world));
        let steps = world.meter().spent() - before;
        if queries.unrepeatable {
            return effects.into();
        }
        let effects: Arc<[Effect]> = effects.into();
        let leaves = world.cwd().map(str::to_owned);
        self.keep(
            hash,
            CachedRun { root, cwd, text: text.into(), queries, effects: Arc::clone(&effects), steps, leaves },
        );
        Effects::known(effects)
    }

    fn find(&self, hash: u64, world: &World, text: &str) -> Option<Arc<CachedRun>> {
        let mut shard = self.shard(hash)?;
        shard.get(hash)?.iter().find(|known| known.is_of(world, text) && world.agrees(&known.queries)).cloned()
    }

    fn keep(&self, hash: u64, known: CachedRun) {
        let Some(mut shard) = self.shard(hash) else { return };
        let known = Arc::new(known);
        match shard.get(hash) {
            Some(results) if results.len() < RESULTS => results.push(known),
            Some(_) => {}
            None => shard.put(hash, vec![known]),
        }
    }

    fn shard(&self, hash: u64) -> Option<MutexGuard<'_, Shard>> {
        let shard = self.shards.get(usize::try_from(hash % SHARDS).ok()?)?;
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl CachedRun {
    fn is_of(&self, world: &World, text: &str) -> bool {
        *self.text == *text && self.cwd.as_deref() == world.cwd() && self.root.as_deref() == world.root()
    }
}

fn key(world: &World, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (world.root(), world.cwd(), text).hash(&mut hasher);
    hasher.finish()
}
