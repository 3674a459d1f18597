//! What programs are for, how tests are switched off, and which words claim success: data, each list with the reason it
//! is used for.

use std::collections::HashSet;
use std::sync::LazyLock;

use agent_strace_effects::{Argument, Execution};

/// Programs that verify what they are run on, whatever their arguments are.
const VERIFIERS: &[&str] = &[
    "pytest",
    "py.test",
    "tox",
    "nox",
    "mypy",
    "pyright",
    "basedpyright",
    "pylint",
    "flake8",
    "ruff",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "playwright",
    "cypress",
    "tsc",
    "vue-tsc",
    "eslint",
    "biome",
    "oxlint",
    "rspec",
    "rubocop",
    "phpunit",
    "pest",
    "phpstan",
    "psalm",
    "ctest",
    "cmake",
    "ninja",
    "make",
    "gmake",
    "just",
    "task",
    "bazel",
    "buck2",
    "gradle",
    "gradlew",
    "mvn",
    "mvnw",
    "sbt",
    "ant",
    "dotnet",
    "msbuild",
    "xcodebuild",
    "swiftlint",
    "ktlint",
    "golangci-lint",
    "staticcheck",
    "shellcheck",
    "hadolint",
    "actionlint",
    "yamllint",
    "terraform",
    "tofu",
    "tflint",
    "helm",
    "kubectl",
    "gcc",
    "g++",
    "clang",
    "clang++",
    "cc",
    "c++",
    "rustc",
    "javac",
    "kotlinc",
    "ghc",
    "zig",
    "nim",
    "crystal",
    "elixirc",
    "clippy-driver",
    "cargo-nextest",
    "solhint",
    "forge",
    "hardhat",
    "bats",
    "busted",
    "luacheck",
    "prettier",
    "black",
    "pre-commit",
    "lefthook",
    "deno",
    "bun",
    "python",
    "python3",
    "node",
    "ruby",
    "php",
    "perl",
    "java",
    "tsx",
    "ts-node",
    "docker",
    "docker-compose",
    "podman",
    "lua",
    "Rscript",
    "julia",
    "swift",
    "dart",
    "flutter",
    "mix",
    "rebar3",
    "stack",
    "cabal",
    "iverilog",
    "verilator",
    "godot",
    "psql",
    "sqlite3",
    "mysql",
    "curl",
    "pwsh",
    "go",
    "cargo",
    "rake",
    "rails",
    "nx",
    "turbo",
    "lerna",
    "hatch",
    "composer",
    "artisan",
    "symfony",
    "meson",
    "scons",
    "waf",
    "west",
    "pio",
];

static KNOWN_VERIFIERS: LazyLock<HashSet<&str>> = LazyLock::new(|| VERIFIERS.iter().copied().collect());

/// Programs that run what a project calls its tests and builds: the first word after them says which.
const RUNNERS: &[&str] =
    &["npm", "pnpm", "yarn", "npx", "bunx", "uv", "uvx", "poetry", "pipenv", "pdm", "bundle", "pipx"];

/// Words after a runner that verify nothing.
const NO_VERIFICATION: &[&str] = &[
    "install",
    "i",
    "ci",
    "add",
    "remove",
    "uninstall",
    "init",
    "create",
    "update",
    "upgrade",
    "outdated",
    "list",
    "ls",
    "info",
    "view",
    "config",
    "cache",
    "link",
    "login",
    "publish",
    "pack",
    "sync",
    "lock",
    "pip",
    "export",
    "show",
    "--version",
    "-v",
    "help",
    "--help",
];

/// Endings of files that hold code: what can be built, run or tested.
const CODE: &[&str] = &[
    "py", "rs", "go", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "java", "kt", "kts", "scala", "c", "cc",
    "cpp", "cxx", "h", "hpp", "cs", "fs", "rb", "php", "swift", "m", "mm", "ex", "exs", "erl", "hs", "ml", "clj",
    "lua", "dart", "zig", "nim", "cr", "jl", "r", "vue", "svelte", "sol", "sh", "bash", "zsh", "pl", "sql",
];

/// Directories that hold tests.
const TEST_FOLDERS: &[&str] = &["test", "tests", "__tests__", "spec", "specs", "e2e"];

/// How test frameworks are told to leave a test out.
const SKIPS: &[&str] = &[
    "@pytest.mark.skip",
    "@pytest.mark.xfail",
    "@unittest.skip",
    "pytest.skip(",
    "self.skipTest(",
    "it.skip(",
    "test.skip(",
    "describe.skip(",
    "suite.skip(",
    "it.todo(",
    "test.todo(",
    "xit(",
    "xtest(",
    "xdescribe(",
    "#[ignore",
    "t.Skip(",
    "t.SkipNow(",
    "t.Skipf(",
    "@Disabled",
    "@Ignore",
    "[Ignore",
    "Skip = \"",
    "markTestSkipped(",
    "markTestIncomplete(",
    "pending(",
    "@tag :skip",
];

