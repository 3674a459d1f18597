use std::fs;
use std::path::Path;

use jiff::Timestamp;
use tempfile::TempDir;

use super::*;

fn now() -> Timestamp {
    "2026-06-15T12:00:00Z".parse().unwrap()
}

fn session(store: &Path, name: &str, days: i64, bytes: usize) {
    let began = now().as_second() - days * 86_400;
    fs::create_dir_all(store.join(name)).unwrap();
    fs::write(store.join(name).join("meta.json"), format!(r#"{{"started_at": {began}, "ended_at": {began}}}"#))
        .unwrap();
    fs::write(store.join(name).join("note"), "x".repeat(bytes)).unwrap();
}

fn planned(store: &Path, limits: Limits) -> Vec<(String, &'static str)> {
    let survey = survey(store, Clues::Records, now()).unwrap();
    let plan = plan(&survey, limits, |index| survey.sessions[index].name.starts_with("held"), now());
    plan.doomed().map(|(index, limit)| (survey.sessions[index].name.clone(), limit.name())).collect()
}

/// Age, then number, then size, and what is held counts for none of them.
#[test]
fn limits_follow_each_other() {
    let store = TempDir::new().unwrap();
    for (name, days, kilobytes) in [("a", 50, 9), ("b", 40, 9), ("c", 3, 9), ("d", 2, 4), ("e", 1, 4), ("held", 90, 99)]
    {
        session(store.path(), name, days, kilobytes << 10);
    }
    let of = |days, sessions, kilobytes: Option<f64>| {
        let megabytes = kilobytes.map(|kilobytes| kilobytes / 1024.0);
        let found = planned(store.path(), Limits { days, sessions, megabytes });
        found.iter().map(|(name, limit)| format!("{name} {limit}")).collect::<Vec<_>>().join(", ")
    };
    for (limits, expected) in [
        ((None, None, None), ""),
        ((Some(30), None, None), "a age, b age"),
        ((None, Some(2), None), "a count, b count, c count"),
        ((Some(30), Some(3), None), "a age, b age"),
        ((Some(45), Some(3), None), "a age, b count"),
        ((None, None, Some(9.0)), "a size, b size, c size"),
        ((Some(30), None, Some(18.0)), "a age, b age"),
        ((Some(45), Some(3), Some(9.0)), "a age, b count, c size"),
        ((Some(30), Some(2), Some(9.0)), "a age, b age, c count"),
        ((Some(u32::MAX), Some(u32::MAX), Some(1e12)), ""),
        ((None, None, Some(0.001)), "a size, b size, c size, d size, e size"),
    ] {
        assert_eq!(of(limits.0, limits.1, limits.2), expected, "{limits:?}");
    }
}

fn deletion(store: &Path) -> Deletion {
    Deletion { log: Some(Log::of_store(store).unwrap()), now: now() }
}

#[test]
fn a_session_that_was_replaced_or_is_in_the_way_stays() {
    let store = TempDir::new().unwrap();
    let store = store.path();
    session(store, "a", 50, 1);
    let survey = survey(store, Clues::Records, now()).unwrap();
    let mut deletion = deletion(store);
    let one = survey.sessions.first().unwrap();
    fs::create_dir(store.join(".retention-doomed.a")).unwrap();
    assert!(deletion.delete(one, Limit::Age).unwrap_err().to_string().contains("is in the way"));
    fs::remove_dir(store.join(".retention-doomed.a")).unwrap();
    fs::rename(store.join("a"), store.join("b")).unwrap();
    fs::write(store.join("a"), "a file now").unwrap();
    assert!(deletion.delete(one, Limit::Age).is_err());
    assert!(store.join("a").is_file() && store.join("b").is_dir());
    assert_eq!(fs::read_to_string(store.join("retention.log")).unwrap(), "");
}

/// Whatever step was the last one, the next run ends it, and says so once.
#[test]
fn every_step_can_be_the_last_one() {
    let long = "n".repeat(250);
    for name in ["a", &long] {
        let store = TempDir::new().unwrap();
        let store = store.path();
        session(store, name, 50, 1);
        let found = survey(store, Clues::Records, now()).unwrap();
        deletion(store).delete(found.sessions.first().unwrap(), Limit::Size).unwrap();
        assert_eq!(fs::read_dir(store).unwrap().count(), 1);
        let log = fs::read_to_string(store.join("retention.log")).unwrap();
        assert!(log.ends_with("\",\"reason\":\"size\"}\n") && log.contains(name), "{log}");
        for (prefix, lines) in [(".retention-doomed.", 2), (".retention-logged.", 2)] {
            session(store, &format!("{prefix}a"), 50, 1);
            let found = survey(store, Clues::Records, now()).unwrap();
            assert_eq!((found.sessions.len(), found.leftovers.len()), (0, 1));
            deletion(store).finish(found.leftovers.first().unwrap()).unwrap();
            assert_eq!(fs::read_dir(store).unwrap().count(), 1);
            assert_eq!(fs::read_to_string(store.join("retention.log")).unwrap().lines().count(), lines);
        }
    }
}

/// What was derived from a session of the same name that came after it is not touched.
#[test]
fn ending_a_deletion_spares_a_session_that_has_the_name_now() {
    let store = TempDir::new().unwrap();
    let store = store.path();
    session(store, "a", 1, 1);
    session(store, ".retention-doomed.a", 50, 1);
    fs::create_dir(store.join("checkpoints")).unwrap();
    fs::write(store.join("checkpoints/a.md"), "x").unwrap();
    let found = survey(store, Clues::Records, now()).unwrap();
    deletion(store).finish(found.leftovers.first().unwrap()).unwrap();
    assert!(store.join("a/meta.json").exists() && store.join("checkpoints/a.md").exists());
    assert!(!store.join(".retention-doomed.a").exists());
}

/// Files are as old as their checkout: records alone say the same everywhere.
#[test]
fn without_records_only_files_say_when_it_was() {
    let store = TempDir::new().unwrap();
    fs::create_dir(store.path().join("a")).unwrap();
    fs::write(store.path().join("a/events.ndjson"), "{}\n").unwrap();
    let today = Timestamp::try_from(store.path().join("a").metadata().unwrap().modified().unwrap()).unwrap();
    let started = |clues| survey(store.path(), clues, today).unwrap().sessions.first().unwrap().started;
    assert_eq!(started(Clues::Records), None);
    assert_eq!(started(Clues::Files).unwrap().by, Witness::Files);
}

/// A session is read by its ends, and lines of any kind are no trouble.
#[test]
fn beginnings_and_ends_are_found_among_anything() {
    let line = |kind: &str, time: &str| format!("{{\"event_type\":\"{kind}\",\"timestamp\":{time}}}\n");
    let long = format!("{{\"data\":\"{}\"}}\n", "x".repeat(3 << 20));
    let (early, late) = ("1781000000.5", "\"2026-06-15T11:00:00Z\"");
    for (text, finished) in [
        (line("session_start", early) + &line("tool_call", late), false),
        (line("session_start", early) + &long + &line("tool_call", late), false),
        ("not json\n".to_owned() + &line("tool_call", early) + "[]\n" + &line("tool_call", late) + "{\"cut", false),
        (line("session_start", early) + &line("tool_call", late) + &line("session_end", "null"), true),
    ] {
        let store = TempDir::new().unwrap();
        fs::create_dir(store.path().join("a")).unwrap();
        fs::write(store.path().join("a/events.ndjson"), &text).unwrap();
        let found = survey(store.path(), Clues::Records, now()).unwrap();
        let one = found.sessions.first().unwrap();
        assert_eq!(one.started.unwrap().at.as_second(), 1_781_000_000);
        assert_eq!(one.running.is_none(), finished, "{text:.80}");
    }
}
