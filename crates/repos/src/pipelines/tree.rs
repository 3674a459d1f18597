//! One state of a repository, and text as CI systems read it.

use std::collections::BTreeSet;

use super::resolve::joined;
use agent_strace_git::Special;

/// Links that one path may lead through.
const LINKS: usize = 16;

/// The content of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Missing,
    Text(String),
    /// Why it can't be read, in one line.
    Unreadable(String),
}

/// The contents of the files of one commit.
pub trait Contents {
    fn read(&self, path: &str) -> Content;

    /// The content for readers that go on behind bytes that are no UTF-8, as git does.
    fn read_lossily(&self, path: &str) -> Content {
        self.read(path)
    }

    /// The link or the submodule at a path; `None`: a plain file, or nothing.
    fn special(&self, _path: &str) -> Option<Special> {
        None
    }
}

/// The files of one commit.
pub trait Tree: Contents {
    /// All paths from the top, sorted.
    fn paths(&self) -> &[String];
}

pub(super) fn holds(tree: &dyn Tree, path: &str) -> bool {
    tree.paths().binary_search_by(|known| known.as_str().cmp(path)).is_ok()
}

/// The paths of the repository that a path leads to: the links on the way, and last the file itself or the submodule that
/// holds it. Empty: nothing is there.
pub(super) fn located(tree: &dyn Tree, path: &str) -> Vec<String> {
    let mut passed = Vec::new();
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let special = ends.filter_map(|end| path.get(..end)).find_map(|start| Some((start, tree.special(start)?)));
        match special {
            None if holds(tree, &path) => passed.push(path),
            None => passed.clear(),
            Some((start, Special::Submodule)) => passed.push(start.to_owned()),
            Some((start, Special::Link(target))) => {
                let folder = start.rsplit_once('/').map_or("", |(folder, _)| folder);
                let rest = path.get(start.len()..).unwrap_or_default();
                passed.push(start.to_owned());
                if let Some(next) = joined(folder, &format!("{target}{rest}")) {
                    path = next;
                    continue;
                }
            }
        }
        return passed;
    }
    passed
}

/// The text of a file, through links.
pub(super) fn text_at(tree: &dyn Tree, path: &str) -> Option<String> {
    match tree.read(located(tree, path).last()?) {
        Content::Text(text) => Some(text),
        _ => None,
    }
}

/// The base with the files of a change in it: the state after the merge.
pub(super) struct Merged<'c> {
    base: &'c dyn Tree,
    head: &'c dyn Contents,
    changed: BTreeSet<&'c str>,
    paths: Vec<String>,
}

impl<'c> Merged<'c> {
    /// `changed`: each path that differs, and whether the head has something there.
    pub(super) fn new(base: &'c dyn Tree, head: &'c dyn Contents, changed: &[ChangedPath<'c>]) -> Self {
        let all: BTreeSet<&str> = changed.iter().map(|changed| changed.path).collect();
        let kept = base.paths().iter().filter(|path| !all.contains(path.as_str())).cloned();
        let new = changed.iter().filter(|changed| !changed.is_gone).map(|changed| changed.path.to_owned());
        let mut paths: Vec<String> = kept.chain(new).collect();
        paths.sort_unstable();
        Self { base, head, changed: all, paths }
    }

    fn of(&self, path: &str) -> &dyn Contents {
        if self.changed.contains(path) { self.head } else { self.base }
    }
}

impl Contents for Merged<'_> {
    fn read(&self, path: &str) -> Content {
        self.of(path).read(path)
    }

    fn special(&self, path: &str) -> Option<Special> {
        self.of(path).special(path)
    }
}

impl Tree for Merged<'_> {
    fn paths(&self) -> &[String] {
        &self.paths
    }
}

/// A path of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedPath<'c> {
    pub path: &'c str,
    /// The head has nothing there.
    pub is_gone: bool,
}

/// The files directly in a folder.
pub(super) fn files_in<'t>(tree: &'t dyn Tree, folder: &str) -> impl Iterator<Item = &'t str> {
    let below = format!("{folder}/");
    let start = tree.paths().partition_point(|path| path.as_str() < below.as_str());
    let paths = tree.paths().get(start..).unwrap_or_default().iter();
    let inside = paths.map(String::as_str).take_while({
        let below = below.clone();
        move |path| path.starts_with(&below)
    });
    inside.filter(move |path| path.get(below.len()..).is_some_and(|rest| !rest.contains('/')))
}

/// Text of a file: UTF-8, or UTF-16 with a byte order mark, which readers of YAML have to understand, too.
pub fn text_of(bytes: Vec<u8>) -> Content {
    let units = |rest: &[u8], unit: fn([u8; 2]) -> u16| -> Content {
        let units: Vec<u16> = rest.chunks_exact(2).filter_map(|pair| pair.try_into().ok()).map(unit).collect();
        match String::from_utf16(&units).ok().filter(|_| rest.len().is_multiple_of(2)) {
            Some(text) => Content::Text(text),
            None => Content::Unreadable("it begins like UTF-16 text, but it is not valid UTF-16".to_owned()),
        }
    };
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        _ => match String::from_utf8(bytes) {
            Ok(text) => Content::Text(text),
            Err(_) => Content::Unreadable("it is not UTF-8 text".to_owned()),
        },
    }
}
