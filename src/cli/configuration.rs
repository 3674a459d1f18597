//! `.agent-strace.yaml`, from disk or from the revision of the policy, and the options that override it.

use std::path::Path;

use clap::ValueEnum as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::Streams;
use super::args::FailOn;
use super::baseline::{self, Baseline};
use super::environment::Environment;
use super::failure::{Failure, reason};
use super::gate::GateRequest;
use super::output;
use super::policy_file;
use super::trust::TrustBase;
use agent_strace_engine::{Settings, WaiverMode};
use agent_strace_git::GitError;
use agent_strace_policy::config::anonymize::{self, Anonymizing};
use agent_strace_policy::config::lint::{self, Lints};
use agent_strace_policy::config::private::Private;
use agent_strace_policy::config::retention::Retention;
use agent_strace_policy::config::{self, Configuration};
use agent_strace_policy::{Diagnostics, Policy};

/// Everything that decides a verdict in addition to the evidence and the lists of the policy.
pub(super) struct Configured {
    /// With the suppressions of the configuration.
    pub(super) policy: Policy,
    pub(super) settings: Settings,
    pub(super) baseline: Baseline,
    /// How long the store keeps sessions.
    pub(super) retention: Retention,
    /// For which private data logs are searched.
    pub(super) private: Private,
    /// Directories that are the top of the repository where agents ran.
    pub(super) roots: Vec<String>,
}

/// Applies the configuration of the request to its policy.
pub(super) fn decide(
    request: GateRequest<'_>,
    policy: Policy,
    trust_base: TrustBase<'_>,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Configured, Failure> {
    let args = request.args;
    let colour = environment.colour && !args.no_color;
    let (path, mut configuration) = load(request.configuration, trust_base, &policy, colour)?;
    if !configuration.not_judged.is_empty() && !args.quiet {
        let keys: Vec<String> = configuration.not_judged.iter().map(|key| format!("`{key}`")).collect();
        let line = format!("note: {path}: {} not judged by this build", listed(&keys));
        output::note(streams.stderr, &line);
    }
    let configured = configuration.fail_on.as_deref().and_then(|level| FailOn::from_str(level, false).ok());
    let baseline = match (&args.baseline, &configuration.baseline) {
        (Some(named), _) => baseline::read(&policy_file::shown(&named.to_string_lossy()), trust_base)?,
        (None, Some(named)) => baseline::read(&beside(&path, named), trust_base)?,
        (None, None) => Baseline::default(),
    };
    let policy = policy.suppressing(std::mem::take(&mut configuration.suppressions));
    let settings = Settings {
        fail_on: args.fail_on.or(configured).unwrap_or(FailOn::Error).threshold(),
        baseline: baseline.fingerprints(),
        today: today(&policy, args.now, environment)?,
        waiver_mode: if args.no_suppressions { WaiverMode::Ignore } else { WaiverMode::Apply },
        source: args.source.source(),
        demands: None,
        only: None,
        change: None,
        work_tree: None,
    };
    let Configuration { retention, private, roots, .. } = configuration;
    Ok(Configured { policy, settings, baseline, retention, private, roots })
}

/// The day in UTC. Exceptions expire, so a policy that has any needs a clock.
pub(super) fn today(
    policy: &Policy,
    now: Option<jiff::Timestamp>,
    environment: Environment,
) -> Result<Option<Date>, Failure> {
    let now = now.or_else(|| environment.machine.map(|machine| machine.now));
    if now.is_none() && !policy.waivers().is_empty() {
        return Err(Failure::new("exceptions and suppressions have an end, and there is no clock to hold it against")
            .hint("`--now 2026-03-01T12:00:00Z` says what time it is"));
    }
    Ok(now.map(|now| now.to_zoned(TimeZone::UTC).date()))
}

/// The policy with the suppressions of the file that was asked for, or of the default one, on disk.
pub(super) fn suppressing(config: Option<&str>, policy: Policy, colour: bool) -> Result<Policy, Failure> {
    let (_, configuration) = load(config, TrustBase::at(None), &policy, colour)?;
    Ok(policy.suppressing(configuration.suppressions))
}

