//! `.gitignore` and `.gitattributes`: whether they keep the record of sessions out of commits or out of sight.

use std::collections::{BTreeMap, BTreeSet};

use super::wild;

/// Bytes that git takes as blanks.
const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];
/// Attributes that macros of one line stand for.
const ATTRIBUTES: usize = 1_000;

/// A line of such a file: what it matches, below the folder of the file.
struct Line<'t> {
    pattern: wild::Pattern,
    /// It has a slash that is not its last letter: it matches whole paths, others match names.
    is_of_paths: bool,
    /// It ends with `/`.
    is_of_folders: bool,
    negates: bool,
    rest: &'t str,
}

impl Line<'_> {
    fn matches(&self, path: &str, is_folder: bool) -> bool {
        let matched = if self.is_of_paths { path } else { path.rsplit('/').next().unwrap_or(path) };
        (is_folder || !self.is_of_folders) && self.pattern.matches(matched)
    }
}

/// The paths that a `.gitignore` may hide, with the folders above them. They count from its folder.
pub(super) struct Records<'p> {
    records: &'p [String],
    /// Each path once, and whether it is a folder: git asks for a folder once, however many files are in it.
    places: BTreeMap<&'p str, bool>,
}

/// What lines do to places: of each line that does something, whether it negates, and the places.
type Known<'p> = BTreeMap<String, (bool, Vec<&'p str>)>;

impl<'p> Records<'p> {
    pub(super) fn of(records: &'p [String]) -> Self {
        let folders = records.iter().flat_map(|path| path.match_indices('/').filter_map(|(at, _)| path.get(..at)));
        let places = folders.map(|folder| (folder, true)).chain(records.iter().map(|path| (path.as_str(), false)));
        Self { records, places: places.collect() }
    }

    /// Whether `after` ignores a path that `before` does not ignore.
    pub(super) fn are_hidden(&self, before: &str, after: &str) -> bool {
        let lines = lines(before).chain(lines(after)).collect::<BTreeSet<&str>>();
        // A line that both texts have is compared once.
        let known = self.known(lines.into_iter());
        let (before, after) = (self.ignored(before, &known), self.ignored(after, &known));
        after.difference(&before).next().is_some()
    }

    fn known<'l>(&self, lines: impl Iterator<Item = &'l str>) -> Known<'p> {
        let places = |line: &Line<'_>| {
            let places = self.places.iter().filter(|(path, is_folder)| line.matches(path, **is_folder));
            places.map(|(path, _)| *path).collect::<Vec<_>>()
        };
        let read = lines.filter_map(|line| Some((line, of_ignore(line)?)));
        let found = read.map(|(text, line)| (text.to_owned(), (line.negates, places(&line))));
        found.filter(|(_, (_, places))| !places.is_empty()).collect()
    }

    /// The paths that a text ignores.
    fn ignored(&self, text: &str, known: &Known<'p>) -> BTreeSet<&'p str> {
        let mut decided: BTreeMap<&str, bool> = BTreeMap::new();
        for (negates, places) in lines(text).filter_map(|line| known.get(line)) {
            // The last line that matches decides.
            decided.extend(places.iter().map(|place| (*place, !negates)));
        }
        let is_ignored = |place: &str| decided.get(place).copied().unwrap_or(false);
        let hidden = self.records.iter().filter(|path| {
            // Git re-includes no file below an ignored folder.
            path.match_indices('/').any(|(at, _)| path.get(..at).is_some_and(is_ignored)) || is_ignored(path)
        });
        hidden.map(String::as_str).collect()
    }
}

/// The lines of a text, without a byte order mark. Git takes one carriage return off the end of a line, and no second one.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    bare.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line))
}

/// The lines of a `.gitattributes`. Paths count from its folder.
pub(super) struct Attributes<'t> {
    lines: Vec<Line<'t>>,
    /// `[attr]name …`: a name for several attributes.
    macros: BTreeMap<&'t str, &'t str>,
}

