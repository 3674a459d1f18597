//! Agents' settings with our hooks, and without: whatever else is in them stays.

use serde_json::Value;

use crate::world::World;

const AGENTS: &[(&str, &str)] = &[
    ("claude-code", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini-cli", ".gemini/settings.json"),
    ("cursor", ".cursor/hooks.json"),
    ("copilot-cli", ".github/hooks/agent-strace.json"),
];

fn run(world: &World, args: &[&str]) -> (i32, String, String) {
    let args: Vec<&str> = ["setup"].iter().chain(args).copied().collect();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_agent-strace")).parent().unwrap();
    let answer = world.run_with(&args, &[("PATH", program.to_str().unwrap())], "");
    (answer.code, answer.stdout, answer.stderr)
}

#[test]
fn without_options_it_prints_what_the_readme_of_the_peer_shows() {
    let world = World::empty();
    let (code, stdout, stderr) = run(&world, &[]);
    assert_eq!(code, 0);
    assert!(stderr.contains(".claude/settings.json"));
    let printed: Value = serde_json::from_str(&stdout).unwrap();
    let hooks = printed["hooks"].as_object().unwrap();
    let words = [
        ("UserPromptSubmit", "user-prompt"),
        ("PreToolUse", "pre-tool"),
        ("PostToolUse", "post-tool"),
        ("PostToolUseFailure", "post-tool-failure"),
        ("Stop", "stop"),
        ("SessionStart", "session-start"),
        ("SessionEnd", "session-end"),
    ];
    assert_eq!(hooks.len(), words.len());
    for (event, word) in words {
        let entry = &hooks[event][0];
        assert_eq!(entry["hooks"][0]["command"], format!("agent-strace hook {word}"));
        assert_eq!(entry["matcher"].is_string(), event.contains("ToolUse"), "{event}");
    }
    for args in [
        &["--redact"][..],
        &["--redact", "--global"],
        &["--redact", "--redact-pattern", "ATTESTATION_KEY=[A-Fa-f0-9]{64}"],
    ] {
        let (code, stdout, _) = run(&world, args);
        assert_eq!(code, 0, "{args:?}");
        assert_eq!(stdout.contains("--redact-pattern 'ATTESTATION_KEY=[A-Fa-f0-9]{64}'"), args.len() == 3);
    }
    assert!(!world.path().join(".claude").exists(), "nothing is written");
    assert_eq!(run(&world, &["--redact-pattern", "("]).0, 2, "a pattern that is none would make every hook fail");
}

#[test]
fn writing_twice_changes_nothing_and_removing_leaves_what_was_there() {
    let own = "{\n    // mine\n    \"model\": \"x\",\n    \"hooks\": {\n        \"PreToolUse\": [\n            { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"mine.sh\" }] }\n        ]\n    },\n    \"last\": [1, 2]\n}\n";
    let world = World::empty();
    world.write(".claude/settings.json", own);
    assert_eq!(run(&world, &["--write"]).0, 0);
    let once = world.read(".claude/settings.json");
    assert!(
        once.contains("// mine") && once.contains("mine.sh") && once.contains("agent-strace hook pre-tool"),
        "{once}"
    );
    assert!(once.find("mine.sh") < once.find("agent-strace hook pre-tool"));
    let (_, stdout, _) = run(&world, &["--write"]);
    assert!(stdout.contains("there already"), "{stdout}");
    assert_eq!(world.read(".claude/settings.json"), once);
    // Other options take the place of what was there.
    assert_eq!(run(&world, &["--write", "--enforce", "--fail-closed"]).0, 0);
    let enforced = world.read(".claude/settings.json");
    assert_eq!(enforced.matches("agent-strace hook pre-tool ").count(), 1, "{enforced}");
    assert!(enforced.contains("agent-strace hook pre-tool --enforce --fail-closed"));
    assert!(!enforced.contains("post-tool --enforce"), "only calls that are about to run are judged");
    assert_eq!(run(&world, &["--remove"]).0, 0);
    assert_eq!(world.read(".claude/settings.json"), own);
}

#[test]
fn every_agent_is_set_up_verified_and_left() {
    let world = World::empty();
    assert_eq!(run(&world, &["--verify", "--agent", "all"]).0, 1);
    assert_eq!(run(&world, &["--write", "--agent", "all", "--enforce"]).0, 0);
    let (code, stdout, _) = run(&world, &["--verify", "--agent", "all", "--enforce"]);
    assert_eq!(code, 0, "{stdout}");
    let (code, stdout, _) = run(&world, &["--verify", "--agent", "all"]);
    assert_eq!(code, 1, "they enforce, and that was not asked for: {stdout}");
    for (agent, file) in AGENTS {
        let settings: Value = serde_json::from_str(&world.read(file)).unwrap();
        assert!(settings["hooks"].as_object().unwrap().len() >= 5, "{agent}");
        assert_eq!(settings["version"].is_u64(), matches!(*agent, "cursor" | "copilot-cli"), "{agent}");
    }
    let (code, stdout, _) = run(&world, &["--remove", "--agent", "all"]);
    assert_eq!(code, 0, "{stdout}");
    for (agent, file) in AGENTS {
        let left = std::fs::read_to_string(world.path().join(file)).unwrap_or_default();
        assert!(!left.contains("agent-strace"), "{agent}: {left}");
    }
}

#[test]
fn settings_that_cannot_be_edited_stay_as_they_are() {
    for text in ["{", "[]", "{\"hooks\": []}", "{\"hooks\": {\"PreToolUse\": {}}}", &"[".repeat(10_000)] {
        let world = World::empty();
        world.write(".claude/settings.json", text);
        let (code, _, stderr) = run(&world, &["--write"]);
        assert_eq!(code, 2, "{text:.20}");
        assert!(stderr.contains(".claude/settings.json"), "{stderr}");
        assert_eq!(world.read(".claude/settings.json"), text);
    }
}

#[cfg(unix)]
#[test]
fn links_of_a_project_are_not_followed_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::empty();
    world.write("elsewhere.json", "{}");
    std::fs::create_dir(world.path().join(".claude")).unwrap();
    std::os::unix::fs::symlink("../elsewhere.json", world.path().join(".claude/settings.json")).unwrap();
    assert_eq!(run(&world, &["--write"]).0, 2);
    assert_eq!(world.read("elsewhere.json"), "{}");
    world.write(".cursor/hooks.json", "{}");
    let path = world.path().join(".cursor/hooks.json");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(run(&world, &["--write", "--agent", "cursor"]).0, 0);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}
