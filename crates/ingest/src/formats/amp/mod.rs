//! Amp: one document per thread, with Anthropic's messages and the outcome of each call in its result block.

mod progress;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::blocks::{self, Around, Block, Part, Speaker};
use crate::gaps::Gaps;
use crate::json::{Raw, elements, filled, is, object, record, scalar};
use crate::reader::{Item, LineCounter, Reader};
use agent_strace_model::attribution::{note, note_each, without_credentials};
use agent_strace_model::{Dialect, EventKind, Session, Status};

record! {
    struct Thread {
        id = "id",
        created = "created",
        messages = "messages",
        mode = "agentMode",
        env = "env",
        main = "mainThreadID",
        creator = "creatorUserID",
    }
}

record! {
    struct Message {
        role = "role",
        id = "messageId",
        content = "content",
        usage = "usage",
        meta = "meta",
        mode = "agentMode",
        parent = "parentToolUseId",
    }
}

record! {
    struct Sent { at = "sentAt" }
}

record! {
    struct Cost { model = "model", timestamp = "timestamp" }
}

/// Amp threads (`~/.local/share/amp/threads/T-*.json`), also as `amp threads export` writes them.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("amp", "amp"),
    detect: Detect::Record(|head| {
        let threaded = head.text("id").is_some_and(|id| id.starts_with("T-"));
        let versioned = head.has("v") && head.has("created");
        head.is_array("messages")
            && (threaded && (head.has("created") || head.has("v")) || versioned && head.has("env"))
    }),
    read,
    homes: &[Home { variables: &[], base: Base::Data, folder: "amp", logs: "threads/T-*.json" }],
};

/// Tools that start another agent.
const STARTERS: &[&str] = &["Task", "oracle", "finder", "librarian", "codebase_search_agent", "code_review"];

/// Reads one thread.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let Input { text, shape, log } = *input;
    let mut sessions = Vec::new();
    let mut reader = Reader::new(text, shape);
    while let Some(item) = reader.next::<Thread<'a>>(gaps) {
        let thread = &item.record;
        if let Some(key) = thread.duplicate {
            gaps.twice(item.line, key, "a thread");
        }
        let mut assembly = Assembly::new(&FORMAT.dialect, &log.shown, Numbering::Ordinal);
        identify(&mut assembly, thread);
        match thread.messages {
            Some(list) if list.get().starts_with('[') => messages(&mut assembly, &item, list, gaps),
            _ => gaps.malformed(item.line, "a thread without a list of messages"),
        }
        sessions.push(assembly.finish());
    }
    sessions
}

fn messages<'a>(assembly: &mut Assembly<'a>, thread: &Item<'a, Thread<'a>>, list: Raw<'a>, gaps: &mut Gaps) {
    let start = LineCounter::new(thread.json, thread.line).line_of(list.get());
    let mut reader = Reader::nested(list.get(), start);
    while let Some(item) = reader.next::<Message<'a>>(gaps) {
        let message = &item.record;
        if let Some(key) = message.duplicate {
            gaps.twice(item.line, key, "a message");
        }
        let cost = object::<Cost<'a>>(message.usage).unwrap_or_default();
        let sent = object::<Sent<'a>>(message.meta).unwrap_or_default();
        let id = scalar(message.id);
        let location = RecordLocation {
            line: item.line,
            id: id.clone(),
            time: scalar(cost.timestamp).or_else(|| scalar(sent.at)),
        };
        assembly.model(filled(cost.model));
        let attribution = &mut assembly.session.attribution;
        note_each(&mut attribution.permission_modes, filled(message.mode));
        if let Some(usage) = blocks::usage(message.usage) {
            assembly.usage(id, usage);
        } else if is(message.role, "assistant") {
            assembly.untold(id);
        }
        add(assembly, &location, message, gaps);
    }
}

fn add<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, message: &Message<'a>, gaps: &mut Gaps) {
    let mut around = Around { ended, starters: STARTERS, ..Around::of(message.role) };
    around.subagent = filled(message.parent);
    if is(message.role, "info") {
        around.speaker = Speaker::Host;
    }
    for part in blocks::parts(message.content, location.line, gaps) {
        let block = match part {
            Part::Text(text) => {
                blocks::words(assembly, location, text, &around);
                continue;
            }
            Part::Block(block) => block,
        };
        if is(block.kind, "summary") {
            let compactions = &mut assembly.session.evidence.compactions;
            *compactions = compactions.saturating_add(1);
            assembly.push(location.clone(), EventKind::Other);
        } else if is(block.kind, "manual_bash_invocation") {
            // The user's own command, not the agent's.
            assembly.push(location.clone(), EventKind::Other);
        } else {
            blocks::add_block(assembly, location, &block, &around);
            progress::add(assembly, location, &block, gaps);
        }
    }
}

record! {
    struct Run { status = "status", progress = "progress" }
}

/// Only the host writes the status of a run.
fn ended(block: &Block<'_>, _tool: &str) -> Status {
    let run = object::<Run<'_>>(block.run).unwrap_or_default();
    status(run.status).unwrap_or_else(|| blocks::plain_status(block))
}

fn status(value: Option<Raw<'_>>) -> Option<Status> {
    Some(match &*filled(value)? {
        "done" => Status::Ok,
        "error" => Status::Error,
        "rejected-by-user" => Status::Denied,
        "cancelled" => Status::Interrupted,
        _ => Status::Missing,
    })
}

record! {
    struct Env { initial = "initial" }
}

record! {
    struct Initial { trees = "trees", platform = "platform" }
}

record! {
    struct Tree { uri = "uri", repository = "repository" }
}

record! {
    struct Repository { url = "url", branch = "ref", commit = "sha" }
}

record! {
    struct Platform { client = "client", kind = "clientType", version = "clientVersion" }
}

fn identify<'a>(assembly: &mut Assembly<'a>, thread: &Thread<'a>) {
    assembly.id(filled(thread.id));
    let initial = object::<Env<'a>>(thread.env).and_then(|env| object::<Initial<'a>>(env.initial)).unwrap_or_default();
    let tree = object::<Tree<'a>>(elements(initial.trees).first().copied()).unwrap_or_default();
    assembly.root(filled(tree.uri));
    let repository = object::<Repository<'a>>(tree.repository).unwrap_or_default();
    let platform = object::<Platform<'a>>(initial.platform).unwrap_or_default();
    let session = &mut assembly.session;
    note(&mut session.parent, filled(thread.main));
    let attribution = &mut session.attribution;
    note(&mut attribution.user, filled(thread.creator));
    note(&mut attribution.version, filled(platform.version));
    note(&mut attribution.entrypoint, filled(platform.kind).or_else(|| filled(platform.client)));
    note(&mut attribution.repository, filled(repository.url).map(without_credentials));
    note(&mut attribution.commit, filled(repository.commit));
    note_each(&mut attribution.branches, filled(repository.branch));
    note_each(&mut attribution.permission_modes, filled(thread.mode));
}
