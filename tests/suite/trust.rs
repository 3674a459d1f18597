//! What judges a change, as a job of CI says it: every event, checkouts of every depth, and what must never be taken for the
//! base.

use std::path::Path;

use serde_json::{Value, json};

use crate::repository::{self, DATE};
use crate::world::{Answer, World};

const STRICT: &str = r#"{"files": {"read": {"deny": ["private/**"]}}}"#;
const OPEN: &str = "{}";

/// A repository that a forge has, and a clone of it.
struct Forge {
    world: World,
    base: String,
    head: String,
    /// What the forge made to try the merge.
    merge: String,
}

fn git(folder: &Path, args: &[&str]) -> String {
    repository::git(folder, DATE, args).trim().to_owned()
}

fn commit(folder: &Path, message: &str) -> String {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", message]);
    git(folder, &["rev-parse", "HEAD"])
}

impl Forge {
    /// A session that reads a private file; the change weakens the policy in its first commit, and brings the session in its second.
    fn new() -> Self {
        let world = World::empty();
        let forge = world.path().join("forge");
        std::fs::create_dir(&forge).unwrap();
        git(&forge, &["init", "-q", "-b", "main"]);
        world.write("forge/.agent-scope.json", STRICT);
        commit(&forge, "policy");
        let base = {
            world.write("forge/README.md", "rates\n");
            commit(&forge, "more")
        };
        git(&forge, &["checkout", "-q", "-b", "topic"]);
        world.write("forge/.agent-scope.json", OPEN);
        commit(&forge, "weaken");
        let session = World::empty();
        session.session(
            "s1",
            1_790_000_000,
            &[("tool_call", json!({"tool_name": "Read", "arguments": {"file_path": "private/rates.txt"}}))],
        );
        for file in ["events.ndjson", "meta.json"] {
            world.write(&format!("forge/.agent-traces/s1/{file}"), &session.read(&format!(".agent-traces/s1/{file}")));
        }
        let head = commit(&forge, "work");
        git(&forge, &["checkout", "-q", "-b", "tried", "main"]);
        git(&forge, &["merge", "-q", "--no-ff", "-m", "try", "topic"]);
        let merge = git(&forge, &["rev-parse", "HEAD"]);
        git(&forge, &["update-ref", "refs/pull/7/merge", &merge]);
        git(&forge, &["update-ref", "refs/pull/7/head", &head]);
        git(&forge, &["checkout", "-q", "main"]);
        git(&forge, &["branch", "-q", "-D", "tried"]);
        Self { world, base, head, merge }
    }

    /// A clone at `clone`, as a checkout action makes it.
    fn checkout(&self, reference: &str, depth: Option<u32>, with_base: bool) -> &Self {
        let clone = self.world.path().join("clone");
        std::fs::create_dir(&clone).unwrap();
        git(&clone, &["init", "-q", "-b", "main"]);
        git(&clone, &["remote", "add", "origin", &format!("file://{}/forge", self.world.path().display())]);
        let depth = depth.map(|depth| format!("--depth={depth}"));
        let fetch = |reference: &str| {
            let mut args = vec!["fetch", "-q", "--no-tags"];
            args.extend(depth.as_deref());
            args.extend(["origin", reference]);
            git(&clone, &args);
        };
        fetch(reference);
        git(&clone, &["checkout", "-q", "--detach", "FETCH_HEAD"]);
        if with_base {
            fetch("+refs/heads/main:refs/remotes/origin/main");
        }
        self
    }

    fn event(&self, payload: &Value) -> &Self {
        self.world.write("event.json", &payload.to_string());
        self
    }

    fn pull_request(&self) -> &Self {
        self.event(&json!({
            "pull_request": {"base": {"ref": "main", "sha": self.base}, "head": {"ref": "topic", "sha": self.head}},
            "repository": {"default_branch": "main"},
        }))
    }

