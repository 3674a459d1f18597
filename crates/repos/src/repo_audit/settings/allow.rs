//! Lists of what an agent may do without a question: entries that allow nearly everything.

use std::sync::LazyLock;

use crate::repo_audit::document::{member, text};
use crate::repo_audit::hit::{Location, RepositoryHit};
use crate::repo_audit::lookup::{self, EACH, Paths, Spot};
use crate::repo_audit::shown::shown;
use agent_strace_policy::json::{Data, Value};
use agent_strace_rules::repository::WIDE_ALLOW;

use super::File;

/// Files, and where in them lists of permissions stand.
const LISTS: &[(&str, &[&str])] = &[
    ("**/.claude/settings*.json", &["permissions", "allow", EACH]),
    ("**/.cursor/{cli,cli-config}.json", &["permissions", "allow", EACH]),
    ("**/.cursor/permissions.json", &["terminalAllowlist", EACH]),
    ("**/{.gemini,.qwen}/settings.json", &["tools", "allowed", EACH]),
    ("**/{.gemini,.qwen}/settings.json", &["allowedTools", EACH]),
    ("**/{.gemini,.qwen}/settings.json", &["permissions", "allow", EACH]),
    ("**/{crush,.crush}.json", &["permissions", "allowed_tools", EACH]),
    ("**/{.amazonq/cli-agents,.amazonq/agents,.kiro/agents}/*.json", &["allowedTools", EACH]),
    ("**/.continue/permissions.yaml", &["allow", EACH]),
    ("**/.factory/settings*.json", &["commandAllowlist", EACH]),
    ("**/.amp/settings.{json,jsonc}", &["amp", "permissions", EACH]),
    ("**/.vscode/settings.json", &["amp", "permissions", EACH]),
    ("**/.augment/settings*.json", &["toolPermissions", EACH]),
];

pub(super) static PATHS: LazyLock<Paths> = LazyLock::new(|| Paths::new(globs()));

pub(super) fn globs() -> impl Iterator<Item = &'static str> {
    LISTS.iter().map(|(glob, _)| *glob)
}

/// What tools call the tool that runs commands.
const SHELLS: &[&str] = &[
    "bash",
    "shell",
    "run_shell_command",
    "shelltool",
    "execute_bash",
    "execute_cmd",
    "terminal",
    "launch-process",
    "execute",
];
/// Programs that run what they are given, send what they are given, or that no rule holds back.
const PROGRAMS: &[&str] = &[
    "curl",
    "wget",
    "sudo",
    "su",
    "doas",
    "eval",
    "exec",
    "bash",
    "sh",
    "zsh",
    "fish",
    "dash",
    "pwsh",
    "powershell",
    "cmd",
    "python",
    "python3",
    "node",
    "perl",
    "ruby",
    "php",
    "deno",
    "bun",
    "ssh",
    "scp",
    "sftp",
    "rsync",
    "nc",
    "ncat",
    "socat",
    "telnet",
    "rm",
    "dd",
    "xargs",
    "env",
    "docker",
    "podman",
    "kubectl",
    "npx",
    "uvx",
    "osascript",
    "aws",
    "gcloud",
    "az",
];
const FILES: &[&str] = &["read", "edit", "write", "multiedit", "notebookedit", "glob", "grep"];

pub(super) fn hits(file: &File<'_>, found: &mut Vec<RepositoryHit>) {
    for (_, keys) in PATHS.matching(file.path).into_iter().filter_map(|at| LISTS.get(at)) {
        for spot in lookup::at(&file.document.root, keys) {
            let bare = keys.contains(&"terminalAllowlist") || keys.contains(&"commandAllowlist");
            let Some((entry, why)) = wide(&spot, bare) else { continue };
            let location = Location::head(file.path, file.document.line(&spot.span()));
            let message = format!("{} {why}", shown(&entry));
            found.push(RepositoryHit::new(&WIDE_ALLOW, location, message).about("entry", entry));
        }
    }
}

