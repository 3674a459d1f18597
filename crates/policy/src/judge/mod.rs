//! The one evaluator: an effect and the policy → a judgement.

mod commands;
mod env;
pub(crate) mod files;
mod named;
mod network;
mod opaque;
pub(crate) mod roots;
mod start;
mod tools;

use agent_strace_effects::{Class, Effect, Kind, PROVIDER, REDACTED, SERVICE, SHOWN_LINE, START};
use agent_strace_model::finding::{Level, PolicyLocation, RuleId};

use super::agents::Holds;
use super::compiled::CompiledLists;
use super::parse::Stated;
use super::{Basis, Context, Decision, Judgement, Policy};

const APPROVAL: RuleId = RuleId::ScopeApproval;
const UNRESOLVED: RuleId = RuleId::ScopeUnresolved;

impl Policy {
    /// The one evaluator: the strictest of what all its parts say.
    pub fn judge(&self, effect: &Effect, context: &Context<'_>) -> Judgement {
        roots::under_all(effect, context, |effect, context| {
            self.strictest(|lists| lists.judge(effect, context), context)
        })
    }

    /// The strictest of what each part says.
    pub(super) fn strictest(&self, say: impl Fn(&CompiledLists) -> Judgement, context: &Context<'_>) -> Judgement {
        let mut strictest = say(&self.lists);
        for part in &self.narrowing {
            let holds = part.holds(&context.actor);
            if holds == Holds::No {
                continue;
            }
            let other = say(&part.lists);
            let has_a_say = part.lists.speaks(&other) || strictest.decision == Decision::Unresolved;
            if other.strictness() > strictest.strictness() && has_a_say {
                let reason = part.said(&other.reason, holds);
                let is_listed = strictest.is_listed || strictest.is_allowed_by_entry();
                let Judgement { sensitive, instructs, left_open, .. } = strictest;
                let left_open = other.left_open.or(left_open);
                strictest = Judgement { reason, sensitive, instructs, left_open, is_listed, ..other };
            }
        }
        strictest
    }
}

impl Judgement {
    /// The judgement of a read that is known by the output of its call alone.
    fn of_shown_line(self) -> Self {
        match self.decision {
            Decision::Denied | Decision::Asked => {
                Self { reason: self.reason + ", as its output shows a line of it", ..self }
            }
            _ => self,
        }
    }

    /// It forbids, or asks, and weighs more than this level.
    fn is_refused_above(&self, level: Level) -> bool {
        matches!(self.decision, Decision::Denied | Decision::Asked) && self.level > level
    }

    /// It forbids, or asks, and fails no run by itself.
    fn is_mild_refusal(&self) -> bool {
        matches!(self.decision, Decision::Denied | Decision::Asked) && self.level < Level::Error
    }

    /// An entry of the policy allows it.
    pub fn is_allowed_by_entry(&self) -> bool {
        self.decision == Decision::Allowed && self.location.is_some()
    }

    /// What is reported at a higher level is stricter; where nothing is, what is ruled.
    fn strictness(&self) -> (Option<Level>, Decision) {
        let reported = matches!(self.decision, Decision::Denied | Decision::Asked | Decision::Unresolved);
        (reported.then_some(self.level), self.decision)
    }
}

/// What becomes of an act that no entry allows.
#[derive(Debug, Clone, Copy)]
enum Rest<'a> {
    /// Nobody demands that it be allowed.
    Open,
    /// An allow list is not empty: what is not in it is out of scope.
    Listed(&'a PolicyLocation),
    /// `defaults.decision` forbids it, or asks.
    Default(Decision, &'a PolicyLocation),
}

impl<'a> Rest<'a> {
    fn location(self) -> Option<&'a PolicyLocation> {
        match self {
            Self::Open => None,
            Self::Listed(location) | Self::Default(_, location) => Some(location),
        }
    }

    fn is_open(self) -> bool {
        matches!(self, Self::Open)
    }

    /// Of an act that no entry allows; `unlisted`: what is said where a list demanded one.
    fn judge(self, rule: RuleId, unlisted: &str) -> Judgement {
        match self {
            Self::Listed(location) => denied(rule, unlisted, Some(location)),
            Self::Default(Decision::Asked, location) => {
                let reason = "no entry allows it, and defaults.decision asks for what none does";
                judgement(Decision::Asked, APPROVAL, Level::Error, reason, Some(location))
            }
            Self::Default(_, location) => {
                denied(rule, "no entry allows it, and defaults.decision denies what none does", Some(location))
            }
            Self::Open => unruled(rule, unlisted),
        }
    }
}

