//! What a replayed chat tells, request by request.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::invocation::{Asked, Ran, asked, ran, rounds};
use super::replay::{Chat, Part, Request, path};
use crate::assembly::{Assembly, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Raw, elements, filled, is, object, raw_text, record, scalar, text};
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{
    Access, Arguments, EventKind, FileEvent, Origin, RawText, Session, Status, ToolCall, ToolResult,
};

record! {
    struct Message { text = "text" }
}

record! {
    struct Agent { version = "extensionVersion" }
}

record! {
    struct Moved { old = "oldResource", new = "newResource" }
}

impl<'a> Chat<'a> {
    pub(super) fn finish(self, gaps: &mut Gaps) -> Session<'a> {
        let Self { mut assembly, requests, .. } = self;
        for (row, request) in (1..).zip(&requests) {
            // All that a request led to is of one record, however many lines it has.
            assembly.origin = Origin { row, ..Origin::default() };
            tell(&mut assembly, request, gaps);
        }
        assembly.finish()
    }
}

fn tell<'a>(assembly: &mut Assembly<'a>, request: &Request<'a>, gaps: &mut Gaps) {
    let fields = &request.fields;
    let time = scalar(fields.timestamp);
    let location = RecordLocation { line: request.line, id: filled(fields.id), time: time.clone() };
    let attribution = &mut assembly.session.attribution;
    note_each(&mut attribution.models, filled(fields.model));
    note(&mut attribution.version, object::<Agent<'a>>(fields.agent).and_then(|agent| filled(agent.version)));
    let prompt = object::<Message<'a>>(fields.message).and_then(|message| message.text).or(fields.message);
    assembly.push(location, raw_text(prompt).map_or(EventKind::Other, EventKind::Prompt));

    for rounds in request.results.iter().filter_map(|(_, result)| rounds(*result)) {
        assembly.pass(Some(rounds));
    }
    let now: HashSet<usize> = request.now.iter().copied().collect();
    let mut invocations = Invocations::new(asked(request));
    let mut written = HashSet::new();
    for (at, (line, part)) in request.parts.iter().enumerate() {
        let location = RecordLocation { line: *line, id: None, time: time.clone() };
        if let Some(base) = path(part.base) {
            assembly.root(Some(without_slash(base)));
        }
        if let Some(ran) = ran(*line, part) {
            invocations.add(ran);
        } else if !files(assembly, &location, part, &mut written, gaps) && now.contains(&at) {
            words(assembly, location, part);
        }
    }
    invocations.tell(assembly, time.as_ref());
}

fn without_slash(path: Cow<'_, str>) -> Cow<'_, str> {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() || trimmed.len() == path.len() { path } else { Cow::Owned(trimmed.to_owned()) }
}

fn words<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, part: &Part<'a>) {
    let words = part.value.filter(|value| value.get().starts_with('"')).map(|value| RawText::Json(value.get()));
    let event = match (text(part.kind).as_deref(), words) {
        (None | Some("markdownContent" | "markdownVuln"), Some(words)) => EventKind::Message(words),
        (Some("thinking"), Some(words)) => EventKind::Reasoning(words),
        _ => EventKind::Other,
    };
    assembly.push(location, event);
}

/// Files that the editor itself says were changed. `false`: the part is about something else.
fn files<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    part: &Part<'a>,
    written: &mut HashSet<(Access, Cow<'a, str>)>,
    gaps: &mut Gaps,
) -> bool {
    let mut targets: Vec<(Access, Option<Raw<'a>>)> = Vec::new();
    match text(part.kind).as_deref() {
        Some("textEditGroup" | "textEdit" | "notebookEditGroup" | "notebookEdit") => {
            targets.push((Access::Write, part.uri));
        }
        Some("workspaceEdit") => {
            for edit in elements(part.edits) {
                let edit = object::<Moved<'a>>(Some(edit)).unwrap_or_default();
                targets.extend(edit.old.map(|old| (Access::Delete, Some(old))));
                targets.extend(edit.new.map(|new| (Access::Write, Some(new))));
            }
        }
        Some("externalEdit") => {
            targets.extend(part.original.map(|original| (Access::Delete, Some(original))));
            let deleted = is(part.edit_kind, "delete");
            targets.push((if deleted { Access::Delete } else { Access::Write }, part.uri));
        }
        _ => return false,
    }
    for (access, uri) in targets {
        let Some(target) = path(uri) else {
            gaps.malformed(location.line, "a change of a file that is not named");
            continue;
        };
        if written.insert((access, target.clone())) {
            assembly.push(location.clone(), EventKind::File(FileEvent { access, target }));
        }
    }
    true
}

/// The calls of one request: as the editor ran them, and as the model asked for them.
struct Invocations<'a> {
    asked: Vec<Asked<'a>>,
    ran: Vec<Ran<'a>>,
    /// Id → place in `ran` of its latest version.
    latest: HashMap<Cow<'a, str>, usize>,
}

