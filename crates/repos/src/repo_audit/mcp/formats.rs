//! Which files have MCP servers in them, of which tool, and where. A new format is a row.

use std::sync::LazyLock;

use crate::repo_audit::lookup::{EACH, Paths};

/// Files of one format, and where in them servers stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Format {
    /// Over the path in the repository.
    pub(super) glob: &'static str,
    /// The id of the tool.
    pub(super) tool: &'static str,
    /// A map or a list of servers is at the end of these.
    pub(super) keys: &'static [&'static str],
    pub(super) dialect: Dialect,
    pub(super) kind: Kind,
}

/// What a server's entry means where its own words leave it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Common,
    /// `url` is a stream of events; `httpUrl` is not.
    Gemini,
    /// Extensions, of which some are servers.
    Goose,
    /// Addresses of streams of events.
    Events,
    /// Tools of a workflow, of which those with a program, an image or an address are servers.
    Workflow,
}

/// What the file is beside that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Of servers and nothing else: one that has none of the keys is not understood.
    Own,
    /// Settings of the tool, which may have servers among them.
    Settings,
    /// Only a file with this text is of the format: its name is one that others have, too.
    If(&'static str),
}

const MCP_SERVERS: &[&str] = &["mcpServers"];

const fn own(tool: &'static str, glob: &'static str) -> Format {
    Format { glob, tool, keys: MCP_SERVERS, dialect: Dialect::Common, kind: Kind::Own }
}

const fn settings(tool: &'static str, glob: &'static str, keys: &'static [&'static str]) -> Format {
    Format { glob, tool, keys, dialect: Dialect::Common, kind: Kind::Settings }
}

const fn with(format: Format, dialect: Dialect) -> Format {
    Format { dialect, ..format }
}

const fn only_if(format: Format, text: &'static str) -> Format {
    Format { kind: Kind::If(text), ..format }
}

const fn at(format: Format, keys: &'static [&'static str]) -> Format {
    Format { keys, ..format }
}

