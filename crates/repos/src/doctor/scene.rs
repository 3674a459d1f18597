//! The surroundings of a call that judges: whose workflow it is, and what was there before it.

use std::collections::BTreeMap;

use super::Held;
use super::script::MARK;
use super::sources::Moves;

/// Whose files lie in the folder that steps run in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Workspace {
    Empty,
    /// Those of the branch that is merged into, or of another repository.
    Base,
    /// Those of the change, or what another job made of them.
    Change,
}

/// Whose workflow runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Change,
    Base,
}

/// Base branches whose changes start the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bases {
    /// Those that the pipeline names.
    Named,
    /// Any branch: the author of a change picks one.
    Any,
}

/// Logs that an earlier step of the job fetched or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Logs {
    Brought,
    None,
}

/// The result of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holds {
    Yes,
    /// Something outside of the repository says it.
    Unknown,
    /// The author of a change can decide it.
    Author,
    No,
}

#[derive(Clone)]
pub(super) struct Scene<'s> {
    pub(super) held: &'s Held<'s>,
    pub(super) origin: Origin,
    pub(super) bases: Bases,
    pub(super) workspace: Workspace,
    pub(super) logs: Logs,
    /// A step checked a commit out.
    pub(super) has_checkout: bool,
    /// A script fetched commits of the change.
    pub(super) has_fetched: bool,
    /// An action that is not known may have checked the change out.
    pub(super) may_have_checkout: bool,
    /// Folders that steps checked commits out into.
    pub(super) checkouts: Vec<String>,
    /// The folder of the step, where it names one.
    pub(super) folder: Option<String>,
    /// The scripts that ran before in the job.
    pub(super) scripts: String,
    /// Variables of the job, and of the script where it sets one once.
    pub(super) variables: BTreeMap<String, String>,
    /// The things that those scripts moved.
    pub(super) moves: Moves,
    /// Expressions of the script, by the number of their mark.
    expressions: Vec<String>,
}

impl<'s> Scene<'s> {
    pub(super) fn new(held: &'s Held<'s>, origin: Origin, bases: Bases) -> Self {
        Self {
            held,
            origin,
            bases,
            workspace: Workspace::Empty,
            logs: Logs::None,
            has_checkout: false,
            has_fetched: false,
            may_have_checkout: false,
            checkouts: Vec::new(),
            folder: None,
            scripts: String::new(),
            variables: BTreeMap::new(),
            moves: Moves::default(),
            expressions: Vec::new(),
        }
    }

    pub(super) fn with_expressions(&self, expressions: &[String]) -> Self {
        Self { expressions: expressions.to_vec(), ..self.clone() }
    }

    /// A value with the variables and expressions that are known in it.
    pub(super) fn resolved(&self, value: &str) -> String {
        let mut resolved = String::with_capacity(value.len());
        for (number, part) in value.split('$').enumerate() {
            if number == 0 {
                resolved.push_str(part);
                continue;
            }
            let end = part.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(part.len());
            let (name, rest) = part.split_at_checked(end).unwrap_or((part, ""));
            match self.variables.get(name) {
                Some(known) => resolved.push_str(known),
                None => resolved.extend(["$", name]),
            }
            resolved.push_str(rest);
        }
        let mut parts = resolved.split(MARK);
        let mut whole = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (number, rest) = part.split_once("__").unwrap_or((part, ""));
            let expression = number.parse().ok().and_then(|number: usize| self.expressions.get(number));
            whole.push_str(expression.map_or("${{ }}", String::as_str));
            whole.push_str(rest);
        }
        whole
    }
}
