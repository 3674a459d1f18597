//! Commands that a report proposes, with the options that lead to the same answer.

use super::view::Report;

/// The options that name the policy that judged.
pub(super) fn policy(report: &Report) -> String {
    let Some(policy) = &report.policy else { return String::new() };
    let revision = judging(report).map(|commit| format!(" --policy-ref {}", quoted(commit)));
    format!(" --policy {}{}", quoted(policy.path.as_str()), revision.unwrap_or_default())
}

/// The commit that the policy was read from. The text of a revision is `main (99c7d9ce56d8)`, or the commit alone.
fn judging(report: &Report) -> Option<&str> {
    let revision = report.policy.as_ref()?.revision.as_ref()?.as_str();
    Some(revision.rsplit_once(" (").map_or(revision, |(_, commit)| commit.trim_end_matches(')')))
}

/// `agent-strace explain ID`, with what it takes to find that finding again.
pub(super) fn explain(report: &Report, id: &str) -> String {
    let policy = report.policy.as_ref().map(|policy| policy.path.as_str()).filter(|path| *path != DEFAULT_POLICY);
    let policy = policy.map(|path| format!(" --policy {}", quoted(path))).unwrap_or_default();
    if let Some(change) = &report.change {
        let [base, head] = [&change.base, &change.head].map(|revision| quoted(short(&revision.commit)));
        // The base judges, unless another revision was named.
        let other = judging(report).filter(|commit| !change.base.commit.starts_with(commit));
        let other = other.map(|commit| format!(" --policy-ref {}", quoted(commit))).unwrap_or_default();
        return format!("agent-strace explain {id}{policy} --base {base} --head {head}{other}");
    }
    let mut elsewhere = report.sessions.iter().map(|session| session.source.as_str());
    let sessions = match (elsewhere.find(|source| !source.starts_with(DEFAULT_STORE)), report.sessions.len()) {
        (None, _) => String::new(),
        // A log in an archive, and one of standard input, have no name that `--session` takes.
        (Some(source), 1) if source != "-" && !is_in_archive(source) => format!(" --session {}", quoted(source)),
        (Some(_), _) => " --session LOG".to_owned(),
    };
    format!("agent-strace explain {id}{policy}{sessions}")
}

const DEFAULT_POLICY: &str = ".agent-scope.json";
const DEFAULT_STORE: &str = ".agent-traces/";

fn is_in_archive(source: &str) -> bool {
    [".zip/", ".tar/", ".tgz/", ".tar.gz/", ".tar.zst/", ".tar.xz/", ".tar.bz2/"].iter().any(|end| source.contains(end))
}

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
