//! Counts the cost of copies and comparisons of a shell's state. The walk of a script is charged for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Content, Variable, count};

/// Elements or names that are copied or compared for one step of work.
const ITEMS_A_STEP: usize = 8;

/// Counts in all copies of one shell together.
#[derive(Debug, Clone, Default)]
pub(super) struct Work(Arc<AtomicUsize>);

impl Work {
    pub(super) fn add(&self, items: usize) {
        count(items);
        self.0.fetch_add(items, Ordering::Relaxed);
    }

    /// Whole steps; the rest is kept.
    pub(super) fn take(&self) -> usize {
        let items = self.0.load(Ordering::Relaxed);
        self.0.store(items % ITEMS_A_STEP, Ordering::Relaxed);
        items / ITEMS_A_STEP
    }

    /// A variable for its owner to change: copied, if other shells share it.
    pub(super) fn unshared<'v>(&self, shared: &'v mut Arc<Variable>) -> &'v mut Variable {
        if Arc::strong_count(shared) > 1 {
            self.add(shared.content.items());
        }
        Arc::make_mut(shared)
    }
}

impl Content {
    /// Elements and stretches of text.
    pub(super) fn items(&self) -> usize {
        match self {
            Self::Scalar(value) => value.items(),
            Self::Array(elements) => elements.iter().map(|value| 1 + value.items()).sum(),
            Self::Keyed { entries, .. } => entries.iter().map(|(_, value)| 2 + value.items()).sum(),
            Self::UnknownArray | Self::Reference(_) | Self::Unset => 1,
        }
    }
}
