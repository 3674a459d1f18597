//! What `eval` of the Python tool of this name gets wrong, and must not be wrong here: one test per defect, named as the
//! list of them names it.

use serde_json::{Value, json};

use crate::eval_world::{Events, called, done, end, read, refused, world, write};
use crate::world::{Answer, World};

fn ci(world: &World) -> Answer {
    world.run(&["eval", "ci"])
}

/// The results by name, and the exit code, of `eval` as a command for programs.
fn results(world: &World, more: &[&str]) -> (Vec<Value>, i32) {
    let answer = world.run(&[&["eval", "gate", "--format", "json"], more].concat());
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let sessions = report["sessions"].as_array().unwrap();
    let results = sessions.iter().flat_map(|session| session["results"].as_array().unwrap()).cloned();
    (results.collect(), answer.code)
}

fn score(world: &World) -> (Value, i32) {
    let (results, code) = results(world, &[]);
    (results[0]["score"].clone(), code)
}

const SCOPED: &str = "scorers:\n  - type: files_scoped\n    threshold: 0.90\n    allowed_paths: ";

#[test]
fn eval_readme_list() {
    let bad = [read("/etc/shadow"), read("secrets/prod.json"), write("/root/.ssh/authorized_keys"), end()];
    assert_eq!(score(&world(&format!("{SCOPED}[\"src/\", \"tests/\"]\n"), &bad)), (json!(0.0), 1));
    let good = [read("src/a.py"), write("/home/dana/rates/tests/b.py"), end()];
    assert_eq!(score(&world(&format!("{SCOPED}[\"src/\", \"tests/\"]\n"), &good)), (json!(1.0), 0));
}

#[test]
fn eval_block_list_and_eval_scalar_list() {
    let bad = [write("/etc/passwd"), end()];
    assert_eq!(score(&world(&format!("{SCOPED}\n      - src/\n      - tests/\n"), &bad)), (json!(0.0), 1));
    refused(&ci(&world(&format!("{SCOPED}src/\n"), &bad)), "not a list of texts");
    refused(&ci(&world("scorers:\n  - type: files_scoped\n", &bad)), "`allowed_paths` is missing");
}

/// Many reads hide no write, `..` and names that only begin alike hide nothing, and no tool is left out.
#[test]
fn api_eval_dilute_dotdot_and_tools() {
    let config = format!("{SCOPED}[src]\n");
    let mut diluted = vec![write("/etc/x")];
    diluted.extend((0..20).map(|at| done("Grep", &json!({"pattern": "x", "path": format!("src/{at}")}))));
    let patch = "*** Begin Patch\n*** Update File: b.py\n@@\n-a\n+b\n*** End Patch\n";
    let cases = [
        diluted,
        vec![read("src/../.env")],
        vec![read("src-evil/x")],
        vec![done("MultiEdit", &json!({"file_path": "b.py", "edits": [{"old_string": "a", "new_string": "b"}]}))],
        vec![done("apply_patch", &json!({"input": patch}))],
        vec![done("mcp__filesystem__write_file", &json!({"path": "b.py", "content": ""}))],
        vec![done("Bash", &json!({"command": "cat src/a.py > b.py"}))],
    ];
    for events in cases {
        let (score, code) = score(&world(&config, &events));
        assert_eq!((&score, code), (&json!(0.0), 1), "{events:?}");
    }
}

