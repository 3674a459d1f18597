//! `policy backtest`, `policy diff` and `policy coverage`: JSON as the peer of these commands writes it, with more
//! fields, and tables for people. Version 1, additive changes only.

pub(super) mod backtest;
pub(super) mod coverage;
pub(super) mod diff;

use jiff::Timestamp;
use serde::Serialize;

use super::escape::{shorten, terminal};
use super::gaps::{Missing, missing};
use super::tree::Glyphs;
use agent_strace_engine::backtest::{Decider, Listed, Rules, Window};
use agent_strace_model::Gap;
use agent_strace_policy::{Decision, PolicyIdentity};
use agent_strace_secrets::{Known, redact};

pub use backtest::BacktestReport;
pub use coverage::CoverageReport;
pub use diff::DiffReport;

/// Longest piece of a log that is quoted.
const EVIDENCE: usize = 200;

/// What the reports of history have in common.
pub struct Frame<'a> {
    /// The number that was asked for, and when it was counted back from.
    pub days: Option<(u32, Timestamp)>,
    pub gaps: &'a [Gap],
    /// Why the exit code is 1, in words.
    pub breaches: &'a [String],
    pub exit_code: u8,
}

/// From when to when, in seconds of the epoch: the days that were asked for, else the first and the last recorded time.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Span {
    start: Option<f64>,
    end: Option<f64>,
}

/// The policy that judged.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Identity {
    path: String,
    #[serde(rename = "ref")]
    revision: Option<String>,
    sha256: String,
    version: u32,
}

/// One call.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Call {
    session_id: String,
    event_id: Option<String>,
    /// 1-based within the session.
    event_index: u32,
    /// The file that the session was read from, and the line of the call in it.
    file: String,
    line: u32,
    tool: String,
    /// What the log says was done, without secrets.
    action: String,
    /// `denied`, `asked`, `unresolved` or `allowed`.
    verdict: &'static str,
    reason: String,
    /// A rule speaks of it.
    covered: bool,
    /// The rule that it is counted at, in words.
    rule: String,
    /// The same by its id: `files.read.deny.0`.
    rule_id: String,
    /// The same by its name: `files.read.deny[0]`.
    rule_name: String,
}

/// What a rule is called, in the three ways that reports call it.
struct Label {
    id: String,
    name: String,
    shown: String,
    scope: String,
    effect: &'static str,
    pattern: String,
}

