//! `.PHONY` of makefiles: the targets that are no files. It bears on the gate only by the targets that the gate's commands need.

use std::collections::{BTreeMap, BTreeSet};

use super::commands;
use super::make::{bare_name, statement};
use crate::pipelines::gate::Recipes;
use crate::repo_audit::program;

/// Texts of makefiles that add rules, or prerequisites to rules, in ways that are not followed here.
const UNFOLLOWED: &[&str] = &[
    "(eval",
    "{eval",
    "guile",
    "RECIPEPREFIX",
    "SECONDEXPANSION",
    "EXTRA_PREREQS",
    "MAKEFILES",
    "\\#",
    "\\\\\n",
    "\\\\\r\n",
    "\\\n.PHONY",
    "\\\r\n.PHONY",
];
/// Words that begin statements which hold no rule.
const APART: &[&str] =
    &["ifdef", "ifndef", "ifeq", "ifneq", "else", "endif", "export", "unexport", "undefine", "vpath"];

/// Options that bear on no rule.
const IDLE_OPTIONS: &[&str] = &[
    "-r",
    "-R",
    "-rR",
    "-Rr",
    "-s",
    "--silent",
    "--no-builtin-rules",
    "--no-builtin-variables",
    "--no-print-directory",
    "--warn-undefined-variables",
];

/// Returns true if the lines that all recipes share are the same, but for words of `.PHONY` that the gate does not need.
pub(super) fn are_same(
    recipes: &[Recipes],
    texts: [&str; 2],
    shared: &[Vec<&str>; 2],
    is_steered: &dyn Fn() -> bool,
) -> bool {
    let [old, new] = shared;
    if old == new {
        return true;
    }
    let Some(goals) = goals(recipes) else { return false };
    if texts.iter().any(|text| UNFOLLOWED.iter().any(|word| text.contains(word))) || is_steered() {
        return false;
    }
    let joined = texts.map(|text| text.replace("\\\r\n", " ").replace("\\\n", " "));
    if !joined.iter().flat_map(|text| text.lines()).all(gives_idle_options) {
        return false;
    }
    let needed: Option<Vec<BTreeSet<&str>>> = joined.iter().map(|text| needed(text, &goals)).collect();
    let Some(needed) = needed else { return false };
    let needed: BTreeSet<&str> = needed.into_iter().flatten().collect();
    let are_wrapped_plainly = texts.iter().all(|text| wraps_plainly(text));
    let reduced = |lines: &[&str]| {
        let lines =
            if are_wrapped_plainly { unwrapped(lines) } else { lines.iter().map(|line| (*line).to_owned()).collect() };
        lines.iter().filter_map(|line| reduced(line, &needed)).collect::<Vec<String>>()
    };
    reduced(old) == reduced(new)
}

/// The targets that commands of the gate name. `None`: they name none, or the recipes call `make` again.
fn goals(recipes: &[Recipes]) -> Option<BTreeSet<&str>> {
    let is_make =
        |words: &[String]| words.first().is_some_and(|word| matches!(program(word).as_str(), "make" | "gmake"));
    let calls_again = |recipes: &Recipes| recipes.lines.to_lowercase().contains("make");
    if recipes.iter().any(calls_again) || !commands(recipes).all(is_make) {
        return None;
    }
    let mut all = BTreeSet::new();
    for words in commands(recipes) {
        let operands = words.iter().skip(1).map(String::as_str);
        let goals: Vec<&str> = operands.filter(|word| !word.starts_with('-') && !word.contains('=')).collect();
        if goals.is_empty() {
            return None;
        }
        all.extend(goals.into_iter().map(bare_name));
    }
    all.iter().all(|goal| is_literal(goal)).then_some(all)
}

/// Returns true if a line gives `make` no options, or none that bears on a rule.
fn gives_idle_options(line: &str) -> bool {
    let Some((before, behind)) = line.split_once("MAKEFLAGS") else { return true };
    let mut options = behind.split_whitespace().filter(|word| !matches!(*word, "=" | "+=" | ":="));
    line.trim_start().starts_with('#')
        || matches!(before.trim(), "" | "export") && options.all(|option| IDLE_OPTIONS.contains(&option))
}

