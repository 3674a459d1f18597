//! `--format markdown`: a job summary or a comment on a pull request. Every cell is escaped; the size is bounded.

use std::fmt::Write as _;

use super::escape::{markdown, shorten};
use super::text::{counted, counts, use_text};
use super::view::{Report, ShownFinding, ShownGap, ShownSession, ShownUse};
use crate::engine::Verdict;

/// A comment may have 65,536 characters; what the platform adds needs room, too.
const LONGEST: usize = 60_000;
const ROWS: usize = 200;
const CELL: usize = 240;
const GAPS: usize = 50;
const SESSIONS: usize = 50;

pub(super) fn render(report: &Report) -> String {
    let mut text = format!("## agent-strace: {}\n\n{}\n\n{}\n", verdict(report), judged_by(report), summary(report));
    let findings: Vec<_> = report.findings().collect();
    if !findings.is_empty() {
        text.push_str("\n| level | rule | what | where | policy |\n|---|---|---|---|---|\n");
        let rows = findings.iter().map(|(session, finding)| row(report, *session, finding));
        push_lines(&mut text, rows.take(ROWS), findings.len(), "findings");
    }
    let who: Vec<String> = report.sessions.iter().filter_map(who).collect();
    if !who.is_empty() {
        text.push_str("\n### Who ran the sessions\n\n");
        let total = who.len();
        push_lines(&mut text, who.into_iter().take(SESSIONS), total, "sessions");
    }
    if !report.uses.is_empty() {
        text.push_str("\n### Findings that do not count\n\n");
        push_lines(
            &mut text,
            report.uses.iter().take(SESSIONS).map(|used| use_line(report, used)),
            report.uses.len(),
            "exceptions",
        );
    }
    if !report.gaps.is_empty() {
        text.push_str("\n### Could not be read\n\n");
        push_lines(&mut text, report.gaps.iter().take(GAPS).map(gap_line), report.gaps.len(), "gaps");
    }
    text
}

/// Appends lines while there is room, and says how many are missing.
fn push_lines(text: &mut String, lines: impl Iterator<Item = String>, total: usize, noun: &str) {
    // Room for what follows the findings: the heading of the gaps and the closing lines.
    const RESERVE: usize = 2_000;
    let mut shown = 0;
    let mut length = text.chars().count();
    for line in lines {
        length += line.chars().count();
        if length + RESERVE > LONGEST {
            break;
        }
        text.push_str(&line);
        shown += 1;
    }
    if shown < total {
        let _ = write!(text, "\n{} of {total} {noun} are not shown here.\n", total - shown);
    }
}

fn verdict(report: &Report) -> &'static str {
    match report.verdict {
        Verdict::Pass => "✅ pass",
        Verdict::Fail => "❌ outside the scope",
        Verdict::Incomplete => "❓ incomplete: not everything could be judged",
    }
}

fn judged_by(report: &Report) -> String {
    let Some(policy) = &report.policy else { return "Judged without a policy file.".to_owned() };
    let revision = policy.revision.as_ref().map(|at| format!(" at {}", cell(at.as_str())));
    format!(
        "Judged by {}{}, sha256 `{}`.",
        cell(policy.path.as_str()),
        revision.unwrap_or_default(),
        markdown(&policy.sha256)
    )
}

fn summary(report: &Report) -> String {
    format!(
        "{}, {}, {}, {}: {}.",
        counted(report.sessions.len(), "session"),
        counted(report.sum(|session| session.events), "event"),
        counted(report.sum(|session| session.tool_calls), "tool call"),
        counted(report.sum(|session| session.effects), "effect"),
        counts(report),
    )
}

fn row(report: &Report, session: Option<&ShownSession>, finding: &ShownFinding) -> String {
    let evidence = finding.evidence.as_ref().map(|text| format!("<br><code>{}</code>", cell(text.as_str())));
    let policy = match &finding.policy {
        Some(place) if !report.file(place).is_empty() => {
            let named = place.named().map(|named| format!("<br>{}", cell(&named))).unwrap_or_default();
            let file = cell(report.file(place));
            format!("{file}&#58;{}<br>{}{named}", place.line, cell(&place.pointer))
        }
        _ => String::new(),
    };
    let event = match session {
        None => "the whole run".to_owned(),
        Some(_) if finding.is_whole() => "the whole session".to_owned(),
        Some(_) => format!("event {}", finding.event),
    };
    let source = session.map_or_else(|| report.file_of(finding), |session| session.source.as_str());
    format!(
        "| {} | {} | {}{} | {}&#58;{}<br>{event} | {policy} |\n",
        if finding.is_incomplete() { "incomplete" } else { finding.level.name() },
        finding.rule,
        cell(finding.message.as_str()),
        evidence.unwrap_or_default(),
        cell(source),
        finding.line,
    )
}

fn use_line(report: &Report, used: &ShownUse) -> String {
    format!("- {}\n", cell(&use_text(report, used)))
}

/// One line of a session that people are told something about.
fn who(session: &ShownSession) -> Option<String> {
    let told = !session.findings.is_empty();
    let line = session.who.line(markdown).filter(|_| told)?;
    Some(format!("- {} ({}): {line}\n", cell(session.id.as_str()), cell(session.agent.as_str())))
}

fn gap_line(gap: &ShownGap) -> String {
    let line = gap.line.map(|line| format!("&#58;{line}"));
    format!("- {}{}: {}\n", cell(gap.file.as_str()), line.unwrap_or_default(), cell(gap.reason.as_str()))
}

fn cell(text: &str) -> String {
    markdown(&shorten(text, CELL))
}
