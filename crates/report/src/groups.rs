//! Findings as the bounded formats show them: those of one rule at one line together.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Checkout;
use super::anchor::Anchor;
use super::order;
use super::text::counted;
use super::view::{Report, ShownFinding, ShownSession};
use agent_strace_model::finding::{Level, RuleId};

/// Acts that a message names.
const NAMED: usize = 3;

/// Findings of one rule at one line, with their sessions where they are about one. There is at least one.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) rule: RuleId,
    pub(super) anchor: Anchor,
    pub(super) findings: Vec<(Option<&'a ShownSession>, &'a ShownFinding)>,
}

impl<'a> AsRef<Group<'a>> for Group<'a> {
    fn as_ref(&self) -> &Group<'a> {
        self
    }
}

impl Group<'_> {
    pub(super) fn level(&self) -> Level {
        self.findings.iter().map(|(_, finding)| finding.level).max().unwrap_or(Level::Note)
    }

    /// Where it is shown among the others.
    pub(super) fn rank(&self) -> impl Ord + use<> {
        self.findings.iter().map(|(_, finding)| order::rank(finding)).min()
    }

    /// The acts in words, the first few by name, and what judged them: one line of log text, to be escaped.
    pub(super) fn sentence(&self, report: &Report) -> String {
        let mut parts: Vec<String> =
            self.findings.iter().take(NAMED).map(|(session, finding)| act(*session, finding)).collect();
        if self.findings.len() > NAMED {
            parts.push(format!("and {} more", self.findings.len() - NAMED));
        }
        let mut text = parts.join("; ");
        if let Some(location) = self.findings.first().and_then(|(_, finding)| finding.policy.as_ref())
            && !report.file(location).is_empty()
        {
            let _ = write!(text, ". Judged by {}:{}:{}", report.file(location), location.line, location.column);
            text.extend(location.named().map(|named| format!(", {named}")));
        }
        text
    }
}

fn act(session: Option<&ShownSession>, finding: &ShownFinding) -> String {
    let message = finding.said();
    let lacking = if finding.is_incomplete() { "evidence is missing: " } else { "" };
    match session {
        None => format!("{lacking}{message}"),
        Some(session) if finding.is_whole() => format!("{lacking}{message} (session {})", session.id.as_str()),
        Some(session) => format!("{lacking}{message} (session {}, event {})", session.id.as_str(), finding.event),
    }
}

/// All findings that count, in the order of formats that show a bounded part of them.
pub(super) fn groups<'r>(report: &'r Report, checkout: &Checkout) -> Vec<Group<'r>> {
    let mut by_location: BTreeMap<(RuleId, Anchor), Vec<_>> = BTreeMap::new();
    for (session, finding) in report.findings() {
        by_location
            .entry((finding.rule, Anchor::of(report, session, finding, checkout)))
            .or_default()
            .push((session, finding));
    }
    let of_location = |((rule, anchor), findings)| Group { rule, anchor, findings };
    let mut groups: Vec<Group<'_>> = by_location.into_iter().map(of_location).collect();
    order::arrange(&mut groups);
    groups
}

/// `3 inputs could not be read: a.log:3: not UTF-8; …`, where something could not.
pub(super) fn gaps(report: &Report) -> Option<String> {
    let first: Vec<String> = report.gaps.iter().take(NAMED).map(super::text::gap_plain).collect();
    let more = report.gaps.len().checked_sub(NAMED).filter(|more| *more > 0);
    let more = more.map(|more| format!("; and {more} more")).unwrap_or_default();
    let missing = counted(report.gaps.len(), "piece") + " of evidence could not be read";
    (!report.gaps.is_empty()).then(|| format!("{missing}: {}{more}", first.join("; ")))
}
