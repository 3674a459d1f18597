//! Tools that look for names or for content.

use super::registry::{Entry, REGISTRY};
use super::run::{Access, Run, is_true, literal_base, texts};
use super::value::{Object, Value};
use super::{UNJUDGEABLE, globs, names};
use crate::regex::purpose_of_pattern;
use crate::{About, Certainty, Purpose, Reach, paths};

pub(super) fn list(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let reach = if is_true(given, entry, "recursive") { Reach::Subtree } else { Reach::Itself };
    for directory in directories(run, entry, given) {
        run.path(Access::List, directory, reach);
    }
}

pub(super) fn glob(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let found = texts(given, entry, "glob");
    if found.malformed {
        run.opaque(About::Reads, UNJUDGEABLE);
    }
    let bases = directories(run, entry, given);
    if found.texts.is_empty() {
        for base in bases {
            run.path(Access::List, base, Reach::Subtree);
        }
        return;
    }
    for base in bases {
        let base = literal_base(base);
        for glob in found.texts.iter().filter(|glob| !glob.starts_with('!')) {
            for pattern in globs::alternatives(glob) {
                let pattern = globs::below(Some(&base), &pattern);
                run.located(Access::List, &pattern, Reach::Itself, Certainty::Pattern);
            }
        }
    }
}

/// Content below a directory is read, as far as the include filter lets through.
pub(super) fn grep(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let includes = texts(given, entry, "include");
    let bases = texts(given, entry, "directory");
    let filters = filters(&includes.texts, &bases.texts).filter(|_| !includes.malformed);
    let purpose = purpose(given);
    for base in directories(run, entry, given) {
        if REGISTRY.is_file_name(base) {
            run.path(Access::Read, base, Reach::Itself);
            continue;
        }
        match &filters {
            None => {
                run.searched(base, Reach::Subtree, Certainty::Exact, purpose);
            }
            Some(filters) => {
                let base = literal_base(base);
                for filter in filters {
                    let pattern = globs::below(Some(&base), filter);
                    run.searched(&pattern, Reach::Itself, Certainty::Pattern, purpose);
                }
            }
        }
    }
}

/// The purpose of a search by its pattern. A tool that names it otherwise may show anything.
fn purpose(given: &Object) -> Purpose {
    let patterns = given.iter().filter(|(key, _)| PATTERNS.contains(&names::plain(key).as_ref()));
    let purposes = patterns.map(|(_, value)| match value {
        Value::Text(pattern) => purpose_of_pattern(pattern),
        _ => Purpose::Whole,
    });
    let is_wide = given.iter().any(|(key, value)| shows_more(&names::plain(key), value));
    if is_wide { Purpose::Whole } else { purposes.max().unwrap_or(Purpose::Whole) }
}

/// The argument asks for matches over several lines, or for so many lines around a match that it may show whole files.
fn shows_more(key: &str, value: &Value) -> bool {
    match key {
        "multiline" => !matches!(value, Value::Null | Value::Bool(false)),
        "a" | "b" | "c" | "context" | "contextlines" => match value {
            Value::Number(lines) => *lines > AROUND,
            Value::Text(lines) => lines.trim().parse::<i64>().is_ok_and(|lines| lines > AROUND),
            _ => false,
        },
        _ => false,
    }
}

/// The most lines around a match that show a part of a file.
const AROUND: i64 = 50;

/// Arguments that hold the pattern of a search for content, plainly spelled.
const PATTERNS: &[&str] = &["pattern", "query", "regex", "searchpattern", "searchquery", "searchterm"];

/// Include globs as patterns below the searched directory; `None` when they don't limit the search, or not in a way
/// that is the same in every tool.
fn filters(includes: &[&str], bases: &[&str]) -> Option<Vec<String>> {
    let has_base = bases.iter().any(|base| !base.trim().is_empty());
    let mut filters = Vec::new();
    for include in includes {
        let separators = if include.contains('{') { [' ', ' '] } else { [' ', ','] };
        for glob in include.split(separators).filter(|glob| !glob.is_empty()) {
            for pattern in globs::alternatives(glob) {
                let slash = pattern.trim_start_matches("**/").contains('/');
                if pattern.starts_with('!') || pattern.contains("..") || (slash && has_base) {
                    return None;
                }
                let plain = slash || pattern.starts_with("**/");
                // Such filters match names with their dots.
                filters.push(paths::dotted(&if plain { pattern } else { format!("**/{pattern}") }));
            }
        }
    }
    (!filters.is_empty()).then_some(filters)
}

/// Where a search starts: the working directory unless an argument says otherwise.
fn directories<'v>(run: &mut Run<'_>, entry: &Entry, given: &'v Object) -> Vec<&'v str> {
    let found = texts(given, entry, "directory");
    if found.malformed {
        run.opaque(About::Reads, UNJUDGEABLE);
    }
    let named: Vec<&str> = found.texts.into_iter().filter(|text| !text.trim().is_empty()).collect();
    if named.is_empty() && !found.malformed { vec!["."] } else { named }
}
