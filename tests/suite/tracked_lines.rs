//! A search with a pattern that matches a line of a denied file which is committed.

use serde_json::{Value, json};

use crate::repository::Repository;
use crate::settled_by_change::log;
use crate::world::World;

const POLICY: &str = r#"{"version": 2, "files": {"read": {"deny": [".env*", "!.env.example", "conf/prod.yml"]}}}"#;

/// A repository with denied files at its base, and one in its change.
fn repository(world: &World) -> Repository<'_> {
    let repository = Repository::new(world, "r");
    repository.file(".agent-scope.json", POLICY).file("conf/prod.yml", "host: db.internal\npassword: swordfish\n");
    repository.file(".env.example", "EXAMPLE_KEY=1\n").file("src/a.py", "TIMEOUT = 1\n");
    repository.file("app/.env.example", "A=1\n").commit("base");
    repository.git(&["checkout", "-q", "-b", "topic"]);
    repository.file(".env", "API_TOKEN=0123\n").commit("work");
    // The work tree says nothing of what is committed.
    repository.file("conf/prod.yml", "nothing\n");
    repository
}

fn messages(call: (&'static str, Value), args: &[&str]) -> Vec<String> {
    let world = World::empty();
    repository(&world);
    let root = world.path().canonicalize().unwrap().join("r").display().to_string();
    world.write("log.jsonl", &log(&root, [call]));
    let args = [&["check", "../log.jsonl", "--format", "json", "--now", "2026-03-01T12:00:00Z"], args].concat();
    let answer = world.run_in("r", &args);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let found = document["findings"].as_array().unwrap().iter().filter(|finding| finding["level"] == "error");
    found.map(|finding| finding["message"].as_str().unwrap().to_owned()).collect()
}

const CHANGE: &[&str] = &["--base", "main", "--head", "topic"];

#[test]
fn a_search_whose_pattern_matches_a_line_of_a_denied_file_is_an_error() {
    let bash = |command: &str| ("Bash", json!({"command": command}));
    let tool = |input: Value| ("Grep", input);
    for (call, file) in [
        (bash("grep -rn password ."), "conf/prod.yml"),
        (bash("grep -rniE 'PASS|host:' ."), "conf/prod.yml"),
        (bash("rg swordfish"), "conf/prod.yml"),
        (bash("git grep -n 'db\\.internal'"), "conf/prod.yml"),
        (bash("grep -r --include='*.yml' -e nothing-else -e sword ."), "conf/prod.yml"),
        (bash("grep -rn API_TOKEN ."), ".env"),
        (bash("rg --hidden -i api_token"), ".env"),
        (tool(json!({"pattern": "API_\\w+=", "output_mode": "content"})), ".env"),
    ] {
        let found = messages(call.clone(), CHANGE);
        let expected = format!("denied by files.read.deny, as the pattern matches a line of `{file}`");
        let is_told = found.iter().all(|message| message.ends_with(&expected));
        assert!(!found.is_empty() && is_told, "{call:?}: {found:?}");
    }
}

#[test]
fn a_search_that_shows_no_line_of_a_denied_file_is_no_error() {
    let bash = |command: &str| ("Bash", json!({"command": command}));
    let tool = |input: Value| ("Grep", input);
    for call in [
        bash("grep -rn TIMEOUT ."),
        // Names are no lines, and a file that is left out shows none.
        bash("grep -rl password ."),
        bash("grep -rn --include='*.py' password ."),
        bash("grep -rn --exclude-dir=conf password ."),
        bash("rg -g '!conf/**' password"),
        bash("rg API_TOKEN"),
        bash("rg --color never -F -r password x"),
        bash("grep -rnw pass ."),
        // The work tree, and a file that the list leaves out.
        bash("grep -rn nothing ."),
        bash("grep -rn EXAMPLE_KEY ."),
        bash("cp -r app /tmp/app"),
        tool(json!({"pattern": "password"})),
        tool(json!({"pattern": "password", "glob": "*.py", "output_mode": "content"})),
    ] {
        assert_eq!(messages(call.clone(), CHANGE), [""; 0], "{call:?}");
    }
    // Without the change, its files are not known.
    let call = bash("grep -rn 0123 .");
    assert_eq!(messages(call.clone(), &["--base", "main", "--head", "main"]), [""; 0]);
    assert_eq!(messages(call, CHANGE).len(), 1);
}
