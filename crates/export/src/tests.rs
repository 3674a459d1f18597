use std::sync::Arc;

use serde_json::{Value, json};

use super::residual::Residual;
use super::{Compared, Export, Target, claude, compare, export};
use agent_strace_model::{Arguments, Dialect, Event, EventKind, Origin, Session, Status, ToolCall};
use agent_strace_policy::Policy;

pub(super) const TARGETS: [Target; 8] = [
    Target::ClaudeCode,
    Target::Codex,
    Target::CodexConfig,
    Target::Gemini,
    Target::OpenCode,
    Target::Cursor,
    Target::VsCode,
    Target::Copilot,
];

fn policy(value: &Value) -> Policy {
    Policy::from_bytes("scope.json", None, value.to_string().as_bytes()).expect("a valid policy")
}

fn exported() -> Policy {
    policy(&json!({
        "files": {
            "read": { "deny": [".env", "secrets/**"] },
            "write": { "allow": ["src/**", "*.md"], "deny": [".github/**", "*.lock"] }
        },
        "commands": {
            "allow": ["cargo test", "git status", "git push", "cat", "curl", "bash", "xargs"],
            "deny": ["rm", "git push --force"]
        },
        "network": { "deny_all": true, "allow": ["api.github.com"] }
    }))
}

static DIALECT: Dialect = Dialect::new("cases", "-");

fn compared(export: &Export, policy: &Policy, tool: &str, input: &Value) -> Compared {
    compare(export, policy, &session(tool, input), &Arc::default())
}

/// A session of one call, in a project at `/repo`.
pub(super) fn session(tool: &str, input: &Value) -> Session<'static> {
    let call = ToolCall {
        call_id: None,
        tool: tool.to_owned().into(),
        arguments: Arguments::Json(input.to_string().into()),
        cwd: Some("/repo".into()),
        status: Status::Ok,
        subagent: None,
    };
    let event =
        Event { number: 1, id: None, line: 1, time: None, origin: Origin::default(), kind: EventKind::Call(call) };
    Session { root: Some("/repo".into()), events: vec![event], ..Session::new(&DIALECT, "-") }
}

#[test]
fn an_allow_is_written_only_where_any_argument_is_allowed() {
    let text = export(&exported(), Target::ClaudeCode).text;
    let settings = claude::Settings::parse(&text).unwrap();
    assert!(settings.allow.contains(&"Bash(cargo test *)".to_owned()), "{text}");
    for left_out in ["curl", "bash", "xargs"] {
        assert!(!settings.allow.iter().any(|rule| rule.contains(left_out)), "{left_out} runs or reaches anything");
    }
    assert!(settings.deny.contains(&"Bash(rm *)".to_owned()));
    assert!(settings.deny.contains(&"Edit(//**/.agent-scope.json)".to_owned()), "the floor is exported");
    let gemini = export(&exported(), Target::Gemini).text;
    assert!(gemini.contains("commandPrefix = \"cargo test\"") && !gemini.contains("commandPrefix = \"bash\""));
    let codex = export(&exported(), Target::Codex).text;
    assert!(codex.contains("pattern = [\"git\", \"push\", \"--force\"],\n    decision = \"forbidden\""), "{codex}");
    assert!(codex.contains("pattern = [\"git\", \"push\"],\n    decision = \"prompt\""), "another order is looked at");
    assert!(!codex.contains("\"git\", \"push\"],\n    decision = \"allow\""), "some of its arguments are denied");
}

/// A directory at home or elsewhere on the machine does not belong to the workspace.
#[test]
fn codex_opens_directories_where_they_lie() {
    let allow = ["~/notes/**", "//var/x/**", "//tmp/**", "src/**"];
    let policy = policy(&json!({ "version": 2, "files": { "write": { "allow": allow } } }));
    let value: toml::Table = export(&policy, Target::CodexConfig).text.parse().unwrap();
    let files = &value["permissions"]["agent-scope"]["filesystem"];
    for path in ["~/notes", "/var/x", "/tmp"] {
        assert_eq!(files[path].as_str(), Some("write"), "{path}");
    }
    let roots = files[":workspace_roots"].as_table().unwrap();
    let open: Vec<&String> =
        roots.iter().filter(|(_, access)| access.as_str() == Some("write")).map(|(path, _)| path).collect();
    assert_eq!(open, ["src"]);
    assert_eq!(value["approval_policy"].as_str(), Some("on-request"), "Codex does not start with `untrusted`");
}

