//! `--format json`: version 1 of the report, additive changes only. The types here are the contract.

use serde::{Serialize, Serializer};

use super::change::{ChangeDocument, ShownChange};
use super::escape;
use super::session::{Attribution, Evidence};
use super::view::{
    Report, ShownEffect, ShownExtended, ShownFinding, ShownGap, ShownLocation, ShownManifest, ShownPolicy,
    ShownSession, ShownUse, ShownWaived,
};
use super::work_tree::{ShownTree, TreeDocument};
use agent_strace_engine::Verdict;
use agent_strace_model::finding::Level;
use agent_strace_policy::WaiverOrigin;
use agent_strace_secrets::Redacted;

/// What `agent-strace check` and `audit` judged and found.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace report, version 1"))]
pub(super) struct Document<'a> {
    schema_version: u32,
    tool: Tool,
    /// `pass`, `fail` or `incomplete`.
    verdict: &'static str,
    /// 0, 1 or 3, as the process's.
    exit_code: u8,
    /// `null` when no policy file judged.
    policy: Option<Policy<'a>>,
    /// Manifests of agent runtimes that judged beside it, the nearest first; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hook_policies: Vec<HookPolicy<'a>>,
    /// The change that the sessions come with; left out where none is judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<ChangeDocument<'a>>,
    /// What was seen of the work tree in which the sessions ran; left out where nobody looked at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    work_tree: Option<TreeDocument<'a>>,
    summary: Summary,
    #[cfg_attr(test, schemars(with = "Vec<Session<'a>>"))]
    sessions: Sessions<'a>,
    #[cfg_attr(test, schemars(with = "Vec<Finding<'a>>"))]
    findings: Findings<'a>,
    /// Findings that do not count: an exception, a suppression or the baseline waives them.
    waived: Vec<Waived<'a>>,
    /// Everything that could not be read.
    gaps: Vec<Gap<'a>>,
}

/// One by one as they are written: there may be very many.
struct Sessions<'a>(&'a Report);

impl Serialize for Sessions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.sessions.iter().map(session))
    }
}

