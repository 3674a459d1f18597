//! Why something happened: from any event back to the prompt that led to it.
//!
//! Each event has at most one cause, which comes before it, so a chain ends. Causes are worked out in one pass over the
//! session: of a result, its call; of a call, in this order, that the same call had failed, that an earlier result names
//! what it uses, that it writes what was read, and else what was asked. Nothing is linked across a prompt.

mod needles;

use std::collections::BTreeMap;

use super::events::{Detail, Links, detail_of};
use agent_strace_model::{Access, Arguments, EventKind, Session, Speaker, Status, ToolCall};

use needles::{Found, Needles};

/// What an event did to a file, as the effects of the session tell.
#[derive(Debug, Clone)]
pub struct Touch {
    /// Its number.
    pub event: u32,
    /// `None`: its name alone was looked at.
    pub access: Option<Access>,
    /// From the root of the workspace, where it lies there.
    pub path: String,
}

/// One event of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its index among the events of the session.
    pub index: usize,
    /// What links it to the step before it; `None`: it is the first one.
    pub because: Option<Because>,
}

/// Why an event follows from an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// It is the result of that call.
    Answers,
    /// The same tool was called with the same command, which had failed.
    Retries,
    /// That result names this path or command, which it uses. Raw log text.
    Named(String),
    /// It writes this path, which was read there. Raw log text.
    Read(String),
    /// It was asked for.
    Asked,
    /// A skill, a hook or another agent said something since it was asked for.
    Told,
    /// It is the text of the skill that the call loaded.
    Loaded,
    /// Nothing else is known that came before it.
    First,
}

/// From the root to an event, by its index.
pub fn chain(session: &Session<'_>, touches: &[Touch], target: usize) -> Vec<Step> {
    let mut causes = Causes::of(session, touches, target).found;
    let mut chain = Vec::new();
    let mut index = target;
    loop {
        let cause = causes.get_mut(index).and_then(Option::take).filter(|(cause, _)| *cause < index);
        let (before, because) = cause.map_or((None, None), |(before, because)| (Some(before), Some(because)));
        chain.push(Step { index, because });
        match before {
            Some(before) => index = before,
            None => break,
        }
    }
    chain.reverse();
    chain
}

/// Who calls which tool with what.
type Same = (Option<String>, String, String);

/// What is known at some point of the session, since the last prompt.
struct Causes<'s> {
    session: &'s Session<'s>,
    touches: BTreeMap<u32, Vec<&'s Touch>>,
    needles: Needles,
    links: Links<'s>,
    /// Calls that failed when they were last made: their result, or they themselves.
    failed: BTreeMap<Same, usize>,
    /// Where each path was last read.
    read: BTreeMap<&'s str, usize>,
    asked: Option<usize>,
    /// What a skill, a hook or another agent said since.
    told: Option<usize>,
    /// The last call that loads a skill.
    loader: Option<usize>,
    found: Vec<Option<(usize, Because)>>,
}

impl<'s> Causes<'s> {
    /// Of all events up to one.
    fn of(session: &'s Session<'s>, touches: &'s [Touch], target: usize) -> Self {
        let mut by_event: BTreeMap<u32, Vec<&Touch>> = BTreeMap::new();
        for touch in touches {
            by_event.entry(touch.event).or_default().push(touch);
        }
        let events = session.events.get(..=target).unwrap_or(&session.events);
        let commands = events.iter().filter_map(|event| match &event.kind {
            EventKind::Call(call) => command(call),
            _ => None,
        });
        let last = events.last().map_or(0, |event| event.number);
        let paths = touches.iter().filter(|touch| touch.event <= last).map(|touch| touch.path.clone());
        let mut causes = Self {
            session,
            touches: by_event,
            needles: Needles::of(paths.chain(commands)),
            links: Links::of(session),
            failed: BTreeMap::new(),
            read: BTreeMap::new(),
            asked: None,
            told: None,
            loader: None,
            found: Vec::with_capacity(events.len()),
        };
        for index in 0..events.len() {
            let cause = causes.cause(index);
            causes.found.push(cause);
            causes.learn(index);
        }
        causes
    }

