//! Exceptions and suppressions: each has an end, is needed, and names what it is about, or is a finding itself.

use super::{Check, Rule, Usage};
use agent_strace_model::finding::{Level, RuleId};

macro_rules! exception {
    ($name:ident, $id:expr, $spec:literal, $level:ident, $check:ident, $summary:literal) => {
        pub(super) static $name: Rule = Rule {
            id: $id,
            level: Level::$level,
            summary: $summary,
            spec: include_str!(concat!("../specs/policy-exception-", $spec, ".md")),
            check: Check::Waiver($check),
        };
    };
}

exception!(
    EXCEEDED,
    RuleId::PolicyExceptionExceeded,
    "exceeded",
    Warning,
    exceeded,
    "an exception is needed more often than it may be used"
);
exception!(EXPIRED, RuleId::PolicyExceptionExpired, "expired", Error, expired, "an exception is past its last day");
exception!(
    TOO_BROAD,
    RuleId::PolicyExceptionTooBroad,
    "too-broad",
    Warning,
    too_broad,
    "an exception switches a rule off, whatever was touched"
);
exception!(UNUSED, RuleId::PolicyExceptionUnused, "unused", Note, unused, "an exception covers nothing in this run");

fn exceeded(usage: &Usage<'_>) -> Option<String> {
    let most = usage.waiver.max_uses.filter(|_| usage.refused > 0)?;
    let stay = if usage.refused == 1 { "1 more stays".to_owned() } else { format!("{} more stay", usage.refused) };
    Some(format!("{} may be used {}: {stay}", named(usage), times(most)))
}

fn expired(usage: &Usage<'_>) -> Option<String> {
    let waiver = usage.waiver;
    let covered = if usage.covered == 0 { "nothing".to_owned() } else { counted(usage.covered) };
    let message = || format!("{} held until {}: {covered} of this run would need it", named(usage), waiver.until);
    waiver.has_expired(usage.today).then(message)
}

fn too_broad(usage: &Usage<'_>) -> Option<String> {
    let waiver = usage.waiver;
    // Rules of the policy are errors unless it says otherwise; of the built-in ones it is known.
    let level = super::find(&waiver.rule).map_or(waiver.level, |rule| rule.level);
    let message = || format!("{} covers whatever the rule finds: say in `match` what it is about", named(usage));
    (waiver.is_boundless() && level == Level::Error).then(message)
}

fn unused(usage: &Usage<'_>) -> Option<String> {
    let needed = usage.covered > 0 || usage.waiver.has_expired(usage.today);
    (!needed).then(|| format!("{} covers nothing in the sessions of this run", named(usage)))
}

fn named(usage: &Usage<'_>) -> String {
    let waiver = usage.waiver;
    format!("the {} from `{}` ({}, {})", waiver.origin.name(), waiver.rule, waiver.owner, waiver.reason)
}

fn counted(findings: usize) -> String {
    if findings == 1 { "1 finding".to_owned() } else { format!("{findings} findings") }
}

fn times(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}
