//! Zip archives, by their central directory.

use super::Method;
use super::archive::{Archive, Data, Store};
use agent_strace_model::GapKind;

const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";
const ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
const END_LENGTH: usize = 22;
/// A comment has at most this many bytes.
const MAX_COMMENT: usize = 65_535;
/// Of the list of entries: far above what [`super::archive::MAX_MEMBERS`] entries take.
const MAX_DIRECTORY: u64 = 64 << 20;

const LINK: u32 = 0o120_000;
const KIND: u32 = 0o170_000;
const ENCRYPTED: u16 = 1;

const RAGGED: &str = "it does not end where its list of entries says: it was cut off, or bytes were put behind it";
const CUT: &str = "the list of its entries is missing or damaged: it was cut off, or is no whole archive";

/// Little-endian numbers at places of a record.
struct Fields<'b>(&'b [u8]);

impl Fields<'_> {
    fn number(&self, at: usize, length: usize) -> Option<u64> {
        let bytes = self.0.get(at..at.checked_add(length)?)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn short(&self, at: usize) -> Option<u16> {
        self.number(at, 2).and_then(|number| u16::try_from(number).ok())
    }

    fn long(&self, at: usize) -> Option<u32> {
        self.number(at, 4).and_then(|number| u32::try_from(number).ok())
    }
}

/// Where the list of entries lies.
struct Directory {
    offset: u64,
    length: u64,
    entries: u64,
    /// Bytes before the archive proper, to which offsets do not count.
    before: u64,
    /// Nothing stands behind it, and nothing of its end is missing.
    ends: bool,
}

pub(super) fn list(archive: &mut Archive) -> Result<(), GapKind> {
    let store = archive.store();
    let directory = directory(&store)?.ok_or_else(|| GapKind::unreadable(CUT))?;
    if directory.length > MAX_DIRECTORY {
        return Err(GapKind::limit(format!(
            "the list of its entries is larger than {} MiB: not read",
            MAX_DIRECTORY >> 20
        )));
    }
    let length = usize::try_from(directory.length).map_err(|_| GapKind::unreadable(CUT))?;
    let bytes = store.at(directory.offset, length)?;
    let (mut rest, mut entries) = (bytes.as_slice(), 0_u64);
    while rest.starts_with(ENTRY) {
        let Some((entry, after)) = Entry::parse(rest) else { return Err(GapKind::unreadable(CUT)) };
        entries += 1;
        rest = after;
        if entry.is_folder() {
            continue;
        }
        let data = entry.data(&store, directory.before);
        if !archive.add(&entry.name, entry.size, data) {
            return Ok(());
        }
    }
    if entries != directory.entries || bytes.len() != length {
        return Err(GapKind::unreadable(CUT));
    }
    if directory.ends { Ok(()) } else { Err(GapKind::unreadable(RAGGED)) }
}

fn directory(store: &Store) -> Result<Option<Directory>, GapKind> {
    let length = store.length();
    let tail_length = (END_LENGTH + MAX_COMMENT).min(usize::try_from(length).unwrap_or(usize::MAX));
    let tail_offset = length - tail_length as u64;
    let tail = store.at(tail_offset, tail_length)?;
    let ends = memchr::memmem::rfind_iter(&tail, END);
    // The last one whose comment ends where the file ends; a comment may hold anything, even another such record.
    let fits = |at: &usize| {
        let end = Fields(tail.get(*at..).unwrap_or_default());
        end.short(20).is_some_and(|comment| at + END_LENGTH + usize::from(comment) == tail.len())
    };
    let Some(at) = ends.clone().find(fits).or_else(|| ends.clone().next()) else { return Ok(None) };
    let end = Fields(tail.get(at..).unwrap_or_default());
    let end_offset = tail_offset + at as u64;
    let (Some(entries), Some(size), Some(offset)) = (end.short(10), end.long(12), end.long(16)) else {
        return Ok(None);
    };
    let found = if entries == u16::MAX || size == u32::MAX || offset == u32::MAX {
        directory_64(store, end_offset)?
    } else {
        Directory::ending(end_offset, u64::from(size), u64::from(offset), u64::from(entries))
    };
    Ok(found.map(|directory| Directory { ends: fits(&at), ..directory }))
}

