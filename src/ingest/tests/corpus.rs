//! The corpus of real logs, against an independent count of their calls.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ingest::Log;
use crate::ingest::discover::{Selection, select};
use crate::model::Gap;

/// Folders of the corpus that hold logs of known dialects.
#[rustfmt::skip]
pub(super) const KNOWN: &[&str] = &[
    "agent-strace",
    "agent-trace-dev",
    "amp",
    "claude-code",
    "claude-stream-json",
    "codex",
    "droid",
    "continue",
    "copilot-cli",
    "copilot-vscode",
    "cursor",
    "gemini-cli",
    "kimi",
    "git-ai-notes",
    "specstory-md",
    "openclaw",
    "pi",
    "qwen-code",
    "atif",
    "codex-exec-json",
    "hermes",
    "otel-genai",
    "opencode",
    "mini-swe-agent",
    "swe-agent",
    "windsurf",
];

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
    let text = include_str!("../../../tests/corpus-differences.tsv");
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
    for folder in KNOWN {
        for path in files(&corpus.join(folder)) {
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

/// Files in other folders of the corpus that are logs of a known dialect all the same.
const STRAYS: &[&str] = &[];

#[test]
fn logs_of_other_agents_are_gaps() {
    let Some(corpus) = corpus() else { return };
    let mut wrong = Vec::new();
    for folder in files(&corpus).into_iter().filter(|path| path.is_dir()) {
        if KNOWN.contains(&&*folder.file_name().unwrap().to_string_lossy()) {
            continue;
        }
        for path in files(&folder) {
            let name = path.strip_prefix(&corpus).unwrap().to_string_lossy().into_owned();
            let log = Log::new(name.clone(), fs::read(&path).unwrap());
            let reading = log.read();
            let as_whole = |gap: &Gap| gap.line.is_none();
            let gap = reading.sessions.is_empty() && reading.gaps.iter().any(as_whole);
            if gap == STRAYS.contains(&&*name) {
                let dialect = reading.sessions.first().map(|session| session.dialect.name);
                wrong.push(format!("{name}: {dialect:?}, {} gaps", reading.gaps.len()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What lies beside transcripts in checkpoints is neither a log nor in the way.
#[test]
fn companions_of_checkpoints_are_recognised() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("entire-checkpoint");
    assert!(files(&folder).len() > 30);
    let found = select(Path::new("/nonexistent"), &[folder.to_string_lossy().into_owned()], Selection::All).unwrap();
    let shown: Vec<_> = found.sources.iter().map(|source| &source.shown).collect();
    assert!(shown.is_empty() && found.gaps.is_empty(), "{shown:?} {:?}", found.gaps);
}
