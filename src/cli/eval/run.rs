//! `eval`, `eval run`, `eval ci` and `eval gate`: the same measurement with different options and output.

use std::path::Path;

use super::super::Streams;
use super::super::args::FailOn;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::pipeline::Inputs;
use super::super::session_filter::SessionFilter;
use super::args::{RunArgs, TableFormat};
use super::{Measure, MissingEvals, gaps, glyphs, no_sessions};
use agent_strace_engine::Outcome;
use agent_strace_ingest::discover::Selection;
use agent_strace_model::finding::{Family, Finding, VerdictImpact};
use agent_strace_report::EvalsReport;
use agent_strace_rules::eval::{Assessment, Baseline};

/// The subcommand that runs the evals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunMode {
    Run,
    Ci,
    Gate,
}

pub(super) fn run(
    trace_dir: &Path,
    mode: RunMode,
    args: &RunArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let missing = if mode == RunMode::Gate { MissingEvals::Refused } else { MissingEvals::Standard };
    let baseline = args.baseline.as_deref().map(|path| (path, args.tolerance));
    let measure = args.judged.measure(missing, baseline, environment)?;
    let wanted = SessionFilter::new(&args.wanted, args.judged.now, environment)?;
    let all = args.all || mode != RunMode::Run;
    let selection = if all { Selection::All } else { Selection::Latest };
    let inputs = Inputs::select(trace_dir, &args.sessions, selection, environment, streams.stdin)?.only(wanted);
    if inputs.is_empty() {
        return Ok(no_sessions(&args.sessions, trace_dir, streams));
    }
    let left_out = inputs.left_out();
    let outcome = measure.judge(inputs);
    let exit_code = exit_code(&outcome, args.fail_on);
    let measured = MeasuredRun { trace_dir, mode, args, measure: &measure, outcome: &outcome, exit_code };
    measured.show(environment, streams)?;
    if left_out > 0 {
        let sessions = if left_out == 1 { "1 session was".to_owned() } else { format!("{left_out} sessions were") };
        output::note(streams.stderr, &format!("note: {sessions} left out; `--all` measures every session"));
    }
    Ok(exit_code)
}

/// The exit code by evals alone. `check` judges everything else.
fn exit_code(outcome: &Outcome, fail_on: FailOn) -> u8 {
    let own = |finding: &&Finding| finding.rule.family() == Family::Eval;
    let found: Vec<&Finding> = outcome.sessions.iter().flat_map(|session| &session.findings).filter(own).collect();
    let fails = |finding: &Finding| match fail_on.threshold() {
        agent_strace_engine::FailOn::Never => false,
        agent_strace_engine::FailOn::Level(level) => finding.impact == VerdictImpact::ByLevel && finding.level >= level,
    };
    let measured = outcome.sessions.iter().all(|session| session.assessment.is_some());
    let lacks = outcome.sessions.is_empty() || !measured || !gaps(outcome).is_empty();
    // Missing evidence is missing for every scorer.
    let evidence =
        |finding: &Finding| finding.rule.family() == Family::Eval || finding.rule.family() == Family::Evidence;
    let mut all = outcome.sessions.iter().flat_map(|session| &session.findings);
    if found.iter().any(|finding| fails(finding)) {
        1
    } else if lacks || all.any(|finding| finding.impact == VerdictImpact::Incomplete && evidence(finding)) {
        3
    } else {
        0
    }
}

/// A run and its outcome.
struct MeasuredRun<'r> {
    trace_dir: &'r Path,
    mode: RunMode,
    args: &'r RunArgs,
    measure: &'r Measure,
    outcome: &'r Outcome,
    exit_code: u8,
}

impl MeasuredRun<'_> {
    fn show(&self, environment: Environment, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let Self { args, measure, outcome, exit_code, .. } = *self;
        let Some(evals) = measure.evals() else { return Ok(()) };
        let gaps = gaps(outcome);
        let report =
            EvalsReport { evals, baseline: measure.baseline(), sessions: &outcome.sessions, gaps: &gaps, exit_code };
        if evals.file.is_empty() {
            output::note(streams.stderr, "note: there is no .agent-evals.yaml: `no_errors` is all that is demanded");
        }
        match (args.format, self.mode) {
            (TableFormat::Json, _) => output::print(streams.stdout, &report.json())?,
            (TableFormat::Table, RunMode::Ci) => {
                output::note(streams.stderr, report.text(glyphs(environment)).trim_end());
            }
            (TableFormat::Table, _) => output::print(streams.stdout, &report.text(glyphs(environment)))?,
        }
        for line in agent_strace_report::gap_lines(&gaps) {
            output::note(streams.stderr, &line);
        }
        if args.github_summary {
            summary(self.trace_dir, &report.markdown(), environment)?;
        }
        if let Some(path) = &args.save_baseline {
            save(path, measure, outcome, streams)?;
        }
        if self.mode == RunMode::Ci {
            output::note(streams.stderr, &report.closing());
        }
        Ok(())
    }
}

/// Appends the summary to those of earlier steps of the job.
fn summary(trace_dir: &Path, text: &str, environment: Environment) -> Result<(), Failure> {
    let file = environment.machine.and_then(|machine| machine.step_summary.clone());
    let Some(file) = file else { return output::write_with_folder(&trace_dir.join("eval-summary.md"), text) };
    let absent = file.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
    let before = if absent { Some(Vec::new()) } else { output::read_small(&file) };
    // The file belongs to all steps: if it can't be read, it is not overwritten.
    let before = before.and_then(|before| String::from_utf8(before).ok()).ok_or_else(|| {
        Failure::new(format!("the summary `{}` can't be added to: it is no small text file", file.display()))
    })?;
    output::write(&file, &(before + text))
}

fn save(path: &Path, measure: &Measure, outcome: &Outcome, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let Some(evals) = measure.evals() else { return Ok(()) };
    let sessions: Vec<(&str, &Assessment)> = outcome
        .sessions
        .iter()
        .filter_map(|session| Some((session.id.as_str(), session.assessment.as_ref()?)))
        .collect();
    match Baseline::of(evals, &sessions) {
        Ok(baseline) => {
            output::write_with_folder(path, &agent_strace_report::to_json(&baseline))?;
            output::note(
                streams.stderr,
                &format!("wrote the baseline `{}`", agent_strace_report::terminal(&path.display().to_string())),
            );
        }
        Err(fault) => {
            output::note(streams.stderr, &format!("warning: no baseline was written: of this run {fault}"));
        }
    }
    Ok(())
}
