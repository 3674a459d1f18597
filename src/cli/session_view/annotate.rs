//! `annotate`: notes, labels and bookmarks at events of the store.

use std::path::{Path, PathBuf};

use clap::Args;

use super::super::Streams;
use super::super::args::parse_now;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::pipeline::{Inputs, Order};
use agent_strace_ingest::Log;
use agent_strace_ingest::discover::Selection;
use agent_strace_model::Gap;
use agent_strace_report::replay::{Note, note_lines};
use agent_strace_session_view::events::{Events, events};
use agent_strace_store::annotations::{self, Annotation};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace annotate abc123 12 --note 'Why did it call bash here?'
  agent-strace annotate abc123 12 --label regression --author dana
  agent-strace annotate abc123 --at 2m14s --bookmark     the event nearest to that time
  agent-strace annotate abc123 --list
  agent-strace annotate abc123 --delete 3fa94c01d2e5

Notes lie in annotations.jsonl beside the events of their session, and `replay` shows them. Nothing
is judged by them. An event is a number, as `replay` has it, or the id of its record.";

/// More is no note.
const LONGEST: usize = 4_000;

#[derive(Debug, Args)]
pub(in crate::cli) struct AnnotateArgs {
    /// A session of the store: an id or an unambiguous prefix.
    #[arg(value_name = "SESSION")]
    session: String,

    /// The event: a number (`12`), the id of its record, or a time (`2m14s`, `134s`, `2:14`).
    #[arg(value_name = "EVENT")]
    target: Option<String>,

    /// The same.
    #[arg(long, value_name = "EVENT", conflicts_with_all = ["target", "at"])]
    event: Option<String>,

    /// The event nearest to this time since the session started, e.g. `2m14s`.
    #[arg(long, value_name = "TIME", conflicts_with = "target")]
    at: Option<String>,

    /// What is to be said.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    /// One word to find it by: `root-cause`, `decision`, `regression`, …
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,

    /// Mark the event.
    #[arg(long)]
    bookmark: bool,

    /// Who says so.
    #[arg(long, value_name = "NAME")]
    author: Option<String>,

    /// List what was noted.
    #[arg(long, conflicts_with_all = ["target", "event", "at", "note", "label", "bookmark", "author", "delete"])]
    list: bool,

    /// Take this note out.
    #[arg(long, value_name = "ID", conflicts_with_all = ["event", "at", "note", "label", "bookmark", "author"])]
    delete: Option<String>,

    /// What time it is [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    now: Option<jiff::Timestamp>,
}

/// A session of the store.
struct Stored {
    folder: PathBuf,
    events: Events,
}

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &AnnotateArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let stored = stored(trace_dir, &args.session, environment, streams)?;
    if let Some(id) = &args.delete {
        return delete(&stored, id, streams);
    }
    if args.list {
        let (notes, gaps) = annotations::read(&stored.folder);
        let mut notes: Vec<Note> = notes.into_iter().map(|note| shown(note, &stored.events)).collect();
        notes.sort_by_key(|note| note.event);
        let text = if notes.is_empty() { "no annotations\n".to_owned() } else { note_lines(&notes) };
        output::print(streams.stdout, &text)?;
        for line in agent_strace_report::gap_lines(&gaps) {
            output::note(streams.stderr, &line);
        }
        return Ok(if gaps.is_empty() { 0 } else { 3 });
    }
    let annotation = args.annotation(&stored.events, environment)?;
    let added = annotations::add(&stored.folder, annotation).map_err(|error| Failure::new(error.to_string()))?;
    let text = format!("annotated event #{} as {}\n", added.event.unwrap_or_default(), added.id);
    output::print(streams.stdout, &text)?;
    Ok(0)
}