#[test]
fn eval_malformed_and_eval_missing_config() {
    let session = [read("a"), end()];
    refused(&ci(&world("scorers:\n  - type: no_errors\n   weight: 1\n", &session)), "this is not YAML");
    refused(&ci(&world("scorer:\n  - type: no_errors\n", &session)), "unknown key `scorer`");
    let there = world("scorers: [{type: no_errors}]\n", &session);
    refused(&there.run(&["eval", "ci", "--config", "nope.yaml"]), "no such file");
    refused(&there.run(&["check", "--allow-no-policy", "--evals", "nope.yaml"]), "no such file");
    // Without any file, only a gate has to have one.
    let none = World::empty();
    none.session("5e5510", 1_790_000_000, &session.concat());
    refused(&none.run(&["eval", "gate"]), "there is no `.agent-evals.yaml`");
    let answer = none.run(&["eval", "ci"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stderr.contains("`no_errors` is all that is demanded"), "{answer:?}");
}

fn failing() -> Events {
    called("Bash", &json!({"command": "false"}), true)
}

const NO_ERRORS: &str = "scorers: [{type: no_errors}]\n";

#[test]
fn eval_save_baseline_and_gate_save() {
    let world = world(NO_ERRORS, &[failing(), end()]);
    for command in ["run", "ci", "gate"] {
        let answer = world.run(&["eval", command, "--save-baseline", "b.json"]);
        assert_eq!(answer.code, 1, "{answer:?}");
        assert_eq!(serde_json::from_str::<Value>(&world.read("b.json")).unwrap()["scores"]["no_errors"], 0.0);
    }
}

#[test]
fn eval_baseline_open() {
    let world = world(NO_ERRORS, &[read("a"), end()]);
    let with = |baseline: &str| world.run(&["eval", "ci", "--baseline", baseline]);
    refused(&with("nope.json"), "no such file");
    for (text, wanted) in [
        ("{", "it is not JSON"),
        ("[]", "it is not an object"),
        ("{\"version\": 2, \"scores\": {}}", "it has version 2"),
        ("{\"no_errors\": [1]}", "neither a number nor a text"),
    ] {
        world.write("b.json", text);
        refused(&with("b.json"), wanted);
    }
    for tolerance in ["1", "-0.1", "2", "nan", "x"] {
        let answer = world.run(&["eval", "ci", &format!("--tolerance={tolerance}")]);
        assert_eq!(answer.code, 2, "{answer:?}");
    }
    world.write("b.json", "{\"no_errors\": 1.0}");
    assert_eq!(with("b.json").code, 0);
}

#[test]
fn gate_baseline_missing_name_and_gate_doc_baseline() {
    let gate = "evals: [{name: clean, scorer: error_count, fail_on: above, threshold: 9}]\n";
    let world = world(gate, &[failing(), end()]);
    // As the other tool's `eval ci` saves it: by the type of the scorer.
    world.write("b.json", "{\"version\": 1, \"scores\": {\"no_errors\": 1.0}}");
    refused(&world.run(&["eval", "gate", "--baseline", "b.json"]), "it has no value for `clean`");
    world.write("b.json", "{\"version\": 1, \"scores\": {\"clean\": 0}}");
    let (results, code) = results(&world, &["--baseline", "b.json"]);
    assert_eq!((code, &results[0]["regressed"], &results[0]["criterion_passed"]), (1, &json!(true), &json!(true)));
    assert_eq!(results[0]["reason"], "regressed from baseline 0");
}

#[test]
fn eval_baseline_collide() {
    let two = "scorers: [{type: regex, name: one, pattern: a}, {type: regex, name: two, pattern: b}]\n";
    let world = world(two, &[vec![("assistant_response", json!({"text": "a b"}))], end()]);
    assert_eq!(world.run(&["eval", "ci", "--save-baseline", "b.json"]).code, 0);
    let saved: Value = serde_json::from_str(&world.read("b.json")).unwrap();
    assert_eq!(saved["scores"], json!({"one": 1.0, "two": 1.0}));
    world.write(".agent-evals.yaml", "scorers: [{type: regex, pattern: a}, {type: regex, pattern: b}]\n");
    refused(&ci(&world), "two are called `regex`");
}

#[test]
fn eval_thresholds_dead() {
    let config = |thresholds: &str| {
        format!(
            "scorers: [{{type: no_errors}}, {{type: files_scoped, allowed_paths: [src], threshold: 0.1}}]\n\
             thresholds: {thresholds}\n"
        )
    };
    // 0.75 of 1.
    let half = [read("src/a"), read("b"), end()];
    assert_eq!(ci(&world(&config("{pass: 0.99}"), &half)).code, 1);
    assert_eq!(ci(&world(&config("{pass: 0.99, warn: 0.8}"), &half)).code, 1);
    let warned = world(&config("{pass: 0.99, warn: 0.7}"), &half);
    assert_eq!(ci(&warned).code, 0);
    assert_eq!(warned.run(&["eval", "ci", "--fail-on", "warning"]).code, 1);
    assert_eq!(ci(&world(&config("{pass: 0.75}"), &half)).code, 0);
}

#[test]
fn eval_weight_threshold() {
    for weight in ["weight: 0", "weight: 0.01"] {
        let world = world(&format!("scorers: [{{type: no_errors, {weight}}}]\n"), &[failing(), end()]);
        assert_eq!(ci(&world).code, 1, "{weight}");
    }
    refused(&ci(&world("scorers: [{type: no_errors, threshold: 0}]\n", &[failing()])), "`0` is no score");
}

/// A session that used 3.2 million tokens of a dear model.
fn dear() -> Events {
    let usage = json!({"input_tokens": 3_000_000, "output_tokens": 200_000});
    vec![("assistant_response", json!({"text": "done", "model": "claude-opus-4-1", "usage": usage}))]
}

#[test]
fn eval_cost_usage() {
    let cheap = "scorers: [{type: cost_under, max_dollars: 10}]\n";
    let spent = world(cheap, &[read("a"), dear(), end()]);
    let (results, code) = results(&spent, &[]);
    assert_eq!((code, &results[0]["status"]), (1, &json!("fail")), "{results:?}");
    assert!(results[0]["reason"].as_str().unwrap().starts_with("$60.0000 recorded"), "{results:?}");
    // What nobody recorded is not cheap: neither a model without a price nor no usage at all.
    let strange =
        vec![("assistant_response", json!({"model": "who-1", "usage": {"input_tokens": 5, "output_tokens": 5}}))];
    for events in [[read("a"), strange, end()].concat(), [read("a"), end()].concat()] {
        assert_eq!(ci(&world(cheap, &[events])).code, 3);
    }
}

/// A log of Claude Code whose results say that they are errors, and whose messages say what they used.
#[test]
fn import_errors() {
    let line = |kind: &str, uuid: &str, message: Value| {
        json!({"type": kind, "uuid": uuid, "sessionId": "s1", "cwd": "/repo", "version": "2.0.0",
               "timestamp": "2026-01-01T10:00:00.000Z", "message": message})
        .to_string()
    };
    let usage = json!({"input_tokens": 150_000, "output_tokens": 400_000});
    let content = json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "false"}}]);
    let asked = line(
        "assistant",
        "u1",
        json!({"id": "m1", "role": "assistant", "model": "claude-opus-4-1-20250805",
        "content": content, "usage": usage}),
    );
    let answered = line(
        "user",
        "u2",
        json!({"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": "exit 1"}]}),
    );
    let world = World::empty();
    world.write("log.jsonl", &format!("{asked}\n{answered}\n"));
    world.write(".agent-evals.yaml", "scorers: [{type: no_errors}, {type: cost_under, max_dollars: 10}]\n");
    for imported in [false, true] {
        let args = if imported { vec![] } else { vec!["log.jsonl"] };
        if imported {
            assert_eq!(world.run(&["import", "log.jsonl", "--now", "2026-01-02T00:00:00Z"]).code, 0);
        }
        let (results, code) = results(&world, &args);
        let statuses: Vec<&str> = results.iter().map(|result| result["status"].as_str().unwrap()).collect();
        assert_eq!((code, statuses), (1, vec!["fail", "fail"]), "{results:?}");
    }
}

