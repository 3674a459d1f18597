//! `doctor`: whether the gate is in force, as far as a commit shows it.

use std::path::Path;

use clap::Args;

use super::Streams;
use super::args::PlainFormat;
use super::environment::Environment;
use super::failure::Failure;
use super::output;
use super::policy_file::DEFAULT;
use agent_strace_git::change_set::from_top;
use agent_strace_git::{GitError, Repository};
use agent_strace_policy::config;
use agent_strace_report::Colour;
use agent_strace_repos::doctor::{self, Held, PolicyFile};

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace doctor --ci                       what is committed here
  agent-strace doctor --ci --ref origin/main     what is on the branch that is merged into

Everything is read from the commit: what is not committed judges nothing. Settings of the forge
(required checks, reviews, rules of an organisation) are not in a repository; what to look at there
is listed.

The strength is `visible` where a job judges changes by their base and nothing takes that back,
`reviewed` where what judges has code owners, too, and `enforced` where the workflow runs as it is
on the branch that is merged into, whatever a change brings. The exit code is 0 then, 1 where no
gate is in force, and 2 where that can't be told.";

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Examine the gate in CI; the only examination there is, so it may be left out.
    #[arg(long)]
    ci: bool,

    /// The commit that is examined.
    #[arg(long = "ref", value_name = "REV", default_value = "HEAD")]
    revision: String,

    /// The policy, from the top of the repository.
    #[arg(long, value_name = "FILE", default_value = DEFAULT)]
    policy: String,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PlainFormat,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    no_color: bool,
}

/// Where a forge looks for code owners.
const OWNERS: &[&str] = &[".github/CODEOWNERS", ".gitlab/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

pub(super) fn run(
    trace_dir: &Path,
    args: &DoctorArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let examination = doctor::examine(&held(trace_dir, args)?);
    let colour = if environment.colour && !args.no_color { Colour::Ansi } else { Colour::Plain };
    let text = match args.format {
        PlainFormat::Text => environment.fitted(agent_strace_report::examination(&examination, colour)),
        PlainFormat::Json => agent_strace_report::examination_json(&examination),
    };
    output::print(streams.stdout, &text)?;
    Ok(examination.exit_code())
}

fn held<'a>(trace_dir: &Path, args: &'a DoctorArgs) -> Result<Held<'a>, Failure> {
    let here = Path::new(".");
    let unreadable = |error: GitError| Failure::new(format!("`{}` can't be examined: {error}", args.revision));
    let repository = Repository::open(here).map_err(unreadable)?;
    let paths = repository.paths(&args.revision).map_err(unreadable)?;
    // A forge looks for no name that is not UTF-8.
    let paths = paths.iter().filter_map(|file| std::str::from_utf8(&file.path).ok());
    let pipelines = paths.filter(|path| doctor::is_pipeline(path));
    let pipelines = pipelines.map(|path| (path.to_owned(), text(&args.revision, path)));
    let store = from_top(&output::prefix_in_repository(), &trace_dir.to_string_lossy());
    let store = store.ok_or_else(|| {
        Failure::new("the trace store lies outside of the repository").hint("name one in it with `--trace-dir`")
    })?;
    // An empty store is ignored if what would be recorded in it is.
    let recorded = Path::new(&store).join("session/events.ndjson");
    Ok(Held {
        pipelines: pipelines.collect(),
        owners: owners(&args.revision).map_err(unreadable)?,
        policy: Box::new(|path| policy(path, &args.revision)),
        policy_path: args.policy.clone(),
        settings: settings(&args.revision).map_err(unreadable)?,
        default_branches: agent_strace_git::default_branches(here),
        ignores_store: repository.is_ignored(&recorded),
        store,
    })
}

/// The text of a file, or why it can't be had, in one line.
fn text(revision: &str, path: &str) -> Result<String, String> {
    let blob = agent_strace_git::read_top(Path::new("."), revision, path).map_err(|error| error.to_string())?;
    String::from_utf8(blob.bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

fn owners(revision: &str) -> Result<Vec<(String, String)>, GitError> {
    let mut found = Vec::new();
    for path in OWNERS {
        match agent_strace_git::read_top(Path::new("."), revision, path) {
            Ok(blob) => found.push(((*path).to_owned(), String::from_utf8_lossy(&blob.bytes).into_owned())),
            Err(GitError::NoFile { .. } | GitError::NotAFile(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

fn policy(path: &str, revision: &str) -> PolicyFile {
    match agent_strace_git::read_top(Path::new("."), revision, path) {
        Ok(blob) => PolicyFile::read(path, revision, &blob.bytes),
        Err(GitError::NoFile { .. }) => PolicyFile::Missing,
        // A link, or what is too large, would be refused when it is to judge.
        Err(error) => PolicyFile::Broken(error.to_string()),
    }
}

/// The first of the names of settings that is committed.
fn settings(revision: &str) -> Result<Vec<(String, String)>, GitError> {
    for path in config::NAMES {
        match agent_strace_git::read_top(Path::new("."), revision, path) {
            Ok(blob) => return Ok(vec![((*path).to_owned(), String::from_utf8_lossy(&blob.bytes).into_owned())]),
            Err(GitError::NoFile { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Vec::new())
}
