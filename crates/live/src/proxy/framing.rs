//! Bytes of a stream → the messages in it, in whatever pieces they arrive.
//!
//! MCP over standard streams is one JSON text a line; servers that descend from language servers put `Content-Length`
//! headers before it. Both may come in one stream. Whatever begins neither is no message.

use memchr::memchr;

/// How a message stood in its stream: an answer to it is written the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// On a line of its own.
    Line,
    /// Behind `Content-Length` headers.
    Headers,
}

impl Framing {
    /// A message as it stands in a stream.
    pub fn wrap(self, body: &str) -> Vec<u8> {
        match self {
            Self::Line => format!("{body}\n").into_bytes(),
            Self::Headers => format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes(),
        }
    }
}

/// One piece of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    Message {
        body: Vec<u8>,
        framing: Framing,
    },
    /// A line that is no message, as programs write when they take standard output for their log.
    Noise,
    /// Something that may have been a message could not be followed: why, behind "a message".
    Lost(&'static str),
}

pub const TOO_LARGE: &str = "is larger than the recorder follows";
pub const CUT_OFF: &str = "was cut off by the end of its stream";
const NO_LENGTH: &str = "has headers that do not say how long it is";

/// Longer headers are none.
const LONGEST_HEADER: usize = 8 << 10;
/// Nobody writes more of them before one message.
const MOST_HEADERS: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In a line, or before one.
    Line,
    /// In a line that is too long for this reason: its end is looked for.
    LongLine(&'static str),
    /// In the headers of a message, this many of them so far.
    Headers { length: Option<usize>, seen: usize },
    /// In a message, of which this much is missing.
    Body { left: usize },
    /// In a message that is too large.
    LongBody { left: usize },
}

/// Cuts a stream into its pieces.
#[derive(Debug)]
pub struct Splitter {
    state: State,
    /// What has arrived of the current line or message.
    buffer: Vec<u8>,
    /// Bytes of the largest message.
    limit: usize,
}

impl Splitter {
    pub fn new(limit: usize) -> Self {
        Self { state: State::Line, buffer: Vec::new(), limit }
    }

    /// Whether the stream is between two pieces, so that something else may be written there.
    pub fn is_between(&self) -> bool {
        self.state == State::Line && self.buffer.is_empty()
    }

    /// Whether the current piece is kept, so that it may become a message.
    pub fn follows(&self) -> bool {
        !matches!(self.state, State::LongLine(_) | State::LongBody { .. })
    }

    /// Takes bytes up to the end of a piece: how many, and the piece, if it ended. Blank lines are no pieces.
    pub fn take(&mut self, bytes: &[u8]) -> (usize, Option<Frame>) {
        let mut used = 0;
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            let (more, piece) = self.step(rest);
            used += more;
            if piece.is_some() {
                return (used, piece);
            }
        }
        (used, None)
    }

    /// The stream has ended: what is left of it.
    pub fn end(&mut self) -> Option<Frame> {
        let (state, rest) = (self.state, std::mem::take(&mut self.buffer));
        self.state = State::Line;
        match state {
            State::Line if rest.trim_ascii().is_empty() => None,
            State::Line if Header::of(&rest).is_some() => Some(Frame::Lost(CUT_OFF)),
            // The last line needs no end.
            State::Line => line(rest),
            State::LongLine(reason) => Some(Frame::Lost(reason)),
            State::LongBody { .. } => Some(Frame::Lost(TOO_LARGE)),
            State::Headers { .. } | State::Body { .. } => Some(Frame::Lost(CUT_OFF)),
        }
    }

    fn step(&mut self, bytes: &[u8]) -> (usize, Option<Frame>) {
        match self.state {
            State::Line => self.in_line(bytes),
            State::LongLine(reason) => match memchr(b'\n', bytes) {
                None => (bytes.len(), None),
                Some(end) => {
                    self.state = State::Line;
                    (end + 1, Some(Frame::Lost(reason)))
                }
            },
            State::Headers { length, seen } => self.in_headers(bytes, length, seen),
            State::Body { left } => self.in_body(bytes, left),
            State::LongBody { left } => {
                let used = left.min(bytes.len());
                let done = used == left;
                self.state = if done { State::Line } else { State::LongBody { left: left - used } };
                (used, done.then_some(Frame::Lost(TOO_LARGE)))
            }
        }
    }

    fn in_line(&mut self, bytes: &[u8]) -> (usize, Option<Frame>) {
        let (used, is_whole) = self.buffer_line(bytes);
        if self.buffer.len() > self.limit {
            self.buffer = Vec::new();
            self.state = if is_whole { State::Line } else { State::LongLine(TOO_LARGE) };
            return (used, is_whole.then_some(Frame::Lost(TOO_LARGE)));
        }
        if !is_whole {
            return (used, None);
        }
        let whole = std::mem::take(&mut self.buffer);
        if Header::of(&whole).is_none() {
            return (used, line(whole));
        }
        self.state = State::Headers { length: Header::after(&whole, None), seen: 1 };
        (used, None)
    }

    /// Copies up to the end of a line, and says whether it is there.
    fn buffer_line(&mut self, bytes: &[u8]) -> (usize, bool) {
        let end = memchr(b'\n', bytes);
        let used = end.map_or(bytes.len(), |end| end + 1);
        self.buffer.extend_from_slice(bytes.get(..used).unwrap_or_default());
        (used, end.is_some())
    }

    fn in_headers(&mut self, bytes: &[u8], length: Option<usize>, seen: usize) -> (usize, Option<Frame>) {
        let (used, is_whole) = self.buffer_line(bytes);
        if self.buffer.len() > LONGEST_HEADER || seen > MOST_HEADERS {
            return (used, self.give_up(is_whole));
        }
        if !is_whole {
            return (used, None);
        }
        let header = std::mem::take(&mut self.buffer);
        if header.trim_ascii().is_empty() {
            return (used, self.begin_body(length));
        }
        self.state = State::Headers { length: Header::after(&header, length), seen: seen + 1 };
        (used, None)
    }

    fn begin_body(&mut self, length: Option<usize>) -> Option<Frame> {
        self.state = match length {
            None => State::Line,
            Some(left) if left > self.limit => State::LongBody { left },
            Some(left) => State::Body { left },
        };
        match length {
            None => Some(Frame::Lost(NO_LENGTH)),
            Some(0) => {
                self.state = State::Line;
                None
            }
            Some(_) => None,
        }
    }

    fn give_up(&mut self, is_whole: bool) -> Option<Frame> {
        self.buffer = Vec::new();
        self.state = if is_whole { State::Line } else { State::LongLine(NO_LENGTH) };
        is_whole.then_some(Frame::Lost(NO_LENGTH))
    }

    fn in_body(&mut self, bytes: &[u8], left: usize) -> (usize, Option<Frame>) {
        let used = left.min(bytes.len());
        self.buffer.extend_from_slice(bytes.get(..used).unwrap_or_default());
        if used < left {
            self.state = State::Body { left: left - used };
            return (used, None);
        }
        self.state = State::Line;
        (used, Some(Frame::Message { body: std::mem::take(&mut self.buffer), framing: Framing::Headers }))
    }
}

