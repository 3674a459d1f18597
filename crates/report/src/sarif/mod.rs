//! SARIF 2.1.0, as code scanning really reads it: one result for each rule and act, with exactly one location inside the
//! repository.
//!
//! GitHub recognises an alert by its rule, its file and `primaryLocationLineHash`. Its upload step computes a hash of the
//! line where none is given. Here that would be a line of the policy, and all acts that one entry denies would be one
//! alert, which is hidden for good once somebody dismisses it. So the hash is one of the rule and the act. The upload step
//! keeps it as it is where it does not find the file, as in the action, which checks nothing out. In a job with a checkout
//! it keeps it, too, and warns that it would have computed another: alerts that stay apart are worth that.

pub(super) mod catalogue;
#[cfg(debug_assertions)]
#[expect(clippy::indexing_slicing, reason = "a JSON value that is not there is `null`")]
mod check;
mod classes;
mod flow;
mod model;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Checkout;
use super::alerts::{Alert, alerts};
use super::anchor::{Anchor, log_path};
use super::escape::{sarif as escape, shorten, uri};
use super::groups::Group;
use super::json::to_text;
use super::text::gap_text;
use super::view::{Report, ShownFinding, ShownSession};
use super::work_tree::ShownTree;
use agent_strace_policy::{WaiverOrigin, hex};
pub(super) use model::{
    ArtifactLocation, AutomationDetails, Driver, Invocation, Location, Log, LogicalLocation, Message, Notification,
    PhysicalLocation, Properties, Region, Rule, Run, SarifResult, SessionProperties, Tool, VersionControl, Waived,
};
use sha2::{Digest as _, Sha256};

/// The schema that everything is held against.
pub(super) const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// What code scanning shows at most.
pub(super) const RESULTS: usize = 5_000;
pub(super) const NOTIFICATIONS: usize = 100;
/// Sessions whose properties are told.
const SESSIONS: usize = 200;
/// Events that a message names, and locations it links to.
const NAMED: usize = 5;
/// Longer messages lose the whole result in some consumers.
pub(super) const MESSAGE: usize = 1_000;
/// The most of what one finding says.
const PART: usize = 300;

pub(super) fn render(report: &Report, checkout: &Checkout) -> String {
    let text = to_text(&log(report, checkout));
    #[cfg(debug_assertions)]
    debug_assert_eq!(check::problems(&text), Vec::<String>::new(), "code scanning would refuse this file");
    text
}

fn log<'a>(report: &'a Report, checkout: &Checkout) -> Log<'a> {
    let rules = catalogue::rules();
    let alerts = alerts(report, checkout);
    let writer = Writer { report, checkout, rules: &rules };
    let results: Vec<SarifResult> = alerts.iter().take(RESULTS).filter_map(|alert| writer.result(alert)).collect();
    let dropped = alerts.len() - results.len();
    let driver = Driver::new(rules, checkout.home);
    Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: vec![Run {
            tool: Tool { driver },
            version_control_provenance: provenance(report, checkout).into_iter().collect(),
            automation_details: AutomationDetails { id: format!("agent-strace/{}/", checkout.command) },
            invocations: vec![invocation(report, dropped, checkout)],
            column_kind: "unicodeCodePoints",
            results,
            properties: Some(properties(report)),
        }],
    }
}

/// Which commit was judged, where the address of its repository is known.
fn provenance(report: &Report, checkout: &Checkout) -> Option<VersionControl> {
    let (repository, change) = checkout.repository.as_ref().zip(report.change.as_ref())?;
    let revision_id = change.head.commit.clone();
    Some(VersionControl { repository_uri: repository.clone(), revision_id })
}

/// Makes results.
struct Writer<'a> {
    report: &'a Report,
    checkout: &'a Checkout,
    rules: &'a [Rule],
}

impl Writer<'_> {
    fn result(&self, alert: &Alert<'_>) -> Option<SarifResult> {
        let group = &alert.group;
        let rule_index = self.rules.iter().position(|known| known.id == group.rule.as_str())?;
        let mut related_locations = Vec::new();
        let text = message(alert, self.report, self.checkout, &mut related_locations);
        Some(SarifResult {
            rule_id: group.rule.to_string(),
            rule_index,
            level: group.level().name(),
            message: Message { text },
            locations: vec![Location {
                id: None,
                physical: anchored(&group.anchor),
                logical: logical(group),
                message: None,
            }],
            related_locations,
            partial_fingerprints: identity(alert.identity),
            code_flows: flow::flows(group, self.report, self.checkout),
        })
    }
}

/// By what consumers recognise an alert: all of the identity, and what GitHub has room for, in the form of its hashes.
pub(super) fn identity(identity: &str) -> BTreeMap<&'static str, String> {
    let digest = hex(Sha256::digest(identity.as_bytes()).get(..8).unwrap_or_default());
    BTreeMap::from([("agentStrace/v1", identity.to_owned()), ("primaryLocationLineHash", format!("{digest}:1"))])
}

fn anchored(anchor: &Anchor) -> PhysicalLocation {
    physical(uri(&anchor.path), anchor.line)
}

