//! What is left of damaged JSON: the text without its damaged parts, closed where it was cut.
//!
//! A log that was cut off, or in which bytes changed, still holds intact calls. They are judged, and the damage is a
//! gap all the same. The text keeps its lines, so that every place in it is still where it was.
//!
//! After damage, reading goes on at the next complete object that looks like its neighbours: one that shares most of
//! its keys with an earlier element of a list that is still open. What is skipped on the way is lost and was reported.

use std::collections::BTreeSet;

#[cfg(test)]
use agent_strace_testing::work::count;
use memchr::{memchr_iter, memchr2_iter};

use super::scan::{self, Scanner};

/// Bytes that are read and containers that are looked at are counted for the tests.
#[cfg(not(test))]
const fn count(_: usize) {}

/// Containers up to here are first tried whole; below, they are read piece by piece, which costs no second look.
const TRIED_WHOLE: usize = 16;
/// Keys that are remembered of one element.
const MAX_KEYS: usize = 64;

/// The intact rest of a damaged log; `None` when nothing of it is left, or nothing was damaged.
pub(super) fn mend(text: &str) -> Option<String> {
    let mended = if is_document(text) { value(text, &BTreeSet::new()) } else { lines(text) };
    (mended != text && !mended.trim().is_empty()).then_some(mended)
}

/// A document spans lines: none of its first ones is a record of its own.
fn is_document(text: &str) -> bool {
    let text = text.trim_start();
    if text.starts_with('[') {
        return true;
    }
    let is_record = |line: &&str| line.starts_with('{') && scan::is_json(line);
    !text.lines().take(16).any(|line| is_record(&line))
        && text.lines().nth(1).is_some_and(|line| !line.starts_with('{'))
}

/// Every line on its own; damage never spreads.
fn lines(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut known = BTreeSet::new();
    for line in text.split_inclusive('\n') {
        let record = line.trim_end_matches(['\n', '\r']);
        if is_sequence(record) {
            if known.len() < MAX_KEYS {
                note_keys(record, &mut known);
            }
            mended.push_str(line);
        } else {
            // What is skipped inside the line must not look like the end of it.
            mended.push_str(&value(record, &known));
            mended.push_str(line.get(record.len()..).unwrap_or(""));
        }
    }
    mended
}

/// Values one after another, as writers without a lock leave them.
fn is_sequence(line: &str) -> bool {
    let mut scanner = Scanner::of_value(line);
    loop {
        if scanner.is_done() {
            return true;
        }
        if scanner.skip().is_none() {
            return false;
        }
    }
}

fn note_keys<'a>(json: &'a str, keys: &mut BTreeSet<&'a str>) {
    let mut scanner = Scanner::of_document(json);
    let _: Option<()> = scanner.keys(|key| {
        if keys.len() < MAX_KEYS {
            keys.insert(key);
        }
    });
}

/// What is left of one value. `known` are keys of its neighbours.
fn value<'a>(text: &'a str, known: &BTreeSet<&'a str>) -> String {
    let root = Frame { kind: Kind::Sequence, keys: known.clone(), start: 0, good: 0, from: 0, count: 0, keeps: false };
    let mut mend = Mend {
        text,
        at: 0,
        out: String::with_capacity(text.len()),
        stack: vec![root],
        // Every byte may be looked at a few times; hostile text gets no more.
        budget: text.len().saturating_mul(4).saturating_add(1 << 16),
        loose: false,
        lines: 0,
        counted: (0, 0),
    };
    while mend.members().is_none() {
        if !mend.resume() {
            break;
        }
    }
    mend.close_to(0);
    mend.keep_lines(text.len());
    mend.out
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Values side by side, which is what a text is.
    Sequence,
    Array,
    Object,
}

/// A container that is open.
#[derive(Debug)]
struct Frame<'a> {
    kind: Kind,
    /// Keys of a list's first element, or an object's own keys so far.
    keys: BTreeSet<&'a str>,
    /// Length of the output before the container and what belongs to it.
    start: usize,
    /// Length of the output after its last whole member.
    good: usize,
    /// Where to look for what follows its last whole member.
    from: usize,
    count: usize,
    /// It holds something worth keeping, should it not end well.
    keeps: bool,
}

struct Mend<'a> {
    text: &'a str,
    at: usize,
    out: String,
    stack: Vec<Frame<'a>>,
    budget: usize,
    /// Damage lost a closing bracket, so that one may be left over.
    loose: bool,
    /// Line breaks in the output.
    lines: usize,
    /// How far line breaks of the text were counted, and how many there are.
    counted: (usize, usize),
}

