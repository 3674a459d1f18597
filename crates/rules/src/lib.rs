//! Built-in checks. One file per rule that needs memory across events; the evaluator's own rules are documented here.
//!
//! A rule looks at the acts of one session, or at what its log proves beside what the other logs of the run prove.
//!
//! A rule must not print, wait or read files, and must not know the engine or a report. Start with [`Rule`] and one short
//! rule such as `retention`; [`lint`] and [`eval`] have families of their own. `specs/` holds one document for each
//! rule with its cases.

pub mod account;
mod budget;
pub mod change;
pub mod eval;
pub mod evals;
mod evidence;
mod exceptions;
mod hooks;
pub mod lint;
mod log_settings;
pub mod mcp;
pub mod private;
pub mod repository;
pub mod retention;
mod scope;
mod secret_egress;
mod sequence;
mod sessions;
mod settings;

use std::sync::Arc;

use jiff::civil::Date;

use agent_strace_effects::{Effect, Roots};
use agent_strace_metrics::Measured;
use agent_strace_model::finding::{Level, PolicyLocation, PolicyRule, RuleId, VerdictImpact};
use agent_strace_model::{Session, Status};
use agent_strace_policy::{Judgement, Policy, Waiver};

pub use account::{Account, Run, Source};

/// A rule: what it is called, what it says, and how it looks at a session.
#[derive(Debug)]
pub struct Rule {
    pub id: RuleId,
    /// Of most of its findings.
    pub level: Level,
    /// Lower case, one line.
    pub summary: &'static str,
    /// Markdown: documentation, cases and expected findings in one.
    pub spec: &'static str,
    pub check: Check,
}

