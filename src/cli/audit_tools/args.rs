//! The arguments of `audit-tools`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::super::args::{FailOn, format_parser, parse_now, parse_report};
use super::super::since::{self, Since};
use agent_strace_git::Backend;
use agent_strace_report::repo_audit::{Shard, SweepFormat};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace audit-tools                                        this repository
  agent-strace audit-tools --repo . --since '90 days ago' --approved cursor,copilot
  agent-strace audit-tools --repo app --repo infra --all          two repositories, with all their history
  agent-strace audit-tools --repo ~/clones --format csv -o ai.csv every repository in a folder
  agent-strace audit-tools --repos-from list.txt --shard 2/8 --format ndjson -o shard-2.ndjson
  agent-strace audit-tools merge shard-*.ndjson --format markdown

Nothing is started, fetched or executed: not the MCP servers, not what a repository configures.
`--approved` takes tools by name, `mcp:NAME` and `host:HOST`; `approved` in the .agent-strace.yaml
that a repository has committed says the same with reasons, ends and paths. What is not approved
fails (exit code 1); where nobody says what is, the report is an inventory.
Paths that are no repositories: exit code 2; among several, the others are still judged, and the
exit code is 3 unless a finding makes it 1.";

/// What AI tools, MCP servers and model endpoints are in repositories, approved or not.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct AuditToolsArgs {
    #[command(subcommand)]
    pub(super) command: Option<AuditToolsCommand>,

    /// A repository (bare ones, too), or a folder of repositories; repeatable [default: .].
    #[arg(long = "repo", value_name = "PATH")]
    pub(super) repositories: Vec<PathBuf>,

    /// Repositories from a file, one path a line (`#` starts a comment); `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(super) repos_from: Option<String>,

    /// Commits since: `90 days ago`, `7d`, `2w`, a date, or a time with its offset [default: 90 days ago].
    #[arg(long, value_name = "WHEN", value_parser = since::parse, conflicts_with_all = ["range", "all", "no_history"])]
    pub(super) since: Option<Since>,

    /// Commits of a range: `origin/main..HEAD`, or one revision with all its history.
    #[arg(long, value_name = "REV", conflicts_with_all = ["all", "no_history"])]
    pub(super) range: Option<String>,

    /// All commits of all branches, tags and other references.
    #[arg(long, conflicts_with = "no_history")]
    pub(super) all: bool,

    /// Only what is there now: no commits, no names of branches.
    #[arg(long)]
    pub(super) no_history: bool,

    /// Read every changed file of the history, not only settings, CI and environment files.
    #[arg(long, conflicts_with = "no_history")]
    pub(super) deep: bool,

    /// How the history is read: `auto` runs the `git` program, hardened, where there is one; `library` runs nothing.
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub(super) git: GitName,

    /// What may be there, for all repositories: names of tools, `mcp:NAME`, `host:HOST`, separated by commas. Approvals
    /// of the repositories themselves don't count then.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) approved: Option<Vec<String>>,

    /// Approvals and suppressions for all repositories [default: the .agent-strace.yaml that each has committed].
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<String>,

    /// Sessions of agents, to tell which MCP servers they used, beside those of the trace store in each work tree;
    /// repeatable.
    #[arg(long, value_name = "PATH")]
    pub(super) sessions: Vec<String>,

    /// The lowest level that fails [default: error].
    #[arg(long, value_name = "LEVEL")]
    pub(super) fail_on: Option<FailOn>,

    /// Findings that are known: a file of --write-baseline.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,

    /// Write what is found now to a file that --baseline takes; the exit code stays.
    #[arg(long, value_name = "FILE")]
    pub(super) write_baseline: Option<PathBuf>,

    /// Overwrite the file of --write-baseline.
    #[arg(long, requires = "write_baseline")]
    pub(super) force: bool,

    /// Only the repositories of this part, e.g. `2/8`: every run takes the same list, and `merge` joins the parts.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub(super) shard: Option<Shard>,

    /// What time it is, e.g. `2026-03-01T12:00:00Z`: approvals and suppressions have an end [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(super) now: Option<jiff::Timestamp>,

    #[command(flatten)]
    pub(super) written: WrittenArgs,
}

/// How the report is written.
#[derive(Debug, Args)]
pub(super) struct WrittenArgs {
    /// How the report is written; `ndjson` is a line per repository, and takes constant memory.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = format_parser::<SweepFormat>())]
    pub(super) format: SweepFormat,

    /// Write the report to a file, atomically.
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Write one more report of the same run; repeatable.
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = parse_report::<SweepFormat>)]
    pub(super) reports: Vec<(SweepFormat, PathBuf)>,

    /// Print nothing but errors; files are still written.
    #[arg(long, short)]
    pub(super) quiet: bool,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(super) no_color: bool,
}

impl WrittenArgs {
    /// The files that are written.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.reports.iter().map(|(_, file)| file.as_path()).chain(self.output.as_deref())
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum AuditToolsCommand {
    /// Join what the shards of one run wrote with `--format ndjson`.
    Merge(MergeArgs),
}

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The files of all shards, in any order.
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) written: WrittenArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum GitName {
    Auto,
    Program,
    Library,
}

impl GitName {
    pub(super) fn backend(self) -> Backend {
        match self {
            Self::Auto => Backend::Auto,
            Self::Program => Backend::Binary,
            Self::Library => Backend::Library,
        }
    }
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let wanted = || "write which part of how many, from 1: `2/8`".to_owned();
    let (number, of) = text.split_once('/').ok_or_else(wanted)?;
    let number: usize = number.trim().parse().map_err(|_| wanted())?;
    let of: usize = of.trim().parse().map_err(|_| wanted())?;
    if number == 0 || number > of { Err(wanted()) } else { Ok(Shard { number, of }) }
}
