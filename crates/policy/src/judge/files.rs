//! Files: read, written, deleted, listed.

use crate::agent_files;
use crate::compiled::{CompiledLists, Rules};
use crate::floor::{self, Change, Floor};
use crate::path::{Files, Grade, Member, Met, PathList, PathRule, Seen};
use crate::sensitive::{self, Touch};
use crate::{ChangeReach, Context, Decision, Judgement, JudgementDetail, LeftOpen, Policy};
use agent_strace_effects::{Approval, Certainty, Effect, PathTarget, Purpose, ReadPolicy, Sight};
use agent_strace_model::finding::{Level, RuleId};

use super::{Rest, allowed, allowed_by, asked_by, denied, denied_by, no_policy, unruled};

/// The words for one kind of file access.
pub(super) struct Wording {
    pub(super) rule: RuleId,
    pub(super) deny: &'static str,
    pub(super) ask: &'static str,
    allow: &'static str,
    unlisted: &'static str,
    taken_out: &'static str,
    unproven: &'static str,
    unruled: &'static str,
}

pub(super) const READ: Wording = Wording {
    rule: RuleId::ScopeRead,
    deny: "files.read.deny",
    ask: "files.read.ask",
    allow: "files.read.allow",
    unlisted: "not in files.read.allow",
    taken_out: "taken out by files.read.allow",
    unproven: "not proven to be in files.read.allow",
    unruled: "no file read policy",
};

pub(super) const WRITE: Wording = Wording {
    rule: RuleId::ScopeWrite,
    deny: "files.write.deny",
    ask: "files.write.ask",
    allow: "files.write.allow",
    unlisted: "not in files.write.allow",
    taken_out: "taken out by files.write.allow",
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
    taken_out: "taken out by files.delete.allow",
    unproven: "not proven to be in files.delete.allow",
    unruled: "no file delete policy",
};

impl Policy {
    /// Some entry forbids to read files.
    pub fn denies_reads(&self) -> bool {
        self.all_lists().any(|lists| !lists.read.deny.is_empty())
    }

    fn all_lists(&self) -> impl Iterator<Item = &CompiledLists> {
        std::iter::once(&self.lists).chain(self.narrowing.iter().map(|part| &part.lists))
    }
}

impl ReadPolicy for Policy {
    /// An entry forbids to read the file, whoever it is for.
    fn denies_reading(&self, file: &PathTarget) -> bool {
        let files = Files::new(file, Certainty::Exact, &Context::default());
        self.all_lists().any(|lists| files.denied_by(&lists.read.deny).is_some())
    }
}

