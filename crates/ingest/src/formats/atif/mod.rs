//! ATIF, the Agent Trajectory Interchange Format (versions 1.0 to 1.8): one document per run, whoever the agent was.
//!
//! Tools keep the names their agent gave them. Sub-agents that are embedded are sessions of their own.

use std::borrow::Cow;

use super::{Detect, Format, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{
    Counts, Nested, Raw, elements, filled, is, is_array, is_string, is_true, object, raw_text, record, scalar, text,
    whole,
};
use crate::reader::{Item, Reader};
use crate::settings;
use agent_strace_model::attribution::{note, note_each, without_credentials};
use agent_strace_model::evidence::{Counted, Subagent};
use agent_strace_model::{Dialect, EventKind, GapKind, RawText, Session, Status, ToolCall, ToolResult, Usage};

/// Sub-agents of sub-agents; every level reads the document below it again.
const MAX_DEPTH: u32 = 16;

record! {
    struct Trajectory {
        session_id = "session_id",
        trajectory_id = "trajectory_id",
        agent = "agent",
        steps = "steps",
        totals: Nested<Totals<'a>> = "final_metrics",
        subagents = "subagent_trajectories",
        continued = "continued_trajectory_ref",
    }
}

record! {
    struct Totals {
        steps = "total_steps",
        prompt = "total_prompt_tokens",
        completion = "total_completion_tokens",
        cached = "total_cached_tokens",
    }
}

record! {
    struct Agent { name = "name", version = "version", model = "model_name", extra: Nested<AgentExtra<'a>> = "extra" }
}

record! {
    struct AgentExtra {
        cwd = "cwd",
        cwds = "cwds",
        branches = "git_branches",
        git: Nested<Git<'a>> = "git",
        originator = "originator",
        permission = "permission_mode",
        sandbox = "sandbox_mode",
    }
}

record! {
    struct Git { commit = "commit_hash", branch = "branch", repository = "repository_url" }
}

record! {
    struct Step {
        id = "step_id",
        timestamp = "timestamp",
        source = "source",
        message = "message",
        model = "model_name",
        reasoning = "reasoning_content",
        calls = "tool_calls",
        observation: Nested<Observation<'a>> = "observation",
        metrics: Nested<Metrics<'a>> = "metrics",
        copied = "is_copied_context",
        extra: Nested<StepExtra<'a>> = "extra",
    }
}

record! {
    struct StepExtra { cwd = "cwd", sidechain = "is_sidechain", agent = "agent_id" }
}

record! {
    struct Call { id = "tool_call_id", name = "function_name", arguments = "arguments" }
}

record! {
    struct Observation { results = "results" }
}

record! {
    struct Outcome {
        call = "source_call_id",
        content = "content",
        subagents = "subagent_trajectory_ref",
        extra: Nested<OutcomeExtra<'a>> = "extra",
    }
}

record! {
    struct OutcomeExtra { is_error = "tool_result_is_error", metadata: Nested<Metadata<'a>> = "tool_result_metadata" }
}

record! {
    struct Metadata { is_error = "is_error" }
}

record! {
    struct Reference { id = "trajectory_id", path = "trajectory_path", session = "session_id" }
}

record! {
    struct Metrics {
        prompt = "prompt_tokens",
        completion = "completion_tokens",
        cached = "cached_tokens",
        extra: Nested<Written<'a>> = "extra",
    }
}

record! {
    /// What a cache took in is part of the prompt, too.
    struct Written { cache_write = "cache_creation_input_tokens", kept: Nested<Kept<'a>> = "cache_creation" }
}

record! {
    struct Kept { hour = "ephemeral_1h_input_tokens" }
}

record! {
    struct Part { text = "text" }
}

/// ATIF (`trajectory.json` of a trial).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("atif", "atif"),
    detect: Detect::Record(|head| head.text("schema_version").is_some_and(|version| version.starts_with("ATIF-v"))),
    read,
    homes: &[],
};

/// A trajectory that is still to be read.
struct Waiting<'a> {
    json: &'a str,
    line: u32,
    parent: Option<Cow<'a, str>>,
    depth: u32,
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let (mut sessions, mut waiting) = (Vec::new(), Vec::new());
    let mut reader = Reader::new(input.text, input.shape);
    while let Some(item) = reader.next::<Trajectory<'a>>(gaps) {
        sessions.push(trajectory(input, &item, None, 0, &mut waiting, gaps));
    }
    let mut at = 0;
    // Embedded ones wait behind those that are there, so that parents come first.
    while let Some(Waiting { json, line, parent, depth }) = waiting.get(at).map(|next| Waiting {
        json: next.json,
        line: next.line,
        parent: next.parent.clone(),
        depth: next.depth,
    }) {
        let mut reader = Reader::nested(json, line);
        while let Some(item) = reader.next::<Trajectory<'a>>(gaps) {
            sessions.push(trajectory(input, &item, parent.clone(), depth, &mut waiting, gaps));
        }
        at += 1;
    }
    sessions
}

