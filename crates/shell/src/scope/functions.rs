//! Functions of a shell, as far as the text shows which of several definitions counts.

use std::sync::Arc;

use super::map::{Difference, Map};
use super::{Fixed, Scope};
use crate::Script;

/// What a name runs that the text defined as a function.
#[derive(Debug, Clone)]
pub struct Function {
    /// One of them runs.
    bodies: Vec<Arc<Script>>,
    /// There may be no function of this name: a program runs then.
    doubtful: bool,
    /// `export -f`: shells started from here know it.
    exported: bool,
    /// `readonly -f`
    fixed: Fixed,
}

impl Function {
    fn new(body: Arc<Script>) -> Self {
        Self { bodies: vec![body], doubtful: false, exported: false, fixed: Fixed::No }
    }

    /// One of these runs.
    pub fn bodies(&self) -> &[Arc<Script>] {
        &self.bodies
    }

    /// Whether a program of the name may run instead.
    pub fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    fn has(&self, body: &Arc<Script>) -> bool {
        self.bodies.iter().any(|known| Arc::ptr_eq(known, body))
    }

    fn add(&mut self, body: &Arc<Script>) {
        if !self.has(body) {
            self.bodies.push(Arc::clone(body));
        }
    }

    /// One of the two.
    fn merged(&self, other: &Self) -> Self {
        let mut merged = self.clone();
        other.bodies.iter().for_each(|body| merged.add(body));
        merged.doubtful |= other.doubtful;
        merged.exported |= other.exported;
        merged.fixed = merged.fixed.merged(other.fixed);
        merged
    }

    /// The same in a shell that may not be the one that defined it.
    fn of_another_shell(&self) -> Self {
        Self { fixed: self.fixed.merged(Fixed::No), ..self.doubted() }
    }

    fn doubted(&self) -> Self {
        Self { doubtful: true, fixed: self.fixed.merged(Fixed::No), ..self.clone() }
    }
}

impl Scope {
    pub fn define(&mut self, name: &str, body: Arc<Script>) {
        match self.functions.get_mut(name) {
            Some(function) if function.fixed == Fixed::Yes => {}
            Some(function) if function.fixed == Fixed::Perhaps => function.add(&body),
            _ => self.functions.insert(name.into(), Function::new(body)),
        }
    }

    /// `unset -f name`
    pub fn undefine(&mut self, name: &str) {
        match self.functions.get_mut(name) {
            Some(function) if function.fixed == Fixed::Perhaps => function.doubtful = true,
            Some(function) if function.fixed == Fixed::No => {
                self.functions.remove(name);
            }
            _ => {}
        }
    }

    pub fn function(&self, name: &str) -> Option<Function> {
        self.functions.get(name).cloned()
    }

    /// Returns whether the shell has a function whose name `is_meant` accepts.
    pub fn has_function(&self, is_meant: impl Fn(&str) -> bool) -> bool {
        self.work.add(self.functions.len());
        self.functions.entries().any(|(name, _)| is_meant(name))
    }

    /// Runs `inside` as if there were no function `name`.
    pub fn without_function<T>(&mut self, name: &str, inside: impl FnOnce(&mut Self) -> T) -> T {
        let hidden = self.functions.remove(name);
        let result = inside(self);
        if let Some(hidden) = hidden
            && !self.functions.contains(name)
        {
            self.functions.insert(name.into(), hidden);
        }
        result
    }

    /// `export -f name`: shells started from here know the function.
    pub fn export_function(&mut self, name: &str) {
        if let Some(function) = self.functions.get_mut(name) {
            function.exported = true;
        }
    }

    /// `readonly -f name`
    pub fn fix_function(&mut self, name: &str) {
        if let Some(function) = self.functions.get_mut(name) {
            function.fixed = Fixed::Yes;
        }
    }

    /// The state with which later texts run, or `None` if it is that of `before`. The shell of those texts may not be this
    /// one: its functions may run, and its variables are likely.
    pub fn left_since(&self, before: &Self) -> Option<Self> {
        let differences = self.functions.differences(&before.functions);
        self.work.add(differences.len());
        let defined = differences.into_iter().filter_map(|Difference { name, here, there }| {
            let here = here?;
            let known = |body| there.is_some_and(|there| there.has(body));
            let is_new = here.fixed == Fixed::Yes || !here.bodies.iter().all(known);
            is_new.then_some((name, here))
        });
        let defined: Vec<(Arc<str>, Function)> =
            defined.map(|(name, function)| (Arc::clone(name), function.of_another_shell())).collect();
        let names_differ = !self.variables.is_same(&before.variables) || !self.aliases.is_same(&before.aliases);
        if defined.is_empty() && !names_differ && self.positional.is_same(&before.positional) {
            return None;
        }
        let mut left = self.clone();
        left.doubt_variables(before);
        for (name, function) in defined {
            left.functions.insert(name, function);
        }
        Some(left)
    }

    /// The functions that shells started from here know.
    pub(super) fn exported_functions(&self) -> Map<Function> {
        self.functions
            .changed(&mut |_, function| function.exported.then(|| Function { fixed: Fixed::No, ..function.clone() }))
    }

    /// A function that is another one in `skipped` is one of the two.
    pub(super) fn merge_redefined(&mut self, skipped: &Self) {
        let differences = self.functions.differences(&skipped.functions);
        self.work.add(differences.len());
        let merged = differences.into_iter().filter_map(|Difference { name, here, there }| {
            let (here, there) = here.zip(there)?;
            Some((Arc::clone(name), here.merged(there)))
        });
        let merged: Vec<(Arc<str>, Function)> = merged.collect();
        for (name, function) in merged {
            self.functions.insert(name, function);
        }
    }

    /// Any function that is defined here may be defined or not.
    pub(super) fn merge_functions(&mut self, other: &Self) {
        let differences = self.functions.differences(&other.functions);
        self.work.add(differences.len());
        let merged = differences.into_iter().filter_map(|Difference { name, here, there }| {
            let merged = match (here, there) {
                (Some(here), Some(there)) => here.merged(there),
                (one, other) => one.or(other)?.doubted(),
            };
            Some((Arc::clone(name), merged))
        });
        let merged: Vec<(Arc<str>, Function)> = merged.collect();
        for (name, function) in merged {
            self.functions.insert(name, function);
        }
    }
}

impl Fixed {
    /// Keeps what both parts of a text agree on, of which one ran.
    pub(super) fn merged(self, other: Self) -> Self {
        if self == other { self } else { Self::Perhaps }
    }
}
