//! Files: read, written, deleted, listed.

use crate::compiled::{CompiledLists, Rules};
use crate::floor::{self, Floor};
use crate::path::{self, Files, PathList};
use crate::sensitive::{self, Touch};
use crate::{Context, Judgement, JudgementDetail};
use agent_strace_effects::{Certainty, PathTarget};
use agent_strace_model::finding::{Level, RuleId};

use super::{allowed, allowed_by, asked_by, denied, denied_by, no_policy, unruled};

/// The words for one kind of file access.
pub(super) struct Wording {
    pub(super) rule: RuleId,
    pub(super) deny: &'static str,
    pub(super) ask: &'static str,
    allow: &'static str,
    unlisted: &'static str,
    unproven: &'static str,
    unruled: &'static str,
}

pub(super) const READ: Wording = Wording {
    rule: RuleId::ScopeRead,
    deny: "files.read.deny",
    ask: "files.read.ask",
    allow: "files.read.allow",
    unlisted: "not in files.read.allow",
    unproven: "not proven to be in files.read.allow",
    unruled: "no file read policy",
};

pub(super) const WRITE: Wording = Wording {
    rule: RuleId::ScopeWrite,
    deny: "files.write.deny",
    ask: "files.write.ask",
    allow: "files.write.allow",
    unlisted: "not in files.write.allow",
    unproven: "not proven to be in files.write.allow",
    unruled: "no file write policy",
};

/// Where the policy has no list of its own for what is deleted.
const DELETE: Wording = Wording { rule: RuleId::ScopeDelete, ..WRITE };

const OWN_DELETE: Wording = Wording {
    rule: RuleId::ScopeDelete,
    deny: "files.delete.deny",
    ask: "files.delete.ask",
    allow: "files.delete.allow",
    unlisted: "not in files.delete.allow",
    unproven: "not proven to be in files.delete.allow",
    unruled: "no file delete policy",
};

