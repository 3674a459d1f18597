//! Entries of the product's own tables.

use agent_strace_effects::{Certainty, escaped};

use crate::fold::fold;
use crate::glob::{Answer, Glob};

use super::{Files, Names, spells_a_dot};

/// An entry of the product's own tables, relative to wherever it counts.
#[derive(Debug, Clone)]
pub(crate) struct OwnRule {
    pub(crate) anywhere: Glob,
    pub(crate) at_root: Glob,
    pub(super) at_home: Glob,
    /// The name that the entry spells, without its wildcards, at the root and at home.
    pub(super) spelled: [Glob; 2],
}

impl OwnRule {
    /// Returns the entry for one file.
    pub(crate) fn of_file(path: &str) -> Self {
        Self::new(&escaped(&fold(path)))
    }

    /// Returns the entry for files that are nowhere else.
    pub(crate) fn in_place(glob: &str) -> Self {
        let own = Self::new(glob);
        Self { anywhere: own.at_root.clone(), ..own }
    }

    pub(crate) fn new(glob: &str) -> Self {
        let places = |glob: &str| {
            let at_root = Glob::effect(glob);
            [Glob::after("~/", &at_root), at_root]
        };
        let [at_home, at_root] = places(glob);
        let spelled = places(&without_wildcards(glob));
        Self { anywhere: Glob::anywhere(&at_root), at_home, at_root, spelled }
    }
}

impl Entry for OwnRule {
    fn anywhere(&self) -> &Glob {
        &self.anywhere
    }

    fn spelled(&self) -> &Glob {
        &self.anywhere
    }

    fn in_place(&self) -> &Glob {
        &self.at_root
    }
}

/// An entry that an effect may aim at.
pub(crate) trait Entry {
    /// The files, in any directory.
    fn anywhere(&self) -> &Glob;
    /// Those of them that a pattern has to meet that spells part of a name.
    fn spelled(&self) -> &Glob;
    /// The files, in the directory that the entry is relative to.
    fn in_place(&self) -> &Glob;
}

/// The name that an entry spells: `README*` may be `README.pem`, but it does not spell the `.pem` of `*.pem`. A `*` that is
/// a whole component matches any directory, and the name keeps it.
pub(crate) fn without_wildcards(glob: &str) -> String {
    let glob = glob.strip_suffix("/**").unwrap_or(glob).replace("**/", "");
    let name = |component: &str| if component == "*" { component.to_owned() } else { component.replace('*', "") };
    glob.split('/').map(name).collect::<Vec<_>>().join("/")
}

impl Files<'_> {
    /// Returns true if an entry of the product's own is among the files. Of a directory whose names are not spelled, only the
    /// directory itself and the entry at the root and at home count: a `.claude` further down may not exist.
    #[inline]
    pub(crate) fn reaches(&self, own: &OwnRule) -> bool {
        if !self.nameless {
            return self.folded().names.meets(&own.anywhere);
        }
        let is_named = || self.certainty == Certainty::Exact && own.anywhere.matches(&self.folded().path);
        self.reaches_in_place(own) || is_named()
    }

    /// They are known by the folder alone that holds them, and the entry does not name that folder.
    pub(crate) fn are_of_another_folder(&self, own: &OwnRule) -> bool {
        self.nameless && !own.anywhere.matches(&self.folded().path)
    }

    /// A pattern is of files in this folder, and may be what the entry names in it.
    pub(crate) fn sweeps_in(&self, folder: &str, own: &OwnRule) -> bool {
        let Names::Many(paths) = &self.folded().names else { return false };
        let start = self.spelled_start(paths);
        let is_in_it = start.rsplit_once('/').is_some_and(|(directory, _)| directory == folder);
        is_in_it && paths.meets(&own.at_root) != Answer::No
    }

    /// The file of this absolute path, or of this path below a home directory, is in a folder that the effect names.
    pub(crate) fn take_along(&self, file: &Glob) -> bool {
        self.nameless && self.anchored && self.folded().names.meets(file)
    }

    fn reaches_in_place(&self, own: &OwnRule) -> bool {
        let Names::Many(paths) = &self.folded().names else { return false };
        let in_place = || {
            let root = self.root.filter(|_| self.anchored)?;
            Some(Glob::after(&format!("{}/", fold(root).trim_end_matches('/')), &own.at_root))
        };
        paths.meets(&own.at_root) != Answer::No
            || paths.meets(&own.at_home) != Answer::No
            || in_place().is_some_and(|entry| paths.meets(&entry) != Answer::No)
    }

    /// Returns true if a pattern asks for names with a leading dot (`.a*`, `.[a-z]*`), and the entry spells one of them, at
    /// the root or at home: `.*.swp` in one of its directories is no attack on it.
    pub(crate) fn asks_for(&self, own: &OwnRule) -> bool {
        let folded = self.folded();
        let Names::Many(paths) = &folded.names else { return false };
        spells_a_dot(&folded.path) && own.spelled.iter().any(|place| paths.meets(place) != Answer::No)
    }
}
