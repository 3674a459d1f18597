//! How bad what a rule reports is, how sure it is, and which weakness it is a case of.

use agent_strace_model::finding::Level;

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

/// Of which weakness a rule, or a family of rules that ends in `/`, tells. The first that fits counts.
const WEAKNESSES: &[(&str, &[&str])] = &[
    ("coverage/", &["external/cwe/cwe-778"]),
    ("evidence/chain", &["external/cwe/cwe-345", "external/cwe/cwe-354"]),
    ("evidence/removed", &["external/cwe/cwe-345", "external/cwe/cwe-778"]),
    ("evidence/", &["external/cwe/cwe-778"]),
    ("floor/", &["external/cwe/cwe-693"]),
    ("gate/", &["external/cwe/cwe-693"]),
    ("hooks/", &["external/cwe/cwe-284"]),
    ("lint/permission-bypass", &["external/cwe/cwe-269"]),
    ("mcp/", &["external/cwe/cwe-829"]),
    ("pii/", &["external/cwe/cwe-359", "external/cwe/cwe-532"]),
    ("repo/auto-approve", &["external/cwe/cwe-269"]),
    ("repo/gate-disabled", &["external/cwe/cwe-693"]),
    ("repo/hidden-text", &["external/cwe/cwe-1007"]),
    ("repo/hook-command", &["external/cwe/cwe-94"]),
    ("repo/permission-bypass", &["external/cwe/cwe-269"]),
    ("repo/server-", &["external/cwe/cwe-829"]),
    ("repo/wide-allow", &["external/cwe/cwe-269"]),
    ("scope/env", &["external/cwe/cwe-526"]),
    ("scope/network", &["external/cwe/cwe-923"]),
    ("scope/read", &["external/cwe/cwe-200"]),
    ("scope/sensitive", &["external/cwe/cwe-200"]),
    ("scope/", &["external/cwe/cwe-284"]),
    ("secret/", &["external/cwe/cwe-522", "external/cwe/cwe-532"]),
    ("sequence/secret-egress", &["external/cwe/cwe-200", "external/cwe/cwe-201"]),
];

pub(super) fn class(rule: &str, level: Level) -> Class {
    let family = rule.split('/').next().unwrap_or(rule);
    let security_severity = security_severity(family, level);
    let mut tags = vec![if security_severity.is_some() { "security" } else { "maintainability" }, "ai-agent"];
    let known = WEAKNESSES.iter().find(|(start, _)| rule.starts_with(start));
    tags.extend(known.map(|(_, tags)| *tags).unwrap_or_default());
    let problem_severity = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "recommendation",
    };
    Class { security_severity, problem_severity, precision: precision(rule, family), tags }
}

fn security_severity(family: &str, level: Level) -> Option<&'static str> {
    let [error, warning, note] = match family {
        // How an agent worked, what it cost, how long logs are kept.
        "budget" | "eval" | "lint" | "retention" => return None,
        "secret" | "sequence" => ["9.1", "7.5", "3.0"],
        "floor" | "gate" => ["8.9", "6.9", "3.0"],
        "pii" => ["6.5", "5.0", "2.0"],
        "coverage" | "evidence" | "policy" => ["7.0", "5.0", "2.0"],
        _ => ["8.0", "5.5", "2.0"],
    };
    Some(match level {
        Level::Error => error,
        Level::Warning => warning,
        Level::Note => note,
    })
}

fn precision(rule: &str, family: &str) -> &'static str {
    match family {
        "lint" | "pii" => "medium",
        _ if rule == "scope/unresolved" => "medium",
        _ => "high",
    }
}

#[cfg(test)]
mod tests {
    use super::{WEAKNESSES, class};
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

    #[test]
    fn every_weakness_is_one_of_a_rule() {
        for (start, tags) in WEAKNESSES {
            let told = |rule: &&&agent_strace_rules::Rule| class(rule.id, rule.level).tags.ends_with(tags);
            let known =
                agent_strace_rules::all().iter().filter(|rule| rule.id.starts_with(start)).any(|rule| told(&rule));
            assert!(known || matches!(*start, "coverage/" | "gate/"), "{start}");
        }
    }
}
