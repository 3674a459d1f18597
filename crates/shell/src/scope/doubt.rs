//! Forgets what is no longer certain of a shell's state: after a part of the text that may have run, and in a new shell.

use std::sync::Arc;

use super::choices::{Ways, either};
use super::map::Difference;
use super::{Content, Fixed, Positional, Scope, Variable, Variables, assigned};
use crate::{Script, Value};

impl Scope {
    /// Gives `name` an unknown value.
    pub fn forget(&mut self, name: &str) {
        let array =
            matches!(self.content(name), Some(Content::Array(_) | Content::Keyed { .. } | Content::UnknownArray));
        self.set(name, if array { Content::UnknownArray } else { Content::Scalar(Value::unknown()) });
    }

    /// From now on any variable may have any value.
    pub fn forget_all(&mut self) {
        self.poisoned = true;
        self.work.add(self.variables.len());
        self.variables = self.variables.changed(&mut |_, variable| Some(variable.forgotten()));
        self.forget_hidden();
    }

    /// Variables that changed since `before` only hold their text likely, and may not be read-only.
    pub(super) fn doubt_variables(&mut self, before: &Self) {
        let differences = self.variables.differences(&before.variables);
        self.work.add(differences.len());
        let doubted = differences.into_iter().filter_map(|Difference { name, here, .. }| {
            let here = here?;
            let likely = match &here.content {
                Content::Scalar(value) => value.text().map(|text| Content::Scalar(Value::likely(text))),
                _ => None,
            };
            if likely.is_none() && here.fixed == Fixed::No && here.choices.is_none() {
                return None;
            }
            let content = likely.unwrap_or_else(|| here.content.clone());
            let fixed = here.fixed.merged(Fixed::No);
            Some((Arc::clone(name), Arc::new(Variable { content, fixed, ..here.flags() })))
        });
        let doubted: Vec<(Arc<str>, Arc<Variable>)> = doubted.collect();
        for (name, variable) in doubted {
            self.variables.insert(name, variable);
        }
    }

    /// Doubts every variable that `script` may assign: it runs more than once, or at another time.
    pub fn forget_assigned(&mut self, script: &Script) {
        for name in assigned::names(script) {
            let content = match self.content(&name) {
                Some(content) => doubted(content),
                None => Content::Scalar(Value::unknown()),
            };
            self.set(&name, content);
        }
    }

    /// What a shell started from here knows: exported variables surely, others perhaps.
    pub fn child(&self) -> Self {
        let inherit = |variable: &Variable| match &variable.content {
            content if variable.exported => content.clone(),
            content => doubted(content),
        };
        self.work.add(self.variables.len() + self.functions.len());
        let variables = self.variables.changed(&mut |name, variable| {
            let choices = variable.choices.clone().filter(|_| variable.exported);
            let own = || Variable { exported: variable.exported, choices, ..Variable::new(inherit(variable)) };
            (name != "IFS").then(|| Arc::new(own()))
        });
        Self {
            variables,
            functions: self.exported_functions(),
            poisoned: self.poisoned,
            has_choices: self.has_choices,
            work: self.work.clone(),
            ..Self::default()
        }
    }

    fn merge_variables(&mut self, others: &Variables, ways: Ways) {
        let differences = self.variables.differences(others);
        self.work.add(differences.len());
        let differing = differences.into_iter().filter(|difference| difference.here != difference.there);
        let merged = differing.filter_map(|Difference { name, here, there }| {
            Some((Arc::clone(name), either(here.map(Arc::as_ref), there.map(Arc::as_ref), ways)?))
        });
        let merged: Vec<(Arc<str>, Arc<Variable>)> = merged.collect();
        for (name, variable) in merged {
            self.put_merged(name, variable);
        }
    }

    /// Keeps what all agree on. Returns `None` if there are none.
    pub fn merged(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        in_pairs(all, |before, next| before.merge(&next, Ways::Both))
    }

    /// Keeps what both agree on. What differs is unknown, though probably what it was on one side, unless there are no
    /// other ways.
    pub fn merge(&mut self, other: &Self, ways: Ways) {
        self.poisoned |= other.poisoned;
        self.strictness.merge(other.strictness);
        self.has_choices |= other.has_choices;
        self.merge_frames(other);
        if !self.variables.is_same(&other.variables) {
            self.merge_variables(&other.variables, ways);
        }
        self.merge_functions(other);
        if !self.positional.is_same(&other.positional) {
            self.work.add(self.positional.len());
            if self.positional != other.positional {
                self.positional = Positional::unknown();
            }
        }
        if self.previous_directory != other.previous_directory {
            self.previous_directory = None;
        }
        if self.directories != other.directories {
            self.directories.clear();
        }
    }
}

/// Merges neighbours first: comparing each change with all of the others would be quadratic. Returns `None` for no items.
pub fn in_pairs<T>(all: impl IntoIterator<Item = T>, mut merge: impl FnMut(&mut T, T)) -> Option<T> {
    let mut waiting: Vec<(u32, T)> = Vec::new();
    for one in all {
        let mut next = (0, one);
        while let Some((rank, mut before)) = waiting.pop_if(|(rank, _)| *rank == next.0) {
            merge(&mut before, next.1);
            next = (rank + 1, before);
        }
        waiting.push(next);
    }
    let last_first = waiting.into_iter().map(|(_, one)| one).rev();
    last_first.reduce(|later, mut before| {
        merge(&mut before, later);
        before
    })
}

impl Variable {
    /// It may have any value by now, unless nothing can change it.
    pub(super) fn forgotten(self: &Arc<Self>) -> Arc<Self> {
        if self.fixed == Fixed::Yes {
            return Arc::clone(self);
        }
        Arc::new(Self { content: doubted(&self.content), ..self.flags() })
    }
}

/// What it was, but it may be something else by now.
pub(super) fn doubted(content: &Content) -> Content {
    match content {
        Content::Scalar(value) => Content::Scalar(value.doubted()),
        Content::Unset => Content::Scalar(Value::likely("")),
        Content::Array(_) | Content::Keyed { .. } | Content::UnknownArray => Content::UnknownArray,
        Content::Reference(_) => Content::Scalar(Value::unknown()),
    }
}

pub(super) fn one_of(here: Option<&Variable>, there: Option<&Variable>) -> Content {
    let mut contents = here.into_iter().chain(there).map(|variable| doubted(&variable.content));
    let first = contents.next().unwrap_or(Content::Unset);
    match (first, contents.next()) {
        (Content::Scalar(value), Some(Content::Scalar(second))) => Content::Scalar(value.or(&second)),
        (first, None) => first,
        _ => Content::UnknownArray,
    }
}
