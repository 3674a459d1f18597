//! `effects`: what the gate sees, as JSON (version 1, additive changes only) and as text.

use serde::Serialize;

use super::Colour;
use super::entry_decisions::{EntryDecisionDocument, EntryDecisions};
use super::escape::terminal;
use super::json;
use super::paint::Paint;
use super::text::{policy_shown, verdict};
use super::tree::{self, Glyphs};
use super::view::{Report, ShownEffect, ShownLocation};
use agent_strace_engine::Entry;
use agent_strace_engine::policy_testing::Explained;
use agent_strace_model::Status;
use agent_strace_model::finding::{EffectView, Family, Level, RuleId};
use agent_strace_policy::{Basis, Decision};
use agent_strace_secrets::{Known, Redacted, redact};

/// Sessions with the effects of each event that did something or called a tool.
#[derive(Debug)]
pub struct EffectsReport {
    sessions: Vec<EffectsSession>,
    /// What was judged, where it was.
    judged: Option<Report>,
}

#[derive(Debug)]
pub struct EffectsSession {
    id: Redacted,
    agent: Redacted,
    source: Redacted,
    events: Vec<EffectsEvent>,
}

#[derive(Debug)]
pub struct EffectsEvent {
    event: u32,
    event_id: Option<Redacted>,
    tool: Option<Redacted>,
    status: &'static str,
    effects: Vec<Traced>,
}

/// One effect of an event with its cause and judgement, as input of [`EffectsEvent::new`].
#[derive(Debug)]
pub struct EffectInput<'a> {
    pub effect: EffectView,
    /// The command that it belongs to, as index among the effects.
    pub cause: Option<usize>,
    /// For a command: its source text.
    pub piece: Option<&'a str>,
    pub judged: Option<&'a Entry>,
    /// The entries that apply to it, if the caller asked for them.
    pub explained: Option<&'a Explained>,
    /// A change of the policy that would change the judgement, where `explained` does not hold it.
    pub advice: Option<String>,
}

/// An effect in redacted form.
#[derive(Debug)]
pub(super) struct Traced {
    pub(super) effect: ShownEffect,
    pub(super) cause: Option<usize>,
    pub(super) piece: Option<Redacted>,
    pub(super) ruling: Option<Ruling>,
    pub(super) entry_decisions: Option<EntryDecisions>,
    pub(super) advice: Option<Redacted>,
}

/// The decision of a policy about an effect.
#[derive(Debug)]
pub(super) struct Ruling {
    pub(super) decision: Decision,
    pub(super) level: Level,
    pub(super) rule: &'static str,
    pub(super) basis: Basis,
    pub(super) reason: Redacted,
    pub(super) location: Option<ShownLocation>,
    pub(super) sensitive: bool,
}

impl EffectsReport {
    pub fn new(sessions: Vec<EffectsSession>, judged: Option<Report>) -> Self {
        Self { sessions, judged }
    }

    pub fn json(&self) -> String {
        json::to_text(&Document {
            schema_version: 1,
            verdict: self.judged.as_ref().map(|report| json::verdict_name(report.verdict)),
            policy: self.judged.as_ref().and_then(|report| report.policy.as_ref()).map(json::policy),
            sessions: self.sessions.iter().map(EffectsSession::document).collect(),
        })
    }

