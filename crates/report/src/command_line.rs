//! Commands that a report proposes, with the options that lead to the same answer.

use super::view::Report;

/// The options that name what judged. A revision is told as `main (99c7d9ce56d8)`; no name of one has a space.
pub(super) fn policy(report: &Report) -> String {
    let Some(policy) = &report.policy else { return String::new() };
    let revision = policy.revision.as_ref().map(|revision| {
        let name = revision.as_str().split(' ').next().unwrap_or_default();
        let commit = report.change.as_ref().map_or(name, |change| &change.base.commit);
        format!(" --policy-ref {}", quoted(commit))
    });
    format!(" --policy {}{}", quoted(policy.path.as_str()), revision.unwrap_or_default())
}

/// `agent-strace explain ID`, with what it takes to find that finding again.
pub(super) fn explain(report: &Report, id: &str) -> String {
    let policy = report.policy.as_ref().map(|policy| policy.path.as_str()).filter(|path| *path != DEFAULT_POLICY);
    let policy = policy.map(|path| format!(" --policy {}", quoted(path))).unwrap_or_default();
    if let Some(change) = &report.change {
        let [base, head] = [&change.base, &change.head].map(|revision| quoted(short(&revision.commit)));
        return format!("agent-strace explain {id}{policy} --base {base} --head {head}");
    }
    let mut elsewhere = report.sessions.iter().map(|session| session.source.as_str());
    let sessions = match (elsewhere.find(|source| !source.starts_with(DEFAULT_STORE)), report.sessions.len()) {
        (None, _) => String::new(),
        (Some(source), 1) => format!(" --session {}", quoted(source)),
        (Some(_), _) => " --session LOG".to_owned(),
    };
    format!("agent-strace explain {id}{policy}{sessions}")
}

const DEFAULT_POLICY: &str = ".agent-scope.json";
const DEFAULT_STORE: &str = ".agent-traces/";

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// One word of a shell, whatever is in it: a log names itself, and readers copy commands.
pub(super) fn quoted(word: &str) -> String {
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
