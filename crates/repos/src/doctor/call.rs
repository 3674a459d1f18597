//! How a script calls the program: whether what it judges by could be changed by what it judges.

use crate::repo_audit::gate_calls;

/// Commands that give a verdict about sessions or changes.
const VERDICTS: &[&str] = &["check", "audit", "lint", "eval"];
/// Options that take the policy from a commit.
const BASES: &[&str] = &["--policy-ref", "--base", "--git-dir"];

/// The calls in a script that give a verdict, and what is wrong with each.
pub(super) fn verdicts(script: &str) -> Vec<Option<String>> {
    let calls = gate_calls(script);
    calls
        .iter()
        .filter(|words| words.iter().any(|word| VERDICTS.contains(&word.as_str())))
        .map(|words| fault(words))
        .collect()
}

fn fault(words: &[String]) -> Option<String> {
    let given = |name: &str| {
        words.iter().enumerate().find_map(|(at, word)| {
            let rest = word.strip_prefix(name)?;
            match rest.strip_prefix('=') {
                Some(value) => Some(value.to_owned()),
                None if rest.is_empty() => Some(words.get(at + 1).cloned().unwrap_or_default()),
                None => None,
            }
        })
    };
    if BASES.iter().all(|name| given(name).is_none()) {
        return Some(
            "it is judged by the policy that the change brings: add `--policy-ref auto`, or the base branch".to_owned(),
        );
    }
    let head = BASES.iter().filter_map(|name| given(name)).find(|value| is_head(value));
    head.map(|value| format!("`{value}` is what the change brings: judge by `auto`, or by the base branch"))
}

/// Whether a revision is, or may be, the change itself.
pub(super) fn is_head(revision: &str) -> bool {
    let folded: String = revision.to_ascii_lowercase().chars().filter(|letter| !letter.is_whitespace()).collect();
    folded.starts_with("head")
        || ["head_ref", "head.ref", "head.sha", "github.sha", "github_sha", "ci_commit_sha", "source_branch"]
            .iter()
            .any(|part| folded.contains(part))
}