#[test]
fn eval_noerrors_iserror() {
    assert_eq!(score(&world(NO_ERRORS, &[failing()])), (json!(0.0), 1));
    // An error that names no call is one, too.
    let lost = vec![("tool_result", json!({"tool_name": "Bash", "is_error": true}))];
    assert_eq!(score(&world(NO_ERRORS, &[read("a"), lost, end()])), (json!(0.0), 1));
    // What has no result anywhere is not free of errors.
    let silent = vec![("tool_call", json!({"tool_name": "Bash", "arguments": {"command": "ls"}}))];
    assert_eq!(score(&world(NO_ERRORS, &[silent])), (Value::Null, 3));
}

#[test]
fn eval_duration_order() {
    let world = World::empty();
    world.write(".agent-evals.yaml", "scorers: [{type: duration_under, max_seconds: 120}]\n");
    world.session("5e5510", 1_790_000_000, &[read("a"), end()].concat());
    let path = ".agent-traces/5e5510/events.ndjson";
    let times = [1_790_009_000_u32, 1_790_000_000, 1_790_000_005];
    let lines: Vec<String> = world
        .read(path)
        .lines()
        .zip(times.into_iter().cycle())
        .map(|(line, time)| {
            let mut event: Value = serde_json::from_str(line).unwrap();
            event["timestamp"] = json!(time);
            event.to_string()
        })
        .collect();
    world.write(path, &(lines.join("\n") + "\n"));
    let (results, code) = results(&world, &[]);
    assert_eq!((code, &results[0]["reason"]), (1, &json!("9000s, at most 120s")));
}

