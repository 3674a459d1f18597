//! Conversations for people: a line each for turns, steps and tools.

use std::fmt::Write as _;

use super::arrange::SessionView;
use super::document::{Conversation, Step, StepStatus, StreamId, Tool, Turn};
use super::time;

/// Longer texts are cut.
const SHOWN: usize = 100;

/// `show` makes a text of the log fit to be shown.
pub fn outline(views: &[SessionView], show: &dyn Fn(&str) -> String) -> String {
    let mut text = String::new();
    for (at, one) in views.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        conversation(&mut text, one, show);
    }
    text
}

fn conversation(text: &mut String, view: &SessionView, show: &dyn Fn(&str) -> String) {
    let Conversation { session_id, stream_id, spawned_by, start_time, turns, stats, evidence, .. } = &view.conversation;
    let stream = match stream_id {
        StreamId::Main => String::new(),
        StreamId::Sidechain { agent_id } => format!(", sub-agent {}", show(agent_id)),
        StreamId::Subagent { name } => format!(", sub-agent {}", show(name)),
    };
    let _ = writeln!(text, "session {session_id} of {}{stream}: {}", show(&view.agent), show(&view.source));
    if let Some(position) = spawned_by {
        let _ = writeln!(text, "  started by turn {}, step {}", position.turn_index + 1, position.step_index + 1);
    }
    let start = start_time.map_or_else(|| "at an unknown time".to_owned(), time::text);
    let tokens = view.bill.tokens.total;
    let _ = writeln!(
        text,
        "  {start}, {}, {}, {tokens} tokens in {}",
        seconds(stats.duration_seconds.saturating_mul(1000)),
        count(stats.total_turns, "turn"),
        count(usize::try_from(view.bill.requests).unwrap_or(usize::MAX), "request"),
    );
    if let Some(lacking) = evidence {
        let what = if lacking.truncated { "the log ends inside a record" } else { "the log could not be read whole" };
        let _ = writeln!(text, "  incomplete: {what}, {}", count(lacking.gaps, "gap"));
    }
    for (number, turn) in (1..).zip(turns) {
        show_turn(text, number, turn, show);
    }
    let within = turns.iter().flat_map(|turn| &turn.steps).map(|step| step.tools.len()).sum::<usize>();
    if *stream_id == StreamId::Main && view.calls > within {
        let _ = writeln!(text, "  outside of these turns: {}", count(view.calls - within, "call"));
    }
}

fn show_turn(text: &mut String, number: usize, turn: &Turn, show: &dyn Fn(&str) -> String) {
    let failed = turn.steps.iter().flat_map(|step| &step.tools).filter(|tool| tool.is_error).count();
    let failures = if failed == 0 { String::new() } else { format!(", {failed} failed") };
    let words = match &turn.user.slash_command {
        Some(command) => format!("{} {}", command.name, command.args.as_deref().unwrap_or("")),
        None => turn.user.content.text.clone(),
    };
    let _ = writeln!(
        text,
        "\n  turn {number}: {}\n    {}, {}{failures}",
        cut(&words, show),
        seconds(turn.stats.duration_ms),
        count(turn.steps.len(), "step"),
    );
    for (number, step) in (1..).zip(&turn.steps) {
        show_step(text, number, step, show);
    }
}

fn show_step(text: &mut String, number: usize, step: &Step, show: &dyn Fn(&str) -> String) {
    let status = match step.status {
        StepStatus::Done => "done",
        StepStatus::InProgress => "in progress",
        StepStatus::Failed => "failed",
    };
    let words = step.message.as_ref().map(|words| format!(": {}", cut(&words.content.text, show)));
    let _ = writeln!(text, "    step {number}, {status}{}", words.unwrap_or_default());
    for tool in &step.tools {
        show_tool(text, tool, show);
    }
}

fn show_tool(text: &mut String, tool: &Tool, show: &dyn Fn(&str) -> String) {
    let status = match &tool.result {
        None => "no result",
        Some(_) if tool.is_error => "failed",
        Some(_) => "ok",
    };
    let duration = tool.duration_ms.map(|duration| format!(" in {}", seconds(duration))).unwrap_or_default();
    let arguments = serde_json::to_string(&tool.call.content.arguments).unwrap_or_default();
    let name = show(&tool.call.content.name);
    let _ = writeln!(text, "      {name} {}\n        {status}{duration}", cut(&arguments, show));
}

/// On one line, and not longer than one.
fn cut(words: &str, show: &dyn Fn(&str) -> String) -> String {
    let flat = words.split_whitespace().collect::<Vec<_>>().join(" ");
    // What is cut first could hide a secret's other half from whoever looks for it.
    let shown = show(&flat);
    if shown.chars().count() <= SHOWN { shown } else { shown.chars().take(SHOWN).chain(['…']).collect() }
}

fn seconds(milliseconds: i64) -> String {
    if milliseconds.abs() < 1000 {
        format!("{milliseconds} ms")
    } else {
        format!("{}.{} s", milliseconds / 1000, milliseconds.abs() % 1000 / 100)
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
