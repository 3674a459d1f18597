//! The rows of the table: files, a dotted key, a value, and what is said of it.

use crate::repo_audit::lookup::EACH;
use agent_strace_model::finding::Level;
use agent_strace_rules::Rule;
use agent_strace_rules::repository::{AUTO_APPROVE, GATE_DISABLED, PERMISSION_BYPASS, WIDE_ALLOW};

/// One setting that takes a safeguard away.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) files: &'static str,
    pub(super) keys: &'static [&'static str],
    pub(super) test: Test,
    pub(super) rule: &'static Rule,
    pub(super) level: Level,
    /// Behind the setting: `lets …`.
    pub(super) what: &'static str,
}

/// What a value has to be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Test {
    Is(bool),
    /// One of these texts, whatever their case.
    Text(&'static [&'static str]),
    /// A list with one of these texts.
    Has(&'static [&'static str]),
    /// A map with a key that matches every command, and a value that allows it.
    AllowsAll,
}

const CLAUDE: &str = "**/.claude/settings*.json";
const CODEX: &str = "**/.codex/config.toml";
const GEMINI: &str = "**/{.gemini,.qwen}/settings.json";
const OPENCODE: &str = "**/{opencode,.opencode/opencode,.opencode/config,kilo,.kilo/kilo}.{json,jsonc}";
const EDITOR: &str = "**/.vscode/settings.json";
const WORKSPACE: &str = "**/*.code-workspace";
const AMP: &str = "**/.amp/settings.{json,jsonc}";
const ZED: &str = "**/.zed/settings.json";
const ROO: &str = "**/{roo-code,kilo-code,cline}-settings.json";
const DROID: &str = "**/.factory/settings*.json";
const CURSOR: &str = "**/.cursor/permissions.json";
const GOOSE: &str = "**/{goose,.goose}/config.yaml";
const AIDER: &str = "**/.aider.conf.yml";
const AGENTS: &str = "**/{.amazonq/cli-agents,.amazonq/agents,.kiro/agents}/*.json";

const EVERYTHING: &str = "lets the agent do everything without a question: take it out, and allow what is needed";
const COMMANDS: &str = "lets the agent run every command without a question: name the commands that it needs";
const UNBOXED: &str = "lets commands run outside of the sandbox: keep them in it";
const ALL_SERVERS: &str = "starts every MCP server of the repository without a question: approve servers by name";
const NO_HOOKS: &str = "switches all hooks off, those of the gate too: take it out";

