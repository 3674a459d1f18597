//! Codex rollouts of all generations: flat items, wrapped records, and code mode, where the tool is a script.

mod call;
mod facts;
mod finished;
mod item;
mod notice;
mod outcome;
mod patch;
mod ran;
mod said;
mod script;
mod scripts;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Kept, Raw, filled, is, is_object, object, parse, record, scalar};
use crate::reader::{Item, Reader};
use agent_strace_model::{Dialect, EventKind, Origin, RecordRole, Session, Speaker, Status, Stream, Usage};

use super::{Base, Detect, Format, Home, Input};
use item::Payload;
use ran::Reported;
use scripts::Scripts;

record! {
    /// A wrapped record, or what is left of one in the flat generation.
    struct Envelope {
        kind = "type",
        timestamp = "timestamp",
        payload: Kept<'a, Payload<'a>> = "payload",
        record_type = "record_type",
        id = "id",
        instructions = "instructions",
    }
}

record! {
    /// `session_meta` and `turn_context`.
    struct Context {
        id = "id",
        cwd = "cwd",
        parent = "parent_thread_id",
        forked_from = "forked_from_id",
        source = "source",
        turn = "turn_id",
    }
}

record! {
    struct Source { subagent = "subagent" }
}

record! {
    struct Spawned { thread = "thread_spawn", other = "other" }
}

record! {
    struct Thread { parent = "parent_thread_id", role = "agent_role" }
}

/// Codex rollouts (`~/.codex/sessions/**`), flat, wrapped and code mode.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("codex", "codex").scripts_unfolded(),
    detect: Detect::Record(claims),
    read,
    homes: &[
        Home { variables: &["CODEX_HOME"], base: Base::Home, folder: ".codex", logs: "sessions/**/rollout-*.jsonl" },
        Home {
            variables: &["CODEX_HOME"],
            base: Base::Home,
            folder: ".codex",
            logs: "archived_sessions/**/rollout-*.jsonl",
        },
    ],
};

fn claims(head: &Head<'_>) -> bool {
    let Some(kind) = head.text("type") else {
        let flat_head = head.is_string("id") && head.is_string("timestamp") && !head.has("messages");
        return head.is("record_type", "state") || (flat_head && head.has("instructions"));
    };
    match &*kind {
        "session_meta" | "response_item" | "turn_context" | "event_msg" | "compacted" => head.is_object("payload"),
        "function_call_output" => head.is_string("call_id"),
        "function_call" | "custom_tool_call" => head.is_string("call_id") && !head.has("payload"),
        _ => false,
    }
}

/// Reads one rollout: one session, however often it was resumed.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let Input { text, shape, log } = *input;
    let assembly = Assembly::new(&FORMAT.dialect, &log.shown, Numbering::Ordinal);
    let mut rollout = Rollout {
        assembly,
        cwd: None,
        reported: Vec::new(),
        scripts: Scripts::default(),
        ended: HashMap::new(),
        tells_items: false,
        blocked: Vec::new(),
        completed: 0,
        tier: None,
        turn_id: None,
        turns: BTreeMap::new(),
        tokens: None,
        earlier: Usage::default(),
        requests: 0,
        told: None,
        stream: 0,
        rows: 0,
        spawned: HashMap::new(),
        threads: HashSet::new(),
        typed: HashSet::new(),
        asker: None,
    };
    let mut reader = Reader::new(text, shape);
    while let Some(item) = reader.next::<Envelope<'a>>(gaps) {
        rollout.record(&item, gaps);
    }
    vec![rollout.finish(gaps)]
}

/// Typed texts of which a message may be a part: more are not looked through for each message.
const PARTED: usize = 256;

