//! What a finding is, and what rules are called.

use std::borrow::Cow;
use std::sync::Arc;

/// How bad a finding is. Ordered: `Note < Warning < Error`.
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

/// What a finding does to the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// It fails a run whose threshold its level reaches.
    ByLevel,
    /// It keeps the verdict from being a pass, whatever the threshold: evidence is missing.
    Incomplete,
}

/// A rule as users name it: `family/name`, lower case (`scope/read`, `sequence/secret-egress`).
pub type RuleId = &'static str;

/// A place in the policy file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolicyPlace {
    /// JSON pointer (RFC 6901) of the entry, e.g. `/files/read/deny/0`.
    pub pointer: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, in Unicode scalar values.
    pub column: u32,
    /// The file, where it is not the policy itself but one that it extends.
    pub file: Option<Arc<str>>,
}

/// A rule of the policy that has a name of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub id: String,
    pub owner: Option<String>,
    /// Why it is there, in its author's words.
    pub reason: Option<String>,
}

/// One thing the gate reports.
#[derive(Debug, Clone)]
pub struct Finding {
    pub rule: RuleId,
    pub level: Level,
    /// Lower case, one line, names the act and the reason.
    pub message: String,
    /// The file that it is about, from the top of the repository, where it is about a change and not about a session.
    pub file: Option<String>,
    /// 1-based event number in its session; 0 of a finding about the whole session.
    pub event: u32,
    /// The last event that it is about, where it is about several.
    pub until: Option<u32>,
    pub event_id: Option<String>,
    pub tool: Option<String>,
    /// The effect that was judged, as shown in reports; `None` for findings about a whole session. Apart, because it
    /// is larger than all the rest and many findings have none.
    pub effect: Option<Box<EffectView>>,
    /// What the log says, shortened: the command, the path as written. Raw log text.
    pub evidence: Option<String>,
    /// 1-based line in the session's source, or in `file`.
    pub line: u32,
    /// JSON pointer of what it is about, in the document on that line, where it is about one value of it.
    pub pointer: Option<String>,
    pub policy: Option<PolicyPlace>,
    /// The rule at that place, where it has a name of its own.
    pub named: Option<Arc<Named>>,
    /// Hex of a SHA-256 prefix over rule and normalised effect: never over line, time or session. Of evidence that is
    /// missing also over the session: what one log lacks is not known of another.
    pub fingerprint: String,
    pub counts: Counts,
    /// What led to it, in order; empty unless the caller asked for it.
    pub causes: Vec<Cause>,
    /// Everything that stands against the act, each with the exceptions and suppressions that cover it, by their places
    /// among the policy's waivers: the finding is waived where one of each still holds. Empty where none covers anything.
    pub covered_by: Vec<Vec<usize>>,
}

/// An event without which an act were none, or could not have happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// 1-based event number in the session of the act.
    pub event: u32,
    /// 1-based line in the session's source.
    pub line: u32,
    /// What happened there, as messages say it: raw log text.
    pub what: String,
}

impl Finding {
    /// Of a rule, about nothing in particular yet.
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
            named: None,
            fingerprint,
            counts: Counts::ByLevel,
            causes: Vec::new(),
            covered_by: Vec::new(),
        }
    }

    /// It is about this event, or was one only with it.
    pub fn is_of(&self, event: u32) -> bool {
        self.event == event || self.until == Some(event)
    }

    /// Something covers everything that stands against the act.
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
    pub host: Option<String>,
    pub port: Option<u16>,
    pub scheme: Option<String>,
    pub server: Option<String>,
    pub tool: Option<String>,
    pub agent: Option<String>,
    /// Of a variable in programs' environment.
    pub name: Option<String>,
    pub reason: Option<String>,
    /// Of what could not be resolved: how much is known about it.
    pub class: Option<&'static str>,
    /// The leading words of commands that vouch for it where a policy allows them: of what could not be resolved.
    pub vouched_by: Vec<String>,
    pub certainty: Option<&'static str>,
    pub via: Option<Cow<'static, str>>,
    /// The piece of the call's command text that it comes from: start and end in bytes.
    pub span: Option<[usize; 2]>,
    /// The command that caused it: its place among the effects of the call, where they are listed.
    pub parent: Option<u32>,
}
