//! Rows for people at a terminal: a block for each repository, then a matrix and the verdict.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::Writer;
use super::matrix::{LEGEND, Matrix};
use super::row::{EndpointRow, EvidenceRow, FindingRow, LocationRow, Row, ServerRow, ToolRow, Verdict};
use super::summary::{Stated, Summary};
use crate::Colour;
use crate::escape::{shorten, terminal};
use agent_strace_model::finding::Level;

const RULE: &str = "───────────────────────────────────────────────────────";
/// Pieces of evidence of one tool; JSON has all that are kept.
const EVIDENCE: usize = 5;
/// Endpoints, findings and gaps of one repository that are listed.
const LISTED: usize = 50;
/// Whose host it is, where it is none of a provider we know.
pub(super) const NOBODY: &str = "no known provider";
/// Of one value.
const WIDTH: usize = 200;

pub(super) struct Text {
    stated: Stated,
    single: bool,
    colour: Colour,
    matrix: Matrix,
}

impl Text {
    pub(super) fn new(stated: &Stated, single: bool, colour: Colour) -> Self {
        Self { stated: stated.clone(), single, colour, matrix: Matrix::default() }
    }

    fn painted(&self, text: &str, colour: AnsiColor) -> String {
        match self.colour {
            Colour::Plain => text.to_owned(),
            Colour::Ansi => {
                let style = Style::new().fg_color(Some(colour.into())).bold();
                format!("{style}{text}{style:#}")
            }
        }
    }

    fn head(&self, row: &Row, text: &mut String) {
        let approved = match &row.approved {
            None => "nobody said (`--approved cursor,copilot`, or `approved` in .agent-strace.yaml)".to_owned(),
            Some(names) if names.is_empty() => "nothing".to_owned(),
            Some(names) => names.iter().map(|name| terminal(name)).collect::<Vec<_>>().join(", "),
        };
        let _ = writeln!(text, "Repo:  {}", terminal(&row.repository));
        let _ = writeln!(text, "Commits: {} ({})", row.commits, terminal(&self.stated.commits));
        let _ = writeln!(text, "Approved: {approved}\n{RULE}");
    }

    fn finding(&self, finding: &FindingRow, text: &mut String) {
        let colour = match finding.level() {
            Level::Error => AnsiColor::Red,
            Level::Warning => AnsiColor::Yellow,
            Level::Note => AnsiColor::Cyan,
        };
        let level = self.painted(&finding.level, colour);
        let _ = writeln!(text, "  {level} {} {}", finding.rule, whole(&finding.location));
        let _ = writeln!(text, "       {}", shown(&finding.message));
    }

    fn verdict(&self, verdict: Verdict) -> String {
        let colour = match verdict {
            Verdict::Pass => AnsiColor::Green,
            Verdict::Incomplete => AnsiColor::Yellow,
            Verdict::Broken | Verdict::Fail => AnsiColor::Red,
        };
        self.painted(&verdict.name().to_uppercase(), colour)
    }
}

impl Writer for Text {
    fn start(&mut self) -> String {
        format!("AI Tool Usage Report\n{RULE}\n")
    }

    fn row(&mut self, row: &Row) -> String {
        self.matrix.add(row);
        let mut text = String::new();
        if self.matrix.len() > 1 {
            text.push('\n');
        }
        self.head(row, &mut text);
        if let Some(error) = &row.error {
            let _ = writeln!(text, "{}: {}", self.verdict(row.verdict), shown(error));
            return text;
        }
        tools(row, &mut text);
        section("MCP servers", &row.servers, &mut text, server);
        section("LLM endpoints", &row.endpoints, &mut text, endpoint);
        section("Findings", &row.findings, &mut text, |finding, text| self.finding(finding, text));
        section("Could not be looked at", &row.gaps, &mut text, |gap, text| {
            let line = gap.line.map_or_else(String::new, |line| format!(":{line}"));
            let _ = writeln!(text, "  {}{line}: {}", terminal(&gap.file), shown(&gap.reason));
        });
        if !row.submodules.is_empty() {
            let names: Vec<String> = row.submodules.iter().take(LISTED).map(|name| terminal(name)).collect();
            let _ = writeln!(text, "\nSubmodules, to be swept for themselves: {}", names.join(", "));
        }
        text
    }

    fn end(&mut self, summary: &Summary) -> String {
        let mut text = String::new();
        if !self.single {
            let _ = writeln!(text, "\n{RULE}\nTool × repository ({LEGEND}):\n");
            text.push_str(&aligned(&self.matrix.table()));
        }
        let Summary { findings, repositories, .. } = summary;
        let _ = write!(
            text,
            "\n{}: {} in {}: {}, {}, {}",
            self.verdict(summary.verdict),
            counted(findings.error + findings.warning + findings.note, "finding"),
            match repositories.sum() {
                1 => "1 repository".to_owned(),
                many => format!("{many} repositories"),
            },
            counted(findings.error, "error"),
            counted(findings.warning, "warning"),
            counted(findings.note, "note"),
        );
        for (count, what) in [
            (summary.suppressed, "suppressed"),
            (summary.baselined, "known by the baseline"),
            (summary.gaps, "could not be looked at"),
            (repositories.broken, "broken"),
        ] {
            if count > 0 {
                let _ = write!(text, "; {count} {what}");
            }
        }
        text.push('\n');
        text
    }
}

