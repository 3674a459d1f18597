//! How long the store keeps sessions, as a user asks for it: each defect of the Python tool of this name, hostile stores,
//! deletions that were cut off, and the rules of the gate.

mod configuration;
mod deletion;
mod gate;
mod hostile;
mod property;

use std::fs;

use serde_json::{Value, json};

use crate::world::{Answer, World};

/// All ages are held against it.
const NOW: &str = "2026-06-15T12:00:00Z";
const NOW_SECONDS: i64 = 1_781_524_800;
const DAY: i64 = 86_400;

/// A finished session that began so many days ago, with so many bytes beside its events.
fn session(world: &World, id: &str, days: i64, bytes: usize) {
    let began = NOW_SECONDS - days * DAY;
    stored(world, id, &json!({"session_id": id, "started_at": began, "ended_at": began + 60}), began, bytes);
}

/// The same without an end.
fn unfinished(world: &World, id: &str, days: i64, last: i64) {
    let began = NOW_SECONDS - days * DAY;
    stored(world, id, &json!({"session_id": id, "started_at": began}), last, 0);
    age_files(world, id, NOW_SECONDS - 40 * DAY);
}

fn stored(world: &World, id: &str, meta: &Value, last: i64, bytes: usize) {
    world.write(&format!(".agent-traces/{id}/meta.json"), &meta.to_string());
    let event =
        json!({"event_type": "session_start", "timestamp": last, "event_id": "e", "session_id": id, "data": {}});
    world.write(&format!(".agent-traces/{id}/events.ndjson"), &format!("{event}\n"));
    if bytes > 0 {
        world.write(&format!(".agent-traces/{id}/postmortem.md"), &"x".repeat(bytes));
    }
}

/// As if the files had been written then.
fn age_files(world: &World, id: &str, seconds: i64) {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(u64::try_from(seconds).unwrap());
    for entry in fs::read_dir(store(world).join(id)).unwrap() {
        fs::File::options().append(true).open(entry.unwrap().path()).unwrap().set_modified(time).unwrap();
    }
}

fn store(world: &World) -> std::path::PathBuf {
    world.path().join(".agent-traces")
}

fn retention(world: &World, args: &[&str]) -> Answer {
    world.run(&[&["retention"], args, &["--now", NOW]].concat())
}

fn report(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"))
}

/// The sessions that are there, sorted.
fn sessions(world: &World) -> Vec<String> {
    let entries = fs::read_dir(store(world)).unwrap().map(|entry| entry.unwrap());
    let mut names: Vec<String> = entries
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn clean(world: &World, args: &[&str]) -> Answer {
    retention(world, &[&["clean", "--yes"], args].concat())
}
