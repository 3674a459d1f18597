//! The other names of a file that a call touches: aliases, work trees, and the workspace below an outer directory.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Tracker;
use crate::command::LINK;
use crate::world::{AliasKind, Name, Within};
use crate::{About, Certainty, Effect, Effects, Kind, Opaque, PathTarget, Reason, START, glob, paths};

/// Siblings one effect may get through aliases.
const SIBLINGS: usize = 64;
/// Aliases below a directory or behind a glob that are looked at for one effect.
const ALIASES: usize = 256;
/// Aliases that are looked at for all effects of one call, and siblings that these may get together.
const LOOKS: usize = 1 << 15;
/// Looks for the price of one step of work.
const LOOKS_A_STEP: usize = 8;

/// Directories of a pattern that are compared with an alias.
const DEPTH: usize = 32;

/// How an act on a file of a work tree touches the file of the repository.
const WORKTREE: &str = "worktree";

impl Tracker {
    /// Adds what the same act does under other names: through aliases, and to the workspace below an outer directory.
    pub(super) fn with_siblings(&self, effects: Effects) -> Effects {
        let meter = self.world.meter();
        let most = LOOKS.min(meter.left().max(LOOKS / 64) * LOOKS_A_STEP);
        let mut looks = Looks { left: most, told: HashSet::new() };
        let siblings: Vec<Vec<Effect>> = effects.iter().map(|effect| self.siblings(effect, &mut looks)).collect();
        meter.spend((most - looks.left) / LOOKS_A_STEP + meter.take());
        if siblings.iter().all(Vec::is_empty) {
            return effects;
        }
        let mut all: Vec<Effect> = Vec::with_capacity(effects.len());
        // The new index of each effect.
        let mut indices = Vec::with_capacity(effects.len());
        for (mut effect, siblings) in effects.into_vec().into_iter().zip(siblings) {
            effect.origin = effect.origin.moved(&indices);
            let start = all.len();
            let origin = effect.origin;
            indices.push(u32::try_from(start).ok());
            // The file is one of the repository: that is the name which an allow list has to know. A tree beside the
            // repository is a place of it, too, so there the file has no other name.
            let is_ours = siblings.iter().any(|one| one.via == WORKTREE && one.certainty == effect.certainty);
            if is_ours {
                effect.certainty = effect.certainty.guessed();
            }
            if !is_ours || !self.is_in_near_tree(&effect) {
                all.push(effect);
            }
            for sibling in siblings {
                if !all.iter().skip(start).any(|known| *known == sibling) {
                    all.push(Effect { origin, ..sibling });
                }
            }
        }
        all.into()
    }

    /// The file lies in a work tree beside the repository.
    fn is_in_near_tree(&self, effect: &Effect) -> bool {
        let (Some(target), Some(root)) = (effect.kind.path(), self.world.root()) else { return false };
        let names = self.world.originals(&target.path, effect.certainty);
        let mut trees = names.iter().filter(|name| name.alias_kind == AliasKind::Checkout);
        trees.any(|name| paths::is_beside(&name.alias, root))
    }

    fn siblings(&self, effect: &Effect, looks: &mut Looks) -> Vec<Effect> {
        // The effect before it has the other names of the path.
        if effect.via == START {
            return Vec::new();
        }
        let mut siblings = Vec::new();
        if let Some(target) = effect.kind.path() {
            siblings.extend(self.below_outer(effect, target));
            siblings.extend(self.absolute(effect, target));
            siblings.extend(checked_out(effect, target));
            if self.world.has_aliases() {
                self.aliased(effect, target, looks, &mut siblings);
                looks.left = looks.left.saturating_sub(siblings.len());
            }
        }
        siblings
    }

