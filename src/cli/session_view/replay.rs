//! `replay`: shows a session event by event, with the findings of the gate.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use super::super::Streams;
use super::super::effects::glyphs;
use super::super::environment::Environment;
use super::super::failure::{Failure, reason};
use super::super::output;
use super::super::pipeline::Inputs;
use super::judged::{ByArgs, JudgedSessions, MissingPolicy, ViewRequest};
use super::page::{self, PageArgs};
use agent_strace_engine::Entry;
use agent_strace_ingest::discover::Selection;
use agent_strace_model::Session;
use agent_strace_policy::nearest;
use agent_strace_report::Colour;
use agent_strace_report::replay::{FoundFinding, Frame, Looks, LookupTarget, ReplayReport, Wanted};
use agent_strace_session_view::events::What;

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace replay                                 the latest session in the store
  agent-strace replay abc123 --filter tool_call,error
  agent-strace replay abc123 --around '#12'           event 12, and five events before and after it
  agent-strace replay abc123 --around scope/read      the same for what the gate found
  agent-strace replay rollout-x.jsonl --limit 40      a log of any agent
  agent-strace replay --live --speed 2                as it unfolded, twice as fast
  agent-strace replay --tree                          the sessions that it started, a line each
  agent-strace replay --expand-subagents              the same with their events
  agent-strace replay abc123 --format html            one page for a browser: session-abc123….html

Types: session_start, session_end, user_prompt, assistant_response, reasoning, decision, tool_call,
tool_result, error, file_read, file_write, file_delete, command, instruction, hook, notice, other.
A call that failed is told by its result, which is an `error`.
#N is the number of an event, as findings have it and as `why` and `annotate` take it. Findings are
those of `check`: by .agent-scope.json where there is one, else nothing is judged; they fail nothing
here. The exit code is 3 where something could not be read.";

/// Longer pauses are shortened to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// The most findings that an error lists.
const LISTED: usize = 10;

#[derive(Debug, Args)]
pub(in crate::cli) struct ReplayArgs {
    /// A session: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: the latest in the store].
    #[arg(value_name = "SESSION")]
    session: Option<String>,

    /// Only events of these types, e.g. `tool_call,error`.
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',', value_parser = parse_type)]
    filter: Vec<What>,

    /// At most this many events.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Wait between events as long as it took, at most two seconds.
    #[arg(long, conflicts_with = "tree")]
    live: bool,

    /// How many times as fast.
    #[arg(long, value_name = "X", requires = "live", default_value = "1", value_parser = parse_speed)]
    speed: f64,

    /// Only the sessions that it started, a line each, over all levels.
    #[arg(long)]
    tree: bool,

    /// With the events of the sessions that it started, below the calls that did so.
    #[arg(long, conflicts_with = "tree")]
    expand_subagents: bool,

    /// Only what stands around a finding (a rule, or the start of a fingerprint) or an event (`#12`).
    #[arg(long, value_name = "FINDING", conflicts_with_all = ["tree", "expand_subagents", "limit"])]
    around: Option<String>,

    /// With --around: how many events before and after it.
    #[arg(long, value_name = "N", requires = "around", default_value_t = 5)]
    context: usize,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    by: ByArgs,
}

