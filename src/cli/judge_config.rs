//! Everything that sessions are judged by, loaded in one step: policy, settings, suppressions, baseline, lints, evals.

use std::sync::Arc;

use super::Streams;
use super::args::GateArgs;
use super::baseline::Baseline;
use super::committed::Committed;
use super::configuration::{self, Configured};
use super::demands::{self, Origin};
use super::environment::Environment;
use super::failure::Failure;
use super::gate::{self, GateCommand, GateRequest, LintMode};
use super::hooks;
use super::measured::prices;
use super::output;
use super::policy_file;
use super::trust::TrustBase;
use agent_strace_effects::{DeniedLines, Repository};
use agent_strace_engine::policy_testing::lint;
use agent_strace_engine::{Entries, Judging, Moment, Settings, TreeLook};
use agent_strace_git::change_set::Change;
use agent_strace_model::Gap;
use agent_strace_model::finding::RuleId;
use agent_strace_policy::Policy;
use agent_strace_policy::config::evals::Evals;
use agent_strace_policy::config::lint::Lints;
use agent_strace_policy::config::retention::Retention;
use agent_strace_rules::eval::Demands;
use agent_strace_rules::private::Wanted;

/// Policy, rules and settings used to judge.
pub(super) struct JudgeConfig {
    pub(super) policy: Policy,
    pub(super) settings: Settings,
    pub(super) baseline: Baseline,
    /// How long the store keeps sessions.
    pub(super) retention: Retention,
    /// The private data that logs are searched for.
    pub(super) private: Option<Wanted>,
    pub(super) lints: Option<Lints>,
    /// What is known of the judged repository.
    pub(super) repository: Arc<Repository>,
    /// The lines of its files that the policy forbids to read.
    pub(super) lines: DeniedLines,
    /// The files of its base.
    pub(super) committed: Committed,
    /// Why its files are not known.
    pub(super) repository_gap: Option<Gap>,
    /// How much of what was judged the outcome keeps in addition to findings.
    pub(super) entries: Entries,
}

impl JudgeConfig {
    /// Loads it from the disk, or from a revision.
    pub(super) fn load(
        request: GateRequest<'_>,
        trust_base: TrustBase<'_>,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Result<Self, Failure> {
        let GateRequest { command, args, .. } = request;
        let policy = policy_file::load(args, command, trust_base, environment)?;
        if matches!(command, GateCommand::Check | GateCommand::Audit) {
            warn_of_idle_denies(&policy, streams);
        }
        let policy = with_hooks_and_prices(policy, args, trust_base, environment, streams)?;
        // Logs of other machines know nothing of this one.
        #[cfg(feature = "live")]
        let policy = match command {
            GateCommand::Hook => policy.guarding(&super::own_places::own_places(environment)),
            GateCommand::Check | GateCommand::Audit | GateCommand::Lint => policy,
        };
        let configured = configuration::decide(request, policy, trust_base, environment, streams)?;
        let Configured { policy, mut settings, baseline, retention, private, roots } = configured;
        settings.only =
            (command == GateCommand::Lint).then_some(agent_strace_rules::lint::reports as fn(RuleId) -> bool);
        let colour = environment.colour && !args.no_color;
        settings.demands = demands(request, trust_base, colour)?;
        let evals = settings.demands.as_ref().map(|demands| &demands.evals);
        let counted = evals.is_some_and(Evals::counts_lints);
        let lints = lints(request.lints, trust_base, colour)?.or_else(|| counted.then(Lints::default));
        let lints = match evals {
            Some(evals) => lints.map(|lints| lints.counting(evals.counted_rules())),
            None => lints,
        };
        let private = match command {
            GateCommand::Check | GateCommand::Hook => {
                Wanted::new(&private, evals.into_iter().flat_map(Evals::counted_rules))
            }
            GateCommand::Audit | GateCommand::Lint => None,
        };
        let above = policy_file::folder_above(&policy);
        let (repository, repository_gap) = gate::repository_from(trust_base, above.as_deref());
        let stated = args.root.iter().chain(&roots).map(String::as_str);
        settings.work_tree = request.work_tree.map(|tree| Arc::new(tree.also_known_as(stated.clone())) as _);
        let repository = Arc::unwrap_or_clone(repository).with_stated(stated);
        let repository = if above.is_some() { repository.with_policy_above() } else { repository };
        let repository = Arc::new(repository.with_policy_in(policy_file::folder_of(&policy)));
        let committed = gate::committed_from(trust_base, above.as_deref());
        let repository = Arc::new(Arc::unwrap_or_clone(repository).with_contents(committed.reader()));
        let entries = Entries::Drop;
        Ok(Self {
            policy,
            settings,
            baseline,
            retention,
            private,
            lints,
            repository,
            lines: DeniedLines::default(),
            committed,
            repository_gap,
            entries,
        })
    }

