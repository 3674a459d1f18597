//! A tool call → what it did to files, processes and the network, and how sure we are.
//!
//! [`Tracker`] walks a session in order and keeps what later calls depend on: the working directory, names made by
//! `ln -s`, `cp` and `mv`, scripts written before they are run. Every command that gives an opinion gets its effects
//! here, so there is no second opinion anywhere.
//!
//! Rules that keep verdicts consistent: a call yields a *set* of effects; `&&`, `||` and `if` do not remove effects;
//! provable data (quoted heredocs to a non-interpreter, search patterns, commit messages, comments) yields none;
//! what can't be resolved is a pattern or [`Kind::Opaque`], never nothing.

use std::sync::Arc;

mod causes;
mod command;
mod edited;
mod effect;
mod glob;
mod hosts;
mod patch;
mod paths;
mod tools;
mod tracker;
mod world;

pub(crate) use causes::causes;
pub(crate) use command::knowledge;
pub(crate) use effect::*;
pub(crate) use paths::fold_for_deny;
pub(crate) use tracker::{Links, Tracker};
pub(crate) use world::World;

/// Effects of a command by itself, in a repository of its own.
pub(crate) fn of_command(text: &str, programs: &Arc<knowledge::Knowledge>) -> Vec<Effect> {
    command::run(text, &mut World::new(Some("/repo")).with_knowledge(programs))
}

#[cfg(test)]
mod tests;
