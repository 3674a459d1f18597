//! Manifests and lockfiles that have a grammar.

use super::super::document::{items, member, members, text};
use super::super::tables::Ecosystem;
use super::lines::requirement;
use super::{List, shell};
use agent_strace_policy::json::{Data, Value};

/// `package.json`: what it depends on, and the commands of its scripts.
pub(super) fn package_json(root: &Value, list: &mut List<'_>) {
    for (key, value) in members(root) {
        if key.name.to_ascii_lowercase().ends_with("dependencies") {
            for (name, _) in members(value) {
                list.package(Ecosystem::Npm, &name.name, name.span.start);
            }
        }
    }
    for (_, script) in member(root, "scripts").map(members).unwrap_or_default() {
        shell::in_value(script, list);
    }
}

/// `package-lock.json`: every package that is installed, at whatever depth.
pub(super) fn package_lock(root: &Value, list: &mut List<'_>) {
    for (path, _) in member(root, "packages").map(members).unwrap_or_default() {
        if let Some((_, name)) = path.name.rsplit_once("node_modules/") {
            list.package(Ecosystem::Npm, name, path.span.start);
        }
    }
    old_lock(root, list);
}

/// The first version of lockfiles nests dependencies; the reader bounds how deep.
fn old_lock(value: &Value, list: &mut List<'_>) {
    for (name, dependency) in member(value, "dependencies").map(members).unwrap_or_default() {
        list.package(Ecosystem::Npm, &name.name, name.span.start);
        old_lock(dependency, list);
    }
}

/// `pyproject.toml`, `Pipfile` and the lockfiles: tables of dependencies, lists of requirements, locked packages.
pub(super) fn python(root: &Value, list: &mut List<'_>) {
    locked(root, "package", Ecosystem::Pypi, list);
    locked(root, "packages", Ecosystem::Pypi, list);
    dependencies(root, false, Ecosystem::Pypi, list);
}

/// `Cargo.toml` and `Cargo.lock`.
pub(super) fn cargo(root: &Value, list: &mut List<'_>) {
    locked(root, "package", Ecosystem::Cargo, list);
    dependencies(root, false, Ecosystem::Cargo, list);
}

fn locked(root: &Value, key: &str, ecosystem: Ecosystem, list: &mut List<'_>) {
    for package in member(root, key).map(items).unwrap_or_default() {
        if let Some((name, value)) = member(package, "name").and_then(|value| Some((text(value)?, value))) {
            list.package(ecosystem, name, value.span.start);
        }
    }
}

/// Below a key that speaks of dependencies, keys of tables and texts of lists are names. The reader bounds the depth.
fn dependencies(value: &Value, inside: bool, ecosystem: Ecosystem, list: &mut List<'_>) {
    match &value.data {
        Data::Object(all) => {
            for (key, value) in all {
                let is_name = inside && !matches!(value.data, Data::List(_));
                if is_name {
                    list.package(ecosystem, &key.name, key.span.start);
                }
                dependencies(value, speaks_of_dependencies(&key.name) || inside && !is_name, ecosystem, list);
            }
        }
        Data::List(all) if inside => {
            for item in all {
                if let Some(name) = text(item).and_then(requirement) {
                    list.package(ecosystem, name, item.span.start);
                }
            }
        }
        _ => {}
    }
}

fn speaks_of_dependencies(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.ends_with("dependencies") || matches!(key.as_str(), "dependency-groups" | "packages" | "dev-packages")
}
