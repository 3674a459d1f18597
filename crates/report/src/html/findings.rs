//! What was found: by session, by event, by what the log says there.

use super::effect;
use super::excerpt::{Excerpt, Group, Subject, level};
use super::markup::{Html, code, element, facts, lines, message, span, text};
use super::rules::anchor;
use crate::causes::{self, CauseGroup};
use crate::command_line;
use crate::escape::shorten;
use crate::measured::grouped;
use crate::next_step::next_step;
use crate::order;
use crate::text::counted;
use crate::view::{Report, ShownFinding, ShownLocation};
use agent_strace_secrets::Redacted;

/// Longest message, name and piece of a log that are shown, in characters; a piece also in lines.
const MESSAGE: usize = 1_000;
const NAME: usize = 200;
const EVIDENCE: usize = 2_000;
const EVIDENCE_LINES: usize = 40;
/// With up to so many findings, all show at once.
const UNFOLDED: usize = 20;
/// Causes of notes in a page.
const CAUSES: usize = 100;

pub(super) fn section(report: &Report, excerpt: &Excerpt<'_>) -> Html {
    let mut parts = vec![element("h2", &[("id", "findings"), ("tabindex", "-1")], [text("Findings")])];
    let causes = causes::counted_causes(report);
    if excerpt.total == 0 && causes.is_empty() {
        parts.push(element("p", &[("class", "empty")], [text("Nothing was found.")]));
    } else if excerpt.total > 0 {
        parts.extend(left_out(excerpt));
        let is_filtered = super::filters::are_needed(excerpt);
        if is_filtered {
            parts.push(super::filters::bar(excerpt));
        }
        let mut number = 0;
        for (index, of) in excerpt.groups.iter().enumerate() {
            let fold = if index == 0 || excerpt.shown <= UNFOLDED { Fold::Open } else { Fold::Closed };
            parts.push(group(report, of, fold, &mut number));
        }
        if is_filtered {
            let nothing = [text("No finding on this page matches the filters.")];
            parts.push(element("p", &[("class", "empty"), ("id", "nothing"), ("hidden", "")], nothing));
        }
    }
    if !causes.is_empty() {
        parts.push(notes_by_cause(&causes));
    }
    element("section", &[("aria-labelledby", "findings")], parts)
}

/// Acts whose effects the log does not show, by cause.
fn notes_by_cause(causes: &[CauseGroup<'_>]) -> Html {
    let line = |cause: &CauseGroup<'_>| {
        let count = counted(cause.findings.len(), "act");
        element("li", &[], [text(&count), text(": "), message(&shorten(&cause.note(), MESSAGE))])
    };
    let mut parts = vec![element("h3", &[("id", "notes")], [text("Not resolved, and no more than a note")])];
    parts.push(element("ul", &[("class", "list")], causes.iter().take(CAUSES).map(line)));
    let rest = causes.len().saturating_sub(CAUSES);
    let more = if rest > 0 { format!("{} more. ", counted(rest, "cause")) } else { String::new() };
    parts.push(element("p", &[("class", "meta")], [text(&format!("{more}The JSON report lists each act."))]));
    element("section", &[("class", "group"), ("aria-labelledby", "notes")], parts)
}

fn left_out(excerpt: &Excerpt<'_>) -> Option<Html> {
    let missing = excerpt.total.checked_sub(excerpt.shown).filter(|missing| *missing > 0)?;
    let shown = format!(
        "{} of {} findings are not shown here: the page has the worst, the JSON report has them all.",
        grouped(missing as u64),
        grouped(excerpt.total as u64)
    );
    Some(element("p", &[("class", "notice")], [text(&shown)]))
}

/// Whether the findings of a group show at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fold {
    Open,
    Closed,
}

