//! The commands, as the types that parse them. What each of them takes stands with it.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::audit_tools::AuditToolsArgs;
use super::compare::{CompareArgs, DiffArgs, DriftArgs};
use super::completions::CompletionsArgs;
use super::deferred_args::DeferredArgs;
use super::doctor::DoctorArgs;
use super::effects::EffectsArgs;
use super::eval::EvalArgs;
use super::export::{ExportArgs, RevealArgs};
#[cfg(feature = "live")]
use super::gaps::GapsArgs;
pub(super) use super::gate_args::{AuditArgs, CheckArgs, GateArgs};
#[cfg(feature = "live")]
use super::hook::HookArgs;
use super::import::ImportArgs;
use super::init::InitArgs;
use super::inspect::InspectArgs;
use super::lint::LintArgs;
use super::list::ListArgs;
use super::man::ManArgs;
#[cfg(feature = "mcp")]
use super::mcp::McpArgs;
use super::measured::{CostArgs, StatsArgs, TokenBudgetArgs};
use super::policy::args::PolicyArgs;
#[cfg(feature = "live")]
use super::record::{RecordArgs, RecordHttpArgs};
use super::redact::RedactArgs;
use super::retention::RetentionArgs;
use super::rules::RulesArgs;
use super::schema::SchemaArgs;
pub(super) use super::session_filter::WantedArgs;
use super::session_view::{AnnotateArgs, ExplainArgs, ReplayArgs, ShowArgs, TimelineArgs, WhyArgs};
#[cfg(feature = "live")]
use super::setup::SetupArgs;
pub(super) use super::values::{FailOn, PlainFormat, format_parser, parse_now, parse_report};
#[cfg(feature = "live")]
use super::watch::{GuardArgs, WatchArgs};

