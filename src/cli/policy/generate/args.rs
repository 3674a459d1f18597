//! What `policy` takes where no command follows.

use std::path::PathBuf;

use clap::Args;

use super::super::super::args::{PlainFormat, WantedArgs, parse_now};
use super::super::super::failure::Failure;
use super::super::super::onboarding::Mode;

#[derive(Debug, Args)]
pub(in crate::cli) struct GenerateArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: all in the store].
    #[arg(value_name = "SESSION")]
    pub(in crate::cli) sessions: Vec<String>,

    /// A repository, or a folder of repositories: write a policy for each of them, and a summary; repeatable. Without
    /// SESSION each repository has the sessions of its own store, else those that ran in it.
    #[arg(long = "repo", value_name = "DIR", conflicts_with_all = ["held_out", "project"])]
    pub(in crate::cli) repositories: Vec<PathBuf>,

    /// Repositories from a file, one path a line (`#` starts a comment); `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["held_out", "project"])]
    pub(in crate::cli) repos_from: Option<String>,

    /// With repositories: a policy that all of them share. Each gets a copy of it and a policy that extends the copy. A
    /// FILE that is there is used as it is; else it is written, with what every generated policy has.
    #[arg(long, value_name = "FILE", conflicts_with = "merge")]
    pub(in crate::cli) base: Option<PathBuf>,

    /// Write the policy to a file [default: print it; with repositories: .agent-scope.json in each].
    #[arg(long, short, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,

    /// Write nothing, and print what would be written.
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,

    /// Replace a policy that is there.
    #[arg(long, conflicts_with = "merge")]
    pub(in crate::cli) force: bool,

    /// Add to the policy that is there: all of it stays, and nothing is allowed that it forbids.
    #[arg(long)]
    pub(in crate::cli) merge: bool,

    /// Only the latest N sessions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) last: Option<u32>,

    /// Make no policy from fewer sessions: exit code 3.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) min_sessions: u32,

    /// Allow only what was seen in so many sessions.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) seen_in: u32,

    /// Measure it: leave out one session after the other, and count what a policy from the others would refuse.
    #[arg(long, visible_alias = "holdout")]
    pub(in crate::cli) held_out: bool,

    #[command(flatten)]
    pub(in crate::cli) wanted: WantedArgs,

    /// What time it is, for `--since` [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(in crate::cli) now: Option<jiff::Timestamp>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: PlainFormat,
}

impl GenerateArgs {
    /// It ends with a summary of repositories.
    pub(super) fn is_for_many(&self) -> bool {
        !self.repositories.is_empty() || self.repos_from.is_some()
    }

    /// The way in which a file that is there is treated.
    pub(super) fn mode(&self) -> Mode {
        match (self.dry_run, self.force, self.merge) {
            // Entries that would be added are shown as if they were there.
            (true, _, false) => Mode::DryRun,
            (_, _, true) => Mode::Add,
            (false, true, false) => Mode::Replace,
            (false, false, false) => Mode::Keep,
        }
    }

    /// Options that say something about a file, where no file is named.
    pub(super) fn refuse_without_file(&self) -> Result<(), Failure> {
        let given = [("--force", self.force), ("--merge", self.merge)];
        let given = given.iter().find(|(_, given)| *given && self.output.is_none());
        if let Some((option, _)) = given {
            return Err(Failure::new(format!("`{option}` is about a file, and none is named"))
                .hint("`--output .agent-scope.json` names it; `--repo DIR` the repository that has one"));
        }
        if self.base.is_some() {
            return Err(Failure::new("`--base` is for repositories that share a policy, and none is named")
                .hint("`--repo DIR` names a repository: `--repo .` the current directory"));
        }
        Ok(())
    }
}
