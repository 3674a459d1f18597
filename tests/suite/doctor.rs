//! `init --ci` and `doctor` in repositories: what the one writes, the other finds in force once it is committed.

use std::path::Path;

use crate::schemas::{faults, validator};
use crate::world::{Answer, World};

const ACTION: &str = "acme/agent-strace@0123456789abcdef0123456789abcdef01234567";
const OWNERS: &str = "/.agent-* @acme/security\n/.github/ @acme/security\n";

/// Everything in the folder, as a commit.
fn commit(folder: &Path) {
    let repository = git2::Repository::open(folder).unwrap_or_else(|_| git2::Repository::init(folder).unwrap());
    let mut index = repository.index().unwrap();
    index.add_all(["*"], git2::IndexAddOption::FORCE, None).unwrap();
    index.write().unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let author = git2::Signature::new("a", "a@example.com", &git2::Time::new(1, 0)).unwrap();
    let parent = repository.head().ok().map(|head| head.peel_to_commit().unwrap());
    repository.commit(Some("HEAD"), &author, &author, "one", &tree, &parent.iter().collect::<Vec<_>>()).unwrap();
}

fn repository(init: &[&[&str]]) -> World {
    let world = World::empty();
    world.write("README.md", "rates\n");
    commit(world.path());
    for arguments in init {
        let answer = world.run(&[&["init"], *arguments].concat());
        assert_eq!(answer.code, 0, "{answer:?}");
    }
    world
}

/// The first line, and the exit code.
fn said(answer: &Answer) -> (&str, i32) {
    let line = answer.stdout.lines().next().unwrap_or_default();
    (line.split(" (").next().unwrap(), answer.code)
}

#[test]
fn what_init_writes_is_in_force_once_it_is_committed() {
    let world = repository(&[&[], &["--ci", "github", "--action", ACTION, "--strength", "visible"]]);
    let doctor = || world.run(&["doctor", "--ci"]);
    assert_eq!(said(&doctor()), ("gate in CI: none", 1), "what is not committed judges nothing");
    commit(world.path());
    let answer = doctor();
    assert_eq!(said(&answer), ("gate in CI: visible", 0), "{}", answer.stdout);
    assert!(!answer.stdout.contains("defeated"), "{}", answer.stdout);
    world.write("CODEOWNERS", &format!("{OWNERS}/CODEOWNERS @acme/security\n"));
    commit(world.path());
    assert_eq!(said(&doctor()), ("gate in CI: reviewed", 0), "{}", doctor().stdout);
    assert_eq!(said(&world.run(&["doctor", "--ref", "HEAD^"])), ("gate in CI: visible", 0));
    // Nobody has to ask before the owners are changed.
    world.write("CODEOWNERS", OWNERS);
    commit(world.path());
    assert_eq!(said(&doctor()), ("gate in CI: visible", 0), "{}", doctor().stdout);
}

#[test]
fn a_workflow_that_no_change_brings_is_enforced() {
    let world = repository(&[&[], &["--ci", "github", "--action", ACTION, "--strength", "enforced"]]);
    commit(world.path());
    let answer = world.run(&["doctor", "--ci"]);
    assert_eq!(said(&answer), ("gate in CI: enforced", 0), "{}", answer.stdout);
    assert!(
        !answer.stdout.contains("defeated") && answer.stdout.contains("unseen    forge/same-name"),
        "{}",
        answer.stdout
    );
}

/// The workflows of the README by their names.
fn workflows() -> Vec<(&'static str, String)> {
    let readme = include_str!("../../README.md");
    let commit = ACTION.rsplit_once('@').unwrap().1;
    let parts = readme.split("<!-- workflow ").skip(1).map(|part| {
        let (name, rest) = part.split_once(':').unwrap();
        let (_, workflow) = rest.split_once("```yaml\n").unwrap();
        let (workflow, _) = workflow.split_once("```").unwrap();
        (name, workflow.replace("COMMIT", commit).replace("OWNER", "acme"))
    });
    parts.collect()
}

