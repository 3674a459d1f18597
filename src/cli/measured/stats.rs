//! `stats`: what sessions add up to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use clap::Args;

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::pipeline::Inputs;
use super::{Measured, MeasuredArgs, totals};
use agent_strace_ingest::discover::Selection;
use agent_strace_metrics::{Pricing, Profile};
use agent_strace_policy::prices::shipped;
use agent_strace_report::Tree;

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
        totals(inputs, pricing, environment)?
    } else {
        Measured { profiles: Vec::new(), gaps: Vec::new(), left_out: 0 }
    };
    let mut gaps = [measured.gaps.as_slice(), around.gaps.as_slice()].concat();
    gaps.sort();
    gaps.dedup();
    let whole = Measured { gaps, ..measured };
    let trees = trees(&whole.profiles, &around.profiles, args.include_subagents);
    output::print(streams.stdout, &agent_strace_report::stats(&trees, args.measured.form(&whole.gaps, environment)))?;
    Ok(whole.concluded(streams))
}

/// One tree for each session that was asked for; with sub-agents none for one that stands in the tree of another.
fn trees<'a>(asked: &'a [Profile], around: &'a [Profile], include_subagents: bool) -> Vec<Tree<'a>> {
    if !include_subagents {
        return asked.iter().map(|root| Tree { root, below: Vec::new() }).collect();
    }
    let mut known = BTreeSet::new();
    let mut children: BTreeMap<&str, Vec<&Profile>> = BTreeMap::new();
    for profile in asked.iter().chain(around).filter(|profile| known.insert(key(profile))) {
        if let Some(parent) = profile.parent.as_deref().filter(|parent| *parent != profile.id) {
            children.entry(parent).or_default().push(profile);
        }
    }
    let mut reached = BTreeSet::new();
    for root in asked {
        below(root, &children, &mut reached);
    }
    let (inside, tops): (Vec<_>, Vec<_>) = asked.iter().enumerate().partition(|(_, root)| reached.contains(&key(root)));
    let mut shown = BTreeSet::new();
    let mut trees = Vec::new();
    // Sessions that name each other as their parents have none at the top: then the first of them stands there.
    for (index, root) in tops.into_iter().chain(inside) {
        if shown.insert(key(root)) {
            trees.push((index, Tree { root, below: below(root, &children, &mut shown) }));
        }
    }
    trees.sort_by_key(|(index, _)| *index);
    trees.into_iter().map(|(_, tree)| tree).collect()
}

/// The session and the log it was read from: two logs may hold sessions of one name.
fn key(profile: &Profile) -> Key<'_> {
    (&profile.id, &profile.source)
}

type Key<'a> = (&'a str, &'a str);

/// Sessions that a session started, and those that these started, as far as they were not seen yet.
fn below<'a>(
    root: &Profile,
    children: &BTreeMap<&str, Vec<&'a Profile>>,
    seen: &mut BTreeSet<Key<'a>>,
) -> Vec<&'a Profile> {
    let mut found: Vec<&Profile> = Vec::new();
    let mut above = vec![root];
    while let Some(parent) = above.pop() {
        for child in children.get(&*parent.id).into_iter().flatten().copied() {
            if seen.insert(key(child)) {
                found.push(child);
                above.push(child);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Profile, trees};
    use agent_strace_metrics::{Measured, Pricing};
    use agent_strace_model::{Dialect, Session};
    use agent_strace_policy::prices::shipped;

    static DIALECT: Dialect = Dialect::new("test", "test");

    /// `a of b`: the session and its parent.
    fn profiles(told: &str) -> Vec<Profile> {
        let all = told.split(", ").filter(|told| !told.is_empty()).map(|told| {
            let (id, parent) = told.split_once(" of ").map_or((told, None), |(id, parent)| (id, Some(parent)));
            let mut session = Session::new(&DIALECT, &format!("{told}.jsonl"));
            (session.id, session.parent) = (id.into(), parent.map(Into::into));
            Measured::new(&session, Vec::new(), Pricing::Table(shipped())).into_profile()
        });
        all.collect()
    }

    #[test]
    fn every_session_stands_in_one_tree() {
        for (asked, around, wanted) in [
            ("a, b of a, c of b", "", "a(b c)"),
            ("c of b, b of a, a", "", "a(b c)"),
            ("b of a", "a, c of b", "b(c)"),
            ("a of a, b of a", "", "a(b)"),
            ("a of b, b of a", "", "a(b)"),
            ("x, a of c, b of a, c of b", "", "x() a(b c)"),
            ("a of b", "b of a, a of b", "a(b)"),
            ("b of nobody, a", "", "b() a()"),
            // Two logs of one session, and a third session that names it.
            ("a, a of z, b of a", "", "a(b) a()"),
        ] {
            let (asked, around) = (profiles(asked), profiles(around));
            let trees = trees(&asked, &around, true);
            let shown = trees.iter().map(|tree| {
                let below: Vec<&str> = tree.below.iter().map(|profile| profile.id.as_str()).collect();
                format!("{}({})", tree.root.id, below.join(" "))
            });
            assert_eq!(shown.collect::<Vec<_>>().join(" "), wanted);
        }
    }
}
