//! What a rollout says about the session as a whole: who ran it, how, and which agents it started.

use std::borrow::Cow;

use super::Rollout;
use crate::json::{Raw, elements, filled, is, is_object, object, record, text};
use agent_strace_model::attribution::{note, note_each, without_credentials};
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{EventKind, Status};

record! {
    struct Meta { version = "cli_version", originator = "originator", git = "git", provider = "model_provider" }
}

record! {
    struct Git { commit = "commit_hash", branch = "branch", repository = "repository_url" }
}

record! {
    struct Turn { approval = "approval_policy", sandbox = "sandbox_policy", model = "model" }
}

record! {
    struct Sandbox { kind = "type", mode = "mode" }
}

impl<'a> Rollout<'a> {
    /// What a session's first record says of it. Its later ones, after a resume, may name another branch.
    pub(super) fn attribute(&mut self, payload: Option<Raw<'a>>) {
        let meta = object::<Meta<'a>>(payload).unwrap_or_default();
        let git = object::<Git<'a>>(meta.git).unwrap_or_default();
        if is(meta.provider, "trae") {
            self.assembly.session.agent = Cow::Borrowed("traex");
        }
        let attribution = &mut self.assembly.session.attribution;
        note(&mut attribution.version, filled(meta.version));
        note(&mut attribution.entrypoint, filled(meta.originator));
        note(&mut attribution.commit, filled(git.commit));
        note(&mut attribution.repository, filled(git.repository).map(without_credentials));
        note_each(&mut attribution.branches, filled(git.branch));
    }

    /// What a turn may do, and which model takes it.
    pub(super) fn turn(&mut self, payload: Option<Raw<'a>>) {
        let turn = object::<Turn<'a>>(payload).unwrap_or_default();
        self.assembly.model(filled(turn.model));
        let attribution = &mut self.assembly.session.attribution;
        // A policy for each kind of act is an object.
        let granular = is_object(turn.approval).then_some(Cow::Borrowed("granular"));
        note_each(&mut attribution.permission_modes, filled(turn.approval).or(granular));
        let sandbox = object::<Sandbox<'a>>(turn.sandbox);
        let sandbox = sandbox.and_then(|sandbox| filled(sandbox.kind).or_else(|| filled(sandbox.mode)));
        note_each(&mut attribution.sandboxes, sandbox.or_else(|| filled(turn.sandbox)));
    }

    /// The same as the flat generation says it, in a text of the host.
    pub(super) fn surroundings(&mut self, text: &str) {
        let between = |start: &str, end: &str| {
            let (_, rest) = text.split_once(start)?;
            let (value, _) = rest.split_once(end)?;
            Some(value.trim().to_owned()).filter(|value| !value.is_empty()).map(Cow::Owned)
        };
        let approval = between("<approval_policy>", "</").or_else(|| between("Approval policy: ", "\n"));
        let sandbox = between("<sandbox_mode>", "</").or_else(|| between("Sandbox mode: ", "\n"));
        let attribution = &mut self.assembly.session.attribution;
        note_each(&mut attribution.permission_modes, approval);
        note_each(&mut attribution.sandboxes, sandbox);
    }

    pub(super) fn compacted(&mut self, payload: Option<Raw<'a>>) {
        self.assembly.pass(object::<Compacted<'a>>(payload).unwrap_or_default().history);
        let compactions = &mut self.assembly.session.evidence.compactions;
        *compactions = compactions.saturating_add(1);
    }
}

record! {
    /// The conversation from which this one goes on.
    struct Compacted { history = "replacement_history" }
}

record! {
    struct Answer { agent = "agent_id", thread = "thread_id" }
}

fn starts(tool: &str) -> bool {
    tool == "spawn_agent" || tool.ends_with(".spawn_agent")
}

/// The output of a call that starts an agent names it.
pub(super) fn answered<'a>(
    rollout: &mut Rollout<'a>,
    tool: &str,
    call_id: Option<&Cow<'a, str>>,
    output: Option<Raw<'a>>,
) {
    if !starts(tool) {
        return;
    }
    // Without an object it says why no agent was started.
    let Some(json) = text(output).filter(|text| text.trim_start().starts_with('{')) else { return };
    let answer = crate::json::parse::<Answer<'_>>(json.trim());
    let id = answer.and_then(|answer| Some(filled(answer.agent).or_else(|| filled(answer.thread))?.into_owned()));
    declare(rollout, id.map(Cow::Owned), call_id.cloned(), None);
}

