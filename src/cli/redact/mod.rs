//! `redact`: logs of any format without what is private in them, or a list of where it is.

mod check;
mod detector;
mod open;
mod ordered;
#[cfg(feature = "live")]
mod quiet;
mod rewrite;
mod row;
mod targets;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::Streams;
use super::configuration;
use super::environment::Environment;
use super::failure::Failure;
use agent_strace_secrets::Confidence;
pub(in crate::cli) use detector::Redactor;
#[cfg(feature = "live")]
pub(in crate::cli) use quiet::{PersonalData, clean, clean_text};
use targets::Targets;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace redact session.jsonl > clean.jsonl        one log, to standard output
  tail -F app.log | agent-strace redact -                a stream
  agent-strace redact logs/ --output clean/              every file of a folder, at the same places
  agent-strace redact logs/ --in-place --mask            the files themselves, personal data, too
  agent-strace redact abc123 --output shared/            a session of the store
  agent-strace redact --check logs/                      only say where something private is
  agent-strace redact --check . --format ndjson          the same, one finding a line
  agent-strace redact a.log --redact-pattern 'ATTESTATION_KEY=[A-Fa-f0-9]{64}'

What is found becomes [REDACTED:kind]; every other byte stays as it is. JSON stays JSON, also inside
of strings, and lines stay where they are. Secrets are always replaced, personal data only with
--mask: what the detectors know, and what `rules` and `identities` of .agent-strace/anonymize.yaml
name, but not what its `keep` lists.
What is compressed with gzip is compressed again; other compressed, packed and binary files are
refused, never copied. Links are not followed, and Git's own folder (.git) is left out. Nothing is
overwritten unless --in-place or --force says so.

What only may be a secret, as a password that is a word, is replaced as well; --check lists it with
--confidence low.

Exit code of --check: 1 when a secret is found of medium or high confidence (with --mask also personal
data), 3 when something could not be read, else 0. Without --check: 0, or 2 when a file was not
rewritten.";

#[derive(Debug, Args)]
pub(super) struct RedactArgs {
    /// Logs: files of any format, folders, sessions of the store by id or unambiguous prefix, or `-`.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,

    /// Write nothing; list what is private and where it is: secrets and personal data.
    #[arg(long, conflicts_with_all = ["output", "in_place"])]
    check: bool,

    /// Replace personal data, too; with --check it fails, too.
    #[arg(long)]
    mask: bool,

    /// What is less certain than this is left alone: without it nothing, with --check what is below medium.
    #[arg(long, value_name = "LEVEL")]
    confidence: Option<ConfidenceName>,

    /// One more thing that is secret: a regular expression; repeatable.
    #[arg(long = "redact-pattern", value_name = "REGEX")]
    patterns: Vec<String>,

    /// What else is personal, and what is nobody's [default: .agent-strace/anonymize.yaml, if there is one].
    #[arg(long, value_name = "FILE")]
    anonymize_config: Option<String>,

    /// Where to write: a file, or a folder for several logs.
    #[arg(long, short, value_name = "PATH", conflicts_with = "in_place")]
    output: Option<PathBuf>,

    /// Overwrite files at --output.
    #[arg(long, requires = "output")]
    force: bool,

    /// Replace the files themselves, each in one step.
    #[arg(long)]
    in_place: bool,

    /// How the list is written.
    #[arg(long, value_name = "FORMAT", default_value = "text", requires = "check")]
    format: CheckFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ConfidenceName {
    High,
    Medium,
    Low,
}

/// How `--check` tells what it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    Text,
    Json,
    /// One finding a line.
    Ndjson,
}

impl From<ConfidenceName> for Confidence {
    fn from(name: ConfidenceName) -> Self {
        match name {
            ConfidenceName::High => Self::High,
            ConfidenceName::Medium => Self::Medium,
            ConfidenceName::Low => Self::Low,
        }
    }
}

pub(super) fn run(
    trace_dir: &Path,
    args: &RedactArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let usual = if args.check { ConfidenceName::Medium } else { ConfidenceName::Low };
    let least = args.confidence.unwrap_or(usual).into();
    let personal = args.mask || args.check;
    let configured = match (personal, &args.anonymize_config) {
        (false, None) => None,
        (_, named) => Some(configuration::anonymizing(named.as_deref(), environment.colour)?),
    };
    let wanted = Redactor::new(&args.patterns, least, configured.filter(|_| personal))?;
    let targets = Targets::find(trace_dir, &args.paths)?;
    if args.check {
        return check::run(&targets, &wanted, args.mask, args.format, streams);
    }
    rewrite::run(&targets, &wanted, args, streams)
}
