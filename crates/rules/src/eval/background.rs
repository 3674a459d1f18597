//! Calls that ended before what they had started: how that ended, a later call may tell.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::{Log, take_acts};
use agent_strace_effects::Kind;
use agent_strace_model::{EventKind, Label, RawText, Session, ToolCall, ToolResult};

/// What agents' hosts say of a command that goes on, and before its name.
const GOES_ON: &[&str] = &[
    " in background with ID: ",
    " to the background with ID: ",
    " backgrounded by user with ID: ",
    "Process running with session ID ",
];
/// What they say of one that has ended, before its exit code.
const ENDED: &[&str] = &["<exit_code>", "Process exited with code "];
/// Where the words of the command itself begin.
const OUTPUT: &[&str] = &["<output>", "<stdout>", "\nOutput:"];
/// The member of a structured result that names it.
const TASK: &str = "backgroundTaskId";
/// Some word of each of the above: that something goes on, and that it ended. Results are long, and there are many.
static GOING: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| ["background", "session ID"].map(Finder::new));
static ENDING: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| ["exit_code", "exited with code"].map(Finder::new));

/// How a command in the background ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// As this event tells.
    Well(u32),
    Badly(u32),
    /// No end is recorded.
    Untold,
}

/// Commands that went on after their calls, by the number of the call's event.
#[derive(Debug, Default)]
pub(super) struct Background {
    ends: BTreeMap<u32, End>,
}

impl Background {
    pub(super) fn of(log: &Log<'_>) -> Self {
        let session = log.session;
        let (mut watch, mut acts) = (Watch::of(session), log.acts);
        let mut labels = session.labels.iter().peekable();
        for (index, event) in session.events.iter().enumerate() {
            let mut named = None;
            while let Some((_, label)) = labels.next_if(|(at, _)| *at <= index) {
                if let Label::Background(name) = label {
                    named = Some(&**name);
                }
            }
            match &event.kind {
                EventKind::Call(call) | EventKind::Copied(call) => {
                    let mut of_call = take_acts(&mut acts, event.number).iter();
                    let runs = of_call.any(|act| matches!(act.effect.kind, Kind::Execute(_) | Kind::Opaque(_)));
                    watch.call(event.number, call, runs);
                }
                EventKind::Result(result) => watch.result(event.number, result, named),
                _ => {}
            }
        }
        Self { ends: watch.ends }
    }

    /// `None`: the call ended when what it ran did.
    pub(super) fn end(&self, event: u32) -> Option<End> {
        self.ends.get(&event).copied()
    }
}

/// A session that is gone through.
struct Watch<'l> {
    /// Calls that run a command, by their ids: what others show may hold the same words.
    calls: HashMap<&'l str, u32>,
    /// Calls that ask how a command goes on, by their ids, with the name of the command.
    asking: BTreeMap<&'l str, String>,
    /// Names of commands that go on, with the calls that started them.
    running: BTreeMap<String, u32>,
    ends: BTreeMap<u32, End>,
}

impl<'l> Watch<'l> {
    fn of(session: &Session<'_>) -> Self {
        // A call and its result are two of many events.
        let calls = HashMap::with_capacity(session.events.len() / 4);
        Self { calls, asking: BTreeMap::new(), running: BTreeMap::new(), ends: BTreeMap::new() }
    }

    /// `runs`: a command.
    fn call(&mut self, event: u32, call: &'l ToolCall<'_>, runs: bool) {
        let Some(id) = call.call_id.as_deref() else { return };
        if runs {
            self.calls.insert(id, event);
        }
        if self.running.is_empty() {
            return;
        }
        let Some(members) = call.arguments.members() else { return };
        let names = members.iter().map(|(_, value)| value.trim_matches('"').to_owned());
        if let Some(name) = names.into_iter().find(|name| self.running.contains_key(name)) {
            self.asking.insert(id, name);
        }
    }

    /// `named`: the command goes on under this name.
    fn result(&mut self, event: u32, result: &ToolResult<'_>, named: Option<&str>) {
        let Some(id) = result.call_id.as_deref() else { return };
        let said = |hints| result.text.as_ref().and_then(|text| hosts_words(text, hints));
        if let Some(name) = self.asking.get(id) {
            if let Some(well) = said(&*ENDING).and_then(|said| exit_code(&said))
                && let Some(started) = self.running.remove(name)
            {
                self.ends.insert(started, if well { End::Well(event) } else { End::Badly(event) });
            }
            return;
        }
        let Some(call) = self.calls.get(id).copied() else { return };
        if let Some(name) = named.map(str::to_owned).or_else(|| goes_on(&said(&*GOING)?)) {
            self.running.insert(name, call);
            self.ends.insert(call, End::Untold);
        }
    }
}

/// What a host says beside the output of a command; nothing where it says nothing of this kind.
fn hosts_words(text: &RawText<'_>, hints: &[Finder<'_>]) -> Option<String> {
    let raw = match text {
        RawText::Plain(text) => text,
        RawText::Json(json) => *json,
    };
    hints.iter().any(|hint| hint.find(raw.as_bytes()).is_some()).then(|| text.decode().into_owned())
}

/// The name of what goes on. It may stand below the output so far.
fn goes_on(text: &str) -> Option<String> {
    let said = text.lines().find_map(|line| {
        let told = line.starts_with("Command ") || line.starts_with("Process ") || line.contains("\"Command ");
        GOES_ON.iter().find_map(|words| told.then(|| line.split_once(words)).flatten())
    });
    let (_, rest) = said.or_else(|| text.split_once(TASK).filter(|_| text.starts_with(['{', '['])))?;
    let rest = rest.trim_start_matches(['\\', '"', '\'', ':', ' ']);
    let name = rest.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '-')).next()?;
    (!matches!(name, "" | "null" | "None" | "undefined")).then(|| name.to_owned())
}

/// Whether it ended well, in the host's words.
fn exit_code(text: &str) -> Option<bool> {
    let output = OUTPUT.iter().filter_map(|word| text.find(word)).min();
    let own = output.and_then(|at| text.get(..at)).unwrap_or(text);
    let (_, rest) = ENDED.iter().find_map(|words| own.split_once(words))?;
    let code: i64 = rest.split(|letter: char| !letter.is_ascii_digit() && letter != '-').next()?.parse().ok()?;
    Some(code == 0)
}
