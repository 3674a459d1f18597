//! Advice about one finding: one line that fits its rule, the entry that decided, and the act. What mends it comes first, and
//! a way to accept it last.
//!
//! `policy explain` and `policy test` answer what would change a judgement; this is for readers of a report, who also have
//! people, suppressions and the agent at hand. Texts hold log text, redacted, which a renderer escapes. No advice proposes to
//! allow a sensitive file.

mod by_policy;
mod unresolved;

use std::collections::BTreeSet;

use agent_strace_engine::policy_testing::ProposedFor;
use agent_strace_model::finding::{Family, Level, RuleId};
use agent_strace_secrets::Redacted;

use super::escape::shorten;
use super::sarif::catalogue::document;
use super::view::{Report, ShownEffect, ShownFinding, ShownSession};

/// Longest name in a text.
const NAME: usize = 120;
/// A text of a rule is cut after the sentence that reaches this length. The first sentence is always whole.
const REMEDY: usize = 300;
/// Names that are listed.
const NAMED: usize = 4;

/// The way out where no edit helps.
const EXCEPTION: &str = "an exception with an end date";

/// One line: a command or an edit that helps, or who has to look at it.
pub(super) fn next_step(report: &Report, finding: &ShownFinding) -> String {
    own_step(report, finding).unwrap_or_else(|| remedy_of(finding))
}

/// Returns true if the only advice is the text of the rule.
pub(super) fn is_of_rule(report: &Report, finding: &ShownFinding) -> bool {
    own_step(report, finding).is_none()
}

/// Returns one advice for all findings of one cause.
pub(super) fn next_step_of(report: &Report, findings: &[(Option<&ShownSession>, &ShownFinding)]) -> String {
    let Some((_, first)) = findings.first() else { return String::new() };
    let is_of_policy = first.rule.family() == Family::Scope && !is_attempt(first);
    let findings = findings.iter().map(|(_, finding)| *finding);
    let several = if is_of_policy { by_policy::step_of_several(report, findings) } else { None };
    several.unwrap_or_else(|| next_step(report, first))
}

/// Returns advice that fits this finding better than the text of its rule.
fn own_step(report: &Report, finding: &ShownFinding) -> Option<String> {
    if is_attempt(finding) {
        return Some("nothing, the call was refused before it ran".to_owned());
    }
    match finding.rule.family() {
        Family::Gate => Some(tampering(report, finding)),
        Family::Floor if finding.level == Level::Note => {
            Some("read the change as you would read code: it tells agents what to do, or runs by itself".to_owned())
        }
        Family::Floor => Some(format!(
            "revert it, and let a person make the change in a reviewed commit; what an agent has to do here takes \
             {EXCEPTION} (`{}`)",
            finding.rule
        )),
        Family::Scope => of_scope(report, finding),
        _ => None,
    }
}

/// It was refused before it ran.
fn is_attempt(finding: &ShownFinding) -> bool {
    finding.message.as_str().starts_with("attempt: ")
}

fn of_scope(report: &Report, finding: &ShownFinding) -> Option<String> {
    match finding.rule {
        RuleId::ScopeRemoteCode => Some(format!(
            "let the agent download the file, compare its digest with a committed one, and run it then; an installer that \
             you want needs {EXCEPTION}"
        )),
        RuleId::ScopeDecodedCode => {
            Some(format!("let the agent write the script out or commit it, so that it can be judged; else {EXCEPTION}"))
        }
        RuleId::ScopeRemoteShell => {
            Some(format!("stop the agent and look at its session; nothing but {EXCEPTION} allows it"))
        }
        RuleId::ScopeUnresolved => unresolved::step(report, finding),
        RuleId::ScopeSensitive => Some(sensitive(finding)),
        _ if finding.is_sensitive => Some(sensitive(finding)),
        _ => by_policy::step(report, finding),
    }
}

/// An act on a sensitive file, whatever judged it. An entry that allowed the file would be the wrong advice: `scope/sensitive`
/// reports the act all the same, and a secret in the context of a model is exposed however it got there.
fn sensitive(finding: &ShownFinding) -> String {
    let reads = finding.effect.as_deref().is_none_or(|effect| matches!(effect.kind, "read" | "list"));
    if reads {
        format!(
            "rotate what was exposed, and let the agent do without this file: it is a sensitive one; a task that needs it \
             takes {EXCEPTION}"
        )
    } else {
        format!(
            "look at the change, or revert it, and let a person make it: the file is a sensitive one; a task that needs it \
             takes {EXCEPTION}"
        )
    }
}

