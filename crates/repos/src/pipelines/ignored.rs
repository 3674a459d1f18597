//! `.gitignore` and `.gitattributes`: whether they keep the record of sessions out of commits or out of sight.

use globset::{GlobBuilder, GlobMatcher};

/// A line of such a file: what it matches, below the folder of the file.
struct Line<'t> {
    globs: Vec<GlobMatcher>,
    negates: bool,
    rest: &'t str,
}

/// Whether the file ignores a path. Both count from the folder of the file.
pub(super) fn ignores(text: &str, path: &str) -> bool {
    let lines: Vec<Line<'_>> = text.lines().filter_map(|line| line_of(line, false)).collect();
    // Git re-includes no file below an ignored folder.
    let mut prefixes: Vec<&str> = path.match_indices('/').filter_map(|(at, _)| path.get(..at)).collect();
    prefixes.push(path);
    prefixes.iter().any(|prefix| {
        let last = lines.iter().rev().find(|line| line.globs.iter().any(|glob| glob.is_match(prefix)));
        last.is_some_and(|line| !line.negates)
    })
}

/// The attributes that the file gives a path, each as it is written; of two the later one counts.
pub(super) fn attributes<'t>(text: &'t str, path: &str) -> Vec<&'t str> {
    let lines = text.lines().filter_map(|line| line_of(line, true));
    let matching = lines.filter(|line| line.globs.iter().any(|glob| glob.is_match(path)));
    matching.flat_map(|line| line.rest.split_whitespace()).collect()
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
    Some(Line { globs: globs(pattern), negates, rest })
}

/// The pattern as globs over paths; a folder that matches stands for all below it in `ignores`.
fn globs(pattern: &str) -> Vec<GlobMatcher> {
    let anchored = pattern.trim_end_matches('/').contains('/');
    let bare = pattern.trim_start_matches('/').trim_end_matches('/');
    if bare.is_empty() {
        return Vec::new();
    }
    let from = if anchored || bare.starts_with("**/") { bare.to_owned() } else { format!("**/{bare}") };
    let glob = GlobBuilder::new(&from).literal_separator(true).backslash_escape(true).build();
    glob.ok().map(|glob| glob.compile_matcher()).into_iter().collect()
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
            assert_eq!(ignores(text, path), expected, "{text:?}");
        }
        assert_eq!(
            attributes("* text=auto\n/.agent-traces/** -diff filter=x\n*.md diff\n", path),
            ["text=auto", "-diff", "filter=x"]
        );
    }
}
