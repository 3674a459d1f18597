//! How long the store keeps sessions, as a user asks for it: each defect of the Python tool of this name, hostile stores,
//! deletions that were cut off, and the rules of the gate.

use std::fs;
use std::path::Path;

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

/// Whatever a session says that it is called, its directory is what is deleted (`ret-traversal`, `ret-dot`).
#[test]
fn an_id_in_a_file_names_nothing() {
    for id in ["../victim", ".", "..", "", "/", "other", "../.agent-traces/other"] {
        let world = World::empty();
        world.write("victim/meta.json", "{}").write("victim/precious", "x");
        session(&world, "other", 1, 0);
        session(&world, "evil", 60, 0);
        world.write(
            ".agent-traces/evil/meta.json",
            &json!({"session_id": id, "started_at": NOW_SECONDS - 60 * DAY, "ended_at": NOW_SECONDS - 60 * DAY})
                .to_string(),
        );
        let answer = clean(&world, &["--max-age-days", "30"]);
        assert_eq!(answer.code, 0, "{id}: {answer:?}");
        assert!(answer.stdout.starts_with("Deleted: 1 session(s)"), "{answer:?}");
        assert_eq!(sessions(&world), ["other"], "{id}");
        assert_eq!(world.read("victim/precious"), "x");
        let line: Value = serde_json::from_str(&world.read(".agent-traces/retention.log")).unwrap();
        assert_eq!(line, json!({"deleted_at": NOW, "session_id": "evil", "reason": "age"}));
    }
}

/// `ret-size-overdelete`: what age takes is no longer there for size.
#[test]
fn each_limit_counts_what_the_one_before_it_leaves() {
    let world = World::empty();
    for (id, days, megabytes) in [("old", 60, 10), ("mid", 10, 5), ("new", 1, 1)] {
        session(&world, id, days, megabytes << 20);
    }
    let answer = clean(&world, &["--max-age-days", "30", "--max-size-mb", "8"]);
    assert_eq!((answer.code, sessions(&world)), (0, vec!["mid".to_owned(), "new".to_owned()]), "{answer:?}");
    // And what number leaves is what size counts.
    session(&world, "old", 20, 10 << 20);
    let answer = retention(&world, &["clean", "--dry-run", "--max-sessions", "2", "--max-size-mb", "5"]);
    assert_eq!(answer.stdout, "Would delete: 2 session(s) (15.0 MB)\n  old  (count)\n  mid  (size)\n");
}

/// `ret-size-aux`: nothing is deleted for files that retention does not delete.
#[test]
fn size_counts_what_can_be_deleted_and_says_what_remains() {
    let world = World::empty();
    session(&world, "a", 2, 0);
    session(&world, "held", 3, 2 << 20);
    world.write(".agent-traces/datasets/big.jsonl", &"x".repeat(9 << 20));
    world.write(".agent-strace.yaml", "retention: {max_size_mb: 8, hold: [{session: held, reason: case 7}]}\n");
    let answer = clean(&world, &[]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stdout.starts_with("Nothing to delete"), "{answer:?}");
    assert!(answer.stdout.contains("The store still takes 11.0 MB"), "{answer:?}");
    assert!(answer.stdout.contains("9.0 MB of it are no sessions"), "{answer:?}");
    assert_eq!(sessions(&world), ["a", "datasets", "held"]);
}

/// `ret-negative`: a limit that would delete everything is a mistake.
#[test]
fn limits_that_delete_everything_are_refused() {
    let world = World::empty();
    session(&world, "a", 60, 0);
    for limit in ["--max-age-days", "--max-sessions", "--max-size-mb"] {
        for value in ["-1", "0", "x", "", "nan", "inf", "1e400", "99999999999999"] {
            let answer = clean(&world, &[limit, value]);
            assert_eq!((answer.code, sessions(&world).len()), (2, 1), "{limit} {value}: {answer:?}");
            assert!(answer.stdout.is_empty() && answer.stderr.starts_with("error: "), "{answer:?}");
        }
    }
    for value in ["-1", "0", "'30'", "true", ".nan", "[1]", "1.5"] {
        world.write(".agent-strace.yaml", &format!("retention:\n  max_sessions: {value}\n"));
        for verb in ["status", "check", "clean"] {
            let answer = retention(&world, &[verb]);
            assert_eq!(answer.code, 2, "{value}: {answer:?}");
            assert!(answer.stderr.contains(".agent-strace.yaml"), "{value}: {answer:?}");
        }
    }
    assert_eq!(sessions(&world), ["a"]);
}

