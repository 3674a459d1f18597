//! What a policy would say without what was excepted: an exception from one rule must not hide what another one says.

use crate::compiled::{CompiledLists, Rules};
use crate::judge::roots;
use crate::{Context, Judgement, Policy};
use agent_strace_effects::Effect;
use agent_strace_model::finding::{PolicyLocation, RuleId};

/// What decided, and is excepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excepted {
    pub rule: RuleId,
    pub location: Option<PolicyLocation>,
}

impl Policy {
    /// What the policy says where all of these are excepted.
    pub fn judge_without(&self, excepted: &[Excepted], effect: &Effect, context: &Context<'_>) -> Judgement {
        roots::under_all(effect, context, |effect, context| {
            self.strictest(|lists| lists.without(excepted).judge(effect, context), context)
        })
    }
}

impl CompiledLists {
    fn without(&self, excepted: &[Excepted]) -> Self {
        let mut lists = Self { firm: None, ..self.clone() };
        for Excepted { rule, location } in excepted {
            match location {
                Some(location) => lists.drop_location(location),
                None => lists.without_floor.push(*rule),
            }
        }
        lists.firm = self.firm.as_ref().map(|firm| Box::new(firm.without(excepted)));
        lists
    }

    fn drop_location(&mut self, location: &PolicyLocation) {
        let files = [Some(&mut self.read), Some(&mut self.write), Some(&mut self.list), self.delete.as_mut()];
        files.into_iter().flatten().flat_map(Rules::lists).for_each(|list| list.drop_location(location));
        self.commands.lists().into_iter().for_each(|list| list.drop_location(location));
        self.network.rules.lists().into_iter().for_each(|list| list.drop_location(location));
        self.spawn.lists().into_iter().for_each(|list| list.drop_location(location));
        self.env.drop_location(location);
        let tools = self.tools.servers.iter_mut().flat_map(|server| server.rules.lists());
        tools.for_each(|list| list.drop_location(location));
        self.tools.default.take_if(|(_, stated)| stated == location);
        self.network.deny_all.take_if(|all| all == location);
        self.defaults.decision.take_if(|(_, stated)| stated == location);
        self.defaults.unknown_tool.take_if(|(_, stated)| stated == location);
    }
}

impl<L> Rules<L> {
    pub(crate) fn lists(&mut self) -> [&mut L; 3] {
        [&mut self.allow, &mut self.deny, &mut self.ask]
    }
}
