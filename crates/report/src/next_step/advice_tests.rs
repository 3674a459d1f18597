//! Advice is tried out: what it says to write into the policy is written there, and the call is judged again. The finding is
//! gone then, or the advice proposes no entry and says what helps instead.

use std::sync::Arc;

use agent_strace_engine::policy_testing::{advice, session};
use agent_strace_engine::{Entries, Entry, Settings, judge_guarded, settle};
use agent_strace_model::finding::Level;
use agent_strace_policy::{Caller, Decision, Policy, TestCall};
use serde_json::{Value, json};

use super::next_step;
use crate::view::Report;

/// Policies of which each call of [`CALLS`] breaks something.
const POLICIES: &[&str] = &[
    r#"{"files": {"read": {"allow": ["src/*"]}, "write": {"allow": ["docs/*"]}}, "commands": {"allow": ["ls"]}, "network": {"deny_all": true}}"#,
    r#"{"files": {"read": {"deny": ["src/*", "vendor/*", "*.txt"]}, "write": {"deny": ["*"]}}, "commands": {"deny": ["rm", "git push", "cat"]}}"#,
    r#"{"version": 2, "files": {"read": {"allow": ["/src/**", "!vendor/**"]}, "write": {"allow": ["/docs/**", "!/docs/internal/**"]}},
        "commands": {"allow": ["ls"]}, "network": {"deny_all": true}, "env": {"allow_set": ["A"]},
        "mcp": {"servers": {"*": {"allow": ["read"]}}}}"#,
    r#"{"version": 2, "files": {"read": {"allow": ["/**", "!/vendor"]}, "write": {"allow": ["/**", "!/docs/internal/*"]},
        "delete": {"allow": ["/target/**"]}}, "commands": {"allow": ["bash", "cat", "echo", "git status"]},
        "network": {"allow": ["a.example"], "deny_all": true}, "mcp": {"default": "deny"}}"#,
    r#"{"version": 2, "files": {"read": {"deny": ["/src/**", "vendor/**", "*.txt"]}, "write": {"deny": ["**"]}, "delete": {"deny": ["/src/**"]}},
        "commands": {"deny": ["rm", "git push", "sudo", "npm run"]}, "network": {"deny": ["*.example"]},
        "mcp": {"servers": {"github": {"deny": ["create_*"]}}}, "env": {"deny_set": ["FOO"]}}"#,
    r#"{"version": 2, "defaults": {"decision": "deny"}}"#,
    r#"{"version": 2, "defaults": {"decision": "deny"}, "mcp": {"servers": {"github": {"allow": ["read"]}, "git*": {"allow": ["list"]}}}}"#,
    r#"{"version": 2, "rules": [{"id": "R1", "effect": "deny", "reason": "r", "match": {"read": "vendor/**"}},
        {"id": "R2", "effect": "deny", "reason": "r", "match": {"exec": {"program": "git", "subcommand": "push"}}}]}"#,
    r#"{"version": 2, "agents": {"main": {"files": {"write": {"allow": ["/docs/**"]}}, "commands": {"allow": ["ls"]}}}}"#,
];

fn calls() -> Vec<TestCall> {
    let mut calls: Vec<TestCall> = [
        "rm src/a.rs",
        "rm -rf target",
        "rm 'a b' 'c*d'",
        "rm *.log",
        "git push \"$remote\"",
        "rm \"$x\"",
        "dd if=a of=b",
        "kill 5",
        "sudo ls",
        "python3 x.py",
        "bash -c 'ls src'",
        "cat vendor/a.txt",
        "cat vendor/*",
        "cat src/a.rs",
        "cat docs/a.md",
        "echo x > docs/internal/a.md",
        "echo x > other/a.md",
        "rm docs/internal/a.md",
        "curl https://x.example/a",
        "git push origin main",
        "git push --force",
        "git push -- origin",
        "git -C ../other status",
        "git -C ../other push origin x",
        "git -c core.pager=x log",
        "git --no-pager log",
        "npm --prefix web run build",
        "kubectl -n prod get pods",
        "docker --context x ps",
        "git status --short",
        "git checkout main",
        "git branch -D x",
        "npm run build",
        "npm test",
        "cargo build --release",
        "frobnicate y",
        "frobnicate",
        "find . -delete",
        "find . -name x",
        "FOO=1 ls",
        "cat \"$f\"",
        "eval \"$x\"",
        "./build.sh",
        "./scripts/x.sh arg",
        "cat 'app/[id]/x'",
        "echo hi > '!odd'",
        "echo hi > '#odd'",
        "echo hi > 'with space/a b'",
        "cat ../x/y",
        "cat /etc/hosts",
        "cat ~/notes",
        "env ls",
        "xargs rm < list",
        "mv a b",
        "cp -r src /tmp/x",
        "grep -r x .",
        "/bin/rm x",
        "ssh host ls",
        "make",
        "docker run x",
        "sed -i s/a/b/ src/a.rs",
        "echo x > 'a*b'",
        "echo x > 'a{b,c}'",
        "echo x > 'a\\b'",
        "rg x src",
        "chmod +x a",
        "wget https://y.example/b -O b",
        "kill -9 '*'",
        "git remote add x https://x.example/r",
        "npx tsc",
        "python3 -c 'print(1)'",
        "touch src/\u{e9}",
        "tee docs/x < src/y",
    ]
    .map(TestCall::shell)
    .into();
    for (tool, arguments) in [
        ("mcp__github__create_issue", json!({"title": "x"})),
        ("mcp__github__look", json!({"path": "src/a.rs"})),
        ("mcp__odd server__x-y", json!({"command": "ls"})),
        ("mcp__a.b__x", json!({})),
        ("WebFetch", json!({"url": "https://y.example/"})),
        ("WebSearch", json!({"query": "a"})),
        ("Task", json!({"subagent_type": "reviewer", "prompt": "x"})),
        ("Read", json!({"file_path": "/repo/vendor/a.txt"})),
        ("Write", json!({"file_path": "/repo/docs/internal/a.md", "content": "x"})),
        ("SomeTool", json!({"x": 1})),
    ] {
        calls.push(TestCall::new(tool, &arguments));
    }
    calls
}

