//! How bad what a rule reports is, how sure it is, and which weakness it is a case of.

use agent_strace_model::finding::{Family, Level, RuleId};

/// What code scanning wants to know of a rule beside its texts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Class {
    /// A number between 0 and 10, by which alerts are critical, high, medium or low. `None`: it is about how an agent
    /// worked, not about security.
    pub(super) security_severity: Option<&'static str>,
    pub(super) problem_severity: &'static str,
    pub(super) precision: &'static str,
    pub(super) tags: Vec<&'static str>,
}

/// The weaknesses that a rule detects.
fn weaknesses(rule: RuleId) -> &'static [&'static str] {
    match rule {
        RuleId::EvidenceChain => &["external/cwe/cwe-345", "external/cwe/cwe-354"],
        RuleId::EvidenceRedacted | RuleId::EvidenceRemoved => &["external/cwe/cwe-345", "external/cwe/cwe-778"],
        RuleId::LintPermissionBypass
        | RuleId::PolicySettingsDrift
        | RuleId::RepoAutoApprove
        | RuleId::RepoPermissionBypass
        | RuleId::RepoWideAllow => &["external/cwe/cwe-269"],
        RuleId::RepoGateDisabled => &["external/cwe/cwe-693"],
        RuleId::RepoHiddenText => &["external/cwe/cwe-1007"],
        RuleId::RepoHookCommand | RuleId::ScopeDecodedCode | RuleId::ScopeRemoteShell => &["external/cwe/cwe-94"],
        RuleId::RepoServerFloating
        | RuleId::RepoServerPoisoned
        | RuleId::RepoServerUndeclared
        | RuleId::RepoServerUnsafe
        | RuleId::RepoServerUnused => &["external/cwe/cwe-829"],
        RuleId::ScopeRemoteCode => &["external/cwe/cwe-494"],
        RuleId::ScopeEnv => &["external/cwe/cwe-526"],
        RuleId::ScopeNetwork => &["external/cwe/cwe-923"],
        RuleId::ScopeRead | RuleId::ScopeSensitive => &["external/cwe/cwe-200"],
        RuleId::SequenceSecretEgress => &["external/cwe/cwe-200", "external/cwe/cwe-201"],
        _ => weaknesses_of_family(rule.family()),
    }
}

fn weaknesses_of_family(family: Family) -> &'static [&'static str] {
    match family {
        Family::Coverage | Family::Evidence => &["external/cwe/cwe-778"],
        Family::Floor | Family::Gate => &["external/cwe/cwe-693"],
        Family::Hooks | Family::Scope => &["external/cwe/cwe-284"],
        Family::Mcp => &["external/cwe/cwe-829"],
        Family::Pii => &["external/cwe/cwe-359", "external/cwe/cwe-532"],
        Family::Secret => &["external/cwe/cwe-522", "external/cwe/cwe-532"],
        Family::Budget
        | Family::Eval
        | Family::Lint
        | Family::Policy
        | Family::Repo
        | Family::Retention
        | Family::Sequence => &[],
    }
}

pub(super) fn class(rule: RuleId, level: Level) -> Class {
    let security_severity = security_severity(rule.family(), level);
    let mut tags = vec![if security_severity.is_some() { "security" } else { "maintainability" }, "ai-agent"];
    tags.extend(weaknesses(rule));
    let problem_severity = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "recommendation",
    };
    Class { security_severity, problem_severity, precision: precision(rule), tags }
}

fn security_severity(family: Family, level: Level) -> Option<&'static str> {
    let [error, warning, note] = match family {
        // How an agent worked, what it cost, how long logs are kept.
        Family::Budget | Family::Eval | Family::Lint | Family::Retention => return None,
        Family::Secret | Family::Sequence => ["9.1", "7.5", "3.0"],
        Family::Floor | Family::Gate => ["8.9", "6.9", "3.0"],
        Family::Pii => ["6.5", "5.0", "2.0"],
        Family::Coverage | Family::Evidence | Family::Policy => ["7.0", "5.0", "2.0"],
        Family::Hooks | Family::Mcp | Family::Repo | Family::Scope => ["8.0", "5.5", "2.0"],
    };
    Some(match level {
        Level::Error => error,
        Level::Warning => warning,
        Level::Note => note,
    })
}

fn precision(rule: RuleId) -> &'static str {
    match rule.family() {
        Family::Lint | Family::Pii => "medium",
        _ if rule == RuleId::ScopeUnresolved => "medium",
        _ => "high",
    }
}

#[cfg(test)]
mod tests {
    use super::class;
    use agent_strace_model::finding::Level;

    /// What code scanning refuses or takes for something else is not found by any validator.
    #[test]
    fn every_rule_has_a_severity_that_is_read() {
        for rule in agent_strace_rules::all() {
            for level in [Level::Error, Level::Warning, Level::Note] {
                let class = class(rule.id, level);
                let number = class.security_severity.map(|text| text.parse::<f64>().unwrap());
                assert!(number.is_none_or(|number| number > 0.0 && number < 10.0), "{}", rule.id);
                assert_eq!(class.tags.contains(&"security"), number.is_some(), "{}", rule.id);
                let known: std::collections::BTreeSet<&&str> = class.tags.iter().collect();
                assert!(known.len() == class.tags.len() && known.len() <= 10, "{}", rule.id);
            }
        }
    }
}
