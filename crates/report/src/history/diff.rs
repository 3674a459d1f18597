//! `policy diff`.

use std::fmt::Write as _;

use serde::Serialize;

use super::super::json;
use super::super::text::{counted, more};
use super::super::tree::Glyphs;
use super::{Call, Frame, Identity, Missing, Span, call, called, dash, identity, label, line, table};
use crate::terminal;
use agent_strace_engine::backtest::{Change, Comparison, Direction, Rules, Shift};
use agent_strace_policy::Policy;
use agent_strace_secrets::redact;

/// Calls that are shown for each direction in the text.
const SHOWN: usize = 10;

/// One policy beside another.
pub struct DiffReport<'a> {
    pub frame: Frame<'a>,
    pub old: (&'a Policy, &'a Rules<'a>),
    pub new: (&'a Policy, &'a Rules<'a>),
    pub changes: &'a [Change],
    pub comparison: &'a Comparison,
}

/// What `agent-strace policy diff` found.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace policy diff, version 1"))]
pub(crate) struct Document {
    #[serde(rename = "type")]
    kind: &'static str,
    schema_version: u32,
    exit_code: u8,
    /// Thresholds that are not met, in words.
    breaches: Vec<String>,
    old_policy: String,
    new_policy: String,
    old_identity: Option<Identity>,
    new_identity: Option<Identity>,
    /// What differs in the policies themselves.
    changes: Vec<ShownChange>,
    /// The new policy may allow something that the old one does not.
    widens: bool,
    /// `null`: all of history.
    days: Option<u32>,
    window: Span,
    sessions: usize,
    tool_calls: usize,
    old: Side,
    new: Side,
    delta: Delta,
    new_blocks: Shifted,
    blocks_removed: Shifted,
    /// Everything that could not be read, and so was not judged.
    gaps: Vec<Missing>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Told"))]
struct ShownChange {
    /// `added`, `removed` or `changed`.
    change: &'static str,
    /// The entry (`commands.deny[2]`), rule, list or section.
    name: String,
    /// Empty for a whole list or section.
    pattern: String,
    /// What agents may do is `wider`, `narrower` or the `same`; `unknown`: it is not known to allow nothing new.
    direction: &'static str,
    meaning: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Side {
    blocked: usize,
    affected_sessions: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Delta {
    blocked: i64,
    affected_sessions: i64,
}

/// Calls whose verdict changes one way.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Shifted {
    tool_calls: usize,
    by_rule: Vec<OfRule>,
    /// The first thousand, as the policy has them that blocks them.
    calls: Vec<Call>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfRule {
    rule: String,
    tool_calls: usize,
    rule_id: String,
    rule_name: String,
}

impl DiffReport<'_> {
    pub fn json(&self) -> String {
        let comparison = self.comparison;
        json::to_text(&Document {
            kind: "policy_diff",
            schema_version: 1,
            exit_code: self.frame.exit_code,
            breaches: self.frame.breaches.to_vec(),
            old_policy: called(self.old.0.identity()),
            new_policy: called(self.new.0.identity()),
            old_identity: identity(self.old.0.identity()),
            new_identity: identity(self.new.0.identity()),
            changes: self.changes.iter().map(shown_change).collect(),
            widens: self.changes.iter().any(|change| change.direction.may_widen())
                || comparison.blocks_removed.tool_calls > 0,
            days: self.frame.days.map(|(days, _)| days),
            window: self.frame.span(comparison.window),
            sessions: comparison.sessions,
            tool_calls: comparison.tool_calls,
            old: Side { blocked: comparison.old.blocked, affected_sessions: comparison.old.sessions },
            new: Side { blocked: comparison.new.blocked, affected_sessions: comparison.new.sessions },
            delta: Delta {
                blocked: delta(comparison.old.blocked, comparison.new.blocked),
                affected_sessions: delta(comparison.old.sessions, comparison.new.sessions),
            },
            new_blocks: shifted(&comparison.new_blocks, self.new.1),
            blocks_removed: shifted(&comparison.blocks_removed, self.old.1),
            gaps: self.frame.missing(),
        })
    }

    pub fn text(&self, glyphs: Glyphs) -> String {
        let mut lines = self.told();
        if self.comparison.sessions > 0 {
            lines.push(String::new());
            self.history(glyphs, &mut lines);
        }
        self.frame.closing(&mut lines);
        lines.join("\n") + "\n"
    }

    /// The policies themselves, by what changes for agents.
    fn told(&self) -> Vec<String> {
        let (old, new) = (called(self.old.0.identity()), called(self.new.0.identity()));
        let mut lines = vec![format!("From {} to {}:", terminal(&old), terminal(&new))];
        if self.changes.is_empty() {
            lines.push("  nothing changes: the policies say the same".to_owned());
        }
        for (direction, head) in [
            (Direction::Wider, "Allows more:"),
            (Direction::Unknown, "May allow more:"),
            (Direction::Narrower, "Allows less:"),
            (Direction::Same, "Changes nothing:"),
        ] {
            let mut changes = self.changes.iter().filter(|change| change.direction == direction).peekable();
            if changes.peek().is_some() {
                lines.push(format!("  {head}"));
                lines.extend(changes.map(|change| {
                    format!("    {}  ({})", terminal(redact(&change.meaning).as_str()), change_at(change))
                }));
            }
        }
        lines
    }

    fn history(&self, glyphs: Glyphs, lines: &mut Vec<String>) {
        let comparison = self.comparison;
        lines.push(format!(
            "Policy diff {} old vs new ({}: {}, {})",
            dash(glyphs),
            self.frame.when(),
            counted(comparison.sessions, "session"),
            counted(comparison.tool_calls, "tool call")
        ));
        let row = |name: &str, old: &str, new: &str, delta: i64| format!("{name:<34}{old:>12} {new:>12} {delta:>+9}");
        let count = |count: usize| count.to_string();
        let (old, new, none) = (&comparison.old, &comparison.new, dash(glyphs));
        let (blocks, removed) = (&comparison.new_blocks, &comparison.blocks_removed);
        let mut rows = vec![
            row("Total blocked", &count(old.blocked), &count(new.blocked), delta(old.blocked, new.blocked)),
            row("Sessions affected", &count(old.sessions), &count(new.sessions), delta(old.sessions, new.sessions)),
            row("New blocks introduced", none, &count(blocks.tool_calls), delta(0, blocks.tool_calls)),
        ];
        rows.extend(by_rule(blocks, self.new.1, glyphs, "new"));
        rows.push(row("Blocks removed", &count(removed.tool_calls), none, delta(removed.tool_calls, 0)));
        rows.extend(by_rule(removed, self.old.1, glyphs, "removed"));
        let head = format!("{:<34}{:>12} {:>12} {:>9}", "Change", "Old policy", "New policy", "Delta");
        table(&head, &rows, glyphs, lines);
        calls(blocks, "Newly blocked:", lines);
        calls(removed, "No longer blocked:", lines);
        lines.push(match blocks.tool_calls {
            0 => "No new blocks introduced.".to_owned(),
            count => format!("Recommendation: review {} before enforcing", counted(count, "new block")),
        });
    }
}

fn change_at(change: &Change) -> String {
    let mut at = terminal(redact(&change.name).as_str());
    // A pattern that a sentence does not name.
    if !change.text.is_empty() && !change.meaning.contains(&change.text) {
        let _ = write!(at, " {}", terminal(redact(&change.text).as_str()));
    }
    format!("{at} {}", change.kind.name())
}

fn shown_change(change: &Change) -> ShownChange {
    ShownChange {
        change: change.kind.name(),
        name: redact(&change.name).as_str().to_owned(),
        pattern: redact(&change.text).as_str().to_owned(),
        direction: change.direction.name(),
        meaning: redact(&change.meaning).as_str().to_owned(),
    }
}

fn shifted(shift: &Shift, rules: &Rules<'_>) -> Shifted {
    Shifted {
        tool_calls: shift.tool_calls,
        by_rule: sorted(shift, rules)
            .into_iter()
            .map(|(label, tool_calls)| OfRule {
                rule: label.shown,
                tool_calls,
                rule_id: label.id,
                rule_name: label.name,
            })
            .collect(),
        calls: shift.calls.iter().map(|listed| call(listed, rules)).collect(),
    }
}

/// Who blocks most comes first.
fn sorted(shift: &Shift, rules: &Rules<'_>) -> Vec<(super::Label, usize)> {
    let mut rows: Vec<_> = shift.by_rule.iter().map(|(decider, count)| (label(decider, rules), *count)).collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    rows
}

fn by_rule(shift: &Shift, rules: &Rules<'_>, glyphs: Glyphs, word: &str) -> Vec<String> {
    let arrow = match glyphs {
        Glyphs::Unicode => "→",
        Glyphs::Ascii => ">",
    };
    let rows = sorted(shift, rules).into_iter();
    rows.map(|(label, count)| format!("  {arrow} {:<56}{count:>6} {word}", terminal(&label.shown))).collect()
}

fn calls(shift: &Shift, head: &str, lines: &mut Vec<String>) {
    if shift.tool_calls > 0 {
        lines.push(head.to_owned());
        let shown = shift.calls.iter().take(SHOWN);
        lines
            .extend(shown.map(|listed| format!("  {}  ({})", line(listed), terminal(redact(&listed.reason).as_str()))));
        lines.extend(more(shift.tool_calls, SHOWN.min(shift.calls.len())));
    }
}

fn delta(old: usize, new: usize) -> i64 {
    let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    whole(new) - whole(old)
}
