//! What rules say about themselves, for readers of SARIF.

use super::classes::class;
use super::model::{Configuration, Help, Message, Rule, RuleProperties};
use crate::escape::shorten;

/// Longest description that is shown.
const DESCRIPTION: usize = 1_000;

/// All rules, also the ones that found nothing: a rule that vanishes would close its alerts.
pub(super) fn rules() -> Vec<Rule> {
    agent_strace_rules::all().iter().map(|known| rule(known)).collect()
}

/// Rules that repositories are judged by: their own, and those about what is private.
pub(crate) fn of_repositories() -> Vec<Rule> {
    use agent_strace_rules::Check;
    let judges = |rule: &&&agent_strace_rules::Rule| matches!(rule.check, Check::Repository | Check::Private(_));
    agent_strace_rules::all().iter().filter(judges).map(|known| rule(known)).collect()
}

fn rule(known: &agent_strace_rules::Rule) -> Rule {
    let (summary, level) = (known.summary, known.level);
    let spec = document(known.spec);
    let class = class(known.id, level);
    Rule {
        id: known.id.to_string(),
        name: pascal_case(known.id.as_str()),
        short_description: Message { text: sentence(summary) },
        full_description: Message { text: shorten(&sentence(first_paragraph(spec).unwrap_or(summary)), DESCRIPTION) },
        help: Help { text: spec.to_owned(), markdown: spec.to_owned() },
        default_configuration: Configuration { level: level.name() },
        properties: RuleProperties {
            precision: class.precision,
            problem_severity: class.problem_severity,
            security_severity: class.security_severity,
            tags: class.tags,
        },
    }
}

/// The part of a spec that is for readers: its cases are tests.
pub(crate) fn document(spec: &str) -> &str {
    spec.split("\n## Cases").next().unwrap_or(spec).trim()
}

fn first_paragraph(spec: &str) -> Option<&str> {
    spec.split("\n\n").map(str::trim).find(|part| !part.is_empty() && !part.starts_with('#'))
}

fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut characters = text.chars();
    let capital: String =
        characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect());
    if capital.ends_with('.') { capital } else { capital + "." }
}

/// `scope/read` → `ScopeRead`, as consumers want names.
fn pascal_case(id: &str) -> String {
    id.split(['/', '-'])
        .map(|word| {
            let mut characters = word.chars();
            characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
        })
        .collect()
}
