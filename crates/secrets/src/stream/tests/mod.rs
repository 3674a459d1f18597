//! Properties of the whole pass, with detectors of its own: what is private is another module's business.

mod properties;

use std::io::{self, Read};

use agent_strace_testing::work;
use serde_json::Value;

use super::{Detector, Finding, Sink, rewrite};
use crate::{Confidence, Hit};

/// `key-` and 20 letters or digits; everything under `password`; PEM blocks; `@` and a word.
#[derive(Clone, Copy)]
pub(super) struct Plain;

fn hit(start: usize, end: usize, kind: &'static str) -> Hit {
    Hit { start, end, rule: "secret/test", kind, confidence: Confidence::High }
}

impl Detector for Plain {
    fn find(&self, name: Option<&str>, text: &str) -> Vec<Hit> {
        work::count(text.len());
        if name == Some("password") && !text.trim().is_empty() {
            return vec![hit(0, text.len(), "password")];
        }
        let (mut hits, mut at) = (Vec::new(), 0);
        while let Some(start) = memchr::memchr3(b'k', b'-', b'=', &text.as_bytes()[at..]).map(|found| at + found) {
            let rest = text.get(start..).unwrap();
            let (inside, least, kind) = match rest.as_bytes() {
                [b'k', b'e', b'y', b'-', ..] => (start + 4, 20, "test-key"),
                [b'=', ..] => (start + 1, 8, "assigned"),
                _ if rest.starts_with("-----BEGIN KEY") => (start + 14, 0, "pem"),
                _ => (start + 1, usize::MAX, ""),
            };
            let word = text.as_bytes()[inside..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            at = inside;
            if word < least {
                continue;
            }
            let (start, end) = match kind {
                "pem" => (
                    start,
                    text.get(inside..).unwrap().find("END KEY-----").map_or(text.len(), |end| inside + end + 12),
                ),
                "assigned" => (inside, inside + word),
                _ => (start, inside + word),
            };
            hits.push(hit(start, end, kind));
            at = end;
        }
        hits
    }

    fn private(&self, text: &str) -> Vec<Hit> {
        self.find(None, text)
    }

    fn fingerprint(&self, _: &Hit, value: &str) -> String {
        value.to_owned()
    }
}

/// Finds nothing.
struct Nothing;

impl Detector for Nothing {
    fn find(&self, _: Option<&str>, _: &str) -> Vec<Hit> {
        Vec::new()
    }

    fn private(&self, _: &str) -> Vec<Hit> {
        Vec::new()
    }

    fn fingerprint(&self, _: &Hit, _: &str) -> String {
        String::new()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    line: u64,
    pointer: String,
    is_key: bool,
    start: u64,
    end: u64,
    value: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Out {
    bytes: Vec<u8>,
    rows: Vec<Row>,
}

impl Sink for Out {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn found(&mut self, finding: &Finding<'_>) -> io::Result<()> {
        let Finding { line, pointer, is_key, start, end, fingerprint, .. } = *finding;
        let (pointer, value) = (pointer.to_owned(), fingerprint.to_owned());
        self.rows.push(Row { line, pointer, is_key, start, end, value });
        Ok(())
    }
}

/// Gives few bytes at a time.
struct Drops<'b> {
    bytes: &'b [u8],
    sizes: std::iter::Cycle<std::slice::Iter<'b, usize>>,
}

impl Read for Drops<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let length = self.sizes.next().copied().unwrap_or(1).max(1).min(self.bytes.len()).min(room.len());
        let (now, later) = self.bytes.split_at(length);
        room[..length].copy_from_slice(now);
        self.bytes = later;
        Ok(length)
    }
}

fn run(bytes: &[u8]) -> Out {
    let mut out = Out::default();
    rewrite(&mut &*bytes, &Plain, &mut out).unwrap();
    out
}

fn text(input: &str) -> String {
    String::from_utf8(run(input.as_bytes()).bytes).unwrap()
}

const KEY: &str = "key-abcdefghijklmnopqrst";
const OTHER: &str = "key-ABCDEFGHIJKLMNOPQRST";

