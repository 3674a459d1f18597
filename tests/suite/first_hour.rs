//! The first pull requests of a repository: what people see who follow `init` and do honest work, and how the gate ends.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::repository::Repository;
use crate::world::{Answer, World};

const MARK: &str = "Work\n\nCo-Authored-By: Claude <noreply@anthropic.com>";
const STARTED: i64 = 1_771_588_000;

/// A repository whose base has what `init` writes.
fn begun(world: &World) -> Repository<'_> {
    let repository = Repository::new(world, "r");
    repository.file("Cargo.toml", "[package]\n").file("src/lib.rs", "pub fn a() {}\n");
    repository.git(&["add", "-A"]);
    assert_eq!(world.run_in("r", &["init"]).code, 0);
    repository.commit("begin").git(&["checkout", "-q", "-b", "topic"]);
    repository
}

/// A session of an agent, as the recorder keeps it, in the work tree.
fn session(repository: &Repository<'_>, id: &str, root: &str, calls: &[(&str, Value)]) {
    let mut events = vec![json!({"event_type": "session_start", "data": {"cwd": root}})];
    for (tool, arguments) in calls {
        events.push(json!({"event_type": "tool_call", "data": {"tool_name": tool, "arguments": arguments}}));
        events.push(json!({"event_type": "tool_result", "data": {"tool_name": tool, "result": "done"}}));
    }
    let mut lines = String::new();
    for (at, event) in events.iter_mut().enumerate() {
        event["event_id"] = json!(format!("{at:012x}"));
        event["session_id"] = json!(id);
        event["timestamp"] = json!(STARTED + i64::try_from(at).unwrap());
        if event["event_type"] == "tool_result" {
            event["parent_id"] = json!(format!("{:012x}", at - 1));
        }
        writeln!(lines, "{event}").unwrap();
    }
    let meta = json!({"session_id": id, "started_at": STARTED, "agent_name": "claude-code",
        "tool_calls": calls.len(), "attribution": {"working_dir": root}});
    repository.file(&format!(".agent-traces/{id}/events.ndjson"), &lines);
    repository.file(&format!(".agent-traces/{id}/meta.json"), &meta.to_string());
}

fn write(root: &str, file: &str) -> (&'static str, Value) {
    ("Write", json!({"file_path": format!("{root}/{file}"), "content": "pub fn b() {}\n"}))
}

fn run(command: &str) -> (&'static str, Value) {
    ("Bash", json!({"command": command}))
}

/// An agent's work: a file, a build and a test, committed with the session.
fn work(repository: &Repository<'_>, id: &str, root: &str, file: &str) {
    session(repository, id, root, &[write(root, file), run("cargo build"), run("cargo test && cargo fmt --all")]);
    repository.file(file, "pub fn b() {}\n").commit(MARK);
}

fn judged(world: &World, base: &str, head: &str) -> Answer {
    world.run_in("r", &["check", "--base", base, "--head", head, "--no-color"])
}

fn assert_ends(answer: &Answer, code: i32, says: &str) {
    assert_eq!(answer.code, code, "{answer:?}");
    assert!(answer.stdout.contains(says) || answer.stderr.contains(says), "no `{says}`: {answer:?}");
}

/// A branch of its own brings the gate, and changes are merged into another one.
#[test]
fn the_workflow_names_the_branch_that_changes_are_merged_into() {
    let action = "acme/agent-strace@0123456789abcdef0123456789abcdef01234567";
    for (default, remote, says_so) in [("main", true, true), ("master", true, true), ("main", false, false)] {
        let world = World::empty();
        let repository = Repository::new(&world, "r");
        repository.git(&["checkout", "-q", "-B", default]);
        repository.file("a", "a\n").commit("begin");
        if remote {
            repository.git(&["init", "-q", "--bare", "-b", default, "../remote"]);
            repository.git(&["remote", "add", "origin", "../remote"]);
            repository.git(&["push", "-q", "-u", "origin", default]);
        }
        repository.git(&["checkout", "-q", "-b", "add-gate"]);
        let answer = world.run_in("r", &["init", "--ci", "github", "--action", action]);
        assert_eq!(answer.code, 0, "{answer:?}");
        assert!(answer.stdout.contains(&format!("judges changes into `{default}`")), "{answer:?}");
        assert_eq!(answer.stderr.contains("`--branch` names another"), says_so, "{answer:?}");
        let workflow = world.read("r/.github/workflows/agent-strace.yml");
        assert!(workflow.contains(&format!("base-branches: \"{default}\"")), "{workflow}");
        if remote {
            repository.git(&["remote", "set-head", "origin", "--auto"]);
            let again = world.run_in("r", &["init", "--ci", "github", "--action", action, "--force"]);
            assert!(!again.stderr.contains("--branch"), "{again:?}");
        }
    }
}