impl<'a> Mend<'a> {
    /// Copies members until the text ends (`Some`) or can't be read (`None`).
    fn members(&mut self) -> Option<()> {
        loop {
            self.space();
            let Some(next) = self.peek() else {
                return (self.stack.len() == 1).then_some(());
            };
            let frame = self.stack.last()?;
            let (kind, first) = (frame.kind, frame.count == 0);
            match (kind, next) {
                (Kind::Array, b']') | (Kind::Object, b'}') if self.left_over() => self.at += 1,
                (Kind::Array, b']') | (Kind::Object, b'}') => self.end(next)?,
                (Kind::Sequence, b',') => self.at += 1,
                (Kind::Array | Kind::Object, b',') if !first => {
                    self.at += 1;
                    self.member(kind, true)?;
                }
                (Kind::Array | Kind::Object, _) if !first => return None,
                _ => self.member(kind, false)?,
            }
        }
    }

    /// A bracket of something whose beginning was skipped.
    fn left_over(&self) -> bool {
        let rest = || self.text.get(self.at + 1..).unwrap_or("").trim_start();
        self.loose && self.stack.len() == 2 && rest().starts_with([',', '}', ']'])
    }

    fn member(&mut self, kind: Kind, comma: bool) -> Option<()> {
        let start = self.out.len();
        if comma {
            self.out.push(',');
        } else if kind == Kind::Sequence && start > 0 {
            self.out.push(' ');
        }
        self.space();
        if kind == Kind::Object {
            self.key()?;
        }
        let rest = self.text.get(self.at..)?;
        let mut scanner = Scanner::of_document(rest);
        let opens = matches!(scanner.peek()?, b'{' | b'[');
        if !opens || self.stack.len() <= TRIED_WHOLE {
            let is_whole = scanner.skip().is_some();
            count(scanner.position());
            if is_whole {
                let length = scanner.position();
                self.take(length);
                self.done(rest.get(..length).unwrap_or(""), opens);
                return Some(());
            }
            if !opens {
                return None;
            }
        }
        self.open(start)
    }

    fn key(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let mut scanner = Scanner::of_document(rest);
        let key = scanner.key_text()?;
        let length = scanner.position();
        let frame = self.stack.last_mut()?;
        if frame.keys.len() < MAX_KEYS {
            frame.keys.insert(key);
        }
        self.take(length);
        self.space();
        Some(())
    }

    fn open(&mut self, start: usize) -> Option<()> {
        let kind = if self.peek()? == b'{' { Kind::Object } else { Kind::Array };
        self.take(1);
        let good = self.out.len();
        self.stack.push(Frame { kind, keys: BTreeSet::new(), start, good, from: self.at, count: 0, keeps: false });
        Some(())
    }

    /// A whole member was copied.
    fn done(&mut self, json: &'a str, is_container: bool) {
        // A string whose own quote was lost ends at another one's: what looks like its text may be what comes next.
        let from = if is_container { self.at } else { self.at - json.len() };
        let length = self.out.len();
        let Some(frame) = self.stack.last_mut() else { return };
        (frame.good, frame.from) = (length, from);
        frame.count += 1;
        frame.keeps |= is_container;
        if frame.kind != Kind::Object && frame.keys.is_empty() {
            note_keys(json, &mut frame.keys);
        }
    }

    /// The container's own bracket: it ended well, whatever was lost inside.
    fn end(&mut self, bracket: u8) -> Option<()> {
        self.take(1);
        self.stack.pop()?;
        let (good, from) = (self.out.len(), self.at);
        let parent = self.stack.last_mut()?;
        (parent.good, parent.from) = (good, from);
        parent.count += 1;
        parent.keeps |= bracket == b']' || bracket == b'}';
        Some(())
    }

    /// Closes what is open above `depth`, without the members that were not whole.
    fn close_to(&mut self, depth: usize) {
        while self.stack.len() > depth + 1 {
            let Some(frame) = self.stack.pop() else { return };
            if frame.keeps {
                self.truncate(frame.good);
                self.out.push(if frame.kind == Kind::Object { '}' } else { ']' });
            } else {
                self.truncate(frame.start);
            }
            let length = self.out.len();
            if let Some(parent) = self.stack.last_mut() {
                if frame.keeps {
                    parent.good = length;
                    parent.count += 1;
                    parent.keeps = true;
                }
                if parent.keys.is_empty() && parent.kind != Kind::Object {
                    parent.keys = frame.keys;
                }
            }
        }
        if let Some(good) = self.stack.last().map(|frame| frame.good) {
            self.truncate(good);
        }
    }

