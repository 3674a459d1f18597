//! Agents' settings with our hooks, and without: whatever else is in them stays.

use serde_json::Value;

use crate::world::World;

const AGENTS: &[(&str, &str)] = &[
    ("claude-code", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini-cli", ".gemini/settings.json"),
    ("cursor", ".cursor/hooks.json"),
    ("copilot-cli", ".github/hooks/agent-strace.json"),
    ("qwen-code", ".qwen/settings.json"),
];

pub(super) fn run(world: &World, args: &[&str]) -> (i32, String, String) {
    run_with(world, args, &[])
}

/// With a home folder in the world, and the program in the search path.
pub(super) fn run_with(world: &World, args: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    let args: Vec<&str> = ["setup"].iter().chain(args).copied().collect();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_agent-strace")).parent().unwrap();
    let home = world.path().join("home");
    let always = [("PATH", program.to_str().unwrap()), ("HOME", home.to_str().unwrap())];
    let answer = world.run_with(&args, &[&always, variables].concat(), "");
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
    assert!(enforced.contains("agent-strace hook pre-tool --enforce --fail-closed || exit 2"));
    assert!(!enforced.contains("post-tool --enforce"), "only calls that are about to run are judged");
    assert_eq!(run(&world, &["--remove"]).0, 0);
    assert_eq!(world.read(".claude/settings.json"), own);
}

#[test]
fn every_agent_is_set_up_verified_and_left() {
    let world = World::empty();
    assert_eq!(run(&world, &["--verify", "--agent", "all"]).0, 1);
    assert_eq!(run(&world, &["--write", "--trust", "--agent", "all", "--enforce"]).0, 0);
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
        let folder = file.split('/').next().unwrap();
        assert!(!world.path().join(folder).exists(), "{agent}: nothing else was in `{folder}`");
    }
}

/// A file in one line stays in one line, and one that ends without a line break does.
#[test]
fn a_file_is_the_same_after_the_hooks_are_taken_out() {
    let texts = [
        (
            "claude-code",
            "{\"model\":\"x\",\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
        ),
        ("claude-code", "{\"model\": \"x\"}\n"),
        ("gemini-cli", "{\n  \"hooksConfig\": {\"enabled\": true},\n  \"hooks\": {\n    \"enabled\": true\n  }\n}\n"),
        ("cursor", "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"x\"}]}}\n"),
        ("codex", "{\n\t\"a\": [1, 2] // mine\n}"),
    ];
    for (agent, text) in texts {
        let world = World::empty();
        let file = AGENTS.iter().find(|(name, _)| *name == agent).unwrap().1;
        world.write(file, text);
        assert_eq!(run(&world, &["--write", "--agent", agent]).0, 0);
        let written = world.read(file);
        let lines = |text: &str| text.trim_end().lines().count();
        assert_eq!(lines(&written) == 1, lines(text) == 1, "{agent}: {written}");
        assert!(serde_json::from_str::<Value>(&written).is_ok() || text.contains("//"), "{written}");
        assert_eq!(run(&world, &["--remove", "--agent", agent]).0, 0);
        assert_eq!(world.read(file), text, "{agent}");
    }
}

/// Nothing is left where nothing was, also in the folders of the user.
#[test]
fn what_was_not_there_is_not_there_afterwards() {
    let world = World::empty();
    std::fs::create_dir(world.path().join("home")).unwrap();
    for global in [&[][..], &["--global"]] {
        for write in [&["--write"][..], &["--write", "--enforce"]] {
            assert_eq!(run(&world, &[write, global, &["--agent", "all"]].concat()).0, 0);
        }
        assert_eq!(run(&world, &[&["--remove", "--agent", "all"], global].concat()).0, 0);
    }
    assert_eq!(run(&world, &["--write", "--trust", "--global", "--agent", "codex"]).0, 0);
    assert!(world.path().join("home/.codex/config.toml").exists());
    assert_eq!(run(&world, &["--remove", "--global", "--agent", "codex"]).0, 0);
    let names = |folder: &std::path::Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    assert_eq!(names(&world.path().join("home")), Vec::<String>::new());
    let left: Vec<String> =
        names(world.path()).into_iter().filter(|name| name.starts_with('.') && name != ".git").collect();
    assert_eq!(left, Vec::<String>::new());
}

