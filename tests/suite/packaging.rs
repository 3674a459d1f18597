//! What a release consists of agrees with itself: one version, one list of targets, one name for each archive.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::world::{World, project, skipped, there};

fn read(path: &str) -> String {
    fs::read_to_string(project().join(path)).unwrap()
}

fn manifest() -> toml::Table {
    read("Cargo.toml").parse().unwrap()
}

fn workflow() -> Value {
    serde_saphyr::from_str(&read(".github/workflows/release.yml")).unwrap()
}

fn matrix() -> BTreeSet<String> {
    let rows = workflow()["jobs"]["build"]["strategy"]["matrix"]["include"].as_array().unwrap().clone();
    let targets: BTreeSet<String> = rows.iter().map(|row| row["target"].as_str().unwrap().to_owned()).collect();
    assert_eq!(targets.len(), rows.len(), "a target is built twice");
    targets
}

/// `.github/package/SCRIPT` with these arguments in the world: what it printed, and whether it went well.
fn script(world: &World, name: &str, arguments: &[&str]) -> (String, bool) {
    #[expect(clippy::disallowed_methods, reason = "the scripts of a release are run as the release runs them")]
    let mut command = Command::new(project().join(".github/package").join(name));
    let output = command.args(arguments).current_dir(world.path()).env("SOURCE_DATE_EPOCH", "1700000000").output();
    let output = output.unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).unwrap(), output.status.success())
}

/// Packages have no version of their own, so none can be another one.
#[test]
fn there_is_one_version() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(manifest()["workspace"]["package"]["version"].as_str(), Some(version));
    assert_eq!(script(&World::empty(), "version", &[]), (format!("{version}\n"), true));
    let lock: toml::Table = read("Cargo.lock").parse().unwrap();
    let packages = lock["package"].as_array().unwrap();
    let own = packages.iter().filter(|package| package["name"].as_str().unwrap().starts_with("agent-strace"));
    assert!(own.clone().count() > 8);
    own.for_each(|package| assert_eq!(package["version"].as_str(), Some(version), "{package:?}"));
    for (name, dependency) in manifest()["workspace"]["dependencies"].as_table().unwrap() {
        if name.starts_with("agent-strace-") && name != "agent-strace-testing" {
            assert_eq!(dependency["version"].as_str(), Some(version), "{name}");
        }
    }

    let python: toml::Table = read(".github/package/python/pyproject.toml").parse().unwrap();
    let project = python["project"].as_table().unwrap();
    assert!(!project.contains_key("version") && project["dynamic"].as_array().unwrap().contains(&"version".into()));
    assert_eq!(project["license"], manifest()["workspace"]["package"]["license"]);
    let platforms: Value = serde_json::from_str(&read(".github/package/npm/platforms.json")).unwrap();
    for (platform, what) in platforms.as_object().unwrap() {
        assert_eq!(what.as_object().unwrap().keys().collect::<Vec<_>>(), ["target"], "{platform}");
    }
}

/// The wheel is built by the version of maturin that its project asks for.
#[test]
fn maturin_is_the_one_that_the_project_asks_for() {
    let python: toml::Table = read(".github/package/python/pyproject.toml").parse().unwrap();
    let wanted = python["build-system"]["requires"][0].as_str().unwrap();
    let (lowest, next) = wanted.strip_prefix("maturin>=").and_then(|range| range.split_once(",<")).unwrap();
    let requirements = read(".github/package/python/requirements.txt");
    let locked = requirements.lines().find_map(|line| line.strip_prefix("maturin==")).unwrap();
    let numbers = |text: &str| -> Vec<u32> {
        text.trim_end_matches([' ', '\\']).split('.').map(|number| number.parse().unwrap()).collect()
    };
    assert!((numbers(lowest)..numbers(next)).contains(&numbers(locked)), "{locked} is not {wanted}");
    let named = requirements.lines().filter(|line| line.contains("==")).count();
    assert_eq!(named, 1, "each package has hashes: {requirements}");
    assert!(requirements.contains("--hash=sha256:"));
}

