//! `eval dataset`: sessions that are worth keeping, by name and label, in files of the store.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::super::Streams;
use super::super::args::{WantedArgs, parse_now};
use super::super::environment::Environment;
use super::super::failure::{Failure, reason};
use super::super::output;
use super::super::pipeline::Inputs;
use super::super::session_filter::SessionFilter;
use super::super::since::{self, Since};
use super::args::Judged;
use super::{MissingEvals, gaps};
use agent_strace_engine::{Outcome, SessionOutcome};
use agent_strace_ingest::discover::Selection;
use agent_strace_policy::hex;
use agent_strace_rules::eval::weighted;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace eval dataset add --session abc123 --label good
  agent-strace eval dataset auto --filter cost-above:2.50 --since 7d --name dear
  agent-strace eval dataset list
  agent-strace eval dataset export --dataset .agent-traces/datasets/dear.jsonl

A dataset is a file with one JSON object a line: entry_id, session_id, label, added_at, scorers.";

#[derive(Debug, Args)]
pub(super) struct DatasetArgs {
    #[command(subcommand)]
    command: DatasetCommand,
}

#[derive(Debug, Subcommand)]
enum DatasetCommand {
    /// Add one session.
    Add(AddArgs),
    /// List the datasets of the store, or the entries of one.
    List(FileArgs),
    /// Print the entries of a dataset, one a line.
    Export(ExportArgs),
    /// Add every session that a filter picks.
    Auto(AutoArgs),
}

#[derive(Debug, Args)]
struct FileArgs {
    /// The dataset [default: datasets/default.jsonl in the store].
    #[arg(long, value_name = "FILE")]
    dataset: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct AddArgs {
    /// An id or an unambiguous prefix in the store, or a log.
    #[arg(long, value_name = "ID")]
    session: String,

    /// What the session stands for.
    #[arg(long, value_name = "TEXT", default_value = "")]
    label: String,

    #[command(flatten)]
    file: FileArgs,

    /// When it is added [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    now: Option<jiff::Timestamp>,
}

#[derive(Debug, Args)]
struct ExportArgs {
    #[command(flatten)]
    file: FileArgs,

    /// Write them to a file.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct AutoArgs {
    /// The dataset by its name in the store.
    #[arg(long, value_name = "NAME", conflicts_with = "dataset", value_parser = parse_name)]
    name: Option<String>,

    #[command(flatten)]
    file: FileArgs,

    /// `has-errors`, `high-retry`, `cost-above:DOLLARS`, `wide-blast`, `long-duration:SECONDS` or `low-eval-score:SCORE`.
    #[arg(long, value_name = "FILTER", default_value = "has-errors", value_parser = parse_filter)]
    filter: Filter,

    /// Only sessions that were active since: `7d`, `12h`, `2w`, a date, or a time with its offset.
    #[arg(long, value_name = "WHEN", value_parser = since::parse)]
    since: Option<Since>,

    /// What the sessions stand for [default: the filter].
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,

    #[command(flatten)]
    judged: Judged,
}

/// Which sessions are worth keeping.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Filter {
    HasErrors,
    HighRetry,
    CostAbove(f64),
    WideBlast,
    LongDuration(f64),
    LowEvalScore(f64),
}

/// Calls that were made again after they failed.
const RETRIES: usize = 3;
/// Files that were changed.
const BLAST: usize = 10;

fn parse_filter(text: &str) -> Result<Filter, String> {
    let (name, amount) = text.split_once(':').map_or((text, None), |(name, amount)| (name, Some(amount)));
    let amount = amount.map(|amount| amount.trim_start_matches('$').trim_end_matches('s'));
    let number = amount.map(|amount| amount.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0));
    match (name, number) {
        ("has-errors", None) => Ok(Filter::HasErrors),
        ("high-retry", None) => Ok(Filter::HighRetry),
        ("wide-blast", None) => Ok(Filter::WideBlast),
        ("cost-above", Some(Some(number))) => Ok(Filter::CostAbove(number)),
        ("long-duration", Some(Some(number))) => Ok(Filter::LongDuration(number)),
        ("low-eval-score", Some(Some(number))) => Ok(Filter::LowEvalScore(number)),
        ("cost-above" | "long-duration" | "low-eval-score", _) => Err(format!("expected an amount, e.g. `{name}:2`")),
        _ => Err("expected has-errors, high-retry, cost-above:N, wide-blast, long-duration:Ns or low-eval-score:N"
            .to_owned()),
    }
}

/// A name is a file in one folder, never a way out of it.
fn parse_name(text: &str) -> Result<String, String> {
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    if text.is_empty() || text.starts_with('.') || !text.chars().all(plain) {
        return Err("expected letters, digits, `-`, `_` and `.`".to_owned());
    }
    Ok(text.to_owned())
}

