//! One entry of `scorers`.

use regex::Regex;

use super::fields::Fields;
use super::scope::{self, Reads};
use super::{Commands, Estimates, Scorer, Test, Texts};
use crate::waivers::{built_in, built_in_ids};
use crate::{nearest, quoted};
use agent_strace_model::finding::{Family, Level};

/// Sums of weights stay exact.
const HEAVIEST: f64 = 1e6;

/// What every scorer takes.
pub(crate) const COMMON: &[&str] = &["type", "name", "threshold", "weight"];

/// Type, and the parameters that it takes beside the common ones.
pub(crate) const TYPES: &[(&str, &[&str])] = &[
    ("commands_matching", &["patterns", "min", "max"]),
    ("cost_under", &["max_dollars", "estimates"]),
    ("duration_under", &["max_seconds"]),
    ("files_scoped", &["allowed_paths"]),
    ("llm_judge", &["prompt", "model", "base_url"]),
    ("max_findings", &["max", "level", "rules"]),
    ("no_errors", &[]),
    ("regex", &["pattern", "event_type"]),
    ("tests_ran", &["commands"]),
    ("writes_within", &["allowed_paths"]),
];

pub(crate) const TEXTS: &[(&str, Texts)] = &[
    ("assistant_response", Texts::Responses),
    ("decision", Texts::Decisions),
    ("error", Texts::Errors),
    ("tool_result", Texts::Results),
    ("user_prompt", Texts::Prompts),
];

pub(crate) const LEVELS: &[(&str, Level)] =
    &[("error", Level::Error), ("warning", Level::Warning), ("note", Level::Note)];

/// Programs that run tests, as projects call them. What one of these did is proof, so there is no word here that may do
/// something else.
pub(super) const TEST_COMMANDS: &[&str] = &[
    "./gradlew check",
    "./gradlew test",
    "./mvnw test",
    "./mvnw verify",
    ".venv/bin/pytest",
    ".venv/bin/python -m pytest",
    "bazel test",
    "bun test",
    "cargo nextest r",
    "cargo nextest run",
    "cargo test",
    "composer test",
    "ctest",
    "deno test",
    "dotnet test",
    "go test",
    "gradle test",
    "gradlew test",
    "jest",
    "just test",
    "make check",
    "make test",
    "mix test",
    "mvn test",
    "mvn verify",
    "nox",
    "npm run test",
    "npm run test:*",
    "npm t",
    "npm test",
    "phpunit",
    "pnpm run test",
    "pnpm run test:*",
    "pnpm test",
    "pytest",
    "python -m pytest",
    "python -m unittest",
    "python3 -m pytest",
    "python3 -m unittest",
    "rake test",
    "rspec",
    "swift test",
    "tox",
    "venv/bin/pytest",
    "vitest",
    "yarn run test",
    "yarn run test:*",
    "yarn test",
];

pub(super) fn read(fields: &mut Fields<'_, '_, '_>) -> Option<Scorer> {
    if !fields.demand("type", "no_errors") {
        return None;
    }
    let kinds: Vec<(&str, &(&str, &[&str]))> = TYPES.iter().map(|row| (row.0, row)).collect();
    let (kind, own) = fields.one_of("type", "scorer", &kinds)?;
    fields.only_these(&[COMMON, own].concat());
    let name = fields.text("name").unwrap_or_else(|| (*kind).to_owned());
    let threshold = fields.share("threshold");
    let weight = fields.number("weight");
    if weight.is_some_and(|weight| weight > HEAVIEST) {
        let help = format!("weights are shares: the highest is {HEAVIEST}");
        fields.fault_at("weight", "this weight is too high".to_owned(), &help);
    }
    let test = test(kind, fields)?;
    Some(Scorer {
        name,
        test,
        threshold: threshold.unwrap_or(1.0),
        weight: weight.unwrap_or(1.0),
        location: fields.location(),
    })
}

