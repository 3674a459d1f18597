//! Throw-away stores and folders.
#![cfg(unix)]

mod archives;
mod objects;
mod several;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::TempDir;

use super::{All, Found, SelectError, Selection, read_stream, select};
use agent_strace_model::{Gap, GapKind};

const EVENT: &str = r#"{"event_type":"session_start","timestamp":1.0,"event_id":"a","session_id":"ID","data":{}}"#;

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn session(root: &Path, folder: &str, started_at: &str) {
    let id = folder.rsplit('/').next().unwrap();
    write(root, &format!("{folder}/events.ndjson"), &EVENT.replace("ID", id));
    let meta = format!(r#"{{"session_id":"{id}","started_at":{started_at},"agent_name":"claude-code"}}"#);
    write(root, &format!("{folder}/meta.json"), &meta);
}

fn ask(root: &Path, requests: &[&str], selection: Selection) -> Result<Found, SelectError> {
    let requests: Vec<_> = requests.iter().map(|request| (*request).to_owned()).collect();
    select(root, &requests, selection)
}

/// Names of what was found, then gaps, below `root`.
fn names(root: &Path, found: &Found) -> Vec<String> {
    let short = |text: &str| text.replace(&format!("{}/", root.display()), "");
    let sources = found.sources.iter().map(|source| short(&source.shown));
    sources.chain(found.gaps.iter().map(|gap| format!("gap {}: {}", short(&gap.file), gap.kind))).collect()
}

#[test]
fn a_store_is_read_oldest_first_and_latest_leaves_the_rest_out() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    session(root, "b", "3.5");
    session(root, "c", "1");
    session(root, "workspaces/team/a", "2");
    write(root, ".active-session", "b");
    write(root, ".pending-calls.json", "{}");
    write(root, "b/annotations.jsonl", "{\"note\":1}");
    write(root, "b/postmortem.md", "# x");
    write(root, ".approvals/b.json", "{\"by\":\"ann\"}");
    write(root, "datasets/one.jsonl", "{\"prompt\":1}");
    let found = ask(root, &[], Selection::All).unwrap();
    assert_eq!(names(root, &found), ["c/events.ndjson", "workspaces/team/a/events.ndjson", "b/events.ndjson"]);
    let latest = ask(root, &[], Selection::Latest).unwrap();
    assert_eq!(names(root, &latest), ["b/events.ndjson"]);
    assert_eq!(latest.left_out, 2);
}

#[test]
fn a_session_with_broken_or_missing_meta_stays_in_scope() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    session(root, "good", "3");
    session(root, "old", "1");
    session(root, "bad", "2");
    write(root, "bad/meta.json", "{\"session_id\":");
    session(root, "gone", "2");
    fs::remove_file(root.join("gone/meta.json")).unwrap();
    session(root, "noevents", "2");
    fs::remove_file(root.join("noevents/events.ndjson")).unwrap();
    session(root, "other", "2");
    write(root, "other/meta.json", r#"{"session_id":"elsewhere","started_at":2}"#);
    let found = ask(root, &[], Selection::Latest).unwrap();
    assert_eq!(
        names(root, &found),
        [
            "bad/events.ndjson",
            "gone/events.ndjson",
            "good/events.ndjson",
            "gap noevents: `meta.json` without `events.ndjson`: the session's events are missing"
        ]
    );
    let gap = |name: &str| {
        let all = ask(root, &[name], Selection::All).unwrap();
        let log = all.sources[0].load().unwrap();
        let reading = log.read();
        assert_eq!(reading.sessions[0].events.len(), 1);
        reading.gaps.first().map(Gap::reason)
    };
    assert_eq!(gap("good"), None);
    assert_eq!(gap("bad").unwrap(), "it ends inside its JSON: it was cut off");
    assert_eq!(gap("gone").unwrap(), "missing: it was deleted or never written");
    assert_eq!(gap("other").unwrap(), "it names another session than its directory does");
}

#[test]
fn an_id_is_exact_first_then_an_unambiguous_prefix() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    for number in 1..=18 {
        session(root, &format!("run-{number}"), "1");
    }
    session(root, "abc", "1");
    assert_eq!(names(root, &ask(root, &["run-1"], Selection::All).unwrap()), ["run-1/events.ndjson"]);
    assert_eq!(names(root, &ask(root, &["ab"], Selection::All).unwrap()), ["abc/events.ndjson"]);
    let ambiguous = ask(root, &["run"], Selection::All).unwrap_err().to_string();
    assert!(ambiguous.starts_with("`run` is a prefix of 18 sessions: `"), "{ambiguous}");
    for missing in ["zzz", "", "../abc", ".", "no/such/file"] {
        let answer = ask(root, &[missing], Selection::All);
        if missing != "." {
            assert!(matches!(answer, Err(SelectError::NotFound(_))), "{missing}");
        }
    }
    let twice = ask(root, &["abc", "ab", "-"], Selection::All).unwrap();
    assert_eq!((twice.sources.len(), twice.stdin), (1, true));
}

#[test]
fn no_store_is_nothing_found() {
    let root = TempDir::new().unwrap();
    let found = ask(&root.path().join("absent"), &[], Selection::All).unwrap();
    assert!(found.sources.is_empty() && found.gaps.is_empty());
}

