//! `redact`: what is written, and where; `redact --check`: what is told.

use std::fs;
use std::io::{Read, Write};

use serde_json::Value;

use crate::world::World;

/// Invented, in the form of the vendor's.
const TOKEN: &str = "ghp_x7Qm2LrT9vBnC4kWz8HsY1pDfG6jE3aR5uXo";
const MARK: &str = "[REDACTED:github-token]";

fn log(token: &str) -> String {
    let inner = serde_json::json!({"command": format!("echo \"{token}\"\n")}).to_string();
    format!(
        "{}\n{}\nplain \u{fc} {token} end\n{{\"cut\":\"{token}",
        serde_json::json!({"type": "user", "content": format!("use \"{token}\" \u{1F600} now")}),
        serde_json::json!({"arguments": inner, token: 1, "n": [1, 2.50, null]}),
    )
}

#[test]
fn a_log_goes_to_standard_output_and_nothing_else_changes() {
    let world = World::empty();
    world.write("a.jsonl", &log(TOKEN));
    let answer = world.run(&["redact", "a.jsonl"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_eq!(answer.stdout, log(TOKEN).replace(TOKEN, MARK));
    assert!(answer.stderr.starts_with("redacted 5 places in 1 of 1 file: "), "{}", answer.stderr);
    // The same from a stream, and once more nothing.
    let streamed = world.run_with(&["redact", "-"], &[], &log(TOKEN));
    assert_eq!(streamed.stdout, answer.stdout);
    let again = world.run_with(&["redact", "-"], &[], &answer.stdout);
    assert_eq!((again.stdout.as_str(), again.code), (answer.stdout.as_str(), 0));
    assert_eq!(world.read("a.jsonl"), log(TOKEN));
}

/// A finding leads to the value: line, pointer and code points.
#[test]
fn findings_say_where_without_saying_what() {
    let world = World::empty();
    world.write("logs/a.jsonl", &log(TOKEN));
    let answer = world.run(&["redact", "--check", "logs", "--format", "ndjson"]);
    assert_eq!(answer.code, 1);
    assert!(!answer.stdout.contains(&TOKEN[4..]), "{}", answer.stdout);
    let rows: Vec<Value> = answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let text = log(TOKEN);
    let lines: Vec<&str> = text.lines().collect();
    for row in &rows {
        assert_eq!(row["file"], "logs/a.jsonl");
        assert_eq!(row["fingerprint"], rows[0]["fingerprint"]);
        let line = lines[usize::try_from(row["line"].as_u64().unwrap()).unwrap() - 1];
        let pointer = row["pointer"].as_str().unwrap();
        let leaf = if row["key"] == true {
            assert_eq!(pointer, format!("/{MARK}"));
            TOKEN.to_owned()
        } else if pointer.is_empty() {
            line.to_owned()
        } else {
            let document: Value = serde_json::from_str(line).unwrap();
            document.pointer(pointer).unwrap().as_str().unwrap().to_owned()
        };
        let (start, end) = (row["start"].as_u64().unwrap(), row["end"].as_u64().unwrap());
        let (start, end) = (usize::try_from(start).unwrap(), usize::try_from(end).unwrap());
        assert_eq!(leaf.chars().skip(start).take(end - start).collect::<String>(), TOKEN, "{row}");
    }
    assert_eq!(rows.len(), 5);
}

#[test]
fn exit_codes_of_check_tell_findings_from_missing_evidence() {
    let world = World::empty();
    world.write("clean.log", "nothing here\n").write("secret.log", TOKEN);
    fs::write(world.path().join("data.bin"), b"\x7fELF\0\0\0").unwrap();
    fs::write(world.path().join("a.db"), b"SQLite format 3\0").unwrap();
    for (paths, code) in [
        (&["clean.log"][..], 0),
        (&["secret.log"], 1),
        (&["clean.log", "data.bin"], 3),
        (&["a.db"], 3),
        (&["data.bin", "secret.log"], 1),
        (&["secret.log", "nowhere.log"], 2),
    ] {
        let answer = world.run(&[&["redact", "--check"], paths].concat());
        assert_eq!(answer.code, code, "{paths:?}: {}{}", answer.stdout, answer.stderr);
    }
    let answer = world.run(&["redact", "--check", ".", "--format", "json"]);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(document["verdict"], "fail");
    assert_eq!(document["exit_code"], answer.code);
    assert_eq!(document["findings"].as_array().unwrap().len(), 1);
    let gaps: Vec<&str> =
        document["gaps"].as_array().unwrap().iter().map(|gap| gap["file"].as_str().unwrap()).collect();
    assert_eq!(gaps, ["./a.db", "./data.bin"]);
    // What can't be judged is never copied.
    let answer = world.run(&["redact", ".", "--output", "out"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("a SQLite database"), "{}", answer.stderr);
    assert!(!world.path().join("out/a.db").exists() && !world.path().join("out/data.bin").exists());
    assert_eq!(world.read("out/secret.log"), MARK);
}

#[test]
fn folders_are_written_elsewhere_or_in_place() {
    let world = World::empty();
    world.write("logs/b/deep.log", TOKEN).write("logs/a.jsonl", "{\"a\":1}\n");
    world.write(&format!("logs/{TOKEN}.log"), "x").write("logs/.git/config", TOKEN);
    let refused = world.run(&["redact", "logs"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert_eq!(world.run(&["redact", "logs", "--output", "out"]).code, 0);
    assert_eq!(world.read("out/b/deep.log"), MARK);
    assert_eq!(world.read("out/a.jsonl"), "{\"a\":1}\n");
    assert_eq!(world.read(&format!("out/{MARK}.log")), "x");
    assert!(!world.path().join("out/.git").exists());
    // Nothing is overwritten silently.
    world.write("out/a.jsonl", "mine");
    assert_eq!(world.run(&["redact", "logs", "--output", "out"]).code, 2);
    assert_eq!(world.read("out/a.jsonl"), "mine");
    assert_eq!(world.run(&["redact", "logs", "--output", "out", "--force"]).code, 0);
    assert_eq!(world.read("out/a.jsonl"), "{\"a\":1}\n");
    assert_eq!(world.run(&["redact", "logs/a.jsonl", "logs/b/deep.log", "--in-place"]).code, 0);
    assert_eq!(world.read("logs/b/deep.log"), MARK);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let world = World::empty();
    world.write("a.log", TOKEN).write("logs/b.log", TOKEN);
    let path = world.path().join("a.log");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&path, world.path().join("logs/link.log")).unwrap();
    let answer = world.run(&["redact", "logs/link.log", "--in-place"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    let answer = world.run(&["redact", "--check", "logs"]);
    assert_eq!(answer.code, 1);
    assert!(answer.stdout.contains("logs/link.log: a symbolic link: not followed"), "{}", answer.stdout);
    assert_eq!(world.run(&["redact", "logs/b.log", "--output", "logs/link.log", "--force"]).code, 2);
    fs::create_dir(world.path().join("out")).unwrap();
    symlink(world.path(), world.path().join("out/logs")).unwrap();
    assert_eq!(world.run(&["redact", "logs", "a.log", "--output", "out", "--force"]).code, 2);
    assert!(!world.path().join("b.log").exists(), "written through a link");
    assert_eq!(world.read("a.log"), TOKEN);
    assert_eq!(world.run(&["redact", "a.log", "--in-place"]).code, 0);
    assert_eq!(world.read("a.log"), MARK);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn what_is_compressed_with_gzip_is_compressed_again() {
    let world = World::empty();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(log(TOKEN).as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    fs::write(world.path().join("a.jsonl.gz"), &packed).unwrap();
    assert_eq!(world.run(&["redact", "--check", "a.jsonl.gz"]).code, 1);
    let answer = world.run(&["redact", "a.jsonl.gz", "--in-place"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let mut text = String::new();
    let bytes = fs::read(world.path().join("a.jsonl.gz")).unwrap();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, log(TOKEN).replace(TOKEN, MARK));
    fs::write(world.path().join("cut.gz"), &packed[..packed.len() - 20]).unwrap();
    assert_eq!(world.run(&["redact", "cut.gz", "--output", "out.gz"]).code, 2);
    assert!(!world.path().join("out.gz").exists());
    assert_eq!(fs::read_dir(world.path()).unwrap().count(), 2, "a temporary file was left");
}

#[test]
fn a_session_of_the_store_is_named_by_its_id() {
    let world = World::demo();
    let events = format!("{{\"event_type\":\"error\",\"data\":{{\"message\":\"{TOKEN}\"}}}}\n");
    world.write(".agent-traces/abc1/events.ndjson", &events).write(".agent-traces/abc1/meta.json", "{}");
    let answer = world.run(&["redact", "--check", "abc", "--format", "ndjson"]);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    assert!(
        answer.stdout.starts_with("{\"file\":\".agent-traces/abc1/events.ndjson\",\"line\":1,"),
        "{}",
        answer.stdout
    );
    assert_eq!(world.run(&["redact", "abc1", "--output", "shared"]).code, 0);
    assert_eq!(world.read("shared/events.ndjson"), events.replace(TOKEN, MARK));
    assert_eq!(world.read("shared/meta.json"), "{}");
}

#[test]
fn own_patterns_are_secrets_and_wrong_ones_are_pointed_into() {
    let world = World::empty();
    world.write("a.log", "ATTEST=00ff00ff tail\n");
    let answer = world.run(&["redact", "a.log", "--redact-pattern", "ATTEST=[a-f0-9]{8}"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, "[REDACTED:custom] tail\n"));
    let answer = world.run(&["redact", "a.log", "--redact-pattern", "a(b"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.contains("a(b\n") && answer.stderr.contains('^'), "{}", answer.stderr);
}

/// Models answer in pieces, and a token may be cut between two of them.
#[test]
fn a_token_in_pieces_is_found_taken_out_and_judged() {
    let world = World::empty();
    let delta = |text: &str| {
        let delta = serde_json::json!({"type": "text_delta", "text": text});
        serde_json::json!({"type": "stream_event", "session_id": "s1", "uuid": text.len(), "parent_tool_use_id": null,
            "event": {"type": "content_block_delta", "index": 0, "delta": delta}})
        .to_string()
            + "\n"
    };
    let start = serde_json::json!({"type": "system", "subtype": "init", "session_id": "s1", "cwd": "/srv/x"});
    let (left, right) = TOKEN.split_at(11);
    let log = |left: &str, right: &str| format!("{start}\n{}{}", delta(left), delta(right));
    world.write("a.jsonl", &log(left, right));
    let listed = world.run(&["redact", "--check", "a.jsonl", "--format", "ndjson"]);
    let rows: Vec<Value> = listed.stdout.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!((rows.len(), listed.code), (2, 1), "{rows:?}");
    for (row, (line, length)) in rows.iter().zip([(2, left.len()), (3, right.len())]) {
        assert_eq!((&row["line"], &row["end"]), (&Value::from(line), &Value::from(length)), "{row}");
        assert_eq!((&row["rule"], &row["start"]), (&Value::from("secret/vendor-token"), &Value::from(0)), "{row}");
        assert_eq!(row["fingerprint"], rows[0]["fingerprint"]);
    }
    let clean = world.run(&["redact", "a.jsonl"]);
    assert!(!clean.stdout.contains(right) && clean.stdout.contains(MARK), "{}", clean.stdout);
    assert_eq!(clean.stdout.lines().count(), 3);
    let judged = world.run(&["check", "a.jsonl", "--allow-no-policy"]);
    assert!(judged.stdout.contains("secret/vendor-token"), "{}{}", judged.stdout, judged.stderr);
    assert!(!judged.stdout.contains(right) && !judged.stdout.contains(left), "{}", judged.stdout);
}

/// The file that says what is personal in exports says so here, too. It never makes a secret public.
#[test]
fn the_configuration_says_what_is_personal_and_what_is_nobodys() {
    let world = World::empty();
    let text = format!("ACME Corp and dana@riverbend-labs.io, jroe@riverbend-labs.io on project NIGHTJAR: {TOKEN}\n");
    world.write("a.log", &text);
    let configured = format!(
        "rules:\n  - pattern: \"ACME \\w+\"\n    replacement: \"<company>\"\nidentities:\n  - Project Nightjar\n\
         keep:\n  - {{value: jroe@riverbend-labs.io, reason: signs publicly}}\n  - {{value: {TOKEN}, reason: no}}\n"
    );
    world.write("other.yaml", &configured);
    world.write(".agent-strace/anonymize.yaml", &configured);
    let masked = format!("<company> and [REDACTED:email], jroe@riverbend-labs.io on [REDACTED:custom]: {MARK}\n");
    let answer = world.run(&["redact", "a.log", "--mask"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, masked.as_str()), "{}", answer.stderr);
    let again = world.run_with(&["redact", "-", "--mask"], &[], &masked);
    assert_eq!(again.stdout, masked);
    let secrets = world.run(&["redact", "a.log"]);
    assert_eq!(secrets.stdout, text.replace(TOKEN, MARK), "only --mask takes out what is personal");
    let listed = world.run(&["redact", "--check", "a.log", "--format", "ndjson"]);
    let rules: Vec<Value> =
        listed.stdout.lines().map(|row| serde_json::from_str::<Value>(row).unwrap()["rule"].clone()).collect();
    assert_eq!(rules, ["pii/custom", "pii/email", "pii/custom", "secret/vendor-token"]);
    // A broken file stops it, and so does one that was asked for and is not there.
    world.write(".agent-strace/anonymize.yaml", "rule:\n  - pattern: x\n");
    let broken = world.run(&["redact", "a.log", "--mask"]);
    assert_eq!((broken.code, broken.stdout.as_str()), (2, ""));
    assert!(broken.stderr.contains("rules"), "{}", broken.stderr);
    let named = world.run(&["redact", "a.log", "--mask", "--anonymize-config", "other.yaml"]);
    assert_eq!((named.code, named.stdout.as_str()), (0, masked.as_str()), "{}", named.stderr);
    assert_eq!(world.run(&["redact", "a.log", "--mask", "--anonymize-config", "none.yaml"]).code, 2);
}

/// Many files at once print in order, whatever they take.
#[test]
fn the_order_of_findings_is_that_of_the_files() {
    let world = World::empty();
    for number in 0..40 {
        let text = format!("{TOKEN}\n").repeat(if number % 7 == 0 { 9_000 } else { 3 });
        world.write(&format!("logs/{number:02}.log"), &text);
    }
    let first = world.run(&["redact", "--check", "logs", "--format", "ndjson"]);
    let files: Vec<&str> = first.stdout.lines().map(|line| &line[..24]).collect();
    assert!(files.is_sorted());
    assert_eq!(files.len(), 6 * 9_000 + 34 * 3);
    assert_eq!(world.run(&["redact", "--check", "logs", "--format", "ndjson"]), first);
}
