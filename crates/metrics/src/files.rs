//! Which files were read and changed, and which were read again for nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::TimedEffect;
use super::series::{changes, happened};
use agent_strace_effects::{About, Certainty, Execution, Kind, PathTarget};
use agent_strace_model::{Arguments, Event, EventKind, Session, Status, ToolCall};

/// What a session did to files, by normalised path. Raw log text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    /// How many were written or deleted, each counted once.
    pub changed: usize,
    /// How often a part of a file was shown to the conversation.
    pub reads: usize,
    /// In order.
    pub rereads: Vec<Reread>,
}

/// A read of what the same conversation had read and nobody had changed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reread {
    pub event: u32,
    pub path: String,
    /// The read that it repeats.
    pub of: u32,
    /// How often the same had been read by then, this read included.
    pub times: usize,
}

/// Programs that show what is in a file and do nothing else.
const VIEWERS: &[&str] = &["cat", "bat", "head", "tail", "less", "more", "nl", "sed", "tac"];
/// What arguments call the file itself, and what they say about it in words: all others say what of it is wanted.
const NO_PART: &[&str] = &[
    "file_path",
    "path",
    "filePath",
    "filename",
    "file",
    "target_file",
    "TargetFile",
    "absolute_path",
    "AbsolutePath",
    "relative_path",
    "notebook_path",
    "uri",
    "description",
    "explanation",
    "encoding",
];

/// The sub-agent and the part of a file that it reads: each sub-agent has a conversation of its own.
type ReadRange<'s> = (Option<&'s str>, String);
/// The reads of each path.
type Seen<'s> = BTreeMap<Cow<'s, str>, PathReads<'s>>;

/// Reads of one path.
#[derive(Debug, Default)]
struct PathReads<'s> {
    /// The only one so far: which part it was matters when the path is read again, and most are not.
    only: Option<(Shown<'s>, u32)>,
    reads: BTreeMap<ReadRange<'s>, Reads>,
}

/// What a call shows of a file.
#[derive(Debug, Clone, Copy)]
struct Shown<'s> {
    call: &'s ToolCall<'s>,
    /// The command that shows it; `None`: the call itself does.
    by: Option<&'s Execution>,
}

/// How a part was read.
#[derive(Debug)]
struct Reads {
    /// The events of the first read and the last.
    first: u32,
    last: u32,
    /// In how many calls.
    times: usize,
}

pub(super) fn files<'s>(session: &'s Session<'s>, effects: &'s [TimedEffect<'s>]) -> Files {
    let mut files = Files { changed: different(changes(effects).map(|(_, target)| target)), ..Files::default() };
    let mut seen = Seen::new();
    let mut rest = effects;
    for event in &session.events {
        if forgets(event) {
            seen.clear();
        }
        // They are few: to count them is faster than to search for their end.
        let (of_call, after) = rest.split_at(rest.iter().take_while(|timed| timed.event <= event.number).count());
        rest = after;
        // What may have been done counts, too, where it changes something.
        for timed in of_call.iter().filter(|timed| timed.status != Some(Status::Denied)) {
            match &timed.effect.kind {
                Kind::Read(target) if happened(timed) => {
                    if let Some(shown) = Shown::by(event, timed, of_call) {
                        files.show(&mut seen, target.shown(), shown, event.number);
                    }
                }
                Kind::Write(target) | Kind::Delete(target) => {
                    forget(&mut seen, target);
                }
                Kind::Opaque(opaque) if matches!(opaque.about, About::Reads | About::Network) => {}
                // Another agent, the project's own code, or what nobody could resolve may have changed anything.
                Kind::Spawn { .. } | Kind::Opaque(_) => seen.clear(),
                Kind::Tool { tool, .. } if !reads(tool) => seen.clear(),
                _ => {}
            }
        }
    }
    files
}

/// How many files were read, each counted once.
pub(super) fn read(effects: &[TimedEffect<'_>]) -> usize {
    different(effects.iter().filter(|timed| happened(timed)).filter_map(|timed| match &timed.effect.kind {
        Kind::Read(target) => Some(target),
        _ => None,
    }))
}

fn different<'a>(targets: impl Iterator<Item = &'a PathTarget>) -> usize {
    targets.collect::<BTreeSet<_>>().len()
}