    /// `/home`, `~` or `/*` with all below holds the workspace, too.
    fn below_outer(&self, effect: &Effect, target: &PathTarget) -> Option<Effect> {
        let root = self.world.root()?;
        let open = target.path.ends_with("/**");
        if !target.subtree && !open {
            return None;
        }
        let outer = target.path.strip_suffix("/**").unwrap_or(&target.path).trim_end_matches('/');
        let holds = match effect.certainty {
            _ if outer.is_empty() => target.path.starts_with('/'),
            Certainty::Pattern => above(root).any(|above| glob::matches(outer, above)),
            Certainty::Exact | Certainty::Possible => above(root).any(|above| above == outer),
        };
        let home = matches!(target.path.as_str(), "~" | "~/**") && paths::is_below_home(root);
        (holds || home).then(|| {
            let root = PathTarget { path: ".".to_owned(), subtree: true };
            effect.like(at(&effect.kind, root), exact(effect.certainty), effect.via.clone())
        })
    }

    /// If the workspace is the whole disk, a policy calls the file `etc/x` by its absolute name `/etc/x`.
    fn absolute(&self, effect: &Effect, target: &PathTarget) -> Option<Effect> {
        let inside = !target.path.starts_with(['/', '~', '*']) && target.path != ".";
        (self.world.root() == Some("/") && inside).then(|| {
            let target = PathTarget { path: format!("/{}", target.path), subtree: target.subtree };
            let certainty = match effect.certainty {
                Certainty::Pattern => Certainty::Pattern,
                Certainty::Exact | Certainty::Possible => Certainty::Possible,
            };
            effect.like(at(&effect.kind, target), certainty, effect.via.clone())
        })
    }

    fn aliased(&self, effect: &Effect, target: &PathTarget, looks: &mut Looks, siblings: &mut Vec<Effect>) {
        if looks.left == 0 {
            siblings.extend(looks.too_many(effect));
            return;
        }
        for name in self.world.originals(&target.path, effect.certainty) {
            siblings.extend(sibling(effect, &name, target));
        }
        let prefix = match effect.certainty {
            Certainty::Pattern => before_glob(&target.path),
            Certainty::Exact | Certainty::Possible if target.subtree && target.path == "." => "",
            Certainty::Exact | Certainty::Possible if target.subtree => target.path.as_str(),
            Certainty::Exact | Certainty::Possible => return,
        };
        for (count, alias) in self.world.aliases_from(prefix).enumerate() {
            looks.left = looks.left.saturating_sub(1);
            if count >= ALIASES || siblings.len() >= SIBLINGS || looks.left == 0 {
                siblings.extend(looks.too_many(effect));
                return;
            }
            let covered = match effect.certainty {
                Certainty::Pattern => glob::matches(&target.path, alias) || glob::matches(&target.shown(), alias),
                Certainty::Exact | Certainty::Possible => {
                    target.path == "." || alias.strip_prefix(&target.path).is_some_and(|rest| rest.starts_with('/'))
                }
            };
            if covered {
                let names = self.world.originals(alias, Certainty::Exact);
                siblings.extend(names.iter().filter_map(|name| sibling(effect, name, target)));
            }
            if effect.certainty == Certainty::Pattern {
                siblings.extend(self.through(alias, effect, target));
            }
        }
    }

    /// `x*/key`, where `xx` is a link to a directory: the wildcard of a directory matches the link.
    fn through(&self, alias: &str, effect: &Effect, target: &PathTarget) -> Vec<Effect> {
        // For programs that only read, `**` goes through no link. What `find -L` deletes, it deletes there.
        let follows = matches!(effect.kind, Kind::Write(_) | Kind::Delete(_));
        let is_wild = |directory: &str| directory.contains(['*', '?', '[']) && (follows || !directory.ends_with("**"));
        let ends = target.path.match_indices('/').take(DEPTH);
        let parts = ends.filter_map(|(at, _)| target.path.split_at_checked(at));
        let parts = parts.filter(|(directory, _)| is_wild(directory) && glob::matches(directory, alias));
        let paths = parts.map(|(_, rest)| format!("{}{rest}", paths::escaped(alias)));
        let names = paths.flat_map(|path| self.world.originals(&path, Certainty::Pattern));
        names.filter_map(|name| sibling(effect, &name, target)).collect()
    }
}

