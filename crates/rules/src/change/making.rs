//! Commits that a session made, as far as its record shows.
//!
//! Tools write files with known content. What a stash, a patch, another commit or a generator brings has no author in the
//! record but the session that committed it. A record shows that by the name which git printed, by the subject that the call
//! gave or git printed, or, where neither is there, by the time alone.

use std::collections::BTreeMap;

use super::commands::Command;
use agent_strace_effects::{About, Effect, Execution, Kind};
use agent_strace_git::subject;
use agent_strace_model::{Event, EventKind, RawText, Session, Status, moment};
use jiff::Timestamp;

/// Commits that are kept of one session. Those beyond it account for nothing.
const MOST: usize = 5_000;
/// Lines of one result that are searched for commits.
const MOST_LINES: usize = 20_000;
/// Commands of one call that commit, as far as they are compared with what git printed.
const MOST_ACTS: usize = 200;
/// Commits of one command whose result shows none of them.
const MOST_NAMED: usize = 100;
/// Digits with which git prints the name of a commit, at least.
const LEAST_DIGITS: usize = 7;

/// A commit that a session made.
#[derive(Debug)]
pub(super) struct Making {
    /// The digits that the name of the commit begins with, as git printed them.
    pub(super) id: Option<Box<str>>,
    pub(super) subject: Option<Box<str>>,
    /// When it was called, in seconds of the epoch.
    pub(super) seconds: Option<i64>,
    /// The record shows that it was made in the repository, with files. Else it is known by its printed name alone.
    pub(super) is_shown: bool,
    /// The command, or something that ran before it, may have brought files.
    pub(super) brings: bool,
}

/// A session ran something that may have brought files.
#[derive(Debug, Clone, Copy)]
pub(super) struct Brought {
    /// The first time, in seconds of the epoch.
    pub(super) from: Option<i64>,
}

/// A command that commits.
struct Act {
    subject: Option<Box<str>>,
    commits: usize,
    is_here: bool,
    is_told: bool,
    brings: bool,
}

/// A line in which git says what it committed.
struct Printed<'t> {
    id: Option<&'t str>,
    subject: String,
}

/// Reads a session call by call.
#[derive(Debug)]
pub(super) struct Makings<'s> {
    results: BTreeMap<&'s str, &'s RawText<'s>>,
    brought: Option<Brought>,
    found: Vec<Making>,
}

impl<'s> Makings<'s> {
    pub(super) fn new(session: &'s Session<'_>) -> Self {
        let mut results = BTreeMap::new();
        for event in &session.events {
            if let EventKind::Result(result) = &event.kind
                && let (Some(id), Some(text)) = (result.call_id.as_deref(), &result.text)
            {
                results.insert(id, text);
            }
        }
        Self { results, brought: None, found: Vec::new() }
    }

    pub(super) fn finish(self) -> (Vec<Making>, Option<Brought>) {
        (self.found, self.brought)
    }

    /// Takes what a call did that was not refused.
    pub(super) fn read(&mut self, event: &Event<'_>, status: Option<Status>, effects: &[Effect]) {
        let mut acts = Vec::new();
        for effect in effects {
            let parent = effect.origin.parent.and_then(|parent| effects.get(parent as usize));
            let caller = parent.and_then(execution_of).map(Command::of);
            let is_here = !effect.origin.elsewhere && !caller.as_ref().is_some_and(Command::works_elsewhere);
            let brings = match &effect.kind {
                Kind::Execute(execution) => {
                    let command = Command::of(execution);
                    let is_here = is_here && command.is_here();
                    if command.makes_commits() && acts.len() < MOST_ACTS {
                        let is_told = parent.unwrap_or(effect).origin.told;
                        acts.push(self.act(execution, &command, is_here, is_told));
                    }
                    is_here && command.brings_files()
                }
                Kind::Opaque(opaque) => {
                    is_here && may_write(opaque.about) && caller.is_some_and(|caller| !caller.is_of_hosting())
                }
                _ => false,
            };
            if brings && self.brought.is_none() {
                self.brought = Some(Brought { from: seconds(event) });
            }
        }
        // Another session of the run holds the call, too, and accounts for its commits.
        if !acts.is_empty() && !matches!(event.kind, EventKind::Copied(_)) {
            self.made(event, status, &acts);
        }
    }

    fn act(&self, execution: &Execution, command: &Command<'_>, is_here: bool, is_told: bool) -> Act {
        let is_here = is_here && !command.may_be_empty();
        if command.brings_commits() {
            // The commits that it names have their own messages, and `-m` takes the number of a parent.
            let commits = command.named().clamp(1, MOST_NAMED);
            return Act { subject: None, commits, is_here, is_told, brings: true };
        }
        let subject = message(execution).map(|message| subject(message.as_bytes()).into());
        Act { subject, commits: 1, is_here, is_told, brings: self.brought.is_some() }
    }

