//! What programs get in their environment.

use crate::effects::Certainty;
use crate::finding::{Level, RuleId};
use crate::policy::Judgement;
use crate::policy::scope::Scope;

use super::{allowed, allowed_by, denied, denied_by, unruled};

const RULE: RuleId = "scope/env";

impl Scope {
    /// Only a list of what may be set demands anything: `defaults.decision` is about what is done, and a variable is a part
    /// of how.
    pub(super) fn variable(&self, name: &str, certainty: Certainty) -> Judgement {
        let lists = &self.env;
        // Any name at all is none that somebody denied.
        let unknown = certainty == Certainty::Pattern && name == "*";
        if !unknown && let Some(rule) = lists.denied().iter().find(|rule| rule.denies(name, certainty)) {
            return denied_by(RULE, "env.deny_set", &rule.stated);
        }
        let Some(demands) = lists.demands() else {
            return match (lists.denied().first(), unknown) {
                (None, _) => unruled(RULE, "no environment policy"),
                (Some(rule), true) => {
                    let reason = "the name is not known, it may be a denied one";
                    self.unresolved(Level::Warning, reason, Some(&rule.stated.place))
                }
                (Some(_), false) => allowed(RULE, "not in env.deny_set", None),
            };
        };
        if let Some(rule) = lists.allowed().iter().find(|rule| rule.allows(name, certainty) && !unknown) {
            return allowed_by(RULE, "env.allow_set", &rule.stated);
        }
        match certainty {
            Certainty::Possible => unruled(RULE, "may not have happened"),
            Certainty::Pattern => self.unresolved(Level::Error, "not proven to be in env.allow_set", Some(demands)),
            Certainty::Exact => denied(RULE, "not in env.allow_set", Some(demands)),
        }
    }
}
