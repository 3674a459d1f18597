//! Demands on logs and sessions: evidence, conditions and budgets.

use super::{Key, Keys, Length, Object, Rule, Shape, Syntax, UNBOUNDED, listed};
use crate::budgets::Measure;
use crate::evidence::{self, Grade, NEVER_OPEN, Weight};
use crate::parse::RATES;
use crate::sessions::Field;
use agent_strace_model::finding::Level;

const PATTERNS: Shape = Shape::List(&Shape::Text(Syntax::Pattern), Length::ANY);
const SOME_PATTERNS: Shape = Shape::List(&Shape::Text(Syntax::Pattern), Length::SOME);
/// The whole part of an amount has 32 bits.
pub(super) const DOLLARS: Shape = Shape::Number(0.0, 4_294_967_296.0);
const COUNT: Shape = Shape::Whole(0, UNBOUNDED);

pub(crate) static EVIDENCE: Object = Object {
    name: "Evidence",
    about: "The evidence that a log has to give, and the weight of evidence that is missing.",
    example: r#"{"minimum": "E1", "rules": {"evidence/unreadable": "error"}}"#,
    keys: Keys::Listed(&[
        Key::new(
            "minimum",
            Shape::Word(|| listed(Grade::NAMES)),
            "The least level that every log has to have. `E0`: the author of the change may have written the log. `E1`: \
             its chain of digests is intact, or the job that judges also ran the agent. `E2`: another job of the same run \
             produced it. `E3`: the caller of the gate verified an attestation of it. A log that the change holds has at \
             most `E1`.",
        ),
        Key::new(
            "repositories",
            PATTERNS,
            "Addresses or names that the repository has beside those of its remotes, such as the one before it was \
             renamed. A session that says that it ran in another repository accounts for nothing in a change. Owner and \
             host do not count.",
        ),
        Key::new(
            "rules",
            Shape::Object(&WEIGHTS),
            "Rule → the weight of its findings. `incomplete`: the verdict is not a pass, whatever `--fail-on` says.",
        ),
    ]),
    rule: Rule::Free,
};

pub(crate) static WEIGHTS: Object = Object {
    name: "Weights",
    about: "The weight of each kind of missing evidence.",
    example: r#"{"evidence/unreadable": "error"}"#,
    keys: Keys::Named(weights),
    rule: Rule::Free,
};

fn weights() -> Vec<Key> {
    evidence::DEFAULTS
        .iter()
        .map(|(rule, weight)| {
            let shape = if NEVER_OPEN.contains(rule) {
                Shape::Word(|| vec!["error".to_owned(), "incomplete".to_owned()])
            } else {
                Shape::Word(|| listed(Weight::NAMES))
            };
            Key::new(rule.as_str(), shape, about_weight(*weight))
        })
        .collect()
}

fn about_weight(default: Weight) -> &'static str {
    match default {
        Weight::Off => "The weight of findings of this rule; without the key `off`.",
        Weight::Incomplete => "The weight of findings of this rule; without the key `incomplete`.",
        Weight::Level(Level::Error) => "The weight of findings of this rule; without the key `error`.",
        Weight::Level(Level::Warning) => "The weight of findings of this rule; without the key `warning`.",
        Weight::Level(Level::Note) => "The weight of findings of this rule; without the key `note`.",
    }
}

pub(crate) static SESSIONS: Object = Object {
    name: "Sessions",
    about: "Field of a session → patterns, with `*` for any text.",
    example: r#"{"allow": {"agent": ["claude-code"]}, "deny": {"permission_mode": ["bypassPermissions"]}}"#,
    keys: Keys::Listed(&[
        Key::new(
            "allow",
            Shape::Object(&FIELDS),
            "Every recorded value has to match one of the patterns. A session that does not record the field is refused.",
        ),
        Key::new("deny", Shape::Object(&FIELDS), "No recorded value may match."),
    ]),
    rule: Rule::Free,
};

pub(crate) static FIELDS: Object = Object {
    name: "Fields",
    about: "The fields that logs record about a session.",
    example: r#"{"agent": ["claude-code"]}"#,
    keys: Keys::Named(fields),
    rule: Rule::Free,
};

fn fields() -> Vec<Key> {
    Field::ALL.iter().map(|field| Key::new(field.name(), SOME_PATTERNS, about_field(*field))).collect()
}

