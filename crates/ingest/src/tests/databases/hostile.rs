//! Nothing that is in a database, or missing from it, passes without a word.

use std::fmt::Write as _;
use std::fs;

use rusqlite::Connection;

use super::{OPENCODE, Store, read, sessions};

#[test]
fn a_view_is_no_table() {
    for hidden in [
        "ALTER TABLE part RENAME TO hidden; CREATE VIEW part AS SELECT * FROM hidden WHERE 0;",
        "DROP TABLE part; CREATE VIRTUAL TABLE part USING fts5(id, message_id, session_id, data);",
        "DROP TABLE part; CREATE TABLE part (id text PRIMARY KEY, message_id, session_id, data) WITHOUT ROWID;",
        "DROP TABLE part; CREATE TABLE part (rowid text, id, message_id, session_id, data);",
        "DROP TABLE part; CREATE TABLE part (id, message_id, session_id, data AS ('{}'));",
    ] {
        let text = Store::new("opencode.db", OPENCODE).run(hidden).read();
        assert!(text.starts_with("gap opencode.db: ") && sessions(&text) == 0, "{hidden}\n{text}");
    }
}

#[test]
fn an_index_hides_no_row() {
    let store = Store::new("opencode.db", OPENCODE);
    let index = "CREATE INDEX part_session ON part(session_id) WHERE session_id = 'none';
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE INDEX part_session ON part(session_id)' WHERE name = 'part_session';";
    assert!(store.run(index).read().contains("call bash ok"));
}

#[test]
fn triggers_do_not_run() {
    let store = Store::new("opencode.db", OPENCODE);
    store.run("CREATE TRIGGER t AFTER INSERT ON part BEGIN DELETE FROM session; END;");
    let before = fs::read(&store.path).unwrap();
    assert!(store.read().contains("call bash ok"));
    assert_eq!(fs::read(&store.path).unwrap(), before);
}

#[test]
fn what_is_in_no_session_row_is_read_all_the_same() {
    let text = Store::new("opencode.db", OPENCODE).run("DELETE FROM session").read();
    assert!(text.contains("call bash ok") && text.contains("own row is missing"), "{text}");
    let text = Store::new("opencode.db", OPENCODE).run("DELETE FROM message").read();
    assert!(text.contains("call bash ok") && text.contains("parts of a message whose own row is missing"), "{text}");
    let text = Store::new("opencode.db", OPENCODE).run("UPDATE part SET session_id = x'00'").read();
    assert!(text.contains("2 rows of `part` name no session"), "{text}");
}

#[test]
fn values_that_can_not_be_read_are_gaps() {
    for (change, told) in [
        ("UPDATE part SET data = '{\"type\":' WHERE id = 'prt_2'", "is not JSON"),
        ("UPDATE part SET data = '[]' WHERE id = 'prt_2'", "is not an object"),
        ("UPDATE part SET data = cast(x'7bff7d' AS text) WHERE id = 'prt_2'", "it is not UTF-8"),
        ("UPDATE part SET data = zeroblob(70000000) WHERE id = 'prt_2'", "larger than 64 MiB"),
        ("UPDATE part SET data = replace(data, '{\"type\"', '{\"type\":\"text\",\"type\"')", "occurs twice"),
    ] {
        let text = Store::new("opencode.db", OPENCODE).run(change).read();
        assert!(text.contains(told) && text.contains("gap "), "{change}\n{text}");
    }
}

#[test]
fn a_column_that_is_not_there_is_a_gap() {
    let text = Store::new("opencode.db", OPENCODE).run("ALTER TABLE part RENAME COLUMN message_id TO other").read();
    assert!(text.contains("the table `part` has no column `message_id`"), "{text}");
}

#[test]
fn damage_is_a_gap_wherever_it_is() {
    let store = Store::new("opencode.db", OPENCODE);
    for number in 0..100 {
        store.run(&format!("INSERT INTO part VALUES ('prt_9{number}', 'msg_2', 'ses_1', '{{\"type\":\"snapshot\"}}')"));
    }
    let whole = fs::read(&store.path).unwrap();
    let healthy = store.read();
    assert!(!healthy.contains("gap "), "{healthy}");
    for at in (0..whole.len()).step_by(701) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x5a;
        fs::write(&store.path, &bytes).unwrap();
        // Whatever it reads: it ends and does not panic.
        let _ = store.read();
    }
    for length in [1, 15, 16, 17, 99, 100, 101, 4096, 8192, whole.len() - 4096, whole.len() - 1] {
        fs::write(&store.path, &whole[..length]).unwrap();
        let text = store.read();
        assert!(text.contains("gap "), "{length}: {text}");
    }
}

