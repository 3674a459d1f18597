//! Findings that are known already: what `--write-baseline` wrote, an earlier JSON report, or a JSON list of fingerprints.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;

use serde::Deserialize;

use super::failure::{Failure, reason};
use super::output;
use super::policy_file;
use super::trust::TrustBase;
use agent_strace_policy::file;
use agent_strace_report::{Report, terminal};

/// What is read of a baseline or a report: what tells findings apart, and where it comes from.
#[derive(Deserialize)]
struct Document {
    schema_version: u32,
    ruleset: Option<String>,
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    fingerprint: String,
    repository: Option<String>,
    first_seen: Option<String>,
}

/// What a file knows.
#[derive(Debug, Default)]
pub(super) struct Baseline {
    /// The file, for people.
    shown: Option<String>,
    ruleset: Option<String>,
    /// Fingerprint → the day it came into a baseline, where the file says so.
    known: BTreeMap<String, Option<String>>,
    /// Repository → fingerprints that are known in it alone.
    known_in: BTreeMap<String, BTreeSet<String>>,
}

/// Reads it from disk, or from a revision: a change must not decide what is known of it. What is not understood is an
/// error: a baseline that is not applied would not be noticed.
pub(super) fn read(path: &str, trust_base: TrustBase<'_>) -> Result<Baseline, Failure> {
    let bytes = match trust_base.revision {
        // A file outside of the repository is no part of the change.
        Some(revision) if !policy_file::is_outside(path) => {
            trust_base
                .read(revision, path)
                .map_err(|error| {
                    broken(path, &error.to_string())
                        .hint("with --policy-ref it is read from that revision; an absolute path may name another file")
                })?
                .bytes
        }
        _ => all_of(path).map_err(|error| broken(path, &reason(&error)))?,
    };
    let shown = Some(path.to_owned());
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        let list: Vec<String> = parsed(path, &bytes)?;
        let known = list.into_iter().map(|known| (known, None)).collect();
        return Ok(Baseline { shown, known, ..Baseline::default() });
    }
    let document: Document = parsed(path, &bytes)?;
    if document.schema_version != 1 {
        return Err(broken(path, &format!("`schema_version` is {}, not 1", document.schema_version)));
    }
    let mut baseline = Baseline { shown, ruleset: document.ruleset, ..Baseline::default() };
    for Finding { fingerprint, repository, first_seen } in document.findings {
        if let Some(repository) = repository {
            baseline.known_in.entry(repository).or_default().insert(fingerprint);
        } else {
            baseline.known.insert(fingerprint, first_seen);
        }
    }
    Ok(baseline)
}

fn all_of(path: &str) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file::open(Path::new(path))?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn parsed<T: serde::de::DeserializeOwned>(path: &str, bytes: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(bytes).map_err(|error| broken(path, &error.to_string()))
}

fn broken(path: &str, reason: &str) -> Failure {
    Failure::new(format!("the baseline `{path}` can't be used: {reason}")).hint(
        "`check --write-baseline FILE` writes one; a report of `--format json` and a JSON list of fingerprints do, too",
    )
}

impl Baseline {
    /// The file that it was read from.
    pub(super) fn file(&self) -> Option<&str> {
        self.shown.as_deref()
    }

    pub(super) fn fingerprints(&self) -> BTreeSet<String> {
        self.known.keys().cloned().collect()
    }

    /// Whether it knows a finding of a repository; `None`: of the only one.
    pub(super) fn knows(&self, repository: Option<&str>, fingerprint: &str) -> bool {
        let there = repository.and_then(|repository| self.known_in.get(repository));
        self.known.contains_key(fingerprint) || there.is_some_and(|known| known.contains(fingerprint))
    }

    /// Writes what is known of repositories from now on.
    pub(super) fn write_found(
        &self,
        path: &Path,
        found: &[agent_strace_report::FoundInRepository],
        today: &str,
        overwrite: Overwrite,
    ) -> Result<String, Failure> {
        refuse_to_overwrite(Some(path), overwrite)?;
        let baseline = agent_strace_report::Baseline::of_repositories(found, &self.first_seen(), Some(today));
        output::write(path, &baseline.text)?;
        Ok(written(path, baseline.findings))
    }

    fn first_seen(&self) -> BTreeMap<String, String> {
        self.known.iter().filter_map(|(known, day)| Some((known.clone(), day.clone()?))).collect()
    }

    /// What has to be said of it: that other rules wrote it, and what it knows for nothing.
    pub(super) fn notes(&self, report: &Report) -> Vec<String> {
        let Some(shown) = self.shown.as_deref().map(terminal) else { return Vec::new() };
        let mut notes = Vec::new();
        if self.ruleset.as_ref().is_some_and(|ruleset| *ruleset != agent_strace_report::ruleset(report)) {
            notes.push(format!(
                "note: the baseline `{shown}` was written with other rules or another policy: what they find or word \
                 otherwise is new"
            ));
        }
        let stale = report.stale();
        if stale > 0 {
            let what = if stale == 1 { "1 entry".to_owned() } else { format!("{stale} entries") };
            notes.push(format!(
                "note: {what} of the baseline `{shown}` matched nothing in these sessions; \
                 `--write-baseline {shown} --force` writes it anew"
            ));
        }
        notes
    }

    /// Writes what is known from now on, and says what it can't know.
    pub(super) fn write(
        &self,
        path: &Path,
        report: &Report,
        today: Option<&str>,
        overwrite: Overwrite,
    ) -> Result<Vec<String>, Failure> {
        refuse_to_overwrite(Some(path), overwrite)?;
        let baseline = agent_strace_report::Baseline::of(report, &self.first_seen(), today);
        output::write(path, &baseline.text)?;
        let mut notes = vec![written(path, baseline.findings)];
        if baseline.left_out > 0 {
            notes.push(format!(
                "note: {} not in it: what the gate rests on and files that hold credentials take an exception of the \
                 policy, and missing evidence is never known",
                counted(baseline.left_out)
            ));
        }
        Ok(notes)
    }
}

fn written(path: &Path, findings: usize) -> String {
    let shown = terminal(&path.display().to_string());
    format!("note: {} written to `{shown}`: `--baseline {shown}` knows them from now on", counted(findings))
}

/// Whether a file that is there may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overwrite {
    Refuse,
    Replace,
}

/// Told before anything is judged: who waits for a long run should not learn it at its end.
pub(super) fn refuse_to_overwrite(path: Option<&Path>, overwrite: Overwrite) -> Result<(), Failure> {
    match path {
        Some(path) if overwrite == Overwrite::Refuse && path.symlink_metadata().is_ok() => Err(exists(path)),
        _ => Ok(()),
    }
}

fn exists(path: &Path) -> Failure {
    Failure::new(format!("the baseline `{}` exists already", path.display())).hint("`--force` overwrites it")
}

fn counted(findings: usize) -> String {
    if findings == 1 { "1 finding is".to_owned() } else { format!("{findings} findings are") }
}
