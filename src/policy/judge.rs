//! The one evaluator: an effect and the policy → a judgement.

use crate::effects::{About, Certainty, Connection, Effect, Execution, Kind, Opaque, PathTarget};
use crate::finding::{Level, PolicyPlace, RuleId};

use super::floor::{self, Floor};
use super::path::{self, Files};
use super::ran::Ran;
use super::scope::{PathRules, Scope};
use super::sensitive::{self, Touch};
use super::{Context, Decision, Judgement, Policy};

/// The words for one kind of file access.
struct Wording {
    rule: RuleId,
    denied: &'static str,
    asked: &'static str,
    unlisted: &'static str,
    allowed: &'static str,
    unproven: &'static str,
    unruled: &'static str,
}

const READ: Wording = Wording {
    rule: "scope/read",
    denied: "denied by files.read.deny",
    asked: "needs an approval by files.read.ask",
    unlisted: "not in files.read.allow",
    allowed: "matches files.read.allow",
    unproven: "not proven to be in files.read.allow",
    unruled: "no file read policy",
};

const WRITE: Wording = Wording {
    rule: "scope/write",
    denied: "denied by files.write.deny",
    asked: "needs an approval by files.write.ask",
    unlisted: "not in files.write.allow",
    allowed: "matches files.write.allow",
    unproven: "not proven to be in files.write.allow",
    unruled: "no file write policy",
};

/// Where the policy has no list of its own for what is deleted.
const DELETE: Wording = Wording { rule: "scope/delete", ..WRITE };

const OWN_DELETE: Wording = Wording {
    rule: "scope/delete",
    denied: "denied by files.delete.deny",
    asked: "needs an approval by files.delete.ask",
    unlisted: "not in files.delete.allow",
    allowed: "matches files.delete.allow",
    unproven: "not proven to be in files.delete.allow",
    unruled: "no file delete policy",
};

const APPROVAL: RuleId = "scope/approval";
const UNRESOLVED: RuleId = "scope/unresolved";

impl Policy {
    /// The one evaluator: the strictest of what all its parts say.
    pub(crate) fn judge(&self, effect: &Effect, context: &Context<'_>) -> Judgement {
        let mut strictest = self.scope.judge(effect, context);
        for part in self.narrowing.iter().filter(|part| part.applies(context)) {
            let other = part.scope.judge(effect, context);
            if other.strictness() > strictest.strictness() {
                strictest = Judgement { sensitive: strictest.sensitive, ..other };
            }
        }
        strictest
    }
}

impl Judgement {
    /// What is reported at a higher level is stricter; where nothing is, what is ruled.
    fn strictness(&self) -> (Option<Level>, Decision) {
        let reported = matches!(self.decision, Decision::Denied | Decision::Asked | Decision::Unresolved);
        (reported.then_some(self.level), self.decision)
    }
}

impl Scope {
    /// What these lists say, and the floor.
    fn judge(&self, effect: &Effect, context: &Context<'_>) -> Judgement {
        let certainty = effect.certainty;
        match &effect.kind {
            Kind::Read(target) => self.file(target, certainty, context, &READ),
            Kind::Write(target) => self.file(target, certainty, context, &WRITE),
            Kind::Delete(target) => {
                let wording = if self.delete.is_some() { &OWN_DELETE } else { &DELETE };
                self.file(target, certainty, context, wording)
            }
            Kind::List(target) if effect.via == "argument" => self.names(target, certainty, context),
            Kind::List(target) => self.listing(target, certainty, context),
            Kind::Execute(execution) => self.command(execution, certainty, context),
            Kind::Connect(connection) => self.connection(connection, certainty),
            Kind::Tool { .. } | Kind::Spawn { .. } => unruled("scope/tool", "no policy rule for this tool type"),
            Kind::Env { .. } => unruled("scope/env", "no environment policy"),
            Kind::Opaque(opaque) => self.opaque(opaque),
        }
    }

    fn file(&self, target: &PathTarget, certainty: Certainty, context: &Context<'_>, wording: &Wording) -> Judgement {
        let files = Files::new(target, certainty, context);
        let (rules, touch) = match &self.delete {
            _ if wording.rule == READ.rule => (&self.read, Touch::Read),
            Some(delete) if wording.rule == OWN_DELETE.rule => (delete, Touch::Write),
            _ => (&self.write, Touch::Write),
        };
        let sensitive = sensitive::touched(&files, touch);
        let floor = if touch == Touch::Write { floor::check(&files, certainty) } else { None };
        Judgement { sensitive, ..scoped(rules, &files, &files, certainty, floor.as_ref(), wording) }
    }

