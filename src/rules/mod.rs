//! Built-in checks. One file per rule that needs memory across events; the evaluator's own rules are documented here.
//!
//! A rule looks at the acts of one session, or at what its log proves beside what the other logs of the run prove.

pub(crate) mod account;
mod evidence;
mod scope;
mod secret_egress;
mod sessions;

use crate::effects::Effect;
use crate::finding::{Level, PolicyPlace, RuleId};
use crate::model::Status;
use crate::policy::{Judgement, Policy};

pub(crate) use account::{Account, Run, Source};

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
    pub(crate) check: Check,
}

/// How a rule looks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    /// The evaluator reports it while it judges effects.
    Evaluator,
    /// At all acts of a session, in order.
    Acts(fn(&[Act<'_>], &mut Vec<Hit>)),
    /// At a whole session among the others of its run.
    Session(fn(&Whole<'_>, &mut Vec<Remark>)),
}

/// One session as a whole, and what it is judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole<'a> {
    pub(crate) account: &'a Account,
    pub(crate) run: &'a Run<'a>,
    pub(crate) policy: &'a Policy,
}

/// What a rule says about a whole session.
#[derive(Debug)]
pub(crate) struct Remark {
    /// The event that shows it, and its line; `None` where the whole session does.
    pub(crate) at: Option<(u32, u32)>,
    pub(crate) message: String,
    /// The entry of the policy that demanded it.
    pub(crate) place: Option<PolicyPlace>,
}

impl Remark {
    /// About all of the session.
    fn whole(message: impl Into<String>) -> Self {
        Self { at: None, message: message.into(), place: None }
    }
}

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
    &evidence::CHAIN,
    &evidence::COMPACTED,
    &evidence::LEVEL,
    &evidence::MISSING_SUBAGENT,
    &evidence::NO_CALLS,
    &evidence::REMOVED,
    &evidence::REWOUND,
    &evidence::TRUNCATED,
    &evidence::UNANSWERED,
    &evidence::UNKNOWN_RECORDS,
    &evidence::UNREADABLE,
    &scope::FLOOR_SETTINGS,
    &scope::FLOOR_GATE,
    &scope::FLOOR_HOOKS,
    &scope::FLOOR_POLICY,
    &scope::FLOOR_STORE,
    &scope::APPROVAL,
    &scope::COMMAND,
    &scope::DELETE,
    &scope::NETWORK,
    &scope::READ,
    &scope::SENSITIVE,
    &sessions::RULE,
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
