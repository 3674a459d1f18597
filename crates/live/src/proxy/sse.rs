//! A stream of server-sent events → the data in them, as the HTML standard cuts it.

use memchr::memchr2;

/// One event that says something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Data {
        /// `message` where the stream names none.
        kind: String,
        data: Vec<u8>,
    },
    /// It is larger than anybody follows.
    TooLarge,
}

/// Reads a stream, in whatever pieces it arrives.
#[derive(Debug)]
pub struct Events {
    line: Vec<u8>,
    /// The line before ended with a carriage return, so that a line feed belongs to it.
    after_return: bool,
    is_first: bool,
    kind: String,
    data: Vec<u8>,
    has_data: bool,
    is_too_large: bool,
    limit: usize,
}

impl Events {
    pub fn new(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            after_return: false,
            is_first: true,
            kind: String::new(),
            data: Vec::new(),
            has_data: false,
            is_too_large: false,
            limit,
        }
    }

    /// The events that end in `bytes`.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut found = Vec::new();
        let mut rest = bytes;
        if self.after_return && !rest.is_empty() {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            self.after_return = false;
        }
        while let Some(end) = memchr2(b'\r', b'\n', rest) {
            let (line, from) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            self.extend(line);
            found.extend(self.end_of_line());
            rest = match from {
                [b'\r', b'\n', after @ ..] | [_, after @ ..] => after,
                [] => from,
            };
            self.after_return = from == b"\r";
        }
        self.extend(rest);
        found
    }

    fn extend(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if self.line.len().saturating_add(self.data.len()).saturating_add(bytes.len()) > self.limit {
            self.is_too_large = true;
            self.data = Vec::new();
        }
        if self.is_too_large {
            // Whether the line is blank is all that still counts: a blank one ends the event.
            self.line = vec![b'-'];
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn end_of_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = if std::mem::take(&mut self.is_first) {
            line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).to_vec()
        } else {
            line
        };
        if line.is_empty() {
            return self.end_of_event();
        }
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => line.split_at_checked(colon).unwrap_or((&line, b"")),
            None => (line.as_slice(), b"".as_slice()),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if self.has_data && !self.is_too_large {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                if !self.is_too_large {
                    self.data.extend_from_slice(value);
                }
            }
            b"event" => self.kind = String::from_utf8_lossy(value).into_owned(),
            _ => {}
        }
        None
    }

    fn end_of_event(&mut self) -> Option<Event> {
        let kind = std::mem::take(&mut self.kind);
        let data = std::mem::take(&mut self.data);
        let (has_data, is_too_large) = (std::mem::take(&mut self.has_data), std::mem::take(&mut self.is_too_large));
        if is_too_large {
            return Some(Event::TooLarge);
        }
        let kind = if kind.is_empty() { "message".to_owned() } else { kind };
        has_data.then_some(Event::Data { kind, data })
    }

    /// The stream has ended: what it left unfinished counts as little as readers take it for, unless it was too large.
    pub fn end(&mut self) -> Option<Event> {
        self.is_too_large.then_some(Event::TooLarge)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn data(kind: &str, data: &str) -> Event {
        Event::Data { kind: kind.to_owned(), data: data.as_bytes().to_vec() }
    }

    fn events(chunks: &[&[u8]], limit: usize) -> Vec<Event> {
        let mut reader = Events::new(limit);
        let mut found: Vec<Event> = chunks.iter().flat_map(|chunk| reader.push(chunk)).collect();
        found.extend(reader.end());
        found
    }

    #[test]
    fn streams_are_cut_as_the_standard_says() {
        let cases: &[(&str, &[Event])] = &[
            ("data: a\n\n", &[data("message", "a")]),
            ("data:a\r\n\r\ndata: b\r\rdata\n\n", &[data("message", "a"), data("message", "b"), data("message", "")]),
            (": ping\n\nid: 7\nretry: 1\n\n", &[]),
            ("event: endpoint\ndata: /m?s=1\n\ndata: x\n\n", &[data("endpoint", "/m?s=1"), data("message", "x")]),
            ("data: {\ndata:  \"a\": 1}\nid: 3\n\n", &[data("message", "{\n \"a\": 1}")]),
            ("\u{feff}data: a\n\n", &[data("message", "a")]),
            ("data: not ended\n", &[]),
        ];
        for (stream, wanted) in cases {
            assert_eq!(events(&[stream.as_bytes()], 1000), *wanted, "{stream:?}");
            let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
            assert_eq!(events(&bytes, 1000), *wanted, "{stream:?}, byte by byte");
        }
    }

    #[test]
    fn what_is_too_large_is_told_of_and_ends() {
        let stream = format!("data: {}\n\ndata: b\n\n", "x".repeat(200));
        assert_eq!(events(&[stream.as_bytes()], 100), [Event::TooLarge, data("message", "b")]);
        let stream = format!("{}\n\ndata: b\n\n", "data: xxxxxxxxxx\n".repeat(20));
        assert_eq!(events(&[stream.as_bytes()], 100).last(), Some(&data("message", "b")));
        assert_eq!(events(&[stream.as_bytes()], 100).len(), 2);
    }

    proptest! {
        #[test]
        fn how_a_stream_arrives_changes_nothing(stream in "(data: [a-c]{0,3}|event: e|\r|\n|\r\n|: x){0,20}", cut in 0_usize..60) {
            let bytes = stream.as_bytes();
            let (one, other) = bytes.split_at(cut.min(bytes.len()));
            prop_assert_eq!(events(&[one, other], 1000), events(&[bytes], 1000));
        }
    }
}
