//! `replay --format html`: the page, and the file that it becomes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::{Failure, reason};
use super::super::output;
use super::super::pipeline::Inputs;
use super::judged::{ByArgs, JudgedSessions, MissingPolicy, ViewRequest};
use super::replay::{Family, indices};
use agent_strace_effects::{Effect, Repository, Roots, Tracker};
use agent_strace_engine::Entry;
use agent_strace_ingest::discover::Selection;
use agent_strace_metrics::{Measured, Pricing};
use agent_strace_model::Session;
use agent_strace_model::finding::EffectView;
use agent_strace_policy::Policy;
use agent_strace_policy::prices::shipped;
use agent_strace_report::replay::ReplayReport;
use agent_strace_report::replay_page::{CloseEvent, CloseUp, GENERATOR, GENERATOR_WITHIN, Sources, TEXT, render};
use agent_strace_session_view::events::full;

/// The characters of the session id that the file name of its page holds.
const ID: usize = 12;

/// The form of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ReplayFormat {
    Terminal,
    Html,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PageArgs {
    /// Lines for a terminal, or one page for a browser that asks nothing of any server.
    #[arg(long, value_enum, default_value = "terminal")]
    format: ReplayFormat,

    /// With --format html: the file; `-` is standard output [default: session-ID.html].
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,

    /// With --format html: replace a file that is no earlier replay.
    #[arg(long)]
    force: bool,
}

impl PageArgs {
    pub(super) fn is_page(&self) -> bool {
        self.format == ReplayFormat::Html
    }

    /// Refuses options that have no effect together. `only_terminal`: the given options that are for the terminal.
    pub(super) fn fit(&self, only_terminal: &[&str]) -> Result<(), Failure> {
        if !self.is_page() {
            let given = [("--output", self.output.is_some()), ("--force", self.force)];
            return match given.iter().find(|(_, given)| *given) {
                Some((option, _)) => Err(Failure::new(format!("`{option}` is for pages"))
                    .hint("`--format html` writes one; a terminal's lines go to standard output")),
                None => Ok(()),
            };
        }
        match only_terminal.first() {
            Some(option) => Err(Failure::new(format!("`{option}` is for the terminal"))
                .hint("the page has all events, and filters and plays them itself")),
            None => Ok(()),
        }
    }

    /// The file of a page about this session.
    fn file(&self, id: &str) -> PathBuf {
        let plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
        let name = id.chars().take(ID).map(|character| if plain(character) { character } else { '-' });
        let name: String = name.collect();
        let named = self.output.clone().unwrap_or_else(|| format!("session-{name}.html"));
        PathBuf::from(named)
    }
}

/// The options of a page.
pub(super) struct PageRequest<'a> {
    pub(super) page: &'a PageArgs,
    pub(super) by: &'a ByArgs,
    pub(super) trace_dir: &'a Path,
}

/// Writes the page.
pub(super) fn run(
    request: &PageRequest<'_>,
    Family { mut inputs, roots }: Family,
    left_out: usize,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let (policy, repository) = request.by.programs(&mut inputs, environment)?;
    let more = |session: &Session<'_>, entries: Option<&[Entry]>| {
        agent_strace_engine::guarded(session, || close_up(session, &policy, &repository, entries))
    };
    let view = ViewRequest { missing_policy: MissingPolicy::Nothing, entries: true, more };
    let JudgedSessions { replay, more, mut gaps } =
        request.by.judge(request.trace_dir, inputs, &view, environment, streams)?;
    let mut close = Vec::with_capacity(more.len());
    for one in more {
        match one {
            Ok(one) => close.push(Some(one)),
            Err(gap) => {
                gaps.push(gap);
                close.push(None);
            }
        }
    }
    let sessions = indices(&replay, roots.as_deref());
    if let Some(first) = sessions.first() {
        let read = |path: &str| output::read_small(Path::new(path));
        let sources = Sources { replay: &replay, close: &close, roots: &sessions, gaps: &gaps, read: &read };
        write(request.page, &request.page.file(id_of(&replay, *first)), &sources, streams)?;
    }
    Ok(super::conclude(replay.is_empty(), &gaps, left_out, streams))
}

fn id_of(replay: &ReplayReport, session: usize) -> &str {
    replay.id(session).unwrap_or_default()
}

fn write(args: &PageArgs, file: &Path, sources: &Sources<'_>, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let to_file = file != Path::new("-");
    if to_file && !args.force {
        keep_others(file)?;
    }
    let page = render(sources);
    if !to_file {
        return output::print(streams.stdout, &page.text);
    }
    output::write(file, &page.text)?;
    let kilobytes = page.text.len().div_ceil(1 << 10);
    let said = format!("wrote {}: {}, {kilobytes} KiB\n", file.display(), page.holds);
    output::print(streams.stdout, &said)
}

/// Refuses to replace a file that is not an earlier replay.
fn keep_others(file: &Path) -> Result<(), Failure> {
    let unreadable =
        |error: &std::io::Error| Failure::new(format!("can't write `{}`: {}", file.display(), reason(error)));
    // A file that is not a plain file can't be replaced at all, and is never opened.
    match file.symlink_metadata() {
        Ok(found) if !found.is_file() => return Ok(()),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unreadable(&error)),
    }
    let mut start = Vec::new();
    let opened = File::open(file).map_err(|error| unreadable(&error))?;
    opened.take(GENERATOR_WITHIN as u64).read_to_end(&mut start).map_err(|error| unreadable(&error))?;
    if start.windows(GENERATOR.len()).any(|window| window == GENERATOR.as_bytes()) {
        return Ok(());
    }
    Err(Failure::new(format!("`{}` is there and is no earlier replay", file.display()))
        .hint("`--force` replaces it, `--output FILE` names another one"))
}

