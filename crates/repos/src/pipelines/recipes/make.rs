//! Makefiles: the lines of recipes and plain rules, and what a recipe needs to run.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::sections::lines;
use crate::pipelines::resolve::name_of;

/// Words that begin a line of another kind, even where it looks like a rule.
const STATEMENTS: &[&str] = &[
    "include", "sinclude", "ifdef", "ifndef", "ifeq", "ifneq", "else", "endif", "define", "endef", "undefine",
    "export", "unexport", "override", "private", "vpath", "load",
];

/// The word that makes a line a statement.
pub(super) fn statement(line: &str) -> Option<&str> {
    let word = line.split(|letter: char| letter.is_whitespace() || letter == '(').find(|word| !word.is_empty())?;
    STATEMENTS.contains(&word.trim_start_matches('-')).then_some(word)
}

/// Lines that may differ: recipes and plain rules. Variables, includes, conditions and patterns bear on all recipes.
pub(super) fn free(name: &str, text: &str) -> Vec<Range<usize>> {
    // With another prefix, other lines are recipes.
    if text.contains("RECIPEPREFIX") {
        return Vec::new();
    }
    let read = read_as_makefiles(name, text);
    let (ranges, lines): (Vec<Range<usize>>, Vec<&str>) = lines(text).unzip();
    let wrapped = wrapped_comments(&lines);
    let mut free = Vec::new();
    let (mut is_continued, mut in_rule, mut in_define) = (false, false, false);
    // A recipe goes on in a line that does not look like one.
    let mut is_swallowed = false;
    for (at, (range, line)) in ranges.into_iter().zip(&lines).enumerate() {
        let bare = line.trim_end();
        let is_recipe = line.starts_with('\t') && in_rule && !is_continued && !in_define && !is_swallowed;
        let swallows = (is_recipe || is_swallowed)
            && goes_on(line)
            && lines.get(at + 1).is_some_and(|next| !is_blank_or_recipe(next));
        if is_swallowed || swallows {
            is_swallowed = swallows;
            continue;
        }
        let ends_open = bare.ends_with('\\');
        let is_comment = bare.trim().is_empty() || bare.trim_start().starts_with('#');
        let is_whole = is_comment && (!ends_open || wrapped.contains(&at));
        let is_plain = is_plain_rule(bare, &read);
        let statement = statement(bare).filter(|_| !is_recipe && !is_continued);
        // A comment that ends with a backslash goes on in the next line, whatever that would be.
        if is_recipe || (is_whole || is_plain) && !is_continued && !in_define {
            free.push(range);
        }
        // The shell of a recipe reads its next line; so does no statement.
        if is_recipe || is_comment && !is_continued {
            is_continued = is_comment && !is_recipe && !is_whole;
            continue;
        }
        in_define = in_define && statement != Some("endef") || statement == Some("define");
        in_rule = is_plain || statement.is_none() && bare.contains(':') && !bare.contains('=');
        is_continued = ends_open;
    }
    free
}

/// Returns true if a line ends with an odd number of backslashes, so that `make` joins the next one to it.
fn goes_on(line: &str) -> bool {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    (line.len() - line.trim_end_matches('\\').len()) % 2 == 1
}

fn is_blank_or_recipe(line: &str) -> bool {
    line.starts_with('\t') || line.trim().is_empty()
}

/// The lines of comments that go on in lines which begin as comments, too: each is a comment, joined or not.
fn wrapped_comments(lines: &[&str]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !line.starts_with('#') {
            open.clear();
        } else if goes_on(line) {
            open.push(at);
        } else if line.trim_end().ends_with('\\') {
            open.clear();
        } else {
            found.extend(open.drain(..));
        }
    }
    found
}

/// The makefile and those that it includes: where they are targets, `make` makes them and reads them again.
fn read_as_makefiles<'t>(name: &str, text: &'t str) -> BTreeSet<String> {
    let included = |line: &'t str| {
        line.split_whitespace().skip(1).filter(move |_| statement(line).is_some_and(|word| word.ends_with("include")))
    };
    text.lines().flat_map(included).map(|word| name_of(word).to_lowercase()).chain([name.to_owned()]).collect()
}

/// Targets and what they need, with a comment behind them or none.
fn is_plain_rule(line: &str, makefiles: &BTreeSet<String>) -> bool {
    let (line, comment) = line.split_at(line.find('#').unwrap_or(line.len()));
    if comment.ends_with('\\') {
        return false;
    }
    let plain = |letter: char| letter.is_alphanumeric() || "_-./: ".contains(letter);
    let is_rule = line.starts_with(char::is_alphanumeric) && !line.contains("::") && line.chars().all(plain);
    let Some((targets, _)) = line.split_once(':').filter(|_| is_rule && statement(line).is_none()) else {
        return false;
    };
    targets.split_whitespace().all(|target| !makefiles.contains(&name_of(target).to_lowercase()))
}

/// The name for which `make` takes one: `./x` is `x`.
pub(super) fn bare_name(name: &str) -> &str {
    let mut bare = name;
    while let Some(rest) =
        bare.strip_prefix("./").map(|rest| rest.trim_start_matches('/')).filter(|rest| !rest.is_empty())
    {
        bare = rest;
    }
    bare
}

/// The targets that some goals need, and that `make` takes for done where a file or a folder has their name.
pub(super) fn needed(text: &str, goals: &[&str]) -> BTreeSet<String> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let rules = joined
        .lines()
        .filter(|line| !line.starts_with(['\t', '#']) && !line.contains('=') && statement(line).is_none());
    let mut needs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut first = None;
    for (targets, sources) in rules.filter_map(|line| line.split(['#', ';']).next()?.split_once(':')) {
        let sources = sources.trim_start_matches(':').split_whitespace().map(bare_name);
        for target in targets.split_whitespace().map(bare_name) {
            needs.entry(target).or_default().extend(sources.clone());
            first = first.or(Some(target).filter(|target| !target.starts_with('.')));
        }
    }
    // It is not known which targets are no files.
    let phony = needs.get(".PHONY").cloned().unwrap_or_default();
    if phony.iter().any(|target| target.contains('$')) {
        return BTreeSet::new();
    }
    let mut open: Vec<&str> = goals.iter().copied().map(bare_name).chain(first.filter(|_| goals.is_empty())).collect();
    let mut seen = BTreeSet::new();
    while let Some(target) = open.pop() {
        if let Some(sources) = needs.get(target).filter(|_| seen.insert(target)) {
            open.extend(sources);
        }
    }
    let phony: BTreeSet<&str> = phony.into_iter().collect();
    seen.difference(&phony).map(|target| (*target).to_owned()).collect()
}
