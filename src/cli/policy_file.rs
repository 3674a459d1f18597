//! Finds and reads the policy.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::args::GateArgs;
use super::environment::Environment;
use super::failure::Failure;
use super::gate::GateCommand;
use super::trust::{TrustBase, remedy};
use agent_strace_git::GitError;
use agent_strace_policy::{Diagnostics, Parts, Policy};

pub(super) const DEFAULT: &str = ".agent-scope.json";
/// Columns that a diagnostic may take.
const WIDTH: usize = 100;

/// The named policy, the default one, or none if the command needs none.
pub(super) fn load(
    args: &GateArgs,
    command: GateCommand,
    trust_base: TrustBase<'_>,
    environment: Environment,
) -> Result<Policy, Failure> {
    let colour = self::colour(environment.colour && !args.no_color);
    if let Some(revision) = trust_base.revision {
        return match in_revision(trust_base, revision, args.policy.as_deref(), colour) {
            Err(Unread::Absent(_)) if args.allow_no_policy && args.policy.is_none() => Ok(Policy::none()),
            Err(Unread::Absent(failure)) if args.policy.is_some() => {
                Err(failure.hint("is the path of `--policy` (`policy` of the action) right?"))
            }
            Err(Unread::Absent(failure)) => Err(first(failure, environment.ci)),
            Err(unread) => Err(unread.failure()),
            Ok(policy) => Ok(policy),
        };
    }
    let path = named_or_found(args.policy.as_deref());
    if args.policy.is_some() || !is_absent(&path) {
        return agent_strace_policy::load_file(Path::new(&path)).map_err(|faults| broken(&path, &faults, colour));
    }
    // `lint` judges how agents worked, which needs no policy.
    if args.allow_no_policy || command == GateCommand::Lint || (command == GateCommand::Audit && !environment.ci) {
        return Ok(Policy::none());
    }
    Err(missing().hint("`--allow-no-policy` judges by the built-in rules alone"))
}

/// A change can't be judged by the policy that it brings. In CI people decide, as every change can be judged after that one.
fn first(failure: Failure, is_ci: bool) -> Failure {
    let failure = failure.hint(
        "the change that brings the first policy can't be judged by it: people review it and merge it, and each change \
         after it is judged",
    );
    if is_ci {
        failure.hint("where no change brings one: `agent-strace init` writes a policy to start from")
    } else {
        failure.hint("`--allow-no-policy` judges by the built-in rules alone")
    }
}

/// The named policy, or the default one if it exists.
pub(super) fn load_if_any(
    policy: Option<&str>,
    revision: Option<&str>,
    colour: bool,
) -> Result<Option<Policy>, Failure> {
    let colour = self::colour(colour);
    if let Some(revision) = revision {
        return in_revision(TrustBase::at(Some(revision)), revision, policy, colour).map(Some).map_err(Unread::failure);
    }
    let path = named_or_found(policy);
    if policy.is_none() && is_absent(&path) {
        return Ok(None);
    }
    agent_strace_policy::load_file(Path::new(&path)).map(Some).map_err(|faults| broken(&path, &faults, colour))
}

/// The folder of a policy that has the default name and lies below the current directory; empty where it lies there.
pub(super) fn folder_of(policy: &Policy) -> &str {
    let path = policy.identity().map_or("", |identity| identity.path.as_str());
    let folder = path.strip_suffix(DEFAULT).and_then(|folder| folder.strip_suffix('/')).unwrap_or_default();
    if is_absolute(folder) || folder.split('/').any(|part| part == "..") { "" } else { folder }
}

/// The folder of a policy that lies in a directory above the current one.
pub(super) fn folder_above(policy: &Policy) -> Option<PathBuf> {
    let path = Path::new(&policy.identity()?.path);
    let folder = path.parent().filter(|_| path.is_absolute() || path.starts_with(".."))?.canonicalize().ok()?;
    let here = std::env::current_dir().ok()?.canonicalize().ok()?;
    (here != folder && here.starts_with(&folder)).then_some(folder)
}

