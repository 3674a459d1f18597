//! `audit-tools`: which AI tools, MCP servers and endpoints are in repositories, one or thousands.

mod args;
mod decide;
mod in_order;
mod merge;
mod used;
mod writing;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use sha2::{Digest, Sha256};

use super::Streams;
use super::args::FailOn;
use super::baseline::{self, Baseline, Overwrite};
use super::environment::Environment;
use super::failure::Failure;
use super::output;
use super::policy_file;
use super::progress::Progress;
use super::since::Since;
use super::targets::{self, Target};
use super::trust::TrustBase;
use agent_strace_git::{GitError, Revisions};
use agent_strace_model::Gap;
use agent_strace_policy::config::approved::Approved;
use agent_strace_policy::{digest as digest_of, hex};
use agent_strace_report::FoundInRepository;
use agent_strace_report::repo_audit::{FindingRow, Row, Stated, Summary};
use agent_strace_repos::repo_audit::{self, Settings};

use args::AuditToolsCommand;
use decide::{RepositoryConfig, SharedConfig};
use used::Used;
use writing::Reports;

pub(super) use args::{AuditToolsArgs, EXAMPLES};

/// How far back commits are looked at, as the Python tool of this name does.
const DAYS: u32 = 90;

pub(super) fn run(args: &AuditToolsArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    if let Some(AuditToolsCommand::Merge(args)) = &args.command {
        return merge::run(args, environment, streams);
    }
    let now = args.now.or_else(|| environment.machine.map(|machine| machine.now));
    let now =
        now.ok_or_else(|| Failure::new("there is no clock").hint("`--now 2026-03-01T12:00:00Z` says what time it is"))?;
    let overwrite = if args.force { Overwrite::Replace } else { Overwrite::Refuse };
    baseline::refuse_to_overwrite(args.write_baseline.as_deref(), overwrite)?;
    output::refuse_same_file(args.written.files().chain(args.write_baseline.as_deref()))?;
    let targets = targets::targets(&args.repositories, args.repos_from.as_deref(), streams.stdin)?;
    let run_config = AuditRun::new(args, targets.len(), now, environment)?;
    let stated = stated(args, &targets, &run_config);
    let single = targets.len() == 1;
    let mine: Vec<(usize, &Target)> = targets
        .iter()
        .enumerate()
        .filter(|(at, _)| args.shard.is_none_or(|shard| at % shard.of == shard.number - 1))
        .collect();
    let mut summary = Summary::new(stated.clone(), args.shard);
    let mut reports = Reports::new(&args.written, &stated, single, environment)?;
    if single {
        refuse_what_is_no_repository(&targets)?;
    }
    reports.start(streams.stdout)?;
    let mut known = Vec::new();
    let progress = Progress::new(environment.progress, mine.len(), "repositories");
    let stdout = &mut *streams.stdout;
    let take = |Judged { row, baselined }| {
        if args.write_baseline.is_some() {
            remember(&row, baselined, single, &mut known);
        }
        summary.add(&row);
        reports.row(&row, stdout)
    };
    in_order::each(&mine, |(at, target)| run_config.row(*at, target, &progress), take)?;
    drop(progress);
    reports.end(&summary, streams.stdout)?;
    if let Some(path) = &args.write_baseline {
        let today = run_config.decided.today.to_string();
        let note = run_config.decided.baseline.write_found(path, &known, &today, overwrite)?;
        output::note(streams.stderr, &note);
    }
    Ok(summary.exit_code)
}

/// Whoever names one path that is no repository made a mistake, and a report about nothing would hide it.
fn refuse_what_is_no_repository(targets: &[Target]) -> Result<(), Failure> {
    let Some(Target { shown, path }) = targets.first() else { return Ok(()) };
    match agent_strace_git::Repository::open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(broken(shown, &error)),
    }
}

fn broken(shown: &str, error: &GitError) -> Failure {
    let failure = Failure::new(format!("`{shown}` can't be swept: {error}"));
    match error {
        GitError::NoRepository(_) => {
            failure.hint("name a repository, a bare one, or a folder of repositories with `--repo`")
        }
        GitError::Owner => failure.hint("`git config --global --add safe.directory PATH` says that you trust it"),
        _ => failure,
    }
}

fn remember(row: &Row, baselined: Vec<FindingRow>, single: bool, known: &mut Vec<FoundInRepository>) {
    let repository = (!single).then(|| row.repository.clone());
    for finding in row.findings.iter().cloned().chain(baselined) {
        let FindingRow { rule, message, fingerprint, .. } = finding;
        known.push(FoundInRepository { rule, message, fingerprint, repository: repository.clone() });
    }
}

/// A row, and the findings that the baseline knows.
struct Judged {
    row: Row,
    baselined: Vec<FindingRow>,
}

/// The arguments and inputs that all repositories share.
struct AuditRun<'a> {
    args: &'a AuditToolsArgs,
    decided: SharedConfig,
    revisions: Option<Revisions>,
    /// Of sessions that were named.
    used: Option<(Used, Vec<Gap>)>,
}

