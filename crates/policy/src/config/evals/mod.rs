//! `.agent-evals.yaml` → what a session has to be like, or everything that is wrong with the file.
//!
//! Two lists, which may stand together: `scorers` give a score from 0 to 1 each, `evals` compare one number of a session
//! with a threshold. Both are typed: a scorer knows its parameters, and a key that it does not know is a fault, not
//! something that silently restricts nothing. Nothing in the file names code: `module.function` is refused.

mod criterion;
mod fields;
mod scope;
mod scorer;

use regex::Regex;

use super::yaml;
use crate::grammar;
use crate::json::{Data, Key, Value};
use crate::{Diagnostics, Parser, Policy, quoted};
use agent_strace_model::finding::{Family, Level, PolicyLocation};

pub(crate) use criterion::{ALIASES, STATUSES};
use fields::Fields;
pub use scope::test_commands;
pub(crate) use scorer::{COMMON, LEVELS, TEXTS, TYPES};

/// The names it may have, the first one counts.
pub const NAMES: &[&str] = &[".agent-evals.yaml", ".agent-evals.yml"];

/// What `.agent-evals.yaml` demands of every session.
#[derive(Debug)]
pub struct Evals {
    /// As users know it.
    pub file: String,
    pub scorers: Vec<Scorer>,
    pub thresholds: Option<Thresholds>,
    pub criteria: Vec<Criterion>,
}

/// Gives a session a score from 0 to 1.
#[derive(Debug)]
pub struct Scorer {
    /// Its own, or that of its type.
    pub name: String,
    pub test: Test,
    /// The least score that passes.
    pub threshold: f64,
    /// Its share of the weighted score.
    pub weight: f64,
    pub location: PolicyLocation,
}

/// What a scorer looks at.
#[derive(Debug)]
pub enum Test {
    NoErrors,
    CostUnder {
        dollars: f64,
        estimates: Estimates,
    },
    /// Everything that is read or changed.
    FilesScoped(Box<Policy>),
    DurationUnder {
        seconds: f64,
    },
    Regex {
        pattern: Regex,
        texts: Texts,
    },
    MaxFindings {
        most: u64,
        level: Level,
        /// Rules, or families of them such as `scope/`. Empty: all.
        rules: Vec<String>,
    },
    /// Everything that is changed.
    WritesWithin(Box<Policy>),
    CommandsMatching {
        commands: Box<Commands>,
        least: u64,
        most: Option<u64>,
    },
    TestsRan(Box<Commands>),
    /// Asks a model. This build asks nobody.
    LlmJudge,
}

/// Whether a cost counts that was worked out from the length of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimates {
    Count,
    /// What is not recorded is not known.
    Refuse,
}

/// Which texts of a session are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    Responses,
    Prompts,
    Results,
    Errors,
    Decisions,
}

/// Commands by patterns, as the policy reads them.
#[derive(Debug)]
pub struct Commands {
    /// Allows them: what it allows is proven to be one.
    pub proven: Policy,
    /// Denies them: what it denies may be one.
    pub possible: Policy,
}

/// What the weighted score has to reach.
#[derive(Debug)]
pub struct Thresholds {
    pub pass: Option<(f64, PolicyLocation)>,
    pub warn: Option<(f64, PolicyLocation)>,
}

/// Compares one number of a session.
#[derive(Debug)]
pub struct Criterion {
    pub name: String,
    pub metric: Metric,
    pub fail_on: FailOn,
    pub bound: Bound,
    /// The change of a baseline that is none.
    pub slack: f64,
    pub estimates: Estimates,
    /// The size of the model's context, where the log or the table does not tell.
    pub context_window: Option<u64>,
    pub location: PolicyLocation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    ContextFillRatio,
    CostUsd,
    DurationSeconds,
    ErrorCount,
    LintViolations,
    RedundantReadRatio,
    SessionStatus,
    ToolCallCount,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    Above,
    AtOrAbove,
    Below,
    AtOrBelow,
    Equal,
    NotEqual,
}

/// What a metric is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Bound {
    Number(f64),
    Text(String),
}

impl Evals {
    /// What holds where there is no file: no error, and nothing else.
    pub fn standard() -> Self {
        let location = PolicyLocation { pointer: String::new(), line: 1, column: 1, file: None };
        let scorer =
            Scorer { name: "no_errors".to_owned(), test: Test::NoErrors, threshold: 1.0, weight: 1.0, location };
        Self { file: String::new(), scorers: vec![scorer], thresholds: None, criteria: Vec::new() }
    }