/// The README says which strength each of its workflows has.
#[test]
fn workflows_of_the_readme_have_the_strength_that_it_claims() {
    let mut found = Vec::new();
    for (name, workflow) in workflows() {
        let world = repository(&[&[]]);
        world.write(".github/workflows/agent-strace.yml", &workflow);
        commit(world.path());
        let answer = world.run(&["doctor", "--ci"]);
        let (line, code) = said(&answer);
        let strength = match name {
            "enforced" | "approved" => "enforced",
            _ => "visible",
        };
        assert_eq!((line.to_owned(), code), (format!("gate in CI: {strength}"), 0), "{name}: {}", answer.stdout);
        assert!(!answer.stdout.contains("defeated"), "{name}: {}", answer.stdout);
        found.push(name);
    }
    assert!(found.contains(&"visible") && found.contains(&"enforced"), "{found:?}");
}

/// The job that judges before a review fails on each change to what judges: a branch must not require it.
#[test]
fn only_the_last_job_of_the_approved_workflow_is_to_be_required() {
    let (_, workflow) = workflows().into_iter().find(|(name, _)| *name == "approved").unwrap();
    let world = repository(&[&[]]);
    world.write(".github/workflows/agent-strace.yml", &workflow);
    commit(world.path());
    let document: serde_json::Value = serde_json::from_str(&world.run(&["doctor", "--format", "json"]).stdout).unwrap();
    let names: Vec<&str> =
        document["gates"].as_array().unwrap().iter().filter_map(|gate| gate["name"].as_str()).collect();
    assert_eq!(names, ["agent-strace"]);
    let text = world.run(&["doctor"]).stdout;
    assert!(!text.contains("require `before a review` in the rules"), "{text}");
    assert!(text.contains("do not require the check `before a review`"), "{text}");
    assert!(include_str!("../../README.md").contains("Require the check `agent-strace`, and not `before a review`"));
}

#[test]
fn a_gate_behind_a_workflow_that_is_called_is_judged_as_its_caller_runs_it() {
    let world = repository(&[&[]]);
    let caller = |uses: &str| {
        format!(
            "on:\n  pull_request_target: {{branches: [main], types: [opened, synchronize, reopened, edited]}}\n  \
             merge_group:\npermissions: {{contents: read}}\njobs:\n  gate:\n    uses: {uses}\n"
        )
    };
    let called = format!("on: {{workflow_call: }}\njobs:\n  strace:\n    steps:\n      - uses: {ACTION}\n");
    world.write(".github/workflows/ci.yml", &caller("./.github/workflows/gate.yml"));
    world.write(".github/workflows/gate.yml", &called);
    commit(world.path());
    let answer = world.run(&["doctor", "--ci"]);
    assert_eq!(said(&answer), ("gate in CI: enforced", 0), "{}", answer.stdout);
    assert!(answer.stdout.contains("require `gate / strace`"), "{}", answer.stdout);
    world.write(".github/workflows/gate.yml", &called.replace("    steps:", "    continue-on-error: true\n    steps:"));
    commit(world.path());
    assert_eq!(said(&world.run(&["doctor", "--ci"])), ("gate in CI: none", 1));
    world.write(".github/workflows/ci.yml", &caller("acme/central/.github/workflows/agent-strace.yml@main"));
    commit(world.path());
    let answer = world.run(&["doctor", "--ci"]);
    assert_eq!(said(&answer), ("gate in CI: none", 2), "{}", answer.stdout);
    assert!(answer.stdout.contains("unknown   gate/called"), "{}", answer.stdout);
}