fn read(policy: &Value) -> Result<Policy, String> {
    Policy::from_bytes("scope.json", None, policy.to_string().as_bytes()).map_err(|fault| format!("{fault:?}"))
}

struct Judged {
    report: Report,
    entries: Vec<Entry>,
}

fn judge(policy: &Policy, call: &TestCall) -> Judged {
    let caller = Caller::default();
    let calls = std::slice::from_ref(call);
    let session = session(calls, &caller);
    let outcome = |entries| judge_guarded(&session, Vec::new(), policy, entries, &Arc::default());
    let report = Report::new(settle(policy, vec![outcome(Entries::Drop)], Vec::new(), &Settings::default()));
    Judged { report, entries: outcome(Entries::Keep).entries }
}

/// The texts between backticks. Entries of commands hold none.
fn quoted(advice: &str) -> Vec<&str> {
    advice.split('`').skip(1).step_by(2).collect()
}

/// The edits that advice proposes, each with its list. `pointer`: of the list that decided.
fn edits<'a>(advice: &'a str, pointer: &str) -> Vec<(&'a str, String)> {
    let texts = quoted(advice);
    let mut edits = Vec::new();
    for (text, rest) in texts.iter().zip(advice.split('`').skip(2).step_by(2)) {
        let list =
            rest.strip_prefix(" to ").or_else(|| rest.strip_prefix(" into ")).or_else(|| rest.strip_prefix(" in "));
        let list = list.map(|rest| rest.split([' ', ',']).next().unwrap_or_default().trim_end_matches([':', ',']));
        match list {
            Some(list) if list.contains('.') => edits.push((*text, list.to_owned())),
            Some("the") if text.starts_with('{') => edits.push((*text, "rules".to_owned())),
            _ if text.starts_with("network.allow: ") || text.starts_with("\"mcp\"") => {
                edits.push((*text, String::new()));
            }
            _ if rest.starts_with(", where no other entry") || rest.starts_with(" where no other entry") => {
                edits.push((*text, pointer.to_owned()));
            }
            _ => {}
        }
    }
    edits
}

fn list_at<'v>(policy: &'v mut Value, list: &str) -> &'v mut Vec<Value> {
    let keys: Vec<String> = match (list.strip_prefix('/'), list.strip_prefix("mcp.servers.")) {
        (Some(pointer), _) => pointer.split('/').map(str::to_owned).collect(),
        (None, Some(rest)) => {
            let (server, kind) = rest.rsplit_once('.').unwrap_or_else(|| panic!("{list}"));
            ["mcp", "servers", server, kind].map(str::to_owned).into()
        }
        (None, None) => list.split('.').map(str::to_owned).collect(),
    };
    let mut at = policy;
    for key in &keys {
        at = at.as_object_mut().unwrap_or_else(|| panic!("{list}")).entry(key.as_str()).or_insert(Value::Null);
        if at.is_null() {
            *at = json!({});
        }
    }
    if at.as_object().is_some_and(serde_json::Map::is_empty) {
        *at = json!([]);
    }
    at.as_array_mut().unwrap_or_else(|| panic!("{list}"))
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            from.into_iter().for_each(|(key, value)| merge(into.entry(key).or_insert(Value::Null), value));
        }
        (Value::Array(into), Value::Array(from)) => into.extend(from),
        (into, from) => *into = from,
    }
}

