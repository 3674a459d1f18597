//! An agent that works in a folder of the repository is judged by the policy at its top.

use std::fs;

use serde_json::{Value, json};

use super::{SESSION, lines};
use crate::repository::Repository;
use crate::world::{Answer, World};

/// A call of an agent whose hooks and shell run in this folder of the repository.
fn told(world: &World, folder: &str, agent: &str, path: &str) -> Answer {
    let top = world.path().canonicalize().unwrap();
    let cwd = top.join(folder);
    let payload = json!({
        "session_id": SESSION, "hook_event_name": "PreToolUse", "cwd": cwd, "tool_name": "Write",
        "tool_input": {"file_path": top.join(path), "content": "X\n"}, "tool_use_id": "t1",
    });
    let arguments = ["hook", "pre-tool", "--agent", agent, "--enforce"];
    world.spawn(folder, &arguments, &[], &payload.to_string())
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