/// The same of what counts.
struct Findings<'a>(&'a Report);

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.findings().map(|(session, found)| finding(self.0, session, found)))
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Policy<'a> {
    path: &'a str,
    #[serde(rename = "ref")]
    revision: Option<&'a str>,
    sha256: &'a str,
    version: u32,
    /// The files that it extends, over all levels; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    extends: Vec<Extended<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct HookPolicy<'a> {
    path: &'a str,
    sha256: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Extended<'a> {
    path: &'a str,
    sha256: &'a str,
    /// `floor` or `base`.
    role: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Summary {
    sessions: usize,
    events: usize,
    tool_calls: usize,
    /// Calls whose effects were all judged.
    judged: usize,
    effects: usize,
    /// Effects that could not be resolved.
    opaque: usize,
    /// Calls that were refused before they ran.
    attempts: usize,
    gaps: usize,
    /// Records of a type that this version does not know.
    unknown_records: usize,
    findings: Counts,
    /// Findings that an exception of the policy waives.
    excepted: usize,
    /// Findings that a suppression of the configuration waives.
    suppressed: usize,
    /// Findings that the baseline knows.
    baselined: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Counts {
    error: usize,
    warning: usize,
    note: usize,
    /// Findings of missing evidence: they make the verdict incomplete, and count by no level.
    incomplete: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Session<'a> {
    id: &'a str,
    agent: &'a str,
    source: &'a str,
    parent: Option<&'a str>,
    tool_calls: usize,
    verdict: &'static str,
    /// Everything in its log was read.
    complete: bool,
    /// The base of the change has its log already: it was judged because it was named, and it explains no file of the change.
    #[serde(skip_serializing_if = "is_false")]
    of_base: bool,
    attribution: Attribution<'a>,
    evidence: Evidence<'a>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Finding<'a> {
    rule: &'static str,
    /// `error`, `warning` or `note`.
    level: &'static str,
    /// Evidence is missing: the verdict is incomplete, whatever the threshold.
    #[serde(skip_serializing_if = "is_false")]
    incomplete: bool,
    message: &'a str,
    /// `null` of a finding about the change, an exception or a suppression.
    session: Option<&'a str>,
    /// 1-based within the session; 0 of a finding about the whole session.
    event: u32,
    /// Of a finding about several events: the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    event_end: Option<u32>,
    event_id: Option<&'a str>,
    tool: Option<&'a str>,
    effect: Option<Effect<'a>>,
    /// What the log says.
    evidence: Option<&'a str>,
    /// The line of the log; of a finding about the change the line of a file of the repository, from its top.
    #[serde(rename = "place")]
    location: FindingLocation<'a>,
    /// The line of the policy, where one decided.
    policy: Option<PolicyLocationJson<'a>>,
    /// Over the rule and the effect: the same in another session or at another line.
    fingerprint: &'a str,
}

/// A finding that does not count, and why.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Waived<'a> {
    #[serde(flatten)]
    finding: Finding<'a>,
    waived_by: Waiver<'a>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Waiver<'a> {
    /// `exception`, `suppression` or `baseline`. The other keys are absent of a baseline.
    kind: &'static str,
    /// As the exception names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a str>,
    /// The last day it holds, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "place")]
    location: Option<PolicyLocationJson<'a>>,
}

/// Keys that do not apply to a kind are absent.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Effect<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    argv: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheme: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
    /// Of a variable in programs' environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// The class of an opaque effect: `delegated`, `state`, `changed`, `unknown` or `hidden`.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certainty: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<&'a str>,
    /// The piece of the call's command text that it comes from: start and end in bytes of UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<[usize; 2]>,
    /// The command that caused it: its place, from 0, among the effects of the event. Only where they are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<u32>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Place"))]
struct FindingLocation<'a> {
    file: &'a str,
    line: u32,
    /// JSON pointer (RFC 6901) into the document on that line; left out of what is not about one value of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PolicyPlace"))]
pub(super) struct PolicyLocationJson<'a> {
    /// The file, where it is not the policy itself but one that it extends.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    pointer: &'a str,
    line: u32,
    column: u32,
    /// The words of the entry, where one entry decided and not a list as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<&'a str>,
    /// The pattern that matched, of an entry that names a label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<&'a str>,
    /// Of a rule that has a name of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a str>,
    /// Why the rule is there, in its author's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Gap<'a> {
    file: &'a str,
    line: Option<u32>,
    kind: &'static str,
    reason: &'a str,
}

pub(super) fn render(report: &Report) -> String {
    to_text(&document(report))
}

/// One document, indented, with a line break at the end.
pub fn to_text(document: &impl Serialize) -> String {
    match serde_json::to_string_pretty(document) {
        Ok(text) => escape::json(text) + "\n",
        // Strings and numbers always serialise; a reader must still not take an empty answer for a report.
        Err(_) => "{\"verdict\":\"incomplete\",\"exit_code\":3}\n".to_owned(),
    }
}

fn document(report: &Report) -> Document<'_> {
    Document {
        schema_version: 1,
        tool: Tool { name: "agent-strace", version: env!("CARGO_PKG_VERSION") },
        verdict: verdict_name(report.verdict),
        exit_code: report.exit_code(),
        policy: report.policy.as_ref().map(policy),
        hook_policies: report.manifests.iter().map(hook_policy).collect(),
        change: report.change.as_ref().map(ShownChange::document),
        work_tree: report.work_tree.as_ref().map(ShownTree::document),
        summary: summary(report),
        sessions: Sessions(report),
        findings: Findings(report),
        waived: report.waived.iter().map(|found| waived(report, found)).collect(),
        gaps: report.gaps.iter().map(gap).collect(),
    }
}

pub(super) fn policy(policy: &ShownPolicy) -> Policy<'_> {
    Policy {
        path: policy.path.as_str(),
        revision: text(policy.revision.as_ref()),
        sha256: &policy.sha256,
        version: policy.version,
        extends: policy.extends.iter().map(extended).collect(),
    }
}

fn hook_policy(manifest: &ShownManifest) -> HookPolicy<'_> {
    HookPolicy { path: manifest.path.as_str(), sha256: &manifest.sha256 }
}

fn extended(extended: &ShownExtended) -> Extended<'_> {
    Extended { path: extended.path.as_str(), sha256: &extended.sha256, role: extended.role }
}

pub(super) fn location(location: &ShownLocation) -> PolicyLocationJson<'_> {
    PolicyLocationJson {
        file: text(location.file.as_ref()),
        pointer: &location.pointer,
        line: location.line,
        column: location.column,
        entry: text(location.entry.as_ref()),
        pattern: text(location.pattern.as_ref()),
        id: text(location.id.as_ref()),
        owner: text(location.owner.as_ref()),
        reason: text(location.reason.as_ref()),
    }
}

