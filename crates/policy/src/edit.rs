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

/// Before the closing bracket of a container, on a line of its own: a comment may stand at the end of the last one.
fn into(text: &str, document: &Document, container: &Range<usize>, last: Option<usize>, added: &str) -> Option<String> {
    let end = container.end.checked_sub(1)?;
    let mut changes = Vec::new();
    let is_there = |last: usize| document.trailing_commas.iter().any(|comma| (last..end).contains(&comma.start));
    changes.extend(last.filter(|last| !is_there(*last)).map(|last| (last..last, ",".to_owned())));
    changes.push((end..end, format!("\n{added}\n")));
    splice(text, &changes)
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
        assert_eq!(added, "{\n  // ours\n  \"commands\": { \"deny\": [ \"rm\", // never\n \n\"dd\"\n] }\n}\n");
        let added = append("x", &added, &["commands", "allow"], &items(&["ls"])).unwrap();
        let added = append("x", &added, &["files", "read", "allow"], &items(&["a", "b"])).unwrap();
        let added = set("x", &added, &["version"], "2").unwrap();
        assert_eq!(length("x", &added, &["commands", "deny"]).unwrap(), 2);
        assert_eq!(length("x", &added, &["files", "read", "allow"]).unwrap(), 2);
        assert_eq!(length("x", &added, &["files", "write", "allow"]).unwrap(), 0);
        assert!(added.contains("// ours") && added.contains("// never"));
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