#[test]
fn eval_regex_anykey() {
    let start = ("session_start", json!({"transcript_path": "/x/undone.jsonl"}));
    let events = [vec![start, ("assistant_response", json!({"text": "no", "model": "done-1"}))], end()];
    assert_eq!(score(&world("scorers: [{type: regex, pattern: done}]\n", &events)), (json!(0.0), 1));
}

#[test]
fn eval_redos() {
    let text = format!("{}!", "a".repeat(1 << 20));
    let events = [vec![("assistant_response", json!({"text": text}))], end()];
    // A search that backtracks never comes to an end here.
    assert_eq!(score(&world("scorers: [{type: regex, pattern: '(a+)+$'}]\n", &events)), (json!(0.0), 1));
}

#[test]
fn eval_inline_comment_and_gate_inline_comment() {
    let text = "scorers:\n  - type: no_errors\n    threshold: 1.0   # strict\nevals:\n  - name: calls # few\n    \
                scorer: tool_call_count\n    fail_on: above\n    threshold: 3 # three\n";
    assert_eq!(ci(&world(text, &[read("a"), end()])).code, 0);
}

#[test]
fn gate_code_exec() {
    for scorer in ["evilmod:run", "evilmod.run"] {
        let text = format!("evals: [{{name: a, scorer: '{scorer}', fail_on: above, threshold: 1}}]\n");
        let world = world(&text, &[read("a"), end()]);
        world.write("evilmod.py", "open('PWNED', 'w')\ndef run(**_): return 0\n");
        refused(&world.run(&["eval", "gate"]), "names code, and no code is loaded");
        refused(&world.run(&["check", "--allow-no-policy"]), "names code");
        assert!(!world.path().join("PWNED").exists());
    }
}

#[test]
fn gate_baseline_noise() {
    let gate = "evals: [{name: cost, scorer: cost_usd, fail_on: above, threshold: 100}]\n";
    // 20 input tokens at 1 dollar a million and 36 output tokens at 5 are 0.0002 dollars.
    let usage = json!({"input_tokens": 20, "output_tokens": 36});
    let cheap = vec![("assistant_response", json!({"text": "x", "model": "claude-haiku-4-5", "usage": usage}))];
    let cheap = world(gate, &[read("a"), cheap, end()]);
    cheap.write("b.json", "{\"version\": 1, \"scores\": {\"cost\": 0.0001}}");
    let (found, code) = results(&cheap, &["--baseline", "b.json"]);
    assert_eq!((code, &found[0]["score"]), (0, &json!(0.0002)), "{found:?}");
    // A change that is more than noise is one.
    let dear = world(gate, &[read("a"), dear(), end()]);
    dear.write("b.json", "{\"version\": 1, \"scores\": {\"cost\": 0.0001}}");
    assert_eq!(results(&dear, &["--baseline", "b.json"]).1, 1);
}

#[test]
fn gate_status() {
    let gate = "evals: [{name: finished, scorer: session_status, fail_on: not_equal, expected: completed}]\n";
    let ended = |data: Value| world(gate, &[read("a"), vec![("session_end", data)]]);
    for (data, status) in [
        (json!({"reason": "error: model overloaded"}), "failed"),
        (json!({"exit_code": 124}), "timeout"),
        (json!({"status": "killed"}), "killed"),
    ] {
        assert_eq!(score(&ended(data)), (json!(status), 1));
    }
    assert_eq!(score(&world(gate, &[read("a")])), (json!("unfinished"), 1));
    assert_eq!(score(&ended(json!({"exit_code": 0}))), (json!("completed"), 0));
}

#[test]
fn eval_latest_only() {
    let world = world(NO_ERRORS, &[failing(), end()]);
    world.session("new", 1_790_100_000, &[read("a"), end()].concat());
    for command in ["ci", "gate"] {
        assert_eq!(world.run(&["eval", command]).code, 1, "{command}");
    }
    let latest = world.run(&["eval"]);
    assert_eq!(latest.code, 0, "{latest:?}");
    assert!(latest.stderr.contains("1 session was left out"), "{latest:?}");
}

