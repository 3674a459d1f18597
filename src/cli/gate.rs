//! `check`, `audit` and `lint`: select, read, judge, report.

use std::path::Path;
use std::sync::Arc;

use super::Streams;
use super::args::{AuditArgs, CheckArgs, FormatName, GateArgs};
use super::baseline::{self, Overwrite};
use super::configuration::{self, Decided};
use super::demands::{self, Origin};
use super::environment::Environment;
use super::failure::Failure;
use super::hooks;
use super::judge;
use super::measured::prices;
use super::output;
use super::pipeline::Inputs;
use super::policy_file;
use super::retention::{self, Overdues};
use super::wanted::Wanted;
use crate::config::lint::Lints;
use crate::config::retention::Retention;
use crate::effects::Links;
use crate::engine::{Entries, Judging};
use crate::eval::Demands;
use crate::git::{self, GitError};
use crate::ingest::discover::Selection;
use crate::model::Gap;
use crate::policy::Policy;
use crate::report::{self, Checkout, Colour, Report, Style};
use crate::rules;
use crate::rules::private;

/// What was called: all judge alike and differ in what they take and show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Check,
    Audit,
    Lint,
}

/// The other files that a command names.
pub(super) struct Named<'a> {
    pub(super) configuration: Option<&'a str>,
    pub(super) lints: Wish<'a>,
    /// What sessions have to be like.
    pub(super) evals: Option<&'a str>,
    /// What judges said that ask a model.
    pub(super) verdicts: Option<&'a str>,
}

/// Whether how agents worked is judged.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wish<'a> {
    Never,
    /// Where the usual lint file is there.
    WhereConfigured,
    /// By this file, or the usual one, or by what the rules themselves think right.
    Always(Option<&'a str>),
}

pub(super) fn check(
    trace_dir: &Path,
    args: &CheckArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let inputs = inputs_of_check(trace_dir, args, environment, streams);
    let asked = args.lint || args.lint_config.is_some();
    let lints = if asked { Wish::Always(args.lint_config.as_deref()) } else { Wish::WhereConfigured };
    let named = Named {
        configuration: args.config.as_deref(),
        lints,
        evals: args.evals.as_deref(),
        verdicts: args.verdicts.as_deref(),
    };
    run((Verb::Check, &named), trace_dir, &args.gate, environment, inputs, streams)
}