    /// Puts together what the commands of a call say and what git printed.
    fn made(&mut self, event: &Event<'_>, status: Option<Status>, acts: &[Act]) {
        let result = event.call().and_then(|call| call.call_id.as_deref()).and_then(|id| self.results.get(id));
        let text = result.map(|text| text.decode()).unwrap_or_default();
        let printed: Vec<Printed<'_>> = lines(&text).filter_map(Printed::of).take(MOST).collect();
        let seconds = seconds(event);
        let may_be_done = matches!(status, Some(Status::Ok | Status::Missing));
        for (at, printed) in printed.iter().enumerate() {
            let Some(act) = printed.act(acts, at) else { continue };
            let id = printed.id.map(|id| id.to_lowercase().into());
            let is_shown = act.is_here && (id.is_some() || may_be_done);
            let subject = Some(printed.subject.as_str().into());
            self.add(Making { id, subject, seconds, is_shown, brings: act.brings });
        }
        for act in acts.iter().filter(|act| may_be_done && act.is_here && act.is_silent(acts, &printed)) {
            let is_seen = act.is_told || shows_commit(&text, act.subject.as_deref());
            for _ in 0..if is_seen { act.commits } else { 0 } {
                let subject = act.subject.clone();
                self.add(Making { id: None, subject, seconds, is_shown: true, brings: act.brings });
            }
        }
    }

    fn add(&mut self, making: Making) {
        if self.found.len() < MOST {
            self.found.push(making);
        }
    }
}

impl Act {
    /// Git printed nothing about what the command committed.
    fn is_silent(&self, acts: &[Self], printed: &[Printed<'_>]) -> bool {
        let is_of = |printed: &Printed<'_>| self.subject.as_deref() == Some(&printed.subject);
        printed.is_empty() || acts.len() > printed.len() && self.subject.is_some() && !printed.iter().any(is_of)
    }
}

impl<'t> Printed<'t> {
    /// `[topic 1a2b3c4] Add b`, wherever the line of the result begins, or `Applying: Add b`.
    fn of(line: &'t str) -> Option<Self> {
        if let Some(said) = line.trim_start().strip_prefix("Applying: ") {
            return Some(Self { id: None, subject: subject(said.as_bytes()) });
        }
        let (_, rest) = line.split_once('[')?;
        let (head, said) = rest.split_once("] ")?;
        let (_, id) = head.rsplit_once(' ')?;
        is_name(id).then(|| Self { id: Some(id), subject: subject(said.as_bytes()) })
    }

    /// The command that printed it: the one that gave its subject, else the one in its place.
    fn act<'a>(&self, acts: &'a [Act], at: usize) -> Option<&'a Act> {
        let named = acts.iter().find(|act| act.subject.as_deref() == Some(&self.subject));
        named.or_else(|| acts.get(at)).or_else(|| acts.first())
    }
}

fn seconds(event: &Event<'_>) -> Option<i64> {
    event.time.as_deref().and_then(moment).map(Timestamp::as_second)
}

fn may_write(about: About) -> bool {
    !matches!(about, About::Reads | About::Network)
}

fn execution_of(effect: &Effect) -> Option<&Execution> {
    match &effect.kind {
        Kind::Execute(execution) => Some(execution),
        _ => None,
    }
}

/// Lines of a result, which may be JSON in a string.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split("\\n")).take(MOST_LINES)
}

fn is_name(word: &str) -> bool {
    word.len() >= LEAST_DIGITS && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Git says so where it makes no commit.
const NOTHING: &[&str] = &["nothing to commit", "nothing added to commit", "no changes added to commit"];

/// Returns true if a line of the result counts the files of a commit, or is one of `git log --oneline` with its subject.
fn shows_commit(text: &str, subject: Option<&str>) -> bool {
    let counts = |line: &str| {
        let words = line.trim_start().split_once(' ');
        words.is_some_and(|(count, rest)| {
            count.parse::<u32>().is_ok() && (rest.starts_with("file changed") || rest.starts_with("files changed"))
        })
    };
    let names = |line: &str| {
        let words = line.trim().split_once(' ');
        words.is_some_and(|(name, said)| is_name(name) && subject.is_some_and(|subject| said.ends_with(subject)))
    };
    let failed = |line: &str| NOTHING.iter().any(|said| line.contains(said));
    !lines(text).any(failed) && lines(text).any(|line| counts(line) || names(line))
}

/// The message that a command gives, where its text is known: that of the first `-m`.
fn message(execution: &Execution) -> Option<&str> {
    let mut arguments = execution.argv.iter().skip(1);
    while let Some(argument) = arguments.next() {
        let text = argument.text.as_str();
        if text == "--" {
            return None;
        }
        if let Some(glued) = text.strip_prefix("--message=") {
            return argument.known.then_some(glued);
        }
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
        // The other letters before it take no value.
        let flag = letters
            .find('m')
            .filter(|at| !letters.get(..*at).unwrap_or_default().contains(['C', 'F', 'S', 'c', 't', 'u']));
        let Some(at) = flag.or((text == "--message").then_some(0)) else { continue };
        let glued = letters.get(at + 1..).unwrap_or_default();
        let value = if glued.is_empty() { arguments.next()? } else { argument };
        let said = if glued.is_empty() { value.text.as_str() } else { glued };
        return value.known.then_some(said);
    }
    None
}
