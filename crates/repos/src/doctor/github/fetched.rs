//! Scripts that get the files of a change into the workspace.

use super::Workflow;
use crate::repo_audit::{commands, member, members, program, text};
use agent_strace_policy::json::Value;

/// Words for a change, its commits or its branch.
const OF_CHANGE: &[&str] = &[
    "pull_request.head",
    "pull_request.number",
    "merge_commit_sha",
    "event.number",
    "github.head_ref",
    "HEAD_REF",
    "HEAD_SHA",
    "refs/pull/",
    "pull/",
    "FETCH_HEAD",
];
/// Commands of git that put files of a commit, or of a patch, into the workspace.
const BRINGING: &[&str] = &[
    "am",
    "apply",
    "checkout",
    "cherry-pick",
    "clone",
    "merge",
    "pull",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "switch",
    "worktree",
];
/// Commands that fetch a file by its address, and words in the address of files of a commit.
const FETCHING: &[&str] = &["curl", "wget", "gh"];
const FILES: &[&str] = &["tarball", "zipball", "archive", "/raw", "/contents/", ".tar", ".zip", ".patch", ".diff"];

impl Workflow<'_> {
    /// A script with the values of the variables that it names.
    pub(super) fn with_values(&self, script: &str, step: &Value, job: &Value) -> String {
        let mut said = script.to_owned();
        for of in [step, job, &self.document.root] {
            for (key, value) in member(of, "env").map(members).unwrap_or_default() {
                let is_named = |form: String| script.contains(&form);
                if is_named(format!("${}", key.name)) || is_named(format!("${{{}", key.name)) {
                    said.extend(["\n", text(value).unwrap_or_default()]);
                }
            }
        }
        said
    }
}

/// Whether a script, or a value in it, names the change.
pub(super) fn names_change(said: &str) -> bool {
    OF_CHANGE.iter().any(|words| said.contains(words))
}

/// Whether a script gets commits from elsewhere.
pub(super) fn fetches(script: &str) -> bool {
    ["git fetch", "git remote add", "gh pr"].iter().any(|words| script.contains(words))
}

/// Whether a command of a script puts files of a commit that it names into the workspace.
pub(super) fn brings(script: &str) -> bool {
    let has_files = FILES.iter().any(|words| script.contains(words));
    commands(script).iter().any(|words| {
        let first = words.first().map(|first| program(first)).unwrap_or_default();
        let is_word = |names: &[&str]| words.iter().skip(1).any(|word| names.contains(&word.as_str()));
        match first.as_str() {
            "git" => is_word(BRINGING),
            "gh" if is_word(&["checkout", "clone"]) => true,
            name => FETCHING.contains(&name) && has_files,
        }
    })
}
