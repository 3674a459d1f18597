//! Adds to the text of a policy without touching what is there: values keep their spelling, comments their place.

use std::ops::Range;

use super::diagnostics::Diagnostics;
use super::json::{self, Data, Document, Value};

/// Adds `items`, each a JSON value, at the end of the list that `keys` lead to. What is missing on the way is made.
pub fn append(shown: &str, text: &str, keys: &[&str], items: &[String]) -> Result<String, Diagnostics> {
    if items.is_empty() {
        return Ok(text.to_owned());
    }
    let document = read(shown, text)?;
    let (found, missing) = walk(&document.root, keys);
    let inserted = match (&found.data, missing) {
        (Data::List(list), []) => {
            let last = list.last().map(|item| item.span.end);
            into(text, &document, &found.span, last, &items.join(", "))
        }
        _ => make(text, &document, found, missing, &format!("[{}]", items.join(", "))),
    };
    Ok(inserted.unwrap_or_else(|| text.to_owned()))
}

/// Adds `items` at the start of the section of a list that begins with this comment. `None`: the list has no such section, or
/// nothing in it.
pub fn insert_below(
    shown: &str,
    text: &str,
    keys: &[&str],
    comment: &str,
    items: &[String],
) -> Result<Option<String>, Diagnostics> {
    let document = read(shown, text)?;
    let (Value { data: Data::List(list), span }, []) = walk(&document.root, keys) else { return Ok(None) };
    let is_below = |aside: &&Range<usize>| span.contains(&aside.start) && comment_of(text, aside) == comment;
    let Some(heading) = document.asides.iter().find(is_below) else { return Ok(None) };
    let next = document.asides.iter().find(|aside| aside.start > heading.start && is_heading(text, aside));
    let end = next.map_or(span.end, |next| next.start.min(span.end));
    let first = list.iter().find(|item| (heading.end..end).contains(&item.span.start));
    let Some(first) = first else { return Ok(None) };
    let at = first.span.start;
    Ok(splice(text, &[(at..at, format!("{},\n", items.join(", ")))]))
}

/// The comments of a list that stand on a line of their own.
pub fn headings(shown: &str, text: &str, keys: &[&str]) -> Result<Vec<String>, Diagnostics> {
    let document = read(shown, text)?;
    let (Value { data: Data::List(_), span }, []) = walk(&document.root, keys) else { return Ok(Vec::new()) };
    let inside = document.asides.iter().filter(|aside| span.contains(&aside.start) && is_heading(text, aside));
    Ok(inside.map(|aside| comment_of(text, aside).to_owned()).collect())
}

fn comment_of<'t>(text: &'t str, aside: &Range<usize>) -> &'t str {
    text.get(aside.clone()).map_or("", |comment| comment.trim_start_matches('/').trim())
}

fn is_heading(text: &str, aside: &Range<usize>) -> bool {
    let before = text.get(..aside.start).map_or("", |before| before.rsplit('\n').next().unwrap_or_default());
    before.trim().is_empty()
}

/// The place of an entry in a list; `item` is its JSON.
pub fn position(shown: &str, text: &str, keys: &[&str], item: &str) -> Result<Option<usize>, Diagnostics> {
    let document = read(shown, text)?;
    let (Value { data: Data::List(list), .. }, []) = walk(&document.root, keys) else { return Ok(None) };
    Ok(list.iter().position(|known| text.get(known.span.clone()) == Some(item)))
}

/// Gives the key that `keys` lead to this value, a JSON value, in place of the one it has.
pub fn set(shown: &str, text: &str, keys: &[&str], value: &str) -> Result<String, Diagnostics> {
    let document = read(shown, text)?;
    let (found, missing) = walk(&document.root, keys);
    let changed = if missing.is_empty() {
        splice(text, &[(found.span.clone(), value.to_owned())])
    } else {
        make(text, &document, found, missing, value)
    };
    Ok(changed.unwrap_or_else(|| text.to_owned()))
}

/// How many entries the list has that `keys` lead to.
pub fn length(shown: &str, text: &str, keys: &[&str]) -> Result<usize, Diagnostics> {
    let document = read(shown, text)?;
    Ok(match walk(&document.root, keys) {
        (Value { data: Data::List(items), .. }, []) => items.len(),
        _ => 0,
    })
}

fn read(shown: &str, text: &str) -> Result<Document, Diagnostics> {
    json::read(text).map_err(|error| {
        let mut faults = Diagnostics::new(shown, text);
        faults.push(error.span, "", error.message, error.help);
        faults
    })
}

/// The last value on the way, and the keys that it does not have.
fn walk<'v, 'k>(root: &'v Value, keys: &'k [&'k str]) -> (&'v Value, &'k [&'k str]) {
    let (mut at, mut rest) = (root, keys);
    while let (Data::Object(members), [key, below @ ..]) = (&at.data, rest) {
        let Some((_, value)) = members.iter().find(|(name, _)| name.name == **key) else { break };
        (at, rest) = (value, below);
    }
    (at, rest)
}