pub(super) static FORMATS: &[Format] = &[
    // Before the row of all files of its name: the first row that finds an entry says whose it is.
    own("warp", "**/.warp/.mcp.json"),
    own("claude-code", "**/.mcp.json"),
    // Visual Studio reads the same file with the key of its sister.
    at(own("claude-code", "**/.mcp.json"), &["servers"]),
    settings("claude-code", "**/.claude/settings*.json", MCP_SERVERS),
    settings("claude-code", "**/.claude.json", MCP_SERVERS),
    settings("claude-code", "**/.claude.json", &["projects", EACH, "mcpServers"]),
    settings("claude-code", "**/.claude-plugin/plugin.json", MCP_SERVERS),
    only_if(settings("claude-code", "**/.claude/agents/**/*.md", MCP_SERVERS), "mcpServers"),
    own("claude-desktop", "**/claude_desktop_config.json"),
    own("cursor", "**/.cursor/mcp.json"),
    at(own("copilot", "**/.vscode/mcp.json"), &["servers"]),
    own("copilot", "**/.vscode/mcp.json"),
    at(own("copilot", "**/.vs/mcp.json"), &["servers"]),
    only_if(settings("copilot", "**/.vscode/settings.json", &["mcp", "servers"]), "mcp"),
    only_if(settings("copilot", "**/*.code-workspace", &["settings", "mcp", "servers"]), "mcp"),
    only_if(settings("copilot", DEVCONTAINER, &["customizations", "vscode", "mcp", "servers"]), "mcp"),
    only_if(settings("copilot", DEVCONTAINER, &["customizations", "vscode", "settings", "mcp", "servers"]), "mcp"),
    own("copilot", "**/.github/mcp.json"),
    at(own("copilot", "**/.github/mcp.json"), &["servers"]),
    own("copilot", "**/.copilot/mcp-config.json"),
    only_if(settings("copilot", "**/.github/agents/*.md", &["mcp-servers"]), "mcp-servers"),
    only_if(settings("gh-aw", "**/.github/workflows/**/*.md", &["mcp-servers"]), "mcp-servers"),
    with(only_if(settings("gh-aw", "**/.github/workflows/**/*.md", &["tools"]), "tools:"), Dialect::Workflow),
    with(settings("gemini-cli", "**/.gemini/settings.json", MCP_SERVERS), Dialect::Gemini),
    with(settings("gemini-cli", "**/gemini-extension.json", MCP_SERVERS), Dialect::Gemini),
    with(settings("qwen-code", "**/.qwen/settings.json", MCP_SERVERS), Dialect::Gemini),
    with(settings("qwen-code", "**/qwen-extension.json", MCP_SERVERS), Dialect::Gemini),
    settings("codex", "**/.codex/config.toml", &["mcp_servers"]),
    settings("codex", "**/.codex/config.toml", &["profiles", EACH, "mcp_servers"]),
    settings("opencode", "**/opencode.{json,jsonc}", &["mcp"]),
    settings("opencode", "**/.opencode/{opencode,config}.{json,jsonc}", &["mcp"]),
    own("windsurf", "**/{.windsurf,.codeium,.codeium/windsurf}/mcp_config.json"),
    own("windsurf", "**/.windsurf/mcp.json"),
    own("antigravity", "**/{.antigravity,.gemini/antigravity}/mcp_config.json"),
    own("cline", "**/cline_mcp_settings.json"),
    own("cline", "**/.cline/mcp*.json"),
    own("roo-code", "**/.roo/mcp.json"),
    own("roo-code", "**/mcp_settings.json"),
    own("kilo-code", "**/.kilocode/mcp.json"),
    settings("kilo-code", "**/{kilo,.kilo/kilo}.{json,jsonc}", &["mcp"]),
    settings("continue", "**/.continue/{config,config.local}.{yaml,yml}", MCP_SERVERS),
    settings("continue", "**/.continue/config.json", MCP_SERVERS),
    settings("continue", "**/.continue/config.json", &["experimental", "modelContextProtocolServers"]),
    settings("continue", "**/.continue/{mcpServers,agents,assistants}/*.{yaml,yml,json}", MCP_SERVERS),
    settings("amp", "**/.amp/settings.{json,jsonc}", &["amp", "mcpServers"]),
    only_if(settings("amp", "**/.vscode/settings.json", &["amp", "mcpServers"]), "amp.mcpServers"),
    with(settings("goose", "**/{goose,.goose}/config.yaml", &["extensions"]), Dialect::Goose),
    with(only_if(settings("goose", GOOSE_RECIPES, &["extensions"]), "extensions:"), Dialect::Goose),
    own("kiro", "**/.kiro/settings/mcp.json"),
    settings("kiro", "**/.kiro/agents/*.json", MCP_SERVERS),
    own("amazon-q", "**/.amazonq/{mcp,default}.json"),
    settings("amazon-q", "**/.amazonq/{cli-agents,agents}/*.json", MCP_SERVERS),
    own("junie", "**/.junie/mcp/*.json"),
    settings("augment", "**/.augment/settings*.json", MCP_SERVERS),
    settings("zed", "**/.zed/settings.json", &["context_servers"]),
    own("droid", "**/.factory/mcp.json"),
    own("trae", "**/.trae/mcp.json"),
    settings("crush", "**/{crush,.crush}.json", &["mcp"]),
    with(settings("openhands", OPENHANDS, &["mcp", "sse_servers"]), Dialect::Events),
    settings("openhands", OPENHANDS, &["mcp", "shttp_servers"]),
    settings("openhands", OPENHANDS, &["mcp", "stdio_servers"]),
    own("lm-studio", "**/.lmstudio/mcp.json"),
    settings("librechat", "**/librechat.{yaml,yml}", MCP_SERVERS),
    only_if(own("mcp", "**/mcp.json"), "mcpServers"),
    only_if(at(own("mcp", "**/mcp.json"), &["servers"]), "servers"),
    only_if(own("mcp", "**/{mcp-config,mcp_config,mcp_servers,mcp-servers,mcp.config}.json"), "mcpServers"),
];

const DEVCONTAINER: &str = "**/{.devcontainer/**/devcontainer.json,.devcontainer.json}";
const GOOSE_RECIPES: &str = "**/{recipe,recipes/**/*,.goose/**/*}.{yaml,yml}";
const OPENHANDS: &str = "**/.openhands/**/config.toml";

/// What a server says of itself, for registries.
pub(super) const REGISTRY: &str = "**/server.json";
/// The same, for another registry.
pub(super) const SMITHERY: &str = "**/smithery.{yaml,yml}";

static PATHS: LazyLock<Paths> = LazyLock::new(|| Paths::new(globs()));

pub(super) fn globs() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|format| format.glob).chain([REGISTRY, SMITHERY])
}

/// All rows that speak of a file; those of its own name before those of a name that many have.
pub(super) fn of(path: &str) -> Vec<&'static Format> {
    let found: Vec<&Format> = PATHS.matching(path).into_iter().filter_map(|at| FORMATS.get(at)).collect();
    let tool = found.iter().find(|format| format.tool != "mcp").map(|format| format.tool);
    found.into_iter().filter(|format| format.tool != "mcp" || tool.is_none()).collect()
}

pub(super) fn is_known(path: &str) -> bool {
    PATHS.matches(path)
}

/// Which of the two descriptions a file is.
pub(super) fn described(path: &str) -> Option<&'static str> {
    let first = FORMATS.len();
    PATHS.matching(path).into_iter().find_map(|at| [REGISTRY, SMITHERY].get(at.checked_sub(first)?).copied())
}
