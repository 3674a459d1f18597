//! A policy taken apart: its entries one by one, each judged by the one evaluator as if it stood alone.

use serde_json::{Map, Value};

use agent_strace_model::finding::PolicyLocation;

use super::Policy;
use super::diagnostics::Locator;
use super::json::{self, Data};

/// What a policy states, as plain values.
#[derive(Debug)]
pub struct Parts {
    text: String,
    document: json::Document,
    root: Value,
}

/// Keys that change what an entry means, and judge nothing by themselves.
const KEPT: &[&str] = &["version", "labels", "programs"];

impl Parts {
    /// `None`: the text is no JSON.
    pub fn read(text: &str) -> Option<Self> {
        let document = json::read(text).ok()?;
        let root = serde_json::from_str(&json::plain(&document.root)).ok()?;
        Some(Self { text: text.to_owned(), document, root })
    }

    /// Where the value at a JSON pointer stands, or the last one on the way to it.
    pub fn location(&self, pointer: &str) -> PolicyLocation {
        let mut value = &self.document.root;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let next = match &value.data {
                Data::Object(members) => members.iter().find(|(key, _)| key.name == step).map(|(_, value)| value),
                Data::List(items) => step.parse::<usize>().ok().and_then(|at| items.get(at)),
                _ => None,
            };
            let Some(next) = next else { break };
            value = next;
        }
        Locator::new(&self.text).location(value.span.start, pointer)
    }

    /// The value at a JSON pointer.
    pub fn value(&self, pointer: &str) -> Option<&Value> {
        self.root.pointer(pointer)
    }

    /// The policy without anything that judges but the entry at this location, and what its list leaves out.
    /// `None`: it means nothing alone.
    pub fn alone(&self, pointer: &str) -> Option<Policy> {
        let mut steps = pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
        let section = steps.next()?;
        let rest: Vec<String> = steps.collect();
        let Value::Object(members) = &self.root else { return None };
        let mut root: Map<String, Value> = members
            .iter()
            .filter(|(key, _)| KEPT.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let mut only = only(members.get(&section)?, &rest)?;
        // Hosts that are allowed mean something where the others are not.
        if section == "network" && rest.first().is_some_and(|list| list == "allow") {
            only.as_object_mut()?.insert("deny_all".to_owned(), Value::Bool(true));
        }
        root.insert(section, only);
        Policy::from_bytes("-", None, Value::Object(root).to_string().as_bytes()).ok()
    }
}

/// What leads to the value at the end of the steps, and that.
fn only(value: &Value, steps: &[String]) -> Option<Value> {
    let Some((step, rest)) = steps.split_first() else { return Some(value.clone()) };
    match value {
        Value::Object(members) => {
            let kept = only(members.get(step)?, rest)?;
            Some(Value::Object(Map::from_iter([(step.clone(), kept)])))
        }
        Value::Array(items) => {
            let kept = only(items.get(step.parse::<usize>().ok()?)?, rest)?;
            let left_out = items.iter().filter(|item| item.as_str().is_some_and(|text| text.starts_with('!')));
            Some(Value::Array(std::iter::once(kept).chain(left_out.cloned()).collect()))
        }
        _ => None,
    }
}
