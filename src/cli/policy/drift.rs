//! `policy drift`: what the settings of agents let pass although the policy refuses it.

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;

use super::super::Streams;
use super::super::args::FailOn;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::policy_file;
use super::super::values::format_parser;
use super::args::PolicyFileArgs;
use super::settings_files::{self, AgentFiles, AgentName};
use agent_strace_engine::{FailOn as Threshold, Outcome, Verdict};
use agent_strace_export::{Drift, Excess};
use agent_strace_policy::Policy;
use agent_strace_report::{Checkout, Colour, Format, OutputFormat, Report, Style, terminal};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace policy drift                              every agent whose settings this repository holds
  agent-strace policy drift --from claude-code           one of them
  agent-strace policy drift .claude/settings.json --policy-ref origin/main
  agent-strace policy drift --format sarif               for code scanning, at the lines of the settings
  agent-strace policy drift --fail-on warning            also where a user is asked and the policy refuses

`allows`: an act that the policy refuses runs without a question. `may-allow`: nothing shows that the
policy allows all that an entry names. Both are errors. `asks`: the agent's user is asked about what
the policy refuses; a warning. The exit code is 1 where something is found at the level of --fail-on.";

/// The formats of CI are those of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DriftFormat {
    Text,
    Json,
    Sarif,
    Github,
    Junit,
    Gitlab,
}

impl OutputFormat for DriftFormat {
    const ALL: &'static [Self] = &[Self::Text, Self::Json, Self::Sarif, Self::Github, Self::Junit, Self::Gitlab];

    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Junit => "junit",
            Self::Gitlab => "gitlab",
        }
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DriftArgs {
    /// Settings files [default: those in the usual places of this directory].
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// The agent that the files are for [default: what their names say].
    #[arg(long, value_name = "AGENT", alias = "agent")]
    from: Option<AgentName>,

    #[command(flatten)]
    policy: PolicyFileArgs,

    /// The lowest level that makes the exit code 1.
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    fail_on: FailOn,

    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = format_parser::<DriftFormat>())]
    format: DriftFormat,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    no_color: bool,
}

/// What was found about the settings of one agent.
struct Found {
    of_agent: AgentFiles,
    rows: Vec<Drift>,
}

pub(super) fn run(args: &DriftArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let colour = environment.colour && !args.no_color;
    let policy = policy_file::load_if_any(args.policy.policy.as_deref(), args.policy.policy_ref.as_deref(), colour)?;
    let policy = policy.ok_or_else(policy_file::missing)?;
    let mut all = Vec::new();
    for of_agent in settings_files::find(&args.files, args.from, environment)? {
        let rows = compare(&of_agent, &policy)?;
        all.push(Found { of_agent, rows });
    }
    let heaviest = all.iter().flat_map(|found| &found.rows).map(Drift::level).max();
    let fail_on = args.fail_on.threshold();
    let fails = match fail_on {
        Threshold::Never => false,
        Threshold::Level(least) => heaviest.is_some_and(|heaviest| heaviest >= least),
    };
    let exit_code = u8::from(fails);
    let gate = |format| of_gate(&report(&policy, &all, fail_on, fails), format);
    let text = match args.format {
        DriftFormat::Text => environment.fitted_rows(text(&policy, &all)),
        DriftFormat::Json => json_text(&policy, &all, exit_code),
        DriftFormat::Sarif => gate(Format::Sarif),
        DriftFormat::Github => gate(Format::Github),
        DriftFormat::Junit => gate(Format::Junit),
        DriftFormat::Gitlab => gate(Format::Gitlab),
    };
    output::print(streams.stdout, &text)?;
    Ok(exit_code)
}

fn compare(of_agent: &AgentFiles, policy: &Policy) -> Result<Vec<Drift>, Failure> {
    let imported =
        agent_strace_export::import(of_agent.agent, &of_agent.files).map_err(|fault| settings_files::fault(&fault))?;
    Ok(agent_strace_export::drift(of_agent.agent, &imported, policy))
}

/// A report in a format of the gate.
fn of_gate(report: &Report, format: Format) -> String {
    let checkout = Checkout {
        now: None,
        prefix: output::prefix_in_repository(),
        repository: None,
        command: "policy-drift",
        home: env!("CARGO_PKG_REPOSITORY"),
    };
    agent_strace_report::render(report, format, Style::Check, Colour::Plain, &checkout)
}

