//! The text of a file, unpacked where it is compressed, or why it has none.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::super::failure::reason;
use agent_strace_ingest::discover::{self, Packing};

/// Bytes that tell what a file is.
const HEAD: usize = 8 << 10;

/// How what was read has to be written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carrier {
    Plain,
    Gzip,
    Zstd,
}

pub(super) struct Opened<'r> {
    pub(super) carrier: Carrier,
    pub(super) reader: Box<dyn Read + 'r>,
}

pub(super) fn file(path: &Path) -> Result<Opened<'static>, String> {
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    stream(file)
}

pub(super) fn stream<'r>(reader: impl Read + 'r) -> Result<Opened<'r>, String> {
    let (head, reader) = peek(reader).map_err(|error| unreadable(&error))?;
    match discover::packing(&head) {
        None => {
            refuse_what_is_no_text(&head)?;
            Ok(Opened { carrier: Carrier::Plain, reader: Box::new(reader) })
        }
        Some(Packing::Gzip) => {
            let (head, reader) = peek(MultiGzDecoder::new(reader)).map_err(|error| unreadable(&error))?;
            refuse_what_is_packed_twice(&head)?;
            Ok(Opened { carrier: Carrier::Gzip, reader: Box::new(reader) })
        }
        Some(Packing::Zstd) => {
            let bytes = discover::unpacked(reader, Packing::Zstd).map_err(|kind| kind.to_string())?;
            refuse_what_is_packed_twice(bytes.get(..HEAD).unwrap_or(&bytes))?;
            Ok(Opened { carrier: Carrier::Zstd, reader: Box::new(Cursor::new(bytes)) })
        }
        Some(Packing::Zip | Packing::Tar) => Err("an archive: unpack it, and name the folder".to_owned()),
    }
}

fn peek<'r>(mut reader: impl Read + 'r) -> io::Result<(Vec<u8>, impl Read + 'r)> {
    let mut head = Vec::with_capacity(HEAD);
    reader.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    Ok((head.clone(), Cursor::new(head).chain(reader)))
}

fn refuse_what_is_packed_twice(head: &[u8]) -> Result<(), String> {
    match discover::packing(head) {
        None => refuse_what_is_no_text(head),
        Some(_) => Err("packed more than once: unpack it first".to_owned()),
    }
}

fn refuse_what_is_no_text(head: &[u8]) -> Result<(), String> {
    let reason = if head.starts_with(b"SQLite format 3\0") {
        "a SQLite database: export its records as text first"
    } else if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        "text in UTF-16: convert it to UTF-8 first"
    } else if head.starts_with(b"BZh") || head.starts_with(b"\xfd7zXZ\0") || head.starts_with(b"7z\xbc\xaf\x27\x1c") {
        "compressed in a way that is not supported: unpack it first"
    } else if head.contains(&0) {
        "a binary file: what is in it can't be judged"
    } else {
        return Ok(());
    };
    Err(reason.to_owned())
}

pub(super) fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the compressed data is cut off".to_owned(),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            "the compressed data is damaged, or followed by something else".to_owned()
        }
        _ => format!("can't be read: {}", reason(error)),
    }
}
