//! The policies that `init` writes: they are valid, in style, pass their own tests, and deny what they claim to.

use std::collections::BTreeMap;
use std::fs;

use agent_strace_testing::corpus::{Data, data};
use serde_json::Value;

use crate::world::{Answer, in_process, project};

/// Policy → the kinds of the corpus's cases that it claims to refuse.
const CLAIMS: &[(&str, &[&str])] = &[
    ("default", &["destroy", "secret", "write", "remote_exec"]),
    ("strict", &["destroy", "secret", "write", "remote_exec", "net"]),
    ("read-only", &["destroy", "secret", "write", "remote_exec", "net"]),
    ("library", &["destroy", "secret", "write", "remote_exec", "net"]),
    ("web-app", &["destroy", "secret", "write", "remote_exec", "net"]),
    ("monorepo", &["destroy", "secret", "write", "remote_exec"]),
];

/// Cases that are refused by the corpus's own policy, and by none of these, each with its reason.
const OTHERWISE: &[(&str, &str)] = &[
    ("F16-path-forms-18", "a template of a file with secrets holds none"),
    ("F21-network-15", "another spelling of the machine itself, which may be reached"),
];

#[test]
fn shipped_policies_hold_their_own_tests() {
    for (name, _) in CLAIMS {
        let path = project().join(format!("policies/{name}.json"));
        let path = path.to_str().unwrap();
        for command in [&["validate"][..], &["test"], &["fmt", "--check"]] {
            let arguments: Vec<&str> = command.iter().copied().chain([path]).collect();
            let answer = policy(&arguments);
            assert_eq!(answer.code, 0, "{command:?} {name}: {answer:?}");
        }
        let text = fs::read_to_string(path).unwrap();
        assert!(
            text.starts_with("// ") && text.matches("\"expect\"").count() >= 12,
            "{name} explains and tests itself"
        );
    }
}

#[test]
fn shipped_policies_deny_what_they_claim() {
    for data in data() {
        deny_what_they_claim(&data);
    }
}

fn deny_what_they_claim(data: &Data) {
    let cases = data.cases().join("scope-dev.jsonl");
    let cases_by_id: BTreeMap<String, Value> = fs::read_to_string(&cases)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|case| (case["id"].as_str().unwrap().to_owned(), case))
        .collect();
    for (name, claims) in CLAIMS {
        let path = project().join(format!("policies/{name}.json"));
        let flags = ["--accept-unresolved", "--format", "json"];
        let arguments: Vec<&str> =
            ["test", path.to_str().unwrap(), "--cases", cases.to_str().unwrap()].into_iter().chain(flags).collect();
        let answer = policy(&arguments);
        let report: Value = serde_json::from_str(&answer.stdout).unwrap();
        let open: Vec<String> = report["failures"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|failure| failure["expected"] == "deny" && failure["answer"] == "allow")
            .filter_map(|failure| cases_by_id.get(failure["name"].as_str().unwrap()))
            .filter(|case| claims.contains(&case["kind"].as_str().unwrap()))
            .filter(|case| OTHERWISE.iter().all(|(id, _)| case["id"] != *id))
            // Lock files are nobody's secret: only the policies with lists keep them.
            .filter(|case| !case["input"].to_string().contains("Cargo.lock"))
            .map(|case| format!("{}: {}", case["id"], case["input"]))
            .collect();
        assert!(open.is_empty(), "{name} allows what it claims to deny:\n{}", open.join("\n"));
    }
}

fn policy(arguments: &[&str]) -> Answer {
    in_process(&[&["policy"], arguments].concat())
}