fn group(report: &Report, group: &Group<'_>, fold: Fold, number: &mut usize) -> Html {
    let title = format!("findings-of-{}", group.subject.key());
    let count = span("about", &counted(group.findings.len(), "finding"));
    let (name, about) = heading(group.subject);
    let mut parts = vec![element("summary", &[], [element("h3", &[("id", &title)], name), text(" "), count])];
    parts.extend(about);
    // Findings are sorted, so what one call did stands together, and what is about one file.
    let of_one = group.findings.chunk_by(|left, right| match group.subject {
        Subject::Session(..) => left.event == right.event,
        Subject::Change | Subject::Run => report.file_of(left) == report.file_of(right),
    });
    let mut events: Vec<&[&ShownFinding]> = of_one.collect();
    events.sort_by_cached_key(|findings| findings.iter().map(|finding| order::rank_in_session(finding)).min());
    parts.extend(events.into_iter().map(|findings| event(report, group.subject, findings, number)));
    let mut attributes = vec![("class", "group"), ("aria-labelledby", &*title)];
    attributes.extend((fold == Fold::Open).then_some(("open", "")));
    element("details", &attributes, parts)
}

/// The name of a group, and what else is said of it.
fn heading(subject: Subject<'_>) -> (Vec<Html>, Option<Html>) {
    let session = match subject {
        Subject::Change => return (vec![text("The change")], None),
        Subject::Run => return (vec![text("Exceptions and suppressions")], None),
        Subject::Session(_, session) => session,
    };
    let name = vec![text("Session "), code(&shorten(session.id.as_str(), NAME))];
    let link = element("a", &[("href", &format!("#session-{}", subject.key()))], [text("what else it did")]);
    let (agent, source) = (shorten(session.agent.as_str(), NAME), shorten(session.source.as_str(), NAME));
    let about = [text(&agent), text(" · "), code(&source), text(" · "), link];
    (name, Some(element("p", &[("class", "meta")], about)))
}

pub(super) fn event(report: &Report, subject: Subject<'_>, findings: &[&ShownFinding], number: &mut usize) -> Html {
    let mut parts = Vec::new();
    if let Some(first) = findings.first() {
        parts.extend(match subject {
            Subject::Session(..) => Some(event_heading(first)),
            Subject::Change | Subject::Run => file_heading(report.file_of(first)),
        });
    }
    for (evidence, findings) in by_evidence(findings) {
        parts.extend(evidence.map(|said| element("pre", &[("class", "evidence")], [lines(&excerpted(said))])));
        for found in findings {
            *number += 1;
            parts.push(finding(report, subject, found, *number));
        }
    }
    element("article", &[("class", "event")], parts)
}

fn file_heading(file: &str) -> Option<Html> {
    (!file.is_empty()).then(|| element("h4", &[], [code(&shorten(file, NAME))]))
}

fn event_heading(first: &ShownFinding) -> Html {
    if first.is_whole() {
        return element("h4", &[], [text("The whole session")]);
    }
    let name = match first.until.filter(|until| *until > first.event) {
        Some(until) => format!("Events {} to {until}", first.event),
        None => format!("Event {}", first.event),
    };
    let tool = first.tool.as_ref().map(|tool| code(&shorten(tool.as_str(), NAME)));
    let location = span("meta", &format!("line {} of the log", first.line));
    let parts = [text(&name), text(" "), tool.unwrap_or_default(), text(" "), location];
    element("h4", &[], parts)
}

/// By evidence; those without any stand before the others, so that nothing stands below what the log says elsewhere.
fn by_evidence<'a>(findings: &[&'a ShownFinding]) -> Vec<(Option<&'a str>, Vec<&'a ShownFinding>)> {
    let mut groups = crate::text::by_evidence(order::arranged(findings.iter().copied()));
    groups.sort_by_key(|(evidence, _)| evidence.is_some());
    groups
}

/// A piece of a log that is not longer than a reader looks at; what is cut shows.
fn excerpted(said: &str) -> String {
    let total = said.lines().count();
    let kept: Vec<&str> = said.lines().take(EVIDENCE_LINES).collect();
    let shown = shorten(&kept.join("\n"), EVIDENCE);
    if total > EVIDENCE_LINES { format!("{shown}\n… and {} more lines", total - EVIDENCE_LINES) } else { shown }
}

