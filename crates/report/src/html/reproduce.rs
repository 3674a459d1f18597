//! Commands with which a reader comes to the same answer.

use super::markup::{Html, element, text};
use crate::command_line::{policy, quoted};
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
