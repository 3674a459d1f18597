//! Files of recipes of which the gate runs a part: whether a change leaves that part as it is.

mod make;
mod phony;
mod sections;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::gate::{GateFiles, Recipes};
use super::resolve;
use super::touches::Changed;
use super::tree::{Content, Contents, Tree};
use crate::repo_audit::program;
use agent_strace_effects::RecipeFiles;
use sections::{Split, of_tox, split};

/// Whether the commands of the gate run the same lines of a file before the change and after it. What can't be told is no.
pub(super) fn runs_the_same(changed: &Changed<'_>, gate: &GateFiles, path: &str) -> bool {
    let Some(recipes) = gate.recipes.get(path) else { return false };
    let (Content::Text(base), Content::Text(head)) = (changed.base.read(path), changed.head.read(path)) else {
        return false;
    };
    if recipes.iter().any(|recipes| recipes.commands.is_empty()) {
        return false;
    }
    if resolve::name_of(path) == "tox.ini" {
        let commands: Vec<&[String]> = commands(recipes).collect();
        return of_tox(&base, &commands).is_some_and(|asked| Some(asked) == of_tox(&head, &commands));
    }
    let texts = match (split(path, &base), split(path, &head)) {
        (Some(before), Some(after)) => {
            match without_what_differs(recipes, &before, &after, &|| steers_make(changed.base, gate, path)) {
                Some((base_kept, head_kept)) => vec![base_kept, head, head_kept],
                None => return false,
            }
        }
        // Only the commands in the file are known. That is enough where they do nothing but run before the gate.
        _ if recipes.iter().any(|recipes| recipes.is_leading) => return false,
        _ => vec![head],
    };
    texts.iter().all(|text| {
        // By the folder that a command runs in.
        let mut files: BTreeMap<&str, RecipeFiles> = BTreeMap::new();
        recipes.iter().all(|recipes| are_same(changed.head, path, text, recipes, &mut files))
    })
}

/// Paths that must not be there for `make` to run what commands ask it for.
pub(super) fn made(tree: &dyn Contents, file: &str, commands: &BTreeSet<(Vec<String>, String)>) -> BTreeSet<String> {
    let is_make =
        |words: &[String]| words.first().is_some_and(|word| matches!(program(word).as_str(), "make" | "gmake"));
    let mut commands = commands.iter().filter(|(words, _)| is_make(words)).peekable();
    let Content::Text(text) = (if commands.peek().is_some() { tree.read(file) } else { Content::Missing }) else {
        return BTreeSet::new();
    };
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let goals = commands.map(|(words, _)| {
        let goals = words.iter().skip(1).map(String::as_str);
        goals.filter(|word| !word.starts_with('-') && !word.contains('=')).collect::<Vec<_>>()
    });
    let needed = goals.flat_map(|goals| make::needed(&text, &goals));
    needed.filter_map(|target| resolve::joined(folder, &target)).collect()
}

/// The makefile, where a change adds a folder that has the name of a target of the gate.
pub(super) fn shadowed(changed: &Changed<'_>, gate: &GateFiles, path: &str) -> Option<String> {
    let mut ends = path.match_indices('/').map(|(at, _)| at);
    ends.find_map(|end| {
        let folder = path.get(..end)?;
        let by = gate.made.get(folder)?;
        let below = format!("{folder}/");
        let paths = changed.base.paths();
        let at = paths.partition_point(|path| path.as_str() < below.as_str());
        // A folder that is there already does not keep `make` from it.
        paths.get(at).is_none_or(|path| !path.starts_with(&below)).then(|| by.clone())
    })
}

/// Returns true if a file that leads to the gate, or that the gate calls, may give `make` other makefiles or options.
fn steers_make(tree: &dyn Tree, gate: &GateFiles, makefile: &str) -> bool {
    let files = gate.runs.iter().chain(gate.called.keys()).filter(|path| *path != makefile);
    let mut texts = files.map(|path| tree.read(path));
    texts.any(|content| match content {
        Content::Text(text) => text.contains("MAKEFILES") || text.contains("MAKEFLAGS"),
        _ => false,
    })
}

fn commands(recipes: &[Recipes]) -> impl Iterator<Item = &[String]> {
    recipes.iter().flat_map(|recipes| &recipes.commands).map(|(words, _)| words.as_slice())
}

/// Both sides without the recipes that differ: what runs without them does not depend on them. `None`: the rest differs, too.
fn without_what_differs(
    recipes: &[Recipes],
    before: &Split<'_>,
    after: &Split<'_>,
    is_steered: &dyn Fn() -> bool,
) -> Option<(String, String)> {
    let (old, new) = (before.recipes()?, after.recipes()?);
    let names: BTreeSet<&str> = old.keys().chain(new.keys()).map(String::as_str).collect();
    let differing: BTreeSet<&str> = names.into_iter().filter(|name| old.get(*name) != new.get(*name)).collect();
    let shared = [before.shared(), after.shared()];
    let is_same = if before.is_makefile && after.is_makefile {
        phony::are_same(recipes, [before.text, after.text], &shared, is_steered)
    } else {
        let [old, new] = &shared;
        old == new
    };
    is_same.then(|| (before.without(&differing), after.without(&differing)))
}

/// Whether commands run the lines that they run at the base, with `text` in the file.
fn are_same<'r>(
    head: &dyn Contents,
    path: &str,
    text: &str,
    recipes: &'r Recipes,
    files: &mut BTreeMap<&'r str, RecipeFiles>,
) -> bool {
    recipes.commands.iter().all(|(words, folder)| {
        let at = |file: &str| resolve::joined(folder, file);
        let mut read = |file: &str| match at(file)? {
            file if file == path => Some(text.to_owned()),
            file => match head.read(&file) {
                Content::Text(text) => Some(text),
                _ => None,
            },
        };
        let called = files.entry(folder).or_default().called(words, &mut read);
        let mut of_file = called.iter().filter(|called| at(&called.file).as_deref() == Some(path));
        of_file.next().is_some_and(|called| called.lines.join("\n") == recipes.lines) && of_file.next().is_none()
    })
}
