//! Entries of lists, and rules.

use proptest::prelude::*;
use serde_json::{Value, json};

fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = Value> {
    prop::sample::select(texts).prop_map(|text| json!(text))
}

/// Entries that say all or some of what others say.
const NESTED_PATHS: &[&str] =
    &["secrets/**", "secrets/key", "src/**", "src/a.rs", "src/gen/**", "src/gen/x.rs", "docs/**", "docs/api/**"];
const NESTED_COMMANDS: &[&str] = &[
    "npm",
    "npm run",
    "npm run build",
    "git",
    "git push",
    "git push --force",
    "rm",
    "rm -rf",
    "foo",
    "foo bar",
    "foo bar baz",
];
const NESTED_HOSTS: &[&str] =
    &["*.example.com", "api.example.com", "*.github.com", "api.github.com", "api.example.com:443"];

pub(super) fn paths() -> impl Strategy<Value = Value> {
    prop_oneof![one_of(NESTED_PATHS), any_path()]
}

fn any_path() -> impl Strategy<Value = Value> {
    one_of(&[
        "/**",
        "**",
        "src/**",
        "src/a.rs",
        "src/gen/**",
        "src/gen/x.rs",
        "src",
        "docs/**",
        "docs/api/**",
        ".env",
        ".env.*",
        "*.pem",
        "secrets/**",
        "secrets/key",
        "secrets",
        "~/.ssh/**",
        "~/**",
        "//tmp/**",
        "//etc/**",
        "//etc/passwd",
        ".github/**",
        "!src/gen/**",
        "!.env.example",
        "!/**",
        "!secrets/public",
        "label:x",
        "builtin:secrets",
        "builtin:pipelines",
        "builtin:scratch",
        "*.lock",
        "**/*.rs",
        "deploy.sh",
        "scripts/**",
        "package.json",
        ".git/**",
        "a",
        "README.md",
        "*.md",
        "/etc/**",
    ])
}

pub(super) fn commands() -> impl Strategy<Value = Value> {
    const PLAIN: &[&str] = &[
        "*",
        "npm",
        "npm *",
        "npm run",
        "npm run *",
        "npm run build",
        "npm test",
        "builtin:npm",
        "builtin:npm-run",
        "builtin:viewers",
        "builtin:git-read",
        "builtin:git-work",
        "builtin:dangerous",
        "builtin:git-lossy",
        "npm install",
        "npx",
        "npx tsc",
        "tsc",
        "bash",
        "bash deploy.sh",
        "sh",
        "./deploy.sh",
        "./scripts/*",
        "terraform",
        "terraform apply",
        "git",
        "git *",
        "git rebase",
        "git status",
        "git push",
        "git push --force",
        "git stash pop",
        "git checkout",
        "make",
        "make build",
        "mise run",
        "mise run x",
        "docker",
        "docker compose",
        "docker run",
        "go",
        "go run",
        "go generate",
        "go test",
        "cargo",
        "cargo run",
        "cargo xtask",
        "cargo test",
        "cargo build --release",
        "uv",
        "uv run",
        "uv run pytest",
        "pytest",
        "python3",
        "python3 -m pytest",
        "python3 tools/gen.py",
        "yarn",
        "yarn build",
        "bun",
        "bun run",
        "bun run x",
        "pnpm",
        "pnpm build",
        "curl",
        "curl *",
        "rm",
        "rm -rf",
        "cat",
        "cat *",
        "ls",
        "echo",
        "sudo",
        "foo",
        "foo bar",
        "foo bar baz",
        "env",
        "xargs",
        "kubectl",
        "kubectl apply",
        "gh",
        "gh api",
        "node",
        "node x.js",
        "just",
        "just x",
        "mix",
        "mix test",
        "gradle",
        "./gradlew",
        "./gradlew build",
        "source",
        "source x.sh",
        "find",
        "tee",
        "grep",
        "sed",
        "rg",
    ];
    let changed = one_of(&["npm run build", "bash deploy.sh", "make", "./deploy.sh", "python3 tools/gen.py"]);
    prop_oneof![6 => one_of(NESTED_COMMANDS), 8 => one_of(PLAIN), 1 => changed.prop_map(|text| json!({ "command": text, "even_if_changed": true }))]
}

pub(super) fn hosts() -> impl Strategy<Value = Value> {
    prop_oneof![one_of(NESTED_HOSTS), any_host()]
}

fn any_host() -> impl Strategy<Value = Value> {
    one_of(&[
        "*",
        "github.com",
        "*.github.com",
        "api.github.com",
        "example.com",
        "*.example.com",
        "api.example.com",
        "example.com:443",
        "registry:npm",
        "registry:cargo",
        "remote:origin",
        "localhost",
        "10.0.0.0/8",
        "10.1.2.3",
        "evil.test",
    ])
}

pub(super) fn servers() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["github", "git*", "*", "files"]).prop_map(str::to_owned)
}

pub(super) fn tools() -> impl Strategy<Value = Value> {
    one_of(&["*", "create_issue", "get_*", "get_file", "run"])
}

pub(super) fn variables() -> impl Strategy<Value = Value> {
    one_of(&["*", "FOO", "FOO*", "LD_PRELOAD", "PATH", "NODE_OPTIONS", "GIT_*", "CI"])
}

fn exec() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({ "program": "git", "subcommand": "push" }),
        json!({ "program": "git", "subcommand": "push", "any_flag": ["--force", "-f"] }),
        json!({ "program": ["npm", "yarn"], "subcommand": "run" }),
        json!({ "program": "npm", "subcommand": ["run build", "test"] }),
        json!({ "program": "uv", "only_flags": ["-q"] }),
        json!({ "program": "pytest", "only_flags": ["-q", "-x"] }),
        json!({ "program": "python3", "only_flags": ["-m"] }),
        json!({ "program": "npm", "only_flags": ["--silent"] }),
        json!({ "program": "bash", "operands": ["deploy.sh"] }),
        json!({ "program": "rm", "any_flag": ["-r", "-f"] }),
        json!({ "program": "foo" }),
        json!({ "program": "*" }),
        json!({ "program": "cargo", "subcommand": "run" }),
        json!({ "program": "curl" }),
    ])
}

/// A rule without its id.
pub(super) fn rule() -> impl Strategy<Value = Value> {
    let matches = prop_oneof![
        4 => exec().prop_map(|exec| json!({ "exec": exec })),
        2 => (prop::sample::select(vec!["read", "write", "delete", "list"]), paths()).prop_map(|(kind, path)| json!({ kind: [path] })),
        1 => hosts().prop_map(|host| json!({ "net": [host] })),
        1 => (servers(), tools()).prop_map(|(server, tool)| json!({ "mcp": { "server": server, "tools": [tool] } })),
        1 => variables().prop_map(|name| json!({ "env": [name] })),
        1 => one_of(&["*", "general*", "helper"]).prop_map(|name| json!({ "spawn": [name] })),
    ];
    let effect = prop::sample::select(vec!["deny", "ask", "allow"]);
    (matches, effect, prop::sample::select(vec!["error", "error", "warning", "note"])).prop_map(
        |(matches, effect, severity)| match effect {
            "allow" => json!({ "effect": effect, "match": matches }),
            _ => json!({ "effect": effect, "severity": severity, "match": matches }),
        },
    )
}
