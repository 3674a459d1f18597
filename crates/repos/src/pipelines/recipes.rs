//! Files of recipes of which the gate runs a part: whether a change leaves that part as it is.

use super::gate::{GateFiles, Recipes};
use super::resolve;
use super::touches::Changed;
use super::tree::{Content, Contents};
use crate::repo_audit::{Document, Language, members};

/// Whether the commands of the gate run the same lines of a file before the change and after it. What can't be told is no.
pub(super) fn runs_the_same(changed: &Changed<'_>, gate: &GateFiles, path: &str) -> bool {
    let Some(recipes) = gate.recipes.get(path) else { return false };
    let (Content::Text(base), Content::Text(head)) = (changed.base.read(path), changed.head.read(path)) else {
        return false;
    };
    let has_same_settings = match resolve::name_of(path) {
        "Makefile" | "makefile" | "GNUmakefile" => settings_of_make(&base) == settings_of_make(&head),
        // Readers differ in which of two members of one name they take.
        "package.json" => is_plain_json(&head),
        _ => false,
    };
    has_same_settings
        && recipes.iter().all(|recipes| !recipes.commands.is_empty() && are_same(changed.head, path, recipes))
}

fn are_same(head: &dyn Contents, path: &str, recipes: &Recipes) -> bool {
    recipes.commands.iter().all(|(words, folder)| {
        let at = |file: &str| resolve::joined(folder, file);
        let mut read = |file: &str| match head.read(&at(file)?) {
            Content::Text(text) => Some(text),
            _ => None,
        };
        let called = agent_strace_effects::called_recipes(words, &mut read);
        let mut of_file = called.iter().filter(|called| at(&called.file).as_deref() == Some(path));
        of_file.next().is_some_and(|called| called.lines.join("\n") == recipes.lines) && of_file.next().is_none()
    })
}

/// All of a file of make but recipes and plain rules: variables, includes, conditions, patterns.
fn settings_of_make(text: &str) -> Vec<&str> {
    let is_rule = |line: &str| {
        let plain = |letter: char| letter.is_alphanumeric() || "_-./: ".contains(letter);
        line.starts_with(char::is_alphanumeric) && line.contains(':') && !line.contains("::") && line.chars().all(plain)
    };
    let is_setting = |line: &&str| {
        let bare = line.trim();
        !bare.is_empty() && !bare.starts_with('#') && !is_rule(line)
    };
    let mut settings = Vec::new();
    let mut is_continued = false;
    for line in text.lines() {
        let is_recipe = line.starts_with('\t') && !is_continued;
        if !is_recipe && is_setting(&line) {
            settings.push(line);
            is_continued = line.ends_with('\\');
        } else if !is_recipe || !line.ends_with('\\') {
            is_continued = false;
        }
    }
    settings
}

fn is_plain_json(text: &str) -> bool {
    let Ok(document) = Document::read(Language::Json, text) else { return false };
    let is_once = |value| {
        let mut names: Vec<&str> = members(value).iter().map(|(key, _)| key.name.as_str()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        names.len() == count
    };
    let scripts = members(&document.root).iter().filter(|(key, _)| key.name == "scripts");
    is_once(&document.root) && scripts.map(|(_, scripts)| scripts).all(is_once)
}
