//! A patch as the first file it names.

use serde_json::{Map, Value, json};

pub(super) fn fields(object: &Map<String, Value>) -> Option<Vec<(String, Value)>> {
    let patch = object.get("raw")?.as_str()?;
    patch.lines().find_map(|line| {
        if let Some(path) = line.strip_prefix("*** Add File: ") {
            return Some(named(&[("file_path", json!(path.trim())), ("content", json!(patch))]));
        }
        let path = line.strip_prefix("*** Update File: ")?;
        Some(named(&[
            ("file_path", json!(path.trim())),
            ("old_string", json!("")),
            ("new_string", json!(patch)),
            ("replace_all", json!(false)),
        ]))
    })
}

fn named(fields: &[(&str, Value)]) -> Vec<(String, Value)> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}
