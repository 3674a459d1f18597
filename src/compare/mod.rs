//! Sessions beside each other: two of them, or those of now beside those of before. Everything is counted by
//! [`crate::measures`]; nothing here reads a log.

mod distance;
mod drift;
mod pair;
mod phases;

pub(crate) use drift::{Dimension, Drift, Fingerprint, LEAST, Summary, drift};
pub(crate) use pair::{Better, Pair};
pub(crate) use phases::{Aligned, Difference, align};

#[cfg(test)]
mod tests;
