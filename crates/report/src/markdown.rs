//! `--format markdown`: a job summary, or the one comment on a pull request that each run replaces.
//!
//! Its reader is a reviewer who never heard of this program: what was decided and by what comes first, then what was found,
//! cause by cause, with what to do about each, then all findings, folded, and what agents did. Log text is escaped, and each part has a bounded size, so that
//! the whole fits into a comment whatever the logs hold.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::activity;
use super::causes::{self, CauseGroup, is_counted};
use super::command_line;
use super::escape::{markdown, markdown_code, shorten};
use super::next_step::next_step_of;
use super::order::{self, Class};
use super::text::{after_merge, change_shown, counted, counts, use_text};
use super::view::{Report, ShownFinding, ShownGap, ShownSession};
use agent_strace_engine::Verdict;
use agent_strace_model::finding::Level;

/// By this a job finds its comment again. It stays the same for ever.
const MARKER: &str = "<!-- agent-strace:gate -->";
const CELL: usize = 240;
/// Findings of one cause.
const ROWS: usize = 10;
/// Characters that a table takes without its rows.
const HEADING: usize = 500;
const EVIDENCE: usize = 120;
const STEP: usize = 600;
const LISTED: usize = 50;
/// A part of more lines is folded.
const FOLDED: usize = 5;

/// The most characters of each part. A comment may have 65,536 of them, and what the platform adds needs room: together
/// with the head, all parts stay below 60,000.
const CAUSES: usize = 10_000;
const MORE_CAUSES: usize = 4_000;
const FINDINGS: usize = 18_000;
const RULES: usize = 12_000;
const ACTIVITY: usize = 4_000;
const SESSIONS: usize = 3_000;
const USES: usize = 4_000;
const GAPS: usize = 3_000;

/// Causes that are not folded: with four lines for each, they fit on one screen.
const UNFOLDED: usize = 8;

const ABOUT: &str = "agent-strace reads the logs of AI coding agents, works out which files, commands, hosts and tools they \
                     touched, and holds that against the policy that is committed in this repository.";

const EXCEPTIONS: &str = "What has to be done all the same is excepted, with a reason, an owner and a last day: in \
                          `exceptions` of the policy or `suppressions` of `.agent-strace.yaml`. A change can't except \
                          itself where the base branch judges.";

