//! GitHub Copilot CLI: one event a line, as the session file and as the output of a run. VS Code writes its
//! transcripts in the same events.

mod call;
mod database;
mod event;
mod facts;
mod hooks;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::record;
use crate::reader::Reader;
use agent_strace_model::{Dialect, Session, Usage};
use call::Request;
pub(super) use database::DATABASE;
use hooks::Rewrite;

record! {
    pub(super) struct Envelope {
        kind = "type",
        data = "data",
        id = "id",
        timestamp = "timestamp",
        agent = "agentId",
    }
}

/// GitHub Copilot CLI (`~/.copilot/session-state/**`) and VS Code's transcripts of Copilot Chat.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("copilot-cli", "copilot-cli"),
    detect: Detect::Record(claims),
    read,
    homes: &[
        Home { variables: &["COPILOT_HOME"], base: Base::Home, folder: ".copilot", logs: "session-state/**/*.jsonl" },
        Home {
            variables: &[],
            base: Base::Config,
            folder: "Code/User",
            logs: "workspaceStorage/*/GitHub.copilot-chat/transcripts/*.jsonl",
        },
    ],
};

/// Every event has an id, a time and an object of data; its type begins with what it is about.
fn claims(head: &Head<'_>) -> bool {
    let Some(kind) = head.text("type") else { return false };
    let about = kind.split_once('.').map_or(&*kind, |(about, _)| about);
    matches!(about, "session" | "user" | "assistant" | "tool" | "hook" | "system" | "permission" | "subagent" | "abort")
        && head.is_object("data")
        && head.is_string("id")
        && head.is_string("timestamp")
        && !head.has("source")
}

/// Reads one session, however often it was resumed.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let Input { text, shape, log } = *input;
    let mut events = Events {
        assembly: Assembly::new(&FORMAT.dialect, &log.shown, Numbering::Ordinal),
        cwd: None,
        requests: HashMap::new(),
        asked: Vec::new(),
        agents: HashMap::new(),
        open: Vec::new(),
        hooks: HashMap::new(),
        rewrites: Vec::new(),
        total: None,
        run: 0,
        by_model: BTreeMap::new(),
    };
    let mut reader = Reader::new(text, shape);
    while let Some(item) = reader.next::<Envelope<'a>>(gaps) {
        events.event(&item, gaps);
    }
    vec![events.finish(gaps)]
}

/// A session that is being read.
struct Events<'a> {
    assembly: Assembly<'a>,
    /// The directory that the host last said it works in.
    cwd: Option<Cow<'a, str>>,
    /// What the model asked for, by the id of the call: not run until an event says so.
    requests: HashMap<Cow<'a, str>, Request<'a>>,
    /// Calls that the last message asks for: where the log ends before anything is said of one, it may have run.
    asked: Vec<Cow<'a, str>>,
    /// Id of a sub-agent → id of the call that started it, which older events carry instead.
    agents: HashMap<Cow<'a, str>, Cow<'a, str>>,
    /// Calls that were started since the last abort.
    open: Vec<Cow<'a, str>>,
    /// Hooks that were started, by the id of the run.
    hooks: HashMap<Cow<'a, str>, hooks::Run<'a>>,
    /// What hooks made of calls.
    rewrites: Vec<Rewrite<'a>>,
    /// What the host says at the end of each run that it used.
    total: Option<Usage>,
    /// Records of usage before this run.
    run: usize,
    /// The total by model.
    by_model: BTreeMap<Cow<'a, str>, Usage>,
}

impl<'a> Events<'a> {
    fn finish(mut self, gaps: &Gaps) -> Session<'a> {
        // The record that would say that a call started may be the one that can't be read.
        if gaps.damaged() || self.assembly.session.unknown_records > 0 {
            self.run_all_requests();
        }
        self.unanswered();
        self.rewritten();
        let total = self.total.map(|mut total| {
            total.add(&self.assembly.told_in_part());
            total
        });
        self.beyond();
        let mut session = self.assembly.finish();
        // Messages tell only what they put out.
        session.usage = total.unwrap_or(session.usage);
        session
    }

    /// Messages tell only what they put out: the rest of it is each model's own, where all that were asked are named.
    fn beyond(&mut self) {
        let told = self.assembly.told(str::to_owned);
        let totals = std::mem::take(&mut self.by_model);
        if totals.len() < 2 || told.keys().any(|model| !totals.contains_key(model.as_str())) {
            return;
        }
        for (model, total) in totals {
            let beyond = total.beyond(&told.get(&*model).copied().unwrap_or_default());
            if beyond != Usage::default() {
                self.assembly.unasked(Some(model), beyond);
            }
        }
    }
}
