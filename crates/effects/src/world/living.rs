//! Shells that may live on from one call to the next: texts that left definitions for later ones.

use std::sync::Arc;

/// Every later call replays the texts, so they may not cost much together. A session has few of them.
const MOST_TEXTS: usize = 32;
const MOST_BYTES: usize = 16 * 1024;
const MOST_STEPS: usize = 4 * 1024;

/// The shell of a call, as far as earlier calls matter to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct LivingShell {
    /// Texts that defined functions or set positional parameters, in order.
    texts: Arc<Vec<Arc<str>>>,
    bytes: usize,
    steps: usize,
    full: bool,
}

impl LivingShell {
    pub(crate) fn texts(&self) -> Arc<Vec<Arc<str>>> {
        Arc::clone(&self.texts)
    }

    /// There were more definitions than are kept.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// Keeps a text that cost `steps`.
    pub(crate) fn keep(&mut self, text: &str, steps: usize) {
        if let Some(at) = self.texts.iter().position(|known| **known == *text) {
            // What is defined again counts from here on.
            let texts = Arc::make_mut(&mut self.texts);
            let again = texts.remove(at);
            texts.push(again);
            return;
        }
        let (bytes, steps) = (self.bytes.saturating_add(text.len()), self.steps.saturating_add(steps));
        if self.texts.len() == MOST_TEXTS || bytes > MOST_BYTES || steps > MOST_STEPS {
            self.full = true;
            return;
        }
        (self.bytes, self.steps) = (bytes, steps);
        Arc::make_mut(&mut self.texts).push(text.into());
    }
}