/// The policy with the advised edits. `None`: none is proposed.
fn follow(policy: &Value, advice: &str, pointer: &str) -> Option<Value> {
    let mut changed = policy.clone();
    let edits = edits(advice, pointer);
    for (text, list) in &edits {
        if list.is_empty() {
            let part = match text.strip_prefix("network.allow: ") {
                Some(hosts) => json!({"network": {"allow": serde_json::from_str::<Value>(hosts).unwrap()}}),
                None => serde_json::from_str(&format!("{{{text}}}")).unwrap_or_else(|_| panic!("{advice}")),
            };
            merge(&mut changed, part);
            continue;
        }
        let entry = serde_json::from_str::<Value>(text).ok().filter(Value::is_object).unwrap_or_else(|| json!(text));
        let list = list_at(&mut changed, list);
        match list.iter().position(|known| *known == entry) {
            Some(at) => drop(list.remove(at)),
            None => list.push(entry),
        }
    }
    (!edits.is_empty()).then_some(changed)
}

/// Words of advice that proposes no entry for this policy.
const OTHERWISE: &[&str] =
    &["exception", "look at", "let the agent", "let a person", "run the command itself", "narrow", "revert"];

#[test]
fn advice_that_is_followed_changes_the_verdict() {
    let (mut followed, mut wrong) = (0, Vec::new());
    for text in POLICIES {
        let document: Value = serde_json::from_str(text).unwrap();
        let policy = read(&document).unwrap();
        for call in calls() {
            let Judged { report, .. } = judge(&policy, &call);
            for (_, finding) in report.findings().filter(|(_, finding)| finding.level == Level::Error) {
                let advice = next_step(&report, finding);
                let place = finding.policy.as_ref().map_or("", |location| location.pointer.as_str());
                let mut said = |what: &str| {
                    wrong.push(format!(
                        "{what}: {} {}: {}\n   {advice}\n   {text}",
                        call.arguments,
                        finding.rule,
                        finding.said()
                    ));
                };
                let Some(changed) = follow(&document, &advice, place) else {
                    if !OTHERWISE.iter().any(|words| advice.contains(words)) {
                        said("no edit, and no other way");
                    }
                    continue;
                };
                followed += 1;
                match read(&changed) {
                    Err(fault) => said(&format!("can't be read ({fault})")),
                    Ok(changed) => {
                        let again = judge(&changed, &call).report;
                        let stays = again.findings().any(|(_, other)| {
                            (other.rule, other.level, &other.fingerprint)
                                == (finding.rule, finding.level, &finding.fingerprint)
                        });
                        if stays {
                            said("changes nothing");
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {followed}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(followed > 200, "{followed}");
}

/// The advice of `policy explain` and `policy test`.
#[test]
fn advice_about_an_entry_changes_the_verdict() {
    let (mut followed, mut wrong) = (0, Vec::new());
    for text in POLICIES {
        let document: Value = serde_json::from_str(text).unwrap();
        let policy = read(&document).unwrap();
        let version = policy.identity().map_or(1, |identity| identity.version);
        for call in calls() {
            let is_refused = |entry: &&Entry| {
                matches!(entry.decision, Decision::Denied | Decision::Unresolved) && entry.level == Level::Error
            };
            let entries = judge(&policy, &call).entries;
            for entry in entries.iter().filter(is_refused) {
                let Some(advice) = advice(entry, version) else { continue };
                let place = entry.location.as_ref().map_or("", |location| location.pointer.as_str());
                let excluded =
                    entry.taken_out_by.as_ref().and_then(|location| document.pointer(&location.pointer)?.as_str());
                let mut said = |what: &str| {
                    wrong.push(format!("{what}: {} {}\n   {advice}\n   {text}", call.arguments, entry.reason));
                };
                let mut changed = follow(&document, &advice, place);
                if let (Some(changed), Some(excluded)) = (&mut changed, excluded) {
                    list_at(changed, place).retain(|known| known != excluded);
                }
                let Some(changed) = changed else { continue };
                followed += 1;
                match read(&changed) {
                    Err(fault) => said(&format!("can't be read ({fault})")),
                    Ok(changed) => {
                        let again = judge(&changed, &call).entries;
                        let stays = again.iter().any(|other| {
                            (other.decision, other.level, other.effect.view())
                                == (entry.decision, entry.level, entry.effect.view())
                        });
                        if stays {
                            said("changes nothing");
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {followed}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(followed > 100, "{followed}");
}
