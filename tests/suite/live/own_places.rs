//! The program of the hooks, its settings and its policy are guarded wherever this machine keeps them.

use serde_json::{Value, json};

use super::before;
use crate::world::{Answer, World};

/// What the hook answers about a command in the repository of the world.
fn asked(world: &World, options: &[&str], variables: &[(&str, &str)], command: &str) -> Answer {
    let mut payload: Value = serde_json::from_str(&before("t1", "Bash", &json!({"command": command}))).unwrap();
    payload["cwd"] = world.path().canonicalize().unwrap().join("repo").to_str().into();
    let arguments = [&["hook", "pre-tool", "--enforce"], options].concat();
    let answer = world.spawn("repo", &arguments, variables, &payload.to_string());
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{command}");
    answer
}

/// The program of the hooks, settings that a variable moved, and a policy elsewhere are guarded where they are.
#[cfg(unix)]
#[test]
fn what_judges_is_guarded_where_it_is() {
    let world = World::empty();
    world.write("repo/.git/HEAD", "ref: refs/heads/main\n");
    world.write("elsewhere/scope.json", r#"{"commands": {"deny": ["sudo"]}}"#);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_agent-strace"), world.path().join("elsewhere/agent-strace"))
        .unwrap();
    let top = world.path().canonicalize().unwrap();
    let at = |path: &str| top.join(path).to_str().unwrap().to_owned();
    let (claude, codex, policy, home) = (at("cfg"), at("repo/codex"), at("elsewhere/scope.json"), at("home"));
    let machine = at("machine.json");
    let path = at("elsewhere");
    let variables = [
        ("CLAUDE_CONFIG_DIR", claude.as_str()),
        ("CODEX_HOME", &codex),
        ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", &machine),
        ("HOME", &home),
        ("PATH", &path),
    ];
    let program = env!("CARGO_BIN_EXE_agent-strace");
    let folder = std::path::Path::new(program).parent().unwrap().to_str().unwrap();
    for (command, rule) in [
        (format!("cp /bin/true {program}"), Some("floor/gate")),
        (format!("rm -rf {folder}"), Some("floor/gate")),
        (format!("echo '{{}}' > {claude}/settings.json"), Some("floor/agent-settings")),
        (format!("rm -r {claude}"), Some("floor/agent-settings")),
        ("sed -i s/true/false/ codex/config.toml".to_owned(), Some("floor/agent-settings")),
        (format!("rm {codex}/hooks.json"), Some("floor/agent-settings")),
        (format!("rm {machine}"), Some("floor/agent-settings")),
        (format!("echo '{{}}' > {policy}"), Some("floor/policy")),
        (format!("rm {claude}/s*"), Some("floor/agent-settings")),
        (format!("rm -rf {claude}/*"), Some("floor/agent-settings")),
        (format!("find {claude} -name '*.json' -delete"), Some("floor/agent-settings")),
        ("rm codex/*".to_owned(), Some("floor/agent-settings")),
        ("rm $1/codex/hooks.json".to_owned(), Some("floor/agent-settings")),
        ("cd \"$X\" && rm codex/hooks.json".to_owned(), Some("floor/agent-settings")),
        (format!("rm {claude}/projects/s*"), None),
        (format!("rm {folder}/agent-*"), Some("floor/gate")),
        (format!("rm -rf {claude}/*.md codex/notes.txt"), None),
        (format!("rm -f {folder}/*.rmeta"), None),
        (format!("echo '{{}}' > {claude}/notes.md"), None),
        (format!("cat {program} {claude}/settings.json"), None),
        (format!("touch {folder}/other"), None),
    ] {
        let answer = asked(&world, &["--policy", policy.as_str()], &variables, &command);
        assert_eq!(answer.stdout.contains("\"deny\""), rule.is_some(), "{command}: {}", answer.stdout);
        assert!(rule.is_none_or(|rule| answer.stdout.contains(rule)), "{command}: {}", answer.stdout);
    }
}

/// A variable that moves an agent's folder to the home or to the top of the repository guards the settings there.
#[cfg(unix)]
#[test]
fn a_folder_that_is_the_home_or_the_repository_is_guarded() {
    let world = World::empty();
    world.write("repo/.git/HEAD", "ref: refs/heads/main\n");
    world.write("repo/.agent-scope.json", r#"{"commands": {"deny": ["sudo"]}}"#);
    let top = world.path().canonicalize().unwrap();
    let at = |path: &str| top.join(path).to_str().unwrap().to_owned();
    let (home, repository) = (at("home"), at("repo"));
    let variables = [("CLAUDE_CONFIG_DIR", home.as_str()), ("CODEX_HOME", &repository), ("HOME", &home)];
    for (command, denies) in [
        ("echo '{}' > ~/settings.json", true),
        ("rm config.toml", true),
        ("rm ./requirements.toml", true),
        ("echo x > ~/notes.md", false),
        ("rm src/config.toml", false),
        ("rm -r build", false),
        ("touch package.json", false),
        ("rm hooks/x.sh", false),
    ] {
        let answer = asked(&world, &[], &variables, command);
        assert_eq!(answer.stdout.contains("\"deny\""), denies, "{command}: {}", answer.stdout);
    }
}
