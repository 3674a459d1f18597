//! Lines of denied files that are committed: a search with a pattern that matches one, and outputs that show one.

use serde_json::{Value, json};

use crate::repository::Repository;
use crate::settled_by_change::{log, log_with_results};
use crate::world::World;

const POLICY: &str = r#"{"version": 2, "files": {"read": {"deny": [".env*", "!.env.example", "conf/prod.yml"]}}}"#;

/// A repository with denied files at its base, and one in its change.
fn repository(world: &World) -> Repository<'_> {
    let repository = Repository::new(world, "r");
    repository
        .file(".agent-scope.json", POLICY)
        .file("conf/prod.yml", "host: db.internal\npassword: swordfish\nuser: app\n");
    repository.file(
        ".env.local",
        "DATABASE_URL=postgres://app:b7zk29qmx4tr@db.example/orders\nLOG_FORMAT=json-with-time\nNODE_ENV=development\n",
    );
    repository.file("src/b.py", "DEFAULTS = [\n    LOG_FORMAT=json-with-time\n]\n");
    repository.file(".env.example", "EXAMPLE_KEY=1\n").file("src/a.py", "TIMEOUT = 1\n");
    repository.file("app/.env.example", "A=1\n").commit("base");
    repository.git(&["checkout", "-q", "-b", "topic"]);
    repository.file(".env", "API_TOKEN=0123456789abcdef\n").commit("work");
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

/// The errors of a session in which the calls had these results.
fn errors(calls: &[(&'static str, Value, &str)], args: &[&str]) -> Vec<String> {
    let world = World::empty();
    repository(&world);
    let root = world.path().canonicalize().unwrap().join("r").display().to_string();
    world.write("log.jsonl", &log_with_results(&root, calls.iter().cloned()));
    let args = [&["check", "../log.jsonl", "--format", "json", "--now", "2026-03-01T12:00:00Z"], args].concat();
    let answer = world.run_in("r", &args);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let found = document["findings"].as_array().unwrap().iter();
    let found = found.filter(|finding| finding["level"] == "error" && finding["rule"] == "scope/read");
    found.map(|finding| format!("{} {}", finding["event"], finding["message"].as_str().unwrap())).collect()
}

const SHOWN: &str = "DATABASE_URL=postgres://app:b7zk29qmx4tr@db.example/orders";

#[test]
fn output_that_shows_a_line_of_a_denied_file_speaks_against_an_open_call() {
    let bash = |command: &str| json!({"command": command});
    let say = |file: &str, event: u32| {
        format!("{event} reads `{file}`: denied by files.read.deny, as its output shows a line of it")
    };
    let output = format!("> test\n\n    {SHOWN}\r\nok 1\n");
    for command in ["npm test", "node tool.js", "./show", "make -s show", "python3 -m app.dump", "cat \"$f\""] {
        assert_eq!(errors(&[("Bash", bash(command), &output)], CHANGE), [say(".env.local", 1)], "{command}");
    }
    // Of the change, and in the same call as a file that may be read.
    let found = errors(&[("Bash", bash("npm test"), "API_TOKEN=0123456789abcdef")], CHANGE);
    assert_eq!(found, [say(".env", 1)]);
    assert_eq!(errors(&[("Bash", bash("cat src/a.py; npm test"), &output)], &[]), [say(".env.local", 1)]);
    // In the output of what an earlier call started.
    let start = ("Bash", json!({"command": "npm start", "run_in_background": true}), "started");
    let poll = ("BashOutput", json!({"bash_id": "1"}), output.as_str());
    assert_eq!(errors(&[start, poll], CHANGE), [say(".env.local", 3)]);
}

#[test]
fn output_that_is_explained_or_says_nothing_speaks_against_no_call() {
    let bash = |command: &str| json!({"command": command});
    for (command, output) in [
        // All that they read is known, or it is not the denied file.
        ("cat src/a.py", SHOWN),
        ("git status", SHOWN),
        ("cat src/*", SHOWN),
        // A short line, a longer one, and one that stands in a file that may be read.
        ("npm test", "user: app"),
        ("npm test", "found DATABASE_URL=postgres://app:b7zk29qmx4tr@db.example/orders in .env.local"),
        ("npm test", "LOG_FORMAT=json-with-time"),
        // A setting that many projects have.
        ("printenv", "NODE_ENV=development"),
        // The command itself spells it.
        ("DATABASE_URL=postgres://app:b7zk29qmx4tr@db.example/orders ./show", SHOWN),
    ] {
        assert_eq!(errors(&[("Bash", bash(command), output)], CHANGE), [""; 0], "{command} {output}");
    }
    // The session knew it from a file that it wrote, or that it read.
    let text = format!("a\n{SHOWN}\n");
    let write = ("Write", json!({"file_path": "notes.md", "content": text}), "ok");
    let read = ("Read", json!({"file_path": "src/unknown.py"}), format!("     1\u{2192}{SHOWN}"));
    let read = (read.0, read.1, read.2.as_str());
    for earlier in [write, read] {
        assert_eq!(errors(&[earlier, ("Bash", bash("npm test"), SHOWN)], CHANGE), [""; 0]);
    }
}

#[test]
fn explain_says_that_the_output_shows_a_line() {
    let world = World::empty();
    repository(&world);
    let root = world.path().canonicalize().unwrap().join("r").display().to_string();
    world.write("log.jsonl", &log_with_results(&root, [("Bash", json!({"command": "npm test"}), SHOWN)]));
    let answer = world.run_in("r", &["policy", "explain", "../log.jsonl", "1"]);
    assert!(answer.stdout.contains("as its output shows a line of it"), "{answer:?}");
    assert!(answer.stdout.contains(".env.local") && !answer.stdout.contains("postgres"), "{answer:?}");
}
