//! Files of recipes: which lines each goal runs.

use crate::Reason;
use std::collections::{BTreeMap, BTreeSet};

/// Recipes that one goal may pull in.
const GOALS: usize = 200;
/// Patterns for names that goals are compared with.
const PATTERNS: usize = 64;

/// Files of tasks, the first one that is there counts.
pub(super) const TASKFILES: &[&str] = &[
    "Taskfile.yml",
    "taskfile.yml",
    "Taskfile.yaml",
    "taskfile.yaml",
    "Taskfile.dist.yml",
    "taskfile.dist.yml",
    "Taskfile.dist.yaml",
    "taskfile.dist.yaml",
];

/// What a file of recipes holds.
#[derive(Debug, Default)]
pub(super) struct Recipes {
    pub(super) by_name: BTreeMap<String, Recipe>,
    /// What runs when no goal is named, where the kind of file has such a thing.
    pub(super) default: Option<String>,
    /// Lines that run whatever the goal is.
    pub(super) always: Vec<String>,
    /// The goals are always those that are named (`npm run` alone runs nothing).
    pub(super) unread: Option<Reason>,
}

/// The lines that some goals run.
#[derive(Debug)]
pub(super) struct Selected {
    pub(super) lines: Vec<String>,
    /// The file has no more recipes that they need than are followed.
    pub(super) are_all: bool,
}

/// A recipe for each name that starts and ends in this way.
struct Pattern<'r> {
    before: &'r str,
    after: &'r str,
    recipe: &'r Recipe,
}

impl Pattern<'_> {
    fn matches(&self, goal: &str) -> bool {
        let fits = goal.len() >= self.before.len() + self.after.len();
        fits && goal.starts_with(self.before) && goal.ends_with(self.after)
    }
}

#[derive(Debug, Default, Clone)]
pub(super) struct Recipe {
    pub(super) before: Vec<String>,
    pub(super) lines: Vec<String>,
}

impl Recipes {
    /// The lines that `goals` run, those they depend on first.
    #[cfg(test)]
    pub(super) fn lines_of(&self, goals: &[String]) -> Vec<String> {
        self.selected(goals).lines
    }

    /// The lines that `goals` run, those they depend on first, and whether these are all of them.
    pub(super) fn selected(&self, goals: &[String]) -> Selected {
        let mut open: Vec<(String, bool)> = match (&self.default, goals) {
            (Some(default), []) => vec![(default.clone(), false)],
            (_, goals) => goals.iter().rev().map(|goal| (goal.clone(), false)).collect(),
        };
        let mut selected = Selected { lines: self.always.clone(), are_all: true };
        let patterns: Vec<Pattern<'_>> = self.patterns().take(PATTERNS + 1).collect();
        selected.are_all &= patterns.len() <= PATTERNS;
        let mut seen = BTreeSet::new();
        while let Some((goal, ready)) = open.pop() {
            if !ready && seen.contains(&goal) {
                continue;
            }
            let by_pattern = || patterns.iter().find(|pattern| pattern.matches(&goal)).map(|pattern| pattern.recipe);
            let Some(recipe) = self.by_name.get(&goal).or_else(by_pattern) else { continue };
            if ready {
                selected.lines.extend(recipe.lines.iter().cloned());
            } else if seen.len() < GOALS {
                seen.insert(goal.clone());
                open.push((goal, true));
                open.extend(recipe.before.iter().rev().map(|before| (before.clone(), false)));
            } else {
                selected.are_all = false;
            }
        }
        selected
    }

    /// Recipes for names such as `%.o`.
    fn patterns(&self) -> impl Iterator<Item = Pattern<'_>> {
        self.by_name.iter().filter_map(|(name, recipe)| {
            let (before, after) = name.split_once('%')?;
            Some(Pattern { before, after, recipe })
        })
    }

    pub(super) fn all_lines(&self) -> Vec<String> {
        self.always.iter().chain(self.by_name.values().flat_map(|recipe| &recipe.lines)).cloned().collect()
    }
}

