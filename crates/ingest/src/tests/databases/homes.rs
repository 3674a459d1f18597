//! Databases where agents keep them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::super::fixtures;
use super::{OPENCODE, Store};
use crate::discover::{Found, Machine, Wanted, on_machine};
use crate::formats::DATABASES;
use agent_strace_model::Gap;

fn machine(world: &Path) -> Machine {
    Machine { variables: BTreeMap::from([("HOME", world.to_path_buf())]), project: world.join("project") }
}

fn put(world: &Path, place: &str, fixture: &str) {
    let path = world.join(place);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::copy(fixtures().join(fixture), path).unwrap();
}

/// Agent and id of each session, and the gaps.
fn sessions(found: &Found) -> (Vec<String>, Vec<String>) {
    let shown = |gap: &Gap| format!("{}: {}", gap.file, gap.kind);
    let (mut all, mut gaps) = (Vec::new(), found.gaps.iter().map(shown).collect::<Vec<_>>());
    for source in &found.sources {
        let (logs, more) = source.logs();
        gaps.extend(more.iter().map(shown));
        for log in logs {
            all.extend(log.read().sessions.iter().map(|session| format!("{} {}", session.dialect.name, session.id)));
        }
    }
    all.sort();
    (all, gaps)
}

#[test]
fn every_home_of_a_database_is_looked_into() {
    let store = Store::new("some.db", OPENCODE);
    for database in DATABASES {
        for home in database.homes {
            let world = tempfile::tempdir().unwrap();
            let machine = machine(world.path());
            let logs = home.logs.replace("**", "x/y").replace('*', "z");
            for folder in machine.folders(home) {
                let path = folder.join(&logs);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::copy(&store.path, &path).unwrap();
                let (found, gaps) = sessions(&on_machine(&machine, &Wanted::default()));
                assert_eq!(found, ["opencode ses_1"], "{} {home:?} {gaps:?}", database.what);
                // What lies there and is no database of the agent is not passed over.
                for other in [&b"SQLite format 3\0"[..], b"\0\0\0\0encrypted", b""] {
                    fs::write(&path, other).unwrap();
                    let found = on_machine(&machine, &Wanted::default());
                    let read = found.sources.iter().flat_map(|source| source.logs().0);
                    let told = read.map(|log| log.read().gaps.len()).sum::<usize>() + sessions(&found).1.len();
                    assert!(told > 0, "{} {home:?}", database.what);
                }
                fs::remove_file(&path).unwrap();
            }
        }
    }
}

