//! What bad input gets: a clear line naming file and place, a gap in the report, exit code 2 or 3. Never a panic, a
//! silent pass or a hang. Each case runs the binary as a user would, so that a crash of the process shows.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const POLICY: &str = r#"{"files": {"read": {"allow": ["src/**"], "deny": [".env"]}}}"#;
const GOOD: &str = concat!(
    r#"{"event_type":"session_start","timestamp":1.0,"event_id":"a1","session_id":"good","data":{"cwd":"/repo"}}"#,
    "\n",
    r#"{"event_type":"tool_call","timestamp":2.0,"event_id":"a2","session_id":"good","data":{"tool_name":"Read","arguments":{"file_path":"/repo/src/a.rs"}}}"#,
    "\n",
);
const BAD_READ: &str = r#"{"event_type":"tool_call","timestamp":3.0,"event_id":"a3","session_id":"good","data":{"tool_name":"Read","arguments":{"file_path":"/repo/.env"}}}"#;

/// A throw-away store with one clean session, and whatever a case adds.
struct World {
    folder: TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { folder: TempDir::new().unwrap() };
        fs::write(world.path("scope.json"), POLICY).unwrap();
        world.session("good", GOOD.as_bytes());
        world
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn session(&self, id: &str, events: &[u8]) {
        let folder = self.path("store").join(id);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("events.ndjson"), events).unwrap();
        let meta = format!(r#"{{"session_id":"{id}","started_at":1.0,"attribution":{{"working_dir":"/repo"}}}}"#);
        fs::write(folder.join("meta.json"), meta).unwrap();
    }

    fn check(&self, sessions: &[&str]) -> Checked {
        #[expect(clippy::disallowed_methods, reason = "the case runs the product itself")]
        let output = Command::new(env!("CARGO_BIN_EXE_agent-strace"))
            .current_dir(self.folder.path())
            .env_clear()
            .args(["--trace-dir", "store", "check", "--policy", "scope.json", "--format", "json"])
            .args(sessions)
            .output()
            .unwrap();
        Checked { output }
    }
}

struct Checked {
    output: Output,
}

impl Checked {
    /// Incomplete evidence: exit code 3 and a gap whose file ends in `file` and whose reason holds `reason`.
    #[track_caller]
    fn is_incomplete(&self, file: &str, reason: &str) {
        let text = String::from_utf8_lossy(&self.output.stdout);
        let errors = String::from_utf8_lossy(&self.output.stderr);
        assert_eq!(self.output.status.code(), Some(3), "stdout: {text:.2000}\nstderr: {errors:.2000}");
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["verdict"], "incomplete");
        let gaps = report["gaps"].as_array().unwrap();
        let hit = gaps.iter().any(|gap| {
            gap["file"].as_str().unwrap().ends_with(file) && gap["reason"].as_str().unwrap().contains(reason)
        });
        assert!(hit, "no gap for `{file}` with `{reason}` in {gaps:#?}");
        assert!(report["summary"]["gaps"].as_u64().unwrap() >= 1);
    }
}

#[test]
fn the_clean_store_passes() {
    let checked = World::new().check(&[]);
    assert_eq!(checked.output.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.output.stderr));
}

#[test]
fn empty_events_are_no_evidence() {
    let world = World::new();
    world.session("empty", b"");
    world.check(&[]).is_incomplete("empty/events.ndjson", "empty");
}

#[test]
fn binary_data_is_named() {
    let world = World::new();
    world.session("binary", &(0..=255_u8).cycle().take(70_000).collect::<Vec<_>>());
    world.check(&[]).is_incomplete("binary/events.ndjson", "");
}