/// The lint file that was asked for, the default one, or none.
pub(super) fn lints(named: Option<&str>, trust_base: TrustBase<'_>, colour: bool) -> Result<Option<Lints>, Failure> {
    let name = policy_file::shown(named.unwrap_or(lint::NAME));
    let Some(bytes) = bytes(&name, trust_base, named.is_some())? else { return Ok(None) };
    let read = Lints::read(&name, &bytes, &agent_strace_rules::lint::declared());
    read.map(Some).map_err(|faults| policy_file::faulty("lint file", &name, &faults, policy_file::colour(colour)))
}

/// The file that was asked for, the default one, or none.
pub(super) fn load(
    config: Option<&str>,
    trust_base: TrustBase<'_>,
    policy: &Policy,
    colour: bool,
) -> Result<(String, Configuration), Failure> {
    read(config, trust_base, colour, |name, bytes| config::read(name, bytes, policy))
}

/// The settings of the named file that apply to repositories.
pub(super) fn load_for_repositories(file: &str, colour: bool) -> Result<(String, Configuration), Failure> {
    read(Some(file), TrustBase::at(None), colour, config::read_for_repository)
}

/// How long sessions are kept, by the file that was asked for, the default one, or none.
pub(super) fn retention(config: Option<&str>, colour: bool) -> Result<(String, Retention), Failure> {
    read(config, TrustBase::at(None), colour, config::read_retention)
}

/// `.agent-strace/anonymize.yaml`: the named file, the default one, or none.
pub(super) fn anonymizing(named: Option<&str>, colour: bool) -> Result<Anonymizing, Failure> {
    let asked = named.map(policy_file::shown);
    let names = asked.as_deref().map_or_else(|| anonymize::NAMES.to_vec(), |name| vec![name]);
    for name in names {
        let Some(bytes) = bytes(name, TrustBase::at(None), asked.is_some())? else { continue };
        return anonymize::read(name, &bytes)
            .map_err(|faults| policy_file::faulty("configuration", name, &faults, policy_file::colour(colour)));
    }
    Ok(Anonymizing::default())
}

/// The name of the file and its content. Both are empty if there is no file.
/// The name of the file and its content. Both are empty if there is no file.
fn read<T: Default>(
    config: Option<&str>,
    trust_base: TrustBase<'_>,
    colour: bool,
    read: impl Fn(&str, &[u8]) -> Result<T, Diagnostics>,
) -> Result<(String, T), Failure> {
    let asked = config.map(policy_file::shown);
    let names = asked.as_deref().map_or_else(|| config::NAMES.to_vec(), |name| vec![name]);
    for name in names {
        let Some(bytes) = bytes(name, trust_base, asked.is_some())? else { continue };
        let faulty = |faults| policy_file::faulty("configuration", name, &faults, policy_file::colour(colour));
        return Ok((name.to_owned(), read(name, &bytes).map_err(faulty)?));
    }
    Ok((String::new(), T::default()))
}

/// `None`: the default file does not exist.
pub(super) fn bytes(name: &str, trust_base: TrustBase<'_>, asked: bool) -> Result<Option<Vec<u8>>, Failure> {
    let unusable = |reason: String| Failure::new(format!("the configuration `{name}` can't be used: {reason}"));
    if let Some(revision) = trust_base.revision {
        return match trust_base.read(revision, name) {
            Ok(blob) => Ok(Some(blob.bytes)),
            Err(GitError::NoFile { .. }) if !asked => Ok(None),
            Err(error) => Err(unusable(error.to_string()).hint(
                "with --policy-ref it is read from that revision, so that a change can't suppress its own findings",
            )),
        };
    }
    let path = Path::new(name);
    let read = if asked { config::read_bytes(path).map(Some) } else { config::read_bytes_if_there(path) };
    read.map_err(|error| unusable(reason(&error)))
}

/// A path that the configuration names, which is relative to its own place.
fn beside(configuration: &str, named: &str) -> String {
    match configuration.rsplit_once('/') {
        Some((folder, _)) if !policy_file::is_absolute(named) => format!("{folder}/{named}"),
        _ => policy_file::shown(named),
    }
}

/// `a`, `b` and `c`, with the verb.
fn listed(keys: &[String]) -> String {
    match keys {
        [] => String::new(),
        [one] => format!("{one} is"),
        [rest @ .., last] => format!("{} and {last} are", rest.join(", ")),
    }
}
