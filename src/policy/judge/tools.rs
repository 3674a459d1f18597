//! Tools of MCP servers, and tools that nobody knows.

use crate::finding::RuleId;
use crate::policy::scope::Scope;
use crate::policy::{Decision, Judgement};

use super::{APPROVAL, Level, Rest, allowed, denied, judgement, unruled};

const RULE: RuleId = "scope/tool";

impl Scope {
    pub(super) fn tool(&self, server: Option<&str>) -> Judgement {
        let unknown = self.defaults.unknown_tool.as_ref().filter(|_| server.is_none());
        match unknown {
            Some((Decision::Allowed, place)) => allowed(RULE, "allowed by defaults.unknown_tool", Some(place)),
            Some((Decision::Denied, place)) => denied(RULE, "denied by defaults.unknown_tool", Some(place)),
            Some((Decision::Asked, place)) => {
                let reason = "needs an approval by defaults.unknown_tool";
                judgement(Decision::Asked, APPROVAL, Level::Error, reason, Some(place))
            }
            Some((_, place)) => {
                let reason = "nobody knows this tool, and defaults.unknown_tool wants to";
                self.unresolved(Level::Error, reason, Some(place))
            }
            None => match self.rest(None) {
                Rest::Open => unruled(RULE, "no policy rule for this tool type"),
                rest => rest.judge(RULE, ""),
            },
        }
    }
}
