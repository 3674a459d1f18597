//! Keeps names that stand for other files: links, and copies whose content came from elsewhere.

use std::borrow::Cow;

use super::{Cwd, ENTRIES, PATH, PathBase, World, Written, paths};
use crate::{Certainty, PathTarget};

/// Names that one file may be followed through.
pub(super) const HOPS: usize = 16;

/// How two names belong together. Ordered: the looser tie of a chain counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AliasKind {
    /// One held what the other held.
    Content,
    /// They are one file of the repository in two of its work trees: a rule for one is a rule for the other, but each has
    /// its own content.
    Checkout,
    /// They are one file.
    Same,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Original {
    /// `None`: the name leads to an unknown path.
    path: Option<String>,
    alias_kind: AliasKind,
}

impl Original {
    /// What is done to one of the two names is done to the other.
    pub(super) fn is_link(&self) -> bool {
        self.alias_kind != AliasKind::Content
    }

    /// The same file, by the name that `rename` gives it.
    pub(super) fn moved(&self, rename: impl Fn(&str) -> String) -> Self {
        Self { path: self.path.as_deref().map(rename), alias_kind: self.alias_kind }
    }

    /// Where `rest` below the alias is.
    fn reached(&self, alias: &str, rest: &str, so_far: AliasKind, certainty: Certainty) -> Name {
        let (path, certainty) = match (&self.path, certainty) {
            (None, _) => ("**".to_owned(), Certainty::Pattern),
            (Some(original), Certainty::Pattern) => (below(&paths::escaped(original), rest), Certainty::Pattern),
            (Some(original), certainty) => (below(original, rest), certainty),
        };
        let within = if rest.is_empty() { Within::Itself } else { Within::Directory };
        Name { alias: alias.to_owned(), path, certainty, alias_kind: so_far.min(self.alias_kind), within }
    }
}

/// Another name of a file.
#[derive(Debug, Clone)]
pub struct Name {
    /// The alias that leads there.
    pub alias: String,
    pub path: String,
    pub certainty: Certainty,
    pub(crate) alias_kind: AliasKind,
    pub within: Within,
}

/// Says whether an alias names the file itself or a directory above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    Itself,
    /// A directory above the file.
    Directory,
}

impl World {
    /// From now on `alias` is another name for the file `original` (`ln`): what is done to one is done to the other.
    pub fn link(&mut self, alias: &PathTarget, original: &PathTarget) {
        self.name(alias, Some(&original.path), AliasKind::Same);
    }

    /// `copy` now holds what `original` held (`cp`, `mv`): who reads it, reads that.
    pub fn copied(&mut self, copy: &PathTarget, original: &PathTarget) {
        self.name(copy, Some(&original.path), AliasKind::Content);
    }

    /// The directory `tree` is a work tree of the repository whose files are below `top`.
    pub(crate) fn checked_out(&mut self, tree: &PathTarget, top: &PathTarget) {
        self.name(tree, Some(&top.path), AliasKind::Checkout);
    }

    /// The top of the judged repository, if `directory` lies in a work tree of it that the session added.
    pub(crate) fn checkout_of(&self, directory: &str) -> Option<&str> {
        let names = self.originals(directory, Certainty::Exact);
        names.iter().any(|name| name.alias_kind == AliasKind::Checkout).then(|| self.root().unwrap_or("."))
    }

    fn name(&mut self, alias: &PathTarget, original: Option<&str>, alias_kind: AliasKind) {
        if original == Some(alias.path.as_str()) {
            return;
        }
        // Whatever was written under this name before is gone: it holds what the original holds.
        self.put_at(&alias.path, Written::following());
        let known = self.aliases.get(&alias.path);
        let full = known.map_or(self.aliases.len() >= ENTRIES, |originals| originals.len() >= HOPS);
        let entry = Original { path: original.map(str::to_owned), alias_kind };
        if known.is_some_and(|originals| originals.contains(&entry)) {
            return;
        }
        if full {
            self.forgetful = true;
            return;
        }
        if let Cow::Owned(home) = paths::in_home(&alias.path) {
            self.add_alias(&home, [entry.clone()]);
        }
        self.add_alias(&alias.path, [entry]);
    }

    /// Takes over the names of a copy of this world, a changed copy of `before`.
    pub(super) fn learn_aliases(&mut self, copy: &Self, before: &Self) {
        let near = copy.aliases.near_changes(&before.aliases).inspect(|_| self.meter.charge_bytes(1));
        let new: Vec<_> = near.filter(|(alias, originals)| self.aliases.get(alias) != Some(*originals)).collect();
        let room = ENTRIES.saturating_sub(self.aliases.len());
        self.forgetful |= new.len() > room;
        for (alias, originals) in new.into_iter().take(room) {
            self.add_alias(alias, originals.iter().cloned());
        }
    }