fn inputs_of_check(
    trace_dir: &Path,
    args: &CheckArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Inputs, Failure> {
    let wanted = Wanted::new(&args.wanted, args.gate.now, environment)?;
    if args.discover {
        return Inputs::discover(environment.homes(None)?.as_ref(), wanted.here_at_least()?, environment);
    }
    let inputs = Inputs::select(trace_dir, &args.sessions, Selection::All, environment, streams.stdin)?;
    Ok(inputs.only(wanted))
}

pub(super) fn audit(
    trace_dir: &Path,
    args: &AuditArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let selection = if args.all { Selection::All } else { Selection::Latest };
    let requests: Vec<String> = args.session.iter().cloned().collect();
    let inputs = Inputs::select(trace_dir, &requests, selection, environment, streams.stdin);
    let named = Named { configuration: args.config.as_deref(), lints: Wish::Never, evals: None, verdicts: None };
    run((Verb::Audit, &named), trace_dir, &args.gate, environment, inputs, streams)
}

pub(super) fn run(
    (verb, named): (Verb, &Named<'_>),
    trace_dir: &Path,
    args: &GateArgs,
    environment: Environment,
    inputs: Result<Inputs, Failure>,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    // A policy that can't be had is worse news than a session that can't be found, and is told first.
    let policy = policy_file::load(args, verb, environment)?;
    let policy = beside(args, policy, environment, streams)?;
    let decided = configuration::decide(args, named.configuration, policy, environment, streams)?;
    let Decided { policy, mut settings, baseline, retention, private: configured } = decided;
    settings.only = (verb == Verb::Lint).then_some(rules::lint::FAMILIES);
    settings.demands = demands(verb, named, args, environment)?;
    let counted = settings.demands.as_ref().is_some_and(|demands| demands.evals.counts_lints());
    let lints = lints(named, args, environment)?.or_else(|| counted.then(Lints::default));
    let lints = match settings.demands.as_ref() {
        Some(demands) => lints.map(|lints| lints.counting(demands.evals.counted_rules())),
        None => lints,
    };
    let overwrite = if args.force { Overwrite::Replace } else { Overwrite::Refuse };
    baseline::refuse_to_overwrite(args.write_baseline.as_deref(), overwrite)?;
    let mut inputs = inputs?;
    if inputs.is_empty() {
        return Ok(no_sessions(trace_dir, streams));
    }
    let (links, gap) = links(args.policy_ref.as_deref());
    inputs.lack(gap);
    let left_out = inputs.left_out();
    let overdue = overdue(verb, &retention, trace_dir, (args, environment), &mut inputs)?;
    let entries = if verb == Verb::Audit { Entries::Keep } else { Entries::Drop };
    let demands = settings.demands.as_deref();
    let judging = Judging { policy: &policy, links: &links, entries, demands, lints: lints.as_ref(), exposed: None };
    let counted = demands.into_iter().flat_map(|demands| demands.evals.counted_rules());
    let wanted = if verb == Verb::Check { private::Wanted::new(&configured, counted) } else { None };
    let report = Report::new(judge::judge(inputs, &judging, wanted.as_ref(), &overdue, &settings));
    write(verb, args, environment, &report, streams)?;
    let mut notes = baseline.notes(&report);
    if let Some(path) = &args.write_baseline {
        let today = settings.today.map(|today| today.to_string());
        notes.extend(baseline.write(path, &report, today.as_deref(), overwrite)?);
    }
    notes.extend(left_out_of(left_out));
    for note in notes.iter().filter(|_| !args.quiet) {
        output::note(streams.stderr, note);
    }
    Ok(report.exit_code())
}

/// What the store should not hold any more, where sessions of it are judged.
fn overdue(
    verb: Verb,
    retention: &Retention,
    trace_dir: &Path,
    (args, environment): (&GateArgs, Environment),
    inputs: &mut Inputs,
) -> Result<Overdues, Failure> {
    if verb != Verb::Check || !retention.limits_anything() || !inputs.are_in(trace_dir) {
        return Ok(Overdues::default());
    }
    let now = retention::now(args.now, environment)?;
    let (overdue, gaps) = Overdues::of_store(trace_dir, retention, now);
    // Whoever names a session asks about that one.
    if inputs.is_whole_store() {
        for gap in gaps {
            inputs.lack(Some(gap));
        }
    }
    Ok(overdue)
}

fn left_out_of(count: usize) -> Option<String> {
    let sessions = if count == 1 { "1 session was".to_owned() } else { format!("{count} sessions were") };
    (count > 0).then(|| format!("note: {sessions} left out; `--all` judges every session"))
}

fn lints(named: &Named<'_>, args: &GateArgs, environment: Environment) -> Result<Option<Lints>, Failure> {
    let colour = environment.colour && !args.no_color;
    let load = |file| configuration::lints(file, args.policy_ref.as_deref(), colour);
    match named.lints {
        Wish::Never => Ok(None),
        Wish::WhereConfigured => load(None),
        Wish::Always(file) => Ok(Some(load(file)?.unwrap_or_default())),
    }
}

/// The policy with what stands in other files: hook policies of agent runtimes, and prices.
fn beside(
    args: &GateArgs,
    mut policy: Policy,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Policy, Failure> {
    let coloured = environment.colour && !args.no_color;
    let hooks = hooks::manifests(args, coloured)?;
    if !hooks.manifests.is_empty() && !args.quiet {
        let files = hooks.manifests.iter().map(|manifest| format!("`{}`", report::terminal(&manifest.path)));
        let files: Vec<String> = files.collect();
        output::note(streams.stderr, &format!("note: judged by the hook policies too: {}", files.join(", ")));
    }
    if let Some(file) = &args.prices {
        policy = policy.priced_by(prices(file, args.policy_ref.as_deref(), coloured)?);
    }
    Ok(policy.hooked(hooks))
}

/// What sessions have to be like: only `check` asks that of all.
fn demands(
    verb: Verb,
    named: &Named<'_>,
    args: &GateArgs,
    environment: Environment,
) -> Result<Option<Arc<Demands>>, Failure> {
    if verb != Verb::Check {
        return Ok(None);
    }
    let colour = environment.colour && !args.no_color;
    let evals = demands::load(named.evals, Origin { revision: args.policy_ref.as_deref(), colour })?;
    let verdicts = demands::verdicts(named.verdicts)?;
    Ok(evals.map(|evals| Arc::new(Demands { evals, baseline: None, verdicts })))
}

/// The symlinks that are committed where the program runs, so that what is done through one is judged by what it names.
/// Links of a repository that can't be read are evidence that is missing: a gap, never a pass.
pub(super) fn links(revision: Option<&str>) -> (Links, Option<Gap>) {
    match git::links(Path::new("."), revision.unwrap_or("HEAD")) {
        Ok(links) => (links, None),
        Err(GitError::NoRepository(_) | GitError::NoRevision(_)) => (Links::new(), None),
        Err(error) => {
            let reason = format!("the symlinks committed here are not known: {error}");
            (Links::new(), Some(Gap { file: ".git".to_owned(), line: None, reason }))
        }
    }
}

/// Nothing to judge proves nothing.
fn no_sessions(trace_dir: &Path, streams: &mut Streams<'_>) -> u8 {
    let shown = report::terminal(&trace_dir.display().to_string());
    output::note(streams.stderr, &format!("error: no session was found in `{shown}`: nothing was judged"));
    3
}

fn write(
    verb: Verb,
    args: &GateArgs,
    environment: Environment,
    report: &Report,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let style = match verb {
        Verb::Check => Style::Check,
        Verb::Audit => Style::Audit,
        Verb::Lint => Style::Lint,
    };
    let read = |path: &str| output::read_small(Path::new(path));
    let checkout = Checkout { now: args.now, prefix: output::prefix_in_repository(), read: &read };
    let render = |format: FormatName, colour: Colour| report::render(report, format.format(), style, colour, &checkout);
    for (format, file) in &args.reports {
        output::write(file, &render(*format, Colour::Plain))?;
    }
    match &args.output {
        Some(file) => output::write(file, &render(args.format, Colour::Plain)),
        None if args.quiet => Ok(()),
        None => {
            let colour = if environment.colour && !args.no_color { Colour::Ansi } else { Colour::Plain };
            output::print(streams.stdout, &render(args.format, colour))
        }
    }
}
