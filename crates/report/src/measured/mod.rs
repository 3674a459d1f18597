//! `cost`, `token-budget` and `stats`: the numbers of sessions for people, and as JSON. Version 1, additive changes only.

mod amount;
mod cost;
mod explain;
mod stats;
mod token_budget;

pub(super) use amount::{dollars, grouped, price, span};
pub use cost::cost;
pub use explain::{Explained, explain};
pub(super) use explain::{clock, times};
pub use stats::{Tree, stats};
pub use token_budget::{Ceiling, TokenBudget, token_budget};

use serde::Serialize;

use super::escape::{shorten, terminal};
use super::gaps::{Missing, missing};
use super::tree::Glyphs;
use agent_strace_model::{Gap, Usage};
use agent_strace_secrets::redact;

/// How numbers are written.
#[derive(Debug, Clone, Copy)]
pub enum Form<'a> {
    Text(Glyphs),
    /// With everything that could not be read.
    Json(&'a [Gap]),
}

/// One piece of a log on one line of a terminal.
pub(super) fn shown(text: &str, most: usize) -> String {
    terminal(&shorten(redact(text).as_str(), most))
}

/// The same inside of JSON.
pub(super) fn told(text: &str) -> String {
    redact(text).as_str().to_owned()
}

fn dash(glyphs: Glyphs) -> &'static str {
    match glyphs {
        Glyphs::Unicode => "—",
        Glyphs::Ascii => "-",
    }
}

fn arrow(glyphs: Glyphs) -> &'static str {
    match glyphs {
        Glyphs::Unicode => "←",
        Glyphs::Ascii => "<-",
    }
}

/// Tokens as providers report them.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Tokens {
    requests: u64,
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    /// Part of `cache_write`: kept for an hour, which costs more.
    cache_write_1h: u64,
    /// Part of `output`, where the log says so.
    reasoning: u64,
    /// It was more: some of it the log does not tell, or tells in a way that can't be read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
}

impl Tokens {
    fn of(usage: &Usage) -> Self {
        let Usage { requests, input, output, cache_read, cache_write, cache_write_1h, reasoning, searches: _, partial } =
            *usage;
        Self { requests, input, output, cache_read, cache_write, cache_write_1h, reasoning, partial }
    }
}

#[cfg(test)]
mod tests {

    #[test]
    fn the_schemas_are_those_of_the_types() {
        agent_strace_testing::schemas::keep(
            "cost.v1",
            &agent_strace_testing::schemas::written::<super::cost::Document>(),
        );
        agent_strace_testing::schemas::keep(
            "token-budget.v1",
            &agent_strace_testing::schemas::written::<super::token_budget::Document>(),
        );
        agent_strace_testing::schemas::keep(
            "explain.v1",
            &agent_strace_testing::schemas::written::<super::explain::Document>(),
        );
        agent_strace_testing::schemas::keep(
            "stats.v1",
            &agent_strace_testing::schemas::written::<super::stats::Document>(),
        );
    }
}
