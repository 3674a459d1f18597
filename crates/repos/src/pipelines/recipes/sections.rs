//! The recipes of a file, and everything in it that all of them share.

use super::make;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::pipelines::resolve::{has_ending, name_of};
use crate::repo_audit::{Document, Language, member, members};
use agent_strace_policy::json::Value;

/// A file, divided.
pub(super) struct Split<'t> {
    pub(super) text: &'t str,
    /// Recipes by their names, in the order of the text.
    recipes: Vec<(String, Range<usize>)>,
    /// Parts that no recipe depends on.
    free: Vec<Range<usize>>,
    /// Its comments are among the free parts: others go on in the next line, or are parts of texts.
    pub(super) is_makefile: bool,
}

impl<'t> Split<'t> {
    fn of(text: &'t str, recipes: Vec<(String, Range<usize>)>, free: Vec<Range<usize>>) -> Self {
        Self { text, recipes, free, is_makefile: false }
    }

    /// Each recipe with its text. `None`: two have one name, and readers differ in which they take.
    pub(super) fn recipes(&self) -> Option<BTreeMap<String, &str>> {
        let named = self.recipes.iter().map(|(name, range)| Some((name.clone(), self.text.get(range.clone())?)));
        let by_name: BTreeMap<String, &str> = named.collect::<Option<_>>()?;
        (by_name.len() == self.recipes.len()).then_some(by_name)
    }

    /// Lines of the file that are no recipe, without comments that nothing depends on.
    pub(super) fn shared(&self) -> Vec<&str> {
        let cut: Vec<&Range<usize>> = self.recipes.iter().map(|(_, range)| range).chain(&self.free).collect();
        let left = kept(self.text, cut);
        let lines = left.into_iter().flat_map(str::lines).map(str::trim_end);
        lines.filter(|line| !line.is_empty() && (self.is_makefile || !line.starts_with('#'))).collect()
    }

    /// The text without some recipes.
    pub(super) fn without(&self, names: &BTreeSet<&str>) -> String {
        let cut = self.recipes.iter().filter(|(name, _)| names.contains(name.as_str())).map(|(_, range)| range);
        kept(self.text, cut.collect()).concat()
    }
}

/// The rest of a text that is not read yet.
fn kept<'t>(text: &'t str, mut cut: Vec<&Range<usize>>) -> Vec<&'t str> {
    cut.sort_by_key(|range| range.start);
    let mut left = Vec::new();
    let mut at = 0;
    for range in cut {
        left.extend(text.get(at..range.start));
        at = range.end.max(at);
    }
    left.extend(text.get(at..));
    left
}

/// Divides a file, if its format is known.
pub(super) fn split<'t>(path: &str, text: &'t str) -> Option<Split<'t>> {
    let name = name_of(path).to_lowercase();
    match name.as_str() {
        "makefile" | "gnumakefile" => {
            Some(Split { is_makefile: true, ..Split::of(text, Vec::new(), make::free(&name, text)) })
        }
        "justfile" | ".justfile" => Some(of_just(text)),
        "package.json" | "composer.json" => of_package(text),
        "procfile" => Some(of_procfile(text)),
        _ if name.starts_with("taskfile.") => of_task(text),
        _ if has_ending(&name, "toml") || name == "pipfile" => of_toml(text),
        _ => None,
    }
}

/// The lines of a text with the place of each.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start..at, line)
    })
}

/// `name parameters: dependencies`, the indented lines below it, and the attributes above it.
fn of_just(text: &str) -> Split<'_> {
    const STATEMENTS: &[&str] = &["set ", "alias ", "export ", "unexport ", "import ", "import? ", "mod ", "mod? "];
    let mut recipes: Vec<(String, Range<usize>)> = Vec::new();
    let (mut open, mut attributes): (bool, Option<usize>) = (false, None);
    for (range, line) in lines(text) {
        let bare = line.trim_end();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        if line.starts_with([' ', '\t']) {
            if let Some((_, recipe)) = recipes.last_mut().filter(|_| open) {
                recipe.end = range.end;
            }
            continue;
        }
        if bare.starts_with('[') {
            attributes.get_or_insert(range.start);
            continue;
        }
        let is_statement = STATEMENTS.iter().any(|word| bare.starts_with(word)) || bare.contains(":=");
        let head = bare.split(':').next().unwrap_or_default().trim_start_matches('@');
        let name = head.split_whitespace().next().filter(|_| !is_statement && bare.contains(':'));
        open = name.is_some();
        let start = attributes.take().unwrap_or(range.start);
        if let Some(name) = name {
            recipes.push((name.to_owned(), start..range.end));
        }
    }
    Split::of(text, recipes, Vec::new())
}

