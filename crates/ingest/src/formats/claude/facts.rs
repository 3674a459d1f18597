//! What a transcript says about the session as a whole: who ran it, how, and which agents it started.

use std::borrow::Cow;

use super::envelope::Envelope;
use super::message::{Block, Context};
use crate::assembly::Assembly;
use crate::json::{Raw, count, filled, is, object, record, text};
use agent_strace_model::Status;
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::evidence::Subagent;

/// The last texts that were noted: nearly every record repeats them.
#[derive(Debug, Default)]
pub(super) struct Noted<'a> {
    branch: Option<&'a str>,
    mode: Option<&'a str>,
}

impl<'a> Noted<'a> {
    pub(super) fn record(&mut self, record: &Envelope<'a>, assembly: &mut Assembly<'a>) {
        let attribution = &mut assembly.session.attribution;
        if attribution.version.is_none() {
            note(&mut attribution.version, filled(record.version));
        }
        if attribution.entrypoint.is_none() {
            note(&mut attribution.entrypoint, filled(record.entrypoint));
        }
        if is_new(&mut self.branch, record.branch) {
            note_each(&mut attribution.branches, filled(record.branch));
        }
        if is_new(&mut self.mode, record.permission_mode) {
            note_each(&mut attribution.permission_modes, filled(record.permission_mode));
        }
    }
}

fn is_new<'a>(last: &mut Option<&'a str>, value: Option<Raw<'a>>) -> bool {
    let Some(value) = value.map(Raw::get) else { return false };
    *last != Some(value) && {
        *last = Some(value);
        true
    }
}

/// The start of a run in a stream names what transcripts say record by record.
pub(super) fn init<'a>(record: &Envelope<'a>, assembly: &mut Assembly<'a>) {
    assembly.model(filled(record.model));
    let attribution = &mut assembly.session.attribution;
    note(&mut attribution.version, filled(record.claude_version));
}

pub(super) fn model<'a>(model: Option<Raw<'a>>, assembly: &mut Assembly<'a>) {
    if model.is_some() && !is(model, "<synthetic>") {
        assembly.model(filled(model));
    }
}

/// Whether a tool starts another agent. Qwen Code prints the same stream, with its own names of tools.
fn starts(tool: &str) -> bool {
    matches!(tool, "Task" | "Agent" | "task" | "agent")
}

record! {
    struct Asked { kind = "subagent_type" }
}

/// A call that starts an agent was just recorded.
pub(super) fn started<'a>(assembly: &mut Assembly<'a>, tool: &str, id: Option<Cow<'a, str>>, input: Option<Raw<'a>>) {
    if starts(tool) {
        let kind = object::<Asked<'a>>(input).and_then(|asked| filled(asked.kind));
        declare(assembly, Subagent { event: 0, id: None, call_id: id, kind, calls: None });
    }
}

fn declare<'a>(assembly: &mut Assembly<'a>, subagent: Subagent<'a>) {
    let event = assembly.session.events.last().map_or(0, |event| event.number);
    assembly.session.evidence.subagents.push(Subagent { event, ..subagent });
}

record! {
    struct Report { agent = "agentId", calls = "totalToolUseCount", kind = "agentType" }
}

/// What the result of a call says about the agent that it started. `tool`: of the call, where it is known.
pub(super) fn ended<'a>(
    assembly: &mut Assembly<'a>,
    tool: Option<&str>,
    block: &Block<'a>,
    status: Status,
    context: &Context<'a>,
) {
    if !tool.is_none_or(starts) {
        return;
    }
    let report = object::<Report<'a>>(context.result).unwrap_or_default();
    let (id, calls) = (filled(report.agent), report.calls.map(|_| number(report.calls)));
    let call_id = filled(block.tool_use_id);
    let open = |known: &Subagent<'_>| known.call_id == call_id && known.id.is_none() && known.calls.is_none();
    let subagents = &assembly.session.evidence.subagents;
    // Of one that was started long before the end is not known.
    let first = subagents.len().saturating_sub(AT_ONCE);
    let known = subagents.iter().skip(first).position(open).map(|at| first + at);
    let Some(known) = known else {
        // The call itself is not in the log.
        if id.is_some() && calls.is_some() && tool.is_none() {
            declare(assembly, Subagent { event: 0, id, call_id, kind: filled(report.kind), calls });
        }
        return;
    };
    if status == Status::Denied || status == Status::Error && never_ran(block.content) {
        assembly.session.evidence.subagents.remove(known);
    } else if let Some(known) = assembly.session.evidence.subagents.get_mut(known) {
        (known.id, known.calls) = (id, calls);
    }
}

/// Agents that may work at the same time: the results of others are not looked for, so that time stays linear.
const AT_ONCE: usize = 256;

fn number(value: Option<Raw<'_>>) -> u32 {
    u32::try_from(count(value)).unwrap_or(u32::MAX)
}

/// The host refuses a call that it can't run in these words, before it runs.
fn never_ran(content: Option<Raw<'_>>) -> bool {
    text(content).is_some_and(|text| text.starts_with("<tool_use_error>"))
}

/// What a kind of system record says about the conversation.
pub(super) fn system(subtype: &str, assembly: &mut Assembly<'_>) {
    if matches!(subtype, "compact_boundary" | "microcompact_boundary") {
        let compactions = &mut assembly.session.evidence.compactions;
        *compactions = compactions.saturating_add(1);
    }
}
