//! The databases of each agent.

use agent_strace_testing::corpus::outside;
use rusqlite::{Connection, OpenFlags};

use super::{OPENCODE, Store, read, sessions};

/// The calls of real databases, as functions of `SQLite` itself count them.
#[test]
fn calls_of_real_databases_are_all_there() {
    let Some(data) = outside("calls of databases are not counted") else { return };
    let parts = "SELECT count(*) FROM messages, json_each(parts) WHERE json_extract(value, '$.type') = 'tool_call'";
    for (name, counted, least) in [
        ("opencode-1.17.db", "SELECT count(*) FROM part WHERE json_extract(data, '$.type') = 'tool'", 10),
        ("hermes-state-2026.db", "SELECT sum(json_array_length(tool_calls)) FROM messages", 10),
        ("crush-2025.db", parts, 10),
        ("crush-2026.db", parts, 0),
        ("goose-sessions.db", "SELECT count(*) FROM messages", 0),
        ("copilot-otel-traces.db", "SELECT count(*) FROM spans WHERE operation_name = 'execute_tool'", 3),
    ] {
        let path = data.corpus().with_file_name("new-formats").join(name);
        let database = Connection::open_with_flags(
            format!("file:{}?mode=ro&immutable=1", path.display()),
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
        );
        let counted: i64 = database.unwrap().query_row(counted, [], |row| row.get(0)).unwrap();
        let text = read(&path);
        let calls = text.lines().filter(|line| line.split_whitespace().nth(1) == Some("call")).count();
        assert_eq!(i64::try_from(calls).unwrap(), counted, "{name}\n{text}");
        assert!(counted >= least, "{name}: {counted}");
    }
}

#[test]
fn opencode_has_two_generations_in_one_database() {
    let store = Store::new("opencode.db", OPENCODE);
    store.run(
        r#"CREATE TABLE session_v2 (id text PRIMARY KEY, parent_id text, directory text, time_created integer);
        CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, seq integer, data text);
        INSERT INTO session_v2 VALUES ('ses_1', NULL, '/home/dana/app', 1), ('ses_2', 'ses_1', '/home/dana/app', 1);
        INSERT INTO session_message VALUES
          ('msg_1', 'ses_1', 'user', 1, '{"text":"list it","time":{"created":1}}'),
          ('msg_3', 'ses_2', 'user', 1, '{"text":"write it","time":{"created":1}}'),
          ('msg_4', 'ses_2', 'assistant', 2, '{"agent":"build","model":{"id":"m","providerID":"p"},
            "tokens":{"input":5,"output":7,"reasoning":0,"cache":{"read":1,"write":0}},
            "content":[{"type":"reasoning","text":"think"},
              {"type":"tool","id":"c2","name":"write","state":{"status":"completed","input":{"filePath":"/home/dana/app/a"},
                "content":[{"type":"text","text":"done"}]}},
              {"type":"tool","id":"c3","name":"bash","state":{"status":"error","input":{"command":"false"},
                "error":{"type":"unknown","message":"failed"}}},
              {"type":"tool","id":"c4","name":"bash","state":{"status":"streaming","input":""}}]}'),
          ('msg_5', 'ses_2', 'shell', 3, '{"shellID":"s1","command":"make","output":"x","exit":2}'),
          ('msg_6', 'ses_2', 'compaction', 4, '{"reason":"auto","summary":"s"}'),
          ('msg_7', 'ses_2', 'idle', 5, '{"outcome":"succeeded"}'),
          ('msg_8', 'ses_2', 'novelty', 6, '{}');"#,
    );
    let text = store.read();
    assert_eq!(sessions(&text), 2, "{text}");
    for said in [
        "call bash ok cwd=/home/dana/app json {\"command\":\"ls\"}",
        "call write ok cwd=/home/dana/app json {\"filePath\":\"/home/dana/app/a\"}",
        "call bash error cwd=/home/dana/app json {\"command\":\"false\"}",
        "call bash error cwd=/home/dana/app json {\"command\":\"make\"}",
        "parent=Some(\"ses_1\") unknown=1",
        "usage requests=1 input=5 output=7 cache=1+0",
        "prompt write it",
        "reasoning think",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    assert_eq!(text.matches("prompt list it").count(), 1, "{text}");
    assert!(!text.contains("gap "), "{text}");
}

const GOOSE: &str = r#"
CREATE TABLE sessions (id TEXT PRIMARY KEY, working_dir TEXT NOT NULL, extension_data TEXT DEFAULT '{}',
  accumulated_total_tokens INTEGER, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
  content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL);
INSERT INTO sessions VALUES ('20251108_1', '/home/dana/app', '{}', 30, 20, 10), ('20251108_2', '/', '{}', NULL, 0, 0);
INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES
 ('20251108_1', 'user', '[{"type":"text","text":"list it"}]', 1762600000),
 ('20251108_1', 'assistant', '[{"type":"toolRequest","id":"c1","toolCall":{"status":"success",
   "value":{"name":"developer__shell","arguments":{"command":"ls"}}}}]', 1762600001),
 ('20251108_1', 'user', '[{"type":"toolResponse","id":"c1","toolResult":{"status":"success","value":[]}}]', 1762600002);
