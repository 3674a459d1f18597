//! `.agent-strace-lint.json` → which lint rules look, at which level and from which thresholds on.
//!
//! What rules there are and what each can be told is theirs: they declare it, and this reads it. A rule that the file
//! names and nobody knows, a level that is none and a threshold of the wrong type are faults, never defaults.

use std::collections::BTreeMap;

use crate::json::{Data, Key, Value};
use crate::{Diagnostics, Parser, nearest, quoted};
use agent_strace_model::finding::{Family, Level, PolicyLocation, RuleId};

/// The file's usual name.
pub const NAME: &str = ".agent-strace-lint.json";

/// Beside the parameters of a rule.
const COMMON: &[&str] = &["enabled", "level"];

/// The names of levels, and what they are called elsewhere.
const LEVELS: &[(&str, Level)] = &[
    ("ERROR", Level::Error),
    ("WARN", Level::Warning),
    ("INFO", Level::Note),
    ("WARNING", Level::Warning),
    ("NOTE", Level::Note),
];

/// A lint rule, as far as it can be told something.
#[derive(Debug, Clone, Copy)]
pub struct Declared {
    /// Without the family: `tool-loop`.
    pub name: &'static str,
    pub parameters: &'static [Parameter],
}

/// A number that a rule goes by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    pub key: &'static str,
    /// `None`: without a value the rule has nothing to go by.
    pub default: Option<f64>,
    pub unit: Unit,
}

/// What a number may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A whole number from 1 on.
    Count,
    /// Above 0, up to 1.
    Share,
    /// Above 0.
    Dollars,
}

impl Unit {
    fn holds(self, number: f64) -> bool {
        match self {
            Self::Count => number >= 1.0 && number.fract() == 0.0 && number <= f64::from(u32::MAX),
            Self::Share => number > 0.0 && number <= 1.0,
            Self::Dollars => number > 0.0 && number.is_finite(),
        }
    }

    fn wanted(self) -> &'static str {
        match self {
            Self::Count => "a whole number from 1 on",
            Self::Share => "a share above 0, up to 1",
            Self::Dollars => "an amount of dollars above 0",
        }
    }
}

/// What the file says of one rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuning {
    pub enabled: bool,
    /// `None`: the rule's own.
    pub level: Option<Level>,
    numbers: BTreeMap<&'static str, f64>,
    /// Where the file speaks of the rule; `None`: it does not.
    pub location: Option<PolicyLocation>,
    /// An eval counts what it finds.
    pub is_counted: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { enabled: true, level: None, numbers: BTreeMap::new(), location: None, is_counted: false }
    }
}

impl Tuning {
    /// As the file says, else the default.
    pub fn number(&self, parameter: &Parameter) -> Option<f64> {
        self.numbers.get(parameter.key).copied().or(parameter.default)
    }
}

/// What the file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lints {
    rules: BTreeMap<String, Tuning>,
}

impl Lints {
    /// `file`: as users know it.
    pub fn read(file: &str, bytes: &[u8], declared: &[Declared]) -> Result<Self, Diagnostics> {
        let text = super::text(file, bytes)?;
        let mut parser = Parser::of_configuration(file, text);
        let mut lints = Self::default();
        if let Some(root) = parser.strict_json(text) {
            lints.members(&mut parser, &root, declared);
        }
        parser.finish(lints)
    }

    /// `name` without the family.
    pub fn of(&self, name: &str) -> Tuning {
        self.rules.get(name).cloned().unwrap_or_default()
    }

    /// With rules whose findings somebody counts: they have to judge. Names with the family.
    pub fn counting<'n>(mut self, rules: impl Iterator<Item = &'n str>) -> Self {
        for rule in rules.filter_map(RuleId::find).filter(|rule| rule.family() == Family::Lint) {
            self.rules.entry(rule.short().to_owned()).or_default().is_counted = true;
        }
        self
    }

    fn members(&mut self, parser: &mut Parser<'_>, root: &Value, declared: &[Declared]) {
        let known: Vec<&str> = declared.iter().map(|rule| rule.name).chain(["$schema"]).collect();
        let Some(members) = parser.object(root, "", &known) else { return };
        parser.keys_beside(&members, "", &known, &[]);
        for (key, value) in members {
            // The name that findings have is as good.
            let Some(rule) = declared.iter().find(|rule| rule.name == key.name) else { continue };
            let mut tuning = tuning(parser, key, value, rule);
            tuning.location = Some(parser.location(value, &format!("/{}", key.name)));
            self.rules.insert(rule.name.to_owned(), tuning);
        }
    }
}

