//! The effects of one event: its own, or those of a text that was worked out before, which all have together.

use std::ops::Deref;
use std::sync::Arc;

use super::Effect;
use super::effect::append;

/// In order.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    own: Vec<Effect>,
    /// Instead of any of its own.
    known: Option<Arc<[Effect]>>,
}

impl Effects {
    pub(super) fn known(effects: Arc<[Effect]>) -> Self {
        Self { own: Vec::new(), known: Some(effects) }
    }

    /// Those that others have, too: while somebody has them, no others stand at their address in memory.
    pub fn shared(&self) -> Option<&Arc<[Effect]>> {
        self.known.as_ref()
    }

    /// The same, wherever they come from.
    pub fn are(&self, other: &Self) -> bool {
        match (&self.known, &other.known) {
            (Some(one), Some(other)) if Arc::ptr_eq(one, other) => true,
            _ => **self == **other,
        }
    }

    /// To be changed: what was shared is copied.
    pub(super) fn to_mut(&mut self) -> &mut Vec<Effect> {
        if let Some(known) = self.known.take() {
            self.own = known.to_vec();
        }
        &mut self.own
    }

    pub(crate) fn into_vec(mut self) -> Vec<Effect> {
        std::mem::take(self.to_mut())
    }

    /// Adds those of one more part of the call.
    pub(super) fn append(&mut self, more: Self) {
        if self.is_empty() {
            *self = more;
        } else {
            append(self.to_mut(), more.into_vec());
        }
    }
}

impl Deref for Effects {
    type Target = [Effect];

    fn deref(&self) -> &[Effect] {
        self.known.as_deref().unwrap_or(&self.own)
    }
}

impl From<Vec<Effect>> for Effects {
    fn from(own: Vec<Effect>) -> Self {
        Self { own, known: None }
    }
}
