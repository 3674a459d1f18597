//! `rules`: what comes of a job, an include or a pipeline for a merge request.

use regex::Regex;

use super::node::{Content, Node};
use crate::doctor::Held;
use crate::doctor::scene::Holds;

/// The result of rules for merge requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Runs,
    /// By hand, or after a failure.
    NotByItself,
    Never,
    /// Its failure does not count.
    Forgiven,
    /// By the files that a change touches, which its author picks.
    ByFiles,
    /// By something that the author of a change writes.
    ByAuthor,
    Unknown,
}

/// A value of the language of conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Text(String),
    Pattern(String),
    Null,
    /// It has a value that is not known.
    There,
    Target,
    DefaultBranch,
    Unknown,
    Author,
}

/// Variables in the pipeline of a merge request.
const KNOWN: &[(&str, &str)] = &[("CI_PIPELINE_SOURCE", "merge_request_event"), ("CI", "true"), ("GITLAB_CI", "true")];
const MISSING: &[&str] = &["CI_COMMIT_BRANCH", "CI_COMMIT_TAG", "CI_DEPLOY_FREEZE", "CI_EXTERNAL_PULL_REQUEST_IID"];
const THERE: &[&str] = &["CI_MERGE_REQUEST_ID", "CI_MERGE_REQUEST_IID", "CI_OPEN_MERGE_REQUESTS"];

/// Rules, also of lists in the list.
pub(super) fn flat(rules: &Node) -> Vec<&Node> {
    let mut found = Vec::new();
    let mut open = vec![rules];
    while let Some(node) = open.pop() {
        match node.items() {
            [] if matches!(node.content, Content::List(_)) => {}
            [] => found.push(node),
            items => open.extend(items.iter().rev()),
        }
    }
    found
}

/// The rules of a job, of a pipeline or of an include.
pub(super) fn outcome_of(rules: &Node, held: &Held<'_>) -> Outcome {
    let (mut doubt, mut perhaps) = (None, None);
    for rule in flat(rules) {
        if rule.members().is_empty() {
            return Outcome::Unknown;
        }
        let own = outcome(rule);
        let is_of_files = ["changes", "exists"].iter().any(|name| rule.member(name).is_some());
        let holds = rule.member("if").map_or(Holds::Yes, |condition| {
            condition.text().map_or(Holds::Unknown, |condition| holds(condition, held))
        });
        match (holds, is_of_files) {
            (Holds::No, _) => {}
            (_, true) => return Outcome::ByFiles,
            (Holds::Yes, false) => return if own == Outcome::Runs { doubt.unwrap_or(own) } else { own },
            // Where it may hold and the job runs then, a later rule has to say the same for all others.
            (Holds::Author, false) if own == Outcome::Runs => perhaps = Some(Outcome::ByAuthor),
            (Holds::Unknown, false) if own == Outcome::Runs => perhaps = perhaps.or(Some(Outcome::Unknown)),
            (Holds::Author, false) => doubt = Some(Outcome::ByAuthor),
            (Holds::Unknown, false) => doubt = doubt.or(Some(Outcome::Unknown)),
        }
    }
    doubt.or(perhaps).unwrap_or(Outcome::Never)
}

fn outcome(rule: &Node) -> Outcome {
    match rule.member("when").and_then(Node::text) {
        Some("never") => Outcome::Never,
        Some("manual" | "on_failure") => Outcome::NotByItself,
        _ if rule.member("allow_failure").is_some_and(|value| !value.is_false()) => Outcome::Forgiven,
        _ => Outcome::Runs,
    }
}

/// Whether rules let only merge requests into named branches start the job.
pub(super) fn names_target(rules: &Node) -> bool {
    let rules = flat(rules);
    let starting = rules.iter().filter(|rule| outcome(rule) == Outcome::Runs);
    let mut conditions = starting.map(|rule| rule.member("if").and_then(Node::text).unwrap_or_default()).peekable();
    let is_named = |condition: &str| {
        let folded = condition.replace([' ', '(', ')'], "");
        folded.split("||").all(|part| {
            part.contains("$CI_MERGE_REQUEST_TARGET_BRANCH_NAME==")
                || part.contains("==$CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
        })
    };
    conditions.peek().is_some() && conditions.all(is_named)
}

/// Whether a condition holds for every merge request into the default branch.
pub(super) fn holds(condition: &str, held: &Held<'_>) -> Holds {
    let mut parser = Parser { rest: condition, held, depth: 0 };
    let found = parser.any();
    if parser.rest.trim().is_empty() { found } else { Holds::Unknown }
}

struct Parser<'t> {
    rest: &'t str,
    held: &'t Held<'t>,
    depth: usize,
}

