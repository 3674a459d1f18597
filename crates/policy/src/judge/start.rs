//! Paths of which only the start is known: `secrets/$name`.
//!
//! The rest may be anything, so nothing but an entry that forbids every path with this start speaks of them.

use crate::compiled::CompiledLists;
use crate::floor;
use crate::path::Files;
use crate::{Context, Judgement};
use agent_strace_effects::{Certainty, Effect, Kind};

use super::files::{READ, WRITE};
use super::{asked_by, denied, denied_by};

impl CompiledLists {
    pub(super) fn start(&self, effect: &Effect, context: &Context<'_>) -> Option<Judgement> {
        let (target, rules, wording) = match &effect.kind {
            Kind::Read(target) => (target, &self.read, &READ),
            Kind::Write(target) => (target, &self.write, &WRITE),
            Kind::Delete(target) => (target, self.delete.as_ref().unwrap_or(&self.write), self.delete_wording()),
            _ => return None,
        };
        let files = Files::new(target, Certainty::Pattern, context);
        if let Some(rule) = files.covered_by(&rules.deny) {
            return Some(denied_by(wording.rule, wording.deny, &rule.stated));
        }
        if !matches!(effect.kind, Kind::Read(_))
            && let Some((rule, why)) = floor::covers(&files).filter(|(rule, _)| !self.without_floor.contains(rule))
        {
            return Some(denied(rule, &format!("built-in floor: {why}"), None));
        }
        files.covered_by(&rules.ask).map(|rule| asked_by(wording.ask, &rule.stated))
    }
}
