//! Commands with which a reader comes to the same answer.

use super::markup::{Html, element, text};
use crate::view::{Report, ShownSession};
use agent_strace_model::finding::RuleId;

pub(super) fn section(report: &Report) -> Html {
    let title = element("h2", &[("id", "reproduce")], [text("Do it yourself")]);
    let policy = policy(report);
    let rule = report.findings().next().map_or(RuleId::ScopeRead, |(_, finding)| finding.rule);
    let judge = match &report.change {
        Some(change) => (
            "Judge the change again, in a clone that has both commits",
            format!(
                "agent-strace check --git-dir .git --base {} --head {}{policy}",
                quoted(&change.base.commit),
                quoted(&change.head.commit)
            ),
        ),
        None => (
            "Judge one session again, in the folder in which this run was",
            format!("agent-strace check{policy} SESSION"),
        ),
    };
    let steps = [
        judge,
        ("See everything that it did", "agent-strace effects SESSION".to_owned()),
        ("Ask what the policy says about a command", format!("agent-strace effects{policy} --command 'TEXT'")),
        ("Read about a rule", format!("agent-strace rules {rule}")),
    ];
    let steps = steps.iter().map(|(what, line)| element("li", &[], [text(what), command(line)]));
    let steps = element("ol", &[("class", "steps")], steps);
    let where_from = "SESSION is the log of a session, as each session above names it, or its id. Exit codes: 0 passed, 1 \
                      failed, 2 could not judge, 3 evidence is missing. A policy is changed where it is committed; a \
                      finding that is accepted gets an exception there, with a reason, an owner and an end.";
    element("section", &[("aria-labelledby", "reproduce")], [title, steps, element("p", &[], [text(where_from)])])
}

pub(super) fn of_session(report: &Report, session: &ShownSession) -> Html {
    let (policy, source) = (policy(report), quoted(session.source.as_str()));
    [command(&format!("agent-strace check{policy} {source}")), command(&format!("agent-strace effects {source}"))]
        .into_iter()
        .collect()
}

fn command(line: &str) -> Html {
    element("pre", &[("class", "command")], [text(line)])
}

/// The options that name what judged. A revision is told as `main (99c7d9ce56d8)`; no name of one has a space.
fn policy(report: &Report) -> String {
    let Some(policy) = &report.policy else { return String::new() };
    let revision = policy.revision.as_ref().map(|revision| {
        let name = revision.as_str().split(' ').next().unwrap_or_default();
        let commit = report.change.as_ref().map_or(name, |change| &change.base.commit);
        format!(" --policy-ref {}", quoted(commit))
    });
    format!(" --policy {}{}", quoted(policy.path.as_str()), revision.unwrap_or_default())
}

/// One word of a shell, whatever is in it: a log names itself, and readers copy commands.
fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:@%+,".contains(character);
    let word = if word.starts_with('-') { format!("./{word}") } else { word.to_owned() };
    if !word.is_empty() && word.chars().all(is_plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_takes_it_for_one_word() {
        assert_eq!(quoted(".agent-traces/a/events.ndjson"), ".agent-traces/a/events.ndjson");
        assert_eq!(quoted("-rf"), "./-rf");
        assert_eq!(quoted("a; rm -rf ~"), "'a; rm -rf ~'");
        assert_eq!(quoted("it's $(x)"), "'it'\\''s $(x)'");
        assert_eq!(quoted(""), "''");
    }
}
