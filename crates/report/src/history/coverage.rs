//! `policy coverage`.

use serde::Serialize;

use super::super::json;
use super::super::text::{counted, more};
use super::super::tree::Glyphs;
use super::{Call, Frame, Identity, Missing, Span, call, called, dash, identity, line, percent, rounded};
use crate::terminal;
use agent_strace_engine::backtest::{Rules, Tally};
use agent_strace_policy::{Decision, Policy};
use agent_strace_secrets::redact;

/// What a policy speaks of, and what in it speaks of nothing.
pub struct CoverageReport<'a> {
    pub frame: Frame<'a>,
    pub policy: &'a Policy,
    pub rules: &'a Rules<'a>,
    pub tally: &'a Tally,
    /// Whether calls that no rule speaks of are listed.
    pub list: agent_strace_engine::backtest::Uncovered,
}

/// What `agent-strace policy coverage` found.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace policy coverage, version 1"))]
pub(crate) struct Document {
    #[serde(rename = "type")]
    kind: &'static str,
    schema_version: u32,
    exit_code: u8,
    /// Thresholds that are not met, in words.
    breaches: Vec<String>,
    policy: String,
    policy_identity: Option<Identity>,
    /// `null`: all of history.
    days: Option<u32>,
    window: Span,
    sessions: usize,
    tool_calls: usize,
    covered: usize,
    uncovered: usize,
    coverage_percent: f64,
    /// Entries that decided about nothing. Of those that allow, each is a candidate to remove.
    idle_entries: Vec<Idle>,
    /// With `--show-uncovered`, the first thousand.
    #[serde(skip_serializing_if = "Option::is_none")]
    uncovered_calls: Option<Vec<Call>>,
    /// Everything that could not be read, and so was not judged.
    gaps: Vec<Missing>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Idle {
    name: String,
    /// `allow`, `ask` or `deny`.
    effect: &'static str,
    pattern: String,
    line: u32,
    column: u32,
}

impl Idle {
    /// It allows something. An entry with `!` takes something out of what its list allows.
    fn is_for_removal(&self) -> bool {
        self.effect == "allow" && !self.pattern.starts_with('!')
    }
}

impl CoverageReport<'_> {
    pub fn json(&self) -> String {
        let tally = self.tally;
        let uncovered = || tally.uncovered.iter().map(|listed| call(listed, self.rules)).collect();
        json::to_text(&Document {
            kind: "policy_coverage",
            schema_version: 1,
            exit_code: self.frame.exit_code,
            breaches: self.frame.breaches.to_vec(),
            policy: called(self.policy.identity()),
            policy_identity: identity(self.policy.identity()),
            days: self.frame.days.map(|(days, _)| days),
            window: self.frame.span(tally.window),
            sessions: tally.sessions,
            tool_calls: tally.tool_calls,
            covered: tally.covered,
            uncovered: tally.tool_calls - tally.covered,
            coverage_percent: rounded(tally.coverage()),
            idle_entries: self.idle(),
            uncovered_calls: (self.list == agent_strace_engine::backtest::Uncovered::List).then(uncovered),
            gaps: self.frame.missing(),
        })
    }

    pub fn text(&self, glyphs: Glyphs) -> String {
        let tally = self.tally;
        let uncovered = tally.tool_calls - tally.covered;
        let mut lines = vec![
            format!("Policy coverage {} {} ({})", dash(glyphs), self.frame.when(), counted(tally.sessions, "session")),
            format!("Tool calls: {}", tally.tool_calls),
            format!("Explicitly covered: {}", tally.covered),
            format!("Uncovered: {uncovered}"),
            format!("Coverage: {}", percent(tally.coverage())),
        ];
        match self.list {
            agent_strace_engine::backtest::Uncovered::List if uncovered > 0 => {
                lines.push("Uncovered tool calls:".to_owned());
                lines.extend(tally.uncovered.iter().map(|listed| format!("  {}", line(listed))));
                lines.extend(more(uncovered, tally.uncovered.len()));
            }
            agent_strace_engine::backtest::Uncovered::Count if uncovered > 0 => {
                lines.push("  `--show-uncovered` lists them".to_owned());
            }
            _ => {}
        }
        let idle = self.idle();
        section(
            &mut lines,
            "Allowed nothing (candidates to remove):",
            idle.iter().filter(|idle| idle.is_for_removal()),
        );
        section(&mut lines, "Stopped nothing so far:", idle.iter().filter(|idle| !idle.is_for_removal()));
        self.frame.closing(&mut lines);
        lines.join("\n") + "\n"
    }

    fn idle(&self) -> Vec<Idle> {
        let entries = self.tally.idle(self.rules).into_iter().filter_map(|index| self.rules.entries().get(index));
        entries
            .map(|entry| Idle {
                name: redact(&entry.name).as_str().to_owned(),
                effect: match entry.decision {
                    Decision::Denied => "deny",
                    Decision::Asked => "ask",
                    _ => "allow",
                },
                pattern: redact(&entry.text).as_str().to_owned(),
                line: entry.location.line,
                column: entry.location.column,
            })
            .collect()
    }
}

fn section<'a>(lines: &mut Vec<String>, head: &str, entries: impl Iterator<Item = &'a Idle>) {
    let mut entries = entries.map(|idle| format!("  {} {}", terminal(&idle.name), terminal(&idle.pattern))).peekable();
    if entries.peek().is_some() {
        lines.extend([String::new(), head.to_owned()]);
        lines.extend(entries);
    }
}
