//! Support that the tests of several crates share: logs and cases, specs, schemas, and the counting of work. No product code
//! depends on it.
//!
//! This crate must not know what the product says about a log: expectations belong in the tests that hold them. Start
//! with [`corpus`], which finds logs and cases, and [`specs`], which compares and rewrites documents.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::explicit_write,
    clippy::indexing_slicing,
    reason = "a test fails loudly"
)]

pub mod corpus;
pub mod schemas;
pub mod specs;
pub mod truth;
pub mod work;
