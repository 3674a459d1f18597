//! Forgets what is no longer certain of a shell's state: after a part of the text that may have run, and in a new shell.

use std::rc::Rc;

use super::{Content, Fixed, Scope, Variable, Variables, assigned, count};
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
        self.variables_mut().values_mut().for_each(|variable| Rc::make_mut(variable).forget());
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
            .filter(|(name, _)| name.as_ref() != "IFS")
            .map(|(name, variable)| {
                let own = Variable { exported: variable.exported, ..Variable::new(inherit(variable)) };
                (Rc::clone(name), Rc::new(own))
            })
            .collect();
        Self {
            variables: Rc::new(variables),
            functions: Rc::new(self.exported_functions()),
            poisoned: self.poisoned,
            ..Self::default()
        }
    }

    fn merge_variables(&mut self, others: &Variables) {
        count(others.len());
        let mut differing: Vec<(Rc<str>, Rc<Variable>)> = Vec::new();
        for (name, here) in self.variables.iter() {
            let there = others.get(name);
            if there.is_none_or(|there| !Rc::ptr_eq(here, there) && here != there) {
                differing.extend(either(Some(here), there.map(Rc::as_ref)).map(|merged| (Rc::clone(name), merged)));
            }
        }
        for (name, there) in others.iter().filter(|(name, _)| !self.variables.contains_key(*name)) {
            differing.extend(either(None, Some(there)).map(|merged| (Rc::clone(name), merged)));
        }
        if !differing.is_empty() {
            self.variables_mut().extend(differing);
        }
    }

    /// Keeps what both agree on. What differs is unknown, though probably what it was on one side.
    pub fn merge(&mut self, other: &Self) {
        self.poisoned |= other.poisoned;
        self.strictness.merge(other.strictness);
        self.merge_frames(other);
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            self.merge_variables(&other.variables);
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
pub(super) fn either(here: Option<&Variable>, there: Option<&Variable>) -> Option<Rc<Variable>> {
    let one = here.or(there)?;
    let fixed = |variable: Option<&Variable>| variable.map_or(Fixed::No, |variable| variable.fixed);
    let content = one_of(here, there);
    let fixed = fixed(here).merged(fixed(there));
    Some(Rc::new(Variable { content, exported: one.exported, integer: one.integer, fixed }))
}

fn one_of(here: Option<&Variable>, there: Option<&Variable>) -> Content {
    let mut contents = here.into_iter().chain(there).map(|variable| doubted(&variable.content));
    let first = contents.next().unwrap_or(Content::Unset);
    match (first, contents.next()) {
        (Content::Scalar(value), Some(Content::Scalar(second))) => Content::Scalar(value.or(&second)),
        (first, None) => first,
        _ => Content::UnknownArray,
    }
}
