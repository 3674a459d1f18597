//! Reads what git writes, a piece at a time.

use std::io::{self, BufRead};

use memchr::memchr;

use super::Id;
use super::batch::{Batch, Modes};
use super::raw::Raw;

/// The longest path and the longest line of anything.
pub(super) const LONGEST: usize = 1 << 20;

/// Appends everything up to the next `end`, which is taken but not kept. False at the end of the stream.
pub(super) fn token(from: &mut impl BufRead, end: u8, into: &mut Vec<u8>) -> io::Result<bool> {
    let start = into.len();
    loop {
        let buffer = from.fill_buf()?;
        if buffer.is_empty() {
            return if into.len() == start { Ok(false) } else { Err(unexpected("it ends within a line")) };
        }
        let found = memchr(end, buffer);
        let piece = buffer.get(..found.unwrap_or(buffer.len())).unwrap_or_default();
        if into.len() - start + piece.len() > LONGEST {
            return Err(unexpected("a path or a line is longer than a MiB"));
        }
        into.extend_from_slice(piece);
        let taken = piece.len() + usize::from(found.is_some());
        from.consume(taken);
        if found.is_some() {
            return Ok(true);
        }
    }
}

pub(super) fn unexpected(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// The head of an object in the output of `git cat-file --batch`: its kind is checked, its size returned; none where
/// there is no such object.
pub(crate) fn object_head(from: &mut impl BufRead, line: &mut Vec<u8>, kind: &str) -> io::Result<Option<u64>> {
    line.clear();
    if !token(from, b'\n', line)? {
        return Err(unexpected("it ends before the last object"));
    }
    let mut words = line.split(|byte| *byte == b' ');
    let (_, found, size) = (words.next(), words.next(), words.next());
    if found == Some(b"missing") {
        return Ok(None);
    }
    let size = size.and_then(|size| str::from_utf8(size).ok()).and_then(|size| size.parse().ok());
    match size {
        Some(size) if found == Some(kind.as_bytes()) => Ok(Some(size)),
        _ => Err(unexpected("an object is of another kind than it has to be")),
    }
}

/// Takes the bytes of an object and the line end behind it.
pub(crate) fn object_body(from: &mut impl BufRead, size: u64, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut left = size;
    while left > 0 {
        let buffer = from.fill_buf()?;
        let length = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if length == 0 {
            return Err(unexpected("it ends within an object"));
        }
        take(buffer.get(..length).unwrap_or_default());
        from.consume(length);
        left -= length as u64;
    }
    match from.fill_buf()?.first() {
        Some(b'\n') => from.consume(1),
        _ => return Err(unexpected("an object is longer than it has to be")),
    }
    Ok(())
}

/// The next commit of `git cat-file --batch`. False where it is missing.
pub(super) fn commit(from: &mut impl BufRead, line: &mut Vec<u8>, raw: &mut Raw) -> io::Result<bool> {
    raw.clear();
    let Some(size) = object_head(from, line, "commit")? else { return Ok(false) };
    object_body(from, size, |piece| raw.feed(piece))?;
    Ok(true)
}

/// The next change of `git diff-tree -z --raw`; false where the next record is another commit.
pub(super) fn change(from: &mut impl BufRead, line: &mut Vec<u8>, batch: &mut Batch) -> io::Result<bool> {
    if from.fill_buf()?.first() != Some(&b':') {
        return Ok(false);
    }
    line.clear();
    token(from, 0, line)?;
    let start = batch.paths.len();
    if !token(from, 0, &mut batch.paths)? {
        return Err(unexpected("it ends before a path"));
    }
    let (modes, id) = description(line).ok_or_else(|| unexpected("a change is not described as it has to be"))?;
    batch.add(modes, id, start);
    Ok(true)
}

/// `:OLD NEW ID ID STATUS`, or for a merge of two `::OLD OLD NEW ID ID ID STATUS`: the first old mode, the new mode,
/// the new id.
fn description(line: &[u8]) -> Option<(Modes, Id)> {
    let parents = line.iter().take_while(|byte| **byte == b':').count();
    let mut words = line.get(parents..)?.split(|byte| *byte == b' ');
    let old = mode(words.next()?)?;
    let new = mode(words.nth(parents - 1)?)?;
    Some((Modes { old, new }, Id::from_hex(words.nth(parents)?)?))
}

fn mode(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |mode, byte| match byte {
        b'0'..=b'7' => mode.checked_mul(8)?.checked_add(u32::from(byte - b'0')),
        _ => None,
    })
}
