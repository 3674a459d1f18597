//! `cargo add x -p NAME` changes the manifest of the package NAME, wherever that lies in the repository. The command itself does
//! not say where.

use super::Committed;
use crate::{Certainty, Effect, Effects, Execution, Kind, PathTarget, World};

const MANIFEST: &str = "Cargo.toml";
/// Subcommands that change the manifest of the package that they are given.
const CHANGES: &[&str] = &["add", "remove", "rm"];

/// Puts the manifests that the repository has for the package in the place of the one in the working directory.
pub(super) fn locate(effects: &mut Effects, committed: &Committed, world: &World) {
    let found: Vec<(usize, Vec<Effect>)> = effects
        .iter()
        .enumerate()
        .filter_map(|(at, effect)| {
            let parent = effects.get(effect.origin.parent? as usize)?;
            let Kind::Execute(execution) = &parent.kind else { return None };
            let is_default = matches!(&effect.kind, Kind::Write(target) if is_manifest(target));
            let package = package(execution).filter(|_| is_default && effect.certainty == Certainty::Exact)?;
            let manifests = committed.repository.manifests_of(package)?.iter();
            let moved = manifests.map(|file| effect.on(committed.place(file, world), Certainty::Exact));
            Some((at, moved.collect()))
        })
        .collect();
    for (at, manifests) in found {
        let mut manifests = manifests.into_iter();
        let effects = effects.to_mut();
        if let (Some(effect), Some(first)) = (effects.get_mut(at), manifests.next()) {
            *effect = first;
        }
        effects.extend(manifests);
    }
}

fn is_manifest(target: &PathTarget) -> bool {
    target.path.rsplit('/').next() == Some(MANIFEST)
}

/// The one package whose manifest a command of cargo changes. `--manifest-path` names the manifest itself.
fn package(execution: &Execution) -> Option<&str> {
    let mut words = execution.argv.iter().map(|word| (word.known, word.text.as_str()));
    let (_, program) = words.next()?;
    let words: Vec<&str> = words.map(|(known, text)| known.then_some(text)).collect::<Option<_>>()?;
    let is_of_cargo = program.rsplit('/').next() == Some("cargo") && !words.iter().any(|word| is_elsewhere(word));
    words.iter().find(|word| !word.starts_with(['-', '+'])).filter(|sub| is_of_cargo && CHANGES.contains(sub))?;
    let mut packages = words.iter().enumerate().filter_map(|(at, word)| match *word {
        "-p" | "--package" => words.get(at + 1).copied(),
        word => word.strip_prefix("--package=").or_else(|| word.strip_prefix("-p")),
    });
    packages.next().filter(|_| packages.next().is_none())
}

fn is_elsewhere(word: &str) -> bool {
    word == "--" || word.starts_with("--manifest-path") || word.starts_with("-C") || word.starts_with("--config")
}
