//! Sessions as traces.

use std::path::{Path, PathBuf};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, Span};
use prost::Message as _;

use super::super::super::Streams;
use super::super::super::environment::Environment;
use super::super::super::failure::Failure;
use super::super::super::http::Target;
use super::super::super::output;
use super::super::manifest::Manifest;
use super::super::options::{self, Prepared};
use super::super::telemetry_args::Backend;
use super::super::trace::{Cleaned, Trace};
use super::super::{ExportArgs, read, tell_residue, unfinished};
use super::send::Sent;
use super::{langfuse, naming, warn};
use agent_strace_ingest::{Log, StoreEntry};
use agent_strace_metrics::{Measured, Pricing};
use agent_strace_policy::prices::shipped;
use agent_strace_secrets::anonymize::{self, Anonymized};
use agent_strace_store::indented;
use agent_strace_telemetry::{Options, Traced};

pub(super) const PATH: &str = "/v1/traces";
/// Bytes of spans in one request, as protobuf has them; JSON is up to three times as long, and servers take 20 MiB.
const PIECE: usize = 2 << 20;

/// A session that can be sent.
struct ReadySession {
    id: String,
    traced: Traced,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &ExportArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let Some(naming) = naming(args) else {
        return Err(Failure::new("traces are sent in a format of OpenTelemetry")
            .hint("`--format otlp` or `--format otlp-genai`, or `--metrics`"));
    };
    let target = args.telemetry.target(environment)?;
    let _ = vault(args)?;
    let options = Options {
        naming,
        service: &args.telemetry.service_name,
        anonymized: args.anonymize,
        langfuse: args.telemetry.backend == Some(Backend::Langfuse),
    };
    let PreparedSessions { ready, mut is_whole } = make(trace_dir, args, options, environment, streams)?;
    if !ready.is_empty() && !args.dry_run {
        match target {
            None => print(args, ready, streams)?,
            Some(target) => is_whole &= deliver(trace_dir, &target, args, &ready, environment, streams)?,
        }
    }
    Ok(if is_whole { 0 } else { 3 })
}

/// The sessions to send, and whether they are all that were requested.
struct PreparedSessions {
    ready: Vec<ReadySession>,
    is_whole: bool,
}

fn make(
    trace_dir: &Path,
    args: &ExportArgs,
    options: Options<'_>,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<PreparedSessions, Failure> {
    let mut prepared = options::prepare(args, environment)?;
    let (traces, gaps) = read(trace_dir, args, environment, streams)?;
    let (mut ready, mut is_whole) = (Vec::new(), !traces.is_empty());
    for trace in &traces {
        prepared.of_session(args.per_session.then_some(trace.id.as_str()));
        let step = Step { args, prepared: &prepared, options };
        match step.make(trace, gaps.is_empty(), streams)? {
            Some(session) => ready.push(session),
            None => is_whole = false,
        }
    }
    for line in agent_strace_report::gap_lines(&gaps) {
        output::note(streams.stderr, &line);
    }
    if traces.is_empty() {
        output::note(streams.stderr, "error: no session was found: nothing was exported");
    }
    is_whole &= gaps.is_empty();
    Ok(PreparedSessions { ready, is_whole })
}

/// Sends sessions and their scores. `false`: not all of it was accepted.
fn deliver(
    trace_dir: &Path,
    target: &Target,
    args: &ExportArgs,
    ready: &[ReadySession],
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<bool, Failure> {
    // Errors of scoring are reported before anything is sent.
    let wanted = args.telemetry.scores;
    let scored = wanted.then(|| langfuse::scored(trace_dir, args, environment, streams)).transpose()?;
    let mut is_whole = send(target, args, ready, streams)?;
    if let Some(scored) = scored {
        is_whole &= langfuse::send(target, &scored, &ready_ids(ready), streams)?;
    }
    Ok(is_whole)
}

/// The file that keeps the originals of pseudonyms, if any.
fn vault(args: &ExportArgs) -> Result<Option<PathBuf>, Failure> {
    match (&args.vault, &args.output) {
        (None, None) if args.reversible => {
            Err(Failure::new("there is no file to keep what pseudonyms stand for beside")
                .hint("`--vault FILE` names one"))
        }
        (vault, output) => Ok(vault.clone().or_else(|| options::vault_path(args, output.as_deref()?))),
    }
}

fn ready_ids(ready: &[ReadySession]) -> Vec<&str> {
    ready.iter().map(|session| session.id.as_str()).collect()
}

struct Step<'a> {
    args: &'a ExportArgs,
    prepared: &'a Prepared,
    options: Options<'a>,
}