/// Empty files, empty objects and line breaks of Windows are what they were.
#[test]
fn every_byte_of_a_file_is_the_same_afterwards() {
    let texts = [
        "",
        "\n",
        "\u{feff}",
        "{}",
        "{}\n",
        "{\n}\n",
        "{ }",
        "{\r\n}\r\n",
        "\u{feff}{\r\n  \"a\": 1\r\n}",
        "{\"version\": 1}",
        "{\"hooks\": {}}",
        "{\n  \"hooks\": {\"Stop\": [], \"stop\": []}, \"a\": 1\n}",
        "{\n\t\t\"a\": 1, // mine\n}",
    ];
    for text in texts {
        for (agent, file) in AGENTS {
            let world = World::empty();
            world.write(file, text);
            assert_eq!(run(&world, &["--write", "--agent", agent]).0, 0);
            let set = world.read(file);
            assert_eq!(set.contains("\r\n"), text.contains("\r\n"), "{set}");
            assert!(!text.contains("\r\n") || !set.replace("\r\n", "").contains('\n'), "{set}");
            assert_eq!(run(&world, &["--remove", "--agent", agent]).0, 0);
            assert_eq!(std::fs::read_to_string(world.path().join(file)).ok().as_deref(), Some(text), "{agent}: {set}");
        }
    }
    let toml = "\u{feff}# mine\r\nmodel = \"x\"\r\n";
    for (agent, file) in [("kimi", "home/.kimi-code/config.toml"), ("codex", "home/.codex/config.toml")] {
        let world = World::empty();
        world.write(file, toml);
        assert_eq!(run(&world, &["--write", "--trust", "--global", "--agent", agent]).0, 0);
        let set = world.read(file);
        assert!(set.len() > toml.len() && !set.replace("\r\n", "").contains('\n'), "{set}");
        assert_eq!(run(&world, &["--remove", "--global", "--agent", agent]).0, 0);
        assert_eq!(world.read(file), toml);
    }
}

#[test]
fn kimi_code_has_hooks_of_its_user_in_toml() {
    let world = World::empty();
    let file = "home/.kimi-code/config.toml";
    let own = "# mine\ndefault_model = \"x\"\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"mine.sh\"\n";
    let all = ["--global", "--agent", "kimi", "--enforce", "--fail-closed"];
    for before in [None, Some(own), Some("hooks = [{ event = \"Stop\", command = \"mine.sh\" }]\n")] {
        if let Some(text) = before {
            world.write(file, text);
        }
        assert_eq!(run(&world, &[&["--verify"], &all[..]].concat()).0, 1);
        assert_eq!(run(&world, &[&["--write"], &all[..]].concat()).0, 0);
        let once = world.read(file);
        let settings: toml::Table = once.parse().unwrap_or_else(|error| panic!("{error}: {once}"));
        let hooks = settings["hooks"].as_array().unwrap();
        assert_eq!(hooks.len(), 7 + usize::from(before.is_some()), "{once}");
        let command = "agent-strace hook pre-tool --agent kimi --enforce --fail-closed || exit 2";
        let ours = |hook: &toml::Value| {
            hook["event"].as_str() == Some("PreToolUse") && hook["command"].as_str() == Some(command)
        };
        assert!(hooks.iter().any(ours), "{once}");
        assert_eq!(run(&world, &[&["--verify"], &all[..]].concat()).0, 0);
        assert!(run(&world, &[&["--write"], &all[..]].concat()).1.contains("there already"));
        assert_eq!(run(&world, &["--verify", "--global", "--agent", "kimi"]).0, 1, "they enforce, unasked");
        assert_eq!(run(&world, &["--remove", "--global", "--agent", "kimi"]).0, 0);
        assert_eq!(std::fs::read_to_string(world.path().join(file)).ok().as_deref(), before);
    }
    let (code, _, stderr) = run(&world, &["--write", "--agent", "kimi"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("no project hooks") && stderr.contains("--global"), "{stderr}");
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
