//! `policy test`: which tests hold and which don't, as text and as JSON (version 1, additive changes only).

use serde::Serialize;

use super::effects::{EffectsEvent, Event};
use super::escape::terminal;
use super::paint::Paint;
use super::{Colour, Glyphs, json};
use agent_strace_secrets::{Redacted, redact};

/// The tests of one policy.
#[derive(Debug)]
pub struct TrialsReport {
    /// The policy.
    policy: String,
    /// Where the tests stand.
    source: String,
    passed: usize,
    /// Examples of rules, which were checked when the policy was read.
    examples: usize,
    failures: Vec<TrialFailure>,
}

/// A test that does not hold.
#[derive(Debug)]
pub struct TrialFailure {
    name: Redacted,
    line: u32,
    expected: &'static str,
    answer: &'static str,
    decided_by: Vec<Redacted>,
    /// `expected deny, got allow`, or that something else decided.
    why: Redacted,
    advice: Vec<Redacted>,
    events: Vec<EffectsEvent>,
}

/// A test, and the answer that it got.
#[derive(Debug)]
pub struct FailedCase<'c> {
    pub name: &'c str,
    pub line: u32,
    pub expected: &'static str,
    pub answer: &'static str,
}

impl TrialFailure {
    pub fn new(
        FailedCase { name, line, expected, answer }: FailedCase<'_>,
        decided_by: Vec<String>,
        why: &str,
        advice: &[String],
        events: Vec<EffectsEvent>,
    ) -> Self {
        let advice = advice.iter().map(redact).collect();
        let decided_by = decided_by.into_iter().map(redact).collect();
        Self { name: redact(name), line, expected, answer, decided_by, why: redact(why), advice, events }
    }
}

impl TrialsReport {
    pub fn new(policy: &str, source: &str, passed: usize, examples: usize, failures: Vec<TrialFailure>) -> Self {
        Self { policy: policy.to_owned(), source: source.to_owned(), passed, examples, failures }
    }

    pub fn exit_code(&self) -> u8 {
        u8::from(!self.failures.is_empty())
    }

    pub fn text(&self, colour: Colour, glyphs: Glyphs) -> String {
        let paint = Paint(colour);
        let (policy, source) = (terminal(&self.policy), terminal(&self.source));
        let mut lines = Vec::new();
        for failure in &self.failures {
            failure.lines(&policy, &source, &paint, glyphs, &mut lines);
            lines.push(String::new());
        }
        let all = self.passed + self.failures.len();
        let tests = if all == 1 { "1 test".to_owned() } else { format!("{all} tests") };
        let examples = match self.examples {
            0 => String::new(),
            1 => "; 1 example of a rule holds".to_owned(),
            count => format!("; {count} examples of rules hold"),
        };
        lines.push(match self.failures.len() {
            0 => format!("{} {source}: {tests}{examples}", paint.good("ok")),
            failed => format!("{} {source}: {failed} of {tests} failed{examples}", paint.error("FAILED")),
        });
        lines.push(String::new());
        lines.join("\n")
    }

    pub fn json(&self) -> String {
        json::to_text(&Document {
            schema_version: 1,
            policy: &self.policy,
            source: &self.source,
            passed: self.passed,
            failed: self.failures.len(),
            examples: self.examples,
            failures: self.failures.iter().map(TrialFailure::document).collect(),
        })
    }
}

impl TrialFailure {
    fn lines(&self, policy: &str, source: &str, paint: &Paint, glyphs: Glyphs, lines: &mut Vec<String>) {
        let name = terminal(self.name.as_str());
        let why = terminal(self.why.as_str());
        lines.push(format!("{} {name} ({source}:{}): {why}", paint.error("FAILED"), self.line));
        let several = self.events.len() > 1;
        for event in &self.events {
            if several {
                lines.push(event.head());
            }
            lines.extend(event.tree(Some(policy), paint, glyphs).map(|line| format!("    {line}")));
        }
        if self.events.is_empty() {
            lines.push("    nothing: it touches no file, host or tool and runs no command".to_owned());
        }
        lines.extend(self.advice.iter().map(|advice| format!("  help: {}", terminal(advice.as_str()))));
    }

    fn document(&self) -> Failure<'_> {
        Failure {
            name: self.name.as_str(),
            line: self.line,
            expected: self.expected,
            answer: self.answer,
            decided_by: self.decided_by.iter().map(Redacted::as_str).collect(),
            message: self.why.as_str(),
            help: self.advice.iter().map(Redacted::as_str).collect(),
            events: self.events.iter().map(EffectsEvent::document).collect(),
        }
    }
}

/// What `agent-strace policy test` found.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace policy test, version 1"))]
pub(super) struct Document<'a> {
    schema_version: u32,
    policy: &'a str,
    /// The file that the tests stand in.
    source: &'a str,
    passed: usize,
    failed: usize,
    /// Examples of rules: they are checked when the policy is read.
    examples: usize,
    failures: Vec<Failure<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Failure<'a> {
    name: &'a str,
    line: u32,
    /// `allow`, `ask`, `deny` or `unresolved`.
    expected: &'static str,
    answer: &'static str,
    /// The entries and rules that the answer rests on.
    decided_by: Vec<&'a str>,
    message: &'a str,
    help: Vec<&'a str>,
    /// Each call with its effects and what the policy says about them.
    events: Vec<Event<'a>>,
}
