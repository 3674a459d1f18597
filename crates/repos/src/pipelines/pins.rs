//! Manifests and locks of packages: which gate they bring, where the gate is installed as a package.

use super::calls::{GATE, names_gate};
use super::gate::GateFiles;
use super::resolve::has_ending;
use super::touches::Changed;
use super::tree::{Content, Contents};
use agent_strace_git::change_set::Part;

/// Names of such files, in lower case.
const MANIFESTS: &str = "package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml yarn.lock \
    bun.lock pyproject.toml uv.lock poetry.lock pdm.lock pipfile pipfile.lock pylock.toml setup.cfg cargo.toml cargo.lock \
    .tool-versions mise.toml .mise.toml mise.lock devbox.json devbox.lock flake.nix brewfile aqua.yaml .binny.yaml \
    dependencies.lock environment.yml";

/// Where a change lets another gate be installed.
pub(super) fn part(changed: &Changed<'_>, gate: &GateFiles, path: &str) -> Option<Part> {
    let name = super::resolve::name_of(path).to_lowercase();
    let is_manifest = MANIFESTS.split_whitespace().any(|known| known == name)
        || ["requirements", "constraints"].iter().any(|start| name.starts_with(start)) && has_ending(&name, "txt");
    if !is_manifest || gate.runs.is_empty() {
        return None;
    }
    (entries(changed.before, path) != entries(changed.head, path)).then_some(Part::PinsGate)
}

/// The entries of a file that name the gate, each with the lines that belong to it.
fn entries(side: &dyn Contents, path: &str) -> Vec<String> {
    let Content::Text(text) = side.read(path) else { return Vec::new() };
    if !names_gate(&text) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().collect();
    let named = lines.iter().enumerate().filter(|(_, line)| names_package(line));
    named.flat_map(|(at, line)| entry(&lines, at, line)).collect()
}

/// Whether a line names the package of the gate, and does not only call its program: `agent-strace check`.
fn names_package(line: &str) -> bool {
    let folded = line.to_ascii_lowercase();
    folded.match_indices(GATE).any(|(at, _)| {
        let rest = folded.get(at + GATE.len()..).unwrap_or_default();
        let rest = rest.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_');
        !rest
            .strip_prefix(' ')
            .is_some_and(|word| word.starts_with(|letter: char| letter.is_alphabetic() || letter == '-'))
    })
}

fn entry(lines: &[&str], at: usize, line: &str) -> Vec<String> {
    let owned = |lines: &[&str]| lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let (before, after) = (lines.get(..at).unwrap_or_default(), lines.get(at + 1..).unwrap_or_default());
    // A table of TOML: all up to an empty line or to the next table.
    if line.trim_start().starts_with("name") && before.iter().rev().any(|line| line.starts_with("[[")) {
        let ends = |line: &&&str| !line.trim().is_empty() && !line.starts_with('[');
        let mut whole = owned(&[line]);
        whole.extend(owned(&after.iter().take_while(ends).copied().collect::<Vec<_>>()));
        return whole;
    }
    let depth = |line: &str| line.len() - line.trim_start().len();
    let is_below = |other: &&&str| depth(other) > depth(line) && !other.trim().is_empty();
    let mut whole = owned(&[line.trim_end().trim_end_matches(',')]);
    whole.extend(owned(&after.iter().take_while(is_below).copied().collect::<Vec<_>>()));
    whole
}