/// `scripts` of `package.json` and `composer.json`, `tasks` of `deno.json`.
pub(super) fn package(text: &str) -> Recipes {
    let mut recipes = Recipes::default();
    let Ok(serde_json::Value::Object(package)) =
        serde_json::from_str::<serde_json::Value>(text.trim_start_matches('\u{feff}'))
    else {
        return package_part(text);
    };
    let tables = ["scripts", "tasks"].into_iter().filter_map(|name| package.get(name)?.as_object());
    for (name, script) in tables.flatten() {
        let lines: Vec<String> = match script {
            serde_json::Value::String(line) => vec![line.clone()],
            serde_json::Value::Array(lines) => {
                lines.iter().filter_map(|line| line.as_str().map(str::to_owned)).collect()
            }
            _ => {
                recipes.unread = Some(Reason::ScriptsUnreadable);
                continue;
            }
        };
        // `@name` is another script of composer's.
        let (before, lines) = lines.into_iter().partition::<Vec<String>, _>(|line| line.starts_with('@'));
        let before = before.iter().map(|line| line.trim_start_matches('@').to_owned()).collect();
        recipes.by_name.insert(name.clone(), Recipe { before, lines });
    }
    recipes
}

/// Lines such as `"build": "tsc",` cut out of a file.
fn package_part(text: &str) -> Recipes {
    let mut recipes = Recipes { unread: Some(Reason::ScriptsUnreadable), ..Recipes::default() };
    for line in text.lines() {
        let line = line.trim().trim_end_matches(',');
        let pair = serde_json::from_str::<BTreeMap<String, String>>(&format!("{{{line}}}"));
        for (name, script) in pair.into_iter().flatten() {
            recipes.by_name.insert(name, Recipe { before: Vec::new(), lines: vec![script] });
        }
    }
    recipes
}

/// `name parameters: dependencies` and indented lines.
pub(super) fn just(text: &str) -> Recipes {
    let mut recipes = Recipes::default();
    let mut current: Option<String> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') && !line.starts_with([' ', '\t']) {
            continue;
        }
        if line.starts_with([' ', '\t']) {
            let Some(recipe) = current.as_ref().and_then(|name| recipes.by_name.get_mut(name)) else { continue };
            let shell = unknown_braces(trimmed.trim_start_matches(['@', '-']));
            // A recipe with `#!` is one program.
            match recipe.lines.first_mut().filter(|first| first.starts_with("#!")) {
                Some(program) => program.extend(["\n", &shell]),
                None => recipe.lines.push(shell),
            }
            continue;
        }
        current = None;
        let statement = ["set ", "alias ", "export ", "import ", "mod "].iter().any(|word| trimmed.starts_with(word));
        if statement || trimmed.contains(":=") {
            if trimmed.starts_with("set shell") || trimmed.starts_with("import ") || trimmed.contains('`') {
                recipes.unread = Some(Reason::JustfileNotRead);
            }
            if let Some((name, target)) = trimmed.strip_prefix("alias ").and_then(|rest| rest.split_once(":=")) {
                let recipe = Recipe { before: vec![target.trim().to_owned()], lines: Vec::new() };
                recipes.by_name.insert(name.trim().to_owned(), recipe);
            }
            continue;
        }
        let Some((head, dependencies)) = trimmed.split_once(':') else { continue };
        let Some(name) = head.trim_start_matches('@').split_whitespace().next() else { continue };
        let before = dependencies.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '&'));
        let before = before.filter(|word| !word.is_empty()).map(str::to_owned).collect();
        recipes.by_name.insert(name.to_owned(), Recipe { before, lines: Vec::new() });
        recipes.default.get_or_insert_with(|| name.to_owned());
        current = Some(name.to_owned());
    }
    recipes
}

/// `{{name}}` → a variable that nobody set.
pub(super) fn unknown_braces(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((_, after)) = after.split_once("}}") else { break };
        plain.push_str(before);
        plain.push_str("${TEMPLATE}");
        rest = after;
    }
    plain + rest
}

