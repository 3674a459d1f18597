//! Records that carry a piece of a text which goes on in a later one: deltas of models, chunks of outputs.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::Span;
use aho_corasick::packed::Searcher;

use crate::stream::embedded;
use crate::stream::grammar::Role;

/// A record of more bytes is no piece.
pub(super) const LONGEST: usize = 64 << 10;
/// A record of more values is none either.
const MOST_VALUES: usize = 256;
/// Names of kinds and ids are not longer.
const LONGEST_NAME: usize = 128;

/// What a record of a stream has in a key or in the name of its kind.
const WORDS: &[&str] = &["delta", "chunk", "partial"];
/// The same without first letters, which may be capitals. `None` on machines that can't look at many bytes at a time.
static SIGNS: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(["elta", "hunk", "artial"]));

/// Members that say what kind of record something is.
const KINDS: &[&str] = &["type", "event", "eventtype", "kind", "subtype", "method", "object", "sessionupdate", "name"];
/// Members that tell one stream from another; those that differ from record to record do not.
const IDS: &[&str] = &[
    "index",
    "contentindex",
    "outputindex",
    "itemid",
    "callid",
    "toolcallid",
    "messageid",
    "partid",
    "sessionid",
    "stream",
    "parenttooluseid",
    "tooluseid",
    "agentid",
    "threadid",
    "turnid",
    "conversationid",
    "responseid",
];
/// Members that carry text.
const TEXTS: &[&str] = &[
    "text",
    "content",
    "thinking",
    "arguments",
    "output",
    "stdout",
    "stderr",
    "data",
    "reasoning",
    "reasoningcontent",
    "partialjson",
    "partialoutput",
    "input",
    "value",
    "message",
    "summary",
];

/// A text that is a part of a longer one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Equal for all pieces of one text.
    pub(super) stream: String,
    pub(super) pointer: String,
    /// Its bytes in the record, between the quotes.
    pub(super) raw: Range<usize>,
    /// It is the base64 of the piece.
    pub(super) may_be_encoded: bool,
}

/// Where the first name stands, in quotes of its own, without which no record is a piece. Prose about deltas has none, and
/// paths and ids of sessions are not looked at.
pub(super) fn sign(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    // Without the quick look every record is looked into.
    let Some(signs) = SIGNS.as_ref() else { return (!bytes.is_empty()).then_some(0) };
    while let Some(found) = signs.find_in(bytes, Span { start: from, end: bytes.len() }) {
        if is_name(bytes, found.start(), found.end()) {
            return Some(found.start());
        }
        from = found.end();
    }
    None
}

/// Whether a word is of a short string without escapes, and that is a key, or is not the value of one that says nothing of
/// what a record is.
fn is_name(bytes: &[u8], start: usize, end: usize) -> bool {
    let (before, after) = bytes.split_at_checked(start).unwrap_or_default();
    let length = before.iter().rev().take(LONGEST_NAME).take_while(|byte| is_name_part(**byte)).count();
    let before = before.get(..start - length).unwrap_or_default();
    let after = after.get(end - start..).unwrap_or_default();
    let closing = after.iter().take(LONGEST_NAME).position(|byte| !is_name_part(*byte)).and_then(|at| after.get(at..));
    match (before, closing) {
        ([before @ .., other, b'"'], Some([b'"', after @ ..])) if *other != b'\\' => {
            after.trim_ascii_start().starts_with(b":") || may_be_kind(before, *other)
        }
        _ => false,
    }
}

fn is_name_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b':')
}

/// Whether a value may be the name of a record's kind; `other` stands before its quote.
fn may_be_kind(before: &[u8], other: u8) -> bool {
    let before = if other.is_ascii_whitespace() { before.trim_ascii_end() } else { before };
    let colon = if other.is_ascii_whitespace() { before.split_last() } else { Some((&other, before)) };
    // The elements of a list have the name of the list.
    let Some((b':', before)) = colon else { return true };
    let Some(before) = before.trim_ascii_end().strip_suffix(b"\"") else { return false };
    let length = before.iter().rev().take(LONGEST_NAME).take_while(|byte| is_name_part(**byte)).count();
    let (before, key) = before.split_at_checked(before.len() - length).unwrap_or_default();
    // A key with escapes may be called anything.
    !before.ends_with(b"\"") || std::str::from_utf8(key).is_ok_and(|key| KINDS.contains(&plain(key).as_str()))
}

