//! Calls in the words of an answer.

use serde_json::{Map, Value};

/// A text may be read so many times over for arguments that do not end.
const SEARCHES: usize = 4;

/// One call: the tool, the id where it has one, and what it was given, as JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Called {
    pub(super) tool: String,
    pub(super) id: Option<String>,
    pub(super) given: String,
}

/// The calls of an answer, in their order: fences that are marked with a tool, and `@tool(id): {…}`.
pub(super) fn calls(text: &str) -> Vec<Called> {
    let mut calls = Vec::new();
    let mut fence: Option<(&str, String)> = None;
    let (mut at, mut budget) = (0, text.len().saturating_mul(SEARCHES));
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let plain = line.trim_end();
        match &mut fence {
            Some((mark, body)) if plain == "```" => {
                calls.extend(of_fence(mark, body));
                fence = None;
            }
            Some((_, body)) => body.push_str(line),
            None => match plain.strip_prefix("```") {
                Some(mark) if !mark.is_empty() => fence = Some((mark.trim(), String::new())),
                _ => calls.extend(of_words(line, text.get(start..).unwrap_or_default(), &mut budget)),
            },
        }
    }
    // An answer that was cut off: the host runs what it has.
    if let Some((mark, body)) = &fence {
        calls.extend(of_fence(mark, body));
    }
    calls
}

fn of_fence(mark: &str, body: &str) -> Option<Called> {
    let (tool, operand) = mark.split_once(' ').unwrap_or((mark, ""));
    let key = match tool {
        "shell" | "bash" | "sh" | "tmux" => "command",
        "ipython" => "code",
        "save" | "append" | "patch" | "morph" => "content",
        _ => return None,
    };
    let mut given = Map::new();
    if !operand.trim().is_empty() {
        given.insert("path".to_owned(), operand.trim().into());
    }
    given.insert(key.to_owned(), body.trim_end_matches('\n').into());
    Some(Called { tool: tool.to_owned(), id: None, given: Value::Object(given).to_string() })
}

/// `@shell(call-1): {"command": "ls"}` at the beginning of a text, whose first line is `line`.
fn of_words(line: &str, text: &str, budget: &mut usize) -> Option<Called> {
    let (tool, rest) = line.strip_prefix('@')?.split_once('(')?;
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let (id, rest) = rest.split_once("):").filter(|(id, _)| is_name(tool) && !id.contains('('))?;
    let given = text.get(line.len() - rest.len()..).unwrap_or_default();
    let mut values = serde_json::Deserializer::from_str(given).into_iter::<Map<String, Value>>();
    let given = values.next()?;
    *budget = budget.checked_sub(if given.is_ok() { 0 } else { text.len() })?;
    let given = given.ok()?;
    Some(Called { tool: tool.to_owned(), id: Some(id.to_owned()), given: Value::Object(given).to_string() })
}

#[cfg(test)]
mod tests {
    use super::{Called, calls};

    fn told(text: &str) -> Vec<String> {
        let show = |Called { tool, id, given }: Called| format!("{tool} {} {given}", id.unwrap_or_default());
        calls(text).into_iter().map(show).collect()
    }

    #[test]
    fn calls_stand_in_fences_and_in_words() {
        for (text, expected) in [
            ("Look:\n```shell\nls -l\n```\n", vec![r#"shell  {"command":"ls -l"}"#]),
            ("```save a/b.py\nx = 1\n\ny\n```", vec![r#"save  {"path":"a/b.py","content":"x = 1\n\ny"}"#]),
            ("```ipython\n1\n```\n```shell\nid", vec![r#"ipython  {"code":"1"}"#, r#"shell  {"command":"id"}"#]),
            ("```python\nprint(1)\n```\n", vec![]),
            ("```text\n@shell(c): {\"command\":\"id\"}\n```\n", vec![]),
            ("@shell(c-1): {\"command\":\n \"id\"}\ndone", vec![r#"shell c-1 {"command":"id"}"#]),
            ("write to @ann (she knows): {\"a\":1}", vec![]),
            ("@shell(c-1): {\"command\"", vec![]),
        ] {
            let sorted = |text: &str| {
                let (head, json) = text.split_once('{').unwrap();
                format!("{head}{}", serde_json::from_str::<serde_json::Value>(&format!("{{{json}")).unwrap())
            };
            let expected: Vec<_> = expected.into_iter().map(sorted).collect();
            assert_eq!(told(text), expected, "{text}");
        }
    }
}