/// Tasks of a `Taskfile.yml` in its usual layout; what is laid out otherwise is said not to be read.
pub(super) fn task(text: &str) -> Recipes {
    let mut recipes = Recipes { default: Some("default".to_owned()), ..Recipes::default() };
    let (mut inside, mut own, mut current, mut block) = (false, 0, String::new(), None::<usize>);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        if let Some(from) = block {
            if indent > from {
                if let Some(last) = recipes.by_name.get_mut(&current).and_then(|recipe| recipe.lines.last_mut()) {
                    last.push_str(&unknown_braces(trimmed));
                    last.push('\n');
                }
                continue;
            }
            block = None;
        }
        if indent == 0 {
            inside = trimmed == "tasks:";
            if trimmed.starts_with("includes:") {
                recipes.unread = Some(Reason::TaskfileNotRead);
            }
            continue;
        }
        if !inside || trimmed.starts_with('#') {
            continue;
        }
        if own == 0 || indent <= own {
            own = indent;
            let (name, command) = trimmed.split_once(':').unwrap_or((trimmed, ""));
            unquoted(name).clone_into(&mut current);
            let mut recipe = Recipe::default();
            recipe.lines.extend(Some(unquoted(command.trim()).to_owned()).filter(|command| !command.is_empty()));
            recipes.by_name.insert(current.clone(), recipe);
            continue;
        }
        let Some(recipe) = recipes.by_name.get_mut(&current) else { continue };
        let (item, value) = match trimmed.strip_prefix("- ") {
            Some(item) => (true, item.trim()),
            None => (false, trimmed),
        };
        let (key, rest) = value.split_once(':').map_or(("", value), |(key, rest)| (key, rest.trim()));
        match (key, rest) {
            ("task", name) => recipe.before.push(unquoted(name).to_owned()),
            ("deps", names) => {
                let names = names.trim_matches(['[', ']']).split(',').map(|name| unquoted(name.trim()).to_owned());
                recipe.before.extend(names.filter(|name| !name.is_empty()));
            }
            ("cmds", "") => {}
            ("cmd" | "sh", command) if !command.starts_with(['|', '>']) => {
                recipe.lines.push(unknown_braces(unquoted(command)));
            }
            ("cmd" | "sh", _) => {
                recipe.lines.push(String::new());
                block = Some(indent);
            }
            _ if item && value.starts_with(['|', '>']) => {
                recipe.lines.push(String::new());
                block = Some(indent);
            }
            _ if item && !is_key(key) => recipe.lines.push(unknown_braces(unquoted(value))),
            ("cmds", _) => recipes.unread = Some(Reason::TaskfileNotRead),
            _ => {}
        }
    }
    recipes
}

fn is_key(key: &str) -> bool {
    matches!(key, "vars" | "env" | "silent" | "ignore_error" | "for" | "defer" | "platforms" | "set" | "shopt" | "if")
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inside = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    inside('\'').or_else(|| inside('"')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    fn lines(recipes: &super::Recipes, goal: &str) -> Vec<String> {
        recipes.lines_of(&[goal.to_owned()])
    }

    #[test]
    fn recipes_of_every_kind_are_found() {
        let package = super::package(r#"{"scripts": {"a": "x y", "b": ["z", "@a"]}}"#);
        assert_eq!(lines(&package, "a"), ["x y"]);
        assert_eq!(lines(&package, "b"), ["x y", "z"]);
        assert_eq!(lines(&super::package("  \"a\": \"x\",\n"), "a"), ["x"]);
        let just = super::just(
            "v := '1'\n# note\nbuild target='x': clean\n  @cc {{target}}\nclean:\n  rm out\nalias b := build\n",
        );
        assert_eq!(lines(&just, "build"), ["rm out", "cc ${TEMPLATE}"]);
        assert_eq!(lines(&just, "b"), ["rm out", "cc ${TEMPLATE}"]);
        assert_eq!(just.lines_of(&[]), ["rm out", "cc ${TEMPLATE}"]);
        let task = super::task(
            "version: '3'\ntasks:\n  a:\n    deps: [b]\n    cmds:\n      - x y\n      - cmd: z\n      - |\n        p\n        q\n  b: echo b\n  c:\n    desc: none\n    cmds: [w]\n",
        );
        assert_eq!(lines(&task, "a"), ["echo b", "x y", "z", "p\nq\n"]);
        assert!(task.unread.is_some());
    }

    #[test]
    fn circles_end() {
        let just = super::just("a: b\n  x\nb: a\n  y\n");
        assert_eq!(lines(&just, "a"), ["y", "x"]);
    }
}