/// `ret-active`: a session that may still run is never deleted, whatever says so.
#[test]
fn what_may_still_run_is_kept() {
    let world = World::empty();
    unfinished(&world, "recent-event", 60, NOW_SECONDS - 3600);
    unfinished(&world, "recent-file", 60, NOW_SECONDS - 50 * DAY);
    age_files(&world, "recent-file", NOW_SECONDS - 3600);
    unfinished(&world, "named", 60, NOW_SECONDS - 50 * DAY);
    world.write(".agent-traces/.active-session", "named\n");
    unfinished(&world, "crashed", 60, NOW_SECONDS - 50 * DAY);
    // A time that lies in the future proves nothing.
    unfinished(&world, "future", 60, NOW_SECONDS + 900 * DAY);
    let answer = clean(&world, &["--max-age-days", "30", "--max-sessions", "1", "--max-size-mb", "0.000001"]);
    assert_eq!(
        (answer.code, sessions(&world)),
        (0, ["named", "recent-event", "recent-file"].map(str::to_owned).into())
    );
    for words in
        ["recent-event  may still run: its end is not recorded, and it was last active 60 min ago", "named  may"]
    {
        assert!(answer.stdout.contains(words), "{answer:?}");
    }
    assert_eq!(retention(&world, &["check", "--max-age-days", "30"]).code, 0);
}

