//! A session is judged by what earlier sessions of the run left behind.

use serde_json::{Value, json};

use crate::world::World;

const EARLY: u32 = 1_790_000_000;
const LATE: u32 = EARLY + 3_600;

fn write(path: &str, content: &str) -> Value {
    json!({"tool_name": "Write", "arguments": {"file_path": path, "content": content}})
}

fn run(command: &str) -> Value {
    json!({"tool_name": "Bash", "arguments": {"command": command}})
}

/// One session, and another that began at this time; each ran in its directory.
struct Case {
    name: &'static str,
    planted: (u32, &'static str, Value),
    ran: (u32, &'static str, Value),
}

/// The rules of the findings about the second session.
fn found(case: &Case) -> Vec<String> {
    let world = World::empty();
    world.write(
        ".agent-scope.json",
        r#"{"commands": {"deny": ["rm -rf"]}, "files": {"write": {"deny": [".github/**"]}}}"#,
    );
    for (id, (started, cwd, call)) in [("aa11", &case.planted), ("bb22", &case.ran)] {
        world.session(id, *started, &[("session_start", json!({"cwd": cwd})), ("tool_call", call.clone())]);
    }
    let answer = world.run(&["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let findings = report["findings"].as_array().unwrap().iter();
    let of_second = findings.filter(|finding| finding["session"] == "bb22" && finding["level"] == "error");
    of_second.map(|finding| finding["rule"].as_str().unwrap_or("").to_owned()).collect()
}

fn case(name: &'static str, planted: Value, ran: Value) -> Case {
    Case { name, planted: (EARLY, "/repo", planted), ran: (LATE, "/repo", ran) }
}

#[test]
fn what_an_earlier_session_planted_is_judged_where_a_later_one_runs_it() {
    let script = "#!/bin/sh\nrm -rf src\n";
    let package = r#"{"scripts": {"test": "rm -rf src"}}"#;
    let cases = [
        case("script", write("/repo/run.sh", script), run("bash run.sh")),
        case("package.json", write("/repo/package.json", package), run("npm test")),
        case("recipe", write("/repo/Makefile", "build:\n\trm -rf src\n"), run("make build")),
        case("module", write("/repo/json.py", "import os\nos.system('rm -rf src')\n"), run("python3 -c 'import json'")),
        case("program", write("/repo/node_modules/.bin/tsc", script), run("node_modules/.bin/tsc")),
        case("npx", write("/repo/node_modules/.bin/tsc", script), run("npx tsc")),
        case("npm exec", write("/repo/node_modules/.bin/tsc", script), run("npm exec tsc")),
        case("alias of git", run("git config alias.st '!rm -rf src'"), run("git st")),
        case("link", run("ln -s ../.github src/g"), write("/repo/src/g/x.yml", "a")),
        Case {
            ran: (LATE, "/repo/infra", run("bash run.sh")),
            ..case("directory below", write("/repo/infra/run.sh", script), Value::Null)
        },
        Case {
            planted: (EARLY, "/repo/infra", write("/repo/infra/run.sh", script)),
            ..case("directory above", Value::Null, run("bash infra/run.sh"))
        },
        Case {
            planted: (EARLY, "/repo", write("/repo/run.sh", script)),
            ran: (EARLY, "/repo", run("bash run.sh")),
            ..case("at the same time", Value::Null, Value::Null)
        },
    ];
    let silent: Vec<&str> = cases.iter().filter(|case| found(case).is_empty()).map(|case| case.name).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn what_no_earlier_session_planted_is_not_held_against_a_session() {
    let script = "rm -rf src\n";
    let cases = [
        case("other script", write("/repo/other.sh", script), run("bash run.sh")),
        case("harmless", write("/repo/package.json", r#"{"scripts": {"test": "vitest"}}"#), run("npm test")),
        case("reads only", write("/repo/run.sh", script), run("cat run.sh")),
        Case {
            planted: (LATE, "/repo", write("/repo/run.sh", script)),
            ran: (EARLY, "/repo", run("bash run.sh")),
            ..case("planted later", Value::Null, Value::Null)
        },
        Case {
            planted: (EARLY, "/other", write("/other/run.sh", script)),
            ..case("another workspace", Value::Null, run("bash run.sh"))
        },
    ];
    for case in cases {
        assert_eq!(found(&case), [""; 0], "{}", case.name);
    }
}

#[test]
fn sessions_in_between_hide_nothing_that_was_planted() {
    let script = "#!/bin/sh\nrm -rf src\n";
    let package = r#"{"scripts": {"test": "rm -rf src"}}"#;
    for (planted, ran, others) in [
        (write("/repo/run.sh", script), run("bash run.sh"), (70, 10)),
        (write("/repo/run.sh", script), run("bash run.sh"), (20, 0)),
        (write("/repo/package.json", package), run("npm test"), (70, 10)),
    ] {
        let world = World::empty();
        world.write(".agent-scope.json", r#"{"commands": {"deny": ["rm -rf"]}}"#);
        let (count, apart) = others;
        let start = json!({"cwd": "/repo"});
        let session = |id: &str, at: u32, call: &Value| {
            world.session(id, at, &[("session_start", start.clone()), ("tool_call", call.clone())]);
        };
        session("aa11", EARLY, &planted);
        for other in 0..count {
            session(
                &format!("cc{other:02}"),
                EARLY + 1_000 + other * apart,
                &write(&format!("/repo/n{other}.md"), "n"),
            );
        }
        session("bb22", EARLY + 1_000 + count * apart, &ran);
        let answer = world.run(&["check", "--format", "json"]);
        let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
        let findings = report["findings"].as_array().unwrap();
        let is_found = findings.iter().any(|finding| finding["session"] == "bb22" && finding["level"] == "error");
        assert!(is_found, "{ran} after {others:?}");
    }
}
