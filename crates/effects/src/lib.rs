//! A tool call → what it did to files, processes and the network, and how sure we are.
//!
//! [`Tracker`] walks a session in order and keeps what later calls depend on: the working directory, names made by
//! `ln -s`, `cp` and `mv`, scripts written before they are run. Every command that gives an opinion gets its effects
//! here, so there is no second opinion anywhere.
//!
//! Rules that keep verdicts consistent: a call yields a *set* of effects; `&&`, `||` and `if` do not remove effects;
//! provable data (quoted heredocs to a non-interpreter, search patterns, commit messages, comments) yields none;
//! what can't be resolved is a pattern or [`Kind::Opaque`], never nothing.
//!
//! This crate must not know policies, rules or reports: it says what a call did, not whether it may. Start with
//! [`Tracker`], then `command` for shell calls and `tools` for all others. What a program or a tool means is data: see
//! `command/knowledge/*.json` and `tools/*.json`.
//!
//! Bash itself is the referee: a test runs some four thousand texts in a jail under strace and compares what the kernel
//! saw with what is said here. One run, on Debian 12; `not covered / seen`, where a text that is opaque covers all:
//!
//! | texts | how many | opaque | reads | writes | deletes | connects | executes | said to write / wrote nothing |
//! |---|---|---|---|---|---|---|---|---|
//! | ours, everyday | 169 | 5.9 % | 0 / 180 | 0 / 157 | 0 / 47 | 0 / 0 | 0 / 191 | 1 / 73 |
//! | ours, fifteen families of disguises | 2633 | 12.5 % | 1 / 2816 | 0 / 3661 | 0 / 1648 | 0 / 223 | 0 / 3261 | not judged |
//! | agents' own, from real logs | 1193 | 14.2 % | 1 / 1280 | 0 / 98 | 0 / 7 | 0 / 43 | 0 / 1205 | 7 / 470 |
//!
//! Four texts of ours are known gaps, listed with their reasons in the test, and counted in no row. What a disguise
//! hides would be written, were its branch taken, so those are not judged for saying too much. Half of the real commands
//! did not end well in a workspace that is not theirs, so their rows say less than their numbers. What is opaque among
//! them is mostly a project's own programs, builds and scripts.

use std::sync::Arc;

mod causes;
mod command;
mod edited;
mod effect;
mod glob;
mod hosts;
mod jobs;
mod list;
pub mod literals;
mod lru_cache;
mod memo;
mod opaque;
pub mod patch;
mod paths;
mod regex;
mod roots;
mod settle;
mod tools;
mod tracker;
mod world;

pub use agent_strace_shell::{Brackets, Provenance};
pub use causes::causes;
pub use command::{CalledRecipes, RecipeFiles, knowledge};
pub use effect::*;
pub use hosts::canonical_host;
pub use list::Effects;
pub use lru_cache::LruCache;
pub use memo::Memo;
pub use opaque::{About, Class, Opaque, Reason};
pub use paths::{escaped, fold_for_deny};
pub use roots::{Guarded, Moved, Places, Repository, Roots, Standing};
pub use settle::{
    Approval, Contents, Denied, DeniedLines, ExistingFile, Look, LookedAt, Proof, ReadPolicy, Results, Sight, Sighted,
    TrackedSearch, Trust, WorkTree,
};
pub use tools::touches_nothing;
pub use tracker::{Links, Tracker};
pub use world::{Left, World, is_idle_variable};

/// Effects of a command by itself, in a repository of its own.
pub fn of_command(text: &str, programs: &Arc<knowledge::Knowledge>) -> Vec<Effect> {
    command::run(text, &mut World::new(Some("/repo")).with_knowledge(programs)).into_vec()
}

#[cfg(test)]
mod tests;
