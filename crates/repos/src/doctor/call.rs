//! How a script calls the program: whether what it judges by could be changed by what it judges.

use crate::repo_audit::gate_calls;
use agent_strace_git::change_set::from_top;

/// Commands that give a verdict about sessions or changes.
const VERDICTS: &[&str] = &["check", "audit", "lint", "eval"];
/// Options that take the policy from a commit.
const BASES: &[&str] = &["--policy-ref", "--base", "--git-dir"];
const LEVELS: &[&str] = &["error", "warning", "note"];

/// A call that gives a verdict.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// The file that it names as its policy.
    pub(super) policy: Option<String>,
    /// The faults that take it out of force, each with the id of the check.
    pub(super) faults: Vec<(&'static str, String)>,
}

/// The calls in a script that give a verdict. `store`: where sessions are recorded.
pub(super) fn verdicts(script: &str, store: Option<&str>) -> Vec<Verdict> {
    let calls = gate_calls(script);
    let verdicts = calls.iter().filter(|words| words.iter().any(|word| VERDICTS.contains(&word.as_str())));
    let mut found: Vec<Verdict> = verdicts.map(|words| verdict(words, store)).collect();
    if let (Some(fault), Some(first)) = (hidden(script), found.first_mut()) {
        first.faults.push(("gate/forgiven", fault));
    }
    found
}

fn verdict(words: &[String], store: Option<&str>) -> Verdict {
    let given = |name: &str| value_of(words, name);
    let mut faults = Vec::new();
    if BASES.iter().all(|name| given(name).is_none()) {
        faults.push((
            "gate/base",
            "it is judged by the policy that the change brings: add `--policy-ref auto`, or the base branch".to_owned(),
        ));
    }
    if let Some(value) = BASES.iter().filter_map(|name| given(name)).find(|value| is_head(value)) {
        let fault = format!("`{value}` is what the change brings: judge by `auto`, or by the base branch");
        faults.push(("gate/base", fault));
    }
    if let Some(level) = given("--fail-on").filter(|level| level != "never" && !LEVELS.contains(&level.as_str())) {
        faults.push(("gate/forgiven", format!("nothing here says which findings fail the gate: `{level}`")));
    }
    if let Some(value) = given("--base-branch").filter(|value| is_any_branch(value)) {
        faults.push(("gate/branches", format!("`{value}` lets every branch judge: name the branches")));
    }
    if let Some(who) = given("--tampering-reviewed").filter(|who| !who.contains('$')) {
        faults
            .push(("gate/reviewed", format!("it says of every change that `{who}` reviewed what it does to the gate")));
    }
    let differs = |folder: &String| {
        store.is_some_and(|store| from_top("", folder.trim_end_matches('/')).as_deref() != Some(store))
    };
    if let Some(folder) = given("--trace-dir").filter(differs) {
        faults.push(("gate/store", format!("no session is recorded in `{folder}`: leave `--trace-dir` out")));
    }
    let policy = given("--policy").filter(|path| !path.contains('$'));
    Verdict { policy: policy.map(|path| path.trim_start_matches("./").to_owned()), faults }
}

fn value_of(words: &[String], name: &str) -> Option<String> {
    words.iter().enumerate().find_map(|(at, word)| {
        let rest = word.strip_prefix(name)?;
        match rest.strip_prefix('=') {
            Some(value) => Some(value.to_owned()),
            None if rest.is_empty() => Some(words.get(at + 1).cloned().unwrap_or_default()),
            None => None,
        }
    })
}

/// A line that hides the exit code: behind a pipe, in the background, or as a condition.
fn hidden(script: &str) -> Option<String> {
    let joined = script.replace("\\\n", " ");
    // A line that ends with `||` goes on.
    let goes_on = joined.lines().any(|line| line.trim_end().ends_with("||"));
    let joined = joined.split("||").map(|part| part.trim_start_matches(['\n', ' '])).collect::<Vec<_>>().join("|| ");
    let keeps_pipe = joined.contains("pipefail");
    let gate = |line: &&str| line.contains("agent-strace") && VERDICTS.iter().any(|name| line.contains(name));
    joined.lines().map(str::trim).filter(gate).find_map(|line| {
        let behind = line.split_once("agent-strace").map_or("", |(_, behind)| behind);
        let piped = behind.replace("||", "").contains('|');
        if piped && !keeps_pipe {
            return Some("the exit code of a pipe is that of its last command: add `set -o pipefail`".to_owned());
        }
        if behind.trim_end().ends_with('&') {
            return Some("nothing waits for it: take the `&` out".to_owned());
        }
        let is_condition = ["if ", "while ", "until ", "! "].iter().any(|word| line.starts_with(word));
        if is_condition && !joined.contains("exit ") {
            return Some("it is a condition, and nothing fails where it does not hold".to_owned());
        }
        let (_, otherwise) = behind.split_once("||")?;
        let otherwise = otherwise.trim();
        let fails = ["exit 1", "exit 2", "exit $", "return ", "code=$?", "rc=$?", "status=$?", "exit_code=$?"];
        let is_kept =
            fails.iter().any(|word| otherwise.contains(word)) || otherwise.ends_with('{') || otherwise.contains("=$?");
        // The rule about settings finds the usual forms on the line of the call.
        let is_known =
            !goes_on && ["true", ":", "/bin/true", "echo", "exit 0"].iter().any(|word| otherwise.starts_with(word));
        (!is_kept && !is_known).then(|| "what stands behind `||` hides that it failed".to_owned())
    })
}

/// Whether a revision is, or may be, the change itself.
pub(super) fn is_head(revision: &str) -> bool {
    let folded: String = revision.to_ascii_lowercase().chars().filter(|letter| !letter.is_whitespace()).collect();
    folded.starts_with("head")
        || ["head_ref", "head.ref", "head.sha", "github.sha", "github_sha", "ci_commit_sha", "source_branch"]
            .iter()
            .any(|part| folded.contains(part))
}

/// Whether a list of branches that may judge holds every branch, or whatever the event names.
pub(super) fn is_any_branch(branches: &str) -> bool {
    branches.contains("${{")
        || branches.contains('$')
        || branches.split([',', ' ', '\n']).any(|branch| matches!(branch.trim(), "*" | "**" | "refs/heads/*"))
}
