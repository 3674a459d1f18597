//! Parts of a message: words, calls with their outcome, files that changed.

use std::borrow::Cow;

use super::chat::Chat;
use super::status::{self, State};
use crate::assembly::RecordLocation;
use crate::gaps::Gaps;
use crate::json::{Raw, elements, filled, is_true, object, raw_text, record, scalar, text};
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{Access, Arguments, EventKind, FileEvent, RawText, Speaker, Status, ToolCall, ToolResult};

record! {
    pub(super) struct Part {
        kind = "type",
        id = "id",
        message = "messageID",
        words = "text",
        synthetic = "synthetic",
        call = "callID",
        tool = "tool",
        state = "state",
        time = "time",
        files = "files",
    }
}

record! {
    struct Times { start = "start", end = "end" }
}

record! {
    struct Spawned { session = "sessionId", calls = "summary" }
}

record! {
    struct Task { kind = "subagent_type" }
}

/// What elision leaves of an id.
const REDACTED: &str = "REDACTED";

impl<'a> Chat<'a> {
    pub(super) fn part(&mut self, location: RecordLocation<'a>, part: Option<Raw<'a>>, gaps: &mut Gaps) {
        match object::<Part<'a>>(part) {
            Some(part) => self.read_part(location, &part, None, gaps),
            None => gaps.malformed(location.line, "a part of a message that is not an object"),
        }
    }

    /// `message` is the one that the part was found in.
    pub(super) fn read_part(
        &mut self,
        mut location: RecordLocation<'a>,
        part: &Part<'a>,
        message: Option<Cow<'a, str>>,
        gaps: &mut Gaps,
    ) {
        if let Some(key) = part.duplicate {
            gaps.twice(location.line, key, "a part of a message");
        }
        let message = message.or_else(|| filled(part.message));
        let times = object::<Times<'a>>(part.time).unwrap_or_default();
        location.id = filled(part.id);
        location.time = scalar(times.start).or(location.time);
        let kind = text(part.kind).unwrap_or_default();
        match &*kind {
            "tool" => self.call(location, part, message, gaps),
            "text" | "reasoning" => self.words(location, part, &times, &kind, message.as_ref()),
            "patch" => self.patch(&location, part, gaps),
            "compaction" => {
                if self.first(&location) {
                    self.compacted(location);
                }
            }
            "file" | "agent" | "subtask" | "snapshot" | "retry" | "step-start" | "step-finish" => {
                self.assembly.push(location, EventKind::Other);
            }
            _ if part.tool.is_some() && part.state.is_some() => {
                self.assembly.unknown(location.clone());
                self.call(location, part, message, gaps);
            }
            _ => self.assembly.unknown(location),
        }
    }

    /// Whether a part is seen for the first time.
    fn first(&mut self, location: &RecordLocation<'a>) -> bool {
        location.id.as_ref().filter(|id| *id != REDACTED).is_none_or(|id| self.parts.insert(id.clone()))
    }

    fn words(
        &mut self,
        location: RecordLocation<'a>,
        part: &Part<'a>,
        times: &Times<'a>,
        kind: &str,
        message: Option<&Cow<'a, str>>,
    ) {
        let Some(words) = part.words.filter(|words| words.get() != "\"\"") else {
            return self.assembly.push(location, EventKind::Other);
        };
        let prompt = message.is_some_and(|id| self.prompts.contains(id));
        // Events repeat a text while it grows: the whole one has an end.
        if part.time.is_some() && times.end.is_none() && !prompt {
            if self.first(&location) {
                self.assembly.push(location, EventKind::Other);
            }
            return;
        }
        let words = RawText::Json(words.get());
        let event = match (kind, prompt) {
            ("reasoning", _) => EventKind::Reasoning(words),
            (_, true) if !is_true(part.synthetic) => EventKind::Prompt(words),
            (_, false) if !is_true(part.synthetic) => EventKind::Message(words),
            _ => EventKind::Other,
        };
        // The session of a sub-agent is asked by the one that started it.
        let agent = self.assembly.session.parent.is_some().then_some(Speaker::Subagent);
        self.assembly.say(location, event, agent);
    }

    /// Files that changed while the model worked, as the host's snapshots show.
    fn patch(&mut self, location: &RecordLocation<'a>, part: &Part<'a>, gaps: &mut Gaps) {
        for raw in elements(part.files) {
            match filled(Some(raw)) {
                Some(target) => {
                    let file = FileEvent { access: Access::Write, target };
                    self.assembly.push(location.clone(), EventKind::File(file));
                }
                None => gaps.malformed(location.line, "a changed file without a path"),
            }
        }
    }

    fn call(
        &mut self,
        mut location: RecordLocation<'a>,
        part: &Part<'a>,
        message: Option<Cow<'a, str>>,
        gaps: &mut Gaps,
    ) {
        let Some(state) = object::<State<'a>>(part.state) else {
            return gaps.malformed(location.line, "a call without a readable `state`");
        };
        if let Some(key) = state.duplicate {
            gaps.twice(location.line, key, "a call");
        }
        location.time = object::<Times<'a>>(state.time).and_then(|times| scalar(times.start)).or(location.time);
        // The model is still writing it: nothing has run.
        let unwritten = state.input.is_none_or(|input| matches!(input.get(), "{}" | "\"\""));
        if text(state.status).as_deref() == Some("pending") && unwritten {
            return self.assembly.push(location, EventKind::Other);
        }
        let tool = filled(part.tool).unwrap_or(Cow::Borrowed(""));
        let status = status::of(&tool, &state);
        let known = |id: &Cow<'a, str>| !id.is_empty() && id != REDACTED;
        let links = [filled(part.id).filter(known), filled(part.call).filter(known)];
        let arguments = state.input.map_or(Arguments::Missing, |input| Arguments::Json(Cow::Borrowed(input.get())));
        let link = links.iter().flatten().next().cloned();
        let again = self.assembly.repeats(link.as_deref(), &tool, &arguments);
        if !again {
            let cwd = message.and_then(|id| self.directories.get(&id).cloned()).or_else(|| self.cwd.clone());
            let call = ToolCall { call_id: link.clone(), tool, arguments, cwd, status, subagent: None };
            self.assembly.call(location.clone(), call, links.into_iter().flatten());
        }
        self.spawned(part, &state, link.as_ref());
        let said = state.output.or(state.error);
        if said.is_some() {
            let is_error = matches!(status, Status::Error | Status::Denied);
            let result = ToolResult { call_id: link.clone(), text: raw_text(said), is_error };
            self.assembly.result(location, result, status, link);
        } else if again {
            self.assembly.settle(status, link);
        }
    }

    /// A session that the call started: its calls are in a log of its own.
    fn spawned(&mut self, part: &Part<'a>, state: &State<'a>, call_id: Option<&Cow<'a, str>>) {
        if text(part.tool).as_deref() != Some("task") {
            return;
        }
        let spawned = object::<Spawned<'a>>(state.metadata).unwrap_or_default();
        let id = filled(spawned.session);
        let event = self.assembly.session.events.last().map_or(0, |event| event.number);
        let subagents = &mut self.assembly.session.evidence.subagents;
        let calls = spawned.calls.and_then(|list| u32::try_from(elements(Some(list)).len()).ok());
        if let Some(known) =
            subagents.iter_mut().find(|known| known.call_id.is_some() && known.call_id.as_ref() == call_id)
        {
            known.id = id.or_else(|| known.id.take());
            known.calls = calls.or(known.calls);
            return;
        }
        let kind = object::<Task<'a>>(state.input).and_then(|task| filled(task.kind));
        subagents.push(Subagent { event, id, call_id: call_id.cloned(), kind, calls });
    }
}
