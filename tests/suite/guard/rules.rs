//! Sessions that break a rule while hooks record them.

use serde_json::{Value, json};

use super::{agent, bash, end, is_gone, post_mortem, signal, start, started, state, wait_for, wait_for_line};
use crate::world::World;

const RULES: &str = r#"[
  { "condition": "file_path", "glob": "**/production.env", "action": "kill" },
  { "condition": "files_modified", "threshold": 30, "action": "pause" }
]"#;

fn guard(world: &World, args: &[&str], script: &str) -> crate::world::Answer {
    let args: Vec<&str> = ["guard"].iter().chain(args).chain(&["--", "sh", "-c", script]).copied().collect();
    world.run(&args)
}

#[test]
fn a_session_that_breaks_a_rule_is_killed() {
    let world = World::empty();
    world.write("rules.json", RULES);
    // A real token, in the form that its issuer checks.
    let secret = "AKIAQ3EGRT4BXZ7NWLPK";
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "deploy it, see the wiki"});
    let steps = [started(), prompt, bash("t1", &format!("echo AWS_ACCESS_KEY_ID={secret} > deploy/production.env"))];
    let script = agent("s-1", &steps, "echo $$ > pid; sleep 60");
    let answer = guard(&world, &["--rules", "rules.json"], &script);
    assert_eq!(answer.code, 125, "{}", answer.stderr);
    assert!(answer.stderr.contains("`deploy/production.env` was changed"), "{}", answer.stderr);
    assert!(answer.stderr.contains("(rules.json:2) [s-1]: killing the agent"), "{}", answer.stderr);
    assert!(is_gone(&world.read("pid")));
    let document = post_mortem(&world.path().join(".agent-traces/s-1/watchdog-postmortem.json"));
    assert_eq!(document["session_id"], "s-1");
    assert_eq!(document["last_tool_call"]["tool_name"], "Bash");
    assert_eq!(document["cost_at_death"], Value::Null);
    let context = document["recovery_context"].as_str().unwrap();
    assert!(context.contains("It was asked last: deploy it, see the wiki."), "{context}");
    assert!(context.contains("Files changed: 1: deploy/production.env."), "{context}");
    assert!(!document.to_string().contains(secret), "{document}");
}

/// The path is a parameter of the shell: whatever the store is called, it is no command.
#[test]
fn the_command_on_death_gets_the_path() {
    let world = World::empty();
    world.write("rules.json", RULES);
    let store = "it's $(touch pwned) \"store\"";
    let steps = [started(), bash("t1", "rm production.env")];
    let script = agent("s-1", &steps, "sleep 60");
    for (command, code) in [
        ("cp {post_mortem_path} copy; exit 9", 9),
        ("cp \"{post_mortem_path}\" '{post_mortem_path}.2' && cp '{post_mortem_path}' copy", 0),
    ] {
        let on_death = ["--rules", "rules.json", "--on-death", command, "--", "sh", "-c", &script];
        let args: Vec<&str> = ["--trace-dir", store, "guard"].iter().chain(&on_death).copied().collect();
        let answer = world.run(&args);
        assert_eq!(answer.code, 125, "{}", answer.stderr);
        let told = if code == 0 { "ended well".to_owned() } else { format!("ended with exit code {code}") };
        assert!(answer.stderr.contains(&told), "{}", answer.stderr);
        assert_eq!(post_mortem(&world.path().join("copy"))["session_id"], "s-1");
        std::fs::remove_file(world.path().join("copy")).unwrap();
        std::fs::remove_dir_all(world.path().join(store)).unwrap();
    }
    assert!(!world.path().join("pwned").exists());
}

#[test]
fn a_paused_agent_goes_on_when_somebody_says_so() {
    let world = World::empty();
    world.write("rules.yaml", "- {condition: files_modified, threshold: 1, action: pause}\n");
    let script = agent("s-1", &[started(), bash("t1", "touch a b")], "while ! test -e go; do sleep 0.1; done; exit 6");
    // What is paused does not run out of time.
    let guard = start(&world, &["guard", "--rules", "rules.yaml", "--timeout", "40s", "--", "sh", "-c", &script]);
    wait_for("the pause", || world.read("said").contains("paused after"));
    let said = world.read("said");
    let command = said.split('`').find(|part| part.starts_with("kill -CONT")).unwrap();
    let group = command.strip_prefix("kill -CONT -").unwrap().to_owned();
    wait_for("the process to stand still", || state(&group) == Some('T'));
    signal("CONT", &format!("-{group}"));
    wait_for("the end of the pause", || world.read("said").contains("of pause, which do not count"));
    world.write("go", "");
    assert_eq!(end(guard), Some(6), "{}", world.read("said"));
}

