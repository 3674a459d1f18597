//! `check_scope`: what the gate would say of an act, before it is done.
//!
//! By the evaluator that judges sessions, as a session of one call that did not run. What can't be judged is an error,
//! never an answer.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::configuration;
use super::super::effects::{directory, session_of};
use super::super::gate;
use super::super::policy_file;
use super::super::trust::TrustBase;
use super::ServerContext;
use super::reply::{SHORT, TEXT, ToolError, ToolResult, gaps, shown};
use agent_strace_effects::Kind;
use agent_strace_engine::{Entries, Entry, Outcome, SessionOutcome, Settings};
use agent_strace_model::Session;
use agent_strace_model::finding::{self, EffectView, Finding, Level, RuleId, VerdictImpact};
use agent_strace_policy::{Decision, Policy};
use agent_strace_secrets::Known;

/// Reasons and effects of one answer, and bytes of what is asked about.
const MOST: usize = 100;
const LONGEST: usize = 256 << 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// A shell command.
    #[serde(default)]
    command: Option<String>,
    /// A tool, by its name as agents call it: `Edit`, `mcp__github__create_issue`.
    #[serde(default)]
    tool: Option<String>,
    /// What the tool would be given.
    #[serde(default)]
    arguments: Option<serde_json::Map<String, Value>>,
    /// A file or folder.
    #[serde(default)]
    path: Option<String>,
    /// What would be done to the path [default: read].
    #[serde(default)]
    access: Option<Access>,
    /// A host, or an address: `api.example.com`, `https://api.example.com:8443/v1`.
    #[serde(default)]
    host: Option<String>,
    /// Where it would be done [default: the directory of this server, which is also the root of the workspace].
    #[serde(default)]
    cwd: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Access {
    Read,
    Write,
    Delete,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// What to do: go ahead, let a person decide, or leave it.
    decision: Answer,
    /// The gate would fail for it.
    would_fail: bool,
    /// In one sentence.
    summary: String,
    /// What speaks against it, worst first.
    reasons: Vec<Reason>,
    /// Everything that it would do, with what the policy says of each.
    effects: Vec<Judged>,
    policy: Identity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Allow,
    Ask,
    Deny,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Reason {
    rule: &'static str,
    /// `error`, `warning` or `note`.
    level: &'static str,
    message: String,
    policy: Option<PolicyLocation>,
    /// Why that line is there, in its author's words.
    why: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Judged {
    /// `read`, `write`, `delete`, `list`, `execute`, `connect`, `tool`, `spawn`, `opaque`.
    kind: &'static str,
    /// The path, command, host or tool.
    target: String,
    /// `allowed`, `denied`, `asked`, `unresolved`, or `unruled`: no part of the policy speaks of it.
    decision: &'static str,
    reason: String,
    policy: Option<PolicyLocation>,
}

/// A line of the policy.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Place")]
struct PolicyLocation {
    file: String,
    line: u32,
    column: u32,
    pointer: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Identity {
    file: String,
    /// The revision it was read from; absent: the disk.
    revision: Option<String>,
    sha256: String,
}

pub(super) fn run(context: &ServerContext, input: &Input) -> ToolResult<Output> {
    let (tool, arguments) = act(input)?;
    let root = directory(None)?;
    let cwd = match &input.cwd {
        Some(cwd) => Path::new(&root).join(cwd).to_string_lossy().into_owned(),
        None => root.clone(),
    };
    let trust_base = TrustBase::at(context.policy_ref.as_deref());
    let policy = policy_file::load_if_any(context.policy.as_deref(), context.policy_ref.as_deref(), false)?;
    let policy = policy.ok_or_else(policy_file::missing)?;
    let workspace = policy_file::workspace(&policy, &root);
    let mut session = session_of(&tool, arguments, &cwd);
    session.root = Some(workspace.as_str().into());
    let (repository, gap) = gate::repository_by(&policy, trust_base);
    if let Some(gap) = gap {
        return Err(ToolError::new(format!("it can't be judged: {}", gaps(&[gap]).join("; "))));
    }
    let today = context.with(|environment| configuration::today(&policy, context.now, environment))?;
    let settings = Settings { today, ..Settings::default() };
    let judged = agent_strace_engine::judge_guarded(&session, Vec::new(), &policy, Entries::Keep, &repository);
    let outcome = agent_strace_engine::settle(&policy, vec![judged], Vec::new(), &settings);
    let output = answer(&outcome, &session, &policy)?;
    let text = told(&output);
    Ok((output, Some(text)))
}

/// As a call that an agent would make.
fn act(input: &Input) -> Result<(String, String), ToolError> {
    let named = [&input.command, &input.tool, &input.path, &input.host].into_iter().flatten().count();
    if named != 1 {
        return Err(ToolError::new("say what would be done by just one of `command`, `tool`, `path` and `host`"));
    }
    if input.arguments.is_some() && input.tool.is_none() {
        return Err(ToolError::new("`arguments` are those of a `tool`"));
    }
    if input.access.is_some() && input.path.is_none() {
        return Err(ToolError::new("`access` is what is done to a `path`"));
    }
    let (tool, arguments) = if let Some(command) = &input.command {
        ("Bash", json!({ "command": command }))
    } else if let Some(tool) = &input.tool {
        (tool.as_str(), Value::Object(input.arguments.clone().unwrap_or_default()))
    } else if let Some(path) = &input.path {
        of_path(path, input.access.unwrap_or(Access::Read))?
    } else {
        ("WebFetch", json!({ "url": address(input.host.as_deref().unwrap_or_default())? }))
    };
    let arguments = arguments.to_string();
    if arguments.len() > LONGEST || tool.is_empty() {
        return Err(ToolError::new("it is empty, or longer than 256 KiB"));
    }
    Ok((tool.to_owned(), arguments))
}

fn of_path(path: &str, access: Access) -> Result<(&'static str, Value), ToolError> {
    if path.is_empty() || path.contains('\0') {
        return Err(ToolError::new("`path` is no path"));
    }
    Ok(match access {
        Access::Read => ("Read", json!({ "file_path": path })),
        Access::Write => ("Write", json!({ "file_path": path, "content": "" })),
        // No agent has a tool of its own for that.
        Access::Delete => ("Bash", json!({ "command": format!("rm -r -- '{}'", path.replace('\'', r"'\''")) })),
    })
}

fn address(host: &str) -> Result<String, ToolError> {
    let address = if host.contains("://") { host.to_owned() } else { format!("https://{host}/") };
    match url::Url::parse(&address) {
        Ok(url) if url.host_str().is_some_and(|host| !host.is_empty()) => Ok(address),
        _ => Err(ToolError::new(format!("`{}` is no host", shown(host, SHORT)))),
    }
}

fn answer(outcome: &Outcome, session: &Session<'_>, policy: &Policy) -> Result<Output, ToolError> {
    let [judged] = outcome.sessions.as_slice() else { return Err(ToolError::new("it can't be judged")) };
    let missing: Vec<_> = outcome.gaps.iter().chain(&judged.gaps).cloned().collect();
    let is_incomplete =
        judged.findings.iter().any(|finding| finding.impact == VerdictImpact::Incomplete && finding.event > 0);
    if !missing.is_empty() || is_incomplete || judged.judged != session.calls().count() {
        return Err(ToolError::new(format!("it can't be judged: {}", gaps(&missing).join("; "))));
    }
    let about: Vec<&Finding> = judged.findings.iter().filter(|finding| finding.event > 0).collect();
    let fails = |finding: &&&Finding| finding.level == Level::Error && finding.impact == VerdictImpact::ByLevel;
    let would_fail = about.iter().any(|finding| fails(&finding));
    let decision = decision(&about, judged);
    let identity = policy.identity().ok_or_else(|| ToolError::new("the policy has no name"))?;
    let file = identity.path.as_str();
    let mut reasons: Vec<&Finding> = about;
    reasons.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    let reasons: Vec<Reason> = reasons.iter().take(MOST).map(|finding| Reason::of(finding, file)).collect();
    let effects = judged.entries.iter().take(MOST).map(|entry| Judged {
        kind: entry.effect.kind.name(),
        target: target(&entry.effect.view(), &judged.secrets),
        decision: entry.decision.name(),
        reason: shown(&entry.reason, SHORT),
        policy: entry.location.as_ref().map(|location| PolicyLocation::of(location, file)),
    });
    Ok(Output {
        decision,
        would_fail,
        summary: summary(decision, &reasons),
        effects: effects.collect(),
        reasons,
        policy: Identity {
            file: shown(file, SHORT),
            revision: identity.revision.as_deref().map(|revision| shown(revision, SHORT)),
            sha256: identity.sha256.clone(),
        },
    })
}

/// What nobody could resolve is never allowed: a person decides.
fn decision(about: &[&Finding], judged: &SessionOutcome) -> Answer {
    let of_findings = about.iter().filter(|finding| finding.level == Level::Error).map(|finding| match finding.rule {
        RuleId::ScopeUnresolved | RuleId::ScopeApproval => Answer::Ask,
        _ => Answer::Deny,
    });
    let is_open = |entry: &Entry| match entry.decision {
        Decision::Unresolved => true,
        // What a policy allows may vouch for it.
        Decision::Unruled => matches!(entry.effect.kind, Kind::Opaque(_)),
        Decision::Allowed | Decision::Asked | Decision::Denied => false,
    };
    let open = judged.entries.iter().any(is_open);
    let doubted = about.iter().any(|finding| finding.level == Level::Warning);
    let others = (open || doubted).then_some(Answer::Ask);
    of_findings.chain(others).max().unwrap_or(Answer::Allow)
}

impl Reason {
    fn of(finding: &Finding, file: &str) -> Self {
        let why = finding.policy_rule.as_deref().and_then(|rule| rule.reason.as_deref());
        Self {
            rule: finding.rule.as_str(),
            level: finding.level.name(),
            message: shown(&finding.message, TEXT),
            policy: finding.policy.as_ref().map(|location| PolicyLocation::of(location, file)),
            why: why.map(|why| shown(why, TEXT)),
        }
    }
}

impl PolicyLocation {
    fn of(location: &finding::PolicyLocation, file: &str) -> Self {
        let finding::PolicyLocation { pointer, line, column, file: other } = location;
        let file = shown(other.as_deref().unwrap_or(file), SHORT);
        Self { file, line: *line, column: *column, pointer: shown(pointer, SHORT) }
    }
}

fn target(view: &EffectView, secrets: &Known) -> String {
    let words = view.argv.as_ref().map(|argv| {
        let words = secrets.redact_words(argv.iter().map(String::as_str));
        words.iter().map(agent_strace_secrets::Redacted::as_str).collect::<Vec<_>>().join(" ")
    });
    let plain = [&view.path, &words, &view.host, &view.tool, &view.agent, &view.name, &view.reason];
    let plain = plain.into_iter().flatten().next().map(String::as_str).unwrap_or_default();
    shown(&secrets.hide(plain), SHORT)
}

fn summary(decision: Answer, reasons: &[Reason]) -> String {
    let worst = reasons.first().map(|reason| reason.message.as_str());
    match (decision, worst) {
        (Answer::Allow, _) => "The policy allows it.".to_owned(),
        (Answer::Ask, Some(worst)) => format!("A person has to decide: {worst}"),
        (Answer::Ask, None) => "A person has to decide: not all of it could be resolved".to_owned(),
        (Answer::Deny, worst) => format!("The policy refuses it: {}", worst.unwrap_or("it is out of scope")),
    }
}

/// For clients that show nothing else.
fn told(output: &Output) -> String {
    let name = match output.decision {
        Answer::Allow => "allow",
        Answer::Ask => "ask",
        Answer::Deny => "deny",
    };
    let mut lines = vec![format!("{name}: {}", output.summary)];
    for reason in &output.reasons {
        let location = reason
            .policy
            .as_ref()
            .map(|location| format!(" ({}:{}:{})", location.file, location.line, location.column));
        let why = reason.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        lines.push(format!(
            "{} {}: {}{}{why}",
            reason.level,
            reason.rule,
            reason.message,
            location.unwrap_or_default()
        ));
    }
    lines.push(format!("judged by {} (sha256 {})", output.policy.file, output.policy.sha256));
    lines.join("\n")
}