    /// A tool that looks for names. A pattern that floats (`**/index.ts`) could match in every directory, but it shows
    /// no content: a deny and the table of sensitive files count where they meet what the pattern spells.
    fn names(&self, target: &PathTarget, certainty: Certainty, context: &Context<'_>) -> Judgement {
        let Some(spelled) = path::spelled(target).filter(|_| certainty == Certainty::Pattern) else {
            return self.file(target, certainty, context, &READ);
        };
        let files = Files::new(target, certainty, context);
        let denying = Files::new(&spelled.pattern, certainty, context);
        let shortest = Files::new(&spelled.shortest, Certainty::Exact, context);
        let sensitive = sensitive::touched(&shortest, Touch::Read);
        Judgement { sensitive, ..scoped(&self.read, &files, &denying, certainty, None, &READ) }
    }

    /// Names alone are not content: only a path that is denied itself is reported.
    fn listing(&self, target: &PathTarget, certainty: Certainty, context: &Context<'_>) -> Judgement {
        let itself = PathTarget { path: target.path.clone(), subtree: false };
        let files = Files::new(&itself, certainty, context);
        if certainty != Certainty::Pattern {
            if let Some(rule) = files.denied_by(&self.read.deny) {
                return denied(READ.rule, READ.denied, Some(&rule.place));
            }
            if let Some(rule) = files.denied_by(&self.read.ask) {
                return asked(READ.asked, Some(&rule.place));
            }
        }
        unruled(READ.rule, "listing names needs no policy")
    }

    fn command(&self, execution: &Execution, certainty: Certainty, context: &Context<'_>) -> Judgement {
        const RULE: RuleId = "scope/command";
        let (allow, deny, ask) = (&self.commands.allow, &self.commands.deny, &self.commands.ask);
        let ran = Ran::new(execution, context.raw_command);
        let (certain, perhaps) = deny.strictest(&ran);
        if let Some(rule) = certain {
            return denied(RULE, "denied by commands.deny", Some(&rule.place));
        }
        let (to_ask, perhaps_to_ask) = ask.strictest(&ran);
        let perhaps = perhaps.map(|rule| (rule, "may be denied by commands.deny"));
        let perhaps = perhaps.or(perhaps_to_ask.map(|rule| (rule, "may need an approval by commands.ask")));
        let level = if allow.is_empty() { Level::Warning } else { Level::Error };
        match (to_ask, perhaps) {
            (Some(rule), _) => return asked("needs an approval by commands.ask", Some(&rule.place)),
            (None, Some((rule, reason))) => return unresolved(level, reason, Some(&rule.place)),
            (None, None) => {}
        }
        if allow.is_empty() {
            let silent = deny.is_empty() && ask.is_empty();
            let reason = if silent { "no command policy" } else { "matches commands.allow" };
            return if silent { unruled(RULE, reason) } else { allowed(RULE, reason, None) };
        }
        if let Some(rule) = allow.rules.iter().find(|rule| rule.allows(execution)) {
            return allowed(RULE, "matches commands.allow", Some(&rule.place));
        }
        if execution.inert || certainty == Certainty::Possible {
            return unruled(RULE, "needs no entry in commands.allow");
        }
        if allow.rules.iter().any(|rule| rule.may_allow(execution)) {
            return unresolved(Level::Error, "not proven to be in commands.allow", allow.place.as_ref());
        }
        denied(RULE, "not in commands.allow", allow.place.as_ref())
    }

    fn connection(&self, connection: &Connection, certainty: Certainty) -> Judgement {
        const RULE: RuleId = "scope/network";
        let Some(network) = &self.network else { return unruled(RULE, "no network policy") };
        let closed = network.deny_all.as_ref();
        let (certain, perhaps) = network.deny.strictest(connection, certainty);
        if let Some(rule) = certain {
            return denied(RULE, "denied by network.deny", Some(&rule.place));
        }
        let (to_ask, perhaps_to_ask) = network.ask.strictest(connection, certainty);
        if let Some(rule) = to_ask {
            return asked("needs an approval by network.ask", Some(&rule.place));
        }
        let level = if closed.is_some() { Level::Error } else { Level::Warning };
        let perhaps = perhaps.map(|rule| (rule, "may be denied by network.deny"));
        let perhaps = perhaps.or(perhaps_to_ask.map(|rule| (rule, "may need an approval by network.ask")));
        if let Some((rule, reason)) = perhaps {
            return unresolved(level, reason, Some(&rule.place));
        }
        let Some(deny_all) = closed else {
            return allowed(RULE, "allowed by network.allow", Some(&network.place));
        };
        if let Some(rule) = network.allow.rules.iter().find(|rule| rule.includes(connection, certainty)) {
            return allowed(RULE, "allowed by network.allow", Some(&rule.place));
        }
        if connection.host.is_none() || certainty == Certainty::Pattern {
            return unresolved(Level::Error, "not proven to be in network.allow", Some(deny_all));
        }
        denied(RULE, "denied by network.deny_all", Some(deny_all))
    }

