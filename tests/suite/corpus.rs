//! Real logs of many agents through the whole program: whatever they hold, there is an answer, it is the same in every
//! format, and nothing in them is obeyed.
//!
//! `fixtures/real` holds a small set of logs; `AGENT_STRACE_ACCEPTANCE` names a folder with more.

use std::fs;
use std::path::{Path, PathBuf};

use agent_strace_report::{Format, OutputFormat};
use agent_strace_testing::corpus::{Data, Source, data};
use agent_strace_testing::truth::{self, Sent};
use rayon::prelude::*;
use serde_json::Value;

use crate::hostile::obeyed;
use crate::sarif_check::problems;
use crate::world::{Answer, World, in_process};

const DENIES: &str = r#"{
  "files": {"read": {"deny": [".env", "secrets/**"]}, "write": {"deny": [".github/**"]}},
  "commands": {"deny": ["git push", "rm -rf", "curl"]}
}"#;

/// Up to this size, every format is asked for in a run of its own, too.
const SMALL: u64 = 60_000;

/// One log, judged by one policy.
struct Judged {
    code: i32,
    text: String,
    json: Value,
    sarif: String,
    markdown: String,
}

fn judge(log: &Path, policy: &Path) -> Judged {
    let reports = tempfile::tempdir().unwrap();
    let file = |name: &str| reports.path().join(name).to_str().unwrap().to_owned();
    let (log, policy) = (log.to_str().unwrap(), policy.to_str().unwrap());
    let wanted = ["json", "sarif", "markdown"].map(|format| format!("{format}={}", file(format)));
    let [json, sarif, markdown] = &wanted;
    let args = ["check", log, "--policy", policy, "--report", json, "--report", sarif, "--report", markdown];
    let Answer { code, stdout: text, stderr } = in_process(&args);
    assert_eq!(stderr, "", "{log}");
    let read = |name: &str| fs::read_to_string(file(name)).unwrap();
    let json = serde_json::from_str(&read("json")).unwrap();
    Judged { code, text, json, sarif: read("sarif"), markdown: read("markdown") }
}

/// The faults in what is said of `log` by `policies`. A small log is asked about in every format by one of them: half of
/// the logs by the first, half by the second.
fn faults(log: &Path, policies: &[PathBuf; 2]) -> Vec<String> {
    let judged = policies.each_ref().map(|policy| judge(log, policy));
    let size = fs::metadata(log).unwrap().len();
    let chosen = usize::from(size % 2 == 1);
    let other = if size < SMALL { other_codes(log, &policies[chosen], judged[chosen].code) } else { Vec::new() };
    let answers = judged.iter().zip(policies);
    answers.flat_map(|(judged, policy)| contradictions(judged, log, policy)).chain(other).collect()
}

fn contradictions(judged: &Judged, log: &Path, policy: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    let mut want = |holds: bool, what: &str| {
        if !holds {
            faults.push(format!("{} by {}: {what}", log.display(), policy.display()));
        }
    };
    let (errors, gaps) =
        (judged.json["summary"]["findings"]["error"] != 0, judged.json["gaps"] != Value::Array(vec![]));
    // Everything was read, and it says that more was done than it holds.
    let lacks = judged.json["sessions"].as_array().unwrap().iter().any(|session| session["verdict"] == "incomplete");
    let expected = if errors {
        1
    } else if gaps || lacks {
        3
    } else {
        0
    };
    want(judged.code == expected, &format!("exit code {}, not {expected}", judged.code));
    want(judged.json["exit_code"] == judged.code, "JSON says another exit code");
    let (word, heading) = match judged.code {
        0 => ("PASS: ", "## ✅ agent-strace: pass"),
        1 => ("FAIL: ", "## ❌ agent-strace: fail"),
        _ => ("INCOMPLETE: ", "## ❓ agent-strace: incomplete"),
    };
    want(judged.text.lines().last().is_some_and(|line| line.starts_with(word)), "the text says another verdict");
    want(judged.markdown.contains(&format!("\n{heading}")), "Markdown says another verdict");
    want(judged.markdown.chars().count() <= 60_000, "Markdown is too long for a comment");
    want(problems(&judged.sarif).is_empty(), &format!("SARIF: {:?}", problems(&judged.sarif)));
    let sarif: Value = serde_json::from_str(&judged.sarif).unwrap();
    let run = &sarif["runs"][0];
    let levels = run["results"].as_array().unwrap().iter().filter(|result| result["level"] == "error").count();
    want((levels > 0) == errors, "SARIF says another verdict");
    want(run["invocations"][0]["executionSuccessful"] != gaps, "SARIF does not say what was not read");
    for text in [&judged.text, &judged.markdown, &judged.sarif] {
        want(obeyed(text).is_empty(), &format!("{:?}", obeyed(text)));
    }
    want(!judged.text.contains("internal error"), "an internal error");
    faults
}

