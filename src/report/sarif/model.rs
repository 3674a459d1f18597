//! The part of SARIF 2.1.0 that we write. Each type names its section of the standard.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::report::session::{Attribution, Evidence};

/// §3.13
#[derive(Debug, Serialize)]
pub(in crate::report) struct Log<'a> {
    #[serde(rename = "$schema")]
    pub(in crate::report) schema: &'static str,
    pub(in crate::report) version: &'static str,
    pub(in crate::report) runs: Vec<Run<'a>>,
}

/// §3.14
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct Run<'a> {
    pub(in crate::report) tool: Tool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::report) version_control_provenance: Vec<VersionControl>,
    pub(in crate::report) automation_details: AutomationDetails,
    pub(in crate::report) invocations: Vec<Invocation>,
    pub(in crate::report) column_kind: &'static str,
    /// Present even when empty: that closes old alerts.
    pub(in crate::report) results: Vec<SarifResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) properties: Option<Properties<'a>>,
}

/// §3.8: what a reader of the file may want to know about the sessions.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Properties<'a> {
    pub(in crate::report) waived: Waived,
    pub(in crate::report) sessions: Vec<SessionProperties<'a>>,
}

/// Findings that are no results.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Waived {
    pub(in crate::report) excepted: usize,
    pub(in crate::report) suppressed: usize,
    pub(in crate::report) baselined: usize,
}

#[derive(Debug, Serialize)]
pub(in crate::report) struct SessionProperties<'a> {
    pub(in crate::report) id: &'a str,
    pub(in crate::report) agent: &'a str,
    pub(in crate::report) source: &'a str,
    pub(in crate::report) attribution: Attribution<'a>,
    pub(in crate::report) evidence: Evidence<'a>,
}

/// §3.17
#[derive(Debug, Serialize)]
pub(in crate::report) struct AutomationDetails {
    pub(in crate::report) id: String,
}

/// §3.23
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct VersionControl {
    /// An `https` address.
    pub(in crate::report) repository_uri: String,
    /// The commit that was judged, in hex.
    pub(in crate::report) revision_id: String,
}

/// §3.18
#[derive(Debug, Serialize)]
pub(in crate::report) struct Tool {
    pub(in crate::report) driver: Driver,
}

/// §3.19
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct Driver {
    pub(in crate::report) name: &'static str,
    pub(in crate::report) version: &'static str,
    pub(in crate::report) semantic_version: &'static str,
    pub(in crate::report) rules: Vec<Rule>,
}

/// §3.49
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct Rule {
    pub(in crate::report) id: String,
    pub(in crate::report) name: String,
    pub(in crate::report) short_description: Message,
    pub(in crate::report) full_description: Message,
    pub(in crate::report) help: Help,
    pub(in crate::report) default_configuration: Configuration,
    pub(in crate::report) properties: RuleProperties,
}

/// §3.12: a message with a Markdown form.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Help {
    pub(in crate::report) text: String,
    pub(in crate::report) markdown: String,
}

/// §3.50
#[derive(Debug, Serialize)]
pub(in crate::report) struct Configuration {
    pub(in crate::report) level: &'static str,
}

/// §3.8: what code scanning reads from a rule's property bag.
#[derive(Debug, Serialize)]
pub(in crate::report) struct RuleProperties {
    pub(in crate::report) precision: &'static str,
    #[serde(rename = "problem.severity")]
    pub(in crate::report) problem_severity: &'static str,
    /// Makes it a security alert: rules about how an agent worked have none.
    #[serde(rename = "security-severity", skip_serializing_if = "Option::is_none")]
    pub(in crate::report) security_severity: Option<&'static str>,
    pub(in crate::report) tags: Vec<&'static str>,
}

/// §3.11
#[derive(Debug, Serialize)]
pub(in crate::report) struct Message {
    pub(in crate::report) text: String,
}

/// §3.20
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct Invocation {
    pub(in crate::report) execution_successful: bool,
    #[serde(rename = "endTimeUtc", skip_serializing_if = "Option::is_none")]
    pub(in crate::report) end_time: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "toolExecutionNotifications")]
    pub(in crate::report) notifications: Vec<Notification>,
}

/// §3.58
#[derive(Debug, Serialize)]
pub(in crate::report) struct Notification {
    pub(in crate::report) level: &'static str,
    pub(in crate::report) message: Message,
}

/// §3.27
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct SarifResult {
    pub(in crate::report) rule_id: String,
    pub(in crate::report) rule_index: usize,
    pub(in crate::report) level: &'static str,
    pub(in crate::report) message: Message,
    /// Exactly one: the consumers that matter use the first and refuse a file in which one is missing.
    pub(in crate::report) locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::report) related_locations: Vec<Location>,
    pub(in crate::report) partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::report) code_flows: Vec<CodeFlow>,
}

/// §3.36: what led to a result, step by step.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct CodeFlow {
    pub(in crate::report) thread_flows: [ThreadFlow; 1],
}

/// §3.37
#[derive(Debug, Serialize)]
pub(in crate::report) struct ThreadFlow {
    pub(in crate::report) locations: Vec<ThreadFlowLocation>,
}

/// §3.38
#[derive(Debug, Serialize)]
pub(in crate::report) struct ThreadFlowLocation {
    pub(in crate::report) location: Location,
}

/// §3.28
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) id: Option<usize>,
    #[serde(rename = "physicalLocation")]
    pub(in crate::report) physical: PhysicalLocation,
    #[serde(rename = "logicalLocations", skip_serializing_if = "Vec::is_empty")]
    pub(in crate::report) logical: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) message: Option<Message>,
}

/// §3.29
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct PhysicalLocation {
    pub(in crate::report) artifact_location: ArtifactLocation,
    pub(in crate::report) region: Region,
}

/// §3.4
#[derive(Debug, Serialize)]
pub(in crate::report) struct ArtifactLocation {
    pub(in crate::report) uri: String,
}

/// §3.30: one line, so that it can lie inside a change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct Region {
    pub(in crate::report) start_line: u32,
    pub(in crate::report) end_line: u32,
}

/// §3.33
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct LogicalLocation {
    pub(in crate::report) fully_qualified_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) kind: Option<&'static str>,
}