fn of_procfile(text: &str) -> Split<'_> {
    let named = lines(text).filter_map(|(range, line)| Some((line.split_once(':')?.0.trim().to_owned(), range)));
    Split::of(text, named.collect(), Vec::new())
}

/// Its scripts are compared by their lines; everything else says which packages there are.
fn of_package(text: &str) -> Option<Split<'_>> {
    let document = Document::read(Language::Json, text).ok()?;
    // Readers differ in which of two members of one name they take.
    let is_once = |value| {
        let mut names: Vec<&str> = members(value).iter().map(|(key, _)| key.name.as_str()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        names.len() == count
    };
    let scripts = members(&document.root).iter().filter(|(key, _)| key.name == "scripts").map(|(_, scripts)| scripts);
    let all = || 0..text.len();
    let is_plain = is_once(&document.root) && scripts.into_iter().all(is_once);
    is_plain.then(|| Split::of(text, Vec::new(), vec![all()]))
}

/// The members of `tasks`, line by line. Anchors and merged keys let one task be a part of another one.
fn of_task(text: &str) -> Option<Split<'_>> {
    let document = Document::read(Language::Yaml, text).ok()?;
    let is_plain = !text.contains(['&', '{']) || !text.contains("<<") && !text.contains(": &") && !text.contains("- &");
    let tasks = member(&document.root, "tasks").filter(|_| is_plain)?;
    let is_single = members(&document.root).iter().filter(|(key, _)| key.name == "tasks").count() == 1;
    let starts: Vec<(String, usize)> =
        members(tasks).iter().map(|(key, _)| (key.name.clone(), line_start(text, key.span.start))).collect();
    let end = members(&document.root)
        .iter()
        .map(|(key, _)| line_start(text, key.span.start))
        .filter(|start| starts.last().is_some_and(|(_, last)| start > last))
        .min()
        .unwrap_or(text.len());
    let ends = starts.iter().skip(1).map(|(_, start)| *start).chain([end]);
    let recipes: Vec<(String, Range<usize>)> =
        starts.iter().zip(ends).map(|((name, start), end)| (name.clone(), *start..end)).collect();
    let is_listed = is_single && recipes.iter().all(|(_, range)| range.start < range.end);
    let is_in_lines = starts.iter().all(|(_, start)| *start > 0) && indented(text, tasks);
    (is_listed && is_in_lines).then_some(Split::of(text, recipes, Vec::new()))
}

/// Whether each member is on lines of its own.
fn indented(text: &str, tasks: &Value) -> bool {
    members(tasks).iter().all(|(key, _)| {
        let start = line_start(text, key.span.start);
        text.get(start..key.span.start).is_some_and(|before| before.trim_matches([' ', '"', '\'']).is_empty())
    })
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// Tables whose keys are recipes, and tables each of which is one (`[tasks.build]`).
const TASKS: &[&str] = &[
    "tasks",
    "scripts",
    "tool.poe.tasks",
    "tool.pdm.scripts",
    "tool.pixi.tasks",
    "tool.taskipy.tasks",
    "tool.rye.scripts",
    "tool.hatch.envs.default.scripts",
];

/// Tables that no runner of recipes reads.
const FREE: &[&str] = &[
    "project",
    "package",
    "dependency-groups",
    "build-system",
    "dev-packages",
    "packages",
    "tool.bandit",
    "tool.basedpyright",
    "tool.black",
    "tool.bumpversion",
    "tool.codespell",
    "tool.commitizen",
    "tool.coverage",
    "tool.deptry",
    "tool.flake8",
    "tool.isort",
    "tool.mypy",
    "tool.poetry",
    "tool.pydocstyle",
    "tool.pylint",
    "tool.pyright",
    "tool.pytest",
    "tool.ruff",
    "tool.semantic_release",
    "tool.setuptools",
    "tool.setuptools_scm",
    "tool.towncrier",
    "tool.vulture",
];

/// Tables that name programs and what they start, below those that are free.
const ENTRIES: &[&str] =
    &["project.scripts", "project.gui-scripts", "project.entry-points", "tool.poetry.scripts", "tool.poetry.plugins"];

fn of_toml(text: &str) -> Option<Split<'_>> {
    // Lines of long texts look like tables.
    if text.contains("\"\"\"") || text.contains("'''") {
        return None;
    }
    let below = |table: &str, of: &str| table == of || table.strip_prefix(of).is_some_and(|rest| rest.starts_with('.'));
    let mut split = Split::of(text, Vec::new(), Vec::new());
    let (mut table, mut depth) = (String::new(), 0_usize);
    for (range, line) in lines(text) {
        let bare = line.trim();
        if depth == 0 && bare.starts_with('[') {
            table = bare
                .split('#')
                .next()
                .unwrap_or_default()
                .trim()
                .trim_matches(['[', ']'])
                .replace(['"', '\'', ' '], "");
        }
        let is_header = depth == 0 && bare.starts_with('[');
        let is_key = depth == 0 && !is_header && !bare.is_empty() && !bare.starts_with('#');
        depth = if is_header { 0 } else { depth_after(line, depth) };
        let is_entry = ENTRIES.iter().any(|of| below(&table, of));
        let task = TASKS.iter().find_map(|of| table.strip_prefix(of)?.strip_prefix('.'));
        if FREE.iter().any(|of| below(&table, of)) && !is_entry {
            split.free.push(range);
        } else if let Some(task) = task {
            let name = task.split('.').next().unwrap_or_default();
            push(&mut split.recipes, name, range, is_header);
        } else if TASKS.contains(&table.as_str()) && !is_header {
            let name = bare.split(['=', '.']).next().unwrap_or_default().trim().trim_matches(['"', '\'']);
            push(&mut split.recipes, name, range, is_key);
        }
    }
    Some(split)
}

