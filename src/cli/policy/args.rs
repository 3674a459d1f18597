//! What `policy` and its commands take.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(in crate::cli) struct PolicyArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum PolicyCommand {
    /// Check a policy, and show everything that is wrong with it.
    Validate(ValidateArgs),
}

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

#[derive(Debug, Args)]
pub(in crate::cli) struct ValidateArgs {
    /// The policies [default: .agent-scope.json].
    #[arg(value_name = "FILE")]
    pub(in crate::cli) files: Vec<String>,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(in crate::cli) no_color: bool,
}
