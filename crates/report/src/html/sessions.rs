//! What each session did, who ran it, and what its log proves.

use std::collections::BTreeSet;

use super::excerpt::{Excerpt, Subject};
use super::markup::{Html, code, element, facts, span, text};
use super::reproduce;
use super::verdict::of_session;
use crate::escape::shorten;
use crate::measured::grouped;
use crate::session::{ShownProof, ShownSubagent, ShownWho};
use crate::text::counted;
use crate::view::{Report, ShownSession};
use agent_strace_model::finding::Level;
use agent_strace_secrets::Redacted;

/// Sessions in a page, beside those with findings in it.
const MOST: usize = 200;
/// Values of one fact, and the longest.
const VALUES: usize = 20;
const LONGEST: usize = 300;

pub(super) fn section(report: &Report, excerpt: &Excerpt<'_>) -> Html {
    let mut parts = vec![element("h2", &[("id", "sessions")], [text("Sessions")])];
    if report.sessions.is_empty() {
        parts.push(element("p", &[("class", "empty")], [text("No session was judged.")]));
    }
    let linked = excerpt.groups.iter().filter_map(|group| match group.subject {
        Subject::Session(index, _) => Some(index),
        Subject::Change | Subject::Run => None,
    });
    let linked: BTreeSet<usize> = linked.collect();
    let numbered = report.sessions.iter().enumerate().map(|(at, session)| (at + 1, session));
    let kept = numbered.filter(|(index, _)| *index <= MOST || linked.contains(index));
    let cards: Vec<Html> = kept.map(|(index, session)| card(report, index, session)).collect();
    let missing = report.sessions.len().saturating_sub(cards.len());
    parts.extend(cards);
    parts.extend(not_shown(missing, report.sessions.len(), "sessions"));
    element("section", &[("aria-labelledby", "sessions")], parts)
}

/// What a page leaves out is said in it.
pub(super) fn not_shown(missing: usize, total: usize, noun: &str) -> Option<Html> {
    let (missing, total) = ((missing > 0).then(|| grouped(missing as u64))?, grouped(total as u64));
    let shown = format!("{missing} of {total} {noun} are not shown here; the JSON report has them all.");
    Some(element("p", &[("class", "notice")], [text(&shown)]))
}

fn card(report: &Report, index: usize, session: &ShownSession) -> Html {
    let name = [
        code(&shorten(session.id.as_str(), LONGEST)),
        text(" "),
        span("meta", &shorten(session.agent.as_str(), LONGEST)),
    ];
    let name = element("h3", &[], name);
    let did = format!(
        "{}, {}, {}",
        counted(session.tool_calls, "tool call"),
        counted(session.effects, "effect"),
        counted(session.findings.len(), "finding")
    );
    let did = element("span", &[("class", "about")], [text(&did)]);
    let summary = element("summary", &[], [of_session(session.verdict), text(" "), name, text(" "), did]);
    let columns = [
        column("What it did", facts("facts", counts(session))),
        column("Who ran it", known(facts("facts", who(&session.who)), "The log doesn't say.")),
        column("What its log proves", facts("facts", proof(&session.proof))),
        column("Look for yourself", reproduce::of_session(report, session)),
    ];
    let body = element("div", &[("class", "columns")], columns);
    let attributes = [("class", "card"), ("id", &*format!("session-{index}"))];
    element("details", &attributes, [summary, body])
}

fn column(title: &str, body: Html) -> Html {
    element("section", &[], [element("h4", &[], [text(title)]), body])
}

fn known(body: Html, otherwise: &str) -> Html {
    if body.as_str().is_empty() { element("p", &[("class", "meta")], [text(otherwise)]) } else { body }
}

type Row = (&'static str, Option<Html>);

fn counts(session: &ShownSession) -> Vec<Row> {
    let number = |count: usize| Some(text(&grouped(count as u64)));
    let level = |level: Level| session.findings.iter().filter(|finding| finding.level == level).count();
    let found = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Note, "note")];
    let found: Vec<String> = found.iter().map(|(of, noun)| counted(level(*of), noun)).collect();
    vec![
        ("Events", number(session.events)),
        ("Tool calls", number(session.tool_calls)),
        ("Calls judged", number(session.judged)),
        ("Effects", number(session.effects)),
        ("Not resolved", number(session.opaque)),
        ("Refused attempts", number(session.attempts)),
        ("Findings", Some(text(&found.join(", ")))),
        ("Could not be read", number(session.gaps.len())),
        ("Started by", one(session.parent.as_ref())),
        ("Log", Some(code(&shorten(session.source.as_str(), LONGEST)))),
    ]
}

