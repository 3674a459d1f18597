//! `$1` and up, and how a script shifts them.

use std::sync::Arc;

use super::Scope;
use crate::Value;

/// Positional parameters. Copies share them, and `shift` leaves them where they are.
#[derive(Debug, Clone, Default)]
pub struct Positional {
    values: Arc<Vec<Value>>,
    /// The number of those that were shifted away.
    shifted: usize,
}

impl Positional {
    fn new(values: Vec<Value>) -> Self {
        Self { values: Arc::new(values), shifted: 0 }
    }

    pub(super) fn unknown() -> Self {
        Self::new(vec![Value::unknown()])
    }

    pub(super) fn len(&self) -> usize {
        self.left().len()
    }

    fn left(&self) -> &[Value] {
        self.values.get(self.shifted..).unwrap_or_default()
    }

    /// They were not set or shifted since one was copied from the other.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values, &other.values) && self.shifted == other.shifted
    }
}

impl PartialEq for Positional {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.left() == other.left()
    }
}

impl Scope {
    /// `$1` and up.
    pub fn set_positional(&mut self, values: impl IntoIterator<Item = Value>) {
        self.positional = Positional::new(values.into_iter().collect());
    }

    pub fn positional(&self) -> Positional {
        self.positional.clone()
    }

    pub fn restore_positional(&mut self, before: Positional) {
        self.positional = before;
    }

    pub fn parameters(&self) -> &[Value] {
        self.positional.left()
    }

    /// `shift count`; `None` is not known.
    pub fn shift(&mut self, count: Option<usize>) {
        match count {
            Some(count) => self.positional.shifted += count.min(self.positional.len()),
            None => self.positional = Positional::unknown(),
        }
    }
}