/// Returns true if each line that ends with a backslash goes on in a line with something in it.
fn wraps_plainly(text: &str) -> bool {
    let ends_open = |line: &str| line.trim_end().ends_with('\\');
    let lines = || text.lines();
    let is_plain = |(line, next): (&str, &str)| line.ends_with('\\') && !next.trim().is_empty();
    lines().zip(lines().skip(1).chain([""])).filter(|(line, _)| ends_open(line)).all(is_plain)
}

/// The lines, with each list of targets that are no files on one line.
fn unwrapped(lines: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in lines {
        match found.last_mut().filter(|last| last.starts_with(".PHONY:") && last.ends_with('\\')) {
            Some(last) => {
                last.pop();
                last.extend([" ", line]);
            }
            None => found.push((*line).to_owned()),
        }
    }
    found
}

/// The line without the targets that are not needed. `None`: nothing is left of it.
fn reduced(line: &str, needed: &BTreeSet<&str>) -> Option<String> {
    let Some(words) = targets(line) else { return Some(line.to_owned()) };
    let kept: Vec<&str> = words.into_iter().filter(|word| needed.contains(word)).collect();
    (!kept.is_empty()).then(|| format!(".PHONY: {}", kept.join(" ")))
}

/// The targets of a line that says of some that they are no files, and nothing else.
fn targets(line: &str) -> Option<Vec<&str>> {
    let words = line.strip_prefix(".PHONY:").filter(|words| words.is_empty() || words.starts_with([' ', '\t']))?;
    // `make` may look for `x.c` by itself where it has no rule for `x`.
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-/ \t".contains(letter);
    words.chars().all(is_plain).then(|| words.split_whitespace().collect())
}

fn is_literal(name: &str) -> bool {
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./".contains(letter))
}

/// Goals and all that they need, through any number of rules. `None`: it is not known.
fn needed<'t>(joined: &'t str, goals: &BTreeSet<&'t str>) -> Option<BTreeSet<&'t str>> {
    let rules = Rules::of(joined)?;
    let mut open: Vec<&str> = goals.iter().copied().collect();
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        if !found.insert(name) {
            continue;
        }
        if !is_literal(name) || rules.patterns.iter().any(|(start, end)| name.starts_with(start) && name.ends_with(end))
        {
            return None;
        }
        open.extend(rules.sources.get(name).into_iter().flatten());
    }
    Some(found)
}

/// The rules of a makefile whose targets are known.
#[derive(Default)]
struct Rules<'t> {
    /// The prerequisites of each target.
    sources: BTreeMap<&'t str, Vec<&'t str>>,
    /// Starts and ends of targets: `%.o`.
    patterns: Vec<(&'t str, &'t str)>,
}

impl<'t> Rules<'t> {
    /// `None`: a rule may be one of any target, or the line is not known.
    fn of(joined: &'t str) -> Option<Self> {
        let mut rules = Self::default();
        let mut in_rule = false;
        for line in joined.lines() {
            let bare = line.split('#').next().unwrap_or_default().trim();
            if bare.is_empty() || in_rule && line.starts_with('\t') {
                continue;
            }
            // Where no rule is open, a tab begins a line of any kind.
            let is_rule = rules.read(bare).filter(|_| !line.starts_with('\t'))?;
            in_rule = is_rule || in_rule && statement(bare).is_some();
        }
        Some(rules)
    }

    /// Reads a line. Returns whether it is a rule.
    fn read(&mut self, line: &'t str) -> Option<bool> {
        if let Some(word) = statement(line) {
            return APART.contains(&word).then_some(false);
        }
        let line = line.split(';').next()?;
        if let Some((name, _)) = line.split_once('=') {
            // `a: $(B:c=d)` is a rule.
            return (!name.contains(['(', '{'])).then_some(false);
        }
        let (targets, sources) = line.split_once(':')?;
        let sources = sources.trim_start_matches(':').split_whitespace().filter(|word| *word != "|");
        let sources: Vec<&str> = sources.map(bare_name).collect();
        for target in targets.split_whitespace().filter(|target| *target != "&").map(bare_name) {
            match target.split_once('%') {
                // `make` may take any file with such a name for it.
                Some(_) if sources.iter().any(|source| !source.contains('.')) => return None,
                Some(pattern) => self.patterns.push(pattern),
                None if is_literal(target) => self.sources.entry(target).or_default().extend(&sources),
                None => return None,
            }
        }
        Some(true)
    }
}
