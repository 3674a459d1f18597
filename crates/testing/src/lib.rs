//! Support of this workspace's own tests. No product code depends on it.

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