fn parse_type(text: &str) -> Result<What, String> {
    let names: Vec<&str> = What::ALL.iter().map(|what| what.name()).collect();
    match text.trim() {
        // Requests to the model are not separate events: their cost is kept, not their text.
        "llm_request" | "llm_response" => Ok(What::Other),
        text => What::ALL.iter().copied().find(|what| what.name() == text).ok_or_else(|| match nearest(text, &names) {
            Some(near) => format!("no type of events is called so; did you mean `{near}`?"),
            None => format!("no type of events is called so; known are {}", names.join(", ")),
        }),
    }
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.trim_end_matches(['x', 'X']).parse().ok().filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| "expected how many times as fast, e.g. `2` or `0.5`".to_owned())
}

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &ReplayArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    args.page.fit(&args.of_terminal())?;
    let around = args.around.as_deref().map(LookupTarget::of);
    let requests: Vec<String> = args.session.iter().cloned().collect();
    let inputs = Inputs::select(trace_dir, &requests, Selection::Latest, environment, streams.stdin)?;
    let left_out = inputs.left_out();
    let family = args.with_family(trace_dir, requests, inputs, environment, streams)?;
    if args.page.is_page() {
        let request = page::PageRequest { page: &args.page, by: &args.by, trace_dir };
        let family = page::only_family(family, &request, args.session.as_slice(), environment, streams)?;
        return page::run(&request, family, left_out, environment, streams);
    }
    let Family { inputs, roots } = family;
    // A finding exists only if the session is judged.
    let missing_policy =
        if matches!(around, Some(LookupTarget::Finding(_))) { MissingPolicy::BuiltIn } else { MissingPolicy::Nothing };
    let view = ViewRequest { missing_policy, entries: false, more: |_: &Session<'_>, _: Option<&[Entry]>| () };
    let JudgedSessions { replay, gaps, .. } = args.by.judge(trace_dir, inputs, &view, environment, streams)?;
    let sessions = indices(&replay, roots.as_deref());
    let colour = if environment.colour { Colour::Ansi } else { Colour::Plain };
    let looks = Looks { colour, glyphs: glyphs(environment) };
    if args.tree {
        output::print(streams.stdout, &replay.tree(&sessions, looks.glyphs))?;
    } else if !replay.is_empty() {
        args.show(&replay, sessions, around, looks, streams)?;
    }
    Ok(super::conclude(replay.is_empty(), &gaps, left_out, streams))
}

/// Sessions, possibly with others that they started.
pub(super) struct Family {
    pub(super) inputs: Inputs,
    /// The requested sessions, by id and log; `None`: all of the inputs.
    pub(super) roots: Option<Vec<(String, String)>>,
}

impl ReplayArgs {
    /// Shows the sessions, or the requested part of one.
    fn show(
        &self,
        replay: &ReplayReport,
        mut sessions: Vec<usize>,
        asked: Option<LookupTarget>,
        looks: Looks,
        streams: &mut Streams<'_>,
    ) -> Result<(), Failure> {
        let mut around = None;
        if let Some(asked) = asked {
            let given = self.around.as_deref().unwrap_or_default();
            let (session, event) = location_of(replay, &sessions, &asked, given)?;
            (sessions, around) = (vec![session], Some((event, self.context)));
        }
        let wanted = Wanted {
            types: self.filter.iter().copied().collect::<BTreeSet<_>>(),
            limit: self.limit,
            around,
            expanded: self.expand_subagents,
        };
        let frames = replay.frames(&sessions, &wanted, looks);
        if self.live { live(&frames, self.speed, streams) } else { output::print(streams.stdout, &text(&frames)) }
    }

    /// Options that were given and are for the terminal alone.
    fn of_terminal(&self) -> Vec<&'static str> {
        let given = [
            ("--filter", !self.filter.is_empty()),
            ("--limit", self.limit.is_some()),
            ("--live", self.live),
            ("--tree", self.tree),
            ("--around", self.around.is_some()),
        ];
        given.iter().filter(|(_, given)| *given).map(|(option, _)| *option).collect()
    }

    /// Adds the sessions of the store, since the requested ones may have started some of them.
    fn with_family(
        &self,
        trace_dir: &Path,
        mut requests: Vec<String>,
        inputs: Inputs,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Result<Family, Failure> {
        // Standard input is read once.
        let alone = !(self.tree || self.expand_subagents) || requests.iter().any(|request| request == "-");
        if alone || !trace_dir.is_dir() {
            return Ok(Family { inputs, roots: None });
        }
        let (roots, _) = inputs.all(|session| (session.id.clone().into_owned(), session.source.clone()));
        requests.push(trace_dir.to_string_lossy().into_owned());
        let inputs = Inputs::select(trace_dir, &requests, Selection::All, environment, streams.stdin)?;
        Ok(Family { inputs, roots: Some(roots) })
    }
}

/// The indexes of the requested sessions; `None` requests all.
pub(super) fn indices(replay: &ReplayReport, roots: Option<&[(String, String)]>) -> Vec<usize> {
    match roots {
        Some(roots) => roots.iter().filter_map(|(id, source)| replay.session(id, source)).collect(),
        None => (0..replay.len()).collect(),
    }
}

