//! Files that say what a build tool runs, in formats that are not read as recipes: `meson.build`, `BUILD`, `project.json`, …
//!
//! Which of them a command runs is known by words only: they are in the folder where it runs, or in one that it names, and hold a
//! name that it asks for. So such a call counts only where it leads to the gate, see [`settle()`].

use std::collections::{BTreeMap, BTreeSet};

use super::calls::{Graph, Node, Part, Reader, names_gate};
use super::operands;
use super::reads;
use super::resolve::{self, Place, has_ending, name_of};
use super::startup::started;
use super::systems::dialect;
use super::touches::gives_verdict;
use super::tree::{Tree, files_in, located};
use super::walk::leading;

/// Calls of one graph that may lead to the gate.
const CALLS: usize = 20_000;
/// Folders that the words of one command name.
const FOLDERS: usize = 32;
/// Bytes of one file.
const SIZE: usize = 1 << 20;

/// Names of files that say what a build tool runs.
const NAMES: &[&str] = &[
    "BUILD",
    "BUCK",
    "WORKSPACE",
    "SConstruct",
    "SConscript",
    "wscript",
    "meson.build",
    "CMakeLists.txt",
    "pom.xml",
    "build.xml",
    "project.json",
    "moon.yml",
];
/// Endings of such files.
const ENDINGS: &[&str] = &["gradle", "kts", "bazel", "bzl", "ninja", "cmake", "sbt"];
/// Endings of settings that a tool may take commands from.
const SETTINGS: &[&str] = &["yml", "yaml", "json", "toml", "xml"];
/// Programs that run what is bound to a phase or a task of their own, with the files that bind it.
const PHASED: &[(&str, &str)] = &[
    ("mvn mvnw mvnd", "pom.xml"),
    ("gradle gradlew", "build.gradle build.gradle.kts settings.gradle settings.gradle.kts"),
];
/// Words that name no target.
const VERBS: &str = "run build test exec install compile check start all";

/// A call that counts only where it leads to the gate.
#[derive(Debug)]
pub(super) struct Perhaps {
    pub(super) from: Node,
    /// The command that makes it; empty: one definition names another.
    words: Vec<String>,
    pub(super) to: Node,
    step: Option<usize>,
}

/// Definitions of one folder: paths, each with the words in its text.
type Folder = Vec<(String, BTreeSet<String>)>;

/// The definitions that were looked at, by their folders.
#[derive(Debug, Default)]
pub(super) struct Definitions(BTreeMap<String, Folder>);

/// Returns true if the name of a file says that a build tool takes commands from it.
pub(super) fn is_definition(path: &str) -> bool {
    NAMES.contains(&name_of(path)) || ENDINGS.iter().any(|ending| has_ending(path, ending))
}

impl Reader<'_> {
    /// Notes the definitions that a command may run. Returns whether there are any.
    pub(super) fn defined(&mut self, node: &Node, words: &[String], place: &Place) -> bool {
        let mut found = BTreeSet::new();
        for (name, rest) in started(words) {
            if !operands::may_name_target(&name) || reads::is_elsewhere(&name, rest) {
                continue;
            }
            let targets = targets(rest);
            let phased: Vec<&str> = phased(&name).collect();
            for folder in folders(rest, place) {
                let definitions = self.definitions_in(&folder);
                let is_meant = |(path, held): &&(String, BTreeSet<String>)| {
                    phased.contains(&name_of(path)) || targets.iter().any(|target| held.contains(*target))
                };
                found.extend(definitions.iter().filter(is_meant).map(|(path, _)| path.clone()));
            }
        }
        let is_found = !found.is_empty();
        for path in found {
            self.perhaps(node, words, path);
        }
        is_found
    }

    /// Notes definitions of the same name in folders that one names: `subdir('ci')`, `<module>ci</module>`.
    pub(super) fn nested(&mut self, node: &Node, text: &str, place: &Place) {
        if !is_definition(&node.file) {
            return;
        }
        let name = name_of(&node.file).to_owned();
        let is_edge = |letter: char| letter.is_whitespace() || "\"'`;|&()<>,=[]{}:".contains(letter);
        let tokens: BTreeSet<&str> = text.split(is_edge).map(|token| token.trim_matches('/')).collect();
        for token in tokens.into_iter().filter(|token| !token.is_empty() && token.len() < 200) {
            let paths = place.folders().iter().filter_map(|from| resolve::joined(from, &format!("{token}/{name}")));
            let paths: Vec<String> = paths.flat_map(|path| located(self.tree, &path)).collect();
            for path in paths {
                self.perhaps(node, &[], path);
            }
        }
    }

    fn perhaps(&mut self, from: &Node, words: &[String], path: String) {
        if self.graph.perhaps.len() >= CALLS {
            self.graph.is_cut = true;
            return;
        }
        let to = Node::file(path);
        self.reach(to.clone());
        self.graph.perhaps.push(Perhaps { from: from.clone(), words: words.to_vec(), to, step: self.step });
    }

    fn definitions_in(&mut self, folder: &str) -> &Folder {
        if !self.definitions.0.contains_key(folder) {
            let tree = self.tree;
            let mut found = Folder::new();
            for path in files_at(tree, folder).into_iter().filter(|path| may_define(path)) {
                let Some(text) = self.text(path).filter(|text| text.len() <= SIZE) else { continue };
                if is_definition(path) || gives_verdict(&text) {
                    found.push((path.to_owned(), words_of(&text).map(str::to_owned).collect()));
                }
            }
            self.definitions.0.insert(folder.to_owned(), found);
        }
        self.definitions.0.entry(folder.to_owned()).or_default()
    }
}