impl<'a> AuditRun<'a> {
    fn new(
        args: &'a AuditToolsArgs,
        repositories: usize,
        now: Timestamp,
        environment: Environment,
    ) -> Result<Self, Failure> {
        let today = now.to_zoned(TimeZone::UTC).date();
        let colour = environment.colour && !args.written.no_color;
        let shared = decide::shared(args, today, colour)?;
        let baseline = match &args.baseline {
            Some(path) => baseline::read(&policy_file::shown(&path.to_string_lossy()), TrustBase::at(None))?,
            None => Baseline::default(),
        };
        let used = match args.sessions.as_slice() {
            [] => None,
            sessions => Some(used::named(sessions, environment)?),
        };
        let decided = SharedConfig::new(args, shared, baseline, today, repositories > 1);
        Ok(Self { args, decided, revisions: revisions(args, now), used })
    }

    fn row(&self, index: usize, target: &Target, progress: &Progress) -> Judged {
        // Who waits for this row would wait for ever, and the others are to be judged all the same.
        let judged = catch_unwind(AssertUnwindSafe(|| self.judged(index, target)));
        let judged = judged.unwrap_or_else(|_| Err("internal error while sweeping it: please report it".to_owned()));
        progress.step();
        let broken = |error: String| Row::broken(index, &target.shown, &error);
        judged.unwrap_or_else(|error| Judged { row: broken(error), baselined: Vec::new() })
    }

    fn judged(&self, index: usize, target: &Target) -> Result<Judged, String> {
        let own: RepositoryConfig;
        let says = if let Some(says) = &self.decided.shared {
            says
        } else {
            own = decide::committed(&target.path, self.decided.today)?;
            &own
        };
        let (used, gaps) = self.used(&target.path)?;
        let settings = Settings {
            revisions: self.revisions.clone(),
            backend: self.args.git.backend(),
            approvals: &says.approvals,
            approved_in: says.file.as_deref(),
            used: used.as_ref(),
            deep: self.args.deep,
        };
        let mut audit = repo_audit::audit_repository(&target.path, &settings).map_err(|error| error.to_string())?;
        audit.gaps.extend(gaps);
        let (judged, baselined) = self.decided.judge(&target.shown, &audit, says);
        let baselined = baselined.into_iter().map(FindingRow::new).collect();
        Ok(Judged { row: Row::new(index, &target.shown, &audit, &judged), baselined })
    }

    /// Servers that sessions used: those of the work tree, and those that were named.
    fn used(&self, path: &Path) -> Result<(Option<Used>, Vec<Gap>), String> {
        let here = used::in_worktree(path)?;
        if here.is_none() && self.used.is_none() {
            return Ok((None, Vec::new()));
        }
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut gaps = Vec::new();
        for (used, more) in here.iter().chain(&self.used) {
            gaps.extend(more.iter().cloned());
            for (server, tools) in used {
                all.entry(server.clone()).or_default().extend(tools.iter().cloned());
            }
        }
        Ok((Some(all), gaps))
    }
}

fn revisions(args: &AuditToolsArgs, now: Timestamp) -> Option<Revisions> {
    if args.no_history {
        return None;
    }
    if args.all {
        return Some(Revisions::All);
    }
    if let Some(range) = &args.range {
        return Some(Revisions::Range(range.clone()));
    }
    let since = args.since.unwrap_or_else(|| Since::days(DAYS));
    // So long ago that no commit is before it.
    Some(since.moment(now).map_or_else(|| Revisions::Range("HEAD".to_owned()), Revisions::Since))
}

/// What was asked for, as every shard of the run says it.
fn stated(args: &AuditToolsArgs, targets: &[Target], run_config: &AuditRun<'_>) -> Stated {
    let commits = match &run_config.revisions {
        None => "none".to_owned(),
        Some(Revisions::All) => "all references".to_owned(),
        Some(Revisions::Range(range)) => range.clone(),
        Some(Revisions::Since(moment)) => format!("since {}", moment.to_zoned(TimeZone::UTC).date()),
    };
    let approved =
        args.approved.as_ref().map(|names| names.iter().map(|name| Approved::of_text(name).shown()).collect());
    let fail_on = match args.fail_on.unwrap_or(FailOn::Error) {
        FailOn::Error => "error",
        FailOn::Warning => "warning",
        FailOn::Note => "note",
        FailOn::Never => "never",
    };
    let mut digest = Sha256::new();
    let names = targets.iter().map(|target| target.shown.as_str());
    // What could not be read was an error before this.
    let content = |path: Option<&Path>| path.and_then(|path| std::fs::read(path).ok()).map(|bytes| digest_of(&bytes));
    let config = content(args.config.as_deref().map(Path::new));
    let baseline = content(args.baseline.as_deref());
    let said = format!("{approved:?} {config:?} {baseline:?} {}", args.deep);
    for part in [commits.as_str(), fail_on, &said].into_iter().chain(names) {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let digest = hex(digest.finalize().get(..16).unwrap_or_default());
    Stated { repositories: targets.len(), commits, approved, fail_on: fail_on.to_owned(), digest }
}
