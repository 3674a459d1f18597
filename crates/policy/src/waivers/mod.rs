//! What may be although a rule forbids it: for a reason, on somebody's word, until a day.
//!
//! The policy has them as `exceptions`, `.agent-strace.yaml` as `suppressions`. Both are waivers: one type, one
//! comparison, one way to count. A waiver covers findings, it changes no judgement: what it covers is shown and counted
//! as waived. It is compared like an allow: all of what an effect touches has to be proven to be what it names.

mod matching;
mod names;
mod without;

use jiff::civil::Date;

use agent_strace_effects::Effect;
use agent_strace_model::finding::{Family, Level, PolicyLocation, RuleId};

use super::parse::dotted;
pub(super) use matching::{Condition, Target, words_of};
pub(super) use names::Names;
pub use names::covered_by;
pub(crate) use names::{built_in, built_in_ids};
pub use without::Excepted;

/// Families of rules that other files than the policy configure.
const BESIDE: &[Family] = &[Family::Eval, Family::Hooks, Family::Lint];

/// Where hook policies of agent runtimes state limits; the key of a policy is `budgets`.
const MANIFEST: &str = "/budget/";

/// Where a waiver stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// In the policy, under `exceptions`.
    Exception,
    /// In `.agent-strace.yaml`, under `suppressions`.
    Suppression,
}

impl Origin {
    pub fn name(self) -> &'static str {
        match self {
            Self::Exception => "exception",
            Self::Suppression => "suppression",
        }
    }
}

/// One exception or suppression.
#[derive(Debug)]
pub struct Waiver {
    pub origin: Origin,
    /// As it was written: a built-in rule, the id of a rule of the policy, or one of its entries.
    pub rule: String,
    pub reason: String,
    pub owner: String,
    /// The last day it holds, in UTC.
    pub until: Date,
    pub max_uses: Option<u32>,
    /// The level of the rule it is about, where that is one of the policy.
    pub level: Level,
    pub location: PolicyLocation,
    /// All have to hold. Empty: the whole rule.
    conditions: Vec<Condition>,
    /// What it demands, as it was written: tells two waivers apart.
    shown: String,
}

/// The parts of a finding that waivers match.
#[derive(Debug, Clone, Copy)]
pub struct WaiverCandidate<'a> {
    pub rule: RuleId,
    /// The entry of the policy that decided.
    pub location: Option<&'a PolicyLocation>,
    /// The id of the rule that decided, where it has one.
    pub policy_rule: Option<&'a str>,
    /// What was judged; `None` where the whole session was.
    pub effect: Option<&'a Effect>,
    pub root: Option<&'a str>,
    pub session: &'a str,
    pub fingerprint: &'a str,
}

/// What a key of `match` is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    Agent,
    Command,
    Env,
    Fingerprint,
    Host,
    Path,
    Session,
    Target,
    Tool,
}

impl Subject {
    pub(super) const ALL: &[Self] = &[
        Self::Agent,
        Self::Command,
        Self::Env,
        Self::Fingerprint,
        Self::Host,
        Self::Path,
        Self::Session,
        Self::Target,
        Self::Tool,
    ];

    /// As a key.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Command => "command",
            Self::Env => "env",
            Self::Fingerprint => "fingerprint",
            Self::Host => "host",
            Self::Path => "path",
            Self::Session => "session",
            Self::Target => "target",
            Self::Tool => "tool",
        }
    }
}

/// One key of `match` as it was read.
#[derive(Debug)]
pub(super) struct Demand {
    pub(super) subject: Subject,
    /// As it was written.
    pub(super) written: Vec<String>,
    pub(super) condition: Condition,
}

/// The members of an exception or suppression other than its conditions.
pub(super) struct WaiverTerms {
    pub(super) rule: String,
    pub(super) reason: String,
    pub(super) owner: String,
    pub(super) until: Date,
    pub(super) max_uses: Option<u32>,
}

impl Waiver {
    pub(super) fn new(
        origin: Origin,
        WaiverTerms { rule, reason, owner, until, max_uses }: WaiverTerms,
        mut demands: Vec<Demand>,
        location: PolicyLocation,
    ) -> Self {
        demands.sort_by_key(|demand| demand.subject);
        let shown = demands.iter().map(|demand| {
            let mut texts: Vec<&str> = demand.written.iter().map(String::as_str).collect();
            texts.sort_unstable();
            format!("{} {texts:?}", demand.subject.name())
        });
        let shown = shown.collect::<Vec<_>>().join(" ");
        let conditions = demands.into_iter().map(|demand| demand.condition).collect();
        Self { origin, rule, reason, owner, until, max_uses, level: Level::Error, location, conditions, shown }
    }

    /// Whether it speaks of the finding and names all that its effect touches. The day is not asked.
    pub fn covers(&self, found: &WaiverCandidate<'_>) -> bool {
        self.names(found) && self.conditions.iter().all(|condition| condition.holds(found))
    }

    fn names(&self, found: &WaiverCandidate<'_>) -> bool {
        // What another policy demands, only that policy can except. Files beside the policy have no exceptions of their own.
        let beside = BESIDE.contains(&found.rule.family())
            || found.location.is_some_and(|location| location.pointer.starts_with(MANIFEST));
        let foreign = !beside
            && found
                .location
                .and_then(|location| location.file.as_ref())
                .is_some_and(|file| Some(file) != self.location.file.as_ref());
        !foreign
            && (self.rule == found.rule.as_str()
                || found.policy_rule == Some(self.rule.as_str())
                || found.location.is_some_and(|location| dotted(&location.pointer) == self.rule))
    }

    /// It covers findings of some sessions only.
    pub fn asks_for_session(&self) -> bool {
        self.conditions.iter().any(|condition| matches!(condition, Condition::Name(Subject::Session, _)))
    }

    pub fn has_expired(&self, today: Date) -> bool {
        self.until < today
    }

    /// It covers whatever the rule finds.
    pub fn is_boundless(&self) -> bool {
        self.conditions.iter().all(Condition::is_boundless)
    }

    /// What it is, apart from where it stands: the order of a file changes nothing. One that counts its uses comes
    /// behind one that does not.
    pub fn identity(&self) -> impl Ord + '_ {
        (
            self.max_uses.is_some(),
            self.origin,
            &self.rule,
            &self.shown,
            self.until,
            self.max_uses,
            &self.reason,
            &self.owner,
        )
    }

    /// What it demands beside the rule, as it was written.
    pub fn shown(&self) -> &str {
        &self.shown
    }
}