/// Adds a line to the recipe that is open, or begins one.
fn push(recipes: &mut Vec<(String, Range<usize>)>, name: &str, range: Range<usize>, begins: bool) {
    match recipes.last_mut() {
        Some((last, whole)) if whole.end == range.start && (!begins || last == name) => whole.end = range.end,
        _ => recipes.push((name.to_owned(), range)),
    }
}

/// How many brackets are open behind a line.
fn depth_after(line: &str, mut depth: usize) -> usize {
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (Some(mark), _) if mark == letter => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '#') => break,
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

/// The sections of `tox.ini` that commands ask for, and those that all environments share. `None`: they ask for all of them.
pub(super) fn of_tox(text: &str, commands: &[&[String]]) -> Option<String> {
    let mut asked = BTreeSet::new();
    for words in commands {
        let named =
            words.iter().zip(words.iter().skip(1)).filter(|(option, _)| matches!(option.as_str(), "-e" | "--env"));
        let joined = words.iter().filter_map(|word| word.strip_prefix("-e").filter(|rest| !rest.is_empty()));
        let joined = joined.filter(|_| !words.iter().any(|word| word.starts_with("--e")));
        let names: Vec<&str> = named.map(|(_, value)| value.as_str()).chain(joined).collect();
        if names.is_empty() || names.iter().any(|name| name.contains(['$', '{'])) {
            return None;
        }
        asked.extend(names.into_iter().flat_map(|names| names.split(',')).map(|name| name.trim().to_owned()));
    }
    let mut sections: Vec<(String, String)> = vec![(String::new(), String::new())];
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            sections.push((name.to_owned(), String::new()));
        }
        sections.last_mut().into_iter().for_each(|(_, section)| section.extend([line, "\n"]));
    }
    // A section takes values of another one by its name.
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    let is_asked = |name: &str| name.strip_prefix("testenv:").is_none_or(|of| is_environment(of, &asked));
    let mut open: Vec<usize> =
        (0..sections.len()).filter(|at| sections.get(*at).is_some_and(|(name, _)| is_asked(name))).collect();
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    sections.iter().enumerate().for_each(|(at, (name, _))| by_name.entry(name).or_default().push(at));
    while let Some(at) = open.pop() {
        let Some((_, section)) = sections.get(at).filter(|_| kept.insert(at)) else { continue };
        let named = section.split("{[").skip(1).filter_map(|rest| rest.split_once(']'));
        // Each name is looked up once.
        named.for_each(|(name, _)| open.extend(by_name.remove(name).into_iter().flatten()));
    }
    let texts = kept.into_iter().filter_map(|at| sections.get(at)).map(|(_, section)| section.as_str());
    Some(texts.collect())
}

/// Names of environments may be generated (`py{310,311}`), and their parts select settings.
fn is_environment(name: &str, asked: &BTreeSet<String>) -> bool {
    name.contains(['{', ',']) || asked.contains(name)
}