impl CompiledLists {
    pub(super) fn delete_wording(&self) -> &'static Wording {
        if self.has_own_delete { &OWN_DELETE } else { &DELETE }
    }

    pub(super) fn file(
        &self,
        target: &PathTarget,
        reached: Reached,
        context: &Context<'_>,
        wording: &Wording,
    ) -> Judgement {
        let Reached { certainty, gathered, is_inside } = reached;
        // A formatter changes what it checks. Any other program changes whole files, though it only searches them.
        let purpose = match gathered {
            Some(Purpose::Search) if wording.rule != READ.rule => Some(Purpose::Whole),
            purpose => purpose,
        };
        let files = Files::new(target, certainty, context).gathered_for(purpose);
        let files = if is_inside { files.in_workspace() } else { files };
        let is_left = wording.rule == WRITE.rule && context.change == ChangeReach::Writable;
        let files = if is_left { files.shown_by_change() } else { files };
        let (rules, touch) = match &self.delete {
            _ if wording.rule == READ.rule => (&self.read, Touch::Read),
            Some(delete) if wording.rule == DELETE.rule => (delete, Touch::Write),
            _ => (&self.write, Touch::Write),
        };
        let sensitive = context.detail == JudgementDetail::Everything
            && sensitive::touched(&files, touch)
            && files.seen(|_| true, |file| sensitive::touched(file, touch)) != Seen::Nothing;
        let instructs = touch == Touch::Write
            && context.detail == JudgementDetail::Everything
            && agent_files::instructs(&files)
            && !self.without_floor.contains(&RuleId::FloorAgentSettings);
        let change = if wording.rule == DELETE.rule { Change::Deleted } else { Change::Written };
        let floor = if touch == Touch::Write { floor::check(&files, reached, change, &self.judging) } else { None };
        let floor =
            floor.filter(|floor| !matches!(floor, Floor::Broken { rule, .. } if self.without_floor.contains(rule)));
        let approval = context.sight.map_or(Approval::Impossible, Sight::approval);
        let named = JudgedFiles { files: &files, reached, floor, approval };
        let found = self.scoped(rules, &named, wording);
        let is_listed = sensitive && found.is_mild_refusal() && {
            let rest = self.rest(rules.allow.list_location());
            self.by_allow(rules, &named, wording, rest).is_allowed_by_entry()
        };
        Judgement { sensitive, instructs, is_listed, ..found }
    }

    /// Names alone are no content: entries about content do not speak of them, only rules about lists do.
    pub(super) fn listing(&self, target: &PathTarget, certainty: Certainty, context: &Context<'_>) -> Judgement {
        let files = Files::new(target, certainty, context);
        if let Some(rule) = files.denied_by(&self.list.deny) {
            return denied_by(READ.rule, READ.deny, &rule.stated);
        }
        if let Some(rule) = files.denied_by(&self.list.ask) {
            return asked_by(READ.ask, &rule.stated);
        }
        if let Some((Some(rule), _)) = files.allowed_by(&self.list.allow) {
            return allowed_by(READ.rule, READ.allow, &rule.stated);
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
        let met = |list| named.files.met_by(list).filter(|_| !unknown);
        let (denied_rule, asked_rule) = (met(&rules.deny), met(&rules.ask));
        if let Some(Met { rule, grade: Grade::Certain, member }) = denied_rule {
            return denied_by(wording.rule, wording.deny, &rule.stated).of_member(member);
        }
        match &named.floor {
            Some(Floor::Broken { rule, why }) => return denied(*rule, &format!("built-in floor: {why}"), None),
            Some(Floor::Perhaps) => return unproven("the path is not known, it may be one that no agent may change"),
            None => {}
        }
        if let Some(Met { rule, grade: Grade::Certain, member }) = asked_rule {
            return asked_by(wording.ask, &rule.stated).of_member(member);
        }
        let found = self.by_allow(rules, named, wording, rest);
        let is_gathered = named.reached.gathered.is_some();
        let unknown_part = match is_gathered {
            _ if named.files.may_be_of_workspace() => "the log does not say where the session ran (`--root` states it)",
            true => "the log does not show which",
            false => "a part of the name is not known",
        };
        let at_risk = denied_rule.as_ref().filter(|_| wording.rule == WRITE.rule);
        let at_risk = at_risk.and_then(|met| Some((named.files.at_risk(&rules.deny)?, met.rule)));
        let open = match &at_risk {
            Some((files, rule)) => files.first().map(|file| self.at_risk(file, rule, named.approval, wording)),
            None => self.open(denied_rule, wording.deny, unknown_part),
        };
        let open = open.or_else(|| self.open(asked_rule, wording.ask, unknown_part));
        let is_refused = found.decision == Decision::Unresolved && found.level == Level::Error;
        let judged = match open {
            Some(open) if open.level == Level::Note => found.leaving_open(open),
            // Nobody is asked for what is refused.
            Some(open) if open.strictness() > found.strictness() && !is_refused => open,
            _ => found,
        };
        Judgement { watched: at_risk.map(|(files, _)| files).unwrap_or_default(), ..judged }
    }

    /// The call changes a set of files, and this one exists: nobody knows whether it is changed, too.
    fn at_risk(&self, file: &str, rule: &PathRule, approval: Approval, wording: &Wording) -> Judgement {
        let stated = &rule.stated;
        let name = stated.policy_rule.as_ref().map_or(wording.deny, |rule| rule.id.as_str());
        let reason = format!("may change `{file}`, which {name} names");
        match approval {
            Approval::Possible => Judgement { reason, ..asked_by(wording.deny, stated) },
            Approval::Impossible => {
                let found = self.unresolved(Level::Note, &reason, Some(&stated.location));
                Judgement { policy_rule: stated.policy_rule.clone(), ..found }
            }
        }
    }

    /// Returns the judgement of an entry that may name one of the files.
    fn open(&self, met: Option<Met<'_>>, list: &str, unknown_part: &str) -> Option<Judgement> {
        let Met { rule, grade: Grade::Open(level), .. } = met? else { return None };
        let stated = &rule.stated;
        let name = stated.policy_rule.as_ref().map_or(list, |rule| rule.id.as_str());
        let reason = format!("{unknown_part}, and {name} may name one of them");
        let found = self.unresolved(level.min(stated.level), &reason, Some(&stated.location));
        Some(Judgement { policy_rule: stated.policy_rule.clone(), ..found })
    }

    /// Judges by the allow list, or by the default for files that it does not name.
    fn by_allow(
        &self,
        rules: &Rules<PathList>,
        named: &JudgedFiles<'_>,
        wording: &Wording,
        rest: Rest<'_>,
    ) -> Judgement {
        let unknown = named.files.is_unknown();
        let unproven = |reason: &str| {
            let level = if rest.is_open() { Level::Warning } else { Level::Error };
            self.unresolved(level, reason, rest.location())
        };
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
        let taken_out_by =
            named.files.taken_out_by(&rules.allow).filter(|_| !unknown && matches!(rest, Rest::Listed(_)));
        if let (Some(location), Certainty::Exact | Certainty::Pattern) = (taken_out_by, named.reached.certainty) {
            let found = match named.reached.certainty {
                Certainty::Exact => rest.judge(wording.rule, wording.taken_out),
                _ => unproven(wording.unproven),
            };
            return Judgement { taken_out_by: Some(Box::new(location.clone())), ..found };
        }
        match (rest.is_open(), named.reached.certainty) {
            (true, _) if unknown && forbids => unproven("the path is not known, it may be a denied one"),
            (true, _) if forbids => allowed(wording.rule, format!("matches {}", wording.allow), None),
            (true, _) => no_policy(wording.rule, wording.unruled),
            (false, Certainty::Possible) => unruled(wording.rule, "may not have happened"),
            (false, Certainty::Pattern) => unproven(wording.unproven),
            (false, Certainty::Exact) => rest.judge(wording.rule, wording.unlisted),
        }
    }
}

