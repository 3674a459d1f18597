//! Bytes nobody meant: no panic, no overflow, nothing lost in silence.

use proptest::prelude::*;

use super::read;
use crate::Log;
use crate::gaps::MAX_GAPS;
use agent_strace_model::Gap;

#[test]
fn files_that_are_no_logs_say_what_they_are() {
    let cases: &[(&[u8], &str)] = &[
        (b"", "empty file"),
        (b" \n\n", "empty file"),
        (b"\xef\xbb\xbf", "empty file"),
        (b"SQLite format 3\0rest", "an SQLite database"),
        (b"\x1f\x8b\x08\0\0", "decompress"),
        (b"\x28\xb5\x2f\xfd\0\0\0", "binary"),
        (b"\0\0\0\0", "binary data"),
        (b"\xff\xfe{\0\"\0", "binary"),
        (b"# Notes", "does not start with a JSON object"),
        (b"{}", "no record has the shape"),
        (b"[]", "no record has the shape"),
        (b"[1,2]", "no record has the shape"),
        (b"{\"name\":\"package\",\"version\":\"1\"}", "no record has the shape"),
    ];
    for (bytes, expected) in cases {
        let log = Log::new("log", bytes.to_vec());
        let reading = log.read();
        assert!(reading.sessions.is_empty(), "{bytes:?}");
        let reasons: Vec<_> = reading.gaps.iter().map(Gap::reason).collect();
        assert!(reasons.iter().any(|reason| reason.contains(expected)), "{bytes:?}: {reasons:?}");
    }
}

#[test]
fn nesting_does_not_overflow() {
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    let call = |arguments: &str| {
        format!(
            r#"{{"event_type":"tool_call","event_id":"a","timestamp":1,"data":{{"tool_name":"T","arguments":{arguments}}}}}"#
        )
    };
    assert!(read(&call(&deep)).contains("call T missing json [[["));
    assert!(read(&deep).contains("gap"));
    assert!(read(&"[".repeat(1_000_000)).contains("gap"));
    assert!(read(&"{\"a\":".repeat(100_000)).contains("gap"));
}

#[test]
fn a_flood_of_gaps_is_counted() {
    let text =
        format!("{}\n{}", r#"{"event_type":"session_start","event_id":"a","timestamp":1}"#, "x\n".repeat(MAX_GAPS + 5));
    let log = Log::new("log", text.into_bytes());
    let gaps = log.read().gaps;
    assert_eq!(gaps.len(), MAX_GAPS + 1);
    assert!(gaps[MAX_GAPS].reason().starts_with("5 more places"), "{}", gaps[MAX_GAPS].reason());
}

/// Pieces of real dialects, so that random text gets past detection.
const PIECES: &[&str] = &[
    "\n",
    "\r\n",
    ",",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "\\",
    "\\ud83d",
    "null",
    "1",
    "\u{feff}",
    "\u{2028}",
    " ",
    r#"{"event_type":"tool_call","event_id":"a","timestamp":1,"data":{"tool_name":"T","arguments":"{}"}}"#,
    r#"{"event_type":"tool_result","event_id":"b","parent_id":"a","data":[]}"#,
    r#"{"type":"assistant","sessionId":"s","uuid":"u","message":{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"Bash","input":{"command":"ls"}}]}}"#,
    r#"{"type":"user","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"no"}]},"toolUseResult":"User rejected tool use"}"#,
    r#"{"loglines":["#,
    r#"{"type":"session_meta","payload":{"id":"s","cwd":"/r"}}"#,
    r#"{"type":"response_item","payload":{"type":"custom_tool_call","name":"exec","call_id":"c","input":"await tools.exec_command({cmd:\"ls\"})"}}"#,
    r#"{"type":"event_msg","payload":{"type":"patch_apply_end","changes":{"a":{"type":"add"}}}}"#,
    r#"{"sessionId":"s","projectHash":"h","messages":["#,
    r#"{"id":"m","type":"gemini","toolCalls":[{"id":"t","name":"glob","args":{}}]}"#,
    r#"{"$set":{"x":1}}"#,
    r#"{"history":[{"role":"model","parts":[{"functionCall":{"name":"glob","args":{}}}]}]}"#,
];

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let log = Log::new("log", bytes);
        let reading = log.read();
        prop_assert!(!reading.sessions.is_empty() || !reading.gaps.is_empty());
    }

    #[test]
    fn any_mix_of_pieces_is_read_without_panic(picks in proptest::collection::vec(0..PIECES.len(), 0..12)) {
        let text: String = picks.iter().map(|pick| PIECES[*pick]).collect();
        let log = Log::new("log", text.into_bytes());
        let reading = log.read();
        prop_assert!(!reading.sessions.is_empty() || !reading.gaps.is_empty());
    }
}

#[test]
fn a_key_that_is_no_text_hides_nothing_beside_it() {
    let event =
        |data: &str| format!(r#"{{"event_type":"tool_call","event_id":"a","timestamp":1,"data":{data},"\udc00":2}}"#);
    assert!(read(&event(r#"{"\ud83d":1,"tool_name":"Read","arguments":{"file_path":"a"}}"#)).contains("call Read"));
    let copilot = concat!(
        r#"{"type":"session.start","data":{"sessionId":"s","copilotVersion":"1","\ud83d":1},"id":"1","timestamp":"t"}"#,
        "\n",
        r#"{"type":"tool.execution_start","data":{"\ud83d":1,"toolCallId":"c","toolName":"bash","arguments":{"command":"id"}},"id":"2","timestamp":"t"}"#,
    );
    assert!(read(copilot).contains("call bash"), "{}", read(copilot));
}
