//! A symlink that is committed is another name for what it points to.

use serde_json::{Value, json};

use crate::world::World;

/// A repository whose one commit holds `docs/notes` → `../secrets/key`.
fn repository() -> World {
    let world = World::empty();
    let repository = git2::Repository::init(world.path()).unwrap();
    let target = repository.blob(b"../secrets/key").unwrap();
    let mut docs = repository.treebuilder(None).unwrap();
    docs.insert("notes", target, 0o120_000).unwrap();
    let mut top = repository.treebuilder(None).unwrap();
    top.insert("docs", docs.write().unwrap(), 0o040_000).unwrap();
    let tree = repository.find_tree(top.write().unwrap()).unwrap();
    let author = git2::Signature::new("a", "a@example.com", &git2::Time::new(1, 0)).unwrap();
    repository.commit(Some("HEAD"), &author, &author, "one", &tree, &[]).unwrap();
    drop((docs, top, tree));
    world
}

#[test]
fn what_is_read_through_a_committed_link_is_judged_by_its_target() {
    let world = repository();
    let call = |path: &str| ("tool_call", json!({"tool_name": "Read", "arguments": {"file_path": path}}));
    world.write(".agent-scope.json", r#"{"files": {"read": {"deny": ["secrets/**"]}}}"#).session(
        "5e5510",
        1_790_000_000,
        &[call("docs/guide.md"), call("docs/notes")],
    );
    let answer = world.run(&["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let found: Vec<_> =
        report["findings"].as_array().unwrap().iter().map(|finding| &finding["effect"]["path"]).collect();
    assert_eq!(found, ["secrets/key"], "{answer:?}");
    let answer = world.run(&["effects", "--command", "cat docs/notes"]);
    assert!(answer.stdout.contains("Read secrets/key"), "{answer:?}");
}
