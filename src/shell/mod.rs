//! Shell text → what it would run: a real grammar and constant propagation, no policy knowledge.
//!
//! [`parse_at()`] turns text into our own small syntax tree. [`Scope`] holds what is known about variables, functions and
//! positional parameters and expands words into [`Field`]s.
//! Whatever can't be understood is a [`Problem`] or an unknown field, never nothing.

mod ast;
mod expand;
mod parse;
mod scope;
mod span;
#[cfg(test)]
pub(crate) mod tests;
mod value;

pub(crate) use ast::*;
pub(crate) use expand::{
    BYTES_A_STEP, Field, Knowledge, Printed, Runner, assign, evaluate, expand_text, expand_value, expand_word, joined,
};
#[cfg(test)]
pub(crate) use parse::parse;
pub(crate) use parse::parse_at;
pub(crate) use scope::Scope;
pub(crate) use span::{Home, Span};
pub(crate) use value::{Piece, Value};
