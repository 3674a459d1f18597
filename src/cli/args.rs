//! The command line as clap types, nothing else.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::audit_tools::AuditToolsArgs;
use super::compare::{CompareArgs, DiffArgs, DriftArgs};
use super::completions::CompletionsArgs;
use super::doctor::DoctorArgs;
use super::eval::EvalArgs;
use super::export::{ExportArgs, RevealArgs};
use super::gaps::GapsArgs;
use super::hook::HookArgs;
use super::init::InitArgs;
use super::later::Later;
use super::lint::LintArgs;
use super::man::ManArgs;
use super::mcp::McpArgs;
use super::measured::{CostArgs, StatsArgs, TokenBudgetArgs};
use super::policy::args::PolicyArgs;
use super::record::{RecordArgs, RecordHttpArgs};
use super::recording::EnforceArgs;
use super::redact::RedactArgs;
use super::retention::RetentionArgs;
use super::setup::SetupArgs;
use super::since::{self, Since};
use super::triage::{AnnotateArgs, ExplainArgs, ReplayArgs, ShowArgs, TimelineArgs, WhyArgs};
pub(super) use super::values::{FailOn, FormatName, PlainFormat, SourceName, parse_now, parse_report};
use super::watch::{GuardArgs, WatchArgs};

/// The gate between AI coding agents and your main branch.
///
/// Reads what an agent did (session logs of any agent), works out every file, command, host and tool it touched, and
/// judges that by the scope you committed.
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

const CHECK_EXAMPLES: &str = "\
A SESSION may also be
  an archive (.zip, .tar, .tar.gz, …)   every log in it; logs may be compressed (.gz, .zst) anywhere
  git:REV[:PATH]                        logs in a revision of this repository
  entire                                all checkpoints of Entire in this repository
  entire:A..B                           those that commits of a range name (`Entire-Checkpoint`)
  entire:ID, entire:REV                 one checkpoint; a branch or reference with checkpoints
Logs that are really called so are ./entire and ./git:x.

Examples:
  agent-strace check                                     every session in the store
  agent-strace check logs/ --policy .agent-scope.json    every log in a folder, of any agent
  agent-strace check artifact.zip                        every log in an artifact of CI
  agent-strace check entire:origin/main..HEAD            the sessions behind a pull request
  agent-strace check --policy-ref origin/main            by the policy of the base branch
  agent-strace check --report sarif=gate.sarif --report markdown=summary.md";

const AUDIT_EXAMPLES: &str = "\
Examples:
  agent-strace audit                  the latest session in the store
  agent-strace audit abc123           by an unambiguous prefix of its id
  agent-strace audit --all            every session
  agent-strace audit ~/.codex/sessions/2026/11/21/rollout-x.jsonl

Without a policy file, built-in rules and sensitive files are judged, and every effect is listed.
Where the environment variable CI is set, a missing policy file is an error (exit code 2)
unless --allow-no-policy is given.";

const EFFECTS_EXAMPLES: &str = "\
Examples:
  agent-strace effects --command 'cat src/a.py > b; curl -s https://example.com | sh'
  agent-strace effects --command 'bash -c \"rm -rf ~\"' --policy .agent-scope.json
  agent-strace effects abc123 --format json

Each effect of a command stands below the piece of the text that caused it. Where a policy
judges, each line carries its answer. The exit code stays 0 unless --policy, --policy-ref or
--fail-on asks for an answer: then it is 1 if the command is refused, 3 if evidence is missing.
In JSON, `span` is a piece of the command text in bytes, and `parent` the place of the command
that caused the effect, from 0, among the effects of the event.";

const LIST_EXAMPLES: &str = "\
Examples:
  agent-strace list                                      the sessions in the store, newest first
  agent-strace list --tree                               with the sub-agents below who started them
  agent-strace list --discover --since 7d                what agents logged on this machine this week
  agent-strace list --discover --agent codex --project . --format json

The exit code is 3 when something could not be read.";

const IMPORT_EXAMPLES: &str = "\
Examples:
  agent-strace import ~/.claude/projects/-home-dana-rates/7c9e02b6.jsonl
  agent-strace import logs/ --redact                     every log in a folder, without the secrets in it
  agent-strace import --discover                         list what could be imported from this machine
  agent-strace import --discover --all --project . --since 2w

Importing again changes nothing; a log that has grown updates its session. Two logs with the same
session id become two sessions, and what was recorded otherwise is never touched. What could not
be read of a log stays missing in the session, and the exit code is 3; a log that holds no session
at all is not imported.";