/// The pieces of a record; none where it is no JSON or says nothing of being one.
pub(super) fn all(record: &[u8]) -> Vec<Piece> {
    if record.len() > LONGEST {
        return Vec::new();
    }
    let mut seen = Seen::default();
    let visited = embedded::visit(record, |path, role, start, end, is_number| {
        let raw = record.get(start..end).unwrap_or_default();
        if role == Role::Key {
            seen.key(&path.pointer(), raw, record.get(end + 1..).unwrap_or_default());
        } else if seen.count(1) {
            let name = path.name().map(plain).unwrap_or_default();
            seen.value(&path.pointer(), &name, raw);
            if !is_number {
                seen.text(path.pointer(), &name, start..end);
            }
        }
    });
    if visited.is_none() || !seen.count(0) { Vec::new() } else { seen.pieces() }
}

/// What a record says of itself.
#[derive(Debug, Default)]
struct Seen {
    values: usize,
    /// Pointers of objects that are of a kind that comes in pieces.
    streamed: Vec<String>,
    /// Pointers of objects with what tells them from others.
    ids: Vec<(String, String)>,
    /// Pointers of those that have a name for what they are, beside an id that all chunks of one answer share.
    answers: Vec<String>,
    texts: Vec<(String, Range<usize>, bool)>,
}

impl Seen {
    /// Whether the record may still be a piece with so many more values.
    fn count(&mut self, more: usize) -> bool {
        self.values += more;
        self.values <= MOST_VALUES
    }

    /// `"delta": true` beside a text.
    fn key(&mut self, pointer: &str, raw: &[u8], after: &[u8]) {
        let is_marked = || after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"true");
        if raw.len() <= LONGEST_NAME && std::str::from_utf8(raw).is_ok_and(is_streamed) && is_marked().is_some() {
            self.streamed.push(parent(pointer).to_owned());
        }
    }

    fn value(&mut self, pointer: &str, name: &str, raw: &[u8]) {
        let parent = parent(pointer);
        if raw.len() <= LONGEST_NAME
            && let Ok(text) = std::str::from_utf8(raw)
        {
            if KINDS.contains(&name) && is_streamed(text) {
                self.streamed.push(parent.to_owned());
                if name == "object" {
                    self.answers.push(parent.to_owned());
                }
            }
            if IDS.contains(&name) || name == "id" {
                self.ids.push((parent.to_owned(), format!("{name}={text}")));
            }
        }
    }

    fn text(&mut self, pointer: String, name: &str, raw: Range<usize>) {
        if TEXTS.contains(&name) || is_streamed(name) {
            self.texts.push((pointer, raw, name == "chunk" || name.contains("base64")));
        }
    }

    fn pieces(self) -> Vec<Piece> {
        let Self { streamed, mut ids, answers, texts, .. } = self;
        // Elsewhere, each record has an id of its own.
        ids.retain(|(object, id)| !id.starts_with("id=") || answers.contains(object));
        let is_within =
            |pointer: &str, object: &str| pointer.strip_prefix(object).is_some_and(|rest| rest.starts_with('/'));
        let is_piece = |pointer: &str| {
            streamed.iter().any(|object| is_within(pointer, object)) || pointer.split('/').any(is_streamed)
        };
        let pieces = texts.into_iter().filter(|(pointer, ..)| is_piece(pointer));
        let pieces = pieces.map(|(pointer, raw, may_be_encoded)| {
            let own = ids.iter().filter(|(object, _)| is_within(&pointer, object));
            let stream = own.fold(pointer.clone(), |stream, (_, id)| stream + "\n" + id);
            Piece { stream, pointer, raw, may_be_encoded }
        });
        pieces.collect()
    }
}

