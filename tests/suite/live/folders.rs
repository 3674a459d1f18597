//! An agent that works in a folder of the repository is judged by the policy at its top.

use std::fs;

use serde_json::{Value, json};

use super::{SESSION, lines};
use crate::repository::Repository;
use crate::world::{Answer, World};

/// A call of an agent whose hooks and shell run in this folder of the repository.
fn told(world: &World, folder: &str, agent: &str, path: &str) -> Answer {
    told_with(world, folder, agent, path, &[])
}

fn told_with(world: &World, folder: &str, agent: &str, path: &str, variables: &[(&str, &str)]) -> Answer {
    let top = world.path().canonicalize().unwrap();
    let cwd = top.join(folder);
    let payload = json!({
        "session_id": SESSION, "hook_event_name": "PreToolUse", "cwd": cwd, "tool_name": "Write",
        "tool_input": {"file_path": top.join(path), "content": "X\n"}, "tool_use_id": "t1",
    });
    let arguments = ["hook", "pre-tool", "--agent", agent, "--enforce"];
    world.spawn(folder, &arguments, variables, &payload.to_string())
}

fn world() -> World {
    let world = World::empty();
    let repository = Repository::new(&world, ".");
    repository.file(".agent-scope.json", r#"{"files": {"write": {"deny": ["infra/**"]}}}"#);
    repository.file("infra/main.tf", "a\n").file("src/a.py", "a\n").commit("first");
    world
}

#[test]
fn what_is_denied_is_denied_in_every_folder() {
    for agent in ["claude-code", "codex"] {
        for folder in [".", "src", "infra"] {
            let world = world();
            let answer = told(&world, folder, agent, "infra/main.tf");
            assert!(answer.stdout.contains("\"deny\""), "{agent} {folder}: {answer:?}");
            let answer = told(&world, folder, agent, "src/a.py");
            assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{agent} {folder}: {answer:?}");
            let meta: Value = serde_json::from_str(&fs::read_to_string(meta(&world)).unwrap()).unwrap();
            let top = world.path().canonicalize().unwrap();
            assert_eq!(meta["attribution"]["git_top"], json!(top), "{agent} {folder}");
            assert!(!lines(&world, "events.ndjson").is_empty());
        }
    }
}

fn meta(world: &World) -> std::path::PathBuf {
    world.path().join(format!(".agent-traces/{SESSION}/meta.json"))
}

#[test]
fn a_repository_in_the_repository_moves_nothing() {
    let world = world();
    let _ = Repository::new(&world, "infra");
    let answer = told(&world, "infra", "codex", "infra/main.tf");
    assert!(answer.stdout.contains("\"deny\""), "{answer:?}");
    assert!(!world.path().join("infra/.agent-traces").exists());
}

/// Claude Code names the folder that it was started in.
#[test]
fn a_folder_that_the_agent_names_is_judged_by_the_policy_at_the_top() {
    for named in [".", "infra", "src"] {
        let world = world();
        let named = world.path().canonicalize().unwrap().join(named);
        let variables = [("CLAUDE_PROJECT_DIR", named.to_str().unwrap())];
        let answer = told_with(&world, "src", "claude-code", "infra/main.tf", &variables);
        assert!(answer.stdout.contains("\"deny\""), "{named:?}: {answer:?}");
        assert!(meta(&world).exists(), "{named:?}");
    }
}

/// A home may be a repository, too: the projects below it keep their own stores.
#[test]
fn a_folder_below_a_repository_without_a_policy_is_its_own_project() {
    let world = World::empty();
    let _ = Repository::new(&world, ".");
    world.write("code/proj/a", "a\n");
    let named = world.path().canonicalize().unwrap().join("code/proj");
    let variables = [("CLAUDE_PROJECT_DIR", named.to_str().unwrap())];
    let answer = told_with(&world, "code/proj", "claude-code", "code/proj/a", &variables);
    assert!(!answer.stdout.contains("\"deny\""), "{answer:?}");
    assert!(world.path().join("code/proj/.agent-traces").exists());
    assert!(!world.path().join(".agent-traces").exists());
}

/// A project in a folder has a policy of its own, and the workflow names it.
#[test]
fn a_folder_with_a_policy_is_judged_by_that_one() {
    let world = world();
    world.write("infra/.agent-scope.json", r#"{"files": {"write": {"deny": ["src/**"]}}}"#);
    let named = world.path().canonicalize().unwrap().join("infra");
    let variables = [("CLAUDE_PROJECT_DIR", named.to_str().unwrap())];
    let answer = told_with(&world, "infra", "claude-code", "infra/main.tf", &variables);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{answer:?}");
    assert!(world.path().join("infra/.agent-traces").exists());
}
