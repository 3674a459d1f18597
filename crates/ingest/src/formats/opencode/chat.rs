//! One session: what it says about itself, and its messages.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::Message;
use crate::assembly::{Assembly, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, elements, filled, is, is_object, object, record, scalar};
use crate::reader::{Item, LineCounter, Reader};
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::{EventKind, Session, Usage};

record! {
    pub(super) struct Info {
        id = "id",
        directory = "directory",
        parent = "parentID",
        version = "version",
        permission = "permission",
        revert = "revert",
    }
}

record! {
    struct Rule { permission = "permission", pattern = "pattern", action = "action" }
}

record! {
    struct MessageInfo {
        id = "id",
        role = "role",
        model = "modelID",
        path = "path",
        tokens = "tokens",
        time = "time",
        summary = "summary",
    }
}

record! {
    struct Directories { cwd = "cwd", root = "root" }
}

record! {
    struct Times { created = "created" }
}

record! {
    struct Tokens { total = "total", input = "input", output = "output", reasoning = "reasoning", cache = "cache" }
}

record! {
    struct Cache { read = "read", write = "write" }
}

/// A session that is being read.
pub(super) struct Chat<'a> {
    pub(super) assembly: Assembly<'a>,
    /// Message → where it was at work.
    pub(super) directories: HashMap<Cow<'a, str>, Cow<'a, str>>,
    /// Messages of the user.
    pub(super) prompts: HashSet<Cow<'a, str>>,
    /// Events repeat a message or a part whenever it grows.
    messages: HashSet<Cow<'a, str>>,
    pub(super) parts: HashSet<Cow<'a, str>>,
    /// The last directory a message named.
    pub(super) cwd: Option<Cow<'a, str>>,
    reverted: bool,
}

impl<'a> Chat<'a> {
    pub(super) fn new(assembly: Assembly<'a>) -> Self {
        Self {
            assembly,
            directories: HashMap::new(),
            prompts: HashSet::new(),
            messages: HashSet::new(),
            parts: HashSet::new(),
            cwd: None,
            reverted: false,
        }
    }

    pub(super) fn session(&mut self, location: RecordLocation<'a>, info: Option<Raw<'a>>) {
        let info = object::<Info<'a>>(info).unwrap_or_default();
        self.assembly.id(filled(info.id));
        let directory = filled(info.directory);
        self.assembly.root(directory.clone());
        self.cwd = self.cwd.take().or(directory);
        let session = &mut self.assembly.session;
        session.parent = session.parent.take().or_else(|| filled(info.parent));
        note(&mut session.attribution.version, filled(info.version));
        for rule in elements(info.permission) {
            let rule = object::<Rule<'a>>(Some(rule)).unwrap_or_default();
            if let (Some(permission), Some(action)) = (filled(rule.permission), filled(rule.action)) {
                let pattern = filled(rule.pattern).unwrap_or(Cow::Borrowed("*"));
                let mode = format!("{action} {permission} {pattern}");
                note_each(&mut session.attribution.permission_modes, Some(Cow::Owned(mode)));
            }
        }
        // The session says so until it goes on from there.
        let reverted = is_object(info.revert);
        if reverted && !self.reverted {
            session.evidence.rewinds = session.evidence.rewinds.saturating_add(1);
        }
        self.reverted = reverted;
        self.assembly.push(location, EventKind::Start);
    }

    /// One message of an export, with its parts.
    pub(super) fn exported(&mut self, item: &Item<'a, Message<'a>>, gaps: &mut Gaps) {
        let mut lines = LineCounter::new(item.json, item.line);
        let location = RecordLocation { line: item.line, id: None, time: None };
        if is_object(item.record.info) {
            self.message(&location, item.record.info, gaps);
        } else {
            gaps.malformed(item.line, "a message without a readable `info`");
        }
        let Some(parts) = item.record.parts else { return };
        if !parts.get().starts_with('[') {
            return gaps.malformed(item.line, "the parts of a message are not a list");
        }
        let id = object::<MessageInfo<'a>>(item.record.info).and_then(|info| filled(info.id));
        let mut reader = Reader::nested(parts.get(), lines.line_of(parts.get()));
        while let Some(part) = reader.next::<super::part::Part<'a>>(gaps) {
            let location = RecordLocation { line: part.line, id: None, time: None };
            self.read_part(location, &part.record, id.clone(), gaps);
        }
    }

    pub(super) fn message(&mut self, location: &RecordLocation<'a>, info: Option<Raw<'a>>, gaps: &mut Gaps) {
        let Some(message) = object::<MessageInfo<'a>>(info) else {
            return gaps.malformed(location.line, "a message that is not an object");
        };
        if let Some(key) = message.duplicate {
            gaps.twice(location.line, key, "a message");
        }
        let id = filled(message.id);
        let user = is(message.role, "user");
        // The first builds wrote the directory itself.
        let directories = object::<Directories<'a>>(message.path).unwrap_or_default();
        let cwd = filled(directories.cwd).or_else(|| filled(message.path));
        let top = filled(directories.root);
        self.assembly.root(cwd.clone().or_else(|| top.clone()));
        let session = &mut self.assembly.session;
        // Outside of a repository the program names the whole disk.
        session.top = session.top.take().or_else(|| top.filter(|top| top != "/"));
        if let Some(cwd) = cwd {
            self.directories.extend(id.clone().map(|id| (id, cwd.clone())));
            self.cwd = Some(cwd);
        }
        self.assembly.model(filled(message.model));
        let again = id.as_ref().is_some_and(|id| !self.messages.insert(id.clone()));
        if user {
            self.prompts.extend(id.clone());
        } else if let Some(tokens) = object::<Tokens<'a>>(message.tokens) {
            self.assembly.usage(id.clone(), usage(&tokens));
        } else if is(message.role, "assistant") {
            self.assembly.untold(id.clone());
        }
        if !again {
            let created = object::<Times<'a>>(message.time).and_then(|time| scalar(time.created));
            self.assembly.push(RecordLocation { line: location.line, id, time: created }, EventKind::Other);
        }
    }

    pub(super) fn removed(&mut self, location: RecordLocation<'a>) {
        let evidence = &mut self.assembly.session.evidence;
        evidence.removed = evidence.removed.saturating_add(1);
        self.assembly.push(location, EventKind::Other);
    }

    pub(super) fn compacted(&mut self, location: RecordLocation<'a>) {
        let evidence = &mut self.assembly.session.evidence;
        evidence.compactions = evidence.compactions.saturating_add(1);
        self.assembly.push(location, EventKind::Other);
    }

    pub(super) fn finish(self) -> Session<'a> {
        self.assembly.finish()
    }
}

/// Cached tokens are not part of the input. Since the total is written, reasoning is not part of the output either.
fn usage(tokens: &Tokens<'_>) -> Usage {
    let cache = object::<Cache<'_>>(tokens.cache).unwrap_or_default();
    let mut counts = Counts::default();
    let reasoning = counts.of(tokens.reasoning);
    let apart = if tokens.total.is_some() { reasoning } else { 0 };
    Usage {
        requests: 1,
        input: counts.needed(tokens.input),
        output: counts.needed(tokens.output).saturating_add(apart),
        cache_read: counts.of(cache.read),
        cache_write: counts.of(cache.write),
        reasoning,
        partial: counts.is_partial,
        ..Usage::default()
    }
}