/// One line of a dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Entry {
    #[serde(rename = "entry_id")]
    id: String,
    session_id: String,
    #[serde(default)]
    label: String,
    /// Seconds of the epoch.
    added_at: f64,
    #[serde(default)]
    scorers: Vec<serde_json::Value>,
    /// What others have noted: it stays.
    #[serde(flatten)]
    more: serde_json::Map<String, serde_json::Value>,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &DatasetArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    match &args.command {
        DatasetCommand::Add(args) => add(trace_dir, args, environment, streams),
        DatasetCommand::List(args) => list(trace_dir, args, streams),
        DatasetCommand::Export(args) => export(trace_dir, args, streams),
        DatasetCommand::Auto(args) => auto(trace_dir, args, environment, streams),
    }
}

fn folder(trace_dir: &Path) -> PathBuf {
    trace_dir.join("datasets")
}

impl FileArgs {
    fn path(&self, trace_dir: &Path) -> PathBuf {
        self.dataset.clone().unwrap_or_else(|| folder(trace_dir).join("default.jsonl"))
    }
}

/// A store comes with a checkout: who made it may not say where else we write.
fn own(path: PathBuf, trace_dir: &Path) -> Result<PathBuf, Failure> {
    let folder = folder(trace_dir);
    if path.parent() == Some(&*folder) && folder.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
        return Err(Failure::new(format!("`{}` is a link, and datasets are kept in the store", folder.display())));
    }
    Ok(path)
}

fn add(trace_dir: &Path, args: &AddArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let requests = [args.session.clone()];
    let inputs = Inputs::select(trace_dir, &requests, Selection::All, environment, streams.stdin)?;
    let (ids, gaps) = inputs.all(|session| session.id.clone().into_owned());
    let [id] = ids.as_slice() else {
        let message = format!("`{}` holds {} sessions, and one is added", args.session, ids.len());
        return Err(Failure::new(message).hint("`agent-strace list` shows the sessions in the store"));
    };
    let now = now(args.now, environment)?;
    let entries = vec![entry(id, &args.label, now, Vec::new())];
    keep(&own(args.file.path(trace_dir), trace_dir)?, entries, streams)?;
    tell(&gaps, streams);
    Ok(if gaps.is_empty() { 0 } else { 3 })
}

fn auto(trace_dir: &Path, args: &AutoArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let measure = args.judged.measure(MissingEvals::Standard, None, environment)?;
    let wanted = WantedArgs { agents: Vec::new(), since: args.since, project: None };
    let wanted = SessionFilter::new(&wanted, args.judged.now, environment)?;
    let inputs = Inputs::select(trace_dir, &[], Selection::All, environment, streams.stdin)?.only(wanted);
    let now = now(args.judged.now, environment)?;
    let outcome: Outcome = measure.judge(inputs);
    let Some(evals) = measure.evals() else { return Ok(3) };
    let label = args.label.clone().unwrap_or_else(|| args.filter.name());
    let mut entries = Vec::new();
    for session in &outcome.sessions {
        let score = session.assessment.as_ref().and_then(|assessment| weighted(evals, assessment));
        if args.filter.picks(session, score) {
            entries.push(entry(&session.id, &label, now, scorers(session, evals)));
        }
    }
    let path = match &args.name {
        Some(name) => folder(trace_dir).join(format!("{}.jsonl", name.trim_end_matches(".jsonl"))),
        None => args.file.path(trace_dir),
    };
    let gaps = gaps(&outcome);
    if outcome.sessions.is_empty() {
        return Ok(super::no_sessions(&[], trace_dir, streams));
    }
    keep(&own(path, trace_dir)?, entries, streams)?;
    tell(&gaps, streams);
    Ok(if gaps.is_empty() { 0 } else { 3 })
}

impl Filter {
    fn name(self) -> String {
        match self {
            Self::HasErrors => "has-errors".to_owned(),
            Self::HighRetry => "high-retry".to_owned(),
            Self::WideBlast => "wide-blast".to_owned(),
            Self::CostAbove(number) => format!("cost-above:{number}"),
            Self::LongDuration(number) => format!("long-duration:{number}s"),
            Self::LowEvalScore(number) => format!("low-eval-score:{number}"),
        }
    }

    fn picks(self, session: &SessionOutcome, score: Option<f64>) -> bool {
        let Some(totals) = session.assessment.as_ref().map(|assessment| &assessment.totals) else { return false };
        match self {
            Self::HasErrors => totals.errors > 0,
            Self::HighRetry => totals.retries >= RETRIES,
            Self::WideBlast => totals.files_changed > BLAST,
            Self::CostAbove(most) => totals.dollars > most,
            Self::LongDuration(most) => totals.seconds.is_some_and(|seconds| seconds > most),
            Self::LowEvalScore(least) => score.is_some_and(|score| score < least),
        }
    }
}