    /// Goes on after damage: `false` when nothing that can be placed follows.
    fn resume(&mut self) -> bool {
        // A string that was never closed swallowed what follows it, so the search begins where all was well.
        let from = self.stack.last().map_or(self.at, |frame| frame.from);
        let rest = self.text.get(from..).unwrap_or("");
        let inside_list = self.stack.iter().any(|frame| frame.kind == Kind::Array);
        for offset in memchr2_iter(b'{', b'[', rest.as_bytes()) {
            if self.budget == 0 {
                return false;
            }
            let at = from + offset;
            let Some(candidate) = self.text.get(at..) else { continue };
            let mut scanner = Scanner::of_document(candidate);
            let whole = scanner.skip().is_some();
            count(scanner.position());
            self.budget = self.budget.saturating_sub(scanner.position().max(1));
            if !whole {
                continue;
            }
            // Each open container is a place where it may belong.
            self.budget = self.budget.saturating_sub(self.stack.len());
            let json = candidate.get(..scanner.position()).unwrap_or("");
            let index = if inside_list || json.starts_with('{') { self.index_of(json) } else { None };
            if let Some(depth) = index {
                self.attach(depth, at, None, json);
                return true;
            }
            if !inside_list && let Some(key) = self.key_before(from, at) {
                self.attach(1, at, Some(key), json);
                self.loose = true;
                return true;
            }
        }
        false
    }

    /// The open list whose elements look most like this object; of several, the innermost.
    fn index_of(&self, json: &'a str) -> Option<usize> {
        let mut keys = BTreeSet::new();
        note_keys(json, &mut keys);
        let mut best: Option<(usize, usize)> = None;
        count(self.stack.len());
        for (depth, frame) in self.stack.iter().enumerate().filter(|(_, frame)| frame.kind != Kind::Object) {
            // Of a list whose first element was damaged, that element's keys are known.
            let first = self.stack.get(depth + 1).map(|child| &child.keys);
            let own = if frame.keys.is_empty() { first.unwrap_or(&frame.keys) } else { &frame.keys };
            let shared = keys.intersection(own).count();
            let alike = shared > 0 && (shared * 2 >= keys.len() || frame.keys.is_empty());
            let score = shared * 1000 / keys.union(own).count().max(1);
            if alike && best.is_none_or(|(_, known)| score >= known) {
                best = Some((depth, score));
            }
        }
        best.map(|(depth, _)| depth)
    }

    /// The key in front of a value, where a comma is in front of the key.
    fn key_before(&self, from: usize, at: usize) -> Option<&'a str> {
        let object = self.stack.get(1).filter(|frame| frame.kind == Kind::Object)?;
        let before = self.text.get(from..at)?.trim_end().strip_suffix(':')?.trim_end();
        let quoted = before.strip_suffix('"')?;
        let start = quoted.rfind('"')?;
        let key = before.get(start..)?;
        let follows = quoted.get(..start)?.trim_end().ends_with(',');
        (follows && scan::is_json(key) && !object.keys.contains(key)).then_some(key)
    }

    /// Makes a whole value the next member of an open container.
    fn attach(&mut self, depth: usize, at: usize, key: Option<&'a str>, json: &'a str) {
        self.close_to(depth);
        self.keep_lines(at);
        let comma = self.stack.last().is_some_and(|frame| frame.count > 0 && frame.kind != Kind::Sequence);
        self.out.push_str(if comma { "," } else { " " });
        if let Some(key) = key {
            self.out.push_str(key);
            self.out.push(':');
            if let Some(frame) = self.stack.last_mut() {
                frame.keys.insert(key);
            }
        }
        self.at = at;
        self.take(json.len());
        self.done(json, true);
    }

    /// Copies white space.
    fn space(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or("");
        let length = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        self.take(length);
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, length: usize) {
        count(length);
        let taken = self.text.get(self.at..self.at + length).unwrap_or("");
        self.lines += breaks(taken);
        self.out.push_str(taken);
        self.at += length;
    }

    fn truncate(&mut self, length: usize) {
        self.lines = self.lines.saturating_sub(breaks(self.out.get(length..).unwrap_or("")));
        self.out.truncate(length);
    }

    /// Puts back the line breaks that were lost before this place of the text.
    fn keep_lines(&mut self, at: usize) {
        let (counted, breaks_before) = self.counted;
        let wanted = breaks_before + breaks(self.text.get(counted..at).unwrap_or(""));
        self.counted = (at.max(counted), wanted);
        for _ in self.lines..wanted {
            self.out.push('\n');
        }
        self.lines = self.lines.max(wanted);
    }
}

fn breaks(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count()
}

#[cfg(test)]
mod tests;
