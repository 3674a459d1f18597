//! Commands.

use crate::effects::{Certainty, Execution};
use crate::finding::{Level, RuleId};
use crate::policy::ran::Ran;
use crate::policy::scope::Scope;
use crate::policy::{Context, Judgement};

use super::{allowed, allowed_by, asked_by, denied_by, unruled};

const RULE: RuleId = "scope/command";

impl Scope {
    pub(super) fn command(&self, execution: &Execution, certainty: Certainty, context: &Context<'_>) -> Judgement {
        let (allow, deny, ask) = (&self.commands.allow, &self.commands.deny, &self.commands.ask);
        let rest = self.rest(allow.list_place());
        let ran = Ran::new(execution, context.raw_command);
        let (certain, perhaps) = deny.strictest(&ran);
        if let Some(rule) = certain {
            return denied_by(RULE, "commands.deny", &rule.stated);
        }
        let (to_ask, perhaps_to_ask) = ask.strictest(&ran);
        if let Some(rule) = to_ask {
            return asked_by("commands.ask", &rule.stated);
        }
        if let Some(rule) = perhaps {
            return self.perhaps(&rule.stated, rest, "may be denied by", "commands.deny");
        }
        if let Some(rule) = perhaps_to_ask {
            return self.perhaps(&rule.stated, rest, "may need an approval by", "commands.ask");
        }
        if let Some(rule) = allow.rules.iter().find(|rule| rule.pattern.allows(execution)) {
            return allowed_by(RULE, "commands.allow", &rule.stated);
        }
        if rest.is_open() {
            let silent = deny.is_empty() && ask.is_empty();
            return if silent {
                unruled(RULE, "no command policy")
            } else {
                allowed(RULE, "matches commands.allow", None)
            };
        }
        if execution.inert || certainty == Certainty::Possible {
            return unruled(RULE, "needs no entry in commands.allow");
        }
        if allow.rules.iter().any(|rule| rule.pattern.may_allow(execution)) {
            return self.unresolved(Level::Error, "not proven to be in commands.allow", rest.place());
        }
        rest.judge(RULE, "not in commands.allow")
    }
}
