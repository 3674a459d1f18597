//! Pipelines of GitLab, as its variables describe them.

use super::super::super::failure::Failure;
use super::super::base_branches::BaseBranches;
use super::{Event, Pushed, Variables, admitted, is_commit, unknown};

const CHANGES: &str = "pipelines of merge requests (`merge_request_event`), pushes, and pipelines for another branch than \
                       the default branch";
/// The branch that a merge request is to be merged into.
const TARGET: &str = "CI_MERGE_REQUEST_TARGET_BRANCH_NAME";

pub(super) fn event(value: &Variables<'_>, branches: BaseBranches<'_>) -> Result<Event, Failure> {
    let commit = |name| value(name).filter(|commit| is_commit(commit)).map(str::to_owned);
    let judged = commit("CI_COMMIT_SHA").ok_or_else(|| unknown("CI_COMMIT_SHA is not set"))?;
    let default = value("CI_DEFAULT_BRANCH");
    if let Some(target) = value(TARGET) {
        let heads = commit("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA").into_iter().chain([judged]).collect();
        // In a merge train it is the merge request before this one, which is not on the branch yet.
        let is_train = value("CI_MERGE_REQUEST_EVENT_TYPE") == Some("merge_train");
        let tip = commit("CI_MERGE_REQUEST_TARGET_BRANCH_SHA").filter(|_| !is_train);
        let seen = tip.or_else(|| commit("CI_MERGE_REQUEST_DIFF_BASE_SHA"));
        let base = runs_in_target(value).and_then(|()| admitted(target, default, branches));
        return Ok(Event { seen, ..Event::proposed(base, heads) });
    }
    let source = value("CI_PIPELINE_SOURCE");
    let branch = value("CI_COMMIT_BRANCH").map(|branch| format!("refs/heads/{branch}"));
    let reference = branch.or_else(|| value("CI_COMMIT_TAG").map(|tag| format!("refs/tags/{tag}")));
    let pushed = Pushed {
        event: source.unwrap_or("push").to_owned(),
        is_push: source.is_none_or(|source| source == "push"),
        reference: reference.as_deref(),
        before: value("CI_COMMIT_BEFORE_SHA"),
        commit: judged,
        default: default.ok_or_else(|| unknown("CI_DEFAULT_BRANCH is not set"))?,
        changes: CHANGES,
    };
    Ok(pushed.event())
}

