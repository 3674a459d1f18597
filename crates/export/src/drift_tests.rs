//! Settings against a policy: what an export says is no drift, and what is widened by hand is.

use serde_json::{Value, json};

use agent_strace_testing::specs;

use super::import::{Agent, Owner, SettingsFile, import};
use super::{Drift, Excess, Target, drift, export};
use agent_strace_policy::Policy;

fn policy(value: &Value) -> Policy {
    Policy::from_bytes("scope.json", None, value.to_string().as_bytes()).expect("a valid policy")
}

fn scope() -> Policy {
    policy(&json!({
        "version": 2,
        "files": {
            "read": { "allow": ["/**"], "deny": [".env", "secrets/**", "~/.ssh/**"] },
            "write": { "allow": ["src/**", "docs/**"], "deny": [".github/**", "*.lock"] }
        },
        "commands": {
            "allow": ["cargo test", "git status", "git push", "npm run build"],
            "deny": ["rm", "curl", "git push --force"]
        },
        "network": { "deny_all": true, "allow": ["docs.rs"] },
        "mcp": { "default": "deny", "servers": { "github": { "allow": ["get_issue"], "deny": ["delete_repo"] } } }
    }))
}

fn found(agent: Agent, path: &str, text: &str, policy: &Policy) -> Vec<Drift> {
    let file = |path: &str, text: &str| SettingsFile {
        path: path.to_owned(),
        text: text.to_owned(),
        owner: if agent == Agent::Gemini { Owner::User } else { Owner::Project },
    };
    let mut files = vec![file(path, text)];
    if agent == Agent::Codex {
        // The profile is made for the rules.
        files.push(file(".codex/rules/scope.rules", &export(policy, Target::Codex).text));
    }
    let imported = import(agent, &files).unwrap_or_else(|fault| panic!("{agent:?}: {fault}\n{text}"));
    drift(agent, &imported, policy)
}

fn path_of(agent: Agent) -> &'static str {
    if agent == Agent::Gemini {
        return ".gemini/policies/scope.toml";
    }
    agent.usual_places().first().copied().unwrap_or("options.txt")
}

#[test]
fn an_export_does_not_drift() {
    let broad = policy(&json!({
        "version": 2,
        "files": { "read": { "deny": [".env*"] }, "write": { "deny": ["/ci/**"] } },
        "commands": { "deny": ["sudo"], "ask": ["git push"] }
    }));
    let closed = policy(&json!({ "version": 2, "defaults": { "decision": "deny" } }));
    for policy in [scope(), broad, closed] {
        for agent in Agent::ALL {
            let text = export(&policy, agent.target()).text;
            let rows = found(*agent, path_of(*agent), &text, &policy);
            assert!(rows.is_empty(), "{agent:?}: {rows:#?}\n{text}");
        }
    }
}

/// Settings of one agent: a frame, and what is allowed in it beyond the policy.
struct Widened {
    agent: Agent,
    frame: &'static str,
    entries: &'static [&'static str],
}

