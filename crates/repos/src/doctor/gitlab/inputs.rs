//! Files with a header: a document of its own that names the inputs of the pipeline below it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::node::{Content, Node};
use crate::repo_audit::{Document, Language};

/// The text of a file of GitLab as a value, with the inputs that an `include` passes, or their defaults.
pub(super) fn read(path: &str, content: &str, given: Option<&Node>) -> Result<Node, (String, u32)> {
    let file: Rc<str> = Rc::from(path);
    let parsed = |text: &str| {
        let document = Document::read(Language::Yaml, text).map_err(|fault| (readable(&fault.reason), fault.line))?;
        Ok(Node::read(&file, &document))
    };
    let Some((header, body)) = divided(content) else { return parsed(content) };
    let header = parsed(&header)?;
    let mut inputs = BTreeMap::new();
    let declared = header.member("spec").and_then(|spec| spec.member("inputs"));
    for (key, input) in declared.map(Node::members).unwrap_or_default() {
        let value = given.and_then(|given| given.member(&key.name)).or_else(|| input.member("default"));
        inputs.extend(value.and_then(said).map(|value| (key.name.clone(), value)));
    }
    let mut node = parsed(&body)?;
    fill(&mut node, &inputs);
    Ok(node)
}

/// The reason of a library speaks of its own functions.
fn readable(reason: &str) -> String {
    if reason.contains("multiple YAML documents") {
        "it holds more than one document of YAML: only a header with `spec` may stand before the pipeline".to_owned()
    } else {
        reason.to_owned()
    }
}

/// The header and what follows it; lines keep their numbers.
fn divided(content: &str) -> Option<(String, String)> {
    let is_end = |line: &str| line.trim_end() == "---";
    let is_said = |line: &str| !line.trim().is_empty() && !line.starts_with('#') && !is_end(line);
    let lines: Vec<&str> = content.lines().collect();
    let start = lines
        .iter()
        .position(|line| is_said(line))
        .filter(|at| lines.get(*at).is_some_and(|line| line.strip_prefix("spec:").is_some()))?;
    let end = start + lines.iter().skip(start).position(|line| is_end(line))?;
    let blank = "\n".repeat(end + 1);
    Some((lines.get(start..end)?.join("\n"), blank + &lines.get(end + 1..)?.join("\n")))
}

fn said(value: &Node) -> Option<String> {
    match &value.content {
        Content::Text(text) => Some(text.clone()),
        Content::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// Puts inputs in place of `$[[ inputs.NAME ]]`, wherever it stands.
fn fill(node: &mut Node, inputs: &BTreeMap<String, String>) {
    match &mut node.content {
        Content::Text(text) => *text = filled(text, inputs),
        Content::List(items) => items.iter_mut().for_each(|item| fill(item, inputs)),
        Content::Map(members) => {
            for (key, value) in members {
                key.name = filled(&key.name, inputs);
                fill(value, inputs);
            }
        }
        Content::Bool(_) | Content::Other => {}
    }
}

fn filled(text: &str, inputs: &BTreeMap<String, String>) -> String {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, (inner, after))) =
        rest.split_once("$[[").and_then(|(before, behind)| Some((before, behind.split_once("]]")?)))
    {
        done.push_str(before);
        match inner.trim().strip_prefix("inputs.").and_then(|name| inputs.get(name)) {
            Some(value) => done.push_str(value),
            None => done.extend(["$[[", inner, "]]"]),
        }
        rest = after;
    }
    done + rest
}
