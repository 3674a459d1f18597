//! What `policy` takes where no command follows.

use std::path::PathBuf;

use clap::Args;

use super::super::super::args::{PlainFormat, WantedArgs, parse_now};

#[derive(Debug, Args)]
pub(in crate::cli) struct GenerateArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: all in the store].
    #[arg(value_name = "SESSION")]
    pub(in crate::cli) sessions: Vec<String>,

    /// Write the policy to a file [default: print it].
    #[arg(long, short, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,

    /// Write nothing, and print what would be written.
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,

    /// Replace a policy that is there.
    #[arg(long, requires = "output", conflicts_with = "merge")]
    pub(in crate::cli) force: bool,

    /// Add to the policy that is there: all of it stays, and nothing is allowed that it forbids.
    #[arg(long, requires = "output")]
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
