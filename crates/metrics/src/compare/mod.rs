//! Sessions beside each other: two of them, or those of now beside those of before. Everything is counted by
//! [`Profile`](crate::Profile); nothing here reads a log.

mod distance;
mod drift;
mod pair;
mod phases;

pub use drift::{Dimension, Drift, Fingerprint, LEAST, Summary, drift};
pub use pair::{Better, Pair};
pub use phases::{Aligned, Difference, align};

#[cfg(test)]
mod tests;
