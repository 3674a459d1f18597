//! Commands that change the layout of files.

use super::commands::Command;

/// A program that changes nothing but the layout of text.
struct Formatter {
    program: &'static str,
    /// It formats with one of these words; with none of them listed, always.
    verbs: &'static [&'static str],
    /// It writes files with one of these options only; with none of them listed, unless an option of `CHECKS` is there.
    writes: &'static [&'static str],
}

const fn formatter(
    program: &'static str,
    verbs: &'static [&'static str],
    writes: &'static [&'static str],
) -> Formatter {
    Formatter { program, verbs, writes }
}

const FORMATTERS: &[Formatter] = &[
    formatter("cargo", &["fmt"], &[]),
    formatter("cargo", &["clippy"], &["--fix"]),
    formatter("rustfmt", &[], &[]),
    formatter("gofmt", &[], &["-w", "-w=true"]),
    formatter("goimports", &[], &["-w", "-w=true"]),
    formatter("go", &["fmt"], &[]),
    formatter("prettier", &[], &["--write", "-w"]),
    formatter("eslint", &[], &["--fix"]),
    formatter("biome", &["format", "check", "lint"], &["--write", "--fix", "--apply", "--apply-unsafe"]),
    formatter("dprint", &["fmt"], &[]),
    formatter("deno", &["fmt"], &[]),
    formatter("black", &[], &[]),
    formatter("isort", &[], &[]),
    formatter("ruff", &["format", "--fix"], &[]),
    formatter("yapf", &[], &["-i", "--in-place", "-ir", "-ri", "-ip", "-irp"]),
    formatter("clang-format", &[], &["-i"]),
    formatter("shfmt", &[], &["-w", "--write"]),
    formatter("ktlint", &[], &["-F", "--format"]),
    formatter("dart", &["format"], &[]),
    formatter("mix", &["format"], &[]),
    formatter("dotnet", &["format"], &[]),
    formatter("rubocop", &[], &["-a", "-A", "--autocorrect", "--autocorrect-all", "-x"]),
    formatter("terraform", &["fmt"], &[]),
    formatter("tofu", &["fmt"], &[]),
    formatter("taplo", &["fmt", "format"], &[]),
    formatter("pre-commit", &["run"], &[]),
    formatter("lefthook", &["run"], &[]),
    formatter("lint-staged", &[], &[]),
    formatter("gofumpt", &[], &["-w"]),
    formatter("golangci-lint", &["run", "fmt"], &["--fix", "fmt"]),
    formatter("swiftformat", &[], &[]),
    formatter("swift-format", &[], &["-i", "--in-place"]),
    formatter("zig", &["fmt"], &[]),
    formatter("treefmt", &[], &[]),
    formatter("stylua", &[], &[]),
    formatter("php-cs-fixer", &["fix"], &[]),
    formatter("autopep8", &[], &["-i", "--in-place"]),
];

/// Options with which a formatter says what it would change, and writes nothing.
const CHECKS: &[&str] = &[
    "--check",
    "-check",
    "--check-only",
    "--check-formatted",
    "--diff",
    "--list-different",
    "--dry-run",
    "--verify-no-changes",
    "--output=none",
    "-write=false",
];

/// Options with which a program does nothing but tell of itself.
const TELLS: &[&str] = &["--version", "-V", "--help", "-h"];

/// Programs that run what a project calls so.
const RUNNERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "uv", "make", "just", "task", "mise", "gradle", "gradlew", "mvn", "poetry", "hatch",
    "tox",
];

/// How formatting is called by projects.
const FORMATS: &[&str] = &[
    "fmt",
    "format",
    "prettier",
    "lint:fix",
    "format:fix",
    "fix",
    "style",
    "spotlessApply",
    "spotless:apply",
    "tidy",
    "--fix",
];

/// It may have changed the layout of files, whatever they are.
pub(super) fn formats(command: &Command<'_>) -> bool {
    let (program, words) = command.meant();
    let is_run = RUNNERS.contains(&program) && has(words, FORMATS) && !has(words, CHECKS);
    let mut called = FORMATTERS.iter().filter(|formatter| formatter.is_called(program, words));
    !has(words, TELLS) && (is_run || called.any(|formatter| formatter.writes(words)))
}

/// It is a formatter that says what it would do, or what it is.
pub(super) fn only_tells(command: &Command<'_>) -> bool {
    let (program, words) = command.meant();
    let is_formatter = FORMATTERS.iter().any(|formatter| formatter.is_called(program, words));
    is_formatter && !formats(command) && (has(words, TELLS) || has(words, CHECKS))
}

fn has(words: &[&str], any: &[&str]) -> bool {
    words.iter().any(|word| any.contains(word))
}

impl Formatter {
    fn is_called(&self, program: &str, words: &[&str]) -> bool {
        self.program == program && (self.verbs.is_empty() || has(words, self.verbs))
    }

    fn writes(&self, words: &[&str]) -> bool {
        if self.writes.is_empty() { !has(words, CHECKS) } else { has(words, self.writes) }
    }
}
