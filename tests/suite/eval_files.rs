//! Files that `eval` adds to: what others wrote into them is still there afterwards, or nothing was written.

use std::fs;

use serde_json::json;

use crate::world::{Answer, World};

/// One session without errors.
fn world() -> World {
    let world = World::empty();
    world.write(".agent-evals.yaml", "scorers: [{type: no_errors}]\n");
    world.session(
        "5e5510",
        1_790_000_000,
        &[
            ("tool_call", json!({"tool_name": "Read", "tool_use_id": "a", "arguments": {"file_path": "a"}})),
            ("tool_result", json!({"tool_name": "Read", "tool_use_id": "a", "result": "said"})),
            ("session_end", json!({"exit_code": 0})),
        ],
    );
    world
}

fn summarised(world: &World, summary: &str) -> Answer {
    world.run_with(&["eval", "ci", "--github-summary"], &[("GITHUB_STEP_SUMMARY", summary)], "")
}

fn refused(answer: &Answer, wanted: &str) {
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains(wanted), "{answer:?}");
}

#[test]
fn a_summary_is_added_to_and_begun() {
    let world = world();
    assert_eq!(summarised(&world, "summary.md").code, 0);
    assert!(world.read("summary.md").starts_with("## Evals\n"));
    world.write("summary.md", "# Other steps\n");
    assert_eq!(summarised(&world, "summary.md").code, 0);
    assert!(world.read("summary.md").starts_with("# Other steps\n## Evals\n"));
}

/// What other steps of the job said is theirs.
#[test]
fn a_summary_that_cant_be_read_is_not_written_over() {
    let world = world();
    let large = "x".repeat((16 << 20) + 1);
    for (name, bytes) in [("large.md", large.as_bytes()), ("binary.md", b"# Other steps \xff\n")] {
        let path = world.path().join(name);
        fs::write(&path, bytes).unwrap();
        refused(&summarised(&world, name), "can't be added to: it is no small text file");
        assert!(fs::read(&path).unwrap() == bytes, "{name} was changed");
    }
    fs::create_dir(world.path().join("folder.md")).unwrap();
    refused(&summarised(&world, "folder.md"), "can't be added to");
}

#[cfg(unix)]
#[test]
fn a_summary_is_not_written_through_a_link() {
    let world = world();
    world.write("outside.md", "# Not ours\n");
    std::os::unix::fs::symlink("outside.md", world.path().join("link.md")).unwrap();
    std::os::unix::fs::symlink("nowhere.md", world.path().join("broken.md")).unwrap();
    for name in ["link.md", "broken.md"] {
        refused(&summarised(&world, name), "can't be added to");
        assert!(world.path().join(name).symlink_metadata().unwrap().is_symlink(), "{name} was replaced");
    }
    assert_eq!(world.read("outside.md"), "# Not ours\n");
    assert!(!world.path().join("nowhere.md").exists());
}

/// A folder that can't be listed is not one without datasets.
#[test]
fn datasets_that_cant_be_listed_are_an_error() {
    let world = world();
    let list = || world.run(&["eval", "dataset", "list"]);
    let none = list();
    assert_eq!((none.code, none.stdout.as_str()), (0, ""), "{none:?}");
    assert!(none.stderr.contains("there are no datasets"), "{none:?}");
    world.write(".agent-traces/datasets", "a file\n");
    refused(&list(), "can't list `.agent-traces/datasets`");
}
