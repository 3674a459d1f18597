//! Commands of a project that are made to rewrite its files: what they are called, and how they are told to.

use agent_strace_effects::Execution;

/// Options that make a tool change what it looks at.
const OPTIONS: &[&str] = &["--autofix", "--fix", "--fix-all", "--in-place", "--inplace", "--write"];

/// Parts of the names that projects give to what changes files.
const VERBS: &[&str] = &[
    "apply",
    "autocorrect",
    "autofix",
    "autoformat",
    "bump",
    "codegen",
    "fix",
    "fmt",
    "format",
    "gen",
    "generate",
    "migrate",
    "prettify",
    "regen",
    "regenerate",
    "rewrite",
    "tidy",
];

/// Parts of the names of what only looks.
const CHECKS: &[&str] =
    &["check", "ci", "diff", "dry", "list", "plan", "status", "test", "tests", "validate", "verify"];

/// Programs that run whatever the project wants before a commit, formatters first.
const HOOKS: &[&str] = &["lefthook", "lint-staged", "pre-commit", "prek"];

/// Programs of which only the subcommand says what they do.
const BY_SUBCOMMAND: &[&str] = &["cargo", "go"];

/// A command that runs what the project says may rewrite files.
pub(super) fn rewrites(execution: &Execution) -> bool {
    let words: Vec<&str> = execution.argv.iter().map(|word| word.text.as_str()).collect();
    let Some((program, words)) = words.split_first() else { return false };
    let program = program.rsplit(['/', '\\']).next().unwrap_or(program);
    if words.contains(&"--help") || words.contains(&"--dry-run") || words.contains(&"--check") {
        return false;
    }
    let mut named = words.iter().filter(|word| !word.starts_with('-') && !word.contains(['/', '.']));
    let options = words.iter().any(|word| OPTIONS.contains(&word.split('=').next().unwrap_or(word)));
    let said = if BY_SUBCOMMAND.contains(&program) {
        named.next().is_some_and(|word| says(word))
    } else if HOOKS.contains(&program) {
        named.any(|word| *word == "run") || program == "lint-staged"
    } else {
        named.any(|word| says(word))
    };
    options || said
}

/// `lint:fix`, `spotlessApply`; not `format:check`.
fn says(word: &str) -> bool {
    let mut parts: Vec<String> = vec![String::new()];
    for letter in word.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| letter.is_alphanumeric()) {
            part.extend(letter.to_lowercase());
        }
    }
    let is = |known: &[&str]| parts.iter().any(|part| known.contains(&part.as_str()));
    is(VERBS) && !is(CHECKS)
}