    /// It counts what lint rules find.
    pub fn counts_lints(&self) -> bool {
        let of_lints = |rules: &[String]| rules.iter().any(|rule| Family::of(rule) == Some(Family::Lint));
        let by_scorer = |scorer: &Scorer| matches!(&scorer.test, Test::MaxFindings { rules, .. } if of_lints(rules));
        let by_criterion = |criterion: &Criterion| criterion.metric == Metric::LintViolations;
        self.scorers.iter().any(by_scorer) || self.criteria.iter().any(by_criterion)
    }

    /// It counts what rules about private data find.
    pub fn counts_private(&self) -> bool {
        let private = |rule: &String| matches!(Family::of(rule), Some(Family::Pii | Family::Secret));
        let counts = |rules: &[String]| rules.is_empty() || rules.iter().any(private);
        self.scorers.iter().any(|scorer| matches!(&scorer.test, Test::MaxFindings { rules, .. } if counts(rules)))
    }

    /// The rules whose findings are counted by name.
    pub fn counted_rules(&self) -> impl Iterator<Item = &str> {
        let counted = self.scorers.iter().filter_map(|scorer| match &scorer.test {
            Test::MaxFindings { rules, .. } => Some(rules),
            _ => None,
        });
        counted.flatten().map(String::as_str)
    }

    /// Every name that a baseline has to know.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.kinds().map(|(name, _)| name)
    }

    /// Every name, and what is measured by it.
    pub fn kinds(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let scorers = self.scorers.iter().map(|scorer| (scorer.name.as_str(), scorer.test.name()));
        scorers.chain(self.criteria.iter().map(|criterion| (criterion.name.as_str(), criterion.metric.name())))
    }
}

impl Test {
    /// As the configuration has it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoErrors => "no_errors",
            Self::CostUnder { .. } => "cost_under",
            Self::FilesScoped(_) => "files_scoped",
            Self::DurationUnder { .. } => "duration_under",
            Self::Regex { .. } => "regex",
            Self::MaxFindings { .. } => "max_findings",
            Self::WritesWithin(_) => "writes_within",
            Self::CommandsMatching { .. } => "commands_matching",
            Self::TestsRan(_) => "tests_ran",
            Self::LlmJudge => "llm_judge",
        }
    }
}

impl Metric {
    pub const ALL: &[Self] = &[
        Self::ContextFillRatio,
        Self::CostUsd,
        Self::DurationSeconds,
        Self::ErrorCount,
        Self::LintViolations,
        Self::RedundantReadRatio,
        Self::SessionStatus,
        Self::ToolCallCount,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::ContextFillRatio => "context_fill_ratio",
            Self::CostUsd => "cost_usd",
            Self::DurationSeconds => "duration_seconds",
            Self::ErrorCount => "error_count",
            Self::LintViolations => "lint_violations",
            Self::RedundantReadRatio => "redundant_read_ratio",
            Self::SessionStatus => "session_status",
            Self::ToolCallCount => "tool_call_count",
        }
    }

    /// A change of it that says nothing: prices of a word, fractions of a second.
    fn usual_slack(self) -> f64 {
        match self {
            Self::CostUsd | Self::ContextFillRatio | Self::RedundantReadRatio => 0.01,
            Self::DurationSeconds => 1.0,
            Self::ErrorCount | Self::LintViolations | Self::SessionStatus | Self::ToolCallCount => 0.0,
        }
    }
}

impl FailOn {
    pub const ALL: &[Self] = &[Self::Above, Self::AtOrAbove, Self::Below, Self::AtOrBelow, Self::Equal, Self::NotEqual];

    pub fn name(self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::AtOrAbove => "at_or_above",
            Self::Below => "below",
            Self::AtOrBelow => "at_or_below",
            Self::Equal => "equal",
            Self::NotEqual => "not_equal",
        }
    }
}

/// `file`: as users know it.
pub fn read(file: &str, bytes: &[u8]) -> Result<Evals, Diagnostics> {
    let text = super::text(file, bytes)?;
    let mut parser = Parser::of_configuration(file, text);
    let mut evals = Evals { file: file.to_owned(), scorers: Vec::new(), thresholds: None, criteria: Vec::new() };
    match yaml::read(text) {
        Ok(root) => members(&mut parser, &root, &mut evals),
        Err(error) => parser.refuse(error),
    }
    parser.finish(evals)
}

