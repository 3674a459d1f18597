//! `export`: a session as a document, without secrets and, where asked, without who it is about; `reveal`: the way back
//! for who has the key.

mod key_file;
mod manifest;
mod options;
#[cfg(feature = "mcp")]
mod redacted;
mod reveal;
#[cfg(feature = "telemetry")]
mod telemetry;
mod telemetry_args;
mod trace;
mod write;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::Streams;
use super::args::WantedArgs;
use super::environment::Environment;
use super::failure::Failure;
#[cfg(not(feature = "telemetry"))]
use super::features;
use super::output;
use super::pipeline::{Inputs, Order};
use super::session_filter::SessionFilter;
use agent_strace_ingest::discover::Selection;
use agent_strace_model::Gap;
use agent_strace_secrets::anonymize::{self, Anonymized, Residue, Unfinished};
use manifest::Manifest;
use options::Prepared;
#[cfg(feature = "mcp")]
pub(super) use redacted::{Redacted, redacted};
pub(super) use reveal::{EXAMPLES as REVEAL_EXAMPLES, RevealArgs, run as reveal};
use telemetry_args::TelemetryArgs;
use trace::{Cleaned, Trace};

#[cfg(feature = "telemetry")]
macro_rules! telemetry_help {
    () => {
        "  agent-strace export a84664 --format otlp > trace.json  a trace of OpenTelemetry, to be looked at
  agent-strace export a84664 --format otlp-genai --endpoint http://localhost:4318
  agent-strace export --metrics --backend otlp --since 30d
  agent-strace export --scores --backend langfuse

Nothing is sent but by --endpoint or --backend: then to that address alone, over HTTP, without
following redirects. --metrics are gauges of what sessions add up to.
"
    };
}

/// A build without telemetry has no examples of it.
#[cfg(not(feature = "telemetry"))]
macro_rules! telemetry_help {
    () => {
        ""
    };
}

pub(super) const EXAMPLES: &str = concat!(
    "\
Examples:
  agent-strace export a84664 --format json               its events, without the secrets in them
  agent-strace export a84664 --format csv > trace.csv    for spreadsheets
  agent-strace export a84664 --format ndjson             one event a line
  agent-strace export a84664 --anonymize --dry-run       what would be replaced
  agent-strace export a84664 --anonymize --output trace-anon.json
  agent-strace export a84664 --anonymize --key-file team.key --reversible --output trace-anon.json
  agent-strace reveal --key-file team.key trace-anon.json
",
    telemetry_help!(),
    "
Secrets become [REDACTED:kind], always. --anonymize also replaces home folders, users, hosts, e-mail
addresses, names, repositories, branches and other personal data, in keys and names as well as in
values and in every encoding. Who they are is found out from the session itself, from this machine
and from .agent-strace/anonymize.yaml. `/home/x/app` becomes `‹home:…›/app`: equal values get equal
pseudonyms. Names of roles (root, runner), noreply and example addresses stay.

Without --key-file the key is thrown away: nobody can find out what a pseudonym stood for, and the
next export has other ones. A key file that is not there is made. Before anything is written, the
finished text is searched once more for everything that was replaced, in every encoding.

Exit code 3: something is left (nothing is written), the session could not be read whole, or a
server rejected a part of what was sent; 2: a server did not take it."
);

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// A session: an id or an unambiguous prefix in the store, a log of any agent, an earlier export, or `-`
    /// [default: the latest].
    #[arg(value_name = "SESSION")]
    session: Option<String>,

    /// What is written.
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    format: ExportFormat,

    /// Where to write [default: standard output; with --anonymize a file `session-ID-anon.json`, but for traces].
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace whatever says who and where it was.
    #[arg(long)]
    anonymize: bool,

    /// More patterns, identities, and what stays [default: .agent-strace/anonymize.yaml, if there is one].
    #[arg(long, value_name = "FILE", requires = "anonymize")]
    anonymize_config: Option<String>,

    /// Say what would be replaced, and write nothing.
    #[arg(long, requires = "anonymize")]
    dry_run: bool,

    /// The key of pseudonyms: equal values get equal ones in every export with it. A file that is not there is made.
    #[arg(long, value_name = "FILE", requires = "anonymize")]
    key_file: Option<PathBuf>,

    /// Keep what pseudonyms stand for, sealed with the key, beside the output (`FILE.vault`).
    #[arg(long, requires = "key_file", conflicts_with = "dry_run")]
    reversible: bool,

    /// The same in this file; one that is there is added to.
    #[arg(long, value_name = "FILE", requires = "key_file", conflicts_with = "dry_run")]
    vault: Option<PathBuf>,

    /// Equal values of another session get other pseudonyms.
    #[arg(long, requires = "anonymize")]
    per_session: bool,

    /// Addresses of this domain keep it: `‹email:…›@corp.io`; repeatable.
    #[arg(long = "keep-domain", value_name = "DOMAIN", requires = "anonymize")]
    keep_domains: Vec<String>,

    #[command(flatten)]
    telemetry: TelemetryArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    Json,
    /// The columns of the Python tool; no cell is a formula.
    Csv,
    /// One event a line.
    Ndjson,
    /// A trace of OpenTelemetry, as OTLP/JSON.
    #[cfg_attr(not(feature = "telemetry"), value(hide = true))]
    Otlp,
    /// The same with requests to the model as spans, by the conventions for generative AI.
    #[cfg_attr(not(feature = "telemetry"), value(hide = true))]
    OtlpGenai,
}