fn who(who: &ShownWho) -> Vec<Row> {
    vec![
        ("User", one(who.user.as_ref())),
        ("Host", one(who.host.as_ref())),
        ("Version", one(who.version.as_ref())),
        ("Started from", one(who.entrypoint.as_ref())),
        ("Models", all(&who.models)),
        ("Permissions", all(&who.permission_modes)),
        ("Sandbox", all(&who.sandboxes)),
        ("Repository", one(who.repository.as_ref())),
        ("Branches", all(&who.branches)),
        ("Commit", one(who.commit.as_ref())),
        ("Directories", all(&who.directories)),
    ]
}

fn one(value: Option<&Redacted>) -> Option<Html> {
    value.map(|value| code(&shorten(value.as_str(), LONGEST)))
}

fn all(values: &[Redacted]) -> Option<Html> {
    if let [value] = values {
        return one(Some(value));
    }
    let shown = values.iter().take(VALUES).map(|value| element("li", &[], one(Some(value))));
    let more = values.len().checked_sub(VALUES).filter(|more| *more > 0);
    let more = more.map(|more| element("li", &[], [text(&format!("and {more} more"))]));
    (!values.is_empty()).then(|| element("ul", &[], shown.chain(more)))
}

fn proof(proof: &ShownProof) -> Vec<Row> {
    let some = |count: u32, what: &str| (count > 0).then(|| text(&format!("{} {what}", grouped(u64::from(count)))));
    let level = [code(proof.level), text(" "), text(grade(proof.level))].into_iter().collect();
    let counts = proof.counts.iter().filter(|count| count.stated != count.recorded);
    let counts: Vec<Html> = counts
        .map(|count| {
            let shown = format!("{}: it says {}, it holds {}", count.what.name(), count.stated, count.recorded);
            element("li", &[], [text(&shown)])
        })
        .collect();
    vec![
        ("Evidence", Some(level)),
        ("Came from", Some(text(source(proof.source)))),
        ("Its format holds", Some(text(carries(proof.carries)))),
        ("Digests", Some(text(chain(proof.chain)))),
        ("Records", some(proof.records, "were read")),
        ("Answered", Some(text(&format!("{} of {}", proof.answered, counted(proof.calls, "call"))))),
        ("Unknown records", some(proof.unknown_records, "are of a type that this version does not know")),
        ("Truncated", proof.truncated.then(|| text("it ends inside a record"))),
        ("Summarised", some(proof.compactions, "times")),
        ("Taken back", some(proof.rewinds, "times")),
        ("Removed", some(proof.removed, "messages, by the agent's host")),
        ("Totals that differ", (!counts.is_empty()).then(|| element("ul", &[], counts))),
        ("Sub-agents", subagents(&proof.subagents)),
    ]
}

fn grade(level: &'static str) -> &'static str {
    match level {
        "E0" => "(the author of the change may have written it)",
        "E1" => "(its chain of digests is intact, or the agent ran in the job that judged)",
        "E2" => "(another job of this run produced it)",
        "E3" => "(an attestation names who produced it)",
        _ => "",
    }
}

fn source(source: &'static str) -> &'static str {
    match source {
        "runner" => "the machine of this job",
        "artifact" => "another job of this run",
        "pull-request" => "the change itself, whose author could write it",
        "attested" => "whoever an attestation names, which was verified before",
        other => other,
    }
}

fn carries(carries: &'static str) -> &'static str {
    match carries {
        "calls" => "every call of a tool",
        "some-calls" => "some calls of tools",
        "requests" => "requests to the model, not what tools did",
        "authorship" => "who wrote which lines, not what tools did",
        other => other,
    }
}

fn chain(chain: &'static str) -> &'static str {
    match chain {
        "none" => "records carry none",
        "late" => "records carry them, but not from the start",
        "intact" => "each record carries the one before, and all fit",
        "broken" => "broken: a record does not fit the one before",
        other => other,
    }
}

fn subagents(subagents: &[ShownSubagent]) -> Option<Html> {
    let line = |subagent: &ShownSubagent| {
        let name = subagent.id.as_ref().or(subagent.kind.as_ref());
        let name = name.map_or_else(|| text("one without a name"), |name| code(&shorten(name.as_str(), LONGEST)));
        let recorded = match (subagent.recorded, subagent.missing) {
            (None, _) => "left no trace".to_owned(),
            (Some(recorded), None | Some(0)) => format!("{} recorded", counted(recorded, "call")),
            (Some(recorded), Some(missing)) => format!("{} recorded, {missing} missing", counted(recorded, "call")),
        };
        element("li", &[], [name, text(&format!(", event {}: {recorded}", subagent.event))])
    };
    let more = subagents.len().checked_sub(VALUES).filter(|more| *more > 0);
    let more = more.map(|more| element("li", &[], [text(&format!("and {more} more"))]));
    (!subagents.is_empty()).then(|| element("ul", &[], subagents.iter().take(VALUES).map(line).chain(more)))
}
