//! `policy test`: the tests that stand in a policy, cases of a file, or disguises of what the policy forbids.

use std::path::Path;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::effects::{glyphs, judged_events};
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::{output, policy_file};
use super::args::TestArgs;
use agent_strace_engine::policy_testing::{self, Checked, Mismatch, Strictness};
use agent_strace_policy::{Answer, Decision, Policy, nearest};
use agent_strace_report::{Colour, FailedCase, MutantsReport, TrialFailure, TrialsReport};

/// Pieces of advice on one failure.
const MOST_ADVICE: usize = 3;

pub(super) fn run(args: &TestArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let coloured = environment.colour && !args.no_color;
    let file = args.policy();
    let file = file.as_str();
    let policy = policy_file::read_named(file).map_err(|faults| policy_file::unusable(file, &faults, coloured))?;
    if args.mutate {
        return mutate(args, file, &policy, environment, streams);
    }
    let (source, cases) = match &args.cases {
        None => (file, policy_testing::inline(&policy)),
        Some(path) => (path.as_str(), cases_of_file(path)?),
    };
    if cases.is_empty() {
        return Err(Failure::new(format!("there are no tests in `{source}`")).hint(EXAMPLE));
    }
    let strictness = if args.accept_unresolved { Strictness::Refused } else { Strictness::Exact };
    let checked = policy_testing::check(&policy, cases, strictness);
    let (failed, passed): (Vec<_>, Vec<_>) = checked.iter().partition(|checked| checked.mismatch.is_some());
    let failures = failed.into_iter().map(|checked| failure(&policy, checked)).collect();
    let report = TrialsReport::new(file, source, passed.len(), policy.examples(), failures);
    let colour = if coloured { Colour::Ansi } else { Colour::Plain };
    let text = match args.format {
        PlainFormat::Text => environment.fitted_rows(report.text(colour, glyphs(environment))),
        PlainFormat::Json => report.json(),
    };
    output::print(streams.stdout, &text)?;
    Ok(report.exit_code())
}

/// Disguises what each entry of the policy forbids.
fn mutate(
    args: &TestArgs,
    file: &str,
    policy: &Policy,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let coloured = environment.colour && !args.no_color;
    let parts = policy_file::parts_of(file, streams.stdin, coloured)?;
    let entries = policy_testing::fragility(policy, &parts);
    let report = MutantsReport { policy: file, entries: &entries, fail_on: args.fail_on.threshold() };
    let text = match args.format {
        PlainFormat::Text => environment.fitted_rows(report.text(if coloured { Colour::Ansi } else { Colour::Plain })),
        PlainFormat::Json => report.json(),
    };
    output::print(streams.stdout, &text)?;
    Ok(report.exit_code())
}

const EXAMPLE: &str = "write \"tests\": [{ \"tool\": \"Bash\", \"input\": { \"command\": \"cat .env\" }, \"expect\": \"deny\" }] \
into a policy of version 2, or name a file with `--cases`; `--mutate` needs no tests";

fn cases_of_file(path: &str) -> Result<Vec<policy_testing::Case>, Failure> {
    let bytes = output::read_small(Path::new(path)).ok_or_else(|| {
        Failure::new(format!("the cases `{path}` can't be read: no plain file of a size to read at once"))
    })?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::new(format!("the cases `{path}` are not UTF-8 text")))?;
    policy_testing::cases_of(&text).map_err(|error| {
        Failure::new(format!("the cases `{path}` can't be used: {error}"))
            .hint("one case a line: {\"tool\": \"Bash\", \"input\": {\"command\": \"rm x\"}, \"expect\": \"deny\"}")
    })
}

fn failure(policy: &Policy, checked: &Checked) -> TrialFailure {
    let Checked { case, tried, mismatch } = checked;
    let decided_by = tried.decided_by();
    let (why, advice) = match (mismatch, &case.rule) {
        (Some(Mismatch::Rule), Some(rule)) => wrong_rule(policy, rule, &decided_by),
        _ => (
            format!("expected {}, got {}{}", case.expect.name(), tried.answer.name(), by(&decided_by)),
            advice(policy, checked),
        ),
    };
    TrialFailure::new(
        FailedCase { name: &case.name, line: case.line, expected: case.expect.name(), answer: tried.answer.name() },
        decided_by,
        &why,
        &advice,
        judged_events(&policy_testing::session(&case.calls, &case.caller), policy, &tried.entries),
    )
}

fn by(decided_by: &[String]) -> String {
    if decided_by.is_empty() { String::new() } else { format!(" by {}", decided_by.join(", ")) }
}

fn wrong_rule(policy: &Policy, rule: &str, decided_by: &[String]) -> (String, Vec<String>) {
    let names: Vec<&str> = policy.entries().map(|entry| entry.name.as_str()).collect();
    let by = if decided_by.is_empty() { "no entry".to_owned() } else { decided_by.join(", ") };
    let why = format!("expected {rule} to decide, but it was {by}");
    let known = names.contains(&rule) || rule.contains('/');
    let near = nearest(rule, &names).filter(|_| !known);
    let help = near.map(|near| format!("no entry is called `{rule}`; did you mean `{near}`?"));
    (why, help.into_iter().collect())
}

/// What would make the policy answer as expected.
fn advice(policy: &Policy, checked: &Checked) -> Vec<String> {
    let Checked { case, tried, .. } = checked;
    if case.expect == Answer::Deny && tried.answer == Answer::Unresolved {
        let gate = if tried.fails() { "the gate refuses it" } else { "the gate warns" };
        let more = if tried.fails() { "; `--accept-unresolved` takes that for a deny" } else { "" };
        return vec![format!("{gate}, because it can't be resolved; no entry denies it for certain{more}")];
    }
    let stricter = case.expect > tried.answer;
    let concerned = tried.entries.iter().filter(|entry| match entry.decision {
        Decision::Allowed | Decision::Unruled => stricter,
        Decision::Unresolved | Decision::Asked | Decision::Denied => !stricter,
    });
    let version = policy.identity().map_or(1, |identity| identity.version);
    let mut advice: Vec<String> = Vec::new();
    for one in concerned.filter_map(|entry| policy_testing::advice(entry, version)) {
        if !advice.contains(&one) && advice.len() < MOST_ADVICE {
            advice.push(one);
        }
    }
    advice
}