const fn bypass(files: &'static str, keys: &'static [&'static str], test: Test, what: &'static str) -> Row {
    Row { files, keys, test, rule: &PERMISSION_BYPASS, level: Level::Error, what }
}

const fn wide(files: &'static str, keys: &'static [&'static str], test: Test, what: &'static str) -> Row {
    Row { files, keys, test, rule: &WIDE_ALLOW, level: Level::Warning, what }
}

const fn mild(row: Row) -> Row {
    Row { level: Level::Warning, ..row }
}

const fn off(files: &'static str, keys: &'static [&'static str], test: Test) -> Row {
    Row { files, keys, test, rule: &GATE_DISABLED, level: Level::Error, what: NO_HOOKS }
}

const YES: Test = Test::Is(true);
const NO: Test = Test::Is(false);
const ALLOW: Test = Test::Text(&["allow"]);
const YOLO: Test = Test::Text(&["yolo"]);
const HIGH: Test = Test::Text(&["high", "auto-high"]);
const STAR: Test = Test::Has(&["*", ".*"]);

pub(super) static ROWS: &[Row] = &[
    bypass(CLAUDE, &["permissions", "defaultMode"], Test::Text(&["bypassPermissions"]), EVERYTHING),
    bypass(CLAUDE, &["defaultMode"], Test::Text(&["bypassPermissions"]), EVERYTHING),
    bypass(
        CLAUDE,
        &["skipDangerousModePermissionPrompt"],
        YES,
        "takes away the warning before everything is allowed: take it out",
    ),
    bypass(CLAUDE, &["sandbox", "allowUnsandboxedCommands"], YES, UNBOXED),
    Row {
        rule: &AUTO_APPROVE,
        level: Level::Warning,
        ..bypass(CLAUDE, &["enableAllProjectMcpServers"], YES, ALL_SERVERS)
    },
    off(CLAUDE, &["disableAllHooks"], YES),
    wide(
        CLAUDE,
        &["permissions", "additionalDirectories"],
        ROOTS,
        "lets the agent change files outside of the repository: name the folders that it needs",
    ),
    wide(
        CODEX,
        &["sandbox_workspace_write", "network_access"],
        YES,
        "lets all commands in the sandbox reach the network: take it out",
    ),
    wide(
        CODEX,
        &["profiles", EACH, "sandbox_workspace_write", "network_access"],
        YES,
        "lets all commands in the sandbox reach the network: take it out",
    ),
    wide(
        CODEX,
        &["sandbox_workspace_write", "writable_roots"],
        ROOTS,
        "lets commands write far outside of the repository: name the folders that they need",
    ),
    bypass(GEMINI, &["approvalMode"], YOLO, EVERYTHING),
    bypass(GEMINI, &["tools", "approvalMode"], YOLO, EVERYTHING),
    bypass(GEMINI, &["general", "defaultApprovalMode"], YOLO, EVERYTHING),
    mild(bypass(GEMINI, &["autoAccept"], YES, "accepts calls of tools without a question: let users decide")),
    mild(bypass(GEMINI, &["tools", "autoAccept"], YES, "accepts calls of tools without a question: let users decide")),
    mild(bypass(GEMINI, &["tools", "sandbox"], NO, "switches the sandbox off: take it out")),
    mild(bypass(GEMINI, &["sandbox"], NO, "switches the sandbox off: take it out")),
    off(GEMINI, &["disableAllHooks"], YES),
    off(GEMINI, &["hooksConfig", "enabled"], NO),
    bypass(OPENCODE, &["permission"], ALLOW, EVERYTHING),
    bypass(OPENCODE, &["permission"], Test::AllowsAll, EVERYTHING),
    bypass(OPENCODE, &["permission", "bash"], ALLOW, COMMANDS),
    bypass(OPENCODE, &["permission", "bash"], Test::AllowsAll, COMMANDS),
    bypass(OPENCODE, &["agent", EACH, "permission"], ALLOW, EVERYTHING),
    bypass(OPENCODE, &["agent", EACH, "permission"], Test::AllowsAll, EVERYTHING),
    bypass(OPENCODE, &["agent", EACH, "permission", "bash"], ALLOW, COMMANDS),
    bypass(OPENCODE, &["agent", EACH, "permission", "bash"], Test::AllowsAll, COMMANDS),
    wide(
        OPENCODE,
        &["permission", "external_directory"],
        ALLOW,
        "lets the agent use files outside of the repository: ask for them",
    ),
    bypass(EDITOR, &["chat", "tools", "autoApprove"], YES, EVERYTHING),
    bypass(EDITOR, &["chat", "tools", "global", "autoApprove"], YES, EVERYTHING),
    bypass(EDITOR, &["chat", "tools", "terminal", "autoApprove"], Test::AllowsAll, COMMANDS),
    wide(
        EDITOR,
        &["chat", "tools", "edits", "autoApprove"],
        Test::AllowsAll,
        "lets the agent change every file without a question: name the files",
    ),
    wide(
        EDITOR,
        &["chat", "tools", "urls", "autoApprove"],
        Test::AllowsAll,
        "lets the agent fetch every address without a question: name the hosts",
    ),
    bypass(EDITOR, &["claudeCode", "allowDangerouslySkipPermissions"], YES, EVERYTHING),
    bypass(EDITOR, &["claudeCode", "initialPermissionMode"], Test::Text(&["bypassPermissions"]), EVERYTHING),
    bypass(EDITOR, &["geminicodeassist", "agentYoloMode"], YES, EVERYTHING),
    bypass(EDITOR, &["amp", "dangerouslyAllowAll"], YES, EVERYTHING),
    bypass(EDITOR, &["roo-cline", "allowedCommands"], STAR, COMMANDS),
    bypass(EDITOR, &["kilo-code", "allowedCommands"], STAR, COMMANDS),
    bypass(EDITOR, &["cline", "yoloModeToggled"], YES, EVERYTHING),
    bypass(WORKSPACE, &["settings", "chat", "tools", "autoApprove"], YES, EVERYTHING),
    bypass(WORKSPACE, &["settings", "chat", "tools", "global", "autoApprove"], YES, EVERYTHING),
    bypass(WORKSPACE, &["settings", "chat", "tools", "terminal", "autoApprove"], Test::AllowsAll, COMMANDS),
    bypass(WORKSPACE, &["settings", "amp", "dangerouslyAllowAll"], YES, EVERYTHING),
    bypass(WORKSPACE, &["settings", "claudeCode", "allowDangerouslySkipPermissions"], YES, EVERYTHING),
    bypass(DEVCONTAINER, &["customizations", "vscode", "settings", "chat", "tools", "autoApprove"], YES, EVERYTHING),
    bypass(
        DEVCONTAINER,
        &["customizations", "vscode", "settings", "chat", "tools", "global", "autoApprove"],
        YES,
        EVERYTHING,
    ),
    bypass(
        DEVCONTAINER,
        &["customizations", "vscode", "settings", "chat", "tools", "terminal", "autoApprove"],
        Test::AllowsAll,
        COMMANDS,
    ),
    bypass(
        DEVCONTAINER,
        &["customizations", "vscode", "settings", "claudeCode", "allowDangerouslySkipPermissions"],
        YES,
        EVERYTHING,
    ),
    bypass(AMP, &["amp", "dangerouslyAllowAll"], YES, EVERYTHING),
    bypass(ZED, &["agent", "always_allow_tool_actions"], YES, EVERYTHING),
    bypass(ZED, &["agent", "tool_permissions", "default"], ALLOW, EVERYTHING),
    bypass(ZED, &["agent", "tool_permissions", "tools", "terminal", "default"], ALLOW, COMMANDS),
    bypass(
        ROO,
        &["globalSettings", "alwaysAllowExecute"],
        YES,
        "lets the agent run commands without a question: let users decide",
    ),
    bypass(ROO, &["globalSettings", "yoloMode"], YES, EVERYTHING),
    bypass(ROO, &["globalSettings", "allowedCommands"], STAR, COMMANDS),
    bypass(DROID, &["autonomyLevel"], HIGH, EVERYTHING),
    bypass(DROID, &["sessionDefaultSettings", "autonomyLevel"], HIGH, EVERYTHING),
    bypass(DROID, &["commandAllowlist"], STAR, COMMANDS),
    bypass(CURSOR, &["terminalAllowlist"], STAR, COMMANDS),
    wide(
        CURSOR,
        &["mcpAllowlist"],
        Test::Has(&["*", "*:*"]),
        "lets the agent use every tool of every MCP server: name the tools",
    ),
    bypass(GOOSE, &["GOOSE_MODE"], Test::Text(&["auto"]), EVERYTHING),
    bypass(AIDER, &["yes-always"], YES, EVERYTHING),
    mild(bypass(AIDER, &["yes"], YES, EVERYTHING)),
    bypass(AGENTS, &["toolsSettings", EACH, "allowedCommands"], STAR, COMMANDS),
    off("**/.agent-strace.{yaml,yml}", &["fail_on"], Test::Text(&["never"])),
];

const DEVCONTAINER: &str = "**/{.devcontainer/**/devcontainer.json,.devcontainer.json}";
/// Folders that hold everybody's files.
const ROOTS: Test = Test::Has(&["/", "~", "~/", "$HOME", "${HOME}", "/home", "/Users", "/etc", "C:\\", "C:/"]);
