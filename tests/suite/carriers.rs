//! Logs where CI and developers leave them: compressed, in archives, in git, in checkpoints, on standard input.

use std::fs;
use std::io::{Cursor, Write};

use git2::{Repository, Signature, Time};

use crate::world::World;

const POLICY: &str = r#"{"files": {"read": {"deny": [".env"]}}}"#;
const LOG: &str = r#"{"event_type":"session_start","timestamp":1.0,"event_id":"a","session_id":"one","data":{}}
{"event_type":"tool_call","timestamp":2.0,"event_id":"b","session_id":"one","data":{"tool_name":"Bash","arguments":{"command":"cat .env"}}}
"#;

fn world() -> World {
    let world = World::empty();
    world.write(".agent-scope.json", POLICY);
    world
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zip(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap().into_inner()
}

/// The session is judged as if its log lay there open.
fn finds_the_read(world: &World, session: &str, place: &str) {
    let answer = world.run(&["check", session]);
    assert_eq!(answer.code, 1, "{}{}", answer.stdout, answer.stderr);
    assert!(answer.stdout.contains(&format!("at {place}:2\n")), "{}", answer.stdout);
    assert!(answer.stdout.contains("reads `.env`: denied by files.read.deny"), "{}", answer.stdout);
    let list = world.run(&["list", session]);
    assert!(list.code == 0 && list.stdout.contains(place), "{}{}", list.stdout, list.stderr);
}

#[test]
fn a_compressed_log() {
    let world = world();
    fs::write(world.path().join("s.jsonl.gz"), gzip(LOG)).unwrap();
    finds_the_read(&world, "s.jsonl.gz", "s.jsonl.gz");
    let zstd = ruzstd::encoding::compress_to_vec(LOG.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    fs::write(world.path().join("s.jsonl.zst"), zstd).unwrap();
    finds_the_read(&world, "s.jsonl.zst", "s.jsonl.zst");
}

#[test]
fn a_compressed_log_that_was_cut_is_no_pass() {
    let world = world();
    let harmless = LOG.replace(".env", "README.md");
    let packed = gzip(&harmless);
    fs::write(world.path().join("s.jsonl.gz"), &packed[..packed.len() - 6]).unwrap();
    let answer = world.run(&["check", "s.jsonl.gz"]);
    assert_eq!(answer.code, 3, "{}", answer.stdout);
    assert!(answer.stdout.contains("s.jsonl.gz: the compressed data is cut off"), "{}", answer.stdout);
    fs::write(world.path().join("s.jsonl.gz"), &packed).unwrap();
    assert_eq!(world.run(&["check", "s.jsonl.gz"]).code, 0);
}

#[test]
fn an_artifact() {
    let world = world();
    let bytes = zip("agent/session.jsonl", LOG.as_bytes());
    fs::write(world.path().join("artifact.zip"), bytes).unwrap();
    finds_the_read(&world, "artifact.zip", "artifact.zip/agent/session.jsonl");
    // In a folder of downloaded artifacts.
    fs::create_dir(world.path().join("artifacts")).unwrap();
    let packed = gzip(LOG);
    fs::write(world.path().join("artifacts/a.zip"), zip("deep/s.jsonl.gz", &packed)).unwrap();
    finds_the_read(&world, "artifacts", "artifacts/a.zip/deep/s.jsonl.gz");
}

#[test]
fn an_artifact_that_holds_no_log_is_no_pass() {
    let world = world();
    fs::write(world.path().join("artifact.zip"), zip("notes.md", b"# nothing")).unwrap();
    let answer = world.run(&["check", "artifact.zip"]);
    assert_eq!(answer.code, 3, "{}{}", answer.stdout, answer.stderr);
    fs::write(world.path().join("artifact.zip"), &zip("s.jsonl", LOG.as_bytes())[..80]).unwrap();
    let answer = world.run(&["check", "artifact.zip"]);
    assert_eq!(answer.code, 3, "{}{}", answer.stdout, answer.stderr);
    assert!(answer.stdout.contains("the list of its entries is missing or damaged"), "{}", answer.stdout);
}

/// Commits files to a reference of the repository in the world, which has no work tree of them.
fn commit(world: &World, reference: &str, message: &str, files: &[(&str, &str)]) {
    let repository = Repository::init(world.path()).unwrap();
    let mut update = git2::build::TreeUpdateBuilder::new();
    for (path, text) in files {
        update.upsert(*path, repository.blob(text.as_bytes()).unwrap(), git2::FileMode::Blob);
    }
    let empty = repository.find_tree(repository.treebuilder(None).unwrap().write().unwrap()).unwrap();
    let tree = repository.find_tree(update.create_updated(&repository, &empty).unwrap()).unwrap();
    let author = Signature::new("a", "a@example.com", &Time::new(1, 0)).unwrap();
    let parent = repository.find_reference(reference).ok().map(|found| found.peel_to_commit().unwrap());
    let parents: Vec<_> = parent.iter().collect();
    repository.commit(Some(reference), &author, &author, message, &tree, &parents).unwrap();
}

#[test]
fn logs_in_a_revision() {
    let world = world();
    commit(&world, "refs/heads/topic", "one", &[("logs/s.jsonl", LOG)]);
    finds_the_read(&world, "git:topic:logs", "git:topic:logs/s.jsonl");
    finds_the_read(&world, "git:topic", "git:topic:logs/s.jsonl");
    let answer = world.run(&["check", "git:gone"]);
    assert_eq!(answer.code, 2, "{}", answer.stdout);
    assert!(answer.stderr.contains("the revision `gone` is not in the repository"), "{}", answer.stderr);
}

#[test]
fn checkpoints_of_entire() {
    let world = world();
    let missing = world.run(&["check", "entire"]);
    assert_eq!(missing.code, 2, "{}", missing.stderr);
    let metadata = r#"{"checkpoint_id":"ab0000000001","session_id":"one","strategy":"manual-commit"}"#;
    let files = [("ab/0000000001/0/metadata.json", metadata), ("ab/0000000001/0/full.jsonl", LOG)];
    commit(&world, "refs/remotes/origin/entire/checkpoints/v1", "one", &files);
    commit(&world, "refs/heads/topic", "base", &[("a", "1")]);
    commit(&world, "refs/heads/topic", "work\n\nEntire-Checkpoint: ab0000000001", &[("a", "2")]);
    let place = "git:refs/remotes/origin/entire/checkpoints/v1:ab/0000000001/0/full.jsonl";
    for session in ["entire", "entire:ab0000000001", "entire:topic~1..topic"] {
        finds_the_read(&world, session, place);
    }
    // The same layout as a folder.
    for (name, text) in files {
        world.write(&format!("checkpoints/{name}"), text);
    }
    finds_the_read(&world, "checkpoints", "checkpoints/ab/0000000001/0/full.jsonl");
}
