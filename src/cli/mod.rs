//! Arguments, files, exit codes. The only module that prints.

mod args;
mod audit_tools;
mod baseline;
mod called_with;
mod committed;
mod compare;
mod completions;
mod configuration;
mod deferred_args;
mod demands;
mod doctor;
mod effects;
mod environment;
mod eval;
mod export;
mod failure;
mod features;
#[cfg(feature = "live")]
mod gaps;
mod gate;
mod gate_args;
#[cfg(feature = "live")]
mod guard;
#[cfg(feature = "live")]
mod hook;
mod hooks;
#[cfg(any(feature = "live", feature = "telemetry"))]
mod http;
mod import;
mod init;
mod inspect;
mod judge;
mod judge_config;
mod lint;
mod list;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod measured;
mod onboarding;
mod output;
#[cfg(feature = "live")]
mod own_places;
mod pipeline;
mod policy;
mod policy_file;
#[cfg(feature = "live")]
mod processes;
mod progress;
#[cfg(feature = "live")]
mod record;
#[cfg(feature = "live")]
mod recording;
mod redact;
mod repeats;
mod reread;
mod retention;
mod rules;
mod schema;
mod session_filter;
mod session_view;
#[cfg(feature = "live")]
mod setup;
mod since;
mod staged;
mod targets;
mod trust;
mod usage;
mod values;
#[cfg(feature = "live")]
mod watch;
mod work_tree;

use std::ffi::OsString;
use std::io::{Read, Write};

use clap::Parser;

use args::{Cli, Command};
pub use environment::{Environment, Machine};
use failure::Failure;

/// The three streams of a command.
pub(crate) struct Streams<'a> {
    pub(crate) stdin: &'a mut dyn Read,
    pub(crate) stdout: &'a mut dyn Write,
    pub(crate) stderr: &'a mut dyn Write,
}

pub(crate) fn run(args: impl IntoIterator<Item = OsString>, environment: Environment, mut streams: Streams<'_>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return usage::answer(&error, &args, environment, &mut streams),
    };
    match dispatch(&cli, environment, &mut streams) {
        Ok(code) => code,
        Err(failure) => failure.report(streams.stderr),
    }
}

fn dispatch(cli: &Cli, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    match &cli.command {
        Command::Cost(args) => measured::cost(&cli.trace_dir, args, environment, streams),
        Command::TokenBudget(args) => measured::token_budget(&cli.trace_dir, args, environment, streams),
        Command::Stats(args) => measured::stats(&cli.trace_dir, args, environment, streams),
        Command::Check(args) => gate::check(&cli.trace_dir, args, environment, streams),
        Command::Audit(args) => gate::audit(&cli.trace_dir, args, environment, streams),
        Command::AuditTools(args) => audit_tools::run(args, environment, streams),
        Command::Eval(args) => eval::run(&cli.trace_dir, args, environment, streams),
        Command::Compare(args) => compare::compare(&cli.trace_dir, args, environment, streams),
        Command::Diff(args) => compare::diff(&cli.trace_dir, args, environment, streams),
        Command::Doctor(args) => doctor::run(&cli.trace_dir, args, environment, streams),
        Command::Drift(args) => compare::drift(&cli.trace_dir, args, environment, streams),
        Command::Effects(args) => effects::run(&cli.trace_dir, args, environment, streams),
        #[cfg(feature = "live")]
        Command::Gaps(args) => gaps::run(&cli.trace_dir, args, environment, streams),
        #[cfg(feature = "live")]
        Command::Guard(args) => guard::run(&cli.trace_dir, args, environment, streams),
        #[cfg(feature = "live")]
        Command::Hook(args) => hook::run(&cli.trace_dir, args, environment, streams),
        Command::Import(args) => import::run(&cli.trace_dir, args, environment, streams),
        Command::Init(args) => init::run(args, environment, streams),
        Command::Inspect(args) => inspect::run(&cli.trace_dir, args, environment, streams),
        Command::Lint(args) => lint::run(&cli.trace_dir, args, environment, streams),
        Command::List(args) => list::run(&cli.trace_dir, args, environment, streams),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => mcp::run(&cli.trace_dir, args, environment, streams),
        Command::Policy(args) => policy::run(&cli.trace_dir, args, environment, streams),
        Command::Export(args) => export::run(&cli.trace_dir, args, environment, streams),
        Command::Reveal(args) => export::reveal(args, streams),
        #[cfg(feature = "live")]
        Command::Record(args) => record::record(&cli.trace_dir, args, environment, streams),
        #[cfg(feature = "live")]
        Command::RecordHttp(args) => record::record_http(&cli.trace_dir, args, environment, streams),
        Command::Redact(args) => redact::run(&cli.trace_dir, args, environment, streams),
        Command::Why(args) => session_view::why(&cli.trace_dir, args, environment, streams),
        Command::Timeline(args) => session_view::timeline(&cli.trace_dir, args, environment, streams),
        Command::Annotate(args) => session_view::annotate(&cli.trace_dir, args, environment, streams),
        Command::Show(args) => session_view::show(&cli.trace_dir, args, environment, streams),
        Command::Explain(args) => session_view::explain(&cli.trace_dir, args, environment, streams),
        Command::Replay(args) => session_view::replay(&cli.trace_dir, args, environment, streams),
        Command::Retention(args) => retention::run(&cli.trace_dir, args, environment, streams),
        Command::Rules(args) => rules::run(args, streams),
        #[cfg(feature = "live")]
        Command::Setup(args) => setup::run(args, environment, streams),
        Command::Schema(args) => schema::run(args, streams),
        Command::Completions(args) => completions::run(args, streams),
        #[cfg(feature = "live")]
        Command::Watch(args) => watch::run(&cli.trace_dir, args, environment, streams),
        Command::Man(args) => man::run(args, streams),
    }
}