    /// One line per event, its effects below.
    pub fn text(&self, colour: Colour, glyphs: Glyphs) -> String {
        let paint = Paint(colour);
        let mut lines = Vec::new();
        for session in &self.sessions {
            lines.push(paint.bold(&format!(
                "session {} ({}, {})",
                terminal(session.id.as_str()),
                terminal(session.agent.as_str()),
                terminal(session.source.as_str())
            )));
            for event in &session.events {
                lines.push(event.head());
                lines.extend(event.tree(None, &paint, glyphs).map(|line| format!("      {line}")));
            }
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// The effects of a command alone, as a tree, and what a policy says about it.
    pub fn command_text(&self, colour: Colour, glyphs: Glyphs) -> String {
        let paint = Paint(colour);
        let policy = self.judged.as_ref().and_then(|report| report.policy.as_ref());
        let policy = policy.map(|policy| terminal(policy.path.as_str()));
        let events = self.sessions.iter().flat_map(|session| &session.events);
        let mut lines: Vec<String> =
            events.flat_map(|event| event.tree(policy.as_deref(), &paint, glyphs).collect::<Vec<_>>()).collect();
        if lines.is_empty() {
            lines.push("nothing: it touches no file, host or tool and runs no command".to_owned());
        }
        if let Some(report) = &self.judged {
            lines.push(String::new());
            // What no single effect shows: rules with a memory.
            let of_effect = |rule: RuleId| matches!(rule.family(), Family::Scope | Family::Floor);
            let others = report.findings().filter(|(_, found)| !of_effect(found.rule));
            lines.extend(others.map(|(_, found)| {
                let message = terminal(found.message.as_str());
                format!("{} {}: {message}", paint.level(found.level).replace("  ", ""), found.rule)
            }));
            lines.push(format!("judged {}", policy_shown(report)));
            lines.push(verdict(report, &paint));
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

impl EffectsSession {
    pub fn new(id: &str, agent: &str, source: &str, events: Vec<EffectsEvent>) -> Self {
        Self { id: redact(id), agent: redact(agent), source: redact(source), events }
    }

    fn document(&self) -> Session<'_> {
        Session {
            id: self.id.as_str(),
            agent: self.agent.as_str(),
            source: self.source.as_str(),
            events: self.events.iter().map(EffectsEvent::document).collect(),
        }
    }
}

impl EffectsEvent {
    /// `text`: the command text that pieces are cut from.
    pub fn new<'a>(
        event: u32,
        event_id: Option<&str>,
        tool: Option<&str>,
        status: Status,
        text: &str,
        effects: impl Iterator<Item = EffectInput<'a>>,
    ) -> Self {
        let pieces = Pieces::new(text);
        let effects: Vec<EffectInput<'_>> = effects.collect();
        let secrets = known(Some(text), effects.iter().map(|input| &input.effect));
        Self {
            event,
            event_id: event_id.map(redact),
            tool: tool.map(redact),
            status: status.name(),
            effects: effects.into_iter().map(|input| Traced::new(input, &pieces, &secrets)).collect(),
        }
    }

    pub(super) fn document(&self) -> Event<'_> {
        Event {
            number: self.event,
            id: self.event_id.as_ref().map(Redacted::as_str),
            tool: self.tool.as_ref().map(Redacted::as_str),
            status: self.status,
            effects: self.effects.iter().map(Traced::document).collect(),
        }
    }

    pub(super) fn head(&self) -> String {
        let tool = self.tool.as_ref().map(|tool| format!(" {}", terminal(tool.as_str())));
        format!("  #{}{} {}", self.event, tool.unwrap_or_default(), self.status)
    }

    pub(super) fn tree(&self, policy: Option<&str>, paint: &Paint, glyphs: Glyphs) -> impl Iterator<Item = String> {
        tree::lines(&self.effects, policy, paint, glyphs).into_iter()
    }
}

impl Traced {
    fn new(input: EffectInput<'_>, pieces: &Pieces, secrets: &Known) -> Self {
        Self {
            effect: ShownEffect::new(input.effect, secrets),
            cause: input.cause,
            entry_decisions: input.explained.map(|explained| EntryDecisions::new(explained, secrets)),
            piece: input.piece.and_then(|piece| pieces.shown(piece, secrets)),
            ruling: input.judged.map(|entry| Ruling::new(entry, secrets)),
            advice: input.advice.map(|advice| secrets.redact(advice)),
        }
    }

    fn document(&self) -> JudgedEffect<'_> {
        JudgedEffect {
            entries: self.entry_decisions.as_ref().map(EntryDecisions::document),
            help: self
                .entry_decisions
                .as_ref()
                .and_then(EntryDecisions::help)
                .or(self.advice.as_ref().map(Redacted::as_str)),
            waivers: self
                .entry_decisions
                .iter()
                .flat_map(EntryDecisions::excuses)
                .map(|by| json::waiver(Some(by)))
                .collect(),
            effect: json::effect(&self.effect),
            judgement: self.ruling.as_ref().map(|ruling| Judgement {
                decision: ruling.decision.name(),
                rule: ruling.rule,
                reason: ruling.reason.as_str(),
                sensitive: ruling.sensitive,
                policy: ruling.location.as_ref().map(json::location),
            }),
        }
    }
}

impl Ruling {
    pub(super) fn new(entry: &Entry, secrets: &Known) -> Self {
        Self {
            decision: entry.decision,
            level: entry.level,
            rule: entry.rule.as_str(),
            basis: entry.basis,
            reason: secrets.redact(&entry.reason),
            location: entry
                .location
                .as_ref()
                .map(|location| ShownLocation::new(location, entry.policy_rule.as_deref())),
            sensitive: entry.sensitive,
        }
    }
}

/// Secrets in the text of a call, as it is written and word by word without its quotes.
pub(super) fn known<'e>(text: Option<&str>, effects: impl Iterator<Item = &'e EffectView>) -> Known {
    let commands = effects.filter_map(|effect| Some(effect.argv.as_ref()?.join(" ")));
    Known::of(text.map(str::to_owned).into_iter().chain(commands))
}

