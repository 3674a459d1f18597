//! What `export` takes beside the formats of files: where to, and as what.

use clap::{Args, ValueEnum};

use super::super::super::args::parse_now;
use super::super::super::since::{self, Since};

#[derive(Debug, Args)]
pub(in crate::cli::export) struct TelemetryArgs {
    /// Send it to this OTLP endpoint (`URL/v1/traces`, `URL/v1/metrics`). Without it nothing leaves the machine.
    #[arg(long, value_name = "URL", conflicts_with_all = ["output", "dry_run"])]
    pub(super) endpoint: Option<String>,

    /// A header of the requests, `Name: value`; repeatable.
    #[arg(long = "header", value_name = "HEADER")]
    pub(super) headers: Vec<String>,

    /// What the service is called: `service.name`.
    #[arg(long, value_name = "NAME", default_value = "agent-strace")]
    pub(super) service_name: String,

    /// What sessions add up to, as gauges.
    #[arg(long, conflicts_with_all = ["scores", "anonymize"])]
    pub(in crate::cli::export) metrics: bool,

    /// With `--backend langfuse`: how sessions measure up to .agent-evals.yaml, too.
    #[arg(long)]
    pub(super) scores: bool,

    /// Take where to send it to from the environment: `otlp` from `OTEL_EXPORTER_OTLP_ENDPOINT` and
    /// `OTEL_EXPORTER_OTLP_HEADERS` (without them it is printed), `langfuse` from `LANGFUSE_HOST`,
    /// `LANGFUSE_PUBLIC_KEY` and `LANGFUSE_SECRET_KEY`.
    #[arg(long, value_name = "BACKEND", conflicts_with_all = ["output", "dry_run"])]
    pub(super) backend: Option<Backend>,

    /// Where Langfuse runs [default: `LANGFUSE_HOST`, or its cloud].
    #[arg(long, value_name = "URL", conflicts_with = "endpoint")]
    pub(super) langfuse_host: Option<String>,

    /// All sessions that were active since, not only the latest: `7d`, `12h`, `2w`, a date, or a time with its offset.
    #[arg(long, value_name = "WHEN", value_parser = since::parse, conflicts_with = "session")]
    pub(in crate::cli::export) since: Option<Since>,

    /// What time it is, for `--since` [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(in crate::cli::export) now: Option<jiff::Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli::export) enum Backend {
    Otlp,
    Langfuse,
}

impl TelemetryArgs {
    /// Whether something is asked for that files can't hold.
    pub(in crate::cli::export) fn is_asked(&self) -> bool {
        let sends = self.backend.is_some() || self.endpoint.is_some() || self.langfuse_host.is_some();
        self.metrics || self.scores || sends || !self.headers.is_empty()
    }
}
