//! Sessions looked at closely: what each event says in full, what it did, and what was spent at it.

use crate::effects::{Ruling, known};
use crate::view::ShownEffect;
use agent_strace_engine::Entry;
use agent_strace_metrics::{Charge, Cost};
use agent_strace_model::finding::EffectView;
use agent_strace_session_view::events::Full;

/// Bytes of one event's text that a page shows.
pub(super) const SHOWN: usize = 16 << 10;
/// Bytes that are read beyond these: a secret that is cut off could not be told any more, so the end is never shown.
pub(super) const BEYOND: usize = 8 << 10;
/// Bytes of one event's text that a page needs to be given.
pub const TEXT: usize = SHOWN + BEYOND;
/// Effects of one event that are shown one by one; of the others only the kinds are.
const EFFECTS: usize = 40;

/// One session.
#[derive(Debug)]
pub struct CloseUp {
    /// In the order of its lines.
    pub events: Vec<CloseEvent>,
    pub charges: Vec<Charge>,
    pub cost: Cost,
    /// What its log says of who ran it and where: raw log text.
    pub who: Vec<(&'static str, Vec<String>)>,
}

/// One event.
#[derive(Debug, Default)]
pub struct CloseEvent {
    /// Raw log text.
    pub(super) text: Option<Full>,
    pub(super) acts: Vec<Act>,
    /// Kinds of all that it did.
    pub(super) kinds: Vec<&'static str>,
    /// How many acts are not among `acts`.
    pub(super) more: usize,
}

/// One effect, and what the policy says of it where one judged.
#[derive(Debug)]
pub(super) struct Act {
    pub(super) effect: ShownEffect,
    pub(super) ruling: Option<Ruling>,
}

impl CloseEvent {
    pub fn new(text: Option<Full>, acts: Vec<(EffectView, Option<&Entry>)>) -> Self {
        let mut kinds: Vec<&'static str> = acts.iter().map(|(effect, _)| effect.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let more = acts.len().saturating_sub(EFFECTS);
        let secrets = known(text.as_ref().map(|full| full.text.as_str()), acts.iter().map(|(effect, _)| effect));
        let acts = acts.into_iter().take(EFFECTS).map(|(effect, entry)| Act {
            effect: ShownEffect::new(effect, &secrets),
            ruling: entry.map(|entry| Ruling::new(entry, &secrets)),
        });
        Self { text, acts: acts.collect(), kinds, more }
    }
}