fn summary(report: &Report) -> Summary {
    Summary {
        sessions: report.sessions.len(),
        events: report.sum(|session| session.events),
        tool_calls: report.sum(|session| session.tool_calls),
        judged: report.sum(|session| session.judged),
        effects: report.sum(|session| session.effects),
        opaque: report.sum(|session| session.opaque),
        attempts: report.sum(|session| session.attempts),
        gaps: report.gaps.len(),
        unknown_records: report.sum(|session| session.unknown_records as usize),
        findings: Counts {
            error: report.count(Level::Error),
            warning: report.count(Level::Warning),
            note: report.count(Level::Note),
            incomplete: report.incomplete(),
        },
        excepted: report.waived_by(WaiverOrigin::Exception),
        suppressed: report.waived_by(WaiverOrigin::Suppression),
        baselined: report.baselined(),
    }
}

fn session(session: &ShownSession) -> Session<'_> {
    Session {
        id: session.id.as_str(),
        agent: session.agent.as_str(),
        source: session.source.as_str(),
        parent: text(session.parent.as_ref()),
        tool_calls: session.tool_calls,
        verdict: verdict_name(session.verdict),
        complete: session.gaps.is_empty(),
        of_base: session.is_of_base,
        attribution: session.who.document(),
        evidence: session.proof.document(),
    }
}

fn waived<'a>(report: &'a Report, waived: &'a ShownWaived) -> Waived<'a> {
    let by = waived.by.as_ref();
    Waived { finding: finding(report, report.sessions.get(waived.session), &waived.finding), waived_by: waiver(by) }
}

/// `None`: the baseline.
pub(super) fn waiver(by: Option<&ShownUse>) -> Waiver<'_> {
    Waiver {
        kind: by.map_or("baseline", |by| by.origin.name()),
        rule: by.map(|by| by.rule.as_str()),
        reason: by.map(|by| by.reason.as_str()),
        owner: by.map(|by| by.owner.as_str()),
        until: by.map(|by| by.until.as_str()),
        location: by.map(|by| location(&by.location)),
    }
}

fn finding<'a>(report: &'a Report, session: Option<&'a ShownSession>, finding: &'a ShownFinding) -> Finding<'a> {
    Finding {
        rule: finding.rule.as_str(),
        level: finding.level.name(),
        incomplete: finding.is_incomplete(),
        message: finding.message.as_str(),
        session: session.map(|session| session.id.as_str()),
        event: finding.event,
        event_end: finding.until,
        event_id: text(finding.event_id.as_ref()),
        tool: text(finding.tool.as_ref()),
        effect: finding.effect.as_deref().map(effect),
        evidence: text(finding.evidence.as_ref()),
        location: FindingLocation {
            file: session.map_or_else(|| report.file_of(finding), |session| session.source.as_str()),
            line: finding.line,
            pointer: text(finding.pointer.as_ref()),
        },
        policy: finding.policy.as_ref().map(location),
        fingerprint: &finding.fingerprint,
    }
}

pub(super) fn effect(effect: &ShownEffect) -> Effect<'_> {
    Effect {
        kind: effect.kind,
        path: text(effect.path.as_ref()),
        argv: effect.argv.as_ref().map(|argv| argv.iter().map(Redacted::as_str).collect()),
        host: text(effect.host.as_ref()),
        port: effect.port,
        scheme: text(effect.scheme.as_ref()),
        server: text(effect.server.as_ref()),
        tool: text(effect.tool.as_ref()),
        agent: text(effect.agent.as_ref()),
        name: text(effect.name.as_ref()),
        reason: text(effect.reason.as_ref()),
        class: effect.class,
        certainty: effect.certainty,
        via: text(effect.via.as_ref()),
        span: effect.span,
        parent: effect.parent,
    }
}

fn gap(gap: &ShownGap) -> Gap<'_> {
    Gap { file: gap.file.as_str(), line: gap.line, kind: gap.kind, reason: gap.reason.as_str() }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

fn text(text: Option<&Redacted>) -> Option<&str> {
    text.map(Redacted::as_str)
}

pub(super) fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Incomplete => "incomplete",
    }
}