const INSPECT_EXAMPLES: &str = "\
Examples:
  agent-strace inspect                                   the events of the latest session in the store
  agent-strace inspect --view turns rollout-x.jsonl      turns, steps and tools, for people
  agent-strace inspect --view session rollout-x.jsonl    as one JSON document, of any agent
  agent-strace inspect --view session --billing abc123   with what every answer of the model cost
  agent-strace inspect --view session ~/.claude/projects/app   with sub-agents behind their session

`--view session` prints the document that agtrace's engine builds, byte for byte: a conversation
is one object, several are a list, each behind the one that started it (`spawned_by`). Its token
counts tell the size of the conversation; what was paid is in `billing`. A log that could not be
read whole adds `evidence` and ends with exit code 3.
Texts of the log stand in JSON as they were recorded, secrets included; `turns` redacts them.";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Judge every session in scope: the command for CI.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Later<CheckArgs>),
    /// List and judge every effect of one session (the latest) or all.
    #[command(after_help = AUDIT_EXAMPLES)]
    Audit(Later<AuditArgs>),
    /// Which AI tools, MCP servers and model endpoints are in repositories, approved or not.
    #[command(after_help = super::audit_tools::EXAMPLES)]
    AuditTools(Later<Box<AuditToolsArgs>>),
    /// Score sessions by what you demand of them, and gate on it.
    #[command(after_help = super::eval::EXAMPLES)]
    Eval(Later<Box<EvalArgs>>),
    /// Compare two sessions number by number, with a verdict.
    #[command(after_help = super::compare::EXAMPLES)]
    Compare(Later<CompareArgs>),
    /// Show where two sessions part: phase by phase, or by what came of them.
    #[command(after_help = super::compare::DIFF_EXAMPLES)]
    Diff(Later<DiffArgs>),
    /// Say whether agents behave otherwise than they did.
    #[command(after_help = super::compare::DRIFT_EXAMPLES)]
    Drift(Later<DriftArgs>),
    /// Judge how an agent worked: loops, retries, blind edits, changes that nobody verified.
    #[command(after_help = super::lint::EXAMPLES)]
    Lint(Later<LintArgs>),
    /// Show what the gate sees: the effects of sessions or of one command.
    #[command(after_help = EFFECTS_EXAMPLES)]
    Effects(Later<EffectsArgs>),
    /// Show a session itself: its turns, steps and tools, and what it cost.
    #[command(after_help = INSPECT_EXAMPLES)]
    Inspect(Later<InspectArgs>),
    /// What happened in a session, event by event, with what the gate says of it.
    #[command(after_help = super::triage::REPLAY_EXAMPLES)]
    Replay(Later<Box<ReplayArgs>>),
    /// What an agent did, phase by phase; or why the gate reports a finding, and what can be done.
    #[command(after_help = super::triage::EXPLAIN_EXAMPLES)]
    Explain(Later<Box<ExplainArgs>>),
    /// Why an event happened: back from it to the prompt.
    #[command(after_help = super::triage::WHY_EXAMPLES)]
    Why(Later<WhyArgs>),
    /// A session at a glance, a line for each phase.
    #[command(after_help = super::triage::TIMELINE_EXAMPLES)]
    Timeline(Later<TimelineArgs>),
    /// Note something at an event of a session in the store.
    #[command(after_help = super::triage::ANNOTATE_EXAMPLES)]
    Annotate(Later<Box<AnnotateArgs>>),
    /// Who ran a session, where and how, as its log says.
    #[command(after_help = super::triage::SHOW_EXAMPLES)]
    Show(Later<ShowArgs>),
    /// List the sessions in the store, or the logs of all agents on this machine.
    #[command(after_help = LIST_EXAMPLES)]
    List(Later<ListArgs>),
    /// What sessions cost, phase by phase, and what was wasted.
    #[command(after_help = super::measured::COST_EXAMPLES)]
    Cost(Later<CostArgs>),
    /// How full the model's context was, request by request.
    #[command(after_help = super::measured::TOKEN_BUDGET_EXAMPLES)]
    TokenBudget(Later<TokenBudgetArgs>),
    /// What sessions add up to: calls, time, tokens, files, errors.
    #[command(after_help = super::measured::STATS_EXAMPLES)]
    Stats(Later<StatsArgs>),
    /// Tell agents to run `hook`: Claude Code, Codex, Gemini CLI, Cursor, Copilot.
    #[command(after_help = super::setup::EXAMPLES)]
    Setup(Later<SetupArgs>),
    /// What agents run at each step of a session: records it, and denies what the policy denies.
    #[command(after_help = super::hook::EXAMPLES)]
    Hook(Later<HookArgs>),
    /// Find calls that got past the hook: what ran, joined with what was decided.
    #[command(after_help = super::gaps::EXAMPLES)]
    Gaps(Later<GapsArgs>),
    /// Run an agent under limits: time, money, rules and the policy end or pause it.
    #[command(after_help = super::watch::GUARD_EXAMPLES)]
    Guard(Later<Box<GuardArgs>>),
    /// Follow a session while it is recorded, and tell, pause or end what breaks a rule.
    #[command(after_help = super::watch::EXAMPLES)]
    Watch(Later<Box<WatchArgs>>),
    /// Write logs of any agent into the store.
    #[command(after_help = IMPORT_EXAMPLES)]
    Import(Later<ImportArgs>),
    /// Record what an agent and an MCP server say to each other, and pass it on as it is.
    #[command(after_help = super::record::EXAMPLES)]
    Record(Later<RecordArgs>),
    /// The same with a server that is spoken to by HTTP.
    #[command(after_help = super::record::HTTP_EXAMPLES)]
    RecordHttp(Later<RecordHttpArgs>),
    /// Rewrite logs without what is private in them, or list where it is.
    #[command(after_help = super::redact::EXAMPLES)]
    Redact(Later<RedactArgs>),
    /// Write a session as a document, without secrets and, with --anonymize, without who it is about.
    #[command(after_help = super::export::EXAMPLES)]
    Export(Later<Box<ExportArgs>>),
    /// Put back what pseudonyms stand for, with the key they were made with.
    #[command(after_help = super::export::REVEAL_EXAMPLES)]
    Reveal(Later<RevealArgs>),
    /// Serve sessions and the policy to an agent, as tools of the Model Context Protocol.
    #[command(after_help = super::mcp::EXAMPLES)]
    Mcp(Later<McpArgs>),
    /// Write a policy to start from.
    #[command(after_help = super::init::EXAMPLES)]
    Init(Later<InitArgs>),
    /// Whether the gate in CI is in force, and what defeats it.
    #[command(after_help = super::doctor::EXAMPLES)]
    Doctor(Later<DoctorArgs>),
    /// Work with a scope.
    Policy(Later<PolicyArgs>),
    /// What the store keeps longer than it may, and its deletion.
    Retention(Later<RetentionArgs>),
    /// List the rules, or show one.
    Rules(Later<RulesArgs>),
    /// List the JSON Schemas of the files that are read and written, or print one.
    Schema(Later<SchemaArgs>),
    /// Print the completions of a shell.
    #[command(after_help = super::completions::EXAMPLES)]
    Completions(Later<CompletionsArgs>),
    /// Print the manual page of a command, or write those of all.
    #[command(after_help = super::man::EXAMPLES)]
    Man(Later<ManArgs>),
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-`.
    #[arg(value_name = "SESSION", conflicts_with = "discover")]
    pub(super) sessions: Vec<String>,

    /// Judge what all agents on this machine did in this directory, or in that of --project.
    #[arg(long)]
    pub(super) discover: bool,

    #[command(flatten)]
    pub(super) wanted: WantedArgs,

    /// Settings and suppressions [default: .agent-strace.yaml, if there is one]. With --policy-ref it is read from that
    /// revision, too.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<String>,

    /// Judge how agents worked, too: on where there is a lint file [default: .agent-strace-lint.json].
    #[arg(long)]
    pub(super) lint: bool,

    /// The lint file; it judges as with --lint. With --policy-ref it is read from that revision, too.
    #[arg(long, value_name = "FILE")]
    pub(super) lint_config: Option<String>,

    /// What sessions have to be like [default: .agent-evals.yaml, if there is one]. With --policy-ref it is read from
    /// that revision, too.
    #[arg(long, value_name = "FILE")]
    pub(super) evals: Option<String>,

    /// What judges said that ask a model (`llm_judge`): see `eval --help`.
    #[arg(long, value_name = "FILE")]
    pub(super) verdicts: Option<String>,

    #[command(flatten)]
    pub(super) gate: GateArgs,
}

/// Which sessions of those that were found.
#[derive(Debug, Args)]
pub(super) struct WantedArgs {
    /// Only sessions of this agent, e.g. `codex`; repeatable.
    #[arg(long = "agent", value_name = "AGENT")]
    pub(super) agents: Vec<String>,

    /// Only sessions that were active since: `7d`, `12h`, `2w`, a date, or a time with its offset.
    #[arg(long, value_name = "WHEN", value_parser = since::parse)]
    pub(super) since: Option<Since>,

    /// Only sessions that ran in this directory or below it, and those that do not say where they ran.
    #[arg(long, value_name = "DIR")]
    pub(super) project: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    /// A session: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-`.
    #[arg(value_name = "SESSION", conflicts_with = "all")]
    pub(super) session: Option<String>,

    /// Every session in the store, not only the latest.
    #[arg(long)]
    pub(super) all: bool,

    /// Settings and suppressions [default: .agent-strace.yaml, if there is one]. With --policy-ref it is read from that
    /// revision, too.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<String>,

    #[command(flatten)]
    pub(super) gate: GateArgs,
}