/// The workspace of a call in a directory that the current policy judges: the policy's own directory where it lies above.
pub(super) fn workspace(policy: &Policy, cwd: &str) -> String {
    folder_above(policy).map_or_else(|| cwd.to_owned(), |folder| folder.to_string_lossy().into_owned())
}

/// The policy of a named file, or its errors.
pub(super) fn read_named(path: &str) -> Result<Policy, Diagnostics> {
    agent_strace_policy::load_file(Path::new(&shown(path)))
}

/// Several policies that were named, or the default one.
pub(super) fn named_or_default(files: &[String]) -> Vec<String> {
    if files.is_empty() { vec![found()] } else { files.to_vec() }
}

/// The named policy, or the default one.
pub(super) fn named_or_found(policy: Option<&str>) -> String {
    policy.map_or_else(found, shown)
}

/// The default policy: that of the current directory, else the nearest one above it in the repository. Without any it is the
/// one that the current directory would have.
pub(super) fn found() -> String {
    default_places().into_iter().find(|path| !is_absent(path)).unwrap_or_else(|| DEFAULT.to_owned())
}

/// Says where a policy with the default name counts that lies in a directory below the top of its repository.
pub(super) fn note_below_top(file: &Path) -> Option<String> {
    let place = std::path::absolute(file).ok()?;
    let folder = place.parent().filter(|_| place.file_name().is_some_and(|name| name == DEFAULT))?;
    let top = folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    let below = folder.strip_prefix(top).ok().filter(|below| !below.as_os_str().is_empty())?;
    let depth = "../".repeat(below.components().count());
    let below = below.to_string_lossy();
    Some(format!(
        "note: this policy counts for commands that run in `{below}`: at the top of the repository, as in CI, `{DEFAULT}` \
         there is read; from `{below}`, `--output {depth}{DEFAULT}` names that file"
    ))
}

/// The default policy is there.
pub(super) fn is_found() -> bool {
    !is_absent(&found())
}

/// Where the default policy may lie, the nearest place first: in the current directory, and above it as far as the top of the
/// repository. What lies above the repository is no business of it, and without a repository nothing above is looked at.
fn default_places() -> Vec<String> {
    let depth = std::env::current_dir()
        .ok()
        .and_then(|current| current.ancestors().position(|folder| folder.join(".git").symlink_metadata().is_ok()));
    (0..=depth.unwrap_or(0)).map(|depth| "../".repeat(depth) + DEFAULT).collect()
}

/// The text of a named policy, valid or not; `-` is standard input.
pub(super) fn text_of(path: &str, stdin: &mut dyn Read, colour: bool) -> Result<String, Failure> {
    let read = if path == "-" {
        agent_strace_policy::read_text_from(stdin)
    } else {
        agent_strace_policy::read_text(Path::new(&shown(path)))
    };
    read.map_err(|faults| unusable(path, &faults, colour))
}

/// The parts of a policy as plain JSON.
pub(super) fn parts_of(path: &str, stdin: &mut dyn Read, colour: bool) -> Result<Parts, Failure> {
    let text = text_of(path, stdin, colour)?;
    Parts::read(&text).ok_or_else(|| Failure::new(format!("`{path}` changed while it was read")))
}

/// A policy, and its file as plain JSON.
pub(super) struct PolicyWithJson {
    pub(super) policy: Policy,
    pub(super) plain: serde_json::Value,
}

/// The policy of a file, or of `REV:PATH` in this repository where no such file is there.
pub(super) fn stated(named: &str, coloured: bool) -> Result<PolicyWithJson, Failure> {
    if let Some((revision, path)) = revision_and_path(named) {
        return stated_in(revision, &shown(path), coloured);
    }
    let (path, colour) = (shown(named), self::colour(coloured));
    let text = agent_strace_policy::read_text(Path::new(&path)).map_err(|faults| broken(&path, &faults, colour))?;
    let policy = agent_strace_policy::load_file(Path::new(&path)).map_err(|faults| broken(&path, &faults, colour))?;
    with_json(policy, &path, text.as_bytes(), colour)
}

