//! Where logs come from: what the caller says holds for a log that the change does not hold, and links are never followed.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::repository::Repository;
use crate::settled_by_change::log;
use crate::world::World;

const POLICY: &str = r#"{"version": 2, "evidence": {"minimum": "E2"}}"#;
const ROOT: &str = "/home/dana/rates";
const CHANGE: &[&str] =
    &["check", "--base", "main", "--head", "topic", "--format", "json", "--now", "2026-03-01T12:00:00Z"];

/// A path and its content.
type File<'p> = (&'p str, Vec<u8>);

fn good() -> String {
    log(ROOT, [("Write", json!({"file_path": format!("{ROOT}/src/b.rs"), "content": "x\n"}))])
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn archive(bytes: &[u8]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    archive.append_data(&mut header, "logs/s.jsonl", bytes).unwrap();
    archive.into_inner().unwrap()
}

/// A repository whose change holds these files.
fn change<'w>(world: &'w World, files: &[File<'_>]) -> Repository<'w> {
    let repository = Repository::new(world, "r");
    repository.file(".agent-scope.json", POLICY).commit("base").git(&["checkout", "-q", "-b", "topic"]);
    repository.file("src/b.rs", "x\n");
    for (path, bytes) in files {
        put(&world.path().join("r").join(path), bytes);
    }
    repository.commit("work");
    repository
}

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The exit code, and the level of the one session.
fn level(world: &World, source: &str, named: &str) -> (i32, Value) {
    let answer = world.run_in("r", &[CHANGE, &["--source", source, named]].concat());
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    (answer.code, report["sessions"][0]["evidence"]["level"].clone())
}

#[test]
fn a_log_that_the_change_holds_is_its_own_whatever_the_caller_says() {
    let good = good();
    let bytes = good.as_bytes();
    let windows = good.replace('\n', "\r\n");
    // Files of the change, then a file beside them that is judged.
    let cases: Vec<(&str, Vec<File<'_>>, &str, Vec<u8>)> = vec![
        ("where it is", vec![("artifacts/s.jsonl", bytes.to_vec())], "artifacts/s.jsonl", bytes.to_vec()),
        ("under another name", vec![("docs/x.txt", bytes.to_vec())], "artifacts/s.jsonl", bytes.to_vec()),
        ("compressed since", vec![("docs/x.txt", bytes.to_vec())], "artifacts/s.jsonl.gz", packed(bytes)),
        ("in an archive since", vec![("docs/x.txt", bytes.to_vec())], "artifacts/s.tar", archive(bytes)),
        ("compressed", vec![("x.bin", packed(bytes))], "artifacts/s.jsonl.gz", packed(bytes)),
        ("in an archive", vec![("x.bin", archive(bytes))], "artifacts/s.tar", archive(bytes)),
        ("in a compressed archive", vec![("x.bin", archive(bytes))], "artifacts/s.tgz", packed(&archive(bytes))),
        ("with other line ends", vec![("x.txt", bytes.to_vec())], "artifacts/s.jsonl", windows.into_bytes()),
        ("with other bytes at its path", vec![("a/s.jsonl", b"{}\n".to_vec())], "a/s.jsonl", bytes.to_vec()),
    ];
    for (name, files, judged, content) in cases {
        for source in ["artifact", "attested"] {
            let world = World::empty();
            change(&world, &files);
            put(&world.path().join("r").join(judged), &content);
            assert_eq!(level(&world, source, judged), (1, json!("E0")), "{name}, {source}");
        }
    }
}

#[test]
fn a_log_of_a_removed_file_of_the_change_is_its_own() {
    let world = World::empty();
    let repository = change(&world, &[("docs/x.txt", good().into_bytes())]);
    repository.git(&["rm", "-q", "docs/x.txt"]);
    repository.commit("take it away");
    put(&world.path().join("r/artifacts/s.jsonl"), good().as_bytes());
    assert_eq!(level(&world, "artifact", "artifacts/s.jsonl"), (1, json!("E0")));
}

#[test]
fn other_logs_are_what_the_caller_says() {
    for (source, code, expected) in
        [("artifact", 0, "E2"), ("attested", 0, "E3"), ("runner", 1, "E1"), ("pull-request", 1, "E0")]
    {
        let world = World::empty();
        change(&world, &[("src/c.rs", b"x\n".to_vec())]);
        put(&world.path().join("r/artifacts/s.jsonl"), good().as_bytes());
        assert_eq!(level(&world, source, "artifacts/s.jsonl"), (code, json!(expected)), "{source}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_gaps_however_they_are_named() {
    use std::os::unix::fs::symlink;

    let world = World::empty();
    change(&world, &[("src/c.rs", b"x\n".to_vec())]);
    let top = world.path().join("r");
    world.write("outside/s.jsonl", &good()).write("r/d/s.jsonl", &good());
    fs::create_dir_all(top.join("artifacts")).unwrap();
    for (link, target) in [
        ("file.jsonl", "../../outside/s.jsonl"),
        ("inside.jsonl", "../d/s.jsonl"),
        ("folder", "../../outside"),
        ("near", "../d"),
        ("root", "/"),
        ("proc", "/proc/self"),
        ("environ.jsonl", "/proc/self/environ"),
        ("zero.jsonl", "/dev/zero"),
    ] {
        symlink(target, top.join("artifacts").join(link)).unwrap();
    }
    symlink("../outside", top.join(".agent-traces")).unwrap();
    let named = [
        "artifacts/file.jsonl",
        "artifacts/inside.jsonl",
        "artifacts/folder",
        "artifacts/folder/",
        "artifacts/folder/s.jsonl",
        "artifacts/near",
        "artifacts/near/s.jsonl",
        "./artifacts/../artifacts/near/s.jsonl",
        "artifacts/root",
        "artifacts/proc/environ",
        "artifacts/environ.jsonl",
        "artifacts/zero.jsonl",
        "artifacts",
    ];
    for name in named {
        let answer = world.run_in("r", &[&CHANGE[..CHANGE.len() - 4], &["--no-color", name]].concat());
        assert!(answer.code == 1 || answer.code == 3, "{name}: {answer:?}");
        assert!(answer.stdout.contains("symbolic link"), "{name}: {answer:?}");
        assert!(answer.stdout.contains("0 sessions"), "{name}: {answer:?}");
    }
    let absolute = top.canonicalize().unwrap().join("artifacts/near/s.jsonl");
    let answer = world.run_in("r", &["check", "--no-color", "--allow-no-policy", absolute.to_str().unwrap()]);
    assert_eq!(answer.code, 3, "{answer:?}");
    let answer = world.run_in("r", &["check", "--no-color", "--allow-no-policy"]);
    assert_eq!(answer.code, 3, "the store is a link: {answer:?}");
    // A file beside them that is no link is read.
    let answer = world.run_in("r", &["check", "--no-color", "d/s.jsonl"]);
    assert!(answer.stdout.contains("1 session,"), "{answer:?}");
}

/// A log that names its folder by a URL is of the project in it, and one that names no whole path may be.
#[test]
fn a_session_is_of_the_project_that_its_url_names() {
    for (uri, is_here) in [
        ("file:///home/jo/site", true),
        ("file://localhost/home/jo/si%74e/sub", true),
        ("vscode-remote://wsl/home/jo/site", true),
        ("site", true),
        ("file:///home/jo/other", false),
        ("/home/jo/sites", false),
    ] {
        let world = World::empty();
        let thread = json!({"v": 12, "id": "T-1", "created": 1_772_241_173_221_u64, "env": {"initial": {"trees": [{"uri": uri}]}}, "messages": [
            {"role": "user", "messageId": 0, "content": [{"type": "text", "text": "x"}], "meta": {"sentAt": 1_772_241_201_792_u64}}
        ]});
        world.write("T-1.json", &thread.to_string());
        let answer = world.run(&["list", "T-1.json", "--project", "/home/jo/site"]);
        assert_eq!(answer.stdout.contains("T-1"), is_here, "{uri}: {} {}", answer.stdout, answer.stderr);
    }
}