/// Input with `K` for one secret and `L` for another, and what becomes of it; rows as `line pointer start..end`.
#[test]
fn logs_of_all_kinds_are_rewritten() {
    for (input, expected, rows) in [
        ("{\"a\":\"x K y\"}\n", "{\"a\":\"x [1] y\"}\n", "1 /a 2..26"),
        ("{\"a\":[1,{\"b\":\"K\"}]}", "{\"a\":[1,{\"b\":\"[1]\"}]}", "1 /a/1/b 0..24"),
        (
            "{\n  \"a\": {\n    \"b~/\": \"K\"\n  }\n}\n",
            "{\n  \"a\": {\n    \"b~/\": \"[1]\"\n  }\n}\n",
            "3 /a/b~0~1 0..24",
        ),
        ("plain K\r\nmore ü L\r\n", "plain [1]\r\nmore ü [1]\r\n", "1  6..30|2  7..31"),
        ("\u{feff}{\"a\":\"K\"}", "\u{feff}{\"a\":\"[1]\"}", "1 /a 0..24"),
        ("\u{feff}K", "\u{feff}[1]", "1  0..24"),
        // Keys, also two that become the same, and one that was there before.
        ("{\"K\":1,\"L\":2}", "{\"[1]\":1,\"[1]-2\":2}", "1 /[1] 0..24 key|1 /[1] 0..24 key"),
        ("{\"[1]\":1,\"L\":2}", "{\"[1]\":1,\"[1]-2\":2}", "1 /[1] 0..24 key"),
        ("{\"L\":1,\"[1]\":2}", "{\"[1]\":1,\"[1]-2\":2}", "1 /[1] 0..24 key"),
        ("[{\"K\":1},{\"L\":2}]", "[{\"[1]\":1},{\"[1]\":2}]", "1 /0/[1] 0..24 key|1 /1/[1] 0..24 key"),
        ("{\"K\":\"L\"}", "{\"[1]\":\"[1]\"}", "1 /[1] 0..24 key|1 /[1] 0..24"),
        // Names, also through lists; numbers stay numbers; what is short or a literal says nothing.
        ("{\"password\":\"x\",\"b\":\"x\"}", "{\"password\":\"[2]\",\"b\":\"x\"}", "1 /password 0..1"),
        ("{\"password\":[\"x\",12345678]}", "{\"password\":[\"[2]\",0]}", "1 /password/0 0..1|1 /password/1 0..8"),
        ("{\"password\":true,\"a\":12345678}", "{\"password\":true,\"a\":12345678}", ""),
        // Marks are not looked into.
        ("{\"password\":\"[1]\"}", "{\"password\":\"[1]\"}", ""),
        ("{\"password\":\"x[1]\"}", "{\"password\":\"[2][1]\"}", "1 /password 0..1"),
        // Escapes.
        (
            "{\"a\":\"\\u00fc\\n\\ud83d\\ude00K\\u0021\"}",
            "{\"a\":\"\\u00fc\\n\\ud83d\\ude00[1]\\u0021\"}",
            "1 /a 3..27",
        ),
        ("{\"a\":\"\\ud800\\u006bey-abcdefghijklmnopqrst\"}", "{\"a\":\"\\ud800[1]\"}", "1 /a 1..25"),
        // What is damaged is plain text from where it breaks, and the next line is read anew.
        (
            "{\"a\":\"K\",\"b\":\"xx K\n{\"c\":\"K\"}\n",
            "{\"a\":\"[1]\",\"b\":\"xx [1]\n{\"c\":\"[1]\"}\n",
            "1 /a 0..24|1  40..64|2 /c 0..24",
        ),
        ("{\"a\":1,\n{\"c\":\"K\"}\n", "{\"a\":1,\n{\"c\":\"[1]\"}\n", "2 /c 0..24"),
        ("{\"a\":\n{\"c\":\"K\"}\n{\"d\":1}", "{\"a\":\n{\"c\":\"[1]\"}\n{\"d\":1}", "2 /c 0..24"),
        ("{\"a\":\n{\"c\":\"K\"}\n}", "{\"a\":\n{\"c\":\"[1]\"}\n}", "2 /a/c 0..24"),
        (
            "[\n{\"c\":\"K\"}\n,\n{\"c\":\"K\"}\n]\n",
            "[\n{\"c\":\"[1]\"}\n,\n{\"c\":\"[1]\"}\n]\n",
            "2 /0/c 0..24|4 /1/c 0..24",
        ),
        ("[12:30:11] K \"K\"\n[x] {\"K\"}", "[12:30:11] [1] \"[1]\"\n[x] {\"[1]\"}", "1  11..35|1  37..61|2  6..30"),
        ("{\"a\":\"x\"} K\n", "{\"a\":\"x\"} [1]\n", "1  10..34"),
        ("{\"a\":\"x\"}{\"b\":\"K\"}\n", "{\"a\":\"x\"}{\"b\":\"[1]\"}\n", "1 /b 0..24"),
        ("{\"a\":\"x\"}\nERROR K\n{\"b\":\"K\"}", "{\"a\":\"x\"}\nERROR [1]\n{\"b\":\"[1]\"}", "2  6..30|3 /b 0..24"),
        ("{\"a\":\"K", "{\"a\":\"[1]", "1  6..30"),
        ("{\"a\":\"x\\", "{\"a\":\"x\\", ""),
        ("{\"a\":01,\"K\":1}\n", "{\"a\":01,\"[1]\":1}\n", "1  9..33"),
        // Lines stay where they are.
        (
            "a\n-----BEGIN KEY\r\nb\n\nEND KEY----- c\n{\"a\":1}",
            "a\n[3]\r\n[3]\n\n[3] c\n{\"a\":1}",
            "2  0..14|3  0..1|5  0..12",
        ),
        ("  \n\t{\"a\":\"K\"}\n  K", "  \n\t{\"a\":\"[1]\"}\n  [1]", "2 /a 0..24|3  2..26"),
    ] {
        let fill = |text: &str| {
            let text = text.replace("[1]", "[REDACTED:test-key]").replace("[2]", "[REDACTED:password]");
            text.replace("[3]", "[REDACTED:pem]")
        };
        let input = fill(input).replace('K', KEY).replace("END key-abcdefghijklmnopqrstEY", "END KEY");
        let input = input.replace("BEGIN key-abcdefghijklmnopqrstEY", "BEGIN KEY").replace('L', OTHER);
        let out = run(input.as_bytes());
        assert_eq!(String::from_utf8(out.bytes).unwrap(), fill(expected), "{input}");
        let shown = |row: &Row| {
            let key = if row.is_key { " key" } else { "" };
            format!("{} {} {}..{}{key}", row.line, row.pointer, row.start, row.end)
        };
        assert_eq!(out.rows.iter().map(shown).collect::<Vec<_>>().join("|"), fill(rows), "{input}");
    }
}

