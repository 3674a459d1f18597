//! Zstandard frames.

use std::io::{BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::Output;
use agent_strace_model::GapKind;

const MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";
/// Skippable frames start with a byte from 0x50 to 0x5f and these.
const SKIPPABLE: &[u8] = b"\x2a\x4d\x18";
/// What other decoders take without being told to take more.
const MAX_WINDOW: u64 = 128 << 20;
const STEP: usize = 256 << 10;

pub(super) fn begins(head: &[u8]) -> bool {
    head.starts_with(MAGIC) || skippable(head)
}

/// Whether bytes, of which the end may be missing, begin a frame.
pub(super) fn may_begin(head: &[u8]) -> bool {
    head.first() == MAGIC.first()
        || head.first().is_some_and(|first| first & 0xf0 == 0x50) && {
            let rest = head.get(1..).unwrap_or_default();
            rest.starts_with(SKIPPABLE) || SKIPPABLE.starts_with(rest)
        }
}

fn skippable(head: &[u8]) -> bool {
    head.first().is_some_and(|first| first & 0xf0 == 0x50) && head.get(1..4) == Some(SKIPPABLE)
}

/// Unpacks one frame. `false` when it broke off or no more is wanted.
pub(super) fn frame(input: &mut impl BufRead, output: &mut Output<'_, '_>, consumed: &dyn Fn() -> u64) -> bool {
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(MAX_WINDOW);
    match decoder.reset(&mut *input) {
        Ok(()) => {}
        Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
            let skipped = std::io::copy(&mut input.take(u64::from(length)), &mut std::io::sink());
            let whole = skipped.is_ok_and(|skipped| skipped == u64::from(length));
            if !whole {
                output.flaw(GapKind::unreadable("the compressed data is cut off: what came after is not read"));
            }
            return whole;
        }
        Err(FrameDecoderError::WindowSizeTooBig { .. }) => {
            output.flaw(GapKind::limit(format!("it takes more than {} MiB to unpack: not read", MAX_WINDOW >> 20)));
            return false;
        }
        Err(FrameDecoderError::DictNotProvided { .. }) => {
            output.flaw(GapKind::unreadable("it is compressed with a dictionary, which is not here: not read"));
            return false;
        }
        Err(_) => {
            output.flaw(GapKind::unreadable("the compressed data is cut off or damaged: what comes after is not read"));
            return false;
        }
    }
    loop {
        let decoded = decoder.decode_blocks(&mut *input, BlockDecodingStrategy::UptoBytes(STEP));
        if decoded.is_err() {
            // An empty last block makes the decoder give away what it held back for later blocks.
            let ended = decoder.decode_blocks(&b"\x01\0\0\0\0\0\0"[..], BlockDecodingStrategy::All);
            if ended.is_ok() {
                drain(&mut decoder, output, consumed);
            }
            output.flaw(GapKind::unreadable("the compressed data is cut off or damaged: what comes after is not read"));
            return false;
        }
        if !drain(&mut decoder, output, consumed) {
            return false;
        }
        if decoder.is_finished() {
            break;
        }
    }
    let (told, found) = (decoder.get_checksum_from_data(), decoder.get_calculated_checksum());
    if told.is_some() && told != found {
        output.flaw(GapKind::unreadable("the checksum of the compressed data is wrong: it was damaged or changed"));
    }
    true
}

fn drain(decoder: &mut FrameDecoder, output: &mut Output<'_, '_>, consumed: &dyn Fn() -> u64) -> bool {
    decoder.collect().is_none_or(|piece| output.push(&piece, consumed()))
}