/// An entry that allows too much, and why. `bare`: entries are commands.
fn wide(spot: &Spot<'_>, bare: bool) -> Option<(String, &'static str)> {
    match &spot.value.data {
        Data::Text(entry) if bare => command(entry).map(|why| (entry.clone(), why)),
        Data::Text(entry) => permission(entry).map(|why| (entry.clone(), why)),
        // A list by the names of tools.
        Data::Object(_) => of_object(spot.value),
        _ => None,
    }
}

const EVERYTHING: &str = "allows every tool without a question: name the tools and what they may do";
const COMMANDS: &str = "allows every command without a question: name the commands";
const ONE_PROGRAM: &str = "allows a program that does whatever it is told: name the whole command";
const FETCH: &str = "allows to fetch every address: name the hosts";
const ALL_FILES: &str = "allows files outside of the repository: name the folders";
const ALL_SERVERS: &str = "allows every tool of every MCP server: name the servers and their tools";

/// `{"tool": "Bash", "action": "allow"}`, `{"toolName": "launch-process", "permission": {"type": "allow"}}`.
fn of_object(value: &Value) -> Option<(String, &'static str)> {
    let name = ["tool", "toolName"].iter().find_map(|key| member(value, key).and_then(text))?;
    let of_permission = member(value, "permission").and_then(|permission| member(permission, "type")).and_then(text);
    let allows = member(value, "action").and_then(text).or(of_permission) == Some("allow");
    let narrowed = ["matches", "shellInputRegex", "eventType"].iter().any(|key| member(value, key).is_some());
    if !allows || narrowed {
        return None;
    }
    permission(name).map(|why| (name.to_owned(), why))
}

/// `Name`, or `Name(what)`.
fn permission(entry: &str) -> Option<&'static str> {
    let entry = entry.trim();
    let (name, argument) = match entry.split_once('(') {
        Some((name, rest)) => (name, rest.strip_suffix(')').unwrap_or(rest).trim()),
        None => (entry, ""),
    };
    let name = name.trim().trim_start_matches('@').to_ascii_lowercase();
    let all = matches!(argument, "" | "*" | "**" | ":*" | "*:*" | "**/*");
    match name.as_str() {
        "*" | "**" => Some(EVERYTHING),
        "mcp" if entry.contains('(') && all => Some(ALL_SERVERS),
        "mcp__*" | "mcp__*__*" | "mcp__**" => Some(ALL_SERVERS),
        "webfetch" | "web_fetch" if matches!(argument, "" | "*" | "**" | "domain:*" | "domain:**") => Some(FETCH),
        name if SHELLS.contains(&name) && all => Some(COMMANDS),
        name if SHELLS.contains(&name) => command(argument),
        name if FILES.contains(&name) && is_outside(argument) => Some(ALL_FILES),
        _ => None,
    }
}

/// A pattern of a command: `curl:*`, `curl *`, `curl`.
fn command(pattern: &str) -> Option<&'static str> {
    let pattern = pattern.trim();
    if matches!(pattern, "*" | "**" | ":*" | ".*") {
        return Some(COMMANDS);
    }
    let open = pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *")).or_else(|| pattern.strip_suffix('*'));
    let open = open.or_else(|| pattern.strip_suffix(" .*")).unwrap_or(pattern).trim();
    // A program alone is a prefix in most tools; with words behind it, it is one command.
    let program = open.rsplit('/').next().unwrap_or(open);
    PROGRAMS.contains(&program).then_some(ONE_PROGRAM)
}

/// From the top of the file system or of the home folder, and all of it.
fn is_outside(pattern: &str) -> bool {
    let all = pattern.ends_with("**") || pattern.ends_with("/*");
    let folder = pattern.trim_end_matches(['*', '/']);
    all && matches!(folder, "" | "~" | "$HOME" | "//" | "//home" | "//Users" | "//etc")
        && pattern.starts_with(['/', '~', '$'])
}
