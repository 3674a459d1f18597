//! The keys of each object: the one source for reading, suggestions and the published schema.

/// Of version 1.
pub(in crate::policy) const ROOT: &[&str] =
    &["$schema", "version", "files", "commands", "network", "programs", "evidence", "sessions"];
pub(in crate::policy) const FILES: &[&str] = &["read", "write"];
pub(in crate::policy) const PAIR: &[&str] = &["allow", "deny"];
pub(in crate::policy) const NETWORK: &[&str] = &["deny_all", "allow"];

/// Of version 2.
pub(in crate::policy) const ROOT_V2: &[&str] = &[
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
pub(in crate::policy) const FILES_V2: &[&str] = &["read", "write", "delete"];
pub(in crate::policy) const PAIR_V2: &[&str] = &["allow", "deny", "ask"];
pub(in crate::policy) const NETWORK_V2: &[&str] = &["deny_all", "allow", "deny", "ask"];
pub(in crate::policy) const MCP: &[&str] = &["default", "servers"];
/// Of one server.
pub(in crate::policy) const SERVER: &[&str] = PAIR_V2;
pub(in crate::policy) const RULE: &[&str] = &["id", "effect", "severity", "owner", "reason", "match", "examples"];
pub(in crate::policy) const MATCH: &[&str] = &["exec", "read", "write", "delete", "list", "net", "mcp", "spawn", "env"];
pub(in crate::policy) const EXEC: &[&str] =
    &["program", "subcommand", "any_flag", "all_flags", "only_flags", "operands"];
pub(in crate::policy) const TOOLS: &[&str] = &["server", "tools"];
pub(in crate::policy) const EXAMPLES: &[&str] = &["match", "not_match"];
pub(in crate::policy) const DEFAULTS: &[&str] = &["decision", "unresolved", "unknown_tool"];
