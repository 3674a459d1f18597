//! The literate table `fixtures/tools.md`, and what it can't say.

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;

use super::{mcp, registry, unknown, value};
use crate::{Argument, Certainty, Effect, Effects, Execution, Kind, World};
use agent_strace_model::{Arguments, Scripts};

/// Shell text is shown, not analysed: `fixtures/commands.md` does that.
fn shown(text: &str, _: &mut World) -> Effects {
    let argv = vec![Argument { text: text.to_owned(), known: true }];
    let kind = Kind::Execute(Execution { argv, inert: false, embeds: false });
    vec![Effect::new(kind, Certainty::Exact, "command")].into()
}

fn in_powershell(text: &str, world: &mut World) -> Effects {
    shown(&format!("PS> {text}"), world)
}

fn in_cmd(text: &str, world: &mut World) -> Effects {
    shown(&format!("cmd> {text}"), world)
}

const SHOWN: super::run::Shells = super::run::Shells { posix: shown, powershell: in_powershell, cmd: in_cmd };

fn effects(tool: &str, arguments: &str, world: &mut World) -> String {
    let arguments = match arguments {
        "-" => Arguments::Missing,
        json if value::parse(json).is_some() => Arguments::Json(json.into()),
        text => Arguments::Text(text.replace("\\n", "\n").into()),
    };
    let (tool, scripts) = match tool.split_once(": ") {
        Some(("codex", tool)) => (tool, Scripts::Unfolded),
        Some(("hermes", tool)) => (tool, Scripts::Python),
        _ => (tool, Scripts::Whole),
    };
    let effects = super::run_with(SHOWN, tool, &arguments, scripts, world).effects;
    let shown: Vec<String> = effects.iter().map(ToString::to_string).collect();
    if shown.is_empty() { "nothing".to_owned() } else { shown.join("<br>") }
}

#[test]
fn every_row_of_the_table_has_its_effects() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/tools.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut fresh = String::new();
    let mut rows = 0;
    let mut world = World::new(Some("/repo"));
    for line in text.lines() {
        let cells: Vec<&str> = line.strip_prefix("| ").map(|row| row.split(" | ").collect()).unwrap_or_default();
        let [tool, arguments, ..] = cells.as_slice() else {
            fresh.push_str(line);
            fresh.push('\n');
            continue;
        };
        if *tool == "tool" || tool.starts_with("---") {
            fresh.push_str(line);
            fresh.push('\n');
            continue;
        }
        rows += 1;
        let name = if let Some(name) = tool.strip_prefix("+ ") {
            name
        } else {
            world = World::new(Some("/repo"));
            tool
        };
        let written = arguments.trim_matches('`').replace("\\|", "|");
        let got = effects(name, &written, &mut world).replace('|', "\\|");
        writeln!(fresh, "| {tool} | {arguments} | {got} |").unwrap();
    }
    assert!(rows >= 120, "only {rows} rows were read");
    if std::env::var_os("UPDATE_SPECS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
        return;
    }
    let wrong: Vec<String> = text
        .lines()
        .zip(fresh.lines())
        .filter(|(was, is)| was != is)
        .map(|(was, is)| format!("- {was}\n+ {is}"))
        .collect();
    assert!(wrong.is_empty(), "run with UPDATE_SPECS=1 if this is right:\n{}", wrong.join("\n"));
}

#[test]
fn the_data_files_are_sound() {
    let registry = registry::load().unwrap();
    assert!(registry.find("Read").is_some());
    assert_eq!(registry.broken(), Vec::<&str>::new());
    assert!(registry.find("functions.shell").is_none(), "prefixes are taken off before the look-up");
    unknown::load().unwrap();
    mcp::load().unwrap();
}