fn tampering(report: &Report, finding: &ShownFinding) -> String {
    let file = report.file_of(finding);
    let file = if file.is_empty() { "the change".to_owned() } else { quoted(file) };
    if finding.level == Level::Note {
        return note_of_gate(finding.message.as_str(), &file);
    }
    format!(
        "a code owner has to review {file}, in a pull request of its own; then the workflow says who did (`reviewed-by` of the \
         action, `--tampering-reviewed` of the program), or the policy at the base gets {EXCEPTION} for the path"
    )
}

/// A note needs no edit, and says why not: a review has made it one, or what the file is. `message`: the rule writes
/// ``changes `FILE`: REASON``, and then what counted less: ` (reviewed: WHO)`.
fn note_of_gate(message: &str, file: &str) -> String {
    const REVIEWED: &str = " (reviewed: ";
    if message.contains(REVIEWED) && message.ends_with(')') {
        return format!("nothing, people looked at {file}");
    }
    match message.split_once("`: ") {
        Some((_, reason)) => format!("nothing has to be fixed: {}", shorten(reason, REMEDY)),
        None => "nothing has to be fixed".to_owned(),
    }
}

/// The version of the policy that judged.
fn version(report: &Report) -> u32 {
    report.policy.as_ref().map_or(1, |policy| policy.version)
}

/// The parts of an effect that an entry would name.
fn proposed_for(effect: &ShownEffect) -> ProposedFor<'_> {
    ProposedFor {
        kind: effect.kind,
        path: effect.path.as_ref().map(Redacted::as_str),
        is_pattern: effect.certainty == Some("pattern"),
        argv: effect.argv.iter().flatten().map(Redacted::as_str).collect(),
        has_unknown_words: effect.has_unknown_words,
        host: effect.host.as_ref().map(Redacted::as_str),
        server: effect.server.as_ref().map(Redacted::as_str),
        tool: effect.tool.as_ref().map(Redacted::as_str),
        agent: effect.agent.as_ref().map(Redacted::as_str),
        name: effect.name.as_ref().map(Redacted::as_str),
    }
}

/// Returns the text of an entry that covers the target of an effect.
fn target(report: &Report, effect: &ShownEffect) -> Option<String> {
    proposed_for(effect).entry(version(report)).map(|entry| quoted(&entry))
}

/// The first names, and how many more there are.
fn named(names: &BTreeSet<String>) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn quoted(text: &str) -> String {
    format!("`{}`", shorten(text, NAME))
}

/// Returns the advice of the rule as one sentence.
fn remedy_of(finding: &ShownFinding) -> String {
    let text = remedy(finding.rule.as_str()).unwrap_or_default();
    // A sentence that proposes the entry which gave the finding its weight would change nothing.
    let judged_by = finding.policy.as_ref().filter(|location| location.pointer.starts_with("/evidence/rules/"));
    let weight = if finding.is_incomplete() { "incomplete" } else { finding.level.name() };
    let entry = judged_by.map(|_| format!("\"{}\": \"{weight}\"", finding.rule));
    let is_news = |sentence: &&str| entry.as_ref().is_none_or(|entry| !sentence.contains(entry));
    let sentences = text.trim_end_matches('.').split(". ").filter(is_news).map(|sentence| {
        let mut characters = sentence.chars();
        let first: String = characters.next().into_iter().flat_map(char::to_lowercase).collect();
        format!("{first}{}", characters.as_str())
    });
    let mut shown = String::new();
    for sentence in sentences {
        if !shown.is_empty() && shown.chars().count() + sentence.chars().count() > REMEDY {
            break;
        }
        let separator = if shown.is_empty() { "" } else { "; " };
        shown.push_str(separator);
        shown.push_str(&sentence);
    }
    shown
}

/// The first words of a rule about how to fix it: plain text, with names between backticks.
pub(super) fn remedy(id: &str) -> Option<String> {
    let (_, remedy) = document(agent_strace_rules::find(id)?.spec).split_once("## How to fix\n\n")?;
    let paragraph = remedy.split("\n\n").next()?;
    Some(paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod advice_tests;
#[cfg(test)]
mod tests {
    use super::note_of_gate;

    #[test]
    fn only_a_review_is_called_one() {
        let step = |message: &str| note_of_gate(message, "`AGENTS.md`");
        assert_eq!(
            step("changes `AGENTS.md`: agents follow it, or work in what it sets up"),
            "nothing has to be fixed: agents follow it, or work in what it sets up"
        );
        assert_eq!(
            step("changes `AGENTS.md`: agents follow it, or work in what it sets up (it is on the branch already)"),
            "nothing has to be fixed: agents follow it, or work in what it sets up (it is on the branch already)"
        );
        let reviewed = "changes `a.yml`: it decides whether changes are judged (reviewed: dana (a code owner))";
        assert_eq!(step(reviewed), "nothing, people looked at `AGENTS.md`");
    }
}
