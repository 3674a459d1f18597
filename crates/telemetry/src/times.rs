//! When things happened, in nanoseconds of the epoch: as recorded, never from a clock.

use jiff::Timestamp;

use agent_strace_model::{EventKind, Session, moment};

/// The time of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) nanos: u64,
    /// Its own record says so; otherwise it is that of the event before it, or of the first one after it.
    pub(super) recorded: bool,
}

/// The times of a session.
#[derive(Debug)]
pub(super) struct Times {
    /// Of each event, by its index.
    stamps: Vec<Stamp>,
    pub(super) first: u64,
    pub(super) last: u64,
    /// Events that say something, and not when.
    pub(super) untimed: usize,
}

pub(super) fn nanos(time: Timestamp) -> Option<u64> {
    u64::try_from(time.as_nanosecond()).ok()
}

fn read(time: Option<&str>) -> Option<u64> {
    nanos(moment(time?)?)
}

impl Times {
    /// `None`: no event has a time.
    pub(super) fn of(session: &Session<'_>) -> Option<Self> {
        let own: Vec<Option<u64>> = session.events.iter().map(|event| read(event.time.as_deref())).collect();
        let mut before = own.iter().flatten().copied().next()?;
        let stamps = own.iter().map(|time| {
            before = time.unwrap_or(before);
            Stamp { nanos: before, recorded: time.is_some() }
        });
        let stamps: Vec<Stamp> = stamps.collect();
        let beside = [&session.span.started, &session.span.ended].map(|time| read(time.as_deref()));
        let all = || own.iter().chain(&beside).flatten().copied();
        let says = |kind: &EventKind<'_>| !matches!(kind, EventKind::Other | EventKind::Notice | EventKind::Repeat(_));
        let untimed = session.events.iter().zip(&stamps).filter(|(event, stamp)| !stamp.recorded && says(&event.kind));
        let untimed = untimed.count();
        Some(Self { first: all().min()?, last: all().max()?, stamps, untimed })
    }

    pub(super) fn at(&self, index: usize) -> Stamp {
        self.stamps.get(index).copied().unwrap_or(Stamp { nanos: self.first, recorded: false })
    }
}
