//! Lint: how an agent worked, not what it touched. Loops, retries that changed nothing, edits to files nobody read,
//! changes that nobody verified, tests that were taken out of the way.
//!
//! A rule looks at a [`LintContext`]: the session, its calls with what each did, and what the lint file says of the rule. It
//! looks only where a session is linted: the commands `lint` and `check --lint`, and `check` where there is a lint file.
//!
//! What a rule needs and the log does not record is not judged. Where the lint file speaks of the rule, somebody counts
//! on it, and the finding says that evidence is missing; elsewhere the rule is silent.

mod blind_edit;
mod budget_proximity;
mod calls;
mod context;
mod context_saturation;
mod denied_attempts;
pub(super) mod edits;
mod error_retry_loop;
mod no_output;
mod permission_bypass;
mod post_compaction_regression;
mod reasoning_spiral;
mod redundant_read;
#[cfg(test)]
mod schema;
mod tool_loop;
mod unfinished_session;
mod unverified_change;
mod vocabulary;
mod weakened_tests;

use super::{Check, Hit, Log, Rule};
use agent_strace_model::finding::{Family, RuleId};
use agent_strace_policy::config::lint::{Declared, Lints, Parameter};

pub(super) use blind_edit::{BLIND_EDIT, LARGE_BLIND_EDIT};
pub(super) use budget_proximity::BUDGET_PROXIMITY;
pub(super) use context_saturation::CONTEXT_SATURATION;
pub(super) use denied_attempts::DENIED_ATTEMPTS;
pub(super) use error_retry_loop::ERROR_RETRY_LOOP;
pub(super) use no_output::NO_OUTPUT;
pub(super) use permission_bypass::PERMISSION_BYPASS;
pub use permission_bypass::bypass;
pub(super) use post_compaction_regression::POST_COMPACTION_REGRESSION;
pub(super) use reasoning_spiral::REASONING_SPIRAL;
pub(super) use redundant_read::REDUNDANT_READ;
pub(super) use tool_loop::TOOL_LOOP;
pub(super) use unfinished_session::UNFINISHED_SESSION;
pub(super) use unverified_change::UNVERIFIED_CHANGE;
pub(super) use weakened_tests::WEAKENED_TESTS;

use calls::Calls;
use context::LintContext;

/// What makes a rule a lint rule.
#[derive(Debug)]
pub struct Lint {
    /// What the lint file can tell it.
    parameters: &'static [Parameter],
    look: fn(&LintContext<'_>, &mut Vec<Hit>),
}

/// Whether `lint` reports findings of this rule: those of its own family, and secrets that were read before something
/// left the machine.
pub fn reports(rule: RuleId) -> bool {
    rule.family() == Family::Lint || rule == RuleId::SequenceSecretEgress
}

/// Declares a rule with its spec, `specs/lint-$spec.md`.
macro_rules! lint {
    ($name:ident = $rule:ident, $spec:literal, $level:ident, $summary:literal, [$($parameter:expr),*], $look:expr) => {
        pub(crate) static $name: crate::Rule = crate::Rule {
            id: agent_strace_model::finding::RuleId::$rule,
            level: agent_strace_model::finding::Level::$level,
            summary: $summary,
            spec: include_str!(concat!("../../specs/lint-", $spec, ".md")),
            check: crate::Check::Lint(&crate::lint::Lint { parameters: &[$($parameter),*], look: $look }),
        };
    };
}
use lint;

/// Every lint rule, with what it can be told.
pub fn declared() -> Vec<Declared> {
    let of = |rule: &&'static Rule| match rule.check {
        Check::Lint(lint) => Some(Declared { name: name(rule), parameters: lint.parameters }),
        _ => None,
    };
    super::all().iter().filter_map(of).collect()
}

/// The name of a rule in the lint file: without the family.
pub fn name(rule: &'static Rule) -> &'static str {
    rule.id.short()
}

/// What all lint rules say to a session.
pub fn look(log: &Log<'_>, lints: &Lints, hits: &mut Vec<Hit>) {
    let calls = Calls::new(log);
    for rule in super::all() {
        let Check::Lint(lint) = rule.check else { continue };
        let tuning = lints.of(name(rule));
        let context = LintContext { log, calls: &calls, rule, tuning };
        if context.tuning.enabled {
            (lint.look)(&context, hits);
        } else if context.tuning.is_counted {
            context.cannot_judge("the lint file switches it off, and an eval counts what it finds", hits);
        }
    }
}
