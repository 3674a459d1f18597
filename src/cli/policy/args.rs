//! What `policy` and its commands take.

use clap::{Args, Subcommand};

use super::super::args::{FailOn, PlainFormat, parse_now};
use super::super::policy_file;
use super::backtest::BacktestArgs;
use super::builtins::BuiltinsArgs;
use super::coverage::CoverageArgs;
use super::diff::DiffArgs;
use super::drift::DriftArgs;
use super::export::ExportArgs;
use super::generate::args::GenerateArgs;
use super::import::ImportArgs;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = GENERATE_EXAMPLES)]
pub(in crate::cli) struct PolicyArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<PolicyCommand>,

    #[command(flatten)]
    pub(in crate::cli) generate: GenerateArgs,
}

/// The commands of `policy`.
pub(super) fn names() -> Vec<String> {
    let command = PolicyCommand::augment_subcommands(clap::Command::new("policy"));
    command.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

const GENERATE_EXAMPLES: &str = "\
Without a command: a policy that allows what sessions did, and nothing more.

Examples:
  agent-strace policy                                    print it, and write nothing
  agent-strace policy --output .agent-scope.json         write it; never over one that is there
  agent-strace policy --last 20 --seen-in 3              what was seen in 3 of the last 20 sessions
  agent-strace policy --merge -o .agent-scope.json       add what is new; denies and rules stay
  agent-strace policy --held-out --min-sessions 5        with a measure of how good it is

What destroys, publishes or is sensitive, what failed or was refused, and what can't be resolved
is left out and listed for review. The exit code is 3 when there is nothing to make a policy of,
or when something could not be read.";

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum PolicyCommand {
    /// Check a policy, and show everything that is wrong with it.
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(ValidateArgs),
    /// Write a policy in its one style; comments stay.
    #[command(after_help = FMT_EXAMPLES)]
    Fmt(FmtArgs),
    /// Run the tests that stand in a policy, or cases of a file, or disguise what the policy forbids.
    #[command(after_help = TEST_EXAMPLES)]
    Test(TestArgs),
    /// Judge sessions of the past by a policy: what each of its rules would block and allow.
    #[command(after_help = super::backtest::EXAMPLES)]
    Backtest(BacktestArgs),
    /// Say what a change of the policy allows and denies newly, and show it on sessions of the past.
    #[command(after_help = super::diff::EXAMPLES)]
    Diff(DiffArgs),
    /// Show which calls of the past no rule speaks of, and which entries speak of none.
    #[command(after_help = super::coverage::EXAMPLES)]
    Coverage(CoverageArgs),
    /// Say what is unwise in a policy, and what its denies let through in disguise.
    #[command(after_help = LINT_EXAMPLES)]
    Lint(LintArgs),
    /// Say which lines of a policy judge each effect of a call, and what would change that.
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// Show the lists that entries of a policy name by `builtin:NAME`.
    #[command(after_help = super::builtins::EXAMPLES)]
    Builtins(BuiltinsArgs),
    /// Write a policy for an agent's own permission engine, and say what that engine can't hold.
    #[command(after_help = super::export::EXAMPLES)]
    Export(ExportArgs),
    /// Make a policy of agents' own permission settings, and say what it does not hold.
    #[command(after_help = super::import::EXAMPLES)]
    Import(ImportArgs),
    /// Say what agents' own settings let pass although the policy refuses it.
    #[command(after_help = super::drift::EXAMPLES)]
    Drift(DriftArgs),
}

const VALIDATE_EXAMPLES: &str = "\
Examples:
  agent-strace policy validate                           the policy of this directory
  agent-strace policy validate policies/*.json --format json

The exit code is 2 when one of them can't be used. `policy lint` says what is allowed, but unwise.";

const FMT_EXAMPLES: &str = "\
Examples:
  agent-strace policy fmt                                the policy of this directory, in place
  agent-strace policy fmt --check policies/*.json        for CI: exit code 1 where one is not in style
  agent-strace policy fmt --strip-comments --stdout      plain JSON, for readers that know no comments

Values, entries and comments stay as they are; the sections of the file get the order of the
language. `-` reads standard input and prints the result.";

const TEST_EXAMPLES: &str = "\
Examples:
  agent-strace policy test                               the tests of the policy of this directory
  agent-strace policy test policies/strict.json --format json
  agent-strace policy test --cases cases.jsonl           cases of a file, one a line
  agent-strace policy test --mutate                      what the denies let through in disguise

A test is a call and what the policy has to answer: { \"tool\": \"Bash\", \"input\": { \"command\":
\"cat .env\" }, \"expect\": \"deny\", \"rule\": \"files.read.deny[0]\" }. `expect` is allow, ask, deny or
unresolved; `rule` is the entry that has to decide. Several calls of one session stand in `seq`, and
the strictest answer counts. The workspace is /repo. Exceptions of the policy are not considered.

--mutate makes examples of what each entry forbids and says each in other words: some two hundred
ways for a command, by family. The exit code is 1 where one of them passes without a word.";

const LINT_EXAMPLES: &str = "\
Examples:
  agent-strace policy lint                               the policy of this directory
  agent-strace policy lint policies/*.json --fail-on warning
  agent-strace policy lint --explain POL004              what a code means; `all` lists them

Each deny is tried in disguise: an example of what it forbids, said in some two hundred other ways.
`refused` counts what the gate refuses by its default level, `not resolved` those of them that it
refuses because it can't tell what they do. `policy test --mutate` shows what is let through.";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  agent-strace policy explain --command 'cat .env > x'   a command, as if an agent ran it here
  agent-strace policy explain --tool Read --input '{\"file_path\": \".env\"}'
  agent-strace policy explain abc123 14                  event 14 of a session
  agent-strace policy explain                            what is refused in the latest session

Below each effect stands every entry that denies, asks or allows it, and which one decides: the
strictest, wherever it stands. The exit code is 0 whatever the answer is.";

/// Which policy, and where it is read from.
#[derive(Debug, Args)]
pub(in crate::cli) struct PolicyFileArgs {
    /// The policy [default: .agent-scope.json].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) policy: Option<String>,

    /// Read the policy from this git revision, not from disk.
    #[arg(long, value_name = "REV")]
    pub(in crate::cli) policy_ref: Option<String>,
}

/// The policies of a command that reads nothing else.
#[derive(Debug, Args)]
pub(in crate::cli) struct PolicyListArgs {
    /// The policies [default: .agent-scope.json].
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// Like FILE: commands that read sessions, too, take their policy this way.
    #[arg(long = "policy", value_name = "FILE", conflicts_with = "files")]
    options: Vec<String>,
}

impl PolicyListArgs {
    pub(super) fn or_default(&self) -> Vec<String> {
        policy_file::named_or_default(if self.files.is_empty() { &self.options } else { &self.files })
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ValidateArgs {
    #[command(flatten)]
    pub(in crate::cli) policies: PolicyListArgs,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: PlainFormat,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(in crate::cli) no_color: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct FmtArgs {
    #[command(flatten)]
    pub(in crate::cli) policies: PolicyListArgs,

    /// Change nothing, and name the files that are not in style: exit code 1.
    #[arg(long, conflicts_with = "stdout")]
    pub(in crate::cli) check: bool,

    /// Print the result, and change nothing.
    #[arg(long)]
    pub(in crate::cli) stdout: bool,

    /// Plain JSON: without comments. Without it they stay where they are.
    #[arg(long)]
    pub(in crate::cli) strip_comments: bool,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(in crate::cli) no_color: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct TestArgs {
    /// The policy [default: .agent-scope.json].
    #[arg(value_name = "FILE")]
    file: Option<String>,

    /// Like FILE: commands that read sessions, too, take their policy this way.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    policy: Option<String>,

    /// Cases of this file, one JSON object a line, and not those of the policy.
    #[arg(long, value_name = "FILE", conflicts_with = "mutate")]
    pub(in crate::cli) cases: Option<String>,

    /// Disguise what each entry and rule forbids, and show what the policy lets through; it needs no tests.
    #[arg(long, conflicts_with = "accept_unresolved")]
    pub(in crate::cli) mutate: bool,

    /// With --mutate: the lowest level that makes the exit code 1. A disguise that passes is an error, one that is only
    /// warned about a warning.
    #[arg(long, value_name = "LEVEL", default_value = "error", requires = "mutate")]
    pub(in crate::cli) fail_on: FailOn,

    /// Take a call that has to be denied, and is refused because it can't be resolved, for denied, and the reverse.
    #[arg(long)]
    pub(in crate::cli) accept_unresolved: bool,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: PlainFormat,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(in crate::cli) no_color: bool,
}

impl TestArgs {
    pub(super) fn policy(&self) -> String {
        policy_file::named_or_found(self.file.as_deref().or(self.policy.as_deref()))
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct LintArgs {
    #[command(flatten)]
    pub(in crate::cli) policies: PolicyListArgs,

    /// Say what a code means, e.g. `POL004`; `all` lists the codes.
    #[arg(long, value_name = "CODE", conflicts_with = "files")]
    pub(in crate::cli) explain: Option<String>,

    /// The lowest level that makes the exit code 1.
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    pub(in crate::cli) fail_on: FailOn,

    /// What time it is, for the ends of exceptions [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(in crate::cli) now: Option<jiff::Timestamp>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: PlainFormat,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(in crate::cli) no_color: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ExplainArgs {
    /// A session: an id or an unambiguous prefix in the store, or a log of any agent [default: the latest].
    #[arg(value_name = "SESSION", conflicts_with_all = ["command", "tool"])]
    pub(in crate::cli) session: Option<String>,

    /// The number of an event in it [default: every call that is refused].
    #[arg(value_name = "EVENT")]
    pub(in crate::cli) event: Option<u32>,

    /// A shell command, as if an agent had run it.
    #[arg(long, value_name = "TEXT", conflicts_with = "tool")]
    pub(in crate::cli) command: Option<String>,

    /// A call of this tool.
    #[arg(long, value_name = "NAME", requires = "input")]
    pub(in crate::cli) tool: Option<String>,

    /// The arguments of the tool, as JSON.
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(in crate::cli) input: Option<String>,

    /// Where the call runs; also its workspace root [default: the current directory].
    #[arg(long, value_name = "DIR", conflicts_with = "session")]
    pub(in crate::cli) cwd: Option<String>,

    /// The policy [default: .agent-scope.json].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) policy: Option<String>,

    /// The configuration, of which the suppressions count [default: .agent-strace.yaml, if it is there].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<String>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: PlainFormat,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(in crate::cli) no_color: bool,
}
