//! The causes of findings as text: what was found how often, one example, and what to do about it.

use super::causes::{self, CauseGroup};
use super::command_line;
use super::escape::{shorten, terminal};
use super::next_step::{next_step, next_step_of};
use super::paint::Paint;
use super::text::{counted, more};
use super::view::{Report, ShownFinding, ShownSession};
use agent_strace_model::finding::Level;

/// Causes that are listed: with three lines for each, they fit on one screen.
const CAUSES: usize = 10;
/// Sessions that are named.
const SESSIONS: usize = 4;
/// Longest line of text about a cause.
const LONGEST: usize = 240;
/// Longest next step: what is to be copied from it is whole.
const STEP: usize = 600;
const NAME: usize = 100;

/// The causes of all findings of a report.
pub(super) struct Overview<'r> {
    report: &'r Report,
    causes: Vec<CauseGroup<'r>>,
    listed: usize,
}

impl<'r> Overview<'r> {
    pub(super) fn new(report: &'r Report) -> Self {
        Self { report, causes: causes::causes(report), listed: causes::listed(report) }
    }

    /// There are so many findings of the same causes that the causes say more than a list of findings.
    pub(super) fn says_more(&self) -> bool {
        let listed = self.causes.iter().filter(|cause| !self.is_counted(cause)).count();
        !causes::are_few(self.report) || self.listed >= 2 * listed && self.listed > 4
    }

    fn is_counted(&self, cause: &CauseGroup<'_>) -> bool {
        cause.first().is_some_and(|first| causes::is_counted(self.report, first))
    }

    pub(super) fn causes(&self, paint: &Paint) -> Vec<String> {
        let total: usize = self.causes.iter().map(|cause| cause.findings.len()).sum();
        let folded = if causes::are_few(self.report) { "" } else { " (`--all-findings` lists each finding)" };
        let heading = format!("{} of {}{folded}", counted(total, "finding"), counted(self.causes.len(), "cause"));
        let mut lines = vec![String::new(), paint.bold(&heading)];
        for cause in self.causes.iter().take(CAUSES) {
            lines.extend(self.cause(cause, paint));
        }
        lines.extend(self.rest());
        lines
    }

    fn rest(&self) -> Option<String> {
        let rest = self.causes.get(CAUSES..).filter(|rest| !rest.is_empty())?;
        let findings: usize = rest.iter().map(|cause| cause.findings.len()).sum();
        let levels = of_levels(rest.iter().flat_map(|cause| &cause.findings).map(|(_, finding)| *finding));
        let mut rules: Vec<&str> = Vec::new();
        for rule in rest.iter().filter_map(CauseGroup::first).map(|first| first.rule.as_str()) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        let (causes, rules) = (counted(rest.len(), "more cause"), shorten(&rules.join(", "), LONGEST));
        Some(format!("  ... and {causes} with {} ({levels}): {rules}", counted(findings, "finding")))
    }

    fn cause(&self, cause: &CauseGroup<'_>, paint: &Paint) -> Vec<String> {
        let Some(first) = cause.first() else { return Vec::new() };
        let line = |text: &str| format!("           {}", shorten(&terminal(text), LONGEST));
        let head = format!("{} ({}): {}", first.rule, cause.count(), cause.reason());
        let mut lines = vec![format!("  {}  {}", paint.finding(first), shorten(&terminal(&head), LONGEST))];
        let example = cause.example(self.report).map(|at| format!(" at {}", shortened_path(&at)));
        let id = self.report.ids.of(&first.fingerprint);
        let example = format!("{id}{}", example.unwrap_or_default());
        lines.push(match cause.acts() {
            Some(acts) => line(&format!("{acts}; e.g. {example}")),
            None => line(&format!("e.g. {example}")),
        });
        let step = next_step_of(self.report, &cause.findings);
        lines.extend((!step.is_empty()).then(|| format!("           fix: {}", shorten(&terminal(&step), STEP))));
        lines
    }

    /// Returns advice for the first finding of a cause, if the causes are not listed.
    pub(super) fn fix_of(&self, finding: &ShownFinding) -> Option<String> {
        let is_first = |cause: &CauseGroup<'_>| cause.first().is_some_and(|first| std::ptr::eq(first, finding));
        if self.says_more() || !self.causes.iter().any(is_first) {
            return None;
        }
        let step = next_step(self.report, finding);
        (!step.is_empty()).then(|| format!("             fix: {}", shorten(&terminal(&step), STEP)))
    }

    /// The command that explains a finding.
    pub(super) fn explain(&self) -> Option<String> {
        let command = command_line::explain_any(self.report);
        (self.listed > 0).then(|| format!("explain a finding: {}", terminal(&command)))
    }
}

/// `2 errors, 1 note`.
fn of_levels<'f>(findings: impl IntoIterator<Item = &'f ShownFinding>) -> String {
    let findings: Vec<&ShownFinding> = findings.into_iter().collect();
    let of_level = |level| findings.iter().filter(|found| found.level == level && !found.is_incomplete()).count();
    let incomplete = findings.iter().filter(|found| found.is_incomplete()).count();
    let counts = [
        (of_level(Level::Error), "error"),
        (of_level(Level::Warning), "warning"),
        (of_level(Level::Note), "note"),
        (incomplete, "piece of missing evidence"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| match (*noun, *count) {
        ("piece of missing evidence", 2..) => format!("{count} pieces of missing evidence"),
        _ => counted(*count, noun),
    });
    counts.collect::<Vec<_>>().join(", ")
}

/// The end of a long path says more than its start.
fn shortened_path(path: &str) -> String {
    let length = path.chars().count();
    if length <= NAME {
        return path.to_owned();
    }
    let tail: String = path.chars().skip(length - NAME).collect();
    format!("…{tail}")
}

/// The sessions with the most findings, a line for each.
pub(super) fn sessions(report: &Report, paint: &Paint) -> Vec<String> {
    let mut found: Vec<&ShownSession> = report.sessions.iter().filter(|session| !session.findings.is_empty()).collect();
    if found.is_empty() || report.sessions.len() == 1 {
        return Vec::new();
    }
    let of =
        |session: &ShownSession, level: Level| session.findings.iter().filter(|found| found.level == level).count();
    found.sort_by_cached_key(|session| {
        std::cmp::Reverse([Level::Error, Level::Warning, Level::Note].map(|level| of(session, level)))
    });
    let heading = format!("{} of {} with findings", found.len(), counted(report.sessions.len(), "session"));
    let mut lines = vec![String::new(), paint.bold(&heading)];
    lines.extend(found.iter().take(SESSIONS).map(|session| {
        format!(
            "  {} in {} ({})",
            of_levels(&session.findings),
            shortened_path(&terminal(session.source.as_str())),
            shorten(&terminal(session.agent.as_str()), NAME)
        )
    }));
    lines.extend(more(found.len(), SESSIONS));
    lines
}
