//! A baseline: findings that are known from now on.

use std::collections::BTreeMap;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::json::to_text;
use super::view::{Report, ShownFinding};
use agent_strace_policy::hex;

/// Findings that were there when the gate was introduced: `check --baseline` knows them, and shows what is new.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace baseline, version 1"))]
pub(super) struct Document<'a> {
    schema_version: u32,
    tool: Tool,
    /// Digest of the rules and of the policy that found them: another ruleset may word or weigh them otherwise.
    ruleset: String,
    /// Sorted by rule, message and fingerprint.
    findings: Vec<Known<'a>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Known<'a> {
    rule: &'a str,
    /// For people: only the fingerprint is compared.
    message: &'a str,
    fingerprint: &'a str,
    /// The repository it is in, where several were swept.
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<&'a str>,
    /// The day it came into a baseline, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_seen: Option<&'a str>,
}

/// A baseline as it is written, and what it does not hold.
#[derive(Debug)]
pub struct Baseline {
    pub text: String,
    pub findings: usize,
    /// Findings that no baseline can know.
    pub left_out: usize,
}

impl Baseline {
    /// What counts in the report, and what its baseline knew. `first_seen`: fingerprint → day, of an earlier baseline.
    pub fn of(report: &Report, first_seen: &BTreeMap<String, String>, today: Option<&str>) -> Self {
        let known = report.waived.iter().filter(|waived| waived.by.is_none()).map(|waived| &waived.finding);
        let counting = report.findings().map(|(_, finding)| finding);
        let (fit, unfit): (Vec<_>, Vec<_>) = known.chain(counting).partition(|finding| can_be_known(finding));
        let mut by_fingerprint = BTreeMap::new();
        for finding in fit {
            let entry = Known {
                rule: finding.rule.as_str(),
                message: finding.message.as_str(),
                fingerprint: &finding.fingerprint,
                repository: None,
                first_seen: first_seen.get(&finding.fingerprint).map(String::as_str).or(today),
            };
            // One act may be put into words in two ways, in a call that was refused and in one that ran.
            let kept = by_fingerprint.entry(finding.fingerprint.as_str()).or_insert(entry);
            *kept = entry.min(*kept);
        }
        Self::written(by_fingerprint.into_values().collect(), ruleset(report), unfit.len())
    }

    /// What was found in repositories. `first_seen`: as above.
    pub fn of_repositories(
        found: &[FoundInRepository],
        first_seen: &BTreeMap<String, String>,
        today: Option<&str>,
    ) -> Self {
        let mut findings = Vec::with_capacity(found.len());
        for FoundInRepository { rule, message, fingerprint, repository } in found {
            let first_seen = first_seen.get(fingerprint).map(String::as_str).or(today);
            findings.push(Known { rule, message, fingerprint, repository: repository.as_deref(), first_seen });
        }
        Self::written(findings, ruleset_of(""), 0)
    }

    fn written(mut findings: Vec<Known<'_>>, ruleset: String, left_out: usize) -> Self {
        findings.sort();
        findings.dedup();
        let tool = Tool { name: "agent-strace", version: env!("CARGO_PKG_VERSION") };
        let document = Document { schema_version: 1, tool, ruleset, findings };
        Self { findings: document.findings.len(), left_out, text: to_text(&document) }
    }
}

/// A finding in a repository, as a baseline knows it.
#[derive(Debug, Clone)]
pub struct FoundInRepository {
    pub rule: String,
    pub message: String,
    pub fingerprint: String,
    /// `None`: there is but one.
    pub repository: Option<String>,
}

fn can_be_known(finding: &ShownFinding) -> bool {
    agent_strace_engine::is_known_by_a_baseline(finding.rule, finding.impact)
}

/// Which rules judged, and which policy.
pub fn ruleset(report: &Report) -> String {
    ruleset_of(report.policy.as_ref().map_or("", |policy| &policy.sha256))
}

/// Counts the ways in which fingerprints were made. The first one did not tell unresolved acts apart.
const IDENTITIES: [u8; 1] = [2];

fn ruleset_of(policy: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(IDENTITIES);
    for rule in agent_strace_rules::all() {
        hasher.update(rule.id.as_str());
        hasher.update([0]);
    }
    hasher.update(policy);
    hex(hasher.finalize().get(..16).unwrap_or_default())
}
