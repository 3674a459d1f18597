//! What the script of the page works with: one JSON document in a block that browsers don't run.
//!
//! Every text in it is redacted and made visible already; [`crate::escape::script`] keeps it in
//! its block. What is empty is left out.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Page;
use super::budget::{Budget, Detail, TOTAL, visible};
use super::close::CloseUp;
use super::cost::{Running, Spent};
use super::numbered::NumberedFinding;
use super::quote::{Quoted, Quotes};
use super::rows::{Of, Row};
use crate::escape::{self, shorten, terminal};
use crate::html::excerpt::level;
use crate::next_step::remedy;
use crate::replay::{ShownEvents, ShownLine, ShownNote, said};
use crate::view::ShownFinding;

/// Longest name, and longest of what an event says at a glance.
const NAME: usize = 80;
const GLANCE: usize = 200;
/// Longest message of a finding, and of what somebody noted.
const MESSAGE: usize = 1_000;

/// The data of a page, and what is not in it.
pub(super) struct Block {
    pub(super) json: String,
    /// Events whose text is cut.
    pub(super) cut: usize,
    /// Events whose text and effects are left out.
    pub(super) omitted: usize,
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    sessions: Vec<OfSession>,
    rows: Vec<OfRow<'a>>,
    findings: Vec<OfFinding<'a>>,
    entries: Vec<Quoted>,
    rules: BTreeMap<&'static str, OfRule>,
    spent: Spent,
}

#[derive(Serialize)]
struct OfSession {
    id: String,
    agent: String,
    source: String,
    /// When offsets are counted from, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<i64>,
}

#[derive(Default, Serialize)]
struct OfRow<'a> {
    id: String,
    #[serde(skip_serializing_if = "is_none")]
    session: usize,
    #[serde(skip_serializing_if = "is_none")]
    depth: usize,
    what: &'static str,
    says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Milliseconds since the session's start.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subagent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    /// The row of the call that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<usize>,
    /// Milliseconds since that call.
    #[serde(skip_serializing_if = "Option::is_none")]
    took: Option<u64>,
    #[serde(flatten)]
    detail: Detail,
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    found: &'a [usize],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<OfNote>,
    /// What all events up to it cost, where that is more than before.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<String>,
}

#[derive(Serialize)]
struct OfFinding<'a> {
    rule: &'static str,
    level: &'static str,
    says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<usize>,
    fingerprint: &'a str,
    /// The finding on the page below.
    anchor: String,
}

