//! What commands take that give a verdict.

use std::path::{Path, PathBuf};

use agent_strace_report::Format;
use clap::Args;

#[cfg(feature = "live")]
use super::recording::EnforceArgs;
use super::session_filter::WantedArgs;
use super::trust::BaseBranch;
use super::values::{FailOn, SourceName, format_parser, parse_now, parse_report, parse_root};

pub(super) const EXAMPLES: &str = "\
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
  agent-strace check --base origin/main                  a change, by the policy of the base branch
  agent-strace check --report sarif=gate.sarif --report markdown=summary.md";

pub(super) const AUDIT_EXAMPLES: &str = "\
Examples:
  agent-strace audit                  the latest session in the store
  agent-strace audit abc123           by an unambiguous prefix of its id
  agent-strace audit --all            every session
  agent-strace audit ~/.codex/sessions/2026/11/21/rollout-x.jsonl

Without a policy file, built-in rules and sensitive files are judged, and every effect is listed.
Where the environment variable CI is set, a missing policy file is an error (exit code 2)
unless --allow-no-policy is given.";

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

    /// The sessions ran in this directory of this machine: a denied file that is there, and is older than the call, counts as
    /// read by a call whose wildcard or search takes it in. Not in CI.
    #[arg(long, value_name = "DIR")]
    pub(super) work_tree: Option<PathBuf>,

    /// List every finding in the text, not only the causes where there are more than 20. Notes about acts whose effects the
    /// log does not show stay counted by cause: `--format json` lists them.
    #[arg(long)]
    pub(super) all_findings: bool,

    #[command(flatten)]
    pub(super) gate: GateArgs,
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

    /// The change begins here: its files and commits are judged beside the sessions, and only sessions that come with it.
    /// `auto`: what the event of the CI job says [default with `--policy-ref auto`].
    #[arg(long, value_name = "auto|REV")]
    pub(super) base: Option<String>,

    /// With `auto`: a branch that may judge beside the default branch, or a pattern such as `release/**`; repeatable. Name
    /// only branches that nothing gets into unless it was reviewed.
    #[arg(long, value_name = "NAME", value_parser = BaseBranch::parse)]
    pub(super) base_branch: Vec<BaseBranch>,

    /// The change ends here, and sessions are read from there [default: HEAD, and the disk].
    #[arg(long, value_name = "REV")]
    pub(super) head: Option<String>,

    /// Read everything from this repository and nothing from a checkout.
    #[arg(long, value_name = "DIR")]
    pub(super) git_dir: Option<PathBuf>,

    /// An absolute directory that is the top of the repository where agents ran: paths of sessions that ran in it count from
    /// there, whatever their logs say; repeatable, and beside `roots` of the configuration.
    #[arg(long, value_name = "DIR", value_parser = parse_root)]
    pub(super) root: Vec<String>,

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

    /// Where the logs came from: `pull-request`, the change itself, whose author could write them; `runner`, this job, where
    /// the agent could still change them; `artifact`, another job of this run; `attested`, whoever an attestation names,
    /// which was verified before (`gh attestation verify`). A log that the change holds is its own in any case.
    #[arg(long, value_name = "SOURCE", default_value = "pull-request")]
    pub(super) source: SourceName,

    /// When this runs, e.g. `2026-03-01T12:00:00Z`: exceptions are held against its day in UTC [default: the clock], and
    /// SARIF gives it as the end of the run.
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(super) now: Option<jiff::Timestamp>,

    /// How the report is written. `markdown` is a job summary or a comment, `github` annotates the job, `gitlab` is its
    /// code quality report.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = format_parser::<Format>())]
    pub(super) format: Format,

    /// Write the report to a file, atomically.
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Write one more report from the same judgement; repeatable.
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = parse_report::<Format>)]
    pub(super) reports: Vec<(Format, PathBuf)>,

    /// Print nothing but errors; files are still written.
    #[arg(long, short)]
    pub(super) quiet: bool,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(super) no_color: bool,
}

impl GateArgs {
    /// The files that are written.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let reports = self.reports.iter().map(|(_, file)| file.as_path());
        reports.chain(self.output.as_deref()).chain(self.write_baseline.as_deref())
    }

    /// Of a command that judges one call and says nothing else.
    #[cfg(feature = "live")]
    pub(super) fn of_call(by: &EnforceArgs, allow_no_policy: bool, now: Option<jiff::Timestamp>) -> Self {
        let silent = Self::of_policy(by.policy.clone(), allow_no_policy, now);
        Self { policy_ref: by.policy_ref.clone(), source: SourceName::Live, quiet: true, no_color: true, ..silent }
    }

    /// Of a command that takes a policy and no other options of a gate.
    pub(super) fn of_policy(policy: Option<String>, allow_no_policy: bool, now: Option<jiff::Timestamp>) -> Self {
        Self {
            policy,
            policy_ref: None,
            base: None,
            base_branch: Vec::new(),
            head: None,
            git_dir: None,
            root: Vec::new(),
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
            format: Format::Text,
            output: None,
            reports: Vec::new(),
            quiet: false,
            no_color: false,
        }
    }
}