    pub(super) fn add_alias(&mut self, alias: &str, originals: impl IntoIterator<Item = Original>) {
        let mut known = self.aliases.get(alias).cloned().unwrap_or_default();
        for original in originals {
            if !known.contains(&original) {
                known.push(original);
            }
        }
        self.aliases.insert(alias, known);
    }

    /// `ln -s text alias`: a relative `text` starts at the directory that holds `alias`.
    pub(crate) fn link_symbolic(&mut self, alias: &PathTarget, text: &str, certainty: Certainty) {
        let holder = match alias.path.rsplit_once('/') {
            Some(("", _)) => "/".to_owned(),
            Some((holder, _)) => holder.to_owned(),
            None => ".".to_owned(),
        };
        let holder = self.of_root(&holder);
        let base = PathBase { root: self.root.as_deref(), cwd: holder.as_deref().map_or(Cwd::Unknown, Cwd::Known) };
        let (original, certainty) = paths::locate(base, text, certainty);
        match certainty {
            Certainty::Exact | Certainty::Possible => self.link(alias, &original),
            // A link to an unknown path: everything reached through it is a guess.
            Certainty::Pattern => {
                self.made_unknown_links();
                self.name(alias, None, AliasKind::Same);
            }
        }
    }

    /// Other names of the file at `path`, nearest first, also through aliases of its directories.
    /// With [`Certainty::Pattern`] `path` is a glob.
    pub fn originals(&self, path: &str, certainty: Certainty) -> Vec<Name> {
        let found = self.names(path, certainty);
        if !self.aliases.is_empty() {
            // Each name is looked up below each of its directories, and compared with those that were found before.
            self.meter.charge(found.len() * found.len() / 4);
            self.meter.charge_bytes((1 + found.len()) * path.len() * path.matches('/').count());
        }
        self.note(|queries| {
            queries.unrepeatable |= !found.is_empty();
            queries.ask_names(path, certainty);
        });
        found
    }

    pub(super) fn names(&self, path: &str, certainty: Certainty) -> Vec<Name> {
        let mut found: Vec<Name> = Vec::new();
        if self.aliases.is_empty() {
            return found;
        }
        let mut open = vec![(Cow::Borrowed(path), AliasKind::Same)];
        while let Some((name, so_far)) = open.pop() {
            // No system has a longer one.
            if name.len() > PATH {
                continue;
            }
            for (alias, rest) in prefixes(&name) {
                let key = match certainty {
                    Certainty::Pattern => paths::literal(alias).map(Cow::Owned),
                    Certainty::Exact | Certainty::Possible => Some(Cow::Borrowed(alias)),
                };
                let Some(key) = key else { continue };
                let known = self.aliases.get(key.as_ref()).or_else(|| self.aliases.get(paths::in_home(&key).as_ref()));
                for original in known.into_iter().flatten() {
                    let next = original.reached(&key, rest, so_far, certainty);
                    let known = next.path == path
                        || found.iter().any(|seen| seen.path == next.path && seen.alias_kind == next.alias_kind);
                    if !known && found.len() < HOPS {
                        if original.path.is_some() {
                            open.push((Cow::Owned(next.path.clone()), next.alias_kind));
                        }
                        found.push(next);
                    }
                }
            }
        }
        found
    }

    /// Aliases that start with `prefix`.
    pub(crate) fn aliases_from<'w>(&'w self, prefix: &'w str) -> impl Iterator<Item = &'w str> {
        self.aliases.starting_with(prefix).map(|(alias, _)| alias)
    }

    pub(crate) fn has_aliases(&self) -> bool {
        self.note(|queries| queries.any_aliases = Some(!self.aliases.is_empty()));
        !self.aliases.is_empty()
    }
}

/// Every directory prefix of `path` with what follows it: the path itself first.
fn prefixes(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let whole = std::iter::once((path, ""));
    whole.chain(path.rmatch_indices('/').map(move |(at, _)| {
        let (prefix, rest) = path.split_at_checked(at).unwrap_or((path, ""));
        (prefix, rest.trim_start_matches('/'))
    }))
}

fn below(directory: &str, rest: &str) -> String {
    match directory {
        whole if rest.is_empty() => whole.to_owned(),
        "." => rest.to_owned(),
        "/" => format!("/{rest}"),
        other => format!("{other}/{rest}"),
    }
}