record! {
    struct Activity {
        id = "id",
        tool = "tool",
        receivers = "receiver_thread_ids",
        kind = "kind",
        call_id = "call_id",
        event = "event_id",
        thread = "agent_thread_id",
        new_thread = "new_thread_id",
        role = "new_agent_role",
    }
}

/// Notices of agents that were started, and of turns that were taken back.
pub(super) fn notice<'a>(rollout: &mut Rollout<'a>, kind: &str, payload: Option<Raw<'a>>) {
    match kind {
        "thread_rolled_back" => {
            let rewinds = &mut rollout.assembly.session.evidence.rewinds;
            *rewinds = rewinds.saturating_add(1);
        }
        "collab_agent_spawn_end" | "sub_agent_activity" => activity(rollout, payload),
        _ => {}
    }
}

/// An agent that was started, as a notice or an item tells of it.
pub(super) fn activity<'a>(rollout: &mut Rollout<'a>, payload: Option<Raw<'a>>) {
    let activity = object::<Activity<'a>>(payload).unwrap_or_default();
    if activity.tool.is_some() && !is(activity.tool, "spawn_agent") {
        return;
    }
    let receiver = || filled(elements(activity.receivers).first().copied());
    let thread = filled(activity.new_thread).or_else(|| filled(activity.thread)).or_else(receiver);
    let began = activity.kind.is_none() || is(activity.kind, "started");
    if thread.is_some() && began {
        let call = filled(activity.call_id).or_else(|| filled(activity.event)).or_else(|| filled(activity.id));
        declare(rollout, thread, call, filled(activity.role));
    }
}

record! {
    struct Applied { settings = "thread_settings" }
}

record! {
    struct Settings { tier = "service_tier" }
}

/// The settings of a thread name the service that its answers are asked of.
pub(super) fn settings<'a>(rollout: &mut Rollout<'a>, payload: Option<Raw<'a>>) {
    let settings = object::<Applied<'a>>(payload).and_then(|applied| object::<Settings<'a>>(applied.settings));
    rollout.tier = settings.and_then(|settings| filled(settings.tier));
}

/// Call and notices tell of the same agent: each is declared once.
fn declare<'a>(
    rollout: &mut Rollout<'a>,
    id: Option<Cow<'a, str>>,
    call_id: Option<Cow<'a, str>>,
    kind: Option<Cow<'a, str>>,
) {
    let subagents = &mut rollout.assembly.session.evidence.subagents;
    let index = call_id.as_ref().and_then(|call| rollout.spawned.get(call)).copied();
    if let Some(known) = index.and_then(|index| subagents.get_mut(index)) {
        known.id = known.id.take().or(id);
        known.kind = known.kind.take().or(kind);
        return;
    }
    // A thread that is named once more, without the call that started it.
    if id.as_ref().is_some_and(|id| !rollout.threads.insert(id.clone())) {
        return;
    }
    if let Some(call) = &call_id {
        rollout.spawned.insert(call.clone(), subagents.len());
    }
    let event = rollout.assembly.session.events.last().map_or(1, |event| event.number);
    subagents.push(Subagent { event, id, call_id, kind, calls: None });
}

/// Calls that start an agent and have no output: it may have been started.
pub(super) fn unanswered(rollout: &mut Rollout<'_>) {
    let open: Vec<_> = rollout
        .assembly
        .session
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Call(call) if starts(&call.tool) && call.status == Status::Missing => {
                let known = call.call_id.as_ref().is_some_and(|id| rollout.spawned.contains_key(id));
                (!known).then(|| (event.number, call.call_id.clone()))
            }
            _ => None,
        })
        .collect();
    let subagents =
        open.into_iter().map(|(event, call_id)| Subagent { event, id: None, call_id, kind: None, calls: None });
    rollout.assembly.session.evidence.subagents.extend(subagents);
}