"#;

#[test]
fn goose_keeps_contents_as_its_export_has_them() {
    let text = Store::new("sessions.db", GOOSE).read();
    assert_eq!(sessions(&text), 1, "{text}");
    assert!(
        text.contains("session 20251108_1 agent=goose") && text.contains("root=Some(\"/home/dana/app\")"),
        "{text}"
    );
    assert!(text.contains("call developer__shell ok json {\"command\":\"ls\"}"), "{text}");
    assert!(text.contains("input=20 output=10") && !text.contains("gap "), "{text}");
    let text = Store::new("sessions.db", GOOSE).run("DELETE FROM messages").read();
    assert!(text.contains("its messages are missing"), "{text}");
}

#[test]
fn kiro_keeps_whole_conversations() {
    let store = Store::new(
        "data.sqlite3",
        r#"CREATE TABLE conversations_v2 (key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL,
            created_at INTEGER, updated_at INTEGER, PRIMARY KEY (key, conversation_id));
        CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT);
        CREATE TABLE auth_kv (key TEXT PRIMARY KEY, value TEXT);
        INSERT INTO auth_kv VALUES ('token', 'secret');
        INSERT INTO conversations_v2 VALUES ('/home/dana/app', 'one', '{"conversation_id":"one","history":[
          {"user":{"content":{"Prompt":{"prompt":"list it"}}},"assistant":{"ToolUse":{"message_id":"m","content":"",
            "tool_uses":[{"id":"c1","name":"execute_bash","args":{"command":"ls"}}]}}}]}', 1, 2);
        INSERT INTO conversations VALUES
          ('/home/dana/app', '{"conversation_id":"one","history":[]}'),
          ('/home/dana/old', '{"conversation_id":"two","history":[
            {"user":{"content":{"Prompt":{"prompt":"go"}}},"assistant":{"Response":{"message_id":"m","content":"ok"}}}]}');"#,
    );
    let text = store.read();
    assert_eq!(sessions(&text), 2, "{text}");
    assert!(text.contains("root=Some(\"/home/dana/app\")") && text.contains("root=Some(\"/home/dana/old\")"), "{text}");
    assert!(text.contains("call execute_bash missing json {\"command\":\"ls\"}") && !text.contains("secret"), "{text}");
    assert!(!text.contains("gap "), "{text}");
}

#[test]
fn an_empty_database_has_no_session() {
    let store = Store::new("opencode.db", OPENCODE);
    store.run("DELETE FROM session; DELETE FROM message; DELETE FROM part;");
    assert_eq!(store.read(), "");
    store.run("INSERT INTO session VALUES ('ses_1', NULL, '/', 1)");
    assert_eq!(store.read(), "");
}

/// Events keep the calls of messages that were taken back or deleted.
#[test]
fn calls_that_only_events_tell_of_ran() {
    let store = Store::new("opencode.db", OPENCODE);
    let before = store.read();
    let part = |id: &str, call: &str, command: &str| {
        format!(
            r#"{{"sessionID":"ses_1","part":{{"id":"{id}","sessionID":"ses_1","messageID":"msg_9","type":"tool","tool":"bash","callID":"{call}","state":{{"status":"completed","input":{{"command":"{command}"}},"output":"x"}}}}}}"#
        )
    };
    let events = [
        ("message.part.updated.1", part("prt_2", "c1", "ls")),
        ("message.part.updated.1", part("prt_9", "c9", "cat .en")),
        ("message.part.updated.1", part("prt_9", "c9", "cat .env")),
        (
            "message.part.updated.1",
            r#"{"part":{"id":"prt_8","messageID":"msg_9","type":"text","text":"x"}}"#.to_owned(),
        ),
        ("session.updated.1", "{}".to_owned()),
    ];
    store.run("CREATE TABLE event (id text PRIMARY KEY, aggregate_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, data text NOT NULL)");
    assert_eq!(store.read(), before);
    for (seq, (kind, data)) in events.iter().enumerate() {
        store.run(&format!("INSERT INTO event VALUES ('e{seq}', 'ses_1', {seq}, '{kind}', '{data}')"));
    }
    let after = store.read();
    assert_eq!(after.matches("cat .env").count(), 1, "{after}");
    assert!(
        !after.contains("cat .en\"") && after.matches("\"ls\"").count() == before.matches("\"ls\"").count(),
        "{after}"
    );
    // All of the session was deleted, but for its events.
    store.run("DELETE FROM message; DELETE FROM part");
    assert!(store.read().contains("cat .env"), "{}", store.read());
    store.run("UPDATE event SET data = '{' WHERE seq = 2");
    assert!(store.read().contains("its `data` is no object"), "{}", store.read());
}
