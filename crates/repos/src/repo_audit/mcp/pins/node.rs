//! Packages that npm, pnpm, yarn and bun bring.

use super::{ARCHIVE, BRANCH, NO_VERSION, Pin, VARIABLE, is_commit, is_exact, is_path, is_variable, why};
use crate::repo_audit::launch::{Launch, Options};

/// Options that have a value behind them.
const VALUED: &[&str] = &[
    "-p",
    "--package",
    "-c",
    "--call",
    "--registry",
    "--cache",
    "-w",
    "--workspace",
    "--prefix",
    "--userconfig",
    "--loglevel",
    "--node-options",
    "-C",
    "--dir",
    "--cwd",
    "--filter",
    "--allow-build",
];
const PACKAGE: &[&str] = &["-p", "--package"];
const CALL: &[&str] = &["-c", "--call"];

/// Of a runner and its arguments.
pub(super) fn of(name: &str, words: &[String]) -> Pin {
    match name {
        "npx" | "bunx" | "pnpx" => package(words),
        _ => {
            let mut options = Options::new(words, VALUED);
            let (packages, verb) = options.operand(PACKAGE);
            match (name, verb) {
                ("npm", Some("exec" | "x")) | ("pnpm" | "yarn", Some("dlx")) | ("bun", Some("x")) => {
                    if packages.is_empty() { package(options.rest()) } else { worst(packages) }
                }
                ("npm", Some("create" | "init")) => package(options.rest()),
                // A script of the repository itself.
                ("bun", Some("run")) => {
                    let file = options.operand(&[]).1.filter(|word| is_path(word) || word.contains('.'));
                    file.map_or(Pin::NotAPackage, |file| Pin::Local(file.to_owned()))
                }
                ("bun", Some(file)) if is_path(file) || file.contains('.') => Pin::Local(file.to_owned()),
                _ => Pin::NotAPackage,
            }
        }
    }
}

fn package(words: &[String]) -> Pin {
    if words.iter().take_while(|word| word.starts_with('-')).any(|word| word == "--no-install" || word == "--no") {
        return Pin::NotAPackage;
    }
    let (packages, operand) = Options::new(words, VALUED).operand(PACKAGE);
    if !packages.is_empty() {
        return worst(packages);
    }
    if let Some(operand) = operand {
        return specified(operand);
    }
    // Only `-c "…"`: a line for a shell, which has what is installed at hand.
    let (calls, _) = Options::new(words, VALUED).operand(CALL);
    calls.first().map_or(Pin::NotAPackage, |call| Pin::of(&Launch::of_line(call)))
}

/// Of several packages the one that floats.
fn worst(packages: Vec<&str>) -> Pin {
    let mut pins: Vec<Pin> = packages.into_iter().map(specified).collect();
    let at = pins.iter().position(|pin| matches!(pin, Pin::Floating { .. })).unwrap_or(0);
    if pins.is_empty() { Pin::NotAPackage } else { pins.swap_remove(at) }
}

/// `@scope/name@1.2.3`, an address, a path, a repository.
fn specified(word: &str) -> Pin {
    if is_path(word) {
        return Pin::Local(word.to_owned());
    }
    if is_variable(word) && !word.contains('@') {
        return Pin::floating(word, VARIABLE);
    }
    let scope = usize::from(word.starts_with('@'));
    let at = word.get(scope..).and_then(|rest| rest.find('@')).map(|at| at + scope);
    let (name, version) = match at {
        Some(at) if !word.contains("://") => (word.get(..at).unwrap_or(word), word.get(at + 1..)),
        _ => (word, None),
    };
    match version {
        Some(version) if version.starts_with("npm:") => specified(version.get(4..).unwrap_or_default()),
        Some(version) if is_path(version) => Pin::Local(version.to_owned()),
        Some(version) if is_source(version) => source(version),
        None if is_source(name) => source(name),
        None | Some("") => Pin::floating(name, NO_VERSION),
        Some(version) if is_exact(version) => Pin::pinned(name, version),
        Some(version) => Pin::floating(name, why(version)),
    }
}

/// Neither a name nor a version: an address, or `owner/repository`.
fn is_source(word: &str) -> bool {
    let hosted = ["github:", "gitlab:", "bitbucket:", "gist:", "git@", "git+", "git:"];
    word.contains("://")
        || hosted.iter().any(|start| word.starts_with(start))
        || word.contains('/') && !word.starts_with('@')
}

fn source(word: &str) -> Pin {
    let (repository, reference) = word.split_once('#').unwrap_or((word, ""));
    let archive = [".tgz", ".tar.gz", ".tar"].iter().any(|ending| repository.ends_with(ending));
    if is_commit(reference) {
        Pin::pinned(repository, reference)
    } else if archive {
        Pin::floating(repository, ARCHIVE)
    } else {
        Pin::floating(repository, BRANCH)
    }
}
