//! Commands.

use crate::compiled::CompiledLists;
use crate::ran::Ran;
use crate::{Context, Decision, Judgement};
use agent_strace_effects::{Certainty, Execution};
use agent_strace_model::finding::{Level, RuleId};

use super::{Rest, allowed, allowed_by, asked_by, denied_by, no_policy, unruled};

const RULE: RuleId = RuleId::ScopeCommand;

impl CompiledLists {
    pub(super) fn command(&self, execution: &Execution, certainty: Certainty, context: &Context<'_>) -> Judgement {
        let rest = self.rest(self.commands.allow.list_location());
        let forbids = !self.commands.deny.is_empty() || !self.commands.ask.is_empty();
        let forbidden = if forbids { self.forbidden(&Ran::new(execution, context.raw_command), rest) } else { None };
        match forbidden {
            Some(open) if open.decision == Decision::Unresolved => {
                // The command may be a denied one. That excuses nothing that is known of it.
                let listed = self.by_list(execution, certainty, rest);
                if listed.is_refused_above(open.level) { listed } else { open }
            }
            Some(forbidden) => forbidden,
            None => self.by_list(execution, certainty, rest),
        }
    }

    /// Judges by the allow list, or by the default for commands that it does not name.
    fn by_list(&self, execution: &Execution, certainty: Certainty, rest: Rest<'_>) -> Judgement {
        let (allow, deny, ask) = (&self.commands.allow, &self.commands.deny, &self.commands.ask);
        let forbids = !deny.is_empty() || !ask.is_empty();
        if let Some(rule) = allow.allowing(execution) {
            return allowed_by(RULE, "commands.allow", &rule.stated);
        }
        if rest.is_open() {
            return if forbids {
                allowed(RULE, "matches commands.allow", None)
            } else {
                no_policy(RULE, "no command policy")
            };
        }
        if execution.inert || certainty == Certainty::Possible {
            return unruled(RULE, "needs no entry in commands.allow");
        }
        if allow.may_allow(execution) {
            return self.unresolved(Level::Error, "not proven to be in commands.allow", rest.location());
        }
        rest.judge(RULE, "not in commands.allow")
    }

    /// What the lists say that forbid, or ask.
    fn forbidden(&self, ran: &Ran<'_>, rest: Rest<'_>) -> Option<Judgement> {
        let (certain, perhaps) = self.commands.deny.strictest(ran);
        if let Some(rule) = certain {
            return Some(denied_by(RULE, "commands.deny", &rule.stated));
        }
        let (to_ask, perhaps_to_ask) = self.commands.ask.strictest(ran);
        if let Some(rule) = to_ask {
            return Some(asked_by("commands.ask", &rule.stated));
        }
        if let Some(rule) = perhaps {
            return Some(self.perhaps(&rule.stated, rest, "may be denied by", "commands.deny"));
        }
        let rule = perhaps_to_ask?;
        Some(self.perhaps(&rule.stated, rest, "may need an approval by", "commands.ask"))
    }
}
