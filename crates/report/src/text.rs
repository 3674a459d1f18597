//! `check` for people: the causes of findings, findings by session, what could not be read, one closing line.

use std::collections::BTreeMap;

use super::Colour;
use super::causes::{self, is_counted};
use super::change::{AfterMerge, ShownChange, ShownRevision};
use super::escape::{shorten, terminal};
use super::order;
use super::overview::{self, Overview};
use super::paint::Paint;
use super::view::{Report, ShownFinding, ShownGap, ShownSession, ShownUse};
use super::work_tree::ShownTree;
use agent_strace_engine::Verdict;
use agent_strace_model::Gap;
use agent_strace_model::finding::Level;
use agent_strace_policy::WaiverOrigin;
use agent_strace_secrets::Redacted;

/// Longest piece of a log that is quoted.
const EVIDENCE: usize = 160;
/// Longest name of a tool that is shown.
const TOOL: usize = 60;
/// Sessions and gaps beyond these are counted, not listed.
const GAPS: usize = 50;
/// The same in a report of so many findings that they are not listed.
const FOLDED: usize = 3;

/// Which findings are listed one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    /// All of them, unless there are many: then their causes, and the sessions with the most.
    Few,
    Each,
}

pub(super) fn render(report: &Report, listing: Listing, colour: Colour) -> String {
    let paint = Paint(colour);
    let mut lines = vec![judged_by(report)];
    lines.extend(report.change.as_ref().map(change_shown));
    lines.extend(report.work_tree.as_ref().map(ShownTree::line));
    let overview = Overview::new(report);
    let is_each = listing == Listing::Each || causes::are_few(report);
    if overview.says_more() {
        lines.extend(overview.causes(&paint));
    }
    if is_each {
        lines.extend(of_change(report, Some(&overview), &paint));
        lines.extend(remarks(report, Some(&overview), &paint));
        lines.extend(by_session(report, &overview, &paint));
    } else {
        lines.extend(overview::sessions(report, &paint));
    }
    if !overview.says_more() {
        lines.extend(notes_by_cause(report, &paint));
    }
    let most = if is_each { GAPS } else { FOLDED };
    lines.extend(uses(report, most, &paint));
    if !report.gaps.is_empty() {
        lines.push(String::new());
        lines.push(paint.warning(&format!("could not be read ({}):", report.gaps.len())));
        lines.extend(report.gaps.iter().take(most).map(|gap| format!("  {}", gap_text(gap))));
        lines.extend(more(report.gaps.len(), most));
    }
    lines.push(String::new());
    lines.extend(overview.explain());
    lines.extend(report.change.as_ref().and_then(after_merge));
    lines.push(verdict(report, &paint));
    lines.join("\n") + "\n"
}

/// Findings in the sessions, call by call: what is said about the gate and the evidence first, then in the order of the log.
fn by_session(report: &Report, overview: &Overview<'_>, paint: &Paint) -> Vec<String> {
    let mut lines = Vec::new();
    for session in &report.sessions {
        let listed = session.findings.iter().filter(|finding| !is_counted(report, finding));
        let listed: Vec<&ShownFinding> = listed.collect();
        if listed.is_empty() {
            continue;
        }
        lines.push(String::new());
        lines.push(heading(session, paint));
        lines.extend(session.is_of_base.then(|| "  the base of the change has this session already".to_owned()));
        lines.extend(session.who.line(terminal).map(|line| format!("  {line}")));
        // Findings are sorted by event, so those of one call are together.
        let mut events: Vec<&[&ShownFinding]> = listed.chunk_by(|left, right| left.event == right.event).collect();
        events.sort_by_key(|findings| findings.iter().map(|finding| order::rank_in_session(finding)).min());
        for findings in events {
            lines.extend(event_lines(report, session, findings, overview, paint));
        }
    }
    lines
}

