//! The net of last resort: what a word of a command names, and nothing explains.
//!
//! Only entries that forbid or ask speak of it, and only where they spell what the word names.

use crate::command::Mentioned;
use crate::compiled::{CompiledLists, Rules};
use crate::path::{Files, PathList};
use crate::ran::Ran;
use crate::{Context, Judgement};
use agent_strace_effects::{Certainty, Connection, Effect, Execution, Kind, PathTarget};
use agent_strace_model::finding::RuleId;

use super::files::{READ, WRITE, Wording};
use super::{asked_by, denied, denied_by, unruled};

impl CompiledLists {
    pub(super) fn named(&self, effect: &Effect, context: &Context<'_>) -> Judgement {
        let found = match &effect.kind {
            Kind::Read(target) => named_file(&self.read, target, &READ, context),
            Kind::Write(target) => named_file(&self.write, target, &WRITE, context),
            Kind::Execute(execution) => self.named_command(execution),
            Kind::Connect(connection) => self.named_host(connection),
            _ => None,
        };
        found.unwrap_or_else(|| unruled(RuleId::ScopeCommand, "a word names it, and no entry forbids it"))
    }

    fn named_command(&self, execution: &Execution) -> Option<Judgement> {
        let ran = Ran::new(execution, None);
        let mentioned = if execution.inert { Mentioned::InText } else { Mentioned::InWords };
        if let Some(rule) = self.commands.deny.named(&ran, mentioned) {
            return Some(denied_by(RuleId::ScopeCommand, "commands.deny", &rule.stated));
        }
        let rule = self.commands.ask.named(&ran, mentioned)?;
        Some(asked_by("commands.ask", &rule.stated))
    }

    fn named_host(&self, connection: &Connection) -> Option<Judgement> {
        let rules = &self.network.rules;
        if let (Some(rule), _) = rules.deny.strictest(connection, Certainty::Exact) {
            return Some(denied_by(RuleId::ScopeNetwork, "network.deny", &rule.stated));
        }
        if let (Some(rule), _) = rules.ask.strictest(connection, Certainty::Exact) {
            return Some(asked_by("network.ask", &rule.stated));
        }
        // A policy that denies all hosts but those of its list has denied this one by name.
        let deny_all = self.network.deny_all.as_ref().filter(|_| connection.host.is_some())?;
        let is_listed = rules.allow.rules.iter().any(|rule| rule.pattern.includes(connection, Certainty::Exact));
        (!is_listed).then(|| denied(RuleId::ScopeNetwork, "denied by network.deny_all", Some(deny_all)))
    }
}

fn named_file(
    rules: &Rules<PathList>,
    target: &PathTarget,
    wording: &Wording,
    context: &Context<'_>,
) -> Option<Judgement> {
    let files = Files::new(target, Certainty::Exact, context);
    if let Some(rule) = files.named_by(&rules.deny) {
        return Some(denied_by(wording.rule, wording.deny, &rule.stated));
    }
    files.named_by(&rules.ask).map(|rule| asked_by(wording.ask, &rule.stated))
}