/// The policy of a revision that an option names: the named one, or the nearest that the revision holds. No file on disk
/// that is called `REV:PATH` takes its place.
pub(super) fn stated_by_ref(policy: Option<&str>, revision: &str, coloured: bool) -> Result<PolicyWithJson, Failure> {
    let path = match policy {
        Some(policy) => shown(policy),
        None => nearest_in(TrustBase::at(Some(revision)), revision).map_err(Unread::failure)?,
    };
    stated_in(revision, &path, coloured)
}

fn stated_in(revision: &str, path: &str, coloured: bool) -> Result<PolicyWithJson, Failure> {
    let (trust_base, colour) = (TrustBase::at(Some(revision)), self::colour(coloured));
    let blob = read_blob(trust_base, revision, path).map_err(|unread| from_top(unread, revision, path))?;
    let policy = from_revision(trust_base, revision, path, colour).map_err(Unread::failure)?;
    with_json(policy, path, &blob.bytes, colour)
}

fn with_json(
    policy: Policy,
    path: &str,
    bytes: &[u8],
    colour: agent_strace_policy::Colour,
) -> Result<PolicyWithJson, Failure> {
    let text = agent_strace_policy::text(path, bytes)
        .and_then(|text| agent_strace_policy::format::format(path, text, agent_strace_policy::format::Comments::Strip));
    let text = text.map_err(|faults| broken(path, &faults, colour))?;
    let plain = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("the policy `{path}` can't be compared: {error}")))?;
    Ok(PolicyWithJson { policy, plain })
}

/// The parts of `REV:PATH`, where no such file is there.
fn revision_and_path(named: &str) -> Option<(&str, &str)> {
    named.split_once(':').filter(|(revision, _)| !revision.is_empty() && is_absent(named))
}

/// It names a policy of a revision, and no file.
pub(super) fn is_in_revision(named: &str) -> bool {
    revision_and_path(named).is_some()
}

/// A path that is written as git wants it behind a revision, from the top of the repository: the failure says how to write it.
fn from_top(unread: Unread, revision: &str, path: &str) -> Failure {
    let depth = super::output::prefix_in_repository().matches('/').count();
    let is_there = || agent_strace_git::read_top(Path::new("."), revision, path).is_ok();
    match unread {
        Unread::Absent(failure) if depth > 0 && is_there() => {
            failure.hint(format!("a path counts from this directory: write `{revision}:{}{path}`", "../".repeat(depth)))
        }
        unread => unread.failure(),
    }
}

/// Why a policy that was named can't be used.
pub(super) fn unusable(path: &str, faults: &Diagnostics, colour: bool) -> Failure {
    broken(
        &shown(path),
        faults,
        if colour { agent_strace_policy::Colour::Ansi } else { agent_strace_policy::Colour::Never },
    )
}

pub(super) fn missing() -> Failure {
    Failure::new(format!(
        "there is no policy: `{DEFAULT}` does not exist here or above, up to the top of the repository"
    ))
    .hint("`agent-strace init` writes one to start from; `--policy FILE` names another file")
}