fn delete(stored: &Stored, id: &str, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let deleted = annotations::delete(&stored.folder, id).map_err(|error| Failure::new(error.to_string()))?;
    if !deleted {
        return Err(Failure::new(format!("this session has no annotation `{id}`"))
            .hint("`agent-strace annotate SESSION --list` lists them"));
    }
    output::print(streams.stdout, &format!("deleted annotation {}\n", agent_strace_report::terminal(id)))?;
    Ok(0)
}

impl AnnotateArgs {
    fn annotation(&self, events: &Events, environment: Environment) -> Result<Annotation, Failure> {
        if self.note.is_none() && self.label.is_none() && !self.bookmark {
            return Err(Failure::new("there is nothing to note")
                .hint("`--note TEXT`, `--label LABEL` or `--bookmark` says what; `--list` lists what was noted"));
        }
        let texts = [&self.note, &self.label, &self.author];
        if texts.into_iter().flatten().any(|text| text.chars().count() > LONGEST) {
            return Err(Failure::new(format!("a note is at most {LONGEST} characters long")));
        }
        let now = self.now.or_else(|| environment.machine.map(|machine| machine.now));
        let now = now.ok_or_else(|| {
            Failure::new("a note has a time, and there is no clock")
                .hint("`--now 2026-03-01T12:00:00Z` says what time it is")
        })?;
        let index = self.index(events)?;
        let line = events.lines.get(index).ok_or_else(|| Failure::new("this session has no events"))?;
        Ok(Annotation {
            id: String::new(),
            session_id: events.id.clone(),
            event_id: line.id.clone(),
            event: Some(line.number),
            offset_seconds: line.offset.map(seconds),
            label: self.label.clone(),
            note: self.note.clone(),
            author: self.author.clone(),
            bookmark: self.bookmark,
            created_at: format!("{now:.0}").into(),
        })
    }

    /// The index of the event that is meant.
    fn index(&self, events: &Events) -> Result<usize, Failure> {
        if let Some(text) = &self.at {
            let time = parse_time(text).ok_or_else(|| no_time(text))?;
            return nearest(events, time);
        }
        let Some(text) = self.target.as_ref().or(self.event.as_ref()) else {
            return Err(Failure::new("nothing says which event is meant").hint(
                "`annotate SESSION 12 …` by its number, `--at 2m14s` by its time; `agent-strace replay` shows both",
            ));
        };
        // The ids of records may look like anything: they are what was meant where one is that.
        if let Some(index) = events.lines.iter().position(|line| line.id.as_deref() == Some(text)) {
            return Ok(index);
        }
        match text.strip_prefix('#').unwrap_or(text).parse::<u32>() {
            Ok(number) => events.lines.iter().position(|line| line.number == number).ok_or_else(|| {
                let last = events.lines.last().map_or(0, |line| line.number);
                Failure::new(format!("there is no event {number}"))
                    .hint(format!("events of this session are numbered up to {last}"))
            }),
            Err(_) => match parse_time(text).filter(|_| self.event.is_none()) {
                Some(time) => nearest(events, time),
                None => Err(Failure::new(format!("this session has no event `{text}`"))
                    .hint("an event is a number, the id of its record, or a time like `2m14s`")),
            },
        }
    }
}

fn no_time(text: &str) -> Failure {
    Failure::new(format!("`{text}` is no time")).hint("expected e.g. `2m14s`, `134s` or `2:14`")
}

/// Seconds since the session started, in milliseconds: `2m14s`, `134s`, `2:14`, `1h02m`.
fn parse_time(text: &str) -> Option<i64> {
    let number = |text: &str| text.parse::<u32>().ok().map(i64::from);
    let seconds = if let Some((minutes, seconds)) = text.split_once(':') {
        number(minutes)?.checked_mul(60)?.checked_add(number(seconds).filter(|seconds| *seconds < 60)?)?
    } else {
        let (mut total, mut rest) = (0_i64, text);
        for (unit, seconds) in [('h', 3600), ('m', 60), ('s', 1)] {
            if let Some((count, more)) = rest.split_once(unit) {
                total = total.checked_add(number(count)?.checked_mul(seconds)?)?;
                rest = more;
            }
        }
        (rest.is_empty() && !text.is_empty()).then_some(total)?
    };
    seconds.checked_mul(1000)
}

