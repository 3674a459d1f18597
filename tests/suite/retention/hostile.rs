//! Stores that are made to have something else deleted.

use std::fs;

use serde_json::{Value, json};

use super::{DAY, NOW, NOW_SECONDS, clean, retention, session, sessions, store};
use crate::world::World;

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
