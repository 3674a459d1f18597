//! `policy export`: a policy for an agent's own engine, what that can't say, and whether the two agree.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::pipeline::Inputs;
use super::super::policy_file;
use super::args::PolicyFileArgs;
use agent_strace_export::{Agreement, Compared, Difference, Export, Of, Residual, Target};
use agent_strace_ingest::discover::Selection;
use agent_strace_model::{Arguments, Dialect, Event, EventKind, Origin, Session, Status, ToolCall};
use agent_strace_policy::{Policy, quoted};

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace policy export --to claude-code                    permissions for .claude/settings.json
  agent-strace policy export --to codex --output .codex/rules/scope.rules
  agent-strace policy export --to codex-config                   a permission profile for config.toml
  agent-strace policy export --to gemini --output ~/.gemini/policies/scope.toml
  agent-strace policy export --to opencode                       permissions for opencode.json
  agent-strace policy export --to cursor                         permissions for .cursor/cli.json
  agent-strace policy export --to vscode                         approvals for .vscode/settings.json
  agent-strace policy export --to copilot                        options for one start of Copilot CLI
  agent-strace policy export --to gemini --verify cases.jsonl    do the file and the policy agree?

What the file can't say is listed on standard error. No engine sees what the gate sees: keep the gate.
--verify takes sessions as `check` does, and files with a call a line: {\"tool\": …, \"input\": {…}}.
Its exit code is 1 where the engine is weaker than the policy and the list does not say so.";

/// Whose language a policy is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ExportTarget {
    /// Permissions of `settings.json`.
    ClaudeCode,
    /// Rules of the execution policy, for a file in a `rules` folder.
    Codex,
    /// The permission profile that these rules are made for, for `config.toml`.
    CodexConfig,
    /// Rules of Gemini CLI's policy engine, for a file in `~/.gemini/policies/`.
    Gemini,
    /// The key `permission` of `opencode.json`.
    #[value(name = "opencode")]
    OpenCode,
    /// The key `permissions` of `.cursor/cli.json`.
    Cursor,
    /// Approvals in VS Code's `settings.json`.
    #[value(name = "vscode")]
    VsCode,
    /// Options for one start of Copilot CLI, one a line.
    Copilot,
}

