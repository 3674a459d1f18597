//! Forgets what is no longer certain of a shell's state: after a part of the text that may have run, and in a new shell.

use std::rc::Rc;

use super::{Content, Scope, Variable, assigned};
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
        for variable in Rc::make_mut(&mut self.variables).values_mut() {
            variable.content = doubted(&variable.content);
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
        let variables = self
            .variables
            .iter()
            .filter(|(name, _)| name.as_str() != "IFS")
            .map(|(name, variable)| {
                (name.clone(), Variable { content: inherit(variable), exported: variable.exported, integer: false })
            })
            .collect();
        let is_exported = |name: &String| self.exported_functions.contains(name);
        let functions = self.functions.iter().filter(|(name, _)| is_exported(name));
        Self {
            variables: Rc::new(variables),
            functions: Rc::new(functions.map(|(name, body)| (name.clone(), Rc::clone(body))).collect()),
            exported_functions: Rc::clone(&self.exported_functions),
            poisoned: self.poisoned,
            ..Self::default()
        }
    }

    /// Keeps what both agree on. What differs is unknown, though probably what it was on one side.
    pub fn merge(&mut self, other: &Self) {
        self.poisoned |= other.poisoned;
        self.strictness.merge(other.strictness);
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            let names: Vec<String> = self.variables.keys().chain(other.variables.keys()).cloned().collect();
            let variables = Rc::make_mut(&mut self.variables);
            for name in names {
                let (here, there) = (variables.get(&name), other.variables.get(&name));
                if here != there {
                    let exported = here.or(there).is_some_and(|variable| variable.exported);
                    let integer = here.or(there).is_some_and(|variable| variable.integer);
                    let content = either(here, there);
                    variables.insert(name, Variable { content, exported, integer });
                }
            }
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            let functions = Rc::make_mut(&mut self.functions);
            for (name, body) in other.functions.iter() {
                functions.entry(name.clone()).or_insert_with(|| Rc::clone(body));
            }
        }
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

/// What it was, but it may be something else by now.
fn doubted(content: &Content) -> Content {
    match content {
        Content::Scalar(value) => Content::Scalar(value.doubted()),
        Content::Unset => Content::Scalar(Value::likely("")),
        Content::Array(_) | Content::Keyed { .. } | Content::UnknownArray => Content::UnknownArray,
        Content::Reference(_) => Content::Scalar(Value::unknown()),
    }
}

fn either(here: Option<&Variable>, there: Option<&Variable>) -> Content {
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
