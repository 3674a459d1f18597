//! Options of `export` that send sessions or print them as telemetry. A build without that hides them and answers them.

use clap::{Args, ValueEnum};

use super::super::args::parse_now;
use super::super::since::{self, Since};

#[derive(Debug, Args)]
pub(super) struct TelemetryArgs {
    /// Send it to this OTLP endpoint (`URL/v1/traces`, `URL/v1/metrics`). Without it nothing leaves the machine.
    #[arg(long, value_name = "URL", conflicts_with_all = ["output", "dry_run"])]
    #[cfg_attr(not(feature = "telemetry"), arg(hide = true))]
    pub(super) endpoint: Option<String>,

    /// A header of the requests, `Name: value`; repeatable.
    #[arg(long = "header", value_name = "HEADER")]
    #[cfg_attr(not(feature = "telemetry"), arg(hide = true))]
    pub(super) headers: Vec<String>,

    /// What the service is called: `service.name`.
    #[arg(long, value_name = "NAME", default_value = "agent-strace")]
    #[cfg_attr(not(feature = "telemetry"), arg(hide = true))]
    pub(super) service_name: String,

    /// What sessions add up to, as gauges.
    #[arg(long, conflicts_with_all = ["scores", "anonymize"])]
    #[cfg_attr(not(feature = "telemetry"), arg(hide = true))]
    pub(super) metrics: bool,

    /// With `--backend langfuse`: how sessions measure up to .agent-evals.yaml, too.
    #[arg(long)]
    #[cfg_attr(not(feature = "telemetry"), arg(hide = true))]
    pub(super) scores: bool,

    /// Take where to send it to from the environment: `otlp` from `OTEL_EXPORTER_OTLP_ENDPOINT` and
    /// `OTEL_EXPORTER_OTLP_HEADERS` (without them it is printed), `langfuse` from `LANGFUSE_HOST`,
    /// `LANGFUSE_PUBLIC_KEY` and `LANGFUSE_SECRET_KEY`.
    #[arg(long, value_name = "BACKEND", conflicts_with_all = ["output", "dry_run"])]
    #[cfg_attr(not(feature = "telemetry"), arg(hide = true))]
    pub(super) backend: Option<Backend>,

    /// Where Langfuse runs [default: `LANGFUSE_HOST`, or its cloud].
    #[arg(long, value_name = "URL", conflicts_with = "endpoint")]
    #[cfg_attr(not(feature = "telemetry"), arg(hide = true))]
    pub(super) langfuse_host: Option<String>,

    /// All sessions that were active since, not only the latest: `7d`, `12h`, `2w`, a date, or a time with its offset.
    #[arg(long, value_name = "WHEN", value_parser = since::parse, conflicts_with = "session")]
    pub(super) since: Option<Since>,

    /// What time it is, for `--since` [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(super) now: Option<jiff::Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Backend {
    Otlp,
    Langfuse,
}

impl TelemetryArgs {
    /// Whether something is asked for that files can't hold.
    pub(super) fn is_asked(&self) -> bool {
        let sends = self.backend.is_some() || self.endpoint.is_some() || self.langfuse_host.is_some();
        self.metrics || self.scores || sends || !self.headers.is_empty()
    }
}
