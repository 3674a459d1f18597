//! Path entries, compiled: of version 1 as other tools read them, of version 2 component by component.

use crate::fold::fold;
use crate::glob::Glob;
use crate::parse::{List, Stated};
use agent_strace_model::finding::PolicyLocation;

use super::is_anchored;

/// A name that only an entry for every name matches.
const ANY_NAME: &str = "any name";

/// One pattern, compiled for both comparisons.
#[derive(Debug, Clone)]
pub(crate) struct PathPattern {
    pub(super) exact: Glob,
    pub(super) folded: Glob,
    /// The folded pattern without what lies below, where `folded` covers that.
    pub(super) itself: Option<Glob>,
    /// The pattern names a place outside of any root (`/etc/**`, `~/.ssh/**`).
    pub(super) anchored: bool,
    /// The pattern names places below the root, and nothing on a drive.
    pub(super) rooted: bool,
    /// The folded pattern without its `~/`, where it has one.
    pub(super) below_home: Option<Glob>,
    /// The folded pattern at the root alone, where it is a bare name that counts in every directory.
    pub(super) at_root: Option<Glob>,
    /// It spells the last component of what it names: `.env`, `secrets/**`, and not `*.key`.
    pub(super) spelled: bool,
    /// The folded name that it spells, without its wildcards, where it does.
    pub(super) name: Option<Glob>,
}

/// Where a pattern of version 2 counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// In every directory: it names the last component only.
    Anywhere,
    /// Below the repository's root.
    Root,
    /// At an absolute path, or below a home directory.
    Absolute,
}

impl PathPattern {
    /// The pattern is for everything in home directories: `~/**`.
    pub(super) fn is_whole_home(&self) -> bool {
        self.below_home.as_ref().is_some_and(|below| below.matches(ANY_NAME))
    }

    pub(crate) fn version_1(text: &str) -> Self {
        let folded = fold(text);
        Self {
            exact: Glob::path(text),
            spelled: is_spelled(text),
            name: is_spelled(text).then(|| Glob::path(&super::without_wildcards(&folded))),
            anchored: is_anchored(text),
            rooted: false,
            at_root: bare_name(&folded).map(Glob::component_wise),
            below_home: folded.strip_prefix("~/").map(Glob::path),
            folded: Glob::path(&folded),
            itself: None,
        }
    }

    /// `text`: without what says where it counts. As `.gitignore` has it, a deny of a directory covers what is below it; an
    /// allow says that itself (`src/**`).
    pub(crate) fn version_2(anchor: Anchor, text: &str) -> Self {
        let folded = fold(text);
        let compile = |text: &str| match anchor {
            Anchor::Anywhere => Glob::anywhere(&Glob::component_wise(text)),
            Anchor::Root => Glob::rooted(text),
            Anchor::Absolute => Glob::component_wise(text),
        };
        // Folding must not make a relative pattern absolute; if it does, the pattern is compared unfolded.
        let forbidden = if anchor == Anchor::Absolute || !is_anchored(&folded) { &folded } else { text };
        let below = |compiled: Glob| if text.ends_with("**") { compiled } else { Glob::subtree(&compiled) };
        let at_root = match anchor {
            Anchor::Anywhere if text != "**" => Some(folded.as_ref()),
            Anchor::Root => bare_name(&folded).filter(|_| folded.starts_with("**/")),
            _ => None,
        };
        Self {
            exact: compile(text),
            spelled: is_spelled(text),
            name: is_spelled(text).then(|| compile(&super::without_wildcards(forbidden))),
            anchored: anchor == Anchor::Absolute,
            rooted: anchor == Anchor::Root,
            at_root: at_root.map(|name| below(Glob::component_wise(name))),
            below_home: folded.strip_prefix("~/").map(|rest| below(Glob::component_wise(rest))),
            itself: (!text.ends_with("**")).then(|| compile(forbidden)),
            folded: below(compile(forbidden)),
        }
    }

    /// Whether it names this path, as a deny reads it.
    pub(crate) fn names(&self, path: &str) -> bool {
        self.folded.matches(&fold(path))
    }

    pub(crate) fn exact(&self) -> &Glob {
        &self.exact
    }
}

