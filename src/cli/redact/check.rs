//! `redact --check`: where something private is.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read, Write};

use serde::Serialize;

use super::super::Streams;
use super::super::failure::{Failure, reason};
use super::super::output;
use super::CheckFormat;
use super::detector::Redactor;
use super::open::{self, Opened, unreadable};
use super::ordered::{Page, at_once, one_by_one};
use super::row::{Counts, Levels, Row};
use super::targets::{Source, Target, Targets};
use agent_strace_model::{Gap, GapKind};
use agent_strace_report::terminal;
use agent_strace_secrets::stream::{self, Detector, Finding, Sink};

pub(super) fn run(
    targets: &Targets,
    wanted: &Redactor,
    mask: bool,
    format: CheckFormat,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let mut gaps = targets.gaps.clone();
    let empty = Summary { files: 0, counts: &Counts::default(), gaps: &[], mask, code: 0 };
    let mut list = List { out: &mut *streams.stdout, format, inside: false, any: false };
    if format == CheckFormat::Json {
        list.out.write_all(empty.document()?.0.as_bytes()).map_err(|error| unwritable(&error))?;
    }
    let results = if targets.files.len() > 1 && targets.files.iter().all(|target| target.source != Source::Stdin) {
        at_once(&targets.files, &mut list, |target, page| file(target, wanted, format, &mut io::empty(), page))
    } else {
        let stdin = &mut *streams.stdin;
        one_by_one(&targets.files, &mut list, |target, page| file(target, wanted, format, &mut *stdin, page))
    };
    // Who reads a part of the list did not see all of it, and the exit code must not say that it is clean.
    let results = results.map_err(|error| unwritable(&error))?;
    let any = list.any;
    let mut counts = Counts::default();
    for (counted, gap) in results {
        counts.add(&counted);
        gaps.extend(gap);
    }
    gaps.sort();
    let code = exit_code(&counts, mask, &gaps);
    let summary = Summary { files: targets.files.len(), counts: &counts, gaps: &gaps, mask, code };
    conclude(&summary, format, any, streams)?;
    Ok(code)
}

fn exit_code(counts: &Counts, mask: bool, gaps: &[Gap]) -> u8 {
    let certain = counts.secrets.certain() + if mask { counts.personal.certain() } else { 0 };
    match (certain, gaps) {
        (0, []) => 0,
        (0, _) => 3,
        _ => 1,
    }
}

/// Tells what one file holds; what could not be read of it.
fn file(
    target: &Target,
    wanted: &Redactor,
    format: CheckFormat,
    stdin: &mut dyn Read,
    page: &mut Page<'_>,
) -> (Counts, Option<Gap>) {
    let shown = target.shown();
    let mut rows = Rows { file: &shown, format, page, counts: Counts::default() };
    let mut gap = name(target, wanted, &mut rows).err();
    let opened = match &target.source {
        Source::Stdin => open::stream(stdin),
        Source::File(path) => open::file(path),
    };
    let read = opened.and_then(|Opened { mut reader, .. }| {
        stream::search(&mut *reader, wanted, &mut rows).map_err(|error| unreadable(&error))
    });
    gap = gap.or(read.err());
    let counts = rows.counts;
    (counts, gap.map(|reason| Gap::of_file(shown, GapKind::unreadable(reason))))
}

/// Names of files and folders give things away, too.
fn name(target: &Target, wanted: &Redactor, rows: &mut Rows<'_, '_>) -> Result<(), String> {
    let name = target.below.to_string_lossy();
    for hit in wanted.find(None, &name) {
        let points = |to: usize| name.get(..to).unwrap_or("").chars().count() as u64;
        let fingerprint = wanted.fingerprint(&hit, name.get(hit.start..hit.end).unwrap_or(""));
        let (start, end) = (points(hit.start), points(hit.end));
        let finding = Finding { line: 0, pointer: "", is_key: false, start, end, hit: &hit, fingerprint: &fingerprint };
        rows.found(&finding).map_err(|error| unreadable(&error))?;
    }
    Ok(())
}

struct Rows<'r, 'p> {
    file: &'r str,
    format: CheckFormat,
    page: &'r mut Page<'p>,
    counts: Counts,
}

impl Sink for Rows<'_, '_> {
    fn bytes(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn found(&mut self, finding: &Finding<'_>) -> io::Result<()> {
        self.counts.count(finding);
        let row = Row::new(self.file, finding);
        match self.format {
            CheckFormat::Text => writeln!(self.page, "{}", row.text(finding)),
            CheckFormat::Json | CheckFormat::Ndjson => writeln!(self.page, "{}", row.json()?),
        }
    }
}

struct Summary<'s> {
    files: usize,
    counts: &'s Counts,
    gaps: &'s [Gap],
    mask: bool,
    code: u8,
}