/// The differences as findings of a run without sessions, for the formats of the gate.
fn report(policy: &Policy, all: &[Found], fail_on: Threshold, fails: bool) -> Report {
    let remarks = all.iter().flat_map(|found| found.rows.iter().map(|row| row.finding(found.of_agent.agent)));
    Report::new(Outcome {
        policy: policy.identity().cloned(),
        manifests: Vec::new(),
        sessions: Vec::new(),
        gaps: Vec::new(),
        verdict: if fails { Verdict::Fail } else { Verdict::Pass },
        of_change: Vec::new(),
        change: None,
        work_tree: None,
        remarks: remarks.collect(),
        waived: Vec::new(),
        uses: Vec::new(),
        stale: 0,
        fail_on,
    })
}

fn policy_path(policy: &Policy) -> &str {
    policy.identity().map_or("the policy", |identity| identity.path.as_str())
}

fn text(policy: &Policy, all: &[Found]) -> String {
    let path = terminal(policy_path(policy));
    let mut text = String::new();
    for found in all {
        let files: Vec<&str> = found.of_agent.files.iter().map(|file| file.path.as_str()).collect();
        let _ = writeln!(text, "{}: {}", found.of_agent.agent.name(), terminal(&files.join(", ")));
        if found.rows.is_empty() {
            text.push_str("  allows nothing that the policy refuses\n");
        }
        for row in &found.rows {
            let acts = terminal(&examples(&row.acts));
            let _ = writeln!(text, "  {:<9} {acts}: {}", row.excess.name(), terminal(&row.reason));
            match &row.settings {
                Some((place, entry)) => {
                    let entry = terminal(&agent_strace_policy::quoted(entry));
                    let _ = writeln!(text, "            by {}:{}: {entry}", terminal(&place.file), place.line);
                }
                None if row.excess == Excess::Asks => text.push_str("            no entry of the settings denies it\n"),
                None => text.push_str("            no entry names it: it is the agent's default\n"),
            }
            if let Some((line, pointer)) = &row.policy {
                let _ = writeln!(text, "            against {path}:{line} ({})", terminal(pointer));
            }
        }
    }
    let count = |excess: Excess| all.iter().flat_map(|found| &found.rows).filter(|row| row.excess == excess).count();
    let (allows, may, asks) = (count(Excess::Allows), count(Excess::MayAllow), count(Excess::Asks));
    let _ = writeln!(text, "{allows} allowed, {may} perhaps allowed, {asks} asked about that the policy refuses");
    text
}

/// The first examples, and how many more there are.
fn examples(acts: &[String]) -> String {
    const SHOWN: usize = 3;
    let first = acts.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if acts.len() > SHOWN { format!("{first} and {} more", acts.len() - SHOWN) } else { first }
}

/// The settings of agents, compared with a policy.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "drift of settings"))]
struct Document<'d> {
    schema_version: u32,
    exit_code: u8,
    policy: &'d str,
    agents: Vec<AgentJson<'d>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AgentJson<'d> {
    agent: &'d str,
    files: Vec<&'d str>,
    differences: Vec<DriftJson<'d>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DriftJson<'d> {
    /// `allows`, `may-allow` or `asks`.
    excess: &'d str,
    /// What may be done: examples.
    acts: Vec<String>,
    /// Why the policy refuses it.
    reason: String,
    /// The entry of the settings; `null` where the agent's default lets it pass.
    settings: Option<SettingsJson<'d>>,
    /// The entry of the policy; `null` where no single one refuses it.
    policy: Option<PolicyJson<'d>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SettingsJson<'d> {
    file: &'d str,
    line: u32,
    column: u32,
    entry: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PolicyJson<'d> {
    line: u32,
    pointer: &'d str,
}

fn json_text(policy: &Policy, all: &[Found], exit_code: u8) -> String {
    let agents = all
        .iter()
        .map(|found| AgentJson {
            agent: found.of_agent.agent.name(),
            files: found.of_agent.files.iter().map(|file| file.path.as_str()).collect(),
            differences: found.rows.iter().map(difference).collect(),
        })
        .collect();
    agent_strace_report::to_json(&Document { schema_version: 1, exit_code, policy: policy_path(policy), agents })
}

fn difference(row: &Drift) -> DriftJson<'_> {
    let clean = |text: &str| agent_strace_secrets::redact(text).as_str().to_owned();
    DriftJson {
        excess: row.excess.name(),
        acts: row.acts.iter().map(|act| clean(act)).collect(),
        reason: clean(&row.reason),
        settings: row.settings.as_ref().map(|(place, entry)| SettingsJson {
            file: &place.file,
            line: place.line,
            column: place.column,
            entry: agent_strace_policy::quoted(entry),
        }),
        policy: row.policy.as_ref().map(|(line, pointer)| PolicyJson { line: *line, pointer }),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_is_that_of_the_types() {
        agent_strace_testing::schemas::keep(
            "policy-drift.v1",
            &agent_strace_testing::schemas::written::<super::Document<'static>>(),
        );
    }
}