#[test]
fn a_binary_file_given_by_name_is_named() {
    let world = World::new();
    fs::write(world.path("core"), b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0").unwrap();
    world.check(&["core"]).is_incomplete("core", "");
}

#[test]
fn a_truncated_last_line_is_a_gap_and_the_rest_is_judged() {
    let world = World::new();
    world.session("cut", format!("{GOOD}{}", &BAD_READ[..60]).as_bytes());
    world.check(&[]).is_incomplete("cut/events.ndjson", "");
    let found = World::new();
    found.session("cut", format!("{GOOD}{BAD_READ}\n{}", &BAD_READ[..60]).as_bytes());
    assert_eq!(found.check(&[]).output.status.code(), Some(1), "a finding outranks the gap");
}

#[test]
fn a_line_over_the_limit_neither_hangs_nor_passes() {
    let world = World::new();
    let mut events = GOOD.as_bytes().to_vec();
    events.extend_from_slice(br#"{"event_type":"user_prompt","timestamp":3.0,"event_id":"a3","data":{"prompt":""#);
    // A record may have 64 MiB.
    events.resize(events.len() + 64 * 1024 * 1024, b'x');
    events.extend_from_slice(b"\"}}\n");
    world.session("long", &events);
    world.check(&[]).is_incomplete("long/events.ndjson", "larger than 64 MiB");
}

#[test]
fn nesting_of_10_000_is_not_a_crash() {
    let world = World::new();
    let deep = format!(
        r#"{{"event_type":"tool_call","timestamp":3.0,"event_id":"a3","session_id":"deep","data":{{"tool_name":"Read","arguments":{}{}}}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    world.session("deep", format!("{GOOD}{deep}\n").as_bytes());
    let checked = world.check(&[]);
    assert!(matches!(checked.output.status.code(), Some(1 | 3)), "{:?}", checked.output.status);
}

#[test]
fn a_symlink_loop_is_a_gap() {
    let world = World::new();
    symlink("loop", world.path("store/loop")).unwrap();
    world.check(&[]).is_incomplete("loop", "");
}

#[test]
fn a_folder_that_contains_itself_is_walked_once() {
    let world = World::new();
    fs::create_dir(world.path("logs")).unwrap();
    fs::write(world.path("logs/events.ndjson"), GOOD).unwrap();
    symlink(".", world.path("logs/again")).unwrap();
    world.check(&["logs"]).is_incomplete("again", "link");
}

#[test]
fn a_store_entry_that_points_outside_is_not_followed() {
    let world = World::new();
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("events.ndjson"), format!("{GOOD}{BAD_READ}\n")).unwrap();
    fs::write(outside.path().join("meta.json"), r#"{"session_id":"out","started_at":1.0}"#).unwrap();
    symlink(outside.path(), world.path("store/out")).unwrap();
    world.check(&[]).is_incomplete("out", "link");
}

#[test]
fn an_events_file_that_points_outside_is_not_followed() {
    let world = World::new();
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("secret.ndjson"), format!("{GOOD}{BAD_READ}\n")).unwrap();
    world.session("linked", b"");
    fs::remove_file(world.path("store/linked/events.ndjson")).unwrap();
    symlink(outside.path().join("secret.ndjson"), world.path("store/linked/events.ndjson")).unwrap();
    world.check(&[]).is_incomplete("linked/events.ndjson", "link");
}

#[test]
fn an_unreadable_events_file_is_a_gap() {
    let world = World::new();
    world.session("dir", b"");
    // A directory in the file's place holds no events for anybody, root included.
    fs::remove_file(world.path("store/dir/events.ndjson")).unwrap();
    fs::create_dir(world.path("store/dir/events.ndjson")).unwrap();
    world.check(&[]).is_incomplete("store/dir", "events are missing");
}

#[test]
fn a_pipe_in_the_store_does_not_hang() {
    let world = World::new();
    world.session("pipe", b"");
    fs::remove_file(world.path("store/pipe/events.ndjson")).unwrap();
    make_pipe(&world.path("store/pipe/events.ndjson"));
    world.check(&[]).is_incomplete("pipe/events.ndjson", "");
}

fn make_pipe(path: &Path) {
    #[expect(clippy::disallowed_methods, reason = "the standard library can't make one")]
    let status = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(status.success());
}

#[test]
fn a_missing_meta_file_does_not_hide_the_session() {
    let world = World::new();
    world.session("bare", format!("{GOOD}{BAD_READ}\n").as_bytes());
    fs::remove_file(world.path("store/bare/meta.json")).unwrap();
    assert_eq!(world.check(&[]).output.status.code(), Some(1));
}

#[test]
fn broken_utf8_is_a_gap_and_the_call_in_it_is_judged() {
    let world = World::new();
    let mut line = BAD_READ.as_bytes().to_vec();
    let at = line.windows(4).position(|window| window == b".env").unwrap();
    line.splice(at..at, [0xff]);
    world.session("latin", &[GOOD.as_bytes(), &line, b"\n"].concat());
    assert!(matches!(world.check(&[]).output.status.code(), Some(1 | 3)));
}

#[test]
fn a_repository_that_can_not_be_read_hides_no_symlink() {
    let world = World::new();
    fs::create_dir(world.path(".git")).unwrap();
    fs::write(world.path(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::create_dir_all(world.path(".git/refs/heads")).unwrap();
    fs::create_dir(world.path(".git/objects")).unwrap();
    fs::write(world.path(".git/config"), "[core\n").unwrap();
    world.check(&[]).is_incomplete(".git", "symlinks");
}

#[test]
fn an_empty_store_and_no_store_are_no_pass() {
    let world = World::new();
    fs::remove_dir_all(world.path("store/good")).unwrap();
    assert_eq!(world.check(&[]).output.status.code(), Some(3), "empty store");
    fs::remove_dir(world.path("store")).unwrap();
    assert_eq!(world.check(&[]).output.status.code(), Some(3), "no store");
}
