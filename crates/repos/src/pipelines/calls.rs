//! Which files CI calls: scripts, recipes, local actions, workflows and files that are included.
//!
//! A graph: its nodes are jobs, files and recipes, its edges are calls. Nothing is run; texts of shells are read by the
//! evaluator that judges what agents run, and files of recipes by its readers.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::{self, Definitions, Perhaps};
use super::resolve::{self, Place};
use super::startup;
use super::systems::{Dialect, dialect};
use super::tree::{Content, Tree, located, text_at};
use super::{formats, modules, others};
use crate::repo_audit::{commands, program};
use agent_strace_effects::RecipeFiles;
use agent_strace_git::Special;

/// Files and recipes of one graph. Jobs are bounded by the texts that they are in.
const NODES: usize = 10_000;
/// Bytes of all texts that are read.
const BYTES: usize = 48 << 20;
/// Bytes of one text that is read as a script.
const SCRIPT: usize = 256 << 10;

/// The start of the name of a call into a submodule, among those of other repositories.
pub(super) const SUBMODULE: &str = "submodule/";

/// The name by which the gate is called.
pub(super) const GATE: &str = "agent-strace";

/// A part of a file: a job, the lines of a recipe, or all of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node {
    pub(super) file: String,
    pub(super) part: Part,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Whole,
    /// A job, by its key.
    Job(String),
    /// Lines that a runner of recipes takes from the file.
    Lines(String),
}

impl Node {
    pub(super) fn file(path: impl Into<String>) -> Self {
        Self { file: path.into(), part: Part::Whole }
    }

    /// Whether it is a part of a file of recipes.
    pub(super) fn is_recipes_of(&self, file: &str) -> bool {
        self.file == file && matches!(self.part, Part::Lines(_))
    }

    pub(super) fn job(path: &str, key: &str) -> Self {
        Self { file: path.to_owned(), part: Part::Job(key.to_owned()) }
    }
}

/// The files and recipes that CI of one commit calls.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) calls: BTreeMap<Node, BTreeSet<Node>>,
    /// Jobs by the file they are in, and files by the one that includes them.
    pub(super) members: BTreeMap<Node, BTreeSet<Node>>,
    /// Commands that run recipes, with the folder they run in, by what they run.
    pub(super) commands: BTreeMap<Node, BTreeSet<(Vec<String>, String)>>,
    /// The first and the last step of a job that makes a call.
    pub(super) steps: BTreeMap<(Node, Node), (usize, usize)>,
    /// Commands, and files that their programs read by themselves.
    pub(super) starts: Vec<Start>,
    /// Texts that name the gate.
    pub(super) naming: BTreeSet<Node>,
    /// The last step of a job that names the gate.
    pub(super) naming_steps: BTreeMap<Node, usize>,
    /// Globs of files that pipelines of GitLab include.
    pub(super) included: BTreeSet<String>,
    /// Workflows and actions of other repositories that jobs use.
    pub(super) elsewhere: Vec<(Node, String)>,
    /// Calls that count only where they lead to the gate, until the graph is settled.
    pub(super) perhaps: Vec<Perhaps>,
    /// A limit was reached, so that calls are missing.
    pub(super) is_cut: bool,
}

impl Graph {
    /// Adds a call. `step`: the step of a job that makes it.
    pub(super) fn called(&mut self, from: &Node, to: &Node, step: Option<usize>) {
        if let (Some(step), Part::Job(_)) = (step, &from.part) {
            let steps = self.steps.entry((from.clone(), to.clone())).or_insert((step, step));
            *steps = (steps.0.min(step), steps.1.max(step));
        }
        self.calls.entry(from.clone()).or_default().insert(to.clone());
    }
}

/// A command whose programs read files of the repository by themselves.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) from: Node,
    pub(super) words: Vec<String>,
    /// Files and recipes that the command runs.
    pub(super) runs: BTreeSet<Node>,
    pub(super) files: BTreeSet<String>,
}

/// Reads the CI files of a commit and what they call.
pub(super) fn graph(tree: &dyn Tree) -> Graph {
    // Other files of an action count where the action calls them.
    let is_action = |path: &str| matches!(resolve::name_of(path), "action.yml" | "action.yaml");
    let starts = |path: &str| dialect(path).is_some_and(|dialect| dialect != Dialect::Action || is_action(path));
    graph_from(tree, tree.paths().iter().map(String::as_str).filter(|path| starts(path)))
}

/// Reads some files and what they call.
pub(super) fn graph_from<'p>(tree: &dyn Tree, files: impl Iterator<Item = &'p str>) -> Graph {
    let (open, seen) = (Vec::new(), BTreeSet::new());
    let (known, definitions) = (BTreeMap::new(), Definitions::default());
    let mut reader =
        Reader { tree, graph: Graph::default(), open, seen, files: known, definitions, bytes: 0, step: None };
    let roots: BTreeSet<Node> = files.map(Node::file).collect();
    for root in &roots {
        reader.reach(root.clone());
    }
    while let Some(node) = reader.open.pop() {
        reader.node(&node);
    }
    definitions::settle(&mut reader.graph, &roots);
    reader.graph
}

