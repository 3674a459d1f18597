//! Rows of results of searches.

use std::collections::BTreeSet;

/// The length of a name that is looked at. Systems allow no longer paths.
const LONGEST: usize = 4_096;
/// The length of the name of one file or directory. Prose is longer.
const LONGEST_PART: usize = 255;

/// The name in `path:12:text`, the row of a line that matches.
pub(super) fn matching(line: &str) -> Option<&str> {
    let name = before_number(line, ':')?;
    // A second number in the row leaves open where the name ends.
    let rest = line.get(name.len() + 1..)?.split_once(':')?.1;
    before_number(rest, ':').is_none().then_some(name)
}

/// The rest of `path-12-text`, a line around a match, begins as such rows do behind the name.
pub(super) fn is_context(rest: &str) -> bool {
    let number = rest.strip_prefix('-').map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    number.is_some_and(|behind| behind.starts_with('-') && behind.len() + 2 <= rest.len())
}

/// The name in `path:text`, as a search without line numbers prints it: all before the first colon that is no drive's.
fn plain(line: &str) -> Option<&str> {
    let start = if is_on_drive(line) { 2 } else { 0 };
    let at = line.get(start..)?.find(':')? + start;
    line.get(..at).filter(|path| is_name(path))
}

/// The name in `path:3`, as a count prints it.
pub(super) fn counted(line: &str) -> Option<&str> {
    let (path, count) = line.rsplit_once(':')?;
    let is_count = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    (is_count && is_name(path)).then_some(path)
}

/// The line, where it can be a name.
pub(super) fn whole(line: &str) -> Option<&str> {
    is_name(line).then_some(line)
}

/// The rows that a search prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Printed {
    Names,
    Lines,
}

/// All names that the rows of a result may show, however it is laid out.
pub(super) fn named(text: &str, printed: Printed) -> BTreeSet<&str> {
    text.lines().flat_map(|line| names_in(line.strip_suffix('\r').unwrap_or(line), printed)).collect()
}

/// `git grep` puts a revision before the name.
fn names_in(line: &str, printed: Printed) -> Vec<&str> {
    let numbered = before_number(line, ':').or_else(|| before_number(line, '-'));
    if let Some(name) = numbered {
        let behind = name.split_once(':').map(|(_, behind)| behind);
        return [Some(name), behind].into_iter().flatten().collect();
    }
    let Some(name) = plain(line) else {
        return whole(line).filter(|_| printed == Printed::Names).into_iter().collect();
    };
    let behind = line.get(name.len() + 1..).and_then(plain);
    [Some(name), behind].into_iter().flatten().collect()
}

/// The name before a number between two marks.
fn before_number(line: &str, mark: char) -> Option<&str> {
    let marks = line.match_indices(mark).map(|(at, _)| at);
    marks.take_while(|at| *at <= LONGEST).find_map(|at| {
        let rest = line.get(at + 1..)?;
        let behind = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let is_number = behind.len() < rest.len() && behind.starts_with(mark);
        line.get(..at).filter(|path| is_number && is_name(path))
    })
}

/// It can be a name: no control characters, no colour codes, no blank at an end, no part that is too long.
fn is_name(text: &str) -> bool {
    let is_short_part =
        |part: &str| part.len() <= LONGEST_PART || !part.is_ascii() && part.chars().count() <= LONGEST_PART;
    let is_short = || text.len() <= LONGEST_PART || text.split(['/', '\\']).all(is_short_part);
    !text.is_empty() && text.len() <= LONGEST && is_short() && text.trim() == text && !has_controls(text)
}

fn has_controls(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_control()) || !text.is_ascii() && text.chars().any(char::is_control)
}

/// The name can be read in one way alone. Before another colon than that of a drive, a revision may stand.
pub(super) fn is_unambiguous(name: &str) -> bool {
    let rest = if is_on_drive(name) { name.get(2..) } else { Some(name) };
    rest.is_some_and(|rest| !rest.contains(':'))
}

fn is_on_drive(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && bytes.next() == Some(b':')
        && matches!(bytes.next(), Some(b'/' | b'\\'))
}

#[cfg(test)]
mod tests {
    use super::{counted, is_context, is_unambiguous, matching, named, plain};

    #[test]
    fn rows_name_files() {
        assert_eq!(matching("src/a.rs:12:let x = 1;"), Some("src/a.rs"));
        assert_eq!(matching("C:\\x\\a.rs:3:y"), Some("C:\\x\\a.rs"));
        assert_eq!(matching("12:let x"), None);
        assert_eq!(matching("\u{1b}[35m./a\u{1b}[0m:1:x"), None);
        assert!(is_context("-13-let y;") && !is_context("-x") && !is_context("--"));
        assert_eq!(plain("src/a.rs:let x = 1;"), Some("src/a.rs"));
        assert_eq!(plain("C:/a.rs:x"), Some("C:/a.rs"));
        assert_eq!(counted("a.rs:3"), Some("a.rs"));
        assert_eq!(counted("a.rs:x"), None);
    }

    #[test]
    fn only_a_drive_has_a_colon() {
        assert!(is_unambiguous("src/a.rs") && is_unambiguous("C:\\x\\a.rs") && is_unambiguous("c:/x/a.rs"));
        assert!(!is_unambiguous("HEAD:a.rs") && !is_unambiguous("C:\\x:1") && !is_unambiguous("c:a.rs"));
    }

    #[test]
    fn any_row_may_accuse() {
        for (line, name) in [
            (".env:1:KEY=1", ".env"),
            (".env:KEY=1", ".env"),
            (".env", ".env"),
            (".env-2-B=1", ".env"),
            ("HEAD:secrets/key:KEY=k", "secrets/key"),
        ] {
            assert!(named(line, super::Printed::Names).contains(name), "{line}");
        }
        assert!(named(&"a b ".repeat(80), super::Printed::Names).is_empty());
    }
}