impl ExportTarget {
    pub(in crate::cli) fn target(self) -> Target {
        match self {
            Self::ClaudeCode => Target::ClaudeCode,
            Self::Codex => Target::Codex,
            Self::CodexConfig => Target::CodexConfig,
            Self::Gemini => Target::Gemini,
            Self::OpenCode => Target::OpenCode,
            Self::Cursor => Target::Cursor,
            Self::VsCode => Target::VsCode,
            Self::Copilot => Target::Copilot,
        }
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ExportArgs {
    /// The engine.
    #[arg(long, value_name = "ENGINE")]
    pub(in crate::cli) to: ExportTarget,

    #[command(flatten)]
    pub(in crate::cli) policy: PolicyFileArgs,

    /// Write the file here, not to standard output.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,

    /// Compare the exported file with the policy on these calls; the file is only written with --output.
    #[arg(long, value_name = "CASES|SESSION", num_args = 1..)]
    pub(in crate::cli) verify: Vec<String>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: PlainFormat,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(in crate::cli) no_color: bool,
}

/// Differences that are shown; all of them stand in JSON.
const SHOWN: usize = 20;

pub(super) fn run(
    trace_dir: &Path,
    args: &ExportArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let colour = environment.colour && !args.no_color;
    let policy = policy_file::load_if_any(args.policy.policy.as_deref(), args.policy.policy_ref.as_deref(), colour)?;
    let policy = policy.ok_or_else(policy_file::missing)?;
    let export = agent_strace_export::export(&policy, args.to.target());
    if let Some(path) = &args.output {
        output::write(path, &export.text)?;
    }
    let compared = if args.verify.is_empty() {
        None
    } else {
        Some(verify(trace_dir, &args.verify, &export, &policy, environment, streams)?)
    };
    if args.format == PlainFormat::Json {
        output::print(streams.stdout, &json_text(args.to, &policy, &export, compared.as_ref()))?;
    } else {
        match &compared {
            Some(compared) => output::print(streams.stdout, &agreement(compared))?,
            None if args.output.is_none() => output::print(streams.stdout, &export.text)?,
            None => {}
        }
        for line in account(&export.residuals) {
            output::note(streams.stderr, &line);
        }
    }
    if let Some(path) = &args.output {
        output::note(streams.stderr, &format!("written: {}", agent_strace_report::terminal(&path.to_string_lossy())));
        output::note(streams.stderr, next(args.to));
    }
    let unlisted = compared.is_some_and(|compared| compared.agreement.unlisted > 0);
    Ok(u8::from(unlisted))
}

fn next(target: ExportTarget) -> &'static str {
    match target {
        ExportTarget::ClaudeCode => {
            "next: merge `permissions` into `.claude/settings.json` of the project; `/permissions` shows what holds"
        }
        ExportTarget::Codex => {
            "next: put it into `.codex/rules/` of the project, and export `--to codex-config`, which it is made for"
        }
        ExportTarget::CodexConfig => {
            "next: merge it into `~/.codex/config.toml`, and export `--to codex` for the rules"
        }
        ExportTarget::Gemini => {
            "next: put it into `~/.gemini/policies/`: rules in a workspace's own folder may be ignored"
        }
        ExportTarget::OpenCode => {
            "next: merge `permission` into `opencode.json`; permissions of a single agent there stand before it"
        }
        ExportTarget::Cursor => "next: merge `permissions` into `.cursor/cli.json` of the project",
        ExportTarget::VsCode => "next: merge it into `.vscode/settings.json`; the user is asked, nothing is denied",
        ExportTarget::Copilot => {
            "next: start it with `copilot $(grep -v '^#' FILE)`; no file of a project is read for this"
        }
    }
}

/// What the file can't say, entries with the same reason together.
fn account(residuals: &[Residual]) -> Vec<String> {
    let mut reasons: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for residual in residuals {
        let entry = named(&residual.of);
        match reasons.iter_mut().find(|(reason, instead, _)| (*reason, *instead) == (residual.reason, residual.instead))
        {
            // An entry that names a built-in list is many commands, and is named once.
            Some((_, _, entries)) if entries.contains(&entry) => {}
            Some((_, _, entries)) => entries.push(entry),
            None => reasons.push((residual.reason, residual.instead, vec![entry])),
        }
    }
    let mut lines = vec!["what the file can't say:".to_owned()];
    for (reason, instead, entries) in reasons {
        lines.push(format!("- {reason}"));
        lines.push(format!("  instead: {instead}"));
        lines.push(format!("  of: {}", agent_strace_report::terminal(&entries.join(", "))));
    }
    lines
}

fn named(of: &Of) -> String {
    match of {
        Of::Entry { name, line, .. } => format!("{name} (line {line})"),
        Of::Floor => "the built-in floor".to_owned(),
        Of::Unresolved => "what can't be resolved".to_owned(),
        Of::ForeignCode => "code from elsewhere".to_owned(),
        Of::Rest => "the rest of the policy".to_owned(),
    }
}

fn agreement(compared: &Compared) -> String {
    let Agreement { agree, stricter, weaker, unlisted, passed, elsewhere } = compared.agreement;
    let mut text = format!(
        "{agree} agree, {stricter} stricter than the policy, {weaker} weaker and listed, {unlisted} weaker and not \
         listed, {elsewhere} of no such tool\n{passed} calls that the policy refuses would run without a question\n"
    );
    for difference in compared.differences.iter().take(SHOWN) {
        let listed = if difference.unlisted { ", NOT LISTED" } else { "" };
        let (tool, reason) =
            (agent_strace_report::terminal(&difference.tool), agent_strace_report::terminal(&difference.reason));
        let (policy, engine) = (difference.policy.name(), difference.engine.name());
        let act = agent_strace_report::terminal(&quoted(&difference.act));
        let place = format!("{}:{}", agent_strace_report::terminal(&difference.source), difference.line);
        let _ = writeln!(text, "  {place}: {tool} {act}: policy {policy}, file {engine}{listed}: {reason}");
    }
    if compared.differences.len() > SHOWN {
        let _ = writeln!(text, "  and {} more: `--format json` has all", compared.differences.len() - SHOWN);
    }
    text
}

/// An exported policy, and what was found out about it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "exported policy"))]
struct Document<'e> {
    schema_version: u32,
    to: Option<String>,
    policy: Option<Identity<'e>>,
    /// What is written for the engine.
    file: &'e str,
    /// What it can't say.
    residuals: Vec<ResidualJson<'e>>,
    /// Whether the file and the policy answer the same; only with `--verify`.
    #[serde(skip_serializing_if = "Option::is_none")]
    agreement: Option<AgreementJson<'e>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Identity<'e> {
    path: &'e str,
    /// The revision it was read from.
    #[serde(rename = "ref")]
    revision: Option<&'e str>,
    sha256: &'e str,
    version: u32,
}

#[derive(PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ResidualJson<'e> {
    of: String,
    pointer: Option<&'e str>,
    line: Option<u32>,
    reason: &'e str,
    /// What does it instead.
    instead: &'e str,
}

