//! `policy --repo DIR …`: a policy for each of many repositories, made of the sessions that ran in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agent_strace_engine::generate::{self, Draft, Observed, Settings, Start};
use agent_strace_ingest::discover::Selection;
use agent_strace_model::{Gap, Session};
use agent_strace_policy::Policy;

use super::super::super::Streams;
use super::super::super::environment::Environment;
use super::super::super::failure::{Failure, reason};
use super::super::super::gate::{self, SessionRequests};
use super::super::super::onboarding::{self, About, BaseFile, Mode, Outcome, Row, SessionCounts, Summary, place_in};
use super::super::super::output;
use super::super::super::pipeline::{Inputs, Order};
use super::super::super::session_filter::{self, SessionFilter};
use super::super::super::targets::{self, Target};
use super::args::GenerateArgs;
use super::{base, drafted, joined, own_fault, write};

/// The store of a repository, where no other one is named.
const OWN_STORE: &str = ".agent-traces";

pub(super) fn run(
    trace_dir: &Path,
    args: &GenerateArgs,
    wanted: &SessionFilter,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let targets = targets::targets(&args.repositories, args.repos_from.as_deref(), streams.stdin)?;
    let name = onboarding::policy_name(args.output.as_deref());
    onboarding::refuse_own_policy(args.base.as_deref(), &targets, &name)?;
    let fresh = || generate::base_text().map_err(|faults| own_fault(&faults));
    let open = |file| BaseFile::open(file, &name, args.mode(), fresh);
    let shared = args.base.as_deref().map(open).transpose()?;
    let logs = if args.sessions.is_empty() && trace_dir == Path::new(OWN_STORE) {
        Logs::OfEach
    } else {
        let selected = Inputs::select(trace_dir, &args.sessions, Selection::All, environment, streams.stdin)?;
        Logs::Named(Box::new(NamedLogs::new(selected.only(wanted.clone()), &targets, wanted)?))
    };
    let mut summary = Summary::new(About::Sessions, shared.as_ref());
    let run = Run { args, shared: shared.as_ref(), name: &name, logs: &logs, wanted, environment };
    let mut gaps: Vec<Gap> = Vec::new();
    onboarding::each(&targets, &mut summary, environment, &mut |target| run.repository(target, &mut gaps));
    if let Logs::Named(logs) = &logs {
        gaps.extend(logs.gaps.iter().cloned());
        summary.lacks_evidence = !logs.gaps.is_empty();
        logs.left_out().iter().for_each(|note| output::note(streams.stderr, note));
    }
    gaps.sort();
    gaps.dedup();
    for line in agent_strace_report::gap_lines(&gaps) {
        output::note(streams.stderr, &line);
    }
    if summary.rows.iter().any(|row| row.outcome == Outcome::Written) {
        summary.next = next(shared.is_some());
    }
    onboarding::finish(&summary, args.format, streams)
}

/// Where the sessions of a repository are.
enum Logs {
    /// In the store of each repository.
    OfEach,
    Named(Box<NamedLogs>),
}

/// Logs of several repositories. They are read twice: to learn where their sessions ran, then those of one repository after
/// the other, so that no session stays in memory.
struct NamedLogs {
    inputs: Inputs,
    /// By repository, in their order: the names of its logs.
    of_repositories: BTreeMap<PathBuf, BTreeSet<String>>,
    /// Gaps of logs that may be about any repository.
    gaps: Vec<Gap>,
    /// Sessions that do not say where they ran, or ran elsewhere.
    elsewhere: usize,
}

impl NamedLogs {
    fn new(inputs: Inputs, targets: &[Target], wanted: &SessionFilter) -> Result<Self, Failure> {
        let filters = targets.iter().map(|target| wanted.within(&target.path)).collect::<Result<Vec<_>, _>>()?;
        let (logs, mut gaps) = inputs.each_log(Order::AtOnce, |log, reading| {
            let wanting = |session| filters.iter().enumerate().filter(move |(_, filter)| filter.wants(session));
            let mut owners: BTreeSet<usize> = BTreeSet::new();
            let mut elsewhere = 0;
            for session in &reading.sessions {
                let here: Vec<usize> = wanting(session).map(|(at, _)| at).collect();
                elsewhere += usize::from(here.is_empty());
                owners.extend(here);
            }
            // A gap of such a log may be about any repository.
            let is_open = owners.is_empty() && !reading.sessions.iter().all(session_filter::says_where);
            let gaps = if is_open || reading.sessions.is_empty() { reading.gaps } else { Vec::new() };
            (log.shown.clone(), owners, elsewhere, gaps)
        });
        let mut of_repositories: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        let mut elsewhere = 0;
        for (shown, owners, others, open) in logs {
            elsewhere += others;
            gaps.extend(open);
            for target in owners.iter().filter_map(|at| targets.get(*at)) {
                of_repositories.entry(target.path.clone()).or_default().insert(shown.clone());
            }
        }
        Ok(Self { inputs, of_repositories, gaps, elsewhere })
    }

    fn left_out(&self) -> Option<String> {
        (self.elsewhere > 0).then(|| {
            let sessions = super::text::counted(self.elsewhere, "session");
            format!("note: {sessions} ran in none of these repositories, or the log does not say where: left out")
        })
    }
}

/// The arguments and inputs that all repositories share.
struct Run<'r> {
    args: &'r GenerateArgs,
    shared: Option<&'r BaseFile>,
    name: &'r Path,
    logs: &'r Logs,
    wanted: &'r SessionFilter,
    environment: Environment<'r>,
}

