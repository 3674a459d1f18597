//! Which environment variables may be set for programs: the key `env`.
//!
//! A deny compares generously, in any case, because Windows does and a variable of another case is no use to anybody; an
//! allow compares exactly. What only the shell sees is not judged: [`Kind::Env`](crate::effects::Kind::Env) is what
//! programs get.

use crate::effects::Certainty;
use crate::finding::PolicyPlace;

use super::glob::{Answer, Glob};
use super::parse::Stated;

/// The lists of one policy text.
#[derive(Debug, Clone, Default)]
pub(super) struct Environment {
    pub(super) deny: Option<Names>,
    pub(super) allow: Option<Names>,
}

/// A list that stands in the file, possibly empty.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub(super) names: Vec<Name>,
    pub(super) place: PolicyPlace,
}

impl Environment {
    pub(super) fn denied(&self) -> &[Name] {
        self.deny.as_ref().map_or(&[], |list| &list.names)
    }

    pub(super) fn allowed(&self) -> &[Name] {
        self.allow.as_ref().map_or(&[], |list| &list.names)
    }

    /// The list of what may be set, where it is not empty: nothing else may.
    pub(super) fn demands(&self) -> Option<&PolicyPlace> {
        self.allow.as_ref().filter(|list| !list.names.is_empty()).map(|list| &list.place)
    }

    /// Without one entry, or without the list that stands there.
    pub(super) fn drop_place(&mut self, place: &PolicyPlace) {
        for list in [&mut self.deny, &mut self.allow] {
            list.take_if(|list| list.place == *place);
            if let Some(list) = list {
                list.names.retain(|name| name.stated.place != *place);
            }
        }
    }

    /// What is not stated here is as in `base`.
    pub(super) fn inherit(&mut self, base: Self) {
        let Self { deny, allow } = base;
        self.deny = self.deny.take().or(deny);
        self.allow = self.allow.take().or(allow);
    }
}

/// An entry: the name of a variable, with `*` for any part of it.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) text: String,
    exact: Glob,
    folded: Glob,
    pub(super) stated: Stated,
}

impl Name {
    pub(super) fn new(text: &str, stated: Stated) -> Self {
        let folded = Glob::fnmatch(&text.to_lowercase());
        Self { text: text.to_owned(), exact: Glob::fnmatch(text), folded, stated }
    }

    pub(super) fn denies(&self, name: &str, certainty: Certainty) -> bool {
        let name = name.to_lowercase();
        match certainty {
            Certainty::Pattern => Glob::fnmatch(&name).meets(&self.folded) != Answer::No,
            Certainty::Exact | Certainty::Possible => self.folded.matches(&name),
        }
    }

    pub(super) fn allows(&self, name: &str, certainty: Certainty) -> bool {
        match certainty {
            Certainty::Pattern => Glob::fnmatch(name).within(&[&self.exact]) == Answer::Yes,
            Certainty::Exact | Certainty::Possible => self.exact.matches(name),
        }
    }
}