/// Everything that a page shows about a session beyond its lines. `entries`: the policy's verdicts on its effects.
fn close_up(
    session: &Session<'_>,
    policy: &Policy,
    repository: &Arc<Repository>,
    entries: Option<&[Entry]>,
) -> CloseUp {
    let roots = Roots::of(session, repository, &policy.guarded());
    let mut tracker = Tracker::new(session, &roots).with_programs(policy.programs());
    let effects: Vec<Vec<Effect>> = session.events.iter().map(|event| tracker.effects(event)).collect();
    let mut ruled = Ruled::new(session, &effects, entries.unwrap_or_default());
    let events = session.events.iter().zip(&effects).map(|(event, effects)| {
        let acts = effects.iter().map(|effect| {
            let view = effect.view();
            let entry = ruled.entry(event.number, &view);
            (view, entry)
        });
        CloseEvent::new(full(&event.kind, TEXT), acts.collect())
    });
    let events = events.collect();
    let measured = Measured::new(session, Vec::new(), Pricing::Later(|| shipped()));
    CloseUp { events, charges: measured.charges(), cost: measured.cost().clone(), who: who(session) }
}

/// The policy's verdicts, by event.
struct Ruled<'e> {
    /// Where as many acts are known as were judged, the two stand in the same order.
    by_event: BTreeMap<u32, (bool, &'e [Entry], usize)>,
}

impl<'e> Ruled<'e> {
    fn new(session: &Session<'_>, effects: &[Vec<Effect>], entries: &'e [Entry]) -> Self {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for (event, effects) in session.events.iter().zip(effects) {
            *counts.entry(event.number).or_default() += effects.len();
        }
        let of_event = entries.chunk_by(|left, right| left.event == right.event);
        let by_event = of_event.filter_map(|of_event| {
            let event = of_event.first()?.event;
            Some((event, (counts.get(&event) == Some(&of_event.len()), of_event, 0)))
        });
        Self { by_event: by_event.collect() }
    }

    fn entry(&mut self, event: u32, view: &EffectView) -> Option<&'e Entry> {
        let (in_order, entries, next) = self.by_event.get_mut(&event)?;
        if *in_order {
            *next += 1;
            return entries.get(*next - 1);
        }
        entries.iter().find(|entry| entry.effect.view() == *view)
    }
}

fn who(session: &Session<'_>) -> Vec<(&'static str, Vec<String>)> {
    let who = &session.attribution;
    let one = |fact: &Option<std::borrow::Cow<'_, str>>| fact.iter().map(|fact| fact.clone().into_owned()).collect();
    let all = |facts: &[std::borrow::Cow<'_, str>]| facts.iter().map(|fact| fact.clone().into_owned()).collect();
    vec![
        ("User", one(&who.user)),
        ("Host", one(&who.host)),
        ("Version", one(&who.version)),
        ("Started from", one(&who.entrypoint)),
        ("Models", all(&who.models)),
        ("Permissions", all(&who.permission_modes)),
        ("Sandbox", all(&who.sandboxes)),
        ("Repository", one(&who.repository)),
        ("Branches", all(&who.branches)),
        ("Commit", one(&who.commit)),
        ("Directory", one(&session.root)),
        ("Started by", one(&session.parent)),
    ]
}

/// Leaves out logs of the store that hold neither a requested session nor one that a requested session started.
pub(super) fn only_family(
    Family { mut inputs, roots }: Family,
    request: &PageRequest<'_>,
    requests: &[String],
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Family, Failure> {
    let Some(keys) = &roots else { return Ok(Family { inputs, roots }) };
    let mut requests = requests.to_vec();
    requests.push(request.trace_dir.to_string_lossy().into_owned());
    let all = Inputs::select(request.trace_dir, &requests, Selection::All, environment, streams.stdin)?;
    let (known, gaps) = all.all(|session| {
        let parent = session.parent.as_deref().map(str::to_owned);
        (session.id.clone().into_owned(), session.source.clone(), parent)
    });
    let mut inside: BTreeSet<&str> = keys.iter().map(|(id, _)| id.as_str()).collect();
    loop {
        let below = known.iter().filter(|(_, _, parent)| parent.as_deref().is_some_and(|id| inside.contains(id)));
        let more: Vec<&str> = below.map(|(id, ..)| id.as_str()).filter(|id| !inside.contains(id)).collect();
        if more.is_empty() {
            break;
        }
        inside.extend(more);
    }
    let kept: BTreeSet<&str> =
        known.iter().filter(|(id, ..)| inside.contains(id.as_str())).map(|(_, source, _)| source.as_str()).collect();
    let lacking: BTreeSet<&str> = gaps.iter().map(|gap| gap.file.as_str()).collect();
    let outside = known.iter().map(|(_, source, _)| source.as_str());
    let outside = outside.filter(|source| !kept.contains(source) && !lacking.contains(source)).map(str::to_owned);
    inputs.leave_out(&outside.collect());
    Ok(Family { inputs, roots })
}
