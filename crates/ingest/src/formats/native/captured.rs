//! What a session keeps that was recorded while it ran.

use sha2::{Digest as _, Sha256};

use super::imported::speak;
use crate::gaps::Gaps;
use crate::json::{filled, parse, record, whole};
use crate::reader::Shape;
use crate::{Anchor, StoreEntry};
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::evidence::Chain;
use agent_strace_model::{GapKind, Session};

record! {
    /// Said by the first event, about the session.
    pub(super) struct Capture {
        format = "format",
        agent = "agent",
        version = "version",
        permissions = "permissions",
    }
}

record! {
    /// How far the recorder says that it got.
    struct Recorder {
        events = "events",
        digest = "sha256",
    }
}

impl<'a> Capture<'a> {
    /// Makes the session what the agent's own log of it would be.
    pub(super) fn apply(&self, session: &mut Session<'a>, line: u32, gaps: &mut Gaps) {
        speak(self.format, session, line, gaps);
        session.is_captured = true;
        if let Some(agent) = filled(self.agent) {
            session.agent = agent;
        }
        note(&mut session.attribution.version, filled(self.version));
        note_each(&mut session.attribution.permission_modes, filled(self.permissions));
    }
}

/// Compares the events with what the recorder wrote down about them after each one. It may lag behind by what was written
/// when it was killed; it is never ahead. The second value: the end is missing.
pub(super) fn compare(
    store: &StoreEntry,
    is_captured: bool,
    text: &str,
    shape: Shape,
    gaps: &mut Gaps,
) -> (Option<Chain>, bool) {
    let (shown, recorder) = match &store.anchor {
        Anchor::File(shown, recorder) => (shown, recorder),
        Anchor::Missing if is_captured => {
            gaps.push(None, GapKind::missing("`recorder.json` is lost: nobody knows how far the recording got"));
            return (None, true);
        }
        Anchor::Missing | Anchor::Held => return (None, false),
    };
    let invalid = |detail: &'static str| GapKind::InvalidJson(detail.into());
    let read = recorder.as_deref().map_err(Clone::clone).and_then(|bytes| {
        let text = std::str::from_utf8(bytes).map_err(|_| invalid("not UTF-8 text"))?;
        let told = parse::<Recorder<'_>>(text.trim()).ok_or_else(|| invalid("not a JSON object"))?;
        let events =
            whole(told.events).ok_or_else(|| GapKind::malformed("it does not say how many events there were"))?;
        if events == 0 {
            return Ok((0, String::new()));
        }
        let digest = filled(told.digest);
        let digest = digest.ok_or_else(|| GapKind::malformed("it does not say what the last event was"))?;
        Ok((events, digest.into_owned()))
    });
    let (events, digest) = match read {
        Ok(told) => told,
        Err(kind) => {
            gaps.push_for(shown.clone(), None, kind);
            return (None, false);
        }
    };
    if events == 0 {
        // Its recorder was killed between the first event and what it would have noted.
        return (None, false);
    }
    if shape != Shape::Lines {
        gaps.push(None, GapKind::malformed("laid out anew since it was recorded: its digests can't be verified"));
        return (None, false);
    }
    let lines = || text.split('\n').map(|line| line.trim_end_matches('\r')).filter(|line| !line.trim().is_empty());
    let Some(last) = usize::try_from(events).ok().and_then(|events| lines().nth(events.checked_sub(1)?)) else {
        let found = lines().count();
        let missing = format!("{events} events were recorded, {found} are there: the end is missing");
        gaps.push(None, GapKind::missing(missing));
        return (None, true);
    };
    let number = u32::try_from(events).unwrap_or(u32::MAX);
    ((hex(last) != digest).then_some(Chain::Broken(number)), false)
}

/// SHA-256 of a line.
pub(super) fn hex(line: &str) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    Sha256::digest(line.as_bytes()).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