/// A whole line.
fn line(mut line: Vec<u8>) -> Option<Frame> {
    let trimmed = without_mark(&line).trim_ascii();
    match trimmed.first() {
        None => None,
        Some(b'{' | b'[') => {
            let (from, length) = (line.len() - without_front(&line).len(), trimmed.len());
            line.truncate(from + length);
            line.drain(..from);
            Some(Frame::Message { body: line, framing: Framing::Line })
        }
        Some(_) => Some(Frame::Noise),
    }
}

/// Some readers pass over a byte order mark.
fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

fn without_front(line: &[u8]) -> &[u8] {
    without_mark(line).trim_ascii_start()
}

/// A header that a message may begin with.
enum Header {
    /// `None`: it says no length.
    Length(Option<usize>),
    Type,
}

impl Header {
    fn of(line: &[u8]) -> Option<Self> {
        let colon = memchr(b':', line.get(..line.len().min(LONGEST_HEADER)).unwrap_or_default())?;
        let (name, value) = line.split_at_checked(colon)?;
        let name = name.trim_ascii();
        if name.eq_ignore_ascii_case(b"content-type") {
            return Some(Self::Type);
        }
        let digits = value.get(1..).unwrap_or_default().trim_ascii();
        let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        let length = plain.then(|| std::str::from_utf8(digits).ok()?.parse().ok()).flatten();
        name.eq_ignore_ascii_case(b"content-length").then_some(Self::Length(length))
    }

