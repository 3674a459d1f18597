//! Tests of the doctor: tables of pipelines (`cases`), and what is around them.

mod cases;
mod gates;
mod reviews;

use super::*;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const OWNERS: &str = "* @acme/all\n/.agent-* @acme/security\n/.github/ @acme/security\n/CODEOWNERS @acme/security\n";

/// A workflow with a step that judges; `{}` in it stands for the commit.
fn workflow(on: &str, job: &str, step: &str) -> String {
    let text = format!(
        "on:\n  merge_group:\n{on}permissions: {{contents: read}}\njobs:\n  gate:\n{job}    steps:\n      - uses: \
         acme/agent-strace@{COMMIT}\n{step}"
    );
    text.replace("@@", COMMIT)
}

const POLICY: &[u8] = br#"{"commands": {"deny": ["curl"]}}"#;

fn held(file: &str, text: &str) -> Held<'static> {
    held_with(file, text, POLICY)
}

fn held_with(file: &str, text: &str, policy: &'static [u8]) -> Held<'static> {
    Held {
        pipelines: vec![(file.to_owned(), Ok(text.to_owned()))],
        owners: Vec::new(),
        policy_path: ".agent-scope.json".to_owned(),
        policy: Box::new(|path| match path {
            ".agent-scope.json" => PolicyFile::read(path, "HEAD", policy),
            "other.json" => PolicyFile::read(path, "HEAD", POLICY),
            "empty.json" => PolicyFile::read(path, "HEAD", b"{}"),
            _ => PolicyFile::Missing,
        }),
        settings: Vec::new(),
        default_branches: vec!["main".to_owned()],
        store: ".agent-traces".to_owned(),
        ignores_store: false,
    }
}

const FILE: &str = ".github/workflows/gate.yml";
const ON: &str = "  pull_request: {branches: [main], types: [opened, synchronize, reopened, edited]}\n";
const TARGET: &str = "  pull_request_target: {branches: [main], types: [opened, synchronize, reopened, edited]}\n";

fn github(text: &str) -> Examination {
    examine(&held(FILE, text))
}

/// Ids of what is worse than good, with the line.
fn bad(examination: &Examination) -> Vec<(&'static str, &'static str, u32)> {
    let bad = examination.checks.iter().filter(|check| check.state < State::Good && check.id != "owners/there");
    bad.map(|check| (check.id, check.state.name(), check.location.as_ref().map_or(0, |(_, line)| *line))).collect()
}
