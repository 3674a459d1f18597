//! Which tools are in which repositories: rows are kept as small as they are shown.

use std::collections::BTreeSet;

use super::row::Row;

/// What is kept of a repository.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    rows: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    repository: String,
    verdict: &'static str,
    findings: usize,
    /// Id, and what its cell shows.
    tools: Vec<(String, char)>,
}

/// A cell: how sure it is, and whether it is approved.
pub(super) const LEGEND: &str = "● confirmed, ○ likely, · weak; ✗ not approved";

impl Matrix {
    pub(super) fn add(&mut self, row: &Row) {
        let cell = |tool: &super::row::ToolRow| match (tool.approved, tool.confidence.as_str()) {
            (Some(false), "confirmed" | "likely") => '✗',
            (_, "confirmed") => '●',
            (_, "likely") => '○',
            _ => '·',
        };
        self.rows.push(Line {
            repository: row.repository.clone(),
            verdict: row.verdict.name(),
            findings: row.findings.len(),
            tools: row.tools.iter().map(|tool| (tool.id.clone(), cell(tool))).collect(),
        });
    }

    /// Tools that are in any repository.
    fn columns(&self) -> Vec<&str> {
        let all: BTreeSet<&str> = self.rows.iter().flat_map(|row| &row.tools).map(|(id, _)| id.as_str()).collect();
        all.into_iter().collect()
    }

    /// The header, and a line for each repository.
    pub(super) fn table(&self) -> Vec<Vec<String>> {
        let columns = self.columns();
        let header =
            ["repository", "verdict", "findings"].iter().chain(&columns).map(|name| (*name).to_owned()).collect();
        let line = |row: &Line| {
            let mut cells = vec![row.repository.clone(), row.verdict.to_owned(), row.findings.to_string()];
            cells.extend(columns.iter().map(|column| {
                let cell = row.tools.iter().find(|(id, _)| id == column).map(|(_, cell)| cell.to_string());
                cell.unwrap_or_default()
            }));
            cells
        };
        std::iter::once(header).chain(self.rows.iter().map(line)).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }
}
