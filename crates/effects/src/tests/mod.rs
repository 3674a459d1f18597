//! Tests of what the whole crate says, and of the parts that have no commands in them.

mod hosts;
mod paths;
mod properties;
mod tracker;
mod world;
