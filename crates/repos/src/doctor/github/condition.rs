//! Conditions of jobs and steps: whether they hold in every run that judges a change.

use super::triggers::{Base, Occasion};
use crate::doctor::scene::Holds;

/// A run that a change starts.
#[derive(Clone, Copy)]
pub(super) struct Run<'r> {
    pub(super) occasion: Occasion<'r>,
    /// The branch that changes are merged into, or those of which one is.
    pub(super) default_branches: &'r [String],
    pub(super) earlier: Earlier,
}

/// How the jobs ended that a job needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Earlier {
    Passed,
    Failed,
    Skipped,
}

/// A value of the language of expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Bool(bool),
    Text(String),
    Number(String),
    /// The name of the branch that is merged into.
    Base,
    DefaultBranch,
    /// An object that is there.
    Object,
    Unknown,
    Author,
}

impl Value {
    fn holds(&self) -> Holds {
        match self {
            Self::Bool(true) | Self::Base | Self::DefaultBranch | Self::Object => Holds::Yes,
            Self::Text(text) if !text.is_empty() => Holds::Yes,
            Self::Number(digits) if number(digits) != Some(0.0) => Holds::Yes,
            Self::Bool(false) | Self::Text(_) | Self::Number(_) => Holds::No,
            Self::Unknown => Holds::Unknown,
            Self::Author => Holds::Author,
        }
    }
}

fn number(digits: &str) -> Option<f64> {
    digits.parse().ok()
}

fn value(holds: Holds) -> Value {
    match holds {
        Holds::Yes => Value::Bool(true),
        Holds::No => Value::Bool(false),
        Holds::Unknown => Value::Unknown,
        Holds::Author => Value::Author,
    }
}

/// Beginnings of names whose values the author of a change can't set.
const ELSEWHERE: &[&str] = &[
    "github.repository",
    "github.server_url",
    "github.run_",
    "github.workflow",
    "github.event.repository",
    "vars.",
    "inputs.",
    "secrets.",
    "env.",
    "runner.",
    "matrix.",
    "strategy.",
    "needs.",
    "steps.",
    "job.",
];
const STATUS: &[&str] = &["success()", "failure()", "always()", "cancelled()"];

/// Whether a condition holds; without a word about the status it needs everything before to have passed.
pub(super) fn holds(condition: &str, run: Run<'_>) -> Holds {
    let bare = condition.trim();
    let bare = bare.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(bare);
    if bare.contains("${{") {
        // A text around an expression is never empty.
        return Holds::Yes;
    }
    let folded: String = bare.chars().filter(|letter| !letter.is_whitespace()).collect::<String>().to_ascii_lowercase();
    let mut parser = Parser { rest: bare, run, depth: 0 };
    let found = parser.any();
    if !parser.rest.trim().is_empty() {
        return Holds::Unknown;
    }
    let is_implied = STATUS.iter().all(|status| !folded.contains(status));
    if is_implied && run.earlier != Earlier::Passed { Holds::No } else { found.holds() }
}

struct Parser<'t> {
    rest: &'t str,
    run: Run<'t>,
    depth: usize,
}

