//! `policy builtins`: the lists that entries of a policy name by `builtin:NAME`.

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::failure::Failure;
use super::super::output;
use agent_strace_policy::builtin::{BUILTIN, BuiltinList, builtin, builtins};
use agent_strace_policy::nearest;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace policy builtins                           all lists, with one line each
  agent-strace policy builtins viewers secrets           their entries

A policy of version 2 names a list in the place of its entries: \"commands\": { \"allow\":
[\"builtin:viewers\"] }. The lists belong to the version of agent-strace that judges.";

#[derive(Debug, Args)]
pub(in crate::cli) struct BuiltinsArgs {
    /// Lists whose entries are shown, with or without `builtin:` [default: one line for each list].
    #[arg(value_name = "NAME")]
    pub(in crate::cli) names: Vec<String>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: PlainFormat,
}

pub(super) fn run(args: &BuiltinsArgs, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let lists = wanted(&args.names)?;
    let text = match args.format {
        PlainFormat::Json => json_text(&lists),
        PlainFormat::Text if args.names.is_empty() => summary(&lists),
        PlainFormat::Text => lists.iter().map(|list| entries(list)).collect::<Vec<_>>().join("\n"),
    };
    output::print(streams.stdout, &text)?;
    Ok(0)
}

fn wanted(names: &[String]) -> Result<Vec<&'static BuiltinList>, Failure> {
    if names.is_empty() {
        return Ok(builtins().collect());
    }
    let find = |name: &String| {
        let bare = name.strip_prefix(BUILTIN).unwrap_or(name);
        builtin(bare).ok_or_else(|| {
            let known: Vec<&str> = builtins().map(|list| list.name.as_str()).collect();
            let failure = Failure::new(format!("there is no built-in list `{}`", agent_strace_report::terminal(bare)));
            match nearest(bare, &known) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure.hint("`agent-strace policy builtins` shows all of them"),
            }
        })
    };
    names.iter().map(find).collect()
}

/// One line for each, those that may stand in the same places together.
fn summary(lists: &[&BuiltinList]) -> String {
    let mut lists = lists.to_vec();
    lists.sort_by_key(|list| (list.holds, list.made_for, &list.name));
    let width = lists.iter().map(|list| list.name.len()).max().unwrap_or_default() + BUILTIN.len();
    let mut text = String::new();
    let mut above = None;
    for list in lists {
        if above != Some((list.holds, list.made_for)) {
            let gap = if above.is_some() { "\n" } else { "" };
            let _ = writeln!(text, "{gap}Lists of {} to {}:", list.holds.name(), list.made_for.name());
            above = Some((list.holds, list.made_for));
        }
        let name = format!("{BUILTIN}{}", list.name);
        let _ = writeln!(text, "  {name:width$}  {}", list.summary);
    }
    text
}

fn entries(list: &BuiltinList) -> String {
    let mut text =
        format!("{BUILTIN}{} ({} to {}): {}\n", list.name, list.holds.name(), list.made_for.name(), list.summary);
    for entry in &list.entries {
        let _ = writeln!(text, "  {entry}");
    }
    if !list.examples.is_empty() {
        let _ = writeln!(text, "such as: {}", list.examples.join(", "));
    }
    if !list.counterexamples.is_empty() {
        let _ = writeln!(text, "and not: {}", list.counterexamples.join(", "));
    }
    text
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct BuiltinsReport {
    schema_version: u32,
    lists: Vec<List>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct List {
    /// Without `builtin:`.
    name: &'static str,
    /// `paths`, `commands`, `variables` or `names`: the lists of a policy in which it may stand.
    holds: &'static str,
    /// `allow` or `deny`: the decision that the list is made for.
    made_for: &'static str,
    summary: &'static str,
    entries: &'static [String],
    examples: &'static [String],
    counterexamples: &'static [String],
}

fn json_text(lists: &[&'static BuiltinList]) -> String {
    let list = |list: &&'static BuiltinList| List {
        name: &list.name,
        holds: list.holds.name(),
        made_for: list.made_for.name(),
        summary: &list.summary,
        entries: &list.entries,
        examples: &list.examples,
        counterexamples: &list.counterexamples,
    };
    let report = BuiltinsReport { schema_version: 1, lists: lists.iter().map(list).collect() };
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_schema_is_that_of_the_output() {
        agent_strace_testing::schemas::keep(
            "policy-builtins.v1",
            &agent_strace_testing::schemas::written::<BuiltinsReport>(),
        );
    }
}
