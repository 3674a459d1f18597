//! `.gitignore` and `.gitattributes`: whether they keep the record of sessions out of commits or out of sight.

use std::collections::BTreeMap;

use globset::{GlobBuilder, GlobMatcher};

/// A line of such a file: what it matches, below the folder of the file.
struct Line<'t> {
    glob: GlobMatcher,
    /// It ends with `/`.
    is_of_folders: bool,
    negates: bool,
    rest: &'t str,
}

impl Line<'_> {
    fn matches(&self, path: &str, is_folder: bool) -> bool {
        (is_folder || !self.is_of_folders) && self.glob.is_match(path)
    }
}

/// The patterns of a `.gitignore`. Paths count from its folder.
pub(super) struct Patterns<'t>(Vec<Line<'t>>);

impl<'t> Patterns<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self(text.lines().filter_map(|line| line_of(line, false)).collect())
    }

    /// Whether the file ignores a path.
    pub(super) fn ignore(&self, path: &str) -> bool {
        // Git re-includes no file below an ignored folder.
        let mut prefixes: Vec<(&str, bool)> =
            path.match_indices('/').filter_map(|(at, _)| Some((path.get(..at)?, true))).collect();
        prefixes.push((path, false));
        prefixes.iter().any(|(prefix, is_folder)| {
            let last = self.0.iter().rev().find(|line| line.matches(prefix, *is_folder));
            last.is_some_and(|line| !line.negates)
        })
    }
}

/// The lines of a `.gitattributes`. Paths count from its folder.
pub(super) struct Attributes<'t> {
    lines: Vec<Line<'t>>,
    /// `[attr]name …`: a name for several attributes.
    macros: BTreeMap<&'t str, &'t str>,
}

impl<'t> Attributes<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let macros = text.lines().filter_map(|line| line.strip_prefix("[attr]")?.split_once(char::is_whitespace));
        let lines = text.lines().filter(|line| !line.starts_with("[attr]")).filter_map(|line| line_of(line, true));
        Self { lines: lines.collect(), macros: macros.collect() }
    }

    /// The attributes of a path by their names, as they are written; of two of one name the later one counts.
    pub(super) fn at(&self, path: &str) -> BTreeMap<&'t str, &'t str> {
        let matching = self.lines.iter().filter(|line| line.matches(path, false));
        let given = matching.flat_map(|line| line.rest.split_whitespace());
        let expanded = given.flat_map(|given| {
            let of_macro = self.macros.get(given).copied().unwrap_or_default();
            [given].into_iter().chain(of_macro.split_whitespace())
        });
        let named = |attribute: &'t str| {
            let name = attribute.trim_start_matches(['-', '!']).split('=').next().unwrap_or_default();
            (name, attribute)
        };
        expanded.map(named).collect()
    }
}

/// `has_rest`: words behind the pattern belong to the line, not to the pattern.
fn line_of(line: &str, has_rest: bool) -> Option<Line<'_>> {
    let line = line.trim_end_matches(['\r', '\n']);
    let line = if has_rest { line.trim_start() } else { line.trim_end() };
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (pattern, rest) = if has_rest { line.split_once(char::is_whitespace)? } else { (line, "") };
    let (pattern, negates) = pattern.strip_prefix('!').map_or((pattern, false), |pattern| (pattern, true));
    let pattern = pattern.trim_matches('"');
    Some(Line { glob: glob(pattern)?, is_of_folders: pattern.ends_with('/'), negates, rest })
}

/// The pattern as a glob over paths.
fn glob(pattern: &str) -> Option<GlobMatcher> {
    let anchored = pattern.trim_end_matches('/').contains('/');
    let bare = pattern.trim_start_matches('/').trim_end_matches('/');
    if bare.is_empty() {
        return None;
    }
    let from = if anchored || bare.starts_with("**/") { bare.to_owned() } else { format!("**/{bare}") };
    let glob = GlobBuilder::new(&from).literal_separator(true).backslash_escape(true).build();
    glob.ok().map(|glob| glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_that_matches_decides() {
        let path = ".agent-traces/s1/events.ndjson";
        for (text, expected) in [
            (".agent-traces\n", true),
            (".agent-traces/\n", true),
            ("/.agent-traces/**\n", true),
            (".agent-*\n", true),
            (".*\n", true),
            ("*\n", true),
            ("*.ndjson\n", true),
            ("**/events.ndjson\r\n", true),
            ("*\n!.agent-traces\n!.agent-traces/**\n", false),
            (".agent-traces\n!.agent-traces\n", false),
            (".agent-traces/\n!.agent-traces/s1/events.ndjson\n", true),
            ("# .agent-traces\ntarget/\n*.log\n", false),
            ("src/.agent-traces\n", false),
        ] {
            assert_eq!(Patterns::of(text).ignore(path), expected, "{text:?}");
        }
        let text = "[attr]hidden -diff\n* text=auto diff\n/.agent-traces/** hidden filter=x\n*.md diff\n";
        let found: Vec<&str> = Attributes::of(text).at(path).into_values().collect();
        assert_eq!(found, ["-diff", "filter=x", "hidden", "text=auto"]);
    }
}
