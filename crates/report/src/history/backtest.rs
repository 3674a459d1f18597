//! `policy backtest`.

use serde::Serialize;

use super::super::json;
use super::super::text::counted;
use super::super::tree::Glyphs;
use super::{Call, Frame, Identity, Missing, Span, call, called, dash, identity, label, line, percent, rounded, table};
use crate::terminal;
use agent_strace_engine::backtest::{Counts, Decider, Rules, Tally};
use agent_strace_policy::Policy;

/// Sessions of the past by one policy.
pub struct BacktestReport<'a> {
    pub frame: Frame<'a>,
    pub policy: &'a Policy,
    pub rules: &'a Rules<'a>,
    pub tally: &'a Tally,
}

/// What `agent-strace policy backtest` found.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace policy backtest, version 1"))]
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
    /// Calls that the record shows as refused before they ran.
    attempts: usize,
    coverage: Coverage,
    would_block: WouldBlock,
    unresolved: Unresolved,
    /// Every entry of the policy, then what else decided about a call; the last one is `default`.
    rules: Vec<Row>,
    /// Everything that could not be read, and so was not judged.
    gaps: Vec<Missing>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Coverage {
    /// Calls that an explicit rule speaks of.
    matched: usize,
    uncovered: usize,
    percent: f64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WouldBlock {
    tool_calls: usize,
    /// Hooks, and files that a record names outside of any call.
    other_events: usize,
    sessions: usize,
    session_ids: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Unresolved {
    /// Calls of which something could not be resolved.
    tool_calls: usize,
    /// Of the calls that would be blocked, those that nothing else blocks.
    would_block: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Row {
    /// `files.read.deny.0`.
    id: String,
    /// `files.read.deny[0]`, or the id of a rule.
    name: String,
    rule: String,
    scope: String,
    /// `allow`, `ask`, `deny`, `unresolved` or `default`.
    effect: &'static str,
    pattern: String,
    /// Calls that are counted here and nowhere else: `would_block` and `would_allow` together.
    matched: usize,
    would_block: usize,
    would_allow: usize,
    /// Calls of which it decided any effect.
    spoke: usize,
    /// The first of the calls that are counted here.
    examples: Vec<Call>,
}

impl BacktestReport<'_> {
    pub fn json(&self) -> String {
        let tally = self.tally;
        json::to_text(&Document {
            kind: "policy_backtest",
            schema_version: 1,
            exit_code: self.frame.exit_code,
            breaches: self.frame.breaches.to_vec(),
            policy: called(self.policy.identity()),
            policy_identity: identity(self.policy.identity()),
            days: self.frame.days.map(|(days, _)| days),
            window: self.frame.span(tally.window),
            sessions: tally.sessions,
            tool_calls: tally.tool_calls,
            attempts: tally.attempts,
            coverage: Coverage {
                matched: tally.covered,
                uncovered: tally.tool_calls - tally.covered,
                percent: rounded(tally.coverage()),
            },
            would_block: WouldBlock {
                tool_calls: tally.blocked,
                other_events: tally.other_blocked,
                sessions: tally.blocked_sessions.len(),
                session_ids: self.sessions(),
            },
            unresolved: Unresolved { tool_calls: tally.unresolved, would_block: tally.blocked_unresolved },
            rules: self.rows().map(|(decider, counts)| self.row(&decider, counts)).collect(),
            gaps: self.frame.missing(),
        })
    }

    pub fn text(&self, glyphs: Glyphs, show_sessions: bool) -> String {
        let tally = self.tally;
        let scope = format!("{}, {}", counted(tally.sessions, "session"), counted(tally.tool_calls, "tool call"));
        let mut lines = vec![format!("Policy backtest {} {} ({scope})", dash(glyphs), self.frame.when())];
        let rows: Vec<(String, &Counts)> =
            self.rows().map(|(decider, counts)| (terminal(&label(&decider, self.rules).shown), counts)).collect();
        let width = rows.iter().map(|(shown, _)| shown.chars().count()).max().unwrap_or(0).max(28);
        let head = format!("{:<width$}  {:>9}    {:>11}    {:>11}", "Rule", "Matched", "Would block", "Would allow");
        let rows: Vec<String> = rows
            .iter()
            .map(|(shown, counts)| {
                let (matched, block, allow) = (counts.matched, counts.would_block, counts.would_allow());
                format!("{shown:<width$}  {matched:>9}    {block:>11}    {allow:>11}")
            })
            .collect();
        table(&head, &rows, glyphs, &mut lines);
        self.totals(&mut lines);
        if show_sessions && !tally.blocked_sessions.is_empty() {
            lines.push("Affected sessions:".to_owned());
            lines.extend(self.sessions().iter().map(|session| format!("  {}", terminal(session))));
        }
        self.frame.closing(&mut lines);
        lines.join("\n") + "\n"
    }

    fn totals(&self, lines: &mut Vec<String>) {
        let tally = self.tally;
        lines.push(format!("Coverage: {} of tool calls matched an explicit rule", percent(tally.coverage())));
        let across = counted(tally.blocked_sessions.len(), "session");
        lines.push(format!("Would block: {} across {across}", counted(tally.blocked, "tool call")));
        if tally.other_blocked > 0 {
            lines.push(format!("Would block, too: {} that are no calls", counted(tally.other_blocked, "event")));
        }
        if tally.unresolved > 0 {
            let blocked = tally.blocked_unresolved;
            lines.push(format!(
                "Unresolved: what {} did could not be worked out; nothing else blocks {blocked} of them",
                counted(tally.unresolved, "tool call")
            ));
        }
        if tally.attempts > 0 {
            lines.push(format!(
                "Attempts: {} that never ran block nothing",
                counted(tally.attempts, "refused tool call")
            ));
        }
        let blocking: Vec<_> = self.rows().filter(|(_, counts)| counts.would_block > 0).collect();
        if !blocking.is_empty() {
            lines.push(String::new());
            lines.push("Would be blocked, for example:".to_owned());
        }
        for (decider, counts) in blocking {
            lines.push(format!("  {}", terminal(&label(&decider, self.rules).shown)));
            lines.extend(
                counts
                    .examples
                    .iter()
                    .filter(|listed| listed.verdict.blocks())
                    .map(|listed| format!("    {}", line(listed))),
            );
        }
    }

    fn sessions(&self) -> Vec<String> {
        let sessions = self.tally.blocked_sessions.iter();
        sessions.map(|session| agent_strace_secrets::redact(session).as_str().to_owned()).collect()
    }

    /// Every entry, then what else decided, then whatever no rule speaks of.
    fn rows(&self) -> impl Iterator<Item = (Decider, &Counts)> {
        static NONE: Counts = Counts::NONE;
        let of = |decider: &Decider| self.tally.rules.get(decider).unwrap_or(&NONE);
        let entries = (0..self.rules.entries().len()).map(Decider::Entry);
        let others = self.tally.rules.keys().filter(|decider| !matches!(decider, Decider::Entry(_) | Decider::Default));
        let all: Vec<Decider> = entries.chain(others.cloned()).chain([Decider::Default]).collect();
        all.into_iter().map(move |decider| {
            let counts = of(&decider);
            (decider, counts)
        })
    }

    fn row(&self, decider: &Decider, counts: &Counts) -> Row {
        let label = label(decider, self.rules);
        Row {
            id: label.id,
            name: label.name,
            rule: label.shown,
            scope: label.scope,
            effect: label.effect,
            pattern: label.pattern,
            matched: counts.matched,
            would_block: counts.would_block,
            would_allow: counts.would_allow(),
            spoke: counts.spoke,
            examples: counts.examples.iter().map(|listed| call(listed, self.rules)).collect(),
        }
    }
}
