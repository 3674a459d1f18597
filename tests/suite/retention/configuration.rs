//! Limits as files and options state them, and what is wrong with them.

use std::fs;

use super::{clean, retention, session, sessions};
use crate::world::World;

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
    let start = "<!-- retention: read by tests/suite/retention/configuration.rs -->\n```yaml\n";
    let (_, rest) = text.split_once(start).expect("a configuration");
    let world = World::empty();
    session(&world, "3f9a1", 60, 0);
    session(&world, "old", 60, 0);
    world.write(".agent-strace.yaml", rest.split_once("```").unwrap().0);
    assert_eq!(clean(&world, &[]).code, 0);
    assert_eq!(sessions(&world), ["3f9a1"]);
}
