//! The one integration binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails loudly, and says what it skips"
)]

mod about;
mod across_logs;
mod asked_for;
mod assembly;
mod audit_tools;
mod bad_input;
mod behaviour;
mod bootstrap;
mod carriers;
mod cases;
mod cli;
mod clients;
mod committed_links;
mod compare_doubts;
mod corpus;
mod credentials;
mod differential;
mod doctor;
mod eval_doubts;
mod eval_files;
mod eval_world;
mod explained;
mod export;
mod exports;
mod first_hour;
mod fleet;
mod generate;
#[cfg(unix)]
mod guard;
mod hook_policies;
mod hostile;
mod html;
mod identity;
mod leaks;
mod lint_doubts;
mod live;
mod made_commits;
mod many;
mod mcp;
mod oracle;
mod origins;
mod packaging;
mod peer_defects;
mod peer_evals;
mod peer_lints;
mod peer_reads;
mod private_data;
mod proposed;
mod readme;
// Its servers are scripts for a shell.
#[cfg(unix)]
mod record;
mod redact;
mod repeats;
mod replay_pages;
mod reports;
mod repository;
mod retention;
mod roots;
mod sarif;
/// The program's own check of what it writes.
#[path = "../../crates/report/src/sarif/check.rs"]
mod sarif_check;
mod schemas;
mod settled_by_change;
mod shared_base;
mod shipped;
mod sources;
mod spelled;
mod subfolders;
mod telemetry;
mod tracked_lines;
mod triage;
mod trust;
mod usage_doubts;
mod work_tree;
mod world;
