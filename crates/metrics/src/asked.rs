//! What a user asked for, and what only stands where users speak.

use agent_strace_model::{Event, EventKind, RecordRole, Session, Stream};

/// Where the host notes a command of its own that was typed.
const COMMAND: &str = "<command-name>";

/// Whether a user asked for something there, in the session's own conversation.
pub(super) fn is_asked(event: &Event<'_>, session: &Session<'_>) -> bool {
    event.prompt().is_some() && is_main(session, event.origin.stream) && event.origin.role == RecordRole::Primary
}

/// The session's own conversation, not one of its sub-agents'.
pub(super) fn is_main(session: &Session<'_>, stream: u16) -> bool {
    !matches!(session.streams.get(usize::from(stream)), Some(Stream::Sidechain(_)))
}

/// What some prompts ask for, in one line: the first that a user wrote, else the command that was typed.
pub(super) fn label(events: &[&Event<'_>], session: &Session<'_>) -> Option<String> {
    let prompts = events.iter().filter(|event| is_asked(event, session)).filter_map(|event| match &event.kind {
        EventKind::Prompt(text) => Some(text.decode()),
        _ => None,
    });
    let mut typed = None;
    for text in prompts {
        if let Some(command) = command(&text) {
            typed = typed.or_else(|| Some(command.to_owned()));
            continue;
        }
        if let Some(line) = text.lines().map(str::trim).find(|line| !line.is_empty() && !is_tag(line)) {
            return Some(line.to_owned());
        }
    }
    typed
}

/// `/compact` of `<command-name>/compact</command-name>`.
fn command(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(COMMAND)?;
    rest.split('<').next().map(str::trim).filter(|name| !name.is_empty())
}

/// A line that only opens or closes a part of the text.
fn is_tag(line: &str) -> bool {
    line.starts_with('<') && line.ends_with('>') && !line.contains(' ') && line.matches('<').count() == 1
}
