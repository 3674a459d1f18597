//! What sessions do all over the workspace → entries for all of it.
//!
//! Agents look around: where sessions read in several directories, or look for something in all of them, the next one
//! reads in others. Then all of the workspace may be read but what a deny names. What is written is wider only by the ending of its files, and only for
//! endings of source code and prose: files that decide what runs elsewhere, and hidden directories, stay as they were seen.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_effects::Certainty;
use agent_strace_policy::builtin::{BUILTIN, builtin};

use super::paths::{self, Touched};
use super::plan::{Basis, Planned, Slot};

const READ: &str = "pattern for what sessions read in many directories";
const WRITTEN: &str = "patterns for endings that sessions write in many directories";

const TOLD: &str = "documents that tell what was changed";

/// Documents that people update with each change.
const DOCUMENTS: &[&str] = &["/CHANGELOG.md", "/README.md", "docs/**/*.md"];

/// So many directories or files of the root.
const READING: usize = 3;
/// So many sessions that wrote so many files of an ending.
const WRITING: (usize, usize) = (2, 3);

/// Endings of text that does nothing where it lies.
pub(super) const PROSE: &[&str] = &["md", "mdx", "txt", "rst", "adoc"];
/// Endings of source code: what it does is reviewed with it.
pub(super) const SOURCE: &[&str] = &[
    "astro", "c", "cc", "cpp", "cs", "css", "cxx", "dart", "ex", "exs", "erl", "fs", "go", "h", "heex", "hpp", "hs",
    "html", "java", "js", "jsx", "kt", "less", "lua", "ml", "php", "py", "rb", "rs", "sass", "scala", "scss", "svelte",
    "swift", "ts", "tsx", "vue", "zig",
];
/// `written_too`: what sessions wrote. `searched`: what looked for something in all of it. `sessions`: in how many sessions any of the observations was done.
pub(super) fn entries(
    slot: &Slot,
    touched: &[Touched<'_>],
    written_too: &[Touched<'_>],
    searched: &BTreeSet<usize>,
    sessions: &dyn Fn(&BTreeSet<usize>) -> usize,
) -> Vec<Planned> {
    let planned = |text: String, support: &BTreeSet<usize>, basis| Planned {
        slot: slot.clone(),
        text,
        support: support.clone(),
        basis,
    };
    match slot {
        Slot::Read => {
            let (mut support, mut tops) = read(touched);
            // An agent looks at what it writes.
            tops.extend(read(written_too).1);
            let is_all = tops.len() >= READING || !searched.is_empty();
            support.extend(searched);
            is_all.then(|| planned("/**".to_owned(), &support, Basis::Family(READ))).into_iter().collect()
        }
        Slot::Write => {
            let endings = written(touched);
            let (enough, files) = WRITING;
            let wide = endings.iter().filter(|(_, one)| one.files.len() >= files && sessions(&one.support) >= enough);
            let support: BTreeSet<usize> = endings.values().flat_map(|one| &one.support).copied().collect();
            let mut all: Vec<Planned> = Vec::new();
            for (ending, one) in wide {
                let patterns = one.patterns(ending).into_iter();
                all.extend(patterns.map(|text| planned(text, &one.support, Basis::Family(WRITTEN))));
            }
            let is_wide = |pattern: &str| all.iter().any(|entry| entry.text == pattern);
            let (in_root, in_folders) = (is_wide("/*.md"), is_wide("[!.]*/**/*.md"));
            let is_new =
                |text: &&&str| !support.is_empty() && !if text.starts_with('/') { in_root } else { in_folders };
            let documents: Vec<&&str> = DOCUMENTS.iter().filter(is_new).collect();
            all.extend(documents.into_iter().map(|text| planned((*text).to_owned(), &support, Basis::Kin(TOLD))));
            let is_written = |name: &str| {
                let mut files = endings.values().flat_map(|one| &one.files);
                files.any(|file| file.rsplit('/').next() == Some(name))
            };
            let except = |text: String| planned(text, &BTreeSet::new(), Basis::Except);
            let obeyed = builtin("instructions").map_or(&[][..], |list| &list.entries);
            let kept: Vec<Planned> = if all.is_empty() {
                Vec::new()
            } else if obeyed.iter().any(|name| is_written(name)) {
                obeyed.iter().filter(|name| !is_written(name)).map(|name| except(format!("!{name}"))).collect()
            } else {
                vec![except(format!("!{BUILTIN}instructions"))]
            };
            all.extend(kept);
            all
        }
        _ => Vec::new(),
    }
}

/// What was read below the root, and the directories and files of the root that it lies in.
fn read<'t>(touched: &[Touched<'t>]) -> (BTreeSet<usize>, BTreeSet<&'t str>) {
    let below =
        touched.iter().filter(|one| paths::is_below_root(&one.target.path) && !one.target.path.starts_with('*'));
    let tops = below.clone().filter_map(|one| one.target.path.split('/').next()).collect();
    (below.map(|one| one.index).collect(), tops)
}

/// The files of one ending.
#[derive(Debug, Default)]
struct Written<'t> {
    files: BTreeSet<&'t str>,
    support: BTreeSet<usize>,
}

fn written<'t>(touched: &[Touched<'t>]) -> BTreeMap<&'t str, Written<'t>> {
    let mut endings: BTreeMap<&str, Written<'_>> = BTreeMap::new();
    for one in touched {
        let path = one.target.path.as_str();
        let hidden = path.split('/').any(|part| part.starts_with('.'));
        if one.certainty != Certainty::Exact || one.target.subtree || hidden || !paths::is_below_root(path) {
            continue;
        }
        let ending = paths::extension(path.rsplit('/').next().unwrap_or(path));
        if let Some(ending) = ending.filter(|ending| PROSE.contains(ending) || SOURCE.contains(ending)) {
            let known = endings.entry(ending).or_default();
            known.files.insert(path);
            known.support.insert(one.index);
        }
    }
    endings
}

impl Written<'_> {
    /// In every directory but hidden ones where files of two were written, else in the one. In the root itself only prose
    /// is: source code there configures tools.
    fn patterns(&self, ending: &str) -> Vec<String> {
        let folders: BTreeSet<Option<&str>> =
            self.files.iter().map(|file| file.split_once('/').map(|(folder, _)| folder)).collect();
        let mut patterns = Vec::new();
        if folders.contains(&None) && PROSE.contains(&ending) {
            patterns.push(format!("/*.{ending}"));
        }
        match (folders.len(), folders.iter().flatten().next()) {
            (_, None) => {}
            (1, Some(folder)) => patterns.push(format!("{}/**/*.{ending}", paths::literal(folder))),
            _ => patterns.push(format!("[!.]*/**/*.{ending}")),
        }
        patterns
    }
}
