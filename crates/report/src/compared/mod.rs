//! `compare`, `diff` and `drift`: sessions beside each other, for people and as JSON. Version 1, additive changes only.

mod drift;
mod outline;
mod pair;
mod semantic;

use super::escape::{shorten, terminal};
use super::measured::{shown, told};
use super::table::{columns, rule};
use super::tree::Glyphs;
use agent_strace_metrics::{Phase, Profile};
use agent_strace_secrets::redact;

pub use drift::DriftReport;
pub use outline::outline;
pub use pair::comparisons;
pub use semantic::{SemanticReport, semantic};

/// So much of an id tells most sessions apart.
const ID: usize = 12;
/// Longest label of a phase.
const LABEL: usize = 40;

/// What two sessions are called: by so much of their ids as differs.
fn names(first: &Profile, second: &Profile) -> (String, String) {
    let short = |profile: &Profile| profile.id.chars().take(ID).collect::<String>();
    let (one, other) = (short(first), short(second));
    let cut = |text: &str| terminal(redact(text).as_str());
    if one == other { (cut(&first.id), cut(&second.id)) } else { (cut(&one), cut(&other)) }
}

/// What was done in a phase, in a few words.
fn described(phase: Option<&Phase>) -> String {
    let Some(phase) = phase else { return "nothing".to_owned() };
    let counted = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let failed = if phase.failed { ", failed" } else { "" };
    format!(
        "{} ({}, {} changed{failed})",
        shorten(redact(&phase.label).as_str(), LABEL),
        counted(phase.commands, "command"),
        counted(phase.changed.len(), "file")
    )
}

/// A table with a rule above and below its head and at its end.
fn table<const N: usize>(rows: &[[String; N]], glyphs: Glyphs) -> String {
    let table = columns(rows);
    let rule = rule(&table, glyphs);
    let (head, body) = table.split_once('\n').unwrap_or((&table, ""));
    format!("{rule}\n{head}\n{rule}\n{body}{rule}\n")
}

#[cfg(test)]
mod tests {

    #[test]
    fn the_schemas_are_those_of_the_types() {
        agent_strace_testing::schemas::keep(
            "compare.v1",
            &agent_strace_testing::schemas::written::<super::pair::Document>(),
        );
        agent_strace_testing::schemas::keep(
            "session-diff.v1",
            &agent_strace_testing::schemas::written::<super::outline::Document>(),
        );
        agent_strace_testing::schemas::keep(
            "semantic-diff.v1",
            &agent_strace_testing::schemas::written::<super::semantic::Document>(),
        );
        agent_strace_testing::schemas::keep(
            "drift.v1",
            &agent_strace_testing::schemas::written::<super::drift::Document>(),
        );
    }
}