impl ExportFormat {
    fn ending(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
            Self::Otlp | Self::OtlpGenai => "otlp.json",
        }
    }

    fn is_telemetry(self) -> bool {
        matches!(self, Self::Otlp | Self::OtlpGenai)
    }
}

pub(super) fn run(
    trace_dir: &Path,
    args: &ExportArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    if args.format.is_telemetry() || args.telemetry.is_asked() {
        #[cfg(feature = "telemetry")]
        return telemetry::run(trace_dir, args, environment, streams);
        #[cfg(not(feature = "telemetry"))]
        return Err(features::missing("export of telemetry", "telemetry"));
    }
    let mut prepared = options::prepare(args, environment)?;
    let (traces, gaps) = read(trace_dir, args, environment, streams)?;
    for line in agent_strace_report::gap_lines(&gaps) {
        output::note(streams.stderr, &line);
    }
    let trace = match traces.as_slice() {
        [] => {
            output::note(streams.stderr, "error: no session was found: nothing was exported");
            return Ok(3);
        }
        [trace] => trace,
        several => return Err(too_many(several)),
    };
    prepared.of_session(args.per_session.then_some(trace.id.as_str()));
    let anonymized = anonymize::anonymize(&prepared.options, trace.lines().as_bytes(), &trace.fields());
    let anonymized = anonymized.map_err(|error| unfinished(&error))?;
    let cleaned = Cleaned::read(&anonymized.bytes).ok_or_else(|| Failure::new("the session is no JSON any more"))?;
    let manifest = Manifest::new(&prepared, &anonymized, args);
    let text = write::document(args, &cleaned, &manifest)?;
    let residue = anonymized.residue(&prepared.options, text.as_bytes()).map_err(|error| unfinished(&error))?;
    if !residue.is_empty() {
        tell_residue(&residue, streams);
        return Ok(3);
    }
    let export = AnonymizedExport {
        prepared: &prepared,
        anonymized: &anonymized,
        cleaned: &cleaned,
        manifest: &manifest,
        text: &text,
    };
    export.write(args, streams)?;
    Ok(if gaps.is_empty() { 0 } else { 3 })
}