#[test]
fn json_in_strings_stays_json_at_every_depth() {
    let inner = serde_json::json!({"command": format!("a\n\"{KEY}\" {OTHER}\\n"), "password": "x\"\\", "n": [1, 2]});
    let mut document = inner;
    for depth in 0..5 {
        let input = document.to_string();
        let output = text(&input);
        assert!(!output.contains("abcdefgh") && !output.contains("ABCDEFGH"), "{output}");
        let mut value: Value = serde_json::from_str(&output).unwrap();
        for _ in 0..depth {
            value = serde_json::from_str(value["arguments"].as_str().unwrap()).unwrap();
        }
        assert_eq!(value["n"], serde_json::json!([1, 2]));
        if depth < 4 {
            assert_eq!(value["password"], "[REDACTED:password]");
        }
        assert_eq!(value["command"], "a\n\"[REDACTED:test-key]\" [REDACTED:test-key]\\n");
        document = serde_json::json!({ "arguments": input });
    }
}

/// A piece of JSON in a text that is none: an escape is not cut.
#[test]
fn escapes_of_a_piece_of_json_are_not_cut() {
    struct Word;
    impl Detector for Word {
        fn find(&self, _: Option<&str>, text: &str) -> Vec<Hit> {
            text.match_indices("nsecret").map(|(at, word)| hit(at, at + word.len() + 1, "word")).collect()
        }
        fn private(&self, _: &str) -> Vec<Hit> {
            Vec::new()
        }
        fn fingerprint(&self, _: &Hit, _: &str) -> String {
            String::new()
        }
    }
    let mut out = Out::default();
    rewrite(&mut &br#"see "a\\nsecret\"b""#[..], &Word, &mut out).unwrap();
    assert_eq!(String::from_utf8(out.bytes).unwrap(), r#"see "a[REDACTED:word]\"b""#);
}

#[test]
fn long_strings_are_searched_in_windows() {
    for length in [1 << 20, (1 << 20) - 30, (1 << 20) + 5, 3_333_333] {
        for writing in ["%", "{\"a\":\"%\"}", "[{\"password-\":[\"%\"]}]"] {
            let filler = "lorem ipsum \u{fc} ";
            let mut inside = String::new();
            let mut expected = 0;
            while inside.len() < length {
                inside.push_str(&filler.repeat(1 + inside.len() % 1000));
                inside.push_str(KEY);
                inside.push(' ');
                expected += 1;
            }
            let input = writing.replace('%', &inside);
            let out = run(input.as_bytes());
            assert_eq!(String::from_utf8(out.bytes).unwrap(), input.replace(KEY, "[REDACTED:test-key]"));
            assert_eq!(out.rows.len(), expected);
            let points: Vec<char> = inside.chars().collect();
            for row in &out.rows {
                let (start, end) = (usize::try_from(row.start).unwrap(), usize::try_from(row.end).unwrap());
                assert_eq!(points[start..end].iter().collect::<String>(), KEY);
            }
        }
    }
}

/// Windows are cut at the same places, however bytes arrive.
#[test]
fn how_bytes_of_long_strings_arrive_changes_nothing() {
    for writing in ["%", "{\"a\":\"%\"}\n", "[1,\n\"%"] {
        let mut inside = String::new();
        while inside.len() < 2_300_000 {
            inside.push_str(&"\\u00fc\\ud83d\\ude00 \u{fc}\\n".repeat(1 + inside.len() % 700));
            inside.push_str(KEY);
        }
        let input = writing.replace('%', &inside);
        let mut dropped = Out::default();
        let sizes = [70_001, 1, 300_000];
        rewrite(&mut Drops { bytes: input.as_bytes(), sizes: sizes.iter().cycle() }, &Plain, &mut dropped).unwrap();
        assert!(dropped == run(input.as_bytes()), "{writing}");
        assert!(!dropped.rows.is_empty());
    }
}

#[test]
fn what_is_longer_than_a_window_goes_as_one() {
    for writing in ["x %", "{\"a\":\"%\"}"] {
        let long = format!("a -----BEGIN KEY{}END KEY----- b {KEY}", "A".repeat(4 << 20));
        let expected = writing.replace('%', "a [REDACTED:pem] b [REDACTED:test-key]");
        assert_eq!(text(&writing.replace('%', &long)), expected);
    }
    let password = format!("{{\"password\":\"{}\",\"a\":\"b\"}}", "p".repeat(3 << 20));
    assert_eq!(text(&password), "{\"password\":\"[REDACTED:password]\",\"a\":\"b\"}");
}

#[test]
fn hostile_input_takes_work_in_proportion() {
    let key = |before: &str, after: &str| format!("{before}{KEY}{after}");
    let inputs = [
        ("", "[", 500_000),
        ("", "{\"a\":", 100_000),
        ("", "\"", 500_000),
        ("", "\\", 500_000),
        ("[\"", "\\", 500_000),
        ("[\"", "\\\"", 250_000),
        ("", "[\n", 250_000),
        ("", "{\"a\":\n", 100_000),
        ("", "[\"key-abcdefghijklmnopqrst\",", 100_000),
        ("[", &key("\"", "\","), 100_000),
        ("[\"", &key("", " "), 25_000),
        ("{", &key("\"", "\":1,"), 50_000),
        ("", "{\"a\":\"{\\\"a\\\":\\\"", 150_000),
        ("", "[{}]\n", 100_000),
        ("", "\u{fc}", 250_000),
    ];
    for (start, piece, size) in inputs {
        work::assert_linear(&format!("{start}{piece}"), size, |size| {
            run(format!("{start}{}", piece.repeat(size)).as_bytes());
        });
    }
}