/// The gate between AI coding agents and your main branch.
///
/// Reads what an agent did (session logs of any agent), works out every file, command, host and tool it touched, and
/// judges that by the policy you committed.
#[derive(Debug, Parser)]
#[command(
    name = "agent-strace",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = EXIT_CODES
)]
pub(super) struct Cli {
    /// The trace store.
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "AGENT_TRACE_DIR",
        hide_env_values = true,
        default_value = ".agent-traces"
    )]
    pub(super) trace_dir: PathBuf,

    #[command(subcommand)]
    pub(super) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes, the same in every format:
  0  everything in scope was read and judged, nothing at or above --fail-on
  1  findings at or above --fail-on
  2  could not judge: usage, configuration, policy, trust
  3  no such finding, but evidence is missing or incomplete";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Judge every session in scope: the command for CI.
    #[command(after_help = super::gate_args::EXAMPLES)]
    Check(DeferredArgs<CheckArgs>),
    /// List and judge every effect of one session (the latest) or all.
    #[command(after_help = super::gate_args::AUDIT_EXAMPLES)]
    Audit(DeferredArgs<AuditArgs>),
    /// Which AI tools, MCP servers and model endpoints are in repositories, approved or not.
    #[command(after_help = super::audit_tools::EXAMPLES)]
    AuditTools(DeferredArgs<Box<AuditToolsArgs>>),
    /// Score sessions by what you demand of them, and gate on it.
    #[command(after_help = super::eval::EXAMPLES)]
    Eval(DeferredArgs<Box<EvalArgs>>),
    /// Compare two sessions number by number, with a verdict.
    #[command(after_help = super::compare::EXAMPLES)]
    Compare(DeferredArgs<CompareArgs>),
    /// Show where two sessions part: phase by phase, or by what came of them.
    #[command(after_help = super::compare::DIFF_EXAMPLES)]
    Diff(DeferredArgs<DiffArgs>),
    /// Say whether agents behave otherwise than they did.
    #[command(after_help = super::compare::DRIFT_EXAMPLES)]
    Drift(DeferredArgs<DriftArgs>),
    /// Judge how an agent worked: loops, retries, blind edits, changes that nobody verified.
    #[command(after_help = super::lint::EXAMPLES)]
    Lint(DeferredArgs<LintArgs>),
    /// Show what the gate sees: the effects of sessions or of one command.
    #[command(after_help = super::effects::EXAMPLES)]
    Effects(DeferredArgs<EffectsArgs>),
    /// Show a session itself: its turns, steps and tools, and what it cost.
    #[command(after_help = super::inspect::EXAMPLES)]
    Inspect(DeferredArgs<InspectArgs>),
    /// What happened in a session, event by event, with what the gate says of it.
    #[command(after_help = super::session_view::REPLAY_EXAMPLES)]
    Replay(DeferredArgs<Box<ReplayArgs>>),
    /// What an agent did, phase by phase; or why the gate reports a finding, and what can be done.
    #[command(after_help = super::session_view::EXPLAIN_EXAMPLES)]
    Explain(DeferredArgs<Box<ExplainArgs>>),
    /// Why an event happened: back from it to the prompt.
    #[command(after_help = super::session_view::WHY_EXAMPLES)]
    Why(DeferredArgs<WhyArgs>),
    /// A session at a glance, a line for each phase.
    #[command(after_help = super::session_view::TIMELINE_EXAMPLES)]
    Timeline(DeferredArgs<TimelineArgs>),
    /// Note something at an event of a session in the store.
    #[command(after_help = super::session_view::ANNOTATE_EXAMPLES)]
    Annotate(DeferredArgs<Box<AnnotateArgs>>),
    /// Who ran a session, where and how, as its log says.
    #[command(after_help = super::session_view::SHOW_EXAMPLES)]
    Show(DeferredArgs<ShowArgs>),
    /// List the sessions in the store, or the logs of all agents on this machine.
    #[command(after_help = super::list::EXAMPLES)]
    List(DeferredArgs<ListArgs>),
    /// What sessions cost, phase by phase, and what was wasted.
    #[command(after_help = super::measured::COST_EXAMPLES)]
    Cost(DeferredArgs<CostArgs>),
    /// How full the model's context was, request by request.
    #[command(after_help = super::measured::TOKEN_BUDGET_EXAMPLES)]
    TokenBudget(DeferredArgs<TokenBudgetArgs>),
    /// What sessions add up to: calls, time, tokens, files, errors.
    #[command(after_help = super::measured::STATS_EXAMPLES)]
    Stats(DeferredArgs<StatsArgs>),
    #[cfg(feature = "live")]
    /// Tell agents to run `hook`: Claude Code, Codex, Gemini CLI, Cursor, Copilot.
    #[command(after_help = super::setup::EXAMPLES)]
    Setup(DeferredArgs<SetupArgs>),
    #[cfg(feature = "live")]
    /// What agents run at each step of a session: records it, and denies what the policy denies.
    #[command(after_help = super::hook::EXAMPLES)]
    Hook(DeferredArgs<HookArgs>),
    #[cfg(feature = "live")]
    /// Find calls that got past the hook: what ran, joined with what was decided.
    #[command(after_help = super::gaps::EXAMPLES)]
    Gaps(DeferredArgs<GapsArgs>),
    #[cfg(feature = "live")]
    /// Run an agent under limits: time, money, rules and the policy end or pause it.
    #[command(after_help = super::watch::GUARD_EXAMPLES)]
    Guard(DeferredArgs<Box<GuardArgs>>),
    #[cfg(feature = "live")]
    /// Follow a session while it is recorded, and tell, pause or end what breaks a rule.
    #[command(after_help = super::watch::EXAMPLES)]
    Watch(DeferredArgs<Box<WatchArgs>>),
    /// Write logs of any agent into the store.
    #[command(after_help = super::import::EXAMPLES)]
    Import(DeferredArgs<ImportArgs>),
    #[cfg(feature = "live")]
    /// Record what an agent and an MCP server say to each other, and pass it on as it is.
    #[command(after_help = super::record::EXAMPLES)]
    Record(DeferredArgs<RecordArgs>),
    #[cfg(feature = "live")]
    /// The same with a server that is spoken to by HTTP.
    #[command(after_help = super::record::HTTP_EXAMPLES)]
    RecordHttp(DeferredArgs<RecordHttpArgs>),
    /// Rewrite logs without what is private in them, or list where it is.
    #[command(after_help = super::redact::EXAMPLES)]
    Redact(DeferredArgs<RedactArgs>),
    /// Write a session as a document, without secrets and, with --anonymize, without who it is about.
    #[command(after_help = super::export::EXAMPLES)]
    Export(DeferredArgs<Box<ExportArgs>>),
    /// Put back what pseudonyms stand for, with the key they were made with.
    #[command(after_help = super::export::REVEAL_EXAMPLES)]
    Reveal(DeferredArgs<RevealArgs>),
    #[cfg(feature = "mcp")]
    /// Serve sessions and the policy to an agent, as tools of the Model Context Protocol.
    #[command(after_help = super::mcp::EXAMPLES)]
    Mcp(DeferredArgs<McpArgs>),
    /// Write a policy to start from.
    #[command(after_help = super::init::EXAMPLES)]
    Init(DeferredArgs<InitArgs>),
    /// Whether the gate in CI is in force, and what defeats it.
    #[command(after_help = super::doctor::EXAMPLES)]
    Doctor(DeferredArgs<DoctorArgs>),
    /// Work with a policy.
    Policy(DeferredArgs<PolicyArgs>),
    /// What the store keeps longer than it may, and its deletion.
    Retention(DeferredArgs<RetentionArgs>),
    /// List the rules, or show one.
    Rules(DeferredArgs<RulesArgs>),
    /// List the JSON Schemas of the files that are read and written, or print one.
    Schema(DeferredArgs<SchemaArgs>),
    /// Print the completions of a shell.
    #[command(after_help = super::completions::EXAMPLES)]
    Completions(DeferredArgs<CompletionsArgs>),
    /// Print the manual page of a command, or write those of all.
    #[command(after_help = super::man::EXAMPLES)]
    Man(DeferredArgs<ManArgs>),
}