pub(super) struct Reader<'t> {
    pub(super) tree: &'t dyn Tree,
    pub(super) graph: Graph,
    open: Vec<Node>,
    seen: BTreeSet<Node>,
    /// Files of recipes by the folder where commands run.
    files: BTreeMap<String, RecipeFiles>,
    pub(super) definitions: Definitions,
    bytes: usize,
    /// The step of a job that is being read.
    pub(super) step: Option<usize>,
}

impl Reader<'_> {
    pub(super) fn reach(&mut self, node: Node) {
        if self.seen.contains(&node) {
            return;
        }
        // The reader of its file did it.
        if matches!(node.part, Part::Job(_)) {
            return;
        }
        if self.seen.len() >= NODES {
            self.graph.is_cut = true;
            return;
        }
        self.seen.insert(node.clone());
        self.open.push(node);
    }

    pub(super) fn call(&mut self, from: &Node, to: Node) {
        self.graph.called(from, &to, self.step);
        self.reach(to);
    }

    pub(super) fn hold(&mut self, from: &Node, to: Node) {
        self.graph.members.entry(from.clone()).or_default().insert(to.clone());
        self.reach(to);
    }

    fn node(&mut self, node: &Node) {
        match &node.part {
            Part::Whole => {
                if let Some(content) = self.text(&node.file) {
                    self.whole(node, &content);
                }
            }
            Part::Lines(lines) => {
                let place = Place::of_file(&node.file);
                for line in lines.lines() {
                    self.script(node, line, &place);
                }
            }
            // The reader of its file did it.
            Part::Job(_) => {}
        }
    }

    pub(super) fn text(&mut self, path: &str) -> Option<String> {
        if self.bytes > BYTES {
            self.graph.is_cut = true;
            return None;
        }
        match self.tree.read(path) {
            // The file itself is known by its path; what it calls is not.
            Content::Missing | Content::Unreadable(_) => None,
            Content::Text(text) => {
                self.bytes += text.len();
                Some(text)
            }
        }
    }

    fn whole(&mut self, node: &Node, content: &str) {
        let is_action = || matches!(resolve::name_of(&node.file), "action.yml" | "action.yaml");
        match dialect(&node.file) {
            Some(Dialect::Workflow) => formats::workflow(self, node, content),
            Some(Dialect::Gitlab) => formats::gitlab(self, node, content),
            _ if is_action() => formats::action(self, node, content),
            Some(Dialect::Other) => others::other(self, node, content),
            _ if resolve::is_yaml(&node.file) => formats::included(self, node, content),
            // It tells people of the gate.
            _ if resolve::is_prose(&node.file) => {}
            _ => {
                self.name(node, content);
                let place = Place::of_file(&node.file);
                if definitions::is_definition(&node.file) {
                    self.tokens(node, content, &place);
                    self.nested(node, content, &place);
                } else if resolve::is_shell_script(&node.file, content) {
                    self.script(node, content, &place);
                } else {
                    self.tokens(node, content, &place);
                    self.modules(node, content);
                }
            }
        }
    }

    /// Notes that a text names the gate.
    pub(super) fn name(&mut self, node: &Node, text: &str) {
        if names_gate(text) {
            self.graph.naming.insert(node.clone());
            if let Some(step) = self.step {
                self.graph.naming_steps.insert(node.clone(), step);
            }
        }
    }

    /// A text for a shell.
    pub(super) fn script(&mut self, node: &Node, text: &str, place: &Place) {
        self.name(node, text);
        let text = resolve::without_expressions(text);
        if text.trim().is_empty() {
            return;
        }
        let commands = if text.len() > SCRIPT { Vec::new() } else { commands(&text) };
        if commands.is_empty() {
            // It is too large, or no text for a shell that is known.
            return self.tokens(node, &text, place);
        }
        for folder in startup::search_path(&text) {
            self.programs(node, &folder);
        }
        for line in startup::lines_for_later(&text).chain(startup::lines_that_run_text(&text)) {
            self.named(node, line, place);
        }
        for pattern in startup::patterns_of_loops(&text) {
            for path in resolve::fitting(self.tree, pattern, place) {
                self.call(node, Node::file(path));
            }
        }
        let mut place = place.clone();
        for words in commands {
            match words.as_slice() {
                [cd, folder, ..] if matches!(program(cd).as_str(), "cd" | "pushd" | "set-location") => {
                    place.enter(folder);
                }
                _ => self.command(node, &words, &place),
            }
        }
    }

    fn command(&mut self, node: &Node, words: &[String], place: &Place) {
        let mut runs: BTreeSet<Node> = place.folders().iter().flat_map(|folder| self.recipes(words, folder)).collect();
        runs.extend(resolve::files_of_command(self.tree, words, place).into_iter().map(Node::file));
        for called in &runs {
            self.call(node, called.clone());
            if self.tree.special(&called.file) == Some(Special::Submodule) {
                // Nothing of it can be read here: its names are all that is known.
                self.graph.elsewhere.push((node.clone(), format!("{SUBMODULE}{}", words.join(" "))));
            }
        }
        for path in startup::set_for_git(self.tree, words, place) {
            self.call(node, Node::file(path));
        }
        let files = startup::read_by(self.tree, words, place);
        let has_definitions = self.defined(node, words, place);
        let may_lead = has_definitions || !runs.is_empty() || words.iter().any(|word| names_gate(word));
        if may_lead {
            self.graph.starts.push(Start { from: node.clone(), words: words.to_vec(), runs, files });
        }
    }

    /// Recipes that a command runs in a folder, and files that the files of recipes include.
    fn recipes(&mut self, words: &[String], folder: &str) -> BTreeSet<Node> {
        let tree = self.tree;
        let at = |file: &str| resolve::joined(folder, file);
        let mut read = |file: &str| text_at(tree, &at(file)?);
        let mut found = BTreeSet::new();
        let files = self.files.entry(folder.to_owned()).or_default();
        for called in files.called(words, &mut read) {
            let Some(path) = at(&called.file) else { continue };
            let mut passed = located(tree, &path);
            let Some(file) = passed.pop() else { continue };
            found.extend(passed.into_iter().map(Node::file));
            found.extend(resolve::included_by(tree, &file).into_iter().map(Node::file));
            // Recipes in YAML have forms that are not read as recipes, and then every text of the file counts.
            let is_unread = called.lines.is_empty() && resolve::is_yaml(&file);
            let part = if is_unread { Part::Whole } else { Part::Lines(called.lines.join("\n")) };
            let recipes = Node { file, part };
            if recipes.part != Part::Whole {
                let commands = self.graph.commands.entry(recipes.clone()).or_default();
                commands.insert((words.to_vec(), folder.to_owned()));
            }
            found.insert(recipes);
        }
        found
    }

    /// Words and quoted texts that name files, whatever these are called.
    pub(super) fn named(&mut self, node: &Node, text: &str, place: &Place) {
        let is_edge = |letter: char| letter.is_whitespace() || "\"'`;|&()<>,=".contains(letter);
        for word in text.split(is_edge).filter(|word| word.len() > 1) {
            for path in resolve::resolved(self.tree, word, place) {
                self.call(node, Node::file(path));
            }
        }
    }

    /// The programs of a folder that is in the search path.
    pub(super) fn programs(&mut self, node: &Node, folder: &str) {
        for path in startup::files_below(self.tree, folder, &Place::top()) {
            self.call(node, Node::file(path));
        }
    }

    /// A variable of a job by which programs find code.
    pub(super) fn variable(&mut self, node: &Node, name: &str, value: &str) {
        if !startup::is_steering(name) {
            return;
        }
        let value = resolve::without_expressions(value);
        for folder in
            value.split([':', ';', ' ', '=']).map(|folder| resolve::without_variables(folder).trim_matches('/'))
        {
            for path in resolve::resolved(self.tree, folder, &Place::top()) {
                self.call(node, Node::file(path));
            }
            self.programs(node, folder);
        }
    }

    /// Names of files in a text of any language.
    pub(super) fn tokens(&mut self, node: &Node, text: &str, place: &Place) {
        for path in resolve::files_of_text(self.tree, text, place) {
            self.call(node, Node::file(path));
        }
    }

    /// Modules of the repository that a script takes.
    fn modules(&mut self, node: &Node, text: &str) {
        for path in modules::of_script(self.tree, &node.file, text) {
            self.call(node, Node::file(path));
        }
    }

    /// The action or workflow that a step or a job uses, of this repository or of another one.
    pub(super) fn uses(&mut self, node: &Node, used: &str) {
        self.name(node, used);
        let Some(path) = used.strip_prefix("./").or_else(|| used.strip_prefix(".\\")) else {
            if used != "." && !used.starts_with("docker://") {
                self.graph.elsewhere.push((node.clone(), used.to_owned()));
            }
            return;
        };
        let path = path.replace('\\', "/");
        let path = path.split('@').next().unwrap_or_default().trim_matches('/');
        let candidates = [path.to_owned(), format!("{path}/action.yml"), format!("{path}/action.yaml")];
        for file in candidates.iter().map(|file| file.trim_start_matches('/')) {
            for found in located(self.tree, file) {
                if self.tree.special(&found) == Some(Special::Submodule) {
                    self.graph.elsewhere.push((node.clone(), format!("{SUBMODULE}{path}")));
                }
                self.call(node, Node::file(found));
            }
        }
    }
}

pub(super) fn names_gate(text: &str) -> bool {
    memchr::memmem::find(text.to_ascii_lowercase().as_bytes(), GATE.as_bytes()).is_some()
}