impl<'t> Attributes<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let macros = lines(text).filter_map(|line| {
            let line = line.trim_start_matches(BLANK).strip_prefix("[attr]")?.trim_start_matches(BLANK);
            line.split_once(BLANK)
        });
        Self { lines: lines(text).filter_map(of_attributes).collect(), macros: macros.collect() }
    }

    /// The attributes of a path by their names, as they are written; of two of one name the later one counts.
    pub(super) fn at(&self, path: &str) -> BTreeMap<&'t str, &'t str> {
        let matching = self.lines.iter().filter(|line| line.matches(path, false));
        let named = |attribute: &'t str| {
            let name = attribute.trim_start_matches(['-', '!']).split('=').next().unwrap_or_default();
            (name, attribute)
        };
        matching.flat_map(|line| self.expanded(line.rest)).map(named).collect()
    }

    /// The attributes of a line, and those that its macros stand for, macros in macros too.
    fn expanded(&self, given: &'t str) -> Vec<&'t str> {
        let words = |text: &'t str| text.split(BLANK).filter(|word| !word.is_empty());
        let mut open: Vec<&str> = words(given).rev().collect();
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        while let Some(attribute) = open.pop().filter(|_| found.len() < ATTRIBUTES) {
            found.push(attribute);
            if let Some(meant) = self.macros.get(attribute).filter(|_| seen.insert(attribute)) {
                open.extend(words(meant).rev());
            }
        }
        found
    }
}

/// A line of a `.gitignore`. A blank at its end counts if `\\` stands before it.
fn of_ignore(line: &str) -> Option<Line<'_>> {
    let bare = line.trim_end_matches(' ');
    let is_escaped = bare.len() < line.len() && bare.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
    let pattern = if is_escaped { line.get(..=bare.len())? } else { bare };
    if pattern.starts_with('#') {
        return None;
    }
    let (pattern, negates) = pattern.strip_prefix('!').map_or((pattern, false), |pattern| (pattern, true));
    of_pattern(pattern, negates, "")
}

/// A line of a `.gitattributes`: a pattern, in quotes if it has blanks or escapes, and attributes.
fn of_attributes(line: &str) -> Option<Line<'_>> {
    let line = line.trim_start_matches(BLANK);
    if line.starts_with(['#', '!']) || line.starts_with("[attr]") {
        return None;
    }
    if let Some((pattern, rest)) = unquoted(line) {
        return of_pattern(&pattern, false, rest);
    }
    let (pattern, rest) = line.split_once(BLANK)?;
    of_pattern(pattern, false, rest)
}

fn of_pattern<'t>(pattern: &str, negates: bool, rest: &'t str) -> Option<Line<'t>> {
    let bare = pattern.strip_suffix('/').unwrap_or(pattern);
    if bare.is_empty() {
        return None;
    }
    let (is_of_paths, is_of_folders) = (bare.contains('/'), bare.len() < pattern.len());
    // Git takes one slash off each end, and paths have no other empty parts.
    let pattern = wild::Pattern::of(bare.strip_prefix('/').unwrap_or(bare))?;
    Some(Line { pattern, is_of_paths, is_of_folders, negates, rest })
}

/// The text of a pattern in quotes as in C, and what stands behind them.
fn unquoted(line: &str) -> Option<(String, &str)> {
    let mut rest = line.strip_prefix('"')?.as_bytes();
    let mut bytes = Vec::new();
    loop {
        let (first, behind) = rest.split_first()?;
        rest = behind;
        match first {
            b'"' => break,
            b'\\' => {
                let (escaped, behind) = rest.split_first()?;
                rest = behind;
                bytes.push(match escaped {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'0'..=b'3' => {
                        let digits = str::from_utf8(rest.get(..2)?).ok()?;
                        rest = rest.get(2..)?;
                        (escaped - b'0') * 64 + u8::from_str_radix(digits, 8).ok()?
                    }
                    b'"' | b'\\' => *escaped,
                    _ => return None,
                });
            }
            byte => bytes.push(*byte),
        }
    }
    let rest = line.get(line.len() - rest.len()..)?;
    Some((String::from_utf8_lossy(&bytes).into_owned(), rest))
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
            let records = [path.to_owned()];
            assert_eq!(Records::of(&records).are_hidden("", text), expected, "{text:?}");
        }
        let text = "[attr]hidden -diff\n* text=auto diff\n/.agent-traces/** hidden filter=x\n*.md diff\n";
        let found: Vec<&str> = Attributes::of(text).at(path).into_values().collect();
        assert_eq!(found, ["-diff", "filter=x", "hidden", "text=auto"]);
    }

    #[test]
    fn every_line_is_compared_with_every_folder_once() {
        let records: Vec<String> =
            (0..100).flat_map(|at| ["events.ndjson", "meta.json"].map(|file| format!("t/{at}/{file}"))).collect();
        let records = Records::of(&records);
        // `t`, and each session with its two files.
        assert_eq!(records.places.len(), 1 + 100 * 3);
        let text = (0..1_000).map(|at| format!("dir{at}/*.log")).collect::<Vec<_>>().join("\n");
        let known = records.known(lines(&text));
        assert!(known.is_empty(), "lines that match nothing are dropped");
        assert!(records.ignored(&text, &known).is_empty());
    }
}
