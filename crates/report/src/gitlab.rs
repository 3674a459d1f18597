//! `--format gitlab`: a code quality report, which GitLab shows in merge requests.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::Checkout;
use super::alerts::{Alert, alerts};
use super::anchor::Anchor;
use super::escape::{shorten, terminal};
use super::groups::gaps;
use super::json::to_text;
use super::text::counted;
use super::view::Report;
use agent_strace_model::finding::Level;
use agent_strace_policy::hex;

/// Entries of findings; one more says what is beyond.
const ENTRIES: usize = 1_000;
const LONGEST: usize = 1_000;

/// One entry. The keys are GitLab's.
#[derive(Debug, Serialize)]
struct Entry {
    description: String,
    check_name: &'static str,
    /// Of two entries with the same one, only the first is kept.
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Debug, Serialize)]
struct Location {
    /// From the top of the repository.
    path: String,
    lines: Lines,
}

#[derive(Debug, Serialize)]
struct Lines {
    begin: u32,
}

pub(super) fn render(report: &Report, checkout: &Checkout) -> String {
    let alerts = alerts(report, checkout);
    let of_run = Anchor::of_run(report, checkout);
    let about_run = |check_name, severity, text: &str| entry(check_name, severity, check_name, text, &of_run);
    let mut entries: Vec<Entry> = alerts.iter().take(ENTRIES).map(|alert| of_alert(report, alert)).collect();
    entries.extend(gaps(report).map(|gaps| about_run("evidence/gaps", "major", &gaps)));
    let left_out: usize = alerts.iter().skip(ENTRIES).map(|alert| alert.group.findings.len()).sum();
    if left_out > 0 {
        let text = format!("{} not in this report: see the summary", counted(left_out, "more finding"));
        entries.push(about_run("report/left-out", "major", &text));
    }
    to_text(&entries)
}

fn of_alert(report: &Report, alert: &Alert<'_>) -> Entry {
    let group = &alert.group;
    let severity = match group.level() {
        Level::Error => "critical",
        Level::Warning => "major",
        Level::Note => "info",
    };
    entry(group.rule.as_str(), severity, alert.identity, &group.sentence(report), &group.anchor)
}

fn entry(check_name: &'static str, severity: &'static str, key: &str, text: &str, anchor: &Anchor) -> Entry {
    Entry {
        description: shorten(&terminal(text), LONGEST),
        check_name,
        fingerprint: hex(&Sha256::digest(key.as_bytes())),
        severity,
        location: Location { path: terminal(&anchor.path), lines: Lines { begin: anchor.line } },
    }
}