impl Frame<'_> {
    fn span(&self, window: Window) -> Span {
        let of = |moment: Option<Timestamp>| moment.map(|moment| seconds(moment.as_millisecond()));
        let Some((days, now)) = self.days else {
            return Span { start: of(window.start), end: of(window.end) };
        };
        let start = now.as_millisecond() - i64::from(days) * 86_400_000;
        Span { start: Some(seconds(start)), end: of(Some(now)) }
    }

    fn missing(&self) -> Vec<Missing> {
        missing(self.gaps)
    }

    /// `last 30 days`, or that nothing was left out.
    fn when(&self) -> String {
        match self.days {
            Some((1, _)) => "last day".to_owned(),
            Some((days, _)) => format!("last {days} days"),
            None => "all of history".to_owned(),
        }
    }

    /// What makes the exit code what it is, below a table.
    fn closing(&self, lines: &mut Vec<String>) {
        lines.extend(self.breaches.iter().map(|breach| format!("FAIL: {breach}")));
        if !self.gaps.is_empty() {
            let count = super::text::counted(self.gaps.len(), "gap");
            lines.push(format!(
                "Incomplete: {count} in the logs, listed on standard error; what could not be read was not judged"
            ));
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of the epoch fit into a double")]
fn seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}

fn identity(identity: Option<&PolicyIdentity>) -> Option<Identity> {
    identity.map(|identity| Identity {
        path: identity.path.clone(),
        revision: identity.revision.clone(),
        sha256: identity.sha256.clone(),
        version: identity.version,
    })
}

/// What the policy is called: its path, and its revision before it.
fn called(identity: Option<&PolicyIdentity>) -> String {
    match identity {
        None => String::new(),
        Some(PolicyIdentity { path, revision: Some(revision), .. }) => {
            format!("{}:{path}", revision.split(' ').next().unwrap_or(revision))
        }
        Some(PolicyIdentity { path, .. }) => path.clone(),
    }
}

fn call(listed: &Listed, rules: &Rules<'_>) -> Call {
    let label = label(&listed.decider, rules);
    Call {
        session_id: redact(&listed.session).as_str().to_owned(),
        event_id: listed.event_id.as_deref().map(|id| redact(id).as_str().to_owned()),
        event_index: listed.event,
        file: redact(&listed.source).as_str().to_owned(),
        line: listed.line,
        tool: redact(&listed.tool).as_str().to_owned(),
        action: action(listed),
        verdict: listed.verdict.name(),
        reason: Known::of(&listed.evidence).redact(&listed.reason).as_str().to_owned(),
        covered: listed.covered,
        rule: label.shown,
        rule_id: label.id,
        rule_name: label.name,
    }
}

/// `Read src/a.py`, `Ran: uv run pytest`, as the log has it.
fn action(listed: &Listed) -> String {
    let tool = redact(&listed.tool);
    let Some(evidence) = &listed.evidence else { return format!("Tool: {}", tool.as_str()) };
    let text = redact(evidence);
    let text = shorten(text.as_str(), EVIDENCE);
    match listed.kind {
        Some("read") => format!("Read {text}"),
        Some("write") => format!("Write {text}"),
        Some("delete") => format!("Delete {text}"),
        Some("list") => format!("List {text}"),
        Some("execute") => format!("Ran: {text}"),
        Some("connect") => format!("Network access {text}"),
        _ => format!("{}: {text}", tool.as_str()),
    }
}

/// `session event #9: Write x`, for a terminal.
fn line(listed: &Listed) -> String {
    let session = terminal(redact(&listed.session).as_str());
    format!("{session} event #{}: {}", listed.event, terminal(&action(listed)))
}

/// `events.ndjson:118`: the file as its user named it.
fn place(listed: &Listed) -> String {
    format!("{}:{}", terminal(redact(&listed.source).as_str()), listed.line)
}

fn label(decider: &Decider, rules: &Rules<'_>) -> Label {
    if let Some(entry) = rules.entry(decider) {
        return of_entry(entry);
    }
    let fixed = |id: &str, shown: &str, effect| Label {
        id: id.to_owned(),
        name: id.to_owned(),
        shown: shown.to_owned(),
        scope: id.to_owned(),
        effect,
        pattern: String::new(),
    };
    match decider {
        Decider::BuiltIn(rule) => {
            let shown = format!("built-in: {rule}");
            Label { scope: "built-in".to_owned(), ..fixed(rule.as_str(), &shown, "deny") }
        }
        Decider::Unresolved => fixed("unresolved", "unresolved (what it does is not known)", "unresolved"),
        Decider::List(pointer) => {
            let id = redact(pointer.trim_start_matches('/').replace('/', ".")).as_str().to_owned();
            let scope = id.rsplit_once('.').map_or(id.as_str(), |(scope, _)| scope).to_owned();
            let shown = format!("allow: {} (entries together)", verb(scope.rsplit('.').next().unwrap_or_default()));
            Label { scope, ..fixed(&id, &shown, "allow") }
        }
        Decider::Entry(_) | Decider::Default => fixed("default", "default (no rule matched)", "default"),
    }
}

fn of_entry(entry: &agent_strace_policy::EntryView) -> Label {
    let effect = match entry.decision {
        Decision::Denied => "deny",
        Decision::Asked => "ask",
        _ => "allow",
    };
    // A policy is committed, and its entries may hold a token all the same: `curl -H "Authorization: …"`.
    let shown = |text: &str| redact(text).as_str().to_owned();
    let pointer = shown(&entry.location.pointer.trim_start_matches('/').replace('/', "."));
    let pattern = shown(&entry.text);
    let list = pointer.trim_end_matches(|character: char| character.is_ascii_digit()).trim_end_matches('.');
    let scope = list.rsplit_once('.').map_or(list, |(scope, _)| scope).to_owned();
    match &entry.policy_rule {
        Some(rule) => Label {
            id: shown(&rule.id),
            name: shown(&rule.id),
            shown: format!("{effect}: {}", shown(&rule.id)),
            scope: "rules".to_owned(),
            effect,
            pattern,
        },
        None => Label {
            shown: format!("{effect}: {} {pattern}", verb(entry.subject.name())),
            id: pointer,
            name: shown(&entry.name),
            scope,
            effect,
            pattern,
        },
    }
}

fn verb(subject: &str) -> &str {
    match subject {
        "command" | "commands" => "bash",
        other => other,
    }
}

/// A table with a rule above and below its head and at its end.
fn table(head: &str, rows: &[String], glyphs: Glyphs, lines: &mut Vec<String>) {
    let width = rows.iter().map(|row| row.chars().count()).chain([head.chars().count()]).max().unwrap_or(0);
    let rule = match glyphs {
        Glyphs::Unicode => "─",
        Glyphs::Ascii => "-",
    };
    let rule = rule.repeat(width);
    lines.extend([rule.clone(), head.to_owned(), rule.clone()]);
    lines.extend(rows.iter().cloned());
    lines.push(rule);
}

fn dash(glyphs: Glyphs) -> &'static str {
    match glyphs {
        Glyphs::Unicode => "—",
        Glyphs::Ascii => "-",
    }
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.1}%"))
}

/// Two digits, as the peer rounds.
fn rounded(value: Option<f64>) -> f64 {
    (value.unwrap_or(0.0) * 100.0).round() / 100.0
}
