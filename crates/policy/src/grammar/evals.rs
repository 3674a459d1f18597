//! Demands on every session: `.agent-evals.yaml`.

use super::rules::ANY_COUNT;
use super::{Empty, Format, Key, Keys, Kind, Length, Object, Rule, Shape, Syntax, UNBOUNDED, Versions, listed, words};
use crate::config::evals::{ALIASES, COMMON, FailOn, LEVELS, Metric, STATUSES, TEXTS, TYPES};

pub(super) const FORMAT: Format = Format {
    file: ".agent-evals.yaml",
    command: "evals",
    title: "agent-evals.yaml",
    name: "agent-evals",
    root: &EVALS,
    note: "Another name of the file is `.agent-evals.yml`. The examples are JSON, which is YAML, too.",
    empty: Empty::Refused,
    foreign: &[],
    versions: Versions::One,
};

const POSITIVE: Shape = Shape::Number(0.0, f64::MAX);
const SHARE: Shape = Shape::NumberAbove(0.0, 1.0);
const NUMBER_OR_WORD: Shape = Shape::Either(&[POSITIVE, Shape::Word(|| listed(STATUSES))]);
const TEXTS_OF_LIST: Shape = Shape::List(&Shape::Text(Syntax::Said), Length::SOME);

pub(crate) static EVALS: Object = Object {
    name: "Evals",
    about: "Demands on every session.",
    example: r#"{"scorers": [{"type": "no_errors"}]}"#,
    keys: Keys::Listed(&[
        Key::new(
            "scorers",
            Shape::List(&Shape::Object(&SCORER), Length::SOME),
            "Each of these gives a session a score from 0 to 1.",
        ),
        Key::new("thresholds", Shape::Object(&THRESHOLDS), "The scores that the weighted score has to reach."),
        Key::new(
            "evals",
            Shape::List(&Shape::Object(&CRITERION), Length::SOME),
            "Each of these compares one number or word of a session.",
        ),
    ]),
    rule: Rule::AnyOf(&["scorers", "evals"]),
};

pub(crate) static THRESHOLDS: Object = Object {
    name: "Thresholds",
    about: "The scores that the weighted score of all scorers has to reach.",
    example: r#"{"pass": 0.85, "warn": 0.7}"#,
    keys: Keys::Listed(&[
        Key::new("pass", SHARE, "A session with this score passes."),
        Key::new(
            "warn",
            SHARE,
            "A session below this score fails; between `warn` and `pass`, which is not lower, there is a warning.",
        ),
    ]),
    rule: Rule::AnyOf(&["pass", "warn"]),
};

pub(crate) static SCORER: Object = Object {
    name: "Scorer",
    about: "Gives a session a score.",
    example: r#"{"type": "no_errors"}"#,
    keys: Keys::Listed(&[
        Key::new("type", Shape::Word(|| TYPES.iter().map(|row| row.0.to_owned()).collect()), "The kind of score.")
            .required(),
        Key::new("name", Shape::Text(Syntax::Said), "The name in reports and baselines; without the key the type."),
        Key::new("threshold", SHARE, "The least score that passes, above 0; without the key 1."),
        Key::new("weight", Shape::Number(0.0, 1e6), "The share of the weighted score; without the key 1."),
        Key::new("max_dollars", POSITIVE, "The most dollars that a session may cost."),
        Key::new("estimates", Shape::Switch, "A cost counts that was worked out from the length of texts."),
        Key::new("max_seconds", POSITIVE, "The longest time that a session may take."),
        Key::new("allowed_paths", TEXTS_OF_LIST, "Path patterns, as in the policy."),
        Key::new(
            "pattern",
            Shape::Text(Syntax::Said),
            "A regular expression. `commands_matching` has `patterns` instead.",
        ),
        Key::new("event_type", Shape::Word(|| words(TEXTS)), "The texts that are searched."),
        Key::new("max", ANY_COUNT, "The highest number that passes."),
        Key::new("min", ANY_COUNT, "The lowest number that passes."),
        Key::new("level", Shape::Word(|| words(LEVELS)), "The lowest level of findings that count."),
        Key::new(
            "rules",
            Shape::List(&Shape::Text(Syntax::RuleOrFamily), Length::SOME),
            "Rules that count, or families of them such as `scope/`.",
        ),
        Key::new("patterns", TEXTS_OF_LIST, "Commands, as in `commands` of the policy."),
        Key::new("commands", TEXTS_OF_LIST, "Commands that run tests; without the key the usual ones."),
        Key::new("prompt", Shape::Anything, "For `llm_judge`: this build asks no model."),
        Key::new("model", Shape::Anything, "For `llm_judge`: this build asks no model."),
        Key::new("base_url", Shape::Anything, "For `llm_judge`: this build asks no model."),
    ]),
    rule: Rule::Kinds { key: "type", kinds },
};

