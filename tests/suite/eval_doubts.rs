//! What can't be judged never passes: each of these passed once, or would have.

use serde_json::{Value, json};

use crate::eval_world::{Events, answered, called, done, end, ran, refused, world, write};
use crate::world::World;

/// The first score, its reason, and the exit code.
fn judged(world: &World) -> (Value, String, i32) {
    let answer = world.run(&["eval", "gate", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let result = &report["sessions"][0]["results"][0];
    (result["score"].clone(), result["reason"].as_str().unwrap().to_owned(), answer.code)
}

fn unknown(world: &World, wanted: &str) {
    let (score, reason, code) = judged(world);
    assert_eq!((score, code), (Value::Null, 3), "{reason}");
    assert!(reason.contains(wanted), "{reason}");
}

/// One call that has no result may be the one that failed.
#[test]
fn a_call_without_a_result_may_have_failed() {
    let silent = vec![("tool_call", json!({"tool_name": "Bash", "tool_use_id": "z", "arguments": {"command": "ls"}}))];
    let events = [ran("ls"), silent, end()];
    let wanted = "the log records no result of 1 of 2 calls";
    unknown(&world("scorers: [{type: no_errors}]\n", &events), wanted);
    let count = "evals: [{name: clean, scorer: error_count, fail_on: above, threshold: 0}]\n";
    unknown(&world(count, &events), wanted);
}

/// A single time is no duration.
#[test]
fn one_recorded_time_is_no_duration() {
    let world = world("scorers: [{type: duration_under, max_seconds: 5}]\n", &[ran("ls"), end()]);
    let path = ".agent-traces/5e5510/events.ndjson";
    let same = |line: &str| {
        let mut event: Value = serde_json::from_str(line).unwrap();
        event["timestamp"] = json!(1_790_000_000);
        event.to_string() + "\n"
    };
    world.write(path, &world.read(path).lines().map(same).collect::<String>());
    unknown(&world, "the log records no times, or a single one");
}

const TESTS: &str = "scorers: [{type: tests_ran}]\n";

/// What changed files unseen, before or after the tests.
#[test]
fn a_script_that_nobody_knows_may_have_changed_files() {
    let unseen = || ran("python generate.py");
    unknown(&world(TESTS, &[unseen(), end()]), "event 1 may have changed files: runs a script");
    unknown(&world(TESTS, &[write("src/a.py"), ran("pytest"), unseen(), end()]), "event 5 may have changed");
    let tested = world(TESTS, &[write("src/a.py"), unseen(), ran("pytest"), end()]);
    assert_eq!((judged(&tested).0, judged(&tested).2), (json!(1.0), 0));
    // A scope can vouch for it.
    let vouched = world(TESTS, &[write("src/a.py"), ran("pytest"), unseen(), end()]);
    vouched.write(".agent-scope.json", r#"{"commands": {"allow": ["pytest", "python generate.py"]}}"#);
    assert_eq!((judged(&vouched).0, judged(&vouched).2), (json!(1.0), 0));
}

/// A program that runs tests runs none where it is told so, or nobody can tell.
#[test]
fn a_run_of_no_tests_is_none() {
    let score = |command: &str| {
        let world = world(TESTS, &[write("src/a.py"), ran(command), end()]);
        judged(&world)
    };
    for command in [
        "pytest -q",
        "python -m pytest tests",
        "make test -j8",
        "cargo nextest run",
        "cargo test list",
        "make test -fMakefile.in",
        "mvn test -DskipTests=false",
    ] {
        assert_eq!(score(command).0, json!(1.0), "{command}");
    }
    for command in [
        "pytest -h",
        "python -m pytest --markers",
        "cargo test -V",
        "cargo test -- --list",
        "go test -list . ./...",
        "go test -list=. ./...",
        "make test -sn",
        "make test -i",
        "make test SHELL=/bin/true",
        "cargo nextest list",
        "cargo nextest show-config test-groups",
        "just test -n",
        "bazel test --nobuild //...",
        "jest --clearCache",
        "go test -run '^$' ./...",
        "pytest --collectonly",
        "make test --ignore-errors",
        "mvn test -DskipTests",
        "./mvnw test -Dmaven.test.failure.ignore=true",
        "./gradlew check -x test",
        "tox -l",
        "vitest list",
    ] {
        let (score, reason, code) = score(command);
        assert_eq!((score, code), (json!(0.0), 1), "{command}: {reason}");
    }
    let wanted = "the call sets a variable that may tell it to run none";
    unknown(&world(TESTS, &[write("src/a.py"), ran("PYTEST_ADDOPTS=--co pytest"), end()]), wanted);
    unknown(&world(TESTS, &[write("src/a.py"), ran("export MAKEFLAGS=-i; make test"), end()]), wanted);
    let own = [write("src/a.py"), write(".venv/bin/pytest"), ran(".venv/bin/pytest"), end()];
    unknown(&world(TESTS, &own), "the session itself wrote the program that ran");
}

/// Where nobody knows where the workspace is, any file may be one of it.
#[test]
fn a_session_without_a_workspace_changes_files() {
    let world = world(TESTS, &[write("/home/dana/rates/src/a.py"), end()]);
    world.write(".agent-traces/5e5510/meta.json", r#"{"session_id": "5e5510", "started_at": 1790000000.0}"#);
    assert_eq!((judged(&world).0, judged(&world).2), (json!(0.0), 1));
}

/// Commands that nobody sees are not those that never ran.
#[test]
fn text_that_is_not_known_may_be_any_command() {
    let never = "scorers: [{type: commands_matching, patterns: [git push], max: 0}]\n";
    unknown(&world(never, &[ran("eval \"$NEXT\""), end()]), "event 1 may have run them");
    let seen = world(never, &[ran("git status"), end()]);
    assert_eq!((judged(&seen).0, judged(&seen).2), (json!(1.0), 0));
    let pushed = world(never, &[ran("eval \"$NEXT\""), ran("git push"), end()]);
    assert_eq!((judged(&pushed).0, judged(&pushed).2), (json!(0.0), 1));
}

/// A rule that could not judge found nothing, and one that does not exist never will.
#[test]
fn findings_of_rules_that_did_not_judge_are_not_none() {
    let by = |rule: &str| format!("scorers: [{{type: max_findings, level: note, rules: [{rule}]}}]\n");
    let events = [ran("ls"), end()];
    refused(&world(&by("lint/tool-lop"), &events).run(&["eval", "ci"]), "there is no rule `lint/tool-lop`");
    let budget = world(&by("lint/context-saturation"), &events);
    budget.write(".agent-strace-lint.json", r#"{"context-saturation": {"enabled": true}}"#);
    let (score, reason, code) = judged(&budget);
    assert_eq!((score, code), (Value::Null, 3), "{reason}");
}

/// Readers disagree on which of two values counts.
#[test]
fn values_that_stand_twice_are_refused() {
    let judge = "scorers: [{type: llm_judge, name: polite, threshold: 0.7}]\n";
    let world = world(judge, &[ran("ls"), end()]);
    world.write("verdicts.json", r#"{"5e5510": {"polite": {"score": 0.1}}, "5e5510": {"polite": {"score": 0.9}}}"#);
    refused(&world.run(&["eval", "ci", "--verdicts", "verdicts.json"]), "`5e5510` stands twice in one object");
    world.write("b.json", r#"{"version": 1, "scores": {"polite": 0.1, "polite": 0.0}}"#);
    refused(&world.run(&["eval", "ci", "--baseline", "b.json"]), "`polite` stands twice in one object");
    world.write("b.json", &format!("{{\"version\": 1{}}}", " ".repeat(1 << 20)));
    refused(&world.run(&["eval", "ci", "--baseline", "b.json"]), "it is larger than 1 MiB");
}

/// A baseline says what its values are of.
#[test]
fn a_baseline_of_other_evals_is_none() {
    let by = |metric: &str| format!("evals: [{{name: limit, scorer: {metric}, fail_on: above, threshold: 100}}]\n");
    let world = world(&by("tool_call_count"), &[ran("ls"), end()]);
    assert_eq!(world.run(&["eval", "gate", "--save-baseline", "kept/evals.json"]).code, 0);
    assert_eq!(world.run(&["eval", "gate", "--baseline", "kept/evals.json"]).code, 0);
    world.write(".agent-evals.yaml", &by("error_count"));
    refused(&world.run(&["eval", "gate", "--baseline", "kept/evals.json"]), "is one of `tool_call_count`");
}

/// A baseline that is kept in the store is no log there.
#[test]
fn a_fingerprint_in_the_store_is_no_log() {
    let world = world("scorers: [{type: no_errors}]\n", &[ran("ls"), end()]);
    let baseline = ".agent-traces/baselines/behavior-main.json";
    assert_eq!(world.run(&["drift", "--save-baseline", baseline]).code, 3);
    assert!(world.read(baseline).contains("\"tool_mix\""));
    let answer = world.run(&["eval", "ci"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let kept = world.read(baseline);
    for (from, to) in [("[\n        1,", "[\n        18446744073709551615,"), ("\"sessions\": 1", "\"sessions\": 0")] {
        world.write("broken.json", &kept.replacen(from, to, 1));
        refused(&world.run(&["drift", "--baseline", "broken.json"]), "counts more sessions than there are");
    }
}

/// A regression that nobody can tell is none that is known not to be there.
#[test]
fn a_comparison_that_is_undecided_is_no_pass() {
    let world = World::empty();
    let usage = json!({"input_tokens": 1_000_000, "output_tokens": 1});
    let spent = |model: &str| vec![("assistant_response", json!({"text": "x", "model": model, "usage": usage}))];
    world.session("aaaa", 1_790_000_000, &[ran("ls"), spent("claude-haiku-4-5"), end()].concat());
    world.session("bbbb", 1_790_001_000, &[ran("ls"), spent("nobody-1"), end()].concat());
    assert_eq!(world.run(&["compare", "aaaa", "bbbb"]).code, 0);
    let gate = world.run(&["compare", "aaaa", "bbbb", "--fail-on-regression"]);
    assert_eq!(gate.code, 3, "{gate:?}");
    assert!(gate.stderr.contains("nobody can tell"), "{gate:?}");
}

/// A part of the tests may pass before all of them fail.
#[test]
fn what_ran_last_counts() {
    let failed = |command: &str| called("Bash", &json!({"command": command}), true);
    let (edit, one) = (|| write("src/a.py"), || ran("pytest tests/test_one.py"));
    let (score, reason, code) = judged(&world(TESTS, &[edit(), one(), failed("pytest"), end()]));
    assert_eq!((score, code), (json!(0.0), 1), "{reason}");
    let wanted = "the status of the call does not tell";
    unknown(&world(TESTS, &[edit(), one(), ran("pytest | tail"), end()]), wanted);
    let mended = world(TESTS, &[edit(), failed("pytest"), ran("pytest"), end()]);
    assert_eq!(judged(&mended).2, 0);
    // A tool for files that failed changed none.
    let vain = called("Edit", &json!({"file_path": "src/a.py", "old_string": "a", "new_string": "b"}), true);
    assert_eq!(judged(&world(TESTS, &[edit(), ran("pytest"), vain, end()])).2, 0);
    // What lies beside the workspace may be a part of the project.
    let beside = [write("/srv/elsewhere/x.ts"), end()];
    unknown(&world(TESTS, &beside), "`/srv/elsewhere/x.ts` lies outside of the workspace");
    unknown(&world(TESTS, &[edit(), ran("pytest"), ran("cargo fix --allow-dirty"), end()]), "changes its files");
}

/// What stands behind something else may never have been reached.
#[test]
fn a_command_that_a_failed_call_may_not_have_reached_proves_nothing() {
    let audited = "scorers: [{type: commands_matching, patterns: [cargo audit], min: 1}]\n";
    let failed = |command: &str| called("Bash", &json!({"command": command}), true);
    for command in
        ["false && cargo audit", "exit 1; cargo audit", "cd /nope && cargo audit", "true || cargo audit; false"]
    {
        unknown(&world(audited, &[failed(command), end()]), "the log does not tell");
    }
    assert_eq!(judged(&world(audited, &[failed("cargo audit"), end()])).2, 0, "it ran, and found something");
}

/// A rule whose findings somebody counts has to judge.
#[test]
fn a_counted_rule_that_could_not_judge_is_no_pass() {
    for rule in ["lint/budget-proximity", "lint/context-saturation", "lint/post-compaction-regression"] {
        let by = format!("scorers: [{{type: max_findings, level: note, rules: [{rule}]}}]\n");
        let world = world(&by, &[ran("ls"), end()]);
        let (score, reason, code) = judged(&world);
        assert_eq!((score, code), (Value::Null, 3), "{rule}: {reason}");
    }
    let world = world("scorers: [{type: max_findings, level: note, rules: [lint/blind-edit]}]\n", &[ran("ls"), end()]);
    assert_eq!(judged(&world).2, 0);
    world.write(".agent-strace-lint.json", r#"{"blind-edit": {"enabled": false}}"#);
    unknown(&world, "the lint file switches it off");
}

/// What the tests of a session with one change are worth.
fn tested(events: &[Events]) -> (Value, String, i32) {
    judged(&world(TESTS, &[&[write("src/a.py")], events, &[end()]].concat()))
}

fn untold(events: &[Events], wanted: &str) {
    let (score, reason, code) = tested(events);
    assert_eq!((score, code), (Value::Null, 3), "{events:?}: {reason}");
    assert!(reason.contains(wanted), "{reason}");
}

const GOES_ON: &str = "Command running in background with ID: b7a1. Output is being written to: /x/b7a1.output";

/// A call ends before what it put in the background does.
#[test]
fn tests_in_the_background_have_not_passed() {
    let pytest = |said: &str| answered("Bash", &json!({"command": "pytest"}), said);
    let wanted = "they went on in the background";
    untold(&[pytest(GOES_ON)], wanted);
    untold(&[pytest("..........\nCommand was manually backgrounded by user with ID: b7a1.")], wanted);
    untold(&[pytest("{'stdout': '', 'backgroundTaskId': 'b7a1'}")], wanted);
    untold(&[pytest("Chunk ID: 5\nWall time: 10 seconds\nProcess running with session ID 4812\nOutput:\n")], wanted);
    untold(&[ran("pytest &")], "the status of the call does not tell");
    let later = |said: &str| answered("TaskOutput", &json!({"task_id": "b7a1"}), said);
    let ended = "<status>completed</status>\n<exit_code>0</exit_code>\n<output>\n";
    assert_eq!(tested(&[pytest(GOES_ON), later(ended)]).2, 0);
    untold(&[pytest(GOES_ON), later("<status>running</status>\n<output>\n<exit_code>0</exit_code>")], wanted);
    untold(&[pytest(GOES_ON), later("<status>failed</status>\n<exit_code>1</exit_code>")], wanted);
    let audited = "scorers: [{type: commands_matching, patterns: [cargo audit], min: 1}]\n";
    let behind = answered("Bash", &json!({"command": "false && cargo audit"}), GOES_ON);
    unknown(&world(audited, &[behind, end()]), "the log does not tell");
    let cursor = done("run_terminal_cmd", &json!({"command": "false && cargo audit", "is_background": true}));
    unknown(&world(audited, &[cursor, end()]), "the log does not tell");
}

/// What goes on in the background may write after the tests.
#[test]
fn a_writer_in_the_background_may_write_later() {
    let wanted = "it goes on in the background";
    for command in ["python gen.py &", "(sleep 60; sed -i s/a/b/ src/a.py) &", "python gen.py & disown"] {
        untold(&[ran(command), ran("pytest")], wanted);
    }
    let generated = answered("Bash", &json!({"command": "python gen.py"}), GOES_ON);
    untold(&[generated.clone(), ran("pytest")], wanted);
    let ended = answered("TaskOutput", &json!({"task_id": "b7a1"}), "<exit_code>0</exit_code>");
    assert_eq!(tested(&[generated.clone(), ended.clone(), ran("pytest")]).2, 0);
    assert_eq!(tested(&[generated, ran("pytest"), ended]).2, 3);
    for command in ["npm run dev > dev.log 2>&1 &", "python gen.py & wait"] {
        assert_eq!(tested(&[ran(command), ran("pytest")]).2, 0, "{command}");
    }
}

/// A project is told to rewrite its files, by whatever name.
#[test]
fn a_command_that_rewrites_files_may_have_changed_them() {
    for command in [
        "cargo clippy --fix --allow-dirty",
        "cargo fix --allow-dirty",
        "go generate ./...",
        "make fmt",
        "npm run format",
        "npm run lint -- --fix",
        "yarn lint:fix",
        "just codegen",
        "./gradlew spotlessApply",
        "pre-commit run --all-files",
        "jupyter nbconvert --to notebook --inplace a.ipynb",
        "npx eslint --fix src",
        "ruff check --fix",
        "black .",
        "npx prettier --write .",
    ] {
        let (score, reason, _) = tested(&[ran("pytest"), ran(command)]);
        assert_ne!(score, json!(1.0), "{command}: {reason}");
        assert_eq!(tested(&[ran(command), ran("pytest")]).2, 0, "{command}");
    }
    for command in [
        "make lint",
        "npm run format:check",
        "npm run build",
        "cargo build -p codegen",
        "go vet ./...",
        "black --check .",
    ] {
        let (score, reason, code) = tested(&[ran("pytest"), ran(command)]);
        assert_eq!((score, code), (json!(1.0), 0), "{command}: {reason}");
    }
}

/// The tests of another project are not those of this one.
#[test]
fn tests_that_run_elsewhere_are_not_those_of_the_workspace() {
    for command in [
        "cd /tmp/x && cargo test",
        "cd \"$SOMEWHERE\" && cargo test",
        "cargo test --manifest-path /tmp/x/Cargo.toml",
        "cargo test --manifest-path=/tmp/x/Cargo.toml",
        "npm test --prefix /tmp/x",
        "make test -C /tmp/x",
        "pytest -q /tmp/x/test_a.py",
        "(cd .. && cd other && pytest)",
    ] {
        untold(&[ran(command)], "outside of the workspace");
        assert_eq!(tested(&[ran("pytest"), ran(command)]).2, 0, "{command}");
    }
    for command in [
        "cd src && pytest",
        "cd ~/rates && pytest",
        "cd .. && pytest",
        "make test -C sub",
        "cd sub && make test -C ..",
        "pytest --junitxml /tmp/report.xml",
        "cargo test --target-dir /tmp/target",
    ] {
        let (score, reason, _) = tested(&[ran(command)]);
        assert_eq!(score, json!(1.0), "{command}: {reason}");
    }
    let wanted = "a search path that may replace the program";
    for path in [
        "/tmp/fake:$PATH",
        "$PWD/bin:$PATH",
        "$(cat path)",
        "$(cat path):$PATH",
        "$(cat path):/usr/bin",
        "/usr/bin:$(cat path)",
        "$(cat path)$PATH",
        "$PATH/../fake:/usr/bin",
        "$PATH$(cat path)",
        ":$PATH",
        "bin:/usr/bin",
        "/usr/../tmp:$PATH",
        "/tmp/fake${PATH:+:$PATH}",
    ] {
        untold(&[ran(&format!("PATH=\"{path}\" cargo test"))], wanted);
        untold(&[ran(&format!("export PATH=\"{path}\"; cargo test"))], wanted);
        untold(&[ran(&format!("export PATH=\"{path}\" && true; sh -c 'cargo test'"))], wanted);
    }
    for path in [
        "$HOME/.cargo/bin:$PATH",
        "/usr/local/bin:$PATH",
        "/usr/local/bin${PATH:+:$PATH}",
        "$PATH:$(go env GOPATH)/bin",
        "$PATH:/tmp/fake",
        "$PATH${MORE:+:$MORE}",
        "~/bin:$PATH",
        "node_modules/.bin:$PATH",
        "/usr/bin:/bin",
    ] {
        assert_eq!(tested(&[ran(&format!("PATH=\"{path}\" cargo test"))]).2, 0, "{path}");
        assert_eq!(tested(&[ran(&format!("export PATH=\"{path}\"; cargo test"))]).2, 0, "{path}");
        assert_eq!(tested(&[ran(&format!("export PATH={path}; cargo test"))]).2, 0, "{path}");
        assert_eq!(tested(&[ran(&format!("OLD=$PATH; PATH={path}; export PATH; cargo test"))]).2, 0, "{path}");
    }
    for before in ["eval \"$(cat f)\"", "source ./x.sh", ". \"$1\"", "source /tmp/x.sh"] {
        untold(&[ran(&format!("{before}; cargo test"))], "the same shell ran text before that nobody knows");
        assert_eq!(tested(&[ran(before), ran("cargo test")]).2, 0, "{before}");
    }
    for before in ["source .venv/bin/activate", ". ~/.cargo/env", "eval \"echo x\"", "./x.sh"] {
        assert_eq!(tested(&[ran(&format!("{before}; cargo test"))]).2, 0, "{before}");
    }
    untold(&[ran("PATH=/tmp/fake; export PATH+=:/usr/bin; cargo test")], wanted);
    assert_eq!(tested(&[ran("export PATH+=:/tmp/more; cargo test")]).2, 0);
    assert_eq!(tested(&[ran("old=$PATH; export PATH=/usr/bin:$old; cargo test")]).2, 0);
}

/// Who started a sub-agent may test its work; one that left no log may have changed anything.
#[test]
fn a_parent_tests_for_its_sub_agents() {
    let task = || done("Task", &json!({"subagent_type": "general-purpose", "prompt": "x"}));
    let child = |world: &World, started: u32, events: &[Events]| {
        world.session("c417d0", started, &[events, &[end()]].concat().concat());
        let meta = json!({
            "session_id": "c417d0", "started_at": started, "parent_session_id": "5e5510",
            "attribution": {"working_dir": "/home/dana/rates"},
        });
        world.write(".agent-traces/c417d0/meta.json", &meta.to_string());
    };
    let run = |parent: &[Events], started: u32, events: &[Events]| {
        let world = world(TESTS, &[parent, &[end()]].concat());
        child(&world, started, events);
        let answer = world.run(&["check", "--allow-no-policy", "--format", "json"]);
        (answer.code, answer.stdout + &answer.stderr)
    };
    let (early, late) = (1_789_999_000, 1_790_001_000);
    let (code, said) = run(&[task(), ran("pytest")], early, &[write("src/a.py")]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = run(&[task(), ran("pytest")], late, &[write("src/a.py")]);
    assert_eq!(code, 1, "{said}");
    let wanted = "starts an agent whose work is not recorded";
    untold(&[ran("pytest"), task()], wanted);
    assert_eq!(tested(&[task(), ran("pytest")]).2, 0);
    assert_eq!(tested(&[ran("pytest"), done("Task", &json!({"subagent_type": "Explore", "prompt": "x"}))]).2, 0);
}

/// Who asks a program what it takes has not run it.
#[test]
fn a_command_that_is_asked_for_help_did_not_run() {
    let audited = "scorers: [{type: commands_matching, patterns: [cargo audit], min: 1}]\n";
    for (command, score) in [("cargo audit --help", 0.0), ("cargo audit --version", 0.0), ("cargo audit --json", 1.0)] {
        assert_eq!(judged(&world(audited, &[ran(command), end()])).0, json!(score), "{command}");
    }
}
