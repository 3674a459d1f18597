//! Connections.

use crate::compiled::CompiledLists;
use crate::host::{HostRule, is_remote};
use crate::{Basis, Context, Decision, Judgement};
use agent_strace_effects::{Certainty, Connection};
use agent_strace_model::finding::{Level, RuleId};

use super::{Rest, allowed, asked_by, denied, denied_by, no_policy, unruled};

const RULE: RuleId = RuleId::ScopeNetwork;

impl CompiledLists {
    /// A tool's connection to its own service: an entry that allows the tool allows it, unless another denies the host.
    pub(super) fn service(&self, connection: &Connection, certainty: Certainty, context: &Context<'_>) -> Judgement {
        let found = self.connection(connection, certainty);
        let Some((server, tool)) = context.tool.filter(|_| found.basis != Basis::Entry) else { return found };
        let vouching = self.tool(server, tool);
        match vouching.decision {
            Decision::Allowed => {
                let reason = format!("vouched for: {}", vouching.reason);
                Judgement { rule: RULE, reason, ..vouching }
            }
            _ => found,
        }
    }

    /// A page that the provider of the model opens. This machine connects to nothing, so that no allow list has to name the
    /// host.
    pub(super) fn page_view(&self, connection: &Connection, certainty: Certainty) -> Judgement {
        let listed = self.listed_host(connection, certainty);
        self.against(connection, certainty, listed).unwrap_or_else(|| match listed {
            Some(rule) => allowed_host(rule),
            None => unruled(RULE, "the model's provider opens the page"),
        })
    }

    pub(super) fn connection(&self, connection: &Connection, certainty: Certainty) -> Judgement {
        let listed = self.listed_host(connection, certainty);
        match self.against(connection, certainty, listed) {
            Some(open) if open.decision == Decision::Unresolved => {
                // The host may be a denied one. That excuses nothing that is known of it.
                let found = self.by_host_list(connection, certainty, listed);
                if found.is_refused_above(open.level) { found } else { open }
            }
            Some(found) => found,
            None => self.by_host_list(connection, certainty, listed),
        }
    }

    /// Judges by the allow list, or by the default for hosts that it does not name.
    fn by_host_list(&self, connection: &Connection, certainty: Certainty, listed: Option<&HostRule>) -> Judgement {
        let network = &self.network;
        let rest = self.rest(network.deny_all.as_ref());
        if let Some(rule) = listed.filter(|rule| !rest.is_open() || rule.stated.policy_rule.is_some()) {
            return allowed_host(rule);
        }
        match (rest, &network.location) {
            (Rest::Open, None) => no_policy(RULE, "no network policy"),
            (Rest::Open, Some(location)) => {
                let basis = if listed.is_some() { Basis::Entry } else { Basis::Whole };
                Judgement { basis, ..allowed(RULE, "allowed by network.allow", Some(location)) }
            }
            _ if connection.host.is_none() || certainty == Certainty::Pattern => {
                self.unresolved(Level::Error, "not proven to be in network.allow", rest.location())
            }
            (Rest::Listed(deny_all), _) => denied(RULE, "denied by network.deny_all", Some(deny_all)),
            (Rest::Default(..), _) => rest.judge(RULE, ""),
        }
    }

    fn listed_host(&self, connection: &Connection, certainty: Certainty) -> Option<&HostRule> {
        self.network.rules.allow.rules.iter().find(|rule| rule.pattern.includes(connection, certainty))
    }

    /// Returns the judgement of an entry that denies the host, or that wants a person's approval, if there is one.
    fn against(&self, connection: &Connection, certainty: Certainty, listed: Option<&HostRule>) -> Option<Judgement> {
        let network = &self.network;
        let (certain, perhaps) = network.rules.deny.strictest(connection, certainty);
        if let Some(rule) = certain {
            return Some(denied_by(RULE, "network.deny", &rule.stated));
        }
        let (to_ask, perhaps_to_ask) = network.rules.ask.strictest(connection, certainty);
        if let Some(rule) = to_ask {
            return Some(asked_by("network.ask", &rule.stated));
        }
        // An entry that allows a remote by its name allows the host behind it.
        if listed.is_some() && connection.host.as_deref().is_some_and(is_remote) {
            return None;
        }
        let rest = self.rest(network.deny_all.as_ref());
        let perhaps = perhaps.map(|rule| self.perhaps(&rule.stated, rest, "may be denied by", "network.deny"));
        perhaps.or_else(|| {
            let rule = perhaps_to_ask?;
            Some(self.perhaps(&rule.stated, rest, "may need an approval by", "network.ask"))
        })
    }
}

fn allowed_host(rule: &HostRule) -> Judgement {
    let name = rule.stated.policy_rule.as_ref().map_or("network.allow", |rule| rule.id.as_str());
    let found = allowed(RULE, format!("allowed by {name}"), Some(&rule.stated.location));
    Judgement { basis: Basis::Entry, policy_rule: rule.stated.policy_rule.clone(), ..found }
}