/// The parameters that a scorer of each type has to have.
fn required(kind: &str) -> &'static [&'static str] {
    match kind {
        "commands_matching" => &["patterns"],
        "cost_under" => &["max_dollars"],
        "duration_under" => &["max_seconds"],
        "files_scoped" | "writes_within" => &["allowed_paths"],
        "regex" => &["pattern"],
        _ => &[],
    }
}

fn kinds() -> Vec<Kind> {
    let kind = |(value, own): &(&str, &[&'static str])| Kind {
        value: (*value).to_owned(),
        keys: [COMMON, own].concat(),
        required: required(value),
        any_of: if *value == "commands_matching" { &["min", "max"] } else { &[] },
    };
    TYPES.iter().map(kind).collect()
}

pub(crate) static CRITERION: Object = Object {
    name: "Criterion",
    about: "Compares one number or word of a session.",
    example: r#"{"name": "cost-ceiling", "scorer": "cost_usd", "fail_on": "above", "threshold": 5}"#,
    keys: Keys::Listed(&[
        Key::new("name", Shape::Text(Syntax::Said), "The name in reports and baselines.").required(),
        Key::new(
            "scorer",
            Shape::Word(|| {
                let metrics = Metric::ALL.iter().map(|metric| metric.name());
                listed(&metrics.chain(ALIASES.iter().map(|alias| alias.0)).collect::<Vec<_>>())
            }),
            "The number or word of the session.",
        )
        .required(),
        Key::new("fail_on", Shape::Word(comparisons), "The comparison that fails, with hyphens or underscores.")
            .required(),
        Key::new("threshold", NUMBER_OR_WORD, "The value that it is compared with, for all but `not_equal`."),
        Key::new("expected", NUMBER_OR_WORD, "The value that it is compared with, for `not_equal`."),
        Key::new("min_change", POSITIVE, "A change of the baseline that says nothing."),
        Key::new("estimates", Shape::Switch, "A cost counts that was worked out from the length of texts."),
        Key::new(
            "context_window",
            Shape::Whole(0, UNBOUNDED),
            "The size of the model's context in tokens, where neither log nor table has it.",
        ),
    ]),
    rule: Rule::Kinds { key: "fail_on", kinds: bounds },
};

/// The key that each comparison needs.
fn bounds() -> Vec<Kind> {
    let kind = |value: String| {
        let other = if FailOn::NotEqual.name() == value.replace('-', "_") { "threshold" } else { "expected" };
        let keys = CRITERION.all().into_iter().map(|key| key.name).filter(|name| *name != other).collect();
        let required: &[&str] = if other == "threshold" { &["expected"] } else { &["threshold"] };
        Kind { value, keys, required, any_of: &[] }
    };
    comparisons().into_iter().map(kind).collect()
}

/// Each comparison in both of its spellings.
fn comparisons() -> Vec<String> {
    let both = FailOn::ALL.iter().flat_map(|mode| [mode.name().to_owned(), mode.name().replace('_', "-")]);
    both.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}