impl CompiledLists {
    /// What these lists say, and the floor: also where a rule that only warns speaks of the same effect.
    pub(super) fn judge(&self, effect: &Effect, context: &Context<'_>) -> Judgement {
        let found = self.judge_by_all(effect, context);
        match &self.firm {
            Some(firm) if found.matters() && found.level < Level::Error => {
                let other = firm.judge_by_all(effect, context);
                if other.strictness() > found.strictness() { other } else { found }
            }
            _ => found,
        }
    }

    fn judge_by_all(&self, effect: &Effect, context: &Context<'_>) -> Judgement {
        if effect.origin.named {
            return self.named(effect, context);
        }
        if effect.via == START {
            return self
                .start(effect, context)
                .unwrap_or_else(|| unruled(UNRESOLVED, "no entry forbids all such paths"));
        }
        // What is left of the name may say enough.
        let forbidden = if effect.via == REDACTED { self.start(effect, context) } else { None };
        if let Some(found) = forbidden {
            return found;
        }
        let found = self.judge_kind(effect, context);
        let is_lowered = effect.via == REDACTED
            && (found.decision, found.level) == (Decision::Unresolved, Level::Warning)
            && self.defaults.unresolved.is_none();
        // The session is told once that names are missing from its log: `evidence/redacted`.
        if is_lowered { Judgement { level: Level::Note, ..found } } else { found }
    }

    fn judge_kind(&self, effect: &Effect, context: &Context<'_>) -> Judgement {
        let (certainty, reached) = (effect.certainty, files::Reached::of(effect));
        match &effect.kind {
            Kind::Read(target) => {
                let found = self.file(target, reached, context, &files::READ);
                if effect.via == SHOWN_LINE { found.of_shown_line() } else { found }
            }
            Kind::Write(target) => self.file(target, reached, context, &files::WRITE),
            Kind::Delete(target) => self.file(target, reached, context, self.delete_wording()),
            Kind::List(target) => self.listing(target, certainty, context),
            Kind::Execute(execution) => self.command(execution, certainty, context),
            Kind::Connect(connection) if effect.via == PROVIDER => self.page_view(connection, certainty),
            Kind::Connect(connection) if effect.via == SERVICE => self.service(connection, certainty, context),
            Kind::Connect(connection) => self.connection(connection, certainty),
            Kind::Tool { server, tool } => self.tool(server.as_deref(), tool),
            Kind::Spawn { agent } => self.spawn(agent.as_deref()),
            Kind::Env { name } => self.variable(name, certainty),
            Kind::Opaque(opaque) => self.opaque(opaque, effect, context),
        }
    }

    /// Whether a part that only narrows has a say in it: what it can't resolve and does not demand, it leaves to the
    /// policy that it narrows, unless that can't resolve it either.
    fn speaks(&self, judgement: &Judgement) -> bool {
        judgement.decision != Decision::Unresolved
            || judgement.level == Level::Error
            || self.defaults.weighs_unresolved()
    }

    /// What becomes of what no entry allows; `list`: where an allow list stands that is not empty.
    fn rest<'a>(&'a self, list: Option<&'a PolicyLocation>) -> Rest<'a> {
        match (list, &self.defaults.decision) {
            (Some(location), _) => Rest::Listed(location),
            (None, Some((decision @ (Decision::Denied | Decision::Asked), location))) => {
                Rest::Default(*decision, location)
            }
            (None, _) => Rest::Open,
        }
    }

