//! Files that `eval` adds to: what others wrote into them is still there afterwards, or nothing was written.

use std::fs;

use crate::eval_world::{self, end, read, refused};
use crate::world::{Answer, World};

/// One session without errors.
fn world() -> World {
    eval_world::world("scorers: [{type: no_errors}]\n", &[read("a"), end()])
}

fn summarised(world: &World, summary: &str) -> Answer {
    world.run_with(&["eval", "ci", "--github-summary"], &[("GITHUB_STEP_SUMMARY", summary)], "")
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

const ADD: &[&str] = &["eval", "dataset", "add", "--session", "5e55", "--now", "2026-01-01T00:00:00Z"];

/// What somebody else noted in a dataset stays.
#[test]
fn entries_of_others_are_kept_whole() {
    let world = world();
    let theirs = r#"{"entry_id":"x","session_id":"s","added_at":1.0,"scorers":[],"reviewed_by":"dana"}"#;
    world.write(".agent-traces/datasets/default.jsonl", &format!("{theirs}\n"));
    assert_eq!(world.run(ADD).code, 0);
    let kept = world.read(".agent-traces/datasets/default.jsonl");
    assert_eq!(kept.lines().count(), 2, "{kept}");
    assert!(kept.contains(r#""reviewed_by":"dana""#), "{kept}");
}

/// Names lead nowhere else, and what is no plain file is not read.
#[cfg(unix)]
#[test]
fn datasets_stay_in_the_store() {
    let world = world();
    for name in ["../x", "a/b", "", ".hidden", "a\u{202e}b", "a\\b"] {
        let answer = world.run(&["eval", "dataset", "auto", "--name", name]);
        assert_eq!(answer.code, 2, "{name}: {answer:?}");
    }
    let long = "a".repeat(300);
    let named = ["eval", "dataset", "auto", "--filter", "low-eval-score:2", "--name", &long];
    assert_eq!(world.run(&[&named[..], &["--now", "2026-01-01T00:00:00Z"]].concat()).code, 2);
    fs::remove_dir(world.path().join(".agent-traces/datasets")).unwrap();
    fs::create_dir(world.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", world.path().join(".agent-traces/datasets")).unwrap();
    refused(&world.run(ADD), "is a link, and datasets are kept in the store");
    assert_eq!(fs::read_dir(world.path().join("elsewhere")).unwrap().count(), 0);
    // A pipe has no end.
    std::os::unix::fs::symlink("/dev/zero", world.path().join("endless.jsonl")).unwrap();
    for command in ["list", "export"] {
        refused(&world.run(&["eval", "dataset", command, "--dataset", "endless.jsonl"]), "no plain file");
    }
}
