//! Settings by their dotted keys, files by patterns of their paths.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use agent_strace_policy::json::{Key, Value};

use super::document::{items, members};

/// Stands for every member of an object and every item of a list.
pub(crate) const EACH: &str = "*";

/// A value that was asked for, and its key where it has one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'v> {
    pub key: Option<&'v Key>,
    pub value: &'v Value,
}

impl Spot<'_> {
    /// Where it begins: a table of TOML has its name in front of it.
    pub(crate) fn span(&self) -> std::ops::Range<usize> {
        self.key.map_or_else(|| self.value.span.clone(), |key| key.span.clone())
    }

    pub(crate) fn name(&self) -> &str {
        self.key.map_or("", |key| key.name.as_str())
    }
}

/// Everything at a dotted key. Editors take `{"a": {"b": 1}}` and `{"a.b": 1}` for the same, and both are found. A key
/// that stands twice counts twice, because readers differ in which one they take.
pub(crate) fn at<'v>(root: &'v Value, keys: &[&str]) -> Vec<Spot<'v>> {
    let mut found = Vec::new();
    search(Spot { key: None, value: root }, keys, &mut found);
    found
}

fn search<'v>(spot: Spot<'v>, keys: &[&str], found: &mut Vec<Spot<'v>>) {
    let Some((first, rest)) = keys.split_first() else {
        found.push(spot);
        return;
    };
    if *first == EACH {
        for spot in each(spot.value) {
            search(spot, rest, found);
        }
        return;
    }
    for length in 1..=keys.len() {
        let (joined, rest) = keys.split_at(length);
        let joined = joined.join(".");
        for (key, value) in members(spot.value).iter().filter(|(key, _)| key.name == joined) {
            search(Spot { key: Some(key), value }, rest, found);
        }
    }
}

/// The members of an object, or the items of a list.
pub(crate) fn each(value: &Value) -> Vec<Spot<'_>> {
    let named = members(value).iter().map(|(key, value)| Spot { key: Some(key), value });
    named.chain(items(value).iter().map(|value| Spot { key: None, value })).collect()
}

/// Patterns over paths. Case does not count: file systems of two of the three big systems open `.Cursor/mcp.json`, too.
#[derive(Debug)]
pub(crate) struct Paths(GlobSet);

impl Paths {
    pub(crate) fn new<'g>(globs: impl IntoIterator<Item = &'g str>) -> Self {
        Self(compiled(globs).unwrap_or_else(|_| GlobSet::empty()))
    }

    /// The indices of the patterns that match.
    pub(crate) fn matching(&self, path: &str) -> Vec<usize> {
        self.0.matches(path)
    }

    pub(crate) fn matches(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

/// A test asks whether this works for all of ours.
pub(crate) fn compiled<'g>(globs: impl IntoIterator<Item = &'g str>) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(GlobBuilder::new(glob).literal_separator(true).case_insensitive(true).build()?);
    }
    set.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo_audit::document::{Document, Language, text};

    #[test]
    fn keys_are_found_flat_and_nested_and_twice() {
        let json = r#"{"a": {"b": {"c": "1"}}, "a.b.c": "2", "a.b": {"c": "3"}, "x": [{"c": "4"}, {"c": "5"}], "a": {"b.c": "6"}}"#;
        let document = Document::read(Language::Json, json).unwrap();
        let values = |keys: &[&str]| -> Vec<String> {
            at(&document.root, keys).iter().filter_map(|spot| text(spot.value).map(str::to_owned)).collect()
        };
        let mut found = values(&["a", "b", "c"]);
        found.sort();
        assert_eq!(found, ["1", "2", "3", "6"]);
        assert_eq!(values(&["x", EACH, "c"]), ["4", "5"]);
        assert!(values(&["b"]).is_empty());
    }

    #[test]
    fn paths_are_compared_whole_and_without_case() {
        let paths = Paths::new(["**/.mcp.json", ".cursor/*.json"]);
        assert_eq!(paths.matching(".mcp.json"), [0]);
        assert_eq!(paths.matching("a/b/.mcp.json"), [0]);
        assert_eq!(paths.matching(".Cursor/mcp.json"), [1]);
        assert!(!paths.matches(".cursor/a/mcp.json") && !paths.matches("a.mcp.json"));
    }
}
