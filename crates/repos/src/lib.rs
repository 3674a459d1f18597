//! Audits of repositories: which AI tools, MCP servers and endpoints they use ([`repo_audit`]), how their CI runs the
//! gate ([`doctor`]), and which files of CI are the gate ([`pipelines`]).
//!
//! Everything is read from git objects and, where there is one, the work tree; nothing is started or fetched. This crate
//! must not know formats of logs or of reports: sessions come to it as they were read. Start with [`repo_audit`].

pub mod doctor;
pub mod pipelines;
pub mod repo_audit;