/// In a fork every branch belongs to the author of the change, and so do the settings, the variables and the runners of its
/// pipelines.
fn runs_in_target(value: &Variables<'_>) -> Result<(), Failure> {
    let target = value("CI_MERGE_REQUEST_PROJECT_ID");
    let here = value("CI_PROJECT_ID").or(value("CI_MERGE_REQUEST_SOURCE_PROJECT_ID"));
    match (here, target) {
        (Some(here), Some(target)) if here != target => Err(Failure::new(format!(
            "the pipeline runs in the fork (project {here}), and the merge request is for project {target}: in a fork every \
             branch belongs to the author of the change"
        ))
        .hint(
            "run the pipeline in the project that it is merged into: a member starts it in the merge request, under \
             Pipelines",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Base, Kind};
    use super::*;
    use crate::cli::trust::BaseBranch;

    const HEAD: &str = "1111111111111111111111111111111111111111";
    const TIP: &str = "2222222222222222222222222222222222222222";
    const PARTED: &str = "3333333333333333333333333333333333333333";
    const NONE: &str = "0000000000000000000000000000000000000000";
    const REQUEST: &[(&str, &str)] = &[
        ("CI_COMMIT_SHA", HEAD),
        ("CI_DEFAULT_BRANCH", "main"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("CI_MERGE_REQUEST_PROJECT_ID", "1"),
        ("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "1"),
        ("CI_PROJECT_ID", "1"),
        ("CI_PIPELINE_SOURCE", "merge_request_event"),
        ("CI_COMMIT_BEFORE_SHA", NONE),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", PARTED),
    ];
    const PUSH: &[(&str, &str)] = &[
        ("CI_COMMIT_SHA", HEAD),
        ("CI_DEFAULT_BRANCH", "main"),
        ("CI_COMMIT_BRANCH", "main"),
        ("CI_PIPELINE_SOURCE", "push"),
        ("CI_COMMIT_BEFORE_SHA", TIP),
    ];

    /// The variables with others in their place; an empty one is not set.
    fn of(variables: &[(&str, &str)], others: &[(&str, &str)], named: &[&str]) -> Event {
        let named: Vec<BaseBranch> = named.iter().map(|name| BaseBranch::parse(name).unwrap()).collect();
        let value = |name: &str| {
            let found = others.iter().chain(variables).find(|(key, _)| *key == name)?;
            Some(found.1).filter(|value| !value.is_empty())
        };
        event(&value, BaseBranches { named: &named }).unwrap()
    }

    fn refused(event: &Event) -> &str {
        event.base.as_ref().unwrap_err().summary()
    }

    #[test]
    fn a_merge_request_is_judged_by_its_target_in_the_project_of_the_target() {
        let main = Base::Branch("main".to_owned());
        let parent = [("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "2")];
        for others in [&[][..], &parent] {
            let event = of(REQUEST, others, &[]);
            assert_eq!((event.base.as_ref().unwrap(), event.kind), (&main, Kind::Proposed), "{others:?}");
            assert_eq!((event.heads.as_slice(), event.seen.as_deref()), (&[HEAD.to_owned()][..], Some(PARTED)));
        }
        let fork = [("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "2"), ("CI_PROJECT_ID", "2")];
        let unnamed = [("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "2"), ("CI_PROJECT_ID", "")];
        for others in [fork, unnamed] {
            assert!(refused(&of(REQUEST, &others, &["main"])).contains("runs in the fork (project 2)"), "{others:?}");
        }
        let helper = [("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "helper")];
        assert!(refused(&of(REQUEST, &helper, &["help"])).contains("`helper` may not judge"));
        assert_eq!(of(REQUEST, &helper, &["helper"]).base.unwrap(), Base::Branch("helper".to_owned()));
        assert!(refused(&of(REQUEST, &[("CI_DEFAULT_BRANCH", "")], &[])).contains("`main` may not judge"));
    }

    /// A tip before one of these commits is an old one. In a train the commit before is of another merge request.
    #[test]
    fn merged_results_and_trains_say_what_the_target_has_had() {
        let merged = [("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", TIP), ("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", PARTED)];
        let event = of(REQUEST, &merged, &[]);
        assert_eq!((event.heads, event.seen.as_deref()), (vec![PARTED.to_owned(), HEAD.to_owned()], Some(TIP)));
        let train = [&merged[..], &[("CI_MERGE_REQUEST_EVENT_TYPE", "merge_train")]].concat();
        assert_eq!(of(REQUEST, &train, &[]).seen.as_deref(), Some(PARTED));
        assert_eq!(of(REQUEST, &[("CI_MERGE_REQUEST_DIFF_BASE_SHA", NONE)], &[]).seen, None);
    }

    #[test]
    fn pipelines_without_a_change_have_no_base() {
        let landed = of(PUSH, &[], &[]);
        assert_eq!((landed.base.unwrap(), landed.kind), (Base::Commit(TIP.to_owned()), Kind::Landed));
        assert!(refused(&of(PUSH, &[("CI_COMMIT_BEFORE_SHA", NONE)], &[])).contains("created the default branch"));
        for source in ["schedule", "web", "api", "trigger", "pipeline"] {
            let event = of(PUSH, &[("CI_PIPELINE_SOURCE", source)], &[]);
            assert!(refused(&event).contains(&format!("`{source}` has no change")), "{source}");
        }
        let topic = |others: &[(&str, &str)]| {
            let event = of(PUSH, &[others, &[("CI_COMMIT_BRANCH", "topic")]].concat(), &[]);
            (event.base.unwrap(), event.kind)
        };
        let main = Base::Branch("main".to_owned());
        assert_eq!(topic(&[]), (main.clone(), Kind::Pushed));
        assert_eq!(topic(&[("CI_PIPELINE_SOURCE", "web")]), (main.clone(), Kind::Started));
        let tag = of(PUSH, &[("CI_COMMIT_BRANCH", ""), ("CI_COMMIT_TAG", "v1")], &[]);
        assert_eq!((tag.base.unwrap(), tag.kind), (main, Kind::Started));
    }
}
