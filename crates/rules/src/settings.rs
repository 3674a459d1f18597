//! Settings of agents, compared with the policy: `policy drift` reports it.

use super::{Check, Rule};
use agent_strace_model::finding::{Level, RuleId};

pub(super) static DRIFT: Rule = Rule {
    id: RuleId::PolicySettingsDrift,
    level: Level::Error,
    summary: "the settings of an agent let pass what the policy refuses",
    spec: include_str!("../specs/policy-settings-drift.md"),
    check: Check::Settings,
};
