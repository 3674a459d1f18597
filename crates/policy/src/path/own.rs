//! Entries of the product's own tables.

use agent_strace_effects::escaped;

use crate::fold::fold;
use crate::glob::Glob;

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
