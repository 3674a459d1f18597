//! What looks like a call and is in no session is a gap.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use rayon::prelude::*;

use super::{fixtures, logs};
use crate::Log;
use crate::discover::{Selection, select};
use crate::formats::FORMATS;
use agent_strace_model::{GapKind, Session, Status};

const CALL: &str = r#"{"type":"user","sessionId":"s","uuid":"u0","message":{"role":"user","content":"go"}}
{"type":"assistant","sessionId":"s","uuid":"u1","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}
"#;

/// A record after an honest call: calls that are read in all, and the unknown records that are gaps.
fn read(record: &str) -> (usize, usize) {
    let log = Log::new("a.jsonl", format!("{CALL}{record}\n").into_bytes());
    let reading = log.read();
    let calls = reading.sessions.iter().map(|session| session.calls().count()).sum();
    let gaps = reading.gaps.iter().filter(|gap| matches!(gap.kind, GapKind::UnknownRecord(_))).count();
    (calls, gaps)
}

fn message(block: &str) -> String {
    format!(
        r#"{{"type":"assistant","sessionId":"s","uuid":"u2","message":{{"role":"assistant","content":[{block}]}}}}"#
    )
}

#[test]
fn a_block_that_names_its_tool_is_that_call() {
    for block in [
        r#"{"type":"future_tool_use","id":"t2","name":"Bash","input":{"command":"rm -rf src"}}"#,
        r#"{"type":"code_execution_tool_use","id":"t2","name":"Bash","input":{"command":"id"}}"#,
        r#"{"type":"function_call","id":"t2","name":"Bash","arguments":"{\"command\":\"id\"}"}"#,
        // The id of an honest call makes it no repetition.
        r#"{"type":"future_tool_use","id":"t1","name":"Bash","input":{"command":"rm -rf src"}}"#,
        r#"{"type":"future_tool_use","id":"t2","name":"Bash"}"#,
    ] {
        assert_eq!(read(&message(block)), (2, 0), "{block}");
    }
}

#[test]
fn what_else_looks_like_a_call_is_a_gap() {
    for record in [
        message(r#"{"type":"computer_call","call_id":"c","action":{"type":"type","text":"rm"}}"#),
        message(r#"{"type":"group","parts":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"id"}}]}"#),
        message(r#"{"type":"shell","id":"c","command":["bash","-c","id"]}"#),
        r#"{"type":"system","sessionId":"s","uuid":"u","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{}}]}"#.into(),
        r#"{"type":"attachment","sessionId":"s","uuid":"u","attachment":{"a":{"name":"Bash","input":{"command":"id"}}}}"#.into(),
        r#"{"type":"last-prompt","sessionId":"s","x":{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"id"}}}"#.into(),
        r#"{"type":"api-request-blob","sessionId":"s","message":{"content":[{"type":"tool_use","id":"t9","name":"Bash","input":{}}]}}"#.into(),
        r#"{"type":"tool.execution_start","data":{"toolCallId":"x","toolName":"bash","arguments":{"command":"id"}}}"#.into(),
    ] {
        assert_eq!(read(&record), (1, 1), "{record}");
    }
}

#[test]
fn what_is_no_call_or_told_again_is_none() {
    for record in [
        r#"{"type":"api-request-shape","sessionId":"s","shape":{"tools":[{"name":"Bash","description":"runs","input_schema":{"type":"object"}}]}}"#,
        r#"{"type":"api-request-blob","sessionId":"s","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}"#,
        r#"{"type":"mode","sessionId":"s","mode":"plan"}"#,
    ] {
        assert_eq!(read(record), (1, 0), "{record}");
    }
    let carried =
        message(r#"{"type":"tool_use","id":"t2","name":"mcp__a__b","input":{"calls":[{"name":"x","arguments":{}}]}}"#);
    assert_eq!(read(&carried), (2, 0));
}

const BAD: &str = r#""name":"Bash","input":{"command":"id"}"#;

/// Returns whether a log of these records is not whole.
fn is_gap(records: &[&str]) -> bool {
    !Log::new("a.jsonl", records.join("\n").into_bytes()).read().gaps.is_empty()
}

#[test]
fn what_stands_beside_a_call_or_under_its_id_is_none_of_it() {
    let again = r#"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}"#;
    for record in [
        // Beside the message of its own record.
        format!(
            r#"{{"type":"assistant","sessionId":"s","uuid":"u2",{BAD},"message":{{"role":"assistant","content":[]}}}}"#
        ),
        // Beside a repetition, which is an event of this line.
        message(&format!(r#"{again},{{"type":"text","text":"x","y":{{{BAD}}}}}"#)),
        // Under the id of a call that did something else.
        message(&format!(r#"{{"type":"text","text":"x","y":{{"id":"t1",{BAD}}}}}"#)),
        message(&format!(r#"{{"type":"text","text":"x","tool_use_id":"t1","y":{{{BAD}}}}}"#)),
        message(r#"{"type":"text","text":"x","y":{"id":"t1","name":"Write","input":{"command":"ls"}}}"#),
        // Its type, its other names and its other arguments do not matter.
        message(&format!(r#"{{"type":"text","text":"x","y":{{"type":"tool_end","id":"q",{BAD}}}}}"#)),
        message(&format!(r#"{{"type":"text","text":"x","y":{{"type":"x_result",{BAD}}}}}"#)),
        message(&format!(r#"{{"type":"text","text":"x","y":{{{BAD},"description":"show"}}}}"#)),
        message(&format!(r#"{{"type":"text","text":"x","y":{{{BAD},"tool":{{}}}}}}"#)),
        message(&format!(r#"{{"type":"text","text":"x","y":{{{BAD},"args":1}}}}"#)),
        message(
            r#"{"type":"text","text":"x","y":{"id":"t1","name":"Bash","args":{"command":"ls"},"input":{"command":"id"}}}"#,
        ),
        // A message in the progress of a hook.
        format!(
            r#"{{"type":"progress","sessionId":"s","uuid":"p","data":{{"type":"hook_progress","command":"x","message":{}}}}}"#,
            message(&format!(r#"{{"type":"tool_use","id":"z",{BAD}}}"#))
        ),
    ] {
        assert!(is_gap(&[CALL.trim_end(), &record]), "{record}");
    }
    assert!(!is_gap(&[CALL.trim_end(), &message(again)]));
}

#[test]
fn a_call_that_was_refused_excuses_none_that_is_like_it() {
    let refused = r#"{"type":"user","sessionId":"s","uuid":"u2","toolDenialKind":"user-rejected","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"}]}}"#;
    let nested = |id: &str| {
        message(&format!(
            r#"{{"type":"text","text":"x","y":{{"type":"tool_use",{id}"name":"Bash","input":{{"command":"ls"}}}}}}"#
        ))
    };
    for id in ["", r#""id":"t2","#] {
        assert!(is_gap(&[CALL.trim_end(), refused, &nested(id)]), "{id}");
    }
    assert!(!is_gap(&[CALL.trim_end(), refused, &nested(r#""id":"t1","#)]));
    assert!(!is_gap(&[CALL.trim_end(), &nested("")]));
}

#[test]
fn blocks_in_a_text_are_no_words() {
    let record = |role: &str, text: &str| {
        format!(r#"{{"type":"{role}","sessionId":"s","uuid":"u2","message":{{"role":"{role}","content":{text}}}}}"#)
    };
    let blocks = serde_json::json!(r#"[{"type":"tool_use","id":"t","name":"Bash","input":{}}]"#).to_string();
    assert!(is_gap(&[CALL.trim_end(), &record("assistant", &blocks)]));
    assert!(!is_gap(&[CALL.trim_end(), &record("user", &blocks)]));
    assert!(!is_gap(&[CALL.trim_end(), &record("assistant", r#""[{ is how a list begins""#)]));
}

#[test]
fn a_result_without_its_call_is_a_gap() {
    let result = |id: &str| {
        format!(
            r#"{{"type":"user","sessionId":"s","uuid":"u2","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}]}}}}"#
        )
    };
    assert!(is_gap(&[CALL.trim_end(), &result("gone")]));
    assert!(!is_gap(&[CALL.trim_end(), &result("t1")]));
    let early = [
        r#"{"event_type":"tool_result","timestamp":1.0,"event_id":"e1","session_id":"s1","data":{"request_id":"q1","result":"early"}}"#,
        r#"{"event_type":"tool_call","timestamp":2.0,"event_id":"e2","session_id":"s1","data":{"tool_name":"Read","arguments":{"file_path":"a"},"request_id":"q1"}}"#,
    ];
    let log = Log::new("events.ndjson", early.join("\n").into_bytes());
    assert!(log.read().gaps.iter().all(|gap| gap.kind.name() != "missing"));
}

#[test]
fn what_a_tool_answered_and_what_describes_one_is_no_call() {
    let result = r#"{"type":"user","sessionId":"s","uuid":"u2","toolUseResult":{"structuredContent":{"jobs":[{"id":"7","name":"build","parameters":{"branch":"main"}}]}},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}"#;
    let tools = r#"{"type":"system","sessionId":"s","uuid":"u2","tools":[{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}]}"#;
    for record in [result, tools] {
        assert!(!is_gap(&[CALL.trim_end(), record]), "{record}");
    }
    // A schema has no words of its own.
    let call = tools.replace(r#""required":["a"]"#, r#""command":"id""#);
    assert!(is_gap(&[CALL.trim_end(), &call]));
}

#[test]
fn what_an_agent_keeps_aside_is_passed_over_only_where_it_keeps_it() {
    let codex = |kind: &str, payload: &str| {
        let start = r#"{"type":"session_meta","payload":{"id":"a","cwd":"/w"}}"#;
        is_gap(&[start, &format!(r#"{{"type":"{kind}","payload":{{{payload}}}}}"#)])
    };
    let history = r#""replacement_history":[{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"id\"}","call_id":"z"}]"#;
    assert!(!codex("compacted", &format!(r#""message":"",{history}"#)));
    assert!(codex("event_msg", &format!(r#""type":"agent_message","message":"",{history}"#)));

    let copilot = |kind: &str, data: &str| {
        let start = r#"{"type":"session.start","data":{"sessionId":"c","version":1},"id":"e0","timestamp":"t"}"#;
        let next = r#"{"type":"user.message","data":{"content":"next"},"id":"e9","timestamp":"t"}"#;
        is_gap(&[start, &format!(r#"{{"type":"{kind}","data":{{{data}}},"id":"e1","timestamp":"t"}}"#), next])
    };
    let asked = r#""content":"x","toolRequests":[{"toolCallId":"z","name":"bash","arguments":{"command":"id"}}]"#;
    assert!(!copilot("assistant.message", asked));
    assert!(copilot("session.info", asked));
    assert!(copilot("assistant.message", r#""content":"x","input":{"toolName":"bash","toolArgs":{"command":"id"}}"#));
}

#[test]
fn what_hosts_tell_of_calls_is_passed_over_by_its_fields() {
    let codex = |payload: &str| {
        let start = r#"{"type":"session_meta","payload":{"id":"a","cwd":"/w"}}"#;
        is_gap(&[start, &format!(r#"{{"type":"event_msg","payload":{payload}}}"#)])
    };
    let agent = |more: &str| {
        codex(&format!(
            r#"{{"type":"item_completed","item":{{"type":"CollabAgentToolCall","id":"q","tool":"wait","receiver_thread_ids":["t"],"agents_states":{{"t":{{"completed":"done"}}}}{more}}}}}"#
        ))
    };
    assert!(!agent(r#","prompt":"go""#));
    assert!(agent(r#","calls":[{"name":"exec_command","arguments":{"cmd":"id"}}]"#));
    let search = |action: &str| codex(&format!(r#"{{"type":"web_search_begin","call_id":"w","action":{action}}}"#));
    assert!(!search(r#"{"type":"search","query":"x","queries":["x"],"url":null}"#));
    assert!(!search(r#"{"type":"other"}"#));
    assert!(search(r#"{"type":"exec","query":"x"}"#));
    assert!(search(r#"{"type":"search","query":"x","command":["id"]}"#));
    assert!(search(r#"{"type":"search","queries":[{"name":"exec_command","arguments":{"cmd":"id"}}]}"#));

    let qwen = |kind: &str, id: &str, outcome: &str| {
        let record = |kind: &str, part: &str, more: &str| {
            format!(r#"{{"type":"{kind}","uuid":"u","sessionId":"s","message":{{"parts":[{part}]}}{more}}}"#)
        };
        let call = record("assistant", r#"{"functionCall":{"id":"c","name":"glob","args":{"a":1}}}"#, "");
        let result = r#"{"functionResponse":{"id":"c","name":"glob","response":{"output":"x"}}}"#;
        let part = if kind == "tool_result" { result } else { r#"{"text":"x"}"# };
        is_gap(&[&call, &record(kind, part, &format!(r#","toolCallResult":{{"callId":"{id}",{outcome}}}"#))])
    };
    let part = format!("[{{{BAD}}}]");
    assert!(!qwen("tool_result", "c", &format!(r#""resultDisplay":{{"jobs":{part}}}"#)));
    assert!(qwen("tool_result", "c", &format!(r#""resultDisplay":{{"type":"task_execution","toolCalls":{part}}}"#)));
    assert!(qwen("tool_result", "c", &format!(r#""calls":{part}"#)));
    assert!(qwen("tool_result", "z", &format!(r#""resultDisplay":{{"jobs":{part}}}"#)));
    for kind in ["user", "assistant"] {
        assert!(qwen(kind, "c", &format!(r#""resultDisplay":{{"jobs":{part}}}"#)), "{kind}");
    }

    let copilot = |output: &str| {
        let event =
            |kind: &str, data: &str| format!(r#"{{"type":"{kind}","data":{{{data}}},"id":"{kind}","timestamp":"t"}}"#);
        let hook = r#""hookInvocationId":"h","hookType":"preToolUse""#;
        is_gap(&[
            &event("session.start", r#""sessionId":"c","version":1"#),
            &event("hook.start", &format!(r#"{hook},"input":{{"toolName":"bash","toolArgs":{{"command":"ls"}}}}"#)),
            &event("hook.end", &format!(r#"{hook},"output":{output}"#)),
            &event("tool.execution_start", r#""toolCallId":"a","toolName":"bash","arguments":{"command":"ls"}"#),
            &event("session.shutdown", r#""shutdownType":"routine""#),
        ])
    };
    assert!(!copilot(r#"{"permissionDecision":"allow"}"#));
    assert!(!copilot(r#"{"modifiedArgs":{"command":"id"}}"#));
    assert!(copilot(&format!(r#"{{"calls":{part}}}"#)));
    assert!(copilot(&format!(r#"{{"modifiedArgs":{{"command":"id"}},"calls":{part}}}"#)));
}

#[test]
fn more_shapes_than_are_compared_are_a_limit() {
    let many = vec![r#"{"name":"a","input":{}}"#; 200_100].join(",");
    let log = Log::new(
        "a.jsonl",
        format!("{CALL}{}\n", message(&format!(r#"{{"type":"text","text":"x","y":[{many}]}}"#))).into_bytes(),
    );
    assert!(log.read().gaps.iter().any(|gap| matches!(gap.kind, GapKind::LimitReached(_))));
}

#[test]
fn more_keys_of_one_kind_than_an_object_has_are_a_limit() {
    let limits = |record: &str| {
        let log = Log::new("a.jsonl", format!("{CALL}{record}\n").into_bytes());
        log.read().gaps.iter().filter(|gap| matches!(gap.kind, GapKind::LimitReached(_))).count()
    };
    let count = 20_000;
    let many = |entry: &str| vec![entry; count].join(",");
    let record = |inner: &str| format!(r#"{{"type":"zzz","sessionId":"s","uuid":"k","x":{{{inner}}}}}"#);
    let (part, text) = (many(r#"{"name":"x","input":{"a":1}}"#), "y".repeat(count * 10));
    // Each took a time, or a memory, that grew with the square of the count.
    for inner in [
        format!(r#"{},"l":[{part}]"#, many(r#""call_id":"c""#)),
        format!(r#"{},"name":"x","input":{{"a":"{text}"}}"#, many(r#""id":"c""#)),
        format!(r#""id":"{text}\n","l":[{part}]"#),
    ] {
        assert_eq!(limits(&record(&inner)), 1);
    }
    assert_eq!(limits(&record(r#""id":"c","call_id":"d","l":[{"name":"x","input":{}}]"#)), 0);
}

/// A log as records that can follow each other, each on its line: its format, its first record and all of them.
struct Lines {
    name: String,
    format: &'static str,
    head: String,
    text: String,
}

/// Of a longer log only so many bytes of whole records are put behind others.
const LONGEST: usize = 60_000;

/// A log of any format on lines: a document is one of them.
fn lines(path: &Path) -> Option<Lines> {
    let bytes = fs::read(path).ok()?;
    let text = if crate::database::begins(&bytes) { session_of(path)? } else { String::from_utf8(bytes).ok()? };
    let detected = crate::detect::detect(&text, false).ok()?;
    let listed = text.trim_start().starts_with('[');
    let text = match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(document @ serde_json::Value::Object(_)) => document.to_string(),
        Ok(serde_json::Value::Array(records)) => records.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        _ => text,
    };
    let end = if text.len() <= LONGEST { text.len() } else { text.get(..LONGEST)?.rfind('\n').unwrap_or(text.len()) };
    // Texts show what they are after some lines, and some lists only as lists.
    let whole = text.get(..end)?;
    let heads = (1..20).map(|count| whole.lines().take(count).collect::<Vec<_>>().join("\n"));
    let lists = whole.lines().next().filter(|_| listed).map(|first| format!("[{first},"));
    let head = heads.chain(lists).find(|head| is_of(head, detected.format))?;
    let name = path.strip_prefix(fixtures()).ok()?.display().to_string();
    Some(Lines { name, format: detected.format.dialect.name, head, text: whole.to_owned() })
}

/// The longest session of a database.
fn session_of(path: &Path) -> Option<String> {
    let found = select(Path::new("/nonexistent"), &[path.to_string_lossy().into_owned()], Selection::All).unwrap();
    let logs = found.sources.iter().flat_map(|source| source.logs().0);
    let longest = logs.max_by_key(|log| log.bytes().len())?;
    Some(String::from_utf8(longest.bytes().to_vec()).unwrap())
}

fn is_of(text: &str, format: &'static crate::formats::Format) -> bool {
    crate::detect::detect(text, false).is_ok_and(|detected| std::ptr::eq(detected.format, format))
}

/// The calls of a log, sorted: all, and those that ran; and whether something of it was not read.
fn account(text: &str) -> ([Vec<String>; 2], bool) {
    let log = Log::new("a.jsonl", text.as_bytes().to_vec());
    let reading = log.read();
    let (mut all, mut ran) = (Vec::new(), Vec::new());
    for (_, call) in reading.sessions.iter().flat_map(Session::calls) {
        let shown = format!("{} {:?}", call.tool, call.arguments);
        if call.status != Status::Denied {
            ran.push(shown.clone());
        }
        all.push(shown);
    }
    all.sort();
    ran.sort();
    ([all, ran], !reading.gaps.is_empty())
}

fn holds_all(all: &[Vec<String>; 2], some: &[Vec<String>; 2]) -> bool {
    all.iter().zip(some).all(|(all, some)| {
        let mut rest = all.iter();
        some.iter().all(|call| rest.any(|other| other == call))
    })
}

/// The first record of one agent's log and all of another's: each call is read, or the log is not whole.
#[test]
fn no_record_hides_the_calls_of_another_agent() {
    let logs: Vec<_> = logs().iter().filter(|path| path.is_file()).filter_map(|path| lines(path)).collect();
    let mut heads = BTreeMap::new();
    for log in &logs {
        heads.entry(log.format).or_insert(log);
    }
    // A text that is no JSON is no record behind that of another agent.
    let bodies: Vec<_> = logs.iter().filter(|log| log.text.starts_with(['{', '['])).collect();
    let alone: Vec<_> = bodies.par_iter().map(|log| account(&log.text).0).collect();
    let wrong: Vec<_> = heads
        .values()
        .flat_map(|head| bodies.iter().zip(&alone).map(move |(log, alone)| (head, log, alone)))
        .par_bridge()
        .filter(|(head, log, alone)| {
            let (together, told) = account(&format!("{}\n{}", head.head, log.text));
            !told && !holds_all(&together, alone)
        })
        .map(|(head, log, _)| format!("{} before {}", head.name, log.name))
        .collect();
    assert!(wrong.is_empty(), "{} {}", wrong.len(), wrong.join("\n"));
    let formats: BTreeSet<_> = FORMATS.iter().map(|format| format.dialect.name).collect();
    assert_eq!(heads.keys().copied().collect::<BTreeSet<_>>(), formats);
}

/// The kinds of gaps of an edit of `src/a` whose result says that it touched `path`.
fn touched(path: &str) -> Vec<&'static str> {
    let call = message(r#"{"type":"tool_use","id":"t2","name":"Write","input":{"file_path":"src/a","content":""}}"#);
    let result = format!(
        r#"{{"type":"user","sessionId":"s","uuid":"u3","toolUseResult":{{"filePath":"{path}"}},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t2","content":"ok"}}]}}}}"#
    );
    let log = Log::new("a.jsonl", format!("{CALL}{call}\n{result}\n").into_bytes());
    log.read().gaps.iter().map(|gap| gap.kind.name()).collect()
}

#[test]
fn a_result_that_names_another_file_is_a_contradiction() {
    assert_eq!(touched(".github/workflows/ci.yml"), ["contradiction"]);
    assert!(touched("/home/ann/app/src/a").is_empty());
    assert!(touched("src/a").is_empty());
}

/// The kinds of gaps of a call of this tool, whose records have these fields and are followed by these records.
fn answered(tool: &str, input: &str, beside: &str, after: &str) -> Vec<&'static str> {
    let call = message(&format!(r#"{{"type":"tool_use","id":"t2","name":"{tool}","input":{input}}}"#));
    let result = format!(
        r#"{{"type":"user","sessionId":"s","uuid":"u3",{beside}"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t2","content":"ok"}}]}}}}"#
    );
    let log = Log::new("a.jsonl", format!("{CALL}{call}\n{result}\n{after}\n").into_bytes());
    log.read().gaps.iter().map(|gap| gap.kind.name()).collect()
}

#[test]
fn data_that_a_call_hands_over_is_no_call() {
    const JOBS: &str = r#"{"jobs":[{"name":"build","parameters":{"target":"x"}}]}"#;
    let meta = format!(r#""mcpMeta":{{"structuredContent":{JOBS}}},"#);
    assert!(answered("mcp__ci__list", "{}", &meta, "").is_empty());
    let attached = |data: &str| {
        format!(
            r#"{{"type":"attachment","sessionId":"s","uuid":"u4","attachment":{{"type":"structured_output","data":{data}}}}}"#
        )
    };
    let ended =
        |data: &str| format!(r#"{{"type":"result","subtype":"success","sessionId":"s","structured_output":{data}}}"#);
    for after in [attached(JOBS), ended(&JOBS.replace(':', ": "))] {
        assert!(answered("StructuredOutput", JOBS, "", &after).is_empty(), "{after}");
        // No call handed that over.
        assert!(!answered("StructuredOutput", "{}", "", &after).is_empty(), "{after}");
        assert!(!answered("Bash", JOBS, "", &after).is_empty(), "{after}");
    }
}

#[test]
fn other_input_that_a_hook_printed_is_read_as_well() {
    let hook = r#"{"type":"attachment","sessionId":"s","uuid":"u4","attachment":{"type":"hook_success","hookEvent":"PreToolUse","toolUseID":"t1","stdout":"{\"hookSpecificOutput\":{\"updatedInput\":{\"command\":\"rm -rf src\"}}}"}}"#;
    assert_eq!(read(hook), (2, 0));
}