/// What somebody says who says that it is done.
const CLAIMS: &[&str] = &[
    "tests pass",
    "test passes",
    "tests now pass",
    "tests are passing",
    "tests are now passing",
    "tests passed",
    "all passing",
    "tests succeed",
    "suite passes",
    "suite is green",
    "all green",
    "everything passes",
    "everything works",
    "works now",
    "now works",
    "works as expected",
    "is fixed",
    "are fixed",
    "is now fixed",
    "have fixed",
    "i've fixed",
    "fixed the",
    "successfully",
    "is complete",
    "is done",
    "all done",
    "completed",
    "resolved",
];

/// What turns a claim into its opposite.
const DENIALS: &[&str] =
    &[" not ", "n't", "fail", "unable", "cannot", "skipped", "deleted", "removed the test", "disabled"];

/// Words that sound like the opposite, and are none: what had failed was mended.
const NO_DENIALS: &[&str] = &[
    "the failing ",
    "the failed ",
    "all failing ",
    "previously failing",
    "no failing",
    "no failures",
    "0 failed",
    "0 failures",
    "without failures",
    "no longer fail",
    "test failures",
    "test failure",
];

/// Folders where files are kept that nobody uses any more.
const ATTICS: &[&str] = &[
    "archive",
    "archived",
    "attic",
    "backup",
    "backups",
    "bak",
    "deprecated",
    "disabled",
    "legacy",
    "old",
    "skipped",
    "trash",
];

/// The name of a program without its directory and `.exe`.
fn program(execution: &Execution) -> Option<&str> {
    let word = execution.argv.first().filter(|word| word.known)?.text.as_str();
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    Some(name.strip_suffix(".exe").unwrap_or(name))
}

/// Whether a command may show that code works: tests, compilers, linters, or the code itself.
pub(super) fn verifies(execution: &Execution) -> bool {
    let Some(name) = program(execution) else { return true };
    let path = execution.argv.first().map_or("", |word| word.text.as_str());
    // A script or a program of the project itself is run.
    if path.starts_with("./") || path.contains("/bin/") && !path.starts_with('/') || path.starts_with("target/") {
        return true;
    }
    if RUNNERS.contains(&name) {
        let next =
            execution.argv.iter().skip(1).map(|word: &Argument| word.text.as_str()).find(|word| !word.starts_with('-'));
        return next.is_some_and(|word| !NO_VERIFICATION.contains(&word));
    }
    let versioned = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    KNOWN_VERIFIERS.contains(name) || KNOWN_VERIFIERS.contains(versioned)
}

pub(super) fn is_code(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| CODE.contains(&ending.to_ascii_lowercase().as_str()))
}

/// Whether a path is one of a test, by its folder or its name.
pub(super) fn is_test(path: &str) -> bool {
    let mut components = path.split('/').rev();
    let name = components.next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let named = stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem.ends_with("Test")
        || stem.ends_with("Tests")
        || name.contains(".test.")
        || name.contains(".spec.");
    (named || components.any(|folder| TEST_FOLDERS.contains(&folder))) && is_code(name)
}

/// How often a text tells a test framework to leave tests out.
pub(super) fn skips(text: &str) -> usize {
    let is_word = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        before.is_some_and(|before| before.is_alphanumeric() || matches!(before, '_' | '.'))
    };
    // `exit(` ends in a marker, and is none.
    let counts = |marker: &&str, at: usize| !(marker.starts_with(char::is_alphabetic) && is_word(at));
    let of = |marker: &&str| text.match_indices(*marker).filter(|(at, _)| counts(marker, *at)).count();
    SKIPS.iter().map(of).sum()
}

/// Whether a directory, or a pattern, stands for tests.
pub(super) fn are_tests(path: &str) -> bool {
    path.split('/').any(|component| TEST_FOLDERS.contains(&component))
}

/// Whether a path is one that a test runner does not look at: outside of the workspace, or put aside.
pub(super) fn is_put_aside(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.split('/').any(|folder| ATTICS.contains(&folder))
}

/// Whether a text says that the work succeeded, in a sentence that does not take it back.
pub(super) fn claims_success(text: &str) -> bool {
    let text = text.to_lowercase();
    text.split(['.', '!', '\n', ';']).any(|sentence| {
        CLAIMS.iter().any(|claim| sentence.contains(claim)) && {
            let rest = NO_DENIALS.iter().fold(sentence.to_owned(), |rest, words| rest.replace(words, " "));
            !DENIALS.iter().any(|denial| rest.contains(denial))
        }
    })
}
