//! The grammar and the expansion, as tables.

mod bombs;
mod differential;
mod expansion;
mod grammar;
mod render;