/// Counts of calls.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AgreementJson<'e> {
    agree: usize,
    stricter: usize,
    weaker_listed: usize,
    weaker_unlisted: usize,
    /// The policy refuses them, and the engine would not even ask.
    refused_but_run: usize,
    no_such_tool: usize,
    differences: Vec<DifferenceJson<'e>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DifferenceJson<'e> {
    event: u32,
    /// The log, or the file of cases.
    source: &'e str,
    /// The line in it.
    line: u32,
    tool: &'e str,
    /// The command, path, address or tool.
    act: String,
    /// The answer of the policy, and that of the file.
    scope: &'e str,
    file: &'e str,
    listed: bool,
    reason: &'e str,
}

fn json_text(target: ExportTarget, policy: &Policy, export: &Export, compared: Option<&Compared>) -> String {
    let identity = policy.identity().map(|identity| Identity {
        path: &identity.path,
        revision: identity.revision.as_deref(),
        sha256: &identity.sha256,
        version: identity.version,
    });
    agent_strace_report::to_json(&Document {
        schema_version: 1,
        to: clap::ValueEnum::to_possible_value(&target).map(|value| value.get_name().to_owned()),
        policy: identity,
        file: &export.text,
        residuals: residuals_json(&export.residuals),
        agreement: compared.map(agreement_json),
    })
}

fn agreement_json(compared: &Compared) -> AgreementJson<'_> {
    let Agreement { agree, stricter, weaker, unlisted, passed, elsewhere } = compared.agreement;
    AgreementJson {
        agree,
        stricter,
        weaker_listed: weaker,
        weaker_unlisted: unlisted,
        refused_but_run: passed,
        no_such_tool: elsewhere,
        differences: compared.differences.iter().map(difference_json).collect(),
    }
}

fn difference_json(difference: &Difference) -> DifferenceJson<'_> {
    let Difference { event, source, line, tool, act, policy, engine, unlisted, reason } = difference;
    DifferenceJson {
        event: *event,
        source,
        line: *line,
        tool,
        act: quoted(act),
        scope: policy.name(),
        file: engine.name(),
        listed: !unlisted,
        reason,
    }
}

/// An entry that names a built-in list is many commands, and is named once.
fn residuals_json(residuals: &[Residual]) -> Vec<ResidualJson<'_>> {
    let mut all: Vec<ResidualJson<'_>> = Vec::new();
    for residual in residuals.iter().map(residual_json) {
        if !all.contains(&residual) {
            all.push(residual);
        }
    }
    all
}

