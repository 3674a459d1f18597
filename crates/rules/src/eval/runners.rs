//! Programs that run tests, and how they are told to run none: data, and where it is in a command.

use crate::Act;
use agent_strace_effects::{Execution, Kind};

/// Words with which any of them runs no test, or passes where it has none.
const ANY: &[&str] = &[
    "-h",
    "--help",
    "--version",
    "--no-run",
    "--collect-only",
    "--co",
    "--list",
    "--list-tests",
    "--listTests",
    "--showConfig",
    "--dry-run",
    "--just-print",
    "--question",
    "--if-present",
    "--passWithNoTests",
    "--pass-with-no-tests",
];

/// The same by program, with those that let failed tests pass. What stands behind a `=` plays no role.
const BY_PROGRAM: &[(&[&str], &[&str])] = &[
    (&["bazel", "bazelisk"], &["--nobuild"]),
    (&["cargo"], &["-V", "--no-tests=pass", "--no-tests=warn"]),
    (&["ctest"], &["-N", "--show-only"]),
    (&["dotnet"], &["-t"]),
    (&["go"], &["-list", "-c", "-n", "^$", "-run=^$"]),
    (&["gradle", "gradlew"], &["-m", "-x", "--exclude-task"]),
    (&["jest"], &["--clearCache", "--init"]),
    (&["just"], &["-n", "-l", "-s", "--show", "--summary", "--evaluate", "--dump"]),
    (&["make", "gmake"], &["-n", "-q", "-t", "-i", "--recon", "--touch", "--ignore-errors", "SHELL"]),
    (&["mvn", "mvnw"], &["-DskipTests", "-Dmaven.test.skip", "-Dmaven.test.failure.ignore", "-fn", "--fail-never"]),
    (&["nox"], &["-l", "--list-sessions", "--install-only"]),
    (&["phpunit"], &["--list-suites", "--list-groups", "--list-test-files"]),
    (
        &["pytest", "py.test"],
        &[
            "-V",
            "--fixtures",
            "--fixtures-per-test",
            "--funcargs",
            "--markers",
            "--setup-plan",
            "--setup-only",
            "--collectonly",
            "--cache-show",
        ],
    ),
    (&["rake"], &["-n", "-T", "-P", "-W", "-D", "--tasks", "--prereqs", "--where", "--describe"]),
    (&["swift"], &["-l", "list", "--show-codecov-path"]),
    (&["tox"], &["-l", "-a", "-n", "--listenvs", "--listenvs-all", "--notest", "--showconfig", "list", "l", "config"]),
    (&["vitest"], &["list", "init", "bench"]),
];

/// Variables in which such options are handed over.
const VARIABLES: &[&str] = &["PYTEST_ADDOPTS", "MAKEFLAGS", "GNUMAKEFLAGS", "GOFLAGS", "MAVEN_ARGS"];

/// The command says that no test runs, or that failed ones pass.
pub(super) fn runs_none(execution: &Execution) -> bool {
    let words: Vec<&str> = execution.argv.iter().map(|word| word.text.as_str()).collect();
    let Some((program, options)) = words.split_first() else { return false };
    let program = name(program);
    // `python -m pytest`
    let module = options.iter().position(|word| *word == "-m").and_then(|at| options.get(at + 1));
    let program = if program.starts_with("python") { module.copied().unwrap_or(program) } else { program };
    let own = BY_PROGRAM.iter().filter(|(programs, _)| programs.contains(&program));
    let known: Vec<&str> = own.flat_map(|(_, words)| *words).chain(ANY).copied().collect();
    options.iter().any(|word| {
        let whole = *word;
        let (word, value) = word.split_once('=').unwrap_or((*word, "true"));
        value != "false" && known.contains(&word)
            || known.contains(&whole)
            || matches!(program, "make" | "gmake") && letters(word).any(|one| known.contains(&one))
    })
}

/// The options of a cluster (`-sn`) up to one that has a value (`-fMakefile`).
fn letters(word: &str) -> impl Iterator<Item = &'static str> {
    const LETTERS: &[(char, &str)] = &[('n', "-n"), ('q', "-q"), ('t', "-t"), ('i', "-i"), ('h', "-h")];
    let cluster = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    let plain = cluster.chars().take_while(|letter| !matches!(letter, 'C' | 'E' | 'I' | 'W' | 'f' | 'j' | 'l' | 'o'));
    plain.filter_map(|letter| LETTERS.iter().find(|(known, _)| *known == letter).map(|(_, option)| *option))
}

/// A variable that may say so.
pub(super) fn may_tell_none(act: &Act<'_>) -> bool {
    matches!(&act.effect.kind, Kind::Env { name } if VARIABLES.contains(&name.as_str()))
}

/// Builtins of shells that run a text in the shell itself: what it sets counts for what follows.
const IN_SHELL: &[&str] = &[".", "eval", "source"];

/// Such a text is run, and it is none that only prepares an environment: one of the user's own, or of an installed
/// program, lies outside of the project, and virtual environments are all alike.
pub(super) fn runs_in_shell(execution: &Execution) -> bool {
    let mut words = execution.argv.iter().map(|word| word.text.as_str());
    let Some(builtin) = words.next().filter(|word| IN_SHELL.contains(word)) else { return false };
    let script = words.next().filter(|_| builtin != "eval").unwrap_or_default();
    let outside = script.starts_with(['~', '/']) && !script.starts_with("/tmp/");
    !outside && !script.ends_with("bin/activate")
}

/// `./gradlew`, `pytest.exe`
fn name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}
