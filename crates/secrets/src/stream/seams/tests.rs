use std::collections::BTreeMap;
use std::io::{self, Read};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{MOST_WAITING, Queue, STEP, Seams};
use crate::stream::tests::Plain;
use crate::stream::{Finding, Sink, rewrite, search};

const KEY: &str = "key-Tw9vKq2LxZ7mRb4NcY8sJd3HfA6gPe1g";

const VALUE: &str = "hunter2hunter2";

/// A record of each shape that carries a text, and where it has it.
type Shape = (&'static str, fn(&str, usize) -> Value, &'static str);
const SHAPES: &[Shape] = &[
    (
        "an answer of Anthropic's interface",
        |text, _| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        "/delta/text",
    ),
    (
        "arguments, as Claude Code wraps them",
        |text, at| {
            json!({"type": "stream_event", "uuid": format!("u{at}"), "session_id": "s", "parent_tool_use_id": null,
            "event": {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": text}}})
        },
        "/event/delta/partial_json",
    ),
    (
        "a response of OpenAI's interface",
        |text, at| {
            json!({"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0,
            "sequence_number": at, "delta": text})
        },
        "/delta",
    ),
    (
        "a chunk of a completion",
        |text, at| {
            json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": at,
            "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]})
        },
        "/choices/0/delta/content",
    ),
    (
        "a message of Codex",
        |text, _| json!({"id": "0", "msg": {"type": "agent_message_delta", "delta": text}}),
        "/msg/delta",
    ),
    (
        "an update of the agent client protocol",
        |text, _| {
            json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update":
            {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}}})
        },
        "/params/update/content/text",
    ),
    (
        "a message of Copilot",
        |text, at| {
            json!({"type": "assistant.message_delta", "id": format!("e{at}"), "timestamp": at,
            "data": {"messageId": "m", "deltaContent": text}})
        },
        "/data/deltaContent",
    ),
    (
        "an output of Copilot",
        |text, at| {
            json!({"type": "tool.execution_partial_result", "id": format!("e{at}"),
            "data": {"toolCallId": "c", "partialOutput": text}})
        },
        "/data/partialOutput",
    ),
    (
        "a part of OpenCode",
        |text, _| {
            json!({"type": "message.part.delta", "properties": {"sessionID": "s", "messageID": "m", "partID": "p",
            "field": "text", "delta": text}})
        },
        "/properties/delta",
    ),
];

#[derive(Default)]
struct Output {
    bytes: Vec<u8>,
    found: Vec<(u64, String, u64, u64, String)>,
}

impl Sink for Output {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn found(&mut self, finding: &Finding<'_>) -> io::Result<()> {
        let Finding { line, pointer, start, end, fingerprint, .. } = finding;
        self.found.push((*line, (*pointer).to_owned(), *start, *end, (*fingerprint).to_owned()));
        Ok(())
    }
}

/// Gives so many bytes at a time.
struct Drops<'b>(&'b [u8], usize);

impl Read for Drops<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(room.len());
        self.0.read(room.get_mut(..count).unwrap_or_default())
    }
}

fn rewritten(log: &str) -> (String, Output) {
    let mut output = Output::default();
    rewrite(&mut log.as_bytes(), &Plain, &mut output).unwrap();
    (String::from_utf8(output.bytes.clone()).unwrap(), output)
}

fn searched(log: &str, step: usize) -> Output {
    let mut output = Output::default();
    search(&mut Drops(log.as_bytes(), step), &Plain, &mut output).unwrap();
    output
}

fn lines(records: impl IntoIterator<Item = Value>) -> String {
    records.into_iter().map(|record| record.to_string() + "\n").collect()
}

/// What all records say at a location, put together.
fn joined(log: &str, pointer: &str) -> String {
    let text =
        |line| serde_json::from_str::<Value>(line).unwrap().pointer(pointer).unwrap().as_str().unwrap().to_owned();
    log.lines().map(text).collect()
}

