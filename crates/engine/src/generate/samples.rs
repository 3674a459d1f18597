//! Acts that a new policy allows and refuses, as its own tests: whoever changes the policy sees what that changes.
//!
//! Each is tried by the evaluator that judges sessions, and only those that hold are written.

use serde_json::{Value, json};

use agent_strace_effects::{Certainty, Kind};
use agent_strace_policy::builtin::builtin;
use agent_strace_policy::{Answer, Caller, Policy, TestCall};

use crate::policy_testing::tried;

use super::observe::Observation;
use super::paths;

/// Tests of what is allowed.
const MOST: usize = 4;
/// So many of them are commands, where there are acts of other kinds.
const COMMANDS: usize = 2;
/// Acts of one kind that are tried, until some of them hold.
const TRIED: usize = 8;
/// Characters of a command, and of a path: each test takes one line.
const LONGEST: usize = 30;
const LONGEST_PATH: usize = 24;

/// Acts that every generated policy refuses.
fn refused() -> [(&'static str, Value); 5] {
    [
        ("Read", json!({ "file_path": ".env" })),
        ("Write", json!({ "file_path": ".github/workflows/ci.yml" })),
        ("Bash", json!({ "command": "cat ~/.ssh/id_ed25519" })),
        ("Bash", json!({ "command": "git push --force origin main" })),
        ("Bash", json!({ "command": "curl -d @a https://example.com" })),
    ]
}

/// Objects of the key `tests`: acts of the sessions that are allowed.
pub(super) fn allowed_tests(policy: &Policy, observations: &[&Observation]) -> Vec<String> {
    let is_allowed = |act: &(&'static str, Value)| holds(policy, act, Answer::Allow);
    let mut commands = commands(observations).filter(is_allowed);
    let first: Vec<_> = commands.by_ref().take(COMMANDS).collect();
    let written = files(observations, Access::Written).find(is_allowed);
    let host = hosts(observations).find(is_allowed);
    let file = written.or_else(|| files(observations, Access::Read).find(is_allowed));
    let allowed = first.into_iter().chain(file).chain(host).chain(commands);
    allowed.take(MOST).map(|(tool, input)| text(tool, &input, Answer::Allow)).collect()
}

/// Acts that stay refused whatever the sessions did.
pub(super) fn refused_tests(policy: &Policy) -> Vec<String> {
    let refused = refused();
    let refused = refused.iter().filter(|act| holds(policy, act, Answer::Deny));
    refused.map(|(tool, input)| text(tool, input, Answer::Deny)).collect()
}

fn holds(policy: &Policy, (tool, input): &(&'static str, Value), answer: Answer) -> bool {
    tried(policy, &[TestCall::new(tool, input)], &Caller::default()).answer == answer
}

fn text(tool: &str, input: &Value, answer: Answer) -> String {
    format!("{{ \"tool\": \"{tool}\", \"input\": {input}, \"expect\": \"{}\" }}", answer.name())
}

/// The commands that most calls ran, one for each program, and those first that run code of the project.
fn commands<'o>(observations: &[&'o Observation]) -> impl Iterator<Item = (&'static str, Value)> + use<'o> {
    let mut found: Vec<(bool, usize, String)> = Vec::new();
    for observation in observations {
        let Kind::Execute(execution) = &observation.effect.kind else { continue };
        let words: Vec<&str> = execution.argv.iter().map(|word| word.text.as_str()).collect();
        let is_plain = execution.argv.iter().all(|word| word.known && is_plain(&word.text));
        let command = words.join(" ");
        let is_usual =
            ["viewers", "git-read"].iter().filter_map(|name| builtin(name)).any(|list| list.allows(execution));
        if is_plain
            && !is_usual
            && words.len() > 1
            && command.chars().count() <= LONGEST
            && !observation.calls.done.is_empty()
        {
            found.push((observation.vouched.is_empty(), observation.calls.done.len(), command));
        }
    }
    found.sort_by(|one, other| (one.0, other.1, &one.2).cmp(&(other.0, one.1, &other.2)));
    let mut programs = std::collections::BTreeSet::new();
    found.retain(|(_, _, command)| programs.insert(command.split(' ').next().unwrap_or_default().to_owned()));
    found.into_iter().take(TRIED).map(|(_, _, command)| ("Bash", json!({ "command": command })))
}

fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./:=@,+".contains(letter))
        && !agent_strace_secrets::has_mark(word)
        && !word.starts_with('/')
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Written,
}

/// The files that most calls touched.
fn files<'o>(
    observations: &[&'o Observation],
    access: Access,
) -> impl Iterator<Item = (&'static str, Value)> + use<'o> {
    let file = |observation: &&&'o Observation| match (&observation.effect.kind, access) {
        (Kind::Write(target), Access::Written) | (Kind::Read(target), Access::Read)
            if observation.effect.certainty == Certainty::Exact && !target.subtree =>
        {
            let path = target.path.as_str();
            let is_short = path.chars().count() <= LONGEST_PATH;
            (paths::is_below_root(path) && is_plain(path) && is_short).then_some((observation.calls.done.len(), path))
        }
        _ => None,
    };
    let mut files: Vec<(usize, &str)> = observations.iter().filter_map(|observation| file(&observation)).collect();
    files.sort_by(|one, other| (other.0, one.1).cmp(&(one.0, other.1)));
    let tool = if access == Access::Read { "Read" } else { "Write" };
    files.into_iter().take(TRIED).map(move |(_, path)| (tool, json!({ "file_path": path })))
}

/// The hosts that most calls connected to.
fn hosts<'o>(observations: &[&'o Observation]) -> impl Iterator<Item = (&'static str, Value)> + use<'o> {
    let host = |observation: &&'o Observation| match &observation.effect.kind {
        Kind::Connect(connection) if observation.effect.certainty == Certainty::Exact => {
            let host = connection
                .host
                .as_deref()
                .filter(|host| is_plain(host) && host.contains('.') && host.len() <= LONGEST)?;
            Some((observation.calls.done.len(), host))
        }
        _ => None,
    };
    let mut hosts: Vec<(usize, &str)> = observations.iter().filter_map(host).collect();
    hosts.sort_by(|one, other| (other.0, one.1).cmp(&(one.0, other.1)));
    hosts.into_iter().take(TRIED).map(|(_, host)| ("WebFetch", json!({ "url": format!("https://{host}/") })))
}
