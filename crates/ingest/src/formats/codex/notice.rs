//! Notices for the user interface (`event_msg`): mostly second copies of response items, which are not counted
//! again. Worth reading are what patches changed, how commands ended, and tokens.

use std::borrow::Cow;

use super::item::Payload;
use super::{Rollout, facts, ran};
use crate::assembly::RecordLocation;
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, count, elements, filled, is_string, object, raw_text, record, text};
use agent_strace_model::{EventKind, Label, Usage, Window};

record! {
    struct Info { total = "total_token_usage", last = "last_token_usage" }
}

record! {
    struct Tokens {
        input = "input_tokens",
        cached = "cached_input_tokens",
        output = "output_tokens",
        reasoning = "reasoning_output_tokens",
        total = "total_tokens",
    }
}

pub(super) fn add<'a>(
    rollout: &mut Rollout<'a>,
    location: RecordLocation<'a>,
    notice: &Payload<'a>,
    payload: Option<Raw<'a>>,
    gaps: &mut Gaps,
) {
    let kind = text(notice.kind).unwrap_or_default();
    if ran::add(rollout, &location, &kind, notice, gaps) {
        return rollout.assembly.push(location, EventKind::Other);
    }
    match &*kind {
        "token_count" => {
            rollout.assembly.push(location.clone(), EventKind::Other);
            if let Some(info) = object::<Info<'a>>(notice.info) {
                tokens(rollout, location, &info);
            }
        }
        "user_message" => {
            rollout.typed.extend(text(notice.message).map(|typed| typed.trim().to_owned()));
            rollout.assembly.push(location, EventKind::Other);
        }
        "error" => {
            let said = raw_text(notice.message);
            rollout.assembly.push(location, said.map_or(EventKind::Other, EventKind::Failure));
        }
        "entered_review_mode" => {
            rollout.assembly.label(Label::Starts(Cow::Borrowed("review")));
            rollout.assembly.push(location, EventKind::Other);
        }
        "thread_settings_applied" => {
            facts::settings(rollout, payload);
            rollout.assembly.push(location, EventKind::Other);
        }
        "task_complete" | "turn_complete" => {
            rollout.completed = rollout.rows;
            rollout.assembly.push(location, EventKind::Other);
        }
        _ => {
            if !is_side(&kind) && notice.looks_like_a_call() {
                gaps.unknown_record(location.line, "a notice of an unknown kind that looks like a call");
            }
            // The provider searches for the model: what it asked for is an item, or no act of this machine.
            if kind.starts_with("web_search_") && is_search(notice.action) {
                rollout.assembly.pass(notice.action);
            }
            rollout.assembly.push(location, EventKind::Other);
            facts::notice(rollout, &kind, payload);
        }
    }
}

record! {
    struct Search { kind = "type", query = "query", queries = "queries", url = "url", pattern = "pattern" }
}

/// Returns whether an action says what to search for, or where, and nothing else.
fn is_search(action: Option<Raw<'_>>) -> bool {
    let Some(search) = object::<Search<'_>>(action) else { return false };
    let is_known = matches!(text(search.kind).as_deref(), Some("search" | "open_page" | "find_in_page" | "other"));
    let words = [search.query, search.url, search.pattern].into_iter().flatten().chain(elements(search.queries));
    is_known && search.others == 0 && words.into_iter().all(|word| is_string(Some(word)))
}

/// Kinds of notices that hold a call's fields, though no call is told by them alone: questions to the user, progress of
/// commands, searches and agents whose calls are response items, and copies of response items.
fn is_side(kind: &str) -> bool {
    const BEFORE: [&str; 9] = [
        "collab_",
        "web_search_",
        "image_generation_",
        "guardian_",
        "hook_",
        "mcp_startup_",
        "exec_command_output_",
        "patch_apply_",
        "sub_agent_",
    ];
    let known = matches!(
        kind,
        "exec_approval_request"
            | "apply_patch_approval_request"
            | "request_permissions"
            | "request_user_input"
            | "elicitation_request"
            | "terminal_interaction"
            | "dynamic_tool_call_response"
            | "raw_response_item"
            | "codex/event/raw_item"
            | "turn_diff"
    );
    known || BEFORE.iter().any(|start| kind.starts_with(start))
}

/// Every answer of the model is counted, some of them in two records: a new one raises the total.
fn tokens<'a>(rollout: &mut Rollout<'a>, location: RecordLocation<'a>, info: &Info<'a>) {
    let before = rollout.tokens;
    rollout.tokens = info.total.or(before);
    if let (Some(before), Some(total)) = (object(before), object(info.total))
        && begins_anew(&before, &total, object(info.last).as_ref())
    {
        rollout.earlier.add(&usage(&before, 0));
    }
    let raised = info.total.is_some_and(|total| before.is_none_or(|before| before.get() != total.get()));
    rollout.requests += u64::from(raised);
    let Some(last) = object::<Tokens<'_>>(info.last) else { return };
    let usage = usage(&last, 1);
    let told = [count(last.input), count(last.output), count(last.total)];
    let window = (rollout.told.replace(told) != Some(told)).then_some(Window {
        fresh_input: usage.input,
        cache_creation: 0,
        cache_read: usage.cache_read,
        output: usage.output.saturating_add(usage.reasoning),
    });
    // A conversation that no longer fitted is told as one of nothing: that was no answer.
    rollout.assembly.served(rollout.tier.clone());
    if raised && (Usage { requests: 0, ..usage }) != Usage::default() {
        rollout.assembly.spend(location.time, None, usage, window);
    } else if let Some(window) = window {
        rollout.assembly.window(location.time, window);
    }
}

