//! What `cargo` runs of a repository: packages, and aliases.

use super::operands;
use super::resolve::{Place, resolved};
use super::tree::{Tree, files_in, text_at};
use crate::repo_audit::{Document, Language, items, member};
use agent_strace_policy::json::{Data, Value};

/// Files of one folder.
const FOLDER: usize = 1_000;
/// Where aliases are.
const SETTINGS: &[&str] = &[".cargo/config.toml", ".cargo/config"];

/// Files of the packages that a command runs, and the files of the alias by which it is called.
pub(super) fn files(tree: &dyn Tree, rest: &[String], place: &Place) -> Vec<String> {
    let mut found = packages(tree, rest);
    let Some(at) = rest.iter().position(|word| !word.starts_with(['-', '+'])) else { return found };
    let Some(subcommand) = rest.get(at) else { return found };
    for passed in SETTINGS.iter().map(|file| resolved(tree, file, place)) {
        let text = passed.last().and_then(|file| text_at(tree, file));
        if let Some(meant) = text.and_then(|text| alias(&text, subcommand)) {
            found.extend(packages(tree, &meant));
            found.extend(passed);
        }
    }
    found
}

/// `cargo xtask`, `cargo run -p gate`: packages that are called like their folders.
fn packages(tree: &dyn Tree, rest: &[String]) -> Vec<String> {
    if !operands::cargo_runs(rest) {
        return Vec::new();
    }
    let folders = rest.iter().flat_map(|word| [format!("{word}/src"), format!("crates/{word}/src")]);
    folders.flat_map(|folder| files_in(tree, &folder).take(FOLDER).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The words of an alias: `gate = "run -p gate --"`, or a list.
fn alias(text: &str, name: &str) -> Option<Vec<String>> {
    let root = Document::read(Language::Toml, text).ok()?.root;
    let value = member(member(&root, "alias")?, name)?;
    let words = |value: &Value| match &value.data {
        Data::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    Some(items(value).iter().chain([value]).flat_map(words).collect())
}
