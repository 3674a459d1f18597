//! What could not be resolved.

use crate::compiled::CompiledLists;
use crate::{Context, Decision, Judgement};
use agent_strace_effects::{About, Class, Opaque, Provenance};
use agent_strace_model::finding::{Level, RuleId};

use super::{UNRESOLVED, allowed, denied};

impl CompiledLists {
    pub(super) fn opaque(&self, opaque: &Opaque, via: &str, context: &Context<'_>) -> Judgement {
        if let Some((provenance, _)) = opaque.foreign_code() {
            return denied(proven(provenance), "no policy allows it, only an exception does", None);
        }
        if opaque.reason.is_about_gate() && !self.without_floor.contains(&RuleId::FloorGate) {
            return denied(RuleId::FloorGate, "built-in floor: nothing is judged without it", None);
        }
        // Whoever allows a tool allows what nobody can tell of it.
        if let (Some((server, tool)), "argument", About::Anything) = (context.tool, via, opaque.about) {
            let found = self.tool(server, tool);
            if found.decision == Decision::Allowed {
                return Judgement { rule: UNRESOLVED, reason: format!("vouched for: {}", found.reason), ..found };
            }
        }
        if !opaque.vouched_by.is_empty()
            && let Some(rule) =
                self.commands.allow.rules.iter().find(|rule| rule.pattern.vouches_for(&opaque.vouched_by))
        {
            let name = rule.stated.policy_rule.as_ref().map_or("commands.allow", |rule| rule.id.as_str());
            let found = allowed(UNRESOLVED, format!("vouched for by {name}"), Some(&rule.stated.location));
            return Judgement { policy_rule: rule.stated.policy_rule.clone(), ..found };
        }
        let reads = self.rest(self.read.allow.list_location()).location();
        let writes = self.rest(self.write.allow.list_location()).location();
        let commands = self.rest(self.commands.allow.list_location()).location();
        let network = self.rest(self.network.deny_all.as_ref()).location();
        let variables = self.env.demands();
        let location = match opaque.about {
            About::Reads => reads,
            About::Writes => writes,
            About::Commands => commands,
            About::Network => network,
            About::Anything => commands.or(writes).or(reads).or(network).or(variables),
            About::Project => {
                let Some(location) = commands.or(writes).or(reads) else {
                    let reason = format!("{} (no allow list says what may run)", opaque.reason);
                    return self.unresolved(Level::Note, &reason, None);
                };
                Some(location)
            }
        };
        // A list that only denies can't be held against what nobody can see.
        let is_error = location.is_some() || opaque.class == Class::Hidden;
        let level = if is_error { Level::Error } else { Level::Warning };
        self.unresolved(level, &opaque.reason.to_string(), location)
    }
}

/// The rule for acts that are proven, and that no policy wants.
fn proven(provenance: Provenance) -> RuleId {
    match provenance {
        Provenance::Network => RuleId::ScopeRemoteCode,
        Provenance::Decoded => RuleId::ScopeDecodedCode,
        Provenance::Socket => RuleId::ScopeRemoteShell,
    }
}
