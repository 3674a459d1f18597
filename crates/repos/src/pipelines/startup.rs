//! Files that programs read by themselves: beside the files of recipes, they decide what a command runs. Data.

use std::collections::BTreeSet;

use super::resolve::{Place, resolved};
use super::tree::{Tree, files_in};
use crate::repo_audit::program;

/// Files of one folder.
const FOLDER: usize = 100;

/// Programs, and the files that each of them reads in the folder where it runs. `FOLDER/*`: every file of a folder.
const READ: &[(&str, &str)] = &[
    (
        "npm npx pnpm pnpx yarn yarnpkg bun bunx",
        ".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml bunfig.toml .yarn/releases/* \
         .yarn/plugins/*",
    ),
    ("deno", "deno.json deno.jsonc deno.lock"),
    ("tsx ts-node", "tsconfig.json"),
    ("task go-task", ".taskrc.yml .taskrc.yaml .env"),
    ("just", ".env"),
    (
        "mise",
        "mise.toml .mise.toml mise.local.toml .mise/config.toml mise/config.toml .config/mise.toml .tool-versions",
    ),
    ("asdf", ".tool-versions .asdfrc"),
    ("direnv", ".envrc .env"),
    ("cargo", ".cargo/config.toml .cargo/config rust-toolchain rust-toolchain.toml build.rs xtask/build.rs"),
    ("mvn mvnw mvnd", "pom.xml .mvn/* .mvn/wrapper/* mvnw mvnw.cmd"),
    (
        "gradle gradlew",
        "settings.gradle settings.gradle.kts build.gradle build.gradle.kts gradle.properties gradlew gradlew.bat gradle/* \
         gradle/wrapper/* buildSrc/* buildSrc/src/main/groovy/* buildSrc/src/main/kotlin/* buildSrc/src/main/java/* \
         init.gradle init.gradle.kts",
    ),
    ("ant", "build.xml build.properties"),
    ("sbt", "build.sbt .sbtopts .jvmopts project/*"),
    (
        "pytest py.test",
        "conftest.py pytest.ini .pytest.ini tox.ini setup.cfg pyproject.toml pytest.toml tests/conftest.py",
    ),
    ("tox", "tox.ini setup.cfg pyproject.toml tox.toml toxfile.py"),
    ("nox", "noxfile.py"),
    ("hatch", "hatch.toml hatch_build.py pyproject.toml"),
    ("invoke inv", "tasks.py tasks/* invoke.yaml invoke.yml invoke.json invoke.py"),
    ("uv uvx", "uv.toml .python-version"),
    ("poetry", "poetry.toml"),
    ("pdm", "pdm.toml .pdm.toml"),
    ("pip pip3", "setup.py setup.cfg"),
    ("rake bundle bundler", "Rakefile Gemfile .bundle/config .rakerc"),
    ("composer", "composer.json auth.json"),
    ("docker docker-compose podman podman-compose", ".env .dockerignore"),
    ("earthly earth", ".env .arg .secret .earthly/*"),
    ("nix nix-shell nix-build devenv", "flake.nix flake.lock shell.nix default.nix devenv.nix devenv.yaml"),
    ("devbox", "devbox.json devbox.lock"),
    ("lefthook", "lefthook.yml lefthook.yaml .lefthook.yml lefthook-local.yml .lefthook-local.yml"),
    ("bazel bazelisk", ".bazelrc .bazelversion MODULE.bazel WORKSPACE WORKSPACE.bazel tools/bazel BUILD BUILD.bazel"),
    ("pants", "pants.toml BUILD"),
    ("vagrant", "Vagrantfile"),
    ("turbo", "turbo.json"),
    ("nx", "nx.json project.json"),
];

/// Runners that look for programs of packages before those of the machine.
const OF_PACKAGES: &str = "npm npx pnpm pnpx yarn yarnpkg bun bunx run-s run-p npm-run-all turbo nx lerna";
/// Where such programs lie.
const PROGRAMS: &[&str] =
    &["node_modules/.bin", "node_modules/.pnpm/node_modules/.bin", "vendor/bin", ".venv/bin", "venv/bin"];