fn finding(report: &Report, subject: Subject<'_>, finding: &ShownFinding, number: usize) -> Html {
    let level = level(finding);
    let policy = finding.policy.as_ref().filter(|location| !report.file(location).is_empty());
    let what = element("span", &[("class", "message")], [message(&shorten(&finding.said(), MESSAGE))]);
    let mut about = vec![code(finding.rule.as_str())];
    if let Some(location) = policy {
        let position = format!("{}:{}", report.file(location), location.line);
        about.extend([text(" by "), code(&shorten(&position, NAME))]);
    }
    let about = element("span", &[("class", "about")], about);
    let summary = element("summary", &[], [badge(level), text(" "), what, text(" "), about]);
    let rule = [
        element("a", &[("href", &format!("#{}", anchor(finding.rule.as_str())))], [code(finding.rule.as_str())]),
        known(finding),
    ];
    let rows =
        [("Rule", Some(rule.into_iter().collect())), ("Policy", policy.map(|location| policy_line(report, location)))];
    let named = policy.and_then(ShownLocation::named).map(|named| text(&named));
    let rows = rows.into_iter().chain([("Named there", named)]).chain(effect::rows(finding.effect.as_deref()));
    let step = next_step(report, finding);
    let rows = rows.chain([("Next step", (!step.is_empty()).then(|| message(&step)))]);
    let details = facts("facts", rows.chain(record(report, subject, finding)));
    let attributes = [
        ("class", format!("finding {level}")),
        ("id", format!("finding-{number}")),
        ("data-level", level.to_owned()),
        ("data-rule", finding.rule.to_string()),
        ("data-session", subject.key()),
    ];
    let attributes: Vec<(&str, &str)> = attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
    element("details", &attributes, [summary, details])
}

/// The level in words and by a mark: never by colour alone.
pub(super) fn badge(level: &str) -> Html {
    let mark = match level {
        "error" | "fail" => "✕",
        "warning" => "!",
        "incomplete" => "?",
        "pass" => "✓",
        _ => "i",
    };
    let mark = element("span", &[("class", "mark"), ("aria-hidden", "true")], [text(mark)]);
    element("span", &[("class", &format!("badge {level}"))], [mark, text(level)])
}

/// What the rule is for.
fn known(finding: &ShownFinding) -> Html {
    agent_strace_rules::find(finding.rule.as_str()).map_or(Html::default(), |rule| text(&format!(": {}", rule.summary)))
}

fn policy_line(report: &Report, location: &ShownLocation) -> Html {
    let position = format!("{}:{}:{}", report.file(location), location.line, location.column);
    let entry = location.quoted().map(|entry| [text(" "), code(&entry)].into_iter().collect::<Html>());
    [code(&position), text(" "), span("meta", &location.pointer), entry.unwrap_or_default()].into_iter().collect()
}

/// Where the log tells it, and what the finding is called by other programs.
fn record(
    report: &Report,
    subject: Subject<'_>,
    finding: &ShownFinding,
) -> impl IntoIterator<Item = (&'static str, Option<Html>)> {
    let source = subject.session().map_or_else(|| report.file_of(finding), |session| session.source.as_str());
    let location = (!source.is_empty() && finding.line > 0).then(|| code(&format!("{source}:{}", finding.line)));
    let value = |text: Option<&Redacted>| text.map(|text| code(&shorten(text.as_str(), NAME)));
    [
        (if subject.session().is_some() { "Recorded at" } else { "Stands at" }, location),
        ("In the record", value(finding.pointer.as_ref())),
        ("Event id", value(finding.event_id.as_ref())),
        ("Fingerprint", Some(code(&finding.fingerprint))),
        (
            "Explain it",
            Some(code(&command_line::explain(report, report.ids.of(&finding.fingerprint), subject.session()))),
        ),
    ]
}
