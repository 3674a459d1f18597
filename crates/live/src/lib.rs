//! Sessions that still run: what agents report to hooks, MCP traffic, and rules that stop a session.
//!
//! This crate must not start processes, open connections or print; the command line does. Start with [`hook_events`] (hook
//! calls to events), [`hook_install`] (agents' settings), [`proxy`] (MCP traffic to messages) and [`watch`] (rules for
//! running sessions).

pub mod hook_events;
pub mod hook_install;
pub mod proxy;
pub mod watch;