fn about_field(field: Field) -> &'static str {
    match field {
        Field::Agent => "The agent: `claude-code`.",
        Field::Branch => "The branch it worked on.",
        Field::Commit => "The commit it began with.",
        Field::Cwd => "The directory it ran in.",
        Field::Entrypoint => "The way it was started: `cli`, `sdk`.",
        Field::Host => "The name of the machine.",
        Field::Model => "The model that answered.",
        Field::PermissionMode => "The permission mode: `default`, `acceptEdits`.",
        Field::Repository => "The address of the repository.",
        Field::Sandbox => "The sandbox that commands ran in.",
        Field::User => "The user who ran it.",
        Field::Version => "The version of the agent.",
    }
}

pub(crate) static BUDGETS: Object = Object {
    name: "Budgets",
    about: "The limits of what a session may spend. The first unit above a limit breaks it, so 0 allows nothing.",
    example: r#"{"cost_usd": 5, "duration": "1h 30m", "tool_calls": 500}"#,
    keys: Keys::Named(budgets),
    rule: Rule::Beside { apart: &[], needs: &[("usd_per_million_tokens", "cost_usd")] },
};

pub(crate) static SUBAGENT: Object = Object {
    name: "SubagentBudgets",
    about: "The limits of what each sub-agent inside a session may spend.",
    example: r#"{"tool_calls": 100}"#,
    keys: Keys::Named(limits_of_subagents),
    rule: Rule::Free,
};

pub(crate) static BUDGET_PRICES: Object = Object {
    name: "BudgetPrices",
    about: "Dollars for a million tokens. All four have to be there: a price that is left out would count as 0.",
    example: r#"{"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}"#,
    keys: Keys::Named(prices),
    rule: Rule::Free,
};

/// The keys of `budgets`.
fn budgets() -> Vec<Key> {
    let mut keys: Vec<Key> = Measure::ALL.iter().map(|measure| limit(*measure)).collect();
    keys.push(Key::new("per_subagent", Shape::Object(&SUBAGENT), "Limits for each sub-agent by itself."));
    let about = "The prices of tokens for `cost_usd`; without them the price table counts.";
    keys.push(Key::new("usd_per_million_tokens", Shape::Object(&BUDGET_PRICES), about));
    keys
}

/// The keys of `budgets.per_subagent`.
fn limits_of_subagents() -> Vec<Key> {
    Measure::ALL.iter().filter(|measure| measure.of_subagents()).map(|measure| limit(*measure)).collect()
}

/// The keys of `budgets.usd_per_million_tokens`.
fn prices() -> Vec<Key> {
    RATES.iter().map(|rate| Key::new(rate, DOLLARS, about_rate(rate)).required()).collect()
}

/// The tokens that a price is for.
pub(super) fn about_rate(rate: &str) -> &'static str {
    match rate {
        "input" => "Tokens that go to the model.",
        "output" => "Tokens that come from the model.",
        "cache_read" => "Tokens that a cache gave back.",
        "cache_write" => "Tokens that a cache took in.",
        _ => "Tokens that a cache took in and keeps for an hour.",
    }
}

fn limit(measure: Measure) -> Key {
    let (shape, about) = match measure {
        Measure::CostUsd => (DOLLARS, "Dollars, with at most six decimals."),
        Measure::DelegatedTasks => (COUNT, "Tasks that agents gave to sub-agents."),
        Measure::Duration => {
            (Shape::Text(Syntax::Duration), "Time from the first to the last event: `1h`, `90m`, `1h 30m`, `PT1H`.")
        }
        Measure::FilesChanged => (COUNT, "Files that were changed."),
        Measure::InputTokens => (COUNT, "Tokens that went to models."),
        Measure::ModelCalls => (COUNT, "Requests to models."),
        Measure::ModelTurns => (COUNT, "Answers of models."),
        Measure::NetworkHosts => (COUNT, "Hosts that were contacted."),
        Measure::OutputTokens => (COUNT, "Tokens that came from models."),
        Measure::ReasoningTokens => (COUNT, "Tokens that models spent on reasoning."),
        Measure::SessionTurns => (COUNT, "Prompts of the user."),
        Measure::Subagents => (COUNT, "Sub-agents that were started."),
        Measure::ToolCalls => (COUNT, "Calls of tools."),
        Measure::TotalTokens => (COUNT, "Tokens of all kinds."),
    };
    Key::new(measure.name(), shape, about)
}
