//! Paths as a log wrote them → the form that [`PathTarget`] documents. Purely lexical: no file system is asked.

mod fold;
mod pattern;
mod resolve;

use super::{Certainty, PathTarget};
pub use fold::fold_for_deny;
pub use pattern::escaped;
use pattern::has_metacharacters;
pub(crate) use pattern::{dotted, hidden, literal};
use resolve::{Anchor, Resolved, parsed, resolve};
pub(crate) use resolve::{in_home, is_below_home};

/// The directories a path is resolved against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathBase<'a> {
    /// The workspace root, absolute and normalised; `None` when the log recorded none.
    pub root: Option<&'a str>,
    pub cwd: Cwd<'a>,
}

/// The working directory as far as it is known.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cwd<'a> {
    /// Absolute; or, where the root is not known, relative to it.
    Known(&'a str),
    Unknown,
}

/// Resolves a path as written. The result is inside the workspace exactly if its lexical form is.
pub(crate) fn locate(base: PathBase<'_>, text: &str, certainty: Certainty) -> (PathTarget, Certainty) {
    if let Some(path) = plain(base, text).filter(|_| certainty != Certainty::Pattern) {
        return (PathTarget::new(path), certainty);
    }
    let Some(resolved) = resolve(base, text, certainty) else {
        return (PathTarget::new("**"), Certainty::Pattern);
    };
    present(base, &resolved, certainty)
}

/// The path of `src/a.rs` or `/repo/src/a.rs` and its like in a Unix workspace: most need nothing but their directory put
/// before them, or the root taken away.
fn plain(base: PathBase<'_>, text: &str) -> Option<String> {
    let root = base.root?;
    let is_unix = root.starts_with('/') && !["//", "/proc", "/private"].iter().any(|start| root.starts_with(start));
    let inside = text.strip_prefix(root).and_then(|below| below.strip_prefix('/'));
    let path = inside.unwrap_or(text);
    let is_plain = !text.starts_with('~')
        && !path.bytes().any(|byte| matches!(byte, b':' | b'\\'))
        && path.as_bytes().split(|byte| *byte == b'/').all(|component| !matches!(component, b"" | b"." | b".."));
    if !is_unix || !is_plain || root == "/" {
        return None;
    }
    if let Some(inside) = inside {
        return Some(inside.to_owned());
    }
    let Cwd::Known(cwd) = base.cwd else { return None };
    let below = cwd.strip_prefix(root)?;
    match below.strip_prefix('/') {
        Some(below) => Some(format!("{below}/{text}")),
        None => below.is_empty().then(|| text.to_owned()),
    }
}

/// The absolute form of a directory (relative to the root where that is not known); `None` when it is not one directory.
pub(crate) fn directory(base: PathBase<'_>, text: &str) -> Option<String> {
    let resolved = resolve(base, text, Certainty::Exact)?;
    if resolved.anchor == Anchor::Unknown {
        return None;
    }
    Some(written(&resolved))
}

/// The root of a workspace from the working directory a log recorded.
pub(crate) fn root(text: &str) -> Option<String> {
    let base = PathBase { root: None, cwd: Cwd::Unknown };
    directory(base, text).filter(|root| !root.is_empty())
}

/// Normalises a root that [`root`] may have returned: `//server/share` stays a share there.
pub(crate) fn root_again(text: &str) -> Option<String> {
    if text.starts_with("//") { Some(text.to_owned()) } else { root(text) }
}

/// A resolved path in the form that users and policies see.
fn present(base: PathBase<'_>, resolved: &Resolved, certainty: Certainty) -> (PathTarget, Certainty) {
    if resolved.anchor == Anchor::Unknown {
        return unknown_directory(resolved, certainty);
    }
    let Some(root) = base.root else {
        return settled(written(resolved), certainty);
    };
    let root = parsed(root, certainty);
    match relation(resolved, &root, certainty) {
        Relation::Inside => {
            let below = resolved.components.get(root.components.len()..).unwrap_or_default();
            settled(joined(below), certainty)
        }
        Relation::Maybe { below } => {
            let below = resolved.components.get(below..).unwrap_or_default();
            let path = if below.is_empty() { "**".to_owned() } else { format!("**/{}", below.join("/")) };
            (PathTarget::new(path), Certainty::Pattern)
        }
        Relation::Outside => settled(outside(resolved), certainty),
    }
}

