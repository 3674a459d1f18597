//! Reads JSON in place: validates all of it, decodes nothing, and leaves values as slices of the text.
//!
//! Accepts exactly what `serde_json` accepts (a test compares them); a text that is refused here is read again by
//! it, for the reason. Nesting is tracked in bits, without recursion, so depth is harmless.

use std::borrow::Cow;

use memchr::memchr2;

use super::json::{Raw, Record};
use agent_strace_model::decode_json;

/// Whether a text may hold control characters, which JSON forbids inside strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Controls {
    /// It was looked through and holds none inside of strings, so that they need no second look.
    None,
    Possible,
}

/// A position in a JSON text. Every method returns `None` where the text is not JSON.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    controls: Controls,
}

impl<'a> Scanner<'a> {
    /// For a text that is one value: a record on its line, or a value that was cut out of one.
    pub(super) fn of_value(text: &'a str) -> Self {
        let controls = if has_controls(text.as_bytes()) { Controls::Possible } else { Controls::None };
        Self { text, at: 0, controls }
    }

    /// For a value that was scanned before.
    pub(super) fn of_raw(value: Raw<'a>) -> Self {
        Self { text: value.get(), at: 0, controls: Controls::None }
    }

    /// For a text of many values, which must not be looked through for each of them.
    pub(super) fn of_document(text: &'a str) -> Self {
        Self { text, at: 0, controls: Controls::Possible }
    }

    /// Bytes read so far.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The next byte after white space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.text.as_bytes().get(self.at)? {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// Only white space is left.
    pub(super) fn is_done(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Reads an object into a record.
    pub(super) fn record<R: Record<'a>>(&mut self, record: &mut R) -> Option<()> {
        self.expect(b'{')?;
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            let key = self.key()?;
            record.field(&key, self)?;
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    /// The elements of an array, each read by `element`.
    pub(super) fn array(&mut self, mut element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(b'[')?;
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            element(self)?;
            match self.peek()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    /// The next value, undecoded.
    pub(super) fn raw(&mut self) -> Option<Raw<'a>> {
        self.peek()?;
        let start = self.at;
        self.skip()?;
        self.since(start)
    }

    /// What was read from this position on.
    pub(super) fn since(&self, position: usize) -> Option<Raw<'a>> {
        self.text.get(position..self.at).map(Raw::new)
    }