    fn cause(&self, index: usize) -> Option<(usize, Because)> {
        let event = self.session.events.get(index)?;
        match &event.kind {
            EventKind::Prompt(_) if !event.origin.speaker.is_user() => {
                let loader = self.loader.filter(|_| event.origin.speaker == Speaker::Skill);
                loader.map(|call| (call, Because::Loaded)).or_else(|| self.else_asked(index))
            }
            EventKind::Prompt(_) | EventKind::Start => None,
            EventKind::Result(_) => {
                let call = self.links.call_of(index);
                call.map(|call| (call, Because::Answers)).or_else(|| self.else_asked(index))
            }
            EventKind::Call(call) => {
                let retry = self.failed.get(&same(call)).map(|failed| (*failed, Because::Retries));
                retry
                    .or_else(|| self.named(event.number, call))
                    .or_else(|| self.read(event.number))
                    .or_else(|| self.else_asked(index))
            }
            EventKind::File(_) => self.read(event.number).or_else(|| self.else_asked(index)),
            _ => self.else_asked(index),
        }
    }

    /// The last result that names a path that the call touches, or its command.
    fn named(&self, event: u32, call: &ToolCall<'_>) -> Option<(usize, Because)> {
        let touched = self.touches.get(&event).into_iter().flatten().map(|touch| touch.path.clone());
        let found = touched.chain(command(call)).filter_map(|needle| self.needles.last(&needle));
        let Found { index, text } = found.max_by_key(|found| found.index)?;
        Some((index, Because::Named(text)))
    }

    /// Where the last of what it writes was read.
    fn read(&self, event: u32) -> Option<(usize, Because)> {
        let written = self.touches.get(&event).into_iter().flatten();
        let written = written.filter(|touch| matches!(touch.access, Some(Access::Write | Access::Delete)));
        let read = written.filter_map(|touch| Some((*self.read.get(touch.path.as_str())?, touch)));
        let (index, touch) = read.max_by_key(|(index, _)| *index)?;
        Some((index, Because::Read(touch.path.clone())))
    }

    /// What was asked, or else the first event.
    fn else_asked(&self, index: usize) -> Option<(usize, Because)> {
        match (self.told, self.asked) {
            (Some(told), _) => Some((told, Because::Told)),
            (None, Some(asked)) => Some((asked, Because::Asked)),
            (None, None) => (index > 0).then_some((0, Because::First)),
        }
    }

    /// What an event is for those after it.
    fn learn(&mut self, index: usize) {
        let Some(event) = self.session.events.get(index) else { return };
        match &event.kind {
            EventKind::Prompt(_) if !event.origin.speaker.is_user() => {
                if matches!(event.origin.speaker, Speaker::Skill | Speaker::HookFeedback | Speaker::Subagent) {
                    self.told = Some(index);
                }
            }
            EventKind::Prompt(_) => {
                (self.asked, self.told) = (Some(index), None);
                self.failed.clear();
                self.read.clear();
                self.needles.forget();
            }
            EventKind::Call(call) => {
                if call.tool.eq_ignore_ascii_case("skill") {
                    self.loader = Some(index);
                }
                let same = same(call);
                if matches!(call.status, Status::Error | Status::Interrupted | Status::Denied) {
                    self.failed.insert(same, index);
                } else {
                    self.failed.remove(&same);
                }
                self.note_reads(event.number, index);
            }
            EventKind::File(_) => self.note_reads(event.number, index),
            EventKind::Result(result) => {
                let call = self.links.call_of(index);
                // The failure is told where the result stands.
                if let Some(failed) =
                    call.and_then(|call| self.links.call_at(call)).and_then(|call| self.failed.get_mut(&same(call)))
                {
                    *failed = index;
                }
                if let Some(text) = &result.text {
                    self.needles.look(&text.decode(), index);
                }
            }
            _ => {}
        }
    }

    fn note_reads(&mut self, event: u32, index: usize) {
        for touch in self.touches.get(&event).into_iter().flatten() {
            if touch.access == Some(Access::Read) {
                self.read.insert(&touch.path, index);
            }
        }
    }
}

fn same(call: &ToolCall<'_>) -> Same {
    let what = command(call).unwrap_or_else(|| match &call.arguments {
        Arguments::Json(text) | Arguments::Text(text) => text.clone().into_owned(),
        Arguments::Missing => String::new(),
    });
    (call.subagent.as_deref().map(str::to_owned), call.tool.clone().into_owned(), what)
}

/// The command that a shell is asked to run, on one line.
fn command(call: &ToolCall<'_>) -> Option<String> {
    match detail_of(call)? {
        Detail::Command(text) => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