/// Variables by which a program finds code, without those that name a place of the machine.
const STEERING: &[&str] = &[
    "PATH",
    "BASH_ENV",
    "ENV",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "RUBYOPT",
    "RUBYLIB",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "GIT_CONFIG",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "JAVA_TOOL_OPTIONS",
    "MAKEFILES",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "NPM_CONFIG_SCRIPT_SHELL",
    "NPM_CONFIG_USERCONFIG",
    "PROMPT_COMMAND",
    "ZDOTDIR",
    "DOCKER_CONFIG",
    "COMPOSE_FILE",
    "JUST_JUSTFILE",
    "RUSTC_WRAPPER",
];

/// Files of the repository that a command reads before it does what it is asked for.
pub(super) fn read_by(tree: &dyn Tree, words: &[String], place: &Place) -> BTreeSet<String> {
    let names: BTreeSet<String> = words.iter().map(|word| program(word)).collect();
    let asked = |of: &str| of.split(' ').any(|name| names.contains(name));
    let mut found = BTreeSet::new();
    for (_, files) in READ.iter().filter(|(programs, _)| asked(programs)) {
        found.extend(files.split_whitespace().flat_map(|file| files_at(tree, file, place)));
    }
    found.extend(programs_of_packages(tree, words, place));
    found
}

/// Programs in the folders of packages that a command would run in place of those of the machine.
fn programs_of_packages(tree: &dyn Tree, words: &[String], place: &Place) -> Vec<String> {
    let is_runner = words.first().is_some_and(|first| OF_PACKAGES.split(' ').any(|name| name == program(first)));
    let words = words.iter().skip(usize::from(is_runner)).filter(|word| !word.contains('/'));
    let words = words.take(if is_runner { usize::MAX } else { 1 });
    words
        .flat_map(|word| PROGRAMS.iter().flat_map(move |folder| resolved(tree, &format!("{folder}/{word}"), place)))
        .collect()
}

fn files_at(tree: &dyn Tree, file: &str, place: &Place) -> Vec<String> {
    let Some(folder) = file.strip_suffix("/*") else { return resolved(tree, file, place) };
    files_below(tree, folder, place)
}

/// The files directly in a folder.
pub(super) fn files_below(tree: &dyn Tree, folder: &str, place: &Place) -> Vec<String> {
    let folders = place.folders().iter().filter_map(|from| super::resolve::joined(from, folder));
    folders.flat_map(|folder| files_in(tree, &folder).take(FOLDER).map(str::to_owned).collect::<Vec<_>>()).collect()
}

pub(super) fn is_steering(variable: &str) -> bool {
    STEERING.contains(&variable.to_ascii_uppercase().as_str())
}

/// Folders of the repository that a text of a shell puts into the search path.
pub(super) fn search_path(text: &str) -> BTreeSet<String> {
    let is_edge = |letter: char| letter.is_whitespace() || "\"'`;|&()<>,=:".contains(letter);
    let lines = text.lines().filter(|line| line.contains("GITHUB_PATH") || line.contains("PATH="));
    let tokens = lines.flat_map(|line| line.split(is_edge));
    let folders = tokens.filter(|token| token.contains('/')).map(super::resolve::without_variables);
    folders.map(|folder| folder.trim_matches('/').to_owned()).filter(|folder| !folder.is_empty()).collect()
}

/// Lines that write variables for the steps behind them: files that they name hold those variables.
pub(super) fn lines_for_later(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| ["GITHUB_ENV", "GITHUB_PATH", "BASH_ENV"].iter().any(|name| line.contains(name)))
}

/// Patterns of files that a loop goes through: `for file in ci/gate.d/*.sh`.
pub(super) fn patterns_of_loops(text: &str) -> impl Iterator<Item = &str> {
    let loops = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("for ")?.split_once(" in "))
        .map(|(_, rest)| rest);
    let words = loops.flat_map(|rest| rest.split(';').next().unwrap_or_default().split_whitespace());
    words.map(|word| word.trim_matches(['"', '\''])).filter(|word| word.contains('*') && word.contains('/'))
}
