//! Modules that a script of the gate takes from folders of the repository before those that are installed.

use std::collections::BTreeSet;

use super::resolve::{has_ending, joined};
use super::tree::{Tree, holds, located};

/// Files of one script.
const FILES: usize = 20_000;
/// Files of one package.
const PACKAGE: usize = 1_000;
/// Folders above a script.
const FOLDERS: usize = 32;
/// Letters of the name of a module.
const NAME: usize = 100;
const NODE: &[&str] = &["js", "mjs", "cjs", "ts", "mts", "cts"];

/// Modules of Python that others of its library load, whatever a script imports.
const LOADED: &str = "abc argparse ast base64 bisect bz2 codecs collections concurrent contextlib copy copyreg csv dataclasses \
    datetime decimal dis email encodings enum errno fcntl fnmatch functools genericpath gettext glob hashlib heapq hmac http \
    importlib inspect io json keyword linecache locale logging lzma math ntpath numbers opcode operator os pathlib pickle platform \
    posixpath queue random re reprlib secrets select selectors shutil signal site socket ssl stat string struct subprocess \
    tempfile textwrap threading time token tokenize traceback types typing urllib uuid warnings weakref zipfile zlib";

/// Modules that a script takes.
pub(super) fn of_script(tree: &dyn Tree, path: &str, text: &str) -> BTreeSet<String> {
    let first = text.lines().next().unwrap_or_default();
    let is_run_by = |name: &str| first.starts_with("#!") && first.contains(name);
    if has_ending(path, "py") || is_run_by("python") {
        return beside(tree, path, text);
    }
    if NODE.iter().any(|ending| has_ending(path, ending)) || is_run_by("node") {
        return packages(tree, path, text);
    }
    BTreeSet::new()
}

/// Modules and packages beside a script of Python. Imports have many forms, so that every word counts: `import os, x`,
/// `__import__('x')`, `import_module("x")`.
fn beside(tree: &dyn Tree, path: &str, text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    // Only the folder of a script comes before the library; that of a package does not.
    let is_package = joined(folder, "__init__.py").is_some_and(|file| holds(tree, &file));
    let loaded = LOADED.split(' ').filter(|_| !is_package);
    let words: BTreeSet<&str> = words.filter(|word| !word.is_empty() && word.len() < NAME).chain(loaded).collect();
    let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let named = children(tree, &below).into_iter().filter_map(|child| {
        let module = child.strip_suffix(".py");
        words.contains(module.unwrap_or(child)).then(|| match module {
            Some(_) => format!("{below}{child}"),
            None => format!("{below}{child}/__init__.py"),
        })
    });
    named.flat_map(|file| located(tree, &file)).collect()
}

/// The names of files and folders directly in a folder.
fn children<'t>(tree: &'t dyn Tree, below: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut next = below.to_owned();
    loop {
        let at = tree.paths().partition_point(|path| *path < next);
        let Some(rest) = tree.paths().get(at).and_then(|path| path.strip_prefix(below)) else { return found };
        let child = rest.split('/').next().unwrap_or(rest);
        found.push(child);
        // `0` comes next after `/`, and every path comes before itself with more behind it.
        next = if child == rest { format!("{below}{rest}\0") } else { format!("{below}{child}0") };
    }
}

/// Packages in folders `node_modules` that are committed: `require("x")`, `import x from "x"`.
fn packages(tree: &dyn Tree, path: &str, text: &str) -> BTreeSet<String> {
    let ends = path.match_indices('/').map(|(at, _)| at);
    let above = ends.take(FOLDERS).filter_map(|end| path.get(..end)).chain([""]);
    let folders: Vec<String> = above.filter_map(|folder| joined(folder, "node_modules")).collect();
    let is_there = |folder: &&String| !files_below(tree, &format!("{folder}/"), 1).is_empty();
    let folders: Vec<&String> = folders.iter().filter(is_there).collect();
    if folders.is_empty() {
        return BTreeSet::new();
    }
    let is_edge = |letter: char| letter.is_whitespace() || "\"'`();,".contains(letter);
    let names: BTreeSet<&str> =
        text.split(is_edge).filter(|name| !name.is_empty() && name.len() < NAME && !name.starts_with('.')).collect();
    let below = folders.iter().flat_map(|folder| names.iter().map(move |name| format!("{folder}/{name}/")));
    below.flat_map(|below| files_below(tree, &below, PACKAGE)).take(FILES).collect()
}

/// Files whose paths begin so, up to a number.
fn files_below(tree: &dyn Tree, start: &str, most: usize) -> Vec<String> {
    let first = tree.paths().partition_point(|path| path.as_str() < start);
    let paths = tree.paths().get(first..).unwrap_or_default().iter();
    paths.take_while(|path| path.starts_with(start)).take(most).cloned().collect()
}
