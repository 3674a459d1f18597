//! `audit` for people: every effect of a session, in sections, in the words and line shapes that scripts know.

use super::Colour;
use super::actions::action;
use super::escape::{shorten, terminal};
use super::paint::Paint;
use super::text::{counted, gap_text, more, of_change, verdict, waivers};
use super::view::{Report, ShownEntry, ShownSession};
use agent_strace_model::Status;
use agent_strace_model::finding::Family;
use agent_strace_policy::Decision;

/// The first two sections are cut here.
const SHOWN: usize = 20;
const ID: usize = 12;

pub(super) fn render(report: &Report, colour: Colour) -> String {
    let paint = Paint(colour);
    // What is said about the gate comes before what agents did.
    let mut lines: Vec<String> = of_change(report, None, &paint).into_iter().skip(1).collect();
    let mut shown_gaps = 0;
    for session in &report.sessions {
        shown_gaps += session.gaps.len();
        session_lines(report, session, &paint, &mut lines);
    }
    // Gaps of inputs that did not become a session stand before those of sessions.
    let rest = report.gaps.get(..report.gaps.len().saturating_sub(shown_gaps)).unwrap_or(&[]);
    let rest: Vec<String> = rest.iter().map(gap_text).collect();
    section(&mut lines, &paint.warning(&titled("❓ Could not be judged", &rest)), &rest, usize::MAX);
    lines.extend(waivers(report, &paint).into_iter().skip(1));
    lines.push(verdict(report, &paint));
    lines.join("\n") + "\n"
}

fn session_lines(report: &Report, session: &ShownSession, paint: &Paint, lines: &mut Vec<String>) {
    let no_policy = if report.policy.is_none() { " (no policy file)" } else { "" };
    let heading = format!(
        "AUDIT: Session {} ({}, {}){no_policy}",
        shorten_id(&terminal(session.id.as_str())),
        counted(session.events, "event"),
        counted(session.tool_calls, "tool call"),
    );
    lines.extend([String::new(), paint.bold(&heading)]);
    lines.extend(session.who.line(terminal));
    lines.push(String::new());

    let (attempts, ran): (Vec<&ShownEntry>, Vec<&ShownEntry>) =
        session.entries.iter().partition(|entry| entry.status == Status::Denied);
    let (waived, ran): (Vec<&ShownEntry>, Vec<&ShownEntry>) = ran.into_iter().partition(|entry| entry.waived);
    let of = |decision: Decision, line: fn(&ShownEntry) -> String| -> Vec<String> {
        ran.iter().filter(|entry| entry.decision == decision).map(|entry| line(entry)).collect()
    };
    let allowed = of(Decision::Allowed, allowed_line);
    let unruled = of(Decision::Unruled, unruled_line);
    let mut denied = of(Decision::Denied, denied_line);
    denied.extend(of(Decision::Asked, denied_line));
    denied.extend(others(session));
    let mut open = of(Decision::Unresolved, open_line);
    let incomplete = session.findings.iter().filter(|finding| finding.is_incomplete());
    open.extend(incomplete.map(|finding| terminal(finding.message.as_str())));
    open.extend(session.gaps.iter().map(gap_text));
    let waived: Vec<String> = waived.into_iter().map(denied_line).collect();
    let attempts: Vec<String> = attempts.into_iter().map(attempt_line).collect();
    let sensitive = session.entries.iter().filter(|entry| entry.sensitive);
    let sensitive: Vec<String> = sensitive.map(sensitive_line).collect();

    section(lines, &paint.good(&titled("✅ Allowed", &allowed)), &allowed, SHOWN);
    section(lines, &paint.warning(&titled("⚠️  No policy", &unruled)), &unruled, SHOWN);
    section(lines, &paint.error(&titled("❌ Violations", &denied)), &denied, usize::MAX);
    section(lines, &paint.warning(&titled("❓ Could not be judged", &open)), &open, usize::MAX);
    section(lines, &paint.bold(&titled("📌 Does not count", &waived)), &waived, usize::MAX);
    section(lines, &paint.bold(&titled("🚫 Attempts", &attempts)), &attempts, usize::MAX);
    section(lines, &paint.warning(&titled("🔐 Sensitive files accessed", &sensitive)), &sensitive, usize::MAX);
    if [&denied, &open, &attempts, &sensitive].iter().all(|section| section.is_empty()) {
        lines.extend(["No violations found.".to_owned(), String::new()]);
    }
}

fn titled(title: &str, items: &[String]) -> String {
    format!("{title} ({}):", items.len())
}

fn section(lines: &mut Vec<String>, title: &str, items: &[String], limit: usize) {
    if items.is_empty() {
        return;
    }
    lines.push(title.to_owned());
    lines.extend(items.iter().take(limit).map(|item| format!("  {item}")));
    lines.extend(more(items.len(), limit));
    lines.push(String::new());
}

/// Findings of rules with a memory: the decision on no single effect shows them.
fn others(session: &ShownSession) -> impl Iterator<Item = String> {
    let others = session.findings.iter().filter(|finding| {
        let of_effect = matches!(finding.rule.family(), Family::Scope | Family::Floor);
        !finding.is_incomplete() && (finding.is_whole() || !of_effect)
    });
    others.map(|finding| {
        let message = terminal(finding.message.as_str());
        let event = if finding.is_whole() { "session".to_owned() } else { format!("event #{}", finding.event) };
        format!("{message}  ({}, {event})", finding.level.name())
    })
}

fn allowed_line(entry: &ShownEntry) -> String {
    // Without a reason, nobody sees how that can be allowed.
    let why =
        if entry.effect.kind == "opaque" { format!("  ({})", terminal(entry.reason.as_str())) } else { String::new() };
    format!("{}{why}", action(&entry.effect))
}

fn unruled_line(entry: &ShownEntry) -> String {
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

fn attempt_line(entry: &ShownEntry) -> String {
    let verdict = match entry.decision {
        Decision::Allowed => "allowed",
        Decision::Unruled => "no policy",
        Decision::Denied => "a violation had it run",
        Decision::Asked => "to be approved had it run",
        Decision::Unresolved => "could not be judged",
    };
    format!("{}  (event #{}; refused before it ran; {verdict})", action(&entry.effect), entry.event)
}

fn sensitive_line(entry: &ShownEntry) -> String {
    format!("{}  (event #{})", action(&entry.effect), entry.event)
}

fn shorten_id(id: &str) -> &str {
    id.char_indices().nth(ID).and_then(|(end, _)| id.get(..end)).unwrap_or(id)
}