#[test]
fn what_is_weaker_is_listed() {
    let exported = exported();
    let calls = [
        ("Bash", json!({ "command": "git status && rm -rf x" })),
        ("Bash", json!({ "command": "sh -c 'rm -rf x'" })),
        ("Bash", json!({ "command": "find . -exec rm {} +" })),
        ("Bash", json!({ "command": "cat .env" })),
        ("Bash", json!({ "command": "grep -r KEY secrets" })),
        ("Bash", json!({ "command": "echo x > .github/w.yml" })),
        ("Bash", json!({ "command": "git push origin --force" })),
        ("Bash", json!({ "command": "curl https://evil.example" })),
        ("Read", json!({ "file_path": "src/../.env" })),
        ("Edit", json!({ "file_path": "/repo/.github/ci.yml" })),
        ("Write", json!({ "file_path": ".claude/settings.json", "content": "" })),
        ("WebFetch", json!({ "url": "https://evil.example/x" })),
        ("Grep", json!({ "pattern": "KEY", "path": "secrets" })),
    ];
    for target in TARGETS {
        let export = export(&exported, target);
        let mut weaker = 0;
        for (tool, input) in &calls {
            let compared = compared(&export, &exported, tool, input);
            weaker += compared.agreement.weaker;
            assert_eq!(compared.agreement.unlisted, 0, "{target:?} {tool} {input}: {:?}", compared.differences);
        }
        // The check can fail: without its list, the same export does not hold.
        let silent = Export { residuals: Vec::<Residual>::new(), ..super::export(&exported, target) };
        let missing: usize = calls.iter().map(|(tool, input)| compared_unlisted(&silent, &exported, tool, input)).sum();
        assert_eq!(missing, weaker, "{target:?}");
        assert!(weaker > 0, "{target:?} sees everything that the policy sees");
    }
}

fn compared_unlisted(export: &Export, policy: &Policy, tool: &str, input: &Value) -> usize {
    compared(export, policy, tool, input).agreement.unlisted
}

/// Text that would end a string, a rule, a line or a comment somewhere.
const HOSTILE: &[&str] = &[
    "a\"b",
    "a'b",
    "'''",
    "\"\"\"",
    "a\\",
    "a)",
    "a\") Bash(*",
    "x],[y",
    "# x",
    "a${b}",
    "\u{2028}x",
    "\u{202e}x",
    "é",
    "[a",
    "a{2}",
    "(?i)x",
    "x|y",
    "^x$",
    "a,b",
    "\"command\":\"",
    "%{x}",
    "{{x}}",
];

#[test]
fn hostile_patterns_stay_in_their_strings() {
    for text in HOSTILE {
        for version in [1, 2] {
            let value = json!({
                "version": version,
                "files": { "read": { "deny": [text] }, "write": { "allow": [format!("src/{text}/**")], "deny": [text] } },
                "commands": { "deny": [format!("rm {text}"), text] }
            });
            let Ok(policy) = Policy::from_bytes("scope.json", None, value.to_string().as_bytes()) else { continue };
            hold(&policy, text);
        }
    }
}

fn hold(policy: &Policy, text: &str) {
    let settings = claude::Settings::parse(&export(policy, Target::ClaudeCode).text).expect("JSON");
    let rules = settings.allow.iter().chain(&settings.deny);
    for rule in rules {
        let inner = rule.split_once('(').map_or("", |(_, inner)| inner.strip_suffix(')').expect("one rule"));
        assert!(!inner.contains(['(', ')']), "{text}: {rule}");
        assert!(!["Bash(*)", "Read(*)", "Edit(*)"].contains(&rule.as_str()), "{text}: {rule}");
    }
    for target in [Target::CodexConfig, Target::Gemini] {
        let exported = export(policy, target).text;
        let value: toml::Table = exported.parse().unwrap_or_else(|error| panic!("{text}: {error}\n{exported}"));
        let keys: Vec<&String> = value.keys().collect();
        let expected: &[&str] = if target == Target::Gemini {
            &["rule"]
        } else {
            &["approval_policy", "default_permissions", "permissions"]
        };
        assert_eq!(keys, expected, "{text}");
    }
    gemini_patterns_are_accepted(&export(policy, Target::Gemini).text);
}

/// What the loader refuses: too long, or a quantified group behind one with a quantifier.
fn gemini_patterns_are_accepted(exported: &str) {
    let refused = regex::Regex::new(r"\([^)]*[*+?{].*\)[*+?{]").unwrap();
    let value: toml::Table = exported.parse().unwrap();
    for rule in value["rule"].as_array().unwrap() {
        let texts = ["argsPattern", "commandRegex"].iter().filter_map(|key| rule.get(*key)?.as_str());
        for pattern in texts {
            assert!(pattern.len() <= 2048 && !refused.is_match(pattern), "{pattern}");
        }
        let priority = rule["priority"].as_integer().unwrap();
        assert!((0..1000).contains(&priority));
        assert!(["allow", "deny", "ask_user"].contains(&rule["decision"].as_str().unwrap()));
    }
}