#[test]
fn settings_at_the_commit_and_the_policy_that_a_workflow_names_are_examined() {
    let world = repository(&[&[], &["--ci", "github", "--action", ACTION]]);
    world.write(".agent-strace.yaml", "fail_on: never\n");
    commit(world.path());
    let answer = world.run(&["doctor"]);
    assert_eq!(said(&answer), ("gate in CI: none", 1), "{}", answer.stdout);
    let workflow = world.read(".github/workflows/agent-strace.yml");
    let other = workflow.replace("        with:\n", "        with:\n          policy: weak.json\n");
    assert_ne!(other, workflow);
    world.write(".agent-strace.yaml", "").write(".github/workflows/agent-strace.yml", &other).write("weak.json", "{}");
    commit(world.path());
    let answer = world.run(&["doctor"]);
    assert!(answer.code == 1 && answer.stdout.contains("policy/empty"), "{}", answer.stdout);
}

#[test]
fn the_job_for_gitlab_is_in_force_once_it_is_included() {
    let world = repository(&[&[], &["--ci", "gitlab"]]);
    commit(world.path());
    assert_eq!(said(&world.run(&["doctor"])), ("gate in CI: none", 1));
    world.write(".gitlab-ci.yml", "include:\n  - local: .gitlab/agent-strace.gitlab-ci.yml\n");
    commit(world.path());
    let answer = world.run(&["doctor"]);
    assert_eq!(said(&answer), ("gate in CI: visible", 0), "{}", answer.stdout);
}

#[test]
fn a_store_that_git_ignores_and_a_policy_that_is_broken_are_found() {
    let world = repository(&[&["--ci", "github", "--action", ACTION]]);
    world.write(".gitignore", ".agent-traces/\n").write(".agent-scope.json", "{\"fils\": {}}");
    commit(world.path());
    let answer = world.run(&["doctor"]);
    assert_eq!(answer.code, 1);
    assert!(answer.stdout.contains("weak      store/committed"), "{}", answer.stdout);
    assert!(answer.stdout.contains("defeated  policy/there"), "{}", answer.stdout);
    assert!(answer.stdout.contains("did you mean") || answer.stdout.contains("fils"), "{}", answer.stdout);
}

#[test]
fn each_forge_reads_its_own_code_owners() {
    let world = repository(&[&[], &["--ci", "github", "--action", ACTION]]);
    world.write(".gitlab/CODEOWNERS", &format!("{OWNERS}/.gitlab/ @acme/security\n"));
    commit(world.path());
    let answer = world.run(&["doctor", "--ci"]);
    assert_eq!(said(&answer), ("gate in CI: visible", 0), "{}", answer.stdout);
}

#[test]
fn the_document_keeps_to_its_schema_and_hostile_names_stay_text() {
    let world = repository(&[&[], &["--ci", "github", "--action", ACTION]]);
    let workflow = world.read(".github/workflows/agent-strace.yml");
    let hostile = workflow.replace("name: agent-strace #", "name: \"::error::x\\u001b[2J\\n##[add-mask]y\" #");
    assert_ne!(hostile, workflow);
    world.write(".github/workflows/agent-strace.yml", &hostile);
    commit(world.path());
    let answer = world.run(&["doctor", "--format", "json"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(faults(&validator("doctor.v1"), &serde_json::from_str(&answer.stdout).unwrap()), Vec::<String>::new());
    for text in [answer.stdout, world.run(&["doctor"]).stdout] {
        let command =
            |line: &str| line.trim_start().starts_with("::") || line.contains("##[") || line.contains('\u{1b}');
        assert!(!text.lines().any(command), "{text}");
    }
}

#[test]
fn where_nothing_can_be_told_the_exit_code_is_2() {
    assert_eq!(World::empty().run(&["doctor"]).code, 2);
    let world = repository(&[&[], &["--ci", "github", "--action", ACTION]]);
    world.write(".github/workflows/broken.yml", "agent-strace: [\n");
    commit(world.path());
    assert_eq!(world.run(&["doctor"]).code, 2);
    assert_eq!(world.run(&["doctor", "--ref", "gone"]).code, 2);
}
