//! Cursor: the `permissions` of `.cursor/cli.json` and `~/.cursor/cli-config.json`, and the lists of `permissions.json`.
//!
//! Read for this on 2026-12-01: "Permissions", "Configuration" and "permissions.json reference" of its documentation
//! (cursor.com/docs/cli/reference/permissions, …/configuration, cursor.com/docs/reference/permissions). What matters here:
//! - a token is `Shell(…)`, `Read(…)`, `Write(…)`, `WebFetch(…)` or `Mcp(server:tool)`; deny stands before allow, and what
//!   neither names is asked about;
//! - `Shell(git)` is every command whose first word is `git`; `Shell(npm:run *)` compares the arguments, too;
//! - `*`, `**` and `?` are wildcards; a relative path counts from the workspace, an absolute one from the machine's root;
//! - in a project's file only permissions count; `terminalAllowlist` and `mcpAllowlist` of `permissions.json` only allow.
//!
//! The program is closed, so that this is all that is known: where it is silent, a deny is read as wide and an allow as narrow
//! as its words let it be.

mod export;
mod import;

pub(super) use export::export;
pub(super) use import::read as import;