fn trajectory<'a>(
    input: &Input<'a>,
    item: &Item<'a, Trajectory<'a>>,
    parent: Option<Cow<'a, str>>,
    depth: u32,
    waiting: &mut Vec<Waiting<'a>>,
    gaps: &mut Gaps,
) -> Session<'a> {
    let trajectory = &item.record;
    if let Some(key) = trajectory.duplicate {
        gaps.twice(item.line, key, "a trajectory");
    }
    let mut assembly = Assembly::new(&FORMAT.dialect, &input.log.shown, Numbering::Ordinal);
    let (own, run) = (filled(trajectory.trajectory_id), filled(trajectory.session_id));
    // All trajectories of a run share the id of the session.
    assembly.id(if parent.is_some() { own.or(run) } else { run.or(own) });
    let id = assembly.session.id.clone();
    assembly.session.parent = parent;
    if let Some(agent) = object::<Agent<'a>>(trajectory.agent) {
        about(&mut assembly, &agent);
    }
    settings::look_through(&mut assembly.session.evidence, "agent", trajectory.agent);
    let steps = steps(&mut assembly, item, gaps);
    if let Some(totals) = trajectory.totals.object() {
        assembly.stated(Counted::Steps, whole(totals.steps), steps, true);
        // Those of a trajectory with sub-agents may be theirs, too.
        if trajectory.subagents.is_none() && totals.prompt.is_some() {
            let Totals { prompt, completion, cached, .. } = *totals;
            assembly.in_all(&usage(&Metrics { prompt, completion, cached, ..Metrics::default() }));
        }
    }
    if trajectory.continued.is_some() {
        assembly.session.evidence.compactions = assembly.session.evidence.compactions.saturating_add(1);
    }
    if let Some(list) = trajectory.subagents {
        if !is_array(Some(list)) {
            gaps.malformed(item.line, "the trajectories of sub-agents are not a list");
        } else if depth >= MAX_DEPTH {
            gaps.push(Some(item.line), GapKind::limit("sub-agents of sub-agents are nested too deep to be read"));
        } else {
            let mut lines = crate::reader::LineCounter::new(item.json, item.line);
            let line = lines.line_of(list.get());
            waiting.push(Waiting { json: list.get(), line, parent: Some(id), depth: depth + 1 });
        }
    }
    assembly.finish()
}

fn about<'a>(assembly: &mut Assembly<'a>, agent: &Agent<'a>) {
    if let Some(name) = filled(agent.name) {
        assembly.session.agent = name;
    }
    if let Some(extra) = agent.extra.object() {
        assembly.root(filled(extra.cwd).or_else(|| text(elements(extra.cwds).first().copied())));
    }
    let attribution = &mut assembly.session.attribution;
    note(&mut attribution.version, filled(agent.version));
    note_each(&mut attribution.models, filled(agent.model));
    let Some(extra) = agent.extra.object() else { return };
    note(&mut attribution.entrypoint, filled(extra.originator));
    note_each(&mut attribution.permission_modes, filled(extra.permission));
    note_each(&mut attribution.sandboxes, filled(extra.sandbox));
    for branch in elements(extra.branches) {
        note_each(&mut attribution.branches, filled(Some(branch)));
    }
    if let Some(git) = extra.git.object() {
        note_each(&mut attribution.branches, filled(git.branch));
        note(&mut attribution.commit, filled(git.commit));
        note(&mut attribution.repository, filled(git.repository).map(without_credentials));
    }
}

/// Adds the steps, and returns how many there are.
fn steps<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Trajectory<'a>>, gaps: &mut Gaps) -> usize {
    let Some(list) = item.record.steps.filter(|list| is_array(Some(*list))) else {
        gaps.malformed(item.line, "the steps of a trajectory are not a list");
        return 0;
    };
    let (mut copied, mut count) = (false, 0);
    let mut reader = Reader::of_field(item.json, item.line, list);
    while let Some(step) = reader.next::<Step<'a>>(gaps) {
        if let Some(key) = step.record.duplicate {
            gaps.twice(step.line, key, "a step");
        }
        count += 1;
        let location =
            RecordLocation { line: step.line, id: scalar(step.record.id), time: filled(step.record.timestamp) };
        if is_true(step.record.copied) {
            // It happened in another trajectory, which this one goes on from.
            copied = true;
            assembly.pass(step.record.calls);
            assembly.push(location, EventKind::Other);
        } else {
            add(assembly, &location, &step.record, gaps);
        }
    }
    let evidence = &mut assembly.session.evidence;
    evidence.compactions = evidence.compactions.saturating_add(u32::from(copied));
    count
}