impl Step<'_> {
    /// `None`: the session can't be exported, and the reason was printed.
    fn make(&self, trace: &Trace, was_whole: bool, streams: &mut Streams<'_>) -> Result<Option<ReadySession>, Failure> {
        let options = &self.prepared.options;
        let anonymized = anonymize::anonymize(options, trace.lines().as_bytes(), &trace.fields());
        let anonymized = anonymized.map_err(|error| unfinished(&error))?;
        let cleaned = Cleaned::read(&anonymized.bytes);
        let cleaned = cleaned.ok_or_else(|| Failure::new("the session is no JSON any more"))?;
        let id = cleaned.header.session_id.clone();
        let shown = agent_strace_report::terminal(&id);
        let traced = match self.traced(&cleaned, was_whole) {
            Ok(Some(traced)) => traced,
            Ok(None) => {
                let line =
                    format!("error: session {shown} recorded no times, and a trace needs them: it was not exported");
                output::note(streams.stderr, &line);
                return Ok(None);
            }
            Err(lines) => {
                for line in &lines {
                    output::note(streams.stderr, line);
                }
                return Ok(None);
            }
        };
        if traced.untimed > 0 {
            let events =
                if traced.untimed == 1 { "1 event has".to_owned() } else { format!("{} events have", traced.untimed) };
            let line = format!(
                "note: {events} no time in session {shown}: they stand at the time of a neighbour (agent_strace.time_basis)"
            );
            output::note(streams.stderr, &line);
        }
        let text = agent_strace_report::to_json(&traced.spans);
        let residue = anonymized.residue(options, text.as_bytes()).map_err(|error| unfinished(&error))?;
        if !residue.is_empty() {
            tell_residue(&residue, streams);
            return Ok(None);
        }
        self.tell(&anonymized, &id, streams)?;
        Ok(Some(ReadySession { id, traced }))
    }

    /// Reads the redacted session like a stored one. Returns the gaps that redaction added.
    fn traced(&self, cleaned: &Cleaned<'_>, was_whole: bool) -> Result<Option<Traced>, Vec<String>> {
        let log = log_of(cleaned);
        let reading = log.read();
        if was_whole && !reading.gaps.is_empty() {
            return Err(agent_strace_report::gap_lines(&reading.gaps));
        }
        let Some(session) = reading.sessions.first() else { return Ok(None) };
        let made = agent_strace_engine::guarded(session, || {
            // Neither requests nor failures depend on what calls did.
            let measured = Measured::new(session, Vec::new(), Pricing::Table(shipped()));
            agent_strace_telemetry::trace(&measured, session, self.options)
        });
        made.map_err(|gap| agent_strace_report::gap_lines(&[gap]))
    }

    fn tell(&self, anonymized: &Anonymized, id: &str, streams: &mut Streams<'_>) -> Result<(), Failure> {
        if !self.args.anonymize {
            return Ok(());
        }
        let manifest = Manifest::new(self.prepared, anonymized, self.args);
        let verb = if self.args.dry_run { "Would redact:" } else { "Redacted:" };
        let told = manifest.told(id, verb);
        if self.args.dry_run {
            return output::print(streams.stdout, &told);
        }
        output::note(streams.stderr, told.trim_end());
        if let Some(vault) = vault(self.args)? {
            self.prepared.keep_originals(&vault, &anonymized.originals)?;
        }
        Ok(())
    }
}

/// A session that was cleaned, as an entry of the store.
fn log_of(cleaned: &Cleaned<'_>) -> Log {
    #[derive(serde::Deserialize)]
    struct SessionIdField {
        session_id: Option<String>,
    }
    let text: String = cleaned.events.iter().flat_map(|event| [*event, "\n"]).collect();
    let named = cleaned.events.first().and_then(|event| serde_json::from_str::<SessionIdField>(event).ok()?.session_id);
    let id = named.unwrap_or_else(|| cleaned.header.session_id.clone());
    let mut log = Log::new(cleaned.header.session_id.clone(), text.into_bytes());
    let meta = Ok(cleaned.header.meta.get().as_bytes().to_vec());
    log.store = Some(StoreEntry::in_memory(id, meta));
    log
}

fn print(args: &ExportArgs, ready: Vec<ReadySession>, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let resource_spans = ready.into_iter().map(|session| session.traced.spans).collect();
    let text = indented(&agent_strace_report::to_json(&ExportTraceServiceRequest { resource_spans })) + "\n";
    match &args.output {
        Some(path) => output::write(path, &text),
        None => output::print(streams.stdout, &text),
    }
}

/// `false`: not all of it was accepted.
fn send(
    target: &Target,
    args: &ExportArgs,
    ready: &[ReadySession],
    streams: &mut Streams<'_>,
) -> Result<bool, Failure> {
    let path = format!("{}{PATH}", args.telemetry.prefix());
    warn(target, &path, streams);
    let mut sent = Sent::default();
    for session in ready {
        for piece in pieces(&session.traced.spans) {
            let spans = piece.scope_spans.iter().map(|scope| scope.spans.len()).sum();
            let json = agent_strace_report::to_json(&ExportTraceServiceRequest { resource_spans: vec![piece] });
            sent.post(target, &path, &json, spans, streams)?;
        }
    }
    let sessions = if ready.len() == 1 { "1 session".to_owned() } else { format!("{} sessions", ready.len()) };
    let spans = if sent.items == 1 { "1 span".to_owned() } else { format!("{} spans", sent.items) };
    let line = match sent.rejected {
        0 => format!("sent {sessions} ({spans}) to {}", target.shown(&path)),
        rejected => format!("sent {sessions} to {}: {rejected} of {spans} were rejected", target.shown(&path)),
    };
    output::note(streams.stderr, &agent_strace_report::terminal(&line));
    Ok(sent.rejected == 0)
}

/// The spans of a session in as many requests as they need.
fn pieces(all: &ResourceSpans) -> Vec<ResourceSpans> {
    let mut pieces = Vec::new();
    for scope in &all.scope_spans {
        let mut rest: &[Span] = &scope.spans;
        while !rest.is_empty() {
            let mut size = 0_usize;
            let fits = rest.iter().take_while(|span| {
                size = size.saturating_add(span.encoded_len());
                size <= PIECE
            });
            // One that is larger goes alone.
            let (piece, after) = rest.split_at(fits.count().max(1));
            let scope_spans =
                opentelemetry_proto::tonic::trace::v1::ScopeSpans { spans: piece.to_vec(), ..scope.clone() };
            pieces.push(ResourceSpans {
                resource: all.resource.clone(),
                scope_spans: vec![scope_spans],
                schema_url: all.schema_url.clone(),
            });
            rest = after;
        }
    }
    pieces
}
