//! The change as a witness: files of another revision that a session brought into the work tree, and what it left behind.

use serde_json::{Value, json};

use crate::repository::Repository;
use crate::world::World;

const POLICY: &str = r#"{"version": 2, "files": {"write": {"allow": ["src/**"]}}}"#;
const LEFT: &str = "src/a.rs";

/// A Claude log of a session in the repository.
pub(crate) fn log(root: &str, calls: impl IntoIterator<Item = (&'static str, Value)>) -> String {
    log_with_results(root, calls.into_iter().map(|(tool, input)| (tool, input, "ok")))
}

/// The same with the result of each call.
pub(crate) fn log_with_results<'r>(
    root: &str,
    calls: impl IntoIterator<Item = (&'static str, Value, &'r str)>,
) -> String {
    let mut lines = Vec::new();
    for (at, (tool, input, text)) in calls.into_iter().enumerate() {
        let common = json!({"sessionId": "s1", "cwd": root, "version": "2.1.12"});
        let call = json!({"type": "assistant", "uuid": format!("a{at}"), "timestamp": format!("2026-02-20T12:00:{at:02}.000Z"),
            "message": {"id": format!("m{at}"), "role": "assistant", "model": "claude",
                "content": [{"type": "tool_use", "id": format!("t{at}"), "name": tool, "input": input}]}});
        let result = json!({"type": "user", "uuid": format!("r{at}"), "timestamp": format!("2026-02-20T12:00:{at:02}.500Z"),
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("t{at}"), "content": text}]}});
        for mut line in [call, result] {
            line.as_object_mut().unwrap().extend(common.as_object().unwrap().clone());
            lines.push(line.to_string());
        }
    }
    lines.join("\n") + "\n"
}

/// The levels of the unresolved acts of a session whose change has these files.
fn unresolved(files: &[&str], commands: &[&str], args: &[&str]) -> Vec<String> {
    let found = judged(POLICY, files, commands, args);
    let found = found.iter().filter(|finding| finding["rule"] == "scope/unresolved");
    found.map(|finding| format!("{} {}", finding["event"], finding["level"].as_str().unwrap())).collect()
}

/// The findings about a session whose change has these files.
fn judged(policy: &str, files: &[&str], commands: &[&str], args: &[&str]) -> Vec<Value> {
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    repository.file(".agent-scope.json", policy).file("docs/guide.md", "a\n").file(".github/hooks/x.json", "{}\n");
    repository.commit("base");
    repository.git(&["checkout", "-q", "-b", "topic"]);
    for file in files {
        repository.file(file, "fn a() {}\n");
    }
    repository.commit("work");
    let root = world.path().canonicalize().unwrap().join("r").display().to_string();
    let write = ("Write", json!({"file_path": format!("{root}/{LEFT}"), "content": "fn a() {}\n"}));
    let runs = commands.iter().map(|command| ("Bash", json!({"command": command})));
    world.write("log.jsonl", &log(&root, std::iter::once(write).chain(runs)));
    let args = [&["check", "../log.jsonl", "--format", "json", "--now", "2026-03-01T12:00:00Z"], args].concat();
    let answer = world.run_in("r", &args);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    document["findings"].as_array().unwrap().clone()
}

const CHANGE: &[&str] = &["--base", "main", "--head", "topic"];

#[test]
fn a_change_inside_of_the_write_list_shows_what_another_revision_left() {
    let commands = ["git stash", "git pull --rebase", "git stash pop", "git push origin topic"];
    let open = unresolved(&[LEFT], &commands, &[]);
    assert!(!open.is_empty() && open.iter().all(|found| found.ends_with("warning")), "{open:?}");
    assert_eq!(unresolved(&[LEFT], &commands, CHANGE), [""; 0]);
}

#[test]
fn a_change_does_not_speak_for_what_lies_outside_of_it() {
    let checkout = "git checkout evil";
    for (files, commands) in [
        // The change holds a file that the agent may not write.
        (&[LEFT, "docs/guide.md"][..], &[checkout][..]),
        // The policy itself, which no agent may write.
        (&[LEFT, ".agent-scope.json"], &[checkout]),
        // The session did nothing of what the change holds, or the change holds nothing.
        (&["src/b.rs"], &[checkout]),
        (&[], &[checkout]),
        // Something else was pushed.
        (&[LEFT], &[checkout, "git push origin evil"]),
        (&[LEFT], &[checkout, "git push"]),
        (&[LEFT], &[checkout, "git push origin HEAD:main"]),
        // Another repository.
        (&[LEFT], &["cd ../other && git checkout evil"]),
    ] {
        let found = unresolved(files, commands, CHANGE);
        assert!(found.iter().any(|found| found.ends_with("warning")), "{files:?} {commands:?}: {found:?}");
    }
}

const DENIES: &str = r#"{"version": 2, "files": {"write": {"deny": [".github/**"]}}}"#;

#[test]
fn programs_that_gather_files_left_those_that_the_change_does_not_hold() {
    let is_refused = |files: &[&str], command: &str, args: &[&str]| {
        let found = judged(DENIES, files, &[command], args);
        found.iter().any(|finding| finding["rule"] == "scope/write" && finding["level"] == "error")
    };
    for command in ["git checkout -- .", "git checkout .", "git restore .", "chmod -R u+w ."] {
        assert!(!is_refused(&[LEFT], command, CHANGE), "{command}");
        assert!(is_refused(&[LEFT, ".github/hooks/x.json"], command, CHANGE), "{command}: the change holds the file");
        assert!(is_refused(&["src/b.rs"], command, CHANGE), "{command}: the change is of another session");
    }
    for command in ["git checkout -- .github", "git restore .github/hooks/x.json", "chmod -R u+w .github"] {
        assert!(is_refused(&[LEFT], command, CHANGE), "{command}: the call names the file");
    }
    let pushed = judged(DENIES, &[LEFT], &["git restore .", "git push origin HEAD:main"], CHANGE);
    assert!(pushed.iter().any(|finding| finding["rule"] == "scope/write"), "{pushed:?}");
}

#[test]
fn directories_break_a_budget_only_with_the_files_that_the_repository_has_in_them() {
    const FEW: &str = r#"{"version": 2, "budgets": {"files_changed": 2}}"#;
    let level = |command: &str, args: &[&str]| {
        let found = judged(FEW, &[LEFT], &[command], args);
        let found = found.iter().find(|finding| finding["rule"] == "budget/exceeded");
        found.map_or("none", |finding| finding["level"].as_str().unwrap()).to_owned()
    };
    for (command, args, expected) in [
        ("rm -rf node_modules", &[][..], "note"),
        ("rm -rf docs", &[], "warning"),
        ("rm -rf docs", CHANGE, "note"),
        ("rm -rf src", CHANGE, "warning"),
        ("rm -rf *", &[], "warning"),
        ("rm a b c", &[], "error"),
    ] {
        assert_eq!(level(command, args), expected, "{command} {args:?}");
    }
}