impl Run<'_> {
    fn repository(&self, target: &Target, gaps: &mut Vec<Gap>) -> Result<Row, Failure> {
        let place = place_in(&target.path, self.name)?;
        let mode = self.args.mode();
        if mode == Mode::Keep && place.symlink_metadata().is_ok() {
            return Ok(kept(target, &place));
        }
        let before = base(&place, mode)?;
        let none = Policy::none();
        let start = match (&before, self.shared) {
            (Some(before), _) => before.start(),
            (None, Some(shared)) => Start::Extending(&shared.base),
            (None, None) => Start::Nothing,
        };
        let judges = start.policy().unwrap_or(&none);
        let (parts, lacking) = self.observed(target, judges)?;
        let observed = joined(parts, self.args);
        let is_complete = lacking.is_empty();
        let number = lacking.len();
        gaps.extend(lacking);
        let settings = Settings { seen_in: self.args.seen_in as usize, start };
        let mut row = match drafted(&observed, &settings, self.args)? {
            Ok(draft) => self.written(target, &place, &draft, &observed)?,
            Err(lack) => {
                let mut row = Row::new(&target.shown, Outcome::NoSessions);
                row.reason = Some(lack.reason);
                row.sessions = Some(counts(&observed, lack.draft.as_ref()));
                row
            }
        };
        row.gaps = (!is_complete).then_some(number);
        Ok(row)
    }

    fn observed(&self, target: &Target, judges: &Policy) -> Result<(Vec<Observed>, Vec<Gap>), Failure> {
        let unreadable =
            |error: &std::io::Error| Failure::new(format!("`{}` can't be read: {}", target.shown, reason(error)));
        let top = target.path.canonicalize().map_err(|error| unreadable(&error))?;
        let (repository, gap) = gate::repository_in(&top);
        let of = |session: &Session<'_>| Observed::of_session(session, judges, &repository);
        let (parts, mut gaps) = match self.logs {
            Logs::OfEach => {
                let store = own_store(target, &top)?;
                let requests = SessionRequests { named: &[], selection: Selection::All };
                let inputs = Inputs::select_in(&top, &store, requests, self.environment, &mut std::io::empty())?;
                inputs.only(self.wanted.clone()).all(of)
            }
            Logs::Named(logs) => {
                let within = self.wanted.within(&target.path)?;
                let names = logs.of_repositories.get(&target.path);
                let names: BTreeSet<&str> = names.into_iter().flatten().map(String::as_str).collect();
                let parts = logs.inputs.again(&names, |_, mut reading| {
                    within.apply(&mut reading);
                    (reading.sessions.iter().map(of).collect::<Vec<_>>(), reading.gaps)
                });
                let (parts, gaps): (Vec<Vec<Observed>>, Vec<Vec<Gap>>) = parts.into_iter().unzip();
                (parts.into_iter().flatten().collect(), gaps.into_iter().flatten().collect())
            }
        };
        gaps.extend(gap);
        Ok((parts, gaps))
    }

    fn written(&self, target: &Target, place: &Path, draft: &Draft, observed: &Observed) -> Result<Row, Failure> {
        let is_new = !draft.entries.is_empty();
        let outcome = match (self.args.dry_run, is_new) {
            (_, false) => Outcome::Unchanged,
            (true, true) => Outcome::WouldWrite,
            (false, true) => Outcome::Written,
        };
        let mode = if self.args.dry_run { Mode::DryRun } else { self.args.mode() };
        output::refuse_what_is_no_file(place)?;
        output::refuse_what_is_no_file(&agent_strace_policy::provenance::file_of(place))?;
        self.shared.map_or(Ok(()), |shared| shared.copy_beside(place, mode))?;
        if outcome == Outcome::Written {
            write(place, draft, mode)?;
        }
        let mut row = Row::new(&target.shown, outcome).holding(&draft.policy, &draft.text);
        row.policy = Some(place.display().to_string());
        row.sessions = Some(counts(observed, Some(draft)));
        row.text = (outcome == Outcome::WouldWrite).then(|| draft.text.clone());
        Ok(row)
    }
}

fn kept(target: &Target, place: &Path) -> Row {
    let mut row = Row::new(&target.shown, Outcome::Kept);
    row.policy = Some(place.display().to_string());
    row.reason = Some(format!("`{}` is there already", place.display()));
    row.hints = vec!["`--merge` adds to policies that are there, `--force` replaces them".to_owned()];
    row
}

fn counts(observed: &Observed, draft: Option<&Draft>) -> SessionCounts {
    SessionCounts {
        sessions: observed.sessions.len(),
        calls: observed.sessions.iter().map(|session| session.calls).sum(),
        refused_calls: draft.map_or(0, |draft| draft.refused_calls),
        refused_acts: draft.map_or(0, |draft| draft.review.len()),
    }
}

/// The store of a repository: a link does not lead out of it.
fn own_store(target: &Target, top: &Path) -> Result<PathBuf, Failure> {
    let store = target.path.join(OWN_STORE);
    match store.canonicalize() {
        Ok(real) if !real.starts_with(top) => {
            Err(Failure::new(format!("the store `{}` is a link that leads out of the repository", store.display()))
                .hint("name the store with `--trace-dir`: sessions in it count where they ran"))
        }
        _ => Ok(store),
    }
}

fn next(has_base: bool) -> Vec<String> {
    let commit = if has_base {
        "review the base and the policies, and commit each policy together with its copy of the base"
    } else {
        "review the policies, and commit them"
    };
    [
        commit,
        "in each repository, `agent-strace policy --dry-run` lists what was left out, and why",
        "let `agent-strace check` judge by them",
    ]
    .map(str::to_owned)
    .to_vec()
}
