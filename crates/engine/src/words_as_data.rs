//! The table of words that are data, and of words that act.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use agent_strace_model::finding::Level;
use agent_strace_policy::Policy;

use super::tests::{policy, session};
use super::{Entries, judge_guarded};

/// Acts of each kind that the table holds at least.
const ORDINARY: usize = 60;
const DENIED: usize = 40;

/// One act with its verdicts under both policies, and the reason why they are not what they should be.
struct Row<'t> {
    act: String,
    verdicts: [&'t str; 2],
    reason: &'t str,
}

impl<'t> Row<'t> {
    /// `None`: the line is no row of an act.
    fn read(line: &'t str) -> Option<Self> {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix('|')?.split(" | ").map(str::trim).collect();
        let [act, default, deny_only, reason] = cells.as_slice() else { return None };
        let act = act.strip_prefix('`')?.trim_matches('`').trim();
        let act = act.replace("\\|", "|").replace('⏎', "\n");
        Some(Self { act, verdicts: [default, deny_only], reason: reason.trim_end_matches('|').trim() })
    }

    /// The call, as the specs of rules write it.
    fn call(&self) -> String {
        match self.act.split_once(" {") {
            Some((tool, _)) if tool.starts_with(char::is_uppercase) || tool.starts_with("mcp__") => {
                format!("call {}", self.act)
            }
            _ => format!("call Bash {}", serde_json::json!({"command": self.act})),
        }
    }

    fn verdict(&self, policy: &Policy) -> &'static str {
        let call = self.call();
        let session = session(&[&call]);
        let outcome = judge_guarded(&session, Vec::new(), policy, Entries::Drop, &std::sync::Arc::default());
        assert!(outcome.gaps.is_empty() && outcome.judged == 1, "{}: {outcome:?}", self.act);
        outcome.findings.iter().map(|finding| finding.level).max().map_or("-", Level::name)
    }
}

fn table() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/words-as-data.md")
}

/// The text with the verdicts as they are now, and what is wrong in it.
fn judged(text: &str, policies: &[Policy; 2]) -> (String, Vec<String>) {
    let (mut written, mut wrong, mut counts) = (String::new(), Vec::new(), [0, 0]);
    let mut are_denied = false;
    for line in text.lines() {
        are_denied |= line == "## Acts that are denied";
        let row = Row::read(line).filter(|row| row.act != "Act");
        if let (Some(row), Some((head, _))) = (row, line.split_once("` | ")) {
            let verdicts = [0, 1].map(|at: usize| row.verdict(&policies[at]));
            let is_right =
                |verdict: &&str| if are_denied { **verdict == *"error" } else { ["-", "note"].contains(verdict) };
            if verdicts.iter().all(is_right) != row.reason.is_empty() {
                wrong.push(format!("{}: {verdicts:?} {}", row.act, row.reason));
            }
            if verdicts != row.verdicts {
                wrong.push(format!("{}: {verdicts:?} and not {:?}", row.act, row.verdicts));
            }
            counts[usize::from(are_denied)] += 1;
            let reason = if row.reason.is_empty() { String::new() } else { format!(" {}", row.reason) };
            writeln!(written, "{head}` | {} | {} |{reason} |", verdicts[0], verdicts[1]).unwrap();
        } else {
            writeln!(written, "{line}").unwrap();
        }
    }
    if counts[0] < ORDINARY || counts[1] < DENIED {
        wrong.push(format!("the table has too few acts: {counts:?}"));
    }
    (written, wrong)
}

#[test]
fn words_that_are_data_are_not_refused_and_words_that_act_are() {
    let text = fs::read_to_string(table()).unwrap();
    let shipped = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("policies/default.json");
    let (_, deny_only) = text.split_once("```json\n").unwrap();
    let (deny_only, _) = deny_only.split_once("```").unwrap();
    let policies = [policy(&fs::read_to_string(shipped).unwrap()), policy(deny_only)];
    let (written, wrong) = judged(&text, &policies);
    if std::env::var_os("UPDATE_SPECS").is_some() {
        fs::write(table(), written).unwrap();
    }
    assert!(wrong.is_empty(), "UPDATE_SPECS=1 writes the verdicts:\n{}", wrong.join("\n"));
}