const WIDENED: &[Widened] = &[
    Widened {
        agent: Agent::ClaudeCode,
        frame: r#"{"permissions": {"allow": ["TOKEN"], "deny": ["Read(//**/.env)"]}}"#,
        entries: &[
            "Bash",
            "Bash(curl *)",
            "Bash(rm:*)",
            "Bash(npm publish:*)",
            "Edit",
            "Edit(.github/**)",
            "Edit(//etc/**)",
            "WebFetch",
            "WebFetch(domain:evil.example)",
            "mcp__github",
            "mcp__other__x",
            "WebSearch",
            "Bash(git push --force)",
            "Read(~/.ssh/**)",
        ],
    },
    Widened {
        agent: Agent::OpenCode,
        frame: r#"{"permission": {"*": "deny", TOKEN}}"#,
        entries: &[
            r#""bash": "allow""#,
            r#""bash": {"curl *": "allow"}"#,
            r#""bash": {"rm *": "allow"}"#,
            r#""bash": {"npm *": "allow"}"#,
            r#""edit": "allow""#,
            r#""edit": {".github/*": "allow"}"#,
            r#""read": {"*.env": "allow"}"#,
            r#""webfetch": "allow""#,
            r#""webfetch": {"https://evil.example/*": "allow"}"#,
            r#""websearch": "allow""#,
            r#""github_delete_repo": "allow""#,
            r#""*": "allow""#,
        ],
    },
    Widened {
        agent: Agent::Cursor,
        frame: r#"{"permissions": {"allow": ["TOKEN"], "deny": ["Read(.env)"]}}"#,
        entries: &[
            "Shell(**)",
            "Shell(curl)",
            "Shell(rm)",
            "Shell(git)",
            "Shell(npm:publish *)",
            "Write(**)",
            "Write(.github/**)",
            "Write(/etc/**)",
            "WebFetch(*)",
            "WebFetch(evil.example)",
            "Mcp(github:*)",
            "Mcp(*:*)",
        ],
    },
    Widened {
        agent: Agent::VsCode,
        frame: r#"{"chat.tools.TOKEN}"#,
        entries: &[
            r#"terminal.autoApprove": {"/.*/": true}"#,
            r#"terminal.autoApprove": {"curl": true}"#,
            r#"terminal.autoApprove": {"rm": true}"#,
            r#"terminal.autoApprove": {"npm publish": true}"#,
            r#"terminal.autoApprove": {"git push --force": true}"#,
            r#"terminal.autoApprove": {"/^npm (publish|run)\\b/": true}"#,
            r#"edits.autoApprove": {"**/*": true}"#,
            r#"edits.autoApprove": {".github/**": true}"#,
            r#"urls.autoApprove": {"https://*": true}"#,
            r#"urls.autoApprove": {"https://evil.example": true}"#,
            r#"global.autoApprove": true"#,
        ],
    },
    Widened {
        agent: Agent::Copilot,
        frame: "--allow-tool=TOKEN\n",
        entries: &[
            "shell",
            "shell(curl)",
            "shell(rm:*)",
            "shell(git push)",
            "shell(npm publish)",
            "write",
            "github",
            "github(delete_repo)",
            "other(x)",
            "url(evil.example)",
            "url",
        ],
    },
    Widened {
        agent: Agent::Codex,
        frame: "TOKEN\n",
        entries: &[
            r#"sandbox_mode = "danger-full-access""#,
            r#"sandbox_mode = "workspace-write""#,
            r#"sandbox_mode = "workspace-write"
[sandbox_workspace_write]
writable_roots = ["/etc"]"#,
            r#"sandbox_mode = "workspace-write"
[sandbox_workspace_write]
network_access = true"#,
            r#"default_permissions = ":danger-full-access""#,
            r#"default_permissions = ":workspace""#,
            r#"default_permissions = "a"
[permissions.a]
extends = ":workspace"
[permissions.a.filesystem]
"/srv" = "write""#,
            r#"default_permissions = "a"
[permissions.a.filesystem.":workspace_roots"]
".github" = "write""#,
            r#"default_permissions = "a"
[permissions.a.network]
enabled = true
[permissions.a.network.domains]
"evil.example" = "allow""#,
            r#"default_permissions = "a"
[permissions.a.filesystem]
"~/.ssh" = "write""#,
            "",
        ],
    },
    Widened {
        agent: Agent::Gemini,
        frame: "{TOKEN}",
        entries: &[
            r#""tools": {"allowed": ["run_shell_command"]}"#,
            r#""tools": {"allowed": ["run_shell_command(curl)"]}"#,
            r#""tools": {"allowed": ["run_shell_command(rm -rf)"]}"#,
            r#""tools": {"allowed": ["ShellTool(npm publish)"]}"#,
            r#""tools": {"allowed": ["write_file"]}"#,
            r#""tools": {"allowed": ["replace"]}"#,
            r#""tools": {"allowed": ["web_fetch"]}"#,
            r#""tools": {"approvalMode": "auto_edit"}"#,
            r#""mcp": {"allowed": ["github"]}"#,
            r#""mcpServers": {"other": {"trust": true}}"#,
            "",
        ],
    },
    Widened {
        agent: Agent::Qwen,
        frame: r#"{"permissions": {"allow": ["TOKEN"], "deny": ["Read(.env)"]}}"#,
        entries: &[
            "Shell",
            "Bash(curl *)",
            "run_shell_command(rm:*)",
            "ShellTool(npm publish *)",
            "Edit",
            "EditTool(.github/**)",
            "Edit(//etc/**)",
            "WebFetch",
            "WebFetch(evil.example)",
            "mcp__github",
            "web_search",
        ],
    },
];

#[test]
fn seeded_widenings_are_found() {
    let policy = scope();
    for agent in Agent::ALL {
        let widened = WIDENED.iter().find(|widened| widened.agent == *agent).expect("every agent has some");
        assert!(widened.entries.len() >= 10, "{agent:?}: {}", widened.entries.len());
        for entry in widened.entries {
            let text = widened.frame.replace("TOKEN", entry);
            let path = if *agent == Agent::Gemini { ".gemini/settings.json" } else { path_of(*agent) };
            let rows = found(*agent, path, &text, &policy);
            assert!(rows.iter().any(|row| row.excess != Excess::Asks), "{agent:?}: {text}: {rows:#?}");
        }
    }
}

