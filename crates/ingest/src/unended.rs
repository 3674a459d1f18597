//! Logs that stop before their end.
//!
//! Most formats mark no end, and a session that still runs has none yet. What a run prints is another thing: its last record
//! says how the run ended, so that a log without it lacks an unknown number of calls.

use crate::gaps::Gaps;
use agent_strace_model::dialect::Ends;
use agent_strace_model::{Arguments, Event, EventKind, GapKind, Session, Status, ToolCall};
use serde_json::Value;

/// The text of a gap about a printed log.
pub(crate) const CUT: &str = "the output stops before the record that ends it: the run was cut off or still goes on; judge it once more when it has ended";

/// Notes what runs printed without an end, or after it. One record by itself is not the output of a run.
pub(crate) fn look(sessions: &[Session<'_>], gaps: &mut Gaps) {
    let is_printed =
        |session: &Session<'_>| !session.is_imported && !session.is_captured && session.dialect.ends == Ends::Printed;
    let stops = |session: &Session<'_>| is_printed(session) && goes_on(session);
    if gaps.records() > 1 && sessions.iter().any(stops) {
        gaps.push(None, GapKind::missing(CUT));
    }
}

/// Something stands after the last end. Events need not be in the order of the records that tell of them, and one line may
/// hold all records.
fn goes_on(session: &Session<'_>) -> bool {
    let is_work = |event: &Event<'_>| {
        event.call().is_some() || matches!(event.kind, EventKind::Start | EventKind::Message(_) | EventKind::Result(_))
    };
    let is_end = |event: &Event<'_>| matches!(event.kind, EventKind::End(_));
    let at = |event: &Event<'_>| (event.line, event.origin.row);
    let last = |is: &dyn Fn(&Event<'_>) -> bool| session.events.iter().filter(|event| is(event)).map(at).max();
    last(&is_work) > last(&is_end)
}

/// Where a log was read, which says what its last call may be waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadFrom {
    /// An agent that commits its own recording adds it to the index in a call, which has no result there.
    Commit,
    /// The gate may run in the last call: in a hook of git, or because the agent asks it. The result comes later.
    Elsewhere,
}

impl ReadFrom {
    /// The subcommand of git in a call that may stay open.
    fn subcommands(self) -> &'static [&'static str] {
        match self {
            Self::Commit => &["add", "am", "cherry-pick", "commit", "merge", "pull", "rebase", "revert", "stage"],
            Self::Elsewhere => &["am", "cherry-pick", "commit", "merge", "pull", "push", "rebase", "revert"],
        }
    }

    /// The text of a gap about a recording whose last call has no result.
    pub(crate) fn stopped(self) -> &'static str {
        match self {
            Self::Commit => {
                "the recording stops in a call: it was committed while the session ran, or the agent or its hooks were stopped; commit it once more when the session has ended (`git add .agent-traces && git commit`)"
            }
            Self::Elsewhere => {
                "the recording stops in a call: the session still runs, or the agent or its hooks were stopped; judge it once more when it has ended, or with the agent's own log"
            }
        }
    }

    /// Other commands that may stay open, by the words that they begin with: the gate itself, and those that push.
    fn commands(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Commit => &[],
            Self::Elsewhere => &[
                &["agent-strace"],
                &["gh", "pr", "create"],
                &["glab", "mr", "create"],
                &["gt", "submit"],
                &["jj", "git", "push"],
            ],
        }
    }
}

/// No end is recorded, and a call of the session is the last thing that happened: its outcome is not known.
pub(crate) fn stops_in_a_call(session: &Session<'_>, read_from: ReadFrom) -> bool {
    let said = session.events.iter().rev().take_while(|event| {
        !matches!(event.kind, EventKind::End(_) | EventKind::Message(_) | EventKind::Prompt(_) | EventKind::Failure(_))
    });
    let has_ended = session.events.iter().any(|event| matches!(event.kind, EventKind::End(_)));
    let said: Vec<&Event<'_>> = said.collect();
    let is_open = |event: &&Event<'_>| event.call().is_some_and(|call| call.status == Status::Missing);
    let mut open = said.iter().copied().enumerate().filter(|(_, event)| is_open(event));
    // Calls that were made beside it may have been answered first: they came before any answer.
    let is_last = |back: usize| {
        let behind = said.get(..back).unwrap_or_default();
        let first_call = behind.iter().position(|event| event.call().is_some()).unwrap_or(back);
        let called_again = behind.get(first_call..).unwrap_or_default();
        !called_again.iter().any(|event| matches!(event.kind, EventKind::Result(_)))
    };
    let may_be_open = |event: &Event<'_>| event.call().is_some_and(|call| runs_the_reader(call, read_from));
    !has_ended
        && (open.next().is_some_and(|(back, event)| !may_be_open(event) || !is_last(back)) || open.next().is_some())
}

/// One of the commands in the arguments is what the log waits for while it is read.
fn runs_the_reader(call: &ToolCall<'_>, read_from: ReadFrom) -> bool {
    let mut texts = Vec::new();
    match &call.arguments {
        Arguments::Json(json) => match serde_json::from_str(json) {
            Ok(value) => texts_of(&value, &mut texts),
            Err(_) => return false,
        },
        Arguments::Text(text) => texts.push(text.to_string()),
        Arguments::Missing => return false,
    }
    let commands = texts.iter().flat_map(|text| text.lines()).map(without_comment);
    commands
        .flat_map(|line| line.split([';', '|', '&', '(', '"', '\'', '`']))
        .any(|command| is_open_command(command, read_from))
}

fn texts_of(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts_of(value, texts)),
        Value::Object(members) => members.values().for_each(|value| texts_of(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A line up to the `#` of a comment, wherever it may be one.
fn without_comment(line: &str) -> &str {
    let is_comment = |(at, _): &(usize, &str)| {
        line.get(..*at).is_none_or(|before| before.is_empty() || before.ends_with(char::is_whitespace))
    };
    line.match_indices('#').find(is_comment).and_then(|(at, _)| line.get(..at)).unwrap_or(line)
}

/// Words before a command that change nothing of what it runs.
const BEFORE: &[&str] = &["!", "if", "then", "do", "time", "env", "command", "exec", "sudo", "nice", "nohup"];
/// Programs that fetch and run another one.
const STARTERS: &[&str] = &["npx", "pnpx", "bunx", "uvx", "pipx"];

/// `git -C . commit -m x`
fn is_open_command(command: &str, read_from: ReadFrom) -> bool {
    let mut words = command.split_whitespace().peekable();
    while words.next_if(|word| word.contains('=') || BEFORE.contains(word)).is_some() {}
    if words.next_if(|word| *word == "timeout").is_some() {
        while words.next_if(|word| word.starts_with('-')).is_some() {}
        words.next();
    }
    let program = words.next().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
    if STARTERS.contains(&program) {
        return words.any(|word| read_from.commands().contains(&[word].as_slice()));
    }
    if program != "git" {
        let named: Vec<&str> = std::iter::once(program).chain(words.filter(|word| !word.starts_with('-'))).collect();
        return read_from.commands().iter().any(|command| named.starts_with(command));
    }
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" => _ = words.next(),
            _ if word.starts_with('-') => {}
            _ => return read_from.subcommands().contains(&word),
        }
    }
    false
}