/// A running total only grows, by what was spent last: a smaller one, or one that is no more than that, leaves out what
/// was spent before (after a resume, or where the conversation no longer fitted).
fn begins_anew(before: &Tokens<'_>, total: &Tokens<'_>, last: Option<&Tokens<'_>>) -> bool {
    let told = |tokens: &Tokens<'_>| [tokens.input, tokens.output].map(count);
    let (before, total) = (told(before), told(total));
    let fell = before.iter().zip(total).any(|(before, total)| total < *before);
    fell || (before != total && before != [0; 2] && last.is_some_and(|last| told(last) == total))
}

record! {
    struct Used { turn = "turn_id", tokens = "turn_token_usage" }
}

/// What a turn used so far. It is told again and again; the running total tells the same in other words.
pub(super) fn used_by_turn<'a>(rollout: &mut Rollout<'a>, payload: Option<Raw<'a>>) {
    let used = object::<Used<'a>>(payload).unwrap_or_default();
    if let Some(tokens) = used.tokens {
        let turn = filled(used.turn).or_else(|| rollout.turn_id.clone()).unwrap_or_default();
        rollout.turns.insert(turn, tokens);
    }
}

/// What the turns of a log without running totals used.
pub(super) fn add_turns(rollout: &mut Rollout<'_>) {
    for (turn, tokens) in std::mem::take(&mut rollout.turns) {
        if let Some(tokens) = object::<Tokens<'_>>(Some(tokens)) {
            rollout.assembly.together(Some(turn), usage(&tokens, 0));
        }
    }
}

/// Codex counts up: the last total is the session's, beside those that were begun anew.
pub(super) fn total(tokens: Option<Raw<'_>>, earlier: Usage, requests: u64) -> Usage {
    let mut total = object::<Tokens<'_>>(tokens).map_or_else(Usage::default, |tokens| usage(&tokens, requests));
    total.add(&earlier);
    total
}

fn usage(tokens: &Tokens<'_>, requests: u64) -> Usage {
    let mut counts = Counts::default();
    let cached = counts.of(tokens.cached);
    Usage {
        requests,
        input: counts.needed(tokens.input).saturating_sub(cached),
        output: counts.needed(tokens.output),
        cache_read: cached,
        reasoning: counts.of(tokens.reasoning),
        partial: counts.is_partial,
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::Log;

    /// Running totals, each `input output` with `/ input output` of the last answer: what the session used, and how many
    /// answers that were.
    fn used(told: &[&str]) -> (u64, u64, u64) {
        let tokens = |text: &str| {
            let (input, output) = text.trim().split_once(' ').unwrap();
            format!(r#"{{"input_tokens":{input},"output_tokens":{output},"total_tokens":100000}}"#)
        };
        let info = |told: &&str| {
            let (total, last) = told.split_once('/').map_or((*told, None), |(total, last)| (total, Some(last)));
            let last = last.map(|last| format!(r#","last_token_usage":{}"#, tokens(last))).unwrap_or_default();
            format!(r#"{{"total_token_usage":{}{last}}}"#, tokens(total))
        };
        let start = r#"{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"a","cwd":"/w"}}"#;
        let notice =
            |info: String| format!(r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{info}}}}}"#);
        let lines: Vec<String> = std::iter::once(start.to_owned()).chain(told.iter().map(info).map(notice)).collect();
        let log = Log::new("codex.jsonl", lines.join("\n").into_bytes());
        let reading = log.read();
        let [session] = reading.sessions.as_slice() else { panic!("{} sessions", reading.sessions.len()) };
        (session.usage.input, session.usage.output, session.usage.requests)
    }

    #[test]
    fn a_running_total_that_is_begun_anew_leaves_nothing_out() {
        for (told, wanted) in [
            (&["10 1", "30 3"][..], (30, 3, 2)),
            // The same total again is no answer.
            (&["10 1 / 10 1", "10 1 / 10 1", "30 3 / 20 2"], (30, 3, 2)),
            // After a resume.
            (&["10 1", "30 3", "5 1", "9 2"], (39, 5, 4)),
            (&["10 1 / 10 1", "30 3 / 20 2", "5 1 / 5 1", "9 2 / 4 1"], (39, 5, 4)),
            // The first answer after it was larger than all before.
            (&["10 1 / 10 1", "50 5 / 50 5", "60 6 / 10 1"], (70, 7, 3)),
            // Where the conversation no longer fitted, nothing but the sum of both is kept.
            (&["30 3 / 30 3", "0 0 / 0 0", "8 1 / 8 1"], (38, 4, 3)),
        ] {
            assert_eq!(used(told), wanted, "{told:?}");
        }
    }
}