fn residual_json(residual: &Residual) -> ResidualJson<'_> {
    let (pointer, line) = match &residual.of {
        Of::Entry { pointer, line, .. } => (Some(pointer.as_str()), Some(*line)),
        Of::Floor | Of::Unresolved | Of::ForeignCode | Of::Rest => (None, None),
    };
    ResidualJson { of: named(&residual.of), pointer, line, reason: residual.reason, instead: residual.instead }
}

/// Compares on all calls of the requests: files of cases, or sessions.
fn verify(
    trace_dir: &Path,
    requests: &[String],
    export: &Export,
    policy: &Policy,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Compared, Failure> {
    let repository = Arc::default();
    let mut all = Compared::default();
    let mut sessions = Vec::new();
    for request in requests {
        match cases(request)? {
            Some(cases) => {
                for case in cases {
                    all.add(agent_strace_export::compare(export, policy, &case, &repository));
                }
            }
            None => sessions.push(request.clone()),
        }
    }
    if !sessions.is_empty() {
        let inputs = Inputs::select(trace_dir, &sessions, Selection::All, environment, streams.stdin)?;
        let (parts, gaps) = inputs.all(|session| agent_strace_export::compare(export, policy, session, &repository));
        for part in parts {
            all.add(part);
        }
        for line in agent_strace_report::gap_lines(&gaps) {
            output::note(streams.stderr, &line);
        }
    }
    Ok(all)
}

/// The calls of a file with one `{"tool": …, "input": …}` a line; `None`: it is no such file.
fn cases(path: &str) -> Result<Option<Vec<Session<'static>>>, Failure> {
    let Some(bytes) = output::read_small(Path::new(path)) else { return Ok(None) };
    let Ok(text) = String::from_utf8(bytes) else { return Ok(None) };
    let mut sessions = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let calls = serde_json::from_str::<Value>(line).ok().and_then(|value| calls(&value));
        match calls {
            Some(calls) => sessions.push(session(calls, path, number + 1)),
            None if sessions.is_empty() => return Ok(None),
            None => {
                let message = format!("line {} of `{path}` is no call: it needs `tool` and `input`", number + 1);
                return Err(Failure::new(message));
            }
        }
    }
    Ok(Some(sessions))
}

/// `seq` is several calls of one session, each `[tool, input]`.
fn calls(case: &Value) -> Option<Vec<(String, Value)>> {
    let (tool, input) = (case.get("tool")?.as_str()?, case.get("input")?);
    if tool != "seq" {
        return Some(vec![(tool.to_owned(), input.clone())]);
    }
    let steps = input.as_array()?.iter();
    steps.map(|step| Some((step.get(0)?.as_str()?.to_owned(), step.get(1)?.clone()))).collect()
}

/// A session of calls that nobody ran, in a project at `/repo`.
fn session(calls: Vec<(String, Value)>, path: &str, line: usize) -> Session<'static> {
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    let events = calls.into_iter().zip(1..).map(|((tool, input), number)| Event {
        number,
        id: None,
        line,
        time: None,
        origin: Origin::default(),
        kind: EventKind::Call(ToolCall {
            call_id: None,
            tool: Cow::Owned(tool),
            arguments: Arguments::Json(Cow::Owned(input.to_string())),
            cwd: Some(Cow::Borrowed("/repo")),
            status: Status::Ok,
            subagent: None,
        }),
    });
    let known = Session::new(&CASES, "-");
    Session { root: Some(Cow::Borrowed("/repo")), events: events.collect(), source: path.to_owned(), ..known }
}

static CASES: Dialect = Dialect::new("cases", "-");

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_is_that_of_the_types() {
        agent_strace_testing::schemas::keep(
            "policy-export.v1",
            &agent_strace_testing::schemas::written::<super::Document<'static>>(),
        );
    }
}