#[test]
fn people_alone_pass() {
    let world = World::empty();
    begun(&world).file("src/b.rs", "pub fn b() {}\n").commit("Add b");
    assert_ends(&judged(&world, "main", "topic"), 0, "PASS: 0 errors, 0 warnings, 1 note");
}

#[test]
fn an_agent_passes_wherever_the_checkout_is() {
    for root in ["/home/dana/rates", "/Users/dana/code/rates", "/root/rates", "/srv/rates", "C:\\Users\\dana\\rates"] {
        let world = World::empty();
        work(&begun(&world), "0b", root, "src/b.rs");
        assert_ends(&judged(&world, "main", "topic"), 0, "PASS: 0 errors, 0 warnings, 0 notes");
    }
}

#[test]
fn an_agent_passes_that_was_started_in_a_folder_of_a_monorepo() {
    let world = World::empty();
    let repository = begun(&world);
    let root = "/home/dana/rates/services/a";
    session(&repository, "0b", root, &[write(root, "src/b.rs"), run("cargo test")]);
    repository.file("services/a/src/b.rs", "pub fn b() {}\n").commit(MARK);
    assert_ends(&judged(&world, "main", "topic"), 0, "PASS: 0 errors");
}

#[test]
fn many_sessions_pass() {
    let world = World::empty();
    let repository = begun(&world);
    for number in 0..300 {
        let file = format!("src/m{number}.rs");
        session(&repository, &format!("{number:08x}"), "/home/dana/rates", &[write("/home/dana/rates", &file)]);
        repository.file(&file, "pub fn b() {}\n");
    }
    repository.commit(MARK);
    assert_ends(&judged(&world, "main", "topic"), 0, "300 sessions");
}

#[test]
fn the_change_that_brings_the_policy_can_not_be_judged_by_it() {
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    repository.file("a", "a\n").commit("begin").git(&["checkout", "-q", "-b", "topic"]);
    assert_eq!(world.run_in("r", &["init"]).code, 0);
    repository.commit("Bring the gate");
    assert_ends(&judged(&world, "main", "topic"), 2, ".agent-scope.json");
}

#[test]
fn a_merge_queue_judges_a_group_of_changes() {
    let world = World::empty();
    let repository = begun(&world);
    work(&repository, "0b", "/home/dana/rates", "src/b.rs");
    repository.git(&["checkout", "-q", "-b", "other", "main"]);
    work(&repository, "0c", "/home/kim/rates", "src/c.rs");
    repository.git(&["checkout", "-q", "-b", "queue", "main"]);
    repository.git(&["merge", "-q", "--no-ff", "-m", "Merge topic", "topic"]);
    repository.git(&["merge", "-q", "--no-ff", "-m", "Merge other", "other"]);
    assert_ends(&judged(&world, "main", "queue"), 0, "2 sessions");
}

#[test]
fn a_branch_goes_on_after_it_was_squashed() {
    let world = World::empty();
    let repository = begun(&world);
    work(&repository, "0b", "/home/dana/rates", "src/b.rs");
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["merge", "-q", "--squash", "topic"]);
    repository.commit(MARK).git(&["checkout", "-q", "topic"]);
    repository.git(&["rebase", "-q", "main"]);
    work(&repository, "0c", "/home/dana/rates", "src/c.rs");
    assert_ends(&judged(&world, "main", "topic"), 0, "PASS: 0 errors");
}

#[test]
fn a_push_is_judged_against_what_the_remote_has() {
    let world = World::empty();
    let repository = begun(&world);
    repository.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    work(&repository, "0b", "/home/dana/rates", "src/b.rs");
    let answer = world.run_in("r", &["check", "--base", "origin/main", "--no-color"]);
    assert_ends(&answer, 0, "PASS: 0 errors");
}