pub(super) fn render(report: &Report) -> String {
    let mut text = format!("{MARKER}\n## {}\n\n{ABOUT}\n\n{}", verdict(report), judged_by(report));
    let causes = causes::causes(report);
    push_causes(&mut text, report, &causes);
    push_findings(&mut text, report, &causes);
    push_rules(&mut text, report);
    if !report.sessions.is_empty() {
        let did = activity::lines(report, cell).each_ref().map(activity_line);
        push_part(&mut text, "What the agents did", ACTIVITY, did.to_vec(), "lines");
    }
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
        Verdict::Pass if report.sessions.is_empty() => {
            "✅ agent-strace: pass, no agent session came with this".to_owned()
        }
        Verdict::Pass => {
            "✅ agent-strace: pass, all that the sessions show was read and stays within the policy".to_owned()
        }
        Verdict::Fail => {
            let failing = report.findings().filter(|(_, finding)| report.fails(finding)).count();
            let verb = if failing == 1 { "fails" } else { "fail" };
            format!("❌ agent-strace: fail, {} {verb} this run", counted(failing, "finding"))
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
    if lines.is_empty() {
        return;
    }
    let is_folded = lines.len() > FOLDED;
    if is_folded {
        let _ = write!(text, "\n<details><summary>{heading} ({})</summary>\n\n", lines.len());
    } else {
        let _ = write!(text, "\n### {heading}\n\n");
    }
    push_lines(text, most, lines.len(), lines.into_iter().take(LISTED), noun);
    if is_folded {
        text.push_str("\n</details>\n");
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

/// Writes the findings by cause: causes that need action first, and notes folded.
fn push_causes(text: &mut String, report: &Report, causes: &[CauseGroup<'_>]) {
    let is_open = |cause: &&CauseGroup<'_>| {
        cause.first().is_some_and(|first| order::rank(first).0 < Class::Note || report.fails(first))
    };
    let (open, notes): (Vec<&CauseGroup<'_>>, Vec<&CauseGroup<'_>>) = causes.iter().partition(is_open);
    if !open.is_empty() {
        text.push_str("\n### What was found\n\n");
        let lines = open.iter().take(UNFOLDED).map(|cause| cause_item(report, cause));
        push_lines(text, CAUSES, open.len().min(UNFOLDED), lines, "causes");
        let _ = write!(text, "\nExplain a finding: {}\n", prose(&format!("`{}`", command_line::explain_any(report))));
    }
    let folded: Vec<&CauseGroup<'_>> = open.into_iter().skip(UNFOLDED).chain(notes).collect();
    if folded.is_empty() {
        return;
    }
    let findings: usize = folded.iter().map(|cause| cause.findings.len()).sum();
    let cause = if folded.len() == causes.len() { "cause" } else { "more cause" };
    let heading = format!("{} with {}", counted(folded.len(), cause), counted(findings, "finding"));
    let _ = write!(text, "\n<details><summary>{heading}</summary>\n\n");
    let lines = folded.iter().map(|cause| cause_item(report, cause));
    push_lines(text, MORE_CAUSES, folded.len(), lines, "causes");
    text.push_str("\n</details>\n");
}

/// One cause: how often, why, an example, and what to do.
fn cause_item(report: &Report, cause: &CauseGroup<'_>) -> String {
    let Some(first) = cause.first() else { return String::new() };
    let level = if first.is_incomplete() { "incomplete" } else { first.level.name() };
    let mut item = format!("- **{level} {}** ({}): {}", first.rule, cause.count(), prose(&cause.reason()));
    let acts = cause.acts().map(|acts| format!("{}; ", prose(&acts))).unwrap_or_default();
    let at = cause.example(report).map(|at| format!(" at {}", markdown(&at))).unwrap_or_default();
    let evidence = first
        .evidence
        .as_ref()
        .map(|said| format!(": <code>{}</code>", markdown_code(&shorten(said.as_str(), EVIDENCE))));
    let id = markdown(report.ids.of(&first.fingerprint));
    let _ = write!(item, "<br>{acts}e.g. {id}{at}{}", evidence.unwrap_or_default());
    let step = next_step_of(report, &cause.findings);
    if !step.is_empty() {
        let _ = write!(item, "<br>**Next:** {}", prose(&shorten(&step, STEP)));
    }
    item + "\n"
}

/// The findings of each cause, folded. Where there are few, one that is the only one of its cause is shown already.
fn push_findings(text: &mut String, report: &Report, causes: &[CauseGroup<'_>]) {
    let is_few = causes::are_few(report);
    let several = causes.iter().filter(|cause| cause.findings.len() > 1 || !is_few);
    let listed = several.filter(|cause| !cause.first().is_some_and(|first| causes::is_counted(report, first)));
    let listed: Vec<&CauseGroup<'_>> = listed.collect();
    if listed.is_empty() {
        return;
    }
    let total: usize = listed.iter().map(|cause| cause.findings.len()).sum();
    let (mut left, mut shown) = (FINDINGS, 0);
    text.push_str("\n### Findings of each cause\n\n");
    for cause in listed {
        let (table, rows) = cause_table(report, cause, left);
        left = left.saturating_sub(table.chars().count());
        shown += rows;
        text.push_str(&table);
    }
    if shown < total {
        let _ = write!(text, "\n{} of {total} findings are not shown here.\n", total - shown);
    }
}

/// The rows of one cause that fit into so many characters, and how many these are.
fn cause_table(report: &Report, cause: &CauseGroup<'_>, most: usize) -> (String, usize) {
    let (mut rows, mut length, mut shown) = (String::new(), 0, 0);
    for (session, finding) in cause.findings.iter().take(ROWS) {
        let row = row(report, *session, finding);
        length += row.chars().count();
        if length > most.saturating_sub(HEADING) {
            break;
        }
        rows.push_str(&row);
        shown += 1;
    }
    let Some(first) = cause.first().filter(|_| shown > 0) else { return (String::new(), 0) };
    let heading = format!("{} ({}): {}", first.rule, cause.count(), prose(&cause.reason()));
    let head = "| level | rule | what | where | policy | id |\n|---|---|---|---|---|---|\n";
    (format!("<details><summary>{heading}</summary>\n\n{head}{rows}\n</details>\n"), shown)
}

fn row(report: &Report, session: Option<&ShownSession>, finding: &ShownFinding) -> String {
    let evidence = finding
        .evidence
        .as_ref()
        .map(|text| format!("<br><code>{}</code>", markdown_code(&shorten(text.as_str(), CELL))));
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
        "| {} | {} | {}{} | {}&#58;{}<br>{event} | {policy} | {} |\n",
        if finding.is_incomplete() { "incomplete" } else { finding.level.name() },
        finding.rule,
        prose(&shorten(&finding.said(), CELL)),
        evidence.unwrap_or_default(),
        cell(source),
        finding.line,
        markdown(report.ids.of(&finding.fingerprint)),
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
    let has_worse = report.findings().any(|(_, finding)| finding.level > Level::Note || report.fails(finding));
    if has_worse {
        let _ = write!(text, "\n### How to fix or except them\n\n{EXCEPTIONS}\n\n");
    } else {
        text.push_str("\n### About these notes\n\n");
    }
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

/// A sentence in which names stand between backticks: these are shown as code. An odd backtick closes nothing.
fn prose(text: &str) -> String {
    let pieces: Vec<&str> = text.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return markdown(text);
    }
    let shown = pieces.iter().enumerate().map(|(at, piece)| match (at % 2 == 1, piece.is_empty()) {
        (true, false) => format!("<code>{}</code>", markdown_code(piece)),
        _ => markdown(piece),
    });
    shown.collect()
}

fn cell(text: &str) -> String {
    markdown(&shorten(text, CELL))
}
