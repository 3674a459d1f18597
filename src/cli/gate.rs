//! `check`, `audit` and `lint`: select, read, judge, report.

use std::path::Path;

use super::Streams;
use super::args::{AuditArgs, CheckArgs, FormatName, GateArgs};
use super::baseline::{self, Overwrite};
use super::bench::Bench;
use super::environment::Environment;
use super::failure::Failure;
use super::output;
use super::pipeline::Inputs;
use super::retention::{self, Overdues};
use super::trust::{AfterMerge, Ground, Trust, change};
use super::wanted::Wanted;
use agent_strace_effects::Links;
use agent_strace_engine::Entries;
use agent_strace_git::GitError;
use agent_strace_git::change_set::Extent;
use agent_strace_ingest::discover::Selection;
use agent_strace_model::Gap;
use agent_strace_policy::config::retention::Retention;
use agent_strace_report::{Checkout, Colour, Report, Style};

/// What was called: all judge alike and differ in what they take and show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Check,
    Audit,
    Lint,
    /// One call, before it runs.
    Hook,
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
    let trust = Trust::establish(&args.gate, environment)?;
    let inputs = inputs_of_check(&trust, trace_dir, args, environment, streams);
    let asked = args.lint || args.lint_config.is_some();
    let lints = if asked { Wish::Always(args.lint_config.as_deref()) } else { Wish::WhereConfigured };
    let named = Named {
        configuration: args.config.as_deref(),
        lints,
        evals: args.evals.as_deref(),
        verdicts: args.verdicts.as_deref(),
    };
    run((Verb::Check, &named), trace_dir, (&args.gate, &trust), environment, inputs, streams)
}

fn inputs_of_check(
    trust: &Trust<'_>,
    trace_dir: &Path,
    args: &CheckArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Inputs, Failure> {
    let wanted = Wanted::new(&args.wanted, args.gate.now, environment)?;
    if args.discover {
        return Inputs::discover(environment.homes(None)?.as_ref(), wanted.here_at_least()?, environment);
    }
    let inputs = select(trust, trace_dir, (&args.sessions, Selection::All), environment, streams)?;
    Ok(inputs.only(wanted))
}

/// The sessions that were named, or those of the store: of the head of a change, where it is read from there.
pub(super) fn select(
    trust: &Trust<'_>,
    trace_dir: &Path,
    (named, selection): (&[String], Selection),
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Inputs, Failure> {
    let Some(requests) = trust.requests(trace_dir, named)? else { return Ok(Inputs::none(environment)) };
    let inputs = Inputs::select_in(trust.folder(), trace_dir, (&requests, selection), environment, streams.stdin)?;
    Ok(inputs.of_whole_store(named.is_empty() && selection == Selection::All))
}

pub(super) fn audit(
    trace_dir: &Path,
    args: &AuditArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let trust = Trust::establish(&args.gate, environment)?;
    let selection = if args.all { Selection::All } else { Selection::Latest };
    let requests: Vec<String> = args.session.iter().cloned().collect();
    let inputs = select(&trust, trace_dir, (&requests, selection), environment, streams);
    let named = Named { configuration: args.config.as_deref(), lints: Wish::Never, evals: None, verdicts: None };
    run((Verb::Audit, &named), trace_dir, (&args.gate, &trust), environment, inputs, streams)
}

pub(super) fn run(
    (verb, named): (Verb, &Named<'_>),
    trace_dir: &Path,
    (args, trust): (&GateArgs, &Trust<'_>),
    environment: Environment,
    inputs: Result<Inputs, Failure>,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    // A policy that can't be had is worse news than a session that can't be found, and is told first.
    let mut bench = Bench::load((verb, named), args, trust.ground(), environment, streams)?;
    let overwrite = if args.force { Overwrite::Replace } else { Overwrite::Refuse };
    baseline::refuse_to_overwrite(args.write_baseline.as_deref(), overwrite)?;
    let mut inputs = inputs?;
    let mut notes = Vec::new();
    let change = change::of_run((args, named), trust, (trace_dir, &bench), &mut inputs, &mut notes)?;
    let people_may_have_done_it = change.as_ref().is_some_and(|change| change.extent == Extent::Everything);
    if inputs.is_empty() && !people_may_have_done_it {
        return Ok(no_sessions(trace_dir, streams));
    }
    bench.of_change(change.as_ref());
    let (links, gap) = links(trust.ground());
    inputs.lack(gap);
    notes.extend(left_out_of(inputs.left_out()));
    let overdue = overdue(verb, &bench.retention, trace_dir, (args, environment), &mut inputs)?;
    let later = AfterMerge::load((verb, named), (args, trust), change.as_ref(), environment, streams);
    let entries = entries(verb, args);
    let wanted = bench.wanted(verb);
    let panel = bench.panel(wanted.as_ref(), &links, entries);
    let report = later.judge(inputs, &panel, verb, &overdue);
    write(verb, (args, trust), environment, &report, streams)?;
    let mut told = bench.baseline.notes(&report);
    if let Some(path) = &args.write_baseline {
        let today = bench.settings.today.map(|today| today.to_string());
        told.extend(bench.baseline.write(path, &report, today.as_deref(), overwrite)?);
    }
    for note in told.iter().chain(&notes).filter(|_| !args.quiet) {
        output::note(streams.stderr, note);
    }
    Ok(report.exit_code())
}

/// What the reports that are asked for tell beside findings.
fn entries(verb: Verb, args: &GateArgs) -> Entries {
    let mut formats = args.reports.iter().map(|(format, _)| format).chain([&args.format]);
    match verb {
        Verb::Audit => Entries::Keep,
        _ if formats.any(|format| format.format().tells_the_story()) => Entries::Story,
        _ => Entries::Drop,
    }
}

/// What the store should not hold any more, where sessions of it are judged.
pub(super) fn overdue(
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

/// The symlinks that are committed where the program runs, so that what is done through one is judged by what it names.
/// Links of a repository that can't be read are evidence that is missing: a gap, never a pass.
pub(super) fn links(ground: Ground<'_>) -> (Links, Option<Gap>) {
    match agent_strace_git::links(ground.folder(), ground.revision.unwrap_or("HEAD"), ground.is_top()) {
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
    let shown = agent_strace_report::terminal(&trace_dir.display().to_string());
    output::note(streams.stderr, &format!("error: no session was found in `{shown}`: nothing was judged"));
    3
}

fn write(
    verb: Verb,
    (args, trust): (&GateArgs, &Trust<'_>),
    environment: Environment,
    report: &Report,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let style = match verb {
        Verb::Check | Verb::Hook => Style::Check,
        Verb::Audit => Style::Audit,
        Verb::Lint => Style::Lint,
    };
    let read = |path: &str| trust.shown_file(path);
    let repository = environment.repository();
    let checkout = Checkout { now: args.now, prefix: trust.prefix(), repository, read: &read };
    let render = |format: FormatName, colour: Colour| {
        agent_strace_report::render(report, format.format(), style, colour, &checkout)
    };
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