fn test(kind: &str, fields: &mut Fields<'_, '_, '_>) -> Option<Test> {
    Some(match kind {
        "cost_under" => {
            let estimates = estimates(fields);
            Test::CostUnder { dollars: demanded(fields, "max_dollars", "10")?, estimates }
        }
        "duration_under" => Test::DurationUnder { seconds: demanded(fields, "max_seconds", "120")? },
        "files_scoped" => Test::FilesScoped(scope::paths(fields, "allowed_paths", Reads::Bounded)?),
        "writes_within" => Test::WritesWithin(scope::paths(fields, "allowed_paths", Reads::Free)?),
        "regex" => regex(fields)?,
        "max_findings" => Test::MaxFindings {
            most: fields.whole("max").unwrap_or(0),
            level: fields.one_of("level", "level", LEVELS).unwrap_or(Level::Error),
            rules: rules(fields)?,
        },
        "commands_matching" => matching(fields)?,
        "tests_ran" => Test::TestsRan(test_commands(fields)?),
        "llm_judge" => Test::LlmJudge,
        _ => Test::NoErrors,
    })
}

/// Rules that there are, or families of them: one that does not exist would never be found.
fn rules(fields: &mut Fields<'_, '_, '_>) -> Option<Vec<String>> {
    if !fields.has("rules") {
        return Some(Vec::new());
    }
    let rules = fields.texts("rules")?;
    let known = |rule: &str| {
        let family = rule.trim_end_matches('*').strip_suffix('/');
        let is_family = |name: &str| Family::ALL.iter().any(|family| family.name() == name);
        built_in(rule).is_some() || family.is_some_and(is_family)
    };
    for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| !known(rule)) {
        let help = match nearest(rule, &built_in_ids()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`agent-strace rules` lists them; `scope/` names all of a family".to_owned(),
        };
        fields.fault_in("rules", index, format!("there is no rule {}", quoted(rule)), Some(help));
    }
    Some(rules)
}

fn demanded(fields: &mut Fields<'_, '_, '_>, name: &str, example: &str) -> Option<f64> {
    if !fields.demand(name, example) {
        return None;
    }
    fields.number(name)
}

pub(super) fn estimates(fields: &mut Fields<'_, '_, '_>) -> Estimates {
    if fields.flag("estimates") == Some(true) { Estimates::Count } else { Estimates::Refuse }
}

fn regex(fields: &mut Fields<'_, '_, '_>) -> Option<Test> {
    let texts = fields.one_of("event_type", "type of event with a text", TEXTS);
    if !fields.demand("pattern", "'all tests passed'") {
        return None;
    }
    let text = fields.text("pattern")?;
    match Regex::new(&text) {
        Ok(pattern) => Some(Test::Regex { pattern, texts: texts.unwrap_or(Texts::Responses) }),
        Err(error) => {
            let said = error.to_string();
            let reason = said.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let help = "patterns are matched in linear time: there are no look-arounds and no back-references";
            fields.fault_at("pattern", format!("this is no pattern: {reason}"), help);
            None
        }
    }
}

fn matching(fields: &mut Fields<'_, '_, '_>) -> Option<Test> {
    let (least, most) = (fields.whole("min"), fields.whole("max"));
    if least.is_none() && most.is_none() && !fields.has("min") && !fields.has("max") {
        let help = "write `max: 0` for commands that may not run, `min: 1` for one that has to";
        fields.fault("it says neither how often they have to run nor how often they may".to_owned(), help);
    }
    if let (Some(least), Some(most)) = (least, most)
        && least > most
    {
        fields.fault_at("min", format!("`min` ({least}) is above `max` ({most})"), "nothing can be both");
    }
    if !fields.demand("patterns", "[cargo test]") {
        return None;
    }
    let patterns = fields.texts("patterns")?;
    let commands = scope::commands(fields, "patterns", &patterns)?;
    Some(Test::CommandsMatching { commands, least: least.unwrap_or(0), most })
}

fn test_commands(fields: &mut Fields<'_, '_, '_>) -> Option<Box<Commands>> {
    let named = fields.texts("commands");
    if named.is_none() && fields.has("commands") {
        return None;
    }
    let patterns = named.unwrap_or_else(|| TEST_COMMANDS.iter().map(|command| (*command).to_owned()).collect());
    scope::commands(fields, "commands", &patterns)
}
