//! Findings and effects in redacted form.

use super::location::ShownLocation;
use agent_strace_model::finding::{Cause, EffectView, Finding, Level, RuleId, VerdictImpact};
use agent_strace_secrets::{Known, Redacted};

#[derive(Debug)]
pub(super) struct ShownFinding {
    pub(super) rule: RuleId,
    pub(super) level: Level,
    pub(super) message: Redacted,
    /// From the top of the repository, where it is about a file of the change.
    pub(super) file: Option<Redacted>,
    pub(super) event: u32,
    /// The last event that it is about, where it is about several.
    pub(super) until: Option<u32>,
    pub(super) event_id: Option<Redacted>,
    pub(super) tool: Option<Redacted>,
    pub(super) effect: Option<Box<ShownEffect>>,
    pub(super) evidence: Option<Redacted>,
    pub(super) line: u32,
    /// JSON pointer into the document on that line.
    pub(super) pointer: Option<Redacted>,
    pub(super) policy: Option<ShownLocation>,
    pub(super) fingerprint: String,
    /// It is about an act on a sensitive file.
    pub(super) is_sensitive: bool,
    pub(super) impact: VerdictImpact,
    /// The events that led to it, in order; empty where the story was not asked for.
    pub(super) causes: Vec<ShownCause>,
}

/// An event that led to a finding.
#[derive(Debug)]
pub(super) struct ShownCause {
    pub(super) event: u32,
    pub(super) line: u32,
    pub(super) what: Redacted,
}

/// An effect's parts; see [`EffectView`].
#[derive(Debug)]
pub(crate) struct ShownEffect {
    pub(super) kind: &'static str,
    pub(super) path: Option<Redacted>,
    pub(super) argv: Option<Vec<Redacted>>,
    pub(super) has_unknown_words: bool,
    pub(super) host: Option<Redacted>,
    pub(super) port: Option<u16>,
    pub(super) scheme: Option<Redacted>,
    pub(super) server: Option<Redacted>,
    pub(super) tool: Option<Redacted>,
    pub(super) agent: Option<Redacted>,
    pub(super) name: Option<Redacted>,
    pub(super) reason: Option<Redacted>,
    pub(super) class: Option<&'static str>,
    pub(super) vouched_by: Vec<Redacted>,
    pub(super) certainty: Option<&'static str>,
    pub(super) via: Option<Redacted>,
    pub(super) span: Option<[usize; 2]>,
    pub(super) parent: Option<u32>,
}

impl ShownCause {
    fn new(cause: Cause, secrets: &Known) -> Self {
        Self { event: cause.event, line: cause.line, what: secrets.redact(cause.what) }
    }
}

impl ShownFinding {
    /// About no session.
    pub(super) fn of_run(finding: Finding) -> Self {
        Self::new(finding, &Known::default())
    }

    /// `secrets`: what the commands of its session give away.
    pub(super) fn new(finding: Finding, secrets: &Known) -> Self {
        let redact = |text: String| secrets.redact(text);
        let mut effect = finding.effect.map(|effect| Box::new(ShownEffect::new(*effect, secrets)));
        let evidence = finding.evidence.map(|said| (redact(said.clone()), said));
        if let (Some(effect), Some((shown, said))) = (&mut effect, &evidence) {
            effect.vouch_without_secrets(said, shown.as_str());
        }
        Self {
            rule: finding.rule,
            level: finding.level,
            message: redact(finding.message),
            file: finding.file.map(redact),
            event: finding.event,
            until: finding.until,
            event_id: finding.event_id.map(redact),
            tool: finding.tool.map(redact),
            effect,
            evidence: evidence.map(|(shown, _)| shown),
            line: finding.line,
            pointer: finding.pointer.map(redact),
            policy: finding.policy.map(|location| {
                let location = ShownLocation::new(&location, finding.policy_rule.as_deref());
                location.of_entry(finding.policy_entry.as_deref())
            }),
            fingerprint: finding.fingerprint,
            is_sensitive: finding.is_sensitive,
            impact: finding.impact,
            causes: finding.causes.into_iter().map(|cause| ShownCause::new(cause, secrets)).collect(),
        }
    }

    /// The message with the words of the entry that decided: ``reads `.env`: denied by files.read.deny ".env"``.
    pub(super) fn said(&self) -> String {
        let message = self.message.as_str();
        let inserted = self.policy.as_ref().and_then(|location| {
            let (quoted, name) = (location.quoted()?, location.name());
            let end = message.rfind(&name)? + name.len();
            let (head, tail) = message.split_at_checked(end)?;
            Some(format!("{head} {quoted}{tail}"))
        });
        inserted.unwrap_or_else(|| message.to_owned())
    }

    pub(super) fn counts_as(&self, level: Level) -> bool {
        self.impact == VerdictImpact::ByLevel && self.level == level
    }

    /// It keeps the verdict from being a pass, whatever the threshold.
    pub(super) fn is_incomplete(&self) -> bool {
        self.impact == VerdictImpact::Incomplete
    }

    /// About no single event.
    pub(super) fn is_whole(&self) -> bool {
        self.event == 0
    }
}

impl ShownEffect {
    /// `secrets`: what the commands that it belongs to give away.
    pub(super) fn new(effect: EffectView, secrets: &Known) -> Self {
        let redact = |text: String| secrets.redact(text);
        Self {
            kind: effect.kind,
            path: effect.path.map(redact),
            argv: effect.argv.map(|argv| secrets.redact_words(argv.iter().map(String::as_str))),
            has_unknown_words: effect.has_unknown_words,
            host: effect.host.map(redact),
            port: effect.port,
            scheme: effect.scheme.map(redact),
            server: effect.server.map(redact),
            tool: effect.tool.map(redact),
            agent: effect.agent.map(redact),
            name: effect.name.map(redact),
            reason: effect.reason.map(redact),
            class: effect.class,
            vouched_by: effect.vouched_by.into_iter().map(redact).collect(),
            certainty: effect.certainty,
            via: effect.via.map(|via| secrets.redact(via)),
            span: effect.span,
            parent: effect.parent,
        }
    }
}

impl ShownEffect {
    /// Only the whole command shows that one of its words is a secret: no entry is proposed that would hold the word, and one
    /// without it does not vouch for the command.
    fn vouch_without_secrets(&mut self, said: &str, shown: &str) {
        let is_hidden = |word: &Redacted| said.contains(word.as_str()) && !shown.contains(word.as_str());
        if self.vouched_by.iter().any(is_hidden) {
            self.vouched_by.clear();
        }
    }
}
