//! The part of SARIF 2.1.0 that we write. Each type names its section of the standard.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::session::{Attribution, Evidence};
use crate::work_tree::TreeDocument;

/// §3.13
#[derive(Debug, Serialize)]
pub(crate) struct Log<'a> {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: Vec<Run<'a>>,
}

/// §3.14
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Run<'a> {
    pub tool: Tool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) version_control_provenance: Vec<VersionControl>,
    pub(crate) automation_details: AutomationDetails,
    pub invocations: Vec<Invocation>,
    pub(crate) column_kind: &'static str,
    /// Present even when empty: that closes old alerts.
    pub results: Vec<SarifResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties<'a>>,
}

/// §3.8: what a reader of the file may want to know about the sessions.
#[derive(Debug, Serialize)]
pub(crate) struct Properties<'a> {
    pub waived: Waived,
    #[serde(rename = "workTree", skip_serializing_if = "Option::is_none")]
    pub work_tree: Option<TreeDocument<'a>>,
    pub sessions: Vec<SessionProperties<'a>>,
}

/// Findings that are no results.
#[derive(Debug, Serialize)]
pub(crate) struct Waived {
    pub excepted: usize,
    pub suppressed: usize,
    pub baselined: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct SessionProperties<'a> {
    pub id: &'a str,
    pub agent: &'a str,
    pub source: &'a str,
    pub attribution: Attribution<'a>,
    pub evidence: Evidence<'a>,
}

/// §3.17
#[derive(Debug, Serialize)]
pub(crate) struct AutomationDetails {
    pub id: String,
}

/// §3.23
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VersionControl {
    /// An `https` address.
    pub(crate) repository_uri: String,
    /// The commit that was judged, in hex.
    pub(crate) revision_id: String,
}

/// §3.18
#[derive(Debug, Serialize)]
pub(crate) struct Tool {
    pub driver: Driver,
}

/// §3.19
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Driver {
    pub name: &'static str,
    pub version: &'static str,
    pub(crate) semantic_version: &'static str,
    /// Where the program is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) information_uri: Option<&'static str>,
    pub rules: Vec<Rule>,
}

impl Driver {
    /// `home`: the address of the program's repository, empty as long as it has none: no other address would be true.
    pub(crate) fn new(rules: Vec<Rule>, home: &'static str) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let information_uri = Some(home).filter(|home| home.starts_with("https://"));
        Self { name: "agent-strace", version, semantic_version: version, information_uri, rules }
    }
}

/// §3.49
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rule {
    pub id: String,
    pub name: String,
    pub(crate) short_description: Message,
    pub(crate) full_description: Message,
    pub help: Help,
    pub(crate) default_configuration: Configuration,
    pub properties: RuleProperties,
}

/// §3.12: a message with a Markdown form.
#[derive(Debug, Serialize)]
pub(crate) struct Help {
    pub text: String,
    pub markdown: String,
}

/// §3.50
#[derive(Debug, Serialize)]
pub(crate) struct Configuration {
    pub level: &'static str,
}

/// §3.8: what code scanning reads from a rule's property bag.
#[derive(Debug, Serialize)]
pub(crate) struct RuleProperties {
    pub(crate) precision: &'static str,
    #[serde(rename = "problem.severity")]
    pub(crate) problem_severity: &'static str,
    /// Makes it a security alert: rules about how an agent worked have none.
    #[serde(rename = "security-severity", skip_serializing_if = "Option::is_none")]
    pub(crate) security_severity: Option<&'static str>,
    pub tags: Vec<&'static str>,
}

/// §3.11
#[derive(Debug, Serialize)]
pub(crate) struct Message {
    pub text: String,
}

/// §3.20
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invocation {
    pub(crate) execution_successful: bool,
    #[serde(rename = "endTimeUtc", skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "toolExecutionNotifications")]
    pub(crate) notifications: Vec<Notification>,
}

/// §3.58
#[derive(Debug, Serialize)]
pub(crate) struct Notification {
    pub level: &'static str,
    pub message: Message,
}

/// §3.27
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SarifResult {
    pub rule_id: String,
    pub(crate) rule_index: usize,
    pub level: &'static str,
    pub message: Message,
    /// Exactly one: the consumers that matter use the first and refuse a file in which one is missing.
    pub(crate) locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) related_locations: Vec<Location>,
    pub(crate) partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) code_flows: Vec<CodeFlow>,
}

/// §3.36: what led to a result, step by step.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodeFlow {
    pub(crate) thread_flows: [ThreadFlow; 1],
}

/// §3.37
#[derive(Debug, Serialize)]
pub(crate) struct ThreadFlow {
    pub(crate) locations: Vec<ThreadFlowLocation>,
}

/// §3.38
#[derive(Debug, Serialize)]
pub(crate) struct ThreadFlowLocation {
    pub location: Location,
}

/// §3.28
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<usize>,
    #[serde(rename = "physicalLocation")]
    pub(crate) physical: PhysicalLocation,
    #[serde(rename = "logicalLocations", skip_serializing_if = "Vec::is_empty")]
    pub(crate) logical: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

/// §3.29
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhysicalLocation {
    pub(crate) artifact_location: ArtifactLocation,
    pub region: Region,
}

/// §3.4
#[derive(Debug, Serialize)]
pub(crate) struct ArtifactLocation {
    pub uri: String,
}

/// §3.30: one line, so that it can lie inside a change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Region {
    pub start_line: u32,
    pub end_line: u32,
}

/// §3.33
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogicalLocation {
    pub(crate) fully_qualified_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
}