    /// Something that can't be resolved; `level`: what it weighs where the policy does not say.
    fn unresolved(&self, level: Level, reason: &str, location: Option<&PolicyLocation>) -> Judgement {
        let level = self.defaults.unresolved.as_ref().map_or(level, |(level, _)| *level);
        judgement(Decision::Unresolved, UNRESOLVED, level, reason, location)
    }

    /// Returns the judgement of an unresolved act of this class.
    fn unresolved_of(&self, class: Class, level: Level, reason: &str, location: Option<&PolicyLocation>) -> Judgement {
        let level = self.defaults.of_class(class).unwrap_or(level);
        judgement(Decision::Unresolved, UNRESOLVED, level, reason, location)
    }

    /// An unknown part may make a forbidding entry match. It weighs no more than if it did.
    fn perhaps(&self, stated: &Stated, rest: Rest<'_>, verb: &str, list: &str) -> Judgement {
        let level = if rest.is_open() { Level::Warning } else { Level::Error };
        let reason = match &stated.policy_rule {
            Some(rule) => format!("{verb} {}", rule.id),
            None => format!("{verb} {list}"),
        };
        let found = self.unresolved(level.min(stated.level), &reason, Some(&stated.location));
        Judgement { policy_rule: stated.policy_rule.clone(), ..found }
    }
}

fn judgement(
    decision: Decision,
    rule: RuleId,
    level: Level,
    reason: impl Into<String>,
    location: Option<&PolicyLocation>,
) -> Judgement {
    Judgement {
        decision,
        rule,
        level,
        basis: Basis::Whole,
        reason: reason.into(),
        location: location.cloned(),
        policy_rule: None,
        target: None,
        sensitive: false,
        instructs: false,
        left_open: None,
        taken_out_by: None,
        is_listed: false,
        seen: None,
        watched: Vec::new(),
    }
}

fn denied(rule: RuleId, reason: &str, location: Option<&PolicyLocation>) -> Judgement {
    judgement(Decision::Denied, rule, Level::Error, reason, location)
}

/// `list`: as people write it, `files.read.deny`.
fn denied_by(rule: RuleId, list: &str, stated: &Stated) -> Judgement {
    stated_by(Decision::Denied, rule, "denied by", list, stated)
}

fn asked_by(list: &str, stated: &Stated) -> Judgement {
    stated_by(Decision::Asked, APPROVAL, "needs an approval by", list, stated)
}

fn stated_by(decision: Decision, rule: RuleId, verb: &str, list: &str, stated: &Stated) -> Judgement {
    let name = stated.policy_rule.as_ref().map_or(list, |rule| rule.id.as_str());
    let found = judgement(decision, rule, stated.level, [verb, " ", name].concat(), Some(&stated.location));
    Judgement { basis: Basis::Entry, policy_rule: stated.policy_rule.clone(), ..found }
}

fn allowed(rule: RuleId, reason: impl Into<String>, location: Option<&PolicyLocation>) -> Judgement {
    judgement(Decision::Allowed, rule, Level::Note, reason, location)
}

fn allowed_by(rule: RuleId, list: &str, stated: &Stated) -> Judgement {
    let name = stated.policy_rule.as_ref().map_or(list, |rule| rule.id.as_str());
    let found = allowed(rule, ["matches ", name].concat(), Some(&stated.location));
    Judgement { basis: Basis::Entry, policy_rule: stated.policy_rule.clone(), ..found }
}

fn unruled(rule: RuleId, reason: &str) -> Judgement {
    judgement(Decision::Unruled, rule, Level::Note, reason, None)
}

/// The judgement of an effect whose kind the policy does not mention.
fn no_policy(rule: RuleId, reason: &str) -> Judgement {
    Judgement { basis: Basis::NoPolicy, ..unruled(rule, reason) }
}
