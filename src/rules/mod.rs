//! Built-in checks. One file per rule that needs memory across events; the evaluator's own rules are documented here.

mod scope;
mod secret_egress;

use crate::effects::Effect;
use crate::finding::{Level, RuleId};
use crate::model::Status;
use crate::policy::Judgement;

/// A rule: what it is called, what it says, and how it looks at a session.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: RuleId,
    /// Of most of its findings.
    pub(crate) level: Level,
    /// Lower case, one line.
    pub(crate) summary: &'static str,
    /// Markdown: documentation, cases and expected findings in one.
    pub(crate) spec: &'static str,
    /// `None`: the evaluator reports it while it judges effects.
    pub(crate) check: Option<Check>,
}

/// Looks at all acts of a session, in order.
pub(crate) type Check = fn(&[Act<'_>], &mut Vec<Hit>);

/// One judged effect of a session.
#[derive(Debug)]
pub(crate) struct Act<'a> {
    /// 1-based number of its event.
    pub(crate) event: u32,
    pub(crate) status: Option<Status>,
    pub(crate) effect: &'a Effect,
    pub(crate) judgement: &'a Judgement,
}

/// What a rule found.
#[derive(Debug)]
pub(crate) struct Hit {
    /// Index of the act it stands at.
    pub(crate) act: usize,
    pub(crate) level: Level,
    pub(crate) message: String,
    pub(crate) rule: RuleId,
}

/// Sorted by id: a test holds it equal to the folder of specs.
static RULES: &[&Rule] = &[
    &scope::FLOOR_SETTINGS,
    &scope::FLOOR_GATE,
    &scope::FLOOR_HOOKS,
    &scope::FLOOR_POLICY,
    &scope::FLOOR_STORE,
    &scope::COMMAND,
    &scope::DELETE,
    &scope::NETWORK,
    &scope::READ,
    &scope::SENSITIVE,
    &scope::UNRESOLVED,
    &scope::WRITE,
    &secret_egress::RULE,
];

/// All rules, sorted by id.
pub(crate) fn all() -> &'static [&'static Rule] {
    RULES
}

pub(crate) fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}
