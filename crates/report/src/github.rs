//! `--format github`: annotations, which GitHub's runner takes from the log of a job.
//!
//! A step may annotate ten times for each level, and what is beyond is dropped without a word: the worst are
//! annotated, and the last line says the verdict and how many are not.

use std::fmt::Write as _;

use super::Checkout;
use super::escape::{github_property, github_text, shorten, terminal};
use super::groups::{Group, gaps, groups};
use super::text::{counted, counts, policy_shown};
use super::view::Report;
use agent_strace_engine::Verdict;
use agent_strace_model::finding::Level;

/// Annotations of findings. One more of each level may follow.
const ANNOTATIONS: usize = 9;
/// Of a message, before it is encoded for the runner, which cuts what has more than 4,096 characters.
const LONGEST: usize = 1_000;

pub(super) fn render(report: &Report, checkout: &Checkout) -> String {
    let groups = groups(report, checkout);
    let mut text: String = groups.iter().take(ANNOTATIONS).map(|group| annotation(report, group)).collect();
    if let Some(gaps) = gaps(report) {
        text.push_str(&command("warning", "agent-strace: evidence is missing", None, &gaps));
    }
    text.push_str(&command("notice", &format!("agent-strace: {}", verdict(report)), None, &closing(report, &groups)));
    text
}

fn annotation(report: &Report, group: &Group<'_>) -> String {
    let level = match group.level() {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let location = (group.anchor.path.as_str(), group.anchor.line);
    command(level, &format!("agent-strace {}", group.rule), Some(location), &group.sentence(report))
}

/// One line that the runner obeys; `title`, path and `text` are encoded here and nowhere else.
fn command(level: &str, title: &str, location: Option<(&str, u32)>, text: &str) -> String {
    let mut line = format!("::{level} ");
    if let Some((path, number)) = location {
        let _ = write!(line, "file={},line={number},", github_property(path));
    }
    let _ = writeln!(line, "title={}::{}", github_property(title), github_text(&shorten(&terminal(text), LONGEST)));
    line
}

fn verdict(report: &Report) -> &'static str {
    match report.verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Incomplete => "incomplete",
    }
}

fn closing(report: &Report, groups: &[Group<'_>]) -> String {
    let mut text = format!("{}: {}", policy_shown(report), counts(report));
    let left_out: usize = groups.iter().skip(ANNOTATIONS).map(|group| group.findings.len()).sum();
    if left_out > 0 {
        let _ = write!(text, "; {} not annotated here: see the summary", counted(left_out, "more finding"));
    }
    text
}