    fn check(&self, variables: &[(&str, &str)], args: &[&str]) -> (Answer, Value) {
        let path = self.world.path().join("event.json").display().to_string();
        let common = [("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_PATH", path.as_str())];
        let variables: Vec<(&str, &str)> = common.iter().chain(variables).copied().collect();
        let auto: &[&str] = if args.contains(&"--policy-ref") { &[] } else { &["--policy-ref", "auto"] };
        let command = [&["check", "--format", "json", "--now", "2026-03-01T12:00:00Z"], auto, args].concat();
        let answer = self.world.spawn("clone", &command, &variables, "");
        let document = serde_json::from_str(&answer.stdout).unwrap_or(Value::Null);
        (answer, document)
    }
}

/// Judged by the policy of the base: the read is an error, and so is the weakened policy.
fn assert_judged_by_base((answer, document): &(Answer, Value)) {
    assert_eq!(answer.code, 1, "{} {}", answer.stdout, answer.stderr);
    let rules: Vec<&str> =
        document["findings"].as_array().unwrap().iter().filter_map(|found| found["rule"].as_str()).collect();
    assert!(rules.contains(&"scope/read") && rules.contains(&"gate/tampering"), "{rules:?}");
    assert_eq!(document["change"]["after_merge"]["passes"], true, "{document}");
}

#[test]
fn a_pull_request_is_judged_by_the_tip_of_its_base() {
    for (reference, depth) in [("refs/pull/7/merge", None), ("refs/pull/7/merge", Some(1)), ("refs/pull/7/head", None)]
    {
        let forge = Forge::new();
        forge.checkout(reference, depth, true).pull_request();
        let merge = forge.merge.clone();
        assert_judged_by_base(&forge.check(&[("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_SHA", &merge)], &[]));
    }
}

/// What the forge made to try the merge has the base as its first parent, and the event says that it is that commit.
#[test]
fn the_merge_that_the_forge_tried_names_its_base() {
    let forge = Forge::new();
    forge.checkout("refs/pull/7/merge", Some(2), false).pull_request();
    let merge = forge.merge.clone();
    assert_judged_by_base(&forge.check(&[("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_SHA", &merge)], &[]));
}

/// The parent of any other commit is what its author wrote before: the policy there is the weakened one.
#[test]
fn the_parent_of_a_head_is_never_the_base() {
    for (reference, depth) in
        [("refs/pull/7/head", Some(2)), ("refs/pull/7/head", Some(1)), ("refs/pull/7/merge", Some(1))]
    {
        let forge = Forge::new();
        forge.checkout(reference, depth, false).pull_request();
        let merge = forge.merge.clone();
        let (answer, _) = forge.check(&[("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_SHA", &merge)], &[]);
        assert_eq!(answer.code, 2, "{reference} {depth:?}: {}", answer.stdout);
        assert!(answer.stderr.starts_with("error: the base branch `main` is not here"), "{}", answer.stderr);
        assert!(answer.stderr.contains("git fetch --no-tags origin +refs/heads/main:refs/remotes/origin/main"));
    }
}

/// A clone that was kept from an earlier run may have an older tip, with an older policy.
#[test]
fn a_tip_that_was_left_behind_is_not_the_base() {
    let forge = Forge::new();
    forge.checkout("refs/pull/7/merge", None, true).pull_request();
    git(&forge.world.path().join("clone"), &["update-ref", "refs/remotes/origin/main", &format!("{}^", forge.base)]);
    let merge = forge.merge.clone();
    let (answer, _) = forge.check(&[("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_SHA", &merge)], &[]);
    assert_eq!(answer.code, 2, "{}", answer.stdout);
    assert!(answer.stderr.contains("the event names a later commit"), "{}", answer.stderr);
    // All of the history is here, and the commit that the branch has been at is not in it.
    git(&forge.world.path().join("clone"), &["update-ref", "refs/remotes/origin/main", &forge.base]);
    forge.event(&json!({
        "pull_request": {"base": {"ref": "main", "sha": "1".repeat(40)}, "head": {"ref": "topic", "sha": forge.head}},
        "repository": {"default_branch": "main"},
    }));
    let (answer, _) = forge.check(&[("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_SHA", &merge)], &[]);
    assert_eq!(answer.code, 2, "{}", answer.stdout);
    assert!(answer.stderr.contains("the branch was rewritten"), "{}", answer.stderr);
}

