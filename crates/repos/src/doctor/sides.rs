//! The two sides of a change as a workflow names them: which commit judges, and which one is judged.

use super::answer::Fault;
use super::scene::{Bases, Origin, Scene, Workspace};

/// The meaning of a name of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// The default branch, or the base of a queue.
    Default,
    /// The base that the author of the change picked.
    Picked,
    /// Where the change branched off.
    Fork,
    /// The last commit of the change.
    Head,
    /// The commit that the run is of: the change, or the tip of its base where the workflow is the base's.
    Run,
    /// A branch that the author of the change named.
    Called,
}

/// Expressions and variables of the forges, in lower case.
const NAMES: &[(&str, Names)] = &[
    ("auto", Names::Default),
    ("github.event.repository.default_branch", Names::Default),
    ("github.event.merge_group.base_sha", Names::Default),
    ("github.event.merge_group.base_ref", Names::Default),
    ("$ci_default_branch", Names::Default),
    ("github.base_ref", Names::Picked),
    ("github.event.pull_request.base.ref", Names::Picked),
    ("github.event.pull_request.base.sha", Names::Picked),
    ("$github_base_ref", Names::Picked),
    ("$ci_merge_request_target_branch_name", Names::Picked),
    ("$ci_merge_request_target_branch_sha", Names::Picked),
    ("$ci_merge_request_diff_base_sha", Names::Fork),
    ("github.event.pull_request.head.sha", Names::Head),
    ("github.event.merge_group.head_sha", Names::Head),
    ("$ci_commit_sha", Names::Head),
    ("$ci_merge_request_source_branch_sha", Names::Head),
    ("github.event.before", Names::Head),
    ("github.event.after", Names::Head),
    ("github.sha", Names::Run),
    ("$github_sha", Names::Run),
    ("github.ref", Names::Run),
    ("$github_ref", Names::Run),
    ("github.head_ref", Names::Called),
    ("$github_head_ref", Names::Called),
    ("github.event.pull_request.head.ref", Names::Called),
    ("github.ref_name", Names::Called),
    ("$github_ref_name", Names::Called),
    ("$ci_merge_request_source_branch_name", Names::Called),
    ("$ci_commit_ref_name", Names::Called),
    ("$ci_commit_branch", Names::Called),
];

const BASE: &str = "gate/base";
const HEAD: &str = "gate/head";

/// The alternatives of a value: those of an expression, or the value itself, without the remote and the folder of branches.
fn alternatives(value: &str) -> Vec<String> {
    let bare = ["refs/remotes/", "refs/heads/", "origin/"]
        .iter()
        .fold(value.trim(), |value, prefix| value.strip_prefix(prefix).unwrap_or(value));
    let whole = bare.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).filter(|inner| !inner.contains("}}"));
    let Some(inner) = whole else { return vec![bare.to_owned()] };
    let parts = inner.split("||").map(|part| part.trim().trim_matches(['(', ')', ' ']).to_owned());
    // An empty alternative leaves the choice to the event.
    parts.filter(|part| !matches!(part.as_str(), "''" | "null" | "false")).collect()
}

fn names(alternative: &str) -> Option<Names> {
    let folded = alternative.to_ascii_lowercase();
    NAMES.iter().find(|(name, _)| *name == folded).map(|(_, names)| *names)
}

fn is_literal(alternative: &str, value: &str) -> bool {
    !alternative.contains('$') && !value.contains("${{")
}

