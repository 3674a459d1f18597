//! Recordings that are committed with the work, by people or by the agent that is recorded, and judged while it still runs.

use serde_json::{Value, json};

use super::{SESSION, after, before, hook, step};
use crate::repository::Repository;
use crate::world::World;

const POLICY: &str = r#"{"version": 2, "commands": {"deny": ["curl"]},
    "evidence": {"rules": {"coverage/unexplained-change": "error", "coverage/no-session": "error"}}}"#;

/// A repository whose agent has just written a file.
fn at_work(world: &World) -> Repository<'_> {
    let repository = Repository::new(world, ".");
    repository.file(".agent-scope.json", POLICY).commit("base");
    repository.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    repository.git(&["checkout", "-q", "-b", "topic"]);
    let _ = hook(world, &[], &here(world, &step("SessionStart", &json!({"source": "startup"}))));
    let path = world.path().join("src/b.py").to_str().unwrap().to_owned();
    call(world, "t1", "Write", &json!({"file_path": path, "content": "x = 1\n"}), || {
        world.write("src/b.py", "x = 1\n");
    });
    repository
}

/// The payload, of an agent that runs in the world.
fn here(world: &World, payload: &str) -> String {
    let mut payload: Value = serde_json::from_str(payload).unwrap();
    payload["cwd"] = json!(world.path());
    payload.to_string()
}

/// A call, and what happens while it runs.
fn call(world: &World, id: &str, tool: &str, input: &Value, act: impl FnOnce()) {
    let said = hook(world, &[], &here(world, &before(id, tool, input)));
    assert_eq!(said.code, 0, "{said:?}");
    act();
    let said = hook(world, &[], &here(world, &after(id, tool, input, &json!("done"))));
    assert_eq!(said.code, 0, "{said:?}");
}

fn commit(repository: &Repository<'_>) {
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "Work\n\nCo-Authored-By: Claude <noreply@anthropic.com>"]);
}

/// The verdicts of the commit, of the commit by the logs of the work tree, and of the work tree.
fn verdicts(world: &World) -> [String; 3] {
    let all: [&[&str]; 3] = [&["--base", "main", "--head", "HEAD"], &["--base", "origin/main"], &[]];
    all.map(|args| super::check(world, args)["verdict"].as_str().unwrap().to_owned())
}

#[test]
fn only_sessions_are_committed_of_a_store() {
    let world = World::empty();
    let repository = at_work(&world);
    assert!(world.path().join(".agent-traces/.active-session").exists());
    commit(&repository);
    let committed = repository.git(&["ls-tree", "-r", "--name-only", "HEAD", ".agent-traces"]);
    let expected: Vec<String> =
        ["events.ndjson", "meta.json", "recorder.json"].map(|name| format!(".agent-traces/{SESSION}/{name}")).into();
    assert_eq!(committed.lines().collect::<Vec<_>>(), expected);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
    assert_eq!(verdicts(&world), ["pass"; 3]);
}

#[test]
fn an_ignore_file_of_the_recorder_is_no_tampering_even_if_it_is_committed() {
    let world = World::empty();
    let repository = at_work(&world);
    repository.git(&["add", "-f", ".agent-traces/.gitignore"]);
    commit(&repository);
    let report = super::check(&world, &["--base", "main", "--head", "HEAD"]);
    assert_eq!((&report["verdict"], &report["findings"]), (&json!("pass"), &json!([])));
}

#[test]
fn an_ignore_file_that_is_there_stays_as_it_is() {
    let world = World::empty();
    world.write(".agent-traces/.gitignore", "*\n");
    let _ = at_work(&world);
    assert_eq!(world.read(".agent-traces/.gitignore"), "*\n");
}

#[test]
fn a_store_at_the_top_of_a_repository_gets_no_ignore_file() {
    let world = World::empty();
    let repository = Repository::new(&world, ".");
    let payload = here(&world, &step("SessionStart", &json!({"source": "startup"})));
    let said = world.run_with(&["--trace-dir", ".", "hook"], &[], &payload);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(world.path().join(".active-session").exists() && !world.path().join(".gitignore").exists());
    drop(repository);
}

/// The agent commits and pushes; hooks of git judge meanwhile.
#[test]
fn an_agent_may_commit_its_own_recording() {
    let world = World::empty();
    let repository = at_work(&world);
    let bash = |command: &str| json!({ "command": command });
    call(&world, "t2", "Bash", &bash("git add -A && git commit -m Work"), || {
        // A hook before the commit.
        assert_eq!(super::check(&world, &[])["verdict"], "pass");
        commit(&repository);
    });
    assert_eq!(verdicts(&world), ["pass"; 3]);
    call(&world, "t3", "Bash", &bash("git push origin HEAD"), || assert_eq!(verdicts(&world), ["pass"; 3]));
    call(&world, "t4", "Bash", &bash("agent-strace check"), || assert_eq!(verdicts(&world), ["pass"; 3]));
    call(&world, "t5", "Bash", &bash("make"), || {
        assert_eq!(
            verdicts(&world),
            ["pass", "incomplete", "incomplete"],
            "the log does not say what it is waiting for"
        );
    });
    let _ = hook(&world, &[], &here(&world, &step("SessionEnd", &json!({"reason": "exit"}))));
    assert_eq!(verdicts(&world), ["pass"; 3]);
}

/// What the agent does after its commit is judged where it is recorded.
#[test]
fn a_recording_that_went_on_is_judged_to_its_end() {
    let world = World::empty();
    let repository = at_work(&world);
    let bash = |command: &str| json!({ "command": command });
    call(&world, "t2", "Bash", &bash("git add -A && git commit -m Work"), || commit(&repository));
    call(&world, "t3", "Bash", &bash("curl https://evil.example"), || ());
    assert_eq!(verdicts(&world), ["pass", "fail", "fail"]);
    commit(&repository);
    assert_eq!(verdicts(&world), ["fail"; 3]);
}