fn read(
    trace_dir: &Path,
    args: &ExportArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<(Vec<Trace>, Vec<Gap>), Failure> {
    let inputs = select(trace_dir, args, environment, streams)?;
    let left_out = inputs.left_out();
    if left_out > 0 {
        let line = format!("note: this is the latest session; {left_out} more in the store: name one to export it");
        output::note(streams.stderr, &line);
    }
    let (parts, mut gaps) = inputs.each_log(Order::AtOnce, |log, reading| trace::of_log(log, &reading));
    let mut traces = Vec::new();
    for (part, part_gaps) in parts {
        traces.extend(part);
        gaps.extend(part_gaps);
    }
    gaps.sort();
    Ok((traces, gaps))
}

/// The requested sessions: one, the latest, or all since some time.
fn select(
    trace_dir: &Path,
    args: &ExportArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Inputs, Failure> {
    let requests: Vec<String> = args.session.iter().cloned().collect();
    let since = args.telemetry.since;
    let selection = if since.is_some() { Selection::All } else { Selection::Latest };
    let inputs = Inputs::select(trace_dir, &requests, selection, environment, streams.stdin)?;
    let asked = WantedArgs { agents: Vec::new(), since, project: None };
    Ok(inputs.only(SessionFilter::new(&asked, args.telemetry.now, environment)?))
}

#[cfg(feature = "telemetry")]
impl ExportArgs {
    /// It can be read once.
    fn is_stdin(&self) -> bool {
        self.session.as_deref() == Some("-")
    }
}

fn too_many(several: &[Trace]) -> Failure {
    const SHOWN: usize = 5;
    let ids: Vec<&str> = several.iter().take(SHOWN).map(|trace| trace.id.as_str()).collect();
    let more = if several.len() > SHOWN { ", …" } else { "" };
    Failure::new(format!(
        "{} sessions are here, and one is exported at a time: {}{more}",
        several.len(),
        ids.join(", ")
    ))
    .hint("`agent-strace import` brings them into the store, where each has an id")
}

fn unfinished(error: &Unfinished) -> Failure {
    Failure::new(format!("the session can't be exported: {error}"))
}

/// Prints classes and locations, never values.
fn tell_residue(residue: &[Residue], streams: &mut Streams<'_>) {
    const SHOWN: usize = 20;
    output::note(streams.stderr, "error: nothing was written: the finished export still holds what had to go");
    for Residue { line, pointer, class } in residue.iter().take(SHOWN) {
        let location = if pointer.is_empty() { String::new() } else { format!(", {pointer}") };
        let what = manifest::described_rule(class);
        output::note(streams.stderr, &agent_strace_report::terminal(&format!("  line {line}{location}: {what}")));
    }
    if residue.len() > SHOWN {
        output::note(streams.stderr, &format!("  and {} more places", residue.len() - SHOWN));
    }
    let hint = "  hint: a `description` or `replacement` in the configuration may name what it hides; `keep` says what \
                may stay";
    output::note(streams.stderr, hint);
}

/// A finished export, and everything that it was made from.
struct AnonymizedExport<'e> {
    prepared: &'e Prepared,
    anonymized: &'e Anonymized,
    cleaned: &'e Cleaned<'e>,
    manifest: &'e Manifest,
    text: &'e str,
}

impl AnonymizedExport<'_> {
    /// Writes the export, the vault and the notes, or only shows what would be written.
    fn write(&self, args: &ExportArgs, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let Self { prepared, anonymized, cleaned, manifest, text } = *self;
        if args.dry_run {
            let told = manifest.told(&cleaned.header.session_id, "Would redact:");
            return output::print(
                streams.stdout,
                &format!("{told}\n{}\n", next_step(args, &cleaned.header.session_id)),
            );
        }
        if !args.anonymize {
            return match &args.output {
                Some(path) => output::write(path, text),
                None => output::print(streams.stdout, text),
            };
        }
        let path = args.output.clone().unwrap_or_else(|| PathBuf::from(write::file_name(cleaned, args.format)));
        let vault = options::vault_path(args, &path);
        if let Some(vault) = &vault {
            prepared.keep_originals(vault, &anonymized.originals)?;
        }
        output::write(&path, text)?;
        let told = manifest.told(&cleaned.header.session_id, "Redacted:");
        let shown = path.display();
        let told =
            format!("{told}\n{}", agent_strace_report::terminal(&format!("Exported anonymized trace to {shown}")));
        output::note(streams.stderr, &told);
        if let Some(key) = args.key_file.as_ref().filter(|_| prepared.is_new) {
            let line = format!("made the key {}: whoever has it can find out who is meant", key.display());
            output::note(streams.stderr, &agent_strace_report::terminal(&line));
        }
        if let Some(vault) = vault {
            let line = format!("what pseudonyms stand for is in {}: who has the key reads it", vault.display());
            output::note(streams.stderr, &agent_strace_report::terminal(&line));
        }
        Ok(())
    }
}

/// Repeats the typed session only if the export shows its id anyway.
fn next_step(args: &ExportArgs, shown: &str) -> String {
    let session = args.session.as_deref().filter(|typed| shown.starts_with(typed)).unwrap_or("SESSION");
    format!("Nothing was written. `agent-strace export {session} --anonymize --output FILE` writes it.")
}