/// Agents' own tools make work trees of the repository there: what is below one of them is a file of the repository.
fn checked_out(effect: &Effect, target: &PathTarget) -> Option<Effect> {
    let (tree, path) = target.path.strip_prefix(".claude/worktrees/")?.split_once('/')?;
    let certainty = if tree.contains("**") { Certainty::Pattern } else { effect.certainty };
    let target = PathTarget { path: path.to_owned(), subtree: target.subtree };
    Some(effect.like(at(&effect.kind, target), certainty, WORKTREE.into()))
}

/// The effect on `target` under another name.
fn sibling(effect: &Effect, name: &Name, target: &PathTarget) -> Option<Effect> {
    let same = match effect.kind {
        Kind::Read(_) | Kind::List(_) => true,
        // A new link takes a name, and leaves the file that it leads to.
        Kind::Write(_) if name.within == Within::Itself && matches!(effect.via, Cow::Borrowed(LINK)) => false,
        // A work tree that is made or removed leaves the files of the others.
        Kind::Write(_) | Kind::Delete(_) if name.alias_kind == AliasKind::Checkout => name.within == Within::Directory,
        Kind::Write(_) => name.alias_kind == AliasKind::Same,
        // Deleting a link leaves the original; deleting below a linked directory does not.
        Kind::Delete(_) => name.alias_kind == AliasKind::Same && name.within == Within::Directory,
        _ => false,
    };
    let certainty = match (effect.certainty, name.certainty) {
        (_, Certainty::Pattern) => Certainty::Pattern,
        (Certainty::Possible, _) => Certainty::Possible,
        _ => Certainty::Exact,
    };
    same.then(|| {
        let kind = at(&effect.kind, PathTarget { path: name.path.clone(), subtree: target.subtree });
        let is_checked_out = name.alias_kind == AliasKind::Checkout && name.within == Within::Directory;
        let via = if is_checked_out { WORKTREE.into() } else { format!("alias {}", name.alias).into() };
        effect.like(kind, certainty, via)
    })
}

/// The aliases that the tracker may still look at for a call, and the kinds of acts for which it reported too many links.
struct Looks {
    left: usize,
    told: HashSet<About>,
}

impl Looks {
    /// The session made more links than are followed. A call says so once for reading and once for writing.
    fn too_many(&mut self, effect: &Effect) -> Option<Effect> {
        let about = match effect.kind {
            Kind::Write(_) | Kind::Delete(_) => About::Writes,
            _ => About::Reads,
        };
        let opaque = Opaque::new(about, Reason::TooManyLinks, Vec::new());
        self.told.insert(about).then(|| effect.like(Kind::Opaque(opaque), Certainty::Possible, "alias".into()))
    }
}

/// Every directory above the root, and the root.
fn above(root: &str) -> impl Iterator<Item = &str> {
    let shorter = root.match_indices('/').filter_map(|(at, _)| root.get(..at)).filter(|path| !path.is_empty());
    shorter.chain([root])
}

fn exact(certainty: Certainty) -> Certainty {
    match certainty {
        Certainty::Possible => Certainty::Possible,
        Certainty::Exact | Certainty::Pattern => Certainty::Exact,
    }
}

/// The part of a glob before its first metacharacter, up to a whole component.
fn before_glob(pattern: &str) -> &str {
    let literal = pattern.find(['*', '?', '[']).map_or(pattern, |at| pattern.get(..at).unwrap_or(""));
    literal.rfind('/').map_or("", |at| literal.get(..=at).unwrap_or(""))
}

/// Returns the act with another path as its target.
fn at(kind: &Kind, target: PathTarget) -> Kind {
    match kind {
        Kind::Write(_) => Kind::Write(target),
        Kind::Delete(_) => Kind::Delete(target),
        Kind::List(_) => Kind::List(target),
        _ => Kind::Read(target),
    }
}
