//! The grammar and the expansion, as tables.

mod bombs;
mod differential;
pub(crate) use differential::corpus_commands;
mod expansion;
mod grammar;
mod render;
