//! Functions of a shell, as far as the text shows which of several definitions counts.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Fixed, Scope};
use crate::Script;

/// What a name runs that the text defined as a function.
#[derive(Debug, Clone)]
pub struct Function {
    /// One of them runs.
    bodies: Vec<Rc<Script>>,
    /// There may be no function of this name: a program runs then.
    doubtful: bool,
    /// `export -f`: shells started from here know it.
    exported: bool,
    /// `readonly -f`
    fixed: Fixed,
}

impl Function {
    fn new(body: Rc<Script>) -> Self {
        Self { bodies: vec![body], doubtful: false, exported: false, fixed: Fixed::No }
    }

    /// One of these runs.
    pub fn bodies(&self) -> &[Rc<Script>] {
        &self.bodies
    }

    /// Whether a program of the name may run instead.
    pub fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    fn has(&self, body: &Rc<Script>) -> bool {
        self.bodies.iter().any(|known| Rc::ptr_eq(known, body))
    }

    fn add(&mut self, body: &Rc<Script>) {
        if !self.has(body) {
            self.bodies.push(Rc::clone(body));
        }
    }

    fn merge(&mut self, other: &Self) {
        other.bodies.iter().for_each(|body| self.add(body));
        self.doubtful |= other.doubtful;
        self.exported |= other.exported;
        self.fixed = self.fixed.merged(other.fixed);
    }

    fn doubted(&self) -> Self {
        Self { doubtful: true, fixed: self.fixed.merged(Fixed::No), ..self.clone() }
    }
}

impl Scope {
    pub fn define(&mut self, name: &str, body: Rc<Script>) {
        let fixed = self.functions.get(name).map_or(Fixed::No, |function| function.fixed);
        let functions = Rc::make_mut(&mut self.functions);
        match (functions.get_mut(name), fixed) {
            (_, Fixed::Yes) => {}
            (Some(function), Fixed::Perhaps) => function.add(&body),
            _ => {
                functions.insert(name.to_owned(), Function::new(body));
            }
        }
    }

    /// `unset -f name`
    pub fn undefine(&mut self, name: &str) {
        match self.functions.get(name).map(|function| function.fixed) {
            None | Some(Fixed::Yes) => {}
            Some(Fixed::No) => {
                Rc::make_mut(&mut self.functions).remove(name);
            }
            Some(Fixed::Perhaps) => {
                Rc::make_mut(&mut self.functions).entry(name.to_owned()).and_modify(|it| it.doubtful = true);
            }
        }
    }

    pub fn function(&self, name: &str) -> Option<Function> {
        self.functions.get(name).cloned()
    }

    /// Runs `inside` as if there were no function `name`.
    pub fn without_function<T>(&mut self, name: &str, inside: impl FnOnce(&mut Self) -> T) -> T {
        if !self.functions.contains_key(name) {
            return inside(self);
        }
        let hidden = Rc::make_mut(&mut self.functions).remove(name);
        let result = inside(self);
        if let Some(hidden) = hidden {
            Rc::make_mut(&mut self.functions).entry(name.to_owned()).or_insert(hidden);
        }
        result
    }

    /// `export -f name`: shells started from here know the function.
    pub fn export_function(&mut self, name: &str) {
        if self.functions.contains_key(name) {
            Rc::make_mut(&mut self.functions).entry(name.to_owned()).and_modify(|it| it.exported = true);
        }
    }

    /// `readonly -f name`
    pub fn fix_function(&mut self, name: &str) {
        if self.functions.contains_key(name) {
            Rc::make_mut(&mut self.functions).entry(name.to_owned()).and_modify(|it| it.fixed = Fixed::Yes);
        }
    }

    /// Later texts of the same shell run with other functions or positional parameters than with those of `before`.
    pub fn defines_more_than(&self, before: &Self) -> bool {
        let known = |(name, function): (&String, &Function)| {
            let before = before.functions.get(name);
            before.is_some_and(|before| function.bodies.iter().all(|body| before.has(body)))
        };
        !self.functions.iter().all(known) || !Rc::ptr_eq(&self.positional, &before.positional)
    }

    /// It is not certain that the shell is the one that defined the functions.
    pub fn doubt_functions(&mut self) {
        for function in Rc::make_mut(&mut self.functions).values_mut() {
            *function = function.doubted();
        }
    }

    /// The functions that shells started from here know.
    pub(super) fn exported_functions(&self) -> BTreeMap<String, Function> {
        let exported = self.functions.iter().filter(|(_, function)| function.exported);
        exported.map(|(name, function)| (name.clone(), Function { fixed: Fixed::No, ..function.clone() })).collect()
    }

    /// Any function that is defined here may be defined or not.
    pub(super) fn merge_functions(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.functions, &other.functions) {
            return;
        }
        let functions = Rc::make_mut(&mut self.functions);
        for (_, function) in functions.iter_mut().filter(|(name, _)| !other.functions.contains_key(*name)) {
            *function = function.doubted();
        }
        for (name, function) in other.functions.iter() {
            match functions.get_mut(name) {
                Some(known) => known.merge(function),
                None => {
                    functions.insert(name.clone(), function.doubted());
                }
            }
        }
    }
}

impl Fixed {
    /// What is known where one of two parts of the text ran.
    pub(super) fn merged(self, other: Self) -> Self {
        if self == other { self } else { Self::Perhaps }
    }
}
