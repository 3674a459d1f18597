//! What is deleted, what stays, and what is said of it.

use std::fs;

use serde_json::json;

use super::{DAY, NOW, NOW_SECONDS, age_files, clean, report, retention, session, sessions, store, unfinished};
use crate::world::World;

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