/// Each target is built, packed for npm under the name that Node gives it, and mentioned where users look.
#[test]
fn every_list_of_targets_is_the_same() {
    let platforms: Value = serde_json::from_str(&read(".github/package/npm/platforms.json")).unwrap();
    let packed: BTreeMap<String, String> = platforms
        .as_object()
        .unwrap()
        .iter()
        .map(|(platform, what)| (platform.clone(), what["target"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(packed.values().cloned().collect::<BTreeSet<_>>(), matrix());
    for (platform, target) in &packed {
        let (system, processor) = platform.split_once('-').unwrap();
        let processor = if processor == "x64" { "x86_64" } else { "aarch64" };
        let system = BTreeMap::from([("linux", "linux-musl"), ("darwin", "darwin"), ("win32", "windows-msvc")])[system];
        assert!(target.starts_with(processor) && target.ends_with(system), "{platform} is not {target}");
    }
    let readme = read("README.md");
    for target in packed.values() {
        assert!(readme.contains(&format!("`{target}`")), "the README does not say that there is a build for {target}");
    }
}

/// What `cargo binstall` makes of the metadata is the archive that the release writes, and the program in it.
#[test]
fn binstall_finds_the_archives() {
    let manifest = manifest();
    let metadata = &manifest["package"]["metadata"]["binstall"];
    let world = World::empty();
    world.write("program", "#!/bin/sh\n");
    for target in matrix() {
        if target.contains("windows") && !there("zip") {
            skipped("the archive for Windows is not written: zip is not there");
            continue;
        }
        let own = metadata["overrides"].get(&target);
        let field = |name: &str| own.and_then(|own| own.get(name)).unwrap_or_else(|| &metadata[name]).as_str().unwrap();
        let windows = target.contains("windows");
        let fill = |template: &str| {
            template
                .replace("{ repo }", "REPO")
                .replace("{ name }", env!("CARGO_PKG_NAME"))
                .replace("{ version }", env!("CARGO_PKG_VERSION"))
                .replace("{ target }", &target)
                .replace("{ bin }", "agent-strace")
                .replace("{ binary-ext }", if windows { ".exe" } else { "" })
        };
        let url = fill(field("pkg-url"));
        let archive = url.strip_prefix(concat!("REPO/releases/download/v", env!("CARGO_PKG_VERSION"), "/")).unwrap();
        let format = if windows { ("zip", ".zip") } else { ("tgz", ".tar.gz") };
        assert!(field("pkg-fmt") == format.0 && archive.ends_with(format.1), "{archive}");

        let (said, ok) = script(&world, "archive", &["out", &target, "program", env!("CARGO_BIN_EXE_agent-strace")]);
        assert!(ok, "{said}");
        let bytes = fs::read(world.path().join("out").join(archive)).expect(archive);
        let names = if windows { zip_names(bytes) } else { tar_names(&bytes) };
        let program = fill(field("bin-dir"));
        assert_eq!(names.iter().filter(|name| **name == program).count(), 1, "{names:?}");
        let folder = program.split_once('/').unwrap().0;
        assert!(names.iter().all(|name| name.starts_with(&format!("{folder}/"))), "{names:?}");
        for file in ["LICENSE-MIT", "LICENSE-APACHE", "completions/agent-strace.bash", "man/agent-strace-check.1"] {
            assert!(names.contains(&format!("{folder}/{file}")), "{file} is missing: {names:?}");
        }
    }
}

fn tar_names(bytes: &[u8]) -> Vec<String> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
    let names = archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().to_str().unwrap().to_owned());
    names.collect()
}

fn zip_names(bytes: Vec<u8>) -> Vec<String> {
    let archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    archive.file_names().map(|name| name.unwrap().into_owned()).collect()
}

/// A tag that is not the version, or an address that is not this repository's, releases nothing.
#[test]
fn what_is_not_this_version_of_this_repository_is_not_released() {
    if !there("jq") {
        return skipped("no tag is held against Cargo.toml: jq is not there");
    }
    let world = World::empty();
    let (said, ok) = script(&world, "plan", &["v0.0.0-other", "https://example.com/somebody/else"]);
    assert!(!ok && said.starts_with("::error::the tag is v0.0.0-other, but the version in Cargo.toml is"), "{said}");
    let tag = concat!("v", env!("CARGO_PKG_VERSION"));
    let (said, ok) = script(&world, "plan", &[tag, "https://example.com/somebody/else"]);
    assert!(!ok && said.starts_with("::error::`repository` in Cargo.toml is"), "{said}");
}

/// Scripts that the workflow runs are there, and jobs may do no more than they say.
#[test]
fn the_workflow_runs_what_is_there() {
    let text = read(".github/workflows/release.yml");
    let scripts: BTreeSet<&str> = text
        .split([' ', '\n', '\''])
        .filter(|word| word.starts_with(".github/") || word.starts_with(".ci/"))
        .map(|word| word.trim_end_matches(['`', ',', '.']))
        .collect();
    assert!(scripts.len() > 4, "{scripts:?}");
    for script in scripts {
        assert!(project().join(script).exists(), "{script}");
    }
    let workflow = workflow();
    assert_eq!(workflow["permissions"], serde_json::json!({}));
    for (name, job) in workflow["jobs"].as_object().unwrap() {
        assert!(job["permissions"].is_object() && job["timeout-minutes"].is_u64(), "{name}");
        let writes = job["permissions"].as_object().unwrap().values().filter(|right| *right == "write").count();
        let guarded = job.get("environment").is_some() || name == "lock";
        assert!(writes == 0 || guarded, "{name} writes without an environment");
    }
}