#[test]
fn pages_that_lead_in_a_circle_are_damage() {
    let store = Store::new("opencode.db", OPENCODE);
    let mut many = String::from("BEGIN;");
    for number in 0..2_000 {
        write!(many, "INSERT INTO part VALUES ('prt_9{number}', 'msg_2', 'ses_1', '{{\"type\":\"snapshot\"}}');")
            .unwrap();
    }
    store.run(&(many + "COMMIT;"));
    let root: usize = store
        .connection()
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'part'", [], |row| row.get::<_, i64>(0))
        .unwrap()
        .try_into()
        .unwrap();
    store.change(|bytes| {
        // The last child of the root is the root.
        let page = (root - 1) * 4096;
        assert_eq!(bytes[page], 5);
        bytes[page + 8..page + 12].copy_from_slice(&u32::try_from(root).unwrap().to_be_bytes());
    });
    let text = store.read();
    assert!(text.contains("damaged"), "{text}");
}

#[test]
fn changes_that_are_not_in_the_database_yet_are_read() {
    let store = Store::new("opencode.db", OPENCODE);
    let live = store.connection();
    live.pragma_update(None, "journal_mode", "wal").unwrap();
    live.execute_batch(
        "INSERT INTO session VALUES ('ses_2', NULL, '/home/dana/app', 1);
        INSERT INTO message VALUES ('msg_9', 'ses_2', 1, '{\"role\":\"user\"}');",
    )
    .unwrap();
    live.execute_batch("BEGIN; INSERT INTO message VALUES ('msg_8', 'ses_3', 1, '{\"role\":\"user\"}');").unwrap();
    let text = store.read();
    assert_eq!(sessions(&text), 2, "{text}");
    let beside: Vec<_> = fs::read_dir(store.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(beside.len(), 3, "{beside:?}");
    drop(live);
}

#[test]
fn a_new_database_may_be_in_its_log_of_changes_alone() {
    let store = Store::new("opencode.db", "PRAGMA journal_mode = wal;");
    let live = store.connection();
    live.execute_batch(OPENCODE).unwrap();
    for text in [store.read(), read(store.folder.path())] {
        assert!(text.contains("call bash ok"), "{text}");
    }
    drop(live);
}

#[test]
fn damaged_changes_and_those_of_another_database_hide_nothing_silently() {
    let store = Store::new("opencode.db", OPENCODE);
    let other = Store::new("opencode.db", OPENCODE);
    let live = other.connection();
    live.pragma_update(None, "journal_mode", "wal").unwrap();
    live.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    live.execute_batch("INSERT INTO session VALUES ('ses_9', NULL, '/', 1)").unwrap();
    let wal = fs::read(other.folder.path().join("opencode.db-wal")).unwrap();
    let beside = store.folder.path().join("opencode.db-wal");
    fs::write(&beside, &wal).unwrap();
    let text = store.read();
    assert!(text.contains("call bash ok") || text.contains("gap "), "{text}");
    let mut broken = wal;
    for byte in broken.iter_mut().skip(40) {
        *byte ^= 0xff;
    }
    fs::write(&beside, &broken).unwrap();
    assert!(store.read().contains("call bash ok"));
    fs::remove_file(&beside).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/hostname", &beside).unwrap();
        assert!(store.read().contains("its `-wal` is not a regular file"));
    }
    drop(live);
}

#[test]
fn a_transaction_that_was_not_finished_is_told_and_nothing_is_rolled_back() {
    let store = Store::new("opencode.db", OPENCODE);
    let journal = store.folder.path().join("opencode.db-journal");
    let victim = store.folder.path().join("victim.txt");
    fs::write(&victim, "kept").unwrap();
    let mut bytes = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    bytes.extend([0; 1_000]);
    bytes.extend(victim.to_string_lossy().as_bytes());
    fs::write(&journal, &bytes).unwrap();
    let text = store.read();
    assert!(text.contains("call bash ok") && text.contains("a transaction was not finished"), "{text}");
    assert_eq!(fs::read(&journal).unwrap(), bytes);
    assert_eq!(fs::read_to_string(victim).unwrap(), "kept");
}