/// Acts whose effects the log does not show, by cause.
fn notes_by_cause(report: &Report, paint: &Paint) -> Vec<String> {
    let causes = causes::counted_causes(report);
    if causes.is_empty() {
        return Vec::new();
    }
    let heading = "not resolved, and no more than a note (`--format json` lists each)";
    let lines = causes.iter().map(|cause| {
        let count = cause.findings.len();
        format!("  {count:>5}  {}", shorten(&terminal(&cause.note()), EVIDENCE))
    });
    [String::new(), paint.bold(heading)].into_iter().chain(lines).collect()
}

/// `the change abc… (origin/main) to def… (HEAD): 3 files, 1 commit`.
pub(super) fn change_shown(change: &ShownChange) -> String {
    let revision = |shown: &ShownRevision| {
        let commit = shown.commit.get(..12).unwrap_or(&shown.commit);
        let name = terminal(shown.name.as_str());
        if shown.commit.starts_with(&name) { commit.to_owned() } else { format!("{name} ({commit})") }
    };
    let commits = if change.commits == 0 { String::new() } else { format!(", {}", counted(change.commits, "commit")) };
    let (base, head) = (revision(&change.base), revision(&change.head));
    format!("the change from {base} to {head}: {}{commits}", counted(change.files, "file"))
}

/// How it is judged once it is merged, where other files will judge then.
pub(super) fn after_merge(change: &ShownChange) -> Option<String> {
    Some(match change.after_merge.as_ref()? {
        AfterMerge::Judged { passes: true, .. } => {
            "after the merge, by the files of the change itself, this would pass".to_owned()
        }
        AfterMerge::Judged { errors, warnings, .. } => format!(
            "after the merge, by the files of the change itself, this would not pass: {}, {}",
            counted(*errors, "error"),
            counted(*warnings, "warning")
        ),
        AfterMerge::Broken(reason) => {
            format!("after the merge nothing could be judged: {}", terminal(reason.as_str()))
        }
    })
}

/// What is said about the change as a whole, file by file.
pub(super) fn of_change(report: &Report, overview: Option<&Overview<'_>>, paint: &Paint) -> Vec<String> {
    if report.of_change.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), paint.bold("the change")];
    let width = report.of_change.iter().map(|finding| finding.rule.as_str().len()).max().unwrap_or(0);
    let of_one = report.of_change.chunk_by(|left, right| report.file_of(left) == report.file_of(right));
    let mut files: Vec<&[ShownFinding]> = of_one.collect();
    files.sort_by_key(|findings| findings.iter().map(order::rank).min());
    for findings in files {
        if let Some(first) = findings.first() {
            lines.push(format!("  {}:{}", terminal(report.file_of(first)), first.line));
        }
        for finding in order::arranged(findings) {
            lines.extend(named_lines(report, finding, width, paint));
            lines.extend(overview.and_then(|overview| overview.fix_of(finding)));
        }
    }
    lines
}

/// What exceptions and suppressions themselves are worth reporting, and what they were used for.
pub(super) fn waivers(report: &Report, paint: &Paint) -> Vec<String> {
    let mut lines = remarks(report, None, paint);
    lines.extend(uses(report, usize::MAX, paint));
    lines
}

fn remarks(report: &Report, overview: Option<&Overview<'_>>, paint: &Paint) -> Vec<String> {
    let mut lines = Vec::new();
    if !report.remarks.is_empty() {
        lines.extend([String::new(), paint.bold("exceptions and suppressions")]);
        let width = report.remarks.iter().map(|finding| finding.rule.as_str().len()).max().unwrap_or(0);
        for finding in &report.remarks {
            lines.extend(named_lines(report, finding, width, paint));
            lines.extend(overview.and_then(|overview| overview.fix_of(finding)));
        }
    }
    lines
}

fn uses(report: &Report, most: usize, paint: &Paint) -> Vec<String> {
    let mut lines = Vec::new();
    if !report.uses.is_empty() {
        lines.extend([String::new(), paint.bold("findings that do not count")]);
        lines.extend(report.uses.iter().take(most).map(|used| format!("  {}", use_text(report, used))));
        lines.extend(more(report.uses.len(), most));
    }
    lines
}

