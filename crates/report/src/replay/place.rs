//! Where a reader wants to look: an event by its number, or what a finding is about.

use super::super::text::counted;
use super::ReplayReport;
use agent_strace_model::finding::Level;

/// What `--around` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// `#12`
    Event(u32),
    /// A rule (`scope/read`), or the start of a fingerprint.
    Finding(String),
}

/// A finding that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The place of its session among those of the report.
    pub session: usize,
    pub event: u32,
    pub fingerprint: String,
    /// In one line, redacted; a renderer escapes it.
    pub said: String,
}

impl Asked {
    pub fn of(text: &str) -> Self {
        let number = text.strip_prefix('#').unwrap_or(text).parse();
        // A number without its mark may be the start of a fingerprint, which is longer than numbers of events are.
        match number {
            Ok(number) if text.starts_with('#') || text.len() < SHORTEST => Self::Event(number),
            _ => Self::Finding(text.to_ascii_lowercase()),
        }
    }
}

/// Less of a fingerprint names nothing.
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

    /// How much was found at these events, in words; empty where nothing was.
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

    /// Every finding of that name, in order.
    pub fn findings(&self, name: &str) -> Vec<Found> {
        let mut found = Vec::new();
        for (place, session) in self.sessions.iter().enumerate() {
            let at_events = session.lines.iter().flat_map(|line| &line.findings);
            for finding in session
                .findings
                .iter()
                .chain(at_events)
                .filter(|finding| is_called(finding.rule, &finding.fingerprint, name))
            {
                found.push(Found {
                    session: place,
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
    use super::Asked;

    #[test]
    fn numbers_are_events_and_all_else_names_findings() {
        for (text, expected) in [
            ("#12", Asked::Event(12)),
            ("12", Asked::Event(12)),
            ("#123456", Asked::Event(123_456)),
            ("123456", Asked::Finding("123456".into())),
            ("AB12cd", Asked::Finding("ab12cd".into())),
            ("scope/read", Asked::Finding("scope/read".into())),
        ] {
            assert_eq!(Asked::of(text), expected, "{text}");
        }
    }
}
