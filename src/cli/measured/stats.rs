//! `stats`: what sessions add up to.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::pipeline::Inputs;
use super::{Measured, MeasuredArgs, measure};
use crate::ingest::discover::Selection;
use crate::measures::{Pricing, Profile};
use crate::policy::prices::shipped;
use crate::report::{self, Tree};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace stats                          the latest session in the store
  agent-strace stats abc123 --format json
  agent-strace stats --include-subagents      with the sessions that it started, over all levels
  agent-strace stats --all

Sub-agents whose work stands in the log of a session always count for it. Numbers are those that
budgets, evals and comparisons are judged by.";

#[derive(Debug, Args)]
pub(in crate::cli) struct StatsArgs {
    #[command(flatten)]
    measured: MeasuredArgs,

    /// Add up what the sessions did that a session started, over all levels.
    #[arg(long)]
    include_subagents: bool,
}

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &StatsArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let pricing = Pricing::Table(shipped());
    let measured = args.measured.measure(trace_dir, pricing, environment, streams)?;
    let around = if args.include_subagents && !measured.profiles.is_empty() {
        let inputs = Inputs::select(trace_dir, &[], Selection::All, environment, streams.stdin)?;
        measure(inputs, pricing, environment)?
    } else {
        Measured { profiles: Vec::new(), gaps: Vec::new(), left_out: 0 }
    };
    let mut gaps = [measured.gaps.as_slice(), around.gaps.as_slice()].concat();
    gaps.sort();
    gaps.dedup();
    let whole = Measured { gaps, ..measured };
    let trees = trees(&whole.profiles, &around.profiles, args.include_subagents);
    output::print(streams.stdout, &report::stats(&trees, args.measured.form(&whole.gaps, environment)))?;
    Ok(whole.concluded(streams))
}

/// One tree for each session that was asked for; with sub-agents none for one that stands in the tree of another.
fn trees<'a>(asked: &'a [Profile], around: &'a [Profile], include_subagents: bool) -> Vec<Tree<'a>> {
    if !include_subagents {
        return asked.iter().map(|root| Tree { root, below: Vec::new() }).collect();
    }
    let mut known = BTreeSet::new();
    let pool: Vec<&Profile> = asked.iter().chain(around).filter(|profile| known.insert(key(profile))).collect();
    let trees: Vec<Tree<'_>> = asked.iter().map(|root| Tree { root, below: below(root, &pool) }).collect();
    let inside: BTreeSet<_> = trees.iter().flat_map(|tree| &tree.below).map(|profile| key(profile)).collect();
    trees.into_iter().filter(|tree| !inside.contains(&key(tree.root))).collect()
}

/// The session and the log it was read from: two logs may hold sessions of one name.
fn key(profile: &Profile) -> (&str, &str) {
    (&profile.id, &profile.source)
}

/// Sessions that a session started, and those that these started. A log may name itself as its own parent.
fn below<'a>(root: &'a Profile, pool: &[&'a Profile]) -> Vec<&'a Profile> {
    let mut seen = BTreeSet::from([key(root)]);
    let mut found: Vec<&Profile> = Vec::new();
    let mut above = vec![root];
    while let Some(parent) = above.pop() {
        for child in pool.iter().filter(|child| child.parent.as_deref() == Some(&parent.id)) {
            if seen.insert(key(child)) {
                found.push(child);
                above.push(child);
            }
        }
    }
    found
}
