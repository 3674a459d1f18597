//! Settings against a policy: what an export says is no drift, and what is widened by hand is.

use serde_json::{Value, json};

use super::import::{Agent, Owner, SettingsFile, import};
use super::{Drift, Excess, drift, export};
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
    let file = SettingsFile { path: path.to_owned(), text: text.to_owned(), owner: Owner::Project };
    let imported = import(agent, &[file]).unwrap_or_else(|fault| panic!("{agent:?}: {fault}\n{text}"));
    let export = agent.target().map(|target| export(policy, target));
    drift(&imported, policy, export.as_ref())
}

fn path_of(agent: Agent) -> &'static str {
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
            let Some(target) = agent.target() else { continue };
            let text = export(&policy, target).text;
            let rows = found(*agent, path_of(*agent), &text, &policy);
            assert!(rows.is_empty(), "{agent:?}: {rows:#?}\n{text}");
        }
    }
}

/// Each is an edit of the exported settings, and what has to be found.
fn widenings(agent: Agent) -> Vec<(&'static str, String)> {
    let lists = |allow: &str, tokens: &[&str]| -> Vec<(&'static str, String)> {
        tokens.iter().map(|token| ("allow", allow.replace("TOKEN", token))).collect()
    };
    match agent {
        Agent::ClaudeCode => lists(
            "{\"permissions\": {\"allow\": [\"TOKEN\"], \"deny\": [\"Read(//**/.env)\"]}}",
            &[
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
        ),
        Agent::OpenCode => {
            let of = |text: &str| ("allow", format!("{{\"permission\": {{\"*\": \"deny\", {text}}}}}"));
            vec![
                of("\"bash\": \"allow\""),
                of("\"bash\": {\"curl *\": \"allow\"}"),
                of("\"bash\": {\"rm *\": \"allow\"}"),
                of("\"bash\": {\"npm *\": \"allow\"}"),
                of("\"edit\": \"allow\""),
                of("\"edit\": {\".github/*\": \"allow\"}"),
                of("\"read\": {\"*.env\": \"allow\"}"),
                of("\"webfetch\": \"allow\""),
                of("\"webfetch\": {\"https://evil.example/*\": \"allow\"}"),
                of("\"websearch\": \"allow\""),
                of("\"github_delete_repo\": \"allow\""),
                ("allow", "{\"permission\": \"allow\"}".to_owned()),
                ("allow", "{}".to_owned()),
            ]
        }
        Agent::Cursor => lists(
            "{\"permissions\": {\"allow\": [\"TOKEN\"], \"deny\": [\"Read(.env)\"]}}",
            &[
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
        ),
        Agent::VsCode => {
            let of = |name: &str, entry: &str| ("allow", format!("{{\"chat.tools.{name}.autoApprove\": {entry}}}"));
            vec![
                of("terminal", "{\"/.*/\": true}"),
                of("terminal", "{\"curl\": true}"),
                of("terminal", "{\"rm\": true}"),
                of("terminal", "{\"npm publish\": true}"),
                of("terminal", "{\"git push --force\": true}"),
                of("terminal", "{\"/^npm (publish|run)\\\\b/\": true}"),
                of("edits", "{\"**/*\": true}"),
                of("edits", "{\".github/**\": true}"),
                of("urls", "{\"https://*\": true}"),
                of("urls", "{\"https://evil.example\": true}"),
                of("global", "true"),
                ("allow", "{}".to_owned()),
            ]
        }
        Agent::Copilot => lists(
            "--allow-tool=TOKEN\n",
            &[
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
        ),
    }
}

#[test]
fn seeded_widenings_are_found() {
    let policy = scope();
    for agent in Agent::ALL {
        let widenings = widenings(*agent);
        assert!(widenings.len() >= 10 || widenings.is_empty(), "{agent:?}: {}", widenings.len());
        for (_, text) in widenings {
            let rows = found(*agent, path_of(*agent), &text, &policy);
            assert!(rows.iter().any(|row| row.excess != Excess::Asks), "{agent:?}: {text}: {rows:#?}");
        }
    }
}
