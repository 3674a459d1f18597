//! Findings that do not count, and what says so.

use super::view::{ShownFinding, ShownLocation};
use agent_strace_engine::{Waived, WaivedBy, WaiverUsage};
use agent_strace_policy::WaiverOrigin;
use agent_strace_secrets::{Known, Redacted, redact};

/// A finding that does not count.
#[derive(Debug)]
pub(super) struct ShownWaived {
    /// The index of its session.
    pub(super) session: usize,
    pub(super) finding: ShownFinding,
    /// What waived it; `None`: the baseline.
    pub(super) by: Option<ShownUse>,
}

/// What an exception or a suppression was used for.
#[derive(Debug)]
pub(super) struct ShownUse {
    pub(super) origin: WaiverOrigin,
    pub(super) rule: Redacted,
    pub(super) reason: Redacted,
    pub(super) owner: Redacted,
    pub(super) until: String,
    pub(super) location: ShownLocation,
    pub(super) uses: usize,
}

impl ShownWaived {
    pub(super) fn new(waived: Waived, uses: &[WaiverUsage], secrets: Option<&Known>) -> Self {
        let by = match waived.by {
            WaivedBy::Waiver(index) => uses.get(index),
            WaivedBy::Baseline => None,
        };
        let finding = ShownFinding::new(waived.finding, secrets.unwrap_or(&Known::default()));
        Self { session: waived.session, finding, by: by.map(ShownUse::new) }
    }
}

impl ShownUse {
    pub(super) fn new(used: &WaiverUsage) -> Self {
        Self {
            origin: used.origin,
            rule: redact(&used.rule),
            reason: redact(&used.reason),
            owner: redact(&used.owner),
            until: used.until.to_string(),
            location: ShownLocation::new(&used.location, None),
            uses: used.uses,
        }
    }
}