fn at(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

/// Code points of a text.
fn cut(text: &str, start: u64, end: u64) -> String {
    text.chars().skip(at(start)).take(at(end - start)).collect()
}

#[test]
fn a_key_in_two_or_three_pieces_goes_from_every_shape() {
    let text = format!("it is \"{KEY}\",\n ü end");
    let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    for (name, shape, pointer) in SHAPES {
        for (number, first) in bounds.iter().enumerate() {
            for second in bounds.iter().skip(number).step_by(7) {
                let pieces = [text.get(..*first), text.get(*first..*second), text.get(*second..)].map(Option::unwrap);
                let log = lines(pieces.iter().enumerate().map(|(number, piece)| shape(piece, number)));
                let (clean, output) = rewritten(&log);
                let case = format!("{name}, cut at {first} and {second}: {clean}");
                assert_eq!(joined(&clean, pointer), text.replace(KEY, "[REDACTED:test-key]"), "{case}");
                assert!(output.found.iter().all(|(.., value)| value == KEY), "{case}");
                assert_eq!(rewritten(&clean).0, clean, "{case}");
                let found = searched(&log, 4096).found;
                let shown: String =
                    found.iter().map(|(line, _, start, end, _)| cut(pieces[at(*line) - 1], *start, *end)).collect();
                assert_eq!(shown, KEY, "{case}: {found:?}");
                assert!(found.iter().all(|(_, at, ..)| at == pointer), "{case}: {found:?}");
            }
        }
    }
}

#[test]
fn streams_that_come_at_the_same_time_are_kept_apart() {
    let delta =
        |index: usize, text: &str| json!({"type": "content_block_delta", "index": index, "delta": {"text": text}});
    let (left, right) = KEY.split_at(12);
    let log = lines([delta(0, left), delta(1, "key-short, "), delta(0, right), delta(1, "and no more")]);
    let (clean, _) = rewritten(&log);
    assert_eq!(
        clean,
        lines([delta(0, "[REDACTED:test-key]"), delta(1, "key-short, "), delta(0, ""), delta(1, "and no more")])
    );
    // The same pieces of two streams are no key.
    let log = lines([delta(0, left), delta(1, right)]);
    assert_eq!(rewritten(&log).0, log);
}

/// A value that is nothing without its name, in a piece of its own.
#[test]
fn a_value_goes_whose_name_came_before() {
    for (name, shape, pointer) in SHAPES {
        let pieces = ["so PASSWORD=", "hunter2hunter2", " and", " more"];
        let log = lines(pieces.iter().enumerate().map(|(number, piece)| shape(piece, number)));
        let (clean, output) = rewritten(&log);
        assert_eq!(joined(&clean, pointer), "so PASSWORD=[REDACTED:assigned] and more", "{name}");
        assert_eq!(output.found, [(2, (*pointer).to_owned(), 0, 14, "hunter2hunter2".to_owned())], "{name}");
        assert_eq!(searched(&log, 4096).found, output.found, "{name}");
        assert_eq!(rewritten(&clean).0, clean, "{name}");
    }
}

/// Some programs write all that there is so far, each time.
#[test]
fn what_is_said_once_more_with_each_piece_goes_from_all_of_them() {
    let text = format!("it is {KEY}, and no more");
    for (size, first) in [(1, 1), (3, 2), (7, 30), (11, 9)] {
        let ends: Vec<usize> = (first..text.len()).step_by(size).chain([text.len(), text.len()]).collect();
        for (name, shape, pointer) in SHAPES {
            let record = |(number, end): (usize, &usize)| shape(text.get(..*end).unwrap(), number);
            let (clean, _) = rewritten(&lines(ends.iter().enumerate().map(record)));
            for (line, end) in clean.lines().zip(&ends) {
                let mark = if *end > 6 { "[REDACTED:test-key]" } else { "" };
                let said =
                    text.get(..6.min(*end)).unwrap().to_owned() + mark + text.get(6 + KEY.len()..*end).unwrap_or("");
                assert_eq!(joined(line, pointer), said, "{name}, {size} at a time");
            }
            assert_eq!(rewritten(&clean).0, clean, "{name}, {size} at a time");
        }
    }
}

#[test]
fn texts_that_are_whole_are_not_put_together() {
    let (left, right) = KEY.split_at(12);
    let log = lines([json!({"type": "user", "text": left}), json!({"type": "user", "text": right})]);
    assert_eq!(rewritten(&log).0, log);
}

#[test]
fn a_key_of_many_lines_goes_whole() {
    let pem = format!("-----BEGIN KEY{}END KEY-----", "\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC".repeat(400));
    let text = format!("before {pem} after");
    let letters: Vec<char> = text.chars().collect();
    let log = lines(letters.chunks(29).map(
        |piece| json!({"type": "content_block_delta", "index": 0, "delta": {"text": piece.iter().collect::<String>()}}),
    ));
    let (clean, _) = rewritten(&log);
    assert_eq!(joined(&clean, "/delta/text"), "before [REDACTED:pem] after");
    assert_eq!(clean.lines().count(), log.lines().count());
}

#[test]
fn chunks_in_base64_go_whole() {
    let chunk = |text: &str| json!({"msg": {"type": "exec_command_output_delta", "call_id": "c", "chunk": text}});
    // `key-Tw9vKq2LxZ` and `7mRb4NcY8sJd3HfA6gPe1g and more`, and something before them.
    let log =
        lines([chunk("b2s="), chunk("a2V5LVR3OXZLcTJMeFo="), chunk("N21SYjROY1k4c0pkM0hmQTZnUGUxZyBhbmQgbW9yZQ==")]);
    assert_eq!(rewritten(&log).0, lines([chunk("b2s="), chunk("[REDACTED:test-key]"), chunk("")]));
    // The same, and a letter of two bytes before and after it is cut.
    let log = lines([chunk("w7xrZXktVHc5dktxMkx4WsM="), chunk("vA==")]);
    assert_eq!(rewritten(&log).0, log);
    let log = lines([
        chunk("w7wgw7w="),
        chunk("a2V5LVR3OXZLcTJMeFo3bVJiNE5j"),
        chunk("WThzSmQzSGZBNmdQZTFnIMM="),
        chunk("vA=="),
    ]);
    let clean = lines([chunk("w7wgw7w="), chunk("[REDACTED:test-key]"), chunk(""), chunk("vA==")]);
    assert_eq!(rewritten(&log).0, clean);
}

#[test]
fn lines_of_any_kind_may_stand_between() {
    let delta = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"text": text}}).to_string();
    let (left, right) = KEY.split_at(12);
    let long = format!("{{\"long delta\":\"{}\"}}", "x".repeat(100_000));
    for between in
        ["", "\n", "garbage {delta\n", "{\"type\":\"ping\"}\r\n", &(long.clone() + "\n"), "{\"delta\":\"cut\n"]
    {
        for end in ["\n", "\r\n", ""] {
            let log = format!("first\n{}\n{between}{}{end}", delta(left), delta(right));
            let expected = format!("first\n{}\n{between}{}{end}", delta("[REDACTED:test-key]"), delta(""));
            assert_eq!(rewritten(&log).0, expected, "{between:.40}{end:?}");
        }
    }
    // Events of a server have a name before their document: places are those of the line.
    let log = format!("data: {}\n\ndata: {}\n", delta(left), delta(right));
    assert_eq!(rewritten(&log).0, format!("data: {}\n\ndata: {}\n", delta("[REDACTED:test-key]"), delta("")));
    for (line, pointer, start, end, _) in searched(&log, 100).found {
        let line = log.lines().nth(at(line) - 1).unwrap();
        assert!(KEY.contains(&cut(line, start, end)) && pointer.is_empty(), "{line}");
    }
}