fn tuning(parser: &mut Parser<'_>, rule: &Key, value: &Value, declared: &Declared) -> Tuning {
    let above = format!("/{}", rule.name);
    let mut tuning = Tuning::default();
    let known: Vec<&str> =
        COMMON.iter().copied().chain(declared.parameters.iter().map(|parameter| parameter.key)).collect();
    let Some(members) = parser.object(value, &above, &known) else { return tuning };
    parser.keys_beside(&members, &above, &known, &[]);
    for (key, value) in members {
        let pointer = format!("{above}/{}", key.name);
        match (key.name.as_str(), &value.data) {
            ("enabled", Data::Bool(enabled)) => tuning.enabled = *enabled,
            ("enabled", _) => parser.wrong_type(value, &pointer, "true or false"),
            ("level", _) => tuning.level = level(parser, value, &pointer),
            (name, _) => {
                let declared = declared.parameters.iter().find(|parameter| parameter.key == name);
                if let Some((key, number)) = declared.and_then(|parameter| number(parser, value, &pointer, parameter)) {
                    tuning.numbers.insert(key, number);
                }
            }
        }
    }
    tuning
}

fn number(parser: &mut Parser<'_>, value: &Value, pointer: &str, parameter: &Parameter) -> Option<(&'static str, f64)> {
    let wanted = parameter.unit.wanted();
    let Data::Number(text) = &value.data else {
        parser.wrong_type(value, pointer, wanted);
        return None;
    };
    let number = text.parse::<f64>().ok().filter(|number| parameter.unit.holds(*number));
    if number.is_none() {
        parser.fault(value, pointer, format!("{} is not {wanted}", quoted(text)), None);
    }
    Some((parameter.key, number?))
}

fn level(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<Level> {
    let Data::Text(text) = &value.data else {
        parser.wrong_type(value, pointer, "\"ERROR\", \"WARN\" or \"INFO\"");
        return None;
    };
    let level = LEVELS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, level)| *level);
    if level.is_none() {
        let names: Vec<&str> = LEVELS.iter().map(|(name, _)| *name).collect();
        let near = nearest(&text.to_uppercase(), &names).map(|near| format!("did you mean \"{near}\"?"));
        let help = near.unwrap_or_else(|| "write \"ERROR\", \"WARN\" or \"INFO\"".to_owned());
        parser.fault(value, pointer, format!("{} is no level", quoted(text)), Some(help));
    }
    level
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &[Declared] = &[
        Declared {
            name: "tool-loop",
            parameters: &[Parameter { key: "threshold", default: Some(5.0), unit: Unit::Count }],
        },
        Declared { name: "no-output", parameters: &[] },
        Declared {
            name: "budget-proximity",
            parameters: &[
                Parameter { key: "threshold", default: Some(0.9), unit: Unit::Share },
                Parameter { key: "budget_dollars", default: None, unit: Unit::Dollars },
            ],
        },
    ];

    fn read(text: &str) -> Result<Lints, String> {
        Lints::read("lint.json", text.as_bytes(), DECLARED).map_err(|faults| faults.to_string())
    }

    #[test]
    fn what_the_file_says_stands_over_the_defaults() {
        let lints = read(
            r#"{"tool-loop": {"threshold": 7, "level": "ERROR"}, "no-output": {"enabled": false},
                "budget-proximity": {"budget_dollars": 2.5, "level": "info"}}"#,
        )
        .unwrap();
        let [threshold, ..] = DECLARED[0].parameters else { panic!("one parameter") };
        assert_eq!(lints.of("tool-loop").number(threshold), Some(7.0));
        assert_eq!(lints.of("tool-loop").level, Some(Level::Error));
        assert!(!lints.of("no-output").enabled);
        assert_eq!(lints.of("budget-proximity").number(&DECLARED[2].parameters[0]), Some(0.9));
        assert_eq!(lints.of("budget-proximity").number(&DECLARED[2].parameters[1]), Some(2.5));
        assert_eq!(lints.of("budget-proximity").level, Some(Level::Note));
        assert_eq!(read("{}").unwrap().of("tool-loop"), Tuning::default());
    }

    #[test]
    fn what_is_wrong_is_told_and_never_a_default() {
        for (text, said) in [
            (r#"{"tool-lop": {}}"#, "unknown key `tool-lop`"),
            (r#"{"tool-loop": {"threshold": "3"}}"#, "whole number"),
            (r#"{"tool-loop": {"threshold": 0}}"#, "`0` is not a whole number from 1 on"),
            (r#"{"tool-loop": {"threshold": 2.5}}"#, "`2.5` is not a whole number"),
            (r#"{"tool-loop": {"treshold": 3}}"#, "unknown key `treshold`"),
            (r#"{"tool-loop": {"level": "eror"}}"#, "`eror` is no level"),
            (r#"{"tool-loop": {"enabled": "no"}}"#, "true or false"),
            (r#"{"tool-loop": 7}"#, "object"),
            (r#"{"budget-proximity": {"threshold": 1.5}}"#, "share"),
            (r#"{"tool-loop": {},}"#, "trailing comma"),
            ("[1]", "object"),
            ("", "expected a value"),
        ] {
            let told = read(text).unwrap_err();
            assert!(told.contains(said), "{text}: {told}");
        }
    }
}
