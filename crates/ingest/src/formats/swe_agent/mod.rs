//! SWE-agent: one document per run, a list of actions with their observations.
//!
//! An action is a line for the agent's shell, where its own commands are programs: see [`action`].

mod action;

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Counts, Nested, filled, is, is_array, is_object, is_true, object, parse, raw_text, record, text};
use crate::reader::{Item, Reader};
use crate::settings;
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::{Dialect, Ending, EventKind, GapKind, RawText, Session, Status, ToolCall, ToolResult, Usage};

record! {
    struct Document {
        trajectory = "trajectory",
        history = "history",
        info: Nested<Info<'a>> = "info",
        replay = "replay_config",
    }
}

record! {
    struct Info { stats: Nested<Stats<'a>> = "model_stats", version = "swe_agent_version", exit = "exit_status" }
}

record! {
    struct Stats { sent = "tokens_sent", received = "tokens_received", calls = "api_calls" }
}

record! {
    struct Step {
        action = "action",
        observation = "observation",
        thought = "thought",
        response = "response",
        state = "state",
        role = "role",
        content = "content",
        is_demo = "is_demo",
    }
}

record! {
    struct State { file = "open_file", cwd = "working_dir" }
}

record! {
    struct Replay { agent: Nested<Agent<'a>> = "agent", env: Nested<Environment<'a>> = "env" }
}

record! {
    struct Environment { repo: Nested<Repository<'a>> = "repo" }
}

record! {
    struct Repository { name = "repo_name" }
}

record! {
    struct Agent { model: Nested<Model<'a>> = "model" }
}

record! {
    struct Model { name = "name" }
}

/// SWE-agent (`trajectories/**/*.traj`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("swe-agent", "swe-agent").shell_stays(),
    detect: Detect::Record(|head| {
        let steps = |head: &Head<'_>| head.has_all(&["action", "observation"]) && head.has("state");
        let demonstration =
            |head: &Head<'_>| head.has_only(&["history"]) && head.first("history").as_ref().is_some_and(spoken);
        head.first("trajectory").is_some_and(|step| steps(&step))
            || head.is_array("trajectory") && head.is_array("history") && head.is_object("info")
            || demonstration(head)
    }),
    read,
    homes: &[Home { variables: &[], base: Base::Project, folder: "trajectories", logs: "**/*.traj" }],
};

/// A message as only SWE-agent keeps it, with the name of the agent in it.
fn spoken(message: &Head<'_>) -> bool {
    message.is_string("role") && message.is_string("agent") && message.has("content")
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    let mut reader = Reader::new(input.text, input.shape);
    while let Some(item) = reader.next::<Document<'a>>(gaps) {
        if let Some(key) = item.record.duplicate {
            gaps.twice(item.line, key, "the session");
        }
        let assembly = Assembly::new(&FORMAT.dialect, &input.log.shown, Numbering::Ordinal);
        let mut run = Run { assembly, repository: None, opened: None, marked: None, cwd: None };
        run.about(&item.record);
        let evidence = &mut run.assembly.session.evidence;
        settings::look_through(evidence, "replay_config", item.record.replay);
        run.steps(&item, gaps);
        sessions.push(run.finish(&item.record));
    }
    sessions
}

struct Run<'a> {
    assembly: Assembly<'a>,
    /// The folder that the settings name for the repository.
    repository: Option<String>,
    /// The file that the agent's editor shows, as far as the actions tell.
    opened: Option<Cow<'a, str>>,
    /// The lines that the editor marks, as far as the last action tells.
    marked: Option<(u64, u64)>,
    /// The directory after the last step.
    cwd: Option<Cow<'a, str>>,
}

impl<'a> Run<'a> {
    fn about(&mut self, document: &Document<'a>) {
        let attribution = &mut self.assembly.session.attribution;
        note(&mut attribution.version, document.info.object().and_then(|info| filled(info.version)));
        // A text that holds JSON, in most versions.
        let json = text(document.replay).map_or_else(|| document.replay.map(|raw| Cow::Borrowed(raw.get())), Some);
        let replay = json.as_deref().and_then(parse::<Replay<'_>>).unwrap_or_default();
        let owned = |value| filled(value).map(|value: Cow<'_, str>| value.into_owned());
        let model = replay.agent.object().and_then(|agent| agent.model.object()).and_then(|model| owned(model.name));
        note_each(&mut attribution.models, model.map(Cow::Owned));
        // The agent puts a repository into the folder of its name.
        let repository = replay.env.object().and_then(|env| env.repo.object()).and_then(|repo| owned(repo.name));
        self.repository = repository.map(|name| format!("/{name}"));
    }

    fn steps(&mut self, item: &Item<'a, Document<'a>>, gaps: &mut Gaps) {
        let document = &item.record;
        for (list, what) in [(document.history, "the history"), (document.trajectory, "the trajectory")] {
            if list.is_some() && !is_array(list) {
                gaps.push(Some(item.line), GapKind::malformed(format!("{what} of the session is not a list")));
            }
        }
        if let Some(history) = document.history {
            let mut reader = Reader::of_field(item.json, item.line, history);
            let has_steps = document.trajectory.is_some();
            while let Some(inner) = reader.next::<Step<'a>>(gaps) {
                // The history repeats the steps; a demonstration has nothing else.
                let (step, begun) =
                    (&inner.record, is(inner.record.role, "assistant") && !is_true(inner.record.is_demo));
                if has_steps && begun {
                    break;
                }
                self.spoken(&inner);
                if !has_steps && !is_true(step.is_demo) {
                    self.step(&inner, gaps);
                }
            }
        }
        if let Some(trajectory) = document.trajectory {
            let mut reader = Reader::of_field(item.json, item.line, trajectory);
            while let Some(inner) = reader.next::<Step<'a>>(gaps) {
                self.step(&inner, gaps);
            }
        }
    }

