//! Rows as SARIF: one run. Of one repository, locations count from its own top, as code scanning wants them; of several,
//! from where the program ran, with the repository before them.

use std::collections::BTreeSet;

use super::Writer;
use super::row::{FindingRow, LocationRow, Row, Verdict};
use super::summary::Summary;
use crate::escape::{sarif as escape, shorten, uri};
use crate::json::to_text;
use crate::sarif::{
    ArtifactLocation, AutomationDetails, Driver, Invocation, Location, LogicalLocation, MESSAGE, Message,
    NOTIFICATIONS, Notification, PhysicalLocation, RESULTS, Region, Rule, SCHEMA, SarifResult, Tool, catalogue,
    identity,
};

/// Where a finding is shown that stands in no file: that is where approvals are.
const DEFAULT_FILE: &str = ".agent-strace.yaml";

pub(super) struct Results {
    single: bool,
    home: &'static str,
    /// All that a repository may be judged by: a rule that vanishes would close its alerts.
    rules: Vec<Rule>,
    written: usize,
    dropped: usize,
    notifications: Vec<Notification>,
    successful: bool,
}

impl Results {
    pub(super) fn new(single: bool, home: &'static str) -> Self {
        let rules = catalogue::of_repositories();
        Self { single, home, rules, written: 0, dropped: 0, notifications: Vec::new(), successful: true }
    }

    fn note(&mut self, text: &str) {
        if self.notifications.len() < NOTIFICATIONS {
            let message = Message { text: shorten(&escape(text), MESSAGE) };
            self.notifications.push(Notification { level: "error", message });
        }
    }

    fn result(&self, row: &Row, finding: &FindingRow) -> Option<SarifResult> {
        let rule_index = self.rules.iter().position(|rule| rule.id == finding.rule)?;
        let location = &finding.location;
        let file = location.file.as_deref().unwrap_or(DEFAULT_FILE);
        let path = if self.single { file.to_owned() } else { format!("{}/{file}", row.repository) };
        let line = location.line.unwrap_or(1).max(1);
        Some(SarifResult {
            rule_id: finding.rule.clone(),
            rule_index,
            level: finding.level().name(),
            message: Message { text: shorten(&escape(&finding.message), MESSAGE) },
            locations: vec![Location {
                id: None,
                physical: PhysicalLocation {
                    artifact_location: ArtifactLocation { uri: uri(path.trim_start_matches("./")) },
                    region: Region { start_line: line, end_line: line },
                },
                logical: logical(location),
                message: None,
            }],
            related_locations: Vec::new(),
            partial_fingerprints: identity(&finding.fingerprint),
            code_flows: Vec::new(),
        })
    }
}

impl Writer for Results {
    fn start(&mut self) -> String {
        let id = to_text(&AutomationDetails { id: "agent-strace/audit-tools/".to_owned() });
        format!(
            "{{\n\"$schema\": \"{SCHEMA}\",\n\"version\": \"2.1.0\",\n\"runs\": [{{\n\"columnKind\": \"unicodeCodePoints\",\n\
             \"automationDetails\": {},\n\"results\": [",
            id.trim_end()
        )
    }

    fn row(&mut self, row: &Row) -> String {
        let named =
            |reason: &str| if self.single { reason.to_owned() } else { format!("{}: {reason}", row.repository) };
        let mut notes: Vec<String> = row.error.iter().map(|error| named(error)).collect();
        notes.extend(row.gaps.iter().map(|gap| named(&format!("{}: {}", gap.file, gap.reason))));
        for note in &notes {
            self.note(note);
        }
        self.successful &= !matches!(row.verdict, Verdict::Broken | Verdict::Incomplete);
        let mut text = String::new();
        // Consumers lose one of two results that they can't tell apart.
        let mut known = BTreeSet::new();
        for finding in &row.findings {
            if self.written >= RESULTS {
                self.dropped += 1;
                continue;
            }
            // A rule that is not listed can only come from a line that somebody else wrote.
            let Some(result) = self.result(row, finding) else {
                self.dropped += 1;
                continue;
            };
            if !known.insert((finding.rule.as_str(), finding.location.file.as_deref(), &finding.fingerprint)) {
                continue;
            }
            text.push_str(if self.written > 0 { ",\n" } else { "\n" });
            text.push_str(to_text(&result).trim_end());
            self.written += 1;
        }
        text
    }

    fn end(&mut self, _: &Summary) -> String {
        if self.dropped > 0 {
            let dropped = format!("{} more findings are not in this file", self.dropped);
            self.notifications.insert(0, Notification { level: "error", message: Message { text: dropped } });
        }
        let notifications = std::mem::take(&mut self.notifications);
        let invocation = Invocation { execution_successful: self.successful, end_time: None, notifications };
        let rules = std::mem::take(&mut self.rules);
        let tool = Tool { driver: Driver::new(rules, self.home) };
        let (invocation, tool) = (to_text(&[invocation]), to_text(&tool));
        format!("\n],\n\"invocations\": {},\n\"tool\": {}\n}}]\n}}\n", invocation.trim_end(), tool.trim_end())
    }
}

/// What else says where it is.
fn logical(location: &LocationRow) -> Vec<LogicalLocation> {
    let commit = location.commit.as_ref().map(|commit| format!("commit/{commit}"));
    let reference = location.reference.as_ref().map(|name| format!("reference/{}", escape(name)));
    let named = |name: String| LogicalLocation { fully_qualified_name: name, kind: None };
    commit.into_iter().chain(reference).map(named).collect()
}
