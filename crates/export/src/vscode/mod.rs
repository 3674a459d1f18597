//! Copilot in VS Code: what `settings.json` approves.
//!
//! Read for this on 2026-12-01: "Manage approvals and permissions" of the VS Code documentation
//! (code.visualstudio.com/docs/agents/run/approvals) and `commandLineAutoApprover.ts` of microsoft/vscode. What matters here:
//! - `chat.tools.terminal.autoApprove` maps a command, or `/an expression/`, to `true` (it runs), `false` (the user is asked)
//!   or `null`; `{"approve": …, "matchCommandLine": true}` compares the whole line. A line is taken apart, each command has to
//!   be approved, and `false` stands before `true`. Nothing is ever denied;
//! - an assignment in front of a command, and a write to a file outside of the workspace, are asked about;
//! - `chat.tools.edits.autoApprove` maps patterns of files, the last that matches decides, and edits run without one but for
//!   settings of the editor and git's own files;
//! - `chat.tools.urls.autoApprove` maps addresses;
//! - `chat.tools.global.autoApprove`, and `chat.permissions.default` as `autoApprove` or `autopilot`, let everything run.

mod export;
mod import;

pub(super) use export::export;
pub(super) use import::read as import;
