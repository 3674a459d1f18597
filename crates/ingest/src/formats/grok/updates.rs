//! What was shown while the session ran: how calls ended, and what turns cost.

use std::borrow::Cow;

use crate::Side;
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{Counts, Nested, filled, record, scalar};
use crate::reader::{Reader, Shape};
use agent_strace_model::{Status, ToolCall, Usage};

record! {
    struct Entry { time = "timestamp", params: Nested<Params<'a>> = "params" }
}

record! {
    struct Params { update: Nested<Update<'a>> = "update" }
}

record! {
    struct Update {
        kind = "sessionUpdate",
        id = "toolCallId",
        title = "title",
        tool = "kind",
        input = "rawInput",
        status = "status",
        usage: Nested<Tokens<'a>> = "usage",
        prompt = "prompt_id",
    }
}

record! {
    struct Tokens {
        input = "inputTokens",
        cached = "cachedReadTokens",
        output = "outputTokens",
        reasoning = "reasoningTokens",
    }
}

/// All of it is told of the first line of the conversation.
pub(super) fn add<'a>(assembly: &mut Assembly<'a>, side: &'a Side, gaps: &mut Gaps) {
    let mut own = Gaps::new(&side.shown);
    let mut reader = Reader::new(&side.text, Shape::of(&side.text));
    while let Some(item) = reader.next::<Entry<'a>>(&mut own) {
        let time = scalar(item.record.time);
        let update = item.record.params.object().and_then(|params| params.update.object());
        let Some(update) = update else {
            own.unknown_record(item.line, "an update without its `params.update`");
            continue;
        };
        one(assembly, time, update);
    }
    for gap in own.finish() {
        gaps.push_for(gap.file, gap.line, gap.kind);
    }
}

fn one<'a>(assembly: &mut Assembly<'a>, time: Option<Cow<'a, str>>, update: &Update<'a>) {
    let kind = filled(update.kind).unwrap_or_default();
    let status = match filled(update.status).as_deref() {
        Some("completed") => Status::Ok,
        Some("failed") => Status::Error,
        _ => Status::Missing,
    };
    let id = filled(update.id);
    if kind == "tool_call" && id.as_deref().is_none_or(|id| assembly.call_of(id).is_none()) {
        let tool = filled(update.title).or_else(|| filled(update.tool)).unwrap_or_default();
        let arguments = arguments(update.input);
        let call = ToolCall { call_id: id.clone(), tool, arguments, cwd: None, status, subagent: None };
        assembly.call(RecordLocation { line: 1, id: None, time }, call, id);
    } else if matches!(&*kind, "tool_call" | "tool_call_update") && status != Status::Missing {
        assembly.settle(status, id);
    } else if kind == "compaction_checkpoint" {
        let compactions = &mut assembly.session.evidence.compactions;
        *compactions = compactions.saturating_add(1);
    }
    if let Some(tokens) = update.usage.object() {
        let mut counts = Counts::default();
        let cache_read = counts.of(tokens.cached);
        let usage = Usage {
            input: counts.needed(tokens.input).saturating_sub(cache_read),
            output: counts.needed(tokens.output),
            cache_read,
            reasoning: counts.of(tokens.reasoning),
            partial: counts.is_partial,
            ..Usage::default()
        };
        assembly.together(filled(update.prompt), usage);
    }
}