/// Pieces of a text that may hold secrets.
struct Pieces {
    /// Where the text holds secrets: what is left of it without them.
    redacted: Option<Redacted>,
}

impl Pieces {
    /// Comparing each piece with more than this would take long.
    const LONGEST: usize = 16 * 1024;

    fn new(text: &str) -> Self {
        let redacted = redact(text);
        Self { redacted: (redacted.as_str() != text).then_some(redacted) }
    }

    /// What surrounds a secret can give it away, and a piece has less around it: where the whole text is shown otherwise,
    /// the piece is not shown.
    fn shown(&self, piece: &str, secrets: &Known) -> Option<Redacted> {
        let shown = secrets.redact(piece);
        match &self.redacted {
            Some(whole) if whole.as_str().len() > Self::LONGEST => None,
            Some(whole) if !whole.as_str().contains(shown.as_str()) => None,
            _ => Some(shown),
        }
    }
}

/// What `agent-strace effects` sees.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace effects, version 1"))]
pub(super) struct Document<'a> {
    schema_version: u32,
    /// `pass`, `fail` or `incomplete`: where a policy judged a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    /// The policy that judged a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<json::Policy<'a>>,
    sessions: Vec<Session<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Session<'a> {
    id: &'a str,
    agent: &'a str,
    source: &'a str,
    events: Vec<Event<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Event<'a> {
    /// 1-based within the session.
    #[serde(rename = "event")]
    number: u32,
    #[serde(rename = "event_id")]
    id: Option<&'a str>,
    /// `null` for an event that is no call.
    tool: Option<&'a str>,
    /// `ok`, `error`, `denied`, `interrupted` or `missing`.
    status: &'static str,
    effects: Vec<JudgedEffect<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct JudgedEffect<'a> {
    /// Every entry that speaks about it, where that was asked (`policy explain`).
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<EntryDecisionDocument<'a>>>,
    /// What would change a refusal, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    /// What says that the refusal does not count, until a day; absent where nothing does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waivers: Vec<json::Waiver<'a>>,
    #[serde(flatten)]
    effect: json::Effect<'a>,
    /// What the policy says, where one judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    judgement: Option<Judgement<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Judgement<'a> {
    /// `allowed`, `denied`, `asked`, `unresolved`, or `unruled` where no part of the policy speaks of it.
    decision: &'static str,
    /// The rule that a finding carries.
    rule: &'static str,
    reason: &'a str,
    /// It touches a file that is always taken for sensitive.
    sensitive: bool,
    /// The line of the policy, where one decided.
    policy: Option<json::PolicyLocationJson<'a>>,
}