impl<'a> Invocations<'a> {
    fn new(asked: Vec<Asked<'a>>) -> Self {
        Self { asked, ran: Vec::new(), latest: HashMap::new() }
    }

    /// The editor writes an invocation again whenever it gets on: only what it did not say before makes another call.
    fn add(&mut self, new: Ran<'a>) {
        let known = new.id.as_ref().and_then(|id| self.latest.get(id)).and_then(|at| self.ran.get_mut(*at));
        if let Some(known) = known
            && known.tool == new.tool
            && (known.arguments == new.arguments
                || known.arguments == Arguments::Missing
                || new.arguments == Arguments::Missing)
        {
            if new.arguments != Arguments::Missing {
                (known.arguments, known.by_user) = (new.arguments, new.by_user);
            }
            if new.status != Status::Missing {
                known.status = new.status;
            }
            known.cwd = new.cwd.or_else(|| known.cwd.take());
            known.starts = new.starts.or_else(|| known.starts.take());
            known.details = new.details.or(known.details);
            return;
        }
        self.latest.extend(new.id.clone().map(|id| (id, self.ran.len())));
        self.ran.push(new);
    }

    fn tell(mut self, assembly: &mut Assembly<'a>, time: Option<&Cow<'a, str>>) {
        let pairs = self.pairs();
        let mut used = vec![false; self.asked.len()];
        for (ran, pair) in std::mem::take(&mut self.ran).into_iter().zip(pairs) {
            let asked = pair.and_then(|at| {
                used.get_mut(at).map(|used| *used = true)?;
                self.asked.get(at)
            });
            one(assembly, ran, asked, time);
        }
        // Some tools show nothing of themselves.
        for (asked, _) in self.asked.into_iter().zip(used).filter(|(_, used)| !used) {
            let id = Some(asked.id).filter(|id| !id.is_empty());
            let status = if asked.answered { Status::Ok } else { Status::Missing };
            let call = ToolCall {
                call_id: id.clone(),
                tool: asked.tool,
                arguments: asked.arguments,
                cwd: None,
                status,
                subagent: None,
            };
            assembly.call(RecordLocation { line: asked.line, id: None, time: time.cloned() }, call, id);
        }
    }

    /// Which request of the model each invocation answers: by id, else by position, where both lists agree.
    fn pairs(&self) -> Vec<Option<usize>> {
        let by_id: HashMap<&str, usize> =
            self.asked.iter().enumerate().map(|(at, asked)| (bare(&asked.id), at)).collect();
        let mut pairs: Vec<Option<usize>> = self
            .ran
            .iter()
            .map(|ran| ran.id.as_deref().and_then(|id| by_id.get(bare(id)).copied()).filter(|_| ran.subagent.is_none()))
            .collect();
        let taken: HashSet<usize> = pairs.iter().flatten().copied().collect();
        let free: Vec<usize> = (0..self.asked.len()).filter(|at| !taken.contains(at)).collect();
        let open: Vec<&mut Option<usize>> = pairs
            .iter_mut()
            .zip(&self.ran)
            .filter(|(pair, ran)| pair.is_none() && ran.subagent.is_none())
            .map(|(pair, _)| pair)
            .collect();
        if open.len() == free.len() {
            for (pair, at) in open.into_iter().zip(free) {
                *pair = Some(at);
            }
        }
        pairs
    }
}

/// An id without what the editor appends to it.
fn bare(id: &str) -> &str {
    id.split_once("__vscode").map_or(id, |(id, _)| id)
}

fn one<'a>(assembly: &mut Assembly<'a>, ran: Ran<'a>, asked: Option<&Asked<'a>>, time: Option<&Cow<'a, str>>) {
    let tool = asked.map_or(ran.tool, |asked| asked.tool.clone());
    // The record that says what was asked for is the one that proves the call.
    let (line, arguments) = match asked {
        Some(asked) if !ran.by_user => (asked.line, asked.arguments.clone()),
        _ => (ran.line, ran.arguments),
    };
    let location = RecordLocation { line, id: None, time: time.cloned() };
    // The editor runs what the model asked for: without a word on its end, a result says that it ran.
    let status = if ran.status == Status::Missing && asked.is_some_and(|asked| asked.answered) {
        Status::Ok
    } else {
        ran.status
    };
    let call = ToolCall { call_id: ran.id.clone(), tool, arguments, cwd: ran.cwd, status, subagent: ran.subagent };
    assembly.call(location.clone(), call, ran.id.clone());
    if let Some(kind) = ran.starts {
        let event = assembly.session.events.last().map_or(0, |event| event.number);
        let kind = Some(kind).filter(|kind| !kind.is_empty());
        let started = Subagent { event, id: ran.id.clone(), call_id: ran.id.clone(), kind, calls: None };
        assembly.session.evidence.subagents.push(started);
    }
    if let Some(details) = ran.details {
        let is_error = status == Status::Error;
        let result = ToolResult { call_id: ran.id.clone(), text: raw_text(Some(details)), is_error };
        assembly.result(location, result, status, ran.id);
    }
}
