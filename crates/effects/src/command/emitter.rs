//! Collects the effects of one text: without repetition, and within the limits of what is done for one text.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use agent_strace_shell::Span;

use crate::world::STEPS;
use crate::{About, Certainty, Effect, Kind, Opaque, Origin, Reason};

use super::context::Via;
use super::temporary;

/// Simple commands one text may run.
pub(super) const COMMANDS: usize = 20_000;
/// Effects one text may have.
pub(super) const EFFECTS: usize = 50_000;

/// The effects found so far, and what was spent on finding them.
#[derive(Debug, Default)]
pub(crate) struct Emitter {
    effects: Vec<Effect>,
    /// The index of each effect in the order in which it was found, again or for the first time.
    found: Vec<u32>,
    /// The hash of each effect, and its index.
    seen: HashMap<u64, u32>,
    spent: Spent,
    /// Steps that the text may cost.
    limit: usize,
    /// The first command of the text has run: later commands that only print need no entry in a policy.
    led: bool,
    exhausted: bool,
    /// Marks between which a program counted what was read.
    counted: Vec<Range<usize>>,
    /// Hashes of texts that a program of the text decoded.
    decoded: HashSet<u64>,
    /// Such a text runs.
    decoded_ran: bool,
    /// Hashes of files that programs of the text loaded as modules, with their content.
    loaded: HashSet<u64>,
    /// Scripts and settings that effects come from, by [`Via`].
    sources: Vec<String>,
}

/// The cost so far of a text and of all texts inside it.
#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    commands: usize,
    steps: usize,
    /// Effects of texts that have an emitter of their own.
    effects: usize,
    /// Bytes searched for where nested texts come from.
    searched: usize,
}