#[test]
fn ds_auto() {
    let world = world(NO_ERRORS, &[failing(), end()]);
    let auto = ["eval", "dataset", "auto", "--now", "2026-01-01T00:00:00Z"];
    for (more, file) in [(&[][..], "default"), (&["--name", "bad"], "bad")] {
        let answer = world.run(&[&auto[..], more].concat());
        assert_eq!(answer.code, 0, "{answer:?}");
        let entry: Value = serde_json::from_str(&world.read(&format!(".agent-traces/datasets/{file}.jsonl"))).unwrap();
        assert_eq!((&entry["session_id"], &entry["label"]), (&json!("5e5510"), &json!("has-errors")));
    }
    // It is added once.
    assert!(world.run(&auto).stdout.starts_with("Added 0 entries"));
    assert_eq!(world.run(&["eval", "dataset", "auto", "--name", "../x"]).code, 2);
    assert_eq!(world.run(&["eval", "dataset", "auto", "--filter", "cost-above"]).code, 2);
}

/// Forms of the README that are errors in version 0.49.
#[test]
fn bare_eval_and_eval_of_an_id() {
    let world = world(NO_ERRORS, &[read("a"), end()]);
    for args in [&["eval"][..], &["eval", "5e55"], &["eval", "5e55", "--format", "json"]] {
        assert_eq!(world.run(args).code, 0, "{args:?}");
    }
    assert_eq!(world.run(&["eval", "nope"]).code, 2);
}

/// Evals are judged by `check`, too, in every format, and like any other finding they can be known or excused.
#[test]
fn check_judges_evals_in_every_format() {
    let world = world(NO_ERRORS, &[failing(), end()]);
    world.write(".agent-scope.json", "{}");
    for format in ["text", "json", "sarif", "markdown"] {
        let answer = world.run(&["check", "--format", format]);
        assert_eq!(answer.code, 1, "{answer:?}");
        assert!(answer.stdout.contains("scorer"), "{format}: {answer:?}");
    }
    let json: Value = serde_json::from_str(&world.run(&["check", "--format", "json"]).stdout).unwrap();
    let place = &json["findings"][0]["policy"];
    assert_eq!((&place["file"], &place["pointer"]), (&json!(".agent-evals.yaml"), &json!("/scorers/0")));
    let _ = world.run(&["check", "--write-baseline", "known.json"]);
    assert_eq!(world.run(&["check", "--baseline", "known.json"]).code, 0);
    world.write(
        ".agent-strace.yaml",
        "suppressions:\n  - {rule: eval/scorer, reason: a, owner: b, until: 2026-12-31}\n",
    );
    let day = ["--now", "2026-01-01T00:00:00Z"];
    assert_eq!(world.run(&[&["check"], &day[..]].concat()).code, 0);
    let excused = world.run(&[&["eval", "ci"], &day[..]].concat());
    assert_eq!(excused.code, 0, "{excused:?}");
    assert!(excused.stderr.contains("waived"), "{excused:?}");
}

/// A log that can't be read whole is no pass.
#[test]
fn a_damaged_session_is_no_pass() {
    let world = world(NO_ERRORS, &[read("a"), end()]);
    let path = ".agent-traces/5e5510/events.ndjson";
    world.write(path, &(world.read(path) + "{\"event_type\": \"tool_call\", \"da"));
    assert_eq!(ci(&world).code, 3);
    assert_eq!(World::empty().run(&["eval", "ci"]).code, 3);
}

/// No model is asked: what one said elsewhere is handed over, or nothing was judged.
#[test]
fn llm_judge_fails_closed() {
    let config = "scorers: [{type: llm_judge, name: polite, threshold: 0.7, base_url: 'http://127.0.0.1:9'}]\n";
    let world = world(config, &[read("a"), end()]);
    assert_eq!(score(&world), (Value::Null, 3));
    let with = |text: &str| {
        world.write("verdicts.json", text);
        world.run(&["eval", "ci", "--verdicts", "verdicts.json"])
    };
    assert_eq!(with("{\"5e5510\": {\"polite\": {\"score\": 0.9, \"reason\": \"kind\"}}}").code, 0);
    assert_eq!(with("{\"5e5510\": {\"polite\": {\"score\": 0.2}}}").code, 1);
    assert_eq!(with("{\"other\": {\"polite\": {\"score\": 1}}}").code, 3);
    refused(&with("{\"5e5510\": {\"polite\": {\"score\": 2}}}"), "not a number from 0 to 1");
    refused(&with("{\"5e5510\": {\"polite\": 1}}"), "the verdicts `verdicts.json` can't be used");
    refused(&world.run(&["eval", "ci", "--verdicts", "nope.json"]), "no such file");
}