const DEPTH: usize = 64;

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        match self.rest.trim_start().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// `a || b`: the value of the first that holds.
    fn any(&mut self) -> Value {
        let mut found = self.all();
        while self.eat("||") {
            let next = self.all();
            found = match (found.holds(), next.holds()) {
                (Holds::Yes, _) => found,
                (Holds::No, _) | (_, Holds::Yes) => next,
                (left, right) => value(left.max(right).min(Holds::Author)),
            };
        }
        found
    }

    /// `a && b`: the value of the first that does not hold, or of the last.
    fn all(&mut self) -> Value {
        let mut found = self.compared();
        while self.eat("&&") {
            let next = self.compared();
            found = match (found.holds(), next.holds()) {
                (Holds::No, _) => found,
                (Holds::Yes, _) => next,
                (left, right) => value(left.max(right)),
            };
        }
        found
    }

    fn compared(&mut self) -> Value {
        let left = self.single();
        let is_equal = if self.eat("==") {
            true
        } else if self.eat("!=") {
            false
        } else if self.eat("<") || self.eat(">") {
            self.eat("=");
            self.single();
            return Value::Author;
        } else {
            return left;
        };
        let right = self.single();
        match self.equals(&left, &right) {
            Some(found) => Value::Bool(found == is_equal),
            None if left == Value::Author || right == Value::Author => Value::Author,
            // The author of a change picks its base.
            None if matches!((&left, &right), (Value::Base, Value::Text(_)) | (Value::Text(_), Value::Base)) => {
                Value::Author
            }
            None => Value::Unknown,
        }
    }

    fn equals(&self, left: &Value, right: &Value) -> Option<bool> {
        match (left, right) {
            (Value::Text(left), Value::Text(right)) => Some(left.eq_ignore_ascii_case(right)),
            (Value::Bool(left), Value::Bool(right)) => Some(left == right),
            (Value::Number(left), Value::Number(right)) => Some(number(left) == number(right)),
            (Value::Base, Value::DefaultBranch) | (Value::DefaultBranch, Value::Base) => {
                Some(self.run.occasion.base == Base::Default)
            }
            (Value::Base, Value::Text(name)) | (Value::Text(name), Value::Base) => self.is_base(name),
            (Value::Object, Value::Text(text)) | (Value::Text(text), Value::Object) if text.is_empty() => Some(false),
            _ => None,
        }
    }

    /// Whether the branch that is merged into has a name. `None`: it may have.
    fn is_base(&self, name: &str) -> Option<bool> {
        let is_default = self.run.default_branches.iter().any(|branch| branch.eq_ignore_ascii_case(name));
        match self.run.occasion.base {
            Base::Default => Some(is_default),
            Base::Named(base) => Some(base.eq_ignore_ascii_case(name)),
            Base::Other => (is_default || name.is_empty()).then_some(false),
        }
    }

    fn single(&mut self) -> Value {
        self.depth += 1;
        let found = if self.depth > DEPTH { Value::Unknown } else { self.operand() };
        self.depth -= 1;
        found
    }

    fn operand(&mut self) -> Value {
        if self.eat("!") {
            return match self.single().holds() {
                Holds::Yes => Value::Bool(false),
                Holds::No => Value::Bool(true),
                other => value(other),
            };
        }
        if self.eat("(") {
            let found = self.any();
            return if self.eat(")") { found } else { Value::Unknown };
        }
        if self.eat("'") {
            let (text, rest) = self.rest.split_once('\'').unwrap_or((self.rest, ""));
            self.rest = rest;
            return Value::Text(text.to_owned());
        }
        let rest = self.rest.trim_start();
        let end =
            rest.find(|letter: char| !letter.is_alphanumeric() && !"_.-*[]'\"".contains(letter)).unwrap_or(rest.len());
        let (name, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        self.rest = rest;
        if self.eat("(") { self.called(name) } else { self.named(name) }
    }

    /// A function, behind its opening parenthesis.
    fn called(&mut self, name: &str) -> Value {
        let mut depth = 1_usize;
        let end = self.rest.find(|letter| {
            depth = match letter {
                '(' => depth + 1,
                ')' => depth - 1,
                _ => depth,
            };
            depth == 0
        });
        let Some((arguments, rest)) = end.and_then(|end| self.rest.split_at_checked(end)) else {
            return Value::Unknown;
        };
        self.rest = rest.strip_prefix(')').unwrap_or(rest);
        let earlier = self.run.earlier;
        match name.to_ascii_lowercase().as_str() {
            "always" => Value::Bool(true),
            "cancelled" => Value::Bool(false),
            "success" => Value::Bool(earlier == Earlier::Passed),
            "failure" => Value::Bool(earlier == Earlier::Failed),
            _ if arguments.to_ascii_lowercase().contains("github.") => Value::Author,
            _ => Value::Unknown,
        }
    }

    fn named(&self, name: &str) -> Value {
        let folded = name.to_ascii_lowercase();
        let is_pull = self.run.occasion.event.starts_with("pull_request");
        match folded.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" | "" | "github.event.merge_group" => Value::Text(String::new()),
            "github.event_name" => Value::Text(self.run.occasion.event.to_owned()),
            "github.event.action" => Value::Text(self.run.occasion.action.to_owned()),
            "github.base_ref" | "github.event.pull_request.base.ref" if is_pull => Value::Base,
            "github.event.repository.default_branch" => Value::DefaultBranch,
            "github.event.pull_request" | "github.event.pull_request.number" | "github.event.number" if is_pull => {
                Value::Object
            }
            _ if ELSEWHERE.iter().any(|start| folded.starts_with(start)) => Value::Unknown,
            _ if folded.starts_with("github.") => Value::Author,
            digits if number(digits).is_some() => Value::Number(digits.to_owned()),
            _ => Value::Unknown,
        }
    }
}
