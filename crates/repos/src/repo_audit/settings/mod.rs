//! Settings of agents that take a safeguard away from everybody who opens the repository.
//!
//! Most of them are a key with a value, and a row of a table says which. Lists of permissions, commands of hooks and
//! steps of workflows have a reader each.

mod allow;
pub(crate) mod gate;
mod hooks;
mod instructions;
mod rows;
mod table;
#[cfg(test)]
mod tests;

use crate::repo_audit::document::{Document, Fault, Language};
use crate::repo_audit::front_matter;
use crate::repo_audit::hit::RepositoryHit;

pub(crate) use instructions::instructions;

pub(crate) use instructions::is_instructions;

/// Whether a file may have such settings in it, by its path.
pub(crate) fn is_settings(path: &str) -> bool {
    table::PATHS.matches(path) || allow::PATHS.matches(path) || hooks::PATHS.matches(path) || gate::PATHS.matches(path)
}

/// Everything that the settings in one file give away, in the order of their lines.
pub(crate) fn hits(path: &str, text: &str) -> Result<Vec<RepositoryHit>, Fault> {
    if !is_settings(path) || gate::PATHS.matches(path) && !gate::may_speak(path, text) {
        return Ok(Vec::new());
    }
    let front;
    let (language, text) = match language(path) {
        Some(language) => (language, text),
        None => match front_matter::of(text) {
            Some(found) if found.contains("hooks") => {
                front = found;
                (Language::Yaml, front.as_str())
            }
            _ => return Ok(Vec::new()),
        },
    };
    let file = File { path, document: Document::read(language, text)? };
    let mut found = Vec::new();
    table::hits(&file, &mut found);
    allow::hits(&file, &mut found);
    hooks::hits(&file, &mut found);
    gate::hits(&file, &mut found);
    let order = |hit: &RepositoryHit| (hit.location.line, hit.rule.id, hit.message.clone());
    found.sort_by_cached_key(order);
    // A file that two rows speak of is told of once.
    found.dedup_by(|later, earlier| order(later) == order(earlier));
    Ok(found)
}

/// What a file of settings is written in; hooks of Kiro have an ending of their own.
fn language(path: &str) -> Option<Language> {
    if path.ends_with(".kiro.hook") { Some(Language::Json) } else { Language::of(path) }
}

/// A file that was read.
struct File<'t> {
    path: &'t str,
    document: Document<'t>,
}
