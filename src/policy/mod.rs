//! `.agent-scope.json` → a validated policy that judges effects, or diagnostics that point into the file.

use crate::effects::Effect;
use crate::finding::{Level, PolicyPlace, RuleId};

/// A validated policy.
#[derive(Debug)]
pub(crate) struct Policy {}

/// What the policy says about one effect.
#[derive(Debug, Clone)]
pub(crate) struct Judgement {
    pub(crate) decision: Decision,
    /// The rule a finding would carry (`scope/read`, `floor/policy-file`, `scope/unresolved`).
    pub(crate) rule: RuleId,
    pub(crate) level: Level,
    /// `denied by files.read.deny`, `not in files.read.allow`, `no file read policy`, …
    pub(crate) reason: String,
    pub(crate) place: Option<PolicyPlace>,
    /// The effect touched a file on the always-on sensitive list.
    pub(crate) sensitive: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    Allowed,
    /// No part of the policy speaks about this kind of effect.
    Unruled,
    Denied,
    /// It was not proven allowed: opaque, or a pattern that no allow entry includes.
    Unresolved,
}

impl Policy {
    /// The one evaluator.
    pub(crate) fn judge(&self, effect: &Effect) -> Judgement {
        let _ = effect;
        Judgement {
            decision: Decision::Unresolved,
            rule: "scope/unresolved",
            level: Level::Error,
            reason: "not judged".to_owned(),
            place: None,
            sensitive: false,
        }
    }
}