/// Returns true if a tool may take commands from the file. Recipes, scripts, and files of agents or of CI are read elsewhere.
fn may_define(path: &str) -> bool {
    let is_setting = SETTINGS.iter().any(|ending| has_ending(path, ending));
    let is_action = matches!(name_of(path), "action.yml" | "action.yaml");
    let is_known = is_action || resolve::is_recipes(path) || resolve::is_of_runner(path) || dialect(path).is_some();
    is_definition(path) && dialect(path).is_none() || is_setting && !is_known && !name_of(path).starts_with('.')
}

/// The files directly in a folder, or at the top.
fn files_at<'t>(tree: &'t dyn Tree, folder: &str) -> Vec<&'t str> {
    let at_top = tree.paths().iter().map(String::as_str).filter(|path| !path.contains('/'));
    if folder.is_empty() { at_top.collect() } else { files_in(tree, folder).collect() }
}

/// The names that a command asks for: `gate` of `//ci:gate`, `--target=gate`, `ci:gate`.
fn targets(rest: &[String]) -> BTreeSet<&str> {
    let values = rest.iter().filter_map(|word| match word.split_once('=') {
        Some((_, value)) => Some(value),
        None => Some(word.as_str()).filter(|word| !word.starts_with('-')),
    });
    let parts = values.filter(|value| !names_gate(value)).flat_map(words_of);
    parts.filter(|part| part.len() > 1 && !VERBS.split(' ').any(|verb| verb == *part)).collect()
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && !"_-".contains(letter)).filter(|word| !word.is_empty())
}

fn phased(name: &str) -> impl Iterator<Item = &'static str> {
    let rows = PHASED.iter().filter(move |(programs, _)| programs.split(' ').any(|known| known == name));
    rows.flat_map(|(_, files)| files.split(' '))
}

/// The folders where a command runs, and those that its words name: `ci` of `//ci:gate`.
fn folders(rest: &[String], place: &Place) -> BTreeSet<String> {
    let named = rest.iter().filter(|word| !word.starts_with('-')).take(FOLDERS).filter_map(|word| {
        let bare = word.split_once("//").map_or(word.as_str(), |(_, rest)| rest);
        bare.split(':').next().map(|folder| folder.trim_matches('/')).filter(|folder| !folder.is_empty())
    });
    let below = named.flat_map(|word| place.folders().iter().filter_map(move |from| resolve::joined(from, word)));
    place.folders().iter().cloned().chain(below).collect()
}

/// Makes calls of those that lead to the gate, and leaves out what only the others reach. `roots`: where the graph begins.
pub(super) fn settle(graph: &mut Graph, roots: &BTreeSet<Node>) {
    if graph.perhaps.is_empty() {
        return;
    }
    let leading = leading(graph);
    let mut chosen: BTreeMap<(Node, Vec<String>), BTreeSet<Node>> = BTreeMap::new();
    for Perhaps { from, words, to, step } in std::mem::take(&mut graph.perhaps) {
        // Where the recipes of the file are known, they say more.
        let is_recipe = |called: &Node| called.is_recipes_of(&to.file) && leading.contains(called);
        let are_known = graph.calls.get(&from).is_some_and(|calls| calls.iter().any(is_recipe));
        if leading.contains(&to) && !are_known {
            graph.called(&from, &to, step);
            chosen.entry((from, words)).or_default().insert(to);
        }
    }
    for start in &mut graph.starts {
        let found = chosen.get(&(start.from.clone(), start.words.clone()));
        start.runs.extend(found.into_iter().flatten().cloned());
    }
    keep_reached(graph, roots);
}

fn keep_reached(graph: &mut Graph, roots: &BTreeSet<Node>) {
    let mut reached: BTreeSet<Node> = BTreeSet::new();
    let mut open: Vec<&Node> = roots.iter().collect();
    while let Some(node) = open.pop() {
        if reached.insert(node.clone()) {
            let next = [&graph.calls, &graph.members].into_iter().filter_map(|edges| edges.get(node));
            open.extend(next.flatten());
        }
    }
    // A job may be named by others before it is found.
    let is_kept = |node: &Node| {
        reached.contains(node) || matches!(node.part, Part::Job(_)) && reached.contains(&Node::file(node.file.as_str()))
    };
    graph.calls.retain(|from, _| is_kept(from));
    graph.members.retain(|from, _| is_kept(from));
    graph.commands.retain(|node, _| is_kept(node));
    graph.starts.retain(|start| is_kept(&start.from));
    graph.naming.retain(is_kept);
    graph.naming_steps.retain(|node, _| is_kept(node));
    graph.elsewhere.retain(|(node, _)| is_kept(node));
}