/// The least that an entry spells of a name that it ends with a wildcard (`.env*`).
const SPELLED: usize = 4;

/// The last component is there letter by letter, or how it begins.
fn is_spelled(entry: &str) -> bool {
    let mut components =
        entry.rsplit('/').skip_while(|component| component.is_empty() || matches!(*component, "*" | "**"));
    let name = components.next().filter(|name| !matches!(*name, "." | "~")).unwrap_or_default();
    let literal = name.find(['*', '?', '[', '{']).unwrap_or(usize::MAX);
    !name.is_empty() && literal >= SPELLED
}

/// The name of an entry that counts in every directory (`.env`, `**/*.pem`).
fn bare_name(entry: &str) -> Option<&str> {
    let name = entry.trim_start_matches("**/");
    (!name.contains('/') && name != "**").then_some(name)
}

/// What one entry names: a pattern, those of a label, or what its list leaves out (`!x`).
#[derive(Debug, Clone, Default)]
pub(crate) struct PathSet {
    pub(crate) any_of: Vec<PathPattern>,
    pub except: Vec<PathPattern>,
}

impl PathSet {
    pub(crate) fn of(pattern: PathPattern) -> Self {
        Self { any_of: vec![pattern], except: Vec::new() }
    }

    /// It only takes away from its list.
    pub(crate) fn is_exclusion(&self) -> bool {
        self.any_of.is_empty()
    }
}

/// One entry that names files.
#[derive(Debug, Clone)]
pub(crate) struct PathRule {
    pub stated: Stated,
    pub(super) set: PathSet,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct PathList {
    pub(super) rules: Vec<PathRule>,
    /// Rules with names of their own, the strictest first.
    pub(super) named: Vec<PathRule>,
    /// What the list leaves out, whatever else it names.
    pub(super) except: Vec<PathPattern>,
    /// Where each of them stands.
    except_at: Vec<PolicyLocation>,
    location: Option<PolicyLocation>,
}

impl PathList {
    pub(crate) fn new(list: Option<&List<PathSet>>) -> Self {
        let Some(list) = list else { return Self::default() };
        let mut compiled =
            Self { location: Some(list.location.clone()).filter(|_| !list.entries.is_empty()), ..Self::default() };
        for entry in &list.entries {
            if entry.pattern.is_exclusion() {
                compiled.except.extend(entry.pattern.except.iter().cloned());
                let at = std::iter::repeat_n(&entry.stated.location, entry.pattern.except.len());
                compiled.except_at.extend(at.cloned());
            } else {
                compiled.rules.push(PathRule { stated: entry.stated.clone(), set: entry.pattern.clone() });
            }
        }
        compiled
    }

    /// A rule with a name of its own: it belongs to the list, and closes it no more than it was. What the list leaves
    /// out is left out by its own entries only, so the rule stands apart from them.
    pub(crate) fn add(&mut self, stated: &Stated, set: &PathSet) {
        self.named.push(PathRule { stated: stated.clone(), set: set.clone() });
        self.named.sort_by_key(|rule| rule.stated.rank());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.named.is_empty() && self.rules.is_empty()
    }

    /// Where the list stands, if it demands anything.
    pub(crate) fn list_location(&self) -> Option<&PolicyLocation> {
        self.location.as_ref()
    }

    /// Each pattern that the list leaves out, with where it stands.
    pub(super) fn exclusions(&self) -> impl Iterator<Item = (&PathPattern, &PolicyLocation)> {
        self.except.iter().zip(&self.except_at)
    }

    /// Without the entries that are less than an error.
    pub(crate) fn drop_mild(&mut self) {
        self.rules.retain(|rule| rule.stated.is_firm());
        self.named.retain(|rule| rule.stated.is_firm());
    }

    /// Without one entry, or without any where it is the list that stands there.
    pub(crate) fn drop_location(&mut self, location: &PolicyLocation) {
        if self.location.as_ref() == Some(location) {
            *self = Self { named: std::mem::take(&mut self.named), ..Self::default() };
        } else {
            self.rules.retain(|rule| rule.stated.location != *location);
            self.named.retain(|rule| rule.stated.location != *location);
        }
    }
}