/// A rollout that is being read.
struct Rollout<'a> {
    assembly: Assembly<'a>,
    /// The working directory of the current turn.
    cwd: Option<Cow<'a, str>>,
    /// Calls that so far only notices report, and commands that are not what their call asked for.
    reported: Vec<Reported<'a>>,
    /// The scripts of code mode, in order.
    scripts: Scripts<'a>,
    /// How calls ended, by their ids, as the host records it.
    ended: HashMap<Cow<'a, str>, Status>,
    /// The host tells of each call that it runs.
    tells_items: bool,
    /// Calls whose output says that a hook refused them, though a server could have written that.
    blocked: Vec<String>,
    /// The record after the last end of a turn.
    completed: u32,
    /// How the next answers are served.
    tier: Option<Cow<'a, str>>,
    /// The current turn.
    turn_id: Option<Cow<'a, str>>,
    /// What each turn used so far, by its id.
    turns: BTreeMap<Cow<'a, str>, Raw<'a>>,
    /// The latest running total.
    tokens: Option<Raw<'a>>,
    /// What running totals came to that were begun anew.
    earlier: Usage,
    requests: u64,
    /// What the latest record said that told a new size of the conversation: tokens in, out and in all.
    told: Option<[u64; 3]>,
    /// The conversation that all records are of.
    stream: u16,
    /// Records that were read.
    rows: u32,
    /// Calls that started an agent, with its index among those that were started.
    spawned: HashMap<Cow<'a, str>, usize>,
    /// Threads of agents that were started.
    threads: HashSet<Cow<'a, str>>,
    /// The speaker in the user's place, if it is not the user.
    asker: Option<Speaker>,
    /// Texts that users typed, as the host notes them.
    typed: HashSet<String>,
}