impl Emitter {
    /// An emitter for a text that may cost so many steps.
    pub(crate) fn within(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// An emitter for a text inside this one. It goes on with what is left of the limits.
    pub(crate) fn continued(&self) -> Self {
        let spent = Spent { effects: self.spent.effects + self.effects.len(), ..self.spent };
        Self { spent, ..Self::within(self.limit) }
    }

    /// The walk of a text inside this one has ended: its cost counts here.
    pub(crate) fn charge(&mut self, inner: &Self) {
        self.spent = Spent { effects: self.spent.effects + inner.effects.len(), ..inner.spent };
    }

    pub(crate) fn into_effects(self) -> Vec<Effect> {
        self.effects
    }

    /// Counts a simple command. `false`: the text is too long to be followed, and says so in its effects.
    pub(crate) fn may_run(&mut self, origin: impl FnOnce() -> Origin) -> bool {
        self.spent.commands += 1;
        if self.spent.commands > COMMANDS {
            self.exhaust(Reason::TooManyCommands, origin);
        }
        !self.exhausted
    }

    /// Counts work. `false`: the text asks for more than is done for one, and says so in its effects.
    pub(crate) fn may_spend(&mut self, steps: usize, origin: impl FnOnce() -> Origin) -> bool {
        self.spent.steps = self.spent.steps.saturating_add(steps);
        if self.spent.steps > self.limit {
            let is_short = self.limit < STEPS;
            self.exhaust(if is_short { Reason::SessionTooMuchWork } else { Reason::TooMuchWork }, origin);
        }
        !self.exhausted
    }

    /// Returns whether no program of the text has loaded this file with this content yet: programs load each other in
    /// circles.
    pub(crate) fn may_load(&mut self, path: &str, text: &str) -> bool {
        self.loaded.insert(hash_of(&(path, text)))
    }

    /// Counts bytes that are searched. `false`: they are more than `limit`.
    pub(crate) fn may_search(&mut self, bytes: usize, limit: usize) -> bool {
        self.spent.searched = self.spent.searched.saturating_add(bytes);
        self.spent.searched <= limit
    }

    pub(crate) fn steps(&self) -> usize {
        self.spent.steps
    }

    fn exhaust(&mut self, reason: Reason, origin: impl FnOnce() -> Origin) {
        if !self.exhausted {
            self.exhausted = true;
            self.effects.push(Effect { origin: origin(), ..opaque(About::Anything, reason, &[]) });
        }
    }

    /// A command runs in the text itself. `true`: it is the first one.
    pub(crate) fn lead(&mut self) -> bool {
        !std::mem::replace(&mut self.led, true)
    }

    /// A name for where effects come from.
    pub(crate) fn source(&mut self, name: String) -> Option<Via> {
        let index = u32::try_from(self.sources.len()).ok()?;
        self.sources.push(name);
        Some(Via(index))
    }

    /// `source`, or else `via`, as effects have it.
    pub(crate) fn via(&self, source: Option<Via>, via: &'static str) -> Cow<'static, str> {
        let source = source.and_then(|Via(index)| self.sources.get(index as usize));
        source.map_or(Cow::Borrowed(via), |source| Cow::Owned(source.clone()))
    }

    /// Adds an effect unless there are too many, and returns its index.
    pub(crate) fn emit(&mut self, effect: Effect) -> Option<u32> {
        if self.spent.effects + self.effects.len() >= EFFECTS {
            self.exhaust(Reason::TooManyEffects, || effect.origin);
            return None;
        }
        self.add(effect)
    }

    /// Adds an effect, or merges it into an equal one, and returns its index. Different effects with one hash are both kept.
    pub(crate) fn add(&mut self, effect: Effect) -> Option<u32> {
        let effect = temporary::generalised(effect);
        let hash = hash_of(&effect);
        let known = self.seen.get(&hash).copied();
        if let Some(index) = known
            && let Some(known) = self.effects.get_mut(index as usize).filter(|known| **known == effect)
        {
            merge(known, &effect);
            self.found.push(index);
            return Some(index);
        }
        let index = u32::try_from(self.effects.len()).ok();
        self.found.extend(index);
        if let Some(index) = index.filter(|_| known.is_none()) {
            self.seen.insert(hash, index);
        }
        self.effects.push(effect);
        index
    }

    /// The number of effects that were found so far, repetitions included.
    pub(crate) fn mark(&self) -> usize {
        self.found.len()
    }

    /// The effects that were found since `mark`.
    pub(crate) fn since(&self, mark: usize) -> impl Iterator<Item = &Effect> {
        self.between(mark..self.mark())
    }

    /// A program decoded this text.
    pub(crate) fn remember_decoded(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.decoded.insert(hash_of(text.trim()));
        }
    }

    /// The effects that were found from one mark to another.
    pub(super) fn between(&self, range: Range<usize>) -> impl Iterator<Item = &Effect> {
        let indices = self.found.get(range).unwrap_or_default();
        indices.iter().filter_map(|index| self.effects.get(*index as usize))
    }

    /// A program counted what was read between two marks, and passed nothing of it on.
    pub(super) fn counts(&mut self, range: Range<usize>) {
        let at = self.counted.partition_point(|counted| counted.end <= range.end);
        self.counted.insert(at, range);
    }

    /// The parts between two marks of which something was passed on.
    pub(super) fn passed_on(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut at = range.start;
        // They are sorted by their ends.
        let from = self.counted.partition_point(|counted| counted.end <= range.start);
        let near = self.counted.get(from..).unwrap_or_default();
        let inside = near.iter().filter(|counted| counted.start < range.end);
        let mut inside: Vec<&Range<usize>> = inside.collect();
        inside.sort_by_key(|counted| counted.start);
        for counted in inside {
            if counted.start > at {
                parts.push(at..counted.start);
            }
            at = at.max(counted.end);
        }
        if at < range.end {
            parts.push(at..range.end);
        }
        parts
    }

    /// Changes where effects come from that were found from one mark to another.
    pub(super) fn change(&mut self, range: Range<usize>, change: impl Fn(&mut Effect)) {
        for index in self.found.get(range).unwrap_or_default() {
            if let Some(effect) = self.effects.get_mut(*index as usize) {
                change(effect);
            }
        }
    }

    /// A program of the text decoded something, and nothing is known to have run it yet.
    pub(crate) fn awaits_decoded(&self) -> bool {
        !self.decoded_ran && !self.decoded.is_empty()
    }

    /// What was decoded runs, and that is said.
    pub(crate) fn ran_decoded(&mut self) {
        self.decoded_ran = true;
    }

    /// A program of the text decoded this.
    pub(crate) fn was_decoded(&self, text: &str) -> bool {
        !self.decoded.is_empty() && self.decoded.contains(&hash_of(text.trim()))
    }

    /// The place of the first command in the chain that caused the effect at `index`.
    pub(crate) fn cause(&self, index: u32) -> Option<Span> {
        let mut effect = self.effects.get(index as usize)?;
        // Causes come before what they cause.
        while let Some(parent) = effect.origin.parent.and_then(|parent| self.effects.get(parent as usize)) {
            effect = parent;
        }
        effect.origin.span
    }

    /// The effect at `index` happened outside of the workspace.
    pub(crate) fn mark_elsewhere(&mut self, index: u32) {
        if let Some(effect) = self.effects.get_mut(index as usize) {
            effect.origin.elsewhere = true;
        }
    }
}

fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// An effect that is found again counts as found in each of its contexts.
fn merge(known: &mut Effect, again: &Effect) {
    known.origin.ran |= again.origin.ran;
    known.origin.told |= again.origin.told;
    known.origin.detached |= again.origin.detached;
    known.origin.elsewhere |= again.origin.elsewhere;
    known.origin.shadowed |= again.origin.shadowed;
    known.origin.named &= again.origin.named;
    known.origin.sent |= again.origin.sent;
    known.origin.stored |= again.origin.stored;
    if let (Kind::Opaque(known), Kind::Opaque(again)) = (&mut known.kind, &again.kind) {
        known.class = known.class.max(again.class);
    }
}

pub(crate) fn opaque(about: About, reason: Reason, vouched_by: &[&str]) -> Effect {
    let vouched_by = vouched_by.iter().map(|word| (*word).to_owned()).collect();
    Effect::new(Kind::Opaque(Opaque::new(about, reason, vouched_by)), Certainty::Possible, "command")
}
