//! A policy is found from a folder of its repository, as git finds the top of a repository.

use crate::repository::Repository;
use crate::world::{Answer, World};

const POLICY: &str = r#"{"version": 2, "files": {"read": {"deny": ["secrets/**"]}, "write": {"allow": ["src/**"]}},
    "tests": [{"tool": "Bash", "input": {"command": "cat secrets/a"}, "expect": "deny"}]}"#;
/// Everything that it judges fails.
const OTHER: &str = r#"{"version": 2, "commands": {"deny": ["*"]}}"#;

/// A repository with a policy, and another policy above it.
fn world() -> (World, String) {
    let world = World::empty();
    world.write(".agent-scope.json", OTHER);
    world.write("r/src/deep/x", "x");
    let repository = Repository::new(&world, "r");
    repository.file(".agent-scope.json", POLICY).file("src/a", "a\n").commit("first");
    let head = "HEAD".to_owned();
    (world, head)
}

fn passes(answer: &Answer) -> bool {
    answer.code == 0
}

#[test]
fn every_command_finds_the_policy_of_the_repository() {
    let (world, head) = world();
    let run = |args: &[&str]| world.run_in("r/src/deep", args);
    let named = |answer: &Answer| answer.stdout.contains("../../.agent-scope.json");
    for args in [&["policy", "validate"][..], &["policy", "test"], &["policy", "lint"]] {
        let answer = run(args);
        assert!(passes(&answer) && named(&answer), "{args:?}: {answer:?}");
    }
    // Entries count from the folder of the policy.
    let answer = run(&["effects", "--command", "echo x > b; cat ../../secrets/k"]);
    assert!(answer.stdout.contains("Write src/deep/b  -> allowed"), "{answer:?}");
    assert!(answer.stdout.contains("Read secrets/k  -> denied by files.read.deny[0]"), "{answer:?}");
    let answer = run(&["policy", "explain", "--command", "echo x > ../../b"]);
    assert!(answer.stdout.contains("Write b  -> not in files.write.allow"), "{answer:?}");
    let answer = run(&["policy", "diff", "--policy-ref", &head]);
    assert!(answer.stdout.contains("the policies say the same"), "{answer:?}");
    let log = r#"{"type":"user","sessionId":"s","message":{"content":"x"}}"#;
    world.write("r/src/deep/log.jsonl", log);
    for args in [&["check", "log.jsonl"][..], &["check", "log.jsonl", "--policy-ref", &head]] {
        let answer = run(args);
        assert!(named(&answer), "{args:?}: {answer:?}");
    }
}

/// git takes a path behind a revision from the top of the repository. Here it counts from the directory, as other paths do.
#[test]
fn a_path_behind_a_revision_counts_from_the_directory() {
    let (world, _) = world();
    let diff = |old: &str| world.run_in("r/src/deep", &["policy", "diff", old, "../../.agent-scope.json"]);
    for old in ["HEAD:../../.agent-scope.json", "HEAD:./../../.agent-scope.json"] {
        assert!(diff(old).stdout.contains("the policies say the same"), "{:?}", diff(old));
    }
    let answer = diff("HEAD:.agent-scope.json");
    let hint = "a path counts from this directory: write `HEAD:../../.agent-scope.json`";
    assert!(answer.code == 2 && answer.stderr.contains(hint), "{answer:?}");
    // A file that is nowhere is not looked for.
    assert!(!diff("HEAD:none.json").stderr.contains("counts from"), "{:?}", diff("HEAD:none.json"));
}

#[test]
fn the_nearest_policy_counts_and_none_above_the_repository() {
    let (world, _) = world();
    let shown = |folder: &str| world.run_in(folder, &["policy", "validate"]);
    world.write("r/src/.agent-scope.json", POLICY);
    assert!(shown("r/src/deep").stdout.starts_with("../.agent-scope.json: valid"), "{:?}", shown("r/src/deep"));
    std::fs::remove_file(world.path().join("r/src/.agent-scope.json")).unwrap();
    std::fs::remove_file(world.path().join("r/.agent-scope.json")).unwrap();
    let answer = shown("r/src/deep");
    assert!(answer.code == 2 && answer.stderr.contains("there is no such policy file"), "{answer:?}");
    // Without a repository nothing above is looked at.
    world.write("plain/deep/x", "x");
    world.write("plain/.agent-scope.json", POLICY);
    assert_eq!(shown("plain/deep").code, 2);
}