/// Makes lines the elements of a list, where the list is part of a document.
struct List<'w> {
    out: &'w mut dyn Write,
    format: CheckFormat,
    /// In a line.
    inside: bool,
    any: bool,
}

impl Write for List<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.format != CheckFormat::Json {
            self.out.write_all(bytes)?;
            return Ok(bytes.len());
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.inside {
                self.out.write_all(if self.any { b",\n    " } else { b"\n    " })?;
                self.any = true;
            }
            self.inside = !piece.ends_with(b"\n");
            self.out.write_all(piece.strip_suffix(b"\n").unwrap_or(piece))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn unwritable(error: &io::Error) -> Failure {
    Failure::new(format!("can't write to standard output: {}", reason(error)))
}

/// What `agent-strace redact --check --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace redact --check, version 1"))]
struct Document<'d> {
    schema_version: u32,
    tool: Tool,
    findings: Vec<Row<'d>>,
    /// `pass`, `fail` or `incomplete`.
    verdict: &'static str,
    /// As the process's.
    exit_code: u8,
    summary: Sums<'d>,
    /// What could not be read.
    gaps: Vec<Missing>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Sums<'d> {
    files: usize,
    /// Secrets by confidence.
    secrets: Levels,
    /// Personal data by confidence.
    personal: Levels,
    /// Findings by rule.
    rules: &'d BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Missing {
    file: String,
    reason: String,
}

impl Summary<'_> {
    fn verdict(&self) -> &'static str {
        match self.code {
            0 => "pass",
            1 => "fail",
            _ => "incomplete",
        }
    }

    /// The document before and behind its findings, which are printed as they are found.
    fn document(&self) -> Result<(String, String), Failure> {
        const FINDINGS: &str = "\"findings\": []";
        let document = Document {
            schema_version: 1,
            tool: Tool { name: "agent-strace", version: env!("CARGO_PKG_VERSION") },
            findings: Vec::new(),
            verdict: self.verdict(),
            exit_code: self.code,
            summary: Sums {
                files: self.files,
                secrets: self.counts.secrets,
                personal: self.counts.personal,
                rules: &self.counts.rules,
            },
            gaps: self.gaps.iter().map(|gap| Missing { file: gap.file.clone(), reason: gap.reason() }).collect(),
        };
        let text = agent_strace_report::to_json(&document);
        let (before, behind) = text.split_once(FINDINGS).ok_or_else(|| Failure::new("the report has no findings"))?;
        Ok((format!("{before}\"findings\": ["), format!("]{behind}")))
    }

    fn text(&self) -> String {
        let Self { files, counts, gaps, mask, .. } = self;
        let mut text = String::new();
        if !gaps.is_empty() {
            let _ = writeln!(text, "\ncould not be read ({}):", gaps.len());
        }
        for gap in *gaps {
            let _ = writeln!(text, "  {}: {}", terminal(&gap.file), terminal(&gap.reason()));
        }
        if counts.sum() > 0 {
            let _ = writeln!(text, "\nby rule: {}", counts.by_rule());
        }
        let (secrets, personal) = (counts.secrets, counts.personal);
        let _ = writeln!(
            text,
            "{}: {} ({} high, {} medium, {} low), {}, in {}, {}",
            self.verdict().to_uppercase(),
            counted(secrets.sum(), "secret"),
            secrets.high,
            secrets.medium,
            secrets.low,
            pieces(personal.sum()),
            counted(*files as u64, "file"),
            counted(gaps.len() as u64, "gap"),
        );
        if counts.sum() > 0 {
            let masked = if *mask || personal.sum() == 0 { "" } else { "; with `--mask` personal data, too" };
            let _ = writeln!(
                text,
                "`agent-strace redact PATH --output PATH` replaces secrets{masked}; a secret that was logged is known: revoke it"
            );
        }
        text
    }
}

fn pieces(count: u64) -> String {
    format!("{} of personal data", counted(count, "piece"))
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn conclude(summary: &Summary<'_>, format: CheckFormat, any: bool, streams: &mut Streams<'_>) -> Result<(), Failure> {
    match format {
        CheckFormat::Text => output::print(streams.stdout, &summary.text()),
        CheckFormat::Json => {
            let end = summary.document()?.1;
            output::print(streams.stdout, &if any { format!("\n  {end}") } else { end })
        }
        CheckFormat::Ndjson => {
            for line in agent_strace_report::gap_lines(summary.gaps) {
                output::note(streams.stderr, &line);
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use agent_strace_testing::schemas::{keep, written};

    #[test]
    fn the_schemas_are_those_of_the_types() {
        keep("redact-check.v1", &written::<super::Document<'static>>());
        keep("redact-finding.v1", &written::<super::Row<'static>>());
    }
}
