//! Looking at bytes of a text without ever standing outside of it.

/// Stands between the words of a command that are looked at together.
pub(in super::super) const WORD_END: u8 = 0x1f;

/// The byte at an offset, 0 outside.
pub(super) fn at(text: &str, index: usize) -> u8 {
    text.as_bytes().get(index).copied().unwrap_or(0)
}

/// The byte before an offset, 0 at the start.
pub(super) fn before(text: &str, index: usize) -> u8 {
    index.checked_sub(1).map_or(0, |index| at(text, index))
}

/// A piece of a text; empty where the bounds are none.
pub(super) fn piece(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or("")
}

/// The most bytes that are looked at from one offset: who asks at every offset must not look far, or the work grows
/// with the square of the text.
pub(super) const FAR: usize = 4096;

/// How many bytes from an offset on are of a kind. Who accepts a byte beyond ASCII accepts all of them.
pub(super) fn run(text: &str, index: usize, accept: impl Fn(u8) -> bool) -> usize {
    run_most(text, index, FAR, accept)
}

/// The same, but no more than so many.
pub(super) fn run_most(text: &str, index: usize, most: usize, accept: impl Fn(u8) -> bool) -> usize {
    let rest = text.as_bytes().get(index..).unwrap_or(&[]);
    looked_at(rest.iter().take(most).take_while(|byte| accept(**byte)).count())
}

/// A run of bytes of one kind, for who asks again from within it: what was looked at is not looked at once more.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stretch {
    from: usize,
    to: usize,
}

impl Stretch {
    /// How many bytes from an offset on are of the kind, but no more than so many.
    pub(super) fn run(&mut self, text: &str, index: usize, most: usize, accept: impl Fn(u8) -> bool) -> usize {
        let known = if (self.from..self.to).contains(&index) { self.to - index } else { 0 };
        if known >= most {
            return most;
        }
        let length = known + run_most(text, index + known, most - known, accept);
        *self = Self { from: if known > 0 { self.from } else { index }, to: index + length };
        length
    }
}

/// The same to the end, for who never looks at a byte twice.
pub(super) fn run_all(text: &str, index: usize, accept: impl Fn(u8) -> bool) -> usize {
    run_most(text, index, usize::MAX, accept)
}

/// The same before an offset, but no more than so many.
pub(super) fn run_before(text: &str, index: usize, most: usize, accept: impl Fn(u8) -> bool) -> usize {
    let bytes = text.as_bytes().get(..index).unwrap_or(&[]);
    looked_at(bytes.iter().rev().take(most).take_while(|byte| accept(**byte)).count())
}

/// Counts bytes that are looked at, and the look itself: tests compare them with the length of the text.
pub(super) fn looked_at(bytes: usize) -> usize {
    #[cfg(test)]
    agent_strace_testing::work::count(bytes + 1);
    bytes
}

/// White space, and what stands between words that are looked at together.
pub(super) fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == WORD_END
}

/// Letters, digits, `-` and `_`.
pub(super) fn is_url_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// What base64 is written with, of both alphabets, without what fills it up.
pub(super) fn is_base64(byte: u8) -> bool {
    is_url_safe(byte) || matches!(byte, b'+' | b'/')
}

/// Nothing that could belong to the same word stands before an offset.
pub(super) fn starts_word(text: &str, index: usize) -> bool {
    match before(text, index) {
        // `\n` and `\t` in undecoded text end in a letter, but the letter is not part of the word.
        b'n' | b't' | b'r' => index >= 2 && at(text, index - 2) == b'\\',
        byte => !byte.is_ascii_alphanumeric() && byte != b'_',
    }
}

/// Returns true if no letter and no digit is beside a piece of a text.
pub(in super::super) fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    !before(text, start).is_ascii_alphanumeric() && !at(text, end).is_ascii_alphanumeric()
}

/// The nearest character boundary at or after an offset.
pub(super) fn ceil(text: &str, mut index: usize) -> usize {
    while index < text.len() && !text.is_char_boundary(index) {
        index += 1;
    }
    index.min(text.len())
}

/// The nearest character boundary at or before an offset.
pub(super) fn floor(text: &str, mut index: usize) -> usize {
    index = index.min(text.len());
    while index > 0 && !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}
