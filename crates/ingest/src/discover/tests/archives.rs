//! Logs that are packed: what is found in them, under which name, and what is said of the rest.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use super::{EVENT, names};
use crate::discover::{All, Selection, Source, read_stream, select};

const CALL: &str = r#"{"event_type":"tool_call","event_id":"c","timestamp":2.0,"session_id":"ID","data":{"tool_name":"Bash","arguments":{"command":"ls"}}}"#;

pub(super) fn log(id: &str) -> String {
    format!("{EVENT}\n{CALL}\n").replace("ID", id)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

/// Each session found with its source and calls, then each gap.
pub(super) fn told(all: &All) -> Vec<String> {
    let mut lines = Vec::new();
    let mut gaps: Vec<String> = all.gaps.iter().map(|gap| format!("gap {}: {}", gap.file, gap.kind)).collect();
    for log in &all.logs {
        let reading = log.read();
        for session in &reading.sessions {
            lines.push(format!("{} {} {}", session.source, session.id, session.calls().count()));
        }
        gaps.extend(reading.gaps.iter().map(|gap| format!("gap {}: {}", gap.file, gap.kind)));
    }
    lines.extend(gaps);
    lines
}

pub(super) fn read(sources: &[Source]) -> All {
    let mut all = All::default();
    for source in sources {
        source.read(&mut all);
    }
    all
}

fn ask(root: &Path, request: &str) -> Vec<String> {
    let request = root.join(request).to_string_lossy().into_owned();
    let found = select(Path::new("/nonexistent"), &[request], Selection::All).unwrap();
    let mut all = read(&found.sources);
    all.gaps.extend(found.gaps);
    let short = |line: String| line.replace(&format!("{}/", root.display()), "").replace(&*root.to_string_lossy(), ".");
    told(&all).into_iter().map(short).collect()
}

#[test]
fn a_compressed_log_is_a_log_whatever_it_is_called() {
    let root = TempDir::new().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(root.path().join(name), bytes).unwrap();
    write("a.jsonl.gz", &gzip(log("one").as_bytes()));
    write("b.jsonl", &zstd(log("two").as_bytes()));
    write("c.data", &gzip(log("three").as_bytes()));
    write("d.txt.gz", &gzip(b"only words"));
    write("e.jsonl.zst", &zstd(log("four").as_bytes())[..60]);
    let found = ask(root.path(), "");
    assert_eq!(found[..3], ["a.jsonl.gz one 1", "b.jsonl two 1", "c.data three 1"]);
    assert!(
        found[3..].iter().any(|line| line.contains("gap e.jsonl.zst: the compressed data is cut off")),
        "{found:?}"
    );
    assert!(!found.iter().any(|line| line.contains("d.txt")), "{found:?}");
}

#[test]
fn every_log_of_an_archive_is_read_under_its_name() {
    let root = TempDir::new().unwrap();
    let log = log("one");
    let inner = gzip(&tar(&[("deep/inner.jsonl", log.as_bytes())]));
    let innermost = zip(&[("no.jsonl", log.as_bytes())]);
    let nested = zip(&[("nested.zip", innermost.as_slice())]);
    let meta = r#"{"session_id":"stored","started_at":1}"#;
    let files: &[(&str, &[u8])] = &[
        ("agent/session.jsonl", log.as_bytes()),
        ("agent/readme.md", b"# words"),
        ("agent/settings.json", b"{\"model\":1}"),
        ("agent/packed.jsonl.gz", &gzip(log.as_bytes())),
        ("logs.tgz", &inner),
        ("outer.zip", &nested),
        ("store/stored/events.ndjson", log.as_bytes()),
        ("store/stored/meta.json", meta.as_bytes()),
    ];
    let expected = |archive: &str| {
        [
            "agent/packed.jsonl.gz one 1",
            "agent/session.jsonl one 1",
            "logs.tgz/deep/inner.jsonl one 1",
            "store/stored/events.ndjson stored 1",
            "gap outer.zip/nested.zip: an archive in an archive in an archive: not read",
            "gap store/stored/events.ndjson: an event of another session: its `session_id` is not the name of its directory",
        ]
        .map(|line| match line.strip_prefix("gap ") {
            Some(rest) => format!("gap {archive}/{rest}"),
            None => format!("{archive}/{line}"),
        })
    };
    for (name, bytes) in [("artifact.zip", zip(files)), ("a.tar", tar(files)), ("a.tar.zst", zstd(&tar(files)))] {
        fs::write(root.path().join(name), &bytes).unwrap();
        assert_eq!(ask(root.path(), name), expected(name));
        let mut all = All::default();
        read_stream("-", bytes.as_slice(), &mut all);
        assert_eq!(told(&all), expected("-"));
    }
    fs::write(root.path().join("empty.zip"), zip(&[("notes.md", b"# words")])).unwrap();
    assert_eq!(
        ask(root.path(), "empty.zip"),
        ["gap empty.zip: an archive without a log: nothing in it was recognised"]
    );
}

#[test]
fn a_log_that_was_cut_into_parts_is_one_log() {
    let root = TempDir::new().unwrap();
    let whole = log("one");
    let (first, second) = whole.split_once('\n').unwrap();
    let write = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
    write("s.jsonl", first);
    write("s.jsonl.001", second);
    assert_eq!(ask(root.path(), ""), ["s.jsonl one 1"]);
    assert_eq!(ask(root.path(), "s.jsonl"), ["s.jsonl one 1"]);
    write("s.jsonl.003", "");
    assert_eq!(ask(root.path(), ""), ["s.jsonl one 1", "gap s.jsonl: part 2 of it is missing"]);
    fs::remove_file(root.path().join("s.jsonl")).unwrap();
    let found = ask(root.path(), "");
    assert_eq!(found[0], "s.jsonl.001 one 1");
    assert!(found.contains(&"gap s.jsonl.001: its beginning is missing".to_owned()), "{found:?}");
}

#[test]
fn a_pointer_of_lfs_is_not_the_log() {
    let root = TempDir::new().unwrap();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n";
    fs::write(root.path().join("s.jsonl"), pointer).unwrap();
    assert!(ask(root.path(), "")[0].starts_with("gap s.jsonl: a pointer of Git LFS"));
}

/// A home of an agent holds more than logs: none of it is in the way, and no log is lost for its name.
#[test]
fn a_whole_home_is_read_without_noise() {
    let root = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (name, text) in [
        ("settings.json", r#"{"model":"x"}"#),
        ("history.jsonl", "{\"display\":\"hello\",\"timestamp\":1}\n"),
        ("todos/1-agent-1.json", "[]"),
        ("statsig/cached.json", "{}"),
        ("projects/-w/tool-results/toolu_1.json", "{\"text\":\"ls\"}"),
        ("projects/-w/agent-1.meta.json", "{\"agentType\":\"Explore\"}"),
        ("plugins/config.json", "{\"repositories\":{}}"),
        ("shell-snapshots/snapshot.sh", "export A=1"),
        ("plans/plan.md", "# plan"),
        ("checkpoint.json", r#"{"session_id":"s","checkpoint_uuid":"u","tool_use_id":"t"}"#),
        ("any-name.json", r#"{"checkpoint_id":"0123456789ab","strategy":"manual-commit"}"#),
    ] {
        write(name, text);
    }
    write("projects/-w/real.jsonl", &log("one"));
    write("todos/hidden.json", &log("two"));
    write("notes", &log("three"));
    assert_eq!(ask(root.path(), ""), ["notes three 1", "projects/-w/real.jsonl one 1", "todos/hidden.json two 1"]);
}

/// An archive of Inspect AI: each sample is a member, and what describes the evaluation is no log.
#[test]
fn an_evaluation_holds_its_samples() {
    let root = TempDir::new().unwrap();
    let sample = |id: u32| {
        format!(
            r#"{{"id":{id},"epoch":1,"input":"x","target":"y","messages":[{{"role":"assistant","content":"","tool_calls":[{{"id":"c{id}","function":"bash","arguments":{{"cmd":"attachment://a"}}}}]}}],"attachments":{{"a":"cat .env"}},"model_usage":{{}}}}"#
        )
    };
    let header = r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"plan":{},"stats":{}}"#;
    let (first, second) = (sample(1), sample(2));
    let members: &[(&str, &[u8])] = &[
        ("_journal/start.json", header.as_bytes()),
        ("_journal/summaries/1.json", br#"[{"id":1,"epoch":1,"input":"x","target":"y"}]"#),
        ("header.json", header.as_bytes()),
        ("summaries.json", br#"[{"id":1,"epoch":1,"input":"x","target":"y"}]"#),
        ("samples/1_epoch_1.json", first.as_bytes()),
        ("samples/2_epoch_1.json", second.as_bytes()),
    ];
    fs::write(root.path().join("run.eval"), zip(members)).unwrap();
    let found = super::ask(root.path(), &[root.path().to_str().unwrap()], Selection::All).unwrap();
    assert_eq!(names(root.path(), &found), ["run.eval"]);
    let (logs, gaps) = found.sources[0].logs();
    assert!(gaps.is_empty(), "{gaps:?}");
    let mut told = Vec::new();
    for log in &logs {
        let reading = log.read();
        assert!(reading.gaps.is_empty(), "{:?}", reading.gaps);
        for session in &reading.sessions {
            told.extend(session.calls().map(|(_, call)| format!("{} {:?}", session.id, call.arguments)));
        }
    }
    let given = r#"Json("{\"cmd\":\"cat .env\"}")"#;
    assert_eq!(told, [format!("1_epoch_1 {given}"), format!("2_epoch_1 {given}")]);
}
