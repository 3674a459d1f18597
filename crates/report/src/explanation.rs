//! `policy explain`: a call with its effects, and below each what every entry of the policy says about it; as text and as
//! JSON (version 1, additive changes only).

use serde::Serialize;

use super::effects::{EffectsEvent, Event};
use super::escape::terminal;
use super::paint::Paint;
use super::{Colour, Glyphs, json};
use agent_strace_policy::Answer;
use agent_strace_secrets::{Redacted, redact};

/// One call, explained.
#[derive(Debug)]
pub struct Explanation {
    policy: String,
    session: Redacted,
    answer: Answer,
    decided_by: Vec<Redacted>,
    event: EffectsEvent,
}

impl Explanation {
    pub fn new(policy: &str, session: &str, answer: Answer, decided_by: Vec<String>, event: EffectsEvent) -> Self {
        let decided_by = decided_by.into_iter().map(redact).collect();
        Self { policy: policy.to_owned(), session: redact(session), answer, decided_by, event }
    }

    fn lines(&self, paint: &Paint, glyphs: Glyphs, lines: &mut Vec<String>) {
        let policy = terminal(&self.policy);
        if self.session.as_str() != "-" {
            lines.push(format!("session {}", terminal(self.session.as_str())));
            lines.push(self.event.head());
        }
        let before = lines.len();
        lines.extend(self.event.tree(Some(&policy), paint, glyphs));
        if lines.len() == before {
            lines.push("nothing: it touches no file, host or tool and runs no command".to_owned());
        }
        let by: Vec<&str> = self.decided_by.iter().map(Redacted::as_str).collect();
        let by = if by.is_empty() { String::new() } else { format!(": {}", by.join(", ")) };
        let answer = match self.answer {
            Answer::Allow => paint.good("allow"),
            Answer::Unresolved => paint.warning("unresolved"),
            Answer::Ask => paint.warning("ask"),
            Answer::Deny => paint.error("deny"),
        };
        lines.extend([String::new(), format!("{answer}{}", terminal(&by)), String::new()]);
    }
}

pub fn explanations_text(explanations: &[Explanation], colour: Colour, glyphs: Glyphs) -> String {
    let mut lines = Vec::new();
    for explanation in explanations {
        explanation.lines(&Paint(colour), glyphs, &mut lines);
    }
    lines.join("\n")
}

pub fn explanations_json(explanations: &[Explanation]) -> String {
    let calls = explanations.iter().map(|explanation| Call {
        policy: &explanation.policy,
        session: explanation.session.as_str(),
        answer: explanation.answer.name(),
        decided_by: explanation.decided_by.iter().map(Redacted::as_str).collect(),
        event: explanation.event.document(),
    });
    json::to_text(&Document { schema_version: 1, calls: calls.collect() })
}

/// What `agent-strace policy explain` says.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace policy explain, version 1"))]
pub(super) struct Document<'a> {
    schema_version: u32,
    calls: Vec<Call<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Call<'a> {
    policy: &'a str,
    /// `-` for a call that was given on the command line.
    session: &'a str,
    /// `allow`, `ask`, `deny` or `unresolved`: the strictest of all effects.
    answer: &'static str,
    /// The entries and built-in rules that the answer rests on.
    decided_by: Vec<&'a str>,
    #[serde(flatten)]
    event: Event<'a>,
}