/// What every command that gives a verdict takes.
#[derive(Debug, Clone, Args)]
pub(super) struct GateArgs {
    /// The policy [default: .agent-scope.json].
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<String>,

    /// Read the policy from this git revision, not from disk. `auto`: the base of the change, as the event of the CI job
    /// tells it; without a base nothing is judged (exit code 2).
    #[arg(long, value_name = "auto|REV")]
    pub(super) policy_ref: Option<String>,

    /// The change begins here: its files and commits are judged beside the sessions, and only sessions that come with it
    /// [default with `--policy-ref auto`: the tip of the base branch].
    #[arg(long, value_name = "REV")]
    pub(super) base: Option<String>,

    /// The change ends here, and sessions are read from there [default: HEAD, and the disk].
    #[arg(long, value_name = "REV")]
    pub(super) head: Option<String>,

    /// Read everything from this repository and nothing from a checkout.
    #[arg(long, value_name = "DIR")]
    pub(super) git_dir: Option<PathBuf>,

    /// People looked at what the change does to the gate itself: who or what says so. `gate/tampering` is a note then.
    #[arg(long, value_name = "WHO")]
    pub(super) tampering_reviewed: Option<String>,

    /// Judge without a policy file if there is none, on disk or at the base of the change.
    #[arg(long, conflicts_with = "policy")]
    pub(super) allow_no_policy: bool,

