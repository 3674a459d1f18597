//! Shell text to what it would run: a grammar and constant propagation.
//!
//! [`parse_at()`] turns text into a small syntax tree. [`Scope`] holds the known variables, functions and positional
//! parameters, and expands words into [`Field`]s. Text that cannot be understood becomes a [`Problem`] or an unknown field;
//! it is never dropped.
//!
//! This crate must not know what a program does, what a session is or what a policy says. Start with `ast`, then `parse`
//! and `expand`.

mod ast;
mod brackets;
mod expand;
mod parse;
mod problem;
mod scope;
mod span;
#[cfg(test)]
pub mod tests;
mod value;

pub use ast::*;
pub use brackets::Brackets;
pub use expand::{
    BYTES_A_STEP, Field, Knowledge, Printed, Runner, assign, evaluate, expand_text, expand_value, expand_word, joined,
};
#[cfg(test)]
pub use parse::parse;
pub use parse::parse_at;
pub use problem::Problem;
pub use scope::{Function, Scope, Ways, in_pairs, mentioned, mentioned_by};
pub use span::{Home, Span};
pub use value::{EmptyField, Fragment, Provenance, Value};