    /// Like [`Self::load`], but unknown symlinks are a failure.
    #[cfg(feature = "live")]
    pub(super) fn load_complete(
        request: GateRequest<'_>,
        trust_base: TrustBase<'_>,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Result<Self, Failure> {
        let config = Self::load(request, trust_base, environment, streams)?;
        match config.repository_gap {
            Some(gap) => Err(Failure::new(gap.reason())),
            None => Ok(config),
        }
    }

    /// Adds the change that the sessions belong to.
    pub(super) fn set_change(&mut self, change: Option<&Arc<Change>>) {
        self.settings.change = change.cloned();
        if let Some(change) = change {
            let files = change.files.iter().filter_map(|file| file.path.strip_prefix(&change.prefix));
            let repository = std::mem::take(&mut self.repository);
            let committed = self.committed.clone().at([change.base.commit.as_str(), change.head.commit.as_str()]);
            let repository = Arc::unwrap_or_clone(repository).with_change(files);
            self.repository = Arc::new(repository.with_contents(committed.reader()));
            self.lines = DeniedLines::default();
        }
    }

    pub(super) fn judging(&self) -> Judging<'_> {
        Judging {
            policy: &self.policy,
            repository: &self.repository,
            lines: &self.lines,
            earlier: &[],
            entries: self.entries,
            demands: self.settings.demands.as_deref(),
            lints: self.lints.as_ref(),
            exposed: None,
            change: self.settings.change.as_deref(),
            pending_call: None,
            work_tree: self.settings.work_tree.as_deref().map(|tree| TreeLook { tree, moment: Moment::Later }),
        }
    }
}

fn lints(mode: LintMode<'_>, trust_base: TrustBase<'_>, colour: bool) -> Result<Option<Lints>, Failure> {
    let load = |file| configuration::lints(file, trust_base, colour);
    match mode {
        LintMode::Never => Ok(None),
        LintMode::WhereConfigured => load(None),
        LintMode::Always(file) => Ok(Some(load(file)?.unwrap_or_default())),
    }
}

/// Adds what other files state: hook policies of agent runtimes, and prices.
fn with_hooks_and_prices(
    mut policy: Policy,
    args: &GateArgs,
    trust_base: TrustBase<'_>,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Policy, Failure> {
    let coloured = environment.colour && !args.no_color;
    let hooks = hooks::manifests(args, trust_base, coloured)?;
    if !hooks.manifests.is_empty() && !args.quiet {
        let files =
            hooks.manifests.iter().map(|manifest| format!("`{}`", agent_strace_report::terminal(&manifest.path)));
        let files: Vec<String> = files.collect();
        output::note(streams.stderr, &format!("note: judged by the hook policies too: {}", files.join(", ")));
    }
    if let Some(file) = &args.prices {
        policy = policy.priced_by(prices(file, trust_base, coloured)?);
    }
    Ok(policy.hooked(hooks))
}

/// The evals that sessions have to pass. Only `check` applies them.
fn demands(request: GateRequest<'_>, trust_base: TrustBase<'_>, colour: bool) -> Result<Option<Arc<Demands>>, Failure> {
    if request.command != GateCommand::Check {
        return Ok(None);
    }
    let evals = demands::load(request.evals, Origin { trust_base, colour })?;
    let verdicts = demands::verdicts(request.verdicts)?;
    Ok(evals.map(|evals| Arc::new(Demands { evals, baseline: None, verdicts })))
}

/// Denies that an entry with `!` takes out of their list, or that mean another file than they seem to, protect nothing, which a
/// pass would hide.
fn warn_of_idle_denies(policy: &Policy, streams: &mut Streams<'_>) {
    let forbids =
        |lint: &lint::Lint| lint.location.pointer.contains("/deny/") || lint.location.pointer.contains("/ask/");
    let mut out = lint::taken_out(policy);
    out.extend(lint::of_repository(policy).into_iter().filter(forbids));
    let Some(first) = out.first() else { return };
    let path = policy.identity().map_or("", |identity| identity.path.as_str());
    let more =
        if out.len() > 1 { format!("; {} more, see `agent-strace policy lint`", out.len() - 1) } else { String::new() };
    let (line, column, message) = (first.location.line, first.location.column, &first.message);
    let text = agent_strace_report::terminal(&format!("warning: {path}:{line}:{column}: {message}{more}"));
    output::note(streams.stderr, &text);
}
