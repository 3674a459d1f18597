//! `--base FILE`: the policy that all repositories share. Each repository gets a copy beside its policy, because a policy
//! only extends files of its own repository, and the digest of the copy stands in the policy.

use std::path::{Path, PathBuf};

use agent_strace_engine::generate::SharedBase;
use agent_strace_policy::Diagnostics;

use super::super::failure::Failure;
use super::super::output;
use super::{Mode, Outcome};

pub(in crate::cli) struct BaseFile {
    file: PathBuf,
    pub(in crate::cli) base: SharedBase,
    outcome: Outcome,
}

impl BaseFile {
    /// Reads the file, or makes it of `fresh` where it is not there. `policy`: the name of the policies that extend it.
    pub(in crate::cli) fn open(
        file: &Path,
        policy: &Path,
        mode: Mode,
        fresh: impl FnOnce() -> Result<String, Failure>,
    ) -> Result<Self, Failure> {
        let shown = file.display().to_string();
        let is_there = file.symlink_metadata().is_ok();
        let text = if is_there {
            agent_strace_policy::read_text(file).map_err(|faults| unusable(&shown, &faults))?
        } else {
            fresh()?
        };
        let base = SharedBase::new(&name_beside(policy)?, &shown, &text).map_err(|faults| unusable(&shown, &faults))?;
        let outcome = match mode {
            _ if is_there => Outcome::Unchanged,
            Mode::DryRun => Outcome::WouldWrite,
            Mode::Keep | Mode::Replace | Mode::Add => {
                output::write_with_folder(file, &text)?;
                Outcome::Written
            }
        };
        Ok(Self { file: file.to_owned(), base, outcome })
    }

    pub(super) fn shown(&self) -> String {
        self.file.display().to_string()
    }

    pub(super) fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The copy for the policy at this place. Another file of the name stays, unless files are replaced.
    pub(in crate::cli) fn copy_beside(&self, policy: &Path, mode: Mode) -> Result<(), Failure> {
        let copy = policy.with_file_name(self.base.name());
        if copy.symlink_metadata().is_ok() {
            if output::read_small(&copy).is_some_and(|bytes| bytes == self.base.text().as_bytes()) {
                return Ok(());
            }
            if !matches!(mode, Mode::Replace | Mode::DryRun) {
                let (copy, file) = (copy.display(), self.file.display());
                return Err(Failure::new(format!("`{copy}` is there already, and differs from `{file}`"))
                    .hint("`--force` replaces the copies of the base, and the policies that extend them"));
            }
        }
        if mode == Mode::DryRun { Ok(()) } else { output::write_with_folder(&copy, self.base.text()) }
    }
}

/// `.agent-scope.base.json` beside `.agent-scope.json`.
fn name_beside(policy: &Path) -> Result<String, Failure> {
    let name = policy.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| Failure::new(format!("`{}` names no file", policy.display())))?;
    let stem = name.strip_suffix(".json").unwrap_or(name);
    Ok(format!("{stem}.base.json"))
}

fn unusable(shown: &str, faults: &Diagnostics) -> Failure {
    if let Some(fault) = faults.of_whole_file() {
        return Failure::new(format!("the base `{shown}` can't be used: {}", fault.message));
    }
    Failure::new(format!("the base `{shown}` can't be used"))
        .details(faults.to_string())
        .hint("a base is a policy of version 2 that extends no other file: only the base itself is copied")
}
