//! The work that names of checks may cost.

use std::cell::Cell;

/// Steps that all names of one run may cost: about one for a letter that is written or compared.
const STEPS: usize = 6_000_000;

/// The work that is left.
#[derive(Debug)]
pub(crate) struct Work(Cell<usize>);

/// No work is left, so that names are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spent;

impl Work {
    pub(crate) fn new() -> Self {
        Self(Cell::new(STEPS))
    }

    pub(crate) fn spend(&self, steps: usize) -> Result<(), Spent> {
        let left = self.0.get().checked_sub(steps);
        self.0.set(left.unwrap_or(0));
        left.map(drop).ok_or(Spent)
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

impl Spent {
    pub(super) fn reason() -> String {
        "the names of jobs are too many or too long to be compared".to_owned()
    }
}
