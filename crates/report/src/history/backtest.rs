//! `policy backtest`.

use serde::Serialize;

use super::super::json;
use super::super::text::counted;
use super::super::tree::Glyphs;
use super::{
    Call, Frame, Identity, Missing, Span, action, call, called, dash, identity, label, percent, place, rounded, table,
};
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
    /// Who blocks calls, the one that blocks most first, and the acts that it blocks.
    blocked: Vec<Blocking>,
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

/// An entry, or another rule, that blocks calls.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Blocking {
    /// The `id` of its row.
    rule_id: String,
    rule_name: String,
    /// Of the entry in the policy.
    policy_line: Option<u32>,
    tool_calls: usize,
    /// The first different acts, each where it was done first.
    acts: Vec<Call>,
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
            blocked: self.blocking().into_iter().map(|(decider, counts)| self.blocked(&decider, counts)).collect(),
            gaps: self.frame.missing(),
        })
    }

    fn blocked(&self, decider: &Decider, counts: &Counts) -> Blocking {
        let label = label(decider, self.rules);
        Blocking {
            rule_id: label.id,
            rule_name: label.name,
            policy_line: self.rules.entry(decider).map(|entry| entry.location.line),
            tool_calls: counts.would_block,
            acts: counts.acts.iter().map(|listed| call(listed, self.rules)).collect(),
        }
    }

    pub fn text(&self, glyphs: Glyphs, show_sessions: bool) -> String {
        let tally = self.tally;
        let scope = format!("{}, {}", counted(tally.sessions, "session"), counted(tally.tool_calls, "tool call"));
        let mut lines = vec![format!("Policy backtest {} {} ({scope})", dash(glyphs), self.frame.when())];
        self.acts(&mut lines);
        let mut rows: Vec<(String, &Counts)> = self
            .rows()
            .filter(|(_, counts)| counts.matched > 0)
            .map(|(decider, counts)| (terminal(&label(&decider, self.rules).shown), counts))
            .collect();
        // What blocks most comes first, then what allows most.
        rows.sort_by_key(|(_, counts)| std::cmp::Reverse((counts.would_block, counts.matched)));
        let width = rows.iter().map(|(shown, _)| shown.chars().count()).max().unwrap_or(0).max(28);
        let head = format!("{:<width$}  {:>9}    {:>11}    {:>11}", "Rule", "Matched", "Would block", "Would allow");
        let mut rows: Vec<String> = rows
            .iter()
            .map(|(shown, counts)| {
                let (matched, block, allow) = (counts.matched, counts.would_block, counts.would_allow());
                format!("{shown:<width$}  {matched:>9}    {block:>11}    {allow:>11}")
            })
            .collect();
        rows.extend(self.folded());
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
    }

    /// Rows without a call, in one line or two.
    fn folded(&self) -> Vec<String> {
        let idle = self.tally.idle(self.rules).len();
        let zero =
            self.rows().filter(|(decider, counts)| matches!(decider, Decider::Entry(_)) && counts.matched == 0).count();
        let entries = |count: usize| if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") };
        let mut lines = Vec::new();
        if zero > idle {
            lines.push(format!("{} decided only where another rule counts, or with others", entries(zero - idle)));
        }
        if idle > 0 {
            lines.push(format!("{} decided nothing: `policy coverage` lists them", entries(idle)));
        }
        lines
    }

    /// Acts that would be blocked, by who blocks them.
    fn acts(&self, lines: &mut Vec<String>) {
        for (decider, counts) in self.blocking() {
            let label = label(&decider, self.rules);
            let by = match self.rules.entry(&decider) {
                Some(entry) if entry.policy_rule.is_some() => format!("{}, line {}", label.name, entry.location.line),
                Some(entry) => format!("{} `{}`, line {}", label.name, label.pattern, entry.location.line),
                None => label.shown,
            };
            let blocks = format!("Blocks {}: ", counted(counts.would_block, "call"));
            let by = format!(" ({})", terminal(&by));
            for (at, listed) in counts.acts.iter().enumerate() {
                let (before, by) = if at == 0 { (blocks.as_str(), by.as_str()) } else { ("  ", "") };
                lines.push(format!("{before}{}{by}: {}", terminal(&action(listed)), place(listed)));
            }
            let more = counts.would_block.saturating_sub(counts.acts.len());
            if more > 0 {
                lines.push(format!("  {} of these acts or others", counted(more, "more call")));
            }
        }
    }

    /// Who blocks calls, the one that blocks most first.
    fn blocking(&self) -> Vec<(Decider, &Counts)> {
        let mut blocking: Vec<_> = self.rows().filter(|(_, counts)| counts.would_block > 0).collect();
        blocking.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.would_block));
        blocking
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
