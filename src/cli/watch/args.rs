//! What `watch` and `guard` take.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::duration;
use agent_strace_live::watch::{Action, Amount};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace watch --timeout 30m --on-violation kill abc123    stop it after half an hour
  agent-strace watch --budget 5.00 --on-violation kill abc123    or above five dollars
  agent-strace watch --rules .watch-rules.json                   by rules, each with its action
  agent-strace watch --rules .watch-rules.json --dry-run         say what they would do
  agent-strace watch --max-context-pct 80 abc123                 warn before the context is full
  agent-strace watch --stream-to https://collector.example.com/events abc123

A session is watched from its first event until it ends, its agent is gone or Ctrl-C. To kill or to pause
takes a process: the one that the hook recorded, or --pid. Where the file .pause-request is in the store
the agent is stopped until it is gone. `guard -- CMD` starts the agent itself, which is the surer way.

Exit codes: 0 nothing was broken, 1 a rule or a limit was broken, 2 wrong usage, rules or policy,
3 something was asked for that nobody recorded: it was not judged.";

pub(in crate::cli) const GUARD_EXAMPLES: &str = "\
Examples:
  agent-strace guard --timeout 30m -- claude -p 'fix the tests'
  agent-strace guard --budget 5.00 --max-retries 5 -- codex exec 'fix the tests'
  agent-strace guard --rules .watch-rules.json --on-death 'python recover.py {post_mortem_path}' -- claude

Sessions are those that hooks record while CMD runs (`agent-strace setup --write`). Where none is recorded,
only time limits hold. Time while paused does not count.

Exit codes: that of CMD, 128+n where signal n ended it; 124 it ran too long; 125 another rule, limit or the
policy was broken; 126 and 127 CMD can't be run or is not there; 2 wrong usage, rules or policy: nothing is
run; 3 CMD ended well, and something was asked for that nobody recorded: it was not judged.";

/// What is done where a limit is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum OnViolation {
    /// End the agent, and write a post-mortem.
    Kill,
    /// Stop the agent until somebody lets it go on.
    Pause,
    /// Say it here.
    Terminal,
    /// Write it to `alerts.log` of the store.
    File,
}

impl OnViolation {
    pub(in crate::cli) fn action(self) -> Action {
        match self {
            Self::Kill => Action::Kill,
            Self::Pause => Action::Pause,
            Self::Terminal | Self::File => Action::Alert,
        }
    }
}

/// Limits, and what is done where they are broken.
#[derive(Debug, Args)]
pub(in crate::cli) struct LimitArgs {
    /// The longest time, e.g. `30m` or `1h30m`.
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, alias = "max-duration")]
    pub(super) timeout: Option<Duration>,

    /// The most that may be spent, in US dollars, as far as usage is recorded.
    #[arg(long, value_name = "USD", value_parser = dollars, alias = "max-cost")]
    pub(super) budget: Option<u128>,

    /// How often the same call may be made again after it failed.
    #[arg(long, value_name = "N")]
    pub(super) max_retries: Option<u64>,

    /// The largest share of its context that a request may take, in percent.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u64).range(1..=100))]
    pub(super) max_context_pct: Option<u64>,

    /// Rules, each with its own action: JSON where the name ends in `.json`, else YAML.
    #[arg(long, value_name = "FILE")]
    pub(super) rules: Option<String>,

    /// The policy, whose denies and budgets are limits, too [default: .agent-scope.json, if there is one].
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<String>,

    /// Prices that count before those of this build: see `agent-strace schema prices`.
    #[arg(long, value_name = "FILE")]
    pub(super) prices: Option<String>,

    /// Run by a shell when the agent was killed; `{post_mortem_path}` is the post-mortem.
    #[arg(long, value_name = "COMMAND")]
    pub(super) on_death: Option<String>,

    /// Say what would be done, and do nothing.
    #[arg(long)]
    pub(super) dry_run: bool,

    /// How long the agent may take to end after SIGTERM; then SIGKILL ends it.
    #[arg(long, value_name = "DURATION", value_parser = duration::parse_any, default_value = "5s")]
    pub(super) grace: Duration,
}

impl LimitArgs {
    pub(in crate::cli) fn rules(&self) -> Option<&str> {
        self.rules.as_deref()
    }

    pub(in crate::cli) fn is_dry(&self) -> bool {
        self.dry_run
    }

    pub(in crate::cli) fn grace(&self) -> Duration {
        self.grace
    }

    pub(in crate::cli) fn on_death(&self) -> Option<&str> {
        self.on_death.as_deref()
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct WatchArgs {
    /// The session: an id or an unambiguous prefix in the store [default: the one that runs, else the latest].
    #[arg(value_name = "SESSION")]
    pub(super) session: Option<String>,

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    /// What is done where a limit is broken [default: terminal, and kill with --on-death].
    #[arg(long, value_name = "HOW")]
    pub(super) on_violation: Option<OnViolation>,

    /// The agent's process [default: as the hook recorded it].
    #[arg(long, value_name = "PID", value_parser = clap::value_parser!(u32).range(2..))]
    pub(super) pid: Option<u32>,

    /// More limits, in the form of the Python tool: JSON where the name ends in `.json`, else YAML.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<String>,

    /// POST every alert here, as JSON with `text` and `source`.
    #[arg(long, value_name = "URL")]
    pub(super) webhook: Option<String>,

    /// POST every event here as NDJSON, without the secrets in it.
    #[arg(long, value_name = "URL")]
    pub(super) stream_to: Option<String>,

    /// The most events of one POST.
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(super) stream_batch_size: u16,

    /// The most seconds between two.
    #[arg(long, value_name = "SECONDS", default_value = "2.0", value_parser = duration::parse)]
    pub(super) stream_flush_interval: Duration,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct GuardArgs {
    #[command(flatten)]
    pub(in crate::cli) limits: LimitArgs,

    /// What is done where a limit is broken.
    #[arg(long, value_name = "HOW", default_value = "kill")]
    pub(in crate::cli) on_violation: OnViolation,

    /// The agent's command and its arguments, behind `--`.
    #[arg(value_name = "CMD", required = true, last = true)]
    pub(in crate::cli) command: Vec<std::ffi::OsString>,
}

/// In parts of a dollar.
fn dollars(text: &str) -> Result<u128, String> {
    let amount = Amount::read(text.trim().trim_start_matches('$'));
    amount.map(|amount| amount.0).ok_or_else(|| "expected a number of dollars such as `5.00`".to_owned())
}
