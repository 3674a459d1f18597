//! A pipeline all of whose files are known: they are in the repository, and each is included by its plain path.

use std::collections::{BTreeMap, BTreeSet};

use super::segments::starts;
use crate::pipelines::formats::visit_texts;
use crate::pipelines::resolve::is_yaml;
use crate::pipelines::tree::{Content, Tree, located};
use crate::pipelines::work::Work;
use crate::repo_audit::{Document, Language, items, member, members, text};
use agent_strace_policy::json::{Data, Value};

/// The file that GitLab reads first.
const ROOT: &str = ".gitlab-ci.yml";
/// Files of one pipeline.
const FILES: usize = 100;
/// Bytes of one file that cost one step of work.
const A_STEP: usize = 4;

/// The files of a pipeline, by their paths.
pub(super) struct Pipeline {
    pub(super) files: BTreeMap<String, File>,
}

/// The files of a pipeline before a change and after it.
pub(super) struct Files<'p> {
    pub(super) base: &'p BTreeMap<String, File>,
    /// Those that the change touches, as it leaves them.
    pub(super) changed: &'p BTreeMap<String, File>,
}

/// A file of a pipeline.
pub(super) struct File {
    pub(super) text: String,
    pub(super) root: Value,
}

impl Pipeline {
    /// `None`: something of it is elsewhere, or only a run knows what it includes.
    pub(super) fn of(base: &dyn Tree, work: &Work) -> Option<Self> {
        let mut open = vec![ROOT.to_owned()];
        let mut files = BTreeMap::new();
        while let Some(path) = open.pop() {
            if files.contains_key(&path) {
                continue;
            }
            let is_plain_file = located(base, &path) == [path.as_str()];
            let Content::Text(text) = base.read(&path) else { return None };
            if !is_plain_file || files.len() >= FILES {
                return None;
            }
            let file = File::read(text, work)?;
            open.extend(file.included()?);
            files.insert(path, file);
        }
        Some(Self { files })
    }
}

impl<'p> Files<'p> {
    pub(super) fn of_both_sides(&self) -> impl Iterator<Item = &'p File> {
        self.base.values().chain(self.changed.values())
    }

    /// The pipeline after the change.
    pub(super) fn later(&self) -> impl Iterator<Item = &'p File> {
        self.base.iter().map(|(path, file)| self.changed.get(path).unwrap_or(file))
    }

    /// All files but one, on both sides.
    pub(super) fn beside(&self, path: &str) -> impl Iterator<Item = &'p File> {
        let all = self.base.iter().chain(self.changed);
        all.filter(move |(other, _)| *other != path).map(|(_, file)| file)
    }
}

impl File {
    /// `None`: it holds something that is merged into jobs in other ways than by `extends`, or readers may differ in its keys.
    pub(super) fn read(text: String, work: &Work) -> Option<Self> {
        work.spend(text.len() / A_STEP).ok()?;
        if text.contains("!reference") || has_more_documents(&text) {
            return None;
        }
        let root = Document::read(Language::Yaml, &text).ok()?.root;
        starts(&text, &root)?;
        (member(&root, "spec").is_none()).then_some(Self { text, root })
    }

    /// The files that it includes. `None`: it includes something else, too.
    pub(super) fn included(&self) -> Option<Vec<String>> {
        let Some(include) = member(&self.root, "include") else { return Some(Vec::new()) };
        let entries = if let Data::List(items) = &include.data { items.iter().collect() } else { vec![include] };
        entries.into_iter().map(local).collect()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        members(&self.root).iter().map(|(key, _)| key.name.as_str())
    }

    /// Adds the keys that its jobs extend.
    pub(super) fn extended(&self, found: &mut BTreeSet<String>) {
        for bases in members(&self.root).iter().filter_map(|(_, job)| member(job, "extends")) {
            visit_texts(bases, &mut |base| found.extend([base.to_owned()]));
        }
    }

    /// Values that apply to every job: the file itself, and `default` in it.
    pub(super) fn shared(&self) -> impl Iterator<Item = &Value> {
        [Some(&self.root), member(&self.root, "default")].into_iter().flatten()
    }
}

/// Returns true if a line may begin a second document.
fn has_more_documents(text: &str) -> bool {
    let is_content = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    text.lines().filter(is_content).skip(1).any(|line| line.starts_with("---") || line.starts_with("..."))
}

/// The path of an entry that is a text, or a mapping with nothing but `local`.
fn local(entry: &Value) -> Option<String> {
    let path = match members(entry) {
        [] if items(entry).is_empty() => text(entry)?,
        [(key, value)] if key.name == "local" => text(value)?,
        _ => return None,
    };
    let path = path.strip_prefix("./").or_else(|| path.strip_prefix('/')).unwrap_or(path);
    let is_plain = path.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./+ ".contains(letter));
    let is_path = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    (is_plain && is_path && is_yaml(path)).then(|| path.to_owned())
}