/// What stands below a heading, up to a limit that shows.
fn section<T>(name: &str, items: &[T], text: &mut String, mut write: impl FnMut(&T, &mut String)) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{name} ({}):", items.len());
    for item in items.iter().take(LISTED) {
        write(item, text);
    }
    if items.len() > LISTED {
        let _ = writeln!(text, "  and {} more: `--format json` lists them", items.len() - LISTED);
    }
}

fn tools(row: &Row, text: &mut String) {
    if row.tools.is_empty() {
        let _ = writeln!(text, "No AI tool left a trace.");
        return;
    }
    let _ = writeln!(text, "Detected tools:\n");
    for tool in &row.tools {
        one_tool(tool, text);
    }
}

fn one_tool(tool: &ToolRow, text: &mut String) {
    let mark = match tool.approved {
        Some(false) => "❌",
        _ if tool.confidence == "weak" => "❔",
        _ => "✅",
    };
    let _ = writeln!(text, "  {mark} {:<20} ({})", terminal(&tool.name), tool.confidence);
    for evidence in tool.evidence.iter().take(EVIDENCE) {
        let _ = writeln!(text, "       {}", evidence_line(evidence));
    }
    let more = (tool.evidence.len().saturating_sub(EVIDENCE) as u64).saturating_add(tool.evidence_left_out);
    if more > 0 {
        let _ = writeln!(text, "       and {more} more");
    }
}

fn evidence_line(evidence: &EvidenceRow) -> String {
    let what = match evidence.signal.as_str() {
        "file" if evidence.location.origin == "head" => "file present",
        "file" if evidence.location.origin == "worktree" => "file in the work tree",
        "file" => "file in the history",
        other => other,
    };
    let times = if evidence.count > 1 { format!(", {} times", evidence.count) } else { String::new() };
    let surface = evidence.surface.as_ref().map_or_else(String::new, |surface| format!(", {surface}"));
    let location = location_of(evidence);
    let author = evidence.author.as_ref().filter(|_| evidence.signal != "identity");
    let author = author.map_or_else(String::new, |author| format!(" by {}", shown(author)));
    format!("{what}: {}{location}{author} ({}{surface}{times})", shown(&evidence.text), evidence.confidence)
}

/// Behind the text of a trace, where that does not say itself where it is, as a file and a branch do.
fn location_of(evidence: &EvidenceRow) -> String {
    let commit = evidence.location.commit.as_deref().and_then(|commit| commit.get(..12));
    match (evidence.signal.as_str(), commit) {
        (_, Some(commit)) => format!(", commit {commit}"),
        ("file" | "branch" | "ref", None) => String::new(),
        _ => format!(" in {}", whole(&evidence.location)),
    }
}

fn server(server: &ServerRow, text: &mut String) {
    let what = match &server.url {
        Some(url) => shown(url),
        None => shown(&server.command.join(" ")),
    };
    let mut marks = vec![server.version.as_str()];
    marks.extend(server.disabled.then_some("disabled"));
    marks.extend(server.used.map(|used| if used { "used" } else { "not used" }));
    marks.extend(server.approved.map(|approved| if approved { "approved" } else { "not approved" }));
    let _ = writeln!(text, "  {:<20} {} ({})", shown(&server.name), what, marks.join(", "));
    let _ = writeln!(text, "       {}:{} ({})", terminal(&server.file), server.line, server.tool);
}

fn endpoint(endpoint: &EndpointRow, text: &mut String) {
    let what = endpoint.host.as_deref().or(endpoint.variable.as_deref()).unwrap_or_default();
    let provider = endpoint.provider.as_deref().unwrap_or(NOBODY);
    let approved = match endpoint.approved {
        None => "",
        Some(true) => ", approved",
        Some(false) => ", not approved",
    };
    let _ = writeln!(
        text,
        "  {:<40} {provider}{approved}, {} {}",
        shown(what),
        endpoint.found_in,
        whole(&endpoint.location)
    );
}

/// Where something is, in one word.
fn whole(location: &LocationRow) -> String {
    let commit =
        location.commit.as_deref().and_then(|commit| commit.get(..12)).map(|commit| format!("commit {commit}"));
    let reference = location.reference.as_deref().map(terminal);
    let line = location.line.map_or_else(String::new, |line| format!(":{line}"));
    let file = location.file.as_deref().map(|file| format!("{}{line}", terminal(file)));
    let origin = (location.origin == "worktree").then(|| "(work tree)".to_owned());
    [file, commit, reference, origin].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Cells below each other.
fn aligned(table: &[Vec<String>]) -> String {
    let table: Vec<Vec<String>> = table.iter().map(|row| row.iter().map(|cell| terminal(cell)).collect()).collect();
    let width = |column: usize| {
        table.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.first().map_or(0, Vec::len)).map(width).collect();
    let mut text = String::new();
    for row in &table {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn shown(text: &str) -> String {
    terminal(&shorten(text, WIDTH))
}

pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
