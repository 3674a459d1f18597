//! Shells that may live on from one call to the next: texts that left definitions for later ones.

use std::sync::Arc;

/// A session has few of them.
const MOST_TEXTS: usize = 32;
const MOST_BYTES: usize = 256 * 1024;

/// The shell of a call, as far as earlier calls matter to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct LivingShell {
    /// Texts that defined functions or set positional parameters, in order.
    texts: Arc<Vec<Arc<str>>>,
    bytes: usize,
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

    pub(crate) fn keep(&mut self, text: &str) {
        if self.texts.iter().any(|known| **known == *text) {
            return;
        }
        if self.texts.len() == MOST_TEXTS || self.bytes + text.len() > MOST_BYTES {
            self.full = true;
            return;
        }
        self.bytes += text.len();
        Arc::make_mut(&mut self.texts).push(text.into());
    }
}