/// A branch or a tag of the same name stands in for nothing.
#[test]
fn no_other_reference_is_taken_for_the_base() {
    let forge = Forge::new();
    forge.checkout("refs/pull/7/head", None, false).pull_request();
    let clone = forge.world.path().join("clone");
    for name in ["refs/heads/main", "refs/tags/main", "refs/heads/origin/main", "refs/tags/origin/main"] {
        git(&clone, &["update-ref", name, "HEAD"]);
    }
    let merge = forge.merge.clone();
    let (answer, _) = forge.check(&[("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_SHA", &merge)], &[]);
    assert_eq!(answer.code, 2, "{}", answer.stdout);
}

/// The workflow of `pull_request_target` runs on the base: its commit is not the change.
#[test]
fn what_runs_on_the_base_needs_the_head() {
    let forge = Forge::new();
    forge.checkout("refs/heads/main", None, true).pull_request();
    let base = forge.base.clone();
    let variables = [("GITHUB_EVENT_NAME", "pull_request_target"), ("GITHUB_SHA", base.as_str())];
    let (answer, _) = forge.check(&variables, &[]);
    assert_eq!(answer.code, 2, "{}", answer.stdout);
    assert!(answer.stderr.contains("the head of the change is not here"), "{}", answer.stderr);
    let clone = forge.world.path().join("clone");
    git(&clone, &["fetch", "-q", "origin", "+refs/pull/7/head:refs/pull/7/head"]);
    assert_judged_by_base(&forge.check(&variables, &["--head", "refs/pull/7/head"]));
    // The repository is enough.
    assert_judged_by_base(&forge.check(&variables, &["--git-dir", "../clone/.git"]));
}

#[test]
fn a_queue_is_judged_by_its_base() {
    let forge = Forge::new();
    forge.checkout("refs/pull/7/merge", None, true);
    forge.event(&json!({
        "merge_group": {"base_ref": "refs/heads/main", "base_sha": forge.base, "head_sha": forge.merge},
        "repository": {"default_branch": "main"},
    }));
    let merge = forge.merge.clone();
    assert_judged_by_base(&forge.check(&[("GITHUB_EVENT_NAME", "merge_group"), ("GITHUB_SHA", &merge)], &[]));
    for (base_ref, base_sha) in [("refs/heads/main", ""), ("refs/heads/helper", &forge.base), ("", &forge.base)] {
        forge.event(&json!({
            "merge_group": {"base_ref": base_ref, "base_sha": base_sha, "head_sha": forge.merge},
            "repository": {"default_branch": "main"},
        }));
        assert_eq!(forge.check(&[("GITHUB_EVENT_NAME", "merge_group"), ("GITHUB_SHA", &merge)], &[]).0.code, 2);
    }
}

/// To the default branch: by what was there before. To another one: by the default branch, never by an earlier push.
#[test]
fn a_push_is_judged_by_what_it_was_pushed_onto() {
    let forge = Forge::new();
    forge.checkout("refs/pull/7/head", None, true);
    let weakened = git(&forge.world.path().join("clone"), &["rev-parse", "HEAD^"]);
    forge.event(&json!({"before": weakened, "repository": {"default_branch": "main"}}));
    let head = forge.head.clone();
    let push = [("GITHUB_EVENT_NAME", "push"), ("GITHUB_SHA", head.as_str()), ("GITHUB_REF", "refs/heads/topic")];
    assert_judged_by_base(&forge.check(&push, &[]));

    forge.event(&json!({"before": forge.base, "repository": {"default_branch": "main"}}));
    let push = [("GITHUB_EVENT_NAME", "push"), ("GITHUB_SHA", head.as_str()), ("GITHUB_REF", "refs/heads/main")];
    let (answer, document) = forge.check(&push, &[]);
    assert_eq!(answer.code, 1);
    let tampering = document["findings"].as_array().unwrap().iter().find(|found| found["rule"] == "gate/tampering");
    assert_eq!(tampering.unwrap()["level"], "warning", "it is on the branch already");

    // What was there before is not in the repository: nobody can tell.
    forge.event(&json!({"before": "1".repeat(40), "repository": {"default_branch": "main"}}));
    assert_eq!(forge.check(&push, &[]).0.code, 2);
}

