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
    let (mut found, mut open, mut in_table) = (Vec::new(), None, false);
    for line in text.lines() {
        in_table |= line.starts_with("[[");
        // A line belongs to the entry that is open, if it names the gate, too.
        open = open.filter(|entry: &Entry| entry.holds(line));
        if open.is_some() {
            found.push(line.trim().to_owned());
        } else if names_package(line) {
            open = Some(Entry::of(line, in_table));
            found.push(line.trim_end().trim_end_matches(',').trim().to_owned());
        }
    }
    found
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

/// How far the entry of a line goes.
enum Entry {
    /// A table of TOML: up to an empty line or to the next table.
    Table,
    /// All that is indented more than its first line.
    Below(usize),
}

impl Entry {
    fn of(line: &str, in_table: bool) -> Self {
        let is_name = line.trim_start().starts_with("name");
        if in_table && is_name { Self::Table } else { Self::Below(depth(line)) }
    }

    fn holds(&self, line: &str) -> bool {
        let is_empty = line.trim().is_empty();
        match self {
            Self::Table => !is_empty && !line.starts_with('['),
            Self::Below(top) => !is_empty && depth(line) > *top,
        }
    }
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipelines::text_of;

    struct Lock(String);

    impl Contents for Lock {
        fn read(&self, _: &str) -> Content {
            text_of(self.0.clone().into_bytes())
        }
    }

    #[test]
    fn an_entry_has_each_line_of_a_file_once_at_most() {
        for line in ["name = \"agent-strace\"\n", "agent-strace:\n", "  agent-strace: 1\n"] {
            let lock = Lock(format!("[[package]]\n{}\n[[package]]\nname = \"b\"\n", line.repeat(12_000)));
            assert_eq!(entries(&lock, "Cargo.lock").len(), 12_000, "{line}");
        }
    }
}
