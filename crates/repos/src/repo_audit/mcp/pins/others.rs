//! What Deno, Go, Cargo, Nix and .NET bring.

use super::{
    ARCHIVE, BRANCH, MOVED, NO_VERSION, Pin, RANGE, VARIABLE, is_commit, is_exact, is_file, is_path, is_variable, why,
};
use crate::repo_audit::launch::Options;

const DENO: &[&str] = &["-c", "--config", "--import-map", "--env-file", "--lock", "--cert", "-L", "--log-level"];
const GO: &[&str] = &["-C", "-mod", "-tags", "-ldflags", "-modfile", "-exec", "-p"];
const NIX: &[&str] = &["--override-input", "--option", "--inputs-from", "--extra-experimental-features", "-I", "--arg"];
const CARGO: &[&str] = &["--manifest-path", "--bin", "--example", "-p", "--package", "--features", "--profile", "-F"];
const DOTNET: &[&str] = &["--version", "--source", "--add-source", "--configfile", "--project", "-c", "-f", "-v"];
const NIX_SHELL: &[&str] = &["-p", "--packages", "--run", "-I"];

pub(super) fn of(name: &str, words: &[String]) -> Pin {
    match name {
        "deno" => {
            let mut options = Options::new(words, DENO);
            match options.operand(&[]).1 {
                Some("run" | "x" | "serve") => options.operand(&[]).1.map_or(Pin::NotAPackage, deno),
                Some(file) if file.contains(['/', '.', ':']) => deno(file),
                _ => Pin::NotAPackage,
            }
        }
        "go" => {
            let mut options = Options::new(words, GO);
            let run = options.operand(&[]).1 == Some("run");
            run.then(|| options.operand(&[]).1).flatten().map_or(Pin::NotAPackage, go)
        }
        "cargo" => cargo(words),
        "nix" => nix(words),
        "nix-shell" => {
            let (packages, _) = Options::new(words, NIX_SHELL).operand(&["-p", "--packages"]);
            packages.first().map_or(Pin::NotAPackage, |package| Pin::floating(package, NO_VERSION))
        }
        "dnx" => dotnet(words),
        _ => of_dotnet(words),
    }
}

/// It builds what lies there, by its lock file.
fn cargo(words: &[String]) -> Pin {
    let mut options = Options::new(words, CARGO);
    let (manifest, verb) = options.operand(&["--manifest-path"]);
    let (later, _) = options.operand(&["--manifest-path"]);
    let file = manifest.first().or(later.first()).copied().unwrap_or(".");
    if matches!(verb, Some("run" | "r")) { Pin::Local(file.to_owned()) } else { Pin::NotAPackage }
}

fn of_dotnet(words: &[String]) -> Pin {
    let mut options = Options::new(words, DOTNET);
    match (options.operand(&[]).1, options.operand(&[]).1) {
        (Some("tool"), Some("exec" | "execute")) => dotnet(options.rest()),
        (Some("run"), _) => Pin::Local(".".to_owned()),
        (Some(file), _) if is_file(file, "dll") => Pin::Local(file.to_owned()),
        _ => Pin::NotAPackage,
    }
}

/// `npm:name@1.2.3`, `jsr:@scope/name@1.2.3`, an address with a version in its path, a file.
fn deno(word: &str) -> Pin {
    if let Some(package) = word.strip_prefix("npm:").or_else(|| word.strip_prefix("jsr:")) {
        let package = package.trim_start_matches('/');
        let scope = usize::from(package.starts_with('@'));
        let at = package.get(scope..).and_then(|rest| rest.find('@')).map(|at| at + scope);
        let Some(at) = at else { return Pin::floating(package, NO_VERSION) };
        let (name, rest) = package.split_at_checked(at).unwrap_or((package, ""));
        let version = rest.trim_start_matches('@').split('/').next().unwrap_or_default();
        return if is_exact(version) { Pin::pinned(name, version) } else { Pin::floating(name, why(version)) };
    }
    if !word.contains("://") {
        return if is_variable(word) { Pin::floating(word, VARIABLE) } else { Pin::Local(word.to_owned()) };
    }
    let version = word.split('/').filter_map(|part| part.rsplit_once('@')).find(|(_, version)| is_exact(version));
    let commit = word.split('/').find(|part| is_commit(part));
    match (version, commit) {
        (Some((_, version)), _) => Pin::pinned(word, version),
        (None, Some(commit)) => Pin::pinned(word, commit),
        (None, None) => Pin::floating(word, ARCHIVE),
    }
}

/// Without a version the module's own lock file decides.
fn go(word: &str) -> Pin {
    if is_path(word) || is_file(word, "go") {
        return Pin::Local(word.to_owned());
    }
    match word.split_once('@') {
        None => Pin::NotAPackage,
        Some((module, version)) if version.starts_with('v') && is_exact(version) => Pin::pinned(module, version),
        Some((module, version)) if is_commit(version) => Pin::pinned(module, version),
        Some((module, version)) if is_variable(version) => Pin::floating(module, VARIABLE),
        Some((module, version)) if version.starts_with('v') => Pin::floating(module, RANGE),
        Some((module, _)) => Pin::floating(module, MOVED),
    }
}

/// `nix run github:owner/name/<commit>#attribute`.
fn nix(words: &[String]) -> Pin {
    let mut options = Options::new(words, NIX);
    if !matches!(options.operand(&[]).1, Some("run" | "shell")) {
        return Pin::NotAPackage;
    }
    let Some(flake) = options.operand(&[]).1 else { return Pin::Local(".".to_owned()) };
    let source = flake.split('#').next().unwrap_or(flake);
    if source.is_empty() || is_path(source) || source.starts_with("path:") {
        return Pin::Local(flake.to_owned());
    }
    let mut parts = source.split(['/', '?', '&']).map(|part| part.strip_prefix("rev=").unwrap_or(part));
    match parts.find(|part| is_commit(part)) {
        Some(commit) => Pin::pinned(source, commit),
        None => Pin::floating(flake, BRANCH),
    }
}

/// `dnx Name@1.2.3`, `dnx Name --version 1.2.3`.
fn dotnet(words: &[String]) -> Pin {
    let mut options = Options::new(words, DOTNET);
    let (mut versions, operand) = options.operand(&["--version"]);
    let Some(package) = operand else { return Pin::NotAPackage };
    versions.extend(options.operand(&["--version"]).0);
    let (name, version) = package.split_once('@').unwrap_or((package, versions.first().copied().unwrap_or_default()));
    match version {
        "" => Pin::floating(name, NO_VERSION),
        version if is_exact(version) => Pin::pinned(name, version),
        version => Pin::floating(name, why(version)),
    }
}
