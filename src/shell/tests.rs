//! The grammar and the expansion, as tables.

mod bombs;
mod expansion;
mod grammar;
mod render;
