//! What a repository gives away about the AI tools that work in it, and the servers and hosts they talk to.
//!
//! Everything is read from git objects and, where there is one, the work tree. Nothing is started, fetched or executed.
//! Which tool leaves which traces is data ([`mod@tables`]); what is wrong with what is there are rules, whose text is in
//! `crates/rules/specs/repo-*.md`.

mod approval;
mod commits;
mod contents;
mod document;
mod endpoints;
mod file;
mod front_matter;
mod hit;
mod hosts;
mod judge;
mod launch;
mod lookup;
mod mcp;
mod poison;
mod private;
mod repository;
mod settings;
mod shown;
mod tables;
#[cfg(test)]
mod tests;
mod traces;
mod worktree;

pub use approval::{ApprovalError, Approvals, Wrong};
pub use commits::{Mark, marks};
pub use document::{Document, Fault, Language, items, member, members, text};
pub(crate) use front_matter::of as front_matter;
pub use hit::{Location, Origin, RepositoryHit};
pub(crate) use launch::{commands, program};
pub(crate) use lookup::compiled as compiled_globs;
pub use mcp::{Pin, Transport, label as server_label, offered};
pub use repository::{Declared, Located, RepositoryAudit, Settings, audit_repository};
pub(crate) use settings::gate::{calls as gate_calls, is_action as is_gate_action};
pub use tables::tables;
pub use traces::{Detected, Evidence};