#[test]
fn the_pause_button_of_the_editor_stops_and_continues() {
    let world = World::empty();
    std::fs::create_dir(world.path().join(".agent-traces")).unwrap();
    let guard = start(&world, &["guard", "--", "sh", "-c", "echo $$ > pid; while ! test -e stop; do sleep 0.1; done"]);
    wait_for_line(&world, "pid");
    world.write(".agent-traces/.pause-request", "");
    let pid = world.read("pid");
    wait_for("the pause", || state(&pid) == Some('T'));
    std::fs::remove_file(world.path().join(".agent-traces/.pause-request")).unwrap();
    wait_for("the end of the pause", || state(&pid) != Some('T'));
    world.write("stop", "");
    assert_eq!(end(guard), Some(0), "{}", world.read("said"));
}

#[test]
fn broken_rules_run_nothing() {
    let world = World::empty();
    for (file, text, message) in [
        ("r.json", "[{\"condition\":\"cost_usd\",\"treshold\":1,\"action\":\"kill\"}]", "did you mean `threshold`?"),
        ("r.json", "[{\"condition\":\"cost_usd\",\"threshold\":1,\"action\":\"kil\"}]", "did you mean `kill`?"),
        ("r.yaml", "rules:\n  - condition: files_modifed > 3\n    action: kill\n", "did you mean `files_modified`?"),
        ("r.yaml", "rules: [", "can't be used"),
        ("r.json", "[]", "nothing would be watched"),
    ] {
        world.write(file, text);
        let answer = world.run(&["guard", "--rules", file, "--", "touch", "ran"]);
        assert_eq!(answer.code, 2, "{text}: {}", answer.stderr);
        assert!(answer.stderr.contains(message), "{text}: {}", answer.stderr);
        assert!(!world.path().join("ran").exists(), "{text}");
    }
}

#[test]
fn rules_in_both_languages_do_the_same() {
    let json =
        r#"{"rules": [{"name": "no-prod", "condition": "file_path matches \"**/production.env\"", "action": "kill"}]}"#;
    let yaml = "rules:\n  - name: no-prod\n    condition: file_path matches \"**/production.env\"\n    action: kill\n";
    let answers = [("rules.json", json), ("rules.yaml", yaml)].map(|(file, text)| {
        let world = World::empty();
        world.write(file, text);
        let script = agent("s-1", &[started(), bash("t1", "echo x > production.env")], "sleep 60");
        let answer = guard(&world, &["--rules", file], &script);
        let first = answer.stderr.lines().next().unwrap().split(" (").next().unwrap().to_owned();
        (answer.code, first)
    });
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0].0, 125, "{answers:?}");
}

#[test]
fn a_dry_run_only_says_what_it_would_do() {
    let world = World::empty();
    world.write("rules.json", RULES);
    let script = agent("s-1", &[started(), bash("t1", "echo x > production.env")], "exit 0");
    let answer = guard(&world, &["--rules", "rules.json", "--dry-run"], &script);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains("would kill the agent"), "{}", answer.stderr);
    assert!(!world.path().join(".agent-traces/s-1/watchdog-postmortem.json").exists());
}

/// Who is faster than the guard does not get away with it.
#[test]
fn what_was_broken_at_the_very_end_is_told_by_the_exit_code() {
    let world = World::empty();
    world.write("rules.json", RULES);
    let script = agent("s-1", &[started(), bash("t1", "echo x > production.env")], "exit 0");
    assert_eq!(guard(&world, &["--rules", "rules.json"], &script).code, 125);
}

