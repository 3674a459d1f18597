//! Compressed logs and archives: told apart by their first bytes, unpacked into memory, within limits.
//!
//! Whatever could be unpacked is read; whatever could not is a flaw that says so. Nothing is written to disk.

mod archive;
mod tar;
mod zip;
mod zstd;

#[cfg(test)]
mod tests;

use std::io::{self, BufRead, Read};

use super::MAX_FILE;
use super::load::unreadable;
use agent_strace_model::GapKind;

pub(super) use archive::{Archive, Member, Store};

/// Output that is this many times its input is no log, once it is large.
const MAX_RATIO: u64 = 400;
const LARGE: u64 = 32 << 20;
/// Bytes that tell how a file is packed.
pub(super) const HEAD: usize = 512;

const GZIP: &[u8] = b"\x1f\x8b";

/// How the bytes of a log are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Gzip,
    Zstd,
    Zip,
    Tar,
}

impl Packing {
    /// By the beginning of a file.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(b"\x1f\x8b\x08") {
            Some(Self::Gzip)
        } else if zstd::begins(head) {
            Some(Self::Zstd)
        } else if [b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"].iter().any(|magic| head.starts_with(*magic)) {
            Some(Self::Zip)
        } else if tar::is_header(head) {
            Some(Self::Tar)
        } else {
            None
        }
    }

    pub(super) fn is_archive(self) -> bool {
        matches!(self, Self::Zip | Self::Tar)
    }
}

/// Told how many bytes more are going to be in memory.
pub(crate) type Room<'r> = dyn FnMut(u64) + 'r;

/// What was unpacked, and why that may not be all.
#[derive(Debug, Default)]
pub(super) struct Unpacked {
    pub(super) bytes: Vec<u8>,
    pub(super) flaws: Vec<GapKind>,
}

/// Output that grows within limits.
struct Output<'r, 'o> {
    unpacked: Unpacked,
    limit: u64,
    /// Reaching the limit is no flaw: only the beginning was asked for.
    peek: bool,
    /// From here on, the ratio counts.
    large: u64,
    room: &'o mut Room<'r>,
}

impl<'r, 'o> Output<'r, 'o> {
    /// Everything that was packed.
    fn whole(room: &'o mut Room<'r>) -> Self {
        Self { unpacked: Unpacked::default(), limit: MAX_FILE, peek: false, large: LARGE, room }
    }

    /// The beginning of what was packed.
    fn beginning(limit: u64, room: &'o mut Room<'r>) -> Self {
        Self { limit, peek: true, ..Self::whole(room) }
    }

    /// Takes a piece that `consumed` bytes of input led to. `false`: no more is wanted.
    fn push(&mut self, piece: &[u8], consumed: u64) -> bool {
        let before = self.unpacked.bytes.len() as u64;
        let wanted = usize::try_from(self.limit.saturating_sub(before)).unwrap_or(usize::MAX);
        let taken = piece.get(..wanted).unwrap_or(piece);
        (self.room)(taken.len() as u64);
        self.unpacked.bytes.extend_from_slice(taken);
        let after = before + taken.len() as u64;
        if taken.len() < piece.len() {
            if !self.peek {
                let limit = self.limit >> 30;
                self.flaw(GapKind::limit(format!(
                    "unpacks to more than {limit} GiB: what comes after that is not read"
                )));
            }
            return false;
        }
        if after > self.large && after / MAX_RATIO > consumed {
            self.flaw(GapKind::limit(format!("unpacks to more than {MAX_RATIO} times its size: not read further")));
            return false;
        }
        true
    }

    fn flaw(&mut self, kind: GapKind) {
        self.unpacked.flaws.push(kind);
    }

    /// Reads `reader` to its end; `false` when it broke off or no more is wanted.
    fn pull(&mut self, reader: &mut dyn Read, consumed: &dyn Fn() -> u64) -> bool {
        let mut piece = vec![0; 64 << 10];
        loop {
            match reader.read(&mut piece) {
                Ok(0) => return true,
                Ok(length) => {
                    if !self.push(piece.get(..length).unwrap_or_default(), consumed()) {
                        return false;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.flaw(broken(&error));
                    return false;
                }
            }
        }
    }
}

fn broken(error: &io::Error) -> GapKind {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            GapKind::unreadable("the compressed data is cut off: what came after is not read")
        }
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            GapKind::unreadable("the compressed data is damaged or its checksum is wrong: what comes after is not read")
        }
        _ => unreadable(error),
    }
}

/// Counts what is taken from a reader.
struct Counted<'c, R> {
    inner: R,
    count: &'c std::cell::Cell<u64>,
}

impl<R: BufRead> Read for Counted<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(into)?;
        self.count.set(self.count.get() + length as u64);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Counted<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.count.set(self.count.get() + amount as u64);
        self.inner.consume(amount);
    }
}

/// Unpacks every member or frame of a compressed stream. Bytes behind them that are not compressed are kept as they are.
pub(super) fn unpack(reader: impl BufRead, packing: Packing, room: &mut Room<'_>) -> Unpacked {
    run(reader, packing, Output::whole(room))
}

/// The beginning of what a compressed stream holds.
pub(super) fn peek(reader: impl BufRead, packing: Packing, limit: u64) -> Vec<u8> {
    run(reader, packing, Output::beginning(limit, &mut |_| {})).bytes
}

fn run(reader: impl BufRead, packing: Packing, mut output: Output<'_, '_>) -> Unpacked {
    let count = std::cell::Cell::new(0);
    let mut input = Counted { inner: reader, count: &count };
    let consumed = || count.get();
    loop {
        let whole = match packing {
            Packing::Zstd => zstd::frame(&mut input, &mut output, &consumed),
            _ => output.pull(&mut flate2::bufread::GzDecoder::new(&mut input), &consumed),
        };
        if !whole || !another(&mut input, packing, &mut output, &consumed) {
            return output.unpacked;
        }
    }
}

/// Whether one more member or frame follows. Anything else that follows is taken as it is.
fn another(
    input: &mut impl BufRead,
    packing: Packing,
    output: &mut Output<'_, '_>,
    consumed: &dyn Fn() -> u64,
) -> bool {
    loop {
        let head = match input.fill_buf() {
            Ok([]) => return false,
            Ok(head) => head,
            Err(error) => {
                output.flaw(unreadable(&error));
                return false;
            }
        };
        let padding = head.iter().take_while(|byte| **byte == 0).count();
        if padding > 0 {
            // Tapes and block devices pad with zeros.
            input.consume(padding);
            continue;
        }
        // A buffer may end inside the magic number: its first byte decides, and what is wrong is told by the decoder.
        let follows = match packing {
            Packing::Zstd => zstd::may_begin(head),
            _ => head.first() == GZIP.first(),
        };
        if !follows {
            output.flaw(GapKind::unreadable("bytes behind the compressed data: they are read as they are"));
            output.push(b"\n", consumed());
            output.pull(input, consumed);
        }
        return follows;
    }
}

/// Unpacks one member of an archive, whose method, size and checksum its archive tells.
fn member(reader: impl BufRead, method: Method, output: &mut Output<'_, '_>) {
    let count = std::cell::Cell::new(0);
    let mut input = Counted { inner: reader, count: &count };
    let consumed = || count.get();
    match method {
        Method::Stored => output.pull(&mut input, &|| u64::MAX),
        Method::Deflate => output.pull(&mut flate2::bufread::DeflateDecoder::new(&mut input), &consumed),
        Method::Zstd => zstd::frame(&mut input, output, &consumed),
    };
}

/// How a member of an archive is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Stored,
    Deflate,
    Zstd,
}
