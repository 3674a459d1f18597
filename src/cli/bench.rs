//! Everything that judges sessions, from one place: policy, settings, suppressions, baseline, lints, evals.

use std::sync::Arc;

use super::Streams;
use super::args::GateArgs;
use super::baseline::Baseline;
use super::configuration::{self, Decided};
use super::demands::{self, Origin};
use super::environment::Environment;
use super::failure::Failure;
use super::gate::{Named, Verb, Wish};
use super::hooks;
use super::judge::Panel;
use super::measured::prices;
use super::output;
use super::policy_file;
use super::trust::Ground;
use agent_strace_effects::Links;
use agent_strace_engine::{Entries, Judging, Settings};
use agent_strace_git::change_set::Change;
use agent_strace_policy::Policy;
use agent_strace_policy::config::lint::Lints;
use agent_strace_policy::config::private::Private;
use agent_strace_policy::config::retention::Retention;
use agent_strace_rules::eval::Demands;
use agent_strace_rules::private::Wanted;

/// What judges.
pub(super) struct Bench {
    pub(super) policy: Policy,
    pub(super) settings: Settings,
    pub(super) baseline: Baseline,
    /// How long the store keeps sessions.
    pub(super) retention: Retention,
    private: Private,
    lints: Option<Lints>,
}

impl Bench {
    /// From the disk, or from a revision.
    pub(super) fn load(
        (verb, named): (Verb, &Named<'_>),
        args: &GateArgs,
        ground: Ground<'_>,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Result<Self, Failure> {
        let policy = policy_file::load(args, verb, ground, environment)?;
        let policy = beside((args, ground), policy, environment, streams)?;
        let decided = configuration::decide(args, named.configuration, (policy, ground), environment, streams)?;
        let Decided { policy, mut settings, baseline, retention, private } = decided;
        settings.only = (verb == Verb::Lint).then_some(agent_strace_rules::lint::FAMILIES);
        let colour = environment.colour && !args.no_color;
        settings.demands = demands(verb, named, ground, colour)?;
        let counted = settings.demands.as_ref().is_some_and(|demands| demands.evals.counts_lints());
        let lints = lints(named, ground, colour)?.or_else(|| counted.then(Lints::default));
        let lints = match settings.demands.as_ref() {
            Some(demands) => lints.map(|lints| lints.counting(demands.evals.counted_rules())),
            None => lints,
        };
        Ok(Self { policy, settings, baseline, retention, private, lints })
    }

    /// With the change that sessions come with.
    pub(super) fn of_change(&mut self, change: Option<&Arc<Change>>) {
        self.settings.change = change.cloned();
    }

    /// What logs are searched for.
    pub(super) fn wanted(&self, verb: Verb) -> Option<Wanted> {
        let demands = self.settings.demands.as_deref();
        let counted = demands.into_iter().flat_map(|demands| demands.evals.counted_rules());
        if matches!(verb, Verb::Check | Verb::Hook) { Wanted::new(&self.private, counted) } else { None }
    }

    pub(super) fn panel<'b>(&'b self, wanted: Option<&'b Wanted>, links: &'b Links, entries: Entries) -> Panel<'b> {
        let judging = Judging {
            policy: &self.policy,
            links,
            entries,
            demands: self.settings.demands.as_deref(),
            lints: self.lints.as_ref(),
            exposed: None,
            change: self.settings.change.as_deref(),
            pending_call: None,
        };
        Panel { judging, wanted, settings: &self.settings }
    }
}

fn lints(named: &Named<'_>, ground: Ground<'_>, colour: bool) -> Result<Option<Lints>, Failure> {
    let load = |file| configuration::lints(file, ground, colour);
    match named.lints {
        Wish::Never => Ok(None),
        Wish::WhereConfigured => load(None),
        Wish::Always(file) => Ok(Some(load(file)?.unwrap_or_default())),
    }
}

/// The policy with what stands in other files: hook policies of agent runtimes, and prices.
fn beside(
    (args, ground): (&GateArgs, Ground<'_>),
    mut policy: Policy,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Policy, Failure> {
    let coloured = environment.colour && !args.no_color;
    let hooks = hooks::manifests(args, ground, coloured)?;
    if !hooks.manifests.is_empty() && !args.quiet {
        let files =
            hooks.manifests.iter().map(|manifest| format!("`{}`", agent_strace_report::terminal(&manifest.path)));
        let files: Vec<String> = files.collect();
        output::note(streams.stderr, &format!("note: judged by the hook policies too: {}", files.join(", ")));
    }
    if let Some(file) = &args.prices {
        policy = policy.priced_by(prices(file, ground, coloured)?);
    }
    Ok(policy.hooked(hooks))
}

/// What sessions have to be like: only `check` asks that of all.
fn demands(verb: Verb, named: &Named<'_>, ground: Ground<'_>, colour: bool) -> Result<Option<Arc<Demands>>, Failure> {
    if verb != Verb::Check {
        return Ok(None);
    }
    let evals = demands::load(named.evals, Origin { ground, colour })?;
    let verdicts = demands::verdicts(named.verdicts)?;
    Ok(evals.map(|evals| Arc::new(Demands { evals, baseline: None, verdicts })))
}