#[derive(Serialize)]
struct OfRule {
    summary: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

#[derive(Serialize)]
struct OfNote {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    says: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bookmark: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

pub(super) fn block(page: &Page<'_>) -> Block {
    let mut quotes = page.replay.judged.as_ref().map(|report| Quotes::new(report, page.read));
    let mut budget = Budget::new(TOTAL);
    let details = details(page, &mut budget, quotes.as_mut());
    let anchors = anchors(&page.rows.all);
    let indices = page.rows.indices();
    let mut running = Running::new(page);
    let rows = page.rows.all.iter().zip(details).zip(anchors).enumerate().map(|(at, ((row, detail), id))| {
        let found = page.found.at(at);
        let cost = running.at(row);
        match row.of {
            Of::Event(_, line) => {
                let call = line.call_index.and_then(|index| indices.get(&(row.session, index)).copied());
                OfRow { id, call, detail, found, cost, ..of_event(row, line) }
            }
            Of::Session(session, why) | Of::Elsewhere(session, why) => {
                OfRow { id, detail, cost, ..of_session(row, session, why) }
            }
        }
    });
    let rows = rows.collect();
    let findings = page.found.shown.iter().map(|found| of_finding(found, quotes.as_mut())).collect();
    let document = Document {
        version: 1,
        sessions: page.sessions().map(|(session, _)| OfSession::new(session)).collect(),
        rows,
        findings,
        rules: page.found.rules().into_iter().map(|rule| (rule.as_str(), OfRule::new(rule.as_str()))).collect(),
        entries: quotes.map(|quotes| quotes.entries).unwrap_or_default(),
        spent: running.spent(),
    };
    // Strings and numbers always serialise; without a document the page is what it is without a script.
    let json = serde_json::to_string(&document).unwrap_or_else(|_| "null".to_owned());
    Block { json: escape::script(json), cut: budget.cut, omitted: budget.omitted }
}

/// Of events with findings first: there has to be room for these.
fn details(page: &Page<'_>, budget: &mut Budget, mut quotes: Option<&mut Quotes<'_>>) -> Vec<Detail> {
    let rows = &page.rows.all;
    let closes: Vec<Option<&CloseUp>> =
        page.rows.sessions.iter().map(|index| page.close.get(*index).and_then(Option::as_ref)).collect();
    let mut details: Vec<Detail> = rows.iter().map(|_| Detail::default()).collect();
    let (worth, others): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|at| !page.found.at(*at).is_empty());
    for at in worth.into_iter().chain(others) {
        let event = rows.get(at).and_then(|row| match row.of {
            Of::Event(index, _) => closes.get(row.session).copied().flatten()?.events.get(index),
            Of::Session(..) | Of::Elsewhere(..) => None,
        });
        if let Some((detail, event)) = details.get_mut(at).zip(event) {
            *detail = budget.detail(event, quotes.as_deref_mut());
        }
    }
    details
}

/// What links name the rows: `e12`, in other sessions of the page `s2e12`; several events of one record are counted.
pub(super) fn anchors(rows: &[Row<'_>]) -> Vec<String> {
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let anchors = rows.iter().map(|row| {
        let session = if row.session == 0 { String::new() } else { format!("s{}", row.session + 1) };
        let name = match row.of {
            Of::Event(_, line) => format!("{session}e{}", line.number),
            Of::Session(..) | Of::Elsewhere(..) => format!("{session}start"),
        };
        let times = used.entry(name.clone()).or_default();
        *times += 1;
        if *times == 1 { name } else { format!("{name}-{times}") }
    });
    anchors.collect()
}

fn of_event<'a>(row: &Row<'_>, line: &ShownLine) -> OfRow<'a> {
    let one = |text: &agent_strace_secrets::Redacted| terminal(&shorten(text.as_str(), NAME));
    OfRow {
        session: row.session,
        depth: row.depth,
        what: line.what.name(),
        says: shorten(&line.detail.iter().flat_map(said).collect::<Vec<_>>().join(" · "), GLANCE),
        event: Some(line.number),
        line: Some(line.line),
        offset: line.offset,
        tool: line.tool.as_ref().map(one),
        subagent: line.subagent.as_ref().map(one),
        status: line.status.map(agent_strace_model::Status::name),
        took: line.took,
        notes: line.notes.iter().map(OfNote::new).collect(),
        ..OfRow::default()
    }
}

fn of_session<'a>(row: &Row<'_>, session: &ShownEvents, why: &str) -> OfRow<'a> {
    let name = |text: &agent_strace_secrets::Redacted| terminal(&shorten(text.as_str(), NAME));
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    OfRow {
        session: row.session,
        depth: row.depth,
        what: "session",
        says: format!("{} ({}){why}", name(&session.id), name(&session.agent)),
        ..OfRow::default()
    }
}

fn of_finding<'a>(found: &NumberedFinding<'a>, quotes: Option<&mut Quotes<'_>>) -> OfFinding<'a> {
    let finding: &'a ShownFinding = found.finding;
    OfFinding {
        rule: finding.rule.as_str(),
        level: level(finding),
        says: terminal(&shorten(finding.message.as_str(), MESSAGE)),
        until: finding.until,
        by: finding.policy.as_ref().zip(quotes).and_then(|(location, quotes)| quotes.quote(location)),
        fingerprint: &finding.fingerprint,
        anchor: format!("finding-{}", found.number),
    }
}

impl OfSession {
    fn new(session: &ShownEvents) -> Self {
        let start = session.lines.iter().find_map(|line| Some(line.time?.as_millisecond() - line.offset?));
        let name = |text: &agent_strace_secrets::Redacted| terminal(&shorten(text.as_str(), GLANCE));
        Self { id: name(&session.id), agent: name(&session.agent), source: name(&session.source), start }
    }
}

impl OfRule {
    fn new(rule: &'static str) -> Self {
        Self { summary: agent_strace_rules::find(rule).map_or("", |rule| rule.summary), fix: remedy(rule) }
    }
}

impl OfNote {
    fn new(note: &ShownNote) -> Self {
        let text = |text: &Option<agent_strace_secrets::Redacted>| {
            text.as_ref().map(|text| visible(&shorten(text.as_str(), MESSAGE)))
        };
        Self {
            id: terminal(&shorten(note.id.as_str(), NAME)),
            label: text(&note.label),
            says: text(&note.said),
            author: text(&note.author),
            bookmark: note.bookmark,
        }
    }
}
