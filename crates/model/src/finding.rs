//! Findings and rule ids.

use std::borrow::Cow;
use std::sync::Arc;

pub use crate::rule_id::{Family, RuleId};

/// The severity of a finding. Ordered: `Note < Warning < Error`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Note,
    Warning,
    Error,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The effect of a finding on the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictImpact {
    /// Fails the run if its level reaches the threshold.
    ByLevel,
    /// Makes the verdict incomplete at any threshold, because evidence is missing.
    Incomplete,
}

/// A location in a policy file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolicyLocation {
    /// JSON pointer (RFC 6901) of the entry, e.g. `/files/read/deny/0`.
    pub pointer: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, in Unicode scalar values.
    pub column: u32,
    /// The file, if the location is in a file that the policy extends.
    pub file: Option<Arc<str>>,
}

/// A rule that the policy defines with an id of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRule {
    pub id: String,
    pub owner: Option<String>,
    /// The author's reason for the rule.
    pub reason: Option<String>,
}

/// The words of the policy entry that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyEntry {
    /// As it is written: `secrets/**`, `label:secret`.
    pub text: String,
    /// The pattern of the label that matched, for an entry that names a label.
    pub pattern: Option<String>,
}

/// One problem that the gate reports.
#[derive(Debug, Clone)]
pub struct Finding {
    pub rule: RuleId,
    pub level: Level,
    /// One line in lower case that names the act and the reason.
    pub message: String,
    /// The file, relative to the top of the repository, for a finding about a change.
    pub file: Option<String>,
    /// 1-based event number in its session; 0 for a finding about the whole session.
    pub event: u32,
    /// The last event, for a finding about several events.
    pub until: Option<u32>,
    pub event_id: Option<String>,
    pub tool: Option<String>,
    /// The judged effect, as shown in reports; `None` for findings about a whole session. Boxed because it is large and
    /// many findings have none.
    pub effect: Option<Box<EffectView>>,
    /// The shortened log text: the command, or the path as written. Raw log text.
    pub evidence: Option<String>,
    /// 1-based line in the session's source, or in `file`.
    pub line: u32,
    /// JSON pointer of the value in the document on that line, for a finding about one value.
    pub pointer: Option<String>,
    pub policy: Option<PolicyLocation>,
    /// The rule at the location in `policy`, if it has an id of its own.
    pub policy_rule: Option<Arc<PolicyRule>>,
    /// The entry at the location in `policy`, if one entry stands there, or the one in `taken_out_by`; added with the verdict.
    pub policy_entry: Option<Arc<PolicyEntry>>,
    /// The entry (`!x`) that takes the file out of the allow list at the location in `policy`.
    pub taken_out_by: Option<Box<PolicyLocation>>,
    /// Hex of a SHA-256 prefix over rule and normalised effect, never over line, time or session. For missing evidence
    /// also over the session, because logs lack different things.
    pub fingerprint: String,
    /// Whether the agent touched a sensitive file. Reports do not propose to allow that.
    pub is_sensitive: bool,
    pub impact: VerdictImpact,
    /// The causes, in order; empty unless the caller asked for them.
    pub causes: Vec<Cause>,
    /// For each rule against the act, the indexes of the waivers that cover it. The finding is waived if each rule has a
    /// waiver that still applies. Empty if no waiver covers anything.
    pub covered_by: Vec<Vec<usize>>,
}

/// An earlier event that an act depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// 1-based event number in the session of the act.
    pub event: u32,
    /// 1-based line in the session's source.
    pub line: u32,
    /// Description of the event, as in messages. Raw log text.
    pub what: String,
}

impl Finding {
    /// A finding of a rule, without a location.
    pub fn of_rule(rule: RuleId, level: Level, message: String, fingerprint: String) -> Self {
        Self {
            rule,
            level,
            message,
            file: None,
            event: 0,
            until: None,
            event_id: None,
            tool: None,
            effect: None,
            evidence: None,
            line: 1,
            pointer: None,
            policy: None,
            policy_rule: None,
            policy_entry: None,
            taken_out_by: None,
            fingerprint,
            is_sensitive: false,
            impact: VerdictImpact::ByLevel,
            causes: Vec::new(),
            covered_by: Vec::new(),
        }
    }

    /// Whether the finding is about this event, or became one with it.
    pub fn is_of(&self, event: u32) -> bool {
        self.event == event || self.until == Some(event)
    }

    /// Whether waivers cover every rule against the act.
    pub fn is_covered(&self) -> bool {
        !self.covered_by.is_empty() && self.covered_by.iter().all(|step| !step.is_empty())
    }
}

/// The parts of an effect that reports show. Keys of the JSON contract.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EffectView {
    pub kind: &'static str,
    pub path: Option<String>,
    pub argv: Option<Vec<String>>,
    /// The log does not show some of the words in `argv`. No report prints this.
    pub has_unknown_words: bool,
    pub host: Option<String>,
    pub port: Option<u16>,
    pub scheme: Option<String>,
    pub server: Option<String>,
    pub tool: Option<String>,
    pub agent: Option<String>,
    /// The name of an environment variable.
    pub name: Option<String>,
    pub reason: Option<String>,
    /// The class of an unresolved effect.
    pub class: Option<&'static str>,
    /// The leading words of commands that vouch for an unresolved effect if a policy allows them.
    pub vouched_by: Vec<String>,
    pub certainty: Option<&'static str>,
    pub via: Option<Cow<'static, str>>,
    /// The span of the effect in the call's command text: start and end in bytes.
    pub span: Option<[usize; 2]>,
    /// The command that caused it, as index among the effects of the call, where they are listed.
    pub parent: Option<u32>,
}