const DEPTH: usize = 64;

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn any(&mut self) -> Holds {
        let mut found = self.all();
        while self.eat("||") {
            // `Yes` is the least.
            found = found.min(self.all());
        }
        found
    }

    fn all(&mut self) -> Holds {
        let mut found = self.one();
        while self.eat("&&") {
            found = found.max(self.one());
        }
        found
    }

    fn one(&mut self) -> Holds {
        self.depth += 1;
        if self.depth > DEPTH {
            return Holds::Unknown;
        }
        if self.eat("(") {
            let found = self.any();
            self.depth -= 1;
            return if self.eat(")") { found } else { Holds::Unknown };
        }
        let left = self.value();
        let found = match ["==", "!=", "=~", "!~"].iter().position(|operator| self.eat(operator)) {
            None => Self::is_there(&left),
            Some(at) => {
                let right = self.value();
                self.compared(&left, &right, at)
            }
        };
        self.depth -= 1;
        found
    }

    fn is_there(value: &Value) -> Holds {
        match value {
            Value::Null => Holds::No,
            Value::Text(text) if text.is_empty() => Holds::No,
            Value::Unknown => Holds::Unknown,
            Value::Author => Holds::Author,
            _ => Holds::Yes,
        }
    }

    fn compared(&self, left: &Value, right: &Value, operator: usize) -> Holds {
        let is_equal = match (left, right) {
            (Value::Text(left), Value::Text(right)) if operator < 2 => Some(left == right),
            (Value::Text(left), Value::Pattern(pattern)) if operator >= 2 => {
                Regex::new(pattern).ok().map(|pattern| pattern.is_match(left))
            }
            (Value::Null, Value::Null) => Some(true),
            (Value::Null, Value::Text(_) | Value::Pattern(_) | Value::There)
            | (Value::Text(_) | Value::There | Value::Target | Value::DefaultBranch, Value::Null) => Some(false),
            (Value::Target, Value::DefaultBranch) | (Value::DefaultBranch, Value::Target) if operator < 2 => Some(true),
            (Value::Target, Value::Text(name)) | (Value::Text(name), Value::Target) if operator < 2 => {
                Some(self.held.default_branches.contains(name))
            }
            _ => None,
        };
        match is_equal {
            Some(found) if found == matches!(operator, 0 | 2) => Holds::Yes,
            Some(_) => Holds::No,
            None if *left == Value::Author || *right == Value::Author => Holds::Author,
            None => Holds::Unknown,
        }
    }

    fn value(&mut self) -> Value {
        let rest = self.rest.trim_start();
        for quote in ['"', '\'', '/'] {
            if let Some((text, after)) = rest.strip_prefix(quote).and_then(|inner| inner.split_once(quote)) {
                self.rest = if quote == '/' { after.trim_start_matches('i') } else { after };
                return match quote {
                    '/' if after.starts_with('i') => Value::Pattern(format!("(?i){text}")),
                    '/' => Value::Pattern(text.to_owned()),
                    _ => Value::Text(text.to_owned()),
                };
            }
        }
        let bare = rest.strip_prefix('$').unwrap_or(rest);
        let bare = bare.strip_prefix('{').unwrap_or(bare);
        let end = bare.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(bare.len());
        let (name, after) = bare.split_at_checked(end).unwrap_or((bare, ""));
        self.rest = after.strip_prefix('}').unwrap_or(after);
        if !rest.starts_with('$') {
            return if name == "null" { Value::Null } else { Value::Unknown };
        }
        if let Some((_, value)) = KNOWN.iter().find(|(known, _)| *known == name) {
            return Value::Text((*value).to_owned());
        }
        match name {
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME" => Value::Target,
            "CI_DEFAULT_BRANCH" => Value::DefaultBranch,
            _ if MISSING.contains(&name) => Value::Null,
            _ if THERE.contains(&name) => Value::There,
            _ if ["CI_MERGE_REQUEST_", "CI_COMMIT_", "GITLAB_USER_"].iter().any(|start| name.starts_with(start)) => {
                Value::Author
            }
            _ => Value::Unknown,
        }
    }
}
