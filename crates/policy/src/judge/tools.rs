//! Tools of MCP servers, tools that nobody knows, and sub-agents.

use crate::compiled::{CompiledLists, NameList, Rules};
use crate::name::NamePattern;
use crate::{Decision, Judgement};
use agent_strace_model::finding::RuleId;

use super::{APPROVAL, Level, Rest, allowed, allowed_by, asked_by, denied, denied_by, judgement, no_policy};

const RULE: RuleId = RuleId::ScopeTool;

impl CompiledLists {
    pub(super) fn tool(&self, server: Option<&str>, tool: &str) -> Judgement {
        let perhaps = |name: &NamePattern| name.may_be(server.unwrap_or_default());
        let surely = |name: &NamePattern| name.is(server.unwrap_or_default());
        let parts = || self.tools.servers.iter().filter(|part| perhaps(&part.name));
        let strictest = |pick: fn(&Rules<NameList>) -> &NameList| {
            let found = parts().filter_map(|part| pick(&part.rules).may_have(tool));
            found.min_by_key(|stated| stated.rank())
        };
        if let Some(stated) = strictest(|rules| &rules.deny) {
            return denied_by(RULE, "mcp.servers", stated);
        }
        if let Some(stated) = strictest(|rules| &rules.ask) {
            return asked_by("mcp.servers", stated);
        }
        let allowing = parts().filter(|part| surely(&part.name)).find_map(|part| part.rules.allow.has(tool));
        if let Some(stated) = allowing {
            return allowed_by(RULE, "mcp.servers", stated);
        }
        let closed = parts().find_map(|part| part.rules.allow.location.as_ref());
        if let Some(location) = closed {
            return denied(RULE, "not among the tools that mcp.servers allows", Some(location));
        }
        let (default, key) = match server {
            Some(_) => (&self.tools.default, "mcp.default"),
            None => (&self.defaults.unknown_tool, "defaults.unknown_tool"),
        };
        match default {
            Some((Decision::Allowed, location)) => allowed(RULE, format!("allowed by {key}"), Some(location)),
            Some((Decision::Denied, location)) => denied(RULE, &format!("denied by {key}"), Some(location)),
            Some((Decision::Asked, location)) => {
                let reason = format!("needs an approval by {key}");
                judgement(Decision::Asked, APPROVAL, Level::Error, &reason, Some(location))
            }
            Some((_, location)) => {
                let reason = format!("what this tool does is not known, and {key} demands that it is");
                self.unresolved(Level::Error, &reason, Some(location))
            }
            None => match self.rest(None) {
                Rest::Open => no_policy(RULE, "no policy rule for this tool type"),
                rest => rest.judge(RULE, ""),
            },
        }
    }

    pub(super) fn spawn(&self, agent: Option<&str>) -> Judgement {
        let name = agent.unwrap_or_default();
        if let Some(stated) = self.spawn.deny.may_have(name) {
            return denied_by(RULE, "rules", stated);
        }
        if let Some(stated) = self.spawn.ask.may_have(name) {
            return asked_by("rules", stated);
        }
        if agent.is_none() && !(self.spawn.deny.is_empty() && self.spawn.ask.is_empty()) {
            return self.unresolved(Level::Error, "which sub-agent it is, is not known, and rules forbid some", None);
        }
        if let Some(stated) = self.spawn.allow.has(name) {
            return allowed_by(RULE, "rules", stated);
        }
        match self.rest(None) {
            Rest::Open => no_policy(RULE, "no policy rule for this tool type"),
            rest => rest.judge(RULE, ""),
        }
    }
}
