//! What the policy denies stays here.

use std::io::Read as _;

use serde_json::{Value, json};

use super::{answering, call, command, events, record, seen, talk};
use crate::repository::Repository;
use crate::world::World;

const POLICY: &str = r#"{
  "version": 2,
  "files": {
    "read": {"deny": ["secrets/**"], "ask": ["ask/**"]}
  }
}"#;

fn world(policy: Option<&str>) -> World {
    let world = World::empty();
    if let Some(policy) = policy {
        world.write(".agent-scope.json", policy);
    }
    world
}

fn read(id: &str, path: &str) -> String {
    call(id, "read_file", &json!({"path": path}).to_string())
}

#[test]
fn denied_calls_never_reach_the_server() {
    let world = world(Some(POLICY));
    let good = r#"{"jsonrpc":"2.0","id":3,"result":{"content":[]}}"#;
    let script = answering(&world, &[good]);
    let said = [read("1", "secrets/a"), read("\"x\"", "ask/a"), read("3", "src/a")].concat();
    let ran = record(&world, &["--enforce", "--name", "fs"], &script, &[said.as_bytes()]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_eq!(seen(&world), read("3", "src/a"));
    let answers = ran.lines();
    assert_eq!(answers.len(), 3);
    let refused = |id: &Value| {
        let answer = answers.iter().find(|answer| answer["id"] == *id).unwrap();
        assert_eq!(answer["result"]["isError"], true);
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let first = refused(&json!(1));
    assert!(first.starts_with("refused by agent-strace: reads `secrets/a`: denied by files.read.deny [scope/read], by .agent-scope.json:4:"), "{first}");
    assert!(first.ends_with("(/files/read/deny/0)"), "{first}");
    assert!(refused(&json!("x")).contains("[scope/approval]"));
    assert!(ran.stdout.ends_with(format!("{good}\n").as_bytes()));

    // What was refused is recorded as an attempt.
    let answer = world.run(&["effects", "--format", "json"]);
    let effects: Value = serde_json::from_str(&answer.stdout).unwrap();
    let statuses: Vec<&str> = effects["sessions"][0]["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["denied", "denied", "ok"]);
    let answer = world.run(&["check"]);
    assert_eq!(answer.code, 0, "{}", answer.stdout);
    assert!(answer.stdout.contains("attempt: reads `secrets/a`"), "{}", answer.stdout);
}

#[test]
fn a_call_is_judged_with_those_before_it() {
    let policy = r#"{"version": 2, "sequences": [
        {"id": "SEQ-1", "deny": ["read secrets/**", "net"], "reason": "secrets stay here"}]}"#;
    let world = world(Some(policy));
    let fetch = |id| call(id, "fetch", r#"{"url":"https://pages.example/"}"#);
    let said = [fetch("1"), read("2", "secrets/a"), fetch("3")].concat();
    let ran = record(&world, &["--enforce", "--quiet"], "cat >seen", &[said.as_bytes()]);
    assert_eq!(seen(&world), [fetch("1"), read("2", "secrets/a")].concat(), "{}", ran.stderr);
    let text = ran.lines()[0]["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("[sequence/policy]"), "{text}");
}

#[test]
fn the_policy_of_a_revision_stays_what_it_was() {
    let world = World::empty();
    let repository = Repository::new(&world, ".");
    repository.file(".agent-scope.json", POLICY).commit("A scope");
    world.write(".agent-scope.json", "{}");
    for (options, wanted) in [(&["--enforce"][..], true), (&["--enforce", "--policy-ref", "HEAD"][..], false)] {
        let ran = record(&world, options, "cat >seen", &[read("1", "secrets/a").as_bytes()]);
        assert_eq!(!seen(&world).is_empty(), wanted, "{}", ran.stderr);
    }
}

#[test]
fn answers_stand_in_the_stream_like_their_questions_and_never_inside_of_another_message() {
    let world = world(Some(POLICY));
    let body = read("1", "secrets/a").trim_end().to_owned();
    let framed = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    // The client asks when it has the first half of a message, so the server is in the middle of it when the call is refused.
    let half = "{\"jsonrpc\":\"2.0\",";
    let script = format!("printf '{half}'; sleep 1; printf '\"method\":\"n\"}}\\n'; cat >seen");
    let mut child = command(&world, &["record", "--enforce", "--quiet", "--", "sh", "-c", &script]).spawn().unwrap();
    let mut begun = vec![0; half.len()];
    child.stdout.as_mut().unwrap().read_exact(&mut begun).unwrap();
    assert_eq!(begun, half.as_bytes());
    let ran = talk(child, &[framed.as_bytes()]);
    let text = String::from_utf8(ran.stdout).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    assert_eq!(first, "\"method\":\"n\"}");
    let (header, answer) = rest.split_once("\r\n\r\n").unwrap();
    assert_eq!(header, format!("Content-Length: {}", answer.len()));
    assert_eq!(serde_json::from_str::<Value>(answer).unwrap()["id"], 1);
    assert_eq!(seen(&world), "");
}

#[test]
fn a_call_is_refused_with_all_that_comes_with_it() {
    let world = world(Some(POLICY));
    let batch = format!(
        "[{},{},{}]\n",
        read("1", "src/a").trim_end(),
        read("2", "secrets/a").trim_end(),
        r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#
    );
    let ran = record(&world, &["--enforce", "--quiet"], "cat >seen", &[batch.as_bytes()]);
    assert_eq!(seen(&world), "");
    let answers = &ran.lines()[0];
    let ids: Vec<&Value> = answers.as_array().unwrap().iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(1), &json!(2), &json!(3)]);
    assert_eq!(answers[0]["result"]["isError"], true);
    assert_eq!(answers[2]["error"]["code"], -32000);
    // One of them can't be understood: it is passed on whole, or not at all.
    let batch = format!("[{},7]\n", read("1", "src/a").trim_end());
    for (options, reaches) in
        [(&["--enforce", "--quiet"][..], true), (&["--enforce", "--fail-closed", "--quiet"][..], false)]
    {
        let world = super::enforce::world(Some(POLICY));
        record(&world, options, "cat >seen", &[batch.as_bytes()]);
        assert_eq!(seen(&world) == batch, reaches);
        let calls: Vec<Value> = events(&world).into_iter().filter(|event| event["event_type"] == "tool_call").collect();
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0]["data"]["recorded"]["status"], if reaches { "missing" } else { "denied" });
        assert_eq!(world.run(&["check"]).code, 3);
    }
    // A call that wants no answer is a call all the same, and a resource that is a file is a file.
    let world = super::enforce::world(Some(POLICY));
    let said = [
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read_file","arguments":{"path":"secrets/a"}}}"#
            .to_owned(),
        format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{{"uri":"file://{}/secrets/a"}}}}"#,
            world.path().canonicalize().unwrap().display()
        ),
    ];
    let ran = record(&world, &["--enforce", "--quiet"], "cat >seen", &[(said.join("\n") + "\n").as_bytes()]);
    assert_eq!(seen(&world), "");
    assert_eq!(ran.lines().len(), 1);
    assert!(ran.lines()[0]["error"]["message"].as_str().unwrap().contains("secrets/a"));
}