/// The object that something is a member of.
fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn is_streamed(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

/// A name without what styles of writing differ in.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::all;

    /// Records as programs write them, and the texts that are pieces.
    #[test]
    fn pieces_are_those_of_known_programs() {
        for (record, pieces) in [
            (r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ab"}}"#, "ab"),
            (
                r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a"}}"#,
                r#"{\"a"#,
            ),
            (
                r#"{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"so"}},"session_id":"s","parent_tool_use_id":null,"uuid":"u"}"#,
                "so",
            ),
            (
                r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"ab","sequence_number":7}"#,
                "ab",
            ),
            (
                r#"{"type":"response.function_call_arguments.delta","item_id":"m","output_index":0,"delta":"{\"c","sequence_number":8}"#,
                r#"{\"c"#,
            ),
            (
                r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"ab"},"finish_reason":null}]}"#,
                "ab",
            ),
            (
                r#"{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a"}}]}}]}"#,
                r#"{\"a"#,
            ),
            (
                r#"{"id":"1","msg":{"type":"exec_command_output_delta","call_id":"c","stream":"stdout","chunk":"YWI="}}"#,
                "YWI=",
            ),
            (r#"{"id":"1","msg":{"type":"agent_message_delta","delta":"ab"}}"#, "ab"),
            (
                r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ab"}}}}"#,
                "ab",
            ),
            (
                r#"{"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"ab"},"id":"e","timestamp":"t"}"#,
                "ab",
            ),
            (
                r#"{"type":"tool.execution_partial_result","data":{"toolCallId":"c","partialOutput":"ab"},"id":"e"}"#,
                "ab",
            ),
            (
                r#"{"type":"message.part.delta","properties":{"sessionID":"s","messageID":"m","partID":"p","field":"text","delta":"ab"}}"#,
                "ab",
            ),
            (r#"{"type":"message","role":"assistant","content":"ab","delta":true}"#, "ab"),
            (r#"{"method":"command/exec/outputDelta","params":{"stream":"stdout","deltaBase64":"YWI="}}"#, "YWI="),
            // Texts that are whole.
            (r#"{"type":"message","role":"user","content":"ab","delta":false}"#, ""),
            (r#"{"type":"user","message":{"role":"user","content":"the delta of a chunk"}}"#, ""),
            (r#"{"type":"tool_result","content":"a","toolUseResult":{"deltas":3}}"#, ""),
            (r#"{"type":"content_block_delta","delta":{"text":"cut"#, ""),
            ("a delta of text", ""),
        ] {
            let found: Vec<&str> =
                all(record.as_bytes()).iter().map(|piece| record.get(piece.raw.clone()).unwrap()).collect();
            assert_eq!(found.join("|"), pieces, "{record}");
        }
    }

    /// What is looked into at all: records with such a word in a key or in the value of one that says what they are.
    #[test]
    fn records_that_only_name_such_a_word_are_not_looked_into() {
        for (record, is_looked_into) in [
            (r#"{"type":"text_delta"}"#, true),
            (r#"{"event_type" : "text_delta"}"#, true),
            (r#"{"type":["a","text_delta"]}"#, true),
            (r#"{"outputDelta" : 1}"#, true),
            (r#"{"t\u0079pe":"text_delta"}"#, true),
            (r#"{"sessionId":"chunk.py-1","cwd":"/home/dev/chunks"}"#, false),
            (r#"{"file" : "src/chunk.rs"}"#, false),
            (r#"{"content":"{\"delta\":1} the delta"}"#, false),
        ] {
            assert_eq!(super::sign(record.as_bytes()).is_some(), is_looked_into, "{record}");
        }
    }

    /// Ids that all pieces share are of the stream; those that each record has for itself are not.
    #[test]
    fn streams_are_told_apart_by_what_their_pieces_share() {
        let stream = |record: &str| all(record.as_bytes()).pop().unwrap().stream;
        let delta = |index: u32, uuid: &str| {
            format!(r#"{{"type":"content_block_delta","uuid":"{uuid}","index":{index},"delta":{{"text":"a"}}}}"#)
        };
        assert_eq!(stream(&delta(0, "x")), stream(&delta(0, "y")));
        assert_ne!(stream(&delta(0, "x")), stream(&delta(1, "x")));
        let chunk = |id: &str, object: &str| {
            format!(r#"{{"id":"{id}","{object}":"chat.completion.chunk","choices":[{{"delta":{{"content":"a"}}}}]}}"#)
        };
        assert_eq!(stream(&chunk("a", "object")), stream(&chunk("a", "object")));
        assert_ne!(stream(&chunk("a", "object")), stream(&chunk("b", "object")));
        assert_eq!(stream(&chunk("a", "type")), stream(&chunk("b", "type")));
    }

    /// What has too many values to be a piece is none, however it is called.
    #[test]
    fn records_of_many_values_are_no_pieces() {
        let many = "\"a\",".repeat(300);
        assert!(all(format!(r#"{{"type":"x_delta","list":[{many}0],"delta":"a"}}"#).as_bytes()).is_empty());
    }
}
