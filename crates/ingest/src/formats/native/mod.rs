//! The native store, both generations of the Python peer: one event a line, `meta.json` beside them.

mod arguments;
mod captured;
mod chain;
mod event;
mod imported;
mod meta;
mod repository;
mod repr;

use std::borrow::Cow;
use std::collections::HashMap;

use crate::assembly::{Assembly, Numbering};
use crate::gaps::Gaps;
use crate::json::{Raw, filled, scalar};
use crate::reader::{Reader, Shape};
use crate::unended;
use crate::{Anchor, Log};
use agent_strace_model::evidence::Chain;
use agent_strace_model::{Dialect, EventKind, GapKind, Session};

use super::{Base, Detect, Format, Home, Input};
use event::{Data, Line};
pub(crate) use meta::Meta;
use repository::note_repository;

/// The native store, both generations of the Python peer.
pub(crate) static FORMAT: Format = Format {
    dialect: Dialect::new("agent-strace", "agent-strace").shell_stays().end_marked(),
    detect: Detect::Record(|head| {
        head.is_string("event_type") && (head.is_string("event_id") || head.has("timestamp"))
    }),
    read,
    homes: &[Home {
        variables: &["AGENT_TRACE_DIR"],
        base: Base::Project,
        folder: ".agent-traces",
        logs: "**/events.ndjson",
    }],
};

/// Reads the events of a store entry, or of a bare events file, which may hold several sessions.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let Input { text, shape, log } = *input;
    let mut reader = Reader::new(text, shape);
    let mut sessions = Sessions::new(log, shape, gaps);
    let nothing = Data::default();
    // A proxy stands between an agent and a server to the end, and says when that is: without it, more may have been said.
    let (mut is_captured, mut is_proxied) = (false, false);
    while let Some(item) = reader.next::<Line<'a>>(gaps) {
        let line = &item.record;
        if let Some(key) = line.duplicate {
            gaps.twice(item.line, key, "a record");
        }
        let Some(kind) = filled(line.event_type) else {
            gaps.malformed(item.line, "a record without an `event_type`");
            continue;
        };
        if line.data.is_other() {
            gaps.malformed(item.line, "the `data` of an event is not an object");
        }
        let data = line.data.object().unwrap_or(&nothing);
        if let Some(key) = data.duplicate {
            gaps.twice(item.line, key, "an event's data");
        }
        let captured = data.capture.object().is_some();
        is_captured |= captured;
        is_proxied |= captured && filled(data.mode).is_some_and(|mode| mode == "mcp");
        let assembly = sessions.of(filled(line.session_id), item.line, gaps);
        event::add(assembly, gaps, &kind, &item, data);
    }
    let mut sessions = sessions.finish();
    // Digests are over lines as they were written, not as a damaged log was mended.
    let text = std::str::from_utf8(log.bytes()).unwrap_or(text);
    let told = log.store.as_ref().map(|store| captured::compare(store, is_captured, text, shape, gaps));
    let (broken, is_cut) = told.unwrap_or((None, false));
    // What was handed over is no file, whose lines could be verified: it may have been cleaned on its way.
    let is_held = log.store.as_ref().is_some_and(|store| matches!(store.anchor, Anchor::Held));
    let chain = broken.unwrap_or_else(|| if is_held { Chain::None } else { chain::verify(text, shape) });
    for session in &mut sessions {
        if !matches!(session.evidence.chain, Chain::Broken(_)) {
            session.evidence.chain = chain;
        }
        let has_ended = session.events.iter().any(|event| matches!(event.kind, EventKind::End(_)));
        if is_proxied && !has_ended {
            gaps.push(
                None,
                GapKind::missing("the recording has no end: the MCP server still runs, or its recorder was killed"),
            );
        }
        // A hook is asked before a call ends: that it has no result yet says nothing.
        if is_captured && !is_proxied && !is_held && unended::stops_in_a_call(session, log.read_from) {
            gaps.push(None, GapKind::missing(log.read_from.stopped()));
        }
        session.evidence.truncated |= is_cut || (is_proxied && !has_ended);
    }
    sessions
}

/// The sessions of one file, in order of their first event.
struct Sessions<'a> {
    /// In a store the directory decides, whatever the events say.
    directory: Option<&'a str>,
    source: &'a str,
    shape: Shape,
    /// Beside the events of the only session.
    meta: Option<Meta<'a>>,
    list: Vec<Assembly<'a>>,
    indices: HashMap<Cow<'a, str>, usize>,
    current: usize,
    foreign: bool,
}

impl<'a> Sessions<'a> {
    fn new(log: &'a Log, shape: Shape, gaps: &mut Gaps) -> Self {
        let mut sessions = Self {
            directory: log.store.as_ref().map(|store| store.id.as_str()),
            source: &log.shown,
            shape,
            meta: None,
            list: Vec::new(),
            indices: HashMap::new(),
            current: 0,
            foreign: false,
        };
        if let Some(store) = &log.store {
            let mut assembly = sessions.assembly(Cow::Borrowed(&store.id));
            sessions.meta = Meta::read(store, gaps);
            if let Some(meta) = &sessions.meta {
                meta.apply(&mut assembly.session);
            }
            if let Some(json) = store.meta.as_deref().ok().and_then(|bytes| std::str::from_utf8(bytes).ok()) {
                note_repository(&mut assembly.session, json.trim_start_matches('\u{feff}'));
            }
            sessions.list.push(assembly);
        }
        sessions
    }

    fn assembly(&self, id: Cow<'a, str>) -> Assembly<'a> {
        let numbering = if self.shape == Shape::Lines { Numbering::Line } else { Numbering::Ordinal };
        let mut assembly = Assembly::new(&FORMAT.dialect, self.source, numbering);
        assembly.session.id = id;
        assembly
    }

    /// The session an event belongs to.
    fn of(&mut self, id: Option<Cow<'a, str>>, line: u32, gaps: &mut Gaps) -> &mut Assembly<'a> {
        if let Some(directory) = self.directory {
            if id.is_some_and(|id| id != directory) && !self.foreign {
                self.foreign = true;
                gaps.unknown_record(
                    line,
                    "an event of another session: its `session_id` is not the name of its directory",
                );
            }
        } else if let Some(id) = id {
            self.current = match self.indices.get(&id) {
                Some(at) => *at,
                None => self.add(id),
            };
        } else if self.list.is_empty() {
            self.add(Cow::Borrowed(""));
        }
        let at = self.current;
        // The list is never empty here: the store's session or the one just added.
        if at >= self.list.len() {
            self.current = self.add(Cow::Borrowed(""));
        }
        let at = self.current;
        #[expect(clippy::indexing_slicing, reason = "`at` was just made to exist")]
        &mut self.list[at]
    }

    fn add(&mut self, id: Cow<'a, str>) -> usize {
        let assembly = self.assembly(id.clone());
        self.list.push(assembly);
        self.indices.insert(id, self.list.len() - 1);
        self.list.len() - 1
    }

    fn finish(mut self) -> Vec<Session<'a>> {
        if let (Some(meta), Some(assembly)) = (&self.meta, self.list.first_mut()) {
            meta.compare(assembly);
        }
        self.list.iter_mut().for_each(Assembly::untold_since_sum);
        self.list.into_iter().map(Assembly::finish).collect()
    }
}

/// A link from one record to another.
fn link(value: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    scalar(value)
}