#[test]
fn nobody_is_deleted_without_a_word() {
    let world = World::empty();
    session(&world, "a", 60, 0);
    let answer = retention(&world, &["clean", "--max-age-days", "30"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{answer:?}");
    assert!(answer.stderr.contains("`--yes` deletes without a question"), "{answer:?}");
    let answer = retention(&world, &["clean", "--max-age-days", "30", "--dry-run"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, "Would delete: 1 session(s) (0.0 MB)\n  a  (age)\n"));
    assert_eq!(sessions(&world), ["a"]);
    assert!(!store(&world).join("retention.log").exists());
    // Nothing to delete needs no word.
    assert_eq!(retention(&world, &["clean", "--max-age-days", "90"]).code, 0);
}

/// `ret-yaml-comment`, `ret-yaml-flow`, `ret-yaml-inline`: the same policy, however it is written.
#[test]
fn yaml_is_read_as_yaml() {
    for text in [
        "retention: # policy\n  max_age_days: 30\n",
        "retention: {max_age_days: 30}\n",
        "retention:\n  max_age_days: 30 # days\n",
        "max_age_days: 30\n",
        "\"retention\":\n    \"max_age_days\": 30\n    max_size_mb: 500.5\n    on_delete: log\n",
        "{retention: {max_age_days: 30}}",
        "retention:\r\n  max_age_days: 30\r\n",
    ] {
        for name in [".agent-strace.yaml", ".agent-strace.yml", "elsewhere.yaml"] {
            let world = World::empty();
            session(&world, "old", 60, 0);
            session(&world, "new", 1, 0);
            world.write(name, text);
            let more: &[&str] = if name == "elsewhere.yaml" { &["--config", name] } else { &[] };
            let answer = retention(&world, &[&["check"], more].concat());
            assert_eq!(answer.code, 1, "{text}: {answer:?}");
            assert!(answer.stdout.contains("Policy would delete: 1 session(s)"), "{text}: {answer:?}");
        }
    }
}

/// A broken configuration is never no policy.
#[test]
fn faults_of_the_configuration_say_where_and_what() {
    for (text, said) in [
        ("retention:\n  max_age_dayz: 30\n", ["2:3", "did you mean `max_age_days`?"]),
        ("retention:\n  max_age_days: thirty\n", ["2:17", "is a string, not a whole number from 1 on"]),
        ("retention:\n  max_age_days: -30\n", ["2:17", "`-30` is not a whole number from 1 on"]),
        ("retention:\n  max_size_mb: 0\n", ["2:16", "`0` is not a number of megabytes above 0"]),
        ("retention:\n  on_delete: silnet\n", ["2:14", "did you mean `silent`?"]),
        ("retention:\n  max_age_days: 1\nmax_age_days: 2\n", ["3:15", "`max_age_days` stands in line 2, too"]),
        ("retention:\n  log_path: ../../.bashrc\n", ["2:13", "leaves the folder of this file"]),
        ("retention:\n  log_path: .bashrc\n", ["2:13", "is not named like a log"]),
        ("retention:\n  hold: [abc]\n", ["2:10", "is a string, not an object"]),
        ("retention:\n  hold:\n    - session: abc\n", ["3:7", "`reason` is missing"]),
        ("retention:\n  hold:\n    - {session: abc, reson: x}\n", ["3:22", "did you mean `reason`?"]),
        ("retention: 30\n", ["1:12", "is a number, not an object"]),
        ("retentoin:\n  max_age_days: 30\n", ["1:1", "did you mean `retention`?"]),
        ("retention: {max_age_days: 30\n", ["this is not YAML", "can't be used"]),
    ] {
        let world = World::empty();
        session(&world, "old", 60, 0);
        world.write(".agent-strace.yaml", text);
        for verb in ["status", "check", "clean"] {
            let answer = retention(&world, &[verb]);
            assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{text}: {answer:?}");
            for words in said {
                assert!(answer.stderr.contains(words), "{text}\nwanted: {words}\n{}", answer.stderr);
            }
        }
    }
    let world = World::empty();
    session(&world, "old", 60, 0);
    assert_eq!(retention(&world, &["check", "--config", "absent.yaml"]).code, 2);
    // What is wrong with a suppression is no reason to keep anything.
    world.write(".agent-strace.yaml", "retention: {max_age_days: 30}\nsuppressions: []\n");
    assert_eq!(retention(&world, &["check"]).code, 1);
}

/// `ret-status-exit`: `status` tells, `check` fails, both also as JSON.
#[test]
fn check_fails_where_status_only_tells() {
    let world = World::empty();
    session(&world, "aaaa1111bbbb22223333", 60, 700 << 10);
    session(&world, "new", 1, 0);
    world.write("limits.yaml", "retention: {max_age_days: 30}\n");
    let status = retention(&world, &["status", "--config", "limits.yaml"]);
    assert_eq!(status.code, 0);
    let expected = "Sessions:    2\nOldest:      aaaa1111bbbb2222 (60.0 days ago)\nSize:        0.7 MB\n\n\
                    Policy would delete: 1 session(s) (0.7 MB)\nRun `agent-strace retention clean` to apply.\n";
    assert_eq!(status.stdout, expected);
    let check = retention(&world, &["check", "--config", "limits.yaml"]);
    assert_eq!((check.code, check.stdout), (1, format!("{expected}\nFAIL\n")));
    let json = report(&retention(&world, &["check", "--config", "limits.yaml", "--format", "json"]));
    assert_eq!(
        (&json["verdict"], &json["exit_code"], &json["summary"]["exceeding"]),
        (&json!("fail"), &json!(1), &json!(1))
    );
    assert_eq!(json["sessions"][0]["exceeds"], "age");
    let json = report(&retention(&world, &["status", "--config", "limits.yaml", "--format", "json"]));
    assert_eq!((&json["verdict"], &json["exit_code"]), (&json!("fail"), &json!(0)));
    // Options stand over the file.
    assert_eq!(retention(&world, &["check", "--config", "limits.yaml", "--max-age-days", "90"]).code, 0);
    // A gate without a rule judges nothing, and one without a store neither.
    assert_eq!(retention(&world, &["check"]).code, 2);
    let nowhere = world.run(&["--trace-dir", "nowhere", "retention", "check", "--max-age-days", "3", "--now", NOW]);
    assert_eq!(nowhere.code, 3, "{nowhere:?}");
}

/// `ret-corrupt-kept`: a damaged session is counted, aged by what is left of it, told of, and deleted.
#[test]
fn damaged_sessions_are_neither_forgotten_nor_kept_for_ever() {
    let world = World::empty();
    session(&world, "new", 1, 0);
    for (id, meta) in [("cut", "{\"session_id\": \"cu"), ("empty", ""), ("list", "[]"), ("none", "{}"), ("later", "")] {
        session(&world, id, 600, 0);
        world.write(&format!(".agent-traces/{id}/meta.json"), meta);
    }
    let future = json!({"started_at": NOW_SECONDS + 9000 * DAY, "ended_at": NOW_SECONDS}).to_string();
    world.write(".agent-traces/later/meta.json", &future);
    fs::create_dir_all(store(&world).join("bare")).unwrap();
    world.write(".agent-traces/bare/meta.json", "x");
    for id in ["cut", "empty", "list", "none", "bare"] {
        age_files(&world, id, NOW_SECONDS - 50 * DAY);
    }
    let status = retention(&world, &["status", "--max-age-days", "30"]);
    assert!(status.stdout.starts_with("Sessions:    7\nOldest:      cut (600.0 days ago)"), "{status:?}");
    assert!(
        status.stdout.contains("bare  `meta.json`: it is no session's; `events.ndjson`: it is missing; aged by when")
    );
    assert!(status.stdout.contains("aged by its events"), "{status:?}");
    assert_eq!(retention(&world, &["check", "--max-age-days", "30"]).code, 1);
    assert_eq!(clean(&world, &["--max-age-days", "30"]).code, 0);
    assert_eq!(sessions(&world), ["new"]);
}

#[test]
fn what_was_made_from_a_session_goes_with_it() {
    let world = World::empty();
    session(&world, "a", 60, 0);
    session(&world, "ab", 1, 0);
    session(&world, "workspaces/team/a", 60, 0);
    for file in ["checkpoints/a.md", "checkpoints/ab.md", "baselines/a.json", "workspaces/team/checkpoints/a.md"] {
        world.write(&format!(".agent-traces/{file}"), "x");
    }
    world.write(".agent-traces/workspaces/team/checkpoints/other.md", "x");
    let answer = clean(&world, &["--max-age-days", "30"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(sessions(&world), ["ab", "baselines", "checkpoints", "workspaces"]);
    let there = |file: &str| store(&world).join(file).exists();
    for file in ["checkpoints/ab.md", "workspaces/team/checkpoints/other.md"] {
        assert!(there(file), "{file}");
    }
    for file in ["checkpoints/a.md", "baselines/a.json", "workspaces/team/checkpoints/a.md", "workspaces/team/a"] {
        assert!(!there(file), "{file}");
    }
}

#[test]
fn holds_are_kept_with_their_reason() {
    let world = World::empty();
    for (id, days) in [("case-1", 60), ("case-1.2", 61), ("other", 62), ("new", 1)] {
        session(&world, id, days, 0);
    }
    world.write(
        ".agent-strace.yaml",
        "retention:\n  max_age_days: 30\n  max_sessions: 1\n  hold:\n    - {session: case-1, reason: 'INC-42: the audit'}\n    \
         - {session: 'csae-*', reason: a slip}\n",
    );
    let answer = clean(&world, &[]);
    assert_eq!(
        (answer.code, sessions(&world)),
        (0, ["case-1", "case-1.2", "new"].map(str::to_owned).into()),
        "{answer:?}"
    );
    assert!(answer.stdout.contains("case-1.2  held: INC-42: the audit"), "{answer:?}");
    assert!(answer.stderr.contains("the hold on `csae-*` is about no session of the store"), "{answer:?}");
    assert_eq!(retention(&world, &["check"]).code, 0);
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_is_never_followed_and_told() {
        let world = World::empty();
        world.write("victim/meta.json", &json!({"started_at": 1, "ended_at": 2}).to_string()).write("victim/x", "x");
        session(&world, "old", 60, 0);
        session(&world, "linked", 60, 0);
        let store = store(&world);
        symlink("../victim", store.join("session")).unwrap();
        symlink("../victim", store.join("workspaces")).unwrap();
        symlink("../../victim", store.join("linked/inside")).unwrap();
        fs::create_dir_all(store.join("checkpoints")).unwrap();
        symlink("../../victim/x", store.join("checkpoints/old.md")).unwrap();
        let answer = clean(&world, &["--max-age-days", "30"]);
        assert_eq!(answer.code, 3, "{answer:?}");
        assert!(answer.stdout.contains("session  a link: not followed, and not deleted"), "{answer:?}");
        assert!(answer.stdout.contains("checkpoints/old.md  a link: not followed"), "{answer:?}");
        assert_eq!(sessions(&world), ["checkpoints"]);
        assert_eq!(world.read("victim/x"), "x");
        assert!(store.join("session").is_symlink() && store.join("checkpoints/old.md").is_symlink());
        assert_eq!(retention(&world, &["check", "--max-age-days", "30"]).code, 3);
    }

    #[test]
    fn a_store_that_is_a_link_or_a_repository_is_refused() {
        let world = World::empty();
        world.write("victim/old/meta.json", &json!({"started_at": 1, "ended_at": 2}).to_string());
        symlink("victim", store(&world)).unwrap();
        for verb in ["status", "check", "clean"] {
            let answer = retention(&world, &[verb, "--max-age-days", "30"]);
            assert_eq!(answer.code, 2, "{answer:?}");
            assert!(answer.stderr.contains("the store is a link"), "{answer:?}");
        }
        world.write(".git/HEAD", "ref: refs/heads/main\n");
        let args = ["--trace-dir", ".", "retention", "clean", "--yes", "--max-age-days", "30", "--now", NOW];
        let answer = world.run(&args);
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.stderr.contains("it is a repository, not a trace store"), "{answer:?}");
        assert!(world.path().join("victim/old").exists());
    }

    #[test]
    fn nothing_is_deleted_that_can_not_be_logged() {
        let world = World::empty();
        session(&world, "old", 60, 0);
        world.write("rc", "alias x=y\n");
        symlink("../rc", store(&world).join("retention.log")).unwrap();
        let answer = clean(&world, &["--max-age-days", "30"]);
        assert_eq!((answer.code, world.read("rc").as_str()), (2, "alias x=y\n"), "{answer:?}");
        assert!(answer.stderr.contains("so nothing was deleted"), "{answer:?}");
        fs::remove_file(store(&world).join("retention.log")).unwrap();
        world.write("notes.log", "not a log of deletions\n");
        symlink("..", world.path().join("folder")).unwrap();
        for path in ["notes.log", "folder/x.log", ".agent-traces/old/x.log", ".agent-traces"] {
            world.write(".agent-strace.yaml", &format!("retention: {{max_age_days: 30, log_path: {path}}}\n"));
            assert_eq!((clean(&world, &[]).code, sessions(&world)), (2, vec!["old".to_owned()]), "{path}");
        }
        world.write(".agent-strace.yaml", "retention: {max_age_days: 30, log_path: logs/x/deletions.jsonl}\n");
        assert_eq!(clean(&world, &[]).code, 0);
        assert!(world.read("logs/x/deletions.jsonl").contains("\"session_id\":\"old\""));
    }
}

/// A session in another one, or in no place of the store, is told of and never deleted by the way.
#[test]
fn sessions_out_of_place_are_told_and_stay() {
    let world = World::empty();
    session(&world, "old", 60, 0);
    session(&world, "outer", 60, 0);
    session(&world, "outer/inner", 1, 0);
    session(&world, "archive/2025/old", 60, 0);
    session(&world, "workspaces/team", 60, 0);
    let answer = clean(&world, &["--max-age-days", "30"]);
    assert_eq!((answer.code, sessions(&world)), (3, ["archive", "outer", "workspaces"].map(str::to_owned).into()));
    for words in
        ["outer/inner  a session inside of another one", "archive/2025/old  a session where", "workspaces/team  a"]
    {
        assert!(answer.stdout.contains(words), "{words}: {answer:?}");
    }
    for place in ["outer/inner", "archive/2025/old", "workspaces/team"] {
        assert!(store(&world).join(place).join("events.ndjson").exists(), "{place}");
    }
}

/// Names and reasons come from outside: neither a terminal nor the log obeys them.
#[test]
fn hostile_names_are_harmless() {
    let world = World::empty();
    session(&world, "a\u{1b}[2J\n::error ::x", 60, 0);
    let secret = format!("ghp_{}", "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA4bC6".get(..36).unwrap());
    session(&world, &secret, 60, 0);
    let dry = retention(&world, &["clean", "--dry-run", "--max-age-days", "30"]);
    let done = clean(&world, &["--max-age-days", "30"]);
    assert_eq!((dry.code, done.code), (0, 0), "{done:?}");
    let log = world.read(".agent-traces/retention.log");
    for text in [&dry.stdout, &dry.stderr, &done.stdout, &log] {
        assert!(!text.contains(&secret) && !text.contains('\u{1b}') && !text.contains("\n::"), "{text}");
    }
    assert_eq!(log.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count(), 2);
}

/// A deletion that was cut off after any of its steps is ended by the next run, and no reader sees what is left.
#[test]
fn deletions_that_were_cut_off_are_ended() {
    for (tombstone, logged) in [(".retention-doomed.old", true), (".retention-logged.old", false)] {
        let world = World::empty();
        session(&world, "new", 1, 0);
        session(&world, "old", 60, 0);
        world.write(".agent-traces/checkpoints/old.md", "x");
        world.write(".agent-scope.json", "{}");
        fs::rename(store(&world).join("old"), store(&world).join(tombstone)).unwrap();
        let listed = world.run(&["list", "--format", "json"]);
        assert_eq!((listed.code, report(&listed)["sessions"].as_array().unwrap().len()), (0, 1), "{listed:?}");
        let checked = report(&world.run(&["check", "--now", NOW, "--format", "json"]));
        assert_eq!(checked["summary"]["sessions"], 1);
        let status = retention(&world, &["status", "--max-age-days", "30"]);
        assert!(status.stdout.contains("Deletions that were cut off: 1"), "{status:?}");
        assert_eq!(retention(&world, &["check", "--max-age-days", "30"]).code, 1);
        assert_eq!(retention(&world, &["clean", "--max-age-days", "30"]).code, 2);
        let answer = clean(&world, &["--max-age-days", "30"]);
        assert_eq!((answer.code, answer.stdout.as_str()), (0, "Ended 1 deletion(s) that had been cut off\n"));
        let log = fs::read_to_string(store(&world).join("retention.log")).unwrap_or_default();
        assert_eq!(log.contains("\"session_id\":\"old\",\"reason\":\"interrupted\""), logged, "{log}");
        assert_eq!(sessions(&world), ["checkpoints", "new"]);
        assert_eq!(store(&world).join("checkpoints/old.md").exists(), !logged);
        assert_eq!(retention(&world, &["check", "--max-age-days", "30"]).code, 0);
    }
}

/// What a session exceeds, by `check`.
fn findings(world: &World, args: &[&str]) -> (Vec<String>, Answer) {
    let answer = world.run(&[&["check", "--format", "json", "--now", NOW], args].concat());
    let json = report(&answer);
    let found = json["findings"].as_array().unwrap().iter();
    let found = found.filter(|finding| finding["rule"].as_str().unwrap().starts_with("retention/"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (found.map(|finding| format!("{} {}", text(&finding["session"]), text(&finding["rule"]))).collect(), answer)
}

#[test]
fn the_gate_reports_what_the_store_should_have_deleted() {
    let world = World::empty();
    for (id, days) in [("a", 60), ("b", 20), ("c", 2), ("held", 90)] {
        session(&world, id, days, 0);
    }
    unfinished(&world, "crashed", 61, NOW_SECONDS - 50 * DAY);
    world.write(".agent-traces/timeless/events.ndjson", "{\"event_type\":\"session_start\",\"data\":{}}\n");
    world.write(".agent-traces/timeless/meta.json", "{\"session_id\":\"timeless\"}");
    world.write(".agent-scope.json", "{}");
    world.write(
        ".agent-strace.yaml",
        "retention:\n  max_age_days: 30\n  max_sessions: 2\n  hold: [{session: held, reason: INC-42}]\n",
    );
    let (found, answer) = findings(&world, &[]);
    let expected = ["timeless retention/count", "crashed retention/age", "a retention/age"].map(str::to_owned);
    assert_eq!(found, expected, "{answer:?}");
    let json = report(&answer);
    let age = json["findings"].as_array().unwrap().iter().find(|finding| finding["session"] == "a").unwrap();
    assert_eq!(age["level"], "warning");
    assert_eq!(age["message"], "it began on 2026-04-16: retention.max_age_days keeps sessions for 30 days");
    assert_eq!(
        (&age["policy"]["file"], &age["policy"]["line"], &age["policy"]["pointer"]),
        (&json!(".agent-strace.yaml"), &json!(2), &json!("/retention/max_age_days"))
    );
    // Fresh files of a checkout change nothing, one session is judged alone, and a log elsewhere is none of its business.
    age_files(&world, "crashed", NOW_SECONDS - 60);
    assert_eq!(findings(&world, &[]).0, expected);
    assert_eq!(findings(&world, &["a"]).0, ["a retention/age"]);
    fs::create_dir_all(world.path().join("logs")).unwrap();
    fs::rename(store(&world).join("a"), world.path().join("logs/a")).unwrap();
    assert_eq!(findings(&world, &["logs"]).0, Vec::<String>::new());
    world.write(".agent-strace.yaml", "retention: {max_age_days: 30}\n");
    assert_eq!(findings(&world, &["timeless"]).0, ["timeless retention/unreadable"]);
    let failing = world.run(&["check", "crashed", "--now", NOW, "--fail-on", "warning"]);
    assert_eq!(failing.code, 1, "{failing:?}");
}

/// The examples of the other tool's README.
#[test]
fn the_examples_of_the_other_readme_work() {
    let world = World::empty();
    for (id, days) in [("a", 60), ("b", 20), ("c", 2)] {
        session(&world, id, days, 0);
    }
    world.write(
        ".agent-strace.yaml",
        "retention:\n  max_age_days: 90\n  max_sessions: 1000\n  max_size_mb: 500\n  on_delete: log    # log deletions\n",
    );
    assert_eq!(retention(&world, &["status"]).code, 0);
    assert_eq!(retention(&world, &["clean", "--dry-run"]).code, 0);
    assert_eq!(clean(&world, &["--max-age-days", "30"]).code, 0);
    assert_eq!(clean(&world, &["--max-sessions", "1000"]).code, 0);
    assert_eq!(clean(&world, &["--max-size-mb", "500"]).code, 0);
    assert_eq!(sessions(&world), ["b", "c"]);
    world.write(".agent-strace.yaml", "retention: {max_age_days: 10, on_delete: silent}\n");
    let before = world.read(".agent-traces/retention.log");
    assert_eq!(clean(&world, &[]).code, 0);
    assert_eq!((sessions(&world), world.read(".agent-traces/retention.log")), (vec!["c".to_owned()], before));
}

/// What our README shows can be used as it stands.
#[test]
fn the_limits_of_the_readme_are_valid() {
    let text = fs::read_to_string(crate::world::project().join("README.md")).unwrap();
    let start = "<!-- retention: read by tests/suite/retention.rs -->\n```yaml\n";
    let (_, rest) = text.split_once(start).expect("a configuration");
    let world = World::empty();
    session(&world, "3f9a1", 60, 0);
    session(&world, "old", 60, 0);
    world.write(".agent-strace.yaml", rest.split_once("```").unwrap().0);
    assert_eq!(clean(&world, &[]).code, 0);
    assert_eq!(sessions(&world), ["3f9a1"]);
}

#[test]
fn a_lock_of_another_writer_is_waited_for_and_respected() {
    let world = World::empty();
    session(&world, "old", 60, 0);
    world.write(".agent-traces/.store.lock", "");
    let lock = fs::File::open(store(&world).join(".store.lock")).unwrap();
    lock.lock().unwrap();
    let answer = clean(&world, &["--max-age-days", "30"]);
    assert_eq!((answer.code, sessions(&world)), (2, vec!["old".to_owned()]), "{answer:?}");
    assert!(answer.stderr.contains("another program holds it"), "{answer:?}");
    lock.unlock().unwrap();
    assert_eq!(clean(&world, &["--max-age-days", "30"]).code, 0);
}

/// Everything below a folder but the store, with its bytes.
fn outside(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if name == ".agent-traces" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            found.extend(outside(&entry.path()));
        } else {
            found.push((entry.path().display().to_string(), fs::read(entry.path()).unwrap()));
        }
    }
    found.sort();
    found
}

/// What a made-up session is: its age in days, its size, whether it is finished, and its file of metadata.
type Made = (i64, usize, bool, u8);

fn make(world: &World, number: usize, (days, bytes, finished, meta): Made) {
    let id = format!("s{number}");
    if finished {
        session(world, &id, days, bytes);
    } else {
        unfinished(world, &id, days, NOW_SECONDS - days * DAY);
    }
    let text = match meta {
        0 => json!({"session_id": "../victim", "started_at": NOW_SECONDS - days * DAY, "ended_at": NOW_SECONDS})
            .to_string(),
        1 => "broken".to_owned(),
        2 => json!({"session_id": ".", "ended_at": 1}).to_string(),
        _ => return,
    };
    world.write(&format!(".agent-traces/{id}/meta.json"), &text);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    /// Nothing outside of the store changes; what is clean stays clean and passes; what stays is what the limits allow.
    #[test]
    fn what_is_cleaned_is_clean(
        made in proptest::collection::vec((0_i64..80, 0_usize..4000, proptest::bool::ANY, 0_u8..6), 0..8),
        days in 1_u32..60, most in 1_usize..8, kilobytes in 1_u32..16,
    ) {
        let world = World::empty();
        world.write("victim/precious", "x").write(".agent-traces/.gitignore", "*\n");
        for (number, made) in made.iter().enumerate() {
            make(&world, number, *made);
        }
        let before = outside(world.path());
        let size = format!("{}", f64::from(kilobytes) / 1024.0);
        let (age, count) = (days.to_string(), most.to_string());
        let limits = ["--max-age-days", &age, "--max-sessions", &count, "--max-size-mb", &size];
        let answer = clean(&world, &limits);
        proptest::prop_assert_eq!(answer.code, 0, "{:?}", answer);
        proptest::prop_assert_eq!(outside(world.path()), before);
        let check = retention(&world, &[&["check"], &limits[..]].concat());
        proptest::prop_assert_eq!(check.code, 0, "{:?}", check);
        let left = sessions(&world);
        let again = clean(&world, &limits);
        proptest::prop_assert!(again.stdout.starts_with("Nothing to delete"), "{:?}", again);
        proptest::prop_assert_eq!(sessions(&world), left.clone());
        let running = made.iter().filter(|(days, _, finished, _)| !finished && *days == 0).count();
        proptest::prop_assert!(left.len() <= most + running, "{:?}", left);
    }
}