#[test]
fn a_workflow_that_runs_after_another_one_judges_its_head() {
    let forge = Forge::new();
    forge.checkout("refs/pull/7/head", None, true);
    forge.event(&json!({"workflow_run": {"head_sha": forge.head, "pull_requests": []}, "repository": {"default_branch": "main"}}));
    let base = forge.base.clone();
    assert_judged_by_base(&forge.check(&[("GITHUB_EVENT_NAME", "workflow_run"), ("GITHUB_SHA", &base)], &[]));
}

impl Forge {
    /// The variables of a merge request pipeline, with `others` in place of its own.
    fn pipeline(&self, others: &[(&str, &str)], args: &[&str]) -> (Answer, Value) {
        let variables = [
            ("GITLAB_CI", "true"),
            ("CI_COMMIT_SHA", self.head.as_str()),
            ("CI_DEFAULT_BRANCH", "main"),
            ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", self.base.as_str()),
            ("CI_MERGE_REQUEST_PROJECT_ID", "1"),
            ("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "1"),
            ("CI_PROJECT_ID", "1"),
        ];
        let command = ["check", "--policy-ref", "auto", "--format", "json", "--now", "2026-03-01T12:00:00Z"];
        let answer = self.world.spawn("clone", &[&command, args].concat(), &[&variables, others].concat(), "");
        let document = serde_json::from_str(&answer.stdout).unwrap_or(Value::Null);
        (answer, document)
    }
}

#[test]
fn a_merge_request_of_gitlab_is_judged_by_its_target() {
    let forge = Forge::new();
    forge.checkout("refs/pull/7/head", None, true);
    assert_judged_by_base(&forge.pipeline(&[], &[]));
    // The same where the project that it is merged into runs it.
    assert_judged_by_base(&forge.pipeline(&[("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "2")], &[]));
    let clone = forge.world.path().join("clone");
    git(&clone, &["update-ref", "refs/remotes/origin/helper", "HEAD"]);
    let helper = ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "helper");
    for (others, named, said) in [
        (vec![("CI_PROJECT_ID", "2"), ("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "2")], "main", "runs in the fork"),
        (vec![helper], "help", "`helper` may not judge"),
        (vec![("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", forge.merge.as_str())], "main", "names a later commit"),
    ] {
        let (answer, _) = forge.pipeline(&others, &["--base-branch", named]);
        assert_eq!(answer.code, 2, "{}", answer.stdout);
        assert!(answer.stderr.contains(said), "{}", answer.stderr);
    }
}

/// The author of a change picks the branch that it is merged into, and may have written the policy there.
#[test]
fn only_the_default_branch_and_named_ones_may_judge() {
    let forge = Forge::new();
    forge.checkout("refs/pull/7/head", None, true);
    let clone = forge.world.path().join("clone");
    git(&clone, &["update-ref", "refs/remotes/origin/release/1", &forge.base]);
    let head = forge.head.clone();
    let variables = [("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_SHA", head.as_str())];
    forge.event(&json!({
        "pull_request": {"base": {"ref": "release/1", "sha": forge.base}, "head": {"ref": "topic", "sha": forge.head}},
        "repository": {"default_branch": "main"},
    }));
    let refused = |args: &[&str]| {
        let (answer, _) = forge.check(&variables, args);
        assert_eq!(answer.code, 2, "{}", answer.stdout);
        assert!(answer.stderr.contains("`release/1` may not judge"), "{}", answer.stderr);
        assert!(answer.stderr.contains("--base-branch NAME"), "{}", answer.stderr);
    };
    refused(&[]);
    refused(&["--base-branch", "release", "--base-branch", "releases/**"]);
    // Another policy is no other base.
    refused(&["--policy-ref", "origin/main", "--base", "auto"]);
    for named in ["release/1", "release/*", "release/**"] {
        assert_judged_by_base(&forge.check(&variables, &["--base-branch", named]));
    }
    assert_judged_by_base(&forge.check(&variables, &["--base", "origin/main"]));
}

/// The hint fits what git said.
#[test]
fn a_base_that_can_not_be_read_says_what_helps() {
    let forge = Forge::new();
    forge.checkout("refs/pull/7/head", None, true);
    let clone = forge.world.path().join("clone");
    let hint = |folder: &str, base: &str| {
        let answer = forge.world.spawn(folder, &["check", "--base", base], &[], "");
        assert_eq!(answer.code, 2, "{}", answer.stdout);
        answer.stderr
    };
    assert!(hint("clone", "origin/HEAD").contains("git remote set-head origin --auto"));
    assert!(hint("clone", "origin/gone").contains("has to be fetched first"));
    git(&clone, &["init", "-q", "--object-format=sha256", "../long"]);
    assert!(hint("long", "HEAD").contains("SHA-256"), "{}", hint("long", "HEAD"));
}

/// Outside of CI, or where the event says nothing, there is no base to guess.
#[test]
fn nothing_is_guessed() {
    let forge = Forge::new();
    forge.checkout("refs/pull/7/head", None, true).pull_request();
    let outside = forge.world.spawn("clone", &["check", "--policy-ref", "auto"], &[], "");
    assert_eq!((outside.code, outside.stdout.as_str()), (2, ""));
    assert!(outside.stderr.contains("asks the event of a CI job"), "{}", outside.stderr);
    for payload in [
        json!({}),
        json!({"pull_request": {"base": {"ref": "../x", "sha": ""}, "head": {"ref": "", "sha": ""}},
        "repository": {"default_branch": "main"}}),
        json!([]),
    ] {
        let forge = forge.event(&payload);
        let merge = forge.merge.clone();
        let (answer, _) = forge.check(&[("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_SHA", &merge)], &[]);
        assert_eq!(answer.code, 2, "{payload}: {}", answer.stdout);
    }
    std::fs::remove_file(forge.world.path().join("event.json")).unwrap();
    assert_eq!(forge.check(&[("GITHUB_EVENT_NAME", "pull_request")], &[]).0.code, 2);
}

/// Reviewers are shown what stands in lines of the change: the file that was changed, or the log that comes with it.
#[test]
fn findings_stand_in_lines_of_the_change() {
    let forge = Forge::new();
    forge.checkout("refs/pull/7/merge", None, true).pull_request();
    let merge = forge.merge.clone();
    let variables = [
        ("GITHUB_EVENT_NAME", "pull_request"),
        ("GITHUB_SHA", merge.as_str()),
        ("GITHUB_SERVER_URL", "https://forge.example.com"),
        ("GITHUB_REPOSITORY", "dana/rates"),
    ];
    let (answer, _) = forge.check(
        &variables,
        &["--report", "sarif=gate.sarif", "--report", "github=gate.txt", "--report", "junit=gate.xml"],
    );
    let junit = forge.world.read("clone/gate.xml");
    assert!(junit.contains("<failure type=\"gate/tampering\"") && junit.contains(", .agent-scope.json:1"), "{junit}");
    assert_eq!(answer.code, 1, "{answer:?}");
    let sarif: Value = serde_json::from_str(&forge.world.read("clone/gate.sarif")).unwrap();
    let run = &sarif["runs"][0];
    let place = |rule: &str| {
        let results = run["results"].as_array().unwrap();
        let result = results.iter().find(|result| result["ruleId"] == rule).unwrap();
        let place = &result["locations"][0]["physicalLocation"];
        assert!(result["partialFingerprints"]["primaryLocationLineHash"].is_string(), "{result}");
        format!("{}:{}", place["artifactLocation"]["uri"].as_str().unwrap(), place["region"]["startLine"])
    };
    assert_eq!(place("gate/tampering"), ".agent-scope.json:1");
    assert_eq!(place("scope/read"), ".agent-traces/s1/events.ndjson:1");
    assert_eq!(run["versionControlProvenance"][0]["repositoryUri"], "https://forge.example.com/dana/rates");
    assert_eq!(run["versionControlProvenance"][0]["revisionId"], forge.head.as_str());
    let annotations = forge.world.read("clone/gate.txt");
    assert!(
        annotations.contains("::error file=.agent-scope.json,line=1,title=agent-strace gate/tampering::"),
        "{annotations}"
    );
    // On the branch itself a log is no place to come back to: the policy is.
    forge.event(&json!({"before": forge.base, "repository": {"default_branch": "main"}}));
    let head = forge.head.clone();
    let push = [("GITHUB_EVENT_NAME", "push"), ("GITHUB_SHA", head.as_str()), ("GITHUB_REF", "refs/heads/main")];
    let _ = forge.check(&push, &["--report", "sarif=push.sarif"]);
    let sarif = forge.world.read("clone/push.sarif");
    assert!(!sarif.contains("\"locations\": [\n            {\n              \"physicalLocation\": {\n                \"artifactLocation\": {\n                  \"uri\": \".agent-traces"));
}

/// People change things, too: a change without agents passes, and sessions of earlier changes are not judged again.
#[test]
fn a_change_by_people_passes() {
    let forge = Forge::new();
    let folder = forge.world.path().join("forge");
    git(&folder, &["checkout", "-q", "-b", "old", "main"]);
    git(&folder, &["checkout", "-q", "topic", "--", ".agent-traces"]);
    let base = commit(&folder, "an earlier change");
    forge.world.write("forge/README.md", "more\n");
    let head = commit(&folder, "people");
    let answer = forge.world.spawn("forge", &["check", "--base", &base, "--now", "2026-03-01T12:00:00Z"], &[], "");
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stderr.contains("1 session of earlier changes left out"), "{answer:?}");
    assert!(answer.stdout.contains("note     coverage/unexplained-change"), "{answer:?}");
    // A session that is named is judged, and counts, wherever it is from.
    let args = ["check", ".agent-traces", "--base", &base, "--now", "2026-03-01T12:00:00Z"];
    let text = forge.world.spawn("forge", &args, &[], "").stdout;
    let json = forge.world.spawn("forge", &[&args[..], &["--format", "json"]].concat(), &[], "").stdout;
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["summary"]["sessions"], 1, "{document}");
    assert_eq!(document["sessions"][0]["of_base"], true, "{document}");
    assert!(text.contains(": 1 session, "), "{text}");
    assert!(text.contains("the base of the change has this session already"), "{text}");
    // A commit of an agent without a session does not.
    git(&folder, &["commit", "-q", "--amend", "-m", "work\n\nCo-Authored-By: Claude <noreply@anthropic.com>"]);
    let answer = forge.world.spawn("forge", &["check", "--base", &base, "--now", "2026-03-01T12:00:00Z"], &[], "");
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stdout.contains("coverage/no-session"), "{answer:?}");
    assert_ne!(head, base);
}

/// Who wonders about a file that was left out is told what wrote it.
#[test]
fn what_a_session_wrote_and_the_change_does_not_hold_is_told_with_its_tool() {
    let forge = Forge::new();
    let folder = forge.world.path().join("forge");
    git(&folder, &["checkout", "-q", "-b", "kept", "main"]);
    let written = json!({"event_type": "tool_call", "timestamp": 1_790_000_000, "event_id": "e1", "session_id": "s2",
        "data": {"tool_name": "Write", "arguments": {"file_path": "notes.txt", "content": "x\n"}}});
    forge.world.write("forge/.agent-traces/s2/events.ndjson", &format!("{written}\n"));
    forge.world.write("forge/.agent-traces/s2/meta.json", r#"{"session_id":"s2","started_at":1790000000}"#);
    commit(&folder, "work");
    let args = ["check", "--base", "main", "--format", "json", "--now", "2026-11-01T12:00:00Z"];
    let answer = forge.world.spawn("forge", &args, &[], "");
    assert_eq!(answer.code, 0, "{answer:?}");
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["rule"] == "coverage/unmerged-write").unwrap();
    assert_eq!(found["tool"], "Write", "{found}");
}
