//! What everything that records takes: `hook`, `record`, and `setup`, which writes such command lines.

use clap::Args;

use super::failure::Failure;
use super::redact::{PersonalData, Redactor};

/// What is taken out before anything is written.
#[derive(Debug, Clone, Args)]
pub(super) struct PrivateArgs {
    /// Replace secrets before anything is written: the default.
    #[arg(long, conflicts_with = "no_redact")]
    redact: bool,

    /// Record everything as it is, secrets included.
    #[arg(long)]
    pub(super) no_redact: bool,

    /// Replace personal data, too: what the detectors know and what .agent-strace/anonymize.yaml names.
    #[arg(long, conflicts_with = "no_redact")]
    pub(super) mask: bool,

    /// One more thing that is secret: a regular expression; repeatable.
    #[arg(long = "redact-pattern", value_name = "REGEX", conflicts_with = "no_redact")]
    pub(super) patterns: Vec<String>,
}

impl PrivateArgs {
    /// `None`: everything is written as it is.
    pub(super) fn wanted(&self, colour: bool) -> Result<Option<Redactor>, Failure> {
        if self.no_redact {
            return Ok(None);
        }
        let personal = if self.mask { PersonalData::Mask } else { PersonalData::Keep };
        Redactor::of_recorder(&self.patterns, personal, colour).map(Some)
    }
}

/// Whether calls are kept from running, and by what.
#[derive(Debug, Clone, Args)]
pub(super) struct EnforceArgs {
    /// Answer calls that are about to run as the policy says: what it denies is refused.
    #[arg(long)]
    pub(super) enforce: bool,

    /// Refuse what can't be judged or recorded, too: a broken policy, a store that can't be written.
    #[arg(long, requires = "enforce")]
    pub(super) fail_closed: bool,

    /// The policy [default: .agent-scope.json of the project].
    #[arg(long, value_name = "FILE", requires = "enforce")]
    pub(super) policy: Option<String>,

    /// Read the policy and its settings from this git revision, which the agent's work tree is not.
    #[arg(long, value_name = "REV", requires = "enforce")]
    pub(super) policy_ref: Option<String>,
}

impl EnforceArgs {
    /// The same as a call was judged by, for a look after it.
    pub(super) fn of_policy(policy: Option<String>, policy_ref: Option<String>) -> Self {
        Self { enforce: true, fail_closed: false, policy, policy_ref }
    }
}
