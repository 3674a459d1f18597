//! `policy lint`: what is allowed in a policy, and unwise.

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::{output, policy_file};
use super::args::LintArgs;
use agent_strace_engine::FailOn;
use agent_strace_engine::policy_testing::lint::{self, CODES};
use agent_strace_report::{Colour, LintReport};

pub(super) fn run(args: &LintArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    if let Some(code) = &args.explain {
        return explain(code, streams);
    }
    let coloured = environment.colour && !args.no_color;
    let now = args.now.or_else(|| environment.machine.map(|machine| machine.now));
    let mut files = Vec::new();
    let mut broken = 0;
    for file in args.policies.or_default() {
        match policy_file::read_named(&file) {
            Ok(policy) => {
                let parts = policy_file::parts_of(&file, streams.stdin, coloured)?;
                files.push((file, lint::lint(&policy, &parts, now)));
            }
            Err(faults) => broken = policy_file::unusable(&file, &faults, coloured).report(streams.stderr),
        }
    }
    let report = LintReport { files };
    let text = match args.format {
        PlainFormat::Text => environment.fitted_rows(report.text(if coloured { Colour::Ansi } else { Colour::Plain })),
        PlainFormat::Json => report.json(),
    };
    output::print(streams.stdout, &text)?;
    let fails = match args.fail_on.threshold() {
        FailOn::Never => false,
        FailOn::Level(level) => report.heaviest().is_some_and(|heaviest| heaviest >= level),
    };
    Ok(if broken > 0 { broken } else { u8::from(fails) })
}

fn explain(code: &str, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    if code == "all" {
        output::print(streams.stdout, &agent_strace_report::lint_codes(None))?;
        return Ok(0);
    }
    let found = CODES.iter().find(|known| known.id.eq_ignore_ascii_case(code) || known.name == code);
    let Some(found) = found else {
        let known: Vec<&str> = CODES.iter().flat_map(|code| [code.id, code.name]).collect();
        let failure = Failure::new(format!("there is no code `{code}`")).did_you_mean(code, &known);
        return Err(failure.hint("`--explain all` lists them"));
    };
    output::print(streams.stdout, &agent_strace_report::lint_codes(Some(found)))?;
    Ok(0)
}
