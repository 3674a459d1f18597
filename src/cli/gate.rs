//! `check`, `audit` and `lint`: select, read, judge, report.

use std::path::Path;
use std::sync::Arc;

use super::Streams;
use super::args::{AuditArgs, CheckArgs, GateArgs};
use super::baseline::{self, Overwrite};
use super::called_with::called_with;
use super::committed::Committed;
use super::environment::Environment;
use super::failure::Failure;
use super::judge_config::JudgeConfig;
use super::output::{self, Searched};
use super::pipeline::Inputs;
use super::policy_file;
use super::retention::{self, Overdues};
use super::session_filter::SessionFilter;
use super::trust::{AfterMerge, Trust, TrustBase, change};
use super::work_tree::DiskTree;
use agent_strace_effects::Repository;
use agent_strace_engine::Entries;
use agent_strace_git::change_set::Extent;
use agent_strace_git::{GitError, Layout};
use agent_strace_ingest::discover::Selection;
use agent_strace_model::{Gap, GapKind};
use agent_strace_policy::Policy;
use agent_strace_policy::config::retention::Retention;
use agent_strace_report::{Checkout, Colour, Format, Report, Style};

/// The commands that share one judgement. They differ in what they take and show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GateCommand {
    Check,
    Audit,
    Lint,
    /// One call, before it runs.
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "only live commands judge a call before it runs"))]
    Hook,
}

/// A gate command with the options and files that it was called with.
#[derive(Clone, Copy)]
pub(super) struct GateRequest<'a> {
    pub(super) command: GateCommand,
    pub(super) args: &'a GateArgs,
    pub(super) lints: LintMode<'a>,
    /// The file of settings and suppressions.
    pub(super) configuration: Option<&'a str>,
    /// The file of evals.
    pub(super) evals: Option<&'a str>,
    /// The recorded results of LLM judges.
    pub(super) verdicts: Option<&'a str>,
    /// The work tree in which the sessions ran.
    pub(super) work_tree: Option<&'a DiskTree>,
    /// The form of its text.
    pub(super) style: Style,
    pub(super) sessions: SelectedSessions<'a>,
}

/// How the command line selects sessions.
#[derive(Debug, Clone, Copy)]
pub(super) enum SelectedSessions<'a> {
    /// By name; without one those of the store.
    Named(&'a [String]),
    /// Those of all agents on the machine.
    Discovered,
}

impl<'a> GateRequest<'a> {
    /// Without lints and without files of its own.
    pub(super) fn new(command: GateCommand, args: &'a GateArgs) -> Self {
        Self {
            command,
            args,
            lints: LintMode::Never,
            configuration: None,
            evals: None,
            verdicts: None,
            work_tree: None,
            sessions: SelectedSessions::Named(&[]),
            style: match command {
                GateCommand::Check | GateCommand::Hook => Style::Check,
                GateCommand::Audit => Style::Audit,
                GateCommand::Lint => Style::Lint,
            },
        }
    }
}

/// Whether lint rules are applied.
#[derive(Debug, Clone, Copy)]
pub(super) enum LintMode<'a> {
    Never,
    /// Only if the default lint file exists.
    WhereConfigured,
    /// The rules take their settings from this file, else from the default file, else from their own defaults.
    Always(Option<&'a str>),
}

/// The sessions that the command line names.
#[derive(Clone, Copy)]
pub(super) struct SessionRequests<'a> {
    pub(super) named: &'a [String],
    /// The sessions of the store where none is named.
    pub(super) selection: Selection,
}

pub(super) fn check(
    trace_dir: &Path,
    args: &CheckArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let work_tree = args.work_tree.as_deref().map(|folder| DiskTree::asked_for(folder, environment)).transpose()?;
    let trust = Trust::establish(&args.gate, environment)?;
    let inputs = inputs_of_check(&trust, trace_dir, args, environment, streams);
    let asked = args.lint || args.lint_config.is_some();
    let lints = if asked { LintMode::Always(args.lint_config.as_deref()) } else { LintMode::WhereConfigured };
    let request = GateRequest {
        command: GateCommand::Check,
        args: &args.gate,
        lints,
        configuration: args.config.as_deref(),
        evals: args.evals.as_deref(),
        verdicts: args.verdicts.as_deref(),
        work_tree: work_tree.as_ref(),
        style: if args.all_findings { Style::CheckEach } else { Style::Check },
        sessions: if args.discover { SelectedSessions::Discovered } else { SelectedSessions::Named(&args.sessions) },
    };
    run(request, trace_dir, &trust, environment, inputs, streams)
}

