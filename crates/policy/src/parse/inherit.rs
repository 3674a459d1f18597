//! What a policy does not state is what its base states. Every part is taken apart by name, so that a new one can't be
//! forgotten here.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Defaults, Document, Lists, Mcp, Network, Rule, Rulebook};

impl Document {
    /// Takes over from the base what this one does not state. Tests hold for the file they stand in.
    pub(crate) fn inherit(&mut self, base: Self) {
        let Self {
            version: _,
            extends: _,
            programs_span: _,
            rulebook,
            programs,
            evidence,
            sessions,
            budgets,
            agents,
            sequences,
            tests: _,
            examples: _,
            waivers,
            names,
            // The entries that name them are compiled.
            labels: _,
        } = base;
        self.rulebook.inherit(rulebook);
        Arc::make_mut(&mut self.programs).merge_base(&programs);
        self.evidence.inherit(evidence);
        self.sessions.inherit(sessions);
        self.budgets.inherit(budgets);
        let stated: Vec<String> = self.sequences.iter().map(|sequence| sequence.policy_rule.id.clone()).collect();
        self.sequences.extend(sequences.into_iter().filter(|sequence| !stated.contains(&sequence.policy_rule.id)));
        let stated: Vec<String> = self.agents.iter().map(|part| part.selected.text.clone()).collect();
        self.agents.extend(agents.into_iter().filter(|part| !stated.contains(&part.selected.text)));
        self.waivers.extend(waivers);
        self.names.inherit(names);
    }
}

impl Rulebook {
    fn inherit(&mut self, base: Self) {
        let Self { defaults, read, write, delete, commands, network, env, mcp, rules } = base;
        self.defaults.inherit(defaults);
        self.read.inherit(read);
        self.write.inherit(write);
        self.commands.inherit(commands);
        self.env.inherit(env);
        match (&mut self.delete, delete) {
            (Some(own), Some(base)) => own.inherit(base),
            (own @ None, base) => *own = base,
            (Some(_), None) => {}
        }
        match (&mut self.network, network) {
            (Some(own), Some(base)) => own.inherit(base),
            (own @ None, base) => *own = base,
            (Some(_), None) => {}
        }
        match (&mut self.mcp, mcp) {
            (Some(own), Some(base)) => own.inherit(base),
            (own @ None, base) => *own = base,
            (Some(_), None) => {}
        }
        // A rule replaces the one of its name, and leaves the others.
        let id = |rule: &Rule| rule.stated.policy_rule.as_ref().map(|rule| rule.id.to_lowercase());
        let own: BTreeSet<_> = self.rules.iter().map(id).collect();
        self.rules.extend(rules.into_iter().filter(|rule| !own.contains(&id(rule))));
    }
}

impl Mcp {
    fn inherit(&mut self, base: Self) {
        let Self { default, servers } = base;
        self.default = self.default.take().or(default);
        for server in servers {
            match self.servers.iter_mut().find(|own| own.title == server.title) {
                Some(own) => own.lists.inherit(server.lists),
                None => self.servers.push(server),
            }
        }
    }
}

impl Defaults {
    fn inherit(&mut self, base: Self) {
        let Self { decision, unresolved, unresolved_classes, unknown_tool } = base;
        self.decision = self.decision.take().or(decision);
        if !self.weighs_unresolved() {
            (self.unresolved, self.unresolved_classes) = (unresolved, unresolved_classes);
        }
        self.unknown_tool = self.unknown_tool.take().or(unknown_tool);
    }
}

impl<P> Lists<P> {
    fn inherit(&mut self, base: Self) {
        let Self { allow, deny, ask } = base;
        self.allow = self.allow.take().or(allow);
        self.deny = self.deny.take().or(deny);
        self.ask = self.ask.take().or(ask);
    }
}

impl Network {
    fn inherit(&mut self, base: Self) {
        let Self { deny_all, states_deny_all, lists, location: _ } = base;
        if !self.states_deny_all {
            (self.deny_all, self.states_deny_all) = (deny_all, states_deny_all);
        }
        self.lists.inherit(lists);
    }
}
