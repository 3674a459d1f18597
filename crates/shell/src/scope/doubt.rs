//! Forgets what is no longer certain of a shell's state: after a part of the text that may have run, and in a new shell.

use std::rc::Rc;

use super::{Content, Fixed, Scope, Variable, assigned};
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
        Rc::make_mut(&mut self.variables).values_mut().for_each(Variable::forget);
        self.forget_hidden();
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
        let variables = self
            .variables
            .iter()
            .filter(|(name, _)| name.as_str() != "IFS")
            .map(|(name, variable)| {
                (name.clone(), Variable { exported: variable.exported, ..Variable::new(inherit(variable)) })
            })
            .collect();
        Self {
            variables: Rc::new(variables),
            functions: Rc::new(self.exported_functions()),
            poisoned: self.poisoned,
            ..Self::default()
        }
    }

    /// Keeps what both agree on. What differs is unknown, though probably what it was on one side.
    pub fn merge(&mut self, other: &Self) {
        self.poisoned |= other.poisoned;
        self.strictness.merge(other.strictness);
        self.merge_frames(other);
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            let names: Vec<String> = self.variables.keys().chain(other.variables.keys()).cloned().collect();
            let variables = Rc::make_mut(&mut self.variables);
            for name in names {
                let (here, there) = (variables.get(&name), other.variables.get(&name));
                if here != there {
                    let merged = either(here, there);
                    variables.extend(merged.map(|variable| (name, variable)));
                }
            }
        }
        self.merge_functions(other);
        if self.positional != other.positional {
            self.positional = Rc::new(vec![Value::unknown()]);
        }
        if self.previous_directory != other.previous_directory {
            self.previous_directory = None;
        }
        if self.directories != other.directories {
            self.directories.clear();
        }
    }
}

impl Variable {
    /// It may have any value by now, unless nothing can change it.
    pub(super) fn forget(&mut self) {
        if self.fixed != Fixed::Yes {
            self.content = doubted(&self.content);
        }
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

/// A variable that is one of two; without one there is none.
pub(super) fn either(here: Option<&Variable>, there: Option<&Variable>) -> Option<Variable> {
    let one = here.or(there)?;
    let fixed = |variable: Option<&Variable>| variable.map_or(Fixed::No, |variable| variable.fixed);
    let content = one_of(here, there);
    Some(Variable { content, exported: one.exported, integer: one.integer, fixed: fixed(here).merged(fixed(there)) })
}

fn one_of(here: Option<&Variable>, there: Option<&Variable>) -> Content {
    let mut contents = here.into_iter().chain(there).map(|variable| doubted(&variable.content));
    let first = contents.next().unwrap_or(Content::Unset);
    match (first, contents.next()) {
        // Text that is there says more than text that is not.
        (Content::Scalar(value), Some(Content::Scalar(second))) => {
            let is_empty = value.best().is_none_or(|text| text.is_empty());
            Content::Scalar(if is_empty { second } else { value })
        }
        (first, None) => first,
        _ => Content::UnknownArray,
    }
}
