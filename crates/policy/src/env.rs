//! Which environment variables may be set for programs: the key `env`.
//!
//! A deny compares generously, in any case, because Windows does and a variable of another case is no use to anybody; an
//! allow compares exactly. What only the shell sees is not judged: [`Kind::Env`](agent_strace_effects::Kind::Env) is what
//! programs get.

use agent_strace_effects::Certainty;
use agent_strace_model::finding::PolicyLocation;

use super::compiled::Rules;
use super::glob::{Answer, Glob};
use super::parse::Stated;

/// The lists of one policy text, and its rules about variables.
#[derive(Debug, Clone, Default)]
pub(super) struct Environment {
    pub(super) deny: Option<Names>,
    pub(super) allow: Option<Names>,
    /// What rules say; these demand nothing of what they do not name.
    pub(super) rules: Rules<Vec<(Stated, Variable)>>,
}

/// A list that stands in the file, possibly empty.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub(super) names: Vec<Name>,
    pub(super) location: PolicyLocation,
}

impl Environment {
    pub(super) fn denied(&self) -> &[Name] {
        self.deny.as_ref().map_or(&[], |list| &list.names)
    }

    pub(super) fn allowed(&self) -> &[Name] {
        self.allow.as_ref().map_or(&[], |list| &list.names)
    }

    /// The list of what may be set, where it is not empty: nothing else may.
    pub(super) fn demands(&self) -> Option<&PolicyLocation> {
        self.allow.as_ref().filter(|list| !list.names.is_empty()).map(|list| &list.location)
    }

    /// The strictest entry or rule that denies a variable.
    pub(super) fn denying(&self, name: &str, certainty: Certainty) -> Option<&Stated> {
        let listed = self.denied().iter().map(|entry| (&entry.stated, &entry.variable));
        strictest(listed.chain(pairs(&self.rules.deny)), name, certainty)
    }

    /// The strictest rule that asks for a variable.
    pub(super) fn asking(&self, name: &str, certainty: Certainty) -> Option<&Stated> {
        strictest(pairs(&self.rules.ask), name, certainty)
    }

    pub(super) fn allowing(&self, name: &str, certainty: Certainty) -> Option<&Stated> {
        let listed = self.allowed().iter().map(|entry| (&entry.stated, &entry.variable));
        let mut all = listed.chain(pairs(&self.rules.allow));
        all.find(|(_, variable)| variable.allows(name, certainty)).map(|(stated, _)| stated)
    }

    /// Some entry or rule that forbids a variable: one whose name is not known may be that.
    pub(super) fn forbidding(&self) -> Option<&Stated> {
        let ruled = self.rules.deny.iter().chain(&self.rules.ask).map(|(stated, _)| stated);
        self.denied().iter().map(|entry| &entry.stated).chain(ruled).min_by_key(|stated| stated.rank())
    }

    /// Without rules that are less than an error.
    pub(super) fn drop_mild(&mut self) {
        self.rules.deny.retain(|(stated, _)| stated.is_firm());
        self.rules.ask.retain(|(stated, _)| stated.is_firm());
    }

    /// Without one entry, or without the list that stands there.
    pub(super) fn drop_location(&mut self, location: &PolicyLocation) {
        for rules in self.rules.lists() {
            rules.retain(|(stated, _)| stated.location != *location);
        }
        for list in [&mut self.deny, &mut self.allow] {
            list.take_if(|list| list.location == *location);
            if let Some(list) = list {
                list.names.retain(|name| name.stated.location != *location);
            }
        }
    }

    /// What is not stated here is as in `base`.
    pub(super) fn inherit(&mut self, base: Self) {
        // Rules are added to a policy, not to what a file states about the environment.
        let Self { deny, allow, rules: _ } = base;
        self.deny = self.deny.take().or(deny);
        self.allow = self.allow.take().or(allow);
    }
}

fn pairs(rules: &[(Stated, Variable)]) -> impl Iterator<Item = (&Stated, &Variable)> {
    rules.iter().map(|(stated, variable)| (stated, variable))
}

fn strictest<'a>(
    all: impl Iterator<Item = (&'a Stated, &'a Variable)>,
    name: &str,
    certainty: Certainty,
) -> Option<&'a Stated> {
    let matching = all.filter(|(_, variable)| variable.denies(name, certainty)).map(|(stated, _)| stated);
    matching.min_by_key(|stated| stated.rank())
}

/// An entry of a list.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) text: String,
    variable: Variable,
    pub(super) stated: Stated,
    pub(super) builtin: Option<&'static str>,
}

impl Name {
    pub(super) fn new(text: &str, stated: Stated, builtin: Option<&'static str>) -> Self {
        Self { text: text.to_owned(), variable: Variable::new(text), stated, builtin }
    }
}

/// The name of a variable, with `*` for any part of it.
#[derive(Debug, Clone)]
pub(super) struct Variable {
    exact: Glob,
    folded: Glob,
}

impl Variable {
    pub(super) fn new(text: &str) -> Self {
        Self { exact: Glob::fnmatch(text), folded: Glob::fnmatch(&text.to_lowercase()) }
    }

    pub(super) fn denies(&self, name: &str, certainty: Certainty) -> bool {
        let name = name.to_lowercase();
        match certainty {
            Certainty::Pattern => Glob::fnmatch(&name).meets(&self.folded) != Answer::No,
            Certainty::Exact | Certainty::Possible => self.folded.matches(&name),
        }
    }

    fn allows(&self, name: &str, certainty: Certainty) -> bool {
        match certainty {
            Certainty::Pattern => Glob::fnmatch(name).within(&[&self.exact]) == Answer::Yes,
            Certainty::Exact | Certainty::Possible => self.exact.matches(name),
        }
    }
}