#[test]
fn every_session_of_a_home_is_found_once() {
    let world = tempfile::tempdir().unwrap();
    let home = world.path();
    for (place, fixture) in [
        (".local/share/opencode/opencode.db", "opencode/opencode.db"),
        (".hermes/state.db", "hermes/state.db"),
        ("project/.crush/crush.db", "crush/crush.db"),
        (".local/share/goose/sessions/sessions.db", "goose/empty.db"),
        (".config/Cursor/User/globalStorage/state.vscdb", "cursor/state.vscdb"),
        (".cursor/chats/0123/cli-1/store.db", "cursor/store.db"),
        (".local/share/zed/threads/threads.db", "zed/threads.db"),
        (".local/share/devin/cli/sessions.db", "devin/sessions.db"),
        (".forge/.forge.db", "forge/forge.db"),
        (".local/state/warp-terminal/warp.sqlite", "warp/warp.sqlite"),
        (".config/Code/User/globalStorage/github.copilot-chat/agent-traces.db", "otel/traces.db"),
    ] {
        put(home, place, fixture);
    }
    let before = sessions(&on_machine(&machine(home), &Wanted::default()));
    // Copies of what is in the databases, and one session that was not taken over.
    let storage = home.join(".local/share/opencode/storage");
    let copy = r#"{"id":"ses_12be9f828ffeaiYkWjPssYhKmB","projectID":"global","directory":"/x","time":{"created":1}}"#;
    let other = copy.replace("ses_12be9f828ffeaiYkWjPssYhKmB", "ses_other");
    for (place, text) in [
        ("session/global/ses_12be9f828ffeaiYkWjPssYhKmB.json", copy),
        ("session/global/ses_other.json", &other),
        (
            "message/ses_12be9f828ffeaiYkWjPssYhKmB/msg_ed42dc66c001FKRAXJfCkZT1sJ.json",
            r#"{"id":"msg_ed42dc66c001FKRAXJfCkZT1sJ","sessionID":"s","role":"user","time":{}}"#,
        ),
        // A message that the database does not have.
        (
            "message/ses_12be9f828ffeaiYkWjPssYhKmB/msg_1.json",
            r#"{"id":"msg_1","sessionID":"s","role":"user","time":{}}"#,
        ),
    ] {
        let path = storage.join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let hermes = home.join(".hermes/sessions");
    fs::create_dir_all(&hermes).unwrap();
    for name in ["session_20260523_161041_b24109.json", "20260523_161041_b24109.jsonl"] {
        fs::write(hermes.join(name), r#"{"role":"session_meta","session_id":"20260523_161041_b24109"}"#).unwrap();
    }
    let (after, _) = sessions(&on_machine(&machine(home), &Wanted::default()));
    let mut expected = before.0.clone();
    expected.extend(["opencode-storage ses_other", "opencode-storage s"].map(str::to_owned));
    expected.sort();
    assert_eq!(after, expected);
    let mut once = after.clone();
    once.dedup();
    assert_eq!(after, once);
    for session in [
        "crush 15a5fe15-8a06-4822-84a9-c007b0b52bb0",
        "cursor-chat c-1",
        "cursor-cli cli-1",
        "devin calm-owl",
        "forge f-1",
        "hermes 20260523_161041_b24109",
        "opencode ses_12be9f828ffeaiYkWjPssYhKmB",
        "otel 48eb5d32-e8f9-4528-b791-92cec0da9dce",
        "warp w-1",
        "zed t-1",
    ] {
        assert!(after.iter().any(|found| found == session), "{session} is not in {after:#?}");
    }
}

/// A message and a part of one have files of their own; `check` and `list` see sessions.
#[test]
fn the_files_of_a_session_are_one_log() {
    let world = tempfile::tempdir().unwrap();
    let session = |id: &str| format!(r#"{{"id":"{id}","projectID":"global","directory":"/x","time":{{"created":1}}}}"#);
    let message = |id: &str, session: &str, role: &str| {
        format!(r#"{{"id":"{id}","sessionID":"{session}","role":"{role}","time":{{"created":2}}}}"#)
    };
    let part = |id: &str, message: &str, session: &str| {
        format!(
            r#"{{"id":"{id}","sessionID":"{session}","messageID":"{message}","type":"tool","callID":"c-{id}","tool":"bash","state":{{"status":"completed","input":{{"command":"ls"}},"output":""}}}}"#
        )
    };
    for (storage, places) in [
        ("storage", ["session/global/ses_1.json", "message/ses_1/msg_1.json", "part/msg_1"]),
        (
            "project/x/storage",
            ["session/info/ses_1.json", "session/message/ses_1/msg_1.json", "session/part/ses_1/msg_1"],
        ),
    ] {
        let root = world.path().join(".local/share/opencode").join(storage);
        let put = |place: &str, text: String| {
            let path = root.join(place);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put(places[0], session("ses_1"));
        put(&places[0].replace("ses_1", "ses_2"), session("ses_2"));
        put(places[1], message("msg_1", "ses_1", "assistant"));
        put(&places[1].replace("msg_1", "msg_0"), message("msg_0", "ses_1", "user"));
        put(&format!("{}/prt_1.json", places[2]), part("prt_1", "msg_1", "ses_1"));
        put(&format!("{}/prt_2.json", places[2]), part("prt_2", "msg_1", "ses_1"));
        let found = on_machine(&machine(world.path()), &Wanted::default());
        let logs = found.sources.iter().flat_map(|source| source.logs().0);
        let read: Vec<_> = logs
            .flat_map(|log| {
                log.read().sessions.iter().map(|one| (one.id.to_string(), one.calls().count())).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(read, [("ses_1".to_owned(), 2), ("ses_2".to_owned(), 0)], "{storage}");
        fs::remove_dir_all(root).unwrap();
    }
}

#[test]
fn only_databases_that_are_wanted_are_opened() {
    let world = tempfile::tempdir().unwrap();
    put(world.path(), ".hermes/state.db", "hermes/state.db");
    let codex = Wanted { agents: vec!["codex".to_owned()], since: None };
    assert!(on_machine(&machine(world.path()), &codex).sources.is_empty());
    let later = Wanted { agents: Vec::new(), since: Some("2999-01-01T00:00:00Z".parse().unwrap()) };
    assert!(on_machine(&machine(world.path()), &later).sources.is_empty());
}

#[test]
fn an_encoded_database_is_a_gap_unless_its_transcript_is_there() {
    let world = tempfile::tempdir().unwrap();
    let store = Store::new("one.db", "CREATE TABLE steps (idx integer, step_type text, step_payload blob)");
    let path = world.path().join(".gemini/antigravity-cli/conversations/one.db");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::copy(&store.path, &path).unwrap();
    let (_, gaps) = sessions(&on_machine(&machine(world.path()), &Wanted::default()));
    assert!(gaps.len() == 1 && gaps[0].contains("its steps are encoded"), "{gaps:?}");
    let logs = world.path().join(".gemini/antigravity-cli/brain/one/.system_generated/logs");
    fs::create_dir_all(&logs).unwrap();
    fs::write(logs.join("transcript.jsonl"), r#"{"step_index":0,"source":"USER","type":"USER_INPUT","content":"x"}"#)
        .unwrap();
    let (found, gaps) = sessions(&on_machine(&machine(world.path()), &Wanted::default()));
    assert!(gaps.is_empty() && found == ["antigravity one"], "{found:?} {gaps:?}");
}

#[test]
fn a_database_is_found_by_the_name_of_its_format() {
    let world = tempfile::tempdir().unwrap();
    put(world.path(), ".config/Cursor/User/globalStorage/state.vscdb", "cursor/state.vscdb");
    for (name, expected) in [("cursor-chat", 1), ("cursor", 1), ("zed", 0)] {
        let wanted = Wanted { agents: vec![name.to_owned()], since: None };
        assert_eq!(on_machine(&machine(world.path()), &wanted).sources.len(), expected, "{name}");
    }
}

#[test]
fn a_database_of_the_project_is_found_from_a_folder_in_it() {
    let world = tempfile::tempdir().unwrap();
    put(world.path(), "project/.crush/crush.db", "crush/crush.db");
    put(world.path(), ".crush/crush.db", "crush/crush.db");
    fs::create_dir_all(world.path().join("project/src/deep")).unwrap();
    let inside = Machine { project: world.path().join("project/src/deep"), ..machine(world.path()) };
    assert!(on_machine(&inside, &Wanted::default()).sources.is_empty(), "it is no repository");
    fs::create_dir(world.path().join("project/.git")).unwrap();
    assert_eq!(on_machine(&inside, &Wanted::default()).sources.len(), 1);
}

#[test]
fn a_database_of_a_folder_in_the_project_is_found_by_the_list_of_projects() {
    let world = tempfile::tempdir().unwrap();
    put(world.path(), "project/web/.crush/crush.db", "crush/crush.db");
    put(world.path(), "elsewhere/.crush/crush.db", "crush/crush.db");
    put(world.path(), "data/crush.db", "crush/crush.db");
    let list = world.path().join(".local/share/crush/projects.json");
    fs::create_dir_all(list.parent().unwrap()).unwrap();
    let place = |path: &str| world.path().join(path).to_string_lossy().into_owned();
    let project = |path: &str, data: &str| serde_json::json!({"path": place(path), "data_dir": data});
    let projects = [
        project("project/web", &place("project/web/.crush")),
        project("project/gone", ".crush"),
        project("project", &place("data")),
        project("elsewhere", &place("elsewhere/.crush")),
    ];
    fs::write(&list, serde_json::json!({"projects": projects}).to_string()).unwrap();
    let found = on_machine(&machine(world.path()), &Wanted::default());
    let shown: Vec<&str> = found.sources.iter().map(|source| source.shown.as_str()).collect();
    assert_eq!(shown, [place("project/web/.crush/crush.db"), place("data/crush.db")]);
    assert!(found.gaps.is_empty(), "{:?}", found.gaps);
    for broken in [r#"{"projects": {}}"#, r#"{"projects": [{"path": 1}]}"#, "["] {
        fs::write(&list, broken).unwrap();
        assert_eq!(on_machine(&machine(world.path()), &Wanted::default()).gaps.len(), 1, "{broken}");
    }
}

#[test]
fn chats_that_are_encrypted_are_a_gap() {
    let world = tempfile::tempdir().unwrap();
    let path = world.path().join(".config/Trae/ModularData/ai-agent/database.db");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "\u{1}\u{2}").unwrap();
    let gaps = |wanted: &Wanted| sessions(&on_machine(&machine(world.path()), wanted)).1;
    let all = gaps(&Wanted::default());
    assert!(all.len() == 1 && all[0].contains("Trae's chats are encrypted"), "{all:?}");
    assert!(gaps(&Wanted { agents: vec!["codex".to_owned()], since: None }).is_empty());
    assert_eq!(gaps(&Wanted { agents: vec!["trae".to_owned()], since: None }).len(), 1);
}

/// The editor keeps its chats in one database, and in which directory each was begun beside it.
#[test]
fn chats_are_in_the_directory_of_their_workspace() {
    let world = tempfile::tempdir().unwrap();
    let user = world.path().join(".config/Cursor/User");
    put(world.path(), ".config/Cursor/User/globalStorage/state.vscdb", "cursor/state.vscdb");
    let roots = || -> Vec<Option<String>> {
        let found = on_machine(&machine(world.path()), &Wanted::default());
        let logs = found.sources.iter().flat_map(|source| source.logs().0).collect::<Vec<_>>();
        let root = |log: &crate::Log| log.read().sessions[0].root.as_deref().map(str::to_owned);
        logs.iter().map(root).collect()
    };
    let workspace = |name: &str, folder: &str, chats: &str| {
        let place = user.join("workspaceStorage").join(name);
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("workspace.json"), serde_json::json!({"folder": folder}).to_string()).unwrap();
        let sql = format!(
            "CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB); INSERT INTO ItemTable VALUES ('composer.composerData', '{chats}')"
        );
        let store = Store::new("state.vscdb", &sql);
        fs::copy(&store.path, place.join("state.vscdb")).unwrap();
    };
    assert!(roots().iter().all(Option::is_none));
    let chat = r#"{"allComposers":[{"composerId":"c-1"}]}"#;
    workspace("a", "file:///home/ann/my%20app", chat);
    assert!(roots().contains(&Some("/home/ann/my app".to_owned())), "{:?}", roots());
    // It may have been in either.
    workspace("b", "file:///home/ann/other", chat);
    assert!(roots().iter().all(Option::is_none));
    workspace("b", "vscode-remote://ssh/home", "{");
    fs::write(user.join("workspaceStorage/b/state.vscdb"), "SQLite format 3\0").unwrap();
    assert!(roots().contains(&Some("/home/ann/my app".to_owned())));
}