    /// The first element of an array.
    pub(super) fn first(&mut self) -> Option<Raw<'a>> {
        self.expect(b'[')?;
        if self.peek()? == b']' { None } else { self.raw() }
    }

    /// Steps over the next value.
    pub(super) fn skip(&mut self) -> Option<()> {
        let mut open = Brackets::default();
        loop {
            if self.enter(&mut open)? {
                continue;
            }
            loop {
                let Some(container) = open.last() else { return Some(()) };
                match (self.peek()?, container) {
                    (b',', Container::Object) => {
                        self.at += 1;
                        self.skip_key()?;
                        break;
                    }
                    (b',', Container::Array) => {
                        self.at += 1;
                        break;
                    }
                    (b'}', Container::Object) | (b']', Container::Array) => {
                        self.at += 1;
                        open.pop();
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Steps over a plain value, or into a container: `true` when the next thing is a value inside it.
    fn enter(&mut self, open: &mut Brackets) -> Option<bool> {
        match self.peek()? {
            b'"' => self.string().map(|_| ())?,
            b'{' => {
                self.at += 1;
                if self.peek()? != b'}' {
                    open.push(Container::Object);
                    self.skip_key()?;
                    return Some(true);
                }
                self.at += 1;
            }
            b'[' => {
                self.at += 1;
                if self.peek()? != b']' {
                    open.push(Container::Array);
                    return Some(true);
                }
                self.at += 1;
            }
            b't' => self.literal("true")?,
            b'f' => self.literal("false")?,
            b'n' => self.literal("null")?,
            _ => self.number()?,
        }
        Some(false)
    }

    /// A key and its colon.
    fn key(&mut self) -> Option<Cow<'a, str>> {
        self.peek()?;
        let start = self.at;
        let is_plain = self.string()?;
        let json = self.text.get(start..self.at)?;
        self.expect(b':')?;
        if is_plain {
            json.get(1..json.len().checked_sub(1)?).map(Cow::Borrowed)
        } else {
            // A key that is no text, because half of a surrogate pair is missing, names nothing. What is beside it counts.
            Some(Cow::Owned(decode_json(json).into_owned()))
        }
    }

    /// A key as it is written, with its quotes, and its colon.
    pub(super) fn key_text(&mut self) -> Option<&'a str> {
        self.peek()?;
        let start = self.at;
        self.string()?;
        let key = self.text.get(start..self.at)?;
        self.expect(b':')?;
        Some(key)
    }

    /// The keys of an object as they are written, with their quotes.
    pub(super) fn keys(&mut self, mut key: impl FnMut(&'a str)) -> Option<()> {
        self.expect(b'{')?;
        while self.peek()? == b'"' {
            key(self.key_text()?);
            self.skip()?;
            if self.peek()? != b',' {
                break;
            }
            self.at += 1;
        }
        Some(())
    }

    fn skip_key(&mut self) -> Option<()> {
        self.peek()?;
        self.string()?;
        self.expect(b':')
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        let rest = self.text.as_bytes().get(self.at..)?;
        rest.starts_with(literal.as_bytes()).then(|| self.at += literal.len())
    }

    fn number(&mut self) -> Option<()> {
        self.accept(|byte| byte == b'-');
        if !self.accept(|byte| byte == b'0') {
            self.digits()?;
        }
        if self.accept(|byte| byte == b'.') {
            self.digits()?;
        }
        if self.accept(|byte| matches!(byte, b'e' | b'E')) {
            self.accept(|byte| matches!(byte, b'+' | b'-'));
            self.digits()?;
        }
        // `01` is not a number followed by another one.
        let next = self.text.as_bytes().get(self.at).copied();
        next.is_none_or(|byte| !byte.is_ascii_digit()).then_some(())
    }

    fn accept(&mut self, wanted: impl Fn(u8) -> bool) -> bool {
        let found = self.text.as_bytes().get(self.at).is_some_and(|byte| wanted(*byte));
        self.at += usize::from(found);
        found
    }

    fn digits(&mut self) -> Option<()> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        (count > 0).then_some(())
    }

    /// Steps over a string; `true` when nothing in it is escaped.
    fn string(&mut self) -> Option<bool> {
        let bytes = self.text.as_bytes().get(self.at..)?;
        let mut rest = bytes.strip_prefix(b"\"")?;
        let mut is_plain = true;
        loop {
            let (run, next) = rest.split_at_checked(special(rest)?)?;
            if self.controls == Controls::Possible && has_controls(run) {
                return None;
            }
            rest = match next {
                [b'"', after @ ..] => {
                    self.at += bytes.len() - after.len();
                    return Some(is_plain);
                }
                [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', after @ ..] => after,
                [b'\\', b'u', first, second, third, fourth, after @ ..]
                    if [first, second, third, fourth].iter().all(|digit| digit.is_ascii_hexdigit()) =>
                {
                    after
                }
                _ => return None,
            };
            is_plain = false;
        }
    }
}

/// Whether the whole text is one JSON value.
pub(super) fn is_json(text: &str) -> bool {
    let mut scanner = Scanner::of_value(text);
    scanner.skip().is_some() && scanner.is_done()
}

/// All fields of an object; of a key that occurs twice, the last one.
pub(super) fn fields<'a>(json: &'a str, mut field: impl FnMut(Cow<'a, str>, Raw<'a>)) -> Option<()> {
    let mut scanner = Scanner::of_value(json);
    scanner.expect(b'{')?;
    if scanner.peek()? == b'}' {
        return Some(());
    }
    loop {
        let key = scanner.key()?;
        field(key, scanner.raw()?);
        match scanner.peek()? {
            b',' => scanner.at += 1,
            b'}' => return Some(()),
            _ => return None,
        }
    }
}

/// Where a string ends or an escape begins. Most strings are short, so that the first bytes are looked at in
/// place; the rest is left to the vector search.
fn special(bytes: &[u8]) -> Option<usize> {
    const WORDS: usize = 4;
    let (words, _) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().take(WORDS).enumerate() {
        let word = u64::from_le_bytes(*word);
        let hits = zero_bytes(word ^ repeat(b'"')) | zero_bytes(word ^ repeat(b'\\'));
        if hits != 0 {
            return Some(at * 8 + hits.trailing_zeros() as usize / 8);
        }
    }
    let looked_at = words.len().min(WORDS) * 8;
    memchr2(b'"', b'\\', bytes.get(looked_at..)?).map(|at| looked_at + at)
}

const fn repeat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The high bit of every zero byte. Bits above the lowest zero byte may be wrong, which is the one that is asked for.
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(repeat(1)) & !word & repeat(0x80)
}

fn has_controls(bytes: &[u8]) -> bool {
    // Without an early exit inside a chunk the compiler compares whole vectors.
    let (chunks, rest) = bytes.as_chunks::<64>();
    let any = |bytes: &[u8]| bytes.iter().fold(0, |any, byte| any | u8::from(*byte < 0x20)) != 0;
    chunks.iter().any(|chunk| any(chunk)) || any(rest)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

/// The open containers, one bit each.
#[derive(Debug, Default)]
struct Brackets {
    depth: usize,
    /// The innermost ones, the last one in the lowest bit.
    bits: u64,
    /// Full words below.
    outer: Vec<u64>,
}

impl Brackets {
    fn push(&mut self, container: Container) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.bits);
        }
        self.bits = self.bits << 1 | u64::from(container == Container::Object);
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.bits >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.bits = self.outer.pop().unwrap_or(0);
        }
    }

    fn last(&self) -> Option<Container> {
        let container = if self.bits & 1 == 1 { Container::Object } else { Container::Array };
        (self.depth > 0).then_some(container)
    }
}