fn directory_64(store: &Store, end_offset: u64) -> Result<Option<Directory>, GapKind> {
    let Some(locator) = end_offset.checked_sub(20) else { return Ok(None) };
    let bytes = store.at(locator, 20)?;
    let (true, Some(told)) = (bytes.starts_with(LOCATOR_64), Fields(&bytes).number(8, 8)) else { return Ok(None) };
    // Bytes before the archive proper move the record; it ends where its locator begins.
    for offset in [Some(told), locator.checked_sub(56)].into_iter().flatten() {
        let bytes = store.at(offset, 56)?;
        if !bytes.starts_with(END_64) {
            continue;
        }
        let fields = Fields(&bytes);
        let (Some(entries), Some(size), Some(start)) =
            (fields.number(32, 8), fields.number(40, 8), fields.number(48, 8))
        else {
            return Ok(None);
        };
        return Ok(Directory::ending(offset, size, start, entries));
    }
    Ok(None)
}

impl Directory {
    /// `offset` is what the archive says; the list ends where its end record begins.
    fn ending(end: u64, length: u64, offset: u64, entries: u64) -> Option<Self> {
        let real = end.checked_sub(length)?;
        Some(Self { offset: real, length, entries, before: real.checked_sub(offset)?, ends: false })
    }
}

struct Entry {
    name: String,
    raw_name: Vec<u8>,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    mode: u32,
    offset: u64,
}

impl Entry {
    fn parse(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let fields = Fields(bytes);
        let name_end = 46 + usize::from(fields.short(28)?);
        let extra_end = name_end + usize::from(fields.short(30)?);
        let end = extra_end + usize::from(fields.short(32)?);
        let raw_name = bytes.get(46..name_end)?.to_vec();
        let mut entry = Self {
            name: String::from_utf8_lossy(&raw_name).into_owned(),
            raw_name,
            flags: fields.short(8)?,
            method: fields.short(10)?,
            crc: fields.long(16)?,
            packed: fields.number(20, 4)?,
            size: fields.number(24, 4)?,
            mode: fields.long(38)? >> 16,
            offset: fields.number(42, 4)?,
        };
        entry.widen(bytes.get(name_end..extra_end)?);
        Some((entry, bytes.get(end..)?))
    }

    /// Numbers too large for their field stand in an extra field, in this order.
    fn widen(&mut self, mut extra: &[u8]) {
        while let (Some(id), Some(length)) = (Fields(extra).short(0), Fields(extra).short(2)) {
            let end = 4 + usize::from(length);
            if id == 1 {
                let values = Fields(extra.get(4..end).unwrap_or_default());
                let mut at = 0;
                for field in [&mut self.size, &mut self.packed, &mut self.offset] {
                    if *field == u64::from(u32::MAX)
                        && let Some(value) = values.number(at, 8)
                    {
                        *field = value;
                        at += 8;
                    }
                }
            }
            extra = extra.get(end..).unwrap_or_default();
        }
    }

    fn is_folder(&self) -> bool {
        self.size == 0 && self.name.ends_with(['/', '\\'])
    }

    fn data(&self, store: &Store, before: u64) -> Result<Data, GapKind> {
        if self.mode & KIND == LINK {
            return Err(GapKind::unreadable("a symbolic link: not followed"));
        }
        if self.flags & ENCRYPTED != 0 {
            return Err(GapKind::unreadable("an encrypted entry: not read"));
        }
        let method = match self.method {
            0 => Method::Stored,
            8 => Method::Deflate,
            93 => Method::Zstd,
            _ => return Err(GapKind::unreadable("compressed in a way that is not supported: not read")),
        };
        let damaged = || GapKind::unreadable("the entry is not where the archive says: it was cut off or damaged");
        let start = self.offset.checked_add(before).ok_or_else(damaged)?;
        let header = store.at(start, 30 + self.raw_name.len())?;
        let fields = Fields(&header);
        let (Some(name), Some(extra)) = (fields.short(26), fields.short(28)) else { return Err(damaged()) };
        if !header.starts_with(LOCAL) {
            return Err(damaged());
        }
        // Readers disagree about which of two names counts, so neither does.
        if header.get(30..) != Some(&self.raw_name) || usize::from(name) != self.raw_name.len() {
            return Err(GapKind::unreadable("an entry with two different names: not read"));
        }
        let offset = start + 30 + u64::from(name) + u64::from(extra);
        Ok(Data { offset, length: self.packed, method, crc: Some(self.crc) })
    }
}
