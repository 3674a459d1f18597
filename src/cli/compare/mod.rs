//! `compare`, `diff` and `drift`: sessions beside each other.

mod diff;
mod drift;

use std::path::Path;

use clap::Args;

use super::Streams;
use super::args::PlainFormat;
use super::effects::glyphs;
use super::environment::Environment;
use super::failure::Failure;
use super::measured::{self, Measured, PricesArgs};
use super::output;
use super::pipeline::Inputs;
use agent_strace_ingest::discover::Selection;
use agent_strace_metrics::compare::{Better, Pair};
use agent_strace_metrics::{Pricing, Profile};
use agent_strace_model::Gap;
use agent_strace_report::Form;

pub(super) use diff::{DiffArgs, EXAMPLES as DIFF_EXAMPLES, run as diff};
pub(super) use drift::{DriftArgs, EXAMPLES as DRIFT_EXAMPLES, run as drift};

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace compare abc123 def456
  agent-strace compare abc123 def456 --format json
  agent-strace compare --tag refactor-auth               the last two sessions with this task
  agent-strace compare --tag refactor-auth --last 4      each of the last four with the one before it
  agent-strace compare abc123 def456 --fail-on-regression    for CI: exit code 1 where B was worse

Costs that are not known of both, or not on the same basis, decide nothing, nor do errors where
calls have no recorded result; where they could, `--fail-on-regression` ends with exit code 3.
Without sessions the last two in the store are compared.";

#[derive(Debug, Args)]
pub(in crate::cli) struct CompareArgs {
    /// The session of before: an id or an unambiguous prefix in the store, or a log of any agent.
    #[arg(value_name = "A", requires = "second", conflicts_with = "tag")]
    first: Option<String>,

    /// The session of now.
    #[arg(value_name = "B")]
    second: Option<String>,

    /// Compare the last sessions whose agent or prompts hold this text.
    #[arg(long, value_name = "TEXT")]
    tag: Option<String>,

    /// How many of them, each with the one before it.
    #[arg(long, value_name = "N", default_value_t = 2, conflicts_with = "first",
          value_parser = clap::value_parser!(u32).range(2..))]
    last: u32,

    /// Prices that count before those of this build: a file of the shape that `agent-strace schema prices` shows.
    #[arg(long, value_name = "FILE")]
    prices: Option<String>,

    /// Exit code 1 where a later session was worse than the one before it, 3 where that can't be told.
    #[arg(long)]
    fail_on_regression: bool,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PlainFormat,
}

pub(super) fn compare(
    trace_dir: &Path,
    args: &CompareArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let stated = PricesArgs::of(args.prices.as_deref(), None).stated(environment.colour)?;
    let (profiles, gaps) = args.profiles(trace_dir, stated.pricing(), environment, streams)?;
    let pairs = profiles.iter().zip(profiles.iter().skip(1));
    let pairs: Vec<Pair<'_>> = pairs.map(|(first, second)| Pair { first, second }).collect();
    output::print(streams.stdout, &agent_strace_report::comparisons(&pairs, form(args.format, &gaps, environment)))?;
    tell(&gaps, streams);
    let regressed = pairs.iter().any(|pair| pair.better() == Better::First);
    let undecided = args.fail_on_regression && pairs.iter().any(|pair| pair.is_undecided());
    if undecided && !regressed {
        let why =
            "error: costs, times or errors are not known of both: nobody can tell whether the later session was worse";
        output::note(streams.stderr, why);
    }
    Ok(match (args.fail_on_regression && regressed, gaps.is_empty() && !undecided) {
        (true, _) => 1,
        (false, false) => 3,
        (false, true) => 0,
    })
}

impl CompareArgs {
    /// The older ones first.
    fn profiles(
        &self,
        trace_dir: &Path,
        pricing: Pricing<'_>,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Result<(Vec<Profile>, Vec<Gap>), Failure> {
        if let (Some(first), Some(second)) = (&self.first, &self.second) {
            return two(trace_dir, [first, second], pricing, environment, streams);
        }
        let inputs = Inputs::select(trace_dir, &[], Selection::All, environment, streams.stdin)?;
        let Measured { mut profiles, gaps, .. } = measured::measure(inputs, pricing, environment)?;
        if let Some(tag) = &self.tag {
            let tag = tag.to_lowercase();
            let holds = |text: &str| text.to_lowercase().contains(&tag);
            profiles.retain(|profile| holds(&profile.agent) || profile.phases.iter().any(|phase| holds(&phase.label)));
        }
        profiles.sort_by(|left, right| (left.first, &left.id).cmp(&(right.first, &right.id)));
        let wanted = usize::try_from(self.last).unwrap_or(usize::MAX);
        if profiles.len() < wanted {
            let of = self.tag.as_ref().map(|tag| format!(" with `{tag}`")).unwrap_or_default();
            let message = format!("there are {} sessions{of}, and {wanted} are compared", profiles.len());
            return Err(Failure::new(message).hint("`agent-strace list` shows the sessions in the store"));
        }
        Ok((profiles.split_off(profiles.len() - wanted), gaps))
    }
}

/// Measures two named sessions, in this order.
fn two(
    trace_dir: &Path,
    sessions: [&str; 2],
    pricing: Pricing<'_>,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<(Vec<Profile>, Vec<Gap>), Failure> {
    let (mut profiles, mut gaps) = (Vec::new(), Vec::new());
    for request in sessions {
        let inputs = Inputs::select(trace_dir, &[request.to_owned()], Selection::All, environment, streams.stdin)?;
        let measured = measured::measure(inputs, pricing, environment)?;
        let count = measured.profiles.len();
        if count != 1 {
            return Err(Failure::new(format!("`{request}` holds {count} sessions, and one is compared with one"))
                .hint("`agent-strace list LOG` shows the sessions of a log"));
        }
        profiles.extend(measured.profiles);
        gaps.extend(measured.gaps);
    }
    gaps.sort();
    gaps.dedup();
    Ok((profiles, gaps))
}

fn form<'a>(format: PlainFormat, gaps: &'a [Gap], environment: Environment) -> Form<'a> {
    match format {
        PlainFormat::Text => Form::Text(glyphs(environment)),
        PlainFormat::Json => Form::Json(gaps),
    }
}

fn tell(gaps: &[Gap], streams: &mut Streams<'_>) {
    for line in agent_strace_report::gap_lines(gaps) {
        output::note(streams.stderr, &line);
    }
}
