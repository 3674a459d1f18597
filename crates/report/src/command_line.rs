//! Commands that a report proposes, with the options that lead to the same answer.

use super::view::{Report, ShownSession};
use agent_strace_secrets::{Redacted, redact};

/// Sessions that a command names one by one.
const NAMED: usize = 12;

/// The options of a run that decide what it finds. A command that is to find the same takes the same options.
#[derive(Debug, Default)]
pub struct RunOptions {
    /// Before the name of the command: `--trace-dir DIR`.
    global: Vec<ShownOption>,
    own: Vec<ShownOption>,
    sessions: RunSessions,
}

/// The sessions that a run was about.
#[derive(Debug, Default)]
pub enum RunSessions {
    /// Those of the store, or of the head of the change.
    #[default]
    Store,
    /// Paths of logs, as the user wrote them on the command line.
    Named(Vec<String>),
    /// Logs that were looked for on the machine.
    Discovered,
}

/// `--policy FILE`, or an option without a value. It may hold a secret.
#[derive(Debug)]
struct ShownOption {
    name: &'static str,
    value: Option<Redacted>,
}

impl RunOptions {
    pub fn new(sessions: RunSessions) -> Self {
        Self { sessions, ..Self::default() }
    }

    /// An option of the program, before the name of the command.
    pub fn global(mut self, name: &'static str, value: Option<&str>) -> Self {
        self.global.extend(value.map(|value| ShownOption { name, value: Some(redact(value)) }));
        self
    }

    /// An option with a value, where there is one.
    pub fn option(mut self, name: &'static str, value: Option<&str>) -> Self {
        self.own.extend(value.map(|value| ShownOption { name, value: Some(redact(value)) }));
        self
    }

    /// An option without a value.
    pub fn flag(mut self, name: &'static str) -> Self {
        self.own.push(ShownOption { name, value: None });
        self
    }
}

impl ShownOption {
    fn words(&self) -> String {
        let Some(value) = &self.value else { return format!(" --{}", self.name) };
        let value = value.as_str();
        // A value that begins with a dash would be taken for an option.
        let separator = if value.starts_with('-') { '=' } else { ' ' };
        format!(" --{}{separator}{}", self.name, shell_word(value))
    }
}

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

/// The command that explains a finding of the run. The reader puts the name of the finding in the place of `ID`.
pub(super) fn explain_any(report: &Report) -> String {
    explain(report, "ID", None)
}

/// The command that finds a finding of this session, or of none, again.
pub(super) fn explain(report: &Report, id: &str, session: Option<&ShownSession>) -> String {
    let options = &report.called_with;
    let all = |options: &[ShownOption]| options.iter().map(ShownOption::words).collect::<String>();
    let (global, own) = (all(&options.global), all(&options.own));
    format!("agent-strace{global} explain {id}{own}{}", sessions(&options.sessions, session))
}

/// The sessions in which `explain` looks: the named ones where they are few, else the one that the finding is about.
fn sessions(sessions: &RunSessions, session: Option<&ShownSession>) -> String {
    let name = |session: &str| ShownOption { name: "session", value: Some(redact(session)) }.words();
    match sessions {
        RunSessions::Store => String::new(),
        RunSessions::Named(named) if named.len() <= NAMED => named.iter().map(|session| name(session)).collect(),
        RunSessions::Named(_) | RunSessions::Discovered => match session.map(|session| session.source.as_str()) {
            // A log in an archive has no name that `--session` takes.
            Some(source) if !is_in_archive(source) => name(source),
            _ => " --session LOG".to_owned(),
        },
    }
}

fn is_in_archive(source: &str) -> bool {
    [".zip/", ".tar/", ".tgz/", ".tar.gz/", ".tar.zst/", ".tar.xz/", ".tar.bz2/"].iter().any(|end| source.contains(end))
}

/// A file as one word of a shell: a log names itself, and readers copy commands.
pub(super) fn quoted(word: &str) -> String {
    if word.starts_with('-') { shell_word(&format!("./{word}")) } else { shell_word(word) }
}

/// One word of a shell, whatever is in it.
fn shell_word(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:@%+,".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::{RunSessions, ShownOption, quoted, sessions};
    use agent_strace_secrets::redact;

    #[test]
    fn a_shell_takes_it_for_one_word() {
        assert_eq!(quoted(".agent-traces/a/events.ndjson"), ".agent-traces/a/events.ndjson");
        assert_eq!(quoted("-rf"), "./-rf");
        assert_eq!(quoted("a; rm -rf ~"), "'a; rm -rf ~'");
        assert_eq!(quoted("it's $(x)"), "'it'\\''s $(x)'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_log_whose_name_begins_with_a_dash_is_no_option() {
        let named = |names: &[&str]| RunSessions::Named(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(sessions(&named(&["-y.jsonl", "a.jsonl"]), None), " --session=-y.jsonl --session a.jsonl");
    }

    #[test]
    fn no_value_is_taken_for_an_option() {
        let shown = |value: &str| ShownOption { name: "policy", value: Some(redact(value)) }.words();
        assert_eq!(shown("a b.json"), " --policy 'a b.json'");
        assert_eq!(shown("-x"), " --policy=-x");
        assert_eq!(ShownOption { name: "no-suppressions", value: None }.words(), " --no-suppressions");
    }
}