/// The session and event that `--around` names.
fn location_of(
    replay: &ReplayReport,
    sessions: &[usize],
    asked: &LookupTarget,
    given: &str,
) -> Result<(usize, u32), Failure> {
    match asked {
        LookupTarget::Event(number) => {
            let [session] = sessions else {
                return Err(Failure::new(format!(
                    "`{given}` is an event of one session, and {} are here",
                    sessions.len()
                ))
                .hint("`agent-strace list` shows the sessions of the store or of a log"));
            };
            match replay.has_event(*session, *number) {
                (_, true) => Ok((*session, *number)),
                (last, false) => Err(Failure::new(format!("there is no event {number}"))
                    .hint(format!("events of this session are numbered up to {last}"))),
            }
        }
        LookupTarget::Finding(name) => {
            let found = replay.findings(name);
            let events: BTreeSet<(usize, u32)> =
                found.iter().filter_map(|found| Some((found.session?, found.event))).collect();
            match events.into_iter().collect::<Vec<_>>().as_slice() {
                [] => Err(Failure::new(format!("no finding here is called `{given}`"))
                    .hint("a rule (`scope/read`) or at least 6 digits of a fingerprint names findings, `#12` an event")
                    .hint("`agent-strace explain FINDING` looks in all sessions of the store")),
                [(_, 0)] => Err(Failure::new(format!("`{given}` is about a session as a whole, not about an event"))),
                [event] => Ok(*event),
                _ => Err(several(given, &found).hint("or the event: `#N`")),
            }
        }
    }
}

/// The error that several findings have this name, with a list of them.
pub(super) fn several(given: &str, found: &[FoundFinding]) -> Failure {
    let line = |found: &FoundFinding| {
        let name = found.fingerprint.get(..12).unwrap_or(&found.fingerprint);
        agent_strace_report::terminal(&format!("  {name}  #{}  {}", found.event, found.said))
    };
    let mut lines: Vec<String> = found.iter().take(LISTED).map(line).collect();
    if found.len() > LISTED {
        lines.push(format!("  … and {} more", found.len() - LISTED));
    }
    Failure::new(format!("`{given}` is what {} findings are called", found.len()))
        .details(lines.join("\n"))
        .hint("give a fingerprint, or more of it")
}

fn text(frames: &[Frame]) -> String {
    frames.iter().map(|frame| frame.text.as_str()).collect()
}

/// The pause that stands for a gap between two events.
fn pause(gap: Duration, speed: f64) -> Duration {
    Duration::try_from_secs_f64(gap.as_secs_f64() / speed).map_or(LONGEST_PAUSE, |pause| pause.min(LONGEST_PAUSE))
}

/// Prints each event after the pause that was recorded before it.
fn live(frames: &[Frame], speed: f64, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let mut last: Option<Timestamp> = None;
    for frame in frames {
        if let Some((before, now)) = last.zip(frame.time) {
            // If the time of the log goes back, there is no pause.
            let gap = Duration::try_from(now.duration_since(before)).unwrap_or_default();
            std::thread::sleep(pause(gap, speed));
        }
        last = frame.time.or(last);
        match streams.stdout.write_all(frame.text.as_bytes()).and_then(|()| streams.stdout.flush()) {
            Ok(()) => {}
            // The reader has closed the stream.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => return Err(Failure::new(format!("can't write to standard output: {}", reason(&error)))),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_as_long_as_it_was_but_never_longer_than_two_seconds() {
        let seconds = Duration::from_secs_f64;
        for (gap, speed, expected) in [
            (0.0, 1.0, 0.0),
            (0.5, 1.0, 0.5),
            (0.5, 2.0, 0.25),
            (0.5, 0.5, 1.0),
            (90.0, 1.0, 2.0),
            (90.0, 60.0, 1.5),
            (1.0, 0.01, 2.0),
            (1e12, f64::MIN_POSITIVE, 2.0),
            (1.0, f64::MAX, 0.0),
        ] {
            assert_eq!(pause(seconds(gap), speed), seconds(expected), "{gap} s at {speed} times the speed");
        }
    }
}