/// A stream that gets nothing for a while has ended; one that never ends doesn't fill the memory.
#[test]
fn what_waits_is_bounded() {
    let delta =
        |index: usize, text: &str| json!({"type": "content_block_delta", "index": index, "delta": {"text": text}});
    let (left, right) = KEY.split_at(12);
    let filler = "plain text\n".repeat(100_000);
    let log = lines([delta(0, left)]) + &filler + &lines([delta(0, right)]);
    assert_eq!(rewritten(&log).0, log, "it has ended");
    let mut log = String::new();
    for at in 0..120_000 {
        log += &lines([delta(at % 50, if at % 1_000 < 50 { left } else { "so " })]);
    }
    let queue = Queue::default();
    let mut bytes = log.as_bytes();
    let mut seams = Seams::new(&mut bytes, &Plain, true, &queue);
    let (mut room, mut most, mut all) = (vec![0; 8192], 0, 0);
    loop {
        let count = seams.read(&mut room).unwrap();
        (most, all) = (most.max(seams.filled), all + count);
        if count == 0 {
            break;
        }
    }
    assert_eq!(all, log.len());
    assert!(most < usize::try_from(MOST_WAITING).unwrap() + 3 * STEP, "{most}");
}

/// Keys in texts that are cut anywhere, and other lines between them.
fn log_of_pieces() -> impl Strategy<Value = (String, Vec<(String, String)>)> {
    let part = prop_oneof![
        Just(KEY.to_owned()),
        "[a-z \"\\\\\n\u{e9}]{0,40}",
        Just(format!("PASSWORD={VALUE}")),
        Just("[REDACTED:test-key]".to_owned())
    ];
    let text = prop::collection::vec(part, 1..6).prop_map(|parts| parts.join(" "));
    let stream = (0..SHAPES.len(), text, prop::collection::vec(1..9_usize, 1..60));
    prop::collection::vec(stream, 1..4).prop_map(|streams| {
        let mut records: Vec<(usize, String)> = Vec::new();
        let mut texts = BTreeMap::new();
        for (shape, text, sizes) in streams {
            let (_, write, pointer) = SHAPES[shape];
            if texts.insert(pointer.to_owned(), text.clone()).is_some() {
                texts.insert(pointer.to_owned(), "twice".to_owned());
                continue;
            }
            let letters: Vec<char> = text.chars().collect();
            let (mut at, mut number) = (0, 0);
            while at < letters.len() {
                let size = sizes[number % sizes.len()].min(letters.len() - at);
                let piece: String = letters[at..at + size].iter().collect();
                records.push((number, write(&piece, number).to_string() + "\n"));
                (at, number) = (at + size, number + 1);
            }
        }
        records.sort_by_key(|(number, _)| *number);
        let log = records.into_iter().map(|(_, record)| record).collect();
        (log, texts.into_iter().filter(|(_, text)| text != "twice").collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Nothing is left of a key in any stream, nothing else is lost, doing it again changes nothing, and how the bytes
    /// arrive makes no difference.
    #[test]
    fn pieces_put_together_hold_no_key((log, texts) in log_of_pieces(), step in 1..5_000_usize) {
        let (clean, _) = rewritten(&log);
        prop_assert_eq!(clean.lines().count(), log.lines().count());
        for (pointer, text) in texts {
            let pieces: String = clean
                .lines()
                .filter_map(|line| serde_json::from_str::<Value>(line).unwrap().pointer(&pointer)?.as_str().map(str::to_owned))
                .collect();
            prop_assert_eq!(pieces, text.replace(KEY, "[REDACTED:test-key]").replace(VALUE, "[REDACTED:assigned]"));
        }
        prop_assert_eq!(&rewritten(&clean).0, &clean);
        let mut output = Output::default();
        rewrite(&mut Drops(log.as_bytes(), step), &Plain, &mut output).unwrap();
        prop_assert_eq!(String::from_utf8(output.bytes).unwrap(), clean);
        prop_assert_eq!(searched(&log, step).found, searched(&log, 1 << 20).found);
    }
}