/// An entry that allows says nothing where another entry of the settings denies or asks about the same.
#[test]
fn an_entry_that_another_one_takes_back_does_not_drift() {
    let policy = policy(&json!({
        "version": 2,
        "files": { "read": { "allow": ["/src/**"], "deny": ["/src/keys/**"] } },
        "commands": { "deny": ["npm publish"] },
        "network": { "deny_all": true, "allow": ["registry:npm"] }
    }));
    let settings = |deny: &str| {
        format!(r#"{{"permissions": {{"allow": ["Bash(npm publish:*)", "Read(/secret/**)"], "deny": [{deny}]}}}}"#)
    };
    let rows = |deny: &str| {
        let rows = found(Agent::ClaudeCode, ".claude/settings.json", &settings(deny), &policy);
        let of_settings = rows.into_iter().filter_map(|row| Some(row.settings?.1));
        of_settings.collect::<Vec<String>>()
    };
    assert_eq!(rows(""), ["Bash(npm publish:*)", "Read(/secret/**)"]);
    assert_eq!(rows(r#""Bash(npm publish:*)""#), ["Read(/secret/**)"]);
    assert_eq!(rows(r#""Bash(npm:*)", "Read(/secret/**)""#), [""; 0]);
    // A deny of a part is not enough.
    assert_eq!(
        rows(r#""Bash(npm publish --tag:*)", "Read(/secret/x/**)""#),
        ["Bash(npm publish:*)", "Read(/secret/**)"]
    );
}

/// Entries that a policy has no words for are judged by their own text.
#[test]
fn an_entry_that_is_no_plain_command_is_judged() {
    let ssh = policy(&json!({ "version": 2, "commands": { "deny": ["ssh"] } }));
    let quiet = policy(&json!({ "version": 2, "network": { "deny_all": true } }));
    let curl = policy(&json!({ "version": 2, "commands": { "deny": ["curl"] } }));
    let push = policy(&json!({ "version": 2, "commands": { "deny": ["git push"] } }));
    let keys = policy(&json!({ "version": 2, "files": { "read": { "allow": ["/**"], "deny": ["/keys/**"] } } }));
    let listed = policy(&json!({ "version": 2, "files": { "read": { "allow": ["/src/**"] } } }));
    let rows = |policy: &Policy, allow: &str, deny: &str| {
        let deny: &[&str] = if deny.is_empty() { &[] } else { &[deny] };
        let text = json!({ "permissions": { "allow": [format!("Bash({allow})")], "deny": deny } }).to_string();
        let rows = found(Agent::ClaudeCode, ".claude/settings.json", &text, policy);
        rows.into_iter().filter(|row| row.settings.is_some()).map(|row| row.excess).collect::<Vec<_>>()
    };
    let (allows, may_allow) = (&[Excess::Allows][..], &[Excess::MayAllow][..]);
    for (policy, entry, expected) in [
        (&ssh, "ssh 'h'", allows),
        (&ssh, "ssh 'h' *", allows),
        (&ssh, "ssh 'h':*", allows),
        (&ssh, "ssh $H", allows),
        (&ssh, "bash -c 'ssh h'", allows),
        (&ssh, "* --version", allows),
        (&ssh, "ssh h | cat", may_allow),
        (&ssh, "cd x && ssh h", may_allow),
        (&ssh, "ssh h > x", may_allow),
        (&ssh, "ssh 'h", may_allow),
        (&ssh, "sed 'h", may_allow),
        (&ssh, "cut 'h' | cat", &[]),
        (&ssh, "make 'all'", &[]),
        (&quiet, "curl -H 'a b' https://x", allows),
        (&curl, "curl -H 'a b' https://x", allows),
        (&curl, "echo 'h' *", &[]),
        (&push, "git * --force", allows),
        (&push, "git * --stat", allows),
        (&push, "hg * --stat", &[]),
        (&keys, "cut -f '1' *", may_allow),
        (&listed, "cut -f '1' *", allows),
    ] {
        assert_eq!(rows(policy, entry, ""), expected, "{entry}");
    }
    for (entry, deny) in
        [("ssh 'h'", "Bash(ssh:*)"), ("ssh h | cat", "Bash(ssh *)"), ("ssh h | cat", "Bash(ssh h | cat)")]
    {
        assert_eq!(rows(&ssh, entry, deny), [], "{entry}");
    }
}

#[test]
fn every_case_of_the_spec_reports_what_it_says() {
    let with_findings = |text: &str, id: &str| {
        let mut fires = false;
        let written = specs::rewritten(text, "settings", |lines| {
            let of = |name: &str| lines.iter().find_map(|line| line.strip_prefix(name)).unwrap().trim();
            let policy = policy(&serde_json::from_str(of("policy ")).unwrap());
            let rows = found(Agent::ClaudeCode, ".claude/settings.json", of("claude-code "), &policy);
            let findings: Vec<_> = rows.iter().map(|row| row.finding(Agent::ClaudeCode)).collect();
            fires |= findings.iter().any(|finding| finding.rule.as_str() == id);
            findings
                .iter()
                .map(|finding| format!("{} {}: {}", finding.level.name(), finding.rule, finding.message))
                .collect()
        });
        (written, fires)
    };
    specs::hold(["policy/settings-drift"], with_findings);
}
