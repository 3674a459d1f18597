//! Decides which remarks count in a repository, by approvals, suppressions and the baseline.

use std::path::Path;

use jiff::civil::Date;

use super::super::args::FailOn;
use super::super::baseline::Baseline;
use super::super::failure::Failure;
use super::args::AuditToolsArgs;
use agent_strace_effects::{Certainty, Connection, Effect, Kind, PathTarget};
use agent_strace_git::Repository;
use agent_strace_model::finding::Level;
use agent_strace_policy::config::approved::Approved;
use agent_strace_policy::config::{self, Configuration};
use agent_strace_policy::{Waiver, WaiverCandidate, nearest};
use agent_strace_report::repo_audit::{Judged, Verdict};
use agent_strace_repos::repo_audit::{ApprovalError, Approvals, RepositoryAudit, RepositoryHit, Wrong, tables};

/// The most bytes that are read of a configuration. Its reader reports larger ones.
const LARGEST: u64 = 2 << 20;

/// The settings for all repositories.
pub(super) struct SharedConfig {
    /// `None`: each repository has its own.
    pub(super) shared: Option<RepositoryConfig>,
    pub(super) baseline: Baseline,
    pub(super) today: Date,
    /// `None`: nothing fails.
    pub(super) threshold: Option<Level>,
    /// There are several repositories, which a baseline has to distinguish.
    pub(super) several: bool,
}

/// The configuration of a repository.
#[derive(Debug, Default)]
pub(super) struct RepositoryConfig {
    pub(super) approvals: Approvals,
    pub(super) suppressions: Vec<Waiver>,
    /// The file.
    pub(super) file: Option<String>,
}

/// `--approved` and `--config`; `None`: neither was given.
pub(super) fn shared(args: &AuditToolsArgs, today: Date, colour: bool) -> Result<Option<RepositoryConfig>, Failure> {
    let named: Vec<Approved> = args
        .approved
        .iter()
        .flatten()
        .filter(|name| !name.trim().is_empty())
        .map(|name| Approved::of_text(name))
        .collect();
    let mut says = match &args.config {
        Some(file) => {
            let (name, configuration) = super::super::configuration::load_for_repositories(file, colour)?;
            Some(says(&name, configuration, &named, today).map_err(Failure::new)?)
        }
        None => None,
    };
    if args.approved.is_some() && says.is_none() {
        says = Some(says_of(&named, today)?);
    }
    if args.approved.is_some() {
        says = says.map(|says| RepositoryConfig { approvals: says.approvals.stating(), ..says });
    }
    Ok(says)
}

fn says_of(named: &[Approved], today: Date) -> Result<RepositoryConfig, Failure> {
    let known = tables().map_err(Failure::new)?;
    let approvals = Approvals::new(known, named, today).map_err(|error| {
        let failure = Failure::new(format!("--approved: {error}"));
        let failure = match &error.what {
            Wrong::Tool(name) => failure.did_you_mean(name, &known.ids()),
            Wrong::Glob(_) => failure,
        };
        failure.hint("`mcp:NAME` approves an MCP server, `host:HOST` an endpoint")
    })?;
    Ok(RepositoryConfig { approvals, ..RepositoryConfig::default() })
}

/// With its place, and with what it may have meant.
fn in_file(file: &str, error: &ApprovalError, known: &[&str]) -> String {
    let near = match &error.what {
        Wrong::Tool(name) => nearest(name, known).map(|near| format!("; did you mean `{near}`?")),
        Wrong::Glob(_) => None,
    };
    format!("{file}: line {}: `approved`: {error}{}", error.line, near.unwrap_or_default())
}

/// The configuration of a file, with the approvals of the command line.
fn says(file: &str, configuration: Configuration, more: &[Approved], today: Date) -> Result<RepositoryConfig, String> {
    let known = tables()?;
    let stated = configuration.approved.is_some();
    let mut approved = configuration.approved.unwrap_or_default();
    approved.extend_from_slice(more);
    let approvals = Approvals::new(known, &approved, today).map_err(|error| in_file(file, &error, &known.ids()))?;
    // A list that is there says something about tools, even where it is empty.
    let approvals = if stated && approved.is_empty() { approvals.stating() } else { approvals };
    Ok(RepositoryConfig { approvals, suppressions: configuration.suppressions, file: Some(file.to_owned()) })
}

