//! `init --repin`: a changed base goes to the repositories that extend it. Of their policies only the digest changes.

use std::path::Path;

use agent_strace_policy::{Parts, digest, read_text};

use super::super::failure::Failure;
use super::super::output;
use super::{BaseFile, Mode, Outcome};

/// Writes the copy of the base beside the policy, and its digest into the policy.
pub(in crate::cli) fn repin(place: &Path, base: &BaseFile) -> Result<(Outcome, String), Failure> {
    let shown = place.display().to_string();
    output::refuse_what_is_no_file(place)?;
    let unusable = |faults: agent_strace_policy::Diagnostics| {
        Failure::new(format!("the policy `{shown}` can't be used")).details(faults.to_string())
    };
    let text = read_text(place).map_err(unusable)?;
    let name = base.base.name();
    let pinned = pinned(&text, name).ok_or_else(|| {
        Failure::new(format!("`{shown}` does not extend `{name}`"))
            .hint("without `--repin`, `--base` writes policies that extend it")
    })?;
    let wanted = digest(base.base.text().as_bytes());
    let text = text.replace(&pinned, &wanted);
    base.base.read(&shown, &text).map_err(unusable)?;
    base.copy_beside(place, Mode::Replace)?;
    if pinned == wanted {
        return Ok((Outcome::Unchanged, text));
    }
    output::write_with_folder(place, &text)?;
    Ok((Outcome::Written, text))
}

/// The digest of the file of this name, as the policy writes it.
fn pinned(text: &str, name: &str) -> Option<String> {
    let parts = Parts::read(text)?;
    let extended = parts.value("/extends")?.as_array()?;
    let base = extended.iter().find(|one| one["path"] == name && one["role"] == "base")?;
    base["sha256"].as_str().filter(|digest| digest.len() == 64).map(str::to_owned)
}