/// `2 findings of `scope/read` excepted until 2026-12-31 by @ana: INC-42 (.agent-scope.json:12:5)`.
pub(super) fn use_text(report: &Report, used: &ShownUse) -> String {
    let how = match used.origin {
        WaiverOrigin::Exception => "excepted",
        WaiverOrigin::Suppression => "suppressed",
    };
    format!(
        "{} of {} {how} until {} by {}: {} ({}:{}:{})",
        counted(used.uses, "finding"),
        terminal(used.rule.as_str()),
        used.until,
        terminal(used.owner.as_str()),
        shorten(&terminal(used.reason.as_str()), EVIDENCE),
        terminal(report.file(&used.location)),
        used.location.line,
        used.location.column,
    )
}

/// What judged what: a pass without it proves nothing.
pub(super) fn judged_by(report: &Report) -> String {
    format!(
        "judged {}: {}, {}, {}, {}",
        policy_shown(report),
        counted(report.sessions.len(), "session"),
        counted(report.sum(|session| session.events), "event"),
        counted(report.sum(|session| session.tool_calls), "tool call"),
        counted(report.sum(|session| session.effects), "effect"),
    )
}

pub(super) fn policy_shown(report: &Report) -> String {
    match &report.policy {
        None => "without a policy file".to_owned(),
        Some(policy) => {
            let revision = policy.revision.as_ref().map(|at| format!(" at {}", terminal(at.as_str())));
            let digest = policy.sha256.get(..12).unwrap_or(&policy.sha256);
            let extends: Vec<String> = policy
                .extends
                .iter()
                .map(|file| format!(" with the {} {}", file.role, terminal(file.path.as_str())))
                .collect();
            format!(
                "by {}{} (sha256 {digest}){}",
                terminal(policy.path.as_str()),
                revision.unwrap_or_default(),
                extends.concat()
            )
        }
    }
}

fn heading(session: &ShownSession, paint: &Paint) -> String {
    paint.bold(&format!(
        "session {} ({}, {})",
        terminal(session.id.as_str()),
        terminal(session.agent.as_str()),
        terminal(session.source.as_str()),
    ))
}

/// One event: where it stands, then each piece of what the log says with everything found in it.
fn event_lines(
    report: &Report,
    session: &ShownSession,
    findings: &[&ShownFinding],
    overview: &Overview<'_>,
    paint: &Paint,
) -> Vec<String> {
    let Some(first) = findings.first() else { return Vec::new() };
    let tool = first.tool.as_ref().map(|tool| format!(" {}", shorten(&terminal(tool.as_str()), TOOL)));
    let source = terminal(session.source.as_str());
    let mut lines = Vec::new();
    if first.is_whole() {
        lines.push("  the whole session".to_owned());
    } else {
        lines.push(format!("  event {}{} at {source}:{}", first.event, tool.unwrap_or_default(), first.line));
    }
    let width = findings.iter().map(|finding| finding.rule.as_str().len()).max().unwrap_or(0);
    for (evidence, findings) in by_evidence(order::arranged(findings.iter().copied())) {
        lines.extend(evidence.map(|said| format!("    > {}", shorten(&terminal(said), EVIDENCE))));
        for finding in findings {
            lines.extend(named_lines(report, finding, width, paint));
            lines.extend(overview.fix_of(finding));
        }
    }
    lines
}

