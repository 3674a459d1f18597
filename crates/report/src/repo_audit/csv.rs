//! Rows for a spreadsheet: a line for each tool of a repository, and one of a repository without any.

use super::Writer;
use super::row::Row;
use super::summary::Summary;
use crate::escape::terminal;

pub(super) struct Csv;

const HEADER: &str = "repository,verdict,head,tool,confidence,approved,signal,evidence,file,commit,errors,warnings,notes,servers,endpoints,gaps,error\r\n";

impl Writer for Csv {
    fn start(&mut self) -> String {
        HEADER.to_owned()
    }

    fn row(&mut self, row: &Row) -> String {
        let levels = row.levels();
        let count = |level: &str| levels.get(level).copied().unwrap_or(0).to_string();
        let behind = [
            count("error"),
            count("warning"),
            count("note"),
            row.servers.len().to_string(),
            row.endpoints.len().to_string(),
            row.gaps.len().to_string(),
            row.error.clone().unwrap_or_default(),
        ];
        let before = [row.repository.clone(), row.verdict.name().to_owned(), row.head.clone().unwrap_or_default()];
        let mut text = String::new();
        let mut line = |tool: [String; 7]| {
            let fields: Vec<String> = before.iter().chain(&tool).chain(&behind).map(|value| field(value)).collect();
            text.push_str(&fields.join(","));
            text.push_str("\r\n");
        };
        for tool in &row.tools {
            let best = tool.evidence.first();
            let of = |get: fn(&super::row::EvidenceRow) -> Option<String>| best.and_then(get).unwrap_or_default();
            line([
                tool.id.clone(),
                tool.confidence.clone(),
                tool.approved.map_or("", |approved| if approved { "yes" } else { "no" }).to_owned(),
                of(|evidence| Some(evidence.signal.clone())),
                of(|evidence| Some(evidence.text.clone())),
                of(|evidence| evidence.location.file.clone()),
                of(|evidence| evidence.location.commit.clone()),
            ]);
        }
        if row.tools.is_empty() {
            line(Default::default());
        }
        text
    }

    fn end(&mut self, _: &Summary) -> String {
        String::new()
    }
}

/// A field as RFC 4180 quotes it. A spreadsheet takes what starts with `=`, `+`, `-` or `@` for a formula: a blank before
/// it keeps it text.
fn field(value: &str) -> String {
    let shown = terminal(value);
    let is_formula = shown.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let shown = if is_formula { format!(" {shown}") } else { shown };
    if shown.contains([',', '"', '\n', '\r']) || is_formula {
        format!("\"{}\"", shown.replace('"', "\"\""))
    } else {
        shown
    }
}