fn inputs_of_check(
    trust: &Trust<'_>,
    trace_dir: &Path,
    args: &CheckArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Inputs, Failure> {
    let wanted = SessionFilter::new(&args.wanted, args.gate.now, environment)?;
    if args.discover {
        return Inputs::discover(environment.homes(None)?.as_ref(), wanted.here_at_least()?, environment);
    }
    let requests = SessionRequests { named: &args.sessions, selection: Selection::All };
    let inputs = select(trust, trace_dir, requests, environment, streams)?;
    Ok(inputs.only(wanted))
}

/// The named sessions, or those of the store. The store of a change may be read from its head.
pub(super) fn select(
    trust: &Trust<'_>,
    trace_dir: &Path,
    SessionRequests { named, selection }: SessionRequests<'_>,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Inputs, Failure> {
    let Some(resolved) = trust.requests(trace_dir, named)? else { return Ok(Inputs::none(environment)) };
    let requests = SessionRequests { named: &resolved, selection };
    let inputs = Inputs::select_in(trust.folder(), trace_dir, requests, environment, streams.stdin)?;
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
    let requests = SessionRequests { named: args.session.as_slice(), selection };
    let inputs = select(&trust, trace_dir, requests, environment, streams);
    let configuration = args.config.as_deref();
    let sessions = SelectedSessions::Named(args.session.as_slice());
    let request = GateRequest { configuration, sessions, ..GateRequest::new(GateCommand::Audit, &args.gate) };
    run(request, trace_dir, &trust, environment, inputs, streams)
}

/// `inputs` may be a failure: a policy that can't be loaded is reported before a session that can't be found.
pub(super) fn run(
    request: GateRequest<'_>,
    trace_dir: &Path,
    trust: &Trust<'_>,
    environment: Environment,
    inputs: Result<Inputs, Failure>,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let args = request.args;
    output::refuse_same_file(args.files())?;
    let mut config = JudgeConfig::load(request, trust.base(), environment, streams)?;
    let overwrite = if args.force { Overwrite::Replace } else { Overwrite::Refuse };
    baseline::refuse_to_overwrite(args.write_baseline.as_deref(), overwrite)?;
    let mut inputs = inputs?;
    let mut notes = Vec::new();
    let change = change::of_run(request, trust, trace_dir, environment, &config, &mut inputs, &mut notes)?;
    let people_may_have_done_it = change.as_ref().is_some_and(|change| change.extent == Extent::Everything);
    if inputs.is_empty() && !people_may_have_done_it {
        let searched = match request.sessions {
            SelectedSessions::Named(named) => Searched::new(named, trace_dir),
            SelectedSessions::Discovered => Searched::Machine,
        };
        return Ok(output::no_sessions(searched, "judged", streams.stderr));
    }
    config.set_change(change.as_ref());
    config.entries = entries(request);
    inputs.lack(config.repository_gap.clone());
    notes.extend(left_out_of(inputs.left_out()));
    let overdue = overdue(request, &config.retention, trace_dir, environment, &mut inputs)?;
    let after_merge = AfterMerge::load(request, trust, change.as_ref(), environment, streams);
    let report = after_merge.judge(&inputs, &config, &overdue);
    let report = report.called_with(called_with(request, trace_dir, trust, environment));
    write(request, trust, environment, &report, streams)?;
    let mut baseline_notes = config.baseline.notes(&report);
    if let Some(path) = &args.write_baseline {
        let today = config.settings.today.map(|today| today.to_string());
        baseline_notes.extend(config.baseline.write(path, &report, today.as_deref(), overwrite)?);
    }
    for note in baseline_notes.iter().chain(&notes).filter(|_| !args.quiet) {
        output::note(streams.stderr, note);
    }
    Ok(report.exit_code())
}

/// How much the requested reports show in addition to findings.
fn entries(GateRequest { command, args, .. }: GateRequest<'_>) -> Entries {
    let mut formats = args.reports.iter().map(|(format, _)| format).chain([&args.format]);
    match command {
        GateCommand::Audit => Entries::Keep,
        _ if formats.any(|format| format.tells_the_story()) => Entries::Story,
        _ => Entries::Drop,
    }
}

/// The sessions that the store keeps past its limits, if sessions of it are judged.
pub(super) fn overdue(
    GateRequest { command, args, .. }: GateRequest<'_>,
    retention: &Retention,
    trace_dir: &Path,
    environment: Environment,
    inputs: &mut Inputs,
) -> Result<Overdues, Failure> {
    if command != GateCommand::Check || !retention.limits_anything() || !inputs.are_in(trace_dir) {
        return Ok(Overdues::default());
    }
    let now = retention::now(args.now, environment)?;
    let (overdue, gaps) = Overdues::of_store(trace_dir, retention, now);
    // A command that names sessions is about these alone.
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

/// What is known of the repository in which the program runs: its files, and the symlinks among them, because a path that
/// leads through one is judged by its target. If it can't be read, that is missing evidence: a gap, never a pass.
pub(super) fn repository(trust_base: TrustBase<'_>) -> (Arc<Repository>, Option<Gap>) {
    let (repository, gap) = repository_from(trust_base, None);
    let contents = committed_from(trust_base, None).reader();
    (Arc::new(Arc::unwrap_or_clone(repository).with_contents(contents)), gap)
}

/// Opens the repository in a folder elsewhere.
pub(super) fn repository_in(folder: &Path) -> (Arc<Repository>, Option<Gap>) {
    let (repository, gap) = repository_from(TrustBase::at(None), Some(folder));
    let contents = committed_from(TrustBase::at(None), Some(folder)).reader();
    (Arc::new(Arc::unwrap_or_clone(repository).with_contents(contents)), gap)
}

/// The same for a policy that may lie above the current directory: its entries count from its own directory.
pub(super) fn repository_by(policy: &Policy, trust_base: TrustBase<'_>) -> (Arc<Repository>, Option<Gap>) {
    let Some(above) = policy_file::folder_above(policy) else { return repository(trust_base) };
    let (repository, gap) = repository_from(trust_base, Some(&above));
    let contents = committed_from(trust_base, Some(&above)).reader();
    (Arc::new(Arc::unwrap_or_clone(repository).with_contents(contents).with_policy_above()), gap)
}

/// Reads the repository with paths from a directory above the current one: the directory of the policy, where that is one.
pub(super) fn repository_from(trust_base: TrustBase<'_>, above: Option<&Path>) -> (Arc<Repository>, Option<Gap>) {
    let here = if trust_base.is_top() { None } else { std::env::current_dir().ok() };
    let above = above.filter(|_| !trust_base.is_top());
    let here = above.or(here.as_deref()).and_then(Path::to_str);
    let revision = trust_base.revision.unwrap_or("HEAD");
    let start = above.unwrap_or(trust_base.folder());
    let (layout, gap) = match agent_strace_git::layout(start, revision, trust_base.is_top()) {
        Ok(layout) => (layout, None),
        Err(GitError::NoRepository(_) | GitError::NoRevision(_)) => (Layout::default(), None),
        Err(error) => {
            let kind = GapKind::unreadable(format!("the symlinks committed here are not known: {error}"));
            (Layout::default(), Some(Gap::of_file(".git", kind)))
        }
    };
    let Layout { links, files } = layout;
    (Arc::new(Repository::of_links(links).with_files(files).at(here)), gap)
}

/// The files of the base, with paths as those of [`repository_from`].
pub(super) fn committed_from(trust_base: TrustBase<'_>, above: Option<&Path>) -> Committed {
    let start = above.filter(|_| !trust_base.is_top()).unwrap_or(trust_base.folder());
    let revision = trust_base.revision.unwrap_or("HEAD").to_owned();
    Committed { start: start.to_owned(), from_top: trust_base.is_top(), revisions: vec![revision] }
}

fn write(
    GateRequest { args, style, .. }: GateRequest<'_>,
    trust: &Trust<'_>,
    environment: Environment,
    report: &Report,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let repository = environment.repository();
    let (now, prefix, home) = (args.now, trust.prefix(), env!("CARGO_PKG_REPOSITORY"));
    let checkout = Checkout { now, prefix, repository, command: "gate", home };
    let render = |format: Format, colour: Colour| agent_strace_report::render(report, format, style, colour, &checkout);
    for (format, file) in &args.reports {
        output::write(file, &render(*format, Colour::Plain))?;
    }
    match &args.output {
        Some(file) => output::write(file, &render(args.format, Colour::Plain)),
        None if args.quiet => Ok(()),
        None => {
            let colour = if environment.colour && !args.no_color { Colour::Ansi } else { Colour::Plain };
            let text = render(args.format, colour);
            let text = if args.format == Format::Text { environment.fitted(text) } else { text };
            output::print(streams.stdout, &text)
        }
    }
}
