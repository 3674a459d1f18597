//! Tables that people keep: what identifies somebody (`.agent-strace/anonymize.yaml`), and prices of models.

use super::demands::{DOLLARS, about_rate};
use super::{Empty, Format, Key, Keys, Length, Object, Rule, Shape, Syntax, UNBOUNDED, Versions, listed};
use crate::config::anonymize::{CLASSES, MOST_RULES};

pub(super) const ANONYMIZING_FORMAT: Format = Format {
    file: ".agent-strace/anonymize.yaml",
    command: "anonymize-config",
    title: "anonymize.yaml",
    name: "agent-strace-anonymize",
    root: &ANONYMIZING,
    note: "Another name of the file is `.agent-strace/anonymize.yml`. In double quotes a backslash is a backslash, unless a quote or another backslash follows it.",
    empty: Empty::Taken,
    foreign: &[],
    versions: Versions::One,
};

pub(super) const PRICES_FORMAT: Format = Format {
    file: "--prices FILE",
    command: "prices",
    title: "prices",
    name: "prices",
    root: &PRICES,
    note: "",
    empty: Empty::Refused,
    foreign: &[],
    versions: Versions::One,
};

const LINE: Shape = Shape::Text(Syntax::Line1);

pub(crate) static ANONYMIZING: Object = Object {
    name: "Anonymizing",
    about: "Texts that `export --anonymize` replaces beside those it finds by itself, and texts that stay.",
    example: r#"{"identities": [{"class": "person", "value": "Dana Doe"}]}"#,
    keys: Keys::Listed(&[
        Key::new(
            "rules",
            Shape::OrNull(&Shape::List(&Shape::Object(&PATTERN_RULE), Length::up_to(MOST_RULES))),
            "Patterns, each with the text that takes the place of what it finds.",
        ),
        Key::new(
            "identities",
            Shape::OrNull(&Shape::List(&Shape::Either(&[LINE, Shape::Object(&IDENTITY)]), Length::ANY)),
            "Names that identify somebody or something, in every spelling. A text alone has the class `named`.",
        ),
        Key::new(
            "keep",
            Shape::OrNull(&Shape::List(&Shape::Object(&KEEP), Length::ANY)),
            "Values that identify no person, machine or project: they stay as they are.",
        ),
    ]),
    rule: Rule::Free,
};

pub(crate) static PATTERN_RULE: Object = Object {
    name: "PatternRule",
    about: "A pattern, and the text that takes the place of what it finds.",
    example: r#"{"pattern": "CASE-[0-9]+", "replacement": "<CASE>"}"#,
    keys: Keys::Listed(&[
        Key::new("pattern", LINE, "A regular expression without look-around and back-references.").required(),
        Key::new(
            "replacement",
            Shape::Text(Syntax::MaybeEmpty),
            "Taken as it is, without the key `<REDACTED>`; no rule may find it.",
        ),
        Key::new(
            "description",
            LINE,
            "The name in the manifest. It is exported, so it must not say what the rule hides.",
        ),
    ]),
    rule: Rule::Free,
};

pub(crate) static IDENTITY: Object = Object {
    name: "Identity",
    about: "A name that identifies somebody or something.",
    example: r#"{"class": "person", "value": "Dana Doe"}"#,
    keys: Keys::Listed(&[
        Key::new(
            "class",
            Shape::Word(|| listed(CLASSES)),
            "The kind of thing that it identifies; without the key `named`.",
        ),
        Key::new("value", LINE, "The name.").required(),
    ]),
    rule: Rule::Free,
};

pub(crate) static KEEP: Object = Object {
    name: "Keep",
    about: "A value that stays visible.",
    example: r#"{"value": "buildbot", "reason": "a shared account"}"#,
    keys: Keys::Listed(&[
        Key::new("value", LINE, "The value.").required(),
        Key::new("reason", LINE, "The reason for which it may be seen.").required(),
    ]),
    rule: Rule::Free,
};

pub(crate) static PRICES: Object = Object {
    name: "Prices",
    about: "Prices of models and the sizes of their contexts: rows of `--prices` count before those of this build.",
    example: r#"{"version": 1, "models": []}"#,
    keys: Keys::Listed(&[
        Key::new("version", Shape::Whole(1, 1), "The version of this format: 1.").required(),
        Key::new("models", Shape::List(&Shape::Object(&MODEL), Length::ANY), "One row for each model.").required(),
    ]),
    rule: Rule::Free,
};

const fn rate(name: &'static str, about: &'static str) -> Key {
    Key::new(name, DOLLARS, about)
}

pub(crate) static MODEL: Object = Object {
    name: "Model",
    about: "One model. Amounts are dollars for a million tokens, with at most six decimals.",
    example: r#"{"model": "house-model", "window": 200000, "input": 3, "output": 15, "source": "contract 17", "date": "2026-07-02"}"#,
    keys: Keys::Listed(&[
        Key::new("model", LINE, "The name in logs.").required(),
        Key::new("also", Shape::List(&LINE, Length::ANY), "Other names of the same model in logs."),
        Key::new("short", LINE, "A name for it on the command line."),
        Key::new("window", Shape::Whole(1, UNBOUNDED), "The most tokens that one prompt may have.").required(),
        rate("input", "Tokens that go to the model.").required(),
        rate("output", "Tokens that come from the model.").required(),
        rate("cache_read", "Tokens that a cache gave back; without the key as `input`."),
        rate("cache_write", "Tokens that a cache took in; without the key as `input`."),
        rate("cache_write_1h", "Tokens that a cache keeps for an hour; without the key as `cache_write`."),
        Key::new("over", Shape::Object(&OVER), "Other prices of long prompts."),
        Key::new("source", LINE, "The list or contract that these prices are from.").required(),
        Key::new("date", Shape::Text(Syntax::Day), "The day on which they were listed so.").required(),
    ]),
    rule: Rule::Free,
};

pub(crate) static OVER: Object = Object {
    name: "Over",
    about: "Other prices of requests whose prompt has more tokens than this.",
    example: r#"{"tokens": 200000, "input": 6, "output": 22.5}"#,
    keys: Keys::Named(|| {
        let tokens = Key::new("tokens", Shape::Whole(1, UNBOUNDED), "The tokens above which these prices hold.");
        let required = ["input", "output"];
        let rates = crate::prices::RATES.iter().map(|name| {
            let key = rate(name, about_rate(name));
            if required.contains(name) { key.required() } else { key }
        });
        [tokens.required()].into_iter().chain(rates).collect()
    }),
    rule: Rule::Free,
};