fn is_commit(text: &str) -> bool {
    text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The commit or branch whose policy judges.
pub(super) fn of_base(value: &str, scene: &Scene<'_>) -> Option<Fault> {
    let folded = value.trim().to_ascii_lowercase();
    if matches!(folded.as_str(), "origin/head" | "refs/remotes/origin/head") {
        return None;
    }
    let faults = alternatives(value).into_iter().filter_map(|alternative| of_one_base(&alternative, value, scene));
    faults.max_by_key(|fault| (fault.is_fatal(), fault.state == super::State::Defeated))
}

fn of_one_base(alternative: &str, value: &str, scene: &Scene<'_>) -> Option<Fault> {
    match names(alternative) {
        // An empty name leaves the choice to the event.
        None if alternative.is_empty() => None,
        Some(Names::Default) => None,
        Some(Names::Picked) if scene.bases == Bases::Named => None,
        Some(Names::Picked) => Some(Fault::defeats(
            BASE,
            "the author of a change picks its base branch, and could have written the policy there: leave it out, or let only \
             changes into named branches start the job",
        )),
        Some(Names::Fork) => Some(Fault::limits(
            BASE,
            "the author of a change picks the commit that it branches off, and with it the policy: judge by `auto`",
        )),
        Some(Names::Run) if scene.origin == Origin::Base => None,
        Some(Names::Head | Names::Run | Names::Called) => Some(of_change(value)),
        None if is_head(alternative) => Some(of_change(value)),
        None if !is_literal(alternative, value) => Some(Fault::unknown(
            BASE,
            format!("nothing here says which commit judges (`{value}`): leave it out, or name the base branch"),
        )),
        None if scene.held.default_branches.iter().any(|branch| branch == alternative) => None,
        None if is_commit(alternative) => Some(Fault::unknown(
            BASE,
            format!(
                "the policy of the commit `{alternative}` judges, and only that of this commit is looked at: name a branch"
            ),
        )),
        None => Some(Fault::weak(
            BASE,
            format!(
                "the policy on `{alternative}` judges every change: nothing may get into that branch without a review"
            ),
        )),
    }
}

fn of_change(value: &str) -> Fault {
    Fault::defeats(BASE, format!("`{value}` is what the change brings: judge by `auto`, or by the base branch"))
}

/// Whether a revision is, or may be, the change itself.
fn is_head(revision: &str) -> bool {
    let folded = revision.to_ascii_lowercase();
    folded.starts_with("head") || folded.starts_with("refs/pull/") || folded.starts_with('@')
}

/// The branches that may judge: a list, or a pattern.
pub(super) fn of_branches(branches: &str) -> Option<Fault> {
    let any = branches.contains('$') || branches.split([',', ' ', '\n']).any(|branch| is_any_branch(branch.trim()));
    any.then(|| {
        let message = format!(
            "`{}` lets every branch judge, so that the author of a change picks one: name the branches",
            branches.trim()
        );
        Fault::defeats("gate/branches", message)
    })
}

/// Whether a pattern takes branches of nearly every name.
pub(super) fn is_any_branch(pattern: &str) -> bool {
    let name = pattern.strip_prefix("refs/heads/").unwrap_or(pattern);
    name.contains('*') && name.chars().filter(|letter| letter.is_alphanumeric()).count() < 2
}

/// The commit that is judged.
pub(super) fn of_head(value: &str, scene: &Scene<'_>) -> Option<Fault> {
    let alternatives = alternatives(value);
    // In a run on the base, the commit of the run counts only where there is no pull request.
    let has_pull = alternatives.first().is_some_and(|first| names(first) == Some(Names::Head));
    let faults = alternatives.iter().filter_map(|alternative| of_one_head(alternative, value, has_pull, scene));
    faults.max_by_key(|fault| fault.state == super::State::Defeated)
}

fn of_one_head(alternative: &str, value: &str, has_pull: bool, scene: &Scene<'_>) -> Option<Fault> {
    let not_change = |why: &str| {
        Some(Fault::defeats(
            HEAD,
            format!("`{value}` {why}: leave it out, and the commit of the pull request is judged"),
        ))
    };
    match names(alternative) {
        Some(Names::Head) if alternative.ends_with(".before") => not_change("is the state before the last push"),
        Some(Names::Head) => None,
        Some(Names::Run) if scene.origin == Origin::Change || has_pull => None,
        Some(Names::Run) => not_change("is the tip of the base branch in such a run, and the change is not judged"),
        Some(Names::Called) => not_change("is a name that the author of a change picks, also that of a branch here"),
        Some(_) => not_change("is the base, and the change is not judged"),
        None if alternative.is_empty() => None,
        None if alternative.eq_ignore_ascii_case("head") || alternative == "@" => match scene.workspace {
            Workspace::Change => None,
            _ => not_change("is no commit of the change here"),
        },
        None if alternative.starts_with("refs/pull/") && value.contains("github.event") && value.contains("number") => {
            None
        }
        None if is_literal(alternative, value) => not_change("is the same for every change"),
        None => Some(Fault::unknown(
            HEAD,
            format!(
                "nothing here says that `{value}` is the change: leave it out, and the commit of the pull request is judged"
            ),
        )),
    }
}

/// Sessions that are read from the checkout, and a head that is the checkout's.
pub(super) fn of_checkout(bases: &[String], reads_commits: bool, scene: &Scene<'_>) -> Option<Fault> {
    if reads_commits || scene.workspace != Workspace::Base {
        return None;
    }
    let what =
        if bases.iter().any(|base| base == "auto") { "its sessions are" } else { "the commit and its sessions are" };
    let message = format!(
        "{what} those of the checkout, which is not the change: name the commit of the pull request with `--head`"
    );
    Some(Fault::defeats(HEAD, message))
}
