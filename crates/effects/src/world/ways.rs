//! Joins the files of several ways through a text, or through the session.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

use super::written::Written;
use super::{World, paths};
use crate::Certainty;

/// A file that a part of the text replaced, which may not have run.
#[derive(Debug, Clone)]
pub(crate) struct Replaced {
    path: String,
    /// `None`: the session had not written the file.
    before: Option<Arc<Written>>,
}

impl Replaced {
    pub(crate) fn was_written(&self) -> bool {
        self.before.is_some()
    }
}

impl World {
    /// Takes over what a call did in `copy`, a copy of `before`, as this world was before the call ran here. A file that it
    /// wrote there may hold that text or another one.
    pub(crate) fn learn(&mut self, copy: &Self, before: &Self) {
        if !before.written.is_same(&copy.written) {
            for (path, written) in copy.written.near_changes(&before.written) {
                self.meter.charge_bytes(1);
                if before.written.get(path).is_some_and(|known| Arc::ptr_eq(known, written)) {
                    continue;
                }
                match self.written.get(path).cloned() {
                    None => self.put_at(path, Written::clone(written)),
                    Some(own) => self.put_either(path, Some(&own), Some(written)),
                }
            }
        }
        if !before.aliases.is_same(&copy.aliases) {
            self.learn_aliases(copy, before);
        }
        self.forgetful |= copy.forgetful;
        self.has_others |= copy.has_others;
        self.odd_names |= copy.odd_names;
        self.unknown_links |= copy.unknown_links;
        self.has_code_of_others |= copy.has_code_of_others;
        self.temporaries = self.temporaries.max(copy.temporaries);
    }

    /// The text went this way or the one that `other` went, from the same start: each file holds what it holds on one of them.
    pub(crate) fn join(&mut self, other: &Self, before: &Self) {
        if !self.written.is_same(&other.written) {
            for path in self.differing(other) {
                let (here, there) = (self.content(&path), other.content(&path));
                self.put_either(&path, here.as_deref(), there.as_deref());
            }
        }
        if !before.aliases.is_same(&other.aliases) {
            self.learn_aliases(other, before);
        }
        self.forgetful |= other.forgetful;
        self.has_others |= other.has_others;
        self.odd_names |= other.odd_names;
        self.unknown_links |= other.unknown_links;
        self.has_code_of_others |= other.has_code_of_others;
        self.temporaries = self.temporaries.max(other.temporaries);
    }

    /// The files that were written since `before`, with what they held then.
    pub(crate) fn replaced_since(&self, before: &Self) -> Vec<Replaced> {
        if self.written.is_same(&before.written) {
            return Vec::new();
        }
        let paths = self.differing(before).into_iter();
        paths.map(|path| Replaced { before: before.content(&path), path }).collect()
    }

    /// The file may hold what it held before.
    pub(crate) fn restore_perhaps(&mut self, replaced: &Replaced) {
        let here = self.content(&replaced.path);
        self.put_either(&replaced.path, here.as_deref(), replaced.before.as_deref());
    }

    fn put_either(&mut self, path: &str, here: Option<&Written>, there: Option<&Written>) {
        let (one, other) = if here.is_some() { (here, there) } else { (there, here) };
        if here != there
            && let Some(one) = one
        {
            let either = one.or(other);
            self.has_others |= !either.others().is_empty();
            self.put_at(path, either);
        }
    }

    /// Takes the files with several texts that a command has looked at since the last time.
    pub(crate) fn take_looked_at(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.looked_at.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts back files that `take_looked_at` returned.
    pub(crate) fn put_looked_at(&self, paths: BTreeSet<String>) {
        self.looked_at.lock().unwrap_or_else(PoisonError::into_inner).extend(paths);
    }

    pub(super) fn look_at(&self, path: &str, written: &Written) {
        if !written.others().is_empty() {
            self.put_looked_at(BTreeSet::from([paths::in_home(path).into_owned()]));
        }
    }

    /// Returns whether both worlds hold the same entry of the file.
    pub(crate) fn has_same(&self, path: &str, other: &Self) -> bool {
        match (self.written.get(path), other.written.get(path)) {
            (Some(here), Some(there)) => Arc::ptr_eq(here, there),
            _ => false,
        }
    }

    /// Other texts that a file may hold.
    pub(crate) fn others(&self, path: &str) -> Vec<String> {
        self.content(path).map_or_else(Vec::new, |written| written.others().to_vec())
    }

    /// The file holds the first of its texts.
    pub(crate) fn settle(&mut self, path: &str) {
        if let Some(written) = self.content(path) {
            self.put_at(path, written.settled());
        }
    }

    /// The file holds this one of its texts.
    pub(crate) fn choose(&mut self, path: &str, text: &str) {
        if let Some(written) = self.content(path) {
            self.put_at(path, written.holding(text));
        }
    }

    /// Files of which the two worlds do not hold the same entry.
    fn differing(&self, other: &Self) -> BTreeSet<String> {
        let looked = Cell::new(0);
        let near = self.written.near_changes(&other.written).chain(other.written.near_changes(&self.written));
        let near = near.map(|(path, _)| path).inspect(|path| looked.set(looked.get() + path.len()));
        let entries = |path: &str| (self.written.get(path), other.written.get(path));
        let differing = near.filter(|path| match entries(path) {
            (Some(here), Some(there)) => !Arc::ptr_eq(here, there),
            (here, there) => here.is_some() || there.is_some(),
        });
        let differing = differing.map(str::to_owned).collect();
        self.meter.charge_bytes(looked.get());
        differing
    }

    /// The content of a file that the session wrote, also where the file is a copy of another one.
    pub(super) fn content(&self, path: &str) -> Option<Arc<Written>> {
        let own = self.written.get(path)?;
        self.meter.charge_bytes(own.length());
        if !own.follows() {
            return Some(Arc::clone(own));
        }
        let names = self.names(path, Certainty::Exact).into_iter();
        let mut others = names
            .filter_map(|name| self.written.get(paths::in_home(&name.path).as_ref()))
            .filter(|written| !written.follows());
        Some(Arc::clone(others.next().unwrap_or(own)))
    }
}