fn scorers(session: &SessionOutcome, evals: &agent_strace_policy::config::evals::Evals) -> Vec<serde_json::Value> {
    let Some(assessment) = &session.assessment else { return Vec::new() };
    let scores = evals.scorers.iter().zip(&assessment.scores);
    scores.map(|(scorer, measured)| serde_json::json!({"scorer": scorer.name, "score": measured.number()})).collect()
}

fn entry(session: &str, label: &str, now: jiff::Timestamp, scorers: Vec<serde_json::Value>) -> Entry {
    let digest = hex(&Sha256::digest(format!("{}:{session}{label}", session.len())));
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of the epoch fit into a double")]
    let added_at = now.as_millisecond() as f64 / 1000.0;
    let id = digest.get(..12).unwrap_or_default().to_owned();
    Entry {
        id,
        session_id: session.to_owned(),
        label: label.to_owned(),
        added_at,
        scorers,
        more: serde_json::Map::new(),
    }
}

fn now(given: Option<jiff::Timestamp>, environment: Environment) -> Result<jiff::Timestamp, Failure> {
    given
        .or_else(|| environment.machine.map(|machine| machine.now))
        .ok_or_else(|| Failure::new("an entry says when it was added: say what time it is with `--now`"))
}

/// Adds what is not there yet: the same session with the same label is the same entry.
fn keep(path: &Path, new: Vec<Entry>, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let shown = agent_strace_report::terminal(&path.display().to_string());
    let absent = path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
    let mut entries = if absent { Vec::new() } else { read(path)? };
    let before = entries.len();
    let mut known: BTreeSet<String> = entries.iter().map(|entry| entry.id.clone()).collect();
    entries.extend(new.into_iter().filter(|entry| known.insert(entry.id.clone())));
    let added = entries.len() - before;
    if added > 0 {
        output::write_with_folder(path, &lines(&entries)?)?;
    }
    let noun = if added == 1 { "entry" } else { "entries" };
    output::print(streams.stdout, &format!("Added {added} {noun} to {shown} ({} in all)\n", entries.len()))
}

/// All of them or none: an entry that is left out would be gone from the file.
fn lines(entries: &[Entry]) -> Result<String, Failure> {
    let line = |entry: &Entry| serde_json::to_string(entry).map(|line| line + "\n");
    let lines: Result<String, _> = entries.iter().map(line).collect();
    lines.map_err(|error| Failure::new(format!("an entry of the dataset can't be written: {error}")))
}

fn read(path: &Path) -> Result<Vec<Entry>, Failure> {
    let unusable = |reason: String| Failure::new(format!("the dataset `{}` can't be used: {reason}", path.display()));
    if let Err(error) = path.symlink_metadata() {
        return Err(unusable(reason(&error)));
    }
    let bytes = output::read_small(path).ok_or_else(|| unusable("it is no plain file of up to 16 MiB".to_owned()))?;
    let text = String::from_utf8(bytes).map_err(|_| unusable("it is not UTF-8 text".to_owned()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| serde_json::from_str(line).map_err(|error| unusable(format!("line {}: {error}", at + 1))))
        .collect()
}

fn list(trace_dir: &Path, args: &FileArgs, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    if args.dataset.is_some() {
        let head = ["entry", "session", "label"].map(str::to_owned);
        let entries = read(&args.path(trace_dir))?;
        let rows = entries
            .iter()
            .map(|entry| [entry.id.as_str(), &entry.session_id, &entry.label].map(agent_strace_report::terminal));
        let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
        output::print(streams.stdout, &agent_strace_report::columns(&rows))?;
        return Ok(0);
    }
    let folder = folder(trace_dir);
    let all = || fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>();
    let mut files = match all() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Failure::new(format!("can't list `{}`: {}", folder.display(), reason(&error)))),
        Ok(files) => files,
    };
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let mut rows = vec![["dataset", "entries"].map(str::to_owned)];
    for file in &files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        rows.push([agent_strace_report::terminal(&name), read(file)?.len().to_string()]);
    }
    if files.is_empty() {
        output::note(streams.stderr, "note: there are no datasets; `eval dataset auto` makes one");
    } else {
        output::print(streams.stdout, &agent_strace_report::columns(&rows))?;
    }
    Ok(0)
}

fn export(trace_dir: &Path, args: &ExportArgs, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let text = lines(&read(&args.file.path(trace_dir))?)?;
    match &args.output {
        Some(path) => output::write(path, &text)?,
        None => output::print(streams.stdout, &text)?,
    }
    Ok(0)
}

fn tell(gaps: &[agent_strace_model::Gap], streams: &mut Streams<'_>) {
    for line in agent_strace_report::gap_lines(gaps) {
        output::note(streams.stderr, &line);
    }
}
