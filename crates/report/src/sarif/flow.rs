//! What led to a result, step by step: the prompt, what earlier calls did, the call, the effect.

use super::model::{CodeFlow, Location, Message, PhysicalLocation, ThreadFlow, ThreadFlowLocation};
use super::{PART, anchored, escape, physical};
use crate::Checkout;
use crate::anchor::log_path;
use crate::escape::{shorten, uri};
use crate::groups::Group;
use crate::view::{Report, ShownFinding, ShownSession};

/// Findings of a result whose story is told, and steps of all of them.
const FLOWS: usize = 3;
const STEPS: usize = 100;

/// One flow for each of the first findings; empty where none is about an event.
pub(super) fn flows(group: &Group<'_>, report: &Report, checkout: &Checkout) -> Vec<CodeFlow> {
    let told = group.findings.iter().filter_map(|(session, finding)| Some(((*session)?, *finding)));
    let told = told.filter(|(_, finding)| !finding.is_whole()).take(FLOWS);
    let flows = told.map(|(session, finding)| Teller { group, report, checkout, session }.steps(finding));
    flows.map(|locations| CodeFlow { thread_flows: [ThreadFlow { locations }] }).collect()
}

struct Teller<'a> {
    group: &'a Group<'a>,
    report: &'a Report,
    checkout: &'a Checkout,
    session: &'a ShownSession,
}

impl Teller<'_> {
    fn steps(&self, finding: &ShownFinding) -> Vec<ThreadFlowLocation> {
        // Causes may be many; the call and the effect are always told.
        let causes = finding.causes.iter().take(STEPS / FLOWS - 2);
        let causes = causes.map(|cause| {
            let text = format!("event {}: {}", cause.event, cause.what.as_str());
            step(self.in_log(cause.line), &text)
        });
        let tool = finding.tool.as_ref().map_or("something happens", |tool| tool.as_str());
        let said = finding.evidence.as_ref().map(|said| format!(" `{}`", said.as_str())).unwrap_or_default();
        let call = step(self.in_log(finding.line), &format!("event {}: {tool}{said}", finding.event));
        let effect = step(anchored(&self.group.anchor), &self.effect(finding));
        causes.chain([call, effect]).collect()
    }

    fn effect(&self, finding: &ShownFinding) -> String {
        let policy = finding.policy.as_ref().filter(|location| !self.report.file(location).is_empty());
        let judged = policy.map(|location| format!(" ({}:{})", self.report.file(location), location.line));
        format!("{}{}", finding.message.as_str(), judged.unwrap_or_default())
    }

    /// The line of the log where it lies in the repository; where not, the location of the result, because a step without
    /// a location is not shown.
    fn in_log(&self, line: u32) -> PhysicalLocation {
        match log_path(self.report, self.session, self.checkout) {
            Some(path) => physical(uri(&path), line.max(1)),
            None => anchored(&self.group.anchor),
        }
    }
}

fn step(physical: PhysicalLocation, text: &str) -> ThreadFlowLocation {
    let message = Some(Message { text: shorten(&escape(text), PART) });
    ThreadFlowLocation { location: Location { id: None, physical, logical: Vec::new(), message } }
}
