//! `policy import`: a policy of agents' own permission settings, and what it does not hold.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::settings_files::{self, AgentName};
use agent_strace_export::{Imported, LeftOut, Weight};
use agent_strace_report::terminal;

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace policy import                                     the settings of this repository
  agent-strace policy import --from claude-code --output .agent-scope.json
  agent-strace policy import ~/.claude/settings.json .claude/settings.json
  agent-strace policy import --format json                       the policy, and what it leaves out

Files of one agent count together, the weakest first. The policy never allows more than the agent
does. What it leaves out is listed on standard error, each with its line: `missing` is refused or
asked about by the agent and may pass the policy, and makes the exit code 1.";

#[derive(Debug, Args)]
pub(in crate::cli) struct ImportArgs {
    /// Settings files [default: those in the usual places of this directory].
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// The agent that the files are for [default: what their names say].
    #[arg(long, value_name = "AGENT")]
    from: Option<AgentName>,

    /// Write the policy here, not to standard output; never over a file that is there.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PlainFormat,
}

pub(super) fn run(args: &ImportArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let mut found = settings_files::find(&args.files, args.from, environment)?;
    let first = if found.len() == 1 { found.pop() } else { None };
    let Some(of_agent) = first else {
        let agents: Vec<&str> = found.iter().map(|found| found.agent.name()).collect();
        let failure = Failure::new(format!("there are settings of several agents: {}", agents.join(", ")));
        return Err(failure.hint("choose one with `--from`: a policy says what one agent may do"));
    };
    let imported =
        agent_strace_export::import(of_agent.agent, &of_agent.files).map_err(|fault| settings_files::fault(&fault))?;
    let paths: Vec<&str> = of_agent.files.iter().map(|file| file.path.as_str()).collect();
    let text =
        format!("// Imported from settings of {}: {}.\n{}", of_agent.agent.name(), paths.join(", "), imported.text);
    if let Some(path) = &args.output {
        if path.exists() {
            let failure = Failure::new(format!("`{}` is there already", path.display()));
            return Err(failure.hint("name another file, or compare the two with `policy diff`"));
        }
        output::write(path, &text)?;
        output::note(streams.stderr, &format!("written: {}", terminal(&path.to_string_lossy())));
    }
    if args.format == PlainFormat::Json {
        output::print(streams.stdout, &json_text(of_agent.agent.name(), &paths, &text, &imported))?;
    } else {
        if args.output.is_none() {
            output::print(streams.stdout, &text)?;
        }
        for line in account(&imported.left_out) {
            output::note(streams.stderr, &line);
        }
    }
    Ok(u8::from(imported.left_out.iter().any(|left| left.weight == Weight::Missing)))
}

/// What the policy leaves out, with what weighs most first.
fn account(left_out: &[LeftOut]) -> Vec<String> {
    let groups = [
        (Weight::Missing, "missing: the agent refuses it or asks, and the policy may let it pass"),
        (Weight::Narrower, "narrower: the agent lets more pass than the policy"),
        (Weight::Idle, "without effect for the agent"),
        (Weight::Unknown, "not understood"),
    ];
    let mut lines = Vec::new();
    for (weight, title) in groups {
        let of_weight: Vec<&LeftOut> = left_out.iter().filter(|left| left.weight == weight).collect();
        if of_weight.is_empty() {
            continue;
        }
        lines.push(title.to_owned());
        for left in of_weight {
            let (place, entry) =
                (terminal(&left.place.to_string()), terminal(&agent_strace_policy::quoted(&left.entry)));
            lines.push(format!("  {place}: {entry}: {}", left.reason));
        }
    }
    lines.push(SPELLINGS.to_owned());
    lines
}

/// Agents compare texts, the gate compares what a text does.
const SPELLINGS: &str = "an entry for a command also counts for its other spellings: `git -C . push` is `git push`, about \
                         which most agents ask";

/// A policy made of an agent's settings.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "imported policy"))]
struct Document<'i> {
    schema_version: u32,
    agent: &'i str,
    files: &'i [&'i str],
    /// The policy, with comments.
    policy: &'i str,
    /// What the policy does not hold.
    left_out: Vec<LeftOutJson<'i>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LeftOutJson<'i> {
    file: &'i str,
    line: u32,
    column: u32,
    entry: String,
    /// `missing`, `narrower`, `idle` or `unknown`.
    weight: &'i str,
    reason: &'i str,
}

fn json_text(agent: &str, files: &[&str], policy: &str, imported: &Imported) -> String {
    let left_out = imported.left_out.iter().map(|left| LeftOutJson {
        file: &left.place.file,
        line: left.place.line,
        column: left.place.column,
        entry: agent_strace_policy::quoted(&left.entry),
        weight: left.weight.name(),
        reason: left.reason,
    });
    agent_strace_report::to_json(&Document { schema_version: 1, agent, files, policy, left_out: left_out.collect() })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_is_that_of_the_types() {
        agent_strace_testing::schemas::keep(
            "policy-import.v1",
            &agent_strace_testing::schemas::written::<super::Document<'static>>(),
        );
    }
}