/// The committed configuration of a repository.
pub(super) fn committed(path: &Path, today: Date) -> Result<RepositoryConfig, String> {
    let repository = Repository::open(path).map_err(|error| error.to_string())?;
    for name in config::NAMES {
        let read = repository.committed(name, LARGEST).map_err(|error| format!("{name}: {error}"))?;
        let Some(bytes) = read else { continue };
        let configuration = config::read_for_repository(name, &bytes).map_err(|faults| faults.in_one_line())?;
        return says(name, configuration, &[], today);
    }
    Ok(RepositoryConfig::default())
}

impl SharedConfig {
    pub(super) fn new(
        args: &AuditToolsArgs,
        shared: Option<RepositoryConfig>,
        baseline: Baseline,
        today: Date,
        several: bool,
    ) -> Self {
        let threshold = match args.fail_on.unwrap_or(FailOn::Error) {
            FailOn::Never => None,
            FailOn::Error => Some(Level::Error),
            FailOn::Warning => Some(Level::Warning),
            FailOn::Note => Some(Level::Note),
        };
        Self { shared, baseline, today, threshold, several }
    }

    /// Which remarks count, and which the baseline knows.
    pub(super) fn judge<'s>(
        &self,
        repository: &str,
        audit: &'s RepositoryAudit,
        says: &RepositoryConfig,
    ) -> (Judged<'s>, Vec<&'s RepositoryHit>) {
        let (mut suppressed, mut baselined) = (0, Vec::new());
        let mut uses = vec![0_u32; says.suppressions.len()];
        let mut hits = Vec::new();
        for hit in &audit.hits {
            if self.is_suppressed(hit, &says.suppressions, &mut uses, repository) {
                suppressed += 1;
            } else if self.baseline.knows(self.several.then_some(repository), &hit.fingerprint()) {
                baselined.push(hit);
            } else {
                hits.push(hit);
            }
        }
        let fails = |hit: &&&RepositoryHit| self.threshold.is_some_and(|threshold| hit.level >= threshold);
        let verdict = match (hits.iter().any(|hit| fails(&hit)), audit.gaps.is_empty()) {
            (true, _) => Verdict::Fail,
            (false, false) => Verdict::Incomplete,
            (false, true) => Verdict::Pass,
        };
        let approvals = &says.approvals;
        let judged = Judged {
            hits,
            suppressed,
            baselined: baselined.len(),
            verdict,
            approved: approvals.judges_tools().then(|| approvals.shown.clone()),
            judges: (approvals.judges_servers(), approvals.judges_hosts()),
        };
        (judged, baselined)
    }

    /// The first suppression that holds and may be used once more.
    fn is_suppressed(&self, hit: &RepositoryHit, waivers: &[Waiver], uses: &mut [u32], repository: &str) -> bool {
        let fingerprint = hit.fingerprint();
        let effects = effects(hit);
        let found = |effect| WaiverCandidate {
            rule: hit.rule.id,
            location: None,
            policy_rule: None,
            effect,
            root: None,
            session: repository,
            fingerprint: &fingerprint,
        };
        let covers = |waiver: &Waiver| {
            waiver.covers(&found(None)) || effects.iter().any(|effect| waiver.covers(&found(Some(effect))))
        };
        for (waiver, used) in waivers.iter().zip(uses) {
            let is_free = waiver.max_uses.is_none_or(|most| *used < most);
            if is_free && !waiver.has_expired(self.today) && covers(waiver) {
                *used += 1;
                return true;
            }
        }
        false
    }
}

/// The subjects of a remark that conditions of suppressions can name: `path`, `host`, `tool`.
fn effects(hit: &RepositoryHit) -> Vec<Effect> {
    let exact = |kind| Effect::new(kind, Certainty::Exact, "repository");
    let path = hit.location.file.as_deref().map(|path| exact(Kind::Read(PathTarget::new(path))));
    let about = hit.about.iter().filter_map(|(what, value)| match *what {
        "tool" | "server" => Some(exact(Kind::Tool { server: None, tool: value.clone() })),
        "endpoint" => Some(exact(Kind::Connect(Connection { host: Some(value.clone()), port: None, scheme: None }))),
        _ => None,
    });
    path.into_iter().chain(about).collect()
}
