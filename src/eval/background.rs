//! Calls that ended before what they had started: how that ended, a later call may tell.

use std::collections::BTreeMap;

use crate::model::{Event, EventKind, Label, RawText, Session};

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
/// Some word of each of the above.
const HINTS: &[&str] = &["background", "session ID", "exit_code", "exited with code"];

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
    pub(super) fn of(session: &Session<'_>) -> Self {
        let mut ends = BTreeMap::new();
        // Calls by their ids, and those that are asked how a command goes on, with the call that started it.
        let (mut calls, mut asking) = (BTreeMap::<&str, u32>::new(), BTreeMap::<&str, u32>::new());
        let mut running: BTreeMap<String, u32> = BTreeMap::new();
        let mut labels = session.labels.iter().peekable();
        for (place, event) in session.events.iter().enumerate() {
            let mut named = None;
            while let Some((_, label)) = labels.next_if(|(at, _)| *at <= place) {
                if let Label::Background(name) = label {
                    named = Some(name.clone().into_owned());
                }
            }
            match &event.kind {
                EventKind::Call(call) => {
                    let Some(id) = call.call_id.as_deref() else { continue };
                    calls.insert(id, event.number);
                    if let Some(started) = asked(event, &running) {
                        asking.insert(id, started);
                    }
                }
                EventKind::Result(result) => {
                    let call = result.call_id.as_deref().and_then(|id| Some((id, *calls.get(id)?)));
                    let Some((id, number)) = call else { continue };
                    let said = result.text.as_ref().and_then(hosts_words);
                    let started = asking.get(id).copied();
                    let code = said.as_deref().and_then(exit_code);
                    if let (Some(started), Some(well)) = (started, code) {
                        running.retain(|_, other| *other != started);
                        ends.insert(started, if well { End::Well(event.number) } else { End::Badly(event.number) });
                    } else if let Some(name) = named.or_else(|| said.as_deref().and_then(goes_on))
                        && started.is_none()
                    {
                        running.insert(name, number);
                        ends.insert(number, End::Untold);
                    }
                }
                _ => {}
            }
        }
        Self { ends }
    }

    /// `None`: the call ended when what it ran did.
    pub(super) fn end(&self, event: u32) -> Option<End> {
        self.ends.get(&event).copied()
    }
}

/// The call whose command in the background an event asks about.
fn asked(event: &Event<'_>, running: &BTreeMap<String, u32>) -> Option<u32> {
    let EventKind::Call(call) = &event.kind else { return None };
    if running.is_empty() {
        return None;
    }
    let members = call.arguments.members()?;
    members.iter().find_map(|(_, value)| running.get(value.trim_matches('"')).copied())
}

/// What a host says beside the output of a command; nothing where it says nothing of this kind.
fn hosts_words(text: &RawText<'_>) -> Option<String> {
    let raw = match text {
        RawText::Plain(text) => text,
        RawText::Json(json) => *json,
    };
    HINTS.iter().any(|hint| raw.contains(hint)).then(|| text.decode().into_owned())
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
