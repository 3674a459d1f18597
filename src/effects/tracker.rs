//! Walks a session in order and turns each call into effects.

use crate::model::{Event, Session};

use super::{Effect, World};

/// The one way from calls to effects.
#[derive(Debug)]
pub(crate) struct Tracker {
    world: World,
}

impl Tracker {
    pub(crate) fn new(session: &Session<'_>) -> Self {
        Self { world: World::new(session.root.as_deref()) }
    }

    /// Effects of one event; empty for events that do nothing. Call it for every event, in order.
    pub(crate) fn effects(&mut self, event: &Event<'_>) -> Vec<Effect> {
        let _ = (event, &self.world);
        Vec::new()
    }
}
