//! `--format markdown`: a job summary, or the one comment on a pull request that each run replaces.
//!
//! Its reader is a reviewer who never heard of this program: what was decided and by what comes first, then what agents
//! did, what stands against it, and what to do about that. Log text is escaped, and each part has a bounded size, so that
//! the whole fits into a comment whatever the logs hold.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::activity;
use super::escape::{markdown, shorten};
use super::notes::{self, is_counted};
use super::text::{after_merge, change_shown, counted, counts, use_text};
use super::view::{Report, ShownFinding, ShownGap, ShownSession};
use agent_strace_engine::Verdict;

/// By this a job finds its comment again. It stays the same for ever.
const MARKER: &str = "<!-- agent-strace:gate -->";
const CELL: usize = 240;
const ROWS: usize = 200;
const LISTED: usize = 50;

/// The most characters of each part. A comment may have 65,536 of them, and what the platform adds needs room: together
/// with the head, all parts stay below 60,000.
const FINDINGS: usize = 26_000;
const RULES: usize = 14_000;
const ACTIVITY: usize = 5_000;
const SESSIONS: usize = 4_000;
const USES: usize = 4_000;
const GAPS: usize = 4_000;
const NOTES: usize = 2_000;

const ABOUT: &str = "agent-strace reads the logs of AI coding agents, works out which files, commands, hosts and tools they \
                     touched, and holds that against the policy that is committed in this repository.";

const EXCEPTIONS: &str = "What has to be done all the same is excepted, with a reason, an owner and a last day: in \
                          `exceptions` of the policy or `suppressions` of `.agent-strace.yaml`. A change can't except \
                          itself where the base branch judges.";

pub(super) fn render(report: &Report) -> String {
    let mut text = format!("{MARKER}\n## {}\n\n{ABOUT}\n\n{}", verdict(report), judged_by(report));
    let did = activity::lines(report, cell).each_ref().map(activity_line);
    push_part(&mut text, "What the agents did", ACTIVITY, did.to_vec(), "lines");
    push_findings(&mut text, report);
    push_rules(&mut text, report);
    let uses = report.uses.iter().map(|used| format!("- {}\n", cell(&use_text(report, used)))).collect();
    push_part(&mut text, "Findings that do not count", USES, uses, "exceptions");
    let gaps = report.gaps.iter().map(gap_line).collect();
    push_part(&mut text, "Could not be read", GAPS, gaps, "gaps");
    let who = report.sessions.iter().filter_map(who).collect();
    push_part(&mut text, "Who ran the sessions", SESSIONS, who, "sessions");
    text
}

/// The decision in one sentence.
fn verdict(report: &Report) -> String {
    match report.verdict {
        Verdict::Pass => "✅ agent-strace: pass, what agents did was read whole and stays within the policy".to_owned(),
        Verdict::Fail => {
            let failing = report.findings().filter(|(_, finding)| report.fails(finding)).count();
            let stand = if failing == 1 { "stands" } else { "stand" };
            format!("❌ agent-strace: fail, {} {stand} against what agents did", counted(failing, "finding"))
        }
        Verdict::Incomplete => {
            "❓ agent-strace: incomplete, not all that agents did could be judged, so this is no pass".to_owned()
        }
    }
}

/// What a verdict proves nothing without.
fn judged_by(report: &Report) -> String {
    let mut text = String::new();
    match &report.policy {
        None => text.push_str("- judged without a policy file, by built-in rules\n"),
        Some(policy) => {
            let revision = policy.revision.as_ref().map(|at| format!(" at {}", cell(at.as_str())));
            let (path, revision) = (cell(policy.path.as_str()), revision.unwrap_or_default());
            let _ = writeln!(text, "- judged by {path}{revision}, sha256 `{}`", markdown(&policy.sha256));
            for file in policy.extends.iter().take(LISTED) {
                let _ = writeln!(text, "  - with the {} {}", file.role, cell(file.path.as_str()));
            }
        }
    }
    if let Some(change) = &report.change {
        let _ = writeln!(text, "- {}", cell(&change_shown(change)));
        text.extend(after_merge(change).map(|later| format!("- {}\n", cell(&later))));
    }
    if let Some(tree) = &report.work_tree {
        let _ = writeln!(text, "- {}", cell(&tree.line()));
    }
    let _ = writeln!(
        text,
        "- {}, {}, {}, {}",
        counted(report.sessions.len(), "session"),
        counted(report.sum(|session| session.events), "event"),
        counted(report.sum(|session| session.tool_calls), "tool call"),
        counted(report.sum(|session| session.effects), "effect"),
    );
    let _ = writeln!(text, "- {}", counts(report));
    let _ = writeln!(text, "- agent-strace {}", env!("CARGO_PKG_VERSION"));
    text
}