impl CompiledLists {
    pub(super) fn delete_wording(&self) -> &'static Wording {
        if self.has_own_delete { &OWN_DELETE } else { &DELETE }
    }

    pub(super) fn file(
        &self,
        target: &PathTarget,
        certainty: Certainty,
        context: &Context<'_>,
        wording: &Wording,
    ) -> Judgement {
        let files = Files::new(target, certainty, context);
        let (rules, touch) = match &self.delete {
            _ if wording.rule == READ.rule => (&self.read, Touch::Read),
            Some(delete) if wording.rule == DELETE.rule => (delete, Touch::Write),
            _ => (&self.write, Touch::Write),
        };
        let sensitive = context.detail == JudgementDetail::Everything && sensitive::touched(&files, touch);
        let instructs = touch == Touch::Write
            && context.detail == JudgementDetail::Everything
            && floor::instructs(&files)
            && !self.without_floor.contains(&RuleId::FloorAgentSettings);
        let floor = if touch == Touch::Write { floor::check(&files, certainty, &self.judging) } else { None };
        let floor =
            floor.filter(|floor| !matches!(floor, Floor::Broken { rule, .. } if self.without_floor.contains(rule)));
        let named = JudgedFiles { files: &files, forbidden: &files, certainty, floor };
        Judgement { sensitive, instructs, ..self.scoped(rules, &named, wording) }
    }

    /// A tool that looks for names. A pattern that floats (`**/index.ts`) could match in every directory, but it shows
    /// no content: a deny and the table of sensitive files count where they meet what the pattern spells.
    pub(super) fn names(&self, target: &PathTarget, certainty: Certainty, context: &Context<'_>) -> Judgement {
        let Some(spelled) = path::spelled(target).filter(|_| certainty == Certainty::Pattern) else {
            return self.listed(self.file(target, certainty, context, &READ), target, certainty, context);
        };
        let files = Files::new(target, certainty, context);
        let forbidden = Files::new(&spelled.pattern, certainty, context);
        let shortest = Files::new(&spelled.shortest, Certainty::Exact, context);
        let sensitive = context.detail == JudgementDetail::Everything && sensitive::touched(&shortest, Touch::Read);
        let named = JudgedFiles { files: &files, forbidden: &forbidden, certainty, floor: None };
        let found = Judgement { sensitive, ..self.scoped(&self.read, &named, &READ) };
        self.listed(found, &spelled.pattern, certainty, context)
    }

    /// What rules about lists alone say beside that.
    fn listed(&self, found: Judgement, target: &PathTarget, certainty: Certainty, context: &Context<'_>) -> Judgement {
        if self.list.deny.is_empty() && self.list.ask.is_empty() {
            return found;
        }
        let files = Files::new(target, certainty, context);
        let denied = files.denied_by(&self.list.deny).map(|rule| denied_by(READ.rule, READ.deny, &rule.stated));
        let asked = || files.denied_by(&self.list.ask).map(|rule| asked_by(READ.ask, &rule.stated));
        match denied.or_else(asked) {
            Some(other) if other.strictness() > found.strictness() => Judgement { sensitive: found.sensitive, ..other },
            _ => found,
        }
    }

    /// Names alone are not content: only a path that is denied itself is reported.
    pub(super) fn listing(&self, target: &PathTarget, certainty: Certainty, context: &Context<'_>) -> Judgement {
        let itself = PathTarget { path: target.path.clone(), subtree: false };
        let files = Files::new(&itself, certainty, context);
        let denies = [&self.read.deny, &self.list.deny].into_iter().filter_map(|list| files.denied_by(list));
        let asks = [&self.read.ask, &self.list.ask].into_iter().filter_map(|list| files.denied_by(list));
        if certainty != Certainty::Pattern {
            if let Some(rule) = denies.min_by_key(|rule| rule.stated.rank()) {
                return denied_by(READ.rule, READ.deny, &rule.stated);
            }
            if let Some(rule) = asks.min_by_key(|rule| rule.stated.rank()) {
                return asked_by(READ.ask, &rule.stated);
            }
            if let Some((Some(rule), _)) = files.allowed_by(&self.list.allow) {
                return allowed_by(READ.rule, READ.allow, &rule.stated);
            }
        }
        unruled(READ.rule, "listing names needs no policy")
    }

    fn scoped(&self, rules: &Rules<PathList>, named: &JudgedFiles<'_>, wording: &Wording) -> Judgement {
        let unknown = named.files.is_unknown();
        let rest = self.rest(rules.allow.list_location());
        let unproven = |reason: &str| {
            let level = if rest.is_open() { Level::Warning } else { Level::Error };
            self.unresolved(level, reason, rest.location())
        };
        if !unknown && let Some(rule) = named.forbidden.denied_by(&rules.deny) {
            return denied_by(wording.rule, wording.deny, &rule.stated);
        }
        match &named.floor {
            Some(Floor::Broken { rule, why }) => return denied(*rule, &format!("built-in floor: {why}"), None),
            Some(Floor::Perhaps) => return unproven("the path is not known, it may be one that no agent may change"),
            None => {}
        }
        if !unknown && let Some(rule) = named.forbidden.denied_by(&rules.ask) {
            return asked_by(wording.ask, &rule.stated);
        }
        let forbids = !rules.deny.is_empty() || !rules.ask.is_empty();
        if !unknown || !forbids {
            match named.files.allowed_by(&rules.allow) {
                Some((Some(rule), _)) => return allowed_by(wording.rule, wording.allow, &rule.stated),
                Some((None, location)) => {
                    return allowed(wording.rule, format!("matches {}", wording.allow), Some(location));
                }
                None => {}
            }
        }
        match (rest.is_open(), named.certainty) {
            (true, _) if unknown && forbids => unproven("the path is not known, it may be a denied one"),
            (true, _) if forbids => allowed(wording.rule, format!("matches {}", wording.allow), None),
            (true, _) => no_policy(wording.rule, wording.unruled),
            (false, Certainty::Possible) => unruled(wording.rule, "may not have happened"),
            (false, Certainty::Pattern) => unproven(wording.unproven),
            (false, Certainty::Exact) => rest.judge(wording.rule, wording.unlisted),
        }
    }
}

/// The files of an effect.
struct JudgedFiles<'a> {
    files: &'a Files<'a>,
    /// What of them a deny looks at.
    forbidden: &'a Files<'a>,
    certainty: Certainty,
    floor: Option<Floor>,
}
