//! What the sessions of a page cost, as they grew.

use std::collections::VecDeque;

use serde::Serialize;

use super::Page;
use super::close::CloseUp;
use super::rows::{Of, Row};
use crate::escape::{shorten, terminal};
use crate::measured::price;
use agent_strace_metrics::{Basis, Charge, Cost};
use agent_strace_secrets::redact;

/// Reasons that are told, and the longest.
const REASONS: usize = 5;
const LONGEST: usize = 200;

/// What all of it cost.
#[derive(Debug, Serialize)]
pub(super) struct Spent {
    /// `$0.0042`, `more than $0.0042` or `not known`.
    pub(super) all: String,
    /// `recorded`, `estimated` or `incomplete`.
    pub(super) basis: &'static str,
    /// Why it is incomplete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) why: Vec<String>,
    /// A part of it that no event tells of.
    #[serde(skip_serializing_if = "Option::is_none")]
    beyond: Option<String>,
}

/// A sum that grows row by row.
pub(super) struct Running {
    /// What is still to come, by session of the page.
    charges: Vec<VecDeque<Charge>>,
    so_far: Cost,
    all: Cost,
    told: Option<String>,
}

impl Running {
    pub(super) fn new(page: &Page<'_>) -> Self {
        let closes: Vec<Option<&CloseUp>> = page.closes().collect();
        let charges = closes.iter().map(|close| close.iter().flat_map(|close| close.charges.iter().copied()).collect());
        let charges = charges.collect();
        Self { charges, so_far: Cost::sum([]), all: total(page), told: None }
    }

    /// What was spent up to this row, where that is not what was told before.
    pub(super) fn at(&mut self, row: &Row<'_>) -> Option<String> {
        let Of::Event(_, line) = row.of else { return None };
        let charges = self.charges.get_mut(row.session)?;
        while let Some(charge) = charges.pop_front_if(|charge| charge.event <= line.number) {
            self.so_far.amount = self.so_far.amount.saturating_add(charge.amount);
            self.so_far.basis = self.so_far.basis.max(charge.basis);
        }
        let told = Some(price(&self.so_far));
        if told == self.told {
            return None;
        }
        self.told = told;
        self.told.clone()
    }

    pub(super) fn spent(self) -> Spent {
        let beyond = self.all.amount.saturating_sub(self.so_far.amount);
        let beyond = (beyond > 0).then(|| price(&Cost { amount: beyond, basis: Basis::Recorded, ..Cost::sum([]) }));
        Spent { beyond, ..spent(&self.all) }
    }
}

/// Of all sessions of a page together. What is not known of one is not known of all.
pub(super) fn total(page: &Page<'_>) -> Cost {
    Cost::sum(page.closes().flatten().map(|close| &close.cost))
}

pub(super) fn spent(all: &Cost) -> Spent {
    let why = all.why.iter().take(REASONS).map(|why| terminal(&shorten(redact(why.to_string()).as_str(), LONGEST)));
    Spent { all: price(all), basis: all.basis.name(), why: why.collect(), beyond: None }
}