/// Findings with the same evidence together, in the order in which each evidence comes first.
pub(super) fn by_evidence<'a>(
    findings: impl IntoIterator<Item = &'a ShownFinding>,
) -> Vec<(Option<&'a str>, Vec<&'a ShownFinding>)> {
    let mut groups: Vec<(Option<&str>, Vec<&ShownFinding>)> = Vec::new();
    let mut indices = BTreeMap::new();
    for finding in findings {
        let evidence = finding.evidence.as_ref().map(Redacted::as_str);
        let index = *indices.entry(evidence).or_insert_with(|| {
            groups.push((evidence, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, group)) = groups.get_mut(index) {
            group.push(finding);
        }
    }
    groups
}

/// The same with the id by which `explain` finds it.
fn named_lines(report: &Report, finding: &ShownFinding, width: usize, paint: &Paint) -> Vec<String> {
    let mut lines = finding_lines(report, finding, width, paint);
    if let Some(first) = lines.first_mut() {
        *first = format!("{first} [{}]", report.ids.of(&finding.fingerprint));
    }
    lines
}

pub(super) fn finding_lines(report: &Report, finding: &ShownFinding, width: usize, paint: &Paint) -> Vec<String> {
    let message = terminal(&finding.said());
    let mut lines = vec![format!("    {}  {:width$}  {message}", paint.finding(finding), finding.rule)];
    if let Some(pointer) = &finding.pointer {
        lines.push(format!(
            "             at line {}, {}",
            finding.line,
            shorten(&terminal(pointer.as_str()), EVIDENCE)
        ));
    }
    if let Some(location) = finding.policy.as_ref().filter(|location| !report.file(location).is_empty()) {
        let path = terminal(report.file(location));
        let pointer = terminal(&location.pointer);
        lines.push(format!("             by {path}:{}:{} ({pointer})", location.line, location.column));
        lines.extend(location.named().map(|named| format!("             {}", terminal(&named))));
    }
    lines
}

pub(super) fn gap_text(gap: &ShownGap) -> String {
    let line = gap.line.map(|line| format!(":{line}"));
    format!("{}{}: {}", terminal(gap.file.as_str()), line.unwrap_or_default(), terminal(gap.reason.as_str()))
}

/// The same for formats that escape a whole sentence.
pub(super) fn gap_plain(gap: &ShownGap) -> String {
    let line = gap.line.map(|line| format!(":{line}"));
    format!("{}{}: {}", gap.file.as_str(), line.unwrap_or_default(), gap.reason.as_str())
}

pub(super) fn verdict(report: &Report, paint: &Paint) -> String {
    let word = match report.verdict {
        Verdict::Pass => paint.good("PASS"),
        Verdict::Fail => paint.error("FAIL"),
        Verdict::Incomplete => paint.warning("INCOMPLETE"),
    };
    format!("{word}: {}", counts(report))
}

/// Everything that a reader must know to trust the verdict.
pub(super) fn counts(report: &Report) -> String {
    let mut parts = vec![
        counted(report.count(Level::Error), "error"),
        counted(report.count(Level::Warning), "warning"),
        counted(report.count(Level::Note), "note"),
        counted(report.sum(|session| session.opaque), "opaque effect"),
        counted(report.sum(|session| session.attempts), "refused attempt"),
        counted(report.gaps.len(), "gap"),
    ];
    let incomplete = report.incomplete();
    if incomplete > 0 {
        parts.push(format!("evidence missing in {}", counted(incomplete, "place")));
    }
    let unknown = report.sum(|session| session.unknown_records as usize);
    if unknown > 0 {
        parts.push(counted(unknown, "record") + " of unknown type");
    }
    let waived = [
        (report.waived_by(WaiverOrigin::Exception), "excepted"),
        (report.waived_by(WaiverOrigin::Suppression), "suppressed"),
        (report.baselined(), "known from the baseline"),
    ];
    let waived = waived.iter().filter(|(count, _)| *count > 0);
    parts.extend(waived.map(|(count, how)| format!("{} {how}", counted(*count, "finding"))));
    parts.join(", ")
}

pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

pub(super) fn more(total: usize, shown: usize) -> Option<String> {
    (total > shown).then(|| format!("  ... and {} more", total - shown))
}

/// Gaps of a command that gives no verdict.
pub fn gap_lines(gaps: &[Gap]) -> Vec<String> {
    let shown = gaps.iter().take(GAPS).map(|gap| format!("warning: {}", gap_text(&ShownGap::new(gap))));
    shown.chain(more(gaps.len(), GAPS)).collect()
}