#[test]
fn a_thousand_sessions_are_a_thousand_logs() {
    let store = Store::new("opencode.db", OPENCODE);
    let mut many = String::from("BEGIN;");
    for number in 0..999 {
        write!(
            many,
            "INSERT INTO session VALUES ('ses_{number:04}', NULL, '/', 1);
             INSERT INTO message VALUES ('m{number}', 'ses_{number:04}', 1, '{{\"role\":\"user\"}}');"
        )
        .unwrap();
    }
    let text = store.run(&(many + "COMMIT;")).read();
    assert_eq!(sessions(&text), 1_000);
}

#[test]
fn ids_that_are_no_names_name_no_file() {
    let store = Store::new("opencode.db", OPENCODE);
    for table in ["part", "message"] {
        store.run(&format!("UPDATE {table} SET session_id = '../../etc/x'"));
    }
    let text = store.run("UPDATE session SET id = '../../etc/x'").read();
    assert!(text.contains("session ../../etc/x ") && !text.contains("gap "), "{text}");
    let found = crate::discover::select(
        std::path::Path::new("/nonexistent"),
        &[store.path.to_string_lossy().into_owned()],
        crate::discover::Selection::All,
    );
    let (logs, _) = found.unwrap().sources[0].logs();
    assert!(logs[0].shown.ends_with("opencode.db/session 1"), "{}", logs[0].shown);
}

#[test]
fn other_databases_are_no_logs() {
    let store = Store::new("app.db", "CREATE TABLE users (id text)");
    assert!(store.read().contains("an SQLite database that is none of these: OpenCode's"), "{}", store.read());
    assert_eq!(read(store.folder.path()), "");
    // Nothing is read of one that is encrypted, but it may hold sessions.
    store.change(|bytes| bytes.iter_mut().skip(16).for_each(|byte| *byte = byte.wrapping_mul(7).wrapping_add(3)));
    for text in [store.read(), read(store.folder.path())] {
        assert!(text.contains("gap "), "{text}");
    }
}

#[test]
fn a_database_in_an_archive_is_read_without_its_changes_and_says_so() {
    use std::io::Write as _;
    let store = Store::new("opencode.db", OPENCODE);
    store.run("PRAGMA journal_mode = wal");
    let bytes = fs::read(&store.path).unwrap();
    assert_eq!(bytes[18], 2, "the header says that there is a log of changes");
    for (wal, told) in [(&b""[..], 0), (&[1; 5_000][..], 1)] {
        let archive = store.folder.path().join("logs.zip");
        let mut zip = zip::ZipWriter::new(fs::File::create(&archive).unwrap());
        let options = zip::write::SimpleFileOptions::default();
        for (name, bytes) in [("run/opencode.db", &bytes[..]), ("run/opencode.db-wal", wal)] {
            zip.start_file(name, options).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
        let text = read(&archive);
        assert!(text.contains("call bash ok"), "{text}");
        assert_eq!(text.matches("`-wal`").count(), told, "{text}");
    }
}

#[test]
fn a_database_of_utf16_is_read() {
    let store = Store::new("opencode.db", "PRAGMA encoding = 'UTF-16';");
    drop(Connection::open(&store.path).unwrap());
    let text = Store::new("opencode.db", &format!("PRAGMA encoding = 'UTF-16'; {OPENCODE}")).read();
    assert!(text.contains("call bash ok"), "{text}");
}

#[test]
fn tables_of_another_agent_hide_no_session() {
    let text = Store::new("opencode.db", OPENCODE)
        .run(
            "CREATE TABLE sessions (id, parent_session_id, title, message_count);
             CREATE TABLE messages (id, session_id, role, parts, content, tool_calls, tool_call_id);",
        )
        .read();
    assert!(text.contains("call bash ok") || text.contains("the tables of two agents"), "{text}");
}

#[test]
fn a_message_of_the_second_generation_hides_no_call_of_the_first() {
    let text = Store::new("opencode.db", OPENCODE)
        .run(
            "CREATE TABLE session_message (id, session_id, type, seq, time_created, data);
             INSERT INTO session_message SELECT id, session_id, 'idle', 1, 1, '{}' FROM message;",
        )
        .read();
    assert!(text.contains("call bash ok"), "{text}");
}

#[test]
fn names_of_tables_and_columns_may_be_in_capitals() {
    let text = Store::new("opencode.db", OPENCODE).run("ALTER TABLE part RENAME COLUMN data TO DATA").read();
    assert!(text.contains("call bash ok") || text.starts_with("gap "), "{text}");
}
