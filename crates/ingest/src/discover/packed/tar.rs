//! Tar archives: POSIX, GNU and the older kind.

use super::Method;
use super::archive::{Archive, Data};
use agent_strace_model::GapKind;

const BLOCK: u64 = 512;
/// Of names that do not fit into a header.
const MAX_NAME: u64 = 64 << 10;

/// Whether a block is the header of an entry: its checksum says so.
pub(super) fn is_header(block: &[u8]) -> bool {
    Header::parse(block).is_some()
}

struct Header {
    name: Vec<u8>,
    size: u64,
    kind: u8,
}

impl Header {
    fn parse(block: &[u8]) -> Option<Self> {
        let block: &[u8; 512] = block.get(..512)?.try_into().ok()?;
        let told = number(block.get(148..156)?)?;
        // The checksum counts its own field as blanks; old writers summed signed bytes.
        let outside = |(at, byte): (usize, &u8)| if (148..156).contains(&at) { b' ' } else { *byte };
        let bytes = || block.iter().enumerate().map(outside);
        let unsigned: u64 = bytes().map(u64::from).sum();
        let signed: i64 = bytes().map(|byte| i64::from(byte.cast_signed())).sum();
        if told != unsigned && i64::try_from(told) != Ok(signed) {
            return None;
        }
        let mut name = text(block.get(..100)?).to_vec();
        let is_posix = block.get(257..263)? == b"ustar\0";
        let prefix = text(block.get(345..500)?);
        if is_posix && !prefix.is_empty() {
            name = [prefix, b"/", &name].concat();
        }
        (!name.is_empty()).then_some(Self { name, size: number(block.get(124..136)?)?, kind: *block.get(156)? })
    }
}

/// Up to the first NUL.
fn text(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Octal digits, or big-endian where the first bit is set.
fn number(field: &[u8]) -> Option<u64> {
    if field.first()? & 0x80 != 0 {
        let bytes = field.iter().enumerate().map(|(at, byte)| if at == 0 { byte & 0x7f } else { *byte });
        return bytes.into_iter().try_fold(0_u64, |number, byte| number.checked_mul(256)?.checked_add(u64::from(byte)));
    }
    let digits = std::str::from_utf8(text(field)).ok()?.trim_matches(' ');
    if digits.is_empty() { Some(0) } else { u64::from_str_radix(digits, 8).ok() }
}

/// What entries before an entry say about it.
#[derive(Default)]
struct Ahead {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    sparse: bool,
}

pub(super) fn list(archive: &mut Archive) -> Result<(), GapKind> {
    let store = archive.store();
    let (mut offset, mut ended, mut ahead) = (0, false, Ahead::default());
    while offset < store.length() {
        let block = store.at(offset, 512)?;
        if block.iter().all(|byte| *byte == 0) {
            ended = true;
            offset += BLOCK;
            continue;
        }
        // More archives may follow the end mark of one.
        ended = false;
        let Some(header) = Header::parse(&block) else {
            return Err(GapKind::unreadable("damaged, or data behind its entries: what comes after is not read"));
        };
        let data = offset + BLOCK;
        let size = ahead.size.unwrap_or(header.size);
        if matches!(header.kind, b'L' | b'K' | b'x' | b'X' | b'g') {
            extension(archive, &header, data, &mut ahead)?;
            offset = next(data, header.size);
            continue;
        }
        let ahead = std::mem::take(&mut ahead);
        let name = ahead.name.unwrap_or(header.name);
        let name = String::from_utf8_lossy(&name).into_owned();
        let found = match header.kind {
            b'5' => None,
            _ if ahead.sparse => Some(Err(GapKind::unreadable("a file with holes: not read"))),
            b'0' | 0 | b'7' if name.ends_with('/') => None,
            b'0' | 0 | b'7' => Some(Ok(Data { offset: data, length: size, method: Method::Stored, crc: None })),
            b'1' | b'2' => Some(Err(GapKind::unreadable("a link: not followed"))),
            b'S' => Some(Err(GapKind::unreadable("a file with holes: not read"))),
            _ => Some(Err(GapKind::unreadable("not a regular file"))),
        };
        if let Some(found) = found
            && !archive.add(&name, size, found)
        {
            return Ok(());
        }
        // Links and devices have no data, whatever size they give.
        offset = if matches!(header.kind, b'1'..=b'6') { data } else { next(data, size) };
    }
    if ended { Ok(()) } else { Err(GapKind::unreadable("its end mark is missing: it was cut off")) }
}

fn next(data: u64, size: u64) -> u64 {
    data.saturating_add(size.div_ceil(BLOCK).saturating_mul(BLOCK))
}

/// An entry that only says something about the next one.
fn extension(archive: &Archive, header: &Header, data: u64, ahead: &mut Ahead) -> Result<(), GapKind> {
    if header.size > MAX_NAME {
        return Err(GapKind::unreadable("a header that is too large: what comes after is not read"));
    }
    let bytes = archive.store().at(data, usize::try_from(header.size).unwrap_or(0))?;
    match header.kind {
        b'L' => ahead.name = Some(text(&bytes).to_vec()),
        b'x' | b'X' => {
            for (key, value) in pax(&bytes) {
                match key {
                    b"path" | b"GNU.sparse.name" => ahead.name = Some(value.to_vec()),
                    b"size" => ahead.size = std::str::from_utf8(value).ok().and_then(|size| size.parse().ok()),
                    b"GNU.sparse.major" | b"GNU.sparse.map" => ahead.sparse = true,
                    _ => {}
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// `LENGTH KEY=VALUE\n`, where the length counts the whole record.
fn pax(mut bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut found = Vec::new();
    while let Some(blank) = bytes.iter().position(|byte| *byte == b' ') {
        let length = bytes.get(..blank).and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<usize>().ok());
        let Some((record, rest)) = length.and_then(|length| bytes.split_at_checked(length)) else { break };
        let pair = record.get(blank + 1..).unwrap_or_default();
        let pair = pair.strip_suffix(b"\n").unwrap_or(pair);
        if let Some(equals) = pair.iter().position(|byte| *byte == b'=') {
            found.push((pair.get(..equals).unwrap_or_default(), pair.get(equals + 1..).unwrap_or_default()));
        }
        if record.is_empty() {
            break;
        }
        bytes = rest;
    }
    found
}
