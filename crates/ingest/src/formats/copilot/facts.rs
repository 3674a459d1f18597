//! What the host says about the session: where it runs, on whose behalf, what it may do, what it used, what it cut.

use super::{Envelope, Events};
use crate::assembly::RecordLocation;
use crate::json::{Counts, Raw, fields, filled, object, record};
use agent_strace_model::attribution::{note, note_each, without_credentials};
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{Ending, EventKind, Usage};

record! {
    /// Start, resumption and move of a session; the last has the directory where the others have a context.
    struct Start {
        session = "sessionId",
        version = "copilotVersion",
        editor = "vscodeVersion",
        producer = "producer",
        model = "selectedModel",
        context = "context",
        parent = "detachedFromSpawningParentSessionId",
        remote = "remoteSessionId",
        repository = "repository",
        cwd = "cwd",
        top = "gitRoot",
        branch = "branch",
        commit = "headCommit",
    }
}

record! {
    struct Repository { owner = "owner", name = "name", branch = "branch" }
}

record! {
    struct Change { model = "newModel", mode = "newMode", all = "allowAllPermissions", permissions = "mode" }
}

record! {
    struct Shutdown { metrics = "modelMetrics", kind = "shutdownType", reason = "errorReason" }
}

record! {
    struct Metrics { requests = "requests", usage = "usage" }
}

record! {
    struct Requests { count = "count" }
}

record! {
    struct Tokens {
        input = "inputTokens",
        output = "outputTokens",
        read = "cacheReadTokens",
        write = "cacheWriteTokens",
        reasoning = "reasoningTokens",
        call = "apiCallId",
        model = "model",
    }
}

record! {
    struct Cut { success = "success" }
}

record! {
    struct Agent { call = "toolCallId", name = "agentName", calls = "totalToolCalls" }
}

impl<'a> Events<'a> {
    pub(super) fn context(&mut self, kind: &str, location: RecordLocation<'a>, data: Option<Raw<'a>>) {
        let start = object::<Start<'a>>(data).unwrap_or_default();
        let session = &mut self.assembly.session;
        let parent = filled(start.parent).or_else(|| filled(start.remote));
        session.parent = session.parent.take().or(parent);
        if start.editor.is_some() {
            session.agent = std::borrow::Cow::Borrowed("copilot-vscode");
        }
        let attribution = &mut session.attribution;
        note(&mut attribution.version, filled(start.version));
        note(&mut attribution.entrypoint, filled(start.producer));
        self.assembly.model(filled(start.model));
        self.assembly.id(filled(start.session));
        if matches!(kind, "session.start" | "session.resume") {
            self.run = self.assembly.session.spent.len();
        }
        let context = if kind == "session.context_changed" { Some(start) } else { object(start.context) };
        self.enter(&context.unwrap_or_default());
        self.assembly.push(location, if kind == "session.start" { EventKind::Start } else { EventKind::Other });
    }

