//! Rules as files say them, and sessions that break them.

use serde_json::{Value, json};

use super::condition::{Amount, Condition, Metric};
use super::{Action, Breach, Spending, Watch, read, read_settings};

use std::sync::Arc;

use agent_strace_engine::Replay;
use agent_strace_ingest::Log;
use agent_strace_metrics::Pricing;
use agent_strace_policy::Policy;
use agent_strace_policy::prices::shipped;

/// What is wrong with a file: its lines and messages.
fn faults(file: &str, text: &str) -> Vec<(u32, String)> {
    let faults = read(file, text.as_bytes()).expect_err(text);
    faults.list.iter().map(|fault| (fault.location.line, fault.message.clone())).collect()
}

#[test]
fn both_forms_say_the_same_in_both_languages() {
    let files = [
        (
            "a.json",
            r#"[{"condition":"cost_usd","threshold":0.50,"action":"kill"},{"condition":"file_path","glob":"**/production.env","action":"kill"},{"condition":"files_modified","threshold":30,"action":"pause"}]"#,
        ),
        (
            "a.json",
            r#"{"rules":[{"condition":"cost_usd > 0.5","action":"kill"},{"condition":"file_path matches \"**/production.env\"","action":"kill"},{"condition":"files_modified > 30","action":"pause"}]}"#,
        ),
        (
            "a.yaml",
            "- {condition: cost_usd, threshold: 0.50, action: kill}\n- {condition: file_path, glob: '**/production.env', action: kill}\n- {condition: files_modified, threshold: 30, action: pause}\n",
        ),
        (
            "a.yaml",
            "rules:\n  - condition: cost_usd > 0.5\n    action: kill\n  - condition: file_path matches \"**/production.env\"\n    action: kill\n  - condition: files_modified > 30\n    action: pause\n",
        ),
        // JSON is YAML, too.
        (
            "a.yml",
            r#"[{"condition":"cost_usd","threshold":0.50,"action":"kill"},{"condition":"file_path","glob":"**/production.env","action":"kill"},{"condition":"files_modified","threshold":30,"action":"pause"}]"#,
        ),
    ];
    let said = |(file, text): (&str, &str)| {
        let rules = read(file, text.as_bytes()).unwrap_or_else(|faults| panic!("{text}: {faults}"));
        rules.into_iter().map(|rule| (rule.name, rule.action)).collect::<Vec<_>>()
    };
    let expected = vec![
        ("cost_usd > 0.5".to_owned(), Action::Kill),
        ("file_path matches \"**/production.env\"".to_owned(), Action::Kill),
        ("files_modified > 30".to_owned(), Action::Pause),
    ];
    for file in files {
        assert_eq!(said(file), expected, "{}", file.1);
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let cases: &[(&str, &[(u32, &str)])] = &[
        ("[]", &[(1, "there is no rule in it: nothing would be watched")]),
        ("{}", &[(1, "`rules` is missing")]),
        ("3", &[(1, "the rules are a number, not a list of rules")]),
        ("[\n{\"condition\":\"cost_usd\",\"threshold\":1,\"action\":\"stop\"}]", &[(2, "`stop` is no action")]),
        ("[{\"condition\":\"cost\",\"threshold\":1,\"action\":\"kill\"}]", &[(1, "`cost` is no condition")]),
        ("[{\"condition\":\"cost_usd\",\"action\":\"kill\"}]", &[(1, "`threshold` is missing")]),
        (
            "[{\"condition\":\"cost_usd\",\"threshold\":\"1\",\"action\":\"kill\"}]",
            &[(1, "`[0].threshold` is a string, not a number")],
        ),
        (
            "[{\"condition\":\"cost_usd\",\"threshold\":-1,\"action\":\"kill\"}]",
            &[(1, "`-1` is no number that can be reached")],
        ),
        (
            "[{\"condition\":\"cost_usd > 1\",\"threshold\":1,\"action\":\"kill\"}]",
            &[(1, "the condition has a number already")],
        ),
        ("[{\"condition\":\"file_path\",\"action\":\"kill\"}]", &[(1, "`glob` is missing")]),
        ("[{\"condition\":\"file_path like x\",\"action\":\"kill\"}]", &[(1, "`file_path like x` can't be read")]),
        (
            "[{\"condition\":\"file_path matches \\\"x\",\"action\":\"kill\"}]",
            &[(1, "`file_path matches \"x` can't be read")],
        ),
        (
            "[{\"condition\":\"file_path\",\"glob\":\"x\",\"threshold\":1,\"action\":\"kill\"}]",
            &[(1, "a path has no threshold")],
        ),
        (
            "[{\"condition\":\"files_modified\",\"threshold\":1,\"glob\":\"x\",\"action\":\"kill\"}]",
            &[(1, "only `file_path` has a pattern")],
        ),
        ("[{\"threshold\":1}]", &[(1, "`action` is missing"), (1, "`condition` is missing")]),
        (
            "[{\"condition\":\"files_modified == 3\",\"action\":\"kill\"}]",
            &[(1, "`files_modified == …` holds for every session when it begins, or may be passed unseen")],
        ),
        ("[{\"condition\":\"files_modified 3\",\"action\":\"kill\"}]", &[(1, "`3` is no comparison")]),
        ("[{\"condition\":\"files_modified > 3\",\"action\":\"kill\",\"extra\":1}]", &[(1, "unknown key `extra`")]),
        (
            "[{\"condition\":\"files_modified > 3\",\"action\":\"kill\",\"action\":\"alert\"}]",
            &[(1, "the key `action` stands here twice")],
        ),
    ];
    for (text, expected) in cases {
        let mut found = faults("rules.json", text);
        found.sort();
        let expected: Vec<(u32, String)> = expected.iter().map(|(line, said)| (*line, (*said).to_owned())).collect();
        assert_eq!(found, expected, "{text}");
    }
    assert!(!faults("rules.json", "[{").is_empty());
    assert_eq!(faults("rules.yaml", "- {condition: [, action: kill}").len(), 1);
}

#[test]
fn amounts_are_exact() {
    for (text, expected) in [
        ("0.50", Some("0.5")),
        ("30", Some("30")),
        ("0.000000000001", Some("0.000000000001")),
        ("1e3", None),
        (".5", None),
        ("5.", None),
        ("-1", None),
        ("", None),
        ("0.0000000000001", None),
    ] {
        assert_eq!(Amount::read(text).map(|amount| amount.to_string()).as_deref(), expected, "{text}");
    }
    assert_eq!(Amount::read("0.5").unwrap().minutes().unwrap().as_secs(), 30);
    assert_eq!(Amount::read("1.25").unwrap().minutes().unwrap().as_millis(), 75_000);
}

/// A call of the session, and how it ended.
type Step<'s> = (&'s str, Value, Option<&'s str>);

fn broken(watch: &Watch, steps: &[Step<'_>]) -> Vec<Breach> {
    let mut lines = vec![
        json!({"event_type": "session_start", "event_id": "s", "timestamp": 1.0, "session_id": "s", "data": {"cwd": "/repo"}}),
    ];
    for (at, (tool, arguments, ended)) in steps.iter().enumerate() {
        let id = format!("c{at}");
        let data = json!({"tool_name": tool, "arguments": arguments, "tool_use_id": id});
        lines.push(
            json!({"event_type": "tool_call", "event_id": id, "timestamp": 2.0, "session_id": "s", "data": data}),
        );
        let kind = match ended {
            Some("ok") => "tool_result",
            Some(_) => "error",
            None => continue,
        };
        let data = json!({"tool_name": tool, "tool_use_id": id, "result": "x", "error": "Exit code 1"});
        lines.push(json!({"event_type": kind, "event_id": format!("r{at}"), "parent_id": id, "timestamp": 3.0, "session_id": "s", "data": data}));
    }
    let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n";
    let log = Log::new("events.ndjson", text.into_bytes());
    let reading = log.read();
    assert!(reading.gaps.is_empty(), "{:?}", reading.gaps);
    let session = reading.sessions.first().unwrap();
    let replay = Replay::new(session, &Policy::none(), &Arc::default());
    let measured = replay.measured(Pricing::Table(shipped()));
    watch.look(session, &measured)
}

fn bash(command: &str, ended: &'static str) -> Step<'static> {
    ("Bash", json!({"command": command}), Some(ended))
}

fn watch(rules: &str) -> Watch {
    Watch::new(read("r.yaml", rules.as_bytes()).unwrap(), Action::Kill).unwrap()
}

#[test]
fn writes_of_shell_commands_count_and_reads_do_not() {
    let rules = watch("- {condition: file_path, glob: '**/production.env', action: kill}");
    let fires = |steps: &[Step<'_>]| !broken(&rules, steps).is_empty();
    assert!(fires(&[bash("echo x > deploy/production.env", "ok")]));
    assert!(fires(&[bash("cp a production.env", "ok")]));
    assert!(fires(&[bash("cd deploy && rm production.env", "error")]));
    assert!(fires(&[("Write", json!({"file_path": "/repo/production.env", "content": "x"}), Some("ok"))]));
    assert!(fires(&[(
        "Edit",
        json!({"file_path": "/repo/a/b/production.env", "old_string": "a", "new_string": "b"}),
        None
    )]));
    assert!(!fires(&[bash("cat deploy/production.env", "ok")]));
    assert!(!fires(&[bash("echo production.env", "ok")]));
    assert!(!fires(&[bash("echo x > production.env.example", "ok")]));
}

/// The built-in floor would answer for these files before any pattern does.
#[test]
fn a_path_of_the_floor_is_a_path() {
    let rules = watch("- {condition: file_path, glob: '.claude/settings.json', action: kill}");
    assert_eq!(broken(&rules, &[bash("echo {} > .claude/settings.json", "ok")]).len(), 1);
}

#[test]
fn files_are_counted_once_and_the_threshold_is_the_most() {
    let rules = watch("- {condition: files_modified, threshold: 2, action: pause}");
    let steps = [bash("echo > a; echo > b; echo > a", "ok"), bash("echo > c", "ok")];
    assert!(broken(&rules, &steps[..1]).is_empty());
    let found = broken(&rules, &steps);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].action, found[0].reason.as_str()),
        (Action::Pause, "RuleWatcher: files_modified > 2: 3 files modified")
    );
    let rules = watch("- {condition: files_modified >= 2, action: pause}");
    assert_eq!(broken(&rules, &steps[..1]).len(), 1);
}

#[test]
fn test_failures_in_a_row_are_counted_by_how_test_runs_ended() {
    let rules = watch("- {condition: consecutive_test_failures >= 3, action: pause}");
    let fires = |steps: &[Step<'_>]| !broken(&rules, steps).is_empty();
    let (red, green) = (|| bash("pytest -q", "error"), || bash("cargo test", "ok"));
    assert!(fires(&[red(), red(), red()]));
    assert!(fires(&[red(), bash("sed -i s/a/b/ x.py", "ok"), red(), bash("ls nowhere", "error"), red()]));
    assert!(!fires(&[red(), red(), green(), red()]));
    assert!(!fires(&[red(), red()]));
    assert!(!fires(&[bash("grep failed log", "error"), bash("grep failed log", "error"), bash("ls x", "error")]));
    // Once there were three in a row, one that goes well takes nothing back.
    assert!(fires(&[red(), red(), red(), green()]));
    // How the tests ended, the end of this call does not tell.
    assert!(fires(&[red(), red(), bash("pytest | tail -3", "ok"), red()]));
}

#[test]
fn retries_are_the_same_call_after_it_failed() {
    let mut limits = Watch::new(Vec::new(), Action::Kill).unwrap();
    limits.retries = Some(2);
    let red = || bash("make", "error");
    assert!(broken(&limits, &[red(), red(), red()]).is_empty());
    assert_eq!(broken(&limits, &[red(), red(), red(), red()]).len(), 1);
    assert!(broken(&limits, &[red(), bash("make -j1", "error"), red(), bash("ls", "ok")]).is_empty());
}

#[test]
fn money_and_context_are_held_against_what_is_recorded() {
    let mut limits = watch("- {condition: cost_usd > 0.5, action: pause}");
    limits.budget = Some(agent_strace_model::prices::DOLLAR);
    limits.context = Some(800);
    let spent = |dollars: u128, fullest: u64| Spending {
        amount: agent_strace_model::prices::DOLLAR / 10 * dollars,
        unknown: None,
        fullest: Some(super::spending::Fullness(fullest)),
        unmeasured: None,
    };
    let reasons =
        |spending: &Spending| limits.costs(spending).into_iter().map(|breach| breach.reason).collect::<Vec<_>>();
    assert!(reasons(&spent(5, 799)).is_empty());
    assert_eq!(reasons(&spent(6, 0)), ["RuleWatcher: cost_usd > 0.5: $0.6000 spent"]);
    assert_eq!(
        reasons(&spent(20, 805)),
        [
            "CostWatcher: $2.0000 spent, $1.0000 allowed",
            "RuleWatcher: cost_usd > 0.5: $2.0000 spent",
            "ContextWatcher: a request took 80.5 % of what its model takes, 80.0 % allowed",
        ]
    );
    // What is known of an unknown sum counts.
    let more = spent(20, 0).and(Spending::unknown("no price"));
    assert_eq!((reasons(&more).len(), more.known()), (2, None));
}

#[test]
fn deadlines_come_in_order() {
    let mut limits = watch(
        "- {condition: duration_minutes > 2, action: pause}\n- {condition: duration_minutes, threshold: 0.5, action: alert}",
    );
    limits.timeout = Some(std::time::Duration::from_mins(1));
    let deadlines = limits.deadlines();
    let said: Vec<(u64, Action)> =
        deadlines.iter().map(|deadline| (deadline.after.as_secs(), deadline.breach.action)).collect();
    assert_eq!(said, [(30, Action::Alert), (60, Action::Kill), (120, Action::Pause)]);
    assert!(deadlines.iter().all(|deadline| deadline.breach.is_time));
    assert!(!limits.asks_sessions() && limits.acts());
}

#[test]
fn the_file_of_the_python_tool_is_read() {
    let text = r#"{"watchers": {"retry": {"max": 3}, "cost": {"max_dollars": 2.5}, "duration": {"max_minutes": 30},
        "loop": {"sequence_length": 1, "max_repeats": 3}, "scope": {"policy": "p.json"}},
        "webhook": {"url": "https://hooks.example.com/x"}, "max_context_pct": 80,
        "operation_rules": [{"tool": "bash", "pattern": "*rm -rf*", "action": "kill", "reason": "no"}]}"#;
    let settings = read_settings("w.json", text.as_bytes()).unwrap();
    assert_eq!((settings.retries, settings.context), (Some(3), Some(80)));
    assert_eq!((settings.dollars.as_deref(), settings.minutes.as_deref()), (Some("2.5"), Some("30")));
    assert_eq!((settings.policy.as_deref(), settings.webhook.is_some()), (Some("p.json"), true));
    let mut limits = Watch::new(Vec::new(), Action::Alert).unwrap();
    (limits.repeats, limits.operations) = (settings.repeats, settings.operations);
    let found = broken(&limits, &[bash("ls", "ok"), bash("sudo RM -rf build", "ok")]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].action, found[0].reason.ends_with("is one of `*rm -rf*`: no")), (Action::Kill, true));
    let found = broken(&limits, &[bash("ls", "ok"), bash("ls", "ok"), bash("ls", "ok")]);
    assert_eq!(found[0].reason, "LoopWatcher: the same 1 calls were made 3 times in a row");
    assert!(broken(&limits, &[bash("ls", "ok"), bash("ls", "ok"), bash("pwd", "ok"), bash("ls", "ok")]).is_empty());
}

