//! What servers say of their tools, where somebody wrote it down.

use crate::repo_audit::document::{items, member, members, text};
use agent_strace_policy::json::Value;

/// A tool as its server describes it to the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolDescription {
    pub name: String,
    pub description: String,
    /// Titles, descriptions, defaults, allowed values and examples of its schema: the model reads them, too.
    pub schema: Vec<String>,
}

/// Keys of a schema whose texts are read by the model.
const READ: &[&str] = &["title", "description", "default", "enum", "const", "examples", "example", "$comment"];
/// Schemas in schemas; nobody writes more.
const DEEPEST: usize = 32;

impl ToolDescription {
    /// Of `tools/list`, or of a map by name. Names alone describe nothing.
    pub fn all(value: &Value) -> Vec<Self> {
        let listed = items(value).iter().map(|item| (None, item));
        let named = members(value).iter().map(|(key, item)| (Some(key.name.as_str()), item));
        listed.chain(named).filter_map(|(name, item)| Self::of(name, item)).collect()
    }

    pub(super) fn of(name: Option<&str>, value: &Value) -> Option<Self> {
        let own = member(value, "name").and_then(text).or(name)?;
        let schemas = ["inputSchema", "input_schema", "parameters", "outputSchema", "annotations"];
        let mut schema = Vec::new();
        schemas.iter().filter_map(|name| member(value, name)).for_each(|value| texts(value, false, 0, &mut schema));
        schema.extend(member(value, "title").and_then(text).map(str::to_owned));
        let description = member(value, "description").and_then(text).unwrap_or_default().to_owned();
        (!members(value).is_empty()).then(|| Self { name: own.to_owned(), description, schema })
    }
}

/// `read`: all texts below are.
fn texts(value: &Value, read: bool, depth: usize, found: &mut Vec<String>) {
    if depth > DEEPEST {
        return;
    }
    if let Some(text) = text(value).filter(|_| read) {
        found.push(text.to_owned());
    }
    for item in items(value) {
        texts(item, read, depth + 1, found);
    }
    for (key, value) in members(value) {
        // A parameter's name is read as well as what is said of it.
        if key.name.len() > LONG_NAME {
            found.push(key.name.clone());
        }
        texts(value, READ.contains(&key.name.as_str()), depth + 1, found);
    }
}

/// Names of parameters are shorter, unless they say something.
const LONG_NAME: usize = 40;
