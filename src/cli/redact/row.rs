//! What is told of a finding: everything but the value.

use std::collections::BTreeMap;

use serde::Serialize;

use super::detector::is_personal;
use agent_strace_report::{printable_json, terminal};
use agent_strace_secrets::stream::Finding;
use agent_strace_secrets::{Confidence, mark};

/// Something private in a log.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace redact --check --format ndjson: a finding, version 1"))]
pub(super) struct Row<'r> {
    pub(super) file: &'r str,
    /// From 1; of a JSON document the line on which the leaf starts. 0: it is in the name of the file.
    pub(super) line: u64,
    /// RFC 6901, within the document; empty for plain text. Private parts of keys are replaced in it.
    pub(super) pointer: &'r str,
    /// Code points of the decoded string at the pointer, or of the line where that is plain text.
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) rule: &'static str,
    /// What a mark would call it.
    pub(super) kind: &'static str,
    pub(super) confidence: &'static str,
    /// Equal for equal values of one rule.
    pub(super) fingerprint: &'r str,
    /// It is in the last key of the pointer, not in the value.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) key: bool,
}

impl<'r> Row<'r> {
    pub(super) fn new(file: &'r str, finding: &'r Finding<'_>) -> Self {
        Self {
            file,
            line: finding.line,
            pointer: finding.pointer,
            start: finding.start,
            end: finding.end,
            rule: finding.hit.rule,
            kind: finding.hit.kind,
            confidence: confidence(finding.hit.confidence),
            fingerprint: finding.fingerprint,
            key: finding.is_key,
        }
    }

    pub(super) fn json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(printable_json)
    }

    /// For people: what it is and how long, never what it says.
    pub(super) fn text(&self, finding: &Finding<'_>) -> String {
        let location =
            if self.line == 0 { format!("{} (its name)", self.file) } else { format!("{}:{}", self.file, self.line) };
        let length = self.end - self.start;
        let noun = if length == 1 { "character" } else { "characters" };
        let key = if self.key { " (the key)" } else { "" };
        let pointer = if self.pointer.is_empty() { "" } else { "  " };
        let line = format!(
            "{location}  {}  {}  {} {length} {noun}{pointer}{}{key}",
            self.confidence,
            self.rule,
            mark(finding.hit),
            self.pointer
        );
        terminal(&line)
    }
}

fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

/// How often which rule found something.
#[derive(Debug, Default, Clone)]
pub(super) struct Counts {
    pub(super) rules: BTreeMap<&'static str, u64>,
    /// Of secrets, by confidence.
    pub(super) secrets: Levels,
    pub(super) personal: Levels,
}

#[derive(Debug, Default, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Levels {
    pub(super) high: u64,
    pub(super) medium: u64,
    pub(super) low: u64,
}

impl Levels {
    fn add(&mut self, other: Self) {
        self.high += other.high;
        self.medium += other.medium;
        self.low += other.low;
    }

    pub(super) fn sum(self) -> u64 {
        self.high + self.medium + self.low
    }

    /// What the gate counts.
    pub(super) fn certain(self) -> u64 {
        self.high + self.medium
    }
}

impl Counts {
    pub(super) fn count(&mut self, finding: &Finding<'_>) {
        *self.rules.entry(finding.hit.rule).or_default() += 1;
        let levels = if is_personal(finding.hit.rule) { &mut self.personal } else { &mut self.secrets };
        match finding.hit.confidence {
            Confidence::High => levels.high += 1,
            Confidence::Medium => levels.medium += 1,
            Confidence::Low => levels.low += 1,
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (rule, count) in &other.rules {
            *self.rules.entry(rule).or_default() += count;
        }
        self.secrets.add(other.secrets);
        self.personal.add(other.personal);
    }

    pub(super) fn sum(&self) -> u64 {
        self.secrets.sum() + self.personal.sum()
    }

    /// `2 secret/jwt, 1 secret/private-key`.
    pub(super) fn by_rule(&self) -> String {
        self.rules.iter().map(|(rule, count)| format!("{count} {rule}")).collect::<Vec<_>>().join(", ")
    }
}