    fn spoken(&mut self, item: &Item<'a, Step<'a>>) {
        let location = RecordLocation { line: item.line, id: None, time: None };
        if let Some(words) = item.record.content
            && is(item.record.role, "user")
            && !is_true(item.record.is_demo)
        {
            self.assembly.push(location, EventKind::Prompt(RawText::Json(words.get())));
        }
    }

    fn step(&mut self, item: &Item<'a, Step<'a>>, gaps: &mut Gaps) {
        let step = &item.record;
        if let Some(key) = step.duplicate {
            gaps.twice(item.line, key, "a step");
        }
        let location = RecordLocation { line: item.line, id: None, time: None };
        if let Some(words) = step.thought.or(step.response).filter(|words| words.get() != "\"\"") {
            self.assembly.push(location.clone(), EventKind::Message(RawText::Json(words.get())));
        }
        let (state, after) = state(step);
        let cwd = if after { self.cwd.take() } else { state.cwd.clone() };
        self.start(cwd.as_deref(), state.cwd.as_deref());
        let shown = state.file.filter(|file| file != "n/a");
        match text(step.action) {
            Some(words) if !words.trim().is_empty() => {
                let (tool, arguments) = action::call(
                    &words,
                    action::Shown { path: shown.as_deref().or(self.opened.as_deref()), marked: self.marked.take() },
                );
                self.marked = action::marks(&words);
                if let Some(path) = action::opens(&words) {
                    self.opened = Some(Cow::Owned(path));
                }
                let observation = text(step.observation);
                let status = match &observation {
                    // Its editor takes back an edit that does not parse, and makes no file that exists.
                    Some(seen) if tool != "bash" && action::succeeded(&words, seen) == Some(false) => Status::Error,
                    _ if step.observation.is_some() => Status::Ok,
                    _ => Status::Missing,
                };
                let call = ToolCall { call_id: None, tool, arguments, cwd, status, subagent: None };
                self.assembly.call(location.clone(), call, None);
            }
            None if step.action.is_some() => gaps.malformed(item.line, "an action that is not a text"),
            _ => {}
        }
        if let Some(observation) = step.observation {
            let result = ToolResult { call_id: None, text: raw_text(Some(observation)), is_error: false };
            self.assembly.push(location, EventKind::Result(result));
        }
        self.cwd = state.cwd;
    }

    /// Takes the folder of the settings for the root, unless a directory from before the first action shows another one: the
    /// settings of a replay may be those of another run.
    fn start(&mut self, before: Option<&str>, after: Option<&str>) {
        let is_in = |folder: &String, path: &str| {
            path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let named = self.repository.take().filter(|folder| before.is_none_or(|before| is_in(folder, before)));
        let root = named.or_else(|| before.or(after).map(str::to_owned));
        self.assembly.root(root.map(Cow::Owned));
    }

    fn finish(mut self, document: &Document<'a>) -> Session<'a> {
        if let Some(status) = document.info.object().and_then(|info| filled(info.exit)) {
            let ending = Ending { status: Some(status), ..Ending::default() };
            let line = self.assembly.session.events.last().map_or(1, |event| event.line);
            self.assembly.push(RecordLocation { line, id: None, time: None }, EventKind::End(ending));
        }
        self.start(None, None);
        let mut session = self.assembly.finish();
        if let Some(stats) = document.info.object().and_then(|info| info.stats.object()) {
            let mut counts = Counts::default();
            session.usage = Usage {
                requests: counts.of(stats.calls),
                input: counts.needed(stats.sent),
                output: counts.needed(stats.received),
                partial: counts.is_partial,
                ..Usage::default()
            };
        }
        session
    }
}

struct Stand<'a> {
    file: Option<Cow<'a, str>>,
    cwd: Option<Cow<'a, str>>,
}

/// The state a step holds, and whether it is the one after the action. Version 1 takes it afterwards, and no longer as
/// a text that holds JSON.
fn state<'a>(step: &Step<'a>) -> (Stand<'a>, bool) {
    if is_object(step.state) {
        let state = object::<State<'a>>(step.state).unwrap_or_default();
        return (Stand { file: filled(state.file), cwd: filled(state.cwd) }, true);
    }
    let json = text(step.state).unwrap_or_default();
    let state = parse::<State<'_>>(&json).unwrap_or_default();
    let owned = |value| filled(value).map(|value: Cow<'_, str>| Cow::Owned(value.into_owned()));
    (Stand { file: owned(state.file), cwd: owned(state.cwd) }, false)
}