#[test]
fn what_can_not_be_judged_is_refused_only_where_that_is_asked_for() {
    let unparsable = "{\"jsonrpc\":\"2.0\", \"id\": 1, \"method\": \"tools/call\", broken\n";
    let twice = "{\"id\":1,\"method\":\"ping\",\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}\n";
    let good = read("1", "src/a");
    let cases: [(Option<&str>, &str, &str); 4] = [
        (Some(POLICY), unparsable, "is not JSON"),
        (Some(POLICY), twice, "can be understood"),
        (Some("{\"files\": 7}"), &good, "is not valid"),
        (None, &good, "there is no policy"),
    ];
    for (policy, said, reason) in cases {
        let open = world(policy);
        let ran = record(&open, &["--enforce", "--quiet"], "cat >seen", &[said.as_bytes()]);
        assert_eq!((seen(&open).as_str(), ran.stdout.as_slice()), (said, b"".as_slice()), "{said}");
        assert!(ran.stderr.contains("without a judgement"), "{}", ran.stderr);

        let closed = world(policy);
        let ran = record(&closed, &["--enforce", "--fail-closed", "--quiet"], "cat >seen", &[said.as_bytes()]);
        assert_eq!(seen(&closed), "", "{said}");
        assert!(
            ran.stderr.contains(reason) || policy.is_some_and(|policy| policy.contains('7')),
            "{reason}: {}",
            ran.stderr
        );
        assert_eq!(ran.lines().len(), 1, "{said}");
        assert_ne!(world(policy).run(&["check"]).code, 0);
    }
}

#[test]
fn what_can_not_be_recorded_is_refused_only_where_that_is_asked_for() {
    for (options, reaches) in [(&["--enforce"][..], true), (&["--enforce", "--fail-closed"][..], false)] {
        let world = world(Some(POLICY));
        world.write("store", "a file");
        let mut all = vec!["--trace-dir", "store", "--quiet"];
        all.extend(options);
        let ran = record(&world, &all, "cat >seen", &[read("1", "src/a").as_bytes()]);
        assert_eq!(!seen(&world).is_empty(), reaches, "{}", ran.stderr);
        assert!(ran.stderr.contains("not recorded"), "{}", ran.stderr);
    }
}

#[test]
fn a_message_that_is_too_large_is_judged_by_nobody() {
    let huge = call("1", "write", &format!("{{\"text\":\"{}\"}}", "x".repeat(65 << 20)));
    for (options, reaches) in
        [(&["--enforce", "--quiet"][..], true), (&["--enforce", "--fail-closed", "--quiet"][..], false)]
    {
        let world = world(Some(POLICY));
        let ran = record(&world, options, "cat >seen", &[huge.as_bytes(), read("2", "src/a").as_bytes()]);
        let seen = seen(&world);
        assert!(seen.ends_with(&read("2", "src/a")) && seen.starts_with(&huge) == reaches, "{}", ran.stderr);
        assert!(!events(&world).is_empty());
    }
}