    fn enter(&mut self, context: &Start<'a>) {
        if let Some(cwd) = filled(context.cwd) {
            self.assembly.root(Some(cwd.clone()));
            self.cwd = Some(cwd);
        }
        let session = &mut self.assembly.session;
        session.top = session.top.take().or_else(|| filled(context.top));
        let attribution = &mut self.assembly.session.attribution;
        note_each(&mut attribution.branches, filled(context.branch));
        note(&mut attribution.commit, filled(context.commit));
        note(&mut attribution.repository, filled(context.repository).map(without_credentials));
        if let Some(repository) = object::<Repository<'a>>(context.repository) {
            let named = filled(repository.owner).zip(filled(repository.name));
            note(&mut attribution.repository, named.map(|(owner, name)| format!("{owner}/{name}").into()));
            note_each(&mut attribution.branches, filled(repository.branch));
        }
    }

    pub(super) fn change(&mut self, data: Option<Raw<'a>>) {
        let change = object::<Change<'a>>(data).unwrap_or_default();
        self.assembly.model(filled(change.model));
        let attribution = &mut self.assembly.session.attribution;
        let all = change.all.filter(|all| all.get() == "true").map(|_| "allow-all".into());
        let modes = [filled(change.mode), filled(change.permissions), all];
        for mode in modes {
            note_each(&mut attribution.permission_modes, mode);
        }
    }

    /// One run's totals by model. A session that is resumed has several runs.
    pub(super) fn shutdown(&mut self, data: Option<Raw<'a>>) -> Ending<'a> {
        let shutdown = object::<Shutdown<'a>>(data).unwrap_or_default();
        self.totals(shutdown.metrics);
        Ending { status: filled(shutdown.kind), reason: filled(shutdown.reason), ..Ending::default() }
    }

    fn totals(&mut self, metrics: Option<Raw<'a>>) {
        let Some(models) = metrics.and_then(|metrics| fields(metrics.get())).filter(|models| !models.is_empty()) else {
            return;
        };
        for (model, raw) in models {
            self.assembly.model(Some(model.clone()).filter(|model| !model.is_empty()));
            let metrics = object::<Metrics<'a>>(Some(raw)).unwrap_or_default();
            let requests = object::<Requests<'a>>(metrics.requests).unwrap_or_default();
            let used = usage(&object::<Tokens<'a>>(metrics.usage).unwrap_or_default());
            if !model.is_empty() {
                self.by_model.entry(model).or_default().add(&Usage { requests: 0, ..used });
            }
            let mut counts = Counts::default();
            let asked = counts.of(requests.count);
            let partial = used.partial || counts.is_partial;
            self.total.get_or_insert_default().add(&Usage { requests: asked, partial, ..used });
        }
        // It tells of all answers of the run.
        self.assembly.told_whole(self.run);
        self.run = self.assembly.session.spent.len();
    }

    /// What one request used: only the output of a run has it.
    pub(super) fn usage(&mut self, data: Option<Raw<'a>>) {
        let tokens = object::<Tokens<'a>>(data).unwrap_or_default();
        self.assembly.model(filled(tokens.model));
        self.assembly.usage(filled(tokens.call), usage(&tokens));
    }

    pub(super) fn compacted(&mut self, location: RecordLocation<'a>, data: Option<Raw<'a>>) {
        let cut = object::<Cut<'a>>(data).unwrap_or_default();
        if cut.success.is_none_or(|success| success.get() != "false") {
            let evidence = &mut self.assembly.session.evidence;
            evidence.compactions = evidence.compactions.saturating_add(1);
        }
        self.assembly.push(location, EventKind::Other);
    }

    /// Messages that the model no longer sees; their records are still in the log.
    pub(super) fn truncated(&mut self) {
        let evidence = &mut self.assembly.session.evidence;
        evidence.compactions = evidence.compactions.saturating_add(1);
    }

    pub(super) fn agent_started(&mut self, location: RecordLocation<'a>, envelope: &Envelope<'a>) {
        let agent = object::<Agent<'a>>(envelope.data).unwrap_or_default();
        let call = filled(agent.call);
        if let (Some(id), Some(call)) = (filled(envelope.agent), &call) {
            self.assembly.session.evidence.hook_sessions.push(id.clone());
            self.agents.insert(id, call.clone());
        }
        self.assembly.push(location, EventKind::Other);
        let event = self.assembly.session.events.last().map_or(0, |event| event.number);
        let started = Subagent { event, id: call.clone(), call_id: call, kind: filled(agent.name), calls: None };
        self.assembly.session.evidence.subagents.push(started);
    }

    pub(super) fn agent_ended(&mut self, location: RecordLocation<'a>, data: Option<Raw<'a>>) {
        let agent = object::<Agent<'a>>(data).unwrap_or_default();
        let call = filled(agent.call);
        let calls = agent.calls.and_then(|calls| calls.get().parse().ok());
        self.assembly.push(location, EventKind::Other);
        let event = self.assembly.session.events.last().map_or(0, |event| event.number);
        let subagents = &mut self.assembly.session.evidence.subagents;
        if let Some(known) = subagents.iter_mut().rev().find(|known| known.call_id.is_some() && known.call_id == call) {
            known.calls = calls.or(known.calls);
        } else {
            let kind = filled(agent.name);
            subagents.push(Subagent { event, id: call.clone(), call_id: call, kind, calls });
        }
    }
}

/// The host counts the tokens of a cache as input, those that it took in, too.
fn usage(tokens: &Tokens<'_>) -> Usage {
    let mut counts = Counts::default();
    let (read, write) = (counts.of(tokens.read), counts.of(tokens.write));
    Usage {
        input: counts.needed(tokens.input).saturating_sub(read).saturating_sub(write),
        output: counts.needed(tokens.output),
        cache_read: read,
        cache_write: write,
        reasoning: counts.of(tokens.reasoning),
        partial: counts.is_partial,
        ..Usage::default()
    }
}