#[test]
fn a_revert_keeps_the_record() {
    let world = World::empty();
    let repository = begun(&world);
    work(&repository, "0b", "/home/dana/rates", "src/b.rs");
    repository.git(&["checkout", "-q", "-b", "undo"]);
    repository.git(&["revert", "--no-edit", "HEAD"]);
    let answer = judged(&world, "topic", "undo");
    assert_ends(&answer, 1, "the record of an earlier session is taken away");
    assert!(answer.stdout.contains("git checkout topic -- .agent-traces"), "{answer:?}");
    repository.git(&["checkout", "topic", "--", ".agent-traces"]);
    repository.commit("Keep the record");
    assert_ends(&judged(&world, "topic", "undo"), 0, "PASS: 0 errors");
}

/// The record of a commit is on the branch that it was picked from.
#[test]
fn a_backport_names_the_commit_that_was_judged() {
    let world = World::empty();
    let repository = begun(&world);
    repository.git(&["branch", "release", "main"]);
    work(&repository, "0b", "/home/dana/rates", "src/b.rs");
    repository.git(&["update-ref", "refs/remotes/origin/main", "topic"]);
    repository.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    let pick = |branch: &str, options: &[&str]| {
        repository.git(&["checkout", "-q", "-b", branch, "release"]);
        repository.git(&[&["cherry-pick"], options, &["topic"]].concat());
        repository.git(&["rm", "-rq", ".agent-traces"]);
        repository.git(&["commit", "-q", "--amend", "--no-edit"]);
    };
    pick("plain", &[]);
    assert_ends(&judged(&world, "release", "plain"), 1, "coverage/no-session");
    pick("named", &["-x"]);
    assert_ends(&judged(&world, "release", "named"), 0, "PASS: 0 errors");
    repository.file("src/b.rs", "pub fn evil() {}\n");
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "--amend", "--no-edit"]);
    assert_ends(&judged(&world, "release", "named"), 1, "coverage/no-session");
}

/// A commit that names another one, and is another patch, or brings what was taken back, has no session.
#[test]
fn a_commit_is_only_picked_if_it_is_the_same_patch() {
    const BEFORE: &str = "def a():\n    check()\n    x()\ndef b():\n    check()\n    y()\n";
    const ORIGINAL: &str = "def a():\n    check()\n    return\n    x()\ndef b():\n    check()\n    y()\n";
    let cases = [
        ("picked", ORIGINAL, "release", 0),
        ("elsewhere", "def a():\n    check()\n    x()\ndef b():\n    return\n    check()\n    y()\n", "release", 1),
        ("outside", "def a():\n    check()\nreturn\n    x()\ndef b():\n    check()\n    y()\n", "release", 1),
        ("again", ORIGINAL, "trunk", 1),
    ];
    let world = World::empty();
    let repository = begun(&world);
    repository.git(&["checkout", "-q", "-B", "release", "main"]);
    repository.file("src/a.py", BEFORE).commit("base").git(&["checkout", "-q", "-b", "trunk"]);
    repository.file("src/a.py", ORIGINAL).commit("original");
    let original = repository.git(&["rev-parse", "HEAD"]);
    repository.file("src/a.py", BEFORE).commit("taken back");
    repository.git(&["update-ref", "refs/remotes/origin/main", "trunk"]);
    repository.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    for (name, content, base, code) in cases {
        repository.git(&["checkout", "-q", "-b", name, base]);
        repository.file("src/a.py", content);
        repository.commit(&format!("{MARK}\n(cherry picked from commit {})", original.trim()));
        assert_ends(&judged(&world, base, name), code, if code == 0 { "PASS" } else { "coverage/no-session" });
    }
}

#[test]
fn a_repository_with_other_names_of_objects_is_not_judged() {
    let world = World::empty();
    world.write("r/a", "a\n");
    crate::repository::git(
        &world.path().join("r"),
        crate::repository::DATE,
        &["init", "-q", "--object-format=sha256", "-b", "main"],
    );
    let repository = Repository { world: &world, folder: "r".to_owned() };
    repository.commit("begin");
    assert_ends(&judged(&world, "main", "main"), 2, "SHA-256");
}