impl Files {
    /// One call reads a part once, whatever its commands are.
    fn show<'s>(&mut self, seen: &mut Seen<'s>, path: Cow<'s, str>, shown: Shown<'s>, event: u32) {
        let Some(ranges) = seen.get_mut(&path) else {
            self.reads += 1;
            seen.insert(path, PathReads { only: Some((shown, event)), reads: BTreeMap::new() });
            return;
        };
        if let Some((only, first)) = ranges.only.take() {
            ranges.reads.insert(only.range(), Reads { first, last: first, times: 1 });
        }
        let reads = ranges.reads.entry(shown.range()).or_insert(Reads { first: event, last: 0, times: 0 });
        if reads.last == event {
            return;
        }
        self.reads += 1;
        (reads.last, reads.times) = (event, reads.times + 1);
        if reads.times > 1 {
            self.rereads.push(Reread { event, path: path.into_owned(), of: reads.first, times: reads.times });
        }
    }
}

/// Whether the name of a tool says that it only looks.
fn reads(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["read", "get", "list", "search", "view", "find", "show", "query", "fetch", "describe"]
        .iter()
        .any(|verb| tool.contains(verb))
}

/// What was read of a file that changes is no longer in it. Each path is forgotten once, however much is written.
fn forget(seen: &mut Seen<'_>, target: &PathTarget) {
    if target.path.contains('*') || (target.subtree && target.path == ".") {
        return seen.clear();
    }
    seen.remove(target.path.as_str());
    if target.subtree {
        let folder = format!("{}/", target.path.trim_end_matches('/'));
        let from = (Bound::Included(folder.as_str()), Bound::Unbounded);
        let below = seen.range::<str, _>(from).take_while(|(path, _)| path.starts_with(&folder));
        let below: Vec<String> = below.map(|(path, _)| path.to_string()).collect();
        for path in below {
            seen.remove(path.as_str());
        }
    }
}

/// What was read before is no longer in the conversation.
fn forgets(event: &Event<'_>) -> bool {
    match &event.kind {
        EventKind::Command(text) => {
            let text = text.start();
            ["/compact", "/clear", "/new", "/reset"].iter().any(|command| text.trim_start().starts_with(command))
        }
        EventKind::Instruction(text) => text.start().trim_start().starts_with("This session is being continued"),
        // Between two prompts its user may have changed anything.
        _ => event.prompt().is_some(),
    }
}

impl<'s> Shown<'s> {
    /// What a deed shows to the conversation; `None` where it only uses the file.
    fn by(event: &'s Event<'s>, timed: &TimedEffect<'_>, of_call: &[TimedEffect<'s>]) -> Option<Self> {
        let EventKind::Call(call) = &event.kind else { return None };
        // A result that nobody recorded may have been one.
        let shown = matches!(call.status, Status::Ok | Status::Missing) && timed.effect.certainty == Certainty::Exact;
        let is_file = matches!(&timed.effect.kind, Kind::Read(target) if !target.subtree);
        if !shown || !is_file {
            return None;
        }
        let by = match timed.effect.origin.parent {
            None if timed.effect.via == "argument" => None,
            None => return None,
            Some(parent) => match &of_call.get(usize::try_from(parent).ok()?)?.effect.kind {
                Kind::Execute(execution) if VIEWERS.contains(&program(execution)?) => Some(execution),
                _ => return None,
            },
        };
        Some(Self { call, by })
    }

    fn range(&self) -> ReadRange<'s> {
        let part = match self.by {
            None => range(&self.call.arguments),
            // `cat` shows all of it; of the others the words say how much.
            Some(execution) if matches!(program(execution), Some("cat" | "bat")) => String::new(),
            Some(execution) => {
                let words: Vec<&str> = execution.argv.iter().map(|argument| argument.text.as_str()).collect();
                words.join(" ")
            }
        };
        (self.call.subagent.as_deref(), part)
    }
}

fn program(execution: &Execution) -> Option<&str> {
    let program = execution.argv.first()?.text.as_str();
    Some(program.rsplit('/').next().unwrap_or(program))
}

/// The part that arguments ask for, as they say it.
fn range(arguments: &Arguments<'_>) -> String {
    let Some(members) = arguments.members() else { return String::new() };
    let asked = members.iter().filter(|(key, value)| !NO_PART.contains(key) && *value != "null");
    asked.map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
}