#[test]
fn arguments_keep_every_duplicate() {
    let object = value::object(r#"{"a":1,"a":"x"}"#).unwrap();
    assert_eq!(object.len(), 2);
    assert!(value::object("[1]").is_none());
    assert!(value::object(r#""{\"a\":1}""#).is_some());
    assert!(value::object(r#"{"a":1} x"#).is_none());
    let deep = format!("{}{}", "[".repeat(80), "]".repeat(80));
    assert!(value::parse(&deep).is_none());
    assert!(value::parse(&format!("{}{}", "[".repeat(60), "]".repeat(60))).is_some());
}

#[test]
fn half_characters_do_not_lose_a_call() {
    let object = value::object(r#"{"content":"\ud83d","ok":"\ud83d\ude00 \\ud83d","file_path":"a"}"#).unwrap();
    let texts: Vec<_> = object.iter().map(|(_, value)| value).collect();
    assert_eq!(texts[0], &value::Value::Text("\u{fffd}".to_owned()));
    assert_eq!(texts[1], &value::Value::Text("\u{1f600} \\ud83d".to_owned()));
}

#[test]
fn edits_keep_known_content() {
    let mut world = World::new(Some("/repo"));
    let mut call = |tool: &str, arguments: &str| {
        super::run_with(SHOWN, tool, &Arguments::Json(arguments.into()), Scripts::Whole, &mut world);
        let (target, _) = world.locate("src/x.sh", Certainty::Exact);
        world.written(&target).map(|content| content.map(str::to_owned))
    };
    assert_eq!(call("Read", r#"{"file_path":"src/x.sh"}"#), None);
    assert_eq!(call("Edit", r#"{"file_path":"src/x.sh","old_string":"a","new_string":"b"}"#), Some(None));
    assert_eq!(call("Write", r#"{"file_path":"/repo/src/x.sh","content":"echo a\n"}"#), Some(Some("echo a\n".into())));
    assert_eq!(
        call("Edit", r#"{"file_path":"src/x.sh","old_string":"a","new_string":"b"}"#),
        Some(Some("echo b\n".into()))
    );
    assert_eq!(
        call(
            "MultiEdit",
            r#"{"file_path":"src/x.sh","edits":[{"old_string":"b","new_string":"c"},{"old_string":"echo","new_string":"rm"}]}"#
        ),
        Some(Some("rm c\n".into()))
    );
    assert_eq!(
        call("apply_patch", r#"{"input":"*** Begin Patch\n*** Update File: src/x.sh\n@@\n-a\n+b\n*** End Patch"}"#),
        Some(None)
    );
    assert_eq!(
        call("apply_patch", r#"{"input":"*** Begin Patch\n*** Add File: src/x.sh\n+ls\n*** End Patch"}"#),
        Some(Some("ls\n".into()))
    );
}

/// Finds the names behind a long list, or says that the list is too long.
#[test]
fn the_end_of_a_long_list_is_looked_at_or_told() {
    let shown = |tool: &str, arguments: serde_json::Value| {
        effects(tool, &arguments.to_string(), &mut World::new(Some("/repo")))
    };
    let told = "opaque: too many items: a list is longer than what is looked at";
    let list = |many: usize| serde_json::json!({ "files": format!("{},.env", vec!["a.md"; many].join(",")) });
    let found = shown("mcp__acme__open", list(900));
    assert!(found.contains("read?? .env") && !found.contains(told), "{found}");
    assert!(shown("mcp__acme__open", list(1_100)).contains(told));
    let texts = |many: usize| serde_json::json!({ "a": vec!["x"; many], "b": ".env" });
    for tool in ["mcp__acme__open", "Read"] {
        let found = shown(tool, texts(1_500));
        assert!(found.contains("read(named) .env") && !found.contains(told), "{tool}: {found}");
        assert!(shown(tool, texts(20_000)).contains(told), "{tool}");
    }
}

#[test]
fn a_skill_that_names_many_files_is_not_read_in_part() {
    let mut world = World::new(Some("/repo"));
    let text = format!("{} @.env", "@a.md ".repeat(1_000));
    let written = serde_json::json!({ "file_path": ".claude/skills/x/SKILL.md", "content": text });
    effects("Write", &written.to_string(), &mut world);
    let found = effects("Skill", r#"{"skill": "x"}"#, &mut world);
    assert!(found.contains("too many items"), "{}", found.len());
}

fn where_it_runs(_: &str, world: &mut World) -> Effects {
    let cwd = world.cwd().unwrap_or("?").to_owned();
    shown(&cwd, world)
}

#[test]
fn the_directory_of_one_call_is_its_own() {
    let mut world = World::new(Some("/repo"));
    let mut call = |arguments: &str| {
        let arguments = Arguments::Json(arguments.into());
        super::run_with(
            super::run::Shells { posix: where_it_runs, powershell: shown, cmd: shown },
            "exec_command",
            &arguments,
            Scripts::Unfolded,
            &mut world,
        )
        .effects[0]
            .to_string()
    };
    assert_eq!(call(r#"{"cmd":"ls","workdir":"src"}"#), "execute /repo/src");
    assert_eq!(call(r#"{"cmd":"ls","workdir":"/tmp"}"#), "execute /tmp");
    assert_eq!(call(r#"{"cmd":"ls"}"#), "execute /repo");
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let text = prop_oneof![
        Just("/repo/.env".to_owned()),
        Just("*** Begin Patch\n*** Add File: ".to_owned()),
        Just("https://[".to_owned()),
        Just("{a,{b,c}".to_owned()),
        "\\PC{0,12}",
    ];
    let leaf = prop_oneof![
        text.prop_map(serde_json::Value::String),
        Just(serde_json::Value::Null),
        any::<i32>().prop_map(serde_json::Value::from),
    ];
    let key = prop_oneof![
        Just("path"),
        Just("file_path"),
        Just("command"),
        Just("args"),
        Just("url"),
        Just("edits"),
        Just("pattern"),
        Just("input"),
        Just("include"),
        Just("code"),
        Just("source"),
        Just("destination"),
        Just("x"),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::Array),
            prop::collection::vec((key.clone(), inner), 0..4).prop_map(|pairs| {
                serde_json::Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

proptest! {
    /// A call that isn't harmless has at least one effect, whatever its arguments are.
    #[test]
    fn nothing_is_never_the_answer(arguments in json(), at in 0_usize..16) {
        let tools = [
            "Read", "Write", "Edit", "Bash", "Grep", "Glob", "apply_patch", "WebFetch", "read_many_files",
            "mcp__files__read", "str_replace_based_edit_tool", "CallMcpTool", "python", "move_file", "LS", "frobnicate",
        ];
        let mut world = World::new(Some("/repo"));
        let json = Arguments::Json(arguments.to_string().into());
        let effects = super::run_with(SHOWN, tools[at], &json, Scripts::Whole, &mut world).effects;
        let only_excluding = tools[at] == "Glob" && arguments.to_string().contains("\"!");
        let nowhere = tools[at] == "WebFetch";
        prop_assert!(!effects.is_empty() || only_excluding || nowhere, "{} {}", tools[at], arguments);
    }

    #[test]
    fn any_text_is_survived(text in "\\PC{0,80}", at in 0_usize..8) {
        let tools = ["apply_patch", "Bash", "exec", "Read", "mcp__a__b", "", "mcp__", "write_stdin"];
        let mut world = World::new(None);
        for arguments in [Arguments::Text(text.clone().into()), Arguments::Json(text.clone().into())] {
            super::run_with(SHOWN, tools[at], &arguments, Scripts::Unfolded, &mut world);
        }
    }
}

/// What a call did not wait for, and what shares one status with others, its status does not tell.
#[test]
fn a_status_tells_of_one_command_that_was_waited_for() {
    let cases = [
        ("Bash", r#"{"command": "test"}"#, true),
        ("Bash", r#"{"command": "test", "run_in_background": false}"#, true),
        ("shell", r#"{"command": ["bash", "-lc", "test"]}"#, true),
        ("Bash", r#"{"command": "test", "run_in_background": true}"#, false),
        ("run_terminal_cmd", r#"{"command": "test", "is_background": "true"}"#, false),
        ("tmux", r#"{"command": "test"}"#, false),
        ("runCommands", r#"{"commands": ["test", "true"]}"#, false),
        ("write_stdin", r#"{"chars": "test\n"}"#, false),
    ];
    for (tool, arguments, told) in cases {
        let arguments = Arguments::Json(arguments.into());
        let effects = super::run(tool, &arguments, Scripts::Whole, &mut World::new(Some("/repo"))).effects;
        let is_test = |effect: &&Effect| matches!(&effect.kind, Kind::Execute(execution) if execution.argv.first().unwrap().text == "test");
        let test = effects.iter().find(is_test).unwrap_or_else(|| panic!("{tool}: {effects:?}"));
        assert_eq!(test.origin.told, told, "{tool} {arguments:?}");
    }
}