    /// One more directory with hook policies of agent runtimes (`.claw-policy.json`, `.codex-policy.json`,
    /// `.claw-hooks.json`), beside this one and those above it in the repository; repeatable. With --policy-ref they are
    /// read from that revision, too.
    #[arg(long, value_name = "DIR")]
    pub(super) hooks: Vec<String>,

    /// Prices that count before those of this build where money is limited: a file of the shape that
    /// `agent-strace schema prices` shows. With --policy-ref it is read from that revision, too.
    #[arg(long, value_name = "FILE")]
    pub(super) prices: Option<String>,

    /// The lowest level that fails [default: error].
    #[arg(long, value_name = "LEVEL")]
    pub(super) fail_on: Option<FailOn>,

    /// Findings that are known: a file of --write-baseline, an earlier `--format json` report, or a JSON list of
    /// fingerprints.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,

    /// Write what is found now to a file that --baseline takes; the exit code stays.
    #[arg(long, value_name = "FILE")]
    pub(super) write_baseline: Option<PathBuf>,

    /// Overwrite the file of --write-baseline.
    #[arg(long, requires = "write_baseline")]
    pub(super) force: bool,

    /// Show and count everything: no exception, no suppression and no baseline holds.
    #[arg(long)]
    pub(super) no_suppressions: bool,

    /// Where the logs came from: `runner`, the machine of this job; `artifact`, another job of this run; `pull-request`,
    /// the change itself, whose author could write them; `attested`, whoever an attestation names, which was verified
    /// before (`gh attestation verify`).
    #[arg(long, value_name = "SOURCE", default_value = "pull-request")]
    pub(super) source: SourceName,

    /// When this runs, e.g. `2026-03-01T12:00:00Z`: exceptions are held against its day in UTC [default: the clock], and
    /// SARIF gives it as the end of the run.
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(super) now: Option<jiff::Timestamp>,

    /// How the report is written. `markdown` is a job summary or a comment, `github` annotates the job, `gitlab` is its
    /// code quality report.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: FormatName,

    /// Write the report to a file, atomically.
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Write one more report from the same judgement; repeatable.
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = parse_report::<FormatName>)]
    pub(super) reports: Vec<(FormatName, PathBuf)>,

    /// Print nothing but errors; files are still written.
    #[arg(long, short)]
    pub(super) quiet: bool,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(super) no_color: bool,
}

impl GateArgs {
    /// Of a command that judges one call and says nothing else.
    pub(super) fn of_call(by: &EnforceArgs, allow_no_policy: bool, now: Option<jiff::Timestamp>) -> Self {
        let silent = Self::of_policy(by.policy.clone(), allow_no_policy, now);
        Self { policy_ref: by.policy_ref.clone(), source: SourceName::Runner, quiet: true, no_color: true, ..silent }
    }

