//! Policies for many repositories at once: one repository after the other, each by the mechanism that writes a policy for
//! one, and a summary of all.

mod base;
mod place;
mod repin;
mod summary;

use std::path::{Path, PathBuf};

use super::Streams;
use super::environment::Environment;
use super::failure::Failure;
use super::output;
use super::progress::Progress;
use super::targets::Target;

pub(super) use base::BaseFile;
pub(super) use place::place_in;
pub(super) use repin::repin;
pub(super) use summary::{About, Outcome, Row, SessionCounts, Summary};

/// The policy of a repository, and where it goes.
pub(super) struct Written<'w> {
    pub(super) place: &'w Path,
    pub(super) text: &'w str,
}

/// The way in which files of a repository are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Files that are there stay.
    Keep,
    Replace,
    /// Entries are added to what is there.
    Add,
    /// Nothing is written.
    DryRun,
}

/// Works on one repository after the other, in the order in which they were named. A repository that fails stops no other.
pub(super) fn each(
    targets: &[Target],
    summary: &mut Summary,
    environment: Environment,
    work: &mut dyn FnMut(&Target) -> Result<Row, Failure>,
) {
    let progress = Progress::new(environment.progress, targets.len(), "repositories");
    for target in targets {
        let row = work(target).unwrap_or_else(|failure| Row::failed(&target.shown, &failure));
        summary.rows.push(row);
        progress.step();
    }
}

/// Writes the copy of the base, then the policy that extends it: a policy without its base could not be read.
pub(super) fn write(written: &Written<'_>, base: Option<&BaseFile>, mode: Mode) -> Result<Outcome, Failure> {
    let Written { place, text } = written;
    let found = place.symlink_metadata();
    if found.is_ok() && matches!(mode, Mode::Keep) {
        let is_same = output::read_small(place).is_some_and(|bytes| bytes == text.as_bytes());
        if !is_same {
            return Ok(Outcome::Kept);
        }
        base.map_or(Ok(()), |base| base.copy_beside(place, mode))?;
        return Ok(Outcome::Unchanged);
    }
    output::refuse_what_is_no_file(place)?;
    base.map_or(Ok(()), |base| base.copy_beside(place, mode))?;
    if mode == Mode::DryRun {
        return Ok(Outcome::WouldWrite);
    }
    output::write_with_folder(place, text)?;
    Ok(Outcome::Written)
}

/// Prints the summary, and gives the exit code.
pub(super) fn finish(
    summary: &Summary,
    format: super::args::PlainFormat,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let text = match format {
        super::args::PlainFormat::Text => summary.text(),
        super::args::PlainFormat::Json => summary.json()?,
    };
    output::print(streams.stdout, &text)?;
    Ok(summary.exit_code())
}

/// The file of `--base` can't be the policy of one of the repositories: that one would extend itself.
pub(super) fn refuse_own_policy(base: Option<&Path>, targets: &[Target], name: &Path) -> Result<(), Failure> {
    let whole = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
    let Some(file) = base else { return Ok(()) };
    let Some(target) = targets.iter().find(|target| whole(&target.path.join(name)) == whole(file)) else {
        return Ok(());
    };
    Err(Failure::new(format!("`{}` is the policy of `{}`, and can't be its base", file.display(), target.shown))
        .hint("name another file: it is written where it is not there yet"))
}

/// The name of a policy in each repository.
pub(super) fn policy_name(output: Option<&Path>) -> PathBuf {
    output.map_or_else(|| PathBuf::from(super::policy_file::DEFAULT), Path::to_path_buf)
}