impl<'a> Rollout<'a> {
    fn record(&mut self, item: &Item<'a, Envelope<'a>>, gaps: &mut Gaps) {
        let (line, record) = (item.line, &item.record);
        if let Some(key) = record.duplicate {
            gaps.twice(line, key, "a record");
        }
        self.assembly.origin = Origin { row: self.rows, stream: self.stream, ..Origin::default() };
        self.rows = self.rows.saturating_add(1);
        let location = RecordLocation { line, id: None, time: scalar(record.timestamp) };
        let Some(kind) = filled(record.kind) else {
            return self.untyped(location, record, gaps);
        };
        let payload = record.payload.raw;
        if payload.is_none() {
            // The flat generation: the record is the item.
            return match parse::<Payload<'a>>(item.json) {
                Some(payload) => self.item(location, &payload, gaps),
                None => gaps.malformed(line, "a record that is not a readable object"),
            };
        }
        let Some(item) = record.payload.value.object() else {
            gaps.malformed(line, "a record whose `payload` is not an object");
            return;
        };
        match &*kind {
            "session_meta" => self.meta(location, payload),
            "turn_context" => {
                let context = object::<Context<'a>>(payload).unwrap_or_default();
                self.enter(filled(context.cwd));
                self.turn_id = filled(context.turn);
                self.turn(payload);
                self.assembly.push(location, EventKind::Other);
            }
            "event_msg" => notice::add(self, location, item, payload, gaps),
            // Replayed history: its calls were recorded when they ran.
            "compacted" => {
                self.compacted(payload);
                self.assembly.push(location, EventKind::Other);
            }
            "token_usage_record" => {
                notice::used_by_turn(self, payload);
                self.assembly.push(location, EventKind::Other);
            }
            "world_state" | "inter_agent_communication_metadata" | "ghost_snapshot" => {
                self.assembly.push(location, EventKind::Other);
            }
            "response_item" => self.item(location, item, gaps),
            "user" | "assistant" => gaps.unknown_record(line, "a record of another agent's log"),
            _ => {
                self.assembly.count_unknown();
                self.assembly.origin.role = RecordRole::Aside;
                self.item(location, item, gaps);
            }
        }
    }

    /// The flat generation's first line and its state markers have no type.
    fn untyped(&mut self, location: RecordLocation<'a>, record: &Envelope<'a>, gaps: &mut Gaps) {
        if is(record.record_type, "state") {
            self.assembly.push(location, EventKind::Other);
        } else if record.instructions.is_some() || (record.id.is_some() && self.assembly.session.events.is_empty()) {
            self.assembly.id(filled(record.id));
            self.assembly.push(location, EventKind::Start);
        } else {
            gaps.malformed(location.line, "a record without a `type`");
        }
    }

    /// Written again on every resume: the first one names the session, the last one what its records are filed under.
    fn meta(&mut self, location: RecordLocation<'a>, payload: Option<Raw<'a>>) {
        let meta = object::<Context<'a>>(payload).unwrap_or_default();
        let subagent = object::<Source<'a>>(meta.source).and_then(|source| source.subagent);
        let spawned = object::<Spawned<'a>>(subagent);
        let thread = spawned.as_ref().and_then(|spawned| object::<Thread<'a>>(spawned.thread));
        let kind = filled(subagent).or_else(|| {
            let role = thread.as_ref().and_then(|thread| filled(thread.role));
            let other = spawned.and_then(|spawned| filled(spawned.other));
            is_object(subagent).then(|| role.or(other).unwrap_or(Cow::Borrowed("thread")))
        });
        let is_subagent = kind.is_some();
        if let Some(kind) = kind {
            self.stream = self.assembly.stream(Stream::Subagent(kind));
            self.assembly.origin.stream = self.stream;
        }
        if self.assembly.session.id.is_empty() {
            self.assembly.session.parent = thread
                .and_then(|thread| filled(thread.parent))
                .or_else(|| filled(meta.parent))
                .or_else(|| filled(meta.forked_from));
            self.assembly.session.forked_from = filled(meta.forked_from);
            // A fork begins with what the user said to its origin.
            self.asker = (is_subagent && self.assembly.session.forked_from.is_none()).then_some(Speaker::Subagent);
        }
        self.assembly.id(filled(meta.id));
        self.assembly.session.filed_under = filled(meta.id).filter(|id| *id != self.assembly.session.id);
        self.enter(filled(meta.cwd));
        self.attribute(payload);
        self.assembly.push(location, EventKind::Start);
    }

    fn enter(&mut self, cwd: Option<Cow<'a, str>>) {
        if cwd.is_some() {
            self.assembly.root(cwd.clone());
            self.cwd = cwd;
        }
    }

    /// Where the log notes what users typed, any other text that stands where users speak is the host's.
    fn tell_speakers(&mut self) {
        if self.typed.is_empty() {
            return;
        }
        for event in &mut self.assembly.session.events {
            let EventKind::Prompt(text) = &event.kind else { continue };
            let text = text.decode();
            let text = text.trim();
            // A message of several parts is noted as one text.
            let is_part = || {
                !text.is_empty() && self.typed.len() <= PARTED && self.typed.iter().any(|typed| typed.contains(text))
            };
            if self.typed.contains(text) {
                // The host notes the task of a sub-agent as typed, too.
                event.origin.speaker = self.asker.unwrap_or_default();
            } else if event.origin.speaker.is_user() && !is_part() {
                event.origin.speaker = Speaker::Context;
            }
        }
    }

    fn finish(mut self, gaps: &mut Gaps) -> Session<'a> {
        self.tell_speakers();
        self.assembly.untold_at_end();
        for id in std::mem::take(&mut self.blocked) {
            // The host would tell of a call that reached a server.
            if self.tells_items && !self.ended.contains_key(&*id) {
                self.assembly.deny(&id);
            }
        }
        ran::add_unmatched(&mut self, gaps);
        finished::late(&mut self);
        finished::unproven(&mut self);
        facts::unanswered(&mut self);
        let usage = notice::total(self.tokens, self.earlier, self.requests);
        let is_told = self.tokens.is_some() || self.requests > 0;
        if !is_told {
            notice::add_turns(&mut self);
        }
        let session = self.assembly.finish();
        if !is_told {
            return session;
        }
        // The running total outweighs the sum of what single records say.
        let usage = Usage { partial: usage.partial || session.usage.partial, ..usage };
        Session { usage, ..session }
    }
}