fn usage(metrics: &Metrics<'_>) -> Usage {
    let mut counts = Counts::default();
    let extra = metrics.extra.object();
    let cache_read = counts.of(metrics.cached);
    let cache_write = extra.map_or(0, |extra| counts.of(extra.cache_write));
    Usage {
        input: counts.needed(metrics.prompt).saturating_sub(cache_read).saturating_sub(cache_write),
        output: counts.needed(metrics.completion),
        cache_read,
        cache_write,
        cache_write_1h: extra.and_then(|extra| extra.kept.object()).map_or(0, |kept| counts.of(kept.hour)),
        partial: counts.is_partial,
        ..Usage::default()
    }
}

fn add<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, step: &Step<'a>, gaps: &mut Gaps) {
    assembly.model(filled(step.model));
    if let Some(thought) = step.reasoning.filter(|thought| thought.get() != "\"\"") {
        assembly.push(location.clone(), EventKind::Reasoning(RawText::Json(thought.get())));
    }
    let kind = match text(step.source).as_deref() {
        Some("user") => Some(EventKind::Prompt as fn(RawText<'a>) -> EventKind<'a>),
        Some("agent") => Some(EventKind::Message as fn(RawText<'a>) -> EventKind<'a>),
        Some("system") => None,
        _ => {
            assembly.unknown(location.clone());
            None
        }
    };
    words(assembly, location, step.message, kind);
    if let Some(metrics) = step.metrics.object() {
        assembly.usage(None, usage(metrics));
    } else if is(step.source, "agent") {
        assembly.untold(None);
    }
    calls(assembly, location, step, gaps);
    let Some(observation) = step.observation.object() else {
        if step.observation.is_other() {
            gaps.malformed(location.line, "the observation of a step is not an object");
        }
        return;
    };
    for raw in elements(observation.results) {
        match object::<Outcome<'a>>(Some(raw)) {
            Some(outcome) => result(assembly, location, &outcome, gaps),
            None => gaps.malformed(location.line, "a result that is not an object"),
        }
    }
}

fn words<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    message: Option<Raw<'a>>,
    kind: Option<fn(RawText<'a>) -> EventKind<'a>>,
) {
    let Some(kind) = kind else { return assembly.push(location.clone(), EventKind::Other) };
    let parts = elements(message).into_iter().filter_map(|part| object::<Part<'a>>(Some(part))?.text);
    for part in message.filter(|raw| is_string(Some(*raw)) && raw.get() != "\"\"").into_iter().chain(parts) {
        assembly.push(location.clone(), kind(RawText::Json(part.get())));
    }
}

fn calls<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, step: &Step<'a>, gaps: &mut Gaps) {
    if step.calls.is_some() && !is_array(step.calls) {
        gaps.malformed(location.line, "the calls of a step are not a list");
    }
    let extra = step.extra.object();
    for raw in elements(step.calls) {
        let Some(call) = object::<Call<'a>>(Some(raw)) else {
            gaps.malformed(location.line, "a call that is not an object");
            continue;
        };
        if let Some(key) = call.duplicate {
            gaps.twice(location.line, key, "a call");
        }
        let id = filled(call.id);
        let sidechain = extra.is_some_and(|extra| is_true(extra.sidechain));
        let call = ToolCall {
            call_id: id.clone(),
            tool: filled(call.name).unwrap_or(Cow::Borrowed("")),
            arguments: arguments(call.arguments),
            cwd: extra.and_then(|extra| filled(extra.cwd)),
            status: Status::Missing,
            subagent: extra
                .filter(|_| sidechain)
                .map(|extra| filled(extra.agent).unwrap_or(Cow::Borrowed("sidechain"))),
        };
        assembly.call(location.clone(), call, id);
    }
}

fn result<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, outcome: &Outcome<'a>, gaps: &mut Gaps) {
    let extra = outcome.extra.object();
    let is_error = extra.is_some_and(|extra| {
        is_true(extra.is_error) || extra.metadata.object().is_some_and(|metadata| is_true(metadata.is_error))
    });
    let status = if is_error { Status::Error } else { Status::Ok };
    let call_id = filled(outcome.call);
    let result = ToolResult { call_id: call_id.clone(), text: raw_text(outcome.content), is_error };
    assembly.result(location.clone(), result, status, call_id.clone());
    let event = u32::try_from(assembly.session.events.len()).unwrap_or(u32::MAX);
    // Before version 1.7, a single one.
    let references = match outcome.subagents {
        Some(raw) if is_array(Some(raw)) => elements(Some(raw)),
        single => single.into_iter().collect(),
    };
    for raw in references {
        let Some(reference) = object::<Reference<'a>>(Some(raw)) else {
            gaps.malformed(location.line, "a reference to a sub-agent that is not an object");
            continue;
        };
        let id = filled(reference.id).or_else(|| filled(reference.session)).or_else(|| filled(reference.path));
        let subagent = Subagent { event, id, call_id: call_id.clone(), kind: None, calls: None };
        assembly.session.evidence.subagents.push(subagent);
    }
}