/// The event that is nearest to a time, the earlier of two.
fn nearest(events: &Events, time: i64) -> Result<usize, Failure> {
    let timed = events.lines.iter().enumerate().filter_map(|(index, line)| Some((index, line.offset?)));
    let nearest = timed.min_by_key(|(_, offset)| offset.abs_diff(time));
    nearest.map(|(index, _)| index).ok_or_else(|| Failure::new("no event of this session has a time"))
}

#[expect(clippy::cast_precision_loss, reason = "sessions are shorter than numbers are exact")]
fn seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}

/// The one session that is meant, which has to lie in the store: elsewhere there is no place for notes.
fn stored(
    trace_dir: &Path,
    request: &str,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Stored, Failure> {
    let inputs = Inputs::select(trace_dir, &[request.to_owned()], Selection::Latest, environment, streams.stdin)?;
    let (found, gaps) = inputs.each_log(Order::OneByOne, |log, reading| {
        let folder = folder(log);
        reading.sessions.iter().map(|session| (folder.clone(), events(session))).collect::<Vec<_>>()
    });
    for line in agent_strace_report::gap_lines(&gaps) {
        output::note(streams.stderr, &line);
    }
    let mut found: Vec<(Option<PathBuf>, Events)> = found.into_iter().flatten().collect();
    let lies_there = |folder: &PathBuf| {
        let real = [folder.as_path(), trace_dir].map(|path| path.canonicalize().ok());
        matches!(&real, [Some(folder), Some(store)] if folder.starts_with(store))
    };
    match (found.pop(), found.as_slice()) {
        (Some((Some(folder), events)), []) if lies_there(&folder) => Ok(Stored { folder, events }),
        (Some(_), []) => Err(Failure::new(format!("`{request}` is no session of the store"))
            .hint("`agent-strace import LOG` writes a log into the store; notes lie beside it there")),
        (None, _) => Err(Failure::new(format!("`{request}` holds no session"))),
        (Some(_), more) => Err(Failure::new(format!("`{request}` holds {} sessions", more.len() + 1))),
    }
}

/// The folder of a session of the store.
fn folder(log: &Log) -> Option<PathBuf> {
    log.store.as_ref()?;
    Path::new(&log.shown).parent().map(Path::to_path_buf)
}

/// What was noted at events of a session of the store.
pub(super) fn notes(log: &Log, events: &Events) -> (Vec<Note>, Vec<Gap>) {
    let Some(folder) = folder(log) else { return (Vec::new(), Vec::new()) };
    let (notes, gaps) = annotations::read(&folder);
    (notes.into_iter().map(|note| shown(note, events)).collect(), gaps)
}

/// A note at its event: by the id of the record, which stays where numbers change.
fn shown(note: Annotation, events: &Events) -> Note {
    let by_id = note.event_id.as_deref().and_then(|id| events.lines.iter().find(|line| line.id.as_deref() == Some(id)));
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    Note {
        event: by_id.map(|line| line.number).or(note.event).unwrap_or_default(),
        id: note.id,
        label: filled(note.label),
        said: filled(note.note),
        author: filled(note.author),
        bookmark: note.bookmark,
    }
}

#[cfg(test)]
mod tests {
    use super::parse_time;

    #[test]
    fn times_are_read_as_they_are_written() {
        for (text, seconds) in [("2m14s", 134), ("134s", 134), ("2:14", 134), ("1h02m", 3720), ("3m", 180)] {
            assert_eq!(parse_time(text), Some(seconds * 1000), "{text}");
        }
        for text in ["", "x", "2:75", "14", "2m14", "s", "-3s"] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
