//! Values of options that several commands take.

use std::path::PathBuf;

use agent_strace_model::finding::Level;
use agent_strace_report::OutputFormat;
use agent_strace_rules::Source;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    Error,
    Warning,
    Note,
    Never,
}

impl FailOn {
    pub(super) fn threshold(self) -> agent_strace_engine::FailOn {
        match self {
            Self::Error => agent_strace_engine::FailOn::Level(Level::Error),
            Self::Warning => agent_strace_engine::FailOn::Level(Level::Warning),
            Self::Note => agent_strace_engine::FailOn::Level(Level::Note),
            Self::Never => agent_strace_engine::FailOn::Never,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SourceName {
    Runner,
    Artifact,
    PullRequest,
    Attested,
    /// For commands that see the calls themselves.
    #[cfg(feature = "live")]
    #[value(skip)]
    Live,
}

impl SourceName {
    pub(super) fn source(self) -> Source {
        match self {
            Self::Runner => Source::Runner,
            Self::Artifact => Source::Artifact,
            Self::PullRequest => Source::PullRequest,
            Self::Attested => Source::Attested,
            #[cfg(feature = "live")]
            Self::Live => Source::Live,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PlainFormat {
    Text,
    Json,
}

pub(super) fn parse_now(text: &str) -> Result<jiff::Timestamp, String> {
    // Without an offset a time names no moment, and the local one would make reports differ.
    let plain = text.starts_with(|first: char| first.is_ascii_digit()) && !text.contains('[');
    let moment = if plain { text.parse().ok() } else { None };
    moment.ok_or_else(|| "expected a time with its offset, e.g. `2026-03-01T12:00:00Z`".to_owned())
}

/// Parses the name of a format; help texts and suggestions list all names.
pub(super) fn format_parser<F: OutputFormat>() -> impl TypedValueParser<Value = F> {
    let names = F::ALL.iter().map(|format| format.name());
    PossibleValuesParser::new(names).try_map(|name| F::find(&name).ok_or("not a format"))
}

/// Parses `FORMAT=FILE`: one of the formats that a command offers, and the file to write.
pub(super) fn parse_report<F: OutputFormat>(text: &str) -> Result<(F, PathBuf), String> {
    let Some((format, file)) = text.split_once('=').filter(|(_, file)| !file.is_empty()) else {
        return Err("expected FORMAT=FILE, e.g. `sarif=gate.sarif`".to_owned());
    };
    let format = F::find(format).ok_or_else(|| {
        let names: Vec<&str> = F::ALL.iter().map(|format| format.name()).collect();
        format!("`{format}` is not a format ({})", names.join(", "))
    })?;
    Ok((format, PathBuf::from(file)))
}

/// An absolute directory; it need not be on this machine.
pub(super) fn parse_root(text: &str) -> Result<String, String> {
    let is_root = agent_strace_policy::config::is_root(text);
    is_root.then(|| text.to_owned()).ok_or_else(|| "expected an absolute directory, e.g. `/home/dana/rates`".to_owned())
}
