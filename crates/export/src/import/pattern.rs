//! Regular expressions of settings, as commands of a policy: those that only spell how a command starts.

use regex::Regex;

use super::grant::{Entry, Matcher, Said};
use super::say;

const WHY: &str = "it is a regular expression, and a policy names commands by their words";
/// What may stand behind the words of an expression that lets any arguments follow.
const TAILS: &[&str] = &[
    "(\\s.*)?$",
    "( .*)?$",
    "(?:\\s.*)?$",
    "(?: .*)?$",
    "(\\s|$)",
    "(?:\\s|$)",
    "( |$)",
    "\\b.*$",
    "\\s.*$",
    " .*$",
    "\\b.*",
    "\\s+.*",
    "\\s+",
    "\\s",
    "\\b",
    ".*$",
    ".*",
];

/// A command that the expression matches anywhere in its text.
pub(crate) fn command(expression: &str) -> Option<(Matcher, Said)> {
    let matcher = Matcher::Text(Regex::new(&supported(expression)).ok()?);
    if matches!(expression, ".*" | "^.*$" | "^.*" | ".*$" | "^") {
        return Some((Matcher::Any, Said::listed("*")));
    }
    Some((matcher, said(expression)))
}

/// JavaScript knows escapes that mean nothing but the character itself.
fn supported(expression: &str) -> String {
    expression.replace("\\/", "/").replace("\\\"", "\"").replace("\\ ", " ").replace("\\:", ":")
}

fn said(expression: &str) -> Said {
    let Some(anchored) = expression.strip_prefix('^') else {
        // Somewhere in the text: the words say it where they are plain, wherever a command has them.
        let words = literal(expression.trim_end_matches("\\b").trim_start_matches("\\b").trim_end_matches(".*"));
        let wider = words.and_then(|words| say::prefix(&words).wider);
        return Said { wider, lacks: Some(WHY), ..Said::default() };
    };
    let tail = TAILS.iter().find(|tail| anchored.ends_with(**tail));
    let start = tail.map_or(anchored, |tail| anchored.strip_suffix(tail).unwrap_or(anchored));
    let is_whole = tail.is_none() && start.ends_with('$');
    let alternatives = alternatives(start.strip_suffix('$').unwrap_or(start));
    let Some(alternatives) = alternatives else {
        return Said { wider: leading(anchored), lacks: Some(WHY), ..Said::default() };
    };
    let mut said = Said { wider: Some(Vec::new()), ..Said::default() };
    for words in &alternatives {
        let one = if is_whole { say::exact(words) } else { say::prefix(words) };
        said.narrower.extend(one.narrower);
        said.spelled.extend(one.spelled);
        said.lacks = said.lacks.or(one.lacks);
        said.wider = said.wider.zip(one.wider).map(|(mut all, one)| {
            all.extend(one);
            all
        });
    }
    // Without an end the last word may go on: an entry of a policy covers whole words alone.
    if tail.is_none() && !is_whole || tail.is_some_and(|tail| tail.starts_with(".*")) {
        said.wider = said.wider.map(|entries| entries.into_iter().map(open).collect());
    }
    said
}

fn open(entry: Entry) -> Entry {
    match entry {
        Entry::Listed(text) if !text.ends_with('*') => Entry::Listed(format!("{text}*")),
        other => other,
    }
}

/// The texts of literals with at most one group of alternatives.
fn alternatives(expression: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = expression.split_once('(') else { return Some(vec![literal(expression)?]) };
    let (group, after) = rest.split_once(')')?;
    let group = group.strip_prefix("?:").unwrap_or(group);
    let mut texts = Vec::new();
    for alternative in group.split('|') {
        texts.push(literal(&format!("{before}{alternative}{after}"))?);
    }
    Some(texts)
}

/// The plain text that an expression spells.
fn literal(expression: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = expression;
    while let Some(character) = rest.chars().next() {
        let (plain, taken) = if let Some(after) = rest.strip_prefix("\\s+").or_else(|| rest.strip_prefix("\\s")) {
            (' ', rest.len() - after.len())
        } else if character == '\\' {
            let escaped = rest.chars().nth(1).filter(|c| !c.is_ascii_alphanumeric())?;
            (escaped, 1 + escaped.len_utf8())
        } else if ".^$*+?()[]{}|".contains(character) {
            return None;
        } else {
            (character, character.len_utf8())
        };
        text.push(plain);
        rest = rest.get(taken..)?;
    }
    (!text.trim().is_empty()).then_some(text)
}

/// The words in front of the first character that is more than itself.
fn leading(expression: &str) -> Option<Vec<Entry>> {
    let end = expression.find(['(', '[', '.', '*', '+', '?', '{', '|', '$']).unwrap_or(expression.len());
    let start = expression.get(..end)?;
    let start = start.strip_suffix("\\b").or_else(|| start.strip_suffix("\\s")).unwrap_or(start);
    let words = literal(start.trim_end_matches('\\'))?;
    // A `|` outside of a group starts another expression; a quantifier may undo the last character.
    if expression.split('(').next().is_some_and(|text| text.contains('|')) {
        return None;
    }
    let ends_a_word = words.ends_with(' ') || start.len() < end;
    let words = words.trim();
    let words = if ends_a_word { words } else { words.rsplit_once(' ').map_or("", |(words, _)| words) };
    (!words.is_empty()).then(|| say::prefix(words).wider)?
}

#[cfg(test)]
mod tests {
    use super::super::grant::Entry;
    use super::said;

    #[test]
    fn expressions_are_said_where_they_spell_words() {
        let shown = |entries: &[Entry]| {
            let one = |entry: &Entry| match entry {
                Entry::Listed(text) => text.clone(),
                other => format!("{other:?}"),
            };
            entries.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        for (expression, narrower, wider) in [
            ("^git (status|diff)\\b", "git status, git diff", "git status, git diff"),
            ("^npm\\s+run\\s+test(\\s|$)", "npm run test", "npm run test"),
            ("^cargo (build|test)", "cargo build, cargo test", "cargo build*, cargo test*"),
            ("rm -rf", "", "rm -rf"),
            ("^git push .*--force", "", "git push"),
            ("^ls(?!.*x)", "", "-"),
            ("[a-z]+", "", "-"),
        ] {
            let said = said(expression);
            let wide = said.wider.as_deref().map_or("-".to_owned(), shown);
            assert_eq!((shown(&said.narrower), wide), (narrower.to_owned(), wider.to_owned()), "{expression}");
        }
    }
}
