//! Findings that are known already: an earlier JSON report, or a JSON list of fingerprints.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use super::failure::{Failure, reason};

/// Of a report only what tells findings apart is read.
#[derive(Deserialize)]
struct Report {
    schema_version: u32,
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    fingerprint: String,
}

/// Fingerprints of the file. What is not understood is an error: a baseline that is not applied would not be noticed.
pub(super) fn read(path: &Path) -> Result<BTreeSet<String>, Failure> {
    let bytes = std::fs::read(path).map_err(|error| broken(path, &reason(&error)))?;
    let list = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    if list {
        return serde_json::from_slice(&bytes).map_err(|error| broken(path, &error.to_string()));
    }
    let report: Report = serde_json::from_slice(&bytes).map_err(|error| broken(path, &error.to_string()))?;
    if report.schema_version != 1 {
        return Err(broken(path, &format!("`schema_version` is {}, not 1", report.schema_version)));
    }
    Ok(report.findings.into_iter().map(|finding| finding.fingerprint).collect())
}

fn broken(path: &Path, reason: &str) -> Failure {
    Failure::new(format!("the baseline `{}` can't be used: {reason}", path.display()))
        .hint("a baseline is a report of `--format json`, or a JSON list of fingerprints")
}
