//! What fails because the store keeps too much: `retention check`, and the rules of `check`.

use std::fs;

use serde_json::{Value, json};

use super::{DAY, NOW, NOW_SECONDS, age_files, report, retention, session, store, unfinished};
use crate::world::{Answer, World};

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