fn members(parser: &mut Parser<'_>, root: &Value, evals: &mut Evals) {
    if !matches!(root.data, Data::Object(_)) {
        let message = format!("the evals are {}, not an object", root.data.name());
        let help = "write `scorers:` or `evals:` with a list below it".to_owned();
        return parser.fault(root, "", message, Some(help));
    }
    let Some(members) = parser.members(root, "", &grammar::EVALS) else { return };
    let mut names = Names::default();
    for (key, value) in &members {
        match key.name.as_str() {
            "scorers" => {
                let items = items(parser, value, "/scorers");
                evals.scorers = each(parser, items, "/scorers", &mut names, scorer::read);
            }
            "evals" => {
                let items = items(parser, value, "/evals");
                evals.criteria = each(parser, items, "/evals", &mut names, criterion::read);
            }
            "thresholds" => evals.thresholds = thresholds(parser, value),
            _ => {}
        }
    }
    let judges = members.iter().any(|(key, _)| matches!(key.name.as_str(), "scorers" | "evals"));
    if !judges {
        let help = "write `scorers:` or `evals:` with a list below it".to_owned();
        parser.fault(root, "", "nothing here judges anything".to_owned(), Some(help));
    }
    weights_count(parser, &members, evals);
}

/// A weighted score of scorers that all weigh nothing is none.
fn weights_count(parser: &mut Parser<'_>, members: &[(&Key, &Value)], evals: &Evals) {
    let Some((_, value)) = members.iter().find(|(key, _)| key.name == "thresholds") else { return };
    if evals.scorers.iter().all(|scorer| scorer.weight <= 0.0) {
        let message = "`thresholds` hold for the weighted score of `scorers`, and none of them weighs anything";
        let help = "list scorers, or remove `thresholds`".to_owned();
        parser.fault(value, "/thresholds", message.to_owned(), Some(help));
    }
}

/// The items of a list that judges: an empty one judges nothing.
fn items<'v>(parser: &mut Parser<'_>, value: &'v Value, pointer: &str) -> &'v [Value] {
    let Data::List(items) = &value.data else {
        parser.wrong_type(value, pointer, "a list of objects");
        return &[];
    };
    if items.is_empty() {
        let help = "list what is to be judged, or remove the key".to_owned();
        parser.fault(value, pointer, "this list is empty: nothing would be judged".to_owned(), Some(help));
    }
    items
}

/// Names that are taken.
type Names = std::collections::BTreeSet<String>;

/// Every item of a list, by a name of its own: a baseline keeps one value for each name.
fn each<T: HasName>(
    parser: &mut Parser<'_>,
    items: &[Value],
    above: &str,
    names: &mut Names,
    read: fn(&mut Fields<'_, '_, '_>) -> Option<T>,
) -> Vec<T> {
    let mut all = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let pointer = format!("{above}/{index}");
        let Some(mut fields) = Fields::of(parser, item, &pointer) else { continue };
        let Some(read) = read(&mut fields) else { continue };
        if read.name() == "thresholds" {
            let help = "reports call the weighted score so: give it another `name`".to_owned();
            parser.fault(item, &pointer, "the name `thresholds` is taken".to_owned(), Some(help));
        }
        if !names.insert(read.name().to_owned()) {
            let message = format!("two are called {}", quoted(read.name()));
            let help = "give each a `name` of its own: reports and baselines tell them apart by it".to_owned();
            parser.fault(item, &pointer, message, Some(help));
        }
        all.push(read);
    }
    all
}

trait HasName {
    fn name(&self) -> &str;
}

impl HasName for Scorer {
    fn name(&self) -> &str {
        &self.name
    }
}

impl HasName for Criterion {
    fn name(&self) -> &str {
        &self.name
    }
}

fn thresholds(parser: &mut Parser<'_>, value: &Value) -> Option<Thresholds> {
    let mut fields = Fields::of(parser, value, "/thresholds")?;
    fields.only(&grammar::THRESHOLDS);
    let pass = fields.share("pass").map(|share| (share, fields.location_of("pass")));
    let warn = fields.share("warn").map(|share| (share, fields.location_of("warn")));
    if let (Some((pass, _)), Some((warn, _))) = (&pass, &warn)
        && warn > pass
    {
        let help = "a score below `warn` fails, one from `pass` on passes, one between the two is a warning";
        fields.fault_at("warn", format!("`warn` ({warn}) is above `pass` ({pass})"), help);
    }
    if pass.is_none() && warn.is_none() {
        fields.fault("`thresholds` states no `pass`".to_owned(), "write `pass: 0.85`");
    }
    Some(Thresholds { pass, warn })
}

#[cfg(test)]
mod tests;
