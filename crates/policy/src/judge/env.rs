//! What programs get in their environment.

use crate::Judgement;
use crate::compiled::CompiledLists;
use agent_strace_effects::Certainty;
use agent_strace_model::finding::{Level, RuleId};

use super::{allowed, allowed_by, asked_by, denied, denied_by, no_policy, unruled};

const RULE: RuleId = RuleId::ScopeEnv;

impl CompiledLists {
    /// Only a list of what may be set demands anything: `defaults.decision` is about what is done, and a variable is a part
    /// of how.
    pub(super) fn variable(&self, name: &str, certainty: Certainty) -> Judgement {
        let lists = &self.env;
        // Any name at all is none that somebody denied.
        let unknown = certainty == Certainty::Pattern && name == "*";
        if !unknown && let Some(stated) = lists.denying(name, certainty) {
            return denied_by(RULE, "env.deny_set", stated);
        }
        if !unknown && let Some(stated) = lists.asking(name, certainty) {
            return asked_by("rules", stated);
        }
        let allowing = lists.allowing(name, certainty).filter(|_| !unknown);
        let Some(demands) = lists.demands() else {
            return match (lists.forbidding(), unknown, allowing) {
                (Some(stated), true, _) => {
                    let reason = "the name is not known, it may be a denied one";
                    self.unresolved(Level::Warning.min(stated.level), reason, Some(&stated.location))
                }
                (_, _, Some(stated)) => allowed_by(RULE, "rules", stated),
                (None, _, None) => no_policy(RULE, "no environment policy"),
                (Some(_), false, None) => allowed(RULE, "not in env.deny_set", None),
            };
        };
        if let Some(stated) = allowing {
            return allowed_by(RULE, "env.allow_set", stated);
        }
        match certainty {
            Certainty::Possible => unruled(RULE, "may not have happened"),
            Certainty::Pattern => self.unresolved(Level::Error, "not proven to be in env.allow_set", Some(demands)),
            Certainty::Exact => denied(RULE, "not in env.allow_set", Some(demands)),
        }
    }
}
