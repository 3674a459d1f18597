//! The decision of each policy entry about an effect, shown below the effect.

use serde::Serialize;

use super::escape::terminal;
use super::json;
use super::paint::Paint;
use super::view::{ShownLocation, ShownUse};
use agent_strace_engine::policy_testing::{Explained, How};
use agent_strace_policy::{Decision, WaiverOrigin, dotted};
use agent_strace_secrets::{Known, Redacted, redact};

/// The decisions of all entries about one effect.
#[derive(Debug)]
pub(super) struct EntryDecisions {
    all: Vec<EntryDecision>,
    decision: Decision,
    /// No entry of the policy decides it; a built-in rule may.
    unplaced: bool,
    help: Option<Redacted>,
    excuses: Vec<ShownUse>,
}

#[derive(Debug)]
struct EntryDecision {
    name: Redacted,
    /// Policies are committed, and an entry may hold a token all the same.
    text: Redacted,
    /// The pattern that matched, of an entry that names a label or a built-in list.
    pattern: Option<Redacted>,
    decision: Decision,
    how: How,
    decides: bool,
    location: ShownLocation,
}

impl EntryDecisions {
    /// `secrets`: what the call gives away.
    pub(super) fn new(explained: &Explained, secrets: &Known) -> Self {
        let entry_decisions = explained.spoken.iter().map(|spoken| EntryDecision {
            name: redact(&spoken.entry.name),
            text: redact(&spoken.entry.text),
            pattern: spoken.pattern.as_deref().map(redact),
            decision: spoken.entry.decision,
            how: spoken.how,
            decides: spoken.decides,
            location: ShownLocation::new(&spoken.entry.location, spoken.entry.policy_rule.as_deref()),
        });
        Self {
            all: entry_decisions.collect(),
            decision: explained.judged.decision,
            unplaced: explained.judged.location.is_none(),
            help: explained.advice.as_deref().map(|advice| secrets.redact(advice)),
            excuses: explained.excuses.iter().map(ShownUse::new).collect(),
        }
    }

    pub(super) fn lines(&self, policy: Option<&str>, paint: &Paint) -> Vec<String> {
        let mut lines: Vec<String> = self.all.iter().map(|entry| entry.line(policy, paint)).collect();
        if lines.is_empty() {
            let none = match self.decision {
                Decision::Unruled => "no entry covers it",
                _ if self.unplaced => "no entry says so: it is built in, or follows from what is not said",
                _ => "no entry of that list matches",
            };
            lines.push(none.to_owned());
        }
        for excuse in &self.excuses {
            let file = match excuse.origin {
                WaiverOrigin::Exception => excuse.location.file(policy.unwrap_or("policy")),
                WaiverOrigin::Suppression => "configuration",
            };
            let name = dotted(&excuse.location.pointer);
            let location = format!("{name} ({}:{})", terminal(file), excuse.location.line);
            let (owner, reason) = (terminal(excuse.owner.as_str()), terminal(excuse.reason.as_str()));
            let until = paint.good(&format!("does not count until {}", excuse.until));
            lines.push(format!("{until}: {location}, {owner}: {reason}"));
        }
        lines.extend(self.help.iter().map(|help| format!("to change that: {}", terminal(help.as_str()))));
        lines
    }

    pub(super) fn document(&self) -> Vec<EntryDecisionDocument<'_>> {
        self.all.iter().map(EntryDecision::document).collect()
    }

    pub(super) fn excuses(&self) -> impl Iterator<Item = &ShownUse> {
        self.excuses.iter()
    }

    pub(super) fn help(&self) -> Option<&str> {
        self.help.as_ref().map(Redacted::as_str)
    }
}

impl EntryDecision {
    fn document(&self) -> EntryDecisionDocument<'_> {
        EntryDecisionDocument {
            name: self.name.as_str(),
            pattern: self.text.as_str(),
            matched: self.pattern.as_ref().map(Redacted::as_str),
            decision: self.decision.name(),
            certain: self.how == How::Matches,
            decides: self.decides,
            policy: json::location(&self.location),
        }
    }

    fn line(&self, policy: Option<&str>, paint: &Paint) -> String {
        let says = match (self.how, self.decision) {
            (How::Matches, Decision::Denied) => paint.error("denies"),
            (How::Matches, Decision::Asked) => paint.warning("asks"),
            (How::Matches, _) => paint.good("allows"),
            (How::MayMatch, Decision::Asked) => paint.warning("may ask"),
            (How::MayMatch, _) => paint.warning("may deny"),
        };
        let file = self.location.file(policy.unwrap_or("policy"));
        let decides = if self.decides { ", and decides" } else { "" };
        let (name, text) = (terminal(self.name.as_str()), terminal(self.text.as_str()));
        let matched = self.pattern.as_ref().map(|pattern| format!(" with its `{}`", terminal(pattern.as_str())));
        let matched = matched.unwrap_or_default();
        format!("{says}: {name} `{text}`{matched} ({}:{}){decides}", terminal(file), self.location.line)
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "SpeakingEntry"))]
pub(super) struct EntryDecisionDocument<'a> {
    /// `commands.deny[2]`, or the id of a rule.
    name: &'a str,
    pattern: &'a str,
    /// The pattern that matched, where the entry names a label or a built-in list.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched: Option<&'a str>,
    /// What it says: `denied`, `asked` or `allowed`.
    decision: &'static str,
    /// It matches; otherwise it may, and what is not known decides.
    certain: bool,
    /// The judgement rests on it.
    decides: bool,
    policy: json::PolicyLocationJson<'a>,
}