/// Appends a heading and lines while there is room, and says how many are missing. A part without lines is none.
fn push_part(text: &mut String, heading: &str, most: usize, lines: Vec<String>, noun: &str) {
    if !lines.is_empty() {
        let _ = write!(text, "\n### {heading}\n\n");
        push_lines(text, most, lines.len(), lines.into_iter().take(LISTED), noun);
    }
}

fn push_lines(text: &mut String, most: usize, total: usize, lines: impl Iterator<Item = String>, noun: &str) {
    let mut length = 0;
    let mut shown = 0;
    for line in lines {
        length += line.chars().count();
        if length > most {
            break;
        }
        text.push_str(&line);
        shown += 1;
    }
    if shown < total {
        let _ = write!(text, "\n{} of {total} {noun} are not shown here.\n", total - shown);
    }
}

fn activity_line(line: &activity::Line) -> String {
    let more = if line.more > 0 { format!(" and {} more", line.more) } else { String::new() };
    let names = if line.names.is_empty() { String::new() } else { format!(": {}{more}", line.names.join(", ")) };
    format!("- {}{names}\n", line.what)
}

fn push_findings(text: &mut String, report: &Report) {
    let mut findings: Vec<_> = report.findings().filter(|(_, finding)| !is_counted(report, finding)).collect();
    if findings.is_empty() {
        return push_notes(text, report);
    }
    findings.sort_by_key(|(_, finding)| std::cmp::Reverse((report.fails(finding), finding.level)));
    text.push_str("\n### Findings\n\n| level | rule | what | where | policy |\n|---|---|---|---|---|\n");
    let rows = findings.iter().take(ROWS).map(|(session, finding)| row(report, *session, finding));
    push_lines(text, FINDINGS, findings.len(), rows, "findings");
    push_notes(text, report);
}

/// Acts whose effects the log does not show, by cause.
fn push_notes(text: &mut String, report: &Report) {
    let causes = notes::causes(report);
    let lines = causes.iter().map(|(cause, count)| format!("- {}: {}\n", counted(*count, "act"), cell(cause)));
    push_part(text, "Not resolved, and no more than a note", NOTES, lines.collect(), "causes");
}

fn row(report: &Report, session: Option<&ShownSession>, finding: &ShownFinding) -> String {
    let evidence = finding.evidence.as_ref().map(|text| format!("<br><code>{}</code>", cell(text.as_str())));
    let policy = match &finding.policy {
        Some(location) if !report.file(location).is_empty() => {
            let named = location.named().map(|named| format!("<br>{}", cell(&named))).unwrap_or_default();
            let file = cell(report.file(location));
            format!("{file}&#58;{}<br>{}{named}", location.line, cell(&location.pointer))
        }
        _ => String::new(),
    };
    let event = match session {
        None if finding.file.is_some() => "the change".to_owned(),
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

/// What to do about the findings, rule by rule, those with most findings first.
fn push_rules(text: &mut String, report: &Report) {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, finding) in report.findings().filter(|(_, finding)| !is_counted(report, finding)) {
        *found.entry(finding.rule.as_str()).or_default() += 1;
    }
    if found.is_empty() {
        return;
    }
    let mut found: Vec<(&str, usize)> = found.into_iter().collect();
    found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let _ = write!(text, "\n### How to fix or except them\n\n{EXCEPTIONS}\n\n");
    let total = found.len();
    push_lines(text, RULES, total, found.into_iter().map(|(id, count)| rule_details(id, count)), "rules");
}

/// A rule's own words, folded. They are ours, and Markdown already.
fn rule_details(id: &str, count: usize) -> String {
    let known = agent_strace_rules::find(id);
    let summary = known.map_or("", |rule| rule.summary);
    let part = |heading: &str| known.and_then(|rule| part_of(rule.spec, heading)).unwrap_or_default();
    let (does, matters, fix) = (part("What it does"), part("Why it matters"), part("How to fix"));
    let heading = format!("{id}: {} ({})", markdown(summary), counted(count, "finding"));
    format!("<details><summary>{heading}</summary>\n\n{does}\n\n{matters}\n\n**How to fix.** {fix}\n\n</details>\n")
}

/// A part of a spec, without its heading.
fn part_of<'s>(spec: &'s str, heading: &str) -> Option<&'s str> {
    let (_, rest) = spec.split_once(&format!("\n## {heading}\n"))?;
    Some(rest.split("\n## ").next().unwrap_or(rest).trim())
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