fn is_absent(path: &str) -> bool {
    Path::new(path).symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// Why a revision gives no policy.
enum Unread {
    /// It holds no such file.
    Absent(Failure),
    Other(Failure),
}

impl Unread {
    fn failure(self) -> Failure {
        match self {
            Self::Absent(failure) | Self::Other(failure) => failure,
        }
    }
}

/// The named policy of a revision, or the default one: the nearest that the revision itself holds, whatever lies on disk.
fn in_revision(
    trust_base: TrustBase<'_>,
    revision: &str,
    policy: Option<&str>,
    colour: agent_strace_policy::Colour,
) -> Result<Policy, Unread> {
    if let Some(policy) = policy {
        return from_revision(trust_base, revision, &shown(policy), colour);
    }
    from_revision(trust_base, revision, &nearest_in(trust_base, revision)?, colour)
}

/// The default policy that is the nearest one in a revision, whatever lies on disk.
fn nearest_in(trust_base: TrustBase<'_>, revision: &str) -> Result<String, Unread> {
    let nearest = read_blob(trust_base, revision, DEFAULT).map(|_| DEFAULT.to_owned());
    let above = if trust_base.is_top() { Vec::new() } else { default_places() };
    above.into_iter().skip(1).fold(nearest, |found, path| match found {
        Err(Unread::Absent(nearest)) => match read_blob(trust_base, revision, &path) {
            Ok(_) => Ok(path),
            Err(Unread::Absent(_)) => Err(Unread::Absent(nearest)),
            Err(other) => Err(other),
        },
        found => found,
    })
}

fn from_revision(
    trust_base: TrustBase<'_>,
    revision: &str,
    path: &str,
    colour: agent_strace_policy::Colour,
) -> Result<Policy, Unread> {
    let blob = read_blob(trust_base, revision, path)?;
    let read_file = |path: &str| match trust_base.read(&blob.commit, path) {
        Ok(blob) => Ok(blob.bytes),
        Err(error) => Err(error.to_string()),
    };
    Policy::from_source(path, Some(trust_base.shown(&blob.commit)), &blob.bytes, &read_file)
        .map_err(|faults| Unread::Other(broken(path, &faults, colour)))
}

fn read_blob(trust_base: TrustBase<'_>, revision: &str, path: &str) -> Result<agent_strace_git::Blob, Unread> {
    trust_base.read(revision, path).map_err(|error| {
        let failure = Failure::new(format!("the policy of `{}` can't be read: {error}", trust_base.name()));
        match error {
            GitError::NoFile { .. } => Unread::Absent(failure),
            error => Unread::Other(failure.hint(remedy("policy", trust_base.name(), &error))),
        }
    })
}

fn broken(path: &str, faults: &Diagnostics, colour: agent_strace_policy::Colour) -> Failure {
    faulty("policy", path, faults, colour)
}

/// Whether diagnostics may be painted.
pub(super) fn colour(wanted: bool) -> agent_strace_policy::Colour {
    if wanted { agent_strace_policy::Colour::Ansi } else { agent_strace_policy::Colour::Never }
}

/// `what`: the noun for the file.
pub(super) fn faulty(what: &str, path: &str, faults: &Diagnostics, colour: agent_strace_policy::Colour) -> Failure {
    if let Some(fault) = faults.of_whole_file() {
        let failure = Failure::new(format!("the {what} `{path}` can't be used: {}", fault.message));
        return fault.help.iter().fold(failure, Failure::hint);
    }
    let faults = faults.fancy(colour, WIDTH);
    // Colours are escape sequences of our own; a build log has none, and there no line may be taken for a command.
    let details = match colour {
        agent_strace_policy::Colour::Ansi => faults,
        agent_strace_policy::Colour::Never => {
            faults.lines().map(agent_strace_report::terminal).collect::<Vec<_>>().join("\n")
        }
    };
    Failure::new(format!("the {what} `{path}` can't be used")).details(details)
}

/// It names a place of its own.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || Path::new(path).is_absolute()
}

/// It lies outside of the repository around the current directory.
pub(super) fn is_outside(path: &str) -> bool {
    is_absolute(path)
        && std::env::current_dir().is_ok_and(|current| {
            let top = current.ancestors().find(|folder| folder.join(".git").exists());
            top.is_some_and(|top| !Path::new(path).starts_with(top))
        })
}

/// Relative to the current directory where it lies below it, with `/` between components.
pub(super) fn shown(path: &str) -> String {
    let current = std::env::current_dir().ok();
    let relative = current.as_deref().and_then(|current| Path::new(path).strip_prefix(current).ok());
    let text = relative.map_or_else(|| path.to_owned(), |relative| relative.to_string_lossy().into_owned());
    text.strip_prefix("./").unwrap_or(&text).replace(std::path::MAIN_SEPARATOR, "/")
}
