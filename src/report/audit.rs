//! `audit` for people: every effect of a session, in sections, in the words and line shapes that scripts know.

use super::Colour;
use super::actions::action;
use super::escape::{shorten, terminal};
use super::text::{Paint, counted, gap_text, more};
use super::view::{Report, ShownEntry, ShownGap, ShownSession};
use crate::model::Status;
use crate::policy::Decision;

/// The first two sections are cut here.
const SHOWN: usize = 20;
const ID: usize = 12;

pub(super) fn render(report: &Report, colour: Colour) -> String {
    let paint = Paint(colour);
    let mut lines = Vec::new();
    let mut shown_gaps = 0;
    for session in &report.sessions {
        shown_gaps += session.gaps.len();
        lines.extend(session_lines(report, session, &paint));
    }
    // Gaps of inputs that did not become a session stand before those of sessions.
    let rest = report.gaps.get(..report.gaps.len().saturating_sub(shown_gaps)).unwrap_or(&[]);
    section(&mut lines, &paint.warning(&format!("❓ Could not be judged ({}):", rest.len())), rest, gap_line, None);
    lines.join("\n") + "\n"
}

fn session_lines(report: &Report, session: &ShownSession, paint: &Paint) -> Vec<String> {
    let no_policy = if report.policy.is_none() { " (no policy file)" } else { "" };
    let heading = format!(
        "AUDIT: Session {} ({}, {}){no_policy}",
        shorten_id(&terminal(session.id.as_str())),
        counted(session.events, "event"),
        counted(session.tool_calls, "tool call"),
    );
    let mut lines = vec![String::new(), paint.bold(&heading), String::new()];
    let (attempts, ran): (Vec<&ShownEntry>, Vec<&ShownEntry>) =
        session.entries.iter().partition(|entry| entry.status == Status::Denied);
    let of = |decision: Decision| ran.iter().copied().filter(|entry| entry.decision == decision).collect::<Vec<_>>();
    let (allowed, unruled) = (of(Decision::Allowed), of(Decision::Unruled));
    let (denied, unresolved) = (of(Decision::Denied), of(Decision::Unresolved));
    let sensitive: Vec<_> = session.entries.iter().filter(|entry| entry.sensitive).collect();

    section(&mut lines, &paint.good(&format!("✅ Allowed ({}):", allowed.len())), &allowed, allowed_line, Some(SHOWN));
    let title = format!("⚠️  No policy ({}):", unruled.len());
    section(&mut lines, &paint.warning(&title), &unruled, unruled_line, Some(SHOWN));
    let title = format!("❌ Violations ({}):", denied.len() + others(session).len());
    let violations: Vec<String> = denied.iter().map(|entry| denied_line(entry)).chain(others(session)).collect();
    section(&mut lines, &paint.error(&title), &violations, Clone::clone, None);
    let title = format!("❓ Could not be judged ({}):", unresolved.len() + session.gaps.len());
    let open: Vec<String> =
        unresolved.iter().map(|entry| open_line(entry)).chain(session.gaps.iter().map(gap_line)).collect();
    section(&mut lines, &paint.warning(&title), &open, Clone::clone, None);
    section(&mut lines, &paint.bold(&format!("🚫 Attempts ({}):", attempts.len())), &attempts, attempt_line, None);
    let title = format!("🔐 Sensitive files accessed ({}):", sensitive.len());
    section(&mut lines, &paint.warning(&title), &sensitive, sensitive_line, None);
    if violations.is_empty() && open.is_empty() && sensitive.is_empty() && attempts.is_empty() {
        lines.push("No violations found.".to_owned());
        lines.push(String::new());
    }
    lines
}

fn section<T>(lines: &mut Vec<String>, title: &str, items: &[T], line: impl Fn(&T) -> String, limit: Option<usize>) {
    if items.is_empty() {
        return;
    }
    let limit = limit.unwrap_or(usize::MAX);
    lines.push(title.to_owned());
    lines.extend(items.iter().take(limit).map(|item| format!("  {}", line(item))));
    lines.extend(more(items.len(), limit));
    lines.push(String::new());
}

/// Findings that no effect shows: rules with a memory, findings about a whole session.
fn others(session: &ShownSession) -> Vec<String> {
    let others = session.findings.iter().filter(|finding| finding.effect.is_none());
    others.map(|finding| format!("{}  (event #{})", terminal(finding.message.as_str()), finding.event)).collect()
}

fn allowed_line(entry: &&ShownEntry) -> String {
    action(&entry.effect)
}

fn unruled_line(entry: &&ShownEntry) -> String {
    format!("{}  ({})", action(&entry.effect), terminal(entry.reason.as_str()))
}

fn denied_line(entry: &ShownEntry) -> String {
    format!("{}  ← {}  (event #{})", action(&entry.effect), terminal(entry.reason.as_str()), entry.event)
}

fn open_line(entry: &ShownEntry) -> String {
    let tool = shorten(&terminal(entry.tool.as_str()), 40);
    // An opaque effect's reason is the effect.
    let why = if entry.effect.kind == "opaque" {
        String::new()
    } else {
        format!("  ← {}", terminal(entry.reason.as_str()))
    };
    format!("{}{why}  (event #{}, {tool})", action(&entry.effect), entry.event)
}

fn attempt_line(entry: &&ShownEntry) -> String {
    let verdict = match entry.decision {
        Decision::Allowed => "allowed",
        Decision::Unruled => "no policy",
        Decision::Denied => "a violation had it run",
        Decision::Unresolved => "could not be judged",
    };
    format!("{}  (event #{}; refused before it ran; {verdict})", action(&entry.effect), entry.event)
}

fn sensitive_line(entry: &&ShownEntry) -> String {
    format!("{}  (event #{})", action(&entry.effect), entry.event)
}

fn gap_line(gap: &ShownGap) -> String {
    gap_text(gap)
}

fn shorten_id(id: &str) -> &str {
    id.char_indices().nth(ID).and_then(|(end, _)| id.get(..end)).unwrap_or(id)
}