#[test]
fn a_broken_file_of_the_python_tool_is_refused() {
    for (text, message) in [
        (r#"{"watcher": {}}"#, "unknown key `watcher`"),
        (r#"{"watchers": {"retry": {"max": "5"}}}"#, "`watchers.retry.max` is a string, not a whole number"),
        (r#"{"operation_rules": [{"pattern": "x", "action": "block"}]}"#, "`block` is no action"),
        (r#"{"operation_rules": [{"tool": "x"}]}"#, "`pattern` is missing"),
        (r#"{"max_context_pct": 800}"#, "`max_context_pct` is a number, not a whole number up to 100"),
    ] {
        let faults = read_settings("w.json", text.as_bytes()).expect_err(text);
        assert_eq!(faults.list[0].message, message, "{text}");
    }
}

#[test]
fn rules_know_their_place() {
    let rules =
        read("r.yaml", b"\n- name: x\n  condition: cost_usd > 1\n  action: alert\n  notify: slack:#ops\n").unwrap();
    let rule = &rules[0];
    assert_eq!((rule.name.as_str(), rule.location.line, rule.notify.as_deref()), ("x", 2, Some("slack:#ops")));
    assert!(matches!(rule.condition, Condition::Number { metric: Metric::CostUsd, includes: false, .. }));
}
