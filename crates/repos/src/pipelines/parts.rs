//! Files of settings of which a program that leads to the gate reads a part: whether a change leaves that part as it is.

use super::formats::shape;
use super::resolve::name_of;
use super::touches::Changed;
use super::tree::{Content, Contents};
use crate::repo_audit::{Document, Language, members};
use agent_strace_policy::json::Value;

/// The part of a file that decides what a program runs.
enum Read {
    /// Tables of TOML, by their path.
    Tables(&'static [&'static str]),
    /// Sections of an INI file, by the start of their name, and what stands before the first section.
    Sections(&'static [&'static str]),
    /// Everything in a mapping of YAML but these keys.
    Without(&'static [&'static str]),
    /// Lines that do not only say a version.
    BesideVersions,
    /// Lines of properties, but not these keys.
    Properties(&'static [&'static str]),
    /// Versions of packages: the gate judges no dependencies here.
    Nothing,
}

/// Files by the end of their path. Every other file counts as a whole.
const READ: &[(&str, Read)] = &[
    ("pyproject.toml", Read::Tables(&["build-system", "tool.tox", "tool.pytest", "tool.hatch"])),
    ("Cargo.toml", Read::Tables(&["bin", "package.build", "package.default-run"])),
    ("setup.cfg", Read::Sections(&["tox", "testenv", "tool:pytest", "pytest", "options.entry_points"])),
    ("pnpm-workspace.yaml", Read::Without(&["packages", "catalog", "catalogs"])),
    (".tool-versions", Read::BesideVersions),
    (".python-version", Read::BesideVersions),
    ("gradle.properties", Read::Properties(&["version", "group"])),
    ("gradle/libs.versions.toml", Read::Nothing),
];

/// Whether a change leaves everything in a file as it is that programs read by themselves. What can't be said is no.
pub(super) fn are_the_same(changed: &Changed<'_>, path: &str) -> bool {
    let is_known = |end: &str| name_of(path) == end || path == end;
    let Some((_, read)) = READ.iter().find(|(end, _)| is_known(end)) else { return false };
    let is_plain = |side: &dyn Contents| side.special(path).is_none();
    if !is_plain(changed.before) || !is_plain(changed.head) {
        return false;
    }
    let of = |side: &dyn Contents| match side.read(path) {
        Content::Missing => read.of(""),
        Content::Text(text) => read.of(&text),
        Content::Unreadable(_) => None,
    };
    of(changed.before).is_some_and(|before| of(changed.head) == Some(before))
}

impl Read {
    /// The part of a text. `None`: the text can't be read.
    fn of(&self, text: &str) -> Option<Vec<String>> {
        let kept = |keeps: &dyn Fn(&str) -> bool| text.lines().filter(|line| keeps(line)).map(str::to_owned).collect();
        match self {
            Self::Tables(tables) => {
                let document = Document::read(Language::Toml, text).ok()?;
                Some(tables.iter().map(|path| table(&document.root, path)).collect())
            }
            Self::Sections(starts) => Some(sections(text, starts)),
            Self::Without(keys) => {
                let document = Document::read(Language::Yaml, text).ok()?;
                let all = members(&document.root).iter().filter(|(key, _)| !keys.contains(&key.name.as_str()));
                Some(all.map(|(key, value)| format!("{}: {}", key.name, shape(value))).collect())
            }
            Self::BesideVersions => Some(kept(&|line| line.contains([':', '/', '\\']))),
            Self::Properties(keys) => Some(kept(&|line| !says_only(line, keys))),
            Self::Nothing => Some(Vec::new()),
        }
    }
}

/// All values at a path of tables, with every form in which TOML writes them.
fn table(root: &Value, path: &str) -> String {
    let mut found = vec![root];
    for name in path.split('.') {
        let inner = found.into_iter().flat_map(members).filter(|(key, _)| key.name == name);
        found = inner.map(|(_, value)| value).collect();
    }
    found.into_iter().map(shape).collect()
}

/// The lines of the sections whose names begin so, and those before the first section.
fn sections(text: &str, starts: &[&str]) -> Vec<String> {
    let mut is_read = true;
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.trim_start().strip_prefix('[') {
            // An indented line may go on with a value, so that it ends no section.
            let is_indented = line.starts_with(char::is_whitespace);
            is_read = starts.iter().any(|start| name.starts_with(start)) || is_read && is_indented;
        }
        if is_read && !line.trim().is_empty() {
            found.push(line.to_owned());
        }
    }
    found
}

/// Whether a line sets one of the keys and does not go on in the next line.
fn says_only(line: &str, keys: &[&str]) -> bool {
    let key = line.split(['=', ':']).next().unwrap_or_default().trim();
    keys.contains(&key) && !line.ends_with('\\')
}