/// The change can't choose which policy judges it: the places are those of the revision.
#[test]
fn a_revision_is_judged_by_the_policy_that_it_holds() {
    let (world, head) = world();
    world.write("r/src/deep/.agent-scope.json", OTHER);
    world.write("r/src/deep/log.jsonl", r#"{"type":"user","sessionId":"s","message":{"content":"x"}}"#);
    let answer = world.run_in("r/src/deep", &["check", "log.jsonl", "--policy-ref", &head]);
    assert!(answer.stdout.contains("judged by ../../.agent-scope.json at HEAD"), "{answer:?}");
}

/// Each side of a comparison has the policy that is the nearest one there: a change that deletes a nested one widens.
#[test]
fn a_comparison_takes_the_nearest_policy_of_each_side() {
    let world = World::empty();
    world.write("r/src/deep/x", "x");
    let repository = Repository::new(&world, "r");
    repository.file(".agent-scope.json", POLICY).file("src/.agent-scope.json", OTHER).commit("first");
    std::fs::remove_file(world.path().join("r/src/.agent-scope.json")).unwrap();
    let diff = |args: &[&str]| {
        let named: Vec<&str> = [&["policy", "diff", "--fail-on-widening"], args].concat();
        world.run_in("r/src/deep", &named)
    };
    let answer = diff(&["--policy-ref", "HEAD"]);
    let sides = "From HEAD:../.agent-scope.json to ../../.agent-scope.json:";
    assert!(answer.code == 1 && answer.stdout.contains(sides), "{answer:?}");
    // A nested policy that is new is compared with the one that held before.
    world.write("r/src/deep/.agent-scope.json", POLICY);
    let answer = diff(&["--policy-ref", "HEAD"]);
    assert!(
        answer.code == 1 && answer.stdout.contains("From HEAD:../.agent-scope.json to .agent-scope.json:"),
        "{answer:?}"
    );
    let answer = diff(&["--policy-ref", "HEAD", "--policy", "../../.agent-scope.json"]);
    assert!(answer.code == 0 && answer.stdout.contains("the policies say the same"), "{answer:?}");
    // A file that is called as the old side does not take its place.
    world.write("r/src/deep/HEAD:../.agent-scope.json", POLICY);
    world.write("r/src/HEAD:.agent-scope.json", POLICY);
    world.write("r/src/.agent-scope.json", POLICY);
    let answer = world.run_in("r/src", &["policy", "diff", "--fail-on-widening", "--policy-ref", "HEAD"]);
    assert!(answer.code == 1 && answer.stdout.contains("commands.deny[0] removed"), "{answer:?}");
    std::fs::remove_file(world.path().join("r/src/.agent-scope.json")).unwrap();
    std::fs::remove_dir_all(world.path().join("r/src/deep/HEAD:..")).unwrap();
    // A revision alone would be the new side.
    let alone = "HEAD:../.agent-scope.json";
    let hint = "name both: `agent-strace policy diff HEAD:../.agent-scope.json .agent-scope.json --fail-on-widening`";
    for args in [&[alone][..], &["--policy", alone]] {
        let answer = diff(args);
        assert!(answer.code == 2 && answer.stderr.contains(hint), "{answer:?}");
    }
    let answer = diff(&[alone, "../../.agent-scope.json"]);
    assert!(answer.code == 1 && answer.stdout.contains(sides), "{answer:?}");
}

/// Somebody who writes a policy in a folder finds out that the top has another one.
#[test]
fn a_policy_below_the_top_says_where_it_counts() {
    let (world, _) = world();
    let note = "note: this policy counts for commands that run in `src/deep`";
    let answer = world.run_in("r/src/deep", &["init"]);
    assert!(
        answer.code == 0 && answer.stderr.contains(note) && answer.stderr.contains("--output ../../.agent-scope.json"),
        "{answer:?}"
    );
    for (folder, args) in [("r", &["init", "--force"][..]), ("r/src/deep", &["init", "--output", "other.json"])] {
        let answer = world.run_in(folder, args);
        assert!(answer.code == 0 && !answer.stderr.contains("counts for"), "{args:?}: {answer:?}");
    }
}