    /// The length of the message, after this header and those before it.
    fn after(line: &[u8], length: Option<usize>) -> Option<usize> {
        if let Some(Self::Length(length)) = Self::of(line) { length } else { length }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All pieces of a stream that arrives in these chunks, and whether their lengths add up.
    fn pieces(chunks: &[&[u8]], limit: usize) -> Vec<Frame> {
        let mut splitter = Splitter::new(limit);
        let mut found = Vec::new();
        for chunk in chunks {
            let mut rest = *chunk;
            while !rest.is_empty() {
                let (used, piece) = splitter.take(rest);
                assert!(used > 0);
                rest = &rest[used..];
                found.extend(piece);
            }
        }
        found.extend(splitter.end());
        assert!(splitter.is_between());
        found
    }

    fn on_line(body: &str) -> Frame {
        Frame::Message { body: body.as_bytes().to_vec(), framing: Framing::Line }
    }

    fn behind_headers(body: &str) -> Frame {
        Frame::Message { body: body.as_bytes().to_vec(), framing: Framing::Headers }
    }

    #[test]
    fn streams_are_cut_into_their_messages() {
        let cases: &[(&str, &[Frame])] = &[
            ("", &[]),
            ("\n\r\n  \n", &[]),
            ("{\"a\":1}\n", &[on_line("{\"a\":1}")]),
            ("{\"a\":1}\r\n[{}]\r\n", &[on_line("{\"a\":1}"), on_line("[{}]")]),
            ("  {\"a\":1} \n", &[on_line("{\"a\":1}")]),
            ("\u{feff}{}\n", &[on_line("{}")]),
            ("{\"a\":1}", &[on_line("{\"a\":1}")]),
            ("server is listening\n{}\n", &[Frame::Noise, on_line("{}")]),
            ("Content-Length: 2\r\n\r\n{}", &[behind_headers("{}")]),
            ("content-length:2\n\n{}{\"b\":2}\n", &[behind_headers("{}"), on_line("{\"b\":2}")]),
            (
                "Content-Type: application/json\r\nContent-Length: 8\r\n\r\n{\n\"a\":1}{}\n",
                &[behind_headers("{\n\"a\":1}"), on_line("{}")],
            ),
            ("Content-Length: 2\r\nX-Any: thing\r\n\r\n{}\n{}\n", &[behind_headers("{}"), on_line("{}")]),
            ("Content-Length: 0\r\n\r\n{}\n", &[on_line("{}")]),
            ("Content-Length: many\r\n\r\n{}\n", &[Frame::Lost(NO_LENGTH), on_line("{}")]),
            ("Content-Type: text/plain\r\n\r\n{}\n", &[Frame::Lost(NO_LENGTH), on_line("{}")]),
            ("Content-Length: 9\r\n\r\n{}", &[Frame::Lost(CUT_OFF)]),
            ("Content-Length: 9", &[Frame::Lost(CUT_OFF)]),
            ("Content-Length: 9\r\n", &[Frame::Lost(CUT_OFF)]),
            ("Content-Length: 99999999999999999999999\r\n\r\n{}\n", &[Frame::Lost(NO_LENGTH), on_line("{}")]),
        ];
        for (stream, wanted) in cases {
            assert_eq!(pieces(&[stream.as_bytes()], 1 << 20), *wanted, "{stream:?}");
            let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
            assert_eq!(pieces(&bytes, 1 << 20), *wanted, "{stream:?}, byte by byte");
        }
    }

    #[test]
    fn what_is_too_large_is_passed_over_and_told_of() {
        let long = format!("{{\"a\":\"{}\"}}\n{{}}\n", "x".repeat(100));
        assert_eq!(pieces(&[long.as_bytes()], 50), [Frame::Lost(TOO_LARGE), on_line("{}")]);
        let long = format!("Content-Length: 100\r\n\r\n{}{{}}\n", "x".repeat(100));
        assert_eq!(pieces(&[long.as_bytes()], 50), [Frame::Lost(TOO_LARGE), on_line("{}")]);
        let header = format!("Content-Length: 2\r\nX: {}\r\n\r\n{{}}\n", "x".repeat(LONGEST_HEADER));
        assert_eq!(pieces(&[header.as_bytes()], 1 << 20), [Frame::Lost(NO_LENGTH), on_line("{}")]);
        let endless = "Content-Length: 2\r\n".to_owned() + &"x: y\r\n".repeat(MOST_HEADERS + 1) + "{}\n";
        assert!(pieces(&[endless.as_bytes()], 1 << 20).contains(&Frame::Lost(NO_LENGTH)));
    }

    #[test]
    fn an_answer_stands_in_the_stream_like_its_question() {
        for framing in [Framing::Line, Framing::Headers] {
            let wanted = Frame::Message { body: b"{\"\xc3\xa4\":1}".to_vec(), framing };
            assert_eq!(pieces(&[&framing.wrap("{\"ä\":1}")], 100), [wanted]);
        }
    }

    proptest! {
        #[test]
        fn how_a_stream_arrives_changes_nothing(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just("{\"a\":1}\n".to_owned()), Just("Content-Length: 7\r\n\r\n{\"a\":1}".to_owned()),
                    Just("noise\n".to_owned()), Just("\r\n".to_owned()), Just("Content-Length: x\r\n\r\n".to_owned()),
                    "[\\x00-\\x7f]{0,20}", Just("Content-Length: 90\r\n\r\n".to_owned()),
                ], 0..12),
            cuts in proptest::collection::vec(1_usize..40, 0..40),
            limit in 4_usize..64,
        ) {
            let stream = parts.concat().into_bytes();
            let whole = pieces(&[&stream], limit);
            let (mut chunks, mut rest) = (Vec::new(), &stream[..]);
            for cut in cuts {
                let (chunk, after) = rest.split_at(cut.min(rest.len()));
                chunks.push(chunk);
                rest = after;
            }
            chunks.push(rest);
            prop_assert_eq!(pieces(&chunks, limit), whole);
        }
    }
}
