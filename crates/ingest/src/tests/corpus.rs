//! The corpus of real logs, against an independent count of their calls.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Log;

/// Where the acceptance data lies; says loudly when there is none.
pub(super) fn corpus() -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("AGENT_STRACE_ACCEPTANCE") else {
        writeln!(std::io::stderr(), "SKIPPED: corpus tests need AGENT_STRACE_ACCEPTANCE (a folder with corpus/)")
            .unwrap();
        return None;
    };
    Some(PathBuf::from(folder).join("corpus"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// File → number of calls, as the corpus's own script counts them.
#[expect(clippy::disallowed_methods, reason = "the independent count is a script of the acceptance data")]
fn counted(corpus: &Path) -> BTreeMap<String, usize> {
    let output = Command::new("python3").arg(corpus.join("corpus_stats.py")).arg("--per-file").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let row = |line: &str| {
        let mut columns = line.split('\t');
        let (name, _, calls) = (columns.next()?, columns.next()?, columns.next()?);
        Some((name.to_owned(), calls.parse().unwrap()))
    };
    text.lines().filter_map(row).collect()
}

/// File → calls counted by the script, calls read by us; each with its reason in the file.
fn differences() -> BTreeMap<String, (usize, usize)> {
    let text = include_str!("../../../../tests/corpus-differences.tsv");
    let row = |line: &str| {
        let columns: Vec<_> = line.split('\t').collect();
        assert!(columns.len() == 4 && !columns[3].is_empty(), "a difference without a reason: {line}");
        (columns[0].to_owned(), (columns[1].parse().unwrap(), columns[2].parse().unwrap()))
    };
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(row).collect()
}

#[test]
fn calls_of_real_logs_are_all_there() {
    let Some(corpus) = corpus() else { return };
    let (counted, mut differences) = (counted(&corpus), differences());
    assert!(counted.len() > 200, "the script counted only {} files", counted.len());
    let (mut wrong, mut files_read, mut calls_read) = (Vec::new(), 0, 0);
    for folder in files(&corpus).into_iter().filter(|path| path.is_dir()) {
        for path in files(&folder) {
            let name = path.strip_prefix(&corpus).unwrap().to_string_lossy().into_owned();
            let log = Log::new(name.clone(), fs::read(&path).unwrap());
            let reading = log.read();
            let read: usize = reading.sessions.iter().map(|session| session.calls().count()).sum();
            files_read += 1;
            calls_read += read;
            let expected = counted[&name];
            match differences.remove(&name) {
                Some(known) if known == (expected, read) => {}
                Some(known) => wrong.push(format!("{name}: listed {known:?}, now {expected} counted, {read} read")),
                None if expected == read => {}
                None => wrong.push(format!("{name}: {expected} counted, {read} read")),
            }
            if reading.sessions.is_empty() && reading.gaps.is_empty() {
                wrong.push(format!("{name}: an empty pass"));
            }
        }
    }
    writeln!(std::io::stderr(), "{files_read} real logs, {calls_read} calls").unwrap();
    wrong.extend(differences.keys().map(|name| format!("{name}: listed as different, but it is not there or equal")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
