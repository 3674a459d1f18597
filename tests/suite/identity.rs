//! Two acts are one alert only if they are the same act: also acts that could not be resolved, whose reason many share.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::world::World;

fn call(tool: &str, arguments: &Value) -> (&'static str, Value) {
    ("tool_call", json!({"tool_name": tool, "arguments": arguments}))
}

fn bash(command: &str) -> (&'static str, Value) {
    call("Bash", &json!({"command": command}))
}

/// A patch that has no file.
fn patch(line: &str) -> (&'static str, Value) {
    call("apply_patch", &json!({"input": format!("*** Begin Patch\n+{line}\n*** End Patch")}))
}

/// The identities of the unresolved acts of a session.
fn identities(id: &str, calls: &[(&'static str, Value)]) -> BTreeSet<String> {
    identities_by("{}", id, calls)
}

fn identities_by(policy: &str, id: &str, calls: &[(&'static str, Value)]) -> BTreeSet<String> {
    let world = World::empty();
    world.write(".agent-scope.json", policy).session(id, 1_790_000_000, calls);
    let answer = world.run(&["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["rule"] == "scope/unresolved")
        .map(|finding| finding["fingerprint"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn different_unresolved_acts_are_different_alerts() {
    let pairs = [
        (bash("./a.sh"), bash("./b.sh")),
        (bash("npm run build"), bash("npm run deploy")),
        (bash("eval \"$A\""), bash("eval \"$B\"")),
        (bash("python3 - <<EOF\nfoo(1)\nEOF"), bash("python3 - <<EOF\nbar(2)\nEOF")),
        (bash("if ; then ("), bash("case ; esac (")),
        (bash("docker run one"), bash("docker run other")),
        // What feeds the command decides what it does.
        (bash("sh <<< \"$A\""), bash("sh <<< \"$B\"")),
        (bash("sh < x.sh"), bash("sh < y.sh")),
        (bash("./a.sh < x.txt"), bash("./a.sh < y.txt")),
        (bash("{ ./a.sh; } < x.txt"), bash("{ ./a.sh; } < y.txt")),
        (bash("./a.sh <<EOF\none\nEOF"), bash("./a.sh <<EOF\ntwo\nEOF")),
        (bash("cat l | ./a.sh"), bash("cat m | ./a.sh")),
        (bash("(cat l) | ./a.sh"), bash("(cat m) | ./a.sh")),
        (bash("for f in l; do cat $f; done | ./a.sh"), bash("for f in m; do cat $f; done | ./a.sh")),
        (bash("cat l | xargs -I{} sh -c \"{}\""), bash("cat m | xargs -I{} sh -c \"{}\"")),
        (bash("./a.sh < \"$A\""), bash("./a.sh < \"$B\"")),
        (bash("{ sort | ./a.sh; } < l"), bash("{ sort | ./a.sh; } < m")),
        (bash("bash -c './a.sh' < l"), bash("bash -c './a.sh' < m")),
        (bash("f(){ ./a.sh; }; cat x | f"), bash("f(){ ./a.sh; }; cat y | f")),
        // So does the directory.
        (bash("(cd a && ./other.sh)"), bash("(cd b && ./other.sh)")),
        (bash("(cd a && npm run build)"), bash("npm run build")),
        (bash("(cd \"$A\" && ./other.sh)"), bash("(cd \"$B\" && ./other.sh)")),
        (bash("sh -c 'cd a && ./other.sh'"), bash("sh -c 'cd b && ./other.sh'")),
        // A word that is not known may come from anywhere in the call.
        (bash("f(){ \"$@\"; }; f $A"), bash("f(){ \"$@\"; }; f $B")),
        (bash("A=$(cat x); eval \"$A\""), bash("A=$(cat y); eval \"$A\"")),
        (bash("for f in $(cat x); do $f; done"), bash("for f in $(cat y); do $f; done")),
        (patch("1"), patch("2")),
        (call("mcp__db__query", &json!({"x": 1})), call("mcp__db__drop", &json!({"x": 1}))),
        (call("mcp__one__get", &json!({})), call("mcp__other__get", &json!({}))),
        (call("Conjure", &json!({"x": 1})), call("Banish", &json!({"x": 1}))),
        (call("Bash", &json!({})), call("Write", &json!({}))),
    ];
    for (one, other) in pairs {
        let [one_alone, other_alone] = [&one, &other].map(|act| identities("s1", std::slice::from_ref(act)));
        assert!(!one_alone.is_empty() && !other_alone.is_empty(), "{one:?} {other:?}");
        assert!(one_alone.is_disjoint(&other_alone), "{one:?} {other:?}");
        // In one session each of them counts as well.
        let both = identities("s1", &[one.clone(), other.clone()]);
        assert_eq!(both, &one_alone | &other_alone, "{one:?} {other:?}");
    }
}

/// Files and hosts that are not known share the name `**`.
#[test]
fn different_unknown_targets_are_different_alerts() {
    let policy = r#"{"version": 2, "files": {"read": {"deny": [".env"]}, "write": {"deny": [".env"]}},
        "network": {"deny": ["evil.com"]}}"#;
    for (one, other) in [
        ("cat \"$A\"", "cat \"$B\""),
        ("A=$(pick x); cat $A", "A=$(pick y); cat $A"),
        ("echo x > \"$A\"", "echo x > \"$B\""),
        ("rm -rf \"$A\"", "rm -rf \"$B\""),
        ("cp \"$A\" x", "cp \"$B\" x"),
        ("curl \"$A\"", "curl \"$B\""),
    ] {
        let [one_alone, other_alone] = [one, other].map(|text| identities_by(policy, "s1", &[bash(text)]));
        assert!(!one_alone.is_empty() && !other_alone.is_empty(), "{one} {other}");
        assert!(one_alone.is_disjoint(&other_alone), "{one} {other}");
        assert_eq!(one_alone, identities_by(policy, "s2", &[bash("ls"), bash(one)]), "{one}");
        assert_eq!(identities_by(policy, "s1", &[bash(one), bash(other)]), &one_alone | &other_alone, "{one} {other}");
    }
}

/// The words before it, its time and its session are no part of an act.
#[test]
fn an_unresolved_act_keeps_its_identity() {
    for act in [
        bash("./a.sh"),
        bash("python3 - <<EOF\nfoo(1)\nEOF"),
        bash("if ; then ("),
        bash("eval \"$A\""),
        bash("cat l | ./a.sh"),
        bash("cd web && npm run build"),
        call("mcp__db__query", &json!({"x": 1})),
    ] {
        let alone = identities("s1", std::slice::from_ref(&act));
        let later = identities("another", &[bash("ls"), bash("git status"), act.clone()]);
        assert_eq!(alone, later, "{act:?}");
    }
    assert_eq!(identities("s1", &[bash("./a.sh")]), identities("s1", &[bash("cd . && ls\n./a.sh > out.txt")]));
    for (one, same) in [
        ("npm run build", "npm run build 2>&1 | tail -5"),
        ("npm run build | head", "ls; npm run build | tail"),
        ("./a.sh *.txt", "ls; ./a.sh *.txt"),
        ("./a.sh <x.txt", "./a.sh < x.txt"),
        ("cat l|./a.sh", "cat l | ./a.sh"),
        ("cd /home/dana/x && ./a.sh", "cd /Users/eve/x && ./a.sh"),
        ("cat l | ./a.sh", "ls; cat  l |\n  ./a.sh > out.txt"),
        ("cd web && npm run build", "ls\ncd ./web\nnpm run build 2>&1"),
        ("cd web && npm run build", "(cd web; npm run build)"),
    ] {
        assert_eq!(identities("s1", &[bash(one)]), identities("s2", &[bash(same)]), "{one} {same}");
    }
    let long = format!("./a.sh <<'EOF'\n{}EOF", "a line of the input\n".repeat(100));
    assert_eq!(identities("s1", &[bash(&long)]), identities("s1", &[bash(&format!("ls\n{long}"))]));
    let [tight, wide] = ["python3 - <<EOF\nfoo(1)\nEOF", "ls\n\npython3 - <<EOF\n\n  foo(1)\nEOF"]
        .map(|text| identities("s1", &[bash(text)]));
    assert_eq!(tight, wide);
}

/// A checkout lies in the home of a person, and the act is the same in another one.
#[test]
fn an_unresolved_act_is_the_same_in_every_checkout() {
    for command in [
        "ROOT/scripts/a.sh",
        "bash ROOT/scripts/a.sh",
        "make -C ROOT x",
        "cd ROOT/web && ./a.sh",
        "cat ROOT/l | ./a.sh",
        "A=$(cat ROOT/l); eval \"$A\"",
    ] {
        let of = |root: &str| {
            let world = World::empty();
            world.write(".agent-scope.json", "{}");
            world.session("s1", 1_790_000_000, &[bash(&command.replace("ROOT", root))]);
            let meta = json!({"session_id": "s1", "started_at": 1_790_000_000.0, "agent_name": "claude-code",
                "attribution": {"working_dir": root}});
            world.write(".agent-traces/s1/meta.json", &meta.to_string());
            let answer = world.run(&["check", "--format", "json"]);
            let report: Value = serde_json::from_str(&answer.stdout).unwrap();
            let findings = report["findings"].as_array().unwrap().iter();
            findings
                .filter(|finding| finding["rule"] == "scope/unresolved")
                .map(|finding| finding["fingerprint"].as_str().unwrap().to_owned())
                .collect::<BTreeSet<String>>()
        };
        let dana = of("/home/dana/rates");
        assert!(!dana.is_empty(), "{command}");
        assert_eq!(dana, of("/home/bob/rates"), "{command}");
    }
}
