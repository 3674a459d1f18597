//! What `policy backtest`, `policy diff` and `policy coverage` have in common: which sessions, and how they end.

use std::path::Path;

use clap::Args;
use jiff::Timestamp;

use super::super::Streams;
use super::super::args::{PlainFormat, WantedArgs, parse_now};
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::pipeline::Inputs;
use super::super::session_filter::SessionFilter;
use super::super::since::Since;
use agent_strace_ingest::discover::Selection;
use agent_strace_model::Gap;
use agent_strace_report::Glyphs;

/// Which sessions of the past, and how the answer is written.
#[derive(Debug, Args)]
pub(in crate::cli) struct HistoryArgs {
    /// Only sessions that were active in the last N days [default: all].
    #[arg(long, value_name = "N", conflicts_with = "since")]
    pub(super) days: Option<u32>,

    #[command(flatten)]
    pub(super) wanted: WantedArgs,

    /// What time it is, for `--days` and `--since` [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(super) now: Option<Timestamp>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: PlainFormat,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(super) no_color: bool,
}

/// Sessions to look back at.
pub(super) struct PastSessions {
    pub(super) inputs: Inputs,
    /// The days that were asked for, and from when they count back.
    pub(super) days: Option<(u32, Timestamp)>,
}

impl HistoryArgs {
    pub(super) fn select(
        &self,
        trace_dir: &Path,
        sessions: &[String],
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Result<PastSessions, Failure> {
        let days = match self.days {
            None => None,
            Some(days) => {
                let now = self.now.or_else(|| environment.machine.map(|machine| machine.now));
                let now =
                    now.ok_or_else(|| Failure::new("`--days` needs a clock: say what time it is with `--now`"))?;
                Some((days, now))
            }
        };
        let since = days.map(|(days, _)| Since::days(days)).or(self.wanted.since);
        let wanted = WantedArgs { since, agents: self.wanted.agents.clone(), project: self.wanted.project.clone() };
        let wanted = SessionFilter::new(&wanted, self.now, environment)?;
        let inputs = Inputs::select(trace_dir, sessions, Selection::All, environment, streams.stdin)?;
        Ok(PastSessions { inputs: inputs.only(wanted), days })
    }

    pub(super) fn coloured(&self, environment: Environment) -> bool {
        environment.colour && !self.no_color
    }
}

/// Whether the answer is whole: what was asked for and not met comes before what could not be read.
pub(super) fn exit_code(breaches: &[String], gaps: &[Gap], sessions: usize) -> u8 {
    match (breaches.is_empty(), gaps.is_empty() && sessions > 0) {
        (false, _) => 1,
        (true, false) => 3,
        (true, true) => 0,
    }
}

/// Sessions and records that were skipped, and that there was none at all.
pub(super) fn tell(trace_dir: &Path, gaps: &[Gap], sessions: usize, streams: &mut Streams<'_>) {
    for line in agent_strace_report::gap_lines(gaps) {
        output::note(streams.stderr, &line);
    }
    if sessions == 0 {
        let shown = agent_strace_report::terminal(&trace_dir.display().to_string());
        output::note(streams.stderr, &format!("error: no session was judged; the store is `{shown}`"));
    }
}

pub(super) fn glyphs(environment: Environment) -> Glyphs {
    if environment.unicode { Glyphs::Unicode } else { Glyphs::Ascii }
}

/// A share in percent.
pub(super) fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse::<f64>().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "expected a share in percent, from 0 to 100".to_owned())
}
