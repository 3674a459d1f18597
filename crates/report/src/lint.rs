//! `lint` for people: a line for each finding, in the shape that scripts know.

use super::Colour;
use super::escape::{shorten, terminal};
use super::paint::Paint;
use super::text::{counted, gap_text, more, of_change, waivers};
use super::view::{Report, ShownFinding, ShownSession};
use agent_strace_engine::Verdict;
use agent_strace_model::finding::{Family, Level};

/// Columns of a rule's name.
const NAME: usize = 26;
/// Characters of a session's id.
const ID: usize = 12;
/// Characters of a message: names of tools and files in it are as long as a log makes them.
const MESSAGE: usize = 400;
/// Gaps beyond these are counted, not listed.
const GAPS: usize = 20;

pub(super) fn render(report: &Report, colour: Colour) -> String {
    let paint = Paint(colour);
    let mut lines = Vec::new();
    let several = report.sessions.len() > 1;
    let mut clean = 0;
    for session in &report.sessions {
        // What is fine is not worth a block of its own among many.
        if several && session.findings.is_empty() && session.verdict == Verdict::Pass {
            clean += 1;
            continue;
        }
        if several {
            lines.push(paint.bold(&format!("── Session {} ──", id(session))));
        }
        lines.extend(session_lines(session, &paint));
        lines.push(String::new());
    }
    if clean > 0 {
        lines.extend([paint.good(&format!("✓  No issues found in {}", counted(clean, "session"))), String::new()]);
    }
    if !report.gaps.is_empty() {
        lines.push(paint.warning(&format!("could not be read ({}):", report.gaps.len())));
        lines.extend(report.gaps.iter().take(GAPS).map(|gap| format!("  {}", gap_text(gap))));
        lines.extend(more(report.gaps.len(), GAPS));
        lines.push(String::new());
    }
    lines.extend(of_change(report, None, &paint).into_iter().skip(1));
    lines.extend(waivers(report, &paint).into_iter().skip(1));
    lines.push(summary(report));
    lines.join("\n") + "\n"
}

fn session_lines(session: &ShownSession, paint: &Paint) -> Vec<String> {
    if session.findings.is_empty() {
        let seen = counted(session.tool_calls, "tool call");
        if session.verdict == Verdict::Incomplete {
            let found = format!("?  Nothing found in what could be read of session {} ({seen})", id(session));
            return vec![paint.warning(&found)];
        }
        return vec![paint.good(&format!("✓  No issues found in session {} ({seen})", id(session)))];
    }
    let mut findings: Vec<&ShownFinding> = session.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    findings.into_iter().map(|finding| line(finding, paint)).collect()
}

/// `WARN  tool-loop              "Bash" called 7 times … (events 34–41)`.
fn line(finding: &ShownFinding, paint: &Paint) -> String {
    let name = if finding.rule.family() == Family::Lint { finding.rule.short() } else { finding.rule.as_str() };
    let level = if finding.is_incomplete() { "?" } else { level(finding.level) };
    let events = match finding.until {
        _ if finding.event == 0 => String::new(),
        Some(until) => format!(" (events {}–{until})", finding.event),
        None => format!(" (event {})", finding.event),
    };
    let level = match finding.level {
        Level::Error => paint.error(&format!("{level:<5}")),
        Level::Warning => paint.warning(&format!("{level:<5}")),
        Level::Note => format!("{level:<5}"),
    };
    let message = shorten(&terminal(finding.message.as_str()), MESSAGE);
    format!("{level}  {name:<NAME$} {message}{events}")
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "ERROR",
        Level::Warning => "WARN",
        Level::Note => "INFO",
    }
}

fn id(session: &ShownSession) -> String {
    terminal(session.id.as_str()).chars().take(ID).collect()
}

fn summary(report: &Report) -> String {
    let [errors, warnings, notes] = [Level::Error, Level::Warning, Level::Note].map(|level| report.count(level));
    let code = report.exit_code();
    let more = match (code, warnings) {
        (0, 1..) => " Use --strict for non-zero exit on warnings.".to_owned(),
        (3, _) => " Exit code: 3, because evidence is missing.".to_owned(),
        (code, _) => format!(" Exit code: {code}"),
    };
    format!("{errors} error(s), {warnings} warning(s), {notes} info(s).{more}")
}
