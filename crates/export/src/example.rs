//! Acts as examples of what an entry names, of a policy or of an agent's settings.

use serde_json::{Value, json};

use crate::act::Act;
use crate::paths::{Pattern, Start};

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Example {
    pub(crate) act: Act,
    pub(crate) tool: String,
    pub(crate) input: Value,
}

impl Example {
    pub(crate) fn command(text: &str) -> Self {
        Self { act: Act::Shell(text.to_owned()), tool: "Bash".to_owned(), input: json!({ "command": text }) }
    }

    pub(crate) fn read(path: &str) -> Self {
        Self { act: Act::Read(vec![path.to_owned()]), tool: "Read".to_owned(), input: json!({ "file_path": path }) }
    }

    pub(crate) fn edit(path: &str) -> Self {
        let input = json!({ "file_path": path, "content": "" });
        Self { act: Act::Edit(vec![path.to_owned()]), tool: "Write".to_owned(), input }
    }

    pub(crate) fn fetch(host: &str) -> Self {
        let url = format!("https://{host}/");
        let input = json!({ "url": url, "prompt": "" });
        Self { act: Act::Fetch(url), tool: "WebFetch".to_owned(), input }
    }

    pub(crate) fn search() -> Self {
        Self { act: Act::WebSearch, tool: "WebSearch".to_owned(), input: json!({ "query": "x" }) }
    }

    pub(crate) fn tool(server: &str, tool: &str) -> Self {
        let act = Act::Mcp { server: server.to_owned(), tool: tool.to_owned() };
        Self { act, tool: format!("mcp__{server}__{tool}"), input: json!({}) }
    }

    /// The act, in words for people.
    pub(crate) fn shown(&self) -> String {
        let subject = self.act.subject();
        match &self.act {
            Act::Shell(_) => format!("run `{subject}`"),
            Act::Read(_) => format!("read `{subject}`"),
            Act::Search(_) => format!("search `{subject}`"),
            Act::Edit(_) => format!("write `{subject}`"),
            Act::Fetch(_) => format!("fetch `{subject}`"),
            Act::WebSearch => "search the web".to_owned(),
            Act::Mcp { .. } => format!("use the tool `{subject}`"),
            Act::Other => "use a tool".to_owned(),
        }
    }
}

/// A name that no pattern is expected to spell.
pub(crate) const NAME: &str = "x1";

/// Files that a pattern matches; none of what can't be spelled.
pub(crate) fn paths(pattern: &Pattern) -> Vec<String> {
    let body = &pattern.body;
    if body.contains(['[', '{', '\\']) {
        return Vec::new();
    }
    let filled = |deep: &str| {
        let text = body.replace("**", deep).replace('*', NAME).replace('?', "x");
        text.trim_end_matches('/').to_owned()
    };
    let starts: &[&str] = match pattern.start {
        Start::Root => &[""],
        Start::Anywhere => &["", "x1/"],
        Start::Home => &["~/"],
        Start::Absolute => &["/"],
    };
    let mut paths = Vec::new();
    for start in starts {
        for deep in [NAME, "x1/x2"] {
            let path = format!("{start}{}", filled(deep));
            if !paths.contains(&path) && !path.is_empty() {
                paths.push(path);
            }
        }
    }
    paths
}

/// The words of a command with each wildcard filled.
pub(crate) fn command(words: &str) -> Option<String> {
    let filled = words.replace('*', NAME).replace('?', "x");
    (!filled.contains('[') && !filled.is_empty()).then_some(filled)
}

/// A host that the pattern names; `None`: it is a range, a port, a registry or a remote.
pub(crate) fn host(text: &str) -> Option<String> {
    let filled = text.replace("**", NAME).replace('*', NAME);
    let plain = filled.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
    (plain && !filled.is_empty()).then_some(filled)
}
