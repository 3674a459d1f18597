//! `meta.json` of a store entry.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::repository::note_repository;
use crate::StoreEntry;
use crate::assembly::Assembly;
use crate::gaps::Gaps;
use crate::json::{filled, object, parse, record, scalar, whole};
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::evidence::Counted;
use agent_strace_model::{Event, EventKind, GapKind, Session, Span, Status, ToolCall};

record! {
    pub(crate) struct Meta {
        session_id = "session_id",
        started_at = "started_at",
        ended_at = "ended_at",
        agent_name = "agent_name",
        parent_session_id = "parent_session_id",
        parent_event_id = "parent_event_id",
        attribution = "attribution",
        tool_calls = "tool_calls",
        errors = "errors",
    }
}

record! {
    struct Attribution {
        working_dir = "working_dir",
        top = "git_top",
        user = "os_user",
        host = "hostname",
        version = "agent_version",
        branch = "git_branch",
        commit = "git_commit",
    }
}

impl<'a> Meta<'a> {
    /// Reads the file beside the events; what is wrong with it is a gap, never a reason to skip the events.
    pub(super) fn read(store: &'a StoreEntry, gaps: &mut Gaps) -> Option<Self> {
        let read = store.meta.as_deref().map_err(Clone::clone).and_then(Self::parse);
        match read {
            Ok(meta) => {
                if filled(meta.session_id).is_some_and(|id| id != store.id) {
                    let kind = GapKind::Contradiction("it names another session than its directory does".into());
                    gaps.push_for(store.meta_shown.clone(), None, kind);
                }
                Some(meta)
            }
            Err(kind) => {
                gaps.push_for(store.meta_shown.clone(), None, kind);
                None
            }
        }
    }

    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, GapKind> {
        let invalid = |detail: &'static str| GapKind::InvalidJson(detail.into());
        let text = std::str::from_utf8(bytes).map_err(|_| invalid("not UTF-8 text"))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(invalid("empty file"));
        }
        parse(text).ok_or_else(|| match serde_json::from_str::<IgnoredAny>(text) {
            Err(error) if error.is_eof() => invalid("it ends inside its JSON: it was cut off"),
            _ => invalid("not a JSON object"),
        })
    }

    /// The session it belongs to.
    pub(crate) fn session(&self) -> Option<Cow<'a, str>> {
        filled(self.session_id)
    }

    pub(super) fn apply(&self, session: &mut Session<'a>) {
        if let Some(agent) = filled(self.agent_name) {
            session.agent = agent;
        }
        session.parent = filled(self.parent_session_id);
        session.parent_event = filled(self.parent_event_id);
        session.span = Span { started: scalar(self.started_at), ended: scalar(self.ended_at) };
        let recorded = object::<Attribution<'a>>(self.attribution).unwrap_or_default();
        session.root = filled(recorded.working_dir);
        session.top = filled(recorded.top);
        let attribution = &mut session.attribution;
        note(&mut attribution.user, filled(recorded.user));
        note(&mut attribution.host, filled(recorded.host));
        note(&mut attribution.version, filled(recorded.version));
        note_each(&mut attribution.branches, filled(recorded.branch));
        note(&mut attribution.commit, filled(recorded.commit));
        if let Some(json) = self.attribution {
            note_repository(session, json.get());
        }
    }

    /// Compares what the recorder counted with what is there. It writes its counts while it records, and says at the end
    /// when the session ended. What it counts as an error is more than failed calls and less than failed results.
    pub(super) fn compare(&self, assembly: &mut Assembly<'_>) {
        let session = &assembly.session;
        let has_ended = |event: &Event<'_>| matches!(event.kind, EventKind::End(_));
        let is_whole = scalar(self.ended_at).is_some() || session.events.iter().any(has_ended);
        let failed = |(_, call): &(&Event<'_>, &ToolCall<'_>)| matches!(call.status, Status::Error | Status::Denied);
        let calls = session.calls().count();
        let told = session.events.iter().filter(|event| match &event.kind {
            EventKind::Failure(_) => true,
            EventKind::Result(result) => result.is_error,
            _ => false,
        });
        let errors = (told.count() + assembly.failures).max(session.calls().filter(failed).count());
        // Those that are right say nothing: of an imported session the importer wrote them.
        let told = |value, recorded: usize| whole(value).filter(|stated| usize::try_from(*stated) != Ok(recorded));
        assembly.stated(Counted::ToolCalls, told(self.tool_calls, calls), calls, is_whole);
        assembly.stated(Counted::Errors, told(self.errors, errors), errors, false);
    }

    /// Epoch seconds.
    pub(crate) fn started_at(&self) -> Option<f64> {
        scalar(self.started_at)?.parse().ok().filter(|seconds: &f64| seconds.is_finite())
    }
}
