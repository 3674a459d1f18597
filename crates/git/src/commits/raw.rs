//! A commit as it is stored, and what its header says. Both backends read it with this, so they can't differ.

use memchr::{memchr, memmem, memrchr};

use super::{Id, Person};

/// Bytes kept of a header, and of a message. The rest is read over.
pub(super) const MOST: usize = 1 << 20;

/// The bytes of one commit. Used again for the next one.
#[derive(Debug, Default)]
pub(super) struct Raw {
    header: Vec<u8>,
    message: Vec<u8>,
    /// Whether the blank line behind the header was seen.
    ended: bool,
    last: u8,
}

/// What the header says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header<'b> {
    pub(super) tree: Option<Id>,
    pub(super) parents: usize,
    pub(super) author: Person<'b>,
    pub(super) committer: Person<'b>,
    /// The author's date.
    pub(super) authored: i64,
    /// The committer's date.
    pub(super) seconds: i64,
    pub(super) encoding: Option<&'b [u8]>,
}

impl Raw {
    pub(super) fn clear(&mut self) {
        self.header.clear();
        self.message.clear();
        self.ended = false;
        self.last = 0;
    }

    /// Takes the next bytes of the commit, however it was cut into pieces.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        if self.ended {
            return keep(&mut self.message, bytes);
        }
        let Some(&last) = bytes.last() else { return };
        let end = match (self.last, bytes.first()) {
            (b'\n', Some(b'\n')) => Some(1),
            _ => memmem::find(bytes, b"\n\n").map(|at| at + 2),
        };
        self.last = last;
        let (head, tail) = bytes.split_at_checked(end.unwrap_or(bytes.len())).unwrap_or((bytes, b""));
        keep(&mut self.header, head);
        if end.is_some() {
            self.ended = true;
            keep(&mut self.message, tail);
        }
    }

    pub(super) fn message(&self) -> &[u8] {
        &self.message
    }

    /// Parents in order; `None` for one whose name is malformed.
    pub(super) fn parents(&self) -> impl Iterator<Item = Option<Id>> {
        lines(&self.header).skip(1).map_while(|line| line.strip_prefix(b"parent ")).map(Id::from_hex)
    }

    pub(super) fn header(&self) -> Header<'_> {
        let unnamed = Person { name: b"", email: b"" };
        let parents = self.parents().count();
        let mut header = Header {
            tree: None,
            parents,
            author: unnamed,
            committer: unnamed,
            authored: 0,
            seconds: 0,
            encoding: None,
        };
        let (mut author, mut committer) = (false, false);
        for line in lines(&self.header) {
            let Some((key, value)) = memchr(b' ', line).and_then(|at| line.split_at_checked(at)) else { continue };
            let value = value.trim_ascii_start();
            match key {
                b"tree" if header.tree.is_none() => header.tree = Id::from_hex(value),
                b"author" if !author => {
                    (header.author, header.authored, author) = (person(value), seconds(value), true);
                }
                b"committer" if !committer => {
                    (header.committer, header.seconds, committer) = (person(value), seconds(value), true);
                }
                b"encoding" if header.encoding.is_none() => header.encoding = Some(value),
                _ => {}
            }
        }
        header
    }
}

fn lines(header: &[u8]) -> impl Iterator<Item = &[u8]> {
    header.split(|byte| *byte == b'\n')
}

fn keep(into: &mut Vec<u8>, bytes: &[u8]) {
    let room = MOST.saturating_sub(into.len()).min(bytes.len());
    into.extend(bytes.iter().take(room));
}

/// `NAME <EMAIL> SECONDS ZONE`, of which anything may be missing.
fn person(value: &[u8]) -> Person<'_> {
    let Some((name, rest)) = memchr(b'<', value).and_then(|at| value.split_at_checked(at)) else {
        return Person { name: value.trim_ascii(), email: b"" };
    };
    let email = rest.split(|byte| *byte == b'>').next().unwrap_or_default();
    Person { name: name.trim_ascii(), email: email.strip_prefix(b"<").unwrap_or(email).trim_ascii() }
}

/// The number behind the last `>`, as git reads it: none is 0.
fn seconds(value: &[u8]) -> i64 {
    let Some((_, tail)) = memrchr(b'>', value).and_then(|at| value.split_at_checked(at + 1)) else { return 0 };
    let tail = tail.trim_ascii_start();
    let (negative, digits) = tail.strip_prefix(b"-").map_or((false, tail), |digits| (true, digits));
    let number = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0_i64, |number, byte| number.saturating_mul(10).saturating_add(i64::from(byte - b'0')));
    if negative { -number } else { number }
}
