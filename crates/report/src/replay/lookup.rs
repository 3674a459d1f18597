//! Looks up the target of `--around`: an event by its number, or a finding.

use std::collections::BTreeSet;

use super::super::text::counted;
use super::super::view::ShownFinding;
use super::ReplayReport;
use agent_strace_model::finding::Level;
use agent_strace_policy::nearest;

/// The target of `--around`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupTarget {
    /// `#12`
    Event(u32),
    /// A rule (`scope/read`), or the start of a fingerprint.
    Finding(String),
}

/// A finding that matches the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFinding {
    /// The index of its session in the report; `None`: it is about the change or an exception.
    pub session: Option<usize>,
    pub event: u32,
    pub fingerprint: String,
    /// The finding in one line, redacted; a renderer escapes it.
    pub said: String,
}

impl LookupTarget {
    pub fn of(text: &str) -> Self {
        let number = text.strip_prefix('#').unwrap_or(text).parse();
        // A number without its mark may be the start of a fingerprint, which is longer than numbers of events are.
        match number {
            Ok(number) if text.starts_with('#') || text.len() < SHORTEST => Self::Event(number),
            _ => Self::Finding(text.to_ascii_lowercase()),
        }
    }
}

/// The answer if no finding has the requested name: the sessions that were judged. It may contain log text, redacted.
#[derive(Debug)]
pub struct NotFound {
    /// The finding is there and does not count.
    pub waived: Option<String>,
    /// A name of a finding that is there.
    pub near: Option<String>,
    /// The first sessions that were judged, and how many more there are.
    pub sessions: Vec<String>,
    pub more_sessions: usize,
    /// The first rules that found something.
    pub rules: Vec<String>,
}

/// Numbers with fewer digits are numbers of events.
pub(crate) const SHORTEST: usize = 6;
/// The shortest prefix of a fingerprint that is accepted.
const PREFIX: usize = 4;
/// Sessions and rules that an error names.
const NAMED: usize = 5;

/// Whether a finding has this rule, or a fingerprint that starts so.
pub fn is_called(rule: &str, fingerprint: &str, name: &str) -> bool {
    rule == name || (name.len() >= PREFIX && fingerprint.starts_with(name))
}

impl ReplayReport {
    /// The number of the last event of a session, and whether it has one with this number.
    pub fn has_event(&self, session: usize, number: u32) -> (u32, bool) {
        let lines = self.sessions.get(session).map_or(&[][..], |session| session.lines.as_slice());
        let last = lines.last().map_or(0, |line| line.number);
        (last, lines.binary_search_by_key(&number, |line| line.number).is_ok())
    }

    /// The index of a session.
    pub fn session(&self, id: &str, source: &str) -> Option<usize> {
        self.sessions.iter().position(|session| session.is(id, source))
    }

    /// The number of findings at these events, in words; empty if there are none.
    pub(crate) fn found_in(&self, session: usize, from: u32, to: u32) -> String {
        let lines = self.sessions.get(session).map_or(&[][..], |session| session.lines.as_slice());
        let start = lines.partition_point(|line| line.number < from);
        let end = lines.partition_point(|line| line.number <= to);
        let lines = lines.get(start..end).unwrap_or_default();
        let findings: Vec<_> = lines.iter().flat_map(|line| &line.findings).collect();
        let count = |level: Level| (level, findings.iter().filter(|finding| finding.counts_as(level)).count());
        let counts = [Level::Error, Level::Warning, Level::Note].map(count).into_iter();
        let counts = counts.filter(|(_, count)| *count > 0).map(|(level, count)| counted(count, level.name()));
        counts.collect::<Vec<_>>().join(", ")
    }

    /// All findings with this rule or fingerprint, in order.
    pub fn findings(&self, name: &str) -> Vec<FoundFinding> {
        self.all_findings()
            .filter(|(_, finding)| is_called(finding.rule.as_str(), &finding.fingerprint, name))
            .map(|(session, finding)| FoundFinding {
                session,
                event: finding.event,
                fingerprint: finding.fingerprint.clone(),
                said: format!("{} {}", finding.rule, finding.message.as_str()),
            })
            .collect()
    }

    /// Every finding that counts, with the index of its session.
    fn all_findings(&self) -> impl Iterator<Item = (Option<usize>, &ShownFinding)> {
        let of_sessions = self.sessions.iter().enumerate().flat_map(|(index, session)| {
            let at_events = session.lines.iter().flat_map(|line| &line.findings);
            session.findings.iter().chain(at_events).map(move |finding| (Some(index), finding))
        });
        let beside = self.judged.iter().flat_map(|report| report.of_change.iter().chain(&report.remarks));
        of_sessions.chain(beside.map(|finding| (None, finding)))
    }

    /// Why no finding is called so: it does not count, or its name is like another one.
    pub fn not_found(&self, name: &str) -> NotFound {
        let waived = self.judged.iter().flat_map(|report| &report.waived);
        let mut waived =
            waived.filter(|waived| is_called(waived.finding.rule.as_str(), &waived.finding.fingerprint, name));
        let waived = waived.next().map(|waived| match &waived.by {
            Some(by) => format!("{} until {}, {}", by.origin.name(), by.until, by.reason.as_str()),
            None => "the baseline knows it".to_owned(),
        });
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for (_, finding) in self.all_findings() {
            names.insert(finding.rule.as_str());
            names.extend(finding.fingerprint.get(..name.len()).filter(|id| id.len() >= SHORTEST));
        }
        let names: Vec<&str> = names.into_iter().collect();
        let rules: Vec<&str> = agent_strace_rules::all().iter().map(|rule| rule.id.as_str()).collect();
        let near = nearest(name, &names).or_else(|| nearest(name, &rules).filter(|near| *near != name));
        let sessions = self.sessions.iter().take(NAMED).map(|session| session.id.as_str().to_owned());
        NotFound {
            waived,
            near: near.map(str::to_owned),
            sessions: sessions.collect(),
            more_sessions: self.sessions.len().saturating_sub(NAMED),
            rules: names.iter().filter(|name| name.contains('/')).take(NAMED).map(|&name| name.to_owned()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LookupTarget;

    #[test]
    fn numbers_are_events_and_all_else_names_findings() {
        for (text, expected) in [
            ("#12", LookupTarget::Event(12)),
            ("12", LookupTarget::Event(12)),
            ("#123456", LookupTarget::Event(123_456)),
            ("123456", LookupTarget::Finding("123456".into())),
            ("AB12cd", LookupTarget::Finding("ab12cd".into())),
            ("scope/read", LookupTarget::Finding("scope/read".into())),
        ] {
            assert_eq!(LookupTarget::of(text), expected, "{text}");
        }
    }
}