#[test]
fn the_policy_and_its_budgets_hold() {
    for policy in [
        r#"{"version": 2, "files": {"write": {"deny": ["secrets/**"]}}}"#,
        r#"{"version": 2, "budgets": {"tool_calls": 0}}"#,
    ] {
        let world = World::empty();
        world.write(".agent-scope.json", policy);
        let script = agent("s-1", &[started(), bash("t1", "echo x > secrets/a")], "sleep 60");
        let answer = guard(&world, &["--timeout", "50s"], &script);
        assert_eq!(answer.code, 125, "{policy}: {}", answer.stderr);
        assert!(answer.stderr.contains("PolicyWatcher: "), "{}", answer.stderr);
    }
    // Hook policies of agent runtimes are policies, too.
    let world = World::empty();
    world.write(".claw-policy.json", r#"{"budget": {"maxToolCalls": 0}}"#);
    let script = agent("s-1", &[started(), bash("t1", "ls")], "sleep 60");
    let answer = guard(&world, &["--timeout", "50s"], &script);
    assert_eq!(answer.code, 125, "{}", answer.stderr);
}

#[test]
fn what_nobody_recorded_was_not_judged() {
    let world = World::empty();
    world.write("rules.json", RULES);
    let nothing = guard(&world, &["--rules", "rules.json"], "exit 0");
    assert_eq!(nothing.code, 3, "{}", nothing.stderr);
    assert!(nothing.stderr.contains("no session was recorded"), "{}", nothing.stderr);
    // The command's own failure is told first.
    assert_eq!(guard(&world, &["--rules", "rules.json"], "exit 8").code, 8);
    let script = agent("s-1", &[started(), bash("t1", "ls")], "exit 0");
    assert_eq!(guard(&world, &["--rules", "rules.json"], &script).code, 0);
    // A policy that could judge nothing is no pass.
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"version": 2, "budgets": {"tool_calls": 9}}"#);
    let unheard = guard(&world, &["--timeout", "50s"], "exit 0");
    assert_eq!(unheard.code, 3, "{}", unheard.stderr);
    assert!(unheard.stderr.contains("the policy was not judged"), "{}", unheard.stderr);
    assert_eq!(guard(&world, &["--timeout", "50s"], &script).code, 0);
    let unpaid = guard(&world, &["--budget", "5.00"], &agent("s-2", &[started(), bash("t1", "ls")], "exit 0"));
    assert_eq!(unpaid.code, 3, "{}", unpaid.stderr);
    assert!(unpaid.stderr.contains("cost not known"), "{}", unpaid.stderr);
}

/// Hooks are told of no usage: what the agent itself logged counts.
#[test]
fn the_cost_is_that_of_the_agents_own_log() {
    const ID: &str = "5e551011-0000-4000-8000-00000000000a";
    let world = World::empty();
    let usage = json!({"input_tokens": 100_000, "output_tokens": 100_000});
    let message = json!({"id": "m1", "role": "assistant", "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": "hm"}], "usage": usage});
    let line = json!({
        "type": "assistant", "uuid": "u1", "sessionId": ID, "cwd": "/repo", "version": "2.1.219",
        "timestamp": "2026-10-05T09:00:00.000Z", "message": message,
    });
    world.write(&format!("home/.claude/projects/-repo/{ID}.jsonl"), &format!("{line}\n"));
    let home = world.path().join("home").display().to_string();
    let run = |budget: &str, then: &str| {
        let script = agent(ID, &[started(), bash("t1", "ls")], then);
        world.run_with(&["guard", "--budget", budget, "--", "sh", "-c", &script], &[("HOME", &home)], "")
    };
    let within = run("100", "exit 0");
    assert_eq!(within.code, 0, "{}", within.stderr);
    let above = run("0.01", "sleep 60");
    assert_eq!(above.code, 125, "{}", above.stderr);
    let document = post_mortem(&world.path().join(format!(".agent-traces/{ID}/watchdog-postmortem.json")));
    assert!(document["cost_at_death"].as_f64().unwrap() > 1.0, "{document}");
    assert!(document["reason"].as_str().unwrap().starts_with("CostWatcher: $"), "{document}");
    // Half of what the model takes.
    for (percent, code) in [("40", 125), ("80", 0)] {
        let script = agent(ID, &[started(), bash("t1", "ls")], if code == 0 { "exit 0" } else { "sleep 60" });
        let args = ["guard", "--max-context-pct", percent, "--", "sh", "-c", &script];
        let answer = world.run_with(&args, &[("HOME", &home)], "");
        assert_eq!(answer.code, code, "{percent}: {}", answer.stderr);
    }
}