/// Formats that end with another exit code than `code`, each asked for in a run of its own.
fn other_codes(log: &Path, policy: &Path, code: i32) -> Vec<String> {
    let (log, policy) = (log.to_str().unwrap(), policy.to_str().unwrap());
    let answer = |format: &str| in_process(&["check", log, "--policy", policy, "--format", format]).code;
    let wrong = Format::ALL.iter().map(|format| format.name()).filter(|format| answer(format) != code);
    wrong.map(|format| format!("{log} as {format}: another exit code than {code}")).collect()
}

#[test]
fn real_logs_get_an_answer_that_is_the_same_in_every_format() {
    let world = World::empty();
    world.write("denies.json", DENIES);
    for data in data() {
        let logs = data.logs();
        assert!(logs.len() > data.either(40, 300), "only {} logs", logs.len());
        let policies = [world.path().join("denies.json"), data.cases().join("scope-policy.json")];
        let faults: Vec<String> = logs.par_iter().flat_map_iter(|log| faults(log, &policies)).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}

/// Tools that write files, and where their calls name them.
const WRITERS: &[&str] =
    &["write", "edit", "multiedit", "notebookedit", "create", "write_file", "edit_file", "replace"];
const TARGETS: &[&str] = &["file_path", "filePath", "path", "notebook_path"];

/// File → paths that its calls asked to write, as the models behind the logs of this repository sent them.
fn sent_to_write() -> Vec<(String, Vec<String>)> {
    let paths = |call: &Sent| -> Vec<String> {
        let tool = call.tool.to_lowercase();
        if let Some(patch) = call.input.as_str().filter(|_| tool == "apply_patch") {
            let headers = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
            let file = |line: &str| headers.iter().find_map(|header| line.strip_prefix(header)).map(str::to_owned);
            return patch.lines().filter_map(file).collect();
        }
        let named = TARGETS.iter().find_map(|key| call.input[*key].as_str()).map(str::to_owned);
        if WRITERS.contains(&tool.as_str()) { named.into_iter().collect() } else { Vec::new() }
    };
    truth::calls().into_iter().map(|(log, calls)| (log, calls.iter().flat_map(paths).collect())).collect()
}

/// File → paths that its calls asked to write, counted by a script that shares nothing with this program.
#[expect(clippy::disallowed_methods, reason = "the independent count is a script")]
fn asked_to_write(corpus: &Path) -> Vec<(String, Vec<String>)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/count.py");
    let output = std::process::Command::new("python3").arg(script).arg(corpus).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let paths = row["written"].as_array().unwrap().iter().map(|path| path.as_str().unwrap().to_owned());
        (row["file"].as_str().unwrap().to_owned(), paths.collect())
    };
    String::from_utf8(output.stdout).unwrap().lines().map(row).collect()
}

/// Paths of effects that write or delete.
fn effects_that_write(log: &Path) -> Vec<String> {
    let answer = in_process(&["effects", log.to_str().unwrap(), "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    let events =
        report["sessions"].as_array().unwrap().iter().flat_map(|session| session["events"].as_array().unwrap());
    let effects = events.flat_map(|event| event["effects"].as_array().unwrap());
    let writes = effects.filter(|effect| effect["kind"] == "write" || effect["kind"] == "delete");
    writes.filter_map(|effect| effect["path"].as_str().map(str::to_owned)).collect()
}

/// A path without its `x/..`.
fn resolved(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            ("..", Some(last)) if !matches!(*last, "" | "..") => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Whether a path in a report is the one that the log names: reports shorten it to the root or the home.
fn is_same(reported: &str, recorded: &str) -> bool {
    let recorded = resolved(&recorded.trim_start_matches("file://").replace('\\', "/"));
    // A user's own directory for temporary files is `/tmp`.
    let recorded =
        recorded.split_once("/AppData/Local/Temp/").map_or(recorded.clone(), |(_, file)| format!("/tmp/{file}"));
    let recorded = recorded.trim_start_matches("./").trim_start_matches("/private");
    let tail = reported.trim_start_matches("~/").trim_end_matches("/**");
    recorded == reported || recorded.ends_with(&format!("/{tail}")) || reported.ends_with(&format!("/{recorded}"))
}

#[test]
fn written_paths_of_real_logs_are_effects() {
    for data in data() {
        let asked = match data.source {
            Source::Shipped => sent_to_write(),
            Source::Outside => asked_to_write(&data.corpus()),
        };
        all_written(&data, &asked);
    }
}

fn all_written(data: &Data, asked: &[(String, Vec<String>)]) {
    let check = |(name, paths): &(String, Vec<String>)| {
        let found = if paths.is_empty() { Vec::new() } else { effects_that_write(&data.corpus().join(name)) };
        let lost = paths.iter().filter(|path| !found.iter().any(|reported| is_same(reported, path)));
        lost.map(|path| format!("{name}: `{path}`")).collect::<Vec<_>>()
    };
    let all: usize = asked.iter().map(|(_, paths)| paths.len()).sum();
    let lost: Vec<String> = asked.par_iter().flat_map(check).collect();
    assert!(
        all > data.either(25, 100) && lost.is_empty(),
        "{} of {all} paths are no effect:\n{}",
        lost.len(),
        lost.join("\n")
    );
}
