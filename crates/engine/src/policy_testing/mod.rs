//! Tries a policy out: its tests, cases from files, and what its denies let through when they are disguised.
//!
//! Everything goes through the engine as a session of a few calls, so what is said here is what the gate would say.

mod advice;
mod cases;
mod explain;
mod fragile;
pub mod lint;
mod mutate;
mod proposal;
mod trial;

pub use advice::{ONLY_WIDE, advice};
pub use cases::{Case, Checked, Mismatch, Strictness, cases_of, check, inline};
pub use explain::{Explained, How, SingleEntryPolicies};
pub use fragile::{Fragility, MutantCounts, SurvivingMutant, fragility, total};
pub(crate) use mutate::examples;
pub use mutate::{FAMILIES, MutantFamily};
pub use proposal::{ProposedFor, Vouching, is_plain, list_of_commands};
pub(crate) use trial::fails;
pub(crate) use trial::tried;
pub use trial::{answer_of, refused, session};

#[cfg(test)]
mod builtin_tests;
#[cfg(test)]
mod tests;