/// Objects for all missing keys around the value.
fn make(text: &str, document: &Document, found: &Value, missing: &[&str], value: &str) -> Option<String> {
    let Data::Object(members) = &found.data else { return None };
    let last = members.last().map(|(_, value)| value.span.end);
    let mut member = value.to_owned();
    for (depth, key) in missing.iter().rev().enumerate() {
        let name = serde_json::Value::from(*key);
        let inner = if depth == 0 { member } else { format!("{{{member}}}") };
        member = format!("{name}: {inner}");
    }
    into(text, document, &found.span, last, &member)
}

/// After the last member of a container, on a line of its own: a comment may stand at the end of the line of that one. Comments
/// on lines of their own behind it stay behind what is added.
fn into(text: &str, document: &Document, container: &Range<usize>, last: Option<usize>, added: &str) -> Option<String> {
    let closing = container.end.checked_sub(1)?;
    let end = last.map_or(Some(closing), |last| behind_line(text, document, last, closing))?;
    let mut changes = Vec::new();
    let is_there = |last: usize| document.trailing_commas.iter().any(|comma| (last..end).contains(&comma.start));
    changes.extend(last.filter(|last| !is_there(*last)).map(|last| (last..last, ",".to_owned())));
    changes.push((end..end, format!("\n{added}\n")));
    splice(text, &changes)
}

/// The end of the line on which a member ends, or the closing bracket where that comes first.
fn behind_line(text: &str, document: &Document, member: usize, closing: usize) -> Option<usize> {
    let mut at = member;
    while at < closing {
        if let Some(aside) = document.asides.iter().find(|aside| aside.start == at && aside.end <= closing) {
            at = aside.end.max(at + 1);
            continue;
        }
        match text.get(at..)?.chars().next()? {
            '\n' => return Some(at),
            other => at += other.len_utf8(),
        }
    }
    Some(closing)
}

/// `changes` in the order of the text.
fn splice(text: &str, changes: &[(Range<usize>, String)]) -> Option<String> {
    let (mut result, mut at) = (String::with_capacity(text.len()), 0);
    for (range, replacement) in changes {
        result.push_str(text.get(at..range.start)?);
        result.push_str(replacement);
        at = range.end;
    }
    result.push_str(text.get(at..)?);
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| serde_json::Value::from(*item).to_string()).collect()
    }

    #[test]
    fn what_is_there_stays() {
        let text = "{\n  // ours\n  \"commands\": { \"deny\": [ \"rm\" // never\n ] }\n}\n";
        let added = append("x", text, &["commands", "deny"], &items(&["dd"])).unwrap();
        assert_eq!(added, "{\n  // ours\n  \"commands\": { \"deny\": [ \"rm\", // never\n\"dd\"\n\n ] }\n}\n");
        let added = append("x", &added, &["commands", "allow"], &items(&["ls"])).unwrap();
        let added = append("x", &added, &["files", "read", "allow"], &items(&["a", "b"])).unwrap();
        let added = set("x", &added, &["version"], "2").unwrap();
        assert_eq!(length("x", &added, &["commands", "deny"]).unwrap(), 2);
        assert_eq!(length("x", &added, &["files", "read", "allow"]).unwrap(), 2);
        assert_eq!(length("x", &added, &["files", "write", "allow"]).unwrap(), 0);
        assert!(added.contains("// ours") && added.contains("// never"));
    }

    #[test]
    fn entries_go_to_the_section_of_their_comment() {
        let text = "{\"a\": [\n// Look.\n\"ls\", // all\n// Rare.\n\"x\", // once\n// Last words.\n]}";
        let below = |comment: &str| insert_below("x", text, &["a"], comment, &items(&["new"])).unwrap();
        let look = below("Look.").unwrap();
        assert!(look.contains("// Look.\n\"new\",\n\"ls\", // all\n// Rare."), "{look}");
        let rare = below("Rare.").unwrap();
        assert!(rare.contains("// Rare.\n\"new\",\n\"x\", // once"), "{rare}");
        assert_eq!(below("Last words."), None);
        assert_eq!(below("Other."), None);
        assert_eq!(below("all"), None);
        assert_eq!(headings("x", text, &["a"]).unwrap(), ["Look.", "Rare.", "Last words."]);
        let last = append("x", text, &["a"], &items(&["new"])).unwrap();
        assert!(last.contains("\"x\", // once\n\"new\"\n\n// Last words.\n]"), "{last}");
        assert_eq!(position("x", &last, &["a"], "\"new\"").unwrap(), Some(2));
        assert_eq!(length("x", &last, &["a"]).unwrap(), 3);
    }

    #[test]
    fn a_comma_at_the_end_is_enough() {
        let added = append("x", "{\"a\": [1, 2,],}", &["a"], &["3".to_owned()]).unwrap();
        assert_eq!(length("x", &added, &["a"]).unwrap(), 3, "{added}");
        let added = set("x", &added, &["b", "c"], "4").unwrap();
        assert!(read("x", &added).is_ok(), "{added}");
    }

    #[test]
    fn an_empty_document_is_filled() {
        assert_eq!(set("x", "{}", &["version"], "2").unwrap(), "{\n\"version\": 2\n}");
        assert_eq!(set("x", "{\"version\": 1}", &["version"], "2").unwrap(), "{\"version\": 2}");
    }
}