/// How a rule looks.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// The evaluator reports it while it judges effects.
    Evaluator,
    /// At a change as a whole: only where one is judged.
    Change(fn(&change::Changed<'_>, &mut Vec<change::ChangeHit>)),
    /// At all acts of a session, in order.
    Acts(fn(&Log<'_>, &mut Vec<Hit>)),
    /// It is measured by [`crate::eval`], which has a say when all others had theirs.
    Evals,
    /// At the behaviour of a session, by what the lint file says of the rule: only where it is linted.
    Lint(&'static lint::Lint),
    /// At everything that a log holds: only where logs are searched for what is private.
    Private(&'static private::Kind),
    /// At a repository: only where repositories are swept.
    Repository,
    /// At the settings of agents: only where they are compared with a policy.
    Settings,
    /// At a whole session among the others of its run.
    Session(fn(&Whole<'_>, &mut Vec<SessionHit>)),
    /// At an exception or a suppression, and what it was used for in the run.
    Waiver(fn(&Usage<'_>) -> Option<String>),
}

/// One session as a whole, and what it is judged by.
#[derive(Debug, Clone, Copy)]
pub struct Whole<'a> {
    pub account: &'a Account,
    pub run: &'a Run<'a>,
    pub policy: &'a Policy,
}

/// One exception or suppression, and what it was used for.
#[derive(Debug, Clone, Copy)]
pub struct Usage<'a> {
    pub waiver: &'a Waiver,
    /// In UTC.
    pub today: Date,
    /// Findings it speaks of.
    pub covered: usize,
    /// Findings that stay because its uses are used up.
    pub refused: usize,
}

/// What a rule says about a whole session.
#[derive(Debug)]
pub struct SessionHit {
    /// The event that shows it, and its line; `None` where the whole session does.
    pub at: Option<(u32, u32)>,
    pub message: String,
    /// What it is known by in other runs; `None`: by its message.
    pub known_by: Option<String>,
    /// `None`: as bad as its rule says.
    pub level: Option<Level>,
    /// The entry of the policy that demanded it.
    pub location: Option<PolicyLocation>,
}

impl SessionHit {
    /// About all of the session.
    fn whole(message: impl Into<String>) -> Self {
        Self { at: None, message: message.into(), known_by: None, level: None, location: None }
    }
}

/// What was done in one session, and the policy that judged it.
#[derive(Debug, Clone, Copy)]
pub struct Log<'a> {
    pub session: &'a Session<'a>,
    /// What its paths count from.
    pub roots: &'a Roots,
    /// In order.
    pub acts: &'a [Act<'a>],
    pub policy: &'a Policy,
    /// What is counted of it.
    pub measured: &'a Measured<'a>,
    /// The last event, where it is a call that asks whether it may run.
    pub pending_call: Option<u32>,
}

/// One judged effect of a session.
#[derive(Debug)]
pub struct Act<'a> {
    /// 1-based number of its event.
    pub event: u32,
    pub status: Option<Status>,
    pub effect: &'a Effect,
    pub judgement: &'a Judgement,
}

/// Takes the acts of an event off those that are left, and whatever stands before them. An event does a few things: to
/// count them is faster than to search for their end.
pub(crate) fn take_acts<'l, 'a>(rest: &mut &'l [Act<'a>], event: u32) -> &'l [Act<'a>] {
    let (_, from) = rest.split_at(rest.iter().take_while(|act| act.event < event).count());
    let (acts, after) = from.split_at(from.iter().take_while(|act| act.event == event).count());
    *rest = after;
    acts
}

/// What a rule found.
#[derive(Debug)]
pub struct Hit {
    pub site: Site,
    /// The last event of those that it is about, where they are several.
    pub until: Option<u32>,
    pub level: Level,
    pub message: String,
    pub rule: RuleId,
    /// The entry of the policy that demanded it; `None`: the one that judged the act.
    pub location: Option<PolicyLocation>,
    /// The rule at that location, where it has a name of its own.
    pub policy_rule: Option<Arc<PolicyRule>>,
    pub impact: VerdictImpact,
    /// What tells it from others of its rule, beside the act.
    pub about: Vec<(&'static str, String)>,
    /// The earlier acts without which it were none: number of the event, and what was done, in order.
    pub since: Vec<(u32, String)>,
}

/// Where a rule found something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    /// The act's index among all.
    Act(usize),
    /// The number of an event.
    Event(u32),
    /// The whole session.
    Session,
}

impl Hit {
    /// At an act, by what the rule itself knows.
    fn at(act: usize, rule: &Rule, level: Level, message: String) -> Self {
        Self {
            site: Site::Act(act),
            until: None,
            level,
            message,
            rule: rule.id,
            location: None,
            policy_rule: None,
            impact: VerdictImpact::ByLevel,
            about: Vec::new(),
            since: Vec::new(),
        }
    }
}

/// Sorted by id: a test holds it equal to the folder of specs.
static RULES: &[&Rule] = &[
    &budget::EXCEEDED,
    &budget::UNRECORDED,
    &change::FOREIGN,
    &change::NO_SESSION,
    &change::UNEXPLAINED,
    &change::UNMERGED,
    &evals::CRITERION,
    &evals::REGRESSION,
    &evals::SCORE,
    &evals::SCORER,
    &evals::UNJUDGED,
    &evidence::CHAIN,
    &evidence::COMPACTED,
    &evidence::COUNTS,
    &evidence::LEVEL,
    &evidence::MISSING_SUBAGENT,
    &evidence::NO_CALLS,
    &evidence::REDACTED,
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
    &change::TAMPERING,
    &hooks::DENIED_TOOL,
    &lint::BLIND_EDIT,
    &lint::BUDGET_PROXIMITY,
    &lint::CONTEXT_SATURATION,
    &lint::DENIED_ATTEMPTS,
    &lint::ERROR_RETRY_LOOP,
    &lint::LARGE_BLIND_EDIT,
    &lint::NO_OUTPUT,
    &lint::PERMISSION_BYPASS,
    &lint::POST_COMPACTION_REGRESSION,
    &lint::REASONING_SPIRAL,
    &lint::REDUNDANT_READ,
    &lint::TOOL_LOOP,
    &lint::UNFINISHED_SESSION,
    &lint::UNVERIFIED_CHANGE,
    &lint::WEAKENED_TESTS,
    &mcp::POISONED,
    &mcp::CHANGED,
    &private::CARD,
    &private::CLOUD_ACCOUNT,
    &private::EMAIL,
    &private::HOME_PATH,
    &private::IBAN,
    &private::IP,
    &private::MAC,
    &private::NATIONAL_ID,
    &private::PERSONAL,
    &private::PHONE,
    &private::USER_NAME,
    &exceptions::EXCEEDED,
    &exceptions::EXPIRED,
    &exceptions::TOO_BROAD,
    &exceptions::UNUSED,
    &settings::DRIFT,
    &repository::APPROVAL_EXPIRED,
    &repository::AUTO_APPROVE,
    &repository::GATE_DISABLED,
    &repository::HIDDEN_TEXT,
    &repository::HOOK_COMMAND,
    &repository::PERMISSION_BYPASS,
    &repository::SERVER_FLOATING,
    &repository::SERVER_POISONED,
    &repository::SERVER_UNDECLARED,
    &repository::SERVER_UNSAFE,
    &repository::SERVER_UNUSED,
    &repository::UNAPPROVED_ENDPOINT,
    &repository::UNAPPROVED_SERVER,
    &repository::UNAPPROVED_TOOL,
    &repository::UNKNOWN_ENDPOINT,
    &repository::WIDE_ALLOW,
    &retention::AGE,
    &retention::COUNT,
    &retention::SIZE,
    &retention::UNREADABLE,
    &scope::APPROVAL,
    &scope::COMMAND,
    &scope::DECODED_CODE,
    &scope::DELETE,
    &scope::ENV,
    &scope::NETWORK,
    &scope::READ,
    &scope::REMOTE_CODE,
    &scope::REMOTE_SHELL,
    &scope::SENSITIVE,
    &sessions::RULE,
    &scope::TOOL,
    &scope::UNRESOLVED,
    &scope::WRITE,
    &private::AUTHORIZATION,
    &private::KEYED_SECRET,
    &log_settings::RULE,
    &private::PASSWORD,
    &private::PRIVATE_KEY,
    &private::URL_CREDENTIALS,
    &private::VENDOR_TOKEN,
    &private::WEB_TOKEN,
    &sequence::RULE,
    &secret_egress::RULE,
];

/// All rules, sorted by id.
pub fn all() -> &'static [&'static Rule] {
    RULES
}

pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id.as_str() == id)
}

#[test]
fn every_rule_id_belongs_to_one_rule() {
    let ids: Vec<RuleId> = all().iter().map(|rule| rule.id).collect();
    assert_eq!(ids, RuleId::ALL);
}
