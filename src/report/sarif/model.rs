//! The part of SARIF 2.1.0 that we write. Each type names its section of the standard.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::report::session::{Attribution, Evidence};

/// §3.13
#[derive(Debug, Serialize)]
pub(super) struct Log<'a> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: Vec<Run<'a>>,
}

/// §3.14
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run<'a> {
    pub(super) tool: Tool,
    pub(super) automation_details: AutomationDetails,
    pub(super) invocations: Vec<Invocation>,
    pub(super) column_kind: &'static str,
    /// Present even when empty: that closes old alerts.
    pub(super) results: Vec<SarifResult>,
    pub(super) properties: Properties<'a>,
}

/// §3.8: what a reader of the file may want to know about the sessions.
#[derive(Debug, Serialize)]
pub(super) struct Properties<'a> {
    pub(super) waived: Waived,
    pub(super) sessions: Vec<SessionProperties<'a>>,
}

/// Findings that are no results.
#[derive(Debug, Serialize)]
pub(super) struct Waived {
    pub(super) excepted: usize,
    pub(super) suppressed: usize,
    pub(super) baselined: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct SessionProperties<'a> {
    pub(super) id: &'a str,
    pub(super) agent: &'a str,
    pub(super) source: &'a str,
    pub(super) attribution: Attribution<'a>,
    pub(super) evidence: Evidence<'a>,
}

/// §3.17
#[derive(Debug, Serialize)]
pub(super) struct AutomationDetails {
    pub(super) id: &'static str,
}

/// §3.18
#[derive(Debug, Serialize)]
pub(super) struct Tool {
    pub(super) driver: Driver,
}

/// §3.19
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) semantic_version: &'static str,
    pub(super) rules: Vec<Rule>,
}

/// §3.49
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) short_description: Message,
    pub(super) full_description: Message,
    pub(super) help: Help,
    pub(super) default_configuration: Configuration,
    pub(super) properties: RuleProperties,
}

/// §3.12: a message with a Markdown form.
#[derive(Debug, Serialize)]
pub(super) struct Help {
    pub(super) text: String,
    pub(super) markdown: String,
}

/// §3.50
#[derive(Debug, Serialize)]
pub(super) struct Configuration {
    pub(super) level: &'static str,
}

/// §3.8: what code scanning reads from a rule's property bag.
#[derive(Debug, Serialize)]
pub(super) struct RuleProperties {
    pub(super) precision: &'static str,
    #[serde(rename = "security-severity")]
    pub(super) security_severity: &'static str,
    pub(super) tags: Vec<&'static str>,
}

/// §3.11
#[derive(Debug, Serialize)]
pub(super) struct Message {
    pub(super) text: String,
}

/// §3.20
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    #[serde(rename = "endTimeUtc", skip_serializing_if = "Option::is_none")]
    pub(super) end_time: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "toolExecutionNotifications")]
    pub(super) notifications: Vec<Notification>,
}

/// §3.58
#[derive(Debug, Serialize)]
pub(super) struct Notification {
    pub(super) level: &'static str,
    pub(super) message: Message,
}

/// §3.27
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    pub(super) rule_id: String,
    pub(super) rule_index: usize,
    pub(super) level: &'static str,
    pub(super) message: Message,
    /// Exactly one: the consumers that matter use the first and refuse a file in which one is missing.
    pub(super) locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<Location>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, String>,
}

/// §3.28
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    #[serde(rename = "physicalLocation")]
    pub(super) physical: PhysicalLocation,
    #[serde(rename = "logicalLocations", skip_serializing_if = "Vec::is_empty")]
    pub(super) logical: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Message>,
}

/// §3.29
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    pub(super) region: Region,
}

/// §3.4
#[derive(Debug, Serialize)]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
}

/// §3.30: one line, so that it can lie inside a change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
    pub(super) end_line: u32,
}

/// §3.33
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    pub(super) fully_qualified_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<&'static str>,
}
