//! Runners and tools of which several stand for the others. Data, no judgement.

/// Runners of a repository's own scripts. A policy made from two of the scripts allows the runner's other scripts.
pub(super) const RUNNERS: &[&str] = &["bun run", "deno task", "mise run", "npm run", "pnpm run", "yarn run"];

/// Patterns for the names of an MCP server's tools that only return data.
pub(super) const SHOWING: &[&str] = &["get_*", "list_*", "read_*", "search_*"];
