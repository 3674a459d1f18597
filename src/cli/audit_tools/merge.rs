//! `audit-tools merge`: the shards of one run, as if it had not been split.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::{Failure, reason};
use super::super::output;
use super::args::MergeArgs;
use super::writing::Reports;
use agent_strace_report::repo_audit::{Line, Row, Stated, Summary, read_line};

pub(super) fn run(args: &MergeArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    output::refuse_same_file(args.written.files())?;
    let mut shards = Vec::new();
    for file in &args.files {
        shards.push(Shard::open(file)?);
    }
    let stated = same_run(&shards)?;
    let mut rows: BTreeMap<usize, (usize, Row)> = BTreeMap::new();
    let mut summary = Summary::new(stated.clone(), None);
    let mut reports = Reports::new(&args.written, &stated, stated.repositories == 1, environment)?;
    reports.start(streams.stdout)?;
    // Rows of a shard are in order, so the next row of all is among the next ones of each.
    for at in 0..shards.len() {
        refill(&mut shards, at, &mut rows)?;
    }
    let mut expected = 0;
    while let Some((index, (shard, row))) = rows.pop_first() {
        if index != expected {
            return Err(missing(expected));
        }
        expected += 1;
        summary.add(&row);
        reports.row(&row, streams.stdout)?;
        refill(&mut shards, shard, &mut rows)?;
    }
    if expected != stated.repositories {
        return Err(missing(expected));
    }
    reports.end(&summary, streams.stdout)?;
    Ok(summary.exit_code)
}

fn missing(index: usize) -> Failure {
    Failure::new(format!("the repository at place {index} of the list is in none of the files"))
        .hint("give the files of all shards; one that was cut off has to be made anew")
}

/// One file.
struct Shard {
    shown: String,
    lines: std::io::Lines<BufReader<File>>,
    line: usize,
    summary: Summary,
}

impl Shard {
    /// Its summary is its last line: without it the file is cut off, and nobody knows what is missing.
    fn open(path: &Path) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        let unusable = |error: &std::io::Error| Failure::new(format!("can't read `{shown}`: {}", reason(error)));
        let open = || File::open(path).map(BufReader::new);
        let mut last = None;
        for line in open().map_err(|error| unusable(&error))?.lines() {
            last = Some(line.map_err(|error| unusable(&error))?);
        }
        let summary = match last.as_deref().map(read_line) {
            Some(Ok(Line::Summary(summary))) => *summary,
            Some(Err(error)) => {
                return Err(Failure::new(format!("`{shown}` does not end with a summary: {error}")).hint(
                    "`audit-tools --format ndjson` writes what can be merged; one that was cut off has to be made anew",
                ));
            }
            _ => {
                return Err(Failure::new(format!(
                    "`{shown}` does not end with a summary: it was cut off, or is something else"
                ))
                .hint("`audit-tools --format ndjson` writes what can be merged"));
            }
        };
        let lines = open().map_err(|error| unusable(&error))?.lines();
        Ok(Self { shown, lines, line: 0, summary })
    }

    fn next(&mut self) -> Result<Option<Row>, Failure> {
        let Some(line) = self.lines.next() else { return Ok(None) };
        self.line += 1;
        let broken = |why: String| Failure::new(format!("`{}` line {}: {why}", self.shown, self.line));
        let line = line.map_err(|error| broken(reason(&error)))?;
        match read_line(&line).map_err(broken)? {
            Line::Row(row) => Ok(Some(*row)),
            Line::Summary(_) => Ok(None),
        }
    }
}

/// All files have to be parts of one run, and each part has to be there once.
fn same_run(shards: &[Shard]) -> Result<Stated, Failure> {
    let Some(first) = shards.first() else { return Err(Failure::new("no file was named")) };
    let mut parts = BTreeSet::new();
    for shard in shards {
        if shard.summary.stated != first.summary.stated || shard.summary.tool != first.summary.tool {
            return Err(Failure::new(format!("`{}` and `{}` are of different runs", first.shown, shard.shown))
                .hint("all shards take the same list of repositories, the same options and the same version"));
        }
        if !parts.insert(shard.summary.shard) {
            return Err(Failure::new(format!("`{}` is a part that another file is, too", shard.shown)));
        }
    }
    let of = first.summary.shard.map_or(1, |shard| shard.of);
    let same = shards.iter().all(|shard| shard.summary.shard.map_or(1, |shard| shard.of) == of);
    if !same || shards.len() != of {
        return Err(Failure::new(format!("the run has {of} shards, and {} files were given", shards.len()))
            .hint("give the files of all shards, each once"));
    }
    Ok(first.summary.stated.clone())
}

fn refill(shards: &mut [Shard], at: usize, rows: &mut BTreeMap<usize, (usize, Row)>) -> Result<(), Failure> {
    let Some(shard) = shards.get_mut(at) else { return Ok(()) };
    if let Some(row) = shard.next()? {
        let index = row.index;
        if rows.insert(index, (at, row)).is_some() {
            return Err(Failure::new(format!("`{}` has a repository that another file has, too", shard.shown)));
        }
    }
    Ok(())
}
