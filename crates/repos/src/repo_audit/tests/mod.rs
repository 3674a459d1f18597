//! Specs of rules about repositories, and repositories that are made of the examples of all tables.

mod planted;
mod specs;
mod world;