impl Judgement {
    /// Names the file that is known to be among those that were gathered.
    fn of_member(self, member: Option<Member>) -> Self {
        let (file, why, seen) = match member {
            None => return self,
            Some(Member::Exists(file)) => (file.clone(), "exists in the work tree", Some(file)),
            Some(Member::Tracked(file)) => (file, "is one of them", None),
            Some(Member::Matched(file)) => {
                let reason = format!("{}, as the pattern matches a line of `{file}`", self.reason);
                return Self { reason, ..self };
            }
        };
        Self { reason: format!("{}, as `{file}` {why}", self.reason), seen, ..self }
    }

    /// Adds an entry that may forbid one of the files. A judgement that forbids for sure needs none.
    fn leaving_open(self, open: Self) -> Self {
        let Some(location) = open.location.filter(|_| !matches!(self.decision, Decision::Denied | Decision::Asked))
        else {
            return self;
        };
        let left_open = LeftOpen { reason: open.reason, location, policy_rule: open.policy_rule };
        Self { left_open: Some(Box::new(left_open)), ..self }
    }
}

/// The certainty of a target, and the purpose for which a program gathered it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reached {
    pub(crate) certainty: Certainty,
    /// A program gathered them, for this purpose.
    pub(crate) gathered: Option<Purpose>,
    /// It gathered them below a directory of the workspace.
    pub(crate) is_inside: bool,
}

impl Reached {
    pub(super) fn of(effect: &Effect) -> Self {
        Self { certainty: effect.certainty, gathered: effect.gathered, is_inside: effect.inside }
    }
}

/// The files of an effect.
struct JudgedFiles<'a> {
    files: &'a Files<'a>,
    reached: Reached,
    floor: Option<Floor>,
    approval: Approval,
}
