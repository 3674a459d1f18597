//! Copilot CLI: options of its command line, and the approvals that it saves.
//!
//! Read for this on 2026-12-01: "Configure GitHub Copilot CLI" and "Copilot CLI configuration directory reference" of GitHub's
//! documentation (docs.github.com/copilot/how-tos/copilot-cli) and threads of github/copilot-cli. What matters here:
//! - no file of a repository holds permissions. `--deny-tool` and `--allow-tool` of one start do: `shell(COMMAND)`,
//!   `shell(git push)`, `shell(git:*)`, `write`, `read`, `url(HOST)`, `SERVER(TOOL)` or `SERVER`; deny stands before all;
//! - `~/.copilot/permissions-config.json` keeps what users approved for a directory: it only allows, and the program manages
//!   it by itself. A deny that lasts is not to be had there;
//! - what neither names is asked about; reading in a trusted directory is not.

mod export;
mod import;

pub(super) use export::export;
pub(super) use import::read as import;
