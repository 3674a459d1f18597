//! Looks up the target of `--around`: an event by its number, or a finding.

use super::super::text::counted;
use super::ReplayReport;
use agent_strace_model::finding::Level;

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
    /// The index of its session in the report.
    pub session: usize,
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

/// The shortest prefix of a fingerprint that is accepted.
pub(crate) const SHORTEST: usize = 6;

/// Whether a finding has this rule, or a fingerprint that starts so.
pub fn is_called(rule: &str, fingerprint: &str, name: &str) -> bool {
    rule == name || (name.len() >= SHORTEST && fingerprint.starts_with(name))
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
        let mut found = Vec::new();
        for (index, session) in self.sessions.iter().enumerate() {
            let at_events = session.lines.iter().flat_map(|line| &line.findings);
            for finding in session
                .findings
                .iter()
                .chain(at_events)
                .filter(|finding| is_called(finding.rule.as_str(), &finding.fingerprint, name))
            {
                found.push(FoundFinding {
                    session: index,
                    event: finding.event,
                    fingerprint: finding.fingerprint.clone(),
                    said: format!("{} {}", finding.rule, finding.message.as_str()),
                });
            }
        }
        found
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