    fn opaque(&self, opaque: &Opaque) -> Judgement {
        if !opaque.vouched_by.is_empty()
            && let Some(rule) = self.commands.allow.rules.iter().find(|rule| rule.vouches_for(&opaque.vouched_by))
        {
            return allowed(UNRESOLVED, "vouched for by commands.allow", Some(&rule.place));
        }
        let reads = self.read.allow.list_place();
        let writes = self.write.allow.list_place();
        let commands = self.commands.allow.list_place();
        let network = self.network.as_ref().and_then(|network| network.deny_all.as_ref());
        let place = match opaque.about {
            About::Reads => reads,
            About::Writes => writes,
            About::Commands => commands,
            About::Network => network,
            About::Anything => commands.or(writes).or(reads).or(network),
            About::Project => {
                let Some(place) = commands.or(writes).or(reads) else {
                    let reason = format!("{} (no allow list says what may run)", opaque.reason);
                    return unresolved(Level::Note, &reason, None);
                };
                Some(place)
            }
        };
        let level = if place.is_some() { Level::Error } else { Level::Warning };
        unresolved(level, &opaque.reason, place)
    }
}

fn scoped(
    rules: &PathRules,
    files: &Files<'_>,
    denying: &Files<'_>,
    certainty: Certainty,
    floor: Option<&Floor>,
    wording: &Wording,
) -> Judgement {
    let unknown = files.is_unknown();
    let unproven = |reason: &str| {
        let level = if rules.allow.is_empty() { Level::Warning } else { Level::Error };
        unresolved(level, reason, rules.allow.place.as_ref())
    };
    if !unknown && let Some(rule) = denying.denied_by(&rules.deny) {
        return denied(wording.rule, wording.denied, Some(&rule.place));
    }
    match floor {
        Some(Floor::Broken { rule, why }) => return denied(rule, &format!("built-in floor: {why}"), None),
        Some(Floor::Perhaps) => return unproven("the path is not known, it may be one that no agent may change"),
        None => {}
    }
    if !unknown && let Some(rule) = denying.denied_by(&rules.ask) {
        return asked(wording.asked, Some(&rule.place));
    }
    if rules.allow.is_empty() {
        return match (rules.is_silent(), unknown) {
            (true, _) => unruled(wording.rule, wording.unruled),
            (false, true) => unproven("the path is not known, it may be a denied one"),
            (false, false) => allowed(wording.rule, wording.allowed, None),
        };
    }
    if let Some(place) = files.allowed_by(&rules.allow).filter(|_| !unknown || rules.forbids_nothing()) {
        return allowed(wording.rule, wording.allowed, Some(place));
    }
    match certainty {
        Certainty::Possible => unruled(wording.rule, "may not have happened"),
        Certainty::Pattern => unproven(wording.unproven),
        Certainty::Exact => denied(wording.rule, wording.unlisted, rules.allow.place.as_ref()),
    }
}

fn judgement(decision: Decision, rule: RuleId, level: Level, reason: &str, place: Option<&PolicyPlace>) -> Judgement {
    Judgement { decision, rule, level, reason: reason.to_owned(), place: place.cloned(), named: None, sensitive: false }
}

fn denied(rule: RuleId, reason: &str, place: Option<&PolicyPlace>) -> Judgement {
    judgement(Decision::Denied, rule, Level::Error, reason, place)
}

fn asked(reason: &str, place: Option<&PolicyPlace>) -> Judgement {
    judgement(Decision::Asked, APPROVAL, Level::Error, reason, place)
}

fn allowed(rule: RuleId, reason: &str, place: Option<&PolicyPlace>) -> Judgement {
    judgement(Decision::Allowed, rule, Level::Note, reason, place)
}

fn unruled(rule: RuleId, reason: &str) -> Judgement {
    judgement(Decision::Unruled, rule, Level::Note, reason, None)
}

fn unresolved(level: Level, reason: &str, place: Option<&PolicyPlace>) -> Judgement {
    judgement(Decision::Unresolved, UNRESOLVED, level, reason, place)
}
