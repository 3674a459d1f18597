//! Findings by their cause: the same rule, the same entry of the policy or none, and the same kind of act.
//!
//! A run has hundreds of findings and few causes, and one edit settles a cause. People get the causes first, each with one
//! example; the machine-readable formats list each finding.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_model::finding::{Family, Level, RuleId};

use super::escape::shorten;
use super::order;
use super::text::counted;
use super::view::{Report, ShownFinding, ShownSession};
use agent_strace_secrets::Redacted;

/// Targets that are named.
const NAMED: usize = 3;
const TARGET: usize = 60;
const REASON: usize = 200;

/// Up to so many findings, people are shown each.
const FEW: usize = 20;

/// Findings of one cause, the worst first. There is at least one.
#[derive(Debug)]
pub(super) struct CauseGroup<'r> {
    pub(super) findings: Vec<(Option<&'r ShownSession>, &'r ShownFinding)>,
    calls: usize,
    sessions: usize,
}

/// The properties that all findings of one cause share, in the order of the report.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'r> {
    level: Level,
    is_incomplete: bool,
    rule: RuleId,
    policy: Option<(Option<&'r str>, &'r str)>,
    kind: String,
}

/// Its cause is counted, and it is not listed: a note about an act whose effects the log does not show.
pub(super) fn is_counted(report: &Report, finding: &ShownFinding) -> bool {
    finding.rule == RuleId::ScopeUnresolved
        && finding.level == Level::Note
        && !finding.is_incomplete()
        && !report.fails(finding)
}

/// Findings that are not only counted.
pub(super) fn listed(report: &Report) -> usize {
    report.findings().filter(|(_, finding)| !is_counted(report, finding)).count()
}

/// There are so few findings that each is shown at once.
pub(super) fn are_few(report: &Report) -> bool {
    listed(report) <= FEW
}

/// All causes, in the order of the report; those of most findings first among equals.
pub(super) fn causes(report: &Report) -> Vec<CauseGroup<'_>> {
    causes_of(report, |_| true)
}

/// The causes of notes that are only counted.
pub(super) fn counted_causes(report: &Report) -> Vec<CauseGroup<'_>> {
    causes_of(report, |finding| is_counted(report, finding))
}

fn causes_of(report: &Report, is_wanted: impl Fn(&ShownFinding) -> bool) -> Vec<CauseGroup<'_>> {
    let mut by_key: BTreeMap<Key<'_>, (CauseGroup<'_>, BTreeSet<(usize, u32)>)> = BTreeMap::new();
    let sessions = report.sessions.iter().enumerate();
    let of_sessions =
        sessions.flat_map(|(at, session)| session.findings.iter().map(move |found| (Some((at, session)), found)));
    let about_none = report.of_change.iter().chain(&report.remarks).map(|found| (None, found));
    for (session, finding) in about_none.chain(of_sessions).filter(|(_, finding)| is_wanted(finding)) {
        let (group, calls) = by_key
            .entry(Key::of(finding))
            .or_insert_with(|| (CauseGroup { findings: Vec::new(), calls: 0, sessions: 0 }, BTreeSet::new()));
        group.findings.push((session.map(|(_, session)| session), finding));
        calls.extend(session.map(|(at, _)| (at, finding.event)));
    }
    let mut causes: Vec<CauseGroup<'_>> = by_key
        .into_values()
        .map(|(group, calls)| CauseGroup {
            calls: calls.iter().filter(|(_, event)| *event > 0).count(),
            sessions: calls.iter().map(|(session, _)| session).collect::<BTreeSet<_>>().len(),
            ..group
        })
        .collect();
    causes.sort_by_key(|cause| (cause.first().map(order::rank), std::cmp::Reverse(cause.findings.len())));
    causes
}

impl<'r> Key<'r> {
    fn of(finding: &'r ShownFinding) -> Self {
        let policy = finding.policy.as_ref();
        Self {
            level: finding.level,
            is_incomplete: finding.is_incomplete(),
            rule: finding.rule,
            policy: policy.map(|at| (at.file.as_ref().map(Redacted::as_str), at.pointer.as_str())),
            kind: kind(finding),
        }
    }
}

/// The kind of act: its verb, why it is reported, and the program or the host where the remedy names it.
fn kind(finding: &ShownFinding) -> String {
    let Some(effect) = finding.effect.as_deref() else {
        return match finding.rule.family() {
            Family::Gate | Family::Floor | Family::Coverage => without_names(finding.message.as_str()),
            _ => String::new(),
        };
    };
    let Said { verb, reason, .. } = Said::of(finding.message.as_str());
    let own = match effect.kind {
        "execute" => effect.argv.as_ref().and_then(|argv| argv.first()).map(Redacted::as_str),
        "connect" => effect.host.as_ref().map(Redacted::as_str).filter(|host| host.contains(':')),
        _ => None,
    };
    format!("{verb}\0{}\0{}", without_names(reason), own.unwrap_or_default())
}

