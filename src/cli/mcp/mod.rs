//! `mcp`: the store and the policy as tools of the Model Context Protocol, over standard input and output.
//!
//! Tools only read: sessions of the store by their ids, never a path, and the policy of this directory. Everything that
//! they answer is redacted and bounded. What stands in sessions is data that agents recorded, and results say so.

mod diff;
mod lookup;
mod reply;
mod scope;
mod search;
mod server;
mod session;
mod sessions;
mod summary;
mod tool;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio;

use super::Streams;
use super::args::parse_now;
use super::environment::{Environment, Machine};
use super::failure::{Failure, reason};
use super::output;
use server::Server;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace mcp                                       serve the sessions and the policy of this directory
  agent-strace mcp --policy-ref origin/main              check_scope answers by the policy of the base branch
  agent-strace --trace-dir /srv/traces mcp

In .mcp.json or the settings of a client:
  {\"mcpServers\": {\"agent-strace\": {\"command\": \"agent-strace\", \"args\": [\"mcp\"]}}}

Tools: list_sessions, get_session, search_events, get_session_summary, diff_sessions read the store;
check_scope says whether the policy allows an act before it is done. Nothing is written, run or sent.";

#[derive(Debug, Args)]
pub(super) struct McpArgs {
    /// How clients talk to it.
    #[arg(long, value_name = "TRANSPORT", default_value = "stdio")]
    transport: Transport,

    /// The policy that `check_scope` answers by [default: .agent-scope.json].
    #[arg(long, value_name = "FILE")]
    policy: Option<String>,

    /// Read the policy from this git revision, not from disk.
    #[arg(long, value_name = "REV")]
    policy_ref: Option<String>,

    /// When acts are judged: exceptions are held against its day in UTC [default: the clock, at each call].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    now: Option<jiff::Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// Standard input and output: the client starts this command.
    Stdio,
}

/// The store and the policy that the tools read.
#[derive(Debug)]
pub(super) struct ServerContext {
    trace_dir: PathBuf,
    policy: Option<String>,
    policy_ref: Option<String>,
    now: Option<jiff::Timestamp>,
}

impl ServerContext {
    /// Runs a tool in an environment of now: a server may run for days.
    fn with<T>(&self, run: impl FnOnce(Environment<'_>) -> T) -> T {
        let mut machine = Machine::of_process();
        machine.now = self.now.unwrap_or(machine.now);
        run(Environment::default().on(&machine))
    }
}

/// Serves until the client closes standard input.
pub(super) fn run(
    trace_dir: &Path,
    args: &McpArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let Transport::Stdio = args.transport;
    if environment.interactive {
        output::note(streams.stderr, "note: an MCP client starts this command and talks to it here; Ctrl-D ends it");
    }
    let context = ServerContext {
        trace_dir: trace_dir.to_owned(),
        policy: args.policy.clone(),
        policy_ref: args.policy_ref.clone(),
        now: args.now,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(format!("the server can't be started: {}", reason(&error))))?;
    let served = runtime.block_on(async {
        match Server::new(Arc::new(context)).serve(stdio()).await {
            Ok(service) => service.waiting().await.is_ok(),
            // A client disconnected before it initialized.
            Err(ServerInitializeError::ConnectionClosed(_)) => true,
            Err(_) => false,
        }
    });
    // A read of standard input can't be called back, and nobody waits for it.
    runtime.shutdown_background();
    if served {
        return Ok(0);
    }
    Err(Failure::new("what talks to this command does not begin as the Model Context Protocol does")
        .hint("an MCP client starts it: `{\"command\": \"agent-strace\", \"args\": [\"mcp\"]}`"))
}
