//! The keys of each object: the one source for reading, suggestions and the published schema.

/// Of version 1.
pub(crate) const ROOT: &[&str] =
    &["$schema", "version", "files", "commands", "network", "programs", "evidence", "sessions"];
pub(crate) const FILES: &[&str] = &["read", "write"];
pub(crate) const PAIR: &[&str] = &["allow", "deny"];
pub(crate) const NETWORK: &[&str] = &["deny_all", "allow"];

/// Of version 2.
pub(crate) const ROOT_V2: &[&str] = &[
    "$schema",
    "version",
    "extends",
    "defaults",
    "labels",
    "files",
    "commands",
    "network",
    "mcp",
    "env",
    "agents",
    "budgets",
    "sequences",
    "rules",
    "exceptions",
    "tests",
    "provenance",
    "programs",
    "evidence",
    "sessions",
];
pub(crate) const FILES_V2: &[&str] = &["read", "write", "delete"];
pub(crate) const PAIR_V2: &[&str] = &["allow", "deny", "ask"];
pub(crate) const NETWORK_V2: &[&str] = &["deny_all", "allow", "deny", "ask"];
pub(crate) const MCP: &[&str] = &["default", "servers"];
/// Of one server.
pub(crate) const SERVER: &[&str] = PAIR_V2;
pub(crate) const RULE: &[&str] = &["id", "effect", "severity", "owner", "reason", "match", "examples"];
pub(crate) const MATCH: &[&str] = &["exec", "read", "write", "delete", "list", "net", "mcp", "spawn", "env"];
pub(crate) const EXEC: &[&str] = &["program", "subcommand", "any_flag", "all_flags", "only_flags", "operands"];
/// Of an entry of `commands.allow` that is an object.
pub(crate) const COMMAND_ENTRY: &[&str] = &["command", "even_if_changed"];
pub(crate) const TOOLS: &[&str] = &["server", "tools"];
pub(crate) const EXAMPLES: &[&str] = &["match", "not_match"];
/// The level of hidden acts, with the reason.
pub(crate) const HIDDEN: &[&str] = &["level", "reason"];
pub(crate) const DEFAULTS: &[&str] = &["decision", "unresolved", "unknown_tool"];
