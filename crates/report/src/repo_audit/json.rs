//! Rows as JSON: one document, or a line for each.

use serde::Serialize;

use super::Writer;
use super::row::Row;
use super::summary::Summary;
use crate::escape::json as printable;
use crate::json::to_text;

/// One line per repository, and the summary as the last one.
pub(super) struct Lines;

impl Writer for Lines {
    fn row(&mut self, row: &Row) -> String {
        line(row)
    }

    fn end(&mut self, summary: &Summary) -> String {
        line(summary)
    }
}

fn line(value: &impl Serialize) -> String {
    // These types have text for keys, and nothing that can't be written.
    let text = serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    printable(text) + "\n"
}

/// A line of NDJSON, read back.
#[derive(Debug)]
pub enum Line {
    Row(Box<Row>),
    Summary(Box<Summary>),
}

/// `Err`: what is wrong with it.
pub fn read_line(text: &str) -> Result<Line, String> {
    #[derive(serde::Deserialize)]
    struct Kind {
        schema_version: u32,
        kind: String,
    }
    let Kind { schema_version, kind } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if schema_version != 1 {
        return Err(format!("`schema_version` is {schema_version}, not 1"));
    }
    let read = match kind.as_str() {
        "repository" => serde_json::from_str(text).map(|row| Line::Row(Box::new(row))),
        "summary" => serde_json::from_str(text).map(|summary| Line::Summary(Box::new(summary))),
        other => return Err(format!("`kind` is `{other}`, not `repository` or `summary`")),
    };
    read.map_err(|error| error.to_string())
}

/// What `agent-strace audit-tools --format json` prints.
#[cfg(test)]
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(title = "agent-strace audit-tools, version 1")]
pub(super) struct Whole<'w> {
    schema_version: u32,
    repositories: &'w [Row],
    summary: &'w Summary,
}

/// One document, written row by row.
#[derive(Default)]
pub(super) struct Document {
    any: bool,
}

impl Writer for Document {
    fn start(&mut self) -> String {
        "{\n  \"schema_version\": 1,\n  \"repositories\": [".to_owned()
    }

    fn row(&mut self, row: &Row) -> String {
        let comma = if std::mem::replace(&mut self.any, true) { "," } else { "" };
        format!("{comma}\n{}", indented(&to_text(row), 4))
    }

    fn end(&mut self, summary: &Summary) -> String {
        let close = if self.any { "\n  ]" } else { "]" };
        format!("{close},\n  \"summary\": {}\n}}\n", indented(&to_text(summary), 2).trim_start())
    }
}

fn indented(text: &str, by: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("{:by$}{line}", "")).collect();
    lines.join("\n")
}
