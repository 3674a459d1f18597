//! The policy that judges changes: whether it is there, can be used, and forbids anything.

use std::rc::Rc;

use super::{Check, Held, State};
use crate::repo_audit::{Document, Language};
use agent_strace_policy::Policy;
use agent_strace_policy::json::{Data, Value};

/// Members of a policy that forbid nothing by themselves.
const SILENT: &[&str] = &["version", "$schema", "name", "description", "tests", "exceptions", "labels", "examples"];
/// Entries that allow everything.
const EVERYTHING: &[&str] = &["*", "**", "/**", "**/*", "*/**"];

/// A file with a policy, as a commit holds it.
#[derive(Debug, Clone)]
pub enum PolicyFile {
    Missing,
    /// Why it can't be used, in one line.
    Broken(String),
    /// `forbids`: some act at all.
    Usable {
        forbids: bool,
        policy: Rc<Policy>,
    },
}

impl PolicyFile {
    pub fn read(path: &str, revision: &str, bytes: &[u8]) -> Self {
        let policy = match Policy::from_bytes(path, Some(revision.to_owned()), bytes) {
            Ok(policy) => Rc::new(policy),
            Err(faults) => return Self::Broken(faults.in_one_line()),
        };
        let text = String::from_utf8_lossy(bytes);
        let document = Document::read(Language::Json, &text);
        Self::Usable { forbids: document.is_ok_and(|document| forbids(&document.root)), policy }
    }
}

fn forbids(root: &Value) -> bool {
    let Data::Object(members) = &root.data else { return false };
    members.iter().filter(|(key, _)| !SILENT.contains(&key.name.as_str())).any(|(_, value)| says(value))
}

/// Whether a value names something, or switches something on.
fn says(value: &Value) -> bool {
    match &value.data {
        Data::Null => false,
        Data::Bool(value) => *value,
        Data::Number(_) => true,
        Data::Text(text) => !text.is_empty() && text != "off",
        Data::List(items) => items.iter().any(says),
        Data::Object(members) => members.iter().any(|(key, value)| match &value.data {
            // A list that lets everything through.
            Data::List(items) if key.name == "allow" => {
                let is_all =
                    |item: &Value| matches!(&item.data, Data::Text(text) if EVERYTHING.contains(&text.as_str()));
                !items.is_empty() && !items.iter().any(is_all)
            }
            _ => says(value),
        }),
    }
}

pub(super) fn checks(held: &Held<'_>, path: &str) -> Vec<Check> {
    let (state, message) = match (held.policy)(path) {
        PolicyFile::Missing => (State::Defeated, "it is not committed: without a policy nothing is judged".to_owned()),
        PolicyFile::Broken(fault) => (State::Defeated, format!("it can't be used, so nothing is judged: {fault}")),
        PolicyFile::Usable { forbids: true, .. } => (State::Good, "it is committed, and it can be used".to_owned()),
        PolicyFile::Usable { forbids: false, .. } => {
            let message = "it forbids no file, command, host or tool: name in it what agents may do";
            return vec![Check::new("policy/empty", State::Defeated, message).at(path, 1)];
        }
    };
    vec![Check::new("policy/there", state, message).at(path, 1)]
}
