//! OpenCode: the `permission` of `opencode.json`.
//!
//! Read for this on 2026-12-01: "Permissions" of its documentation (opencode.ai/docs/permissions),
//! `packages/opencode/src/permission/{index,evaluate}.ts` and `util/wildcard.ts` of anomalyco/opencode, and what `opencode
//! debug agent build` of 1.18.33 prints. What matters here:
//! - a rule is a permission, a pattern and an action; the **last** rule that matches decides, in the order of the file;
//! - what no rule names is allowed, but for directories outside of the work tree and files of variables (`*.env`,
//!   `*.env.*`), which are asked about;
//! - `*` is any text, also across directories, `?` one character, and ` *` at the end also nothing; `~/` is home;
//! - a text of commands is taken apart, and each command is compared by itself; `read` and `edit` compare paths from the
//!   top of the work tree, `webfetch` and
//!   `websearch` have one action for all (1.18.33 refuses patterns there), and MCP tools are permissions by the name `server_tool`;
//! - an agent of the configuration may have permissions of its own, which stand behind those of all.

mod export;
mod import;

pub(super) use export::export;
pub(super) use import::read as import;