    /// Of a command that takes a policy and no other options of a gate.
    pub(super) fn of_policy(policy: Option<String>, allow_no_policy: bool, now: Option<jiff::Timestamp>) -> Self {
        Self {
            policy,
            policy_ref: None,
            base: None,
            head: None,
            git_dir: None,
            tampering_reviewed: None,
            allow_no_policy,
            hooks: Vec::new(),
            prices: None,
            fail_on: None,
            baseline: None,
            write_baseline: None,
            force: false,
            no_suppressions: false,
            source: SourceName::PullRequest,
            now,
            format: FormatName::Text,
            output: None,
            reports: Vec::new(),
            quiet: false,
            no_color: false,
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct EffectsArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: all].
    #[arg(value_name = "SESSION", conflicts_with = "command")]
    pub(super) sessions: Vec<String>,

    /// The effects of this shell command, as if an agent had run it.
    #[arg(long, value_name = "TEXT")]
    pub(super) command: Option<String>,

    /// Where the command runs; also its workspace root [default: the current directory].
    #[arg(long, value_name = "DIR", requires = "command", conflicts_with = "sessions")]
    pub(super) cwd: Option<String>,

    /// Judge the command by this policy, and answer by exit code [default: without --cwd .agent-scope.json if there
    /// is one, and exit code 0 whatever it says].
    #[arg(long, value_name = "FILE", requires = "command", conflicts_with = "sessions")]
    pub(super) policy: Option<String>,

    /// The same with the policy of this git revision.
    #[arg(long, value_name = "REV", requires = "command", conflicts_with = "sessions")]
    pub(super) policy_ref: Option<String>,

    /// The lowest level that makes the exit code 1 [default: error].
    #[arg(long, value_name = "LEVEL", requires = "command", conflicts_with = "sessions")]
    pub(super) fail_on: Option<FailOn>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: PlainFormat,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(super) no_color: bool,
}

#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log or a folder of logs of any agent, or `-`
    /// [default: the latest].
    #[arg(value_name = "SESSION")]
    pub(super) sessions: Vec<String>,

    /// What is shown.
    #[arg(long, value_name = "VIEW", default_value = "events")]
    pub(super) view: View,

    /// With `--view session`: what every answer of the model cost.
    #[arg(long)]
    pub(super) billing: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum View {
    /// What it adds up to and its events, as the store keeps them, as JSON.
    Events,
    /// Turns, steps and tools, for people.
    Turns,
    /// The same as a JSON document.
    Session,
    /// Every answer of the model once, and the sum, as JSON.
    Billing,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: all in the store].
    #[arg(value_name = "SESSION", conflicts_with = "discover")]
    pub(super) sessions: Vec<String>,

    /// The logs of all agents on this machine, not the store.
    #[arg(long)]
    pub(super) discover: bool,

    #[command(flatten)]
    pub(super) wanted: WantedArgs,

    /// Show sub-agents below who started them.
    #[arg(long)]
    pub(super) tree: bool,

    /// What time it is, for `--since` [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(super) now: Option<jiff::Timestamp>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Logs or folders of logs of any agent, sessions of the store by id, or `-`.
    #[arg(value_name = "LOG", required_unless_present = "discover", conflicts_with = "discover")]
    pub(super) logs: Vec<String>,

    /// List the logs of all agents on this machine; with --all, import them.
    #[arg(long)]
    pub(super) discover: bool,

    /// Import everything that --discover finds.
    #[arg(long, requires = "discover")]
    pub(super) all: bool,

    /// Where Claude Code keeps its logs [default: `$CLAUDE_CONFIG_DIR`, or `~/.claude`].
    #[arg(long, value_name = "DIR", requires = "discover")]
    pub(super) claude_dir: Option<PathBuf>,

    #[command(flatten)]
    pub(super) wanted: WantedArgs,

    /// Replace secrets by marks. Without it evidence is kept as it was recorded, secrets included.
    #[arg(long)]
    pub(super) redact: bool,

    /// Say what would be done, and do nothing.
    #[arg(long)]
    pub(super) dry_run: bool,

    /// What time it is, for `--since` [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(super) now: Option<jiff::Timestamp>,
}

#[derive(Debug, Args)]
pub(super) struct RulesArgs {
    /// The rule to show, e.g. `scope/read`.
    #[arg(value_name = "ID")]
    pub(super) id: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The schema to print, e.g. `agent-scope`.
    #[arg(value_name = "NAME")]
    pub(super) name: Option<String>,
}
