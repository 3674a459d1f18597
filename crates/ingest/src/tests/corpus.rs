//! Real logs, against what is known of their calls without this program.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use agent_strace_testing::corpus::{outside, shipped};
use agent_strace_testing::truth;

use crate::Log;

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

/// Logs of this repository where more calls are read than the model sent, and why.
const ADDED: &[(&str, usize, &str)] = &[
    (
        "codex/0.169.0-code-mode/rollout-2026-11-25T21-19-35-01a21494-07ce-74a3-92e2-07f4e9308259.jsonl",
        9,
        "the model sends JavaScript, and each call that it makes is recorded as one of its own",
    ),
    (
        "copilot-cli/1.0.102/0d5d5e76-730f-4de6-b17b-963421aae88d/events.jsonl",
        1,
        "the client itself reads the output of a shell in the background",
    ),
];

/// A script that was written for the corpus counts the calls of logs that are not in this repository.
#[test]
fn calls_of_real_logs_are_all_there() {
    let Some(data) = outside("calls of the corpus are not counted") else { return };
    let (counted, mut differences) = (counted(&data.corpus()), differences());
    assert!(counted.len() > 200, "the script counted only {} files", counted.len());
    let (mut wrong, mut calls_read) = (Vec::new(), 0);
    let logs = data.logs();
    for path in &logs {
        let name = data.name(path);
        let read = calls(path, &name, &mut wrong).len();
        calls_read += read;
        let expected = counted[&name];
        match differences.remove(&name) {
            Some(known) if known == (expected, read) => {}
            Some(known) => wrong.push(format!("{name}: listed {known:?}, now {expected} counted, {read} read")),
            None if expected == read => {}
            None => wrong.push(format!("{name}: {expected} counted, {read} read")),
        }
    }
    writeln!(std::io::stderr(), "{} real logs, {calls_read} calls", logs.len()).unwrap();
    wrong.extend(differences.keys().map(|name| format!("{name}: listed as different, but it is not there or equal")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The logs in this repository come from scripted models: which calls they sent is known.
#[test]
fn calls_that_models_sent_are_all_there() {
    let (data, mut truth) = (shipped(), truth::calls());
    let mut wrong = Vec::new();
    for path in data.logs() {
        let name = data.name(&path);
        // A sub-agent's description beside its log.
        if name.ends_with(".meta.json") {
            continue;
        }
        let read = calls(&path, &name, &mut wrong);
        let Some(sent) = truth.remove(&name) else { continue };
        let added = ADDED.iter().find(|(log, _, _)| *log == name).map_or(0, |(_, added, _)| *added);
        if read.len() != sent.len() + added {
            wrong.push(format!("{name}: {} sent and {added} known beside them, {} read", sent.len(), read.len()));
        }
        let lost = sent.iter().filter_map(|call| call.id.as_ref()).filter(|id| !read.contains(*id));
        wrong.extend(lost.map(|id| format!("{name}: `{id}` was sent and is not read")));
    }
    wrong.extend(truth.keys().map(|name| format!("{name} is not there")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The ids of the calls in a log, empty ones included. A log that holds nothing at all is wrong.
fn calls(path: &Path, name: &str, wrong: &mut Vec<String>) -> Vec<String> {
    let log = Log::new(name, fs::read(path).unwrap());
    let reading = log.read();
    if reading.sessions.is_empty() && reading.gaps.is_empty() {
        wrong.push(format!("{name}: an empty pass"));
    }
    let calls = reading.sessions.iter().flat_map(agent_strace_model::Session::calls);
    calls.map(|(_, call)| call.call_id.as_deref().unwrap_or_default().to_owned()).collect()
}