fn unknown_directory(resolved: &Resolved, certainty: Certainty) -> (PathTarget, Certainty) {
    let mut path = "**".to_owned();
    for component in &resolved.components {
        path.push('/');
        match certainty {
            Certainty::Pattern => path.push_str(component),
            Certainty::Exact | Certainty::Possible => path.push_str(&escaped(component)),
        }
    }
    (PathTarget::new(path), Certainty::Pattern)
}

enum Relation {
    Inside,
    Outside,
    /// A glob that may name a file of the workspace: its components from `below` on.
    Maybe {
        below: usize,
    },
}

/// The file system that holds the root takes names that differ in nothing but their case for one, as those of Windows
/// and macOS do.
fn ignores_case(root: &Resolved) -> bool {
    matches!(root.anchor, Anchor::Drive(_) | Anchor::Server(_))
        || root.components.first().is_some_and(|first| first == "Users")
}

fn relation(resolved: &Resolved, root: &Resolved, certainty: Certainty) -> Relation {
    let same_server = resolved.anchor == root.anchor;
    if !same_server {
        return Relation::Outside;
    }
    let ignores_case = ignores_case(root);
    let mut maybe = false;
    for (at, expected) in root.components.iter().enumerate() {
        let Some(component) = resolved.components.get(at) else { return Relation::Outside };
        if certainty == Certainty::Pattern && component.contains("**") {
            return Relation::Maybe { below: at + 1 };
        }
        let equal = component == expected || (ignores_case && component.to_lowercase() == expected.to_lowercase());
        if !equal {
            if certainty != Certainty::Pattern || !has_metacharacters(component) {
                return Relation::Outside;
            }
            maybe = true;
        }
    }
    match maybe {
        false => Relation::Inside,
        // It names the root itself, or a neighbour.
        true if resolved.components.len() == root.components.len() => Relation::Outside,
        true => Relation::Maybe { below: root.components.len() },
    }
}

/// Outside the workspace: absolute.
fn outside(resolved: &Resolved) -> String {
    let text = written(resolved);
    if text.is_empty() { ".".to_owned() } else { text }
}

fn written(resolved: &Resolved) -> String {
    let below = resolved.components.join("/");
    match &resolved.anchor {
        Anchor::Slash => format!("/{below}"),
        Anchor::Drive(letter) => format!("{letter}:/{below}"),
        Anchor::Server(server) if below.is_empty() => format!("//{server}"),
        Anchor::Server(server) => format!("//{server}/{below}"),
        Anchor::Home(home) if below.is_empty() => home.clone(),
        Anchor::Home(home) => format!("{home}/{below}"),
        Anchor::Workspace if below.is_empty() => ".".to_owned(),
        Anchor::Workspace => below,
        Anchor::Unknown if below.is_empty() => "**".to_owned(),
        Anchor::Unknown => format!("**/{below}"),
    }
}

fn joined(components: &[String]) -> String {
    if components.is_empty() { ".".to_owned() } else { components.join("/") }
}

/// A pattern that turns out to be literal is exact.
fn settled(path: String, certainty: Certainty) -> (PathTarget, Certainty) {
    if certainty != Certainty::Pattern {
        return (PathTarget::new(path), certainty);
    }
    match literal(&path) {
        Some(literal) => (PathTarget::new(literal), Certainty::Exact),
        None => (PathTarget::new(path), Certainty::Pattern),
    }
}

/// The path does not count from the root: it is absolute, below a home directory or on a drive.
pub(crate) fn is_anchored(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.as_bytes().get(1) == Some(&b':')
}

/// The directory is beside the repository, where people put work trees (`../x`, `../repository__worktrees/x`), or a
/// temporary one.
pub(crate) fn is_beside(path: &str, root: &str) -> bool {
    if path.starts_with("/tmp/") {
        return true;
    }
    let Some((holder, _)) = root.trim_end_matches('/').rsplit_once('/') else { return false };
    let beside = path.strip_prefix(holder).and_then(|rest| rest.strip_prefix('/')).unwrap_or_default();
    let most = if holder.is_empty() { 1 } else { 2 };
    !beside.is_empty() && !beside.starts_with('.') && beside.split('/').count() <= most
}
