//! Rows for a job summary or a comment: the matrix and what is wrong first, the inventory folded.

use std::fmt::Write as _;

use super::Writer;
use super::matrix::{LEGEND, Matrix};
use super::row::{LocationRow, Row};
use super::summary::{Stated, Summary};
use super::text::NOBODY;
use crate::escape::{markdown as escape, shorten};

/// Findings, and repositories with details, that are shown: a job summary takes a megabyte.
const FINDINGS: usize = 200;
const DETAILS: usize = 50;
const WIDTH: usize = 200;

pub(super) struct Markdown {
    stated: Stated,
    single: bool,
    matrix: Matrix,
    /// Lines of the table of findings, and how many are not in it.
    findings: Vec<String>,
    left_out: usize,
    details: Vec<String>,
}

impl Markdown {
    pub(super) fn new(stated: &Stated, single: bool) -> Self {
        let (findings, details) = (Vec::new(), Vec::new());
        Self { stated: stated.clone(), single, matrix: Matrix::default(), findings, left_out: 0, details }
    }
}

impl Markdown {
    fn findings(&self, text: &mut String) {
        if self.findings.is_empty() {
            return;
        }
        let head = if self.single { "" } else { "| Repository " };
        let rule = if self.single { "" } else { "| --- " };
        let _ =
            writeln!(text, "### Findings\n\n{head}| Level | Rule | Where | What |\n{rule}| --- | --- | --- | --- |");
        for line in &self.findings {
            let _ = writeln!(text, "{line}");
        }
        if self.left_out > 0 {
            let _ = writeln!(text, "\nAnd {} more: `--format json` lists them.", self.left_out);
        }
        text.push('\n');
    }
}

impl Writer for Markdown {
    fn row(&mut self, row: &Row) -> String {
        self.matrix.add(row);
        for finding in &row.findings {
            if self.findings.len() >= FINDINGS {
                self.left_out += 1;
                continue;
            }
            let repository = if self.single { String::new() } else { format!("| {} ", shown(&row.repository)) };
            self.findings.push(format!(
                "{repository}| {} | {} | {} | {} |",
                finding.level,
                escape(&finding.rule),
                location(&finding.location),
                shown(&finding.message)
            ));
        }
        if self.details.len() < DETAILS {
            self.details.push(details(row));
        }
        // All of it comes at the end: what is wrong stands before what is there.
        String::new()
    }

    fn end(&mut self, summary: &Summary) -> String {
        let mut text = format!("## AI tools: {}\n\n", summary.verdict.name());
        let _ = writeln!(
            text,
            "Repositories: {} ({} pass, {} fail, {} incomplete, {} broken). Findings: {} errors, {} warnings, {} notes. Commits: {}.\n",
            summary.repositories.sum(),
            summary.repositories.pass,
            summary.repositories.fail,
            summary.repositories.incomplete,
            summary.repositories.broken,
            summary.findings.error,
            summary.findings.warning,
            summary.findings.note,
            escape(&self.stated.commits),
        );
        self.findings(&mut text);
        if self.matrix.len() > 1 {
            table(&self.matrix.table(), &mut text);
        }
        for details in &self.details {
            text.push_str(details);
        }
        if self.matrix.len() > self.details.len() {
            let _ = writeln!(
                text,
                "Details of {} more repositories are not shown.",
                self.matrix.len() - self.details.len()
            );
        }
        text
    }
}

fn table(rows: &[Vec<String>], text: &mut String) {
    let _ = writeln!(text, "### Tool × repository\n\n{LEGEND}\n");
    for (at, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|cell| shown(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
        if at == 0 {
            let _ = writeln!(text, "|{}", " --- |".repeat(row.len()));
        }
    }
    text.push('\n');
}

fn details(row: &Row) -> String {
    let mut text = format!("<details><summary>{}: {}</summary>\n\n", shown(&row.repository), row.verdict.name());
    if let Some(error) = &row.error {
        let _ = writeln!(text, "{}\n", shown(error));
    }
    for tool in &row.tools {
        let approved = match tool.approved {
            Some(true) => ", approved",
            Some(false) => ", **not approved**",
            None => "",
        };
        let _ = writeln!(text, "- {} ({}{approved})", shown(&tool.name), tool.confidence);
        for evidence in tool.evidence.iter().take(5) {
            let says_itself = matches!(evidence.signal.as_str(), "file" | "branch" | "ref");
            let location = if says_itself && evidence.location.commit.is_none() {
                String::new()
            } else {
                location(&evidence.location)
            };
            let _ = writeln!(text, "  - {}: {} {location}", evidence.signal, shown(&evidence.text));
        }
    }
    for server in &row.servers {
        let what = server.url.clone().unwrap_or_else(|| server.command.join(" "));
        let _ = writeln!(text, "- MCP server {}: {} ({})", shown(&server.name), shown(&what), server.version);
    }
    for endpoint in row.endpoints.iter().take(20) {
        let what = endpoint.host.as_deref().or(endpoint.variable.as_deref()).unwrap_or_default();
        let provider = endpoint.provider.as_deref().unwrap_or(NOBODY);
        let _ = writeln!(text, "- endpoint {} ({provider}) {}", shown(what), location(&endpoint.location));
    }
    for gap in row.gaps.iter().take(20) {
        let _ = writeln!(text, "- could not be looked at: {}: {}", shown(&gap.file), shown(&gap.reason));
    }
    text.push_str("\n</details>\n\n");
    text
}

fn location(location: &LocationRow) -> String {
    let line = location.line.map_or_else(String::new, |line| format!(":{line}"));
    let file = location.file.as_deref().map(|file| shown(&format!("{file}{line}")));
    let commit = location.commit.as_deref().and_then(|commit| commit.get(..12)).map(escape);
    let reference = location.reference.as_deref().map(shown);
    [file, commit, reference].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn shown(text: &str) -> String {
    escape(&shorten(text, WIDTH))
}