#[test]
fn nothing_is_followed_out_of_a_folder() {
    let outside = TempDir::new().unwrap();
    session(outside.path(), "secret", "1");
    let root = TempDir::new().unwrap();
    let root = root.path();
    session(root, "in", "1");
    symlink(outside.path().join("secret"), root.join("linked")).unwrap();
    symlink(root, root.join("in/loop")).unwrap();
    symlink(root.join("nowhere"), root.join("dangling.jsonl")).unwrap();
    symlink(root.join("in"), root.join("latest")).unwrap();
    session(root, "swapped", "1");
    fs::remove_file(root.join("swapped/events.ndjson")).unwrap();
    symlink(outside.path().join("secret/events.ndjson"), root.join("swapped/events.ndjson")).unwrap();
    session(root, "swapped-meta", "1");
    fs::remove_file(root.join("swapped-meta/meta.json")).unwrap();
    symlink(outside.path().join("secret/meta.json"), root.join("swapped-meta/meta.json")).unwrap();
    let leaves = "a symbolic link that leaves the folder: not followed";
    let found = ask(root, &[], Selection::All).unwrap();
    assert_eq!(
        names(root, &found),
        [
            "swapped-meta/events.ndjson".to_owned(),
            "in/events.ndjson".to_owned(),
            "gap dangling.jsonl: a symbolic link that leads nowhere, or in a loop".to_owned(),
            "gap in/loop: a loop: a symbolic link to a folder it lies in".to_owned(),
            format!("gap linked: {leaves}"),
            format!("gap swapped/events.ndjson: {leaves}"),
        ]
    );
    let log = found.sources[0].load().unwrap();
    assert_eq!(log.read().gaps[0].reason(), leaves);
    assert_eq!(names(root, &ask(root, &["linked"], Selection::All).unwrap()), [format!("gap linked: {leaves}")]);
}

#[test]
fn a_folder_of_logs_is_walked_and_nothing_hides_behind_a_name() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    let event = EVENT.replace("ID", "x");
    write(root, "b.jsonl", &event);
    write(root, "a/.hidden/deep.NDJSON", &event);
    write(root, "notes.md", "# notes");
    write(root, "settings.json", "{\"model\":1}");
    write(root, "eval.json", &event);
    let block = r#"{"type":"tool_use","id":"t","name":"Bash","input":{"command":"id"}}"#;
    write(root, "a/settings.json", &format!(r#"{{"messages":[{{"content":[{block}]}}]}}"#));
    write(root, "other.json", "{\"name\":\"x\"}");
    write(root, "tasks/x/1.json", r#"{"tool_name":"Bash","tool_input":{"command":"id"},"session_id":"x"}"#);
    write(root, "tasks/x/2.json", r#"{"subject":"say \"tool_input\"","tool_name":"Bash"}"#);
    write(root, ".git/x.json", "{}");
    let folder = root.to_string_lossy().into_owned();
    let found = select(Path::new("/nonexistent"), &[folder], Selection::Latest).unwrap();
    let expected = ["a/.hidden/deep.NDJSON", "a/settings.json", "b.jsonl", "eval.json", "other.json", "tasks/x/1.json"];
    assert_eq!(names(root, &found), expected);
    for at in [1, 4, 5] {
        let log = found.sources[at].load().unwrap();
        assert!(log.read().gaps[0].reason().starts_with("not a log of a known agent"));
    }
}

#[test]
fn a_folder_that_is_too_deep_or_a_file_that_is_no_file_is_a_gap() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    write(root, &format!("{}x.jsonl", "d/".repeat(17)), "{}");
    let socket = std::os::unix::net::UnixListener::bind(root.join("pipe.jsonl")).unwrap();
    let gaps = names(root, &ask(root, &[], Selection::All).unwrap());
    drop(socket);
    assert_eq!(gaps.len(), 2, "{gaps:?}");
    assert!(gaps[0].ends_with("nested deeper than 16 folders: not read"), "{gaps:?}");
    assert_eq!(gaps[1], "gap pipe.jsonl: not a regular file");
}

#[test]
fn a_file_of_a_store_that_is_named_by_its_path_keeps_its_meta() {
    let root = TempDir::new().unwrap();
    let root = root.path();
    session(root, "one", "1");
    let file = root.join("one/events.ndjson").to_string_lossy().into_owned();
    let found = select(Path::new("/nonexistent"), &[file], Selection::All).unwrap();
    assert_eq!(found.sources[0].entry.as_ref().unwrap().id, "one");
}

#[test]
fn a_stream_is_read_like_a_file() {
    let mut all = All::default();
    read_stream("-", EVENT.as_bytes(), &mut all);
    assert_eq!(all.logs[0].read().sessions[0].id, "ID");
}

#[test]
fn a_stream_above_the_limit_is_not_read() {
    let read = |length: u64| super::load::read_at_most(std::io::Read::take(std::io::repeat(b'x'), length), 0, 1_000);
    assert_eq!(read(1_000).unwrap().len(), 1_000);
    for endless in [1_001, u64::MAX] {
        assert!(matches!(read(endless), Err(GapKind::LimitReached(_))));
    }
}

/// A file of nothing but a hole takes no room.
#[test]
fn a_file_above_the_limit_is_a_gap() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("big.jsonl");
    let file = fs::File::create(&path).unwrap();
    for (size, sources) in [(super::MAX_FILE, 1), (super::MAX_FILE + 1, 0)] {
        file.set_len(size).unwrap();
        let found = select(Path::new("/nonexistent"), &[path.to_string_lossy().into_owned()], Selection::All).unwrap();
        assert_eq!((found.sources.len(), found.gaps.len()), (sources, 1 - sources), "{size}");
        assert!(found.gaps.iter().all(|gap| gap.reason().starts_with("larger than 2 GiB")), "{:?}", found.gaps);
    }
}
