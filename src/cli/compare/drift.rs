//! `drift`: whether agents behave otherwise than they did.

use std::path::{Path, PathBuf};

use clap::Args;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::super::Streams;
use super::super::args::{PlainFormat, WantedArgs, parse_now};
use super::super::demands;
use super::super::environment::Environment;
use super::super::failure::{Failure, reason};
use super::super::measured::{Measured, measure};
use super::super::output;
use super::super::pipeline::Inputs;
use super::super::session_filter::SessionFilter;
use super::{form, tell};
use agent_strace_ingest::discover::Selection;
use agent_strace_metrics::compare::{Fingerprint, drift};
use agent_strace_metrics::{Pricing, Profile};
use agent_strace_model::{Gap, GapKind};
use agent_strace_policy::config::read_bytes;
use agent_strace_policy::prices::shipped;
use agent_strace_report::DriftReport;

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace drift --since 30d                         the newer half beside the older one
  agent-strace drift --since 30d --save-baseline behavior-main.json
  agent-strace drift --baseline behavior-main.json --since 7d    for CI
  agent-strace drift logs/ --baseline behavior-main.json         logs of any agent
  agent-strace drift --current 2026-03-01:2026-03-31 --baseline-range 2026-01-01:2026-02-28

The exit code is 1 from --threshold on, and 3 where fewer than five sessions are on either side:
too little to tell is no score; it is 3, too, where only one side tells a dimension.
`--save-baseline` writes the sessions of now, and changes no exit code. Ranges are days in UTC, the
last one included.";

#[derive(Debug, Args)]
pub(in crate::cli) struct DriftArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: every session in the store].
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,

    #[command(flatten)]
    wanted: WantedArgs,

    /// The sessions of now, by the day they began: `FROM:TO`.
    #[arg(long, value_name = "FROM:TO", value_parser = parse_range)]
    current: Option<Range>,

    /// The sessions of before, by the day they began: `FROM:TO`.
    #[arg(long, value_name = "FROM:TO", value_parser = parse_range, conflicts_with = "baseline")]
    baseline_range: Option<Range>,

    /// How sessions behaved before: a file of --save-baseline.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Write how sessions behave now.
    #[arg(long, value_name = "FILE")]
    save_baseline: Option<PathBuf>,

    /// From which score on, from 0 to 1, it is too much.
    #[arg(long, value_name = "SCORE", default_value = "0.20", value_parser = parse_threshold)]
    threshold: f64,

    /// What time it is, for `--since` [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    now: Option<Timestamp>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PlainFormat,
}

/// Days, both included.
#[derive(Debug, Clone, Copy)]
struct Range {
    first: Date,
    last: Date,
}

impl Range {
    fn holds(self, profile: &Profile) -> bool {
        let day = profile.first.map(|time| time.to_zoned(TimeZone::UTC).date());
        day.is_some_and(|day| self.first <= day && day <= self.last)
    }
}

fn parse_range(text: &str) -> Result<Range, String> {
    let days = text.split_once(':').and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    match days {
        Some((first, last)) if first <= last => Ok(Range { first, last }),
        _ => Err("expected two days, the first one first, e.g. `2026-03-01:2026-03-31`".to_owned()),
    }
}

fn parse_threshold(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| "expected a score above 0 and up to 1, e.g. `0.20`".to_owned())
}

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &DriftArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    // A baseline that can't be used is told before anything is read.
    let saved = args.baseline.as_deref().map(read).transpose()?;
    let wanted = SessionFilter::new(&args.wanted, args.now, environment)?;
    let inputs = Inputs::select(trace_dir, &args.sessions, Selection::All, environment, streams.stdin)?.only(wanted);
    let Measured { profiles, mut gaps, .. } = measure(inputs, Pricing::Table(shipped()), environment)?;
    let (dated, undated): (Vec<Profile>, Vec<Profile>) =
        profiles.into_iter().partition(|profile| profile.first.is_some());
    let no_time = "this session has no recorded time: nobody knows whether it is of now or of before";
    let sources = undated.iter().map(|profile| profile.source.clone());
    gaps.extend(sources.map(|source| Gap::of_file(source, GapKind::NotRecorded(no_time.into()))));
    let ComparedFingerprints { now, before, all } = args.sides(dated, saved);
    if let Some(path) = &args.save_baseline {
        output::write_with_folder(path, &agent_strace_report::to_json(&all))?;
        let shown = agent_strace_report::terminal(&path.display().to_string());
        output::note(streams.stderr, &format!("wrote the baseline `{shown}` of {} sessions", all.sessions));
    }
    let drift = drift(&before, &now);
    let exit_code = match drift.overall {
        Some(score) if score >= args.threshold => 1,
        Some(_) if gaps.is_empty() && drift.lost().next().is_none() => 0,
        _ => 3,
    };
    let report = DriftReport { before: &before, now: &now, drift: &drift, threshold: args.threshold, exit_code };
    output::print(streams.stdout, &report.write(form(args.format, &gaps, environment)))?;
    tell(&gaps, streams);
    Ok(exit_code)
}

/// What is compared, and what is saved.
struct ComparedFingerprints {
    now: Fingerprint,
    before: Fingerprint,
    all: Fingerprint,
}

impl DriftArgs {
    fn sides(&self, mut profiles: Vec<Profile>, saved: Option<Fingerprint>) -> ComparedFingerprints {
        profiles.sort_by(|left, right| (left.first, &left.id).cmp(&(right.first, &right.id)));
        let of = |range: Range| profiles.iter().filter(|profile| range.holds(profile)).collect::<Vec<_>>();
        let mut now: Vec<&Profile> = self.current.map_or_else(|| profiles.iter().collect(), of);
        let all = Fingerprint::of(&now);
        let before = match (saved, self.baseline_range, self.current) {
            (Some(saved), _, _) => saved,
            (None, Some(range), _) => {
                let before = of(range);
                // Nothing is compared with itself.
                now.retain(|profile| !range.holds(profile));
                Fingerprint::of(&before)
            }
            (None, None, Some(current)) => {
                let earlier = profiles.iter().filter(|profile| {
                    let day = profile.first.map(|time| time.to_zoned(TimeZone::UTC).date());
                    day.is_some_and(|day| day < current.first)
                });
                Fingerprint::of(&earlier.collect::<Vec<_>>())
            }
            (None, None, None) => {
                let newer = now.split_off(now.len() - now.len() / 2);
                let before = Fingerprint::of(&now);
                now = newer;
                before
            }
        };
        ComparedFingerprints { now: Fingerprint::of(&now), before, all }
    }
}

fn read(path: &Path) -> Result<Fingerprint, Failure> {
    let unusable = |reason: String| Failure::new(format!("the baseline `{}` can't be used: {reason}", path.display()));
    let bytes = read_bytes(path).map_err(|error| unusable(reason(&error)))?;
    let text = demands::text(&bytes).map_err(unusable)?;
    Fingerprint::read(text)
        .map_err(|fault| unusable(fault.to_string()).hint("`agent-strace drift --save-baseline FILE` writes one"))
}