/// The session and event of the first finding, and where in the record it is about: a JSON pointer is the name of a
/// value (§3.33.5, §3.33.7).
fn logical(group: &Group<'_>) -> Vec<LogicalLocation> {
    let Some((session, finding)) = group.findings.first() else { return Vec::new() };
    let event = session.map(|session| {
        let event = if finding.is_whole() { String::new() } else { format!("/event/{}", finding.event) };
        let name = escape(&format!("session/{}{event}", session.id.as_str()));
        LogicalLocation { fully_qualified_name: name, kind: None }
    });
    let value = finding.pointer.as_ref().map(|pointer| {
        let name = shorten(&escape(pointer.as_str()), MESSAGE);
        LogicalLocation { fully_qualified_name: name, kind: Some("value") }
    });
    event.into_iter().chain(value).collect()
}

/// The acts, the first few by name: `read .env: … (session s, [event 3](1))`.
fn message(alert: &Alert<'_>, report: &Report, checkout: &Checkout, related: &mut Vec<Location>) -> String {
    let group = &alert.group;
    let stated = [beside(alert), stated(group)].into_iter().flatten().collect::<Vec<_>>().join(" ");
    // Room for how many more there are.
    let longest = MESSAGE.saturating_sub(stated.chars().count() + 30);
    let mut text = String::new();
    let mut named = 0;
    for (session, finding) in group.findings.iter().take(NAMED) {
        let id = related.len() + 1;
        let what = shorten(&escape(finding.message.as_str()), PART);
        let part = match session {
            Some(session) => {
                let event = named_event(finding);
                let event = match related_location(id, session, finding, report, checkout) {
                    Some(location) => {
                        related.push(location);
                        format!("[{event}]({id})")
                    }
                    None => event,
                };
                format!("{what} (session {}, {event}). ", shorten(&escape(session.id.as_str()), 40))
            }
            None => format!("{what}. "),
        };
        if named > 0 && text.chars().count() + part.chars().count() > longest {
            related.truncate(id - 1);
            break;
        }
        text.push_str(&part);
        named += 1;
    }
    if group.findings.len() > named {
        let _ = write!(text, "And {} more. ", group.findings.len() - named);
    }
    text.push_str(&stated);
    text.trim_end().to_owned()
}

/// GitLab keeps one result of a rule at a line: who reads it has to know that there are more.
fn beside(alert: &Alert<'_>) -> Option<String> {
    (alert.beside > 1).then(|| format!("One of {} results of this rule at this line.", alert.beside))
}

/// `Decided by rule CMD-PUSH of @platform: Releases go through CI`, where one rule with a name did about all of them.
fn stated(group: &Group<'_>) -> Option<String> {
    let mut names = group.findings.iter().map(|(_, finding)| finding.policy.as_ref()?.named());
    let first = names.next()??;
    let same = names.all(|other| other.as_ref() == Some(&first));
    same.then(|| format!("Decided by {}.", shorten(&escape(&first), PART)))
}

/// The log line of a finding, where the log lies in the repository.
fn related_location(
    id: usize,
    session: &ShownSession,
    finding: &ShownFinding,
    report: &Report,
    checkout: &Checkout,
) -> Option<Location> {
    let path = log_path(report, session, checkout)?;
    Some(Location {
        id: Some(id),
        physical: physical(uri(&path), finding.line.max(1)),
        logical: Vec::new(),
        message: Some(Message { text: named_event(finding) }),
    })
}

fn named_event(finding: &ShownFinding) -> String {
    if finding.is_whole() { "its log".to_owned() } else { format!("event {}", finding.event) }
}

/// Who ran the sessions and what their logs prove, as in the JSON report, and how many findings are not in this file
/// because something waives them: code scanning would show them as open alerts.
fn properties(report: &Report) -> Properties<'_> {
    let sessions = report.sessions.iter().take(SESSIONS).map(|session| SessionProperties {
        id: session.id.as_str(),
        agent: session.agent.as_str(),
        source: session.source.as_str(),
        attribution: session.who.document(),
        evidence: session.proof.document(),
    });
    let waived = Waived {
        excepted: report.waived_by(WaiverOrigin::Exception),
        suppressed: report.waived_by(WaiverOrigin::Suppression),
        baselined: report.baselined(),
    };
    let work_tree = report.work_tree.as_ref().map(ShownTree::document);
    Properties { waived, work_tree, sessions: sessions.collect() }
}

fn physical(uri: String, line: u32) -> PhysicalLocation {
    PhysicalLocation {
        artifact_location: ArtifactLocation { uri },
        region: Region { start_line: line, end_line: line },
    }
}

/// Whether everything was judged, and what was not.
fn invocation(report: &Report, dropped: usize, checkout: &Checkout) -> Invocation {
    let mut notifications: Vec<Notification> = report
        .gaps
        .iter()
        .take(NOTIFICATIONS)
        .map(|gap| notification("error", &format!("could not be read: {}", escape(&gap_text(gap)))))
        .collect();
    if report.gaps.len() > NOTIFICATIONS {
        notifications.push(notification("error", &format!("{} more gaps", report.gaps.len() - NOTIFICATIONS)));
    }
    if dropped > 0 {
        let text = format!("{dropped} more results are not in this file: it has the {RESULTS} worst");
        notifications.push(notification("warning", &text));
    }
    // The standard allows milliseconds at most.
    let end_time = checkout.now.map(|now| format!("{now:.3}"));
    Invocation { execution_successful: report.gaps.is_empty(), end_time, notifications }
}

fn notification(level: &'static str, text: &str) -> Notification {
    Notification { level, message: Message { text: shorten(text, MESSAGE) } }
}