impl<'r> CauseGroup<'r> {
    pub(super) fn first(&self) -> Option<&'r ShownFinding> {
        self.findings.first().map(|(_, finding)| *finding)
    }

    /// `59 findings, 48 calls, 12 sessions`.
    pub(super) fn count(&self) -> String {
        let mut parts = vec![counted(self.findings.len(), "finding")];
        if self.calls > 0 && self.findings.len() > 1 {
            parts.extend([counted(self.calls, "call"), counted(self.sessions, "session")]);
        }
        parts.join(", ")
    }

    /// Why the acts are reported: one line of log text, to be escaped.
    pub(super) fn reason(&self) -> String {
        let Some(first) = self.first() else { return String::new() };
        let lacking = if first.is_incomplete() { "evidence is missing: " } else { "" };
        let said = first.said();
        let reason = match Said::of(&said) {
            _ if self.is_one_message() => said,
            _ if first.effect.is_none() => without_names(&said),
            Said { reason: "", .. } => without_names(&said),
            // The reason alone names an effect that is not resolved.
            Said { verb: "", reason, .. } => without_names(reason),
            Said { reason, .. } => reason.to_owned(),
        };
        shorten(&format!("{lacking}{reason}"), REASON)
    }

    fn is_one_message(&self) -> bool {
        let mut messages = self.findings.iter().map(|(_, finding)| finding.message.as_str());
        let first = messages.next();
        messages.all(|message| Some(message) == first)
    }

    /// ``reads `a`, `b` 3× and 7 more``; `None` where the acts name nothing, or all of them the same.
    pub(super) fn acts(&self) -> Option<String> {
        let first = self.first()?;
        if self.is_one_message() {
            return None;
        }
        let mut targets: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (at, (_, finding)) in self.findings.iter().enumerate() {
            let said = Said::of(finding.message.as_str());
            let target = match said.target.or_else(|| said.reason.split('`').nth(1).filter(|_| said.verb.is_empty())) {
                Some(target) if finding.effect.is_some() => target.to_owned(),
                _ => finding.file.as_ref()?.as_str().to_owned(),
            };
            targets.entry(target).or_insert((at, 0)).1 += 1;
        }
        let mut targets: Vec<(String, (usize, usize))> = targets.into_iter().collect();
        targets.sort_by_key(|(_, (at, count))| (std::cmp::Reverse(*count), *at));
        let named = targets.iter().take(NAMED).map(|(target, (_, count))| {
            let times = if *count > 1 { format!(" {count}×") } else { String::new() };
            format!("`{}`{times}", shorten(target, TARGET))
        });
        let mut parts = named.collect::<Vec<_>>().join(", ");
        if targets.len() > NAMED {
            parts = format!("{parts} and {} more", targets.len() - NAMED);
        }
        let verb = if first.effect.is_some() { Said::of(first.message.as_str()).verb } else { "in" };
        Some(format!("{verb} {parts}").trim_start().to_owned())
    }

    /// The text by which notes are counted: their verb and reason, without the files that they name.
    pub(super) fn note(&self) -> String {
        let Some(first) = self.first() else { return String::new() };
        let message = first.message.as_str();
        match Said::of(message) {
            Said { reason: "", .. } => message.to_owned(),
            Said { verb: "", reason, .. } => reason.to_owned(),
            Said { verb, reason, .. } => format!("{}: {reason}", verb.split(' ').next().unwrap_or(verb)),
        }
    }

    /// Where the example is recorded: `a.jsonl:12`.
    pub(super) fn example(&self, report: &Report) -> Option<String> {
        let (session, finding) = self.findings.first()?;
        let file = session.map_or_else(|| report.file_of(finding), |session| session.source.as_str());
        let head = report.change.as_ref().map(|change| format!("git:{}:", change.head.commit));
        let file = head.and_then(|head| file.strip_prefix(&head)).unwrap_or(file);
        (!file.is_empty()).then(|| format!("{file}:{}", finding.line))
    }
}

/// A message, taken apart: ``reads `x`: denied by y``.
struct Said<'m> {
    verb: &'m str,
    target: Option<&'m str>,
    reason: &'m str,
}

impl<'m> Said<'m> {
    fn of(message: &'m str) -> Self {
        let message = message.strip_prefix("attempt: ").unwrap_or(message);
        if let Some(reason) = message.strip_prefix("not resolved: ") {
            return Self { verb: "", target: None, reason };
        }
        let (act, reason) = split(message);
        let mut pieces = act.splitn(3, '`');
        let verb = pieces.next().unwrap_or_default().trim();
        Self { verb, target: pieces.next(), reason }
    }
}

/// At the first `: ` that is not inside of a name.
fn split(message: &str) -> (&str, &str) {
    let mut inside = false;
    for (at, character) in message.char_indices() {
        inside ^= character == '`';
        if !inside && let Some(rest) = message.get(at..).and_then(|rest| rest.strip_prefix(": ")) {
            return (message.get(..at).unwrap_or(message), rest);
        }
    }
    (message, "")
}

/// The text with `…` for each name in it, and for each number.
fn without_names(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (at, piece) in text.split('`').enumerate() {
        if at % 2 == 1 {
            shown.push('…');
            continue;
        }
        for character in piece.chars() {
            match character {
                '0'..='9' if shown.ends_with('…') => {}
                '0'..='9' => shown.push('…'),
                other => shown.push(other),
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{Said, without_names};

    #[test]
    fn messages_are_taken_apart() {
        for (message, expected) in [
            ("reads `.env`: denied by files.read.deny", ("reads", Some(".env"), "denied by files.read.deny")),
            ("runs `echo a: b`: not in commands.allow", ("runs", Some("echo a: b"), "not in commands.allow")),
            ("attempt: not resolved: runs a package", ("", None, "runs a package")),
            ("searches files of `src/**`: not shown", ("searches files of", Some("src/**"), "not shown")),
            ("a message of one part", ("a message of one part", None, "")),
            ("an odd `name: x", ("an odd", Some("name: x"), "")),
        ] {
            let Said { verb, target, reason } = Said::of(message);
            assert_eq!((verb, target, reason), expected, "{message}");
        }
    }

    #[test]
    fn a_kind_names_no_file_and_no_number() {
        assert_eq!(without_names("`a.rs` changes 12 lines of `b`"), "… changes … lines of …");
    }
}
